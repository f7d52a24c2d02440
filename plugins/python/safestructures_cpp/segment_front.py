"""What precedes the data of a sealed segment: its header, with schema and checksums, and the columns of its records."""

import json
import struct

import numpy as np
import xxhash

#: The columns: what is stored of each record next to its value, in file order, with the format's and NumPy's dtypes.
COLUMNS = {
    "sequence": ("U64", "<u8"),
    "step": ("I64", "<i8"),
    "call": ("U64", "<u8"),
    "time": ("I64", "<i8"),
    "name": ("U32", "<u4"),
    "thread": ("U32", "<u4"),
    "value": ("U32", "<u4"),
    "row": ("I32", "<i4"),
    "kept": ("U8", "u1"),
}
COLUMNS_SIZE = sum(np.dtype(kind).itemsize for _, kind in COLUMNS.values())
#: The values of `kept`, in the order of their numbers in the column and in frames.
KEPT = ("full", "slice", "statistics")
#: The row of a record that has a whole value, not a row of one.
NO_ROW = -1


def checksum(data):
    """Returns the XXH3-64 of bytes."""
    return xxhash.xxh3_64_intdigest(data)


def text(data):
    """Returns the value as JSON in ASCII, as in the schema."""
    return json.dumps(data)


def string_node(value):
    """Returns the node of a text."""
    return {"data_type": "str", "value": value}


def stored_columns(records, names, unused):
    """Returns the bytes of the columns, padded with the unused room to a multiple of 8, and their tensors.

    `names` has the position of each name, `unused` is the number of bytes that nothing else needs.
    """
    columns = {key: [getattr(one, key) for one in records] for key in ("sequence", "step", "call", "time", "thread")}
    columns["name"] = [names[one.name] for one in records]
    columns["value"] = range(len(records))
    columns["row"] = [NO_ROW] * len(records)
    columns["kept"] = [KEPT.index("full")] * len(records)
    data = b""
    tensors = []
    for name, (dtype, kind) in COLUMNS.items():
        column = np.array(columns[name], kind).tobytes()
        tensors.append((name, dtype, (len(records),), len(data), len(data) + len(column), checksum(column)))
        data += column
    # As a tensor, because readers would have to read blanks in the header.
    if gap := bytes(unused + -(len(data) + unused) % 8):
        tensors.append(("gap.columns", "U8", (len(gap),), len(data), len(data) + len(gap), checksum(gap)))
    return data + gap, tensors


def schema_of(records, names):
    """Returns the schema of a segment. The values' nodes are text already."""
    fields = {"names": '{"data_type": "list", "value": ' + text([string_node(name) for name in names]) + "}"}
    fields |= {name: text({"data_type": "numpy.ndarray", "value": name}) for name in COLUMNS}
    fields["values"] = '{"data_type": "list", "value": [' + ", ".join(one.node for one in records) + "]}"
    inside = ", ".join(f'"{name}": {node}' for name, node in fields.items())
    return '{"data_type": "SafestructuresDataclass", "value": {' + inside + '}, "class": "Segment"}'


def front(rows, room, bound, about):
    """Returns everything before the data, `room` bytes: length, header, blanks, columns, unused room.

    `bound` is the most bytes that header and columns take; `about` is text on the recording.
    """
    records = [row.record for row in rows]
    names = {}  # The position of each name.
    for one in records:
        names.setdefault(one.name, len(names))
    schema = schema_of(records, names)
    columns, column_tensors = stored_columns(records, names, max(room - bound, 0))
    metadata = {
        "_safestructures_schema_": schema,
        "_safestructures_schema_version_": "1.0.0",
        "safestructures_recording": about,
    }
    stored = column_tensors + [
        (name, dtype, shape, len(columns) + begin, len(columns) + end, known)
        for row in rows
        for name, dtype, shape, begin, end, known in row.tensors
    ]
    tensors = sorted(stored, key=lambda tensor: tensor[0].encode())
    lines = "".join(f"\n{name} {dtype} {list(shape)}" for name, dtype, shape, *_ in tensors)
    checksums = {
        "algorithm": "XXH3-64",
        "schema": f"{checksum((schema + lines).encode()):016x}",
        "metadata": {
            key: f"{checksum(value.encode()):016x}"
            for key, value in sorted(metadata.items())
            if key != "_safestructures_schema_"
        },
        "tensors": {tensor[0]: f"{tensor[5]:016x}" for tensor in tensors},
    }
    metadata["_safestructures_checksums_"] = json.dumps(checksums, separators=(",", ":"))
    entries = {
        name: {"dtype": dtype, "shape": shape, "data_offsets": (begin, end)}
        for name, dtype, shape, begin, end, _ in stored
    }
    header = json.dumps({"__metadata__": metadata, **entries}, separators=(",", ":")).encode()
    size = room - 8 - len(columns)
    if len(header) > size:
        raise ValueError(f"the header of a segment needs {len(header)} bytes, but has room for {size}")
    return struct.pack("<Q", size) + header.ljust(size) + columns
