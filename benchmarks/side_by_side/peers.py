"""Python's side of the comparison: `peers.py PEER WORKLOAD ACTION FILE` does one thing, once.

Prints {"ns": ..., "peak": ...} as the C++ worker does (measure.hpp), or {"missing": reason}.
"""

import functools
import gzip
import importlib
import json
import mmap
import pathlib
import pickle
import statistics
import sys
import time

import numpy as np
from data import BYTES, MIB, data_of, in_f32
from records import RECORDINGS, RECORDS


def status(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def warm_memory(size):
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        view = np.frombuffer(memory, dtype=np.uint8)
        view[::4096] = 1
        del view


def measure(size, run):
    warm_memory(size)
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS:")
    start = time.perf_counter_ns()
    result = run()
    ns = time.perf_counter_ns() - start
    print(json.dumps({"ns": ns, "peak": status("VmHWM:") - before}))
    return result


def measure_each(prepare, run):
    times = []
    for _ in range(500):
        prepare()
        start = time.perf_counter_ns()
        run()
        times.append(time.perf_counter_ns() - start)
    print(json.dumps({"ns": int(statistics.median(times)), "peak": 0}))


# ---- peers: a class each, with the actions it has ----


class Safetensors:
    def __init__(self):
        self.numpy = importlib.import_module("safetensors.numpy")
        self.safe_open = importlib.import_module("safetensors").safe_open

    def save(self, data, file):
        self.numpy.save_file(data, file)

    def save_converted(self, data, file):
        self.numpy.save_file(in_f32(data), file)

    def load(self, file):
        return self.numpy.load_file(file)

    def open(self, file):
        return self.safe_open(file, "np")

    def touch(self, file):
        with self.safe_open(file, "np") as opened:
            for name in opened.keys():
                opened.get_tensor(name).reshape(-1)[::1024].sum()

    def open_shards(self, file):
        return [self.open(f"{file}-{i:05}-of-00010.safetensors") for i in range(1, 11)]

    def slice(self, file):
        with self.safe_open(file, "np") as opened:
            return opened.get_slice("weight")[:, 1000:1100]

    def dumps(self, data):
        return self.numpy.save(data)

    def loads(self, data):
        return self.numpy.load(data)


class Safestructures:
    def __init__(self):
        self.package = importlib.import_module("safestructures")

    def save(self, data, file):
        self.package.save_file(data, file)

    def save_converted(self, data, file):
        self.package.save_file(in_f32(data), file)

    def load(self, file):
        return self.package.load_file(file)

    def record(self, count, size, folder):
        """A file for each call, from a hundred layers."""
        folder = pathlib.Path(folder)
        folder.mkdir()
        layers = [np.ones(size // 4, np.float32) for _ in range(min(count, 100))]

        def run():
            for i in range(count):
                layer = i % len(layers)
                self.save(layers[layer], folder / f"layer{layer}.{i // len(layers)}.safetensors")

        measure(2 * count * size, run)


class Pickle:
    def save(self, data, file):
        with open(file, "wb") as out:
            pickle.dump(data, out, protocol=5)

    def load(self, file):
        with open(file, "rb") as source:
            return pickle.load(source)

    def dumps(self, data):
        return pickle.dumps(data, protocol=5)

    def loads(self, data):
        return pickle.loads(data)


class Numpy:
    """npy for one array, npz for several."""

    def save(self, data, file):
        with open(file, "wb") as out:
            if isinstance(data, dict) and len(data) == 1:
                np.save(out, next(iter(data.values())))
            else:
                np.savez(out, **data)

    def save_converted(self, data, file):
        self.save(in_f32(data), file)

    def load(self, file):
        loaded = np.load(file)
        return loaded if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded}

    def slice(self, file):
        """From the .safetensors file, as a plain mapping: the best NumPy can do."""
        mapped = np.memmap(file, np.float32, "r", offset=4096, shape=(16384, 16384))
        return np.ascontiguousarray(mapped[:, 1000:1100])


class Torch:
    def __init__(self):
        self.torch = importlib.import_module("torch")

    def tensors(self, data):
        if isinstance(data, dict):
            return {name: self.tensors(item) for name, item in data.items()}
        if isinstance(data, list):
            return [self.tensors(item) for item in data]
        return self.torch.from_numpy(data) if isinstance(data, np.ndarray) else data

    prepare = tensors

    def save(self, data, file):
        self.torch.save(data, file)

    def load(self, file):
        return self.torch.load(file)


class Records:
    """A record of Burn as a Python program would write it: a dict, its tensors as bytes."""

    def record(self, count, floats):
        numbers = np.arange(count * floats, dtype=np.uint32) * np.uint32(2654435761) >> np.uint32(8)
        rows = (numbers.astype(np.float32) / np.float32(16777216) - np.float32(0.5)).reshape(count, floats)
        parameters = [
            {"id": "0000000000000", "param": {"bytes": self.elements(row), "shape": [floats], "dtype": "F32"}}
            for row in rows
        ]
        metadata = {name: "x" for name in ("float", "int", "format", "version", "settings")}
        return {"metadata": metadata, "item": {"layers": parameters}, "_b": None}

    def arrays(self, record):
        if isinstance(record, list):  # W14, which has no arrays
            return record
        parameters = record["item"]["layers"]
        return [self.array(one["param"]["bytes"]) for one in parameters]

    def path(self, file, kind):
        return f"{file}.{kind.replace('_', '.')}"

    def save(self, record, path):
        data = self.dumps(record)
        if path.endswith(".gz"):
            data = gzip.compress(data, compresslevel=6)
        pathlib.Path(path).write_bytes(data)

    def load(self, path):
        data = pathlib.Path(path).read_bytes()
        return self.arrays(self.loads(gzip.decompress(data) if path.endswith(".gz") else data))

    def run(self, workload, action, file):
        """`save_KIND` or `load_KIND`, after the same with a small record."""
        action, kind = action.split("_", 1)
        count, floats = RECORDS[workload]
        small = self.path(f"{file}-small", kind)
        self.save(self.record(2, 8), small)
        self.load(small)
        pathlib.Path(small).unlink()
        path = self.path(file, kind)
        if action == "save":
            record = self.record(count, floats)
            measure(80 * count * floats, lambda: self.save(record, path))
        else:
            measure(80 * count * floats, lambda: self.load(path))


class Msgpack(Records):
    def __init__(self):
        self.msgpack = importlib.import_module("msgpack")

    def elements(self, row):
        return row.tobytes()

    def array(self, elements):
        return np.frombuffer(elements, np.float32)

    def dumps(self, record):
        return self.msgpack.packb(record)

    def loads(self, data):
        return self.msgpack.unpackb(data)


class Json(Records):
    """Bytes are lists of numbers, as Burn spells them."""

    def elements(self, row):
        return list(row.tobytes())

    def array(self, elements):
        return np.frombuffer(bytes(elements), np.float32)

    def dumps(self, record):
        return json.dumps(record).encode()

    def loads(self, data):
        return json.loads(data)


PEERS = {
    "safetensors": Safetensors,
    "safestructures": Safestructures,
    "pickle": Pickle,
    "numpy": Numpy,
    "torch": Torch,
    "msgpack": Msgpack,
    "json": Json,
}


def main():
    peer_name, workload, action, file = sys.argv[1:]
    try:
        peer = PEERS[peer_name]()
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    if action == "available":
        print(json.dumps({"version": getattr(importlib.import_module(peer_name), "__version__", "")}))
        return
    if workload in RECORDS:
        peer.run(workload, action, file)
        return
    if workload in RECORDINGS:
        peer.record(*RECORDINGS[workload], file)
        return
    size = BYTES.get(workload, 256 * MIB)
    small_file = f"{file}.small"
    if workload == "W13":
        data = data_of(workload)[1]
        peer.save(data, file)
        if action == "save":
            remove = functools.partial(pathlib.Path(file).unlink, missing_ok=True)
            measure_each(remove, lambda: peer.save(data, file))
        else:
            measure_each(lambda: None, lambda: peer.load(file))
    elif action in ("save", "save_converted"):
        small, data = map(getattr(peer, "prepare", lambda data: data), data_of(workload))
        save = getattr(peer, action)
        save(small, small_file)
        measure(size, lambda: save(data, file))
        pathlib.Path(small_file).unlink()
    elif action == "load" and (data := data_of(workload)) is not None:
        small = data[0]
        del data
        peer.save(getattr(peer, "prepare", lambda data: data)(small), small_file)
        peer.load(small_file)
        pathlib.Path(small_file).unlink()
        measure(size + size // 2, lambda: peer.load(file))
    elif action == "dumps":
        data = data_of(workload)[1]
        peer.dumps(data)
        measure(2 * size, lambda: peer.dumps(data))
    elif action == "loads":
        saved = peer.dumps(data_of(workload)[1])
        measure(2 * size, lambda: peer.loads(saved))
    else:
        measure(size, lambda: getattr(peer, action)(file))


if __name__ == "__main__":
    main()
