"""Checks what `show --json` says of every golden structure that the library should load,
and of plain safetensors files.

    python check_show_json.py CLI GOLDEN_DIR

Expected is one JSON object: "metadata", every entry but the schema's text; "schema", the parsed
schema with its order kept, null where the file has none; "tensors", {name: {dtype, shape,
data_offsets}} as in the file's header.
"""

import json

import checks
import notation


def expected_of(path):
    header = notation.read_header(path)
    metadata = header.pop("__metadata__", {})
    schema = metadata.pop(notation.SCHEMA_FIELD, None)
    return {
        "metadata": metadata,
        "schema": None if schema is None else json.loads(schema),
        "tensors": header,
    }


def main():
    cli, golden = checks.arguments(__doc__, 2)
    report = checks.Report()
    for path, description in checks.golden_files(golden):
        is_plain = notation.SCHEMA_FIELD not in notation.read_container(path)[0]
        if not description["we_load"] and not is_plain:
            continue
        report.count("shown")
        code, output, reason = checks.run(cli, "show", "--json", path)
        if code != 0:
            report.fail(path.stem, f"show --json: expected exit code 0, found {code}: {reason}")
            continue
        try:
            shown = json.loads(output)
        except ValueError as error:
            report.fail(path.stem, f"show --json: not JSON in UTF-8: {error}")
            continue
        expected = expected_of(path)
        if list(shown) != list(expected):
            report.fail(path.stem, f"expected the fields {list(expected)}, found {list(shown)}")
            continue
        for field in ("metadata", "tensors"):
            if shown[field] != expected[field]:
                report.fail(path.stem, f"{field}: expected {expected[field]}, found {shown[field]}")
        # As text, so that order counts and 1, 1.0 and true are told apart.
        if json.dumps(shown["schema"]) != json.dumps(expected["schema"]):
            report.fail(path.stem, "the schema is not the one in the file")
    report.finish()


if __name__ == "__main__":
    main()
