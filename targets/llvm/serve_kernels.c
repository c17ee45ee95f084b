/* serve_kernels.c - the inside of a kernel worker: build what is asked for
 * until the compiler hangs up.
 *
 * The system ends the process when a kernel takes more processor time or more
 * memory than it may; the compiler sees that and tries something simpler. */
#include "llvm/kernel_workers.h"

#include "llvm/kernel_message.h"

#include "mlir-c/Diagnostics.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

/* A sanitizer reserves terabytes and takes many times as long. */
#ifdef HAS_SANITIZER
enum { SLOWNESS = 20 };
static const rlim_t memory_limit = RLIM_INFINITY;
#else
enum { SLOWNESS = 1 };
static const rlim_t memory_limit = (rlim_t)TVM_KERNEL_GIB << 30;
#endif

static void lower_limit(int resource, rlim_t limit) {
  struct rlimit r;
  if (getrlimit(resource, &r))
    return;
  if (r.rlim_max != RLIM_INFINITY && limit > r.rlim_max)
    limit = r.rlim_max;
  r.rlim_cur = limit;
  setrlimit(resource, &r);
}

static void allow_seconds(int seconds) {
  struct rusage usage = {0};
  getrusage(RUSAGE_SELF, &usage);
  rlim_t used = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 2;
  lower_limit(RLIMIT_CPU, used + (rlim_t)seconds * SLOWNESS);
}

static void append_text(MlirStringRef text, void *user) {
  tvm_bytes_append(user, text.data, text.length);
}

/* "<file>:<line>:<column>: " of a schedule; the kernel came without a name. */
static void append_place(MlirLocation at, tvm_bytes *messages) {
  if (!mlirLocationIsAFileLineColRange(at))
    return;
  MlirStringRef file =
      mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(at));
  if (file.length == 0 ||
      mlirStringRefEqual(file, mlirStringRefCreateFromCString("-")))
    return;
  char place[32];
  int n = snprintf(place, sizeof place,
                   ":%d:%d: ", mlirLocationFileLineColRangeGetStartLine(at),
                   mlirLocationFileLineColRangeGetStartColumn(at));
  append_text(file, messages);
  append_text(mlirStringRefCreate(place, (size_t)n), messages);
}

static MlirLogicalResult keep_message(MlirDiagnostic d, void *user) {
  tvm_bytes *messages = user;
  char severity = (char)mlirDiagnosticGetSeverity(d), end = 0;
  tvm_bytes_append(messages, &severity, 1);
  append_place(mlirDiagnosticGetLocation(d), messages);
  mlirDiagnosticPrint(d, append_text, messages);
  tvm_bytes_append(messages, &end, 1);
  return mlirLogicalResultSuccess();
}

/* The texts behind a request, in one piece; null when it is cut short. */
static char *receive_texts(int socket, const tvm_kernel_request *r) {
  size_t size =
      (size_t)r->schedule_bytes + r->object_bytes + (size_t)r->kernel_bytes;
  char *texts = malloc(size + 1);
  if (tvm_receive_bytes(socket, texts, size))
    return texts;
  free(texts);
  return NULL;
}

static MlirOperation first_kernel(MlirModule module) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  while (op.ptr && !tvm_op_is(op, "te.kernel"))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static void build(MlirContext context, const tvm_kernel_request *r,
                  const char *texts, tvm_kernel_reply *reply) {
  const char *schedule = texts, *object = schedule + r->schedule_bytes;
  MlirModule module = mlirModuleCreateParse(
      context, mlirStringRefCreate(object + r->object_bytes, r->kernel_bytes));
  if (mlirModuleIsNull(module))
    return;
  tvm_llvm_kernel_job job = {.kernel = first_kernel(module),
                             .target = &r->target,
                             .schedule_path = *schedule ? schedule : NULL,
                             .object_path = object,
                             .effort = (tvm_schedule_effort)r->effort,
                             .packing = {.constants = r->constants}};
  if (job.kernel.ptr)
    reply->is_built = mlirLogicalResultIsSuccess(tvm_llvm_build_object(&job));
  reply->grid = job.grid;
  reply->workspace_bytes = job.workspace_bytes;
  reply->flops = job.flops;
  reply->packing = job.packing;
  reply->n_in_place = job.n_in_place;
  memcpy(reply->in_place, job.in_place, sizeof reply->in_place);
  mlirModuleDestroy(module);
}

static bool serve_one(MlirContext context, int socket, int seconds) {
  tvm_kernel_request request;
  if (!tvm_receive_bytes(socket, &request, sizeof request) ||
      request.magic != tvm_kernel_magic())
    return false;
  char *texts = receive_texts(socket, &request);
  if (!texts)
    return false;
  tvm_kernel_reply reply = {0};
  tvm_bytes messages = {0};
  allow_seconds(seconds);
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(
      context, keep_message, &messages, NULL);
  build(context, &request, texts, &reply);
  mlirContextDetachDiagnosticHandler(context, handler);
  reply.message_bytes = messages.size;
  bool ok = tvm_send_bytes(socket, &reply, sizeof reply) &&
            tvm_send_bytes(socket, messages.data, messages.size);
  free(messages.data);
  free(texts);
  return ok;
}

void tvm_llvm_serve_kernels(MlirContext context, int socket, int seconds) {
  while (serve_one(context, socket, seconds))
    ;
}

bool tvm_llvm_prepare_worker(long parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_AS, memory_limit);
  return getppid() == parent; /* else it has ended already */
}
