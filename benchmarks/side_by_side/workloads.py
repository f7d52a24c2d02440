"""What is measured: workloads, the quantities of each, and who takes part in each quantity."""

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
        large = ("W1", "W2", "W5", "W6", "W7", "W8", "W9", "W10")
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
}


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

WORKLOADS = (
    Workload(
        "W1",
        "one F32 tensor of 1 GiB",
        (
            quantity(
                "save",
                limit("fallocate_write", GIB),
                limit("write", GIB),
                ours("W1", "save"),
                rust("save", 1, GIB // 4),
                pythons("safetensors safestructures numpy pickle torch", "W1", "save"),
            ),
            quantity(
                "save durable",
                limit("write_fsync", GIB),
                ours("W1", "save_durable"),
            ),
            quantity(
                "load",
                limit("read_huge", GIB, "read into huge pages", "ours"),
                limit("read_vector", GIB, "read into std::vector", "ours"),
                ours("W1", "load_tensor", "ours into Tensor", "ours"),
                ours("W1", "load_vector", "ours into std::vector", "ours"),
                ours("W1", "load_vector_by_read", "ours into std::vector, Access::read", "ours"),
                ours("W1", "load_eigen", "ours into Eigen", "ours"),
                rust("load", 1, GIB // 4, "ours"),
                pythons("safetensors", "W1", "load", "ours"),
                pythons("safestructures", "W1", "load", "ours"),
                pythons("numpy pickle torch", "W1", "load", F),
            ),
            quantity(
                "open",
                ours("W1", "open", file="ours"),
                rust("open", 1, GIB // 4, "ours"),
                pythons("safetensors", "W1", "open", "ours"),
            ),
            quantity(
                "open and touch every page",
                limit("touch", GIB, "map+touch, written in 1 MiB pieces", "pieces"),
                ours("W1", "touch", "ours, our file", "ours"),
                limit("touch", GIB, "map+touch, our file", "ours"),
                rust("touch", 1, GIB // 4, "ours"),
                pythons("safetensors", "W1", "touch", "ours"),
            ),
            quantity(
                "load after the file was dropped from the cache",
                limit("read_huge", GIB, "read into huge pages", "cold", cold=True),
                ours("W1", "load_tensor", "ours into Tensor", "cold", cold=True),
                ours("W1", "load_vector", "ours into std::vector", "cold", cold=True),
            ),
        ),
        prepare=(
            ours("W1", "save", file="ours"),
            ours("W1", "save", file="cold"),
            limit("write", GIB, file="pieces"),
            python("numpy", "W1", "save", "numpy.data"),
            python("pickle", "W1", "save", "pickle.data"),
            python("torch", "W1", "save", "torch.data"),
        ),
    ),
    Workload(
        "W2",
        "1,000 F32 tensors of 1 MiB",
        (
            quantity(
                "save",
                limit("fallocate_write", 1000 * MIB),
                ours("W2", "save"),
                rust("save", 1000, MIB // 4),
                pythons("safetensors safestructures numpy pickle torch", "W2", "save"),
            ),
            quantity(
                "save durable",
                limit("write_fsync", 1000 * MIB),
                ours("W2", "save_durable"),
            ),
            quantity(
                "load",
                limit("read_huge", 1000 * MIB, "read into huge pages", "ours"),
                limit("read_blocks", 1000 * MIB, "read into blocks of 1 MiB", "ours"),
                ours("W2", "load_tensors", "ours into Tensors", "ours"),
                ours("W2", "load_vectors", "ours into std::vectors", "ours"),
                rust("load", 1000, MIB // 4, "ours"),
                pythons("safetensors safestructures", "W2", "load", "ours"),
                pythons("numpy pickle torch", "W2", "load", F),
                huge_malloc(
                    ours("W2", "load_vectors", "ours into std::vectors", "ours"),
                    *pythons("safetensors", "W2", "load", "ours"),
                ),
            ),
            quantity(
                "open",
                ours("W2", "open", file="ours"),
                ours("W2", "open_container", "ours, container alone", "ours"),
                rust("open", 1000, MIB // 4, "ours"),
                pythons("safetensors", "W2", "open", "ours"),
            ),
        ),
        prepare=(
            ours("W2", "save", file="ours"),
            python("numpy", "W2", "save", "numpy.data"),
            python("pickle", "W2", "save", "pickle.data"),
            python("torch", "W2", "save", "torch.data"),
        ),
    ),
    Workload(
        "W3",
        "100,000 tensors of 16 floats",
        (
            quantity(
                "save",
                limit("fallocate_write", 16 * MIB, "fallocate+write of 16 MiB"),
                ours("W3", "save_container", "ours, container alone"),
                ours("W3", "save", "ours, std::vector<std::vector<float>>"),
                rust("save", 100_000, 16),
                pythons("safetensors pickle", "W3", "save"),
                pythons("safestructures torch", "W3", "save", most=3),
            ),
            quantity(
                "open",
                ours("W3", "open_container", "ours, container alone", "container"),
                ours("W3", "open", "ours, with the schema", "ours"),
                rust("open", 100_000, 16, "container"),
                pythons("safetensors", "W3", "open", "container"),
            ),
            quantity(
                "load",
                ours("W3", "load_container", "ours, container alone", "container"),
                ours("W3", "load_tensors", "ours into std::vector<Tensor>", "ours"),
                ours("W3", "load_vectors", "ours into std::vector<std::vector<float>>", "ours"),
                rust("load", 100_000, 16, "container"),
                pythons("safetensors", "W3", "load", "container"),
                pythons("pickle", "W3", "load", F),
                pythons("safestructures torch", "W3", "load", F, most=3),
            ),
        ),
        prepare=(
            ours("W3", "save_container", file="container"),
            ours("W3", "save", file="ours"),
            python("safestructures", "W3", "save", "safestructures.data"),
            python("pickle", "W3", "save", "pickle.data"),
            python("torch", "W3", "save", "torch.data"),
        ),
    ),
    Workload(
        "W4",
        "a list of 2,000 dicts {int, float, str, bool, 4 KiB tensor}",
        (
            quantity(
                "save",
                ours("W4", "save_dicts", "ours, a Value of dicts"),
                ours("W4", "save_structs", "ours, std::vector of structs"),
                pythons("safestructures pickle torch", "W4", "save"),
            ),
            quantity(
                "load",
                ours("W4", "load_value", "ours into Value", "ours"),
                ours("W4", "load_structs", "ours, dicts into std::vector of structs", "ours"),
                pythons("safestructures pickle torch", "W4", "load", F),
                huge_malloc(
                    ours("W4", "load_structs", "ours, dicts into std::vector of structs", "ours"),
                    *pythons("safestructures pickle", "W4", "load", F),
                ),
            ),
            quantity("open", ours("W4", "open", file="ours")),
        ),
        prepare=(
            ours("W4", "save_dicts", file="ours"),
            python("safestructures", "W4", "save", "safestructures.data"),
            python("pickle", "W4", "save", "pickle.data"),
            python("torch", "W4", "save", "torch.data"),
        ),
    ),
    Workload(
        "W5",
        "512 MiB of F16 or BF16 saved as F32",
        (
            quantity(
                "save",
                limit("fallocate_write", GIB),
                ours("W5", "save_f16", "ours, F16"),
                ours("W5", "save_bf16", "ours, BF16"),
                pythons("safetensors safestructures numpy", "W5", "save_converted"),
            ),
        ),
    ),
    Workload(
        "W6",
        "512 MiB of F64 saved as F32",
        (
            quantity(
                "save",
                limit("fallocate_write", GIB // 4),
                ours("W6", "save"),
                pythons("safetensors safestructures numpy", "W6", "save_converted"),
            ),
        ),
    ),
    Workload(
        "W7",
        "a struct of 50 column-major Eigen matrices of 4 MiB",
        (
            quantity(
                "save",
                limit("fallocate_write", 200 * MIB),
                ours("W7", "save", "ours, column-major"),
                ours("W7", "save_row_major", "ours, row-major"),
            ),
            quantity(
                "load",
                limit("read_huge", 200 * MIB, "read into huge pages", "ours"),
                ours("W7", "load", "ours, column-major", "ours"),
                ours("W7", "load_row_major", "ours, row-major", "ours"),
            ),
        ),
        prepare=(ours("W7", "save", file="ours"),),
    ),
    Workload(
        "W8",
        "W1 over an existing file",
        (
            quantity(
                "save",
                limit("fallocate_write_rename", GIB, file="existing"),
                limit("write", GIB, "write over it (O_TRUNC)", file="existing"),
                ours("W8", "save", file="existing"),
                rust("save", 1, GIB // 4, "existing"),
                pythons("safetensors safestructures pickle", "W8", "save", "existing"),
            ),
        ),
        prepare=(limit("fallocate_write", GIB, file="existing"),),
    ),
    Workload(
        "W9",
        "W1 in memory",
        (
            quantity(
                "save to bytes",
                limit("memcpy_fresh", GIB, "memcpy into fresh huge pages"),
                limit("memcpy_touched", GIB, "memcpy into touched memory"),
                ours("W9", "save"),
                rust("save_memory", 1, GIB // 4),
                pythons("safetensors pickle", "W9", "dumps"),
            ),
            quantity(
                "load from bytes",
                limit("memcpy_fresh", GIB, "memcpy into fresh huge pages"),
                ours("W9", "load_vector", "ours into std::vector"),
                ours("W9", "load_view", "ours into Tensor (a view)"),
                rust("load_memory", 1, GIB // 4),
                pythons("safetensors pickle", "W9", "loads"),
            ),
        ),
    ),
    Workload(
        "W10",
        "the slice [:, 1000:1100] of a 16384 x 16384 F32 matrix",
        (
            quantity(
                "slice",
                limit("read_columns", GIB, "a pread for each row", "ours"),
                ours("W10", "slice_map", "ours, Access::map", "ours"),
                ours("W10", "slice_read", "ours, Access::read", "ours"),
                rust("slice", 1, GIB // 4, "ours"),
                pythons("safetensors numpy", "W10", "slice", "ours"),
            ),
        ),
        prepare=(ours("W10", "prepare", file="ours"),),
    ),
    Workload(
        "W11",
        "1,000,000 tensors of 16 floats in ten shards",
        (
            quantity("save", ours("W11", "save")),
            quantity(
                "open",
                ours("W11", "open", "ours, index cross-checked", "shards"),
                rust("open_shards", 1_000_000, 16, "shards"),
                pythons("safetensors", "W11", "open_shards", "shards"),
            ),
            quantity("load", ours("W11", "load", file="shards")),
        ),
        prepare=(ours("W11", "save", file="shards"),),
    ),
    Workload(
        "W12",
        "a vector of 100,000 structs of eight numbers",
        (
            quantity(
                "save",
                ours("W12", "save", "ours, stored as columns"),
                ours("W12", "save_list", "ours, stored as a list"),
                ours("W12", "save_columns", "ours, a struct of vectors"),
                pythons("pickle", "W12", "save"),
                pythons("safestructures", "W12", "save", most=1),
            ),
            quantity(
                "load",
                ours("W12", "load", "ours, from columns", "ours"),
                ours("W12", "load", "ours, from a list", "list"),
                ours("W12", "load_columns", "ours, a struct of vectors", "columns"),
                pythons("pickle", "W12", "load", F),
            ),
        ),
        prepare=(
            ours("W12", "save", file="ours"),
            ours("W12", "save_list", file="list"),
            ours("W12", "save_columns", file="columns"),
            python("pickle", "W12", "save", "pickle.data"),
        ),
    ),
    Workload(
        "W13",
        "a tiny struct {int, float, str, four floats}",
        (
            quantity(
                "save",
                limit("tiny_write", 1 * KIB, "create+write+rename"),
                ours("W13", "save"),
                rust("save_tiny", 1, 4),
                pythons("safestructures pickle", "W13", "save"),
                unit="us",
            ),
            quantity(
                "load",
                limit("tiny_read", 512, "open+read", "ours"),
                ours("W13", "load", file="ours"),
                ours("W13", "load_by_read", "ours, Access::read", "ours"),
                rust("load_tiny", 1, 4, "ours"),
                pythons("safestructures pickle", "W13", "load", F),
                unit="us",
            ),
        ),
        prepare=(
            ours("W13", "save", file="ours"),
            python("safestructures", "W13", "save", "safestructures.data"),
            python("pickle", "W13", "save", "pickle.data"),
        ),
    ),
)
