"""The targets, each judged by one figure of the same run."""

import dataclasses

import compile_cost
from embedding import BASELINE
from reasons import EXPLANATIONS
from records import RECORDS
from rows import CPP_PEERS, OURS
from workloads import WORKLOADS

NS, US, MS = 1, 1e3, 1e6
MIB = 1 << 20


@dataclasses.dataclass
class Judged:
    text: str
    sign: str  # "<=" or ">="
    bound: float
    unit: str
    measured: float | None

    @property
    def met(self):
        return self.measured <= self.bound if self.sign == "<=" else self.measured >= self.bound

    @property
    def explanation(self):
        return EXPLANATIONS.get(self.text, "")


class Medians:
    def __init__(self, results):
        self.results = results

    def time(self, key):
        return self.results.get(key, {}).get("median")

    def peak(self, key):
        return self.results.get(key, {}).get("peak")

    def quotient(self, above, below):
        top, bottom = self.time(above), self.time(below)
        return None if top is None or bottom is None else top / bottom

    def fastest(self, workload, quantity, rows):
        """The key of the fastest of these rows, or none."""
        keys = [(workload, quantity, row) for row in rows if self.time((workload, quantity, row))]
        return min(keys, key=self.time, default=None)

    def scaled(self, key, scale):
        time = self.time(key)
        return None if time is None else time / scale


CPP = "safestructures C++"
RUST = "Rust safetensors"
PYTHON = "Python safetensors"
STRUCTURES = "Python safestructures"
HUGE = "read into huge pages"
HUGE_MALLOC = ", malloc in huge pages"
# Of recordings: quantity, limit, bound. record() of small ones is among TIMES.
HOT_PATH = ("record(), what the program waits for", "memcpy into fresh memory", 1.5)
WRITER = ("the writer alone, records moved in", "write() and free() of each", 1.11)
COMPARE_RUNS = "compare two of them"

# (text, sign, bound, above, below): above's median over below's.
RATIOS = [
    ("W1 save / fallocate+write", "<=", 1.10, ("W1", "save", CPP), ("W1", "save", "fallocate+write")),
    ("W2 save / fallocate+write", "<=", 1.10, ("W2", "save", CPP), ("W2", "save", "fallocate+write")),
    ("W1 save, Rust / ours", ">=", 1.3, ("W1", "save", RUST), ("W1", "save", CPP)),
    ("W2 save, Rust / ours", ">=", 1.3, ("W2", "save", RUST), ("W2", "save", CPP)),
    ("W1 save, Python safetensors / ours", ">=", 4, ("W1", "save", PYTHON), ("W1", "save", CPP)),
    ("W2 save, Python safetensors / ours", ">=", 4, ("W2", "save", PYTHON), ("W2", "save", CPP)),
    (
        "W1 durable save / write+fsync",
        "<=",
        0.75,
        ("W1", "save durable", CPP),
        ("W1", "save durable", "write+fsync"),
    ),
    (
        "W2 durable save / write+fsync",
        "<=",
        0.75,
        ("W2", "save durable", CPP),
        ("W2", "save durable", "write+fsync"),
    ),
    *(
        (f"W1 load {into} / {HUGE}", "<=", 1.10, ("W1", "load", f"ours {into}"), ("W1", "load", HUGE))
        for into in ("into std::vector", "into Eigen", "into Tensor")
    ),
    *(
        (f"W2 load {into} / {HUGE}", "<=", 1.10, ("W2", "load", f"ours {into}"), ("W2", "load", HUGE))
        for into in ("into std::vectors", f"into std::vectors{HUGE_MALLOC}", "into Tensors")
    ),
    *(
        (
            f"{name} load {into}, {peer} / ours",
            ">=",
            4,
            (name, "load", peer),
            (name, "load", f"ours {into}"),
        )
        for name, into in (
            ("W1", "into std::vector"),
            ("W1", "into Tensor"),
            ("W2", "into std::vectors"),
            ("W2", "into Tensors"),
        )
        for peer in (RUST, PYTHON)
    ),
    (
        "touch, written in 1 MiB pieces / written by us",
        ">=",
        3,
        ("W1", "open and touch every page", "map+touch, written in 1 MiB pieces"),
        ("W1", "open and touch every page", "ours, our file"),
    ),
    (
        "W3 open, Rust / ours",
        ">=",
        7,
        ("W3", "open", RUST),
        ("W3", "open", "ours, container alone"),
    ),
    *(
        (f"W4 {job}, {peer} / ours", ">=", bound, ("W4", job, peer), ("W4", job, who))
        for job, who in (("save", "ours, a Value of dicts"), ("load", "ours into Value"))
        for peer, bound in ((STRUCTURES, 8), ("pickle 5", 1))
    ),
    *(
        (f"W4 {job} of structs, {peer} / ours", ">=", bound, ("W4", job, peer), ("W4", job, who))
        for job, who in (
            ("save", "ours, std::vector of structs"),
            ("load", "ours, dicts into std::vector of structs"),
        )
        for peer, bound in ((STRUCTURES, 8), ("pickle 5", 1))
    ),
    *(
        (f"W14 {job}{how}, pickle 5 / ours", ">=", 1, ("W14", job, f"pickle 5{how}"), ("W14", job, who + how))
        for job, who, how in (
            ("save", "ours, a Value of dicts", ""),
            ("load", "ours into Value", ""),
            ("load", "ours into Value", HUGE_MALLOC),
        )
    ),
    *(
        (
            f"W4 load of structs{HUGE_MALLOC}, {peer} / ours",
            ">=",
            bound,
            ("W4", "load", peer + HUGE_MALLOC),
            ("W4", "load", f"ours, dicts into std::vector of structs{HUGE_MALLOC}"),
        )
        for peer, bound in ((STRUCTURES, 8), ("pickle 5", 1))
    ),
    *(
        (
            f"W5 save of {kind} as F32 / fallocate+write",
            "<=",
            1.15,
            ("W5", "save", f"ours, {kind}"),
            ("W5", "save", "fallocate+write"),
        )
        for kind in ("F16", "BF16")
    ),
    (
        "W6 save of F64 as F32 / fallocate+write",
        "<=",
        1.15,
        ("W6", "save", CPP),
        ("W6", "save", "fallocate+write"),
    ),
    (
        "W7 save, column-major / row-major",
        "<=",
        1.5,
        ("W7", "save", "ours, column-major"),
        ("W7", "save", "ours, row-major"),
    ),
    (
        "W13 save / create+write+rename",
        "<=",
        1.3,
        ("W13", "save", CPP),
        ("W13", "save", "create+write+rename"),
    ),
    *(
        (f"B1 {job}, {text}{into} / {of}", "<=", 1.3, ("B1", f"{job}, {text}", who), ("B1", f"{job}, {text}", of))
        for job, who, into, of in (
            ("save", CPP, "", "fallocate+write"),
            ("load", "ours into Tensors", "", HUGE),
            ("load", "ours into std::vectors", ", into std::vectors", HUGE),
        )
        for text in ("named MessagePack", "bincode")
        if who != "ours into std::vectors" or text == "named MessagePack"
    ),
    *(
        (f"{workload.name} {one.name}, Burn / ours", ">=", 1, (workload.name, one.name, "Burn"),
         (workload.name, one.name, next(row.label for row in one.rows if row.role == OURS)))
        for workload in WORKLOADS
        if workload.name in RECORDS
        for one in workload.quantities
    ),
    *(
        (f"{name} {what} / reading both", "<=", 1.3, (name, "compare", f"ours, {what}"),
         (name, "compare", "read as many bytes into huge pages"))
        for name, what in (
            ("D1", "all numbers equal"),
            ("D1", "all numbers different"),
            ("D1", "all numbers different, with suspicions"),
            ("D2", "all numbers different, with suspicions"),
        )
    ),
    *(
        (f"{name} compare, {what} / reading both", "<=", 1.3, (name, COMPARE_RUNS, f"ours, {what}"),
         (name, COMPARE_RUNS, "read both into huge pages"))
        for name in ("R1", "R2", "R3")
        for what in ("equal", "different from the 50th layer on")
    ),
    *(
        (f"{name} {quantity} / {limit}", "<=", bound, (name, quantity, CPP), (name, quantity, limit))
        for name, moments in (("R1", (WRITER,)), ("R2", (HOT_PATH, WRITER)), ("R3", (HOT_PATH, WRITER)))
        for quantity, limit, bound in moments
    ),
    ("W13 load / open+read", "<=", 3, ("W13", "load", CPP), ("W13", "load", "open+read")),
    *(
        (
            f"cold load {into} / {HUGE}",
            "<=",
            1.2,
            ("W1", "load after the file was dropped from the cache", f"ours {into}"),
            ("W1", "load after the file was dropped from the cache", HUGE),
        )
        for into in ("into Tensor", "into std::vector")
    ),
]

# (text, bound, unit, key, what one unit is in nanoseconds)
TIMES = [
    ("W1 open", 0.1, "ms", ("W1", "open", CPP), MS),
    ("W2 open", 0.2, "ms", ("W2", "open", CPP), MS),
    ("W3 open, a tensor", 100, "ns", ("W3", "open", "ours, container alone"), 100_000 * NS),
    ("W3 save, a tensor", 300, "ns", ("W3", "save", "ours, container alone"), 100_000 * NS),
    ("W3 load, a tensor", 150, "ns", ("W3", "load", "ours, container alone"), 100_000 * NS),
    ("R1 record(), a record of 256 B", 1000, "ns", ("R1", HOT_PATH[0], CPP), 100_000 * NS),
    (
        "W3 typed save, a tensor",
        250,
        "ns",
        ("W3", "save", "ours, std::vector<std::vector<float>>"),
        100_000 * NS,
    ),
    (
        "W3 typed load, a tensor",
        250,
        "ns",
        ("W3", "load", "ours into std::vector<std::vector<float>>"),
        100_000 * NS,
    ),
]

# What is compared with the peers in C++: our row that does the same.
CPP_RIVALS = [
    ("W1", "save", CPP),
    ("W1", "load", "ours into std::vector"),
    ("W2", "save", CPP),
    ("W2", "load", "ours into std::vectors"),
    ("W3", "save", "ours, std::vector<std::vector<float>>"),
    ("W3", "load", "ours into std::vector<std::vector<float>>"),
    ("W4", "save", "ours, std::vector of structs"),
    ("W4", "load", "ours, dicts into std::vector of structs"),
    ("W12", "save", "ours, stored as columns"),
    ("W12", "load", "ours, from columns"),
    ("W14", "save", "ours, std::vector of structs"),
    ("W14", "load", "ours, dicts into std::vector of structs"),
    ("W15", "save", CPP),
    ("W15", "load", "ours into std::vectors"),
    ("W16", "save", "ours, Eigen row-major"),
    ("W16", "load", "ours into Eigen row-major"),
]

# Saves whose header is small, so that what they need above the data is the library's own.
PEAKS = [
    ("W1", "save", CPP),
    ("W2", "save", CPP),
    ("W5", "save", "ours, F16"),
    ("W5", "save", "ours, BF16"),
    ("W6", "save", CPP),
    ("W7", "save", "ours, column-major"),
]


def judge(results):
    medians = Medians(results)
    judged = [
        Judged(text, sign, bound, "", medians.quotient(above, below))
        for text, sign, bound, above, below in RATIOS
    ]
    judged += [
        Judged(text, "<=", bound, unit, medians.scaled(key, scale))
        for text, bound, unit, key, scale in TIMES
    ]
    for key in CPP_RIVALS:
        fastest = medians.fastest(*key[:2], [name for name, _ in CPP_PEERS.values()])
        if fastest is None:
            continue
        text = f"{key[0]} {key[1]}, the fastest C++ peer / ours"
        judged.append(Judged(text, ">=", 1, "", medians.quotient(fastest, key)))
    for key in PEAKS:
        peak = medians.peak(key)
        text = f"memory while saving {key[0]} ({key[2]})"
        judged.append(Judged(text, "<=", 8, "MiB", None if peak is None else peak / MIB))
    return judged


COMPILE_TIMES = {compile_cost.ONE: 1.5, compile_cost.FIFTY: 6.5}


def judge_compile(results):
    return [
        Judged(
            f"compile time of {name}, {compiler}: more than an empty file",
            "<=", bound, "s", results["compile"][compiler, name]["more"],
        )
        for name, bound in COMPILE_TIMES.items()
        for compiler in compile_cost.COMPILERS
        if (compiler, name) in results["compile"]
    ]


def judge_embedding(growth):
    return [
        Judged(f"compile time of ten structs, {compiler}: more than at {BASELINE}", "<=", 0.3, "s", seconds)
        for compiler, seconds in growth.items()
    ]


def judge_growth(results):
    """Linear: an item costs at most twice as much among 1,000,000 as among 100."""
    by_name = {entry["name"]: entry["per_item"] for entry in results}
    judged = []
    for name, large in by_name.items():
        base, _, size = name.rpartition("/")
        if size == "1000000" and f"{base}/100" in by_name:
            growth = large / by_name[f"{base}/100"]
            judged.append(Judged(f"growth of {base} from 10^2 to 10^6, an item", "<=", 2, "", growth))
    return judged
