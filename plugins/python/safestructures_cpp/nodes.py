"""Values as nodes of the schema, their tensors apart: what a recording holds of each record.

Tensors of every framework are stored as NumPy's are, so that a recording opens without the framework.
"""

import dataclasses
import re
import sys
from collections.abc import Mapping

import numpy as np

#: NumPy's and ml_dtypes' names, torch's after "torch.", and the format's.
DTYPES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "int32": "I32",
    "uint64": "U64",
    "int64": "I64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
    "float8_e5m2": "F8_E5M2",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e8m0fnu": "F8_E8M0",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
}
#: Those that NumPy does not know, by the integers that have their bits.
BITS_OF_TORCH = {"bfloat16": "int16", "uint16": "int16", "uint32": "int32", "uint64": "int64"}

#: Deeper values are refused: Python's package reads at most 247 levels, some of them the segment's.
MOST_LEVELS = 200
#: No header has room for as many, of 41 bytes at least (and C++ reads 20,000,000). Lists that share their parts have
#: any number of nodes.
MOST_NODES = 3_000_000
#: The C++ library's bounds by default (Limits): one value beyond them, and it reads nothing of the segment.
MOST_DIGITS = 4300
TOO_LARGE = 10**MOST_DIGITS
#: NumPy 2 has as many as the C++ library, earlier ones 32.
MOST_DIMENSIONS = getattr(np, "MAXDIMS", 64)

#: What frameworks raise for tensors that have no numbers at hand. Of other errors a signal's handler may be the cause.
UNREADABLE = (AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)

#: The types of scalars, and how the schema says their values.
SCALARS = {type(None): lambda _: None, bool: bool, int: str, float: repr, complex: str, str: str}
KEYS = (str, int, bool, float, type(None))
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclasses.dataclass
class StoredTensor:
    """A tensor as it is stored: its bytes in order, its name once the record has one."""

    dtype: str
    shape: tuple
    data: memoryview
    path: str
    name: str = ""


class NotRecordable(TypeError):
    """A value of a type that no record can hold."""


class TooManyNodes(Exception):
    """A value has more than MOST_NODES."""


@dataclasses.dataclass(frozen=True)
class Late:
    """The place, in nodes, of a tensor that is known later."""

    number: int
    path: str


@dataclasses.dataclass(frozen=True)
class Written:
    """A value whose nodes were made before, with StoredTensor and Late in them, and the arrays of the latter."""

    node: object
    arrays: tuple


def module_of(value):
    """The framework of a value: `torch` for its tensors."""
    return type(value).__module__.partition(".")[0]


def is_torch_tensor(value):
    """Without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_jax_array(value):
    """Without importing JAX."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


def is_array(value):
    """Whether it is a tensor of a framework that is known here, or a NumPy scalar."""
    return isinstance(value, (np.ndarray, np.generic)) or is_torch_tensor(value) or is_jax_array(value)


def is_typed_number(value):
    """Whether it is a number that brings a dtype with it, as what a later JAX gives rules of differentiation is."""
    return isinstance(value, (int, float, complex)) and isinstance(getattr(value, "dtype", None), np.dtype)


def is_random_key(value):
    """Whether it is an array of JAX's typed random keys, which NumPy cannot have."""
    return is_jax_array(value) and not isinstance(value.dtype, np.dtype)


def torch_as_numpy(tensor):
    """(the dtype's name, an array of its bits), in the processor's memory."""
    import torch

    if tensor.is_nested:
        raise NotRecordable("a nested torch tensor")
    if tensor.layout != torch.strided or tensor.is_quantized:
        raise NotRecordable(f"a torch tensor of layout {tensor.layout} and dtype {tensor.dtype}")
    name = str(tensor.dtype).removeprefix("torch.")
    tensor = tensor.detach().cpu().contiguous()
    if name.startswith("float8"):
        return name, tensor.view(torch.uint8).numpy()
    if name in BITS_OF_TORCH:
        return name, tensor.view(getattr(torch, BITS_OF_TORCH[name])).numpy()
    return name, tensor.resolve_conj().resolve_neg().numpy()


def stored_tensor(value, path):
    """The tensor of an array. It may share the array's memory. Raises NotRecordable."""
    if is_torch_tensor(value):
        name, array = torch_as_numpy(value)
    else:
        array = np.asarray(value)
        name = array.dtype.name
    if name not in DTYPES:
        raise NotRecordable(f"a tensor of dtype {name}")
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    array = np.asarray(array, order="C")
    # Bytes, of a dtype that has no buffer of its own too.
    data = memoryview(array.reshape(-1).view(np.uint8)) if array.size else memoryview(b"")
    return StoredTensor(DTYPES[name], tuple(array.shape), data, path)


def type_name(value):
    """The name of a value's type, with its module."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def unreadable(value, error):
    """What is said of a value of which reading raised an error."""
    said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return f"{type_name(value)}, which cannot be read ({said}),"


def items_of(container, is_dataclass):
    """What a container holds: pairs of a dataclass and a mapping. It raises whatever the container does."""
    if is_dataclass:
        return [(field.name, getattr(container, field.name)) for field in dataclasses.fields(container)]
    return list(container.items() if isinstance(container, Mapping) else container)


def scalar_node(value):
    """The node of a scalar."""
    return {"data_type": type(value).__name__, "value": SCALARS[type(value)](value)}


def is_too_large(value):
    """Whether it is an int of more digits than are read."""
    return type(value) is int and abs(value) >= TOO_LARGE


class Unlike:
    """Names that are unlike each other: what is taken gets `#2`, `#3` ... behind it, as in the C++ library."""

    def __init__(self, taken=()):
        self._taken = set(taken)
        self._numbers = {}  # Of each name that was taken the last one behind it, so that many take linear time.

    def name(self, wanted):
        """The name, or the first like it that is free."""
        name = wanted
        while name in self._taken:
            number = self._numbers[wanted] = self._numbers.get(wanted, 1) + 1
            name = f"{wanted}#{number}"
        self._taken.add(name)
        return name


def labels_of(keys):
    """The labels of a dict's keys: of a text itself, of others their text, where that is free."""
    names = Unlike(key for key in keys if isinstance(key, str))
    return [key if isinstance(key, str) else names.name(str(key)) for key in keys]


def as_compared(key):
    """A key as readers compare it: NaNs are one key to C++, and JSON joins the halves of a surrogate pair."""
    if isinstance(key, str) and SURROGATE.search(key):
        return key.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return key if key == key else ("nan",)


@dataclasses.dataclass(slots=True)
class Inside:
    """Where NodeWriter is inside a container."""

    owner: int | None  # The container's id.
    nodes: object  # What its parts' nodes go to,
    items: object  # and those that are still to come, each with its key there.
    path: str = ""


class NodeWriter:
    """Makes the nodes of one value. `tensors` are those it met."""

    def __init__(self, record, name_of, omit=None):
        """`record` is the record's name, for errors; `name_of(path)` names a tensor.

        `omit(what)`, if any, is called for what cannot be recorded. In its place the node is then a text
        that says what it was; without `omit` it is an error.
        """
        self.tensors = []
        self._record = record
        self._name_of = name_of
        self._omit = omit
        self._nodes = 0
        self._on_path = set()  # The ids of what holds the value that is looked at.

    def node(self, value):
        """The node of the record's value."""
        if isinstance(value, Written):
            return self._filled(value)
        try:
            return self._nodes_of(value)
        except TooManyNodes:
            self.tensors.clear()
            what = f"a value of more than {MOST_NODES} nodes"
            return self._refused(what, "", "Record arrays in place of long lists, and its parts by names of their own.")

    def _filled(self, written):
        """A copy of the nodes with its tensors named, those that are known by now too."""
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
                places += [(part, key) for key in reversed(keys)]  # Tensors are numbered in their order.
        return root[0]

    def _nodes_of(self, value):
        """The node with all inside it. Without recursion: models call from deep inside their own."""
        root = [None]
        inside = [Inside(None, root, iter([(0, value)]))]
        while inside:
            holder = inside[-1]
            for key, item in holder.items:
                path = f"{holder.path}/{key}" if len(inside) > 1 else ""
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
        """(the node of a value, whose place in the record is `path`: `/0/weight`; Inside, where it has parts)"""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise TooManyNodes
        if level > MOST_LEVELS:
            what = f"a value that is deeper than {MOST_LEVELS} levels"
            return self._refused(what, path, "Record its parts by names of their own."), None
        if is_array(value):
            return self._tensor_node(value, path), None
        # A subclass, such as an enum's member, is told from what it derives from.
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
            advice = "Record its parts by names of their own."
            return self._refused("a value that holds itself", path, advice), None
        try:
            items = items_of(value, is_dataclass)
        except Exception as error:  # Of the program's own class: whatever it raises.
            advice = "Set all its fields, or record its parts by names of their own."
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
        return scalar_node(f"not recorded: {what}")

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
        return {"data_type": "numpy.ndarray", "value": self._add(stored_tensor(value, path))}

    def _add(self, tensor):
        tensor.name = self._name_of(tensor.path)
        self.tensors.append(tensor)
        return tensor.name

    def _dict_node(self, items, path):
        # What is refused is refused as a whole, before any of its tensors is taken.
        keys = [key for key, _ in items]
        seen = set()
        for key in keys:
            if type(key) not in KEYS:
                what = f"a dict with a key of {type_name(key)}"
                return self._refused(what, path, f"A key is a number or a text, not {key!r}.", NotRecordable)
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
