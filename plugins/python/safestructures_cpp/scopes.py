"""Scopes: parts of a program whose records have the scope's name as a prefix, or a step of their own."""

import contextvars

#: The open scopes of all recorders in this thread or asyncio task, each an Entry.
SCOPES = contextvars.ContextVar("scopes", default=())


class Entry:
    """A scope that was entered."""

    def __init__(self, scope):
        self.scope = scope
        self.token = None
        self.has_ended = False


class Scope:
    """A context manager that prefixes the names of records with the scope's name, or gives them its step."""

    def __init__(self, recorder, *, name=None, step=None):
        self.recorder = recorder
        self.name = name
        self.step = step
        self._entries = []  # Those in all threads and tasks that were not left yet.

    def __enter__(self):
        entry = Entry(self)
        self._entries.append(entry)
        entry.token = SCOPES.set((*open_entries(), entry))

    def __exit__(self, *_):
        entries = open_entries()
        # It need not be the last one: a generator may leave its scope inside another.
        own = [entry for entry in entries if entry in self._entries] or self._entries
        left = own[-1]
        self._entries.remove(left)
        try:
            SCOPES.reset(left.token)
        except ValueError:
            # It was entered in another task or thread, which does not see what is set here: asyncio closes a generator
            # that nobody exhausted in a task of its own.
            left.has_ended = True
        SCOPES.set(tuple(entry for entry in entries if entry is not left))


def open_entries():
    """Returns the entries that are open in this thread or task, the innermost last."""
    return [entry for entry in SCOPES.get() if not entry.has_ended]


def in_scopes(recorder, name):
    """Returns a record's name, prefixed with the names of the recorder's open scopes."""
    scopes = (entry.scope for entry in open_entries())
    names = (scope.name for scope in scopes if scope.recorder is recorder and scope.name is not None)
    return ".".join([*names, name])


def step_in_scopes(recorder):
    """Returns the step of the recorder's innermost open scope that has one, or None."""
    steps = (entry.scope.step for entry in reversed(open_entries()) if entry.scope.recorder is recorder)
    return next((step for step in steps if step is not None), None)
