"""Writes the golden structures: files of Python's own `safestructures`, and what they hold.

    python tests/golden/make_structures.py OUT_DIR

needs the packages of tests/requirements.txt, jax among them; for torch and TensorFlow see
structures_by_frameworks.py. Run twice, it writes the same bytes.
For every NAME.safetensors there is a NAME.json:

    value           the tree, in the notation of tests/interop/notation.py, as Python loads it (as
                    the schema says where Python cannot load it); null where there is none
    schema          the schema's exact text, null when longer than 64 KiB (read it from the file)
    metadata        what the user stored beside it
    written_by      "python": by safestructures.save_file, so the schema is Python's own spelling
                    and must come back to the byte; "hand": as Python would not write it
    python_loads    whether Python's package loads the file (with `plugins`, where they are named)
    python_error    what it says if not
    python_loads_when_taught  true where it loads once numpy knows the names of the 8-bit floats
                    (teach_numpy_the_small_floats of tests/interop/notation.py)
    resaved_schema  where Python loads it and would write it otherwise: how it would write it
    we_load         whether the C++ library should load it; null where that is free
    plugins         Python modules whose PLUGINS the file needs: "golden_types" (tests/interop) or
                    "safestructures_cpp" (plugins/python)
    needs           a Python module that must be importable for Python to load the file
    note            what the file is about

spellings.json holds values of scalar nodes that Python would not write, one object each:
    schema, python_loads, python_error, value, we_load, note (as above; "schema" is the whole text).
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "interop"), str(HERE.parents[1] / "plugins" / "python")]

import numpy as np
import safestructures
from safestructures.defaults import DEFAULT_PROCESS_MAP, register_processor
from safestructures.processors.iterable import DataclassProcessor, DictProcessor
from safestructures.processors.tensor import NumpyProcessor
from safestructures.serializer import Serializer
from safetensors.numpy import save_file as save_tensors

import golden_types
import notation
import safestructures_cpp
from structures_by_frameworks import MADE_APART, frameworks
from structures_by_hand import BY_HAND, CONTAINERS_BY_HAND, SPELLINGS
from structures_by_python import GROUPS

# Of dicts, structs and arrays the files say what the package does by itself; our plugin mends it.
for processor in (DictProcessor, DataclassProcessor, NumpyProcessor):
    register_processor(DEFAULT_PROCESS_MAP, processor)

PLUGINS = {"golden_types": golden_types.PLUGINS, "safestructures_cpp": safestructures_cpp.PLUGINS}
LONGEST_SCHEMA_IN_JSON = 65536


class Writer:
    """Writes pairs of NAME.safetensors and NAME.json into one folder."""

    def __init__(self, folder):
        self.folder = folder

    def keep(self, name):
        """Leaves what is in the repository, for want of what made it."""
        for end in ("safetensors", "json"):
            kept = HERE / "structures" / f"{name}.{end}"
            target = self.folder / kept.name
            if target != kept:
                target.write_bytes(kept.read_bytes())

    def save(self, name, value, *, loads_as=None, note="", metadata=None, plugins=(), needs=None):
        """Saves with Python's package. `loads_as` is what comes back when that is not `value`."""
        path = self.folder / f"{name}.safetensors"
        modules = [plugin for module in plugins for plugin in PLUGINS[module]]
        # The crate writes metadata in the random order of a hash map: save until it is sorted.
        while True:
            notation.as_if_called_at_top_level()
            safestructures.save_file(value, path, metadata=dict(metadata or {}), plugins=modules)
            written = list(notation.read_header(path)["__metadata__"])
            if written == sorted(written, key=str.encode):
                break
        entry = {"written_by": "python", "we_load": True, "note": note}
        if plugins:
            entry["plugins"] = list(plugins)
        if needs:
            entry["needs"] = needs
        self.describe(name, entry)
        if entry["python_loads"]:
            expected = notation.tree_of_value(value if loads_as is None else loads_as)
            wrong = notation.differences(expected, entry["value"])
            if wrong:
                sys.exit(f"{name}: Python does not load what was saved:\n" + "\n".join(wrong))

    def craft(self, name, schema, *, tensors=None, we_load=True, note="", metadata=None):
        """Saves a schema given as text, through the container's own package."""
        path = self.folder / f"{name}.safetensors"
        version = {notation.VERSION_FIELD: "1.0.0"}
        whole = {**version, notation.SCHEMA_FIELD: schema, **(metadata or {})}
        whole = {key: text for key, text in sorted(whole.items()) if text is not None}
        if tensors is None:
            tensors = {"null": np.array([0])}
        while True:
            save_tensors(tensors, path, metadata=whole or None)
            if list(notation.read_header(path).get("__metadata__", {})) == list(whole):
                break
        self.describe(name, {"written_by": "hand", "we_load": we_load, "note": note})

    def craft_container(self, name, schema, entries, data, *, note):
        """Saves a header given entry by entry: dtypes that Python's package cannot write."""
        metadata = {notation.SCHEMA_FIELD: schema, notation.VERSION_FIELD: "1.0.0"}
        header = json.dumps({"__metadata__": metadata, **entries}, separators=(",", ":")).encode()
        header += b" " * (-len(header) % 8)
        content = len(header).to_bytes(8, "little") + header + data
        (self.folder / f"{name}.safetensors").write_bytes(content)
        self.describe(name, {"written_by": "hand", "we_load": True, "note": note})

    def describe(self, name, entry):
        """Asks Python's package what it makes of the file and writes NAME.json."""
        path = self.folder / f"{name}.safetensors"
        metadata, tensors = notation.read_container(path)
        schema = metadata.pop(notation.SCHEMA_FIELD, None)
        metadata.pop(notation.VERSION_FIELD, None)
        is_short = schema is not None and len(schema) <= LONGEST_SCHEMA_IN_JSON
        entry["schema"] = schema if is_short else None
        entry["metadata"] = metadata
        plugins = [plugin for module in entry.get("plugins", ()) for plugin in PLUGINS[module]]
        entry.update(judge(path, schema, tensors, plugins))
        if entry["written_by"] == "python":
            entry.pop("resaved_schema", None)
        if not entry["python_loads"] and not entry["we_load"]:
            entry["value"] = None
        path.chmod(0o644)
        path.with_suffix(".json").write_text(one_field_a_line(entry) + "\n", encoding="ascii")


def one_field_a_line(entry):
    def dumps(value):
        return json.dumps(value, separators=(",", ":"))

    return "{\n" + ",\n".join(f"{dumps(k)}: {dumps(v)}" for k, v in sorted(entry.items())) + "\n}"


def error_text(error, path):
    return f"{type(error).__name__}: {error}".replace(str(path), "FILE")


def judge(path, schema, tensors, plugins=()):
    """What Python's package makes of a file: python_loads, value and how it would save it again."""
    result = {"python_loads": False, "value": None}
    sys.setrecursionlimit(10000)
    try:
        from_schema = notation.tree_of(json.loads(schema), tensors)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError):
        from_schema = None
    try:
        notation.as_if_called_at_top_level()
        value = safestructures.load_file(path, plugins=list(plugins))
    except Exception as error:  # whatever it raises is the finding
        if "no attribute 'float8" in str(error):
            result["python_loads_when_taught"] = True
        return {**result, "value": from_schema, "python_error": error_text(error, path)}
    finally:
        sys.setrecursionlimit(10000)
    loaded = notation.tree_of_value(value)
    same = from_schema is not None and not notation.differences(from_schema, loaded)
    result.update(python_loads=True, value=from_schema if same else loaded)
    serializer = Serializer(plugins=list(plugins))
    try:
        serializer.save(value, path.with_suffix(".resaved"))
        resaved = notation.read_container(path.with_suffix(".resaved"))[0][notation.SCHEMA_FIELD]
        if resaved != schema:
            result["resaved_schema"] = resaved
    finally:
        path.with_suffix(".resaved").unlink(missing_ok=True)
    return result


def by_hand(out, folder):
    for name, case in BY_HAND.items():
        out.craft(name, **case)
    for name, case in CONTAINERS_BY_HAND.items():
        out.craft_container(name, **case)
    judged = []
    for kind, value, we_load, note in SPELLINGS:
        schema = f'{{"data_type": "{kind}", "value": {value}}}'
        path = folder / "spelling"
        tensors_ = {"null": np.array([0])}
        save_tensors(
            tensors_,
            path,
            metadata={notation.SCHEMA_FIELD: schema, notation.VERSION_FIELD: "1.0.0"},
        )
        judged.append(
            {"schema": schema, "we_load": we_load, "note": note, **judge(path, schema, {})}
        )
        path.unlink()
    table = "[\n" + ",\n".join(json.dumps(case, sort_keys=True) for case in judged) + "\n]\n"
    (folder / "spellings.json").write_text(table, encoding="ascii")
    accepted = [j["schema"] for j in judged if j["python_loads"] and j["we_load"]]
    out.craft(
        "spellings_that_python_reads_and_does_not_write",
        '{"data_type": "list", "value": [' + ", ".join(accepted) + "]}",
        note="every case of spellings.json that both load, in one list",
    )


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    apart = {group.__name__ for group in MADE_APART}
    for old in [*folder.glob("*.safetensors"), *folder.glob("*.json")]:
        if old.stem not in apart:
            old.unlink()
    out = Writer(folder)
    for group in [*GROUPS, frameworks]:
        group(out)
    by_hand(out, folder)
    files = list(folder.glob("*.safetensors"))
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{len(files)} structures, {size} bytes, in {folder}")


if __name__ == "__main__":
    main()
