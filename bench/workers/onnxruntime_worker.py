"""ONNX Runtime, bound to its inputs and outputs once."""
import onnxruntime

from serve import read_arrays, serve


def load(model, case, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    known = {i.name for i in session.get_inputs()}
    for name, array in read_arrays(case).items():
        if name in known:
            binding.bind_cpu_input(name, array)
    for output in session.get_outputs():
        binding.bind_output(output.name)

    def run():
        session.run_with_iobinding(binding)
        return binding

    return onnxruntime.__version__, run


def dump(binding):
    return [(a.dtype.name, a.tobytes()) for a in binding.copy_outputs_to_cpu()]


serve(load, dump)
