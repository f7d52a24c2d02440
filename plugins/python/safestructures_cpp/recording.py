"""Reads recordings of this package and of the C++ library's ActivationRecorder, record by record."""

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

from safestructures_cpp import PLUGINS, order, segment_front, small_floats

#: The number of JSON levels that the C++ library reads by default: two for each level of a value.
MOST_LEVELS_OF_JSON = 1004

# As the C++ library writes the names of a segment's files: others belong to someone else.
SEGMENT = re.compile(r"segment-([0-9]{6}|[1-9][0-9]{6,})\.(safetensors|part|journal)")
LARGEST_SEGMENT = 1 << 48

#: Types that the C++ library reads as tensors and writes again, whether Python has the framework or not.
TENSORS = (
    "torch.Tensor",
    "torch.nn.parameter.Parameter",
    "tensorflow.python.framework.ops.EagerTensor",
    "jaxlib.xla_extension.ArrayImpl",
    "jaxlib._jax.ArrayImpl",
    "jax._src.array.ArrayImpl",
    "jaxlib.xla_extension.DeviceArray",
    "jaxlib.xla_extension.Array",
    "jax.Array",
    "paddle.Tensor",
    "mlx.core.array",
)
#: What NumPy 2 and earlier versions call its truth values.
TRUTH_VALUES = ("numpy.bool", "numpy.bool_")


class SegmentSerializer(Serializer):
    """Finds types by the names of their processors; the package itself imports the modules that a file names."""

    def __init__(self, tensors):
        super().__init__(plugins=PLUGINS)
        self.mode = Mode.LOAD
        self.tensors = tensors
        self._types = dict.fromkeys(TENSORS, np.ndarray) | dict.fromkeys(TRUTH_VALUES, np.bool_)
        self._types |= {processor(self).schema_type: known for known, processor in self.process_map.items()}

    def _get_data_type(self, type_str):
        try:
            return self._types[type_str]
        except KeyError:
            raise ValueError(f"the type {type_str[:100]!r} is unknown") from None


@dataclasses.dataclass(frozen=True, eq=False)  # No `==`: comparing arrays gives arrays.
class Record:
    """One record of a recording."""

    name: str  # Including the names of its scopes.
    step: int
    call: int  # The number of earlier calls with the same name.
    thread: int
    sequence: int  # Its place among all records.
    time: int  # When it was recorded, in nanoseconds since 1970, UTC.
    kept: str  # How much of it: "full", "slice" or "statistics".
    value: object


def records(path):
    """Yields the records of a recording, in the order of their calls.

    path: the folder that was passed to the recorder, or one of its files, a sealed segment.

    A segment is read whole when its first record is requested. Small tensors may share one tensor in the file;
    their values are views of it.

    Unsealed segments are not read: the one that is being written, and those that a recorder that died left
    behind, which the command `safestructures recover` seals.

    Warns, as `safestructures verify` does, of segments that are missing, that are not those that their names say,
    or that come after the one that closed the recording; skips records that are no later than earlier ones.

    Raises FileNotFoundError if there is no recording. The iterator raises ValueError, which names the file, if
    the file is no segment or has another layout; if a value is too deep for Python's recursion limit, the error
    names the record, too.
    """
    path = pathlib.Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such folder or file")
    return records_in(path, sealed_segments(path)) if path.is_dir() else records_of_file(path)


def records_of_file(file):
    """Yields the records of one segment, which is read when the first one is requested."""
    yield from records_of(read_root(file)[0])


def records_in(folder, files):
    """Yields the records of all segments of a folder. files: a list of (number, file)"""
    so_far = order.Order()
    for number, file in files:
        root, about = read_root(file)
        faults, taken = so_far.add(number, file, about, root.sequence.tolist())
        for fault in faults:
            warnings.warn(f"{folder}: {fault}", stacklevel=2)
        yield from records_of(root, taken)


def sealed_segments(folder):
    """Returns (number, file) for the sealed segments of a folder, in order. Raises FileNotFoundError."""
    names = [path.name for path in folder.iterdir()]
    named = [match for match in map(SEGMENT.fullmatch, names) if match and 0 < int(match[1]) <= LARGEST_SEGMENT]
    if "recording.lock" not in names and not named:
        raise FileNotFoundError(
            f"{folder}: the folder is not a recording: expected segment-000001.safetensors or recording.lock."
            " Name the folder that the recorder was given."
        )
    return sorted((int(match[1]), folder / match[0]) for match in named if match[2] == "safetensors")


def records_of(root, skipped=0):
    """Yields the records of a segment's contents, except the first `skipped`."""
    columns = {name: getattr(root, name)[skipped:].tolist() for name in segment_front.COLUMNS}
    for said in zip(*columns.values()):
        said = dict(zip(columns, said))
        value = root.values[said["value"]]
        row = said.pop("row")
        if row != segment_front.NO_ROW:
            value = value[row, ...]  # The `...` gives a view, not a scalar, for tensors of one dimension, too.
        known = {"name": root.names[said["name"]], "kept": segment_front.KEPT[said["kept"]], "value": value}
        yield Record(**{**said, **known})


def read_root(file):
    """Returns the contents of a segment (names, columns and values, checked to agree) and its metadata.

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
            " sys.setrecursionlimit(10000) first, or read it with `safestructures get` or in C++."
        ) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # Errors that processors raise for invalid nodes.
        said = str(error) if isinstance(error, ValueError) else f"its schema has an invalid node ({error!r})"
        raise no_segment(file, said) from error
    for name in ("names", "values"):
        if not isinstance(getattr(root, name, None), list):
            raise no_segment(file, f"it has no list of {name}")
    if not all(isinstance(name, str) for name in root.names):
        raise no_segment(file, "its list of names holds something that is not a text")
    size = None
    for name, (_, kind) in segment_front.COLUMNS.items():
        column = getattr(root, name, None)
        if not isinstance(column, np.ndarray) or column.dtype != kind or column.ndim != 1:
            raise no_segment(file, f"it has no column {name}")
        if size is not None and len(column) != size:
            raise no_segment(file, f"its column {name} has {len(column)} numbers, not {size}")
        size = len(column)
    check_places(file, root)
    return root, order.about_of(metadata)


def deepest_record(schema, tensors):
    """Describes the record of a segment that has the deepest value, if it is a segment."""
    limit = sys.getrecursionlimit()
    # Enough for the JSON that C++ writes; the values would need many Python frames for each level.
    sys.setrecursionlimit(limit + MOST_LEVELS_OF_JSON)
    try:
        fields = json.loads(schema)["value"]
        depths = [levels(node) for node in fields["values"]["value"]]
        row = tensors["value"].tolist().index(depths.index(max(depths)))
        name = fields["names"]["value"][tensors["name"][row]]["value"]
        return f"the record {name[:100]!r} (sequence {tensors['sequence'][row]})"
    except (RecursionError, LookupError, TypeError, ValueError, AttributeError):
        return "its content"
    finally:
        sys.setrecursionlimit(limit)


def levels(node):
    """Returns the number of levels of a JSON value, without recursion."""
    count = 0
    layer = [node]
    while layer:
        layer = [part for one in layer for part in parts(one)]
        count += 1
    return count


def parts(json_value):
    """Returns the parts of a JSON object or array; none for other values."""
    if isinstance(json_value, dict):
        return json_value.values()
    return json_value if isinstance(json_value, list) else ()


def tensors_of(file, opened):
    """Returns all tensors as arrays, including small floats, which the package refuses. Raises ValueError."""
    dtypes = {name: opened.get_slice(name).get_dtype() for name in opened.keys()}
    small = [name for name, dtype in dtypes.items() if dtype in small_floats.NAMES]
    arrays = small_floats.load(file, small) if small else {}
    return {name: arrays[name] if name in arrays else opened.get_tensor(name) for name in dtypes}


def check_places(file, root):
    """Raises ValueError if a column refers to something that does not exist."""
    for name, size in (("name", len(root.names)), ("value", len(root.values)), ("kept", len(segment_front.KEPT))):
        column = getattr(root, name)
        if np.any(column >= size):
            raise no_segment(file, f"its column {name} has {column.max()}, not below {size}")
    for value, row in zip(root.value.tolist(), root.row.tolist()):
        rows = root.values[value]
        has_rows = isinstance(rows, np.ndarray) and rows.ndim > 0
        if row != segment_front.NO_ROW and not (has_rows and 0 <= row < len(rows)):
            raise no_segment(file, f"its column row has {row}, which its value {value} does not have")


def check_version(file, version):
    """Raises ValueError for another layout, in which the same names may have other meanings."""
    # If it is no number, another program wrote it.
    if type(version) is not int or version == order.LAYOUT_VERSION:
        return
    other = "the safestructures that recorded it" if version < order.LAYOUT_VERSION else "a newer safestructures"
    raise ValueError(
        f"{file}: the segment of a recording has an unknown layout: expected version"
        f" {order.LAYOUT_VERSION}, found {version}. Read the recording with {other}, or open this file"
        " alone as a structure."
    )


def no_segment(file, why):
    """Returns the error for a file that is no segment."""
    return ValueError(f"{file}: the file is not a sealed segment of a recording: {why}")
