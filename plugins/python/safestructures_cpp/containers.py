"""The containers of `collections`."""

import builtins
import collections
import json
import keyword
import re
import unicodedata

from safestructures.constants import KEYS_FIELD, TYPE_FIELD, VALUE_FIELD
from safestructures.defaults import DEFAULT_PROCESS_MAP, register_processor
from safestructures.processors.base import DataProcessor, ListBaseProcessor
from safestructures.processors.iterable import DataclassProcessor, DictProcessor

from safestructures_cpp.nodes import Unlike, as_compared


def is_read_as_it_is(name):
    """Whether Python keeps the name unchanged in code; it turns the micro sign into the Greek letter, for example."""
    return unicodedata.normalize("NFKC", name) == name


def can_be_a_field(name):
    """Whether a dataclass can have the field. Excludes names that Python uses itself, such as `__init__` or `mro`."""
    is_name = name.isidentifier() and not keyword.iskeyword(name) and is_read_as_it_is(name)
    return is_name and not re.fullmatch("__.+__", name) and not hasattr(object, name)


class StructProcessor(DataclassProcessor):
    """A struct, which becomes a dict if no dataclass can have its fields: `lambda`, `x-1`."""

    def deserialize(self, serialized, **kwargs):
        """Returns a dataclass or a dict; C++ loads either as the struct."""
        if all(map(can_be_a_field, serialized)):
            return super().deserialize(serialized, **kwargs)
        return {name: self.serializer.deserialize(node) for name, node in serialized.items()}


def as_found(node, tensors):
    """Returns the text of the node of a key or an item: readers find those twice that have the same one."""
    text = json.dumps(node)
    differs = '"data_type": "numpy.' in text or '"class": ' in text
    return json.dumps(as_compared_node(node, tensors)) if differs else text


def as_compared_node(node, tensors):
    """Returns the node as readers compare it.

    Scalars of NumPy are tensors, each with a name of its own: their numbers count. The names of classes do not: members
    of two enums that have one name are equal to C++.
    """
    if isinstance(node, list):
        return [as_compared_node(part, tensors) for part in node]
    if not isinstance(node, dict):
        return node
    kind = node.get(TYPE_FIELD)
    if str(kind).startswith("numpy."):
        return {**node, VALUE_FIELD: repr(tensors[node[VALUE_FIELD]].item())}
    left_out = "class" if isinstance(kind, str) else None  # Otherwise these are fields, by their names.
    return {key: as_compared_node(part, tensors) for key, part in node.items() if key != left_out}


class UnlikeDictProcessor(DictProcessor):
    """A dict in which keys that look alike, such as `1` and `"1"`, do not overwrite each other."""

    def labels(self, data):
        """Returns the labels of the keys: `str(key)`, made unique, as in C++, if the key is not a text."""
        # JSON joins the halves of a surrogate pair, in labels too.
        texts = [as_compared(str(key)) for key in data]
        names = Unlike(text for text, key in zip(texts, data) if type(key) is str)
        return [text if type(key) is str else names.name(text) for text, key in zip(texts, data)]

    # Plain loops: a comprehension or super() would take another stack frame per level, so that less depth can be read.

    def serialize(self, data):
        """Writes the values."""
        nodes = {}
        for label, value in zip(self.labels(data), data.values()):
            nodes[label] = self.serializer.serialize(value)
        return nodes

    def serialize_extra(self, data):
        """Writes the keys. Refuses keys that readers would find twice, such as two NaNs."""
        keys = {}
        others = set()
        for label, key in zip(self.labels(data), data):
            node = self.serializer.serialize(key)
            text = None if type(key) is str else as_found(node, self.serializer.tensors)
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
        """Reads it. Refuses keys that are equal in Python, such as an enum member whose class is unknown and a text."""
        key_nodes = kwargs[KEYS_FIELD]
        result = {}
        for label, node in serialized.items():
            key = self.serializer.deserialize(key_nodes[label])
            result[key] = self.serializer.deserialize(node)
        if len(result) != len(serialized):
            raise ValueError(
                f"a dict of {len(serialized)} entries has keys that load as the same one: only {len(result)} would"
                " be left. Keys of classes of your own need enumeration(...) or named_tuple(...) in `plugins`"
            )
        return result


# The package accepts no plugins for types that it knows.
register_processor(DEFAULT_PROCESS_MAP, StructProcessor)
register_processor(DEFAULT_PROCESS_MAP, UnlikeDictProcessor)


class OrderedDictProcessor(UnlikeDictProcessor):
    """A dict that remembers its order, as every dict does nowadays."""

    data_type = collections.OrderedDict

    def deserialize(self, serialized, **kwargs):
        """Reads it as a dict."""
        return self.data_type(super().deserialize(serialized, **kwargs))


class CounterProcessor(OrderedDictProcessor):
    """A dict of counts."""

    data_type = collections.Counter


class DefaultDictProcessor(UnlikeDictProcessor):
    """A dict with a factory for missing values, which must be a built-in type or None."""

    data_type = collections.defaultdict

    def serialize_extra(self, data):
        """Writes the name of the factory."""
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
        """Reads it as a dict; refuses a factory that is not a built-in type."""
        factory = None
        if default_factory is not None:
            factory = getattr(builtins, str(default_factory), None)
            if not isinstance(factory, type):
                raise ValueError(f"a defaultdict has a factory that is not a type: {default_factory!r}")
        return self.data_type(factory, super().deserialize(serialized, **kwargs))


class DequeProcessor(ListBaseProcessor):
    """A list with two ends, bounded or not."""

    data_type = collections.deque

    def serialize_extra(self, data):
        """Writes the bound."""
        return {"maxlen": None if data.maxlen is None else str(data.maxlen)}

    def deserialize(self, serialized, maxlen=None, **kwargs):
        """Reads it as a list. Refuses more items than its bound, which a program in C++ may have added."""
        items = [self.serializer.deserialize(node) for node in serialized]
        most = None if maxlen is None else int(maxlen)
        if most is not None and len(items) > most:
            raise ValueError(
                f"a deque of {len(items)} items cannot have the maxlen {most}: it would drop the first ones"
            )
        return self.data_type(items, most)


class NamedTupleProcessor(DataProcessor):
    """A named tuple of any class, by the names of its fields."""

    data_type = collections.namedtuple

    @property
    def schema_type(self):
        """The same name for all classes; `class` in the file tells which one it was."""
        return "collections.namedtuple"

    def serialize(self, data):
        """Writes the fields."""
        return {name: self.serializer.serialize(item) for name, item in data._asdict().items()}

    def serialize_extra(self, data):
        """Writes the name of the class. Raises ValueError if another class has the same name and fields."""
        name = type(data).__name__
        self.only_class(name, list(data._fields))
        return {"class": name}

    def deserialize(self, serialized, **kwargs):
        """Returns a named tuple of the class given to `named_tuple`, or else of a new class."""
        name = str(kwargs.get("class", ""))
        known = self.only_class(name, list(serialized))
        if known is None:
            # Fields that no named tuple can have, such as keywords, are named by position: `_0`.
            names = [field if is_read_as_it_is(field) else "_" for field in serialized]
            is_name = name.isidentifier() and not keyword.iskeyword(name)
            known = collections.namedtuple(name if is_name else "Tuple", names, rename=True)
        # Bypasses the class's own `__new__`, which has seen these values already.
        return known._make(map(self.serializer.deserialize, serialized.values()))

    def only_class(self, name, fields):
        """Returns the class that `named_tuple` was given with that name and those fields.

        None if no class has the name; ValueError if none of those with the name has the fields.
        """
        given = classes_of_name(self.serializer, NamedTupleProcessor, name)
        alike = [one for one in given if list(one._fields) == fields]
        if given and not alike:
            known = " or ".join(str(list(one._fields)) for one in given)
            raise ValueError(f"the named tuple {name} has the fields {known}, but the file has {fields}")
        return only_one(alike, f"named tuples with the fields {fields}")


def classes_of_name(serializer, base, name):
    """Returns the classes of that name for which the caller passed a processor derived from `base`."""
    return [
        data_type
        for data_type, processor in serializer.process_map.items()
        if data_type.__name__ == name and issubclass(processor, base) and processor is not base
    ]


def only_one(classes, what):
    """Returns the class, or None if there is none. Refuses several, because a file holds only their name."""
    if len(classes) > 1:
        names = " and ".join(f"{one.__module__}.{one.__qualname__}" for one in classes)
        raise ValueError(
            f"the plugins are for {len(classes)} {what} that are all called {classes[0].__name__}, and a file"
            f" tells them apart by that name: {names}. Rename one, or give one alone"
        )
    return classes[0] if classes else None


def named_tuple(data_type):
    """Returns the processor for a class of named tuples, to be passed in `plugins`."""
    return type(f"{data_type.__name__}Processor", (NamedTupleProcessor,), {"data_type": data_type})


PLUGINS = [
    OrderedDictProcessor,
    CounterProcessor,
    DefaultDictProcessor,
    DequeProcessor,
    NamedTupleProcessor,
]
