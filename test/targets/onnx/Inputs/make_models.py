"""Write the ONNX models of the importer's tests, good and bad.

usage: make_models.py FOLDER

Models are named by what is in them; the tests say what must come of each.
"""

import os
import sys

import onnx
from onnx import TensorProto, helper

FLOAT, INT32, INT64, BOOL = (
    TensorProto.FLOAT,
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.BOOL,
)
MODELS = {}


def info(name, dims, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, dims)


def ints(name, values, kind=INT64):
    return helper.make_tensor(name, kind, [len(values)], values)


def node(op, inputs, outputs, **attributes):
    name = attributes.pop("name", "n")
    return helper.make_node(op, inputs, outputs, name=name, **attributes)


def add(
    name,
    nodes,
    inputs=None,
    outputs=None,
    weights=(),
    opset=17,
    functions=(),
    domains=(),
):
    """A model of x (2x3 floats) to y unless told otherwise."""
    inputs = [info("x", [2, 3])] if inputs is None else inputs
    outputs = [info("y", None)] if outputs is None else outputs
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(weights))
    imports = [helper.make_opsetid("", opset)]
    imports += [helper.make_opsetid(d, 1) for d in domains]
    model = helper.make_model(graph, opset_imports=imports)
    model.functions.extend(functions)
    MODELS[name] = model
    return model


def add_attributes():
    add("unknown-attribute", [node("Relu", ["x"], ["y"], foo=1)])
    add("attribute-type", [node("LeakyRelu", ["x"], ["y"], alpha=1)])
    add("attribute-list", [node("Transpose", ["x"], ["y"], perm=1)])
    add(
        "attribute-choice",
        [node("Pad", ["x", "p"], ["y"], mode="mirror")],
        weights=[ints("p", [0, 0, 1, 1])],
    )
    add("axis-range", [node("Concat", ["x", "x"], ["y"], axis=2)])
    add("missing-axis", [node("Concat", ["x", "x"], ["y"])])
    add("cast-string", [node("Cast", ["x"], ["y"], to=TensorProto.STRING)])


def add_names():
    add(
        "defined-twice",
        [node("Relu", ["x"], ["y"]), node("Abs", ["x"], ["y"], name="second")],
    )
    add("input-twice", [node("Relu", ["x"], ["y"])], [info("x", [2]), info("x", [2])])
    add(
        "initializer-twice",
        [node("Relu", ["x"], ["y"])],
        weights=[ints("w", [1]), ints("w", [2])],
    )
    add("no-output", [node("Relu", ["x"], ["y"])], outputs=[info("z", [2, 3])])
    add("output-twice", [node("Relu", ["x"], ["y"])], outputs=[info("y", None)] * 2)
    add("no-outputs", [node("Relu", ["x"], ["y"])], outputs=[])
    add("output-rank", [node("Relu", ["x"], ["y"])], outputs=[info("y", [6])])
    add("output-extent", [node("Relu", ["x"], ["y"])], outputs=[info("y", [2, 4])])
    add(
        "output-type",
        [node("Relu", ["x"], ["y"])],
        outputs=[info("y", [2, 3], INT64)],
    )
    add("pass-through", [], outputs=[info("x", [2, 3])])
    add("unsorted", [node("Abs", ["a"], ["y"], name="late"), node("Relu", ["x"], ["a"])])
    add("old-opset", [node("Dropout", ["x"], ["y"])], opset=6)
    add("new-opset", [node("Relu", ["x"], ["y"])], opset=23)
    add("too-early", [node("Mish", ["x"], ["y"])], opset=17)
    model = add("no-opset", [node("Relu", ["x"], ["y"])])
    del model.opset_import[:]
    add("unused-domain", [node("Relu", ["x"], ["y"])], domains=["com.example"])
    add("weight-is-input", [node("Add", ["x", "w"], ["y"])],
        [info("x", [2, 3]), info("w", [3])],
        weights=[helper.make_tensor("w", FLOAT, [3], [1, 2, 3])])
    names = ["a b", 'q"uote', "brace{", "colon:0"]
    add("odd-names", [node("Relu", ["x"], [names[0]]), node("Abs", [names[0]], [names[1]]),
                      node("Neg", [names[1]], [names[2]]), node("Exp", [names[2]], [names[3]])],
        outputs=[info(names[3], [2, 3])])


def add_inputs():
    add("symbol", [node("Relu", ["x"], ["y"])], [info("x", ["n", 3])])
    add("no-name", [node("Relu", ["x"], ["y"])], [info("x", [None, 3])])
    add("no-shape", [node("Relu", ["x"], ["y"])], [info("x", None)])
    untyped = helper.make_empty_tensor_value_info
    add("untyped", [node("Relu", ["x"], ["y"])], [untyped("x")])
    add("output-no-type", [node("Relu", ["x"], ["y"])], outputs=[untyped("y")])
    add("string", [node("Identity", ["x"], ["y"])], [info("x", [1], TensorProto.STRING)])
    sequence = helper.make_tensor_sequence_value_info("x", FLOAT, [2])
    add("sequence", [node("Identity", ["x"], ["y"])], [sequence])
    add("needs-value", [node("Reshape", ["x", "s"], ["y"])],
        [info("x", [2, 3]), info("s", [1], INT64)])
    add("same-symbol", [node("Add", ["x", "z"], ["y"])],
        [info("x", ["n", 3]), info("z", ["n", 3])])


def add_weights():
    def scaled(name, weight):
        weight.name = "w"
        add(name, [node("Mul", ["x", "w"], ["y"])], weights=[weight])

    kinds = {
        "float": (FLOAT, [1, -2, 3]),
        "double": (TensorProto.DOUBLE, [1, -2, 3]),
        "half": (TensorProto.FLOAT16, [1, -2, 3]),
        "int8": (TensorProto.INT8, [1, -2, 3]),
        "uint8": (TensorProto.UINT8, [1, 2, 255]),
        "int16": (TensorProto.INT16, [1, -2, 3]),
        "uint16": (TensorProto.UINT16, [1, 2, 65535]),
        "int32": (INT32, [1, -2, 3]),
        "int64": (INT64, [1, -2, 3]),
        "uint32": (TensorProto.UINT32, [1, 2, 2**32 - 1]),
        "uint64": (TensorProto.UINT64, [1, 2, 2**64 - 1]),
        "bool": (BOOL, [True, False, True]),
    }
    for kind, (code, values) in kinds.items():
        weight = helper.make_tensor("w", code, [3], values)
        add(f"typed-{kind}", [], [], [info("w", [3], code)], [weight])
    raw = TensorProto(name="w", data_type=BOOL, dims=[3], raw_data=b"\2\0\1")
    add("raw-bool", [], [], [info("w", [3], BOOL)], [raw])
    weight = TensorProto(data_type=FLOAT, dims=[3], float_data=[1, 2])
    scaled("few-elements", weight)
    scaled("many-bytes", TensorProto(data_type=FLOAT, dims=[1], raw_data=bytes(8)))
    scaled("negative-weight", TensorProto(data_type=FLOAT, dims=[-3]))
    scaled("no-type", TensorProto(dims=[1], raw_data=bytes(4)))
    scaled("float8", TensorProto(data_type=17, dims=[1], raw_data=bytes(1)))
    scaled("int4", TensorProto(data_type=22, dims=[2], raw_data=bytes(1)))
    scaled("complex", TensorProto(data_type=14, dims=[1], raw_data=bytes(8)))
    scaled("strings", helper.make_tensor("w", TensorProto.STRING, [1], [b"a"]))
    scaled("deep", TensorProto(data_type=FLOAT, dims=[1] * 33, raw_data=bytes(4)))

    def external(name, elements=3, **entries):
        weight = TensorProto(data_type=FLOAT, dims=[elements], data_location=1)
        for key, value in entries.items():
            weight.external_data.add(key=key, value=str(value))
        scaled(name, weight)

    external("external", location="w.bin", offset=4, length=12)
    external("external-rest", location="w.bin", offset=8)
    external("external-offset", location="w.bin", offset=100)
    external("external-short", location="w.bin", offset=12, length=12)
    external("external-length", location="w.bin", offset=0, length=8)
    external("external-number", location="w.bin", offset="4x")
    external("external-link", location="link.bin")
    external("external-folder", location=".")
    external("external-nothing")


def add_control():
    def branch(op, name):
        return helper.make_graph([node(op, ["x"], [name], name=op)], op, [], [info(name, None)])

    def chosen(name, condition, **extra):
        add(name, condition + [node("If", ["c"], ["y"], name="choose",
                                    then_branch=branch("Abs", "t"),
                                    else_branch=branch("Neg", "e"))], **extra)

    test = [node("Shape", ["x"], ["s"], name="s"), node("Size", ["s"], ["r"], name="r"),
            node("Constant", [], ["two"], value_int=2), node("Equal", ["r", "two"], ["c"])]
    chosen("if-then", test)
    test[2] = node("Constant", [], ["two"], value_int=3)
    chosen("if-else", test)
    chosen("if-open", [], inputs=[info("x", [2, 3]), info("c", [], BOOL)])
    body = helper.make_graph([], "b", [], [])
    add("loop", [node("Loop", ["", ""], ["y"], body=body)])


def add_functions():
    leaky = helper.make_node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.add(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    twice = helper.make_function(
        "local", "Twice", ["a"], ["c"],
        [leaky, helper.make_node("Add", ["b", "b"], ["c"])],
        [helper.make_opsetid("", 17)], ["slope"])
    add("function", [node("Twice", ["x"], ["y"], domain="local", slope=0.25)],
        functions=[twice], domains=["local"])
    add("function-attribute", [node("Twice", ["x"], ["y"], domain="local", slop=0.25)],
        functions=[twice], domains=["local"])
    add("function-inputs", [node("Twice", ["x", "x"], ["y"], domain="local")],
        functions=[twice], domains=["local"])
    endless = helper.make_function(
        "local", "Endless", ["a"], ["b"],
        [helper.make_node("Endless", ["a"], ["b"], domain="local", name="again")],
        [helper.make_opsetid("local", 1)])
    add("function-endless", [node("Endless", ["x"], ["y"], domain="local")],
        functions=[endless], domains=["local"])


def add_shapes():
    def given(name, op, values, opset=17, **attributes):
        add(name, [node(op, ["x", "v"], ["y"], **attributes)],
            weights=[ints("v", values)], opset=opset)

    given("reshape", "Reshape", [0, -1, 1])
    given("reshape-two-open", "Reshape", [-1, -1])
    given("reshape-divide", "Reshape", [-1, 4])
    given("reshape-count", "Reshape", [7])
    given("reshape-negative", "Reshape", [-2, 3])
    given("reshape-overflow", "Reshape", [2**40, 2**40])
    given("squeeze-extent", "Squeeze", [0])
    given("squeeze-twice", "Squeeze", [0, 0])
    given("squeeze-range", "Squeeze", [5])
    given("expand", "Expand", [4, 1, 1])
    given("expand-extent", "Expand", [2, 4])
    given("expand-overflow", "Expand", [2**40, 2**30, 1, 1])
    given("tile", "Tile", [1, 2])
    given("tile-count", "Tile", [1])
    given("tile-negative", "Tile", [1, -1])
    given("pad-count", "Pad", [1, 1])
    given("pad-crop", "Pad", [0, -2, 0, -2])
    given("pad-negative", "Pad", [-1, 1, 0, 0], mode="edge")
    add("split-sum", [node("Split", ["x", "v"], ["y", "z"], axis=1)],
        weights=[ints("v", [1, 1])])
    add("split-count", [node("Split", ["x", "v"], ["y", "z"], axis=1)],
        weights=[ints("v", [1, 1, 1])])
    add("split-unequal", [node("Split", ["x"], ["y", "z"], axis=1)])
    add("split-last-shorter", [node("Split", ["x"], ["y", "z"], axis=1, num_outputs=2)],
        opset=18)

    def sliced(name, starts, ends, axes, steps):
        values = {"starts": starts, "ends": ends, "axes": axes, "steps": steps}
        add(name, [node("Slice", ["x", *values], ["y"])],
            weights=[ints(k, v) for k, v in values.items()])

    sliced("slice", [-100, 0], [100, 2], [0, -1], [1, 1])
    sliced("slice-backward", [-1], [-100], [1], [-1])
    sliced("slice-last", [2**63 - 1], [-(2**63)], [1], [-2])
    sliced("slice-step", [0], [1], [0], [0])
    sliced("slice-twice", [0, 0], [1, 1], [0, 0], [1, 1])
    sliced("slice-length", [0], [1, 1], [0], [1])
    add("slice-old", [node("Slice", ["x"], ["y"], starts=[1], ends=[3], axes=[1])], opset=9)
    add("transpose-twice", [node("Transpose", ["x"], ["y"], perm=[0, 0])])
    add("transpose-rank", [node("Transpose", ["x"], ["y"], perm=[0])])
    add("range-long", [node("Range", ["a", "b", "c"], ["y"])], [], weights=[
        helper.make_tensor(n, INT64, [], [v]) for n, v in zip("abc", [0, 2**40, 1])])
    add("range-zero", [node("Range", ["a", "b", "c"], ["y"])], [], weights=[
        helper.make_tensor(n, FLOAT, [], [v]) for n, v in zip("abc", [0, 4, 0])])
    add("clip-old", [node("Clip", ["x"], ["y"], min=0.0, max=6.0)], opset=6)
    add("dropout-training", [node("Dropout", ["x", "r", "t"], ["y"])], weights=[
        helper.make_tensor("r", FLOAT, [], [0.5]), helper.make_tensor("t", BOOL, [], [True])])
    add("mod-float", [node("Mod", ["x", "x"], ["y"])])
    add("shift", [node("BitShift", ["x", "x"], ["y"])])
    add("float-shape", [node("Reshape", ["x", "v"], ["y"])],
        weights=[helper.make_tensor("v", FLOAT, [1], [6])])
    # The arithmetic that exporters write for a flattened shape.
    add("shape-arithmetic", [
        node("Shape", ["x"], ["s"], name="s"),
        node("Gather", ["s", "one"], ["d"], name="d", axis=0),
        node("Cast", ["d"], ["f"], name="f", to=FLOAT),
        node("Mul", ["f", "scale"], ["g"], name="g"),
        node("Floor", ["g"], ["h"], name="h"),
        node("Cast", ["h"], ["i"], name="i", to=INT64),
        node("Concat", ["i", "minus"], ["t"], name="t", axis=0),
        node("Reshape", ["x", "t"], ["y"], name="r")],
        weights=[ints("one", [1]), ints("minus", [-1]),
                 helper.make_tensor("scale", FLOAT, [1], [0.75])])
    chain = [node("Shape", ["x"], ["s0"], name="s")]
    chain += [node("Add", [f"s{i}", "zero"], [f"s{i + 1}"], name=f"a{i}") for i in range(20000)]
    add("long-arithmetic", chain + [node("Reshape", ["x", "s20000"], ["y"], name="r")],
        weights=[ints("zero", [0])])


def add_operands():
    """Operands that are left out or of a kind that the operator has not."""
    for op in ("Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND",
               "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
        add(f"none-{op}", [node(op, [], ["y"])])
        add(f"absent-{op}", [node(op, ["", "x", "x"][:2 + op.startswith("S")], ["y"])])
    add("product-types", [node("MatMul", ["x", "w"], ["y"])], weights=[ints("w", [1, 2, 3])])
    add("pad-value", [node("Pad", ["x", "p", "v"], ["y"])],
        weights=[ints("p", [0, 0, 0, 0]),
                 helper.make_tensor("v", FLOAT, [2], [1, 2])])
    add("gemm-nan", [node("Gemm", ["a", "a"], ["y"], alpha=float("nan"))],
        [info("a", [2, 2], INT32)], [info("y", None, INT32)])
    add("not-int", [node("Not", ["x"], ["y"])], [info("x", [2], INT64)])
    add("xor-int", [node("Xor", ["x", "x"], ["y"])], [info("x", [2], INT32)])
    add("groups-huge", [node("GroupNormalization", ["x", "s", "s"], ["y"], num_groups=2**62)],
        [info("x", [3, 0, 4])], weights=[helper.make_tensor("s", FLOAT, [0], [])], opset=21)
    add("quantize-int", [node("DynamicQuantizeLinear", ["x"], ["y"])], [info("x", [2], INT64)])


def add_resizes():
    def resized(name, kind=FLOAT, opset=18, region=None, scales=None, sizes=None, **attributes):
        weights = []
        for key, code, values in [("r", FLOAT, region), ("s", FLOAT, scales), ("z", INT64, sizes)]:
            if values is not None:
                weights.append(helper.make_tensor(key, code, [len(values)], values))
        names = [w.name for w in weights]
        operands = ["x"] + [k if k in names else "" for k in "rsz"]
        add(f"resize-{name}", [node("Resize", operands, ["y"], **attributes)],
            [info("x", [1, 1, 3, 4], kind)], [info("y", None, kind)], weights, opset)

    crop = {"coordinate_transformation_mode": "tf_crop_and_resize"}
    resized("crop", region=[0, 0, 0.5, 0.5, 1, 1, 1, 1], scales=[1, 1, 2, 3], **crop)
    for mode in ("nearest", "linear", "cubic"):
        resized(f"none-{mode}", scales=[1, 1, 1e-30, 2], mode=mode)
    resized("half", TensorProto.FLOAT16, scales=[1, 1, 2, 2], mode="linear")
    resized("long", sizes=[1, 1, 2**40, 4])
    resized("huge", scales=[1, 1, float("inf"), 1])
    resized("scale", scales=[1, 1, float("nan"), 1])
    resized("region", region=[0, 0, float("nan"), 0, 1, 1, 1, 1], sizes=[1, 1, 2, 2], **crop)
    resized("twice", sizes=[2, 2], axes=[3, -1])


def main():
    folder = sys.argv[1]
    os.makedirs(folder)
    for fill in (add_attributes, add_names, add_inputs, add_weights, add_control,
                 add_functions, add_shapes,
                 add_operands, add_resizes):
        fill()
    for name, model in MODELS.items():
        with open(os.path.join(folder, name + ".onnx"), "wb") as f:
            f.write(model.SerializeToString())
    with open(os.path.join(folder, "w.bin"), "wb") as f:
        f.write(bytes.fromhex("000000000000803f0000004000004040") + bytes(4))
    os.symlink("/etc/hostname", os.path.join(folder, "link.bin"))


main()
