"""What the tests of `report` look at: names that would be markup, and runs that differ."""

import pathlib
import shutil
import subprocess

import checks
import numpy as np
from safestructures_cpp.recorder import Recorder

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "<img src=x onerror=alert(1)>",
    '"\'`${alert(1)}\\',
    "line\u2028paragraph\u2029\x00\x1b[2J",
    "\u202eright to left",
    "@DATA@@SCRIPT@",
]


def two_runs(folder):
    """Runs of 3 steps and 12 layers, the last record's name hostile; in one, layer 5 adds an error."""
    for name in ("a", "b"):
        rng = np.random.default_rng(0)
        with Recorder(pathlib.Path(folder) / name) as recorder:
            for step in range(3):
                recorder.step(step)
                x = rng.standard_normal((8, 16)).astype(np.float32)
                for i in range(12):
                    x = np.tanh(x * np.float32(1.1))
                    if name == "a" and i == 5:
                        x[:, 3] += np.float32(0.01)
                    recorder.record(f"net.layer{i}.out", x)
                recorder.record(HOSTILE[step], {"x": x, "n": step})


SCORES = HOSTILE[3]


def suspicious_runs(folder):
    """Runs `ported`, `reference` and `exact`, the last in double precision. In the first numbers are
    rounded up, scores of a hostile name miss their scale, which `late` passes on, and in step 1
    `guessed`, whose input is not recorded, adds an error of 10 %."""
    for name in ("ported", "reference", "exact"):
        is_ported = name == "ported"
        dtype = np.float64 if name == "exact" else np.float32
        rng = np.random.default_rng(0)
        with Recorder(pathlib.Path(folder) / name) as recorder:
            for step in range(2):
                x = rng.standard_normal((16, 64)).astype(np.float32)
                other = rng.standard_normal((3, 64)).astype(np.float32)
                error = np.float32(0.1) * rng.standard_normal((3, 64)).astype(np.float32)
                if is_ported:
                    x = np.nextafter(x, np.float32(np.inf))
                    other = other + error * np.float32(step)
                recorder.step(step)
                recorder.record("calm", x.astype(dtype))
                recorder.record("guessed", other.astype(dtype))
                recorder.record(f"{SCORES}.input", x.astype(dtype))
                scores = x.astype(dtype) / dtype(1 if is_ported else 8)
                recorder.record(SCORES, scores)
                recorder.record("late.input", scores)
                recorder.record("late", np.tanh(scores))


def many_culprits(folder, layers):
    """Runs `wrong` and `right`: each layer of the first adds an error of its own."""
    for name in ("wrong", "right"):
        with Recorder(pathlib.Path(folder) / name) as recorder:
            for i in range(layers):
                recorder.record(f"net.{i}.input", np.ones(4, np.float32))
                recorder.record(f"net.{i}", np.full(4, 1 + (name == "wrong") * (i + 1) / layers, np.float32))


def other_values(folder):
    """Runs `cats` and `dogs`: a text differs, and so does what comes out of it, and a shape."""
    for name, size in (("cats", 2), ("dogs", 3)):
        with Recorder(pathlib.Path(folder) / name) as recorder:
            recorder.record("x", np.ones(3, np.float32))
            recorder.record("label", name)
            recorder.record("embedding", np.full(3, size, np.float32))
            recorder.record("padded", np.ones(size, np.float32))


def uneven_runs(folder):
    """Runs `late` and `early`: `early` called its layer once more before, with another shape.

    Of the last call one number differs.
    """
    for name, calls in (("late", ([2, 2, 2], [3, 3, 4])), ("early", ([9, 9], [2, 2, 2], [3, 3, 3]))):
        with Recorder(pathlib.Path(folder) / name) as recorder:
            recorder.record("input", np.ones(3, np.float32))
            for numbers in calls:
                recorder.record("layer", np.array(numbers, np.float32))


def statistics_runs(folder):
    """Runs `few` and `many`: of `brief` the first kept statistics, and the second has a larger maximum."""
    folder = pathlib.Path(folder)
    subprocess.run([checks.cli().parent / "interop" / "recordings", folder, "kept"], check=True)
    shutil.move(folder / "kept", folder / "few")
    with Recorder(folder / "many") as recorder:
        recorder.record("whole", np.float32([0, 1, -2, 1e30]))
        recorder.record("brief", {"x": np.float32([0, 1, -2, 2e30])})
