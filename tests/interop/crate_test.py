"""Each difference from the Rust crate that docs/format.md names: the crate, through Python's package, reads what the
tool refuses as the row says, or refuses what the tool reads."""

import pathlib
import struct
import subprocess
import tempfile

import checks
from safetensors import SafetensorError, deserialize

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
    "a dtype as an object with its name": (
        (
            '{"a":{"dtype":{"U8":null},"shape":[1],"data_offsets":[0,1]}}',
            'at a: "dtype" is not a string: expected the name of a dtype, found {"U8":null} (byte 22).',
        ),
    ),
    "what passes a bound of `Limits`": (
        (
            '{"a":{"dtype":"U8","shape":[' + RANK + '],"data_offsets":[0,1]}}',
            "at a: a tensor has too many dimensions: expected at most 64 (Limits::rank)",
        ),
    ),
}

NESTED = '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":' + "[" * 126 + "]" * 126 + "}}"
# The same of what only the tool reads, and what the crate says.
LAXER = {"a field of a tensor that is neither": (NESTED, "recursion limit exceeded")}


def rows():
    """The first cells of the table."""
    lines = FORMAT.read_text(encoding="utf-8").split("| in a file | the crate 0.8 | here |\n", 1)[1]
    return [line.split("|")[1].strip() for line in lines.split("\n\n", 1)[0].splitlines()[1:]]


report = checks.Report()
documented = rows()
for row in documented:
    if sum(row.startswith(start) for start in [*DIFFERENCES, *LAXER]) != 1:
        report.fail(row, "is in docs/format.md, and nothing tries it")


def verified(data):
    """What the tool says of a file of these bytes, and the start of its errors."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "x.safetensors"
        file.write_bytes(data)
        return subprocess.run([checks.cli(), "verify", file], capture_output=True, text=True), f"safestructures: {file}: "


def bytes_of(header):
    return struct.pack("<Q", len(header)) + header.encode() + b"\7"


for start in [*DIFFERENCES, *LAXER]:
    if not any(row.startswith(start) for row in documented):
        report.fail(start, "is not in docs/format.md")
for start, cases in DIFFERENCES.items():
    for header, message in cases:
        report.count("differences")
        deserialize(bytes_of(header))  # Throws where the crate refuses it.
        done, prefix = verified(bytes_of(header))
        if done.returncode != 1 or not done.stderr.startswith(prefix + message):
            report.fail(start, f"expected {prefix + message!r}, found {done.returncode}, {done.stderr!r}")
for start, (header, refusal) in LAXER.items():
    report.count("differences")
    try:
        deserialize(bytes_of(header))
        report.fail(start, "is read by the crate")
    except SafetensorError as error:
        if refusal not in str(error):
            report.fail(start, f"expected {refusal!r}, found {error!r}")
    done, _ = verified(bytes_of(header))
    if done.returncode != 0:
        report.fail(start, f"is refused: {done.stderr!r}")
report.finish()
