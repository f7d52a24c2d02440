"""Values as nodes of the schema, their tensors apart: what a recording holds of each record.

Tensors of every framework are stored as NumPy's are, so that a recording opens without the framework.
"""

import dataclasses
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

#: Deeper values are refused, as the C++ library refuses them by default.
MOST_LEVELS = 200


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


def torch_as_numpy(tensor):
    """(the dtype's name, an array of its bits), in the processor's memory."""
    import torch

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


def key_label(key, labels):
    """The label of a key, unlike those there are."""
    label = str(key)
    if not isinstance(key, str) and label in labels:
        label += "#2"
    return label


class NodeWriter:
    """Makes the nodes of one value. `tensors` are those it met."""

    def __init__(self, name_of, omit=None):
        """`name_of(path)` names a tensor; `omit(what)`, if any, is called for what cannot be recorded.

        In its place the node is then a text that says what it was; without `omit` it is an error.
        """
        self.tensors = []
        self._name_of = name_of
        self._omit = omit

    def node(self, value, path="", level=0):
        """The node of a value, whose place in the record is `path`: `/0/weight`."""
        if level > MOST_LEVELS:
            raise ValueError(f"at {path}: the value is deeper than {MOST_LEVELS} levels")
        if value is None:
            return {"data_type": "NoneType", "value": None}
        if is_array(value):
            return self._tensor_node(value, path)
        # A subclass, such as an enum's member, is told from what it derives from.
        scalar = {bool: bool, int: str, float: repr, complex: str, str: str}.get(type(value))
        if scalar:
            return {"data_type": type(value).__name__, "value": scalar(value)}
        if isinstance(value, (bytes, bytearray)):
            tensor = StoredTensor("U8", (len(value),), memoryview(bytes(value)), path)
            return {"data_type": "bytes", "value": self._add(tensor)}
        if dataclasses.is_dataclass(value) and not isinstance(value, (type, Mapping)):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return {
                "data_type": "SafestructuresDataclass",
                "value": self._children(fields.items(), path, level),
                "class": type(value).__name__,
            }
        if isinstance(value, Mapping):
            return self._dict_node(value, path, level)
        if isinstance(value, (list, tuple)):
            nodes = [self.node(item, f"{path}/{i}", level + 1) for i, item in enumerate(value)]
            return {"data_type": "list" if isinstance(value, list) else "tuple", "value": nodes}
        return self._omitted(f"{type(value).__module__}.{type(value).__qualname__}", path)

    def _omitted(self, what, path):
        if self._omit is None:
            raise NotRecordable(
                f"at {path or '/'}: {what} cannot be recorded. Record tensors, numbers, texts, and"
                " lists, tuples, dicts and dataclasses of these."
            )
        self._omit(what)
        return {"data_type": "str", "value": f"not recorded: {what}"}

    def _tensor_node(self, value, path):
        try:
            tensor = stored_tensor(value, path)
        except (NotRecordable, NotImplementedError, RuntimeError) as error:
            return self._omitted(str(error).splitlines()[0], path)
        return {"data_type": "numpy.ndarray", "value": self._add(tensor)}

    def _add(self, tensor):
        tensor.name = self._name_of(tensor.path)
        self.tensors.append(tensor)
        return tensor.name

    def _children(self, items, path, level):
        return {name: self.node(item, f"{path}/{name}", level + 1) for name, item in items}

    def _dict_node(self, value, path, level):
        for key in value:
            if type(key) in (str, int, bool, float, type(None)):
                continue
            if self._omit is not None:
                return self._omitted(f"a dict with a key of {type(key).__module__}.{type(key).__qualname__}", path)
            raise NotRecordable(f"at {path or '/'}: a key of a recorded dict is a number or a text, not {key!r}")
        labels = {key for key in value if isinstance(key, str)}
        nodes = {}
        keys = {}
        for key, item in value.items():
            label = key_label(key, labels | set(nodes))
            nodes[label] = self.node(item, f"{path}/{label}", level + 1)
            keys[label] = self.node(key, path, level + 1)
        return {"data_type": "dict", "value": nodes, "keys": keys}
