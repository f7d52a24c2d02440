#!/usr/bin/env python3
"""Writes the golden files of PyTorch.

    python tests/golden/make_pytorch.py [OUT_DIR]

needs torch 2.15.0 and numpy 2.4.6. What they hold is in tests/unit/formats/pytorch_test.cpp. Run twice,
it writes the same bytes, except for the keys of storages in old.pt, which are addresses.
"""

import collections
import dataclasses
import enum
import json
import pathlib
import sys

import numpy as np
import torch


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Config:
    width: int
    names: list


class Slots:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a, self.b = 1, "two"

    class Inner:
        def __init__(self):
            self.depth = 2


class Numbers(list):
    pass


def state_dict():
    """As of a model with two layers, of which the first is transposed in memory."""
    state = collections.OrderedDict()
    state["layers.0.weight"] = torch.arange(6.0).reshape(3, 2).t()
    state["layers.0.bias"] = torch.tensor([0.5, -0.5])
    state["layers.1.weight"] = torch.arange(4.0).reshape(2, 2) - 1
    state["layers.1.bias"] = torch.tensor([7.0, 8.0])
    state["steps"] = torch.tensor(3)
    # As of a module, which notes its versions beside its tensors.
    state._metadata = collections.OrderedDict([("", {"version": 1})])
    return state


def everything():
    whole = torch.arange(6.0)
    return {
        "none": None,
        "bools": [True, False],
        "integers": [0, -1, 255, 256, 65535, 65536, -(2**31), 2**31, 2**62, -(2**63), 2**63, -(2**70), 2**200],
        "floats": [0.0, -1.5, float("inf")],
        "complex": 1 + 2j,
        "text": "n\u00e4me \U0001f600",
        "bytes": b"ab\xff\x00",
        "no bytes": b"",
        "bytearray": bytearray(b"xy"),
        "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
        "set": {7},
        "frozenset": frozenset({8}),
        3: {(1, "a"): None},
        "size": torch.Size([2, 3]),
        "device": torch.device("cpu"),
        "dtype": torch.float16,
        "colour": Colour.RED,
        "config": Config(3, ["a"]),
        "slots": Slots(),
        "inner": Slots.Inner(),
        "numbers": Numbers([1, 2]),
        "defaults": collections.defaultdict(list, {"a": [1]}),
        "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
        "many": list(range(1500)),
        "array": np.arange(6, dtype=np.float32).reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)),
        "big endian": np.arange(2, dtype=">i4"),
        "numpy": [np.float64(2.5), np.int64(-3), np.uint64(2**63), np.bool_(True), np.complex64(1 - 1j), np.float16(0.5)],
        "tensors": {
            "float64": torch.tensor([0.1], dtype=torch.float64),
            "float16": torch.tensor([1.5], dtype=torch.float16),
            "bfloat16": torch.tensor([2.0], dtype=torch.bfloat16),
            "float8": torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn),
            "int8": torch.tensor([-1], dtype=torch.int8),
            "int16": torch.tensor([-2], dtype=torch.int16),
            "int32": torch.tensor([-3], dtype=torch.int32),
            "int64": torch.tensor([-4]),
            "uint8": torch.tensor([5], dtype=torch.uint8),
            "uint16": torch.tensor([6, 65535], dtype=torch.uint16),
            "uint32": torch.tensor([7], dtype=torch.uint32),
            "uint64": torch.tensor([8], dtype=torch.uint64),
            "bool": torch.tensor([True, False]),
            "complex64": torch.tensor([1 + 2j]),
            "complex128": torch.tensor([3 + 4j, 5 + 6j], dtype=torch.complex128)[1:],
            "scalar": torch.tensor(7.0),
            "empty": torch.empty(0, 3),
        },
        "views": {
            "whole": whole,
            "part": whole[2:4],
            "steps": whole[1::2],
            "transposed": whole.reshape(2, 3).t(),
            "expanded": torch.tensor([[9.0], [8.0]]).expand(2, 3),
            "permuted": torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1),
            "column": torch.arange(4.0).reshape(2, 2)[:, 1:],
            "complex": torch.tensor([[1 + 2j, 3 + 4j]], dtype=torch.complex128).t(),
        },
        "parameter": torch.nn.Parameter(torch.ones(2)),
        "sparse": torch.eye(2).to_sparse(),
    }


def save_sharded(out):
    """In two files and their index, as transformers saved checkpoints before safetensors."""
    state = state_dict()
    names = list(state)
    files = {f"sharded-0000{i + 1}-of-00002.bin": part for i, part in enumerate((names[:2], names[2:]))}
    for file, part in files.items():
        torch.save({name: state[name] for name in part}, out / file)
    index = {"metadata": {"total_size": 64}, "weight_map": {name: file for file, part in files.items() for name in part}}
    (out / "sharded.bin.index.json").write_text(json.dumps(index, indent=2, sort_keys=True) + "\n")


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "pytorch")
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.save(state_dict(), out / "state.pt")
    torch.save(state_dict(), out / "old.pt", _use_new_zipfile_serialization=False)
    torch.save({"model": state_dict(), "epoch": 3, "history": [state_dict()]}, out / "checkpoint.pt")
    save_sharded(out)
    torch.save(everything(), out / "everything.pt")
    torch.save(everything(), out / "protocol_4.pt", pickle_protocol=4)
    torch.save(torch.tensor([1 + 2j]).conj(), out / "conjugated.pt")
    torch.save(torch.nn.Linear(1, 1).requires_grad_(False).eval(), out / "module.pt")
    torch.jit.script(torch.nn.Linear(1, 1)).save(out / "script.pt")


if __name__ == "__main__":
    main()
