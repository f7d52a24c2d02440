"""Whether PyTorch makes of each layer's input what the NumPy twin made: torch_layers.py LAYERS.npz.

Run by a Python that has torch, which need not be the one of the tests; transformer_test.py does.
"""

import sys

import numpy as np
import torch
import torch.nn.functional as F


def main():
    arrays = {name: torch.from_numpy(array) for name, array in np.load(sys.argv[1]).items()}
    records = lambda name: sorted(key for key in arrays if key[9:] == name)
    checked = 0
    furthest = 0.0

    def check(name, compute, inputs):
        nonlocal checked, furthest
        for key, *others in zip(records(name), *map(records, inputs)):
            expected = compute(*(arrays[other] for other in others))
            apart = (arrays[key] - expected).abs().max().item()
            if not apart <= 2e-5:
                sys.exit(f"{key}: torch's is {apart} away")
            checked += 1
            furthest = max(furthest, apart)

    heads = lambda x: x.reshape(x.shape[0], x.shape[1], 4, -1).transpose(1, 2)
    for i in range(3):
        block = f"blocks.{i}."
        weight = lambda path: arrays[f"model.blocks.{i}.{path}"]
        for name in ("norm1", "norm2"):
            norm = lambda x: F.layer_norm(x, x.shape[-1:], weight(f"{name}.weight"), weight(f"{name}.bias"), 1e-6)
            check(f"{block}{name}.output", norm, [f"{block}{name}.input"])
        for name in ("query", "key", "value", "project", "up", "down"):
            full = block + ("" if name in ("up", "down") else "attention.") + name
            linear = lambda x: F.linear(x, weight(f"{name}.weight"), weight(f"{name}.bias"))
            check(f"{full}.output", linear, [f"{full}.input"])
        check(f"{block}gelu.output", F.gelu, [f"{block}gelu.input"])
        scores = lambda q, k: heads(q) @ heads(k).transpose(-1, -2) / heads(q).shape[-1] ** 0.5
        attention = block + "attention."
        check(f"{attention}scores", scores, [f"{attention}scores.input.0", f"{attention}scores.input.1"])

        def softmax(x):
            length = x.shape[-1]
            seen = torch.ones(length, length, dtype=torch.bool).tril()
            seen = seen & (torch.arange(length) < torch.tensor([12, 9])[:, None, None, None])
            return x.masked_fill(~seen, -torch.inf).softmax(-1)

        check(f"{attention}weights", softmax, [f"{attention}weights.input"])
        context = lambda value, weights: (weights @ heads(value)).transpose(1, 2).reshape(value.shape)
        names = [f"{attention}context.input.value", f"{attention}context.input.weights"]
        check(f"{attention}context", context, names)
    if checked != 3 * 3 * 12:
        sys.exit(f"{checked} layers were found")
    print(f"{checked} layers, {furthest:.1e} apart at most")


main()
