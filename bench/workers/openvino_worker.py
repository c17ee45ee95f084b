"""OpenVINO on the CPU, in f32, for the latency of one stream."""
import openvino

from serve import dump_arrays, read_arrays, serve


def load(model, case, threads):
    core = openvino.Core()
    arrays = read_arrays(case)
    network = core.read_model(model)
    network.reshape({name: openvino.PartialShape(list(a.shape))
                     for name, a in arrays.items()})
    compiled = core.compile_model(network, "CPU", {
        "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1})
    request = compiled.create_infer_request()
    for name, array in arrays.items():
        request.set_tensor(name, openvino.Tensor(array))

    def run():
        request.infer()
        return request

    return openvino.__version__.split("-")[0], run


def dump(request):
    count = len(request.model_outputs)
    return dump_arrays(request.get_output_tensor(i).data for i in range(count))


serve(load, dump)
