"""Write .npy, .pb and .png files for inputs of 2x3 floats, good and bad.

usage: make_tensors.py FOLDER
"""

import os
import struct
import sys
import zlib

from make_models import data, number

VALUES = [-1.0, 0.5, 2.0, -0.25, 4.0, -8.0]
RAW = struct.pack("<6f", *VALUES)
HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"


def npy(header=HEADER, body=RAW, version=1, magic=b"\x93NUMPY", length=None):
    text = header.encode("latin-1") + b"\n"
    size = len(text) if length is None else length
    field = struct.pack("<H" if version == 1 else "<I", size)
    return magic + bytes([version, 0]) + field + text + body


def header(descr="<f4", order="False", shape="(2, 3)"):
    return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"


def make_good():
    columns = [VALUES[i] for i in (0, 3, 1, 4, 2, 5)]
    return {
        "v1": npy(),
        "v2": npy(version=2),
        "v3": npy(version=3),
        "big": npy(header(">f4"), struct.pack(">6f", *VALUES)),
        "fortran": npy(header(order="True"), struct.pack("<6f", *columns)),
        "long": npy(header(shape="(2L, 3L)")),
    }


def make_bad():
    """name -> (content, the sentence that tvmc says after the file's name)."""
    malformed = "has a malformed .npy header"
    truncated = "is truncated"
    overflow = ": the dimensions overflow"
    return {
        "empty": (b"", "is no .npy file"),
        "magic": (npy(magic=b"\x93NUMPX"), "is no .npy file"),
        "version0": (npy(version=0), "expects .npy version 1.0 to 3.0, got 0.0"),
        "version9": (npy(version=9), "expects .npy version 1.0 to 3.0, got 9.0"),
        "cut_length": (npy(version=2)[:10], truncated),
        "cut_header": (npy()[:40], truncated),
        "long_header": (npy(length=65535), truncated),
        "huge_header": (npy(version=2, length=0xFFFFFFFF), truncated),
        "no_header": (npy(length=0), malformed),
        "no_brace": (npy(HEADER[1:]), malformed),
        "open_brace": (npy(HEADER.rstrip(" }")), malformed),
        "open_quote": (npy(HEADER.replace("'<f4'", "'<f4")), malformed),
        "no_shape": (npy("{'descr': '<f4', 'fortran_order': False}"), malformed),
        "twice": (npy(HEADER[:-1] + "'descr': '<f4'}"), malformed),
        "other_key": (npy(HEADER[:-1] + "'x': 1}"), malformed),
        "tail": (npy(HEADER + "x"), malformed),
        "order": (npy(header(order="Maybe")), malformed),
        "scalar_shape": (npy(header(shape="2")), malformed),
        "no_comma": (npy(header(shape="(6)")), malformed),
        "negative": (npy(header(shape="(-2, 3)")), malformed),
        "huge": (npy(header(shape="(99999999999999999999, 3)")), malformed),
        "overflow": (npy(header(shape="(4294967296, 4294967296)")), overflow),
        "overflow4": (npy(header(shape="(4611686018427387904,)")), overflow),
        "many": (npy(header(shape="(" + "1, " * 65 + ")")), malformed),
        "short": (npy(body=RAW[:-1]), "expects 24 bytes of data, got 23"),
        "long": (npy(body=RAW + b"\0"), "expects 24 bytes of data, got 25"),
        "object": (npy(header("|O8")), "has elements of type 'O8', which is "
                   "not supported"),
        "text": (npy(header("<U4")), "has elements of type 'U4', which is "
                 "not supported"),
        "complex": (npy(header("<c8")), "has elements of type 'c8', which is "
                    "not supported"),
        "structure": (npy(HEADER.replace("'<f4'", "[('a', '<f4')]")), malformed),
        "nul": (npy(HEADER.replace("descr", "des\0r")), malformed),
    }


def make_protos():
    dims = number(1, 2) + number(1, 3)
    half = b"".join(
        number(5, h) for h in struct.unpack("<6H", struct.pack("<6e", *VALUES))
    )
    return {
        "raw": dims + number(2, 1) + data(9, RAW),
        "typed": dims + number(2, 1) + data(4, RAW),
        "half": dims + number(2, 10) + half,
        "short_raw": dims + number(2, 1) + data(9, RAW[:-4]),
        "short_typed": dims + number(2, 1) + data(4, RAW[:-4]),
        "no_type": dims + data(9, RAW),
        "string": dims + number(2, 8),
        "negative": number(1, -2) + number(2, 1) + data(9, RAW),
        "overflow": number(1, 1 << 40) * 2 + number(2, 1) + data(9, RAW),
        "promise": number(1, 1 << 40) + number(2, 1),
        "garbage": b"\x0a\xff\xff\xff\xff\x7f",
    }


def chunk(kind, body):
    check = struct.pack(">I", zlib.crc32(kind + body))
    return struct.pack(">I", len(body)) + kind + body + check


def png(width, height, rows):
    size = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", size), chunk(b"IDAT", pixels), chunk(b"IEND", b"")]
    )


def make_pictures():
    red = png(4, 4, [b"\xff\0\x33" * 4] * 4)
    return {
        "red": red,
        "large": png(64, 32, [b"\xff\0\x33" * 64] * 32),
        "cut": red[: len(red) // 2],
        "empty": b"",
        "text": b"no picture\n",
        "wide": png(1 << 30, 1 << 20, [b""]),
    }


def write_all(folder, extension, files):
    os.makedirs(folder, exist_ok=True)
    for name, content in files.items():
        with open(os.path.join(folder, name + extension), "wb") as out:
            out.write(content)


def main():
    folder = sys.argv[1]
    bad = make_bad()
    write_all(os.path.join(folder, "good"), ".npy", make_good())
    write_all(os.path.join(folder, "bad"), ".npy",
              {name: row[0] for name, row in bad.items()})
    write_all(os.path.join(folder, "pb"), ".pb", make_protos())
    write_all(os.path.join(folder, "png"), ".png", make_pictures())


if __name__ == "__main__":
    main()
