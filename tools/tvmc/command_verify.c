/* command_verify.c - tvmc verify: models against their expected outputs.
 *
 * Each folder has a process of its own, so that a crash or an endless loop is
 * a line in the report. This process starts no threads. */
#include "tvmc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const option_row rows[] = {
    {"--rtol", "R", "relative tolerance, 1e-3 unless given", false},
    {"--atol", "A", "absolute tolerance, 1e-5 unless given", false},
    {"--of-range", NULL, "R is relative to the span of an output's values too",
     false},
    {"--timeout", "S", "seconds a folder may take, 600 unless given", false},
    {"--jobs", "N", "folders at a time, 1 unless given", false},
    {"--target", "T", "compile for T, 'host' unless given", false},
    {"--schedule", "FILE", "use this Transform schedule", false},
    PASS_OPTION,
    {"--verbose", NULL, "print folders that pass and compiler messages too",
     false},
    {"--json", NULL, "print one JSON object", false},
    {0}};

typedef struct job {
  const char *folder;
  pid_t process;
  int pipe; /* the child's sentence */
  double began;
  bool ended, passed, late;
  size_t length;
  failure sentence;
} job;

typedef struct verify_run {
  const arguments *args;
  verify_options options;
  size_t count, next, ended;
  job *jobs;
  double last_line;
} verify_run;

enum { POLL_MS = 200 };

static void run_child(const job *j, const verify_options *options, int out) {
  failure f = {""};
  bool ok = verify_folder(j->folder, options, &f);
  const char *text = ok ? "" : f.text;
  size_t length = strlen(text);
  if (write(out, text, length) != (ssize_t)length)
    ok = false;
  fflush(NULL);
  _exit(ok ? 0 : 1);
}

static void start(verify_run *r, job *j) {
  int ends[2];
  j->began = now_seconds();
  fflush(NULL);
  if (pipe(ends)) {
    fail(&j->sentence, "cannot create a pipe: %s", strerror(errno));
    j->ended = true;
    r->ended++;
    return;
  }
  j->process = fork();
  if (j->process == 0) {
    close(ends[0]);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* not to outlive an interrupted run */
    run_child(j, &r->options, ends[1]);
  }
  close(ends[1]);
  j->pipe = ends[0];
  fcntl(j->pipe, F_SETFL, O_NONBLOCK);
  if (j->process > 0)
    return;
  fail(&j->sentence, "cannot start a process: %s", strerror(errno));
  close(ends[0]);
  j->ended = true;
  r->ended++;
}

static void drain(job *j) {
  for (;;) {
    size_t room = sizeof j->sentence.text - 1 - j->length;
    ssize_t n = read(j->pipe, j->sentence.text + j->length, room);
    if (n <= 0)
      return;
    j->length += (size_t)n;
    j->sentence.text[j->length] = 0;
  }
}

/* Whether the child has ended. */
static bool check(job *j, int64_t timeout) {
  int status;
  drain(j);
  if (!j->late && now_seconds() - j->began > (double)timeout) {
    j->late = true;
    kill(-j->process, SIGKILL);
    kill(j->process, SIGKILL);
  }
  pid_t ended = waitpid(j->process, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR))
    return false;
  drain(j);
  close(j->pipe);
  if (j->late)
    fail(&j->sentence, "took longer than %lld s", (long long)timeout);
  else if (WIFSIGNALED(status))
    fail(&j->sentence, "crashed by signal %d", WTERMSIG(status));
  else if (WEXITSTATUS(status) && !*j->sentence.text)
    fail(&j->sentence, "ended with exit code %d", WEXITSTATUS(status));
  j->passed = !j->late && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  j->ended = true;
  return true;
}

/* Stderr, so that stdout is the report alone. */
static void show_progress(verify_run *r, bool final) {
  bool terminal = isatty(STDERR_FILENO);
  double now = now_seconds();
  if (terminal && final)
    fprintf(stderr, "\r\033[K");
  else if (!final && now - r->last_line >= (terminal ? 0.2 : 2)) {
    fprintf(stderr, terminal ? "\r\033[K%zu of %zu" : "tvmc: %zu of %zu\n",
            r->ended, r->count);
    r->last_line = now;
  }
  fflush(stderr);
}

static void print_job(verify_run *r, const job *j) {
  if (has_option(r->args, "--json") ||
      (j->passed && !has_option(r->args, "--verbose")))
    return;
  show_progress(r, true);
  if (j->passed) {
    printf("%s: passed in %.1f s\n", j->folder, now_seconds() - j->began);
  } else {
    printf("%s: ", j->folder);
    print_sentence(stdout, j->sentence.text);
  }
  fflush(stdout);
  r->last_line = now_seconds();
}

static void run_jobs(verify_run *r, int64_t width, int64_t timeout) {
  size_t printed = 0;
  r->last_line = now_seconds();
  while (printed < r->count) {
    size_t running = r->next - r->ended;
    while (r->next < r->count && running < (size_t)width) {
      start(r, &r->jobs[r->next++]);
      running = r->next - r->ended;
    }
    struct pollfd *wait = calloc(r->next + 1, sizeof *wait);
    nfds_t n = 0;
    for (size_t i = printed; i < r->next; i++)
      if (!r->jobs[i].ended)
        wait[n++] = (struct pollfd){.fd = r->jobs[i].pipe, .events = POLLIN};
    if (n)
      poll(wait, n, POLL_MS);
    free(wait);
    for (size_t i = printed; i < r->next; i++)
      if (!r->jobs[i].ended && check(&r->jobs[i], timeout))
        r->ended++;
    for (; printed < r->next && r->jobs[printed].ended; printed++)
      print_job(r, &r->jobs[printed]);
    show_progress(r, false);
  }
  show_progress(r, true);
}

static void print_json(const verify_run *r, size_t passed) {
  json j = {.out = stdout};
  json_open(&j, NULL, '{');
  json_unsigned(&j, "passed", passed);
  json_unsigned(&j, "failed", r->count - passed);
  json_open(&j, "failures", '[');
  for (size_t i = 0; i < r->count; i++) {
    if (r->jobs[i].passed)
      continue;
    json_open(&j, NULL, '{');
    json_string(&j, "folder", r->jobs[i].folder);
    json_string(&j, "reason", r->jobs[i].sentence.text);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_close(&j, '}');
}

static bool verify(const arguments *args, bool *all_passed, failure *f) {
  verify_run r = {
      .args = args,
      .options = {.args = args,
                  .tolerance = {.relative = 1e-3,
                                .absolute = 1e-5,
                                .of_range = has_option(args, "--of-range")}}};
  int64_t width = 1, timeout = 600;
  if (!expect_operands(args, 1, SIZE_MAX, "at least one folder", f) ||
      !get_tolerance(args, "--rtol", &r.options.tolerance.relative, f) ||
      !get_tolerance(args, "--atol", &r.options.tolerance.absolute, f) ||
      !get_integer(args, "--jobs", 1, 256, &width, f) ||
      !get_integer(args, "--timeout", 1, 1000000, &timeout, f))
    return false;
  r.count = args->num_operands;
  r.jobs = calloc(r.count, sizeof *r.jobs);
  for (size_t i = 0; i < r.count; i++)
    r.jobs[i].folder = args->operands[i];
  run_jobs(&r, width, timeout);
  size_t passed = 0;
  for (size_t i = 0; i < r.count; i++)
    passed += r.jobs[i].passed;
  if (has_option(args, "--json"))
    print_json(&r, passed);
  else
    printf("%zu passed, %zu failed\n", passed, r.count - passed);
  *all_passed = passed == r.count;
  free(r.jobs);
  return true;
}

static int run(const arguments *args) {
  failure f;
  bool all_passed;
  if (!verify(args, &all_passed, &f))
    return report(&f);
  return all_passed ? 0 : 1;
}

const command command_verify = {
    .name = "verify",
    .synopsis = "DIR... [OPTION...]",
    .summary =
        "Compile the model of each folder in the ONNX test layout (model.onnx, "
        "\ntest_data_set_N/{input,output}_M.pb), run it on each data set and "
        "compare the\noutputs: element types and shapes, integers exactly, "
        "floats within\n|got - expected| <= A + R * |expected|. R is at least "
        "2^-9 for f16 and 2^-6 for\nbf16. NaN equals NaN. Prints a line for "
        "each folder that fails, then the count.",
    .example = "  tvmc verify models/* --rtol 1e-3 --atol 1e-4",
    .rows = rows,
    .run = run};
