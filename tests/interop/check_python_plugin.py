"""Checks plugins/python: it saves and loads what the package refuses.

python check_python_plugin.py
"""

import collections
import datetime
import enum
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import checks
import ml_dtypes
import notation
import numpy as np
import safestructures
import safestructures_cpp

UTC = datetime.timezone.utc


class Colour(enum.Enum):
    """An enum of one's own."""

    RED = 1
    BLUE = 2


Point = collections.namedtuple("Point", ["x", "y"])
ONE = '{"data_type": "int", "value": "1"}'
AS_DICT = f'"value": {{"a": {ONE}}}, "keys": {{"a": {{"data_type": "str", "value": "a"}}}}'

# name: value, and its schema without the tensors' dummy
CASES = {
    "bytes": (b"\0a\xff", '{"data_type": "bytes", "value": "0"}'),
    "no bytes": (b"", '{"data_type": "bytes", "value": "0"}'),
    "a bytearray": (bytearray(b"ab"), '{"data_type": "bytearray", "value": "0"}'),
    "a frozenset": (
        frozenset({1}),
        '{"data_type": "frozenset", "value": [{"data_type": "int", "value": "1"}]}',
    ),
    "a range": (
        range(-5, 10**20, 7),
        '{"data_type": "range", "value": ["-5", "100000000000000000000", "7"]}',
    ),
    "a slice": (slice(None, -2), '{"data_type": "slice", "value": [null, "-2", null]}'),
    "an ellipsis": (..., '{"data_type": "ellipsis", "value": null}'),
    "an OrderedDict": (
        collections.OrderedDict(a=1),
        f'{{"data_type": "collections.OrderedDict", {AS_DICT}}}',
    ),
    "a Counter": (
        collections.Counter(a=1),
        f'{{"data_type": "collections.Counter", {AS_DICT}}}',
    ),
    "a defaultdict": (
        collections.defaultdict(list, a=1),
        f'{{"data_type": "collections.defaultdict", {AS_DICT}, "default_factory": "list"}}',
    ),
    "a defaultdict without a factory": (
        collections.defaultdict(None, a=1),
        f'{{"data_type": "collections.defaultdict", {AS_DICT}, "default_factory": null}}',
    ),
    "a deque": (
        collections.deque([1], 5),
        f'{{"data_type": "collections.deque", "value": [{ONE}], "maxlen": "5"}}',
    ),
    "a deque without an end": (
        collections.deque([1]),
        f'{{"data_type": "collections.deque", "value": [{ONE}], "maxlen": null}}',
    ),
    "a named tuple": (
        Point(1, 1),
        f'{{"data_type": "collections.namedtuple", "value": {{"x": {ONE}, "y": {ONE}}},'
        ' "class": "Point"}',
    ),
    "an enum": (Colour.RED, '{"data_type": "enum.Enum", "value": "RED", "class": "Colour"}'),
    "a NumPy scalar": (np.float32(1.5), '{"data_type": "numpy.float32", "value": "0"}'),
    "a NumPy integer": (np.uint8(7), '{"data_type": "numpy.uint8", "value": "0"}'),
    "a date and time": (
        datetime.datetime(2026, 11, 22, 10, 30, 1, 5, UTC),
        '{"data_type": "datetime.datetime", "value": "2026-11-22T10:30:01.000005+00:00"}',
    ),
    "a date": (datetime.date(1, 2, 3), '{"data_type": "datetime.date", "value": "0001-02-03"}'),
    "a time": (datetime.time(1, 2), '{"data_type": "datetime.time", "value": "01:02:00"}'),
    "a timedelta": (
        datetime.timedelta(-1, 2, 3),
        '{"data_type": "datetime.timedelta", "value": ["-1", "2", "3"]}',
    ),
    "a path": (pathlib.Path("a/b"), '{"data_type": "pathlib.Path", "value": "a/b"}'),
    "a path of Windows": (
        pathlib.PureWindowsPath("c:\\x"),
        '{"data_type": "pathlib.PureWindowsPath", "value": "c:/x"}',
    ),
}


# name: schema, tensors, part of the message
REFUSED = {
    "bytes of floats": ('{"data_type": "bytes", "value": "0"}', np.ones(2), "U8 tensor of rank 1"),
    "bytes of rank 2": (
        '{"data_type": "bytes", "value": "0"}',
        np.ones((2, 2), np.uint8),
        "U8 tensor of rank 1",
    ),
    "a range of two parts": ('{"data_type": "range", "value": ["1", "2"]}', np.ones(1), "range"),
    "a scalar with dimensions": (
        '{"data_type": "numpy.float32", "value": "0"}',
        np.ones(1, np.float32),
        "without dimensions",
    ),
    "a scalar of another dtype": (
        '{"data_type": "numpy.float32", "value": "0"}',
        np.ones(()),
        "of its dtype",
    ),
    "a factory that is no type": (
        '{"data_type": "collections.defaultdict", "value": {}, "keys": {}, "default_factory": "eval"}',
        np.ones(1),
        "a factory that is not a type: 'eval'",
    ),
    "a member that an enum does not have": (
        '{"data_type": "enum.Enum", "value": "GREEN", "class": "Colour"}',
        np.ones(1),
        "Colour has no member 'GREEN': it has RED, BLUE",
    ),
    "a member that is no name": (
        '{"data_type": "enum.Enum", "value": ["RED"], "class": "Colour"}',
        np.ones(1),
        "must be a text",
    ),
    "a named tuple of other fields": (
        f'{{"data_type": "collections.namedtuple", "value": {{"x": {ONE}}}, "class": "Point"}}',
        np.ones(1),
        "the named tuple Point has the fields ['x', 'y'], but the file has ['x']",
    ),
    "a timedelta of two parts": (
        '{"data_type": "datetime.timedelta", "value": ["1", "2"]}',
        np.ones(1),
        "days, seconds and microseconds",
    ),
    "a date that is none": (
        '{"data_type": "datetime.date", "value": "yesterday"}',
        np.ones(1),
        "isoformat",
    ),
    "a slice of text": ('{"data_type": "slice", "value": "abc"}', np.ones(1), "slice"),
}


def main():
    checks.arguments(__doc__, 0)
    report = checks.Report()
    own = [safestructures_cpp.named_tuple(Point), safestructures_cpp.enumeration(Colour)]
    plugins = safestructures_cpp.PLUGINS + own
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.safetensors"
        for name, (value, schema) in CASES.items():
            report.count("types")
            safestructures.save_file(value, path, plugins=plugins)
            if notation.read_container(path)[0][notation.SCHEMA_FIELD] != schema:
                report.fail(name, "its schema is not the one of docs/format.md")
            loaded = safestructures.load_file(path, plugins=plugins)
            if type(loaded) is not type(value) or loaded != value:
                report.fail(name, f"expected {value!r}, found {loaded!r}")
            try:
                safestructures.load_file(path)
                report.fail(name, "the package loads it without the plugin: is it needed?")
            except (TypeError, ImportError):
                report.count("refused without the plugin")
        everything = [value for value, _ in CASES.values()]
        safestructures.save_file(
            {"all": everything, (frozenset({1}), b"k"): np.ones(2)}, path, None, plugins
        )
        loaded = safestructures.load_file(path, plugins=plugins)
        if loaded["all"] != everything or list(loaded)[1] != (frozenset({1}), b"k"):
            report.fail("all in one structure", f"found {loaded!r}")
        for name, (schema, tensor, message) in REFUSED.items():
            report.count("malformed")
            metadata = {notation.SCHEMA_FIELD: schema, notation.VERSION_FIELD: "1.0.0"}
            safestructures.serializer.save_file({"0": tensor}, path, metadata=metadata)
            try:
                safestructures.load_file(path, plugins=plugins)
                report.fail(name, "it loads")
            except ValueError as error:
                if message not in str(error):
                    report.fail(name, f"expected a message with {message!r}, found {error}")
        for value in (slice("a"), collections.defaultdict(lambda: 1)):
            try:
                safestructures.save_file(value, path, plugins=plugins)
                report.fail(repr(value), "it is saved")
            except TypeError:
                report.count("unsaveable")
        check_frameworks(report, path, plugins)
        check_unknown_classes(report, path, plugins)
        check_structs(report, path)
        check_bfloat16(report, path)
        check_cpp(report, path, plugins)
        check_installed(report, folder)
    report.finish()


def check_frameworks(report, path, plugins):
    """Bytes and scalars do not depend on the framework that tensors are loaded for."""
    value = {"bytes": b"\0a", "array": bytearray(b"b"), "scalar": np.int16(-3), "none": b""}
    safestructures.save_file(value, path, plugins=plugins)
    for framework, module in (("np", "numpy"), ("pt", "torch"), ("tf", "tensorflow"), ("jax", "jax")):
        if importlib.util.find_spec(module) is None:
            continue
        report.count("frameworks")
        loaded = safestructures.load_file(path, framework=framework, plugins=plugins)
        if loaded != value or type(loaded["scalar"]) is not np.int16:
            report.fail(f"framework={framework!r}", f"found {loaded!r}")
    for module, make in (("paddle", "to_tensor"), ("mlx.core", "array")):
        if importlib.util.find_spec(module.partition(".")[0]) is not None:
            check_tensors(report, path, plugins, getattr(importlib.import_module(module), make))


def check_tensors(report, path, plugins, make):
    """The tensors of a framework that only the plugin knows come back as they were, views too, by C++ as well."""
    arrays = {"f": np.arange(6, dtype=np.float32).reshape(2, 3), "i": np.array([1, 2], np.int32)}
    value = {name: make(array) for name, array in arrays.items()}
    arrays["view"], value["view"] = arrays["f"].T, value["f"].T
    safestructures.save_file(value, path, plugins=plugins)
    again = path.with_name("again.safetensors")
    checks.run(checks.cli(), "convert", path, again)
    for file in (path, again):
        report.count("files of tensors")
        loaded = safestructures.load_file(file, plugins=plugins)
        for name, array in arrays.items():
            if type(loaded[name]) is not type(value[name]) or not np.array_equal(np.asarray(loaded[name]), array):
                report.fail(f"{type(value[name]).__module__} {name}", f"found {loaded[name]!r}")


def check_unknown_classes(report, path, plugins):
    """A file's names of classes load no code: what nobody registered is of another class, or text."""
    safestructures.save_file([Point(1, 2), Colour.BLUE], path, plugins=plugins)
    pair, member = safestructures.load_file(path, plugins=safestructures_cpp.PLUGINS)
    report.count("unknown classes")
    if (type(pair).__name__, pair._asdict(), member) != ("Point", {"x": 1, "y": 2}, "BLUE"):
        report.fail("classes that nobody registered", f"found {pair!r}, {member!r}")


def check_structs(report, path):
    """A struct with a field that no dataclass can have is a dict; all others are dataclasses as ever."""
    for field in ("lambda", "x-1", "x y", ""):
        report.count("fields that no dataclass can have")
        schema = f'{{"data_type": "SafestructuresDataclass", "value": {{"{field}": {ONE}, "y": {ONE}}}, "class": "K"}}'
        metadata = {notation.SCHEMA_FIELD: schema, notation.VERSION_FIELD: "1.0.0"}
        safestructures.serializer.save_file({"null": np.array([0])}, path, metadata=metadata)
        loaded = safestructures.load_file(path, plugins=safestructures_cpp.PLUGINS)
        if loaded != {field: 1, "y": 1}:
            report.fail(f"a struct with the field {field!r}", f"found {loaded!r}")
    safestructures.serializer.save_file(
        {"null": np.array([0])}, path, metadata={**metadata, notation.SCHEMA_FIELD: schema.replace('""', '"x"')}
    )
    loaded = safestructures.load_file(path, plugins=safestructures_cpp.PLUGINS)
    if isinstance(loaded, dict) or (loaded.x, loaded.y) != (1, 1):
        report.fail("a struct", f"found {loaded!r}")


def check_bfloat16(report, path):
    """BF16 loads where ml_dtypes is installed and nobody else imports it; the plugin does without it."""
    safestructures.save_file(np.ones(2, ml_dtypes.bfloat16), path)
    load = "print(safestructures.load_file(sys.argv[1], plugins=safestructures_cpp.PLUGINS).dtype)"
    cases = (("jax", load, "bfloat16"), ("jax ml_dtypes", "print(len(safestructures_cpp.PLUGINS) > 0)", "True"))
    for missing, then, expected in cases:
        report.count("without " + missing)
        code = f"import sys\nsys.modules.update(dict.fromkeys({missing.split()!r}))\n"
        code += f"import safestructures, safestructures_cpp\n{then}"
        done = subprocess.run(
            [sys.executable, "-c", code, path], capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(checks.HERE.parents[1] / "plugins" / "python")},
        )
        if done.stdout != expected + "\n":
            report.fail(f"without {missing}", f"found {done.stdout}{done.stderr}")


def check_cpp(report, path, plugins):
    """The C++ side opens all of it, and saves it so that Python loads the same again."""
    value = {name: value for name, (value, _) in CASES.items()}
    safestructures.save_file(value, path, plugins=plugins)
    for name in CASES:
        report.count("opened by C++")
        code, _, error = checks.run(checks.cli(), "get", path, f"/{name}")
        if code != 0:
            report.fail(f"{name} in C++", error)
    again = path.with_name("again.safetensors")
    code, _, error = checks.run(checks.cli(), "convert", path, again)
    loaded = safestructures.load_file(again, plugins=plugins) if code == 0 else error
    if loaded != value:
        report.fail("saved again by C++", f"found {loaded!r}")


def check_installed(report, folder):
    """`pip install ./plugins/python` brings the package."""
    if importlib.util.find_spec("setuptools") is None or importlib.util.find_spec("pip") is None:
        return
    report.count("installations")
    target = pathlib.Path(folder) / "installed"
    source = pathlib.Path(folder) / "source"  # pip leaves a build folder behind
    shutil.copytree(checks.HERE.parents[1] / "plugins" / "python", source)
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
         "--no-index", "--disable-pip-version-check", "--target", target, source],
        check=True,
    )
    code = "import safestructures_cpp; print(safestructures_cpp.__file__, len(safestructures_cpp.PLUGINS))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=target, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(target)},
    )
    expected = f"{target}/safestructures_cpp/__init__.py {len(safestructures_cpp.PLUGINS)}\n"
    if done.stdout != expected:
        report.fail("the installed package", f"found {done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
