"""What Python's Recorder leaves at its bounds: too large headers, nothing kept, globs, recorders nobody closed."""

import ctypes
import errno
import gc
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from unittest import mock

import checks
import numpy as np
import safestructures
from cli_outcomes import CLI, expect, raised, run, run_checks, verify
from safestructures_cpp import globs, segment_front, segments
from safestructures_cpp.recorder import Recorder, records
from safetensors import safe_open


def check_large_headers(folder):
    """A record that no header has room for costs itself; several large ones go into segments of their own."""
    folder = pathlib.Path(folder)
    with Recorder(folder / "large") as recorder:
        recorder.record("before", 1)
        said = raised(ValueError, lambda: recorder.record("list", np.ones(2_500_000).tolist()))
        expect("a list of millions", True, said.startswith("the record 'list' needs a header of 12"))
        expect("what to do", True, said.endswith("Record an array in place of a long list or text."))
        # A text of n characters in the node of a record that is named "x".
        fixed = segments.METADATA_ROOM + segment_front.COLUMNS_SIZE + segments.GAP_BOUND + segments.NAME_BOUND
        fixed += len(r'"{\"data_type\": \"str\", \"value\": \"\"}"') + len(r'"\"x\""')
        most = segments.LARGEST_HEADER - fixed
        expect(
            "one byte more than a header has",
            "the record 'x' needs a header of 100000001 bytes, but a segment has at most 100000000. Record"
            " an array in place of a long list or text.",
            raised(ValueError, lambda: recorder.record("x", "a" * (most + 1))),
        )
        expect("a name", True, len(raised(ValueError, lambda: recorder.record("n" * segments.LARGEST_HEADER, 1))) < 300)
        recorder.record("x", "a" * most)
        for i in range(3):
            recorder.record("middle", [i] * 700_000)
        recorder.record("after", np.ones(3))
        counts = recorder.counts()
    for name, expected in (("list", {"calls": 1, "failed": 1}), ("x", {"calls": 2, "failed": 1, "kept": 1})):
        expect(f"counts of {name}", expected, counts[name])
    verify(folder, "large")
    for file in (folder / "large").glob("*.safetensors"):
        header = int.from_bytes(file.read_bytes()[:8], "little")
        expect(f"{file.name}: {header} bytes", True, header <= segments.LARGEST_HEADER)
    expect("recover", 0, run(folder, "recover", "large").returncode)
    whole = [(record.name, record.value) for record in records(folder / "large")]
    expect("names", ["before", "x", "middle", "middle", "middle", "after"], [name for name, _ in whole])
    expect("the largest", most, len(whole[1][1]))
    expect("middle", [[i, 700_000] for i in range(3)], [[whole[i + 2][1][-1], len(whole[i + 2][1])] for i in range(3)])


class Pairs(Mapping):
    """A mapping that has keys twice."""

    def __init__(self, *pairs):
        self.pairs = pairs

    def __getitem__(self, key):
        return dict(self.pairs)[key]

    def __iter__(self):
        return (key for key, _ in self.pairs)

    def __len__(self):
        return len(self.pairs)

    def items(self):
        return self.pairs


def nested(levels):
    value = np.ones(1)
    for _ in range(levels):
        value = [value]
    return value


def check_beyond_readers(folder):
    """What C++ refuses to read is refused where it is recorded, and costs no other record."""
    folder = pathlib.Path(folder)
    twice = "a dict in which readers find the key {} twice cannot be recorded. Record it as a list of pairs."
    digits = "(more than 4300 digits) cannot be recorded."
    refused = [
        ({"x": {math.nan: 1, -math.nan: 2}}, f"/x: {twice.format('nan')}"),
        ({math.nan: np.ones(1), 1: 1, float("nan"): np.ones(1)}, f"/: {twice.format('nan')}"),
        # They are one text in JSON.
        ([{"\ud83d\ude00": 1, "\U0001f600": 2}], f"/0: {twice.format(repr(chr(0x1F600)))}"),
        (Pairs(("a", 1), ("a", 2)), f"/: {twice.format(repr('a'))}"),
        (Pairs((1, 1), (True, 2)), f"/: {twice.format('True')}"),
        (
            [np.ma.masked_array([1, 2], [False, True])],
            "/0: a masked array cannot be recorded. Record its data and its mask, or what filled() gives.",
        ),
        ([10**4300], f"/0: an int of 14285 bits {digits} Record it as a text or as bytes."),
        ([1, -(10**4300)], f"/1: an int of 14285 bits {digits} Record it as a text or as bytes."),
        ({"x": {10**4300: 1}}, f"/x: a dict with a key of 14285 bits {digits} Give its keys as texts."),
        (
            nested(201),
            f"{'/0' * 201}: a value that is deeper than 200 levels cannot be recorded. Record its parts under names"
            " of their own.",
        ),
    ]
    accepted = [
        {math.nan: 1, "nan": 2, "nan#2": 3},
        {"\ud83d": 1, "\ude00": np.ones(1), "\U0001f600": 2, "\ufffd": np.ones(1)},
        [10**4300 - 1, 1 - 10**4300, {10**4300 - 1: 1}],
        nested(200),
        np.ones((1,) * 64),
    ]
    recorder = Recorder(folder / "beyond")
    recorder.record("before", 1)
    for limit in (4300, 0):  # Where Python has none either.
        sys.set_int_max_str_digits(limit)
        for value, problem in refused:
            said = raised(ValueError, lambda: recorder.record("bad", value))
            expect(f"{problem[:50]}", f"the record 'bad', at {problem}", said)
    sys.set_int_max_str_digits(4300)
    for value in accepted:
        recorder.record("good", value)
    recorder.close()
    expect("counts", {"calls": 2 * len(refused), "failed": 2 * len(refused)}, recorder.counts()["bad"])
    verify(folder, "beyond")
    found = [record.value for record in records(folder / "beyond")]
    expect("records", 1 + len(accepted), len(found))
    for value, read in zip(accepted, found[1:]):
        expect("as it was", repr(value), repr(read))  # Keys that are NaN are equal to none.


def check_many_keys(folder):
    """The time of a dict is linear in its keys, and so is that of keys and tensors that are named alike."""
    cases = {
        "vocab": lambda count: {f"token{i}": i for i in range(2 * count)},
        "alike": lambda count: {key: 1 for i in range(count) for key in (i, str(i))},
        "halves": lambda count: {chr(0xD800 + i % 1024) + chr(0xD800 + i // 1024): b"" for i in range(count)},
    }

    def least_time(recorder, name, value):
        times = []
        for _ in range(3):
            start = time.thread_time()
            recorder.record(name, value)
            times.append(time.thread_time() - start)
        return min(times)

    with Recorder(pathlib.Path(folder) / "keys") as recorder:
        for name, case in cases.items():
            few, many = least_time(recorder, name, case(1000)), least_time(recorder, name, case(8000))
            # Eight times the keys took 64 times the time, or 100 times in the bytes of a record's many tensors.
            expect(f"{name}: {few:.4f} s for some keys, {many:.4f} s for 8 times as many", True, many < 24 * few)
    verify(folder, "keys")
    counts = [len(record.value) for record in records(pathlib.Path(folder) / "keys")]
    expect("entries", ([2000] * 3 + [16000] * 3) * 2 + [1000] * 3 + [8000] * 3, counts)


def check_many_names(folder):
    """A segment's counts take no time for the names of all those before, of which each lost a call."""

    def least_time(count):
        times = []
        for attempt in range(3):
            with Recorder(pathlib.Path(folder) / f"names{count}-{attempt}", segment_bytes=1, every=2) as recorder:
                start = time.thread_time()
                for i in range(count):
                    recorder.step(1)
                    recorder.record(f"name{i}", 1)
                    recorder.step(2)
                    recorder.record("all", np.ones(1))
                times.append(time.thread_time() - start)
        return min(times)

    few, many = least_time(300), least_time(2400)
    # Eight times the names took 50 times the time.
    expect(f"{few:.3f} s for some names, {many:.3f} s for 8 times as many", True, many < 24 * few)


def check_counts_of_sealed(folder):
    """The record that makes a segment full is none that the segment's counts miss."""
    folder = pathlib.Path(folder)
    recorder = Recorder(folder / "alternately", segment_bytes=1000)
    sealed = folder / "alternately" / "segment-000001.safetensors"
    while not sealed.exists():
        for name in ("s", "t"):
            recorder.record(name, np.ones(25, np.float32))
    with safe_open(sealed, "np") as opened:
        about = json.loads(opened.metadata()["safestructures_recording"])
    expect("counts", {"calls": 10, "kept": 10}, about["counts"])
    expect("nothing is left out", {}, about["left_out"])
    expect("calls of each", {"calls": 6, "kept": 6}, recorder.counts()["t"])
    recorder.close()
    calls = [record.call for record in records(folder / "alternately") if record.name == "t"]
    expect("calls", list(range(6)), calls)


def check_nothing_kept(folder):
    """A recorder that kept nothing says that it was closed, and what became of the calls, to everybody."""
    folder = pathlib.Path(folder)
    recorder = Recorder(folder / "filtered", only="nothing")
    recorder.record("x", 1)
    recorder.close()
    with Recorder(folder / "unused"):
        pass
    subprocess.run([CLI.parent / "interop" / "recordings", folder, "nothing"], check=True)
    filtered = '{"version": 2, "segment": 1, "closed": true, "counts": {"calls": 1, "filtered": 1}, "left_out": '
    filtered += '{"x": {"calls": 1, "filtered": 1}}}'
    unused = '{"version": 2, "segment": 1, "closed": true, "counts": {"calls": 0}, "left_out": {}}'
    for name, about in (("filtered", filtered), ("unused", unused), ("nothing", filtered)):
        file = folder / name / "segment-000001.safetensors"
        expect(f"{name}: files", ["recording.lock", file.name], sorted(os.listdir(folder / name)))
        verify(folder, name)
        with safe_open(file, "np") as opened:
            said = opened.metadata()["safestructures_recording"]
            expect(f"{name}: about", about, re.sub(r'"run": "[0-9a-f]{16}", ', "", said))
        expect(f"{name}: records", [], list(records(folder / name)))
        root = safestructures.load_file(file)
        expect(f"{name}: the package", [[], [], 0], [root.names, root.values, len(root.sequence)])
        for command in ("stats", "verify", "recover", "show"):
            done = run(folder, command, name if command != "show" else file)
            noted = command == "stats" and name != "unused"
            expect(f"{name}: {command}", (0, noted), (done.returncode, "left out or thinned" in done.stderr))
    try:
        with Recorder(folder / "failed") as recorder:
            raise KeyError("no model")
    except KeyError:
        pass
    expect("a program that failed before", ["recording.lock"], os.listdir(folder / "failed"))
    Recorder(folder / "failed").close()


def check_longest_about(folder):
    """What a segment says of names that lost records has room in the header up to a bound, and is left out beyond it."""
    folder = pathlib.Path(folder)

    def about(quotes):
        with Recorder(folder / f"{quotes} quotes", only="nothing") as recorder:
            recorder.record('"' * quotes, 1)  # Nothing takes more room in a header: a quote is four bytes there.
        verify(folder, f"{quotes} quotes")
        with safe_open(folder / f"{quotes} quotes" / "segment-000001.safetensors", "np") as opened:
            return opened.metadata()["safestructures_recording"]

    most = (segments.METADATA_ROOM - segments.PAGE) // 2
    longest = 1 + (most - len(about(1))) // 2
    expect("the longest", {"calls": 1, "filtered": 1}, json.loads(about(longest))["left_out"]['"' * longest])
    beyond = json.loads(about(longest + 1))
    expect("beyond", (None, {"calls": 1, "filtered": 1}), (beyond.get("left_out"), beyond["counts"]))


def check_globs(folder):
    """Globs match what the table says, which C++ reads too, and of ASCII what the system's fnmatch says."""
    table = [line.split("\t") for line in (checks.HERE.parent / "globs.txt").read_text("utf-8").split("\n")]
    table = [row for row in table if len(row) == 3]
    expect("cases", True, len(table) > 70)
    for glob, text, whether in table:
        expect(f"{glob!r} and {text!r}", whether == "yes", globs.matches(glob, text))
    rng = random.Random(11)
    fnmatch = ctypes.CDLL(None).fnmatch
    for _ in range(30000):
        glob, text = ("".join(rng.choices("aabbc*?[]!^-\\/:", k=rng.randrange(most))) for most in (8, 5))
        if globs.matches(glob, text) != (fnmatch(glob.encode(), text.encode(), 0) == 0):
            expect(f"{glob!r} and {text!r}", "as fnmatch", globs.matches(glob, text))
    with Recorder(pathlib.Path(folder) / "globs", only=["a[^b]", "\\*", "?"]) as recorder:
        for name in ("ab", "ac", "*", "\u00e9", "xy"):
            recorder.record(name, 1)
    names = [record.name for record in records(pathlib.Path(folder) / "globs")]
    expect("kept", ["ac", "*", "\u00e9"], names)


def check_no_reserving(folder):
    """A file system that can reserve no room records all the same; a full one is an error."""
    folder = pathlib.Path(folder)
    for number in (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.ENODEV, errno.EPERM):
        name = errno.errorcode[number]
        with mock.patch.object(os, "posix_fallocate", side_effect=OSError(number, os.strerror(number))):
            with Recorder(folder / name) as recorder:
                recorder.record("x", 1)
                recorder.record("y", np.ones(3))
        verify(folder, name)
        expect(f"{name}: records", ["x", "y"], [record.name for record in records(folder / name)])
    with mock.patch.object(os, "posix_fallocate", side_effect=OSError(errno.ENOSPC, "No space left on device")):
        recorder = Recorder(folder / "full")
        said = raised(OSError, lambda: recorder.record("x", 1))
        expect("full", "[Errno 28] No space left on device", said.partition(".")[0])
        raised(OSError, recorder.close)


def check_collected(folder):
    """A recorder that is dropped lets go of its folder."""
    recorder = Recorder(pathlib.Path(folder) / "dropped")
    recorder.record("x", 1)
    expect("while it lives", 2, run(folder, "recover", "dropped").returncode)
    files = len(os.listdir("/proc/self/fd"))
    del recorder
    gc.collect()
    expect("files", files - 3, len(os.listdir("/proc/self/fd")))
    done = run(folder, "recover", "dropped")
    expect("recover", (0, ""), (done.returncode, done.stderr))
    expect("records", [1], [record.value for record in records(pathlib.Path(folder) / "dropped")])


run_checks(
    check_large_headers,
    check_beyond_readers,
    check_many_keys,
    check_many_names,
    check_counts_of_sealed,
    check_nothing_kept,
    check_longest_about,
    check_globs,
    check_no_reserving,
    check_collected,
)
