"""An interrupt, wherever in Python's Recorder it comes, costs the record that was being written and no other."""

import pathlib
import shutil
import sys

import numpy as np
from cli_outcomes import expect, run_checks, verify
from safestructures_cpp import counts, recorder, segments
from safestructures_cpp.recorder import Recorder, records

FILES = {module.__file__ for module in (counts, recorder, segments)}
#: Two of a name; with segments of 30 bytes each third begins a new one.
NAMES = ("a", "b", "a", "c", "b", "d")


class Interrupted(Exception):
    """What a program's own handler may raise."""


def value_of(number):
    return {"x": np.full(3, number, np.float32), "y": np.full(2, number, np.uint8)}


def interrupted_at(line, work, interrupt=KeyboardInterrupt):
    """Calls `work`, interrupted before the line of that number that the recorder runs; whether that was there."""
    lines = 0

    def traced(frame, event, _):
        nonlocal lines
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
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


run_checks(check_interrupts, check_handlers)
