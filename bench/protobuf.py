"""Read what bench/compare needs of ONNX's files, without the onnx package."""
import struct

# TensorProto.DataType: numpy's name, code of struct, field with the values.
TYPES = {1: ("float32", "f", 4), 2: ("uint8", "B", 5), 3: ("int8", "b", 5),
         4: ("uint16", "H", 5), 5: ("int16", "h", 5), 6: ("int32", "i", 5),
         7: ("int64", "q", 7), 9: ("bool", "?", 5), 10: ("float16", "e", 5),
         11: ("float64", "d", 10), 12: ("uint32", "I", 11),
         13: ("uint64", "Q", 11)}
CODES = {name: code for name, code, _ in TYPES.values()}


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value): an integer, or bytes of any other field."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def varints(value):
    """The integers of a repeated field, packed or not."""
    if isinstance(value, int):
        return [value]
    numbers, at = [], 0
    while at < len(value):
        number, at = read_varint(value, at)
        numbers.append(number)
    return numbers


def pack_values(values, code):
    if code in "fd":
        return b"".join(bytes(v) for v in values)
    whole = [n for v in values for n in varints(v)]
    if code == "e":
        code = "H"  # the bits of each
    elif code in "bhiq":
        whole = [n - (1 << 64) if n >> 63 else n for n in whole]
    return struct.pack(f"<{len(whole)}{code}", *whole)


def parse_tensor(data):
    """The name, type, shape and little-endian bytes of a TensorProto."""
    name, kind, shape, raw, values = "", 0, [], None, {}
    for number, value in fields(memoryview(data)):
        if number == 1:
            shape += varints(value)
        elif number == 2:
            kind = value
        elif number == 8:
            name = bytes(value).decode()
        elif number == 9:
            raw = bytes(value)
        else:
            values.setdefault(number, []).append(value)
    if kind not in TYPES:
        raise ValueError(f"tensor '{name}' has the element type {kind}, "
                         "which is not supported")
    dtype, code, field = TYPES[kind]
    if raw is None:
        raw = pack_values(values.get(field, []), code)
    return name, dtype, shape, raw


def read_tensor(path):
    with open(path, "rb") as f:
        return parse_tensor(f.read())


def first(data, wanted):
    return next(v for number, v in fields(data) if number == wanted)


def input_names(path):
    """The inputs of a model without its weights, in order."""
    with open(path, "rb") as f:
        graph = first(memoryview(f.read()), 7)
    weights, names = set(), []
    for number, value in fields(graph):
        if number == 5:
            weights.add(bytes(first(value, 8)))
        elif number == 11:
            names.append(bytes(first(value, 1)))
    return [n.decode() for n in names if n not in weights]
