"""The Python plugin gives back flags, keys, sets, fields and folds as they were, or says why it cannot."""

import collections
import datetime
import enum
import json
import keyword
import math
import pathlib
import tempfile

import checks
import notation
import numpy as np
import safestructures
import safestructures_cpp
from safestructures.processors.iterable import DictProcessor


class Perm(enum.Flag):
    """Flags with a name for two of them together."""

    R = 4
    W = 2
    X = 1
    RX = 5


class Open(enum.IntFlag):
    """Flags that keep bits of no member."""

    READ = 1
    WRITE = 2


class Zero(enum.IntFlag):
    """Flags with a name for none."""

    NONE = 0
    ONE = 1


class Colour(enum.Enum):
    """An enum without flags."""

    RED = 1


class Light(enum.Enum):
    """Another one with a member of that name."""

    RED = 2
    GREEN = 1


class Made(enum.Enum):
    """An enum that makes members of values that no member has."""

    ONE = 1

    @classmethod
    def _missing_(cls, value):
        made = object.__new__(cls)
        made._name_, made._value_ = f"MADE{value}", value
        return made


Bars = enum.Flag("Bars", {"R": 1, "W": 2, "R|W": 4})
Digits = enum.IntFlag("Digits", {"8": 1})

# name: the member, and its text in the file
FLAGS = {
    "a member": (Perm.R, "R"),
    "a member of two": (Perm.RX, "RX"),
    "two members": (Perm.R | Perm.W, "R|W"),
    "all members": (Perm.R | Perm.W | Perm.X, "R|W|X"),
    "no member": (Perm(0), "0"),
    "two of IntFlag": (Open.READ | Open.WRITE, "READ|WRITE"),
    "none of IntFlag": (Open(0), "0"),
    "a bit of no member": (Open(8), "8"),
    "bits of no member": (Open(1 | 8 | 1 << 70), f"READ|{8 | 1 << 70}"),
    "a name for none": (Zero(0), "NONE"),
    "a name with a bar": (Bars["R|W"], "R|W"),
}
if hasattr(enum, "KEEP"):
    Kept = enum.Flag("Kept", {"A": 1, "C": 4}, boundary=enum.KEEP)
    FLAGS["a boundary that keeps bits"] = (Kept(2 | 4), "C|2")
else:
    FLAGS["a negative one"] = (~Open.READ, "-2")

# Whose names and numbers are those of others, or of no member.
UNSAVEABLE = {
    "flags whose names are another's": Bars["R"] | Bars["W"],
    "a bit whose number is another's name": Digits(8),
    "one that was made": Made(2),
}

ENUMS = [Perm, Open, Zero, Colour, Light, Made, Bars, Digits, *([Kept] if hasattr(enum, "KEEP") else [])]
PLUGINS = [*safestructures_cpp.PLUGINS, *map(safestructures_cpp.enumeration, ENUMS)]


def are_same(loaded, value):
    """Whether both are one object, or equal flags: Python 3.11.2 makes those with unnamed bits anew each time."""
    is_known = value in list(type(value))
    return loaded is value or (not is_known and type(loaded) is type(value) and loaded.value == value.value)


def loaded_of(path, value, plugins=PLUGINS):
    """The value, saved and loaded."""
    safestructures.save_file(value, path, plugins=plugins)
    return safestructures.load_file(path, plugins=plugins)


def schema_of(path):
    """The schema of a file."""
    return json.loads(notation.read_container(path)[0][notation.SCHEMA_FIELD])


def write(path, schema):
    """Writes a file of that schema."""
    metadata = {notation.SCHEMA_FIELD: json.dumps(schema), notation.VERSION_FIELD: "1.0.0"}
    safestructures.serializer.save_file({"null": np.array([0])}, path, metadata=metadata)


def refused(report, name, message, call, *args, **kwargs):
    """Checks that a call is refused with such a message."""
    report.count("refused")
    try:
        report.fail(name, f"nothing is refused: {call(*args, **kwargs)!r}")
    except ValueError as error:
        if message not in str(error):
            report.fail(name, f"expected a message with {message!r}, found {error}")


def check_flags(report, path):
    """Flags come back, with `enumeration` as they were, without it as text."""
    for name, (value, text) in FLAGS.items():
        report.count("flags")
        loaded = loaded_of(path, value)
        schema = schema_of(path)
        expected = {"data_type": "enum.Enum", "value": text, "class": type(value).__name__}
        if not are_same(loaded, value) or schema != expected:
            report.fail(name, f"found {loaded!r} and {schema}")
        for file in (path, checks.by_cpp(path)):
            as_text = safestructures.load_file(file, plugins=safestructures_cpp.PLUGINS)
            if as_text != text or not are_same(safestructures.load_file(file, plugins=PLUGINS), value):
                report.fail(f"{name} as text", f"found {as_text!r}")
    for name, value in UNSAVEABLE.items():
        message = f"cannot be saved: it is not a member of {type(value).__name__}, and "
        refused(report, name, message, safestructures.save_file, value, path, plugins=PLUGINS)
    for text, class_name, message in (
        ("R|Q", "Perm", "Perm has no member 'Q': it has R, W, X, RX"),
        ("R|", "Perm", "Perm has no member ''"),
        ("RED|RED", "Colour", "Colour has no member 'RED|RED': it has RED"),
        ("1", "Colour", "Colour has no member '1'"),
        ("R|8", "Perm", "Perm"),
    ):
        write(path, {"data_type": "enum.Enum", "value": text, "class": class_name})
        refused(report, f"{text} of {class_name}", message, safestructures.load_file, path, plugins=PLUGINS)
    if hasattr(enum, "KEEP"):
        cut = enum.Flag("Perm", {"R": 4}, boundary=enum.CONFORM)
        write(path, {"data_type": "enum.Enum", "value": "R|8", "class": "Perm"})
        plugins = [safestructures_cpp.enumeration(cut), *safestructures_cpp.PLUGINS]
        refused(report, "a class that drops bits", "Perm cannot have the flags 'R|8'",
                safestructures.load_file, path, plugins=plugins)


def check_same_names(report, path):
    """Of two classes of one name none is taken for the other."""
    first, second = (enum.Enum("Model", {"A": number}) for number in (1, 2))
    plugins = [*safestructures_cpp.PLUGINS, *map(safestructures_cpp.enumeration, (first, second))]
    message = "the plugins are for 2 enums that are all called Model"
    refused(report, "two enums on saving", message, safestructures.save_file, [first.A], path, plugins=plugins)
    safestructures.save_file(first.A, path, plugins=[safestructures_cpp.enumeration(first)])
    refused(report, "two enums on loading", message, safestructures.load_file, path, plugins=plugins)
    if loaded_of(path, {"x": Colour.RED}, plugins + [safestructures_cpp.enumeration(Colour)]) != {"x": Colour.RED}:
        report.fail("two enums that are not met", "they are")

    pairs = [collections.namedtuple("Pair", fields) for fields in ("x y", "x y", "y x", "x y z")]
    plugins = [*safestructures_cpp.PLUGINS, *map(safestructures_cpp.named_tuple, pairs)]
    message = "the plugins are for 2 named tuples with the fields ['x', 'y'] that are all called Pair"
    refused(report, "two named tuples on saving", message, safestructures.save_file, pairs[0](1, 2), path, None, plugins)
    safestructures.save_file(pairs[0](1, 2), path, plugins=[safestructures_cpp.named_tuple(pairs[0])])
    refused(report, "two named tuples on loading", message, safestructures.load_file, path, plugins=plugins)
    value = [pairs[2](1, 2), pairs[3](1, 2, 3)]
    report.count("named tuples told by their fields")
    loaded = loaded_of(path, value, plugins)
    if list(map(type, loaded)) != pairs[2:] or loaded != value:
        report.fail("named tuples of other fields", f"found {loaded!r}")
    node = {"data_type": "collections.namedtuple", "value": {}, "class": "Pair"}
    write(path, node)
    message = "the named tuple Pair has the fields ['y', 'x'] or ['x', 'y', 'z'], but the file has []"
    refused(report, "fields of none", message, safestructures.load_file, path,
            plugins=[*safestructures_cpp.PLUGINS, *map(safestructures_cpp.named_tuple, pairs[2:])])


ALIKE = [(1, "a"), ("1", "b"), ("True", "c"), (None, "d"), ("None", "e"), (1.5, "f"), ("1.5", "g"),
         ("1#2", "h"), ((1,), "i"), ("(1,)", "j")]
# Without labels of their own; the texts of the package alone.
ORDINARY = {1: "a", "b": [], 2.5: {"x": {3: None}}, (1, "1"): (), None: -1, "\ud800": 1, b"1": np.ones(1)}


def check_keys(report, path):
    """No dict loses an entry, whatever its keys look like, in Python and in C++."""
    counts = collections.Counter({key: number for number, (key, _) in enumerate(ALIKE)})
    for value in (dict(ALIKE), collections.OrderedDict(ALIKE), collections.defaultdict(list, ALIKE), counts):
        name = type(value).__name__
        report.count("dicts with keys that look alike")
        safestructures.save_file(value, path, plugins=PLUGINS)
        for file in (path, checks.by_cpp(path)):
            found = safestructures.load_file(file, plugins=PLUGINS)
            if type(found) is not type(value) or list(found.items()) != list(value.items()):
                report.fail(f"{name} of {file.name}", f"found {found!r}")
        labels = list(schema_of(path)["value"])
        if labels[:5] != ["1#3", "1", "True", "None#2", "None"]:
            report.fail(f"{name}, its labels", f"found {labels}")
    # Neither is a plugin needed for it nor does it change a file that was right.
    safestructures.save_file({1: "a", "1": "b"}, path)
    if safestructures.load_file(path) != {1: "a", "1": "b"}:
        report.fail("a dict without the plugins", "it loses an entry")
    report.count("ordinary dicts")
    texts = []
    for processor in (None, DictProcessor):
        serializer = safestructures.serializer.Serializer(plugins=PLUGINS)
        serializer.process_map[dict] = processor or serializer.process_map[dict]
        serializer.save(ORDINARY, path)
        texts.append(notation.read_container(path)[0][notation.SCHEMA_FIELD])
    if texts[0] != texts[1]:
        report.fail("an ordinary dict", f"is written otherwise: {texts}")
    for name, value in (
        ("two NaN", {math.nan: 1, float("nan"): 2}),
        ("two NaN within", collections.OrderedDict([((math.nan,), 1), ((float("nan"),), 2)])),
        ("two NaN of NumPy", {np.float32("nan"): 1, np.float32("nan"): 2}),
        ("two NaN of NumPy within", {(1, np.float64("nan")): 1, (1, np.float64("nan")): 2}),
        ("members of one name", {Colour.RED: 1, Light.RED: 2}),
        ("members of one name within", {(1, Colour.RED): 1, (1, Light.RED): 2}),
        ("halves of a surrogate pair", {"\U0001f600": 1, "\ud83d\ude00": 2}),
    ):
        refused(report, name, "twice cannot be saved", safestructures.save_file, value, path, plugins=PLUGINS)
    for value in ({Colour.RED: 1, Light.GREEN: 2}, {(1, Colour.RED): 1, (2, Colour.RED): 2}):
        safestructures.save_file(value, path, plugins=PLUGINS)
        for file in (path, checks.by_cpp(path)):
            if safestructures.load_file(file, plugins=PLUGINS) != value:
                report.fail(f"members of two names in {file.name}", "are others")
    value = {Colour.RED: 1, "RED": 2}
    if loaded_of(path, value) != value:
        report.fail("a member and its name", "are one key")
    refused(report, "a member without its class", "has keys that load as the same one: only 1 would be left",
            safestructures.load_file, path, plugins=safestructures_cpp.PLUGINS)
    yes, one = {"data_type": "bool", "value": True}, {"data_type": "int", "value": "1"}
    write(path, {"data_type": "dict", "value": {"True": one, "1": one}, "keys": {"True": yes, "1": one}})
    refused(report, "True and 1 in a dict", "has keys that load as the same one: only 1 would be left",
            safestructures.load_file, path)


def check_sets(report, path):
    """No set loses an item."""
    for kind in (set, frozenset):
        name = kind.__name__
        value = kind([Colour.RED, "RED"])
        if loaded_of(path, value) != value:
            report.fail(f"a member and its name in a {name}", "are one item")
        message = f"some of the 2 items of a {name} load as the same one: only 1 would be left"
        refused(report, f"a member without its class in a {name}", message, safestructures.load_file, path,
                plugins=safestructures_cpp.PLUGINS)
        items = [{"data_type": "bool", "value": True}, {"data_type": "int", "value": "1"}]
        for nodes in (items, [{"data_type": "tuple", "value": [item]} for item in items]):
            write(path, {"data_type": name, "value": nodes})
            refused(report, f"True and 1 in a {name}", message, safestructures.load_file, path,
                    plugins=safestructures_cpp.PLUGINS)
    write(path, {"data_type": "set", "value": items})
    refused(report, "True and 1 without plugins", "1 would be left", safestructures.load_file, path)
    pair = ["\U0001f600", "\ud83d\ude00"]
    for kind in (set, frozenset):
        for name, items in (
            ("two NaN", [math.nan, float("nan")]),
            ("two NaN within", [(math.nan,), (float("nan"),)]),
            ("two NaN of NumPy", [np.float32("nan"), np.float32("nan")]),
            ("members of one name", [Colour.RED, Light.RED]),
            ("halves of a surrogate pair", pair),
        ):
            message = f"a {kind.__name__} in which readers find the item "
            refused(report, f"{name} in a {kind.__name__}", message, safestructures.save_file, [kind(items)], path,
                    plugins=PLUGINS)
    # NaNs of several types are several to C++, too.
    numbers = {math.nan, np.float32("nan"), np.float64("nan"), complex(1, math.nan), complex(2, math.nan)}
    numbers |= {np.float32(1.5), np.float32(2.5), np.int8(3), b"a", b"b", "nan"}
    for value in (numbers, dict.fromkeys(numbers, 1)):
        report.count("NaNs of several types")
        safestructures.save_file(value, path, plugins=PLUGINS)
        for file in (path, checks.by_cpp(path)):
            if sorted(map(repr, safestructures.load_file(file, plugins=PLUGINS))) != sorted(map(repr, numbers)):
                report.fail(f"NaNs of {file.name}", "are others")
    value = {frozenset({1, frozenset()}), frozenset(), (), 1}
    report.count("sets in sets")
    if loaded_of(path, value) != value:
        report.fail("sets in a set", "are others")


def check_deques(report, path):
    """No deque silently drops what is more than its bound, as C++ may have saved it."""
    one = {"data_type": "int", "value": "1"}
    for count in (0, 2):
        report.count("deques")
        value = collections.deque([1] * count, 2)
        loaded = loaded_of(path, value)
        if (loaded, loaded.maxlen) != (value, 2):
            report.fail(f"a deque of {count}", f"found {loaded!r}")
    write(path, {"data_type": "collections.deque", "value": [one] * 3, "maxlen": "2"})
    refused(report, "a deque of more", "a deque of 3 items cannot have the maxlen 2", safestructures.load_file, path,
            plugins=PLUGINS)


def check_fields(report, path):
    """A struct that C++ can have loads, whatever the names of its fields."""
    own = sorted({*dir(type), *dir(object), *keyword.kwlist, "__dataclass_fields__", "__slots__", "__del__",
                  "\u00b5", "\u00aa", "\ufb01"})
    one = {"data_type": "int", "value": "1"}
    for name in own:
        report.count("fields that no dataclass can have")
        write(path, {"data_type": "SafestructuresDataclass", "value": {name: one, "y": one}})
        loaded = safestructures.load_file(path, plugins=PLUGINS)
        if loaded != {name: 1, "y": 1}:
            report.fail(f"a struct with the field {name!r}", f"found {loaded!r}")
    for name in ("self", "cls", "_x", "__x", "__", "type", "match", "\u03bc"):
        report.count("fields of dataclasses")
        write(path, {"data_type": "SafestructuresDataclass", "value": {name: one, "y": one}})
        loaded = safestructures.load_file(path, plugins=PLUGINS)
        if isinstance(loaded, dict) or getattr(loaded, name) != 1:
            report.fail(f"a struct with the field {name!r}", f"found {loaded!r}")


class Positive(collections.namedtuple("Positive", "x")):
    """A named tuple that changes what it is made of."""

    def __new__(cls, x):
        return super().__new__(cls, x * 10)


def check_named_tuples(report, path):
    """They load without their class, whatever the names, and by their class as they were."""
    renamed = collections.namedtuple("Row", ["id", "class", "id"], rename=True)
    for name, value, fields in (
        ("renamed fields", renamed(1, 2, 3), ("id", "_1", "_2")),
        ("a class as ever", collections.namedtuple("Row", "x")(1), ("x",)),
    ):
        report.count("named tuples without their class")
        safestructures.save_file(value, path, plugins=[safestructures_cpp.named_tuple(type(value))])
        loaded = safestructures.load_file(path, plugins=PLUGINS)
        if loaded != value or loaded._fields != fields:
            report.fail(name, f"found {loaded!r}")
    one = {"data_type": "int", "value": "1"}
    for class_name, names, expected in (
        ("Row", ["class", "x"], "Row(_0=1, x=1)"),
        ("Row", ["x", "_0", "x-1", "\u00b5", "\u03bc"], "Row(x=1, _1=1, _2=1, _3=1, \u03bc=1)"),
        ("class", ["x"], "Tuple(x=1)"),
        ("a b", ["x"], "Tuple(x=1)"),
        ("Row", [], "Row()"),
    ):
        report.count("named tuples without their class")
        nodes = {name: one for name in names}
        write(path, {"data_type": "collections.namedtuple", "value": nodes, "class": class_name})
        loaded = safestructures.load_file(path, plugins=PLUGINS)
        if repr(loaded) != expected:
            report.fail(f"{class_name} of {names}", f"found {loaded!r}")
    value = Positive(1)
    loaded = loaded_of(path, value, [*safestructures_cpp.PLUGINS, safestructures_cpp.named_tuple(Positive)])
    report.count("named tuples with a __new__")
    if type(loaded) is not Positive or loaded != value:
        report.fail("a named tuple with a __new__", f"found {loaded!r}, not {value!r}")


def check_folds(report, path):
    """Of two times that a clock shows the second stays the second."""
    for value in (
        datetime.datetime(2026, 10, 25, 2, 30, fold=1),
        datetime.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=datetime.timezone.utc),
        datetime.time(2, 30, fold=1),
        datetime.time(2, 30),
    ):
        report.count("folds")
        safestructures.save_file(value, path, plugins=PLUGINS)
        for file in (path, checks.by_cpp(path)):
            loaded = safestructures.load_file(file, plugins=PLUGINS)
            if (loaded, loaded.fold, type(loaded)) != (value, value.fold, type(value)):
                report.fail(f"{value!r} of {file.name}", f"found {loaded!r}")
        if ("fold" in schema_of(path)) != bool(value.fold):
            report.fail(repr(value), "has a fold in its schema without one, or none with one")
    for fold in ("2", 1, None, []):
        write(path, {"data_type": "datetime.time", "value": "01:02:00", "fold": fold})
        refused(report, f"the fold {fold!r}", 'must be "0" or "1"', safestructures.load_file, path, plugins=PLUGINS)


def main():
    checks.arguments(__doc__, 0)
    report = checks.Report()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.safetensors"
        for check in (check_flags, check_same_names, check_keys, check_sets, check_deques, check_fields,
                      check_named_tuples, check_folds):
            check(report, path)
    report.finish()


if __name__ == "__main__":
    main()
