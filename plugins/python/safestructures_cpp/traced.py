"""Values in functions that JAX traces: their nodes are made at once, their arrays come when the function runs."""

import dataclasses
import functools
import sys
import threading
from collections.abc import Mapping

import numpy as np

from safestructures_cpp.nodes import DTYPES, MOST_LEVELS, MOST_NODES, Late, NodeWriter, NotRecordable, Written, is_jax_array


def is_tracer(value):
    """Whether it is what JAX puts in the place of an array while it traces a function."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.core.Tracer)


def leaves(value):
    """What a value holds that is no container, as far as a record goes."""
    # Each container once, or those that share parts took exponential time. They are held: ids are given again.
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
    """Returns when the arrays that a value holds are there."""
    for leaf in leaves(value):
        if is_jax_array(leaf):
            leaf.block_until_ready()


def is_container(value):
    """Whether a record has its parts."""
    is_dataclass = dataclasses.is_dataclass(value) and not isinstance(value, type)
    return is_dataclass or isinstance(value, (Mapping, list, tuple))


def parts(container):
    """What a container holds: as far as it can be read, since NodeWriter says what cannot."""
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
    """(what asks JAX for the state of its traces, the state outside of all), or None where it has no such question."""
    import jax

    ask = getattr(jax.core, "get_opaque_trace_state", None)  # From jax 0.4.36.
    if ask is None:
        return None
    found = []
    # Nothing is traced in a thread that has just begun.
    thread = threading.Thread(target=lambda: found.append(ask(convention="safestructures")))
    thread.start()
    thread.join()
    return ask, found[0]


def is_staged():
    """Whether JAX does nothing of what is called now, but notes it to run it later, once or often."""
    jax = sys.modules.get("jax")
    if jax is None:
        return False
    known = trace_state()  # Asked first: the array below takes 20 microseconds.
    if known is not None and known[0](convention="safestructures") == known[1]:
        return False
    # Under grad and vmap alone what no tracer went into is an array, as it is outside.
    return is_tracer(jax.lax.full((), False))


class LateWriter(NodeWriter):
    """Makes the nodes of a value with tracers. `tracers` are those it met, in the order of their numbers.

    The tensors of its other arrays stand in the nodes, in the place of their names: copies, as the program may
    change the arrays before the function runs.
    """

    def __init__(self, record, omit=None):
        super().__init__(record, None, omit)
        self.tracers = []

    def _stored_node(self, value, path):
        if not is_tracer(value):
            return super()._stored_node(value, path)
        if value.dtype.name not in DTYPES:
            raise NotRecordable(f"a tensor of dtype {value.dtype.name}")
        self.tracers.append(value)
        return Late(len(self.tracers) - 1, path)

    def _add(self, tensor):
        tensor.data = memoryview(bytes(tensor.data))
        return tensor


def call_back(record, name, value, omit):
    """Has JAX call `record(value)` whenever what it traces runs, in the order of the calls."""
    import jax

    writer = LateWriter(name, omit)
    node = writer.node(value)
    jax.debug.callback(lambda *arrays: record(Written(node, arrays)), *writer.tracers, ordered=True)


def call_back_step(set_step, number):
    """Has JAX call `set_step(number)` whenever what it traces runs, among the records in the order of the calls."""
    import jax

    if not is_tracer(number):
        jax.debug.callback(lambda: set_step(number), ordered=True)
        return
    if number.shape or not np.issubdtype(number.dtype, np.integer):
        raise TypeError(f"a step is one integer, not a traced {number.dtype.name} of shape {list(number.shape)}")
    jax.debug.callback(set_step, number, ordered=True)
