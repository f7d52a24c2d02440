"""Scopes: parts of a program whose records have the scope's name as a prefix, or a step of their own."""

import contextvars

#: The open scopes of all recorders in this thread or asyncio task.
SCOPES = contextvars.ContextVar("scopes", default=())


class Scope:
    """A context manager that prefixes the names of records with the scope's name, or gives them its step."""

    def __init__(self, recorder, *, name=None, step=None):
        self.recorder = recorder
        self.name = name
        self.step = step

    def __enter__(self):
        SCOPES.set((*SCOPES.get(), self))

    def __exit__(self, *_):
        # It need not be the last one: a generator may leave its scope inside another.
        scopes = list(reversed(SCOPES.get()))
        if self in scopes:
            scopes.remove(self)
        SCOPES.set(tuple(reversed(scopes)))


def in_scopes(recorder, name):
    """Returns a record's name, prefixed with the names of the recorder's open scopes."""
    names = (scope.name for scope in SCOPES.get() if scope.recorder is recorder and scope.name is not None)
    return ".".join([*names, name])


def step_in_scopes(recorder):
    """Returns the step of the recorder's innermost open scope that has one, or None."""
    steps = (scope.step for scope in reversed(SCOPES.get()) if scope.recorder is recorder)
    return next((step for step in steps if step is not None), None)
