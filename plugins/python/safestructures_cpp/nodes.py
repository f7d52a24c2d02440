"""Converts values to nodes of the schema and separate tensors, the form in which a recording holds each record."""

import dataclasses
import re
from collections.abc import Mapping

import numpy as np

from safestructures_cpp.stored_tensors import (
    NotRecordable,
    StoredTensor,
    is_array,
    is_random_key,
    is_typed_number,
    stored_tensor,
)

#: Deeper values are refused: the Python package reads at most 247 levels, some of which the segment uses.
MOST_LEVELS = 200
#: No header has room for more, at 41 bytes or more each (C++ reads 20,000,000). Lists that share their parts can have
#: any number of nodes.
MOST_NODES = 3_000_000
#: The C++ library's default limit (Limits): if a single value exceeds it, C++ reads nothing of the segment.
MOST_DIGITS = 4300
TOO_LARGE = 10**MOST_DIGITS
#: NumPy 2 allows as many as the C++ library, earlier versions 32.
MOST_DIMENSIONS = getattr(np, "MAXDIMS", 64)

#: Errors that frameworks raise for tensors without accessible numbers. Others may come from a signal handler.
UNREADABLE = (AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)

#: The types of scalars, and functions that convert them to their values in the schema.
SCALARS = {type(None): lambda _: None, bool: bool, int: str, float: repr, complex: str, str: str}
KEYS = (str, int, bool, float, type(None))
SURROGATE = re.compile("[\ud800-\udfff]")


class TooManyNodes(Exception):
    """Raised for a value of more than MOST_NODES nodes."""


@dataclasses.dataclass(frozen=True)
class Late:
    """A placeholder in nodes for a tensor that becomes known later."""

    number: int
    path: str


@dataclasses.dataclass(frozen=True)
class Written:
    """A value whose nodes were made earlier and contain StoredTensor and Late, and the arrays for the latter."""

    node: object
    arrays: tuple


def type_name(value):
    """Returns the name of a value's type, with its module."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def unreadable(value, error):
    """Describes a value that raised an error when it was read."""
    said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return f"{type_name(value)}, which cannot be read ({said}),"


def shown(key):
    """Returns the text of a key for an error; the program's own class may fail to give one."""
    try:
        return repr(key)[:100]
    except Exception:
        return f"a {type_name(key)}"


def items_of(container, is_dataclass):
    """Returns the items of a container, as pairs for a dataclass or a mapping. Raises whatever the container raises."""
    if is_dataclass:
        return [(field.name, getattr(container, field.name)) for field in dataclasses.fields(container)]
    if isinstance(container, Mapping):
        return [(key, item) for key, item in container.items()]  # Not list(): classes may give no pairs.
    return list(container)


def scalar_node(value):
    """Returns the node of a scalar."""
    return {"data_type": type(value).__name__, "value": SCALARS[type(value)](value)}


def step_of(key):
    """Returns a part of a path, escaped as in JSON pointers and C++'s paths, so that slashes only separate parts."""
    if isinstance(key, str) and ("/" in key or "~" in key):
        return key.replace("~", "~0").replace("/", "~1")
    return key


def dotted(path):
    """Returns the path of a tensor as C++ names it: its parts as they are, with dots between them."""
    return path[1:].replace("/", ".").replace("~1", "/").replace("~0", "~")


def is_too_large(value):
    """Whether it is an int of more digits than C++ reads."""
    return type(value) is int and abs(value) >= TOO_LARGE


class Unlike:
    """Makes names unique by appending `#2`, `#3` ... to those already taken, as the C++ library does."""

    def __init__(self, taken=()):
        self._taken = set(taken)
        self._numbers = {}  # The last number appended to each taken name, so that many take linear time.

    def name(self, wanted):
        """Returns the name, or the first numbered one that is free."""
        name = wanted
        while name in self._taken:
            number = self._numbers[wanted] = self._numbers.get(wanted, 1) + 1
            name = f"{wanted}#{number}"
        self._taken.add(name)
        return name


def labels_of(keys):
    """Returns the labels of a dict's keys: a text itself, and `str(key)`, made unique, for other keys."""
    names = Unlike(key for key in keys if isinstance(key, str))
    return [key if isinstance(key, str) else names.name(str(key)) for key in keys]


def as_compared(key):
    """Returns a key as readers compare it: to C++, all NaNs are one key, and JSON joins surrogate pairs."""
    if isinstance(key, str) and SURROGATE.search(key):
        return key.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return key if key == key else ("nan",)


@dataclasses.dataclass(slots=True)
class Inside:
    """NodeWriter's position inside a container."""

    owner: int | None  # The container's id.
    nodes: object  # The container of the nodes of its parts.
    items: object  # An iterator over the remaining parts, as (key in `nodes`, part).
    path: str = ""


class NodeWriter:
    """Makes the nodes of one value. `tensors` holds the tensors that it found."""

    def __init__(self, record, name_of, omit=None):
        """`record` is the record's name, for errors; `name_of(path)` names a tensor.

        `omit(what)`, if given, is called for anything that cannot be recorded, and its node becomes a text that
        says what it was. Without `omit`, it is an error.
        """
        self.tensors = []
        self._record = record
        self._name_of = name_of
        self._omit = omit
        self._nodes = 0
        self._on_path = set()  # The ids of the containers around the current value.

    def node(self, value):
        """Returns the node of the record's value."""
        if isinstance(value, Written):
            return self._filled(value)
        try:
            return self._nodes_of(value)
        except TooManyNodes:
            self.tensors.clear()
            what = f"a value of more than {MOST_NODES} nodes"
            advice = "Record arrays in place of long lists, and its parts under names of their own."
            return self._refused(what, "", advice)

    def _filled(self, written):
        """Returns a copy of the nodes with all tensors named, including those that have become known since."""
        root = [written.node]
        places = [(root, 0)]
        while places:
            holder, key = places.pop()
            part = holder[key]
            if isinstance(part, Late):
                holder[key] = self._tensor_node(written.arrays[part.number], part.path)
            elif isinstance(part, StoredTensor):
                holder[key] = self._add(dataclasses.replace(part))
            elif isinstance(part, (dict, list)):
                holder[key] = part = part.copy()
                keys = list(part) if isinstance(part, dict) else range(len(part))
                places += [(part, key) for key in reversed(keys)]  # Tensors are named in order.
        return root[0]

    def _nodes_of(self, value):
        """Returns the node with everything in it. Not recursive: models may call it deep inside their own calls."""
        root = [None]
        inside = [Inside(None, root, iter([(0, value)]))]
        while inside:
            holder = inside[-1]
            for key, item in holder.items:
                path = f"{holder.path}/{step_of(key)}" if len(inside) > 1 else ""
                holder.nodes[key], parts = self._node(item, path, len(inside) - 1)
                if parts is not None:
                    inside.append(parts)
                    self._on_path.add(parts.owner)
                    break
            else:
                inside.pop()
                self._on_path.discard(holder.owner)
        return root[0]

    def _node(self, value, path, level):
        """Returns (node, Inside if it has parts) for a value at `path` in the record, such as `/0/weight`."""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise TooManyNodes
        if level > MOST_LEVELS:
            what = f"a value that is deeper than {MOST_LEVELS} levels"
            return self._refused(what, path, "Record its parts under names of their own."), None
        if is_array(value):
            return self._tensor_node(value, path), None
        # Exact types only: an instance of a subclass, such as an enum member, is something else.
        if type(value) in SCALARS:
            if is_too_large(value):
                what = f"an int of {value.bit_length()} bits (more than {MOST_DIGITS} digits)"
                return self._refused(what, path, "Record it as a text or as bytes."), None
            return scalar_node(value), None
        if is_typed_number(value):
            return self._tensor_node(np.asarray(value, value.dtype), path), None
        if isinstance(value, (bytes, bytearray)):
            tensor = StoredTensor("U8", (len(value),), memoryview(bytes(value)), path)
            return {"data_type": "bytes", "value": self._add(tensor)}, None
        is_dataclass = dataclasses.is_dataclass(value) and not isinstance(value, (type, Mapping))
        if not is_dataclass and not isinstance(value, (Mapping, list, tuple)):
            return self._omitted(type_name(value), path), None
        if id(value) in self._on_path:
            advice = "Record its parts under names of their own."
            return self._refused("a value that holds itself", path, advice), None
        try:
            items = items_of(value, is_dataclass)
        except Exception as error:  # The program's own class may raise anything.
            advice = "Set all its fields, or record its parts under names of their own."
            return self._refused(unreadable(value, error), path, advice), None
        if is_dataclass:
            node = {"data_type": "SafestructuresDataclass", "value": {}, "class": type(value).__name__}
        elif isinstance(value, Mapping):
            node = self._dict_node(items, path)
            if node["data_type"] != "dict":
                return node, None
            items = zip(node["keys"], (item for _, item in items))
        else:
            node = {"data_type": "list" if isinstance(value, list) else "tuple", "value": [None] * len(items)}
            items = enumerate(items)
        return node, Inside(id(value), node["value"], iter(items), path)

    def _refused(self, what, path, advice, error=ValueError):
        if self._omit is None:
            at = f"the record {self._record[:100]!r}, at {path or '/'}"
            raise error(f"{at}: {what} cannot be recorded. {advice}")
        self._omit(what)
        return scalar_node(f"not recorded: {what.removesuffix(',')}")  # Only the error goes on after the comma.

    def _omitted(self, what, path):
        advice = "Record tensors, numbers, texts, and lists, tuples, dicts and dataclasses of these."
        return self._refused(what, path, advice, NotRecordable)

    def _tensor_node(self, value, path):
        if isinstance(value, np.ma.MaskedArray):
            return self._refused("a masked array", path, "Record its data and its mask, or what filled() gives.")
        if value.ndim > MOST_DIMENSIONS:
            what = f"a tensor of {value.ndim} dimensions (more than {MOST_DIMENSIONS})"
            return self._refused(what, path, "Give it another shape.")
        if is_random_key(value):
            advice = "Record what jax.random.key_data gives of it."
            return self._refused(f"an array of JAX's random keys ({value.dtype})", path, advice, NotRecordable)
        try:
            return self._stored_node(value, path)
        except NotRecordable as error:
            advice = "Record it dense, in a dtype that the format has, such as float32 or complex64."
            return self._refused(str(error), path, advice, NotRecordable)
        except UNREADABLE as error:
            advice = "Record a plain array of its numbers."
            return self._refused(unreadable(value, error), path, advice, NotRecordable)

    def _stored_node(self, value, path):
        tensor = stored_tensor(value, path)
        node = {"data_type": "numpy.ndarray", "value": self._add(tensor)}
        if tensor.is_complex:
            node["complex"] = True
        return node

    def _add(self, tensor):
        tensor.name = self._name_of(tensor.path)
        self.tensors.append(tensor)
        return tensor.name

    def _dict_node(self, items, path):
        # A dict is refused as a whole, before any of its tensors is taken.
        keys = [key for key, _ in items]
        seen = set()
        for key in keys:
            if type(key) not in KEYS:
                what = f"a dict with a key of {type_name(key)}"
                return self._refused(what, path, f"A key is a number or a text of Python, not {shown(key)}.", NotRecordable)
            if is_too_large(key):
                what = f"a dict with a key of {key.bit_length()} bits (more than {MOST_DIGITS} digits)"
                return self._refused(what, path, "Give its keys as texts.")
            compared = as_compared(key)
            if compared in seen:
                what = f"a dict in which readers find the key {repr(key)[:100]} twice"
                return self._refused(what, path, "Record it as a list of pairs.")
            seen.add(compared)
        labels = labels_of(keys)
        return {"data_type": "dict", "value": {}, "keys": dict(zip(labels, map(scalar_node, keys)))}
