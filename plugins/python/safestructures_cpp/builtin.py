"""Built-in types of Python: bytes, frozen sets, ranges, slices and `...`."""

import builtins

import numpy as np
from safestructures import DataProcessor, TensorProcessor
from safestructures.defaults import DEFAULT_PROCESS_MAP, register_processor
from safestructures.processors.base import ListBaseProcessor

from safestructures_cpp.arrays import as_numpy
from safestructures_cpp.containers import as_found

# The package looks types up by name in `builtins`, where the type of `...` is missing.
if not hasattr(builtins, "ellipsis"):
    builtins.ellipsis = type(...)


class BytesProcessor(TensorProcessor):
    """Bytes, stored as a tensor so that they are neither escaped nor copied into the header."""

    data_type = bytes

    def to_numpy(self, tensor):
        """Returns the bytes as an array, without a copy."""
        return np.frombuffer(tensor, dtype=np.uint8)

    def deserialize(self, tensor_id, **kwargs):
        """Returns the bytes of the tensor; refuses one that is not U8 of rank 1."""
        array = as_numpy(self.serializer.tensors[tensor_id])
        if array.dtype != np.uint8 or array.ndim != 1:
            raise ValueError(
                f"{self.schema_type} must be a U8 tensor of rank 1, but tensor {tensor_id!r} is"
                f" {array.dtype} of shape {list(array.shape)}"
            )
        return self.data_type(array.tobytes())


class BytearrayProcessor(BytesProcessor):
    """Mutable bytes."""

    data_type = bytearray


class WholeSetProcessor(ListBaseProcessor):
    """A set that loads with all its items or not at all."""

    data_type = set

    def serialize(self, data):
        """Writes the items. Refuses those that readers would find twice, such as two NaNs."""
        nodes = []
        found = set()
        for item in data:
            node = self.serializer.serialize(item)
            text = as_found(node, self.serializer.tensors)
            if text in found:
                raise ValueError(
                    f"a {self.schema_type} in which readers find the item {repr(item)[:100]} twice cannot be saved:"
                    " save a list"
                )
            found.add(text)
            nodes.append(node)
        return nodes

    def deserialize(self, serialized, **kwargs):
        """Reads it. Refuses items that are equal in Python, such as True and 1."""
        items = []
        for node in serialized:  # A comprehension would take a stack frame per level; see UnlikeDictProcessor.
            items.append(self.serializer.deserialize(node))
        result = self.data_type(items)
        if len(result) != len(items):
            raise ValueError(
                f"some of the {len(items)} items of a {self.schema_type} load as the same one: only {len(result)} would"
                " be left. Items of classes of your own need enumeration(...) or named_tuple(...) in `plugins`"
            )
        return result


class FrozensetProcessor(WholeSetProcessor):
    """A set that can be a key of a dict or an element of another set."""

    data_type = frozenset


# The package accepts no plugins for types that it knows.
register_processor(DEFAULT_PROCESS_MAP, WholeSetProcessor)


def _parts(serialized, type_name):
    if not isinstance(serialized, list) or len(serialized) != 3:
        raise ValueError(f"{type_name} must be a list of start, stop and step, not {serialized!r}")
    return [None if part is None else int(part) for part in serialized]


class RangeProcessor(DataProcessor):
    """A range, as its start, stop and step."""

    data_type = range

    def serialize(self, data):
        """Writes the three numbers as text, as every int in the schema is."""
        return [str(data.start), str(data.stop), str(data.step)]

    def deserialize(self, serialized, **kwargs):
        """Reads the three numbers."""
        return range(*_parts(serialized, "range"))


class SliceProcessor(DataProcessor):
    """A slice of integers. Slices of other objects, which Python allows, are refused."""

    data_type = slice

    def serialize(self, data):
        """Writes the three parts, null if absent."""
        parts = [data.start, data.stop, data.step]
        for part in parts:
            if part is not None and type(part) is not int:
                raise TypeError(f"a slice can be saved with int or None parts only, not {part!r}")
        return [None if part is None else str(part) for part in parts]

    def deserialize(self, serialized, **kwargs):
        """Reads the three parts."""
        return slice(*_parts(serialized, "slice"))


class EllipsisProcessor(DataProcessor):
    """The one value `...`."""

    data_type = type(...)

    def serialize(self, data):
        """Writes null: the type says it all."""
        return None

    def deserialize(self, serialized, **kwargs):
        """Returns `...`."""
        return ...


PLUGINS = [
    BytesProcessor,
    BytearrayProcessor,
    FrozensetProcessor,
    RangeProcessor,
    SliceProcessor,
    EllipsisProcessor,
]
