/* kernel_workers.h - kernels compiled by processes of their own, several at a
 * time, with a limit on time and memory.
 *
 * Processes and not threads: a rewrite that never ends, eats the memory or
 * crashes can be given up. They are started with posix_spawn: a host with
 * threads must not fork. */
#ifndef TVM_TARGETS_LLVM_KERNEL_WORKERS_H
#define TVM_TARGETS_LLVM_KERNEL_WORKERS_H

#include "llvm/build_kernel.h"

/* Address space of a worker; processor time for one kernel, unless told. */
enum { TVM_KERNEL_GIB = 4, TVM_KERNEL_SECONDS = 60 };

typedef struct tvm_llvm_workers tvm_llvm_workers;

/* At most `num_threads` workers, 0: one for each core, started when needed.
 * `seconds` is the processor time for one kernel, 0: the default. */
tvm_llvm_workers *tvm_llvm_workers_create(int num_threads, int seconds);
/* Ends them. Accepts null. */
void tvm_llvm_workers_destroy(tvm_llvm_workers *workers);

/* Whether there is a program to start. */
bool tvm_llvm_workers_are_available(const tvm_llvm_workers *workers);

/* Build all objects. A kernel whose worker dies is tried again with less
 * effort, except with a schedule of the user's. Calls `progress` with the
 * number of finished kernels. Fails: emits what the first of the kernels that
 * failed had to say. */
MlirLogicalResult
tvm_llvm_workers_build(tvm_llvm_workers *workers, size_t n,
                       tvm_llvm_kernel_job *jobs,
                       void (*progress)(void *user, size_t done), void *user);

/* In a worker: whether its `parent` still waits, and the limits on it. */
bool tvm_llvm_prepare_worker(long parent);
/* In a worker: answer requests until the other side hangs up. */
void tvm_llvm_serve_kernels(MlirContext context, int socket, int seconds);

#endif
