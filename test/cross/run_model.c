/* run_model.c - run a compiled model on raw files, on any processor.
 *
 * usage: run_model MODEL.so INPUT... >OUTPUTS
 *
 * Files hold the elements of one input each, the outputs follow each other. */
#include "tvm/runtime.h"

#include <stdio.h>
#include <stdlib.h>

static void check(tvm_status status) {
  if (status) {
    fprintf(stderr, "run_model: %s\n", tvm_last_error());
    exit(1);
  }
}

static void read_input(tvm_session *session, const tvm_model *model, int32_t i,
                       const char *path) {
  DLTensor view;
  check(tvm_session_get_input_view(session, i, &view));
  FILE *f = fopen(path, "rb");
  if (!f || fread(view.data, 1, model->inputs[i].bytes, f) !=
                model->inputs[i].bytes) {
    fprintf(stderr, "run_model: '%s' is no input %d\n", path, i);
    exit(1);
  }
  fclose(f);
}

int main(int argc, char **argv) {
  tvm_env_options options = {.size_bytes = sizeof options, .num_threads = 2};
  tvm_env *env;
  tvm_module *module;
  tvm_session *session;
  if (argc < 2)
    return 2;
  check(tvm_env_create(&options, &env));
  check(tvm_module_open(env, argv[1], &module));
  const tvm_model *model = tvm_module_model(module);
  if (argc != 2 + model->num_inputs) {
    fprintf(stderr, "run_model: expects %d inputs\n", model->num_inputs);
    return 2;
  }
  check(tvm_session_create(module, NULL, &session));
  for (int32_t i = 0; i < model->num_inputs; i++)
    read_input(session, model, i, argv[2 + i]);
  check(tvm_session_run(session));
  for (int32_t i = 0; i < model->num_outputs; i++) {
    DLTensor view;
    check(tvm_session_get_output_view(session, i, &view));
    fwrite((char *)view.data + view.byte_offset, 1, model->outputs[i].bytes,
           stdout);
  }
  tvm_session_release(session);
  tvm_module_release(module);
  tvm_env_release(env);
  return fflush(stdout) != 0;
}
