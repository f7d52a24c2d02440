"""Python's Recorder, given random records under random options, keeps what a plain model of it says."""

import copy
import fnmatch
import pathlib
import random
import threading

import numpy as np
from cli_outcomes import expect, run, run_checks, verify
from safestructures_cpp.recorder import Recorder, records

SEEDS = 40
DTYPES = ["f4", "f4", "f8", "f2", "i4", "i8", "u1", "u8", "?", "c8", "c16", "i2", "u4", "i1", ">f4", ">i4"]


def random_array(rng):
    dtype = np.dtype(rng.choice(DTYPES))
    shape = [rng.choice([0, 1, 2, 3, 4, 8, 17]) for _ in range(rng.randrange(4))]
    if rng.random() < 0.1:
        shape = [rng.randrange(6000)]
    numbers = np.random.default_rng(rng.randrange(2**32)).normal(size=shape) * 20
    array = np.asarray(abs(numbers) if dtype.kind in "ub" else numbers).astype(dtype)
    if array.size and dtype.kind == "f" and rng.random() < 0.2:
        array.flat[0] = rng.choice([np.nan, np.inf])
    if array.ndim >= 2 and rng.random() < 0.4:
        array = array.T
    if array.ndim and rng.random() < 0.3:
        array = rng.choice([array[::2], array[::-1], np.broadcast_to(array, (3, *array.shape))])
    return array


def random_value(rng, depth=0):
    choice = rng.randrange(9 if depth > 2 else 12)
    if choice < 5:
        return random_array(rng)
    if choice < 9:
        return rng.choice([0.5, 1e300, float("inf"), 1, 2**70, True, None, "", "ü€" * 3, b"abc", 1 + 2j])
    if choice == 9:
        return {rng.choice(["a", "b", 3, 1.5, None]): random_value(rng, depth + 1) for _ in range(rng.randrange(4))}
    items = [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return items if choice == 10 else tuple(items)


def is_same(given, found):
    if isinstance(given, np.ndarray):
        native = given.astype(given.dtype.newbyteorder("="))
        if native.dtype == np.complex128:
            native = np.stack([native.real, native.imag], -1)
        same_kind = isinstance(found, np.ndarray) and (native.dtype, native.shape) == (found.dtype, found.shape)
        return same_kind and native.tobytes() == found.tobytes()
    if type(given) is not type(found):
        return False
    if isinstance(given, dict):
        return list(given) == list(found) and all(is_same(given[key], found[key]) for key in given)
    if isinstance(given, (list, tuple)):
        return len(given) == len(found) and all(map(is_same, given, found))
    return given == found


class Model:
    """What a recorder must have kept: (name, step, call, value) of each record."""

    def __init__(self, only, every):
        self.only, self.every = only, every
        self.kept, self.calls, self.step = [], {}, 0

    def record(self, name, step, value):
        call = self.calls.get(name, 0)
        self.calls[name] = call + 1
        if step % self.every == 0 and any(fnmatch.fnmatchcase(name, glob) for glob in self.only):
            self.kept.append((name, step, call, copy.deepcopy(value)))


def act(rng, recorder, model, count):
    """What one thread does: calls in nested scopes."""
    levels = []
    for _ in range(count):
        choice = rng.randrange(14)
        if choice == 0:
            model.step = rng.randrange(-2, 9)
            recorder.step(model.step)
        elif choice in (1, 2) and len(levels) < 3:
            name, step = (rng.choice(["enc", "a"]), None) if choice == 1 else (None, rng.randrange(9))
            scope = recorder.scope(name) if choice == 1 else recorder.step_scope(step)
            scope.__enter__()
            levels.append((scope, name, step))
        elif choice == 3 and levels:
            levels.pop()[0].__exit__(None, None, None)
        elif choice > 3:
            leaf, value = rng.choice(["a", "b", "layer.0"]), random_value(rng)
            steps = [step for _, _, step in levels if step is not None]
            name = ".".join([*(name for _, name, _ in levels if name), leaf])
            model.record(name, steps[-1] if steps else model.step, value)
            recorder.record(leaf, value)
            if isinstance(value, np.ndarray) and value.flags.writeable:
                value[...] = 0  # The recorder has its own copy.
    while levels:
        levels.pop()[0].__exit__(None, None, None)


def check_read(folder, name, kept):
    """Python and the tool read all that the model kept."""
    found = list(records(pathlib.Path(folder) / name))
    expect(f"{name}: records", [one[:3] for one in kept], [(one.name, one.step, one.call) for one in found])
    for given, record in zip(kept, found):
        expect(f"{name}: {given[:3]}: {given[3]!r} and {record.value!r}", True, is_same(given[3], record.value))
    verify(folder, name)
    done = run(folder, "recover", name)
    expect(f"{name}: nothing to recover", (0, ""), (done.returncode, done.stderr))
    arrays = [one for one in kept if isinstance(one[3], np.ndarray) and one[3].ndim]
    if arrays:
        record, step, call, value = arrays[-1]
        written = run(folder, "get", name, record, "--call", str(call), "-o", "value.npy")
        expect(f"{name}: get {record}", (0, ""), (written.returncode, written.stderr))
        array = np.load(pathlib.Path(folder) / "value.npy")
        expect(f"{name}: {record} step {step}: {value!r} and {array!r}", True, is_same(value, array))


def check_model(folder):
    for seed in range(SEEDS):
        rng = random.Random(seed)
        only = rng.choice([("*",), ("*",), ("a*", "enc.*"), ("?",)])
        model = Model(only, rng.choice([1, 1, 2, 3]))
        bytes_ = rng.choice([1, 5000, 100000, 1 << 28])
        name = f"seed{seed}"
        with Recorder(pathlib.Path(folder) / name, only=only, every=model.every, segment_bytes=bytes_) as recorder:
            for _ in range(rng.randrange(1, 4)):
                thread = threading.Thread(target=act, args=(rng, recorder, model, rng.randrange(40)))
                thread.start()
                thread.join()
        check_read(folder, name, model.kept)


run_checks(check_model)
