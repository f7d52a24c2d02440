"""The files of a recording, as the C++ recorder writes them: docs/recording.md has the bytes.

Data are written first, then the frame in the journal that says they are there, then, when a segment is
sealed, its header and columns: a process may die at any moment and loses the record that it was writing.
"""

import contextlib
import dataclasses
import errno
import functools
import json
import os
import pathlib
import struct

import numpy as np
import xxhash

JOURNAL_MAGIC = b"SSJRNL"
JOURNAL_VERSION = 2
JOURNAL_HEAD = struct.Struct("<6sHQQQ")
FRAME_MAGIC = b"\xf5SSFRAM\xfa"
#: In the order of the C++ library's DType, which frames number.
DTYPES = (
    "BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16"
    " I32 U32 F32 C64 F64 I64 U64"
).split()
ALIGNMENT = {"I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4, "U32": 4, "F32": 4, "C64": 4}
ALIGNMENT |= {"F64": 8, "I64": 8, "U64": 8}

#: What is said of each record beside its value, in the order of the bytes: the dtypes of the format and NumPy.
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
#: In the order of their numbers in the column and in frames.
KEPT = ("full", "slice", "statistics")
#: The row of a record that is all of its value.
NO_ROW = -1
#: A frame that holds any value; the other form is that of tensors alone, which is shorter.
STRUCTURE = 0

PAGE = 4096
METADATA_ROOM = 16 << 10
LARGEST_ROOM = 16 << 20
#: The format's own bound: nobody opens a file with more.
LARGEST_HEADER = 100_000_000
#: Readers take one of at most 100 MB.
LARGEST_JOURNAL = 64 << 20
#: What a frame takes beside its name and what the header says of it too.
FRAME_BOUND = 160
#: What the header has of a tensor beside its name, and of a gap in front of a record.
ENTRY_BOUND = 128
DIMENSION_BOUND = 21
GAP_BOUND = ENTRY_BOUND + DIMENSION_BOUND + 2 * len("gap.") + 40
#: What the list of names has of one beside itself.
NAME_BOUND = 64


def checksum(data):
    """The XXH3-64 of bytes."""
    return xxhash.xxh3_64_intdigest(data)


def in_pages(size):
    """The next multiple of a page."""
    return (size + PAGE - 1) // PAGE * PAGE


def text(data):
    """JSON as the schema has it: ASCII."""
    return json.dumps(data)


def string_node(value):
    """The node of a text."""
    return {"data_type": "str", "value": value}


def with_length(value):
    """A text as frames have it."""
    value = value.encode()
    return struct.pack("<I", len(value)) + value


@contextlib.contextmanager
def naming(path):
    """What the system refuses inside names the file, which calls that take its number alone leave out."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise  # Of a signal's handler, such as a TimeoutError: no file is at fault.
        said = f"{error.strerror}. The records before are kept: mend this, and record into another folder"
        raise OSError(error.errno, said, str(path)) from error


def write_all(file, offset, data):
    """Writes at an offset until all is written. Raises OSError."""
    data = memoryview(data)
    while data:
        count = os.pwrite(file, data, offset)
        offset += count
        data = data[count:]


@dataclasses.dataclass
class Prepared:
    """A record that is ready to be written."""

    sequence: int
    step: int
    call: int
    time: int
    name: str
    thread: int
    node: str  # Of its value, as the schema has it.
    tensors: list

    @functools.cached_property
    def size(self):
        """Bytes of its tensors."""
        return sum(len(tensor.data) for tensor in self.tensors)

    @functools.cached_property
    def cost(self):
        """Bytes in front of the data that it takes at most, beside its name."""
        bound = COLUMNS_SIZE + GAP_BOUND + len(text(self.node))
        for tensor in self.tensors:
            # In the header, and among the checksums, where it is JSON inside JSON.
            bound += len(text(tensor.name)) + len(text(text(tensor.name)))
            bound += ENTRY_BOUND + DIMENSION_BOUND * len(tensor.shape)
        return bound

    @functools.cached_property
    def cost_of_name(self):
        """The same of its name, which a segment has once."""
        return NAME_BOUND + len(text(text(self.name)))

    def check_size(self):
        """Raises ValueError where even a segment of its own would have too large a header."""
        needed = self.cost + self.cost_of_name + METADATA_ROOM
        if needed > LARGEST_HEADER:
            raise ValueError(
                f"the record {self.name[:100]!r} needs a header of {needed} bytes, but a segment has at most"
                f" {LARGEST_HEADER}. Record an array in place of a long list or text."
            )


@dataclasses.dataclass(frozen=True)
class Row:
    """A record that a segment has, and where the segment ends behind it."""

    record: Prepared
    tensors: list  # (name, dtype, shape, begin, end, checksum), behind the columns, a gap's among them.
    size: int  # Of the data.
    bound: int  # What header and columns take at most.
    journal_size: int


class Segment:
    """A segment that is being written.

    An interrupt, which may come between any two steps, costs the record that is being written and no other:
    what the segment has is `_rows`, to which a record is added in one step, and all else is said of these.
    """

    _part = _journal = None

    def __init__(self, folder, number, room, first):
        """`room` is what header and columns may take, in pages; `first` is the sequence of its first record."""
        stem = pathlib.Path(folder) / f"segment-{number:06}"
        self.number = number
        self.room = room
        self.first = first
        self.is_sealing = False
        self._sealed = stem.with_suffix(".safetensors")
        self._part_path = stem.with_suffix(".part")
        self._journal_path = stem.with_suffix(".journal")
        self._rows = []
        self._names = set()
        self._own = set()  # Its files, or those that it was about to make.
        self._has_begun = False
        self._is_writing = False
        self._has_front = False

    @property
    def records(self):
        """How many it has."""
        return len(self._rows)

    @property
    def size(self):
        """Bytes of the data."""
        return self._rows[-1].size if self._rows else 0

    @property
    def bound(self):
        """What header and columns take at most."""
        return self._rows[-1].bound if self._rows else METADATA_ROOM

    @property
    def _journal_size(self):
        return self._rows[-1].journal_size if self._rows else JOURNAL_HEAD.size + 8

    def _create(self, path):
        """Makes a file; once more where an interrupt came between. Raises FileExistsError for somebody else's."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if path in self._own else os.O_EXCL)
        self._own.add(path)
        with naming(path):
            try:
                return os.open(path, flags, 0o666)
            except FileExistsError:
                self._own.discard(path)
                raise

    def _begin(self):
        """Makes its files. Raises FileExistsError where somebody else's have their names."""
        self.abandon()
        with naming(self._sealed):
            if self._sealed.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        # The journal first: data without one could not be told apart.
        head = JOURNAL_HEAD.pack(JOURNAL_MAGIC, JOURNAL_VERSION, self.number, self.room, 1)
        self._journal = self._create(self._journal_path)
        with naming(self._journal_path):
            write_all(self._journal, 0, head + struct.pack("<Q", checksum(head)))
        self._part = self._create(self._part_path)
        if hasattr(os, "posix_fallocate"):
            with naming(self._part_path):
                # So that a disk that fills up later has room for the header.
                os.posix_fallocate(self._part, 0, self.room)
        self._has_begun = True

    def _cost(self, record):
        return record.cost + (0 if record.name in self._names else record.cost_of_name)

    def fits(self, record):
        """Whether header and journal have room for one more."""
        cost = self._cost(record)
        in_journal = FRAME_BOUND + len(record.name.encode()) + cost
        return self.bound + cost <= self.room and self._journal_size + in_journal <= LARGEST_JOURNAL

    def add(self, record):
        """Writes a record: its tensors, then its frame."""
        if not self._has_begun:
            self._begin()
        size, journal_size = self.size, self._journal_size
        if self._is_writing:
            # Of a frame that an interrupt cut off the end would be read behind a shorter one.
            os.ftruncate(self._journal, journal_size)
        self._is_writing = True
        tensors = sorted(record.tensors, key=lambda tensor: -ALIGNMENT.get(tensor.dtype, 1))
        alignment = ALIGNMENT.get(tensors[0].dtype, 1) if record.size else 1
        begin = (size + alignment - 1) // alignment * alignment
        gap = bytes(begin - size)
        placed = []
        end = begin
        with naming(self._part_path):
            write_all(self._part, self.room + size, gap)
            for tensor in tensors:
                write_all(self._part, self.room + end, tensor.data)
                begun, end = end, end + len(tensor.data)
                placed.append((tensor.name, tensor.dtype, tensor.shape, begun, end, checksum(tensor.data)))
        frame = self._frame(record, begin, end, placed)
        with naming(self._journal_path):
            write_all(self._journal, journal_size, frame)
        if gap:
            placed.append((f"gap.{size}", "U8", (len(gap),), size, begin, checksum(gap)))
        record.tensors = None  # Their bytes are in the file.
        self._rows.append(Row(record, placed, end, self.bound + self._cost(record), journal_size + len(frame)))
        self._names.add(record.name)
        self._is_writing = False

    @staticmethod
    def _frame(record, begin, end, placed):
        content = [
            struct.pack("<QqQqI", record.sequence, record.step, record.call, record.time, record.thread),
            struct.pack("<BBQQ", KEPT.index("full"), STRUCTURE, begin, end),
            with_length(record.name),
            with_length(record.node),
            struct.pack("<I", len(placed)),
        ]
        for name, dtype, shape, _, tensor_end, known in placed:
            content += [
                with_length(name),
                struct.pack(f"<BB{len(shape)}Q", DTYPES.index(dtype), len(shape), *shape),
                struct.pack("<QQ", tensor_end, known),
            ]
        content = b"".join(content)
        known = xxhash.xxh3_64_intdigest(content, seed=len(content))
        return FRAME_MAGIC + struct.pack("<QQ", len(content), known) + content

    def _stored_columns(self, names):
        """The columns' bytes, and room that is left, up to a multiple of 8, and their tensors."""
        records = [row.record for row in self._rows]
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
        # Blanks in the header would be read.
        unused = max(self.room - self.bound, 0)
        if gap := bytes(unused + -(len(data) + unused) % 8):
            tensors.append(("gap.columns", "U8", (len(gap),), len(data), len(data) + len(gap), checksum(gap)))
        return data + gap, tensors

    def _schema(self, names):
        # The values' nodes are text already.
        fields = {"names": '{"data_type": "list", "value": ' + text([string_node(name) for name in names]) + "}"}
        fields |= {name: text({"data_type": "numpy.ndarray", "value": name}) for name in COLUMNS}
        fields["values"] = '{"data_type": "list", "value": [' + ", ".join(row.record.node for row in self._rows) + "]}"
        inside = ", ".join(f'"{name}": {node}' for name, node in fields.items())
        return '{"data_type": "SafestructuresDataclass", "value": {' + inside + '}, "class": "Segment"}'

    def _front(self, about):
        """What is in front of the data: the length, the header, blanks, the columns, room that is left."""
        names = {}  # Of each its place.
        for row in self._rows:
            names.setdefault(row.record.name, len(names))
        schema = self._schema(names)
        columns, column_tensors = self._stored_columns(names)
        metadata = {"_safestructures_schema_": schema, "_safestructures_schema_version_": "1.0.0"}
        if about:
            metadata["safestructures_recording"] = about
        stored = column_tensors + [
            (name, dtype, shape, len(columns) + begin, len(columns) + end, known)
            for row in self._rows
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
        size = self.room - 8 - len(columns)
        if len(header) > size and about:
            return self._front(None)
        if len(header) > size:
            raise ValueError(f"the header of a segment needs {len(header)} bytes, but has room for {size}")
        return struct.pack("<Q", size) + header.ljust(size) + columns

    def seal(self, about, even_empty=False):
        """Writes header and columns and gives the file its name; removes one without a record, unless told.

        Called again after an interrupt it goes on where that came; until then no record may be added.
        """
        self.is_sealing = True
        if not self._rows and not even_empty:
            self.abandon()
            for path in self._own:
                path.unlink(missing_ok=True)
            return
        if not self._has_begun:
            self._begin()
        with naming(self._part_path):
            if not self._has_front:
                write_all(self._part, 0, self._front(about))
                # What a failure left behind the last record that is whole.
                os.ftruncate(self._part, self.room + self.size)
                self._has_front = True
            self.abandon()
            if self._part_path.exists():
                self._part_path.rename(self._sealed)
        self._journal_path.unlink(missing_ok=True)

    def __del__(self):
        self.abandon()

    def abandon(self, close=os.close):
        """Closes the files as they are: the journal says what is whole.

        `close` is at hand where `os` is gone, at the end of a program that did not close its recorder.
        """
        files = (self._part, self._journal)
        self._part = self._journal = None
        for file in files:
            if file is not None:
                close(file)
