"""Where Python's Recorder is called from: hooks of torch modules, and functions of JAX."""

import math
import pathlib
import sys
import types
from unittest import mock

import numpy as np
from cli_outcomes import expect, raised, run, run_checks, stats
from safestructures_cpp import nodes
from safestructures_cpp.recorder import Recorder, records


class Module:
    """As much of torch's modules as `attach` uses, where torch is not installed."""

    def __init__(self, forward, **children):
        self.forward = forward
        self.children = children
        self._modules = {}
        self.before = []
        self.after = []

    def named_modules(self):
        return [("", self), *self.children.items()]

    def register_forward_pre_hook(self, hook, *, with_kwargs):
        return self._added(self.before, hook)

    def register_forward_hook(self, hook):
        return self._added(self.after, hook)

    @staticmethod
    def _added(hooks, hook):
        hooks.append(hook)
        return types.SimpleNamespace(remove=lambda: hooks.remove(hook))

    def __call__(self, *args, **keywords):
        for hook in self.before:
            hook(self, args, keywords)
        output = self.forward(*args, **keywords)
        for hook in self.after:
            hook(self, args, output)
        return output


class Scripted(Module):
    """Of torch.jit."""

    def register_forward_hook(self, hook):
        raise RuntimeError("no hooks here")


class OldModule(Module):
    """Of torch before 2.0."""

    def register_forward_pre_hook(self, hook):
        return self._added(self.before, lambda module, args, keywords: hook(module, args))


def hooked(folder, run_name, kind, **options):
    """The records of a model whose modules are called in all the ways there are."""
    norm = kind(lambda x: x + 1)
    attention = kind(lambda *args, **keywords: None)

    def forward(x):
        attention(norm(x), None, mask=[1], cache={(1, 2): 3})
        attention(query=x, cache=object())
        attention()
        return x

    model = kind(forward, norm=norm, attention=attention)
    with Recorder(pathlib.Path(folder) / run_name) as recorder:
        recorder.attach(model, **options)
        model(5)
    model(6)
    expect(f"{run_name}: hooks that stay", [], [hook for one in (model, norm, attention) for hook in one.before + one.after])
    return [(record.name, record.value) for record in records(pathlib.Path(folder) / run_name)]


def check_inputs(folder):
    """What goes into a module comes before what is made inside it, under the names that diff looks for."""
    cache = "not recorded: a dict with a key of builtins.tuple"
    inputs = [
        ("input", 5),
        ("norm.input", 5),
        ("norm", 6),
        ("attention.input", (6, None)),
        ("attention.inputs", {"mask": [1], "cache": cache}),
        ("attention", None),
        ("attention.input", {"query": 5, "cache": "not recorded: builtins.object"}),
        ("attention", None),
        ("attention", None),
        ("output", 5),
    ]
    expect("inputs", inputs, hooked(folder, "inputs", Module, inputs=True))
    old = [pair for pair in inputs if not isinstance(pair[1], dict)]
    expect("without keywords", old, hooked(folder, "old", OldModule, inputs=True))
    outputs = [pair for pair in inputs if ".input" not in pair[0] and pair[0] != "input"]
    expect("outputs alone", outputs, hooked(folder, "outputs", Module))
    named = [(f"net.{name}", value) for name, value in inputs if name.startswith("norm")]
    expect("of some", named, hooked(folder, "named", Module, name="net", only="net.norm", inputs=True))
    root = [("net.input", 5), ("net", 5)]
    expect("of the model", root, hooked(folder, "root", Module, name="net", only="net", inputs=True))


def check_beyond_readers(folder):
    """What C++ refuses to read does not end a model's call either."""
    deep = 1
    for _ in range(201):
        deep = [deep]
    output = {"x": {math.nan: np.ones(1), float("nan"): 1}, "y": 10**4300, "z": {10**4300: 1}, "deep": deep}
    model = Module(lambda x: output)
    with Recorder(pathlib.Path(folder) / "beyond") as recorder:
        recorder.attach(model)
        model(1)
    [record] = records(pathlib.Path(folder) / "beyond")
    said = [record.value[name].removeprefix("not recorded: ") for name in "xyz"]
    expected = [
        "a dict in which readers find the key nan twice",
        "an int of 14285 bits (more than 4300 digits)",
        "a dict with a key of 14285 bits (more than 4300 digits)",
    ]
    expect("in its place", expected, said)
    inside = record.value["deep"]
    while isinstance(inside, list):
        [inside] = inside
    expect("the deepest", "not recorded: a value that is deeper than 200 levels", inside)
    expect("verify", 0, run(folder, "verify", "beyond").returncode)


def check_unreadable(folder):
    """What a framework raises for a tensor without numbers, whatever its class, does not end a model's call either."""
    model = Module(lambda x: {"odd": np.ones(1), "even": 2})
    for kind in (AssertionError, AttributeError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError):
        with Recorder(pathlib.Path(folder) / kind.__name__) as recorder:
            recorder.attach(model)
            with mock.patch.object(nodes, "stored_tensor", side_effect=kind(7)):
                model(1)
                what = f"numpy.ndarray, which cannot be read ({kind.__name__}: 7)"
                problem = f"the record 'x', at /0: {what}, cannot be recorded. Record a plain array of its numbers."
                expect(kind.__name__, problem, raised(TypeError, lambda: recorder.record("x", [np.ones(1)])))
        [record] = records(pathlib.Path(folder) / kind.__name__)
        expect(f"{kind.__name__}: hooks", {"odd": f"not recorded: {what}", "even": 2}, record.value)
    # A signal's handler may raise what is none of these: it is the program's.
    with Recorder(pathlib.Path(folder) / "interrupted") as recorder:
        recorder.attach(model)
        with mock.patch.object(nodes, "stored_tensor", side_effect=TimeoutError("late")):
            expect("a handler", "late", raised(TimeoutError, lambda: model(1)))


def check_refused_hooks(folder):
    """What no hook can be put on is said, and no hook stays on the others."""
    parts = {name: Module(lambda x: x) for name in "abcdefgh"}
    model = Module(lambda x: x, **parts, i=Scripted(lambda x: x))
    recorder = Recorder(pathlib.Path(folder) / "refused")
    problem = "the module 'net.i' cannot take hooks (no hooks here). Attach the model that it was made from, or select"
    found = raised(TypeError, lambda: recorder.attach(model, "net", inputs=True, steps=True))
    expect("a scripted module", f"{problem} others with `only`", found)
    expect("hooks that stay", [], [hook for one in (model, *model.children.values()) for hook in one.before + one.after])
    detach = recorder.attach(model, "net", only="net.[a-h]")
    expect("the others", 8, sum(len(part.after) for part in parts.values()))
    detach()
    problem = "matches no module of the model. It has net, net.a, net.b, net.c, net.d, net.e, net.f, net.g ...: globs match"
    found = raised(ValueError, lambda: recorder.attach(model, "net", only="a", steps=True))
    expect("none", f"only=['a'] {problem} whole names", found)
    expect("steps of none", [], model.after)
    scripted = Scripted(lambda x: x, a=parts["a"])
    problem = "the module 'output' cannot take hooks (no hooks here). Attach the model that it was made from, or leave"
    found = raised(TypeError, lambda: recorder.attach(scripted, only="a", steps=True))
    expect("steps of a scripted model", f"{problem} out `steps`", found)
    expect("hooks that stay on its parts", [], parts["a"].after)
    recorder.close()
    expect("closed", "the recorder is closed", raised(ValueError, lambda: recorder.attach(model, "net", only="net.a")))
    expect("hooks of a closed one", [], parts["a"].after)


def check_compiled(folder):
    """What torch.compile made has the names of what it was made of, and is compiled once more for hooks."""
    part, model = Module(lambda x: x + 1), Module(lambda x: x)
    compiled, outer = Module(part), Module(model)
    compiled._modules["_orig_mod"], outer._modules["_orig_mod"] = part, model
    outer.children = {"_orig_mod": model, "_orig_mod.part": compiled, "_orig_mod.part._orig_mod": part}
    said = []
    # A module that is called `disable`d is called as it is.
    dynamo = types.SimpleNamespace(reset=lambda: said.append("reset"), disable=lambda hook: said.append("as it is") or hook)
    with mock.patch.dict(sys.modules, {"torch._dynamo": dynamo}):
        with Recorder(pathlib.Path(folder) / "compiled") as recorder:
            detach = recorder.attach(outer, inputs=True)
            expect("attached", ["as it is"] * 4 + ["reset"], said)
            detach()
            expect("detached", ["reset"] * 2, said[4:])
            recorder.attach(outer, only="part")
            compiled(outer(1))
        expect("closed", ["as it is", "reset", "reset"], said[6:])
    expect("names", [("part", 2)], [(one.name, one.value) for one in records(pathlib.Path(folder) / "compiled")])
    # Wrappers of some packages have the attributes of the module that they call.
    wrapper = Module(outer, **{"module": outer, "module._orig_mod": model})
    wrapper._orig_mod = model
    with Recorder(pathlib.Path(folder) / "wrapped") as recorder:
        recorder.attach(wrapper)
        wrapper(3)
    found = [(one.name, one.value) for one in records(pathlib.Path(folder) / "wrapped")]
    expect("a wrapper", [("module", 3), ("output", 3)], found)


def check_jax(folder):
    """One call in a JAX function records, jitted or not, in the order of the calls."""
    import jax
    import jax.numpy as jnp

    recorder = Recorder(pathlib.Path(folder) / "jax-run")

    def model(x):
        for i in range(3):
            x = jnp.tanh(x * 1.5)
            recorder.record(f"layer{i}", x)  # once it runs, traced or not
        return x

    run_model = jax.jit(model)
    for step in range(2):
        recorder.step(step)
        run_model(jnp.arange(4.0) + step)
    recorder.close()
    with Recorder(pathlib.Path(folder) / "numpy-run") as numpy_recorder:
        for step in range(2):
            numpy_recorder.step(step)
            x = np.arange(4, dtype=np.float32) + step
            for i in range(3):
                x = np.tanh(x * np.float32(1.5))
                numpy_recorder.record(f"layer{i}", x)
    done = run(folder, "diff", "jax-run", "numpy-run")
    expect("JAX and NumPy", (0, ""), (done.returncode, done.stderr))
    expect("all of it", True, "compared 6 tensors, 24 of 24 numbers" in done.stdout)
    order = [(row["path"], row["record"]["step"]) for row in stats(folder, "jax-run")]
    expect("in order", [(f"layer{i}", step) for step in range(2) for i in range(3)], order)

    with Recorder(pathlib.Path(folder) / "traced") as recorder:
        half = jnp.ones(3, jnp.bfloat16)

        def loss(x):
            with recorder.scope("loss"):
                recorder.record("x", {"half": half, "pair": (x, x + 1)})
            return (x**2).sum()

        jax.jit(jax.grad(loss))(jnp.ones(2))
        loss(jnp.ones(2))
        jax.jit(lambda x: jax.lax.scan(lambda c, _: (recorder.record("c", c), (c + 1, None))[1], x, None, 3))(0.0)
        many = jnp.ones((1,) * 65)
        said = raised(ValueError, lambda: recorder.record("many", {"x": many}))
    problem = "the record 'many', at /x: a tensor of 65 dimensions (more than 64) cannot be recorded. Give it another"
    expect("dimensions", f"{problem} shape.", said)
    found = [(row["path"], row["dtype"], row["mean"]) for row in stats(folder, "traced")]
    one = [("loss.x/half", "BF16", 1.0), ("loss.x/pair/0", "F32", 1.0), ("loss.x/pair/1", "F32", 2.0)]
    expect("under grad, eager and in a scan", one + one + [("c", "F32", 0.0), ("c", "F32", 1.0), ("c", "F32", 2.0)], found)


def check_jax_scopes(folder):
    """As the README says: what was traced keeps its scope and its recorder, a name that is an argument does not."""
    import jax

    folder = pathlib.Path(folder)

    def model(x, name="h"):
        recorder.record(name, x)
        return x + 1

    first = recorder = Recorder(folder / "first")
    kept = jax.jit(model)
    named = jax.jit(model, static_argnames="name")
    for scope in ("draft", "target"):
        with recorder.scope(scope):
            kept(0.0)
            jax.jit(model)(1.0)  # The same function: it is not traced again.
        named(2.0, name=f"{scope}.x")
    jax.effects_barrier()
    recorder = Recorder(folder / "second")
    kept(3.0)
    jax.jit(lambda x: model(x))(4.0)
    jax.effects_barrier()
    for one in (first, recorder):
        one.close()
    found = {name: [(one.name, one.value.item()) for one in records(folder / name)] for name in ("first", "second")}
    expected = [("draft.h", 0.0), ("draft.h", 1.0), ("draft.x", 2.0)]
    expected += [("draft.h", 0.0), ("draft.h", 1.0), ("target.x", 2.0), ("draft.h", 3.0)]
    expect("scopes and recorders", {"first": expected, "second": [("h", 4.0)]}, found)


run_checks(
    check_inputs,
    check_beyond_readers,
    check_unreadable,
    check_refused_hooks,
    check_compiled,
    check_jax,
    check_jax_scopes,
)
