"""The twin of transformer.cpp in NumPy and its reference: the same model, recorded in the same way.

python transformer.py JOB FOLDER KIND, where KIND is float or half, or float-exact or half-exact for
the same weights in double precision.
"""

import dataclasses
import math
import pathlib
import sys

import numpy as np
import safestructures


@dataclasses.dataclass
class Segment:
    """What a C++ recorder writes: the properties of the records, in columns, and their values."""

    names: list
    sequence: np.ndarray
    step: np.ndarray
    call: np.ndarray
    time: np.ndarray
    name: np.ndarray
    thread: np.ndarray
    value: np.ndarray
    row: np.ndarray
    kept: np.ndarray
    values: list


class Recorder:
    """Writes a recording of one segment that the C++ side reads."""

    def __init__(self):
        self.calls = {}  # The number of calls, by name.
        self.records = []  # (position of the name, step, call) of each record.
        self.values = []
        self.step = 0

    def record(self, name, value):
        call = self.calls.get(name, 0)
        self.calls[name] = call + 1
        self.records.append((list(self.calls).index(name), self.step, call))
        self.values.append(value)

    def close(self, folder):
        folder.mkdir(parents=True)
        names, steps, calls = zip(*self.records)
        count = len(self.values)
        zeros = [0] * count
        segment = Segment(
            names=list(self.calls),
            sequence=np.arange(count, dtype=np.uint64),
            step=np.array(steps, np.int64),
            call=np.array(calls, np.uint64),
            time=np.array(zeros, np.int64),
            name=np.array(names, np.uint32),
            thread=np.array(zeros, np.uint32),
            value=np.arange(count, dtype=np.uint32),
            row=np.full(count, -1, np.int32),
            kept=np.array(zeros, np.uint8),
            values=self.values,
        )
        safestructures.save_file(
            segment,
            folder / "segment-000001.safetensors",
            metadata={"safestructures_recording": '{"version": 2, "closed": true}'},
        )


class Run:
    def __init__(self, job, recorder, kind):
        self.job = job
        self.recorder = recorder
        self.is_half = kind.startswith("half")
        self.dtype = np.float64 if kind.endswith("exact") else np.float16 if self.is_half else np.float32
        self.work = np.float64 if kind.endswith("exact") else np.float32

    def weight(self, array):
        """Returns a weight as it is stored: rounded if the run is in half precision, even if it is half-exact."""
        return (array.astype(np.float16) if self.is_half else array).astype(self.work)

    def rounded(self, array):
        return array.astype(self.dtype).astype(self.work)

    def record(self, name, value):
        convert = lambda x: np.ascontiguousarray(x.astype(self.dtype))
        if isinstance(value, tuple):
            value = tuple(map(convert, value))
        elif isinstance(value, dict):
            value = {key: convert(x) for key, x in value.items()}
        else:
            value = convert(value)
        self.recorder.record(name, value)

    def linear(self, name, layer, x):
        self.record(f"{name}.input", x)
        made = self.rounded(x @ self.weight(layer.weight).T + self.weight(layer.bias))
        self.record(f"{name}.output", made)
        return made

    def norm(self, name, layer, x):
        self.record(f"{name}.input", x)
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = (centred**2).mean(axis=-1, keepdims=True)
        made = centred / np.sqrt(variance + self.work(1e-6))
        made = self.rounded(made * self.weight(layer.weight) + self.weight(layer.bias))
        self.record(f"{name}.output", made)
        return made

    def rope(self, x):
        texts, length, width = x.shape
        size = width // self.job.heads
        heads = x.reshape(texts, length, self.job.heads, size)
        frequencies = 10000.0 ** (-2.0 * np.arange(size // 2) / size)
        angles = np.arange(length)[:, None, None] * frequencies
        cos, sin = np.cos(angles).astype(self.work), np.sin(angles).astype(self.work)
        first, second = heads[..., : size // 2], heads[..., size // 2 :]
        made = np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)
        return self.rounded(made.reshape(x.shape))

    def attention(self, name, block, x, lengths):
        self.record(f"{name}.input", x)
        query = self.linear(f"{name}.query", block.query, x)
        key = self.linear(f"{name}.key", block.key, x)
        value = self.linear(f"{name}.value", block.value, x)
        self.record(f"{name}.rope.input", (query, key))
        query, key = self.rope(query), self.rope(key)
        self.record(f"{name}.rope", (query, key))

        texts, length, width = x.shape
        size = width // self.job.heads
        split = lambda y: y.reshape(texts, length, self.job.heads, size).transpose(0, 2, 1, 3)
        self.record(f"{name}.scores.input", (query, key))
        scale = self.work(1 / math.sqrt(size))
        scores = self.rounded(split(query) @ split(key).transpose(0, 1, 3, 2) * scale)
        self.record(f"{name}.scores", scores)

        self.record(f"{name}.weights.input", scores)
        seen = np.tri(length, dtype=bool) & (np.arange(length) < np.array(lengths)[:, None, None, None])
        masked = np.where(seen, scores, -np.inf)
        weights = np.exp(masked - masked.max(axis=-1, keepdims=True))
        weights = self.rounded(weights / weights.sum(axis=-1, keepdims=True))
        self.record(f"{name}.weights", weights)

        self.record(f"{name}.context.input", {"value": value, "weights": weights})
        context = self.rounded((weights @ split(value)).transpose(0, 2, 1, 3).reshape(x.shape))
        self.record(f"{name}.context", context)
        made = self.linear(f"{name}.project", block.project, context)
        self.record(f"{name}.output", {"hidden": made})
        return made

    def gelu(self, name, x):
        self.record(f"{name}.input", x)
        erf = np.vectorize(math.erf)
        made = self.rounded((0.5 * x * (1 + erf(x.astype(np.float64) / math.sqrt(2)))).astype(self.work))
        self.record(f"{name}.output", made)
        return made

    def __call__(self, batch):
        model = self.job.model
        embedding = self.weight(model.embedding)
        state = embedding[np.array(batch.tokens)]
        self.recorder.record("tokens", [np.array(text, np.int64) for text in batch.tokens])
        self.record("embed", state)
        for i, block in enumerate(model.blocks):
            name = f"blocks.{i}"
            self.record(f"{name}.input", state)
            normed = self.norm(f"{name}.norm1", block.norm1, state)
            attention = self.attention(f"{name}.attention", block, normed, batch.lengths)
            self.record(f"{name}.add.input", (state, attention))
            state = self.rounded(state + attention)
            self.record(f"{name}.add", state)
            hidden = self.linear(f"{name}.up", block.up, self.norm(f"{name}.norm2", block.norm2, state))
            state = self.rounded(state + self.linear(f"{name}.down", block.down, self.gelu(f"{name}.gelu", hidden)))
            self.record(f"{name}.output", state)
        self.record("logits", self.norm("norm", model.norm, state) @ embedding.T)


def main():
    job = safestructures.load_file(sys.argv[1])
    recorder = Recorder()
    run = Run(job, recorder, sys.argv[3])
    for recorder.step, batch in enumerate(job.steps):
        run(batch)
    recorder.close(pathlib.Path(sys.argv[2]))


main()
