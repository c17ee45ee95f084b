# lit.cfg.py - how lit finds and runs the tests under test/.
#
#   lit test                      with the tools of build/bin
#   lit --param bin=build-asan/bin test
import os
import shutil
import lit.formats

root = os.path.dirname(os.path.abspath(__file__))
binaries = os.path.abspath(
    lit_config.params.get("bin", os.path.join(root, "build", "bin")))
llvm = lit_config.params.get("llvm", "/usr/lib/llvm-22/bin")
shared = os.path.abspath(
    os.environ.get("TVM_SHARED", os.path.join(root, "..", "shared")))

config.name = "tvm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(root, "test")
config.test_exec_root = os.path.join(os.path.dirname(binaries), "test-output")
config.environment["PATH"] = os.pathsep.join(
    [binaries, llvm, os.environ["PATH"]])
# The tools leave what LLVM allocates for the life of the process.
config.environment["ASAN_OPTIONS"] = "detect_leaks=0:abort_on_error=0"
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
config.substitutions.append(("%python", "/usr/bin/python3"))
config.substitutions.append(("%root", root))
config.substitutions.append(("%tvmc", os.path.join(binaries, "tvmc")))
config.substitutions.append(("%bin", binaries))
if "-asan" in binaries:
    config.available_features.add("asan")
if os.environ.get("TVM_MEMORY_MODEL"):
    config.available_features.add("memory-model")
    config.substitutions.append(
        ("%memory_model", os.environ["TVM_MEMORY_MODEL"]))
# A foreign processor: its emulator and its C library.
for name in ("aarch64", "riscv64"):
    if (shutil.which("qemu-" + name) and
            os.path.isdir("/usr/%s-linux-gnu/lib" % name)):
        config.available_features.add("run-" + name)
    else:
        lit_config.note("no qemu-%s with a C library: its tests are skipped" % name)
with open("/proc/cpuinfo") as f:
    flags = f.read().split()
for level, flag in (("x86-64-v2", "sse4_2"), ("x86-64-v3", "avx2"),
                    ("x86-64-v4", "avx512dq")):
    if flag in flags:
        config.available_features.add("run-" + level)
    else:
        lit_config.note("this processor is no %s: its tests are skipped" % level)
if os.path.isdir(os.path.join(shared, "models")):
    config.available_features.add("models")
    config.substitutions.append(("%models", os.path.join(shared, "models")))
else:
    lit_config.note("no models folder at '%s': its tests are skipped" % shared)
