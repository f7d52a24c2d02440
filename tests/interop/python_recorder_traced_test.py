"""What Python's Recorder makes of values in functions that JAX traces, and of values that hold themselves."""

import collections
import dataclasses
import pathlib
import sys
import time
import types
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from cli_outcomes import expect, raised, run_checks, verify
from recorded import recorded
from safestructures_cpp import nodes
from safestructures_cpp.recorder import Recorder, records

Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass(frozen=True)
class Output:
    hidden: object
    text: str = "t"


@dataclasses.dataclass
class Linked:
    following: object = None
    data: object = None


@dataclasses.dataclass
class Unset:
    kept: int
    missing: object = dataclasses.field(init=False)


class Typed(float):
    """A number as a later JAX gives it to rules of differentiation."""

    dtype = np.dtype(np.float32)


class Failing(collections.UserDict):
    def items(self):
        raise KeyError("no items")


class Unpaired(collections.UserDict):
    def items(self):
        return [1]


class Silent(tuple):
    def __repr__(self):
        raise KeyError("no text")


def expect_same(name, expected, found):
    """Types, dtypes and the order of keys too."""
    expect(name, described(expected), described(found))


def described(value):
    if isinstance(value, dict):
        return ["dict", *((key, described(item)) for key, item in value.items())]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(described, value)]
    return f"{type(value).__name__} {getattr(value, 'dtype', '')} {value!r}"


def check_values(folder):
    """jit changes nothing of what it does not trace, and the places of all."""

    def everything(x):
        return {
            "z": np.array([2**40, -1]),
            "a": np.array([1e300]),
            "numbers": [1.5, 2**40, True, 1 + 2j, None, "text", b"bytes"],
            "places": (x, [x + 1, Pair(x + 2, 7)]),
            "outputs": Output(hidden={"x": x + 3}),
            "concrete": half,
            1: {2.5: x + 4, "1": 1, None: np.float32(2)},
            "mapping": types.MappingProxyType({"y": x + 5, "b": 0}),
        }

    half = jnp.full(2, 0.5, jnp.bfloat16)
    x = jnp.arange(3.0)
    [(_, eager)] = recorded(folder, "eager", lambda recorder: recorder.record("v", everything(x)))
    for name, transform in (("jit", jax.jit), ("vmap", lambda f: lambda x: jax.vmap(f)(x[None]))):
        model = lambda recorder: transform(lambda x: recorder.record("v", everything(x)))(x)
        [(_, found)] = recorded(folder, name, model)
        hidden, expected = found.pop("outputs").hidden, eager["outputs"].hidden
        expect_same(f"{name}: a dataclass", expected, hidden)
        expect_same(name, {key: item for key, item in eager.items() if key != "outputs"}, found)
        schemas = [next((pathlib.Path(folder) / run).glob("*.safetensors")).read_bytes() for run in ("eager", name)]
        names = [sorted(part.split(b'"')[0] for part in schema.split(b'"00000000:v')) for schema in schemas]
        expect(f"{name}: names of tensors", *names)


def check_as_it_was(folder):
    """What the program changes behind `record` was recorded before."""

    def model(recorder):
        array, values = np.arange(3), [1]

        def traced(x):
            recorder.record("v", [array, values, x])
            array[:] = 0
            values.append(2)
            return x

        function = jax.jit(traced)
        function(1.0)
        function(2.0)

    found = [(value[0].tolist(), value[1], value[2].item()) for _, value in recorded(folder, "was", model)]
    expect("as it was", [([0, 1, 2], [1], 1.0), ([0, 1, 2], [1], 2.0)], found)


def check_order(folder):
    """What holds nothing that is traced is recorded as often as the function runs, in its place."""

    def found(name, call):
        def model(recorder):
            def function(x):
                recorder.record("k", 1.5)
                recorder.record("x", x)
                return x + 1

            call(function)

        return [name if name == "k" else float(value) for name, value in recorded(folder, name, model)]

    def twice(function):
        jitted = jax.jit(function)
        jitted(0.0)
        jitted(1.0)

    rows = jnp.arange(2.0)
    calls = {
        "twice": (["k", 0.0, "k", 1.0], twice),
        "scan": (["k", 0.0, "k", 1.0], lambda f: jax.lax.scan(lambda c, _: (f(c), None), 0.0, None, 2)),
        "while": (["k", 0.0, "k", 1.0], lambda f: jax.lax.while_loop(lambda x: x < 2, f, 0.0)),
        "cond": (["k", 0.0], lambda f: jax.lax.cond(True, f, lambda x: x, 0.0)),
        "other": ([], lambda f: jax.lax.cond(False, f, lambda x: x, 0.0)),
        "grad": (["k", 1.0], lambda f: jax.grad(f)(1.0)),
        "jit-grad": (["k", 1.0], lambda f: jax.jit(jax.grad(f))(1.0)),
        "grad-jit": (["k", 1.0], lambda f: jax.grad(jax.jit(f))(1.0)),
        "checkpoint": (["k", 1.0] * 2, lambda f: jax.grad(jax.checkpoint(f))(1.0)),
        # Once for all rows.
        "vmap": (["k", 0.0, 1.0], lambda f: jax.vmap(f)(rows)),
        "jit-vmap": (["k", 0.0, 1.0], lambda f: jax.jit(jax.vmap(f))(rows)),
        "vmap-jit": (["k", 0.0, 1.0], lambda f: jax.vmap(jax.jit(f))(rows)),
        "vmap-grad": (["k", 0.0, 1.0], lambda f: jax.vmap(jax.grad(f))(rows)),
        "shapes": ([], lambda f: jax.eval_shape(f, 0.0)),
    }
    for name, (expected, call) in calls.items():
        expect(name, expected, found(name, call))

    def filtered(x):
        recorder.record("left.out", object())
        return x

    recorder = Recorder(pathlib.Path(folder) / "filtered", only="kept")
    jax.jit(filtered)(1.0)
    recorder.close()
    expect("filtered", {"left.out": {"calls": 1, "filtered": 1}}, recorder.counts())


def check_depth(folder):
    """The deepest value that is taken leaves room in Python's stack: models call from deep inside."""

    def nested(x):
        for _ in range(200):
            x = {"a": x}
        return x

    def inside(frames, call):
        return inside(frames - 1, call) if frames else call()

    def model(recorder):
        inside(300, lambda: recorder.record("v", nested(1.0)))
        inside(300, lambda: jax.jit(lambda x: recorder.record("v", nested(x)))(1.0))

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # Python's own: the checks raise it.
    try:
        with Recorder(pathlib.Path(folder) / "deep") as recorder:
            model(recorder)
    finally:
        sys.setrecursionlimit(limit)
    expect("deep", {"v": {"calls": 2, "kept": 2}}, recorder.counts())
    verify(folder, "deep")


def check_refusals(folder):
    """Refused when `record` is called, traced or not, by an error that names record and place; a hook goes on."""
    key = jax.random.key(0)
    itself, linked, unset = [], Linked(), Unset(1)
    itself.append((itself,))
    linked.following = Linked(linked)
    deep = [np.ones(1)]
    for _ in range(60):
        deep = [deep, deep]
    bounds = [
        (
            [{"k": key}],
            "/0/k: an array of JAX's random keys (key<fry>)",
            "Record what jax.random.key_data gives of it.",
        ),
        (itself, "/0/0: a value that holds itself", "Record its parts under names of their own."),
        (linked, "/following/following: a value that holds itself", "Record its parts under names of their own."),
        (
            [unset],
            "/0: __main__.Unset, which cannot be read (AttributeError: 'Unset' object has no attribute 'missing'),",
            "Set all its fields, or record its parts under names of their own.",
        ),
        (
            {"m": Failing()},
            "/m: __main__.Failing, which cannot be read (KeyError: 'no items'),",
            "Set all its fields, or record its parts under names of their own.",
        ),
        (
            {"u": Unpaired()},
            "/u: __main__.Unpaired, which cannot be read (TypeError: cannot unpack non-iterable int object),",
            "Set all its fields, or record its parts under names of their own.",
        ),
        (
            {"s": {Silent(): 1}},
            "/s: a dict with a key of __main__.Silent",
            "A key is a number or a text of Python, not a __main__.Silent.",
        ),
        (
            deep,
            "/: a value of more than 20000 nodes",
            "Record arrays in place of long lists, and its parts under names of their own.",
        ),
        (
            [object()],
            "/0: builtins.object",
            "Record tensors, numbers, texts, and lists, tuples, dicts and dataclasses of these.",
        ),
    ]
    recorder = Recorder(pathlib.Path(folder) / "refused")
    with mock.patch.object(nodes, "MOST_NODES", 20000):
        for value, at, advice in bounds:
            text = f"the record 'v', at {at} cannot be recorded. {advice}"
            expect(f"eager {at}", text, raised((TypeError, ValueError), lambda: recorder.record("v", value)))
            traced = lambda x: recorder.record("v", value)
            expect(f"traced {at}", text, raised((TypeError, ValueError), lambda: jax.jit(traced)(1.0)))
            recorder._record_of_module("hook", value)
            jax.jit(lambda x: recorder._record_of_module("hook", value))(1.0)
    traced_key = raised(TypeError, lambda: jax.jit(lambda k: recorder.record("v", [k]))(key))
    said = "the record 'v', at /0: an array of JAX's random keys (key<fry>) cannot be recorded. Record what"
    expect("a traced key", f"{said} jax.random.key_data gives of it.", traced_key)
    traced_dtype = raised(TypeError, lambda: jax.jit(lambda x: recorder.record("v", [x]))(jnp.ones(2, jnp.int4)))
    said = "the record 'v', at /0: a tensor of dtype int4 cannot be recorded. Record it dense, in a dtype that the format"
    expect("a traced dtype", f"{said} has, such as float32 or complex64.", traced_dtype)
    recorder.record("data", jax.random.key_data(key))
    recorder.close()
    verify(folder, "refused")
    found = [record.value for record in records(pathlib.Path(folder) / "refused") if record.name == "hook"]
    for i, (_, at, _) in enumerate(bounds):
        for value in found[2 * i : 2 * i + 2]:
            while not isinstance(value, str):
                parts = value if isinstance(value, (dict, list, tuple)) else vars(value)
                value = next(iter(parts.values() if isinstance(parts, dict) else parts))
            expect(f"hook {at}", "not recorded: " + at.partition(": ")[2].removesuffix(","), value)


def check_shared(folder):
    """Values that share parts, and hold each other, take no exponential time; what they share is whole twice."""
    both = [np.arange(2), 1]
    shared = [both, {"again": both}]
    [(_, found)] = recorded(folder, "shared", lambda recorder: recorder.record("v", shared))
    expect("shared", "[[array([0, 1]), 1], {'again': [array([0, 1]), 1]}]", repr(found))
    a, b = Linked(), Linked()
    a.following, a.data, b.following, b.data = b, b, a, a
    wide = 1
    for _ in range(150):
        wide = [wide, wide]

    def model(recorder):
        start = time.thread_time()
        raised(ValueError, lambda: recorder.record("a", a))
        recorder._record_of_module("a", a)
        expect("many", True, "more than 20000 nodes" in raised(ValueError, lambda: recorder.record("w", wide)))
        expect("seconds", True, time.thread_time() - start < 10)

    with mock.patch.object(nodes, "MOST_NODES", 20000):
        [(_, found)] = recorded(folder, "linked", model)
    inner = "not recorded: a value that holds itself"
    halves = (found.following, found.data)
    expect("linked", [inner] * 4, [part for half in halves for part in (half.following, half.data)])


def check_steps(folder):
    """A step that a function sets is the step whenever the function runs, traced or not."""

    def model(recorder):
        def loop(start):
            def body(i, x):
                recorder.step(i)
                recorder.record("x", x)
                return x + 1

            recorder.step(7)
            recorder.record("start", start)
            return jax.lax.fori_loop(3, 5, body, start)

        function = jax.jit(loop)
        function(0.0)
        function(1.0)
        recorder.record("after", 1)
        recorder.step(jnp.int32(9))
        recorder.record("last", 1)

    recorded(folder, "steps", model)
    found = [(record.step, record.name) for record in records(pathlib.Path(folder) / "steps")]
    expect("steps", [(7, "start"), (3, "x"), (4, "x")] * 2 + [(4, "after"), (9, "last")], found)
    with Recorder(pathlib.Path(folder) / "none") as recorder:
        for value, kind in ((1.5, "float32 of shape []"), (jnp.arange(2), "int32 of shape [2]")):
            said = raised(TypeError, lambda: jax.jit(recorder.step)(value))
            expect(kind, f"a step is one integer, not a traced {kind}", said)
        said = raised(ValueError, lambda: jax.jit(lambda x: recorder.step(2**63))(1.0))
        expect("too large", "a step has at most 64 bits", said)


def check_step_scopes(folder):
    """What a staged function records has the step of `step`, in whatever thread it runs; others that of the scope."""

    def model(recorder):
        jitted = jax.jit(lambda x: recorder.record("jit", x))
        jitted(0.0)
        recorder.step(7)
        with recorder.step_scope(20):
            jitted(1.0)
            jax.lax.cond(True, lambda: recorder.record("cond", 1), lambda: None)
            jax.vmap(lambda x: recorder.record("vmap", x))(jnp.arange(2))
            recorder.record("eager", jnp.ones(1))
            jax.effects_barrier()  # JAX must have called back before the scope ends.

    recorded(folder, "scopes", model)
    found = [(record.name, record.step) for record in records(pathlib.Path(folder) / "scopes")]
    expect("step scopes", [("jit", 0), ("jit", 7), ("cond", 7), ("vmap", 20), ("vmap", 20), ("eager", 20)], found)


def check_failed_callbacks(folder):
    """Where a callback of the program's failed, of which JAX tells whenever it is asked, all that was recorded is sealed."""
    folder = pathlib.Path(folder)
    recorder = Recorder(folder / "failed")
    jax.jit(lambda x: recorder.record("x", x))(1.0)
    jax.effects_barrier()
    with mock.patch.object(jax, "effects_barrier", side_effect=RuntimeError("the program's callback")):
        expect("close", "the program's callback", raised(RuntimeError, recorder.close))
        expect("again", "no RuntimeError", raised(RuntimeError, recorder.close))
    verify(folder, "failed")
    expect("records", [1.0], [record.value.item() for record in records(folder / "failed")])
    Recorder(folder / "other").close()


def check_typed_numbers(folder):
    """A number with a dtype is an array of that."""
    [(_, found)] = recorded(folder, "typed", lambda recorder: recorder.record("v", [Typed(0.1), 0.1]))
    expect("typed", "[array(0.1, dtype=float32), 0.1]", repr(found))


run_checks(
    check_values,
    check_as_it_was,
    check_order,
    check_depth,
    check_refusals,
    check_shared,
    check_steps,
    check_step_scopes,
    check_failed_callbacks,
    check_typed_numbers,
)
