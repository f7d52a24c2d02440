"""The rows of the tables: programs that are timed, and what they are measured by."""

import dataclasses

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

OURS, LIMIT, PEER = "ours", "limit", "peer"


@dataclasses.dataclass(frozen=True)
class Row:
    """One program that is timed. `file` names a prepared file; empty: a fresh one, removed after."""

    role: str
    who: str
    program: str
    arguments: tuple
    file: str = ""
    cold: bool = False  # The file is dropped from the page cache before.
    most: int = 100  # Repetitions at most, for what takes seconds.
    huge_malloc: bool = False  # glibc's allocator is told to use huge pages.

    @property
    def label(self):
        return f"{self.who}, malloc in huge pages" if self.huge_malloc else self.who


@dataclasses.dataclass(frozen=True)
class Quantity:
    """Rows that do the same job. The first limit is the one that ratios refer to."""

    name: str
    rows: tuple
    unit: str = "ms"


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    title: str
    quantities: tuple
    prepare: tuple = ()  # Rows whose `file` is made before.

    def is_heavy(self, quantity):
        """Whether its rows need a large part of a GiB; opening needs none."""
        large = ("W1", "W2", "W5", "W6", "W7", "W8", "W9", "W10", "W15", "W16", "W17")
        return self.name in large and quantity != "open"


def limit(action, size, who="", file="", cold=False):
    return Row(LIMIT, who or action.replace("_", "+"), "limits", (action, "FILE", str(size)), file, cold)


def ours(workload, action, who="", file="", cold=False):
    return Row(OURS, who or "safestructures C++", "worker", (workload, action, "FILE"), file, cold)


def rust(action, count, floats, file=""):
    return Row(PEER, "Rust safetensors", "rust", (action, "FILE", str(count), str(floats)), file)


NAMES = {
    "safetensors": "Python safetensors",
    "safestructures": "Python safestructures",
    "pickle": "pickle 5",
    "numpy": "NumPy",
    "torch": "torch",
    "msgpack": "Python msgpack",
    "json": "Python json",
}


# Peers in C++, by the names of their programs (../cpp_peers), and what they come from.
CPP_PEERS = {
    "cereal": ("cereal", "libcereal-dev"),
    "boost": ("Boost.Serialization", "libboost-serialization1.81-dev"),
    "msgpack": ("msgpack-c++", "libmsgpack-cxx-dev"),
    "hdf5": ("HDF5", "libhdf5-dev"),
    "protobuf": ("protobuf", "libprotobuf-dev, protobuf-compiler"),
    "flatbuffers": ("FlatBuffers", "libflatbuffers-dev, flatbuffers-compiler"),
    "npz": ("npz in C++", "zlib1g-dev"),
}


def cpp(peer, workload, action, file="", most=100):
    return Row(PEER, CPP_PEERS[peer][0], f"peer_{peer}", (workload, action, "FILE"), file, most=most)


def cpps(workload, action, most=100, without=()):
    """A row for each peer in C++; loading, each from the file that it wrote itself."""
    peers = [peer for peer in CPP_PEERS if peer not in without]
    return [
        cpp(peer, workload, action, "" if action == "save" else cpp_file(peer), most) for peer in peers
    ]


def cpp_files(workload, without=()):
    """What has to be prepared for `cpps` that load."""
    return tuple(cpp(peer, workload, "save", cpp_file(peer)) for peer in CPP_PEERS if peer not in without)


def cpp_file(peer):
    return f"peer_{peer}.data"


def python(peer, workload, action, file="", most=100):
    return Row(PEER, NAMES[peer], peer, (peer, workload, action, "FILE"), file, most=most)


def pythons(peers, workload, action, file="", most=100):
    """A row for each peer; `{peer}` in `file` stands for the peer's name."""
    return [
        python(peer, workload, action, file.replace("{peer}", peer), most)
        for peer in peers.split()
    ]


# What a user may set for a program of glibc 2.35 and later: fresh memory in huge pages, blocks below
# 32 MiB from the heap, where they lie side by side (the manual's "Memory Allocation Tunables").
HUGE_MALLOC = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432"


def huge_malloc(*rows):
    """The same programs under HUGE_MALLOC."""
    return [dataclasses.replace(row, huge_malloc=True) for row in rows]


def quantity(name, *rows, unit="ms"):
    flat = []
    for row in rows:
        flat.extend(row if isinstance(row, list) else [row])
    return Quantity(name, tuple(flat), unit)


F = "{peer}.data"  # The file that a peer wrote itself.
