"""The containers of `collections`."""

import builtins
import collections
import json
import keyword
import re
import unicodedata

from safestructures.constants import KEYS_FIELD
from safestructures.defaults import DEFAULT_PROCESS_MAP, register_processor
from safestructures.processors.base import DataProcessor, ListBaseProcessor
from safestructures.processors.iterable import DataclassProcessor, DictProcessor

from safestructures_cpp.nodes import Unlike, as_compared


def is_read_as_it_is(name):
    """Whether Python keeps the name in code, where it takes the micro sign for the Greek letter."""
    return unicodedata.normalize("NFKC", name) == name


def can_be_a_field(name):
    """Whether a dataclass can have the field: a name that Python does not use itself, as `__init__`, `mro`."""
    is_name = name.isidentifier() and not keyword.iskeyword(name) and is_read_as_it_is(name)
    return is_name and not re.fullmatch("__.+__", name) and not hasattr(object, name)


class StructProcessor(DataclassProcessor):
    """A struct, which is a dict where no dataclass can have its fields: `lambda`, `x-1`."""

    def deserialize(self, serialized, **kwargs):
        """Makes a dataclass, or a dict, which C++ loads as the struct, too."""
        if all(map(can_be_a_field, serialized)):
            return super().deserialize(serialized, **kwargs)
        return {name: self.serializer.deserialize(node) for name, node in serialized.items()}


class UnlikeDictProcessor(DictProcessor):
    """A dict in which no key takes the place of another that looks like it: `1` and `"1"`."""

    def labels(self, data):
        """The labels of the keys: `str(key)`, and as in C++ of others than texts one that is free."""
        # JSON joins the halves of a surrogate pair, in labels too.
        texts = [as_compared(str(key)) for key in data]
        names = Unlike(text for text, key in zip(texts, data) if type(key) is str)
        return [text if type(key) is str else names.name(text) for text, key in zip(texts, data)]

    # Loops, as a comprehension or super() takes a frame of Python's of each level, and so of the depth it can read.

    def serialize(self, data):
        """Writes the values."""
        nodes = {}
        for label, value in zip(self.labels(data), data.values()):
            nodes[label] = self.serializer.serialize(value)
        return nodes

    def serialize_extra(self, data):
        """Writes the keys. What readers find twice is refused, as NaN is."""
        keys = {}
        others = set()
        for label, key in zip(self.labels(data), data):
            node = self.serializer.serialize(key)
            text = None if type(key) is str else json.dumps(node)
            if label in keys or text in others:
                raise ValueError(
                    f"a dict in which readers find the key {repr(key)[:100]} twice cannot be saved: save a"
                    " list of its pairs"
                )
            keys[label] = node
            if text is not None:
                others.add(text)
        return {KEYS_FIELD: keys}

    def deserialize(self, serialized, **kwargs):
        """Reads it. Keys that are one here, as an enum's member without its class and a text, are refused."""
        key_nodes = kwargs[KEYS_FIELD]
        result = {}
        for label, node in serialized.items():
            key = self.serializer.deserialize(key_nodes[label])
            result[key] = self.serializer.deserialize(node)
        if len(result) != len(serialized):
            raise ValueError(
                f"a dict of {len(serialized)} entries has keys that load as the same one: {len(result)} would"
                " be left. Keys of classes of your own need enumeration(...) or named_tuple(...) in `plugins`"
            )
        return result


# The package takes no plugin for a type that it knows.
register_processor(DEFAULT_PROCESS_MAP, StructProcessor)
register_processor(DEFAULT_PROCESS_MAP, UnlikeDictProcessor)


class OrderedDictProcessor(UnlikeDictProcessor):
    """A dict that remembers its order, as every dict does by now."""

    data_type = collections.OrderedDict

    def deserialize(self, serialized, **kwargs):
        """Reads it as a dict."""
        return self.data_type(super().deserialize(serialized, **kwargs))


class CounterProcessor(OrderedDictProcessor):
    """A dict of counts."""

    data_type = collections.Counter


class DefaultDictProcessor(UnlikeDictProcessor):
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
        """Writes the name of the class, unless that and the fields are another's too."""
        name = type(data).__name__
        self.only_class(name, list(data._fields))
        return {"class": name}

    def deserialize(self, serialized, **kwargs):
        """Makes a named tuple: of the class that `named_tuple` was given, else of a new one."""
        name = str(kwargs.get("class", ""))
        known = self.only_class(name, list(serialized))
        if known is None:
            # A field that no named tuple can have, such as a keyword, is named by its place: `_0`.
            names = [field if is_read_as_it_is(field) else "_" for field in serialized]
            is_name = name.isidentifier() and not keyword.iskeyword(name)
            known = collections.namedtuple(name if is_name else "Tuple", names, rename=True)
        # A `__new__` of the class has seen these values already.
        return known._make(map(self.serializer.deserialize, serialized.values()))

    def only_class(self, name, fields):
        """The class of that name that `named_tuple` was given; else None. Of several it is the one with the fields."""
        given = classes_of_name(self.serializer, NamedTupleProcessor, name)
        alike = [one for one in given if list(one._fields) == fields]
        if given and not alike:
            known = " or ".join(str(list(one._fields)) for one in given)
            raise ValueError(f"the named tuple {name} has the fields {known}, but the file has {fields}")
        return only_one(alike, f"named tuples with the fields {fields}")


def classes_of_name(serializer, base, name):
    """The classes of that name for which the caller gave a processor of that base."""
    return [
        data_type
        for data_type, processor in serializer.process_map.items()
        if data_type.__name__ == name and issubclass(processor, base) and processor is not base
    ]


def only_one(classes, what):
    """The class, None if there is none. Several are refused, as a file holds no more than their name."""
    if len(classes) > 1:
        names = " and ".join(f"{one.__module__}.{one.__qualname__}" for one in classes)
        raise ValueError(
            f"the plugins are for {len(classes)} {what} that are all called {classes[0].__name__}, and a file"
            f" tells them apart by that name: {names}. Rename one, or give one alone"
        )
    return classes[0] if classes else None


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
