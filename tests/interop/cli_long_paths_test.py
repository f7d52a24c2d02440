"""A long key above many values, and many files of a recording: what they cost is in proportion to them, or refused."""

import json
import os
import pathlib
import struct
import subprocess
import tempfile

import checks
import numpy as np
from cli_outcomes import expect, run_checks
from safetensors.numpy import save_file

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


def check_npz(folder):
    """Names that an archive would hold again and again are refused, those of tensors and those of numbers."""
    folder = pathlib.Path(folder)
    key = KEY[:50_000]
    for name, item in (("numbers", 1), ("tensors", TENSOR)):
        (folder / f"{name}.json").write_text(json.dumps({key: [item] * COUNT}))
        code, out, error = bounded(folder, "convert", f"{name}.json", "out.npz")
        expect(name, (2, ""), (code, out))
        message = "the paths of a structure take too much memory: expected at most 6745"
        expect(f"{name}: {error[:1000]}", True, message in error and len(error) < 2000)
        expect(f"{name}: nothing is written", [], list(folder.glob("*out*")))


def write_recording(folder, weight, count):
    """A recording of one name for all of its records."""
    folder.mkdir()
    columns = {
        "sequence": np.arange(count, dtype="u8"),
        "step": np.zeros(count, "i8"),
        "call": np.arange(count, dtype="u8"),
        "time": np.zeros(count, "i8"),
        "name": np.zeros(count, "u4"),
        "thread": np.zeros(count, "u4"),
        "value": np.zeros(count, "u4"),
        "row": np.arange(count, dtype="i4"),
        "kept": np.zeros(count, "u1"),
    }

    def leaf(name):
        return {"data_type": "numpy.ndarray", "value": name}

    fields = {"names": {"data_type": "list", "value": [{"data_type": "str", "value": KEY}]}}
    fields |= {name: leaf(name) for name in columns} | {"values": {"data_type": "list", "value": [leaf("t")]}}
    schema = {"data_type": "SafestructuresDataclass", "value": fields, "class": "Segment"}
    about = {
        "version": 2,
        "segment": 1,
        "closed": True,
        "run": "d1876cc158f714e7",
        "counts": {"calls": count, "kept": count},
        "left_out": {},
    }
    metadata = {
        "_safestructures_schema_": json.dumps(schema),
        "_safestructures_schema_version_": "1.0.0",
        "safestructures_recording": json.dumps(about),
    }
    save_file(columns | {"t": np.full((count, 1), weight, "f4")}, folder / "segment-000001.safetensors", metadata)


def check_rows(folder):
    """A name that all records of a run have is refused where it would be printed with each row."""
    folder = pathlib.Path(folder)
    write_recording(folder / "a", 1, 1000)
    write_recording(folder / "b", 2, 1000)
    for options in (["--all"], ["--json"], ["--junit"]):
        code, out, error = bounded(folder, "diff", "a", "b", *options)
        expect(options, (2, ""), (code, out))
        start = "safestructures: the paths of a structure take too much memory: expected at most 67"
        expect(f"{options}: {error[:1000]}", True, error.startswith(start))
    code, out, error = bounded(folder, "diff", "a", "b")
    expect("what is shown is within the bound", (1, ""), (code, error))


def check_files_behind(folder):
    """Files behind the segment that closed a recording are told of in time in proportion to their number."""
    times = []
    for count in (4000, 32000):
        name = f"behind-{count}"
        write_recording(pathlib.Path(folder) / name, 1, 1)
        for number in range(count):
            (pathlib.Path(folder) / name / f"segment-{number + 2:06}.journal").touch()
        times.append(min(seconds_of_verify(folder, name, count) for _ in range(3)))
    # Were it with the square, 64 times.
    expect(f"files behind the last: {times}", True, times[1] < 24 * times[0])


def seconds_of_verify(folder, name, count):
    with tempfile.TemporaryFile() as error:
        process = subprocess.Popen([checks.cli(), "verify", name], cwd=folder, stderr=error)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        error.seek(0)
        lines = error.read().count(b"comes after segment 1, which closed the recording, and was not read\n")
    expect(name, (1, count), (process.returncode, lines))
    return usage.ru_utime + usage.ru_stime


run_checks(check_reading, check_lists, check_npz, check_rows, check_files_behind)
