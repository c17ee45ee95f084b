"""Our runtime; MODEL is a library that tvmc made, TVMRT libtvmrt.so."""
import ctypes
import os

from serve import serve

CODES = {"int": 0, "uint": 1, "float": 2, "bool": 6}
NAMES = {(code, bits): name + (str(bits) if name != "bool" else "")
         for name, code in CODES.items() for bits in (1, 8, 16, 32, 64)}


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2),
                ("rank", ctypes.c_int32), ("dtype", DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]

    def bytes(self):
        elements = 1
        for i in range(self.rank):
            elements *= self.shape[i]
        size = elements * ((self.dtype.bits + 7) // 8)
        return ctypes.string_at(self.data + self.offset, size)


class EnvOptions(ctypes.Structure):
    _fields_ = [("size_bytes", ctypes.c_size_t), ("threads", ctypes.c_int32),
                ("allocator", ctypes.c_void_p), ("parallel", ctypes.c_void_p),
                ("user", ctypes.c_void_p)]


class Runtime:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.tvm_last_error.restype = ctypes.c_char_p
        self.library.tvm_runtime_version.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments):
            raise RuntimeError(self.library.tvm_last_error().decode())

    def create(self, name, *arguments):
        handle = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(handle))
        return handle


def set_input(runtime, module, session, entry):
    index = ctypes.c_int32()
    runtime.call("tvm_module_find_input", module, entry["name"].encode(),
                 ctypes.byref(index))
    view = Tensor()
    runtime.call("tvm_session_get_input_view", session, index,
                 ctypes.byref(view))
    if len(view.bytes()) != len(entry["data"]):
        raise RuntimeError(f"input '{entry['name']}' has another size")
    ctypes.memmove(view.data + view.offset, entry["data"], len(entry["data"]))


class Watch:
    """The time of the launches of a run that count."""

    TYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32,
                            ctypes.c_char_p, ctypes.c_uint64)

    def __init__(self, runtime, session, counted):
        self.ns, self.counted = 0, counted
        self.hook = self.TYPE(self.add)
        runtime.call("tvm_session_set_profiler", session, self.hook, None)

    def add(self, user, index, name, ns):
        if self.counted[index]:
            self.ns += ns

    def take(self):
        ns, self.ns = self.ns, 0
        return ns


def load(model, case, threads):
    runtime = Runtime(os.environ["TVMRT"])
    options = EnvOptions(ctypes.sizeof(EnvOptions), threads)
    env = runtime.create("tvm_env_create", ctypes.byref(options))
    module = runtime.create("tvm_module_open", env, model.encode())
    session = runtime.create("tvm_session_create", module, None)
    for entry in case["inputs"]:
        if not entry["frozen"]:
            set_input(runtime, module, session, entry)
    watch = "counted" in case and Watch(runtime, session, case["counted"])
    start = runtime.library.tvm_session_run

    def run():
        if watch:
            watch.take()
        if start(session):
            raise RuntimeError(runtime.library.tvm_last_error().decode())
        return runtime, module, session

    version = runtime.library.tvm_runtime_version().decode()
    return (version, run, watch.take) if watch else (version, run)


def dump(loaded):
    runtime, module, session = loaded
    outputs = []
    for i in range(runtime.library.tvm_module_num_outputs(module)):
        view = Tensor()
        runtime.call("tvm_session_get_output_view", session, i,
                     ctypes.byref(view))
        name = NAMES[view.dtype.code, view.dtype.bits]
        outputs.append((name, view.bytes()))
    return outputs


serve(load, dump)
