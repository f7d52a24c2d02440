"""The parts of a program whose records have its name in front."""

import contextvars

#: The scopes that are open here, of all recorders: each thread and each task of asyncio has its own.
SCOPES = contextvars.ContextVar("scopes", default=())


class Scope:
    """A part of the program whose records have its name in front, for as long as `with` lasts."""

    def __init__(self, recorder, name):
        self.recorder = recorder
        self.name = name

    def __enter__(self):
        SCOPES.set((*SCOPES.get(), self))

    def __exit__(self, *_):
        # Not the last one where a generator leaves its scope inside another.
        scopes = list(reversed(SCOPES.get()))
        if self in scopes:
            scopes.remove(self)
        SCOPES.set(tuple(reversed(scopes)))


def in_scopes(recorder, name):
    """A record's name behind those of the recorder's scopes that are open here."""
    return ".".join([*(scope.name for scope in SCOPES.get() if scope.recorder is recorder), name])
