"""The data of the workloads for the peers in Python, as data.hpp has them for those in C++."""

import dataclasses

import numpy as np

MIB = 1 << 20
GIB = 1 << 30
FLOATS = GIB // 4


@dataclasses.dataclass
class Particle:
    x: float
    y: float
    z: float
    vx: float
    vy: float
    vz: float
    mass: float
    kind: int


@dataclasses.dataclass
class Tiny:
    step: int
    loss: float
    run: str
    position: np.ndarray


def numbers(count, dtype=np.float32):
    return np.tile(np.arange(256, dtype=dtype), -(-count // 256))[:count]


def tensors(count, floats):
    every = numbers(count * floats).reshape(count, floats)
    return {f"layers.{i:06}.weight": every[i] for i in range(count)}


def samples(count):
    return [
        {
            "id": i,
            "score": i * 0.37,
            "label": f"sample number {i}",
            "valid": i % 2 == 0,
            "features": np.full(1024, i, dtype=np.float32),
        }
        for i in range(count)
    ]


def particles(count):
    return [Particle(i, i + 1.0, i + 2.0, 0.1 * i, 0.2 * i, 0.3 * i, 1.5, 7) for i in range(count)]


def readings(count):
    return [
        {
            "id": i,
            "score": i * 0.37,
            "label": f"sample number {i}",
            "valid": i % 2 == 0,
            "counts": [i, i + 1, i + 2, i + 3, i + 4],
        }
        for i in range(count)
    ]


def half_data(count):
    return {"weight": numbers(count, np.float16)}


def double_data(count):
    return {"weight": numbers(count, np.float64)}


# By workload: (small, all).
DATA = {
    "W1": lambda: ({"weight": numbers(8)}, {"weight": numbers(FLOATS)}),
    "W2": lambda: (tensors(2, 8), tensors(1000, MIB // 4)),
    "W3": lambda count=100_000: (tensors(2, 16), tensors(count, 16)),
    "W4": lambda: (samples(3), samples(2000)),
    "W5": lambda: (half_data(8), half_data(GIB // 4)),
    "W6": lambda: (double_data(8), double_data(GIB // 16)),
    "W8": lambda: ({"weight": numbers(8)}, {"weight": numbers(FLOATS)}),
    "W9": lambda: ({"weight": numbers(8)}, {"weight": numbers(FLOATS)}),
    "W12": lambda: (particles(3), particles(100_000)),
    "W13": lambda: (None, Tiny(1000, 0.125, "first", np.arange(4, dtype=np.float32))),
    "W14": lambda count=5000: (readings(3), readings(count)),
}


def data_of(workload):
    """(small, all), or nothing. `W14-50000` is W14 with so many items."""
    name, *counts = workload.split("-")
    return DATA[name](*map(int, counts)) if name in DATA else None


BYTES = {"W1": GIB, "W2": GIB, "W5": GIB, "W8": GIB, "W9": GIB, "W6": GIB // 4, "W12": GIB}


def in_f32(data):
    """What a peer has to do that cannot store another dtype than it is given."""
    if isinstance(data, dict):
        return {name: array.astype(np.float32) for name, array in data.items()}
    return data
