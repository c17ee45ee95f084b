/* kernel_workers.c - start workers, give them kernels, outlive their deaths. */
#define _GNU_SOURCE
#include "llvm/kernel_workers.h"

#include "llvm/kernel_message.h"

#include "mlir-c/Diagnostics.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_WORKERS = 64, NO_JOB = -1 };

typedef struct {
  pid_t pid; /* 0: not started */
  int socket;
  intptr_t job; /* index, or NO_JOB */
} worker;

struct tvm_llvm_workers {
  int count, seconds;
  char program[4096]; /* empty: there is none */
  worker items[MAX_WORKERS];
};

/* What a job has to say when its turn comes. */
typedef struct {
  bool is_done, is_built;
  tvm_bytes messages;
} outcome;

typedef struct {
  tvm_llvm_workers *workers;
  size_t n;
  tvm_llvm_kernel_job *jobs;
  outcome *outcomes;
  size_t next, done; /* the next to be started, how many have ended */
  bool has_failed;
} build_run;

static int count_cores(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
  return n > 0 ? n : 1;
}

/* Beside the running program, or where it was built. */
static void find_program(char *out, size_t size) {
  ssize_t n = readlink("/proc/self/exe", out, size - 64);
  out[n > 0 ? n : 0] = 0;
  char *slash = strrchr(out, '/');
  strcpy(slash ? slash + 1 : out, "tvm-kernel-worker");
  if (slash && access(out, X_OK) == 0)
    return;
  snprintf(out, size, "%s", TVM_KERNEL_WORKER);
  if (access(out, X_OK))
    out[0] = 0;
}

tvm_llvm_workers *tvm_llvm_workers_create(int num_threads, int seconds) {
  tvm_llvm_workers *w = calloc(1, sizeof *w);
  w->count = num_threads > 0 ? num_threads : count_cores();
  if (w->count > MAX_WORKERS)
    w->count = MAX_WORKERS;
  w->seconds = seconds > 0 ? seconds : TVM_KERNEL_SECONDS;
  find_program(w->program, sizeof w->program);
  return w;
}

bool tvm_llvm_workers_are_available(const tvm_llvm_workers *workers) {
  return workers->program[0];
}

static bool spawn(const tvm_llvm_workers *workers, int socket, pid_t *out_pid) {
  char parent[32], seconds[32];
  snprintf(parent, sizeof parent, "%ld", (long)getpid());
  snprintf(seconds, sizeof seconds, "%d", workers->seconds);
  char *args[] = {(char *)workers->program, parent, seconds, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  int error =
      posix_spawn(out_pid, workers->program, &actions, NULL, args, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0;
}

static bool start_worker(const tvm_llvm_workers *workers, worker *w) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
    return false;
  bool ok = spawn(workers, pair[1], &w->pid);
  close(pair[1]);
  w->socket = pair[0];
  if (!ok) {
    close(pair[0]);
    w->pid = 0;
  }
  return ok;
}

/* Returns how it ended. */
static int stop_worker(worker *w) {
  int status = 0;
  close(w->socket);
  while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
    ;
  *w = (worker){.job = NO_JOB};
  return status;
}

void tvm_llvm_workers_destroy(tvm_llvm_workers *workers) {
  for (int i = 0; workers && i < workers->count; ++i)
    if (workers->items[i].pid) {
      kill(workers->items[i].pid, SIGKILL);
      stop_worker(&workers->items[i]);
    }
  free(workers);
}

static void append_bytecode(MlirStringRef piece, void *user) {
  tvm_bytes_append(user, piece.data, piece.length);
}

static bool send_job(worker *w, const tvm_llvm_kernel_job *job) {
  const char *schedule = job->schedule_path ? job->schedule_path : "";
  tvm_bytes kernel = {0}, all = {0};
  mlirOperationWriteBytecode(job->kernel, append_bytecode, &kernel);
  tvm_kernel_request request = {
      .magic = tvm_kernel_magic(),
      .target = *job->target,
      .constants = job->packing.constants,
      .effort = (int32_t)job->effort,
      .schedule_bytes = (uint32_t)strlen(schedule) + 1,
      .object_bytes = (uint32_t)strlen(job->object_path) + 1,
      .kernel_bytes = kernel.size};
  tvm_bytes_append(&all, &request, sizeof request);
  tvm_bytes_append(&all, schedule, request.schedule_bytes);
  tvm_bytes_append(&all, job->object_path, request.object_bytes);
  tvm_bytes_append(&all, kernel.data, kernel.size);
  bool ok = tvm_send_bytes(w->socket, all.data, all.size);
  free(kernel.data);
  free(all.data);
  return ok;
}

static bool receive_reply(worker *w, tvm_llvm_kernel_job *job, outcome *o) {
  tvm_kernel_reply reply;
  if (!tvm_receive_bytes(w->socket, &reply, sizeof reply))
    return false;
  char *messages = malloc(reply.message_bytes + 1);
  bool ok = tvm_receive_bytes(w->socket, messages, reply.message_bytes);
  if (ok) {
    tvm_bytes_append(&o->messages, messages, reply.message_bytes);
    o->is_built = reply.is_built;
    job->grid = reply.grid;
    job->workspace_bytes = reply.workspace_bytes;
    job->flops = reply.flops;
    job->packing = reply.packing;
    job->n_in_place = reply.n_in_place;
    memcpy(job->in_place, reply.in_place, sizeof job->in_place);
  }
  free(messages);
  return ok;
}

static void add_message(outcome *o, MlirDiagnosticSeverity severity,
                        const char *text) {
  char s = (char)severity;
  tvm_bytes_append(&o->messages, &s, 1);
  tvm_bytes_append(&o->messages, text, strlen(text) + 1);
}

static void describe_end(const tvm_llvm_workers *workers, int status,
                         char *text, size_t size) {
  if (!WIFSIGNALED(status))
    snprintf(text, size, "ended with code %d", WEXITSTATUS(status));
  else if (WTERMSIG(status) == SIGXCPU)
    snprintf(text, size, "did not end within %d s", workers->seconds);
  else
    snprintf(text, size,
             "ended by signal %d, out of its %d GiB of memory perhaps",
             WTERMSIG(status), TVM_KERNEL_GIB);
}

/* Whether there is something simpler to try. */
static bool lower_effort(tvm_llvm_kernel_job *job, int status) {
  if (job->schedule_path || !WIFSIGNALED(status) ||
      job->effort >= TVM_SCHEDULE_SIMPLE)
    return false;
  job->effort = (tvm_schedule_effort)(job->effort + 1);
  return true;
}

static void start_job(build_run *r, worker *w, intptr_t index);

/* The worker died on its job. */
static void bury(build_run *r, worker *w) {
  intptr_t index = w->job;
  tvm_llvm_kernel_job *job = &r->jobs[index];
  outcome *o = &r->outcomes[index];
  MlirStringRef name = tvm_get_str(job->kernel, "sym_name");
  char cause[128], text[512];
  int status = stop_worker(w);
  describe_end(r->workers, status, cause, sizeof cause);
  bool again = lower_effort(job, status);
  snprintf(text, sizeof text, "the compilation of kernel '%.*s' %s%s",
           (int)name.length, name.data, cause,
           again ? "; trying a simpler schedule" : "");
  add_message(o, again ? MlirDiagnosticWarning : MlirDiagnosticError, text);
  if (again) {
    start_job(r, w, index);
    return;
  }
  o->is_done = r->has_failed = true;
  ++r->done;
}

static void start_job(build_run *r, worker *w, intptr_t index) {
  if (!w->pid && !start_worker(r->workers, w)) {
    add_message(&r->outcomes[index], MlirDiagnosticError,
                "cannot start the kernel compiler");
    r->outcomes[index].is_done = r->has_failed = true;
    ++r->done;
    return;
  }
  w->job = index;
  /* when this fails the worker is gone, which its socket will tell */
  send_job(w, &r->jobs[index]);
}

static void finish_job(build_run *r, worker *w) {
  outcome *o = &r->outcomes[w->job];
  if (!receive_reply(w, &r->jobs[w->job], o)) {
    bury(r, w);
    return;
  }
  w->job = NO_JOB;
  o->is_done = true;
  r->has_failed |= !o->is_built;
  ++r->done;
}

/* Wait until workers answer or die. */
static void wait_for_some(build_run *r) {
  struct pollfd fds[MAX_WORKERS];
  worker *busy[MAX_WORKERS];
  nfds_t n = 0;
  for (int i = 0; i < r->workers->count; ++i) {
    worker *w = &r->workers->items[i];
    if (!w->pid || w->job == NO_JOB)
      continue;
    fds[n] = (struct pollfd){.fd = w->socket, .events = POLLIN};
    busy[n++] = w;
  }
  if (!n || poll(fds, n, -1) < 0)
    return;
  for (nfds_t i = 0; i < n; ++i)
    if (fds[i].revents)
      finish_job(r, busy[i]);
}

/* Kernels are started in order, so that all before a failed one have ended
 * when the last busy worker has: which failure is reported is no accident. */
static void run_all(build_run *r, void (*progress)(void *, size_t),
                    void *user) {
  for (;;) {
    bool busy = false;
    for (int i = 0; i < r->workers->count; ++i) {
      worker *w = &r->workers->items[i];
      if (!w->pid)
        w->job = NO_JOB;
      if (w->job == NO_JOB && r->next < r->n && !r->has_failed)
        start_job(r, w, (intptr_t)r->next++);
      busy |= w->job != NO_JOB;
    }
    if (!busy && (r->has_failed || r->next == r->n))
      return;
    progress(user, r->done);
    wait_for_some(r);
  }
}

static void emit_messages(const tvm_llvm_kernel_job *job, const outcome *o) {
  MlirLocation location = mlirOperationGetLocation(job->kernel);
  const char *at = o->messages.data, *end = at + o->messages.size;
  for (; at < end; at += strlen(at) + 1) {
    MlirDiagnosticSeverity severity = (MlirDiagnosticSeverity)*at++;
    if (severity == MlirDiagnosticError)
      tvm_emit_error(location, "%s", at);
    else if (severity == MlirDiagnosticWarning)
      tvm_emit_warning(location, "%s", at);
  }
}

MlirLogicalResult
tvm_llvm_workers_build(tvm_llvm_workers *workers, size_t n,
                       tvm_llvm_kernel_job *jobs,
                       void (*progress)(void *user, size_t done), void *user) {
  build_run r = {.workers = workers, .n = n, .jobs = jobs};
  r.outcomes = calloc(n + 1, sizeof *r.outcomes);
  run_all(&r, progress, user);
  bool ok = true;
  for (size_t i = 0; i < n; ++i) {
    const outcome *o = &r.outcomes[i];
    if (ok && o->is_done)
      emit_messages(&jobs[i], o);
    ok = ok && o->is_built;
    free(o->messages.data);
  }
  free(r.outcomes);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
