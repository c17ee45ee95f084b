# EmbedFile.cmake - cmake -DSYMBOL=s -DFILE=f -DOUTPUT=o -P EmbedFile.cmake
#
# Write the C file of tvm_embed. The digest is for compiler caches, which do
# not look into embedded files.
file(SHA256 ${FILE} digest)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"#include <stddef.h>
extern const char ${SYMBOL}[];
extern const size_t ${SYMBOL}_size;
const char ${SYMBOL}[] = {
#embed \"${FILE}\" suffix(, 0)
};
const size_t ${SYMBOL}_size = sizeof ${SYMBOL} - 1;
static const char digest[] __attribute__((unused)) = \"${digest}\";
")
