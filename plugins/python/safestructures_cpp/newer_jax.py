"""Lets Python's `safestructures` 1.0.0 be imported beside versions of JAX that are later than it."""

import importlib
import importlib.util
import sys
import types

#: Where the package looks for the type of JAX's arrays, and what files of earlier versions call its module.
MODULE = "jaxlib.xla_extension"


def stand_in():
    """Puts a module with that type in the place of the one that JAX has no more. It stays: files name it."""
    if importlib.util.find_spec("jax") is None:
        return
    try:
        importlib.import_module(MODULE)
    except ImportError:
        import jax

        module = types.ModuleType(MODULE, "What safestructures 1.0.0 takes from it, by safestructures_cpp.")
        module.ArrayImpl = type(jax.numpy.zeros(()))
        sys.modules[MODULE] = module
