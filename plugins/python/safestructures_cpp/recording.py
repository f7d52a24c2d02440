"""Reads recordings record by record, this package's and those of the C++ library's ActivationRecorder."""

import dataclasses
import json
import pathlib
import re
import sys
import warnings

import numpy as np
from safestructures.constants import SCHEMA_FIELD, Mode
from safestructures.serializer import Serializer
from safetensors import SafetensorError, safe_open

from safestructures_cpp import PLUGINS, order, segments, small_floats

#: Levels of JSON that the C++ library reads by default, two for each of a value.
MOST_LEVELS_OF_JSON = 1004

SEALED = re.compile(r"segment-(\d{6,})\.safetensors")


class SegmentSerializer(Serializer):
    """Knows the types that have a processor by their names; the package imports the modules that a file names."""

    def __init__(self, tensors):
        super().__init__(plugins=PLUGINS)
        self.mode = Mode.LOAD
        self.tensors = tensors
        self._types = {processor(self).schema_type: known for known, processor in self.process_map.items()}

    def _get_data_type(self, type_str):
        try:
            return self._types[type_str]
        except KeyError:
            raise ValueError(f"nothing is known of the type {type_str[:100]!r}") from None


@dataclasses.dataclass(frozen=True, eq=False)  # Whether arrays are equal has no one answer.
class Record:
    """One record of a recording."""

    name: str  # With the names of its scopes in front.
    step: int
    call: int  # How many of its name came before it.
    thread: int
    sequence: int  # Its place among all records.
    time: int  # When it was recorded, in nanoseconds since 1970, UTC.
    kept: str  # How much of it: "full", "slice" or "statistics".
    value: object


def records(path):
    """Gives the records of a recording, in the order of their calls.

    path: the folder that the recorder was given, or one of its files, a sealed segment.

    A segment is read as a whole, when its first record is asked for. Small tensors may share one in the
    file: such a value is a view of it.

    Segments that are not sealed are not read: one that is being written, and what a recorder that died
    has left, which the command `safestructures recover` seals.

    Warns of segments that are missing, are others than their names say or lie behind the one that closed the
    recording, as `safestructures verify` does; records that are no later than those before are left out.

    Raises FileNotFoundError for what is no recording; what is returned raises ValueError, which names the
    file, for one that is no segment or of another layout, and the record too where its value is deeper than
    Python's recursion goes.
    """
    path = pathlib.Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such folder or file")
    return records_in(path, sealed_segments(path)) if path.is_dir() else records_of_file(path)


def records_of_file(file):
    """The records of one segment, read when the first is asked for."""
    yield from records_of(read_root(file)[0])


def records_in(folder, files):
    """The records of all segments of a folder. files: (number, file)"""
    so_far = order.Order()
    for number, file in files:
        root, about = read_root(file)
        faults, taken = so_far.add(number, file, about, root.sequence.tolist())
        for fault in faults:
            warnings.warn(f"{folder}: {fault}", stacklevel=2)
        yield from records_of(root, taken)


def sealed_segments(folder):
    """The sealed files of a folder, each with its number, in their order. Raises FileNotFoundError."""
    names = [path.name for path in folder.iterdir()]
    if "recording.lock" not in names and not any(name.startswith("segment-") for name in names):
        raise FileNotFoundError(
            f"{folder}: the folder is no recording: expected segment-000001.safetensors or recording.lock."
            " Name the folder that the recorder was given."
        )
    sealed = [match for match in map(SEALED.fullmatch, names) if match]
    return sorted((int(match[1]), folder / match[0]) for match in sealed)


def records_of(root, skipped=0):
    """The records of what a segment holds, but so many of the first."""
    columns = {name: getattr(root, name)[skipped:].tolist() for name in segments.COLUMNS}
    for said in zip(*columns.values()):
        said = dict(zip(columns, said))
        value = root.values[said["value"]]
        row = said.pop("row")
        if row != segments.NO_ROW:
            value = value[row, ...]  # A view of tensors of one dimension too, not a scalar.
        yield Record(**{**said, "name": root.names[said["name"]], "kept": segments.KEPT[said["kept"]], "value": value})


def read_root(file):
    """What a segment holds (names, columns and values, which agree) and what it says of itself.

    Raises ValueError, which names the file.
    """
    try:
        with safe_open(file, "np") as opened:
            metadata = opened.metadata() or {}
            if SCHEMA_FIELD not in metadata:
                raise no_segment(file, "it has no schema")
            check_version(file, order.about_of(metadata).get("version"))
            tensors = tensors_of(file, opened)
    except SafetensorError as error:
        raise no_segment(file, error) from error
    try:
        root = SegmentSerializer(tensors).deserialize(json.loads(metadata[SCHEMA_FIELD]))
    except RecursionError:
        record = deepest_record(metadata[SCHEMA_FIELD], tensors)
        raise ValueError(
            f"{file}: {record} is too deep for Python's recursion limit of {sys.getrecursionlimit()}. Call"
            " sys.setrecursionlimit(10000) before, or read it by `safestructures get` or in C++."
        ) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # What processors raise for nodes that are none.
        said = str(error) if isinstance(error, ValueError) else f"its schema has a node that is none ({error!r})"
        raise no_segment(file, said) from error
    for name in ("names", "values"):
        if not isinstance(getattr(root, name, None), list):
            raise no_segment(file, f"it has no list of {name}")
    if not all(isinstance(name, str) for name in root.names):
        raise no_segment(file, "its list of names holds what is no text")
    size = None
    for name, (_, kind) in segments.COLUMNS.items():
        column = getattr(root, name, None)
        if not isinstance(column, np.ndarray) or column.dtype != kind or column.ndim != 1:
            raise no_segment(file, f"it has no column {name}")
        if size is not None and len(column) != size:
            raise no_segment(file, f"its column {name} has {len(column)} numbers, not {size}")
        size = len(column)
    check_places(file, root)
    return root, order.about_of(metadata)


def deepest_record(schema, tensors):
    """Says which record of a segment has the deepest value, where it is a segment."""
    limit = sys.getrecursionlimit()
    # Of the JSON of what C++ writes, not of the values, whose levels take many frames of Python each.
    sys.setrecursionlimit(limit + MOST_LEVELS_OF_JSON)
    try:
        fields = json.loads(schema)["value"]
        depths = [levels(node) for node in fields["values"]["value"]]
        row = tensors["value"].tolist().index(depths.index(max(depths)))
        name = fields["names"]["value"][tensors["name"][row]]["value"]
        return f"the record {name[:100]!r} (sequence {tensors['sequence'][row]})"
    except (RecursionError, LookupError, TypeError, ValueError, AttributeError):
        return "what it holds"
    finally:
        sys.setrecursionlimit(limit)


def levels(node):
    """The levels of JSON, counted without recursion."""
    count = 0
    layer = [node]
    while layer:
        layer = [part for one in layer for part in parts(one)]
        count += 1
    return count


def parts(json_value):
    """What an object or an array of JSON holds; nothing of others."""
    if isinstance(json_value, dict):
        return json_value.values()
    return json_value if isinstance(json_value, list) else ()


def tensors_of(file, opened):
    """The arrays of all tensors, those of small floats too, which the package refuses. Raises ValueError."""
    dtypes = {name: opened.get_slice(name).get_dtype() for name in opened.keys()}
    small = [name for name, dtype in dtypes.items() if dtype in small_floats.NAMES]
    arrays = small_floats.load(file, small) if small else {}
    return {name: arrays[name] if name in arrays else opened.get_tensor(name) for name in dtypes}


def check_places(file, root):
    """Raises ValueError where a column has a number of what is not there."""
    for name, size in (("name", len(root.names)), ("value", len(root.values)), ("kept", len(segments.KEPT))):
        column = getattr(root, name)
        if np.any(column >= size):
            raise no_segment(file, f"its column {name} has {column.max()}, of {size}")
    for value, row in zip(root.value.tolist(), root.row.tolist()):
        rows = root.values[value]
        has_rows = isinstance(rows, np.ndarray) and rows.ndim > 0
        if row != segments.NO_ROW and not (has_rows and 0 <= row < len(rows)):
            raise no_segment(file, f"its column row has {row}, which its value {value} has not")


def check_version(file, version):
    """Raises ValueError for another layout, which may mean something else by the same names."""
    # What no number says is another writer's.
    if type(version) is not int or version == order.LAYOUT_VERSION:
        return
    other = "the safestructures that recorded it" if version < order.LAYOUT_VERSION else "a newer safestructures"
    raise ValueError(
        f"{file}: the segment of a recording has a layout that is not known here: expected version"
        f" {order.LAYOUT_VERSION}, found {version}. Read the recording with {other}, or this file alone as the"
        " structure that it is."
    )


def no_segment(file, why):
    """The error for a file that is no segment."""
    return ValueError(f"{file}: the file is no sealed segment of a recording: {why}")
