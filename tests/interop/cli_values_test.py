"""What `get`, `show` and `stats` say of values that few files hold: bytes, complex and very large numbers, shards."""

import json
import pathlib

import numpy as np
from cli_outcomes import expect, run, run_checks
from safetensors.numpy import save_file

BYTES = bytes(range(250, 256)) + b"\n"


def write_json(folder, name, value):
    (pathlib.Path(folder) / name).write_text(json.dumps(value))


def check_bytes(folder):
    """Bytes are shown as numbers, and written as they are."""
    write_json(folder, "raw.json", {"raw": {"$bytes": "+vv8/f7/Cg=="}})
    expect("shown", "[250, 251, 252, 253, 254, 255,  10]\n", run(folder, "get", "raw.json", "/raw").stdout)
    done = run(folder, "get", "raw.json", "/raw", "-o", "raw.bin")
    expect("written", (0, "", BYTES), (done.returncode, done.stderr, (pathlib.Path(folder) / "raw.bin").read_bytes()))
    done = run(folder, "get", "raw.json", "/raw", "--slice", "0")
    message = "safestructures: --slice is for tensors: /raw is bytes of 7.\n"
    expect("a slice", (2, message), (done.returncode, done.stderr))


def check_numbers(folder):
    """Complex numbers as Python writes them, and integers beyond 2^63 with all their digits."""
    data = {"$tensor": "C64", "shape": [2], "data": [[1.5, -2], [0, 3]]}
    write_json(folder, "numbers.json", {"c": data, "big": 2**70})
    expect("complex", "[(1.5-2j),       3j]\n", run(folder, "get", "numbers.json", "/c").stdout)
    expect("beyond 64 bits", f"{2**70}\n", run(folder, "get", "numbers.json", "/big").stdout)
    save_file({"u": np.uint64([2**63 + 5, 1])}, pathlib.Path(folder) / "u.safetensors")
    expect("U64", "[9223372036854775813,                   1]\n", run(folder, "get", "u.safetensors", "u").stdout)


def check_shards(folder):
    """`show` counts the files of a sharded structure, and its JSON names the one of each tensor."""
    run(folder, "convert", "model.safetensors", "s.safetensors", "--shard-size", "40")
    index = "s.safetensors.index.json"
    shards = sorted(path.name for path in pathlib.Path(folder).glob("s-*-of-*.safetensors"))
    first = run(folder, "show", index).stdout.splitlines()[0]
    expect("the files", True, first.endswith(f" in {len(shards)} files and their index"))
    tensors = json.loads(run(folder, "show", index, "--json").stdout)["tensors"]
    expect("the file of each tensor", shards, sorted({tensor["file"] for tensor in tensors.values()}))


def check_extra_tensors(folder):
    """Tensors that no node names are listed by their names."""
    extra = {"$tensor": "F32", "shape": [2], "data": [1, 2]}
    write_json(folder, "extra.json", {"$safestructures": {"tensors": {"more": extra}}, "root": [1, 2]})
    expect("get", "[1.0, 2.0]\n", run(folder, "get", "extra.json", "more").stdout)
    tensors = json.loads(run(folder, "stats", "extra.json", "--json").stdout)
    expect("stats", [("more", 1.5)], [(tensor["path"], tensor["mean"]) for tensor in tensors])


run_checks(check_bytes, check_numbers, check_shards, check_extra_tensors)
