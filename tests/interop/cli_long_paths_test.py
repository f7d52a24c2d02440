"""A long key above many values: what a file costs is in proportion to it, or refused."""

import json
import os
import pathlib
import struct
import subprocess
import tempfile

import checks
from cli_outcomes import expect, run_checks

KEY = "k" * 200_000
COUNT = 8000
TENSOR = {"$tensor": "F32", "shape": [1], "data": [1]}
# What they took before there were bounds was 1.6 to 6.3 GB. Sanitizers take some for themselves.
MOST_MEMORY = 1 << 30


def write_safetensors(path, node):
    key = {KEY: {"data_type": "list", "value": [node] * COUNT}}
    schema = {"data_type": "dict", "value": key, "keys": {KEY: {"data_type": "str", "value": KEY}}}
    metadata = {"_safestructures_schema_": json.dumps(schema), "_safestructures_schema_version_": "1.0.0"}
    header = {"__metadata__": metadata, "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + struct.pack("<f", 1))


def bounded(folder, *words):
    """As `run`, with as much memory as such a file is worth."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as error:
        process = subprocess.Popen([checks.cli(), *words], cwd=folder, stdout=out, stderr=error)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        expect(f"{words}: memory", True, usage.ru_maxrss << 10 < MOST_MEMORY)
        out.seek(0)
        error.seek(0)
        return process.returncode, out.read(), error.read()


def check_reading(folder):
    """Tensors that have no names get short ones."""
    folder = pathlib.Path(folder)
    (folder / "long.json").write_text(json.dumps({KEY: [TENSOR] * COUNT}))
    for name in ("long.json", "long.msgpack", "long.cbor", "long.mpk"):
        if name != "long.json":
            expect(f"{name}: convert", (0, ""), bounded(folder, "convert", "long.json", name)[::2])
        expect(f"{name}: verify", (0, ""), bounded(folder, "verify", name)[::2])
    expect("to safetensors", (0, ""), bounded(folder, "convert", "long.json", "long.safetensors")[::2])
    expect("back", (0, ""), bounded(folder, "convert", "long.safetensors", "back.json")[::2])


def check_lists(folder):
    """What keeps a path of each value refuses them."""
    folder = pathlib.Path(folder)
    write_safetensors(folder / "ints.safetensors", {"data_type": "int", "value": "1"})
    write_safetensors(folder / "tensors.safetensors", {"data_type": "numpy.ndarray", "value": "a"})
    start = "the paths of a structure take too much memory: expected at most 6719"
    end = "Shorten the longest keys or names.\n"
    for code, *words in (
        (2, "diff", "ints.safetensors", "ints.safetensors"),
        (2, "diff", "tensors.safetensors", "tensors.safetensors"),
        (1, "ls", "tensors.safetensors"),
        (1, "stats", "tensors.safetensors"),
        (1, "report", "tensors.safetensors", "-o", "page.html"),
    ):
        found, out, error = bounded(folder, *words)
        expect(words, (code, ""), (found, out))
        expect(words, (True, True), (error.startswith(f"safestructures: {words[1]}: {start}"), error.endswith(end)))
    for words in (("verify", "ints.safetensors"), ("show", "tensors.safetensors")):
        expect(words, (0, ""), bounded(folder, *words)[::2])


run_checks(check_reading, check_lists)
