#!/usr/bin/python3
"""Write the demo network in the ONNX test layout, with a picture of random
pixels; the outputs are those of the host's library.

usage: make_character.py OUTPUT_FOLDER
"""
import os
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    folder = os.path.join(sys.argv[1], "characters")
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    source = os.path.join(ROOT, "examples/characters/characters.onnx")
    shutil.copy(source, os.path.join(folder, "model.onnx"))
    graph = onnx.load(source).graph
    dims = [d.dim_value or 1 for d in graph.input[0].type.tensor_type.shape.dim]
    image = np.random.default_rng(5).random(dims, np.float32)
    with open(os.path.join(data, "input_0.pb"), "wb") as f:
        f.write(numpy_helper.from_array(image).SerializeToString())
    subprocess.run(["tvmc", "run", source, "--input",
                    "%s=%s" % (graph.input[0].name, os.path.join(data, "input_0.pb")),
                    "--output", "%s=%s" % (graph.output[0].name,
                                           os.path.join(data, "output_0.pb"))],
                   check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
