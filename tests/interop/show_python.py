"""Loads a file with Python's `safestructures` and prints what it holds as a tree.

python show_python.py FILE
"""

import dataclasses
import sys

import checks
import numpy as np
import safestructures_cpp

LONGEST_LIST = 12
LONGEST_TEXT = 72


def cut(text):
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."


def tensor_text(array):
    text = f"{array.dtype}{list(array.shape)}"
    if array.size <= 8:
        text += " " + " ".join(np.array2string(array, separator=", ", threshold=8).split())
    return text


def children(value):
    """The parts of a container as (label, value), or None for a leaf."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
    if isinstance(value, dict):
        return [(ascii(k) if isinstance(k, str) else repr(k), v) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return [(f"[{i}]", v) for i, v in enumerate(value)]
    if isinstance(value, (set, frozenset)):
        return [("-", v) for v in value]
    return None


def summary(value):
    if isinstance(value, np.ndarray):
        return tensor_text(value)
    if isinstance(value, str):
        return cut(ascii(value) if not value.isprintable() else repr(value))
    parts = children(value)
    if parts is None:
        return cut(repr(value))
    if dataclasses.is_dataclass(value):
        return f"{type(value).__name__} ({len(parts)} fields)"
    return f"{type(value).__name__} ({len(parts)})"


def print_tree(label, value, indent=""):
    print(f"{indent}{label}: {summary(value)}")
    parts = children(value) or []
    for name, part in parts[:LONGEST_LIST]:
        print_tree(name, part, indent + "  ")
    if len(parts) > LONGEST_LIST:
        print(f"{indent}  ... {len(parts) - LONGEST_LIST} more")


def main():
    (path,) = checks.arguments(__doc__, 1)
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        value = checks.load(path, safestructures_cpp.PLUGINS)
    except Exception as error:  # whatever it raises is what the user wants to know
        sys.exit(f"Python cannot load {path}: {type(error).__name__}: {error}")
    print_tree(path, value)


if __name__ == "__main__":
    main()
