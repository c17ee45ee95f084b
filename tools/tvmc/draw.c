/* draw.c - the fused graph as a picture, by graphviz. */
#include "tvmc.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* "svg" of "graph.svg"; null for what dot is not asked for. */
static const char *picture_format(const char *path) {
  static const char *const formats[] = {".svg", ".png", ".pdf"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (has_extension(path, formats[i]))
      return formats[i] + 1;
  return NULL;
}

static bool run_dot(const char *text, const char *format, const char *output,
                    failure *f) {
  char kind[16];
  pid_t process;
  int status;
  snprintf(kind, sizeof kind, "-T%s", format);
  char *const command[] = {"dot",          kind,         "-o",
                           (char *)output, (char *)text, NULL};
  int code = posix_spawnp(&process, "dot", NULL, NULL, command, environ);
  if (code == ENOENT)
    return fail(f, "'dot' is not installed: install graphviz, or give "
                   "'--graph' a name that ends in .dot");
  if (code)
    return fail(f, "cannot start 'dot': %s", strerror(code));
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  return fail(f, "'dot' cannot draw '%s'", output);
}

static bool draw_picture(build *b, const char *model, const char *output,
                         failure *f) {
  const char *base = getenv("TMPDIR");
  char text[4096];
  snprintf(text, sizeof text, "%s/tvmc-XXXXXX", base && *base ? base : "/tmp");
  int descriptor = mkstemp(text);
  if (descriptor < 0)
    return fail(f, "cannot create a file in '%s': %s",
                base && *base ? base : "/tmp", strerror(errno));
  close(descriptor);
  bool ok = build_compile(b, model, text, f) &&
            run_dot(text, picture_format(output), output, f);
  unlink(text);
  return ok;
}

bool draw_graph(const arguments *args, const char *model, const char *output,
                failure *f) {
  build b;
  if (!is_onnx_file(model))
    return fail(f, "'--graph' is for .onnx models, got '%s'", model);
  if (!picture_format(output) && !has_extension(output, ".dot"))
    return fail(f,
                "'--graph' expects a name in .svg, .png, .pdf or .dot, "
                "got '%s'",
                output);
  if (!file_check_writable(output, f))
    return false;
  bool ok = build_init(&b, args, f);
  if (ok) {
    b.options.emit = TVM_EMIT_GRAPH;
    b.progress = progress_create();
    ok = picture_format(output) ? draw_picture(&b, model, output, f)
                                : build_compile(&b, model, output, f);
    progress_destroy(b.progress);
    b.progress = NULL;
  }
  build_finish(&b);
  return ok;
}
