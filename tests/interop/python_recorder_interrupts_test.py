"""An interrupt, wherever in Python's Recorder it comes, costs the record that was being written and no other."""

import contextlib
import json
import linecache
import pathlib
import shutil
import signal
import sys
import threading
from unittest import mock

import numpy as np
from cli_outcomes import expect, raised, run_checks, verify
from safestructures_cpp import counts, recorder, segments
from safestructures_cpp.recorder import Recorder, records
from safetensors import safe_open

FILES = {module.__file__ for module in (counts, recorder, segments)}
#: Two of a name; with segments of 30 bytes each third begins a new one.
NAMES = ("a", "b", "a", "c", "b", "d")


class Interrupted(Exception):
    """What a program's own handler may raise."""


def value_of(number):
    return {"x": np.full(3, number, np.float32), "y": np.full(2, number, np.uint8)}


def is_whole(line):
    """Whether Python tells of a line where it lets no signal come: at the ends of `with`, which it leaves out then."""
    return line.strip() in ("try:", "with self._mutex:")


def interrupted_at(line, work, interrupt=KeyboardInterrupt):
    """Calls `work`, interrupted before the line of that number that the recorder runs; whether that was there."""
    lines = 0

    def traced(frame, event, _):
        nonlocal lines
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line" and not is_whole(linecache.getline(frame.f_code.co_filename, frame.f_lineno)):
            lines += 1
            if lines == line:
                sys.settrace(None)
                raise interrupt
        return traced

    # Python tells of one that comes where an object is destroyed.
    sys.unraisablehook, hook = (lambda _: None), sys.unraisablehook
    sys.settrace(traced)
    try:
        work()
    except interrupt:
        pass
    finally:
        sys.settrace(None)
        sys.unraisablehook = hook
    return lines >= line


def check_one(folder, interrupted, line):
    """Records, of which the one of that number is interrupted, the last number being that of `close`."""
    where = f"record {interrupted}, line {line}"
    recorded = Recorder(folder / "run", segment_bytes=30)
    was_interrupted = False
    for i, name in enumerate(NAMES):
        if i == interrupted:
            was_interrupted = interrupted_at(line, lambda: recorded.record(name, value_of(i)))
        else:
            recorded.record(name, value_of(i))
    if interrupted == len(NAMES):
        was_interrupted = interrupted_at(line, recorded.close)
    recorded.close()
    if line % 5 == 0:  # It is the slowest part.
        verify(folder, "run")
    expect(f"{where}: files", [], [file.name for file in folder.glob("run/*.[jp]*")])
    found = list(records(folder / "run"))
    numbers = [int(record.value["x"][0]) for record in found]
    every = list(range(len(NAMES)))
    without = [i for i in every if i != interrupted]
    expect(f"{where}: records", True, numbers in (every, without))
    expect(f"{where}: names", [NAMES[i] for i in numbers], [record.name for record in found])
    expect(f"{where}: values", True, all(np.all(one.value["y"] == i) for i, one in zip(numbers, found)))
    expect(f"{where}: sequence", list(range(len(found))), [record.sequence for record in found])
    calls = [(record.name, record.call) for record in found]
    expect(f"{where}: calls", len(calls), len(set(calls)))
    counted = recorded.counts()
    kept = {name: sum(NAMES[i] == name for i in numbers) for name in set(NAMES)}
    expect(f"{where}: kept", kept, {name: counted.get(name, {}).get("kept", 0) for name in kept})
    last = max(folder.glob("run/*.safetensors"))
    with safe_open(last, "np") as opened:
        about = json.loads(opened.metadata()["safestructures_recording"])
    sums = {what: sum(one.get(what, 0) for one in counted.values()) for what in ("calls", "kept")}
    said = {key: about["counts"][key] for key in sums}
    expect(f"{where}: what the last segment says", (True, sums), (about["closed"], said))
    lost = sum(one["calls"] - one.get("kept", 0) for one in counted.values())
    expect(f"{where}: at most one is lost", True, lost <= len(NAMES) - len(found))
    return was_interrupted


def check_interrupts(folder):
    """Wherever it comes: while a segment begins, in its middle, while it is sealed, and in `close`."""
    folder = pathlib.Path(folder) / "interrupts"
    folder.mkdir()
    for interrupted in (0, 1, 2, 4, len(NAMES)):
        line = 0
        while True:
            line += 1
            was_interrupted = check_one(folder, interrupted, line)
            shutil.rmtree(folder / "run")
            if not was_interrupted:
                break
        expect(f"record {interrupted}: lines", True, line > 20)


def check_handlers(folder):
    """What a signal's handler raises, an OSError among it, ends no recording either."""
    folder = pathlib.Path(folder) / "handlers"
    folder.mkdir()
    for interrupt in (TimeoutError, Interrupted):
        line = 0
        was_interrupted = True
        while was_interrupted:
            line += 1
            with Recorder(folder / f"{interrupt.__name__}{line}") as recorded:
                was_interrupted = interrupted_at(line, lambda: recorded.record("a", value_of(0)), interrupt)
                recorded.record("b", value_of(1))
            last = [record.name for record in records(folder / f"{interrupt.__name__}{line}")][-1]
            expect(f"{interrupt.__name__}, line {line}", ("b", 1), (last, recorded.counts()["b"].get("kept")))
        expect(f"{interrupt.__name__}: lines", True, line > 20)


def check_interrupted_close(folder):
    """Who closes a recorder and is interrupted closes it again: nothing is recorded any more."""
    folder = pathlib.Path(folder) / "close"
    recorded = Recorder(folder)
    recorded.record("a", value_of(0))
    with mock.patch.object(pathlib.Path, "rename", side_effect=KeyboardInterrupt):
        expect("close", "", raised(KeyboardInterrupt, recorded.close))
    expect("record", "the recorder is closed", raised(ValueError, lambda: recorded.record("b", value_of(1))))
    recorded.close()
    verify(folder.parent, "close")
    expect("records", ["a"], [record.name for record in records(folder)])


@contextlib.contextmanager
def handler_inside(handler):
    """What is recorded inside is interrupted by a signal, whose handler calls `handler`, before it is written."""
    write = segments.write_all

    def interrupted(*given):
        segments.write_all = write
        signal.raise_signal(signal.SIGUSR1)
        write(*given)

    before = signal.signal(signal.SIGUSR1, lambda *_: handler())
    segments.write_all = interrupted
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)
        segments.write_all = write


class Recording(dict):
    """A dict that records when it is looked at."""

    def __init__(self, recorded):
        super().__init__(x=np.ones(2))
        self.recorded = recorded

    def items(self):
        self.recorded.record("inner", {"x": np.zeros(2)})
        return super().items()


def check_inside(folder):
    """What a value does when it is looked at, and a signal's handler, record nothing inside a record."""
    folder = pathlib.Path(folder) / "inside"
    said = "record was called while this thread was recording, from code of the value or from a signal handler: call it"
    said += " when the first call has returned"
    with Recorder(folder) as recorded:
        problem = raised(ValueError, lambda: recorded.record("a", Recording(recorded)))
        expect("a value", True, f"which cannot be read (RuntimeError: {said})" in problem)
        handled = []
        with handler_inside(lambda: handled.append(raised(RuntimeError, lambda: recorded.record("handler", 1)))):
            recorded.record("b", value_of(1))
        expect("a handler", [said], handled)
        with handler_inside(lambda: handled.append(recorded.counts())):
            recorded.record("b", value_of(1))
        expect("counts inside", {"calls": 1, "kept": 1}, handled[1]["b"])
        recorded.record("c", value_of(2))
    verify(folder.parent, "inside")
    # Where JAX is there it was looked at before, too.
    expect("records", ["b", "b", "c"], [record.name for record in records(folder) if record.name != "inner"])
    expect("counts", {"calls": 1, "failed": 1}, recorded.counts()["a"])
    expect("counts", {"calls": 2, "kept": 2}, recorded.counts()["b"])


def check_closed_inside(folder):
    """A signal's handler may close the recorder inside a record, and end the program: that record is written."""
    folder = pathlib.Path(folder)
    for ends in (False, True):
        recorded = Recorder(folder / f"ends {ends}", segment_bytes=30)
        recorded.record("a", value_of(0))

        def end():
            recorded.close()
            if ends:
                raise SystemExit

        with handler_inside(end):
            said = raised(SystemExit, lambda: recorded.record("b", value_of(1)))
        expect(f"ends {ends}", "" if ends else "no SystemExit", said)
        expect("record", "the recorder is closed", raised(ValueError, lambda: recorded.record("c", 1)))
        verify(folder, f"ends {ends}")
        expect("records", ["a"] if ends else ["a", "b"], [record.name for record in records(folder / f"ends {ends}")])
        recorded.close()


@contextlib.contextmanager
def called_first(holder, name, first):
    """Inside, the function of that name calls `first` the first time that it is called."""
    function = getattr(holder, name)

    def replaced(*given, **named):
        setattr(holder, name, function)
        first()
        return function(*given, **named)

    setattr(holder, name, replaced)
    try:
        yield
    finally:
        setattr(holder, name, function)


def check_closed_twice(folder):
    """Two threads that close a recorder, or a signal's handler and who it interrupts, close it once."""
    folder = pathlib.Path(folder)
    files = ["recording.lock", "segment-000001.safetensors"]

    def recorder_of(name):
        recorded = Recorder(folder / name)
        recorded.record("a", value_of(0))
        return recorded

    recorded = recorder_of("threads")
    others = [threading.Thread(target=recorded.close) for _ in range(2)]

    def begin_and_wait():
        others[0].start()
        others[0].join(0.2)  # It waits for this one.

    with called_first(segments.Segment, "seal", begin_and_wait):
        recorded.close()
    others[0].join()
    others[1].start()
    others[1].join()

    handled = recorder_of("handled")
    with called_first(handled, "_wait_for_callbacks", handled.close):
        handled.close()

    # Where `counts` is interrupted, too.
    counted = recorder_of("counted")
    with called_first(counted._counts, "by_name", counted.close):
        expect("counts", {"a": {"calls": 1, "kept": 1}}, counted.counts())
    for name in ("threads", "handled", "counted"):
        expect(f"{name}: files", files, sorted(file.name for file in (folder / name).iterdir()))
        verify(folder, name)


run_checks(
    check_interrupts,
    check_handlers,
    check_interrupted_close,
    check_inside,
    check_closed_inside,
    check_closed_twice,
)
