"""The twin of examples/transformer.cpp as torch modules, recorded by hooks: torch_twin.py JOB.

Run by a Python that has torch; torch_twin_test.py does. Its runs become folders beside JOB.
"""

import sys

import torch
import torch.nn.functional as F
from safestructures_cpp.recorder import Recorder
from safetensors.torch import load_file

HEADS = 4
WIDTH = 32


def by_head(x):
    return x.reshape(*x.shape[:2], HEADS, -1).transpose(1, 2)


class Rope(torch.nn.Module):
    """Turns numbers i and i + half of a head by an angle that grows with the position."""

    def forward(self, query, key):
        return self.turned(query), self.turned(key)

    @staticmethod
    def turned(x):
        half = WIDTH // HEADS // 2
        frequencies = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
        angles = torch.arange(x.shape[1])[:, None] * frequencies
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        first, second = by_head(x).split(half, -1)
        turned = torch.cat([first * cos - second * sin, first * sin + second * cos], -1)
        return turned.transpose(1, 2).reshape(x.shape)


class Scores(torch.nn.Module):
    def forward(self, query, key):
        return by_head(query) @ by_head(key).transpose(-1, -2) / (WIDTH // HEADS) ** 0.5


class Weights(torch.nn.Module):
    """Softmax of what a token may see: itself, what is before it, and no padding."""

    def forward(self, scores):
        length = scores.shape[-1]
        seen = torch.ones(length, length, dtype=torch.bool).tril()
        seen = seen & (torch.arange(length) < self.lengths[:, None, None, None])
        return scores.masked_fill(~seen, -torch.inf).softmax(-1)


class Context(torch.nn.Module):
    order = list(range(HEADS))

    def forward(self, given):
        context = given["weights"] @ by_head(given["value"])
        return context[:, self.order].transpose(1, 2).reshape(given["value"].shape)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.project = (torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.rope, self.scores, self.weights, self.context = Rope(), Scores(), Weights(), Context()

    def forward(self, x):
        query, key, value = self.query(x), self.key(x), self.value(x)
        weights = self.weights(self.scores(*self.rope(query, key)))
        return {"hidden": self.project(self.context({"value": value, "weights": weights}))}


class Add(torch.nn.Module):
    def forward(self, state, more):
        return state + more


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = (torch.nn.LayerNorm(WIDTH, eps=1e-6) for _ in range(2))
        self.attention, self.add, self.gelu = Attention(), Add(), torch.nn.GELU()
        self.up, self.down = torch.nn.Linear(WIDTH, 2 * WIDTH), torch.nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        x = self.add(x, self.attention(self.norm1(x))["hidden"])
        return x + self.down(self.gelu(self.up(self.norm2(x))))


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.embed = torch.nn.Embedding.from_pretrained(arrays["model.embedding"])
        self.blocks = torch.nn.ModuleList([Block() for _ in range(3)])
        self.norm = torch.nn.LayerNorm(WIDTH, eps=1e-6)
        own = {}
        for name, _ in self.named_parameters():
            parts = name.split(".")
            if parts[-2] in ("query", "key", "value", "project"):
                parts.remove("attention")
            own[name] = arrays["model.embedding" if name == "embed.weight" else f"model.{'.'.join(parts)}"]
        self.load_state_dict(own)

    def forward(self, tokens, lengths):
        for block in self.blocks:
            block.attention.weights.lengths = lengths
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.embed.weight)


def run(folder, model, arrays, inputs):
    with Recorder(folder) as recorder, torch.no_grad():
        recorder.attach(model.embed, "embed")
        recorder.attach(model.blocks, "blocks", inputs=inputs)
        recorder.attach(model.norm, "norm", inputs=inputs)
        for step in range(3):
            recorder.step(step)
            tokens = torch.stack([arrays[f"steps.{step}.tokens.{text}"] for text in range(2)])
            recorder.record("tokens", list(tokens))
            recorder.record("logits", model(tokens, arrays[f"steps.{step}.lengths"]))


def main():
    arrays = load_file(sys.argv[1])
    model = Model(arrays).eval()
    run("right", model, arrays, True)
    run("outputs", model, arrays, False)
    model.blocks[2].attention.context.order = [0, 1, 3, 2]
    run("faulty", model, arrays, True)
    run("faulty-outputs", model, arrays, False)
    model.blocks[2].attention.context.order = Context.order
    run("exact", model.double(), arrays, True)


main()
