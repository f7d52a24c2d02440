"""Records small torch models in several ways, for recorder_torch_test.py: in a folder it is given.

Run by whatever Python has torch; prints what it recorded, as JSON.
"""

import io
import json
import pathlib
import pickle
import sys

import numpy as np
import torch
from safestructures_cpp.recorder import Recorder, records


class Attention(torch.nn.Module):
    """Gives a tuple, as modules with weights beside their output do, and a dict in it."""

    def __init__(self):
        super().__init__()
        self.q = torch.nn.Linear(4, 4)

    def forward(self, x):
        q = self.q(x)
        weights = torch.softmax(q @ x.transpose(-1, -2), -1)
        return weights @ x, {"weights": weights, "cache": object()}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([Attention() for _ in range(2)])
        self.norm = torch.nn.LayerNorm(4)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)[0]
        return self.norm(x)


def record_model(model, batches):
    with Recorder("torch-run") as recorder:
        recorder.attach(model)  # torch modules: every output, under the module's name
        for step, batch in enumerate(batches):
            recorder.step(step)
            model(batch)


def record_by_hand(model, batches):
    """What the hooks should have seen, by NumPy, one call after the other."""
    cache = "not recorded: builtins.object"
    with Recorder("by-hand") as recorder:
        for step, x in enumerate(batches):
            recorder.step(step)
            for i, layer in enumerate(model.layers):
                with recorder.scope(f"layers.{i}"):
                    q = x @ layer.q.weight.T + layer.q.bias
                    recorder.record("q", q.detach().numpy())
                    weights = torch.softmax(q @ x.transpose(-1, -2), -1)
                    out = weights @ x
                found = (out.detach().numpy(), {"weights": weights.detach().numpy(), "cache": cache})
                recorder.record(f"layers.{i}", found)
                x = x + out
            x = model.norm(x).detach().numpy()
            recorder.record("norm", x)
            recorder.record("output", x)


def record_kinds():
    """Every dtype of torch, tensors that are views, sparse or want a gradient; hooks that are taken away."""
    kinds = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]
    kinds += [name for name in ("float8_e4m3fn", "float8_e5m2", "uint16") if hasattr(torch, name)]
    with Recorder("kinds") as recorder:
        for kind in kinds:
            recorder.record(kind, torch.ones(3).to(getattr(torch, kind)))
        recorder.record("view", torch.arange(6.0, requires_grad=True).reshape(2, 3).T)
        recorder.record("scalar", torch.tensor(2.5))
        recorder.record("conjugate", torch.tensor([1 + 2j], dtype=torch.complex64).conj())
        try:
            recorder.record("sparse", torch.eye(2).to_sparse())
        except TypeError as error:
            said = str(error)
        model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
        detach = recorder.attach(model, "net", only="net.1", steps=True)
        model(torch.zeros(1))
        model(torch.zeros(1))
        pickled = [is_pickled(model), is_pickled(model.state_dict())]
        detach()
        pickled.append(is_pickled(model))
        model(torch.zeros(1))
    model(torch.zeros(1))
    return {"kinds": kinds, "sparse": said, "hooks": len(model._forward_hooks), "pickled": pickled}


def is_pickled(value):
    """Whether torch can save it."""
    try:
        torch.save(value, io.BytesIO())
    except (AttributeError, pickle.PicklingError):
        return False
    return True


class Lone(torch.nn.Module):
    """Gives what it was given by position, if that is one."""

    def forward(self, *args, **keywords):
        return args[0] if len(args) == 1 else None


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = Lone()

    def forward(self, x):
        return self.one(2 * x)


class Caller(torch.nn.Module):
    """Calls modules in all the ways there are."""

    def __init__(self):
        super().__init__()
        self.outer, self.relu = Outer(), torch.nn.ReLU(inplace=True)
        self.several, self.named, self.mixed, self.nothing = (Lone() for _ in range(4))

    def forward(self, x):
        self.outer(x)
        self.several(x, None, [2 * x])
        self.named(x=x, cache=object(), mask=None)
        self.mixed(x, scale=0.5, odd={(1, 2): 3})
        self.nothing()
        self.relu(x.clone())
        return x


def plain(value):
    """For JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def record_inputs():
    model = Caller()
    with Recorder("inputs") as recorder:
        recorder.attach(model, inputs=True)  # and in front of it what goes in, as NAME.input
        model(torch.tensor([-1.0, 2.0]))
    with Recorder("some-inputs") as recorder:
        detach = recorder.attach(model, "net", only="net.relu", inputs=True)
        model(torch.tensor([-1.0, 2.0]))
        detach()
        model(torch.tensor([-1.0, 2.0]))
    return {
        "inputs": [(record.name, plain(record.value)) for record in records("inputs")],
        "some_inputs": [record.name for record in records("some-inputs")],
        "pre_hooks": sum(len(module._forward_pre_hooks) for module in model.modules()),
        "has_keywords": int(torch.__version__.partition(".")[0]) >= 2,
    }


class Unreadable(torch.nn.Module):
    """Gives tensors that NumPy cannot have."""

    def forward(self, x):
        half = x.to(torch.complex64).to(torch.complex32)
        return {"half": half, "nested": torch.nested.nested_tensor([x, x]), "x": x, "meta": x.to("meta")}


def record_unreadable():
    """A model goes on whatever its tensors are; a module of torch.jit takes no hooks, nor do the others then."""
    model = Unreadable()
    with Recorder("unreadable") as recorder:
        recorder.attach(model)
        model(torch.ones(1))
        jit = torch.nn.Sequential(torch.nn.ReLU(), torch.jit.script(torch.nn.Tanh()))
        try:
            recorder.attach(jit, inputs=True)
        except TypeError as error:
            said = str(error)
    [record] = records("unreadable")
    return {"unreadable": plain(record.value), "jit": said, "jit_hooks": len(jit[0]._forward_hooks)}


def record_compiled():
    """The names and steps of what is recorded of a compiled model, attached when it has run; none where torch compiles nothing."""
    if int(torch.__version__.partition(".")[0]) < 2:
        return None
    model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
    compiled = torch.compile(model, backend="eager")
    compiled(torch.zeros(1))
    with Recorder("compiled") as recorder:
        detach = recorder.attach(compiled, inputs=True)
        compiled(torch.zeros(1))
        detach()
        compiled(torch.zeros(1))
        for attached in (model, compiled):
            detach = recorder.attach(attached, "again", only="again.1", steps=True)
            compiled(torch.zeros(1))
            compiled(torch.zeros(1))
            detach()
    compiled(torch.zeros(1))
    return [[record.name, record.step] for record in records("compiled")]


def record_transformers():
    """A model of transformers, where that is installed: its outputs are dataclasses that are dicts."""
    try:
        import transformers
    except ImportError:
        return None
    config = transformers.GPT2Config(n_layer=2, n_head=2, n_embd=8, vocab_size=32, n_positions=16)
    model = transformers.GPT2LMHeadModel(config).eval()
    with Recorder("transformers-run") as recorder, torch.no_grad():
        recorder.attach(model, steps=True, inputs=True)
        model.generate(torch.tensor([[1, 2, 3]]), max_new_tokens=3, do_sample=False, pad_token_id=0)
    return transformers.__version__


def main():
    folder = pathlib.Path(sys.argv[1])
    import os

    os.chdir(folder)
    torch.manual_seed(0)
    model = Model().eval()
    batches = [torch.from_numpy(np.random.default_rng(step).standard_normal((3, 4)).astype(np.float32)) for step in range(3)]
    record_model(model, batches)
    record_by_hand(model, batches)
    said = {**record_kinds(), **record_inputs(), **record_unreadable(), "compiled": record_compiled()}
    print(json.dumps({**said, "transformers": record_transformers()}))


main()
