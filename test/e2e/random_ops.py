"""Random nodes for random_graphs.py: what each computes, in numpy.

Floats are computed in double precision from the same f32 constants; integers
in their own type, where they wrap. A step raises Skip when its result would be
ill-conditioned, close to a decision (floor, comparison, arg max), or large: the
generator then tries another.
"""
import itertools
import math

import numpy as np

F32, I32, I64, BOOL = np.float32, np.int32, np.int64, np.bool_
MAX_ELEMENTS = 6000


class Skip(Exception):
    pass


def require(condition):
    if not condition:
        raise Skip


class Node:
    def __init__(self, op, inputs, outputs, attributes):
        self.op, self.inputs = op, inputs
        self.outputs, self.attributes = outputs, attributes


class Graph:
    """Nodes in order, and the value of every name."""

    def __init__(self, rng, special=False):
        self.rng, self.special = rng, special
        self.values, self.types = {}, {}
        self.inputs, self.constants, self.nodes = [], [], []

    def name(self, stem):
        return "%s%d" % (stem, len(self.values))

    def put(self, stem, array, dtype):
        name = self.name(stem)
        dtype = np.dtype(dtype)
        self.types[name] = dtype
        kept = np.float64 if dtype.kind == "f" else dtype
        self.values[name] = np.asarray(array, kept)
        return name

    def constant(self, array, dtype):
        array = np.asarray(array).astype(dtype)
        name = self.put("c", array, dtype)
        self.constants.append(name)
        return name

    def floats(self, shape, low=-1.0, high=1.0):
        return self.constant(self.rng.uniform(low, high, shape), F32)

    def whole(self, shape, dtype, low=-4, high=5):
        if np.dtype(dtype).kind == "u":
            low = 0
        if dtype == BOOL:
            return self.constant(self.rng.integers(0, 2, shape), BOOL)
        return self.constant(self.rng.integers(low, high, shape), dtype)

    def shape(self, name):
        return self.values[name].shape

    def pick(self, accept=lambda name: True):
        """A value that is no constant; late ones are likelier."""
        names = [n for n in self.values
                 if n not in self.constants and accept(n)]
        require(names)
        if self.rng.random() < 0.6:
            names = names[-3:]
        return names[self.rng.integers(len(names))]

    def pick_float(self, rank=None, least=0):
        return self.pick(lambda n: self.types[n] == F32 and
                         (rank is None or len(self.shape(n)) == rank) and
                         len(self.shape(n)) >= least)

    def node(self, op, inputs, results, dtype=None, **attributes):
        """Append a node; `results` is an array, or a list of several."""
        several = isinstance(results, list)
        results = results if several else [results]
        dtype = dtype or self.types[inputs[0]]
        for r in results:
            require(r.size <= MAX_ELEMENTS and r.ndim <= 6)
            if np.dtype(dtype).kind == "f" and not self.special:
                require(np.isfinite(r).all() and np.abs(r).max(initial=0) < 500)
        outputs = [self.put("v", r, dtype) for r in results]
        self.nodes.append(Node(op, list(inputs), outputs, attributes))
        return outputs if several else outputs[0]

    def chance(self, p):
        return self.rng.random() < p

    def between(self, low, high):
        return int(self.rng.integers(low, high + 1))


# ---- elementwise ----

def erf(x):
    return np.vectorize(math.erf)(x) if x.size else x


def sigmoid(x):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


def max_nan(a, b):
    return np.maximum(a, b)


UNARY = {
    "Relu": lambda x: max_nan(x, 0), "Neg": np.negative, "Abs": np.abs,
    "Sigmoid": sigmoid, "Tanh": np.tanh, "Erf": erf, "Identity": np.copy,
    "Softplus": lambda x: np.logaddexp(0, x), "Sin": np.sin,
    "Softsign": lambda x: x / (1 + np.abs(x)),
}
STEPPED = {"Floor": np.floor, "Ceil": np.ceil, "Round": np.round,
           "Sign": np.sign}
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply,
          "Max": np.maximum, "Min": np.minimum}


def far_from(x, points):
    require(np.abs(x - points).min(initial=1) > 1e-3)


def unary(g):
    x = g.pick_float()
    op = list(UNARY)[g.rng.integers(len(UNARY))]
    return g.node(op, [x], UNARY[op](g.values[x]))


def stepped(g):
    require(not g.special)
    x = g.pick_float()
    v = g.values[x]
    op = list(STEPPED)[g.rng.integers(len(STEPPED))]
    far_from(v, np.round(v) if op != "Round" else np.floor(v) + 0.5)
    return g.node(op, [x], STEPPED[op](v))


def leaky(g):
    x = g.pick_float()
    v = g.values[x]
    if g.chance(0.5):
        alpha = float(F32(g.rng.uniform(0, 0.5)))
        return g.node("LeakyRelu", [x], np.where(v < 0, alpha * v, v),
                      alpha=alpha)
    low, high = sorted(float(F32(a)) for a in g.rng.uniform(-1, 3, 2))
    bounds = [g.constant(low, F32), g.constant(high, F32)]
    return g.node("Clip", [x] + bounds, np.minimum(np.maximum(v, low), high))


def guarded(g):
    """Functions with a pole, kept away from it."""
    require(not g.special)
    x = g.pick_float()
    kind = g.between(0, 3)
    if kind == 0:
        require(g.values[x].max(initial=0) < 4)
        return g.node("Exp", [x], np.exp(g.values[x]))
    a = g.node("Abs", [x], np.abs(g.values[x]))
    b = g.node("Add", [a, g.constant(0.25, F32)], g.values[a] + 0.25)
    if kind == 1:
        return g.node("Sqrt", [b], np.sqrt(g.values[b]))
    if kind == 2:
        return g.node("Log", [b], np.log(g.values[b]))
    return g.node("Reciprocal", [b], 1 / g.values[b])


def partner_shape(g, shape):
    kind = g.between(0, 4)
    if kind == 0 or not shape:
        return ()
    if kind == 1:
        return shape[-1:]
    if kind == 2 and len(shape) >= 3:
        return (shape[1],) + (1,) * (len(shape) - 2)
    if kind == 3:
        return tuple(d if g.chance(0.5) else 1 for d in shape)
    return shape


def partner(g, x, low=-1.0, high=1.0):
    """Another value of the type, or a constant, that broadcasts with x."""
    dtype = g.types[x]

    def fits(n):
        try:
            return g.types[n] == dtype and np.broadcast_shapes(
                g.shape(n), g.shape(x)) is not None
        except ValueError:
            return False
    if g.chance(0.5):
        return g.pick(fits)
    shape = partner_shape(g, g.shape(x))
    if dtype == F32:
        return g.floats(shape, low, high)
    return g.whole(shape, dtype.type)


def swap(g, pair):
    return pair[::-1] if g.chance(0.4) else pair


def binary(g):
    x = g.pick(lambda n: g.types[n] != BOOL)
    op = list(BINARY)[g.rng.integers(len(BINARY))]
    pair = swap(g, [x, partner(g, x)])
    require(g.types[x].itemsize >= 4 or op in ("Add", "Sub", "Mul"))
    a, b = (g.values[n] for n in pair)
    return g.node(op, pair, BINARY[op](a, b))


def divide(g):
    x = g.pick(lambda n: g.types[n] in (F32, I32, I64))
    shape = partner_shape(g, g.shape(x))
    a = g.values[x]
    if g.types[x] == F32:
        y = g.floats(shape, 0.5, 2)
        return g.node("Div", [x, y], a / g.values[y])
    y = g.constant(g.rng.integers(1, 5, shape) *
                   g.rng.choice([-1, 1], shape), g.types[x])
    b = g.values[y]
    if g.chance(0.5):
        return g.node("Mod", [x, y], np.mod(a, b))
    quotient = np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))
    return g.node("Div", [x, y], quotient.astype(a.dtype))


def compare(g):
    require(not g.special)
    x = g.pick(lambda n: g.types[n] in (F32, I32, I64))
    y = partner(g, x)
    a, b = g.values[x], g.values[y]
    if g.types[x] == F32:
        far_from(a, b)
    op, f = [("Less", np.less), ("Greater", np.greater),
             ("LessOrEqual", np.less_equal)][g.between(0, 2)]
    return g.node(op, [x, y], f(a, b), BOOL)


def logic(g):
    x = g.pick(lambda n: g.types[n] == BOOL)
    if g.chance(0.4):
        return g.node("Not", [x], ~g.values[x])
    y = partner(g, x)
    op, f = [("And", np.logical_and), ("Or", np.logical_or),
             ("Xor", np.logical_xor)][g.between(0, 2)]
    return g.node(op, [x, y], f(g.values[x], g.values[y]))


def where(g):
    c = g.pick(lambda n: g.types[n] == BOOL)

    def fits(n):
        try:
            np.broadcast_shapes(g.shape(n), g.shape(c))
            return g.types[n] in (F32, I32, I64)
        except ValueError:
            return False
    x = g.pick(fits)
    y = partner(g, x)
    try:
        np.broadcast_shapes(g.shape(c), g.shape(x), g.shape(y))
    except ValueError:
        require(False)
    return g.node("Where", [c, x, y],
                  np.where(g.values[c], g.values[x], g.values[y]), g.types[x])


def cast(g):
    x = g.pick()
    v, to = g.values[x], [F32, I32, I64, BOOL][g.between(0, 3)]
    require(to != g.types[x] and not (g.special and to != F32))
    if g.types[x] == F32:
        require(to != BOOL)
        far_from(v, np.round(v))
        v = np.trunc(v)
    if np.issubdtype(to, np.integer):
        require(v.size == 0 or np.abs(v.astype(np.float64)).max() < 1e6)
    require(to != F32 or v.size == 0 or np.abs(v.astype(float)).max() < 500)
    numbers = {F32: 1, I32: 6, I64: 7, BOOL: 9}
    return g.node("Cast", [x], v.astype(np.float64 if to == F32 else to), to,
                  to=numbers[to])


# ---- movement ----

def transpose(g):
    x = g.pick(lambda n: len(g.shape(n)) >= 2)
    order = [int(i) for i in g.rng.permutation(len(g.shape(x)))]
    return g.node("Transpose", [x], g.values[x].transpose(order), perm=order)


def reshape(g):
    x = g.pick()
    size = g.values[x].size
    require(size > 0)
    shape = []
    while size > 1 and len(shape) < 4:
        factors = [d for d in range(1, size + 1) if size % d == 0]
        shape.append(int(factors[g.rng.integers(len(factors))]))
        size //= shape[-1]
    shape.append(size)
    if g.chance(0.3):
        shape.insert(g.between(0, len(shape)), 1)
    r = g.values[x].reshape(shape)
    if g.chance(0.5):
        shape[g.between(0, len(shape) - 1)] = -1
    return g.node("Reshape", [x, g.constant(shape, I64)], r)


def ranks(g):
    x = g.pick(lambda n: len(g.shape(n)) <= 5)
    v = g.values[x]
    ones = [i for i, d in enumerate(v.shape) if d == 1]
    if ones and g.chance(0.5):
        axis = ones[g.between(0, len(ones) - 1)]
        return g.node("Squeeze", [x, g.constant([axis], I64)],
                      v.squeeze(axis))
    axis = g.between(0, v.ndim)
    return g.node("Unsqueeze", [x, g.constant([axis], I64)],
                  np.expand_dims(v, axis))


def flatten(g):
    x = g.pick(lambda n: len(g.shape(n)) >= 2 and g.values[n].size > 0)
    axis = g.between(0, len(g.shape(x)))
    head = int(np.prod(g.shape(x)[:axis], dtype=int))
    return g.node("Flatten", [x], g.values[x].reshape(head, -1), axis=axis)


def concat(g):
    x = g.pick(lambda n: len(g.shape(n)) >= 1)
    axis = g.between(0, len(g.shape(x)) - 1)

    def fits(n):
        a, b = list(g.shape(n)), list(g.shape(x))
        return g.types[n] == g.types[x] and len(a) == len(b) and \
            a[:axis] + a[axis + 1:] == b[:axis] + b[axis + 1:]
    parts = [x] + [g.pick(fits) for _ in range(g.between(1, 2))]
    if g.chance(0.2) and g.types[x] == F32:
        parts.insert(0, g.floats(g.shape(x)))
    return g.node("Concat", parts,
                  np.concatenate([g.values[p] for p in parts], axis),
                  axis=axis if g.chance(0.7) else axis - len(g.shape(x)))


def slices(g):
    x = g.pick(lambda n: len(g.shape(n)) >= 1 and g.values[n].size > 1)
    v = g.values[x]
    axes, starts, ends, steps, cut = [], [], [], [], [slice(None)] * v.ndim
    for axis in range(v.ndim):
        n = v.shape[axis]
        if n < 2 or g.chance(0.4):
            continue
        step = [1, 1, 2, -1, 3][g.between(0, 4)]
        first, last = sorted(int(i) for i in g.rng.choice(n, 2, False))
        begin, end = (first, last + 1) if step > 0 else (last, first)
        cut[axis] = slice(begin, end, step)
        axes.append(axis)
        starts.append(begin if g.chance(0.7) else begin - n)
        ends.append(end if end < n or g.chance(0.5) else 2 ** 31)
        steps.append(step)
    require(axes)
    lists = [g.constant(a, I64) for a in (starts, ends, axes, steps)]
    return g.node("Slice", [x] + lists, v[tuple(cut)])


def split(g):
    x = g.pick(lambda n: len(g.shape(n)) >= 1 and max(g.shape(n)) >= 2)
    v = g.values[x]
    axis = int(np.argmax(v.shape))
    cut = g.between(1, v.shape[axis] - 1)
    sizes = [cut, v.shape[axis] - cut]
    return g.node("Split", [x, g.constant(sizes, I64)],
                  list(np.split(v, [cut], axis)), axis=axis)


def pad(g):
    x = g.pick(lambda n: g.types[n] in (F32, I32, I64) and
               len(g.shape(n)) >= 1)
    v = g.values[x]
    before = [g.between(0, 2) if g.chance(0.5) else 0 for _ in v.shape]
    after = [g.between(0, 2) if g.chance(0.5) else 0 for _ in v.shape]
    mode = ["constant", "constant", "edge", "reflect"][g.between(0, 3)]
    if mode == "reflect":
        require(all(max(b, a) < n for b, a, n in zip(before, after, v.shape)))
    require(mode == "constant" or min(v.shape) > 0)
    inputs = [x, g.constant(before + after, I64)]
    value = {}
    if mode == "constant" and g.chance(0.5):
        fill = 3 if g.types[x] != F32 else 0.5
        inputs.append(g.constant(fill, g.types[x]))
        value = {"constant_values": fill}
    return g.node("Pad", inputs,
                  np.pad(v, list(zip(before, after)), mode, **value),
                  mode=mode)


def expand(g):
    x = g.pick(lambda n: 1 in g.shape(n) or len(g.shape(n)) < 3)
    shape = [g.between(1, 4) if d == 1 else d for d in g.shape(x)]
    if g.chance(0.4):
        shape = [g.between(1, 3)] + shape
    return g.node("Expand", [x, g.constant(shape, I64)],
                  np.broadcast_to(g.values[x], shape))


def gather(g):
    x = g.pick(lambda n: len(g.shape(n)) >= 1 and min(g.shape(n)) > 0)
    v = g.values[x]
    axis = g.between(0, v.ndim - 1)
    shape = [(), (3,), (2, 2)][g.between(0, 2)]
    n = v.shape[axis]
    index = g.constant(g.rng.integers(-n, n, shape), I64)
    return g.node("Gather", [x, index],
                  np.take(v, g.values[index] % n, axis), axis=axis)


def tile(g):
    x = g.pick(lambda n: 1 <= len(g.shape(n)) <= 4)
    repeats = [g.between(1, 2) for _ in g.shape(x)]
    return g.node("Tile", [x, g.constant(repeats, I64)],
                  np.tile(g.values[x], repeats))


# ---- reductions and norms ----

def some_axes(g, rank):
    axes = [a for a in range(rank) if g.chance(0.5)]
    return axes or [rank - 1]


def reduce(g):
    x = g.pick(lambda n: g.types[n] in (F32, I32, I64) and
               len(g.shape(n)) >= 1 and min(g.shape(n)) > 0)
    v, axes = g.values[x], tuple(some_axes(g, len(g.shape(x))))
    keep = g.between(0, 1)
    kind = g.between(0, 3)
    if kind == 0:
        return g.node("ReduceSum", [x, g.constant(axes, I64)],
                      v.sum(axes, v.dtype, keepdims=bool(keep)), keepdims=keep)
    op, f = [("ReduceMax", np.max), ("ReduceMin", np.min),
             ("ReduceMean", np.mean)][kind - 1]
    require(kind < 3 or g.types[x] == F32)
    return g.node(op, [x], f(v, axes, keepdims=bool(keep)), axes=list(axes),
                  keepdims=keep)


def arg_max(g):
    require(not g.special)
    x = g.pick_float(least=1)
    v, axis = g.values[x], g.between(0, len(g.shape(x)) - 1)
    ordered = np.sort(v, axis)
    if v.shape[axis] > 1:
        far_from(np.take(ordered, -1, axis), np.take(ordered, -2, axis))
    return g.node("ArgMax", [x], np.argmax(v, axis), I64, axis=axis,
                  keepdims=0)


def softmax_of(v, axis):
    e = np.exp(v - v.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def softmax(g):
    require(not g.special)
    x = g.pick_float(least=1)
    axis = g.between(0, len(g.shape(x)) - 1)
    y = softmax_of(g.values[x], axis)
    if g.chance(0.2):
        return g.node("LogSoftmax", [x], np.log(y), axis=axis)
    return g.node("Softmax", [x], y, axis=axis)


def op2(g, op, a, b):
    f = {"Pow": np.power, "Div": np.divide, **BINARY}[op]
    return g.node(op, [a, b], f(g.values[a], g.values[b]))


def mean(g, x, axes):
    return g.node("ReduceMean", [x], g.values[x].mean(axes, keepdims=True),
                  axes=list(axes), keepdims=1)


def layer_norm(g):
    """As exporters take it apart."""
    require(not g.special)
    x = g.pick_float(least=2)
    require(g.shape(x)[-1] > 1 and g.values[x].var(-1).min() > 0.05)
    d = op2(g, "Sub", x, mean(g, x, (-1,)))
    square = op2(g, "Pow", d, g.constant(2, F32)) if g.chance(0.5) else \
        op2(g, "Mul", d, d)
    v = op2(g, "Add", mean(g, square, (-1,)), g.constant(1e-5, F32))
    y = op2(g, "Div", d, g.node("Sqrt", [v], np.sqrt(g.values[v])))
    n = g.shape(x)[-1]
    return op2(g, "Add", op2(g, "Mul", y, g.floats((n,))), g.floats((n,)))


def rms_norm(g):
    require(not g.special)
    x = g.pick_float(least=1)
    require((g.values[x] ** 2).mean(-1).min() > 0.05)
    v = op2(g, "Add", mean(g, op2(g, "Mul", x, x), (-1,)),
            g.constant(1e-6, F32))
    r = g.node("Sqrt", [v], np.sqrt(g.values[v]))
    r = g.node("Reciprocal", [r], 1 / g.values[r])
    return op2(g, "Mul", op2(g, "Mul", x, r), g.floats(g.shape(x)[-1:]))


def gelu(g):
    require(not g.special)
    x = g.pick_float()
    if g.chance(0.5):
        s = op2(g, "Div", x, g.constant(math.sqrt(2), F32))
        t = g.node("Erf", [s], erf(g.values[s]))
    else:
        cube = op2(g, "Mul", op2(g, "Pow", x, g.constant(3, F32)),
                   g.constant(0.044715, F32))
        s = op2(g, "Mul", op2(g, "Add", x, cube),
                g.constant(math.sqrt(2 / math.pi), F32))
        t = g.node("Tanh", [s], np.tanh(g.values[s]))
    t = op2(g, "Add", t, g.constant(1, F32))
    return op2(g, "Mul", op2(g, "Mul", x, t), g.constant(0.5, F32))


def silu(g):
    x = g.pick_float()
    s = g.node("Sigmoid", [x], sigmoid(g.values[x]))
    return op2(g, "Mul", *swap(g, [x, s]))


def batch_norm(g, x=None):
    require(not g.special)
    x = x or g.pick(lambda n: g.types[n] == F32 and len(g.shape(n)) >= 2)
    v = g.values[x]
    c = v.shape[1]
    parts = [g.floats(c, 0.5, 1.5), g.floats(c), g.floats(c),
             g.floats(c, 0.5, 2)]
    shape = (1, c) + (1,) * (v.ndim - 2)
    scale, bias, mu, var = (g.values[p].reshape(shape) for p in parts)
    return g.node("BatchNormalization", [x] + parts,
                  (v - mu) / np.sqrt(var + 1e-5) * scale + bias)


# ---- contractions and windows ----

def matmul(g):
    require(not g.special)
    x = g.pick_float(least=1)
    v = g.values[x]
    if g.chance(0.35):
        y = g.pick(lambda n: g.types[n] == F32 and len(g.shape(n)) >= 2 and
                   g.shape(n)[-2] == v.shape[-1])
    else:
        n = [1, 3, 8, 16, 17, 33][g.between(0, 5)]
        batch = v.shape[:-2] if g.chance(0.3) else ()
        y = g.floats(batch + (v.shape[-1], n), -0.7, 0.7)
    try:
        result = np.matmul(v, g.values[y])
    except ValueError:
        raise Skip
    r = g.node("MatMul", [x, y], result)
    if g.chance(0.5) and g.shape(r):
        r = op2(g, "Add", *swap(g, [r, g.floats(g.shape(r)[-1:])]))
    return r


def gemm(g):
    require(not g.special)
    x = g.pick_float(rank=2)
    v = g.values[x]
    n, trans = [1, 5, 16, 24][g.between(0, 3)], g.between(0, 1)
    k = v.shape[1]
    w = g.floats((n, k) if trans else (k, n), -0.7, 0.7)
    b = g.floats([(n,), (1, n), (v.shape[0], 1), ()][g.between(0, 3)])
    alpha, beta = (1.0, 1.0) if g.chance(0.6) else (0.5, 2.0)
    product = v @ (g.values[w].T if trans else g.values[w])
    return g.node("Gemm", [x, w, b], alpha * product + beta * g.values[b],
                  alpha=alpha, beta=beta, transB=trans)


def attention(g):
    require(not g.special)
    x = g.pick_float(rank=3)
    b, t, d = g.shape(x)
    heads, size = g.between(1, 2), g.between(2, 5)
    require(t <= 12 and d <= 32)
    parts = []
    for perm in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)):
        w = g.floats((d, heads * size), -0.5, 0.5)
        p = g.node("MatMul", [x, w], g.values[x] @ g.values[w])
        p = g.node("Reshape", [p, g.constant((b, t, heads, size), I64)],
                   g.values[p].reshape(b, t, heads, size))
        parts.append(g.node("Transpose", [p], g.values[p].transpose(perm),
                            perm=list(perm)))
    s = g.node("MatMul", parts[:2], g.values[parts[0]] @ g.values[parts[1]])
    s = op2(g, "Div", s, g.constant(math.sqrt(size), F32))
    s = g.node("Softmax", [s], softmax_of(g.values[s], -1), axis=-1)
    y = g.node("MatMul", [s, parts[2]], g.values[s] @ g.values[parts[2]])
    y = g.node("Transpose", [y], g.values[y].transpose(0, 2, 1, 3),
               perm=[0, 2, 1, 3])
    return g.node("Reshape", [y, g.constant((b, t, heads * size), I64)],
                  g.values[y].reshape(b, t, heads * size))


def window_sizes(shape, kernel, strides, pads, dilations):
    rank = len(kernel)
    out = [(shape[i] + pads[i] + pads[i + rank] -
            dilations[i] * (kernel[i] - 1) - 1) // strides[i] + 1
           for i in range(rank)]
    require(min(out) >= 1)
    return out


def taps(v, kernel, strides, out, dilations):
    """The input under each tap of the window: (tap, [N,C,...out])."""
    for tap in itertools.product(*map(range, kernel)):
        cut = tuple(slice(t * d, t * d + (o - 1) * s + 1, s) for t, d, o, s in
                    zip(tap, dilations, out, strides))
        yield tap, v[(slice(None), slice(None)) + cut]


def pad_window(v, pads, value):
    rank = len(pads) // 2
    return np.pad(v, [(0, 0), (0, 0)] +
                  [(pads[i], pads[i + rank]) for i in range(rank)],
                  constant_values=value)


def conv_of(v, w, strides, pads, dilations, groups):
    kernel = w.shape[2:]
    out = window_sizes(v.shape[2:], kernel, strides, pads, dilations)
    v = pad_window(v, pads, 0)
    y = np.zeros([v.shape[0], groups, w.shape[0] // groups] + out)
    for tap, part in taps(v, kernel, strides, out, dilations):
        part = part.reshape([v.shape[0], groups, -1] + out)
        taken = w[(slice(None), slice(None)) + tap].reshape(
            groups, -1, w.shape[1])
        y += np.einsum("ngc...,goc->ngo...", part, taken)
    return y.reshape([v.shape[0], w.shape[0]] + out)


def window(g, rank, most=3):
    kernel = [g.between(1, most) for _ in range(rank)]
    strides = [g.between(1, 2) for _ in range(rank)]
    pads = [g.between(0, 1) for _ in range(2 * rank)]
    return kernel, strides, pads


def picture(g):
    return g.pick(lambda n: g.types[n] == F32 and len(g.shape(n)) in (3, 4)
                  and min(g.shape(n)) > 0)


def conv(g, x=None):
    require(not g.special)
    x = x or picture(g)
    v = g.values[x]
    c, rank = v.shape[1], v.ndim - 2
    kernel, strides, pads = window(g, rank)
    dilations = [g.between(1, 2) if g.chance(0.2) else 1 for _ in range(rank)]
    groups = c if g.chance(0.25) else 1
    if groups == 1 and c % 2 == 0 and g.chance(0.15):
        groups = 2
    o = groups * g.between(1, 2) if groups > 1 else \
        [1, 4, 8, 16, 19][g.between(0, 4)]
    require(c <= 64)
    bound = 1 / math.sqrt(c // groups * np.prod(kernel))
    w = g.floats([o, c // groups] + kernel, -bound, bound)
    y = conv_of(v, g.values[w], strides, pads, dilations, groups)
    inputs = [x, w]
    if g.chance(0.5):
        inputs.append(g.floats(o))
        y = y + g.values[inputs[2]].reshape([1, o] + [1] * rank)
    return g.node("Conv", inputs, y, strides=strides, pads=pads,
                  dilations=dilations, group=groups, kernel_shape=kernel)


def conv_block(g):
    """conv, batch norm, activation; maybe a residual."""
    x = picture(g)
    y = conv(g, x)
    if g.chance(0.7):
        y = batch_norm(g, y)
    if g.chance(0.4):
        y = op2(g, "Add", *swap(g, [y, partner(g, y)]))
    if g.chance(0.7):
        y = g.node("Relu", [y], max_nan(g.values[y], 0))
    return y


def conv_transpose(g):
    require(not g.special)
    x = picture(g)
    v = g.values[x]
    c, rank = v.shape[1], v.ndim - 2
    kernel, strides, pads = window(g, rank)
    o = [1, 3, 8][g.between(0, 2)]
    w = g.floats([c, o] + kernel, -0.5, 0.5)
    full = [(n - 1) * s + k for n, s, k in zip(v.shape[2:], strides, kernel)]
    y = np.zeros([v.shape[0], o] + full)
    for tap in itertools.product(*map(range, kernel)):
        cut = tuple(slice(t, t + (n - 1) * s + 1, s) for t, n, s in
                    zip(tap, v.shape[2:], strides))
        y[(slice(None), slice(None)) + cut] += np.einsum(
            "nc...,co->no...", v, g.values[w][(slice(None),) * 2 + tap])
    cut = tuple(slice(pads[i], full[i] - pads[i + rank]) for i in range(rank))
    y = y[(slice(None), slice(None)) + cut]
    require(y.size > 0)
    return g.node("ConvTranspose", [x, w], y, strides=strides, pads=pads,
                  kernel_shape=kernel)


def pool(g):
    x = picture(g)
    v = g.values[x]
    rank = v.ndim - 2
    kernel, strides, pads = window(g, rank)
    pads = [min(p, k - 1) for p, k in zip(pads, kernel * 2)]
    out = window_sizes(v.shape[2:], kernel, strides, pads, [1] * rank)
    common = {"kernel_shape": kernel, "strides": strides, "pads": pads}
    if g.chance(0.5):
        parts = [p for _, p in taps(pad_window(v, pads, -np.inf), kernel,
                                    strides, out, [1] * rank)]
        return g.node("MaxPool", [x], np.max(parts, 0), **common)
    include = g.between(0, 1)
    ones = pad_window(np.ones_like(v), pads, include)
    total = sum(p for _, p in taps(pad_window(v, pads, 0), kernel, strides,
                                   out, [1] * rank))
    count = sum(p for _, p in taps(ones, kernel, strides, out, [1] * rank))
    return g.node("AveragePool", [x], total / count,
                  count_include_pad=include, **common)


def global_pool(g):
    x = picture(g)
    axes = tuple(range(2, len(g.shape(x))))
    if g.chance(0.3):
        return g.node("GlobalMaxPool", [x],
                      g.values[x].max(axes, keepdims=True))
    return g.node("GlobalAveragePool", [x],
                  g.values[x].mean(axes, keepdims=True))


def pad_conv(g):
    x = picture(g)
    v = g.values[x]
    pads = [0, 0] + [g.between(0, 2) for _ in range(v.ndim - 2)]
    pads += [0, 0] + [g.between(0, 2) for _ in range(v.ndim - 2)]
    fill = [] if g.chance(0.6) else [g.constant(0.5, F32)]
    padded = g.node("Pad", [x, g.constant(pads, I64)] + fill,
                    np.pad(v, list(zip(pads[:v.ndim], pads[v.ndim:])),
                           constant_values=0.5 if fill else 0))
    return conv(g, padded)


def squeeze_excite(g):
    """A gate for each channel."""
    x = picture(g)
    v = g.values[x]
    p = g.node("GlobalAveragePool", [x],
               v.mean(tuple(range(2, v.ndim)), keepdims=True))
    c = v.shape[1]
    require(c <= 32 and not g.special)
    w = g.floats([c, c] + [1] * (v.ndim - 2), -0.5, 0.5)
    y = g.node("Conv", [p, w], np.einsum(
        "nc...,oc->no...", g.values[p], g.values[w].reshape(c, c)))
    y = g.node("Sigmoid", [y], sigmoid(g.values[y]))
    return op2(g, "Mul", *swap(g, [x, y]))


# ---- rarer ----

def resize(g):
    x = picture(g)
    v = g.values[x]
    scales = [1, 1] + [g.between(1, 3) for _ in range(v.ndim - 2)]
    y = v
    for axis, n in enumerate(scales):
        y = np.repeat(y, n, axis)
    empty = g.constant(np.zeros(0), F32)
    return g.node("Resize", [x, empty, g.constant(scales, F32)], y,
                  mode="nearest", nearest_mode="floor",
                  coordinate_transformation_mode="asymmetric")


def cum_sum(g):
    require(not g.special)
    x = g.pick(lambda n: g.types[n] in (F32, I32, I64) and
               len(g.shape(n)) >= 1)
    v, axis = g.values[x], g.between(0, len(g.shape(x)) - 1)
    reverse, exclusive = g.between(0, 1), g.between(0, 1)
    v = np.flip(v, axis) if reverse else v
    y = np.cumsum(v, axis, v.dtype) - (v if exclusive else 0)
    return g.node("CumSum", [x, g.constant(axis, I64)],
                  np.flip(y, axis) if reverse else y, reverse=reverse,
                  exclusive=exclusive)


def gather_elements(g):
    x = g.pick(lambda n: len(g.shape(n)) >= 1 and min(g.shape(n)) > 0)
    v, axis = g.values[x], g.between(0, len(g.shape(x)) - 1)
    n = v.shape[axis]
    index = g.constant(g.rng.integers(-n, n, v.shape), I64)
    return g.node("GatherElements", [x, index], np.take_along_axis(
        v, g.values[index] % n, axis), axis=axis)


def scatter_nd(g):
    x = g.pick(lambda n: g.types[n] in (F32, I32, I64) and
               len(g.shape(n)) >= 1 and min(g.shape(n)) > 0)
    y = g.values[x].copy()
    row = g.between(0, y.shape[0] - 1)
    updates = np.ones((1,) + y.shape[1:])
    y[row] = 1
    return g.node("ScatterND", [x, g.constant([[row]], I64),
                                g.constant(updates, g.types[x])], y)


def depth_to_space(g):
    x = g.pick(lambda n: len(g.shape(n)) == 4)
    v = g.values[x]
    n, c, h, w = v.shape
    if c % 4 == 0 and g.chance(0.6):
        y = v.reshape(n, 2, 2, c // 4, h, w).transpose(0, 3, 4, 1, 5, 2)
        return g.node("DepthToSpace", [x], y.reshape(n, c // 4, 2 * h, 2 * w),
                      blocksize=2)
    require(h % 2 == 0 and w % 2 == 0)
    y = v.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 3, 5, 1, 2, 4)
    return g.node("SpaceToDepth", [x], y.reshape(n, 4 * c, h // 2, w // 2),
                  blocksize=2)


def instance_norm(g):
    require(not g.special)
    x = picture(g)
    v = g.values[x]
    c, axes = v.shape[1], tuple(range(2, v.ndim))
    require(v.var(axes).min() > 0.05)
    scale, bias = g.floats(c, 0.5, 1.5), g.floats(c)
    shape = (1, c) + (1,) * (v.ndim - 2)
    y = (v - v.mean(axes, keepdims=True)) / np.sqrt(
        v.var(axes, keepdims=True) + 1e-5)
    return g.node("InstanceNormalization", [x, scale, bias],
                  y * g.values[scale].reshape(shape) +
                  g.values[bias].reshape(shape))


def prelu(g):
    x = g.pick_float(least=1)
    v, slope = g.values[x], g.floats(partner_shape(g, g.shape(x)))
    return g.node("PRelu", [x, slope],
                  np.where(v < 0, v * g.values[slope], v))


def hard_swish(g):
    """As exporters take it apart."""
    x = g.pick_float()
    y = op2(g, "Add", x, g.constant(3, F32))
    y = g.node("Clip", [y, g.constant(0, F32), g.constant(6, F32)],
               np.clip(g.values[y], 0, 6))
    return op2(g, "Div", op2(g, "Mul", x, y), g.constant(6, F32))


def einsum(g):
    require(not g.special)
    x = g.pick_float(rank=3)
    b, i, j = g.shape(x)
    kind = ["bij,bjk->bik", "bij,jk->bki", "bij,bij->bi"][g.between(0, 2)]
    shape = {"bjk": (b, j, 5), "jk": (j, 5), "bij": (b, i, j)}[
        kind[4:].split("->")[0]]
    y = g.floats(shape, -0.7, 0.7)
    return g.node("Einsum", [x, y],
                  np.einsum(kind, g.values[x], g.values[y]), equation=kind)


def reduce_rare(g):
    require(not g.special)
    x = g.pick(lambda n: g.types[n] == F32 and len(g.shape(n)) >= 1 and
               min(g.shape(n)) > 0)
    v, axes = g.values[x], tuple(some_axes(g, len(g.shape(x))))
    op, f = [("ReduceL1", lambda v: np.abs(v).sum(axes)),
             ("ReduceSumSquare", lambda v: (v * v).sum(axes)),
             ("ReduceProd", lambda v: v.prod(axes)),
             ("ReduceLogSumExp", lambda v: np.log(np.exp(v).sum(axes)))][
        g.between(0, 3)]
    require(np.abs(v).max() < 20)
    return g.node(op, [x], f(v), axes=list(axes), keepdims=0)


STEPS = [
    (unary, 6), (stepped, 1), (leaky, 3), (guarded, 3), (binary, 10),
    (divide, 2), (compare, 2), (logic, 2), (where, 3), (cast, 3),
    (transpose, 4), (reshape, 4), (ranks, 2), (flatten, 1), (concat, 4),
    (slices, 4), (split, 2), (pad, 3), (expand, 2), (gather, 2), (tile, 1),
    (reduce, 4), (arg_max, 1), (softmax, 2), (layer_norm, 2), (rms_norm, 1),
    (gelu, 2), (silu, 2), (batch_norm, 2), (matmul, 5), (gemm, 2),
    (attention, 1), (conv, 4), (conv_block, 5), (conv_transpose, 2),
    (pool, 3), (global_pool, 1), (pad_conv, 2), (squeeze_excite, 2),
    (resize, 2), (cum_sum, 1), (gather_elements, 1), (scatter_nd, 1),
    (depth_to_space, 1), (instance_norm, 1), (prelu, 1), (hard_swish, 1),
    (einsum, 1), (reduce_rare, 1),
]
