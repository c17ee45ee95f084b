#!/usr/bin/env python3
"""Write small whole models in the ONNX test layout, with expected outputs.

usage: make_models.py OUTPUT_FOLDER [NAME ...]

Every model is built twice from the same weights: as an ONNX graph, and as a
straight line of numpy below that shares nothing with the compiler. Needs onnx
and numpy alone; the same call writes the same bytes on every machine.
"""
import math
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32 = np.float32


# The reference: plain numpy, in double precision.


def conv(x, w, b=None, stride=1, pad=0, groups=1):
    n, _, h, wd = x.shape
    o, ci, kh, kw = w.shape
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    oh = (h + 2 * pad - kh) // stride + 1
    ow = (wd + 2 * pad - kw) // stride + 1
    y = np.zeros((n, o, oh, ow))
    per = o // groups
    for g in range(groups):
        xs = x[:, g * ci : (g + 1) * ci]
        ws = w[g * per : (g + 1) * per]
        for i in range(kh):
            for j in range(kw):
                patch = xs[:, :, i : i + oh * stride : stride]
                patch = patch[:, :, :, j : j + ow * stride : stride]
                y[:, g * per : (g + 1) * per] += np.einsum(
                    "nchw,oc->nohw", patch, ws[:, :, i, j]
                )
    return y if b is None else y + b.reshape(1, -1, 1, 1)


def conv_transpose(x, w, stride, pad):
    n, _, h, wd = x.shape
    _, o, kh, kw = w.shape
    full = np.zeros((n, o, (h - 1) * stride + kh, (wd - 1) * stride + kw))
    for i in range(h):
        for j in range(wd):
            part = np.einsum("nc,cokl->nokl", x[:, :, i, j], w)
            r, c = i * stride, j * stride
            full[:, :, r : r + kh, c : c + kw] += part
    return full[:, :, pad : full.shape[2] - pad, pad : full.shape[3] - pad]


def batch_norm(x, scale, bias, mean, var, eps=1e-5):
    s = [v.reshape(1, -1, 1, 1) for v in (scale, bias, mean, var)]
    return (x - s[2]) / np.sqrt(s[3] + eps) * s[0] + s[1]


def max_pool(x, kernel, stride, pad):
    x = np.pad(
        x,
        ((0, 0), (0, 0), (pad, pad), (pad, pad)),
        constant_values=-np.inf,
    )
    oh = (x.shape[2] - kernel) // stride + 1
    ow = (x.shape[3] - kernel) // stride + 1
    taps = [
        x[:, :, i : i + oh * stride : stride, j : j + ow * stride : stride]
        for i in range(kernel)
        for j in range(kernel)
    ]
    return np.max(np.stack(taps), axis=0)


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def erf(x):
    """Abramowitz and Stegun 7.1.5: the power series, enough for |x| < 4."""
    term, total = x.copy(), x.copy()
    for n in range(1, 80):
        term = term * (-x * x) / n
        total = total + term / (2 * n + 1)
    return 2 / np.sqrt(np.pi) * total


def layer_norm(x, scale, bias, eps=1e-5):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + eps) * scale + bias


def lstm(x, w, r, b, h, c):
    """One direction. x: T,N,I. Gates in the order i, o, f, c of ONNX."""
    size = r.shape[-1]
    out = []
    for step in x:
        z = step @ w.T + h @ r.T + b[: 4 * size] + b[4 * size :]
        i, o, f, g = np.split(z, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    return np.stack(out), h, c


# The models.


class Model:
    """Collects nodes and weights; the values of weights are kept in double."""

    def __init__(self, name, seed):
        self.name = name
        self.random = np.random.RandomState(seed)
        self.nodes, self.weights = [], []
        self.inputs, self.outputs = [], []

    def normal(self, *shape, scale=1.0):
        return self.random.standard_normal(shape).astype(F32) * F32(scale)

    def weight(self, name, value):
        value = np.asarray(value)
        self.weights.append(numpy_helper.from_array(value, name))
        return value.astype(np.float64) if value.dtype == F32 else value

    def node(self, op, inputs, outputs, **attrs):
        self.nodes.append(helper.make_node(op, inputs, outputs, **attrs))

    def input(self, name, value):
        self.inputs.append((name, np.asarray(value)))
        return value.astype(np.float64) if value.dtype == F32 else value

    def output(self, name, value, dtype=F32):
        self.outputs.append((name, np.asarray(value).astype(dtype)))

    def write(self, folder, opset):
        def infos(tensors):
            return [
                helper.make_tensor_value_info(
                    n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape
                )
                if hasattr(helper, "np_dtype_to_tensor_dtype")
                else helper.make_tensor_value_info(
                    n, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[v.dtype], v.shape
                )
                for n, v in tensors
            ]

        graph = helper.make_graph(
            self.nodes,
            self.name,
            infos(self.inputs),
            infos(self.outputs),
            self.weights,
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)]
        )
        model.ir_version = 8
        if opset <= onnx.defs.onnx_opset_version():
            onnx.checker.check_model(model)
        data = os.path.join(folder, self.name, "test_data_set_0")
        os.makedirs(data, exist_ok=True)
        onnx.save(model, os.path.join(folder, self.name, "model.onnx"))
        for kind, tensors in (("input", self.inputs), ("output", self.outputs)):
            for i, (name, value) in enumerate(tensors):
                path = os.path.join(data, "%s_%d.pb" % (kind, i))
                with open(path, "wb") as f:
                    tensor = numpy_helper.from_array(value, name)
                    f.write(tensor.SerializeToString())


def add_conv(m, name, x, src, out, oc, kernel, stride=1, pad=0, groups=1):
    ic = x.shape[1] // groups
    scale = (2.0 / (ic * kernel * kernel)) ** 0.5
    w = m.weight(name + ".w", m.normal(oc, ic, kernel, kernel, scale=scale))
    m.node(
        "Conv",
        [src, name + ".w"],
        [out],
        kernel_shape=[kernel, kernel],
        strides=[stride, stride],
        pads=[pad] * 4,
        group=groups,
    )
    return conv(x, w, None, stride, pad, groups)


def add_batch_norm(m, name, x, src, out):
    n = x.shape[1]
    s = m.weight(name + ".scale", np.abs(m.normal(n, scale=0.2)) + F32(0.8))
    b = m.weight(name + ".bias", m.normal(n, scale=0.1))
    mean = m.weight(name + ".mean", m.normal(n, scale=0.1))
    var = m.weight(name + ".var", np.abs(m.normal(n, scale=0.2)) + F32(0.8))
    names = [name + "." + p for p in ("scale", "bias", "mean", "var")]
    m.node("BatchNormalization", [src] + names, [out])
    return batch_norm(x, s, b, mean, var)


def add_linear(m, name, x, src, out, width):
    scale = x.shape[-1] ** -0.5
    w = m.weight(name + ".w", m.normal(x.shape[-1], width, scale=scale))
    b = m.weight(name + ".b", m.normal(width, scale=0.1))
    m.node("MatMul", [src, name + ".w"], [out + ".product"])
    m.node("Add", [out + ".product", name + ".b"], [out])
    return x @ w + b


def residual_net(folder):
    """Convolution, batch norm, a residual block, pools and a Gemm."""
    m = Model("residual_net", 1)
    x = m.input("image", m.normal(2, 3, 18, 18))
    y = add_conv(m, "stem", x, "image", "c0", 8, 3, pad=1)
    y = relu(add_batch_norm(m, "bn0", y, "c0", "n0"))
    m.node("Relu", ["n0"], ["r0"])
    y = max_pool(y, 3, 2, 1)
    m.node(
        "MaxPool",
        ["r0"],
        ["p0"],
        kernel_shape=[3, 3],
        strides=[2, 2],
        pads=[1, 1, 1, 1],
    )
    z = add_conv(m, "a", y, "p0", "c1", 8, 3, pad=1)
    z = relu(add_batch_norm(m, "bn1", z, "c1", "n1"))
    m.node("Relu", ["n1"], ["r1"])
    z = add_conv(m, "b", z, "r1", "c2", 8, 3, pad=1)
    z = add_batch_norm(m, "bn2", z, "c2", "n2")
    m.node("Add", ["n2", "p0"], ["s"])
    m.node("Relu", ["s"], ["r2"])
    y = relu(z + y)
    m.node("GlobalAveragePool", ["r2"], ["g"])
    m.node("Flatten", ["g"], ["f"])
    y = y.mean(axis=(2, 3))
    w = m.weight("fc.w", m.normal(10, 8, scale=0.3))
    b = m.weight("fc.b", m.normal(10, scale=0.1))
    m.node("Gemm", ["f", "fc.w", "fc.b"], ["logits"], transB=1)
    m.node("Softmax", ["logits"], ["probabilities"], axis=1)
    m.output("probabilities", softmax(y @ w.T + b))
    m.write(folder, 13)


def mobile_block(folder):
    """Inverted residual: pointwise, depthwise, squeeze-excite, pointwise."""
    m = Model("mobile_block", 2)
    x = m.input("x", m.normal(1, 8, 14, 14))
    m.weight("zero", F32(0))
    m.weight("six", F32(6))
    y = add_conv(m, "expand", x, "x", "c0", 24, 1)
    y = np.clip(add_batch_norm(m, "bn0", y, "c0", "n0"), 0, 6)
    m.node("Clip", ["n0", "zero", "six"], ["r0"])
    y = add_conv(m, "depthwise", y, "r0", "c1", 24, 3, pad=1, groups=24)
    y = np.clip(add_batch_norm(m, "bn1", y, "c1", "n1"), 0, 6)
    m.node("Clip", ["n1", "zero", "six"], ["r1"])
    m.node("GlobalAveragePool", ["r1"], ["g"])
    gate = y.mean(axis=(2, 3), keepdims=True)
    gate = relu(add_conv(m, "squeeze", gate, "g", "g0", 6, 1))
    m.node("Relu", ["g0"], ["g1"])
    gate = add_conv(m, "excite", gate, "g1", "g2", 24, 1)
    m.node("HardSigmoid", ["g2"], ["g3"], alpha=0.2, beta=0.5)
    m.node("Mul", ["r1", "g3"], ["e"])
    y = y * np.clip(gate * 0.2 + 0.5, 0, 1)
    y = add_conv(m, "project", y, "e", "c2", 8, 1)
    y = add_batch_norm(m, "bn2", y, "c2", "n2")
    m.node("Add", ["n2", "x"], ["y"])
    m.output("y", y + x)
    m.write(folder, 13)


def lstm_tagger(folder):
    """Embedding, a bidirectional LSTM, a linear layer, ArgMax."""
    m = Model("lstm_tagger", 3)
    steps, batch, width, hidden = 7, 2, 12, 10
    ids = m.input("ids", m.random.randint(0, 30, (steps, batch)).astype("i8"))
    table = m.weight("table", m.normal(30, width))
    w = m.weight("w", m.normal(2, 4 * hidden, width, scale=0.3))
    r = m.weight("r", m.normal(2, 4 * hidden, hidden, scale=0.3))
    b = m.weight("b", m.normal(2, 8 * hidden, scale=0.1))
    h0 = m.input("h0", m.normal(2, batch, hidden))
    c0 = m.input("c0", m.normal(2, batch, hidden))
    m.node("Gather", ["table", "ids"], ["x"])
    m.node(
        "LSTM",
        ["x", "w", "r", "b", "", "h0", "c0"],
        ["y", "hn", "cn"],
        hidden_size=hidden,
        direction="bidirectional",
    )
    x = table[ids]
    fy, fh, fc = lstm(x, w[0], r[0], b[0], h0[0], c0[0])
    by, bh, bc = lstm(x[::-1], w[1], r[1], b[1], h0[1], c0[1])
    both = np.concatenate([fy, by[::-1]], axis=-1)
    m.node("Transpose", ["y"], ["t"], perm=[0, 2, 1, 3])
    m.weight("shape", np.array([0, 0, -1], np.int64))
    m.node("Reshape", ["t", "shape"], ["features"])
    scores = add_linear(m, "head", both, "features", "scores", 5)
    m.node("ArgMax", ["scores"], ["tags"], axis=-1, keepdims=0)
    m.output("scores", scores)
    m.output("tags", scores.argmax(axis=-1), np.int64)
    m.output("hn", np.stack([fh, bh]))
    m.output("cn", np.stack([fc, bc]))
    m.write(folder, 14)


def transformer_block(folder):
    """Embedding, self-attention with a mask, layer norms and a GELU MLP."""
    m = Model("transformer_block", 4)
    batch, steps, width, heads = 2, 6, 16, 4
    size = width // heads
    ids = m.input("ids", m.random.randint(0, 40, (batch, steps)).astype("i8"))
    mask = np.ones((batch, 1, 1, steps), bool)
    mask[1, ..., 4:] = False
    m.input("mask", mask)
    table = m.weight("table", m.normal(40, width))
    position = m.weight("position", m.normal(steps, width, scale=0.2))
    m.weight("split", np.array([0, 0, heads, size], np.int64))
    m.weight("merge", np.array([0, 0, -1], np.int64))
    m.weight("root", F32(size**0.5))
    m.weight("low", F32(-1e9))
    m.weight("half", F32(0.5))
    m.weight("one", F32(1))
    m.weight("root2", F32(2**0.5))
    m.node("Gather", ["table", "ids"], ["embedded"])
    m.node("Add", ["embedded", "position"], ["x"])
    x = table[ids] + position

    parts = []
    for name, perm in (("q", 0), ("k", 1), ("v", 0)):
        y = add_linear(m, name, x, "x", name, width)
        m.node("Reshape", [name, "split"], [name + "s"])
        order = [0, 2, 3, 1] if perm else [0, 2, 1, 3]
        m.node("Transpose", [name + "s"], [name + "t"], perm=order)
        parts.append(y.reshape(batch, steps, heads, size).transpose(order))
    q, k, v = parts
    m.node("MatMul", ["qt", "kt"], ["qk"])
    m.node("Div", ["qk", "root"], ["scaled"])
    m.node("Where", ["mask", "scaled", "low"], ["masked"])
    m.node("Softmax", ["masked"], ["attention"], axis=-1)
    m.node("MatMul", ["attention", "vt"], ["heads"])
    m.node("Transpose", ["heads"], ["back"], perm=[0, 2, 1, 3])
    m.node("Reshape", ["back", "merge"], ["context"])
    a = softmax(np.where(mask, q @ k / size**0.5, -1e9)) @ v
    a = a.transpose(0, 2, 1, 3).reshape(batch, steps, width)
    a = x + add_linear(m, "o", a, "context", "projected", width)
    m.node("Add", ["x", "projected"], ["a"])

    s = m.weight("ln.scale", np.abs(m.normal(width, scale=0.2)) + F32(0.8))
    b = m.weight("ln.bias", m.normal(width, scale=0.1))
    m.node("LayerNormalization", ["a", "ln.scale", "ln.bias"], ["n"], axis=-1)
    n = layer_norm(a, s, b)
    y = add_linear(m, "up", n, "n", "u", 2 * width)
    m.node("Div", ["u", "root2"], ["u0"])
    m.node("Erf", ["u0"], ["u1"])
    m.node("Add", ["u1", "one"], ["u2"])
    m.node("Mul", ["u", "u2"], ["u3"])
    m.node("Mul", ["u3", "half"], ["gelu"])
    y = y * (1 + erf(y / 2**0.5)) / 2
    y = n + add_linear(m, "down", y, "gelu", "d", width)
    m.node("Add", ["n", "d"], ["y"])
    m.output("y", y)
    m.write(folder, 17)


def attention_heads(folder, steps=21, keys=37, heads=2, size=16, values=32):
    """Attention alone, with a mask; neither rows nor keys fill blocks."""
    m = Model("attention_heads", 11)
    batch = 2
    shapes = (steps, size), (keys, size), (keys, values)
    q, k, v = (
        m.input(n, m.normal(batch, s, heads, w)) for n, (s, w) in zip("qkv", shapes)
    )
    mask = np.zeros((batch, 1, 1, keys), F32)
    mask[1, ..., 5:] = -np.inf
    m.input("mask", mask)
    m.weight("root", F32(size**0.5))
    m.node("Transpose", ["q"], ["qt"], perm=[0, 2, 1, 3])
    m.node("Transpose", ["k"], ["kt"], perm=[0, 2, 3, 1])
    m.node("Transpose", ["v"], ["vt"], perm=[0, 2, 1, 3])
    m.node("MatMul", ["qt", "kt"], ["qk"])
    m.node("Div", ["qk", "root"], ["scaled"])
    m.node("Add", ["scaled", "mask"], ["masked"])
    m.node("Softmax", ["masked"], ["weights"], axis=-1)
    m.node("MatMul", ["weights", "vt"], ["heads"])
    m.node("Transpose", ["heads"], ["y"], perm=[0, 2, 1, 3])
    q, k, v = (x.transpose(0, 2, 1, 3) for x in (q, k, v))
    w = softmax(q @ k.transpose(0, 1, 3, 2) / size**0.5 + mask)
    m.output("y", (w @ v).transpose(0, 2, 1, 3))
    m.write(folder, 13)


def generator(folder):
    """DCGAN: transposed convolutions from a latent vector to a picture."""
    m = Model("generator", 5)
    x = m.input("z", m.normal(2, 16, 1, 1))
    source = "z"
    layers = ((12, 1, 0, True), (8, 2, 1, True), (3, 2, 1, False))
    for i, (channels, stride, pad, inner) in enumerate(layers):
        name = "up%d" % i
        scale = (2.0 / (x.shape[1] * 4)) ** 0.5
        w = m.weight(
            name + ".w", m.normal(x.shape[1], channels, 4, 4, scale=scale)
        )
        m.node(
            "ConvTranspose",
            [source, name + ".w"],
            [name],
            kernel_shape=[4, 4],
            strides=[stride, stride],
            pads=[pad] * 4,
        )
        x = conv_transpose(x, w, stride, pad)
        source = name
        if inner:
            x = relu(add_batch_norm(m, name + ".bn", x, name, name + ".n"))
            m.node("Relu", [name + ".n"], [name + ".r"])
            source = name + ".r"
    m.node("Tanh", [source], ["image"])
    m.output("image", np.tanh(x))
    m.write(folder, 13)


def upsampler(folder):
    """A feature pyramid step: two resizes, a concatenation, a convolution."""
    m = Model("upsampler", 6)
    low = m.input("low", m.normal(1, 4, 5, 6))
    high = m.input("high", m.normal(1, 4, 10, 12))
    m.weight("scales", np.array([1, 1, 2, 2], F32))
    m.node(
        "Resize",
        ["low", "", "scales"],
        ["near"],
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )
    near = low.repeat(2, axis=2).repeat(2, axis=3)
    m.node("Concat", ["near", "high"], ["both"], axis=1)
    y = add_conv(m, "mix", np.concatenate([near, high], 1), "both", "c", 4, 3, 1, 1)
    m.node("Sigmoid", ["c"], ["s"])
    y = sigmoid(y)
    m.weight("sizes", np.array([1, 4, 25, 24], np.int64))
    m.node(
        "Resize",
        ["s", "", "", "sizes"],
        ["y"],
        mode="linear",
        coordinate_transformation_mode="half_pixel",
    )
    for axis, size in ((2, 25), (3, 24)):
        n = y.shape[axis]
        at = np.clip((np.arange(size) + 0.5) * n / size - 0.5, 0, n - 1)
        lo = np.floor(at).astype(int)
        hi = np.minimum(lo + 1, n - 1)
        shape = [1] * 4
        shape[axis] = size
        t = (at - lo).reshape(shape)
        y = y.take(lo, axis) * (1 - t) + y.take(hi, axis) * t
    m.output("y", y)
    m.write(folder, 13)


def heavy_net(folder):
    """Two convolutions and a Gemm with some megabytes of weights."""
    m = Model("heavy_net", 7)
    x = m.input("image", m.normal(1, 3, 8, 8))
    y = relu(add_conv(m, "a", x, "image", "c0", 64, 3, pad=1))
    m.node("Relu", ["c0"], ["r0"])
    y = relu(add_conv(m, "b", y, "r0", "c1", 128, 3, stride=2, pad=1))
    m.node("Relu", ["c1"], ["r1"])
    m.node("Flatten", ["r1"], ["f"])
    y = y.reshape(1, -1)
    w = m.weight("fc.w", m.normal(512, y.shape[1], scale=0.03))
    m.node("Gemm", ["f", "fc.w"], ["y"], transB=1)
    m.output("y", y @ w.T)
    m.write(folder, 13)


def inverse_hyperbolics(folder):
    """asinh, acosh and atanh far out and near zero, relative to the argument."""
    m = Model("inverse_hyperbolics", 8)
    sizes = np.array([1e-20, 1e-6, 1e-4, 0.3, 2, 5e3, 1e6, 1e25, 3e38], F32)
    sides = np.concatenate([sizes, -sizes])
    for op, function, values in (
        ("Asinh", np.arcsinh, sides),
        ("Acosh", np.arccosh, 1 + sizes),
        ("Atanh", np.arctanh, sides[np.abs(sides) < 1]),
    ):
        x = m.input(op + ".x", values)
        m.node(op, [op + ".x"], [op + ".f"])
        m.node("Div", [op + ".f", op + ".x"], [op + ".relative"])
        m.output(op + ".f", function(x))
        m.output(op + ".relative", function(x) / x)
    m.write(folder, 13)


def known_powers(folder):
    """Exponents that are no call, at the ends of the range and beyond."""
    m = Model("known_powers", 9)
    ends = np.array([0, -0.0, 4, -4, np.inf, -np.inf, np.nan, 1e-40, 1e13], F32)
    x = m.input("x", ends)
    for exponent in (0.5, 1, 2, 3):
        name = "e%g" % exponent
        m.weight(name, np.array(exponent, F32))
        m.node("Pow", ["x", name], [name + ".y"])
        # the reciprocal tells a zero's sign
        m.node("Reciprocal", [name + ".y"], [name + ".r"])
        with np.errstate(all="ignore"):
            y = np.power(x, F32(exponent))
            m.output(name + ".y", y)
            m.output(name + ".r", 1 / y)
    m.write(folder, 13)


def activation_tails(folder):
    """Far below zero and near it, each relative to what is expected, in f32 and
    computed from f16; and a threshold that NaN does not pass."""
    m = Model("activation_tails", 10)
    far = np.array([-7.5, -6, -4.25, -3, -1, -2**-7, -2**-11, 2**-11, 0.5, 6], F32)
    x, t = m.input("x", far), far.astype(np.float64)
    e = np.exp(-np.abs(t))
    softplus = np.maximum(t, 0) + np.log1p(e)
    erfc = np.array([math.erfc(v) for v in -t / np.sqrt(2)])
    tanh = np.sqrt(8 / np.pi) * (t + 0.044715 * t**3)
    m.node("Cast", ["x"], ["h"], to=TensorProto.FLOAT16)
    for name, op, expected, attributes in (
        ("elu", "Elu", np.where(t < 0, 2 * np.expm1(t), t), {"alpha": 2.0}),
        ("celu", "Celu", np.where(t < 0, 2 * np.expm1(t / 2), t), {"alpha": 2.0}),
        ("selu", "Selu", np.where(t < 0, 2 * np.expm1(t), t) * 0.5,
         {"alpha": 2.0, "gamma": 0.5}),
        ("softplus", "Softplus", softplus, {}),
        ("mish", "Mish", t * np.tanh(softplus), {}),
        ("gelu", "Gelu", t * erfc / 2, {}),
        ("gelu_tanh", "Gelu", t / (1 + np.exp(-tanh)), {"approximate": "tanh"}),
        ("hard_swish", "HardSwish", t * np.clip(t / 6 + 0.5, 0, 1), {}),
    ):
        normal = np.abs(expected) >= 2.0**-14
        inverse = np.where(expected == 0, 0, 1 / np.where(expected, expected, 1))
        m.weight(name + ".w", inverse.astype(F32))
        m.weight(name + ".v", (inverse * normal).astype(F32))
        m.node(op, ["x"], [name + ".y"], **attributes)
        m.node(op, ["h"], [name + ".h"], **attributes)
        m.node("Cast", [name + ".h"], [name + ".f"], to=TensorProto.FLOAT)
        m.node("Mul", [name + ".y", name + ".w"], [name + ".one"])
        m.node("Mul", [name + ".f", name + ".v"], [name + ".half"])
        m.output(name + ".one", inverse * expected)
        m.output(name + ".half", inverse * expected * normal)
    m.input("n", np.array([np.nan, -np.inf, 0.5, 0.75, np.inf], F32))
    m.node("ThresholdedRelu", ["n"], ["n.y"], alpha=0.5)
    m.output("n.y", np.array([0, 0, 0, 0.75, np.inf]))
    m.write(folder, 20)


MODELS = {
    f.__name__: f
    for f in (
        residual_net,
        mobile_block,
        lstm_tagger,
        transformer_block,
        attention_heads,
        generator,
        upsampler,
        heavy_net,
        inverse_hyperbolics,
        known_powers,
        activation_tails,
    )
}


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__ + "\nnames: " + " ".join(MODELS))
        return 0 if arguments else 1
    for name in arguments[1:] or MODELS:
        if name not in MODELS:
            print("unknown model '%s'" % name, file=sys.stderr)
            return 1
        MODELS[name](arguments[0])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
