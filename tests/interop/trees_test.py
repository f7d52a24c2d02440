"""A file converted to MessagePack, CBOR or JSON and back is the file it was, and the tool says what each is."""

import pathlib
import tempfile

import checks

ENDINGS = {".msgpack": "MessagePack", ".cbor": "CBOR", ".json": "JSON", ".msgpack.gz": "MessagePack"}

report = checks.Report()
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for path, _ in checks.golden_files(checks.GOLDEN):
        plain = folder / "plain.safetensors"
        code, _, _ = checks.run(checks.cli(), "convert", path, plain)
        if code != 0:
            continue  # Malformed on purpose.
        if path.stem.startswith("a_file_without_"):
            continue  # There is no schema, and what comes back has one.
        report.count("structures")
        for ending, title in ENDINGS.items():
            there, back = folder / f"there{ending}", folder / "back.safetensors"
            code, _, error = checks.run(checks.cli(), "convert", plain, there)
            if code == 0:
                code, _, error = checks.run(checks.cli(), "convert", there, back)
            if code != 0:
                report.fail(f"{path.name}, {ending}", error)
            elif back.read_bytes() != plain.read_bytes():
                report.fail(f"{path.name}, {ending}", "came back as something else")
            code, shown, error = checks.run(checks.cli(), "show", there)
            if code != 0 or f"schema    {title}".encode() not in shown:
                report.fail(f"{path.name}, {ending}", f"show: {shown[:80]} {error}")
            code, _, error = checks.run(checks.cli(), "verify", there)
            if code != 0:
                report.fail(f"{path.name}, {ending}", error)
report.finish()
