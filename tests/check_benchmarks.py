#!/usr/bin/env python3
"""check_benchmarks.py BIN: what the sweeps measure runs and finds what it should, with little of it.

What is measured checks its own outcome (benchmarks/side_by_side/measure.hpp, `require`), and tells of
its time in a line of JSON.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

FAULTS = []


def measured(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    said = " ".join(str(word) for word in words[1:])
    try:
        nanoseconds = json.loads(done.stdout)["ns"]
    except (ValueError, KeyError):
        nanoseconds = 0
    if done.returncode != 0 or nanoseconds <= 0:
        FAULTS.append(f"{pathlib.Path(words[0]).name} {said}: {done.returncode}, {done.stdout!r}, {done.stderr!r}")
    return 1


def records(program, folder):
    """Recordings that are made, opened, compared; layers differ from the fiftieth on."""
    count = 0
    for dtype, actions in (("f32", ("read", "equal", "different", "least", "least_at_once")), ("f16", ("read", "equal", "different"))):
        for size, number in ((256, 270), (64 << 10, 60)):
            runs = folder / f"runs-{dtype}-{size}"
            for action in ("prepare", *actions):
                count += measured(program, action, runs, size, number, dtype)
    for action in ("copy", "write", "write_given", "hot_path", "record_moved", "record_within_memory", "record", "open", "find"):
        run = folder / ("record" if action in ("open", "find") else action)
        count += measured(program, action, run, 256, 270, "f32")
    return count


def tensors(program, folder):
    count = 0
    for dtype in ("f32", "f64", "f16", "bf16"):
        for kind in ("vector", "row", "column", "tensor"):
            for action in ("save", "load"):
                count += measured(program, action, dtype, kind, folder / f"{dtype}-{kind}", 1024, 20)
    return count


def peers(program, folder):
    return sum(measured(program, peer, folder / peer, 30, 256) for peer in ("hdf5", "npy", "cereal"))


def main():
    programs = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        count = records(programs / "sweep_records", folder) + tensors(programs / "sweep", folder)
        # It is left out where the peers are not installed.
        if (programs / "recorders").exists():
            count += peers(programs / "recorders", folder)
    print("\n".join([*FAULTS, f"check_benchmarks.py: {count} outcomes, {len(FAULTS)} failures"]))
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
