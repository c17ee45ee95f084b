/* main.c - tvmc: compile, run, inspect, measure and verify models. */
#include "tvmc.h"

#include <string.h>

static const command *const commands[] = {&command_compile, &command_run,
                                          &command_inspect, &command_bench,
                                          &command_verify};
enum { NUM_COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void) {
  printf("usage: tvmc COMMAND ...\n\n"
         "Turns a trained model (ONNX) into a small native library, and runs "
         "it.\n\n");
  for (int i = 0; i < NUM_COMMANDS; i++)
    printf("  tvmc %s %s\n", commands[i]->name, commands[i]->synopsis);
  printf("\n  --help     this text; 'tvmc COMMAND --help' for one command\n"
         "  --version  the version of compiler and runtime\n\n"
         "example:\n"
         "  tvmc compile resnet50.onnx -o resnet50.so\n"
         "  tvmc run resnet50.so --input cat.png --top 5\n");
}

static void print_command_help(const command *c) {
  printf("usage: tvmc %s %s\n\n%s\n\n", c->name, c->synopsis, c->summary);
  for (const option_row *row = c->rows; row->name; row++) {
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    printf("  %-24s %s\n", left, row->help);
  }
  printf("  %-24s %s\n\nexample:\n%s\n", "--help", "this text", c->example);
}

static int run_command(const command *c, int argc, char **argv) {
  for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      print_command_help(c);
      return 0;
    }
  arguments args;
  failure f;
  int code;
  if (arguments_init(&args, c, argc, argv, &f))
    code = c->run(&args);
  else
    code = report(&f);
  arguments_finish(&args);
  if (fflush(stdout) == 0 || code)
    return code;
  fail(&f, "cannot write to standard output");
  return report(&f);
}

int main(int argc, char **argv) {
  failure f;
  const char *name = argc > 1 ? argv[1] : "--help";
  for (int i = 0; i < NUM_COMMANDS; i++)
    if (strcmp(commands[i]->name, name) == 0)
      return run_command(commands[i], argc - 2, argv + 2);
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    print_help();
    return argc > 1 ? 0 : 1;
  }
  if (strcmp(name, "--version") == 0) {
    printf("tvmc %s (runtime %s)\n", tvm_compiler_version(),
           tvm_runtime_version());
    return 0;
  }
  fail(&f,
       "unknown command '%s', expected compile, run, inspect, bench or verify",
       name);
  return report(&f);
}
