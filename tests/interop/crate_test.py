"""Each difference from the Rust crate that docs/format.md names: the crate reads it, through Python's
package, and the tool refuses it as the row says."""

import pathlib
import struct
import subprocess
import tempfile

import checks
from safetensors import deserialize

FORMAT = checks.HERE.parents[1] / "docs" / "format.md"
TENSOR = '"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'
RANK = ",".join(["1"] * 65)

# What the row begins with: headers of a file with one byte of data, and what the tool says of each.
DIFFERENCES = {
    "a name or a metadata key twice": (
        (
            '{"\\u0061":{"dtype":"U8","shape":[0],"data_offsets":[1,1]},' + TENSOR + "}",
            "at a: two tensors have the same name.",
        ),
        (
            '{"__metadata__":{"k":"v","k":"w"},' + TENSOR + "}",
            '"__metadata__" holds the key "k" twice.',
        ),
    ),
    "a tensor described by an array": (
        (
            '{"a":["U8",[1],[0,1]]}',
            'at a: the tensor is not described by an object: expected an object with "dtype", "shape"'
            ' and "data_offsets", found ["U8",[1],[0,1]] (byte 13).',
        ),
    ),
    "a shape whose sizes other than 0": (
        (
            '{"z":{"dtype":"U8","shape":[0,4294967296,4294967296],"data_offsets":[0,0]},' + TENSOR + "}",
            "at z: the shape is too large",
        ),
    ),
    "what passes a bound of `Limits`": (
        (
            '{"a":{"dtype":"U8","shape":[' + RANK + '],"data_offsets":[0,1]}}',
            "at a: a tensor has too many dimensions: expected at most 64 (Limits::rank)",
        ),
    ),
}


def rows():
    """The first cells of the table."""
    lines = FORMAT.read_text(encoding="utf-8").split("| in a file | the crate 0.8 | here |\n", 1)[1]
    return [line.split("|")[1].strip() for line in lines.split("\n\n", 1)[0].splitlines()[1:]]


report = checks.Report()
documented = rows()
for row in documented:
    if sum(row.startswith(start) for start in DIFFERENCES) != 1:
        report.fail(row, "is in docs/format.md, and nothing tries it")
for start, cases in DIFFERENCES.items():
    if not any(row.startswith(start) for row in documented):
        report.fail(start, "is not in docs/format.md")
    for header, message in cases:
        report.count("differences")
        data = struct.pack("<Q", len(header)) + header.encode() + b"\7"
        deserialize(data)  # Throws where the crate refuses it.
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.safetensors"
            file.write_bytes(data)
            done = subprocess.run([checks.cli(), "verify", file], capture_output=True, text=True)
        expected = f"safestructures: {file}: {message}"
        if done.returncode != 1 or not done.stderr.startswith(expected):
            report.fail(start, f"expected {expected!r}, found {done.returncode}, {done.stderr!r}")
report.finish()
