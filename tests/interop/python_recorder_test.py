"""What Python's Recorder writes: the C++ tool and Python's package read it, also after a crash."""

import dataclasses
import errno
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from unittest import mock

import checks
import ml_dtypes
import numpy as np
from cli_outcomes import CLI, expect, raised, run, run_checks, stats, verify
from safestructures_cpp import segments
from safestructures_cpp.recorder import Recorder, records
from safestructures_cpp.stored_tensors import DTYPES
from safetensors import safe_open

PLUGIN = checks.HERE.parents[1] / "plugins" / "python"


@dataclasses.dataclass
class Output:
    hidden: np.ndarray
    text: str


def check_twin(folder):
    """The same records from C++ (recordings.cpp) and from here are equal, without a line of glue."""
    cpp = pathlib.Path(folder) / "cpp"
    cpp.mkdir()
    subprocess.run([CLI.parent / "interop" / "recordings", cpp], check=True)
    (cpp / "closed").rename(pathlib.Path(folder) / "closed")
    with Recorder(pathlib.Path(folder) / "python", segment_bytes=24) as recorder:
        for step in range(4):
            recorder.step(step)
            with recorder.scope("decoder"):
                hidden = np.array([step, step + 1], np.float32)
                recorder.record("out", Output(hidden, f"step {step}"))
                recorder.record("bytes", np.full(step, 7, np.uint8))
                recorder.record("doubles", {step: np.array([0.5])})
                if step < 3:
                    recorder.record("sum", 0.25 * step)
    for a, b in (("python", "closed"), ("closed", "python")):
        done = run(folder, "diff", a, b)
        expect(f"{a} and {b}", (0, ""), (done.returncode, done.stderr))
        last = done.stdout.splitlines()[-2:]
        compared = "compared 12 tensors, 18 of 18 numbers finite in both, and 7 other values; 1 tensor with nothing to compare"
        expect(f"{a} and {b}: all of it", [compared, "equal within tolerance"], last)
    rows = [(row["path"], row["record"]["step"], row["record"]["call"]) for row in stats(folder, "closed")]
    ours = [(row["path"], row["record"]["step"], row["record"]["call"]) for row in stats(folder, "python")]
    expect("names, steps and calls", rows, ours)
    expect("segments", True, verify(folder, "python") >= 3)
    expect("the same tensors' names", *(sorted(n for r in names_of(folder, run_) for n in r) for run_ in ("closed", "python")))


def names_of(folder, name):
    for segment in sorted((pathlib.Path(folder) / name).glob("*.safetensors")):
        shown = json.loads(run(folder, "show", segment, "--json").stdout)
        # Those of records, not of columns and gaps.
        yield [tensor for tensor in shown["tensors"] if ":" in tensor]


def check_values(folder):
    """Everything that can be recorded comes back as it was."""
    values = {
        "none": None,
        "numbers": [True, 3, -(10**30), 0.1, float("inf"), 1 + 2j],
        "text": "\u00fc\u2028\x1b",
        "bytes": b"abc",
        "dict": {1: 1.5, "1": "one", None: True, "a.b": {"c": 1}, "a": {"b.c": 2}},
        "empty": [(), [], {}],
        "tuple": (np.arange(3), [np.float32(2.5)]),
        "strided": np.arange(12.0).reshape(3, 4).T[::2],
        "big endian": np.arange(4, dtype=">i4"),
        "scalar": np.array(7, np.int16),
        "nothing": np.zeros((0, 3)),
        "alike": {"x": {"y": np.ones(1)}, "x.y": np.zeros(2)},
        "keys alike": {"1": np.ones(1), "1#2": np.ones(2), 1: np.ones(3)},
        "more of them": {None: 1, "None": 2, "None#2": 3, True: 4, "True": 5, 2.5: 6, "2.5": 7, "2.5#2": np.ones(2)},
    }
    with Recorder(pathlib.Path(folder) / "values") as recorder:
        for name, value in values.items():
            recorder.record(name, value)
    verify(folder, "values")
    for (name, value), record in zip(values.items(), records(pathlib.Path(folder) / "values"), strict=True):
        expect("name", name, record.name)
        try:
            np.testing.assert_equal(record.value, value)
            expect(f"{name}: kind", type(value), type(record.value))
        except AssertionError as error:
            expect(f"{name}: {error}", value, record.value)
    # Labels and the names of tensors are those that C++ gives.
    segment = pathlib.Path(folder) / "values" / "segment-000001.safetensors"
    expect("saved again by C++", 0, run(folder, "convert", segment, "again.safetensors").returncode)
    expect("the schema", schema_of(segment), schema_of(pathlib.Path(folder) / "again.safetensors"))


def check_places(folder):
    """Keys with slashes are parts like others: tensors have the names that C++ gives them, errors its paths."""
    one = np.ones(1)
    with Recorder(pathlib.Path(folder) / "places") as recorder:
        recorder.record("x/y", {"a/b": one, "a": {"b": one}, "a.b": one, "/": one, "": one, "~1": one})
        recorder.record("z", {"": {"": one}})
        said = raised(TypeError, lambda: recorder.record("e", {"a/b": {"c~1": [object()]}}))
        expect("an error's path", "the record 'e', at /a~1b/c~01/0", said.partition(":")[0])
    verify(folder, "places")
    names = [f"00000000:x/y{place}" for place in ("", "./", ".a.b", ".a.b#2", ".a/b", ".~1")] + ["00000001:z.."]
    expect("names", [names], [sorted(each) for each in names_of(folder, "places")])


def schema_of(file):
    with safe_open(file, "np") as opened:
        return opened.metadata()["_safestructures_schema_"]


def check_dtypes(folder):
    kinds = [name for name in DTYPES if hasattr(np, name) or hasattr(ml_dtypes, name)]
    kinds = [getattr(np, name, None) or getattr(ml_dtypes, name) for name in kinds]
    with Recorder(pathlib.Path(folder) / "dtypes") as recorder:
        for kind in kinds:
            recorder.record(np.dtype(kind).name, np.ones(5).astype(kind))
    rows = stats(folder, "dtypes")
    expect("dtypes", [DTYPES[np.dtype(kind).name] for kind in kinds], [row["dtype"] for row in rows])
    expect("all known dtypes", set(DTYPES), {row["path"] for row in rows})
    # Real and imaginary parts count apart.
    sums = [(row["mean"], row["count"]) for row in rows]
    expected = [(0.5, 10) if kind is np.complex64 else (1.0, 5) for kind in kinds]
    expect("numbers of every dtype", expected, sums)


def check_complex(folder):
    """Complex numbers of double precision are pairs, which are compared with those of single precision."""
    numbers = (np.arange(6) - 2.5j).reshape(2, 3)
    values = [numbers, numbers.T, numbers.astype(">c16"), np.zeros((0, 2), complex), np.complex128(1 + 2j), {"y": numbers}]
    with Recorder(pathlib.Path(folder) / "double") as recorder:
        for value in values:
            recorder.record("x", value)
    with Recorder(pathlib.Path(folder) / "single") as recorder:
        for value in values:
            recorder.record("x", {"y": numbers.astype("c8")} if isinstance(value, dict) else value.astype("c8"))
    verify(folder, "double")
    for given, record in zip(values[:5], records(pathlib.Path(folder) / "double")):
        pairs = np.stack([given.real, given.imag], -1).astype("f8")
        expect(f"pairs of {given!r}", (pairs.tolist(), "float64"), (record.value.tolist(), str(record.value.dtype)))
    for a, b in (("double", "single"), ("single", "double"), ("double", "double")):
        done = run(folder, "diff", a, b)
        expect(f"{a} and {b}", (0, ""), (done.returncode, done.stderr))
        compared = "compared 6 tensors, 50 of 50 numbers finite in both, and 0 other values; 1 tensor with nothing to compare"
        expect(f"{a} and {b}: all of it", [compared, "equal within tolerance"], done.stdout.splitlines()[-2:])


def check_truth_values(folder):
    """Bytes that are true to NumPy, but neither 0 nor 1, are stored as 1: C++ refuses others."""
    values = [np.array([0, 1, 2, 255], np.uint8), np.array([[3, 0], [0, 2]], np.uint8).T, np.array(7, np.uint8)]
    with Recorder(pathlib.Path(folder) / "truth") as recorder:
        for value in values:
            recorder.record("x", value.view(np.bool_))
        recorder.record("x", np.zeros((0, 2), np.bool_))
    verify(folder, "truth")
    found = [record.value.view(np.uint8).tolist() for record in records(pathlib.Path(folder) / "truth")]
    expect("truth values", [[0, 1, 1, 1], [[1, 0], [0, 1]], 1, []], found)
    expect("what was recorded", [0, 1, 2, 255], values[0].tolist())


def check_refusals(folder):
    folder = pathlib.Path(folder)
    recorder = Recorder(folder / "run")
    expect(
        "a second recorder",
        "[Errno 11] another recorder writes to the folder. Close it, or end its process and those that it"
        f" forked: '{folder / 'run'}'",
        raised(BlockingIOError, lambda: Recorder(folder / "run")),
    )
    with mock.patch.object(fcntl, "flock", side_effect=OSError(errno.ENOLCK, "No locks available")):
        problem = "[Errno 37] No locks available: the folder cannot be locked. Record into one of another file system"
        unlockable = raised(OSError, lambda: Recorder(folder / "unlockable"))
        expect("a folder that cannot be locked", f"{problem}: '{folder / 'unlockable'}'", unlockable)
    expect(
        "an object",
        "the record 'a', at /1/x: builtins.object cannot be recorded. Record tensors, numbers, texts, and lists, tuples,"
        " dicts and dataclasses of these.",
        raised(TypeError, lambda: recorder.record("a", [1, {"x": object()}])),
    )
    expect(
        "a dtype",
        "the record 'a', at /: a tensor of dtype complex256 cannot be recorded. Record it dense, in a dtype that the format"
        " has, such as float32 or complex64.",
        raised(TypeError, lambda: recorder.record("a", np.zeros(1, np.clongdouble))),
    )
    expect(
        "a key",
        "the record 'a', at /0: a dict with a key of builtins.tuple cannot be recorded. A key is a number or a"
        " text of Python, not (1, 2).",
        raised(TypeError, lambda: recorder.record("a", [{(1, 2): 0}])),
    )
    expect(
        "a key of NumPy",
        "the record 'a', at /: a dict with a key of numpy.int64 cannot be recorded. A key is a number or a text of"
        f" Python, not {np.int64(1)!r}.",
        raised(TypeError, lambda: recorder.record("a", {np.int64(1): 0})),
    )
    endless = []
    endless.append(endless)
    expect("an endless list", True, "that holds itself" in raised(ValueError, lambda: recorder.record("a", endless)))
    expect("no name", "a record has no name", raised(ValueError, lambda: recorder.record("", 1)))
    said = raised(TypeError, lambda: recorder.record(0, 1))
    expect("a number as a name", "the name of a record is a text, not 0", said)
    said = raised(TypeError, lambda: recorder.scope(0))
    expect("a number as a scope", "the name of a scope is a text, not 0", said)
    expect("no scope", "a scope has no name", raised(ValueError, lambda: recorder.scope("")))
    expect("half a surrogate", True, "surrogates not allowed" in raised(UnicodeEncodeError, lambda: recorder.record("\ud800", 1)))
    for step in (2**63, -(2**63) - 1):
        expect(f"step {step}", "a step has at most 64 bits", raised(ValueError, lambda: recorder.step(step)))
    for name in ("every", "segment_bytes"):
        for odd in (1.5, float("inf"), float("nan"), "2"):
            refused = raised(TypeError, lambda: Recorder(folder / "other", **{name: odd}))
            expect(f"{name} {odd}", f"'{type(odd).__name__}' object cannot be interpreted as an integer", refused)
    expect("every 0", "every and segment_bytes must be at least 1", raised(ValueError, lambda: Recorder(folder / "other", every=0)))
    recorder.record("b", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX warns of its threads; the child uses none.
        child = os.fork()
    if child == 0:
        calls = (lambda: recorder.record("b", 2), recorder.counts)
        refused = ["forked" in raised(RuntimeError, call) for call in calls]
        recorder.close()
        os._exit(0 if all(refused) else 1)
    expect("a forked process", 0, os.waitpid(child, 0)[1])
    expect("counts", {"a": {"calls": 5, "failed": 5}, "b": {"calls": 1, "kept": 1}}, recorder.counts())
    recorder.close()
    recorder.close()
    expect("closed", "the recorder is closed", raised(ValueError, lambda: recorder.record("b", 1)))
    whole = raised(FileExistsError, lambda: Recorder(folder / "run"))
    expect("a folder with a recording", True, whole.startswith(f"{folder}/run: the folder already holds a recording."))
    text = run(folder, "diff", "run", "run").stdout
    expect("what was left out is said", True, "left out or thinned records: a: 5 failed of 5 calls" in text)


def check_filters(folder):
    with Recorder(pathlib.Path(folder) / "some", only=["*.out", "loss"], every=2) as recorder:
        for step in range(4):
            recorder.step(step)
            for name in ("a.out", "a.in", "loss"):
                recorder.record(name, step)
    kept = [(record.name, record.step, record.call) for record in records(pathlib.Path(folder) / "some")]
    expect("kept", [("a.out", 0, 0), ("loss", 0, 0), ("a.out", 2, 2), ("loss", 2, 2)], kept)
    expect("counted", {"calls": 4, "filtered": 4}, recorder.counts()["a.in"])


def check_rotation(folder):
    """Many records with long names need several segments, for data and for room in headers."""
    with Recorder(pathlib.Path(folder) / "many", segment_bytes=1 << 20) as recorder:
        for i in range(2000):
            recorder.record(f"\u00fc\"{i:0100}", np.full(101, i, np.int64 if i % 2 else np.int16))
    expect("segments", True, verify(folder, "many") >= 2)
    rows = stats(folder, "many")
    expect("all of them", list(range(2000)), [row["mean"] for row in rows])
    # A name is once in the header, and in the journal of every record: that must stay one that is read.
    largest, segments.LARGEST_JOURNAL = segments.LARGEST_JOURNAL, 100000
    try:
        with Recorder(pathlib.Path(folder) / "journals") as recorder:
            for i in range(100):
                recorder.record("x" * 5000, i)
    finally:
        segments.LARGEST_JOURNAL = largest
    expect("segments for journals", True, 5 <= verify(folder, "journals") <= 7)
    expect("all of these", list(range(100)), [record.value for record in records(pathlib.Path(folder) / "journals")])


def check_fullest_room(folder):
    """What records are said to cost is what they take at most: every header fits, whatever they are."""
    rng = random.Random(3)
    for attempt in range(12):
        name = f"full{attempt}"
        with Recorder(pathlib.Path(folder) / name, segment_bytes=1) as recorder:
            for i in range(4000):
                text = "\u2028\"\\\U0001f600" * rng.randrange(4)
                value = [i, text, [np.zeros((0,) * 8)] * rng.randrange(3)][attempt % 3]
                start = rng.choice(["\U0001f600\x00\"", "layer"]) * rng.randrange(1, 9)
                recorder.record(f"{start}{i % (1 + attempt)}", value)
        verify(folder, name)
        found = [record.sequence for record in records(pathlib.Path(folder) / name)]
        expect(f"{name}: all of them", list(range(4000)), found)


def check_unused_room(folder):
    """Room that was not needed is no part of the header, which everybody reads who opens the file."""
    with Recorder(pathlib.Path(folder) / "room") as recorder:
        for i in range(3):
            recorder.record("x", i)
    verify(folder, "room")
    [file] = (pathlib.Path(folder) / "room").glob("*.safetensors")
    header = int.from_bytes(file.read_bytes()[:8], "little")
    expect("a header of 256 KiB of room", True, header < 32 << 10)
    expect("the size of the file", 256 << 10, file.stat().st_size)
    expect("records", [0, 1, 2], [record.value for record in records(pathlib.Path(folder) / "room")])


def check_threads(folder):
    def work(recorder, number):
        with recorder.scope(f"thread{number}"):
            for i in range(200):
                recorder.record("x", i)

    with Recorder(pathlib.Path(folder) / "threads") as recorder:
        threads = [threading.Thread(target=work, args=(recorder, number)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = list(records(pathlib.Path(folder) / "threads"))
    expect("sequences", list(range(800)), [record.sequence for record in found])
    for number in range(4):
        own = [record for record in found if record.name == f"thread{number}.x"]
        expect(f"thread {number}", list(range(200)), [record.value for record in own])
        expect(f"thread {number}: one number", 1, len({record.thread for record in own}))


CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from safestructures_cpp.recorder import Recorder
recorder = Recorder(sys.argv[2], segment_bytes=100000)
for i in range(10**9):
    recorder.step(i)
    recorder.record("layer", np.full(i % 1000, i))
    print(i, flush=True)
"""


def check_runs(folder):
    """A segment of another run is told of, though all else that it says is the same."""
    runs = [pathlib.Path(folder) / name for name in ("first", "second")]
    for path in runs:
        with Recorder(path, segment_bytes=1) as recorder:
            for i in range(3):
                recorder.record("x", np.full(4, i))
    done = run(folder, "verify", "first", "second")
    expect("two runs", (0, ""), (done.returncode, done.stderr))
    shutil.copy(runs[1] / "segment-000002.safetensors", runs[0])
    done = run(folder, "verify", "first")
    said = "segment-000002.safetensors is of another recording than segment-000001.safetensors"
    expect("one of another", (1, f"safestructures: first: {said}\n"), (done.returncode, done.stderr))


def check_kill(folder):
    """Killed at any moment, no record is lost of those that `record` had returned from."""
    seed = int(os.environ.get("SAFESTRUCTURES_SEED", time.time()))
    print(f"seed {seed}")
    rng = random.Random(seed)
    lived = 0
    for attempt in range(12):
        name = f"killed{attempt}"
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, PLUGIN, name], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        child.stdout.readline()
        time.sleep(rng.random() * 0.1)
        child.send_signal(signal.SIGKILL)
        told = sum(1 for line in child.stdout if line.endswith("\n")) + 1
        child.wait()
        open_records = len(stats(folder, name))
        done = run(folder, "recover", name)
        expect(f"{name}: recover, seed {seed}", (0, ""), (done.returncode, done.stderr))
        rows = stats(folder, name)
        # The last may have been written and not told of.
        expect(f"{name}: {told} told of, seed {seed}", True, told <= len(rows) <= told + 1)
        expect(f"{name}: before recovery", len(rows), open_records)
        right = all(row["shape"] == [i % 1000] and row["mean"] in (i, None) for i, row in enumerate(rows))
        expect(f"{name}: numbers, seed {seed}", True, right)
        verify(folder, name)
        lived += told
    expect("records before the kills", True, lived > 100)


FULL = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from safestructures_cpp.recorder import Recorder
recorder = Recorder(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
said = []
for i in range(20):
    try:
        recorder.record("x", np.full(10000, i))
    except OSError as error:
        said.append((i, str(error)))
try:
    recorder.close()
except OSError as error:
    said.append(str(error))
for one in (*said, recorder.counts()):
    print(one)
"""


def check_full_disk(folder):
    """A disk that is full ends the recording with what is whole, and the program goes on."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, PLUGIN, "full"], cwd=folder, capture_output=True, text=True, check=True
    )
    problem = "[Errno 27] File too large. The earlier records are kept: fix this, and record into another folder:"
    problem += f" '{folder}/full/segment-000001.part'"
    counts = {"x": {"calls": 20, "kept": 9, "failed": 11}}
    expect("the error, once, and at close", [str((9, problem)), problem, str(counts)], done.stdout.splitlines())
    expect("what is whole", list(range(9)), [row["mean"] for row in stats(folder, "full")])
    verify(folder, "full")


run_checks(
    check_twin,
    check_values,
    check_places,
    check_dtypes,
    check_complex,
    check_truth_values,
    check_refusals,
    check_filters,
    check_rotation,
    check_fullest_room,
    check_unused_room,
    check_threads,
    check_runs,
    check_kill,
    check_full_disk,
)
