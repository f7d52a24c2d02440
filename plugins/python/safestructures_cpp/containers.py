"""The containers of `collections`."""

import builtins
import collections
import keyword

from safestructures.defaults import DEFAULT_PROCESS_MAP, register_processor
from safestructures.processors.base import DataProcessor, ListBaseProcessor
from safestructures.processors.iterable import DataclassProcessor, DictProcessor


class StructProcessor(DataclassProcessor):
    """A struct, which is a dict where no dataclass can have its fields: `lambda`, `x-1`."""

    def deserialize(self, serialized, **kwargs):
        """Makes a dataclass, or a dict, which C++ loads as the struct, too."""
        if all(name.isidentifier() and not keyword.iskeyword(name) for name in serialized):
            return super().deserialize(serialized, **kwargs)
        return {name: self.serializer.deserialize(node) for name, node in serialized.items()}


# The package takes no plugin for a type that it knows.
register_processor(DEFAULT_PROCESS_MAP, StructProcessor)


class OrderedDictProcessor(DictProcessor):
    """A dict that remembers its order, as every dict does by now."""

    data_type = collections.OrderedDict

    def deserialize(self, serialized, **kwargs):
        """Reads it as a dict."""
        return self.data_type(super().deserialize(serialized, **kwargs))


class CounterProcessor(OrderedDictProcessor):
    """A dict of counts."""

    data_type = collections.Counter


class DefaultDictProcessor(DictProcessor):
    """A dict with a factory for what is missing, which must be a type of Python itself or None."""

    data_type = collections.defaultdict

    def serialize_extra(self, data):
        """Writes the factory by its name."""
        factory = data.default_factory
        if factory is None:
            return {**super().serialize_extra(data), "default_factory": None}
        name = getattr(factory, "__name__", "")
        if not isinstance(factory, type) or getattr(builtins, name, None) is not factory:
            raise TypeError(
                f"a defaultdict can be saved with a type of Python itself as its factory, such as list"
                f" or int, not {factory!r}"
            )
        return {**super().serialize_extra(data), "default_factory": name}

    def deserialize(self, serialized, default_factory=None, **kwargs):
        """Reads it as a dict; a factory that is no type of Python itself is refused."""
        factory = None
        if default_factory is not None:
            factory = getattr(builtins, str(default_factory), None)
            if not isinstance(factory, type):
                raise ValueError(f"a defaultdict has a factory that is no type: {default_factory!r}")
        return self.data_type(factory, super().deserialize(serialized, **kwargs))


class DequeProcessor(ListBaseProcessor):
    """A list with two ends, bounded or not."""

    data_type = collections.deque

    def serialize_extra(self, data):
        """Writes the bound."""
        return {"maxlen": None if data.maxlen is None else str(data.maxlen)}

    def deserialize(self, serialized, maxlen=None, **kwargs):
        """Reads it as a list."""
        items = [self.serializer.deserialize(node) for node in serialized]
        return self.data_type(items, None if maxlen is None else int(maxlen))


class NamedTupleProcessor(DataProcessor):
    """A named tuple of any class, by the names of its fields."""

    data_type = collections.namedtuple

    @property
    def schema_type(self):
        """The same for all classes: the file says which it was by `class`."""
        return "collections.namedtuple"

    def serialize(self, data):
        """Writes the fields."""
        return {name: self.serializer.serialize(item) for name, item in data._asdict().items()}

    def serialize_extra(self, data):
        """Writes the name of the class."""
        return {"class": type(data).__name__}

    def deserialize(self, serialized, **kwargs):
        """Makes a named tuple: of the class that `named_tuple` was given, else of a new one."""
        name = str(kwargs.get("class", ""))
        known = class_of_name(self.serializer, NamedTupleProcessor, name)
        items = {key: self.serializer.deserialize(node) for key, node in serialized.items()}
        if known is None:
            known = collections.namedtuple(name if name.isidentifier() else "Tuple", list(items))
        if list(items) != list(known._fields):
            raise ValueError(
                f"the named tuple {name} has the fields {list(known._fields)}, but the file has"
                f" {list(items)}"
            )
        return known(**items)


def class_of_name(serializer, base, name):
    """The class of that name for which the caller gave a processor of that base; else None."""
    for data_type, processor in serializer.process_map.items():
        is_own = issubclass(processor, base) and processor is not base
        if is_own and data_type.__name__ == name:
            return data_type
    return None


def named_tuple(data_type):
    """The processor of a class of named tuples, for `plugins`."""
    return type(f"{data_type.__name__}Processor", (NamedTupleProcessor,), {"data_type": data_type})


PLUGINS = [
    OrderedDictProcessor,
    CounterProcessor,
    DefaultDictProcessor,
    DequeProcessor,
    NamedTupleProcessor,
]
