"""The files that the tests of the command line and the examples of docs/cli.md and docs/convert.md work on."""

import json
import os
import pathlib
import struct
import subprocess

import checks
import numpy as np
import safestructures
from safetensors.numpy import save_file


def model():
    rng = np.random.default_rng(1)
    layers = [
        {"weight": rng.integers(-9, 9, (4, 3)).astype(np.float32) / 8, "bias": np.zeros(3)}
        for _ in range(2)
    ]
    return {"name": "tiny", "epochs": 3, "rate": 1e-05, "layers": layers, "labels": (1, None, True)}


def hostile():
    """Names and text that would steer a terminal."""
    return {
        "\x1b[2Jkey": "\x1b]0;title\x07",
        "\u202eright to left": "a\nb\u009b31m",
        "half": "\ud800",
        "quote\"": "back\\slash",
    }


def container(header, data=b""):
    text = header.encode()
    return struct.pack("<Q", len(text)) + text + data


def noting(dtype):
    """A list of one F32 tensor, 1.5, whose node notes an original dtype."""
    node = '{"data_type": "numpy.ndarray", "value": "t", "dtype": %s}' % dtype
    schema = json.dumps('{"data_type": "list", "value": [%s]}' % node)
    return container(
        '{"__metadata__":{"_safestructures_schema_":%s},' % schema
        + '"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
        struct.pack("<f", 1.5),
    )


def columns_of_enums():
    """What C++ saves for a list of structs as columns: an enum with its names, and a float."""
    column = {"data_type": "numpy.ndarray", "value": "colour", "names": {"red": 0, "green": 1, "blue": 2}}
    fields = {"colour": column, "at": {"data_type": "numpy.ndarray", "value": "at"}}
    root = {"data_type": "SafestructuresDataclass", "value": fields, "class": "Event", "columns": 8}
    header = {
        "__metadata__": {"_safestructures_schema_": json.dumps(root)},
        "at": {"dtype": "F32", "shape": [8], "data_offsets": [0, 32]},
        "colour": {"dtype": "U8", "shape": [8], "data_offsets": [32, 40]},
    }
    return container(json.dumps(header), np.arange(8, dtype=np.float32).tobytes() + bytes([1, 0, 0, 2, 7, 1, 2, 2]))


def make_sparse(path, size):
    """A file of one U8 tensor of zeros that takes no room on the disk; where the zeros begin."""
    header = container('{"zeros":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}' % (size, size))
    path.write_bytes(header)
    os.truncate(path, len(header) + size)
    return len(header)


def make(folder):
    folder = pathlib.Path(folder)
    safestructures.save_file(model(), folder / "model.safetensors", metadata={"run": "42"})
    safestructures.save_file(hostile(), folder / "hostile.safetensors")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "damaged.safetensors").write_bytes(whole[:-10])
    plain = {"layers.0.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "scale": np.array(0.5)}
    save_file(plain, folder / "plain.safetensors", metadata={"format": "np"})
    large = {"weight": np.array([1.0, 70000.0, 1e-9], dtype=np.float32)}
    save_file(large, folder / "large.safetensors")
    many = {"steps": np.arange(2000).reshape(4, 500)}
    save_file(many, folder / "many.safetensors")
    np.savez(folder / "arrays.npz", weight=np.eye(2, dtype=np.float32), steps=np.arange(4))
    (folder / "wrong_bool.safetensors").write_bytes(
        container('{"flag":{"dtype":"BOOL","shape":[4],"data_offsets":[0,4]}}', b"\0\1\2\0")
    )
    (folder / "bfloat.safetensors").write_bytes(
        container('{"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}', b"\x80\x3f\xc0\x3f")
    )
    (folder / "events.safetensors").write_bytes(columns_of_enums())
    # F4 is 0.5 for the code 1 and 1.0 for 2, the first of a byte in its low half.
    (folder / "narrow.safetensors").write_bytes(
        container('{"w":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}}', b"\x21\x12")
    )
    (folder / "folder").mkdir(exist_ok=True)
    for name, dtype in {"unknown": '"F99"', "number": "64", "whole": '"I64"'}.items():
        (folder / f"original_{name}.safetensors").write_bytes(noting(dtype))
    # What a recorder leaves that is killed after three records.
    subprocess.run([checks.cli().parent / "interop" / "recordings", folder, "killed"], check=True)
