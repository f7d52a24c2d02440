"""Checks that `convert` keeps every golden structure.

    python check_convert.py CLI GOLDEN_DIR TMP

For each file the library should load: `CLI convert IN OUT` succeeds; OUT describes the golden tree;
Python's package loads OUT with an equal value; user metadata is kept. Where Python wrote the file,
the schema comes back to the byte and the tensors, all of them, with equal names, dtypes, shapes and
bytes. A file without a schema stays one. A file that should be refused ends with exit code 1 and leaves no OUT.
"""

import json
import pathlib

import checks
import notation
from safestructures.serializer import Serializer


def check_plain(report, name, source, target):
    expected, found = notation.read_container(source), notation.read_container(target)
    if expected != found:
        report.fail(name, f"a plain file changed: expected {expected}, found {found}")
    report.count("plain files")


def check_kept(report, name, source, target, description):
    before, tensors = notation.read_container(source)
    after, tensors_after = notation.read_container(target)
    schema = before.pop(notation.SCHEMA_FIELD, None)
    schema_after = after.pop(notation.SCHEMA_FIELD, None)
    version = after.pop(notation.VERSION_FIELD, None)
    before.pop(notation.VERSION_FIELD, None)
    if schema_after is None:
        report.fail(name, "the converted file has no schema")
        return
    if version != "1.0.0":
        report.fail(name, f"the converted file has schema version {version}")
    if schema is None:  # a plain safetensors file has no golden tree
        report.count("given a schema")
        return
    if after != before:
        report.fail(name, f"metadata changed: expected {before}, found {after}")
    if description["written_by"] == "python":
        if schema_after != schema:
            at = next(
                (i for i, (a, b) in enumerate(zip(schema, schema_after, strict=False)) if a != b),
                min(len(schema), len(schema_after)),
            )
            cut = slice(max(0, at - 40), at + 40)
            report.fail(name, f"schema: expected ...{schema[cut]}, found ...{schema_after[cut]}")
        for tensor in sorted(tensors.keys() | tensors_after.keys()):
            if tensors.get(tensor) != tensors_after.get(tensor):
                report.fail(name, f"tensor {tensor!r} is not the one that was read")
        if schema_after == schema and tensors_after == tensors:
            report.count("of Python's files back to the byte")
    tree = notation.tree_of(json.loads(schema_after), tensors_after)
    for line in notation.differences(description["value"], tree, raw=True):
        report.fail(name, line)


def check_python(report, name, source, target, description):
    found = checks.python_differences(target, description)
    if found is None:
        report.count("not for Python to load here")
        return
    for line in found:
        report.fail(name, f"loaded by Python, {line}")
    report.count("loaded by Python")
    if not found and "golden_types" in description.get("plugins", ()):
        # The tree holds only the type of a custom value: compare what it saves as.
        plugins = checks.plugins_of(description)
        resaved = target.with_suffix(".resaved")
        Serializer(plugins=plugins).save(checks.load(target, plugins), resaved)
        expected, found = notation.read_container(source), notation.read_container(resaved)
        if expected[0][notation.SCHEMA_FIELD] != found[0][notation.SCHEMA_FIELD]:
            report.fail(name, "Python saves the custom value that it loaded in another way")
        if expected[1] != found[1]:
            report.fail(name, "Python saves other tensors of the custom value that it loaded")


def main():
    cli, golden, scratch = checks.arguments(__doc__, 3)
    report = checks.Report()
    for source, description in checks.golden_files(golden):
        name = source.stem
        target = pathlib.Path(scratch) / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        code, _, reason = checks.run(cli, "convert", source, target)
        should = description["we_load"]
        if should is None:
            if code not in (0, 1):
                report.fail(name, f"convert: expected exit code 0 or 1, found {code}: {reason}")
            report.count("free to load or refuse")
        elif not should:
            if code != 1:
                report.fail(name, f"convert: expected a refusal, exit code 1, found {code}")
            if target.exists():
                report.fail(name, "convert: refused the file, yet left an output")
            report.count("to be refused")
        elif code != 0:
            report.fail(name, f"convert: expected exit code 0, found {code}: {reason}")
        elif notation.SCHEMA_FIELD not in notation.read_container(source)[0]:
            check_plain(report, name, source, target)
        else:
            check_kept(report, name, source, target, description)
            check_python(report, name, source, target, description)
            report.count("converted")
    report.finish()


if __name__ == "__main__":
    main()
