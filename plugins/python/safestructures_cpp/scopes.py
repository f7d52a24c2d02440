"""Scopes: parts of a program whose records have the scope's name as a prefix."""

import contextvars

#: The open scopes of all recorders in this thread or asyncio task.
SCOPES = contextvars.ContextVar("scopes", default=())


class Scope:
    """A context manager that prefixes the names of records with the scope's name."""

    def __init__(self, recorder, name):
        self.recorder = recorder
        self.name = name

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
    return ".".join([*(scope.name for scope in SCOPES.get() if scope.recorder is recorder), name])
