"""Records values in functions that JAX traces: nodes are made at once, arrays are filled in when the function runs."""

import contextlib
import dataclasses
import functools
import sys
import threading
from collections.abc import Mapping

import numpy as np

from safestructures_cpp.nodes import MOST_LEVELS, MOST_NODES, Late, NodeWriter, Written
from safestructures_cpp.stored_tensors import RECORDABLE, NotRecordable, is_jax_array


def is_tracer(value):
    """Whether it is a tracer, which stands for an array while JAX traces a function."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.core.Tracer)


def leaves(value):
    """Yields everything in a value that is not a container, as deep as a record can be."""
    # Each container once, because shared parts would take exponential time. They are kept alive: ids get reused.
    seen = {}
    layer = [value]
    for _ in range(MOST_LEVELS + 1):
        containers = []
        for one in layer:
            if not is_container(one):
                yield one
            elif id(one) not in seen:
                seen[id(one)] = one
                containers.append(one)
        layer = [part for one in containers for part in parts(one)]
        if not layer or len(seen) > MOST_NODES:
            return


def has_tracer(value):
    """Whether a value holds a tracer."""
    if "jax" not in sys.modules:
        return False
    return any(map(is_tracer, leaves(value))) if is_container(value) else is_tracer(value)


def wait_for(value):
    """Waits until the JAX arrays in a value have been computed."""
    for leaf in leaves(value):
        if is_jax_array(leaf) and not leaf.is_deleted():  # NodeWriter reports deleted ones.
            leaf.block_until_ready()


def is_container(value):
    """Whether a record stores the value as its parts."""
    is_dataclass = dataclasses.is_dataclass(value) and not isinstance(value, type)
    return is_dataclass or isinstance(value, (Mapping, list, tuple))


def parts(container):
    """Returns the parts of a container, or none if it cannot be read, which NodeWriter reports."""
    try:
        if isinstance(container, Mapping):
            return [part for _, part in container.items()]
        if isinstance(container, (list, tuple)):
            return list(container)
        return [getattr(container, field.name) for field in dataclasses.fields(container)]
    except Exception:
        return []


@functools.cache
def trace_state():
    """Returns (function that gets JAX's trace state, the state outside all traces), or None if JAX has no such one."""
    import jax

    ask = getattr(jax.core, "get_opaque_trace_state", None)
    if ask is None:
        return None
    found = []

    def ask_outside():
        # jax 0.4.35 has only conventions of its own, whose states say less: it raises an Exception for another one.
        with contextlib.suppress(Exception):
            found.append(ask(convention="safestructures"))

    # A new thread traces nothing.
    thread = threading.Thread(target=ask_outside)
    thread.start()
    thread.join()
    return (ask, found[0]) if found else None


def is_staged():
    """Whether JAX is staging: it does not execute operations now, but notes them to run them later, once or often."""
    jax = sys.modules.get("jax")
    if jax is None:
        return False
    known = trace_state()  # Checked first: the array below takes 20 microseconds.
    if known is not None and known[0](convention="safestructures") == known[1]:
        return False
    # Under grad and vmap alone, a result that involves no tracer is an ordinary array.
    return is_tracer(jax.lax.full((), False))


class LateWriter(NodeWriter):
    """Makes the nodes of a value with tracers. `tracers` holds those that it found, in the order of their numbers.

    For the other arrays, the nodes hold the tensors in place of their names. They are copies, because the program
    may change the arrays before the function runs.
    """

    def __init__(self, record, omit=None):
        super().__init__(record, None, omit)
        self.tracers = []

    def _stored_node(self, value, path):
        if not is_tracer(value):
            return super()._stored_node(value, path)
        if value.dtype.name not in RECORDABLE:
            raise NotRecordable(f"a tensor of dtype {value.dtype.name}")
        self.tracers.append(value)
        return Late(len(self.tracers) - 1, path)

    def _add(self, tensor):
        tensor.data = memoryview(bytes(tensor.data))
        return tensor


def call_back(record, name, value, omit):
    """Makes JAX call `record(value)` whenever the traced function runs, in the order of the calls."""
    import jax

    writer = LateWriter(name, omit)
    node = writer.node(value)
    jax.debug.callback(lambda *arrays: record(Written(node, arrays)), *writer.tracers, ordered=True)


def call_back_step(set_step, number):
    """Makes JAX call `set_step(number)` whenever the traced function runs, in order with the records."""
    import jax

    if not is_tracer(number):
        jax.debug.callback(lambda: set_step(number), ordered=True)
        return
    if number.shape or not np.issubdtype(number.dtype, np.integer):
        raise TypeError(f"a step is one integer, not a traced {number.dtype.name} of shape {list(number.shape)}")
    jax.debug.callback(set_step, number, ordered=True)
