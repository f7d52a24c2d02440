"""Checks files that a C++ program wrote.

    python check_written.py DIR

DIR holds pairs NAME.safetensors and NAME.json; the JSON has "value", the expected tree in the
notation of notation.py, and may have

    schema                the exact text of the schema
    metadata              the exact user metadata
    plugins               as in the golden files
    python_loads          false where Python's package cannot load it (true unless said)

The file must describe that tree and Python's package must load that value.
"""

import json

import checks
import notation


def main():
    (folder,) = checks.arguments(__doc__, 1)
    report = checks.Report()
    for path, description in checks.golden_files(folder):
        name = path.stem
        description.setdefault("python_loads", True)
        metadata, tensors = notation.read_container(path)
        schema = metadata.pop(notation.SCHEMA_FIELD, None)
        version = metadata.pop(notation.VERSION_FIELD, None)
        report.count("files")
        if description.get("value") is None:
            report.fail(name, "its JSON has no value to compare with")
            continue
        if schema is None or version != "1.0.0":
            report.fail(name, f"it has no schema of version 1.0.0: version {version}")
            continue
        if description.get("schema") not in (None, schema):
            report.fail(name, f"schema: expected {description['schema']}, found {schema}")
        if description.get("metadata") not in (None, metadata):
            report.fail(name, f"metadata: expected {description['metadata']}, found {metadata}")
        try:
            tree = notation.tree_of(json.loads(schema), tensors)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            report.fail(name, f"not a schema: {type(error).__name__}: {error}")
            continue
        for line in notation.differences(description["value"], tree, raw=True):
            report.fail(name, line)
        found = checks.python_differences(path, description)
        if found is not None:
            report.count("loaded by Python")
        for line in found or ():
            report.fail(name, f"loaded by Python, {line}")
    report.finish()


if __name__ == "__main__":
    main()
