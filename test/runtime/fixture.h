/* fixture.h - what fixture.c computes, for the tests that run it. */
#ifndef TVM_TEST_FIXTURE_H
#define TVM_TEST_FIXTURE_H

#include "tvm/model.h"

enum { FIXTURE_ROWS = 64, FIXTURE_COLS = 128 };
enum { FIXTURE_ELEMS = FIXTURE_ROWS * FIXTURE_COLS };

/* The type and the symbol share a name, so C needs another for the symbol. */
#ifdef FIXTURE_SYMBOL
extern const tvm_model fixture_model __asm__(FIXTURE_SYMBOL);
#else
extern const tvm_model fixture_model;
#endif

#endif
