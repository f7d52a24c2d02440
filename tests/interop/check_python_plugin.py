"""Checks plugins/python/safestructures_cpp.py: it saves and loads what the package refuses.

python check_python_plugin.py
"""

import pathlib
import tempfile

import checks
import notation
import numpy as np
import safestructures
import safestructures_cpp

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
    "a slice of text": ('{"data_type": "slice", "value": "abc"}', np.ones(1), "slice"),
}


def main():
    checks.arguments(__doc__, 0)
    report = checks.Report()
    plugins = safestructures_cpp.PLUGINS
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
        try:
            safestructures.save_file(slice("a"), path, plugins=plugins)
            report.fail("a slice of objects", "it is saved")
        except TypeError:
            report.count("unsaveable")
    report.finish()


if __name__ == "__main__":
    main()
