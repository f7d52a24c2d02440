"""Writes the files of a recording, as the C++ recorder does; docs/recording.md describes the bytes.

The data are written first, then the frame in the journal that describes them and, when a segment is sealed,
its header and columns: a process may die at any moment and loses only the record that it was writing.
"""

import contextlib
import dataclasses
import errno
import os
import pathlib
import struct

import xxhash

from safestructures_cpp.segment_front import COLUMNS_SIZE, KEPT, checksum, front, text

JOURNAL_MAGIC = b"SSJRNL"
JOURNAL_VERSION = 2
JOURNAL_HEAD = struct.Struct("<6sHQQQ")
FRAME_MAGIC = b"\xf5SSFRAM\xfa"
#: In the order of the C++ library's DType, whose numbers appear in frames.
DTYPES_IN_ORDER = (
    "BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16"
    " I32 U32 F32 C64 F64 I64 U64"
).split()
ALIGNMENT = {"I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4, "U32": 4, "F32": 4, "C64": 4}
ALIGNMENT |= {"F64": 8, "I64": 8, "U64": 8}

#: The form of frames that can hold any value; the other, shorter one is for values that are just a tensor.
STRUCTURE = 0

PAGE = 4096
METADATA_ROOM = 16 << 10
LARGEST_ROOM = 16 << 20
#: The format's own limit: no reader opens a file with a larger header.
LARGEST_HEADER = 100_000_000
#: Readers accept at most 100 MB.
LARGEST_JOURNAL = 64 << 20
#: The most bytes of a frame in addition to its name and what the header holds as well.
FRAME_BOUND = 160
#: The most bytes in the header for a tensor in addition to its name, for a dimension, and for a gap before a record.
ENTRY_BOUND = 128
DIMENSION_BOUND = 21
GAP_BOUND = ENTRY_BOUND + DIMENSION_BOUND + 2 * len("gap.") + 40
#: The most bytes in the list of names for each name in addition to the name itself.
NAME_BOUND = 64
#: Errors of systems and file systems that can reserve no room, which C++ does without as well.
RESERVES_NOTHING = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.ENODEV, errno.EPERM)


def in_pages(size):
    """Rounds a size up to a multiple of a page."""
    return (size + PAGE - 1) // PAGE * PAGE


def size_in_text(data):
    """Returns the length of `text(data)` of JSON, without making it."""
    return len(data) + len('""') + data.count('"') + data.count("\\")


def with_length(value):
    """Returns a text as stored in frames: its length and its UTF-8."""
    value = value.encode()
    return struct.pack("<I", len(value)) + value


@contextlib.contextmanager
def naming(path):
    """Adds the file's name to system errors raised inside; calls that take only a file descriptor leave it out."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise  # From a signal handler, such as a TimeoutError: no file is at fault.
        said = f"{error.strerror}. The earlier records are kept: fix this, and record into another folder"
        raise OSError(error.errno, said, str(path)) from error


def write_all(file, offset, data):
    """Writes all data at an offset. Raises OSError."""
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
    node: str  # The node of its value, as text for the schema.
    tensors: list
    size: int = 0  # The number of bytes of its tensors.
    cost: int = 0  # The most bytes that it takes in front of the data, not counting its name.
    cost_of_name: int = 0  # The most bytes that its name takes there, once per segment.

    def __post_init__(self):
        self.size = sum(len(tensor.data) for tensor in self.tensors)
        self.cost = COLUMNS_SIZE + GAP_BOUND + size_in_text(self.node)
        for tensor in self.tensors:
            # In the header, and among the checksums, where it is JSON inside JSON.
            name = text(tensor.name)
            self.cost += len(name) + size_in_text(name) + ENTRY_BOUND + DIMENSION_BOUND * len(tensor.shape)
        self.cost_of_name = NAME_BOUND + size_in_text(text(self.name))

    def check_size(self):
        """Raises ValueError if its header would be too large even in a segment of its own."""
        needed = self.cost + self.cost_of_name + METADATA_ROOM
        if needed > LARGEST_HEADER:
            raise ValueError(
                f"the record {self.name[:100]!r} needs a header of {needed} bytes, but a segment has at most"
                f" {LARGEST_HEADER}. Record an array in place of a long list or text."
            )


@dataclasses.dataclass(frozen=True)
class Row:
    """A record in a segment, and the sizes of the segment up to and including it."""

    record: Prepared
    tensors: list  # (name, dtype, shape, begin, end, checksum), offsets relative to the data; includes the gap.
    size: int  # The size of the data.
    bound: int  # The most bytes that header and columns take.
    journal_size: int


class Segment:
    """A segment that is being written.

    An interrupt, which may come between any two steps, costs only the record that is being written: `_rows`
    defines the contents of the segment, a record is added to it in a single step, and all else derives from it.
    """

    _part = _journal = None

    def __init__(self, folder, number, room, first):
        """`room` is the bytes for header and columns, whole pages; `first` the sequence of its first record."""
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
        self._own = set()  # The files that it created or was about to create.
        self._has_begun = False
        self._is_writing = False
        self._has_front = False

    @property
    def records(self):
        """The number of records in it."""
        return len(self._rows)

    @property
    def size(self):
        """The number of bytes of the data."""
        return self._rows[-1].size if self._rows else 0

    @property
    def bound(self):
        """The most bytes that header and columns take."""
        return self._rows[-1].bound if self._rows else METADATA_ROOM

    @property
    def _journal_size(self):
        return self._rows[-1].journal_size if self._rows else JOURNAL_HEAD.size + 8

    def _create(self, path):
        """Creates a file, or again after an interrupt. Raises FileExistsError if the file is someone else's."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if path in self._own else os.O_EXCL)
        self._own.add(path)
        with naming(path):
            try:
                return os.open(path, flags, 0o666)
            except FileExistsError:
                self._own.discard(path)
                raise

    def _begin(self):
        """Creates its files. Raises FileExistsError if files of those names exist that are not its own."""
        self.abandon()
        with naming(self._sealed):
            if self._sealed.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        # The journal first: without it, the data could not be interpreted.
        head = JOURNAL_HEAD.pack(JOURNAL_MAGIC, JOURNAL_VERSION, self.number, self.room, 1)
        self._journal = self._create(self._journal_path)
        with naming(self._journal_path):
            write_all(self._journal, 0, head + struct.pack("<Q", checksum(head)))
        self._part = self._create(self._part_path)
        if hasattr(os, "posix_fallocate"):
            with naming(self._part_path):
                # Reserves room for the header, in case the disk fills up later.
                try:
                    os.posix_fallocate(self._part, 0, self.room)
                except OSError as error:
                    if error.errno not in RESERVES_NOTHING:
                        raise
        self._has_begun = True

    def _cost(self, record):
        return record.cost + (0 if record.name in self._names else record.cost_of_name)

    def fits(self, record):
        """Whether header and journal have room for the record."""
        cost = self._cost(record)
        in_journal = FRAME_BOUND + len(record.name.encode()) + cost
        return self.bound + cost <= self.room and self._journal_size + in_journal <= LARGEST_JOURNAL

    def add(self, record):
        """Writes a record: its tensors, then its frame."""
        if not self._has_begun:
            self._begin()
        size, journal_size = self.size, self._journal_size
        if self._is_writing:
            # The rest of an interrupted frame would otherwise be read after a shorter one.
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
        record.tensors = None  # Their bytes are in the file now.
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
                struct.pack(f"<BB{len(shape)}Q", DTYPES_IN_ORDER.index(dtype), len(shape), *shape),
                struct.pack("<QQ", tensor_end, known),
            ]
        content = b"".join(content)
        known = xxhash.xxh3_64_intdigest(content, seed=len(content))
        return FRAME_MAGIC + struct.pack("<QQ", len(content), known) + content

    def seal(self, about, even_empty=False):
        """Writes header and columns and renames the file; removes a file without records unless `even_empty`.

        If it is called again after an interrupt, it continues from there; no records may be added in between.
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
                write_all(self._part, 0, front(self._rows, self.room, self.bound, about))
                # Cuts off what a failure left after the last complete record.
                os.ftruncate(self._part, self.room + self.size)
                self._has_front = True
            self.abandon()
        # It may have been renamed before an interrupt.
        if self._part_path.exists() or not self._sealed.exists():
            self._rename()
        self._journal_path.unlink(missing_ok=True)

    def _rename(self):
        try:
            with naming(self._part_path):
                self._part_path.rename(self._sealed)
        except FileNotFoundError as error:
            said = "the file is gone: it or its folder was removed or renamed while it was written. Leave the folder"
            said += " alone until the recorder is closed"
            raise FileNotFoundError(error.errno, said, str(self._part_path)) from error

    def __del__(self):
        self.abandon()

    def abandon(self, close=os.close):
        """Closes the files as they are; the journal tells which records are complete.

        `close` is bound early: at the exit of a program that did not close its recorder, `os` may be gone.
        """
        files = (self._part, self._journal)
        self._part = self._journal = None
        for file in files:
            if file is not None:
                close(file)
