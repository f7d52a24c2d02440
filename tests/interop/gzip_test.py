"""Python's gzip unpacks what we pack, and we unpack what it packs, members and all."""

import gzip
import pathlib
import tempfile

import checks

report = checks.Report()
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for path, _ in checks.golden_files(checks.GOLDEN):
        whole = path.read_bytes()
        packed = folder / "ours.safetensors.gz"
        code, _, error = checks.run(checks.cli(), "convert", path, packed)
        plain = folder / "ours.safetensors"
        plain_code, _, _ = checks.run(checks.cli(), "convert", path, plain)
        if code != 0 and plain_code != 0:
            continue  # Malformed on purpose.
        report.count("structures")
        if code != 0 or plain_code != 0:
            report.fail(path.name, error)
            continue
        if gzip.decompress(packed.read_bytes()) != plain.read_bytes():
            report.fail(path.name, "Python unpacks something else")
        half = len(whole) // 2
        for name, data in {
            "one member": gzip.compress(whole),
            "two members": gzip.compress(whole[:half], 1) + gzip.compress(whole[half:], 9),
            "stored": gzip.compress(whole, 0),
        }.items():
            theirs = folder / "theirs.safetensors.gz"
            theirs.write_bytes(data)
            again = folder / "again.safetensors"
            code, _, error = checks.run(checks.cli(), "convert", theirs, again)
            if code != 0:
                report.fail(f"{path.name}, {name}", error)
            elif again.read_bytes() != plain.read_bytes():
                report.fail(f"{path.name}, {name}", "unpacked as something else")
report.finish()
