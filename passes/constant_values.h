/* constant_values.h - what a pass can know of values without running them. */
#ifndef TVM_PASSES_CONSTANT_VALUES_H
#define TVM_PASSES_CONSTANT_VALUES_H

#include "base/base.h"

/* Whether the value is an arith.constant, or graph operators on such alone:
 * tvm-hoist-constants takes it out of the running program. Looks at a bounded
 * number of operations, and says no when that does not suffice. */
bool tvm_is_constant(MlirValue value);

/* One element. Integers and i1 count in `integer`, floats in `number`. */
typedef struct tvm_scalar {
  bool is_float;
  double number;
  int64_t integer;
} tvm_scalar;

/* Whether all elements of the value are the same to the bit, and which. Looks
 * through reshapes, broadcasts and transposes. */
bool tvm_get_splat(MlirValue value, tvm_scalar *out);

/* Bounds of the elements of a constant of f32 or f64: `least` and `most`, and
 * `largest` the largest magnitude. */
typedef struct tvm_range {
  double least, most, largest;
} tvm_range;

/* Fails, without a message, when the bounds are not known to be finite or the
 * value is no constant. An empty value has the range of zero. */
bool tvm_get_range(MlirValue value, tvm_range *out);
/* The range of a product or of a quotient; false when it may not be finite or
 * may fall out of what the element type holds with full precision. */
bool tvm_multiply_ranges(MlirType element, const tvm_range *a,
                         const tvm_range *b, tvm_range *out);
bool tvm_divide_ranges(MlirType element, const tvm_range *a, const tvm_range *b,
                       tvm_range *out);

#endif
