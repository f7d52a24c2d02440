"""Lets Python's `safestructures` 1.0.0 be imported with later versions of JAX than it supports."""

import importlib
import importlib.util
import sys
import types

#: The module in which the package looks for the type of JAX arrays, and which files from earlier versions name.
MODULE = "jaxlib.xla_extension"


def stand_in():
    """Adds a module with that type if JAX no longer has it. It stays loaded, because files name it."""
    if importlib.util.find_spec("jax") is None:
        return
    try:
        importlib.import_module(MODULE)
    except ImportError:
        import jax

        module = types.ModuleType(MODULE, "What safestructures 1.0.0 takes from it, by safestructures_cpp.")
        module.ArrayImpl = type(jax.numpy.zeros(()))
        sys.modules[MODULE] = module
