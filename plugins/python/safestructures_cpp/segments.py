"""The files of a recording, as the C++ recorder writes them: docs/recording.md has the bytes.

Data are written first, then the frame in the journal that says they are there, then, when a segment is
sealed, its header: a process may die at any moment and loses the record that it was writing.
"""

import json
import os
import pathlib
import struct

import xxhash

JOURNAL_MAGIC = b"SSJRNL"
FRAME_MAGIC = b"\xf5SSFRAM\xfa"
#: In the order of the C++ library's DType, which frames number.
DTYPES = (
    "BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16"
    " I32 U32 F32 C64 F64 I64 U64"
).split()
ALIGNMENT = {"I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4, "U32": 4, "F32": 4, "C64": 4}
ALIGNMENT |= {"F64": 8, "I64": 8, "U64": 8}

PAGE = 4096
METADATA_ROOM = 16 << 10
LARGEST_ROOM = 16 << 20
#: What the header has of a tensor beside its name, and of a gap in front of a record.
ENTRY_BOUND = 128
DIMENSION_BOUND = 21
GAP_BOUND = ENTRY_BOUND + DIMENSION_BOUND + 2 * len("gap.") + 40


def checksum(data):
    """The XXH3-64 of bytes."""
    return xxhash.xxh3_64_intdigest(data)


def in_pages(size):
    """The next multiple of a page."""
    return (size + PAGE - 1) // PAGE * PAGE


def text(data):
    """JSON as the schema has it: ASCII."""
    return json.dumps(data)


def write_all(file, offset, data):
    """Writes at an offset until all is written. Raises OSError."""
    data = memoryview(data)
    while data:
        count = os.pwrite(file, data, offset)
        offset += count
        data = data[count:]


class Segment:
    """A segment that is being written."""

    def __init__(self, folder, number, room):
        """Begins its files; `room` is what the header may take, in pages."""
        stem = pathlib.Path(folder) / f"segment-{number:06}"
        self.number = number
        self.room = room
        self.size = 0  # Of the data.
        self.records = 0
        self.bound = METADATA_ROOM  # What the header takes at most.
        self._sealed = stem.with_suffix(".safetensors")
        self._part_path = stem.with_suffix(".part")
        self._journal_path = stem.with_suffix(".journal")
        self._schema = []
        self._tensors = []  # (name, dtype, shape, begin, end, checksum)
        # The journal first: data without one could not be told apart.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._journal = os.open(self._journal_path, flags, 0o666)
        self._part = None
        head = JOURNAL_MAGIC + struct.pack("<HQQQ", 1, number, room, 1)
        head += struct.pack("<Q", checksum(head))
        write_all(self._journal, 0, head)
        self._journal_end = len(head)
        self._part = os.open(self._part_path, flags, 0o666)
        if hasattr(os, "posix_fallocate"):
            # So that a disk that fills up later has room for the header.
            os.posix_fallocate(self._part, 0, room)

    @staticmethod
    def cost(schema, tensors):
        """Bytes of the header that a record takes at most."""
        bound = len(text(schema)) + GAP_BOUND
        for tensor in tensors:
            # In the header, and among the checksums, where it is JSON inside JSON.
            bound += len(text(tensor.name)) + len(text(text(tensor.name)))
            bound += ENTRY_BOUND + DIMENSION_BOUND * len(tensor.shape)
        return bound

    def add(self, sequence, schema, tensors, cost):
        """Writes a record: its tensors, then its frame."""
        tensors = sorted(tensors, key=lambda tensor: -ALIGNMENT.get(tensor.dtype, 1))
        has_data = any(len(tensor.data) for tensor in tensors)
        alignment = ALIGNMENT.get(tensors[0].dtype, 1) if has_data else 1
        begin = (self.size + alignment - 1) // alignment * alignment
        gap = bytes(begin - self.size)
        write_all(self._part, self.room + self.size, gap)
        placed = []
        end = begin
        for tensor in tensors:
            write_all(self._part, self.room + end, tensor.data)
            placed.append((tensor.name, tensor.dtype, tensor.shape, end, end + len(tensor.data), checksum(tensor.data)))
            end += len(tensor.data)
        frame = self._frame(sequence, begin, end, schema, placed)
        write_all(self._journal, self._journal_end, frame)
        self._journal_end += len(frame)
        if gap:
            self._tensors.append((f"gap.{self.size}", "U8", (len(gap),), self.size, begin, checksum(gap)))
        self._tensors += placed
        self._schema.append(schema)
        self.size = end
        self.records += 1
        self.bound += cost

    @staticmethod
    def _frame(sequence, begin, end, schema, placed):
        schema = schema.encode("ascii")
        content = struct.pack("<QQQI", sequence, begin, end, len(schema)) + schema
        content += struct.pack("<I", len(placed))
        for name, dtype, shape, _, tensor_end, known in placed:
            name = name.encode()
            content += struct.pack("<I", len(name)) + name
            content += struct.pack(f"<BB{len(shape)}Q", DTYPES.index(dtype), len(shape), *shape)
            content += struct.pack("<QQ", tensor_end, known)
        known = xxhash.xxh3_64_intdigest(content, seed=len(content))
        return FRAME_MAGIC + struct.pack("<QQ", len(content), known) + content

    def _header(self, about):
        schema = '{"data_type": "list", "value": [' + ", ".join(self._schema) + "]}"
        metadata = {"_safestructures_schema_": schema, "_safestructures_schema_version_": "1.0.0"}
        if about:
            metadata["safestructures_recording"] = about
        tensors = sorted(self._tensors, key=lambda tensor: tensor[0].encode())
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
            for name, dtype, shape, begin, end, _ in self._tensors
        }
        header = json.dumps({"__metadata__": metadata, **entries}, separators=(",", ":")).encode()
        size = self.room - 8
        if len(header) > size and about:
            return self._header(None)
        if len(header) > size:
            raise ValueError(f"the header of a segment needs {len(header)} bytes, but has room for {size}")
        return struct.pack("<Q", size) + header.ljust(size)

    def seal(self, about):
        """Writes the header and gives the file its name; removes one without a record."""
        if self.records == 0:
            self.abandon()
            self._part_path.unlink(missing_ok=True)
            self._journal_path.unlink(missing_ok=True)
            return
        if not self._tensors:
            # A file of the format has one tensor at least; this is the one that readers pass over.
            zeros = bytes(8)
            write_all(self._part, self.room, zeros)
            self._tensors.append(("null", "I64", (1,), 0, 8, checksum(zeros)))
            self.size = 8
        write_all(self._part, 0, self._header(about))
        # What a failure left behind the last record that is whole.
        os.ftruncate(self._part, self.room + self.size)
        self.abandon()
        self._part_path.rename(self._sealed)
        self._journal_path.unlink()

    def abandon(self):
        """Closes the files as they are: the journal says what is whole."""
        for file in (self._part, self._journal):
            if file is not None:
                os.close(file)
        self._part = self._journal = None
