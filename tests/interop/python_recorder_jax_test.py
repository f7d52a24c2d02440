"""What Python's Recorder does with JAX's arrays that are waited for or deleted, and with other versions of JAX."""

import pathlib
import threading
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from cli_outcomes import expect, raised, run_checks
from recorded import recorded
from safestructures_cpp import nodes
from safestructures_cpp.recorder import Recorder, records
from safestructures_cpp.traced import trace_state


def check_waiting(folder):
    """While an array is waited for, others can record: what makes it may be a function that does, on another device."""
    folder = pathlib.Path(folder)
    array = jnp.ones(2)
    kind = type(array)
    wait = kind.block_until_ready
    waited = []

    def record_elsewhere(one):
        thread = threading.Thread(target=recorder.record, args=("elsewhere", 1), daemon=True)
        thread.start()
        thread.join(10)
        waited.append(thread.is_alive())
        return wait(one)

    with Recorder(folder / "waiting") as recorder:
        jax.jit(lambda x: recorder.record("traced", x))(array)
        kind.block_until_ready = record_elsewhere
        try:
            recorder.record("last", {"x": [array]})
        finally:
            kind.block_until_ready = wait
    expect("recorded meanwhile", [False], waited)
    expect("order", ["traced", "elsewhere", "last"], [record.name for record in records(folder / "waiting")])


def check_deleted(folder):
    """An array that was deleted, as donated ones are, is told of in its place, after a function that records too."""
    with Recorder(pathlib.Path(folder) / "deleted") as recorder:
        for _ in range(2):
            array = jnp.ones(3)
            array.delete()
            said = f"{nodes.type_name(array)}, which cannot be read (RuntimeError: Array has been deleted with"
            said += " shape=float32[3].)"
            problem = f"the record 'x', at /0: {said}, cannot be recorded. Record a plain array of its numbers."
            expect("record", problem, raised(TypeError, lambda: recorder.record("x", [array])))
            recorder._record_of_module("hook", {"gone": array, "kept": 1})
            jax.jit(lambda x: recorder.record("traced", x))(1.0)
        expect("counts", {"calls": 2, "failed": 2}, recorder.counts()["x"])
    hooked = [record.value for record in records(pathlib.Path(folder) / "deleted") if record.name == "hook"]
    expect("hooks", [{"gone": f"not recorded: {said}", "kept": 1}] * 2, hooked)


def check_other_versions(folder):
    """A JAX that tells nothing of its traces, or only in ways of its own, as 0.4.35 does, records the same."""

    def model(recorder):
        def staged(x):
            recorder.record("traced", x)
            recorder.record("untraced", 1)
            return x

        run_model = jax.jit(staged)
        for i in range(2):
            run_model(float(i))
        recorder.record("outside", np.ones(1))

    def own_ways(convention):
        raise Exception(f"unrecognized convention: {convention}")

    expected = recorded(folder, "this", model)
    expect("records", ["traced", "untraced"] * 2 + ["outside"], [name for name, _ in expected])
    try:
        for name, ask in (("none", None), ("own ways", own_ways)):
            with mock.patch.object(jax.core, "get_opaque_trace_state", ask, create=True):
                trace_state.cache_clear()
                expect(name, repr(expected), repr(recorded(folder, name, model)))
    finally:
        trace_state.cache_clear()


run_checks(check_waiting, check_deleted, check_other_versions)
