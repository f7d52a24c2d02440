"""The committed golden structures are what make_structures.py writes, byte for byte.

Their descriptions are left out: they quote messages, which differ among versions of Python.
"""

import pathlib
import subprocess
import sys

import checks

subprocess.run(
    [sys.executable, checks.GOLDEN.parent / "make_structures.py", "structures"], check=True
)
report = checks.Report()
made = {path.name: path.read_bytes() for path in pathlib.Path("structures").glob("*.safetensors")}
kept = {path.name: path.read_bytes() for path in checks.GOLDEN.glob("*.safetensors")}
for name in sorted(made.keys() | kept.keys()):
    report.count("structures")
    if name not in kept:
        report.fail(name, "the script writes it, and it is not in the repository")
    elif name not in made:
        report.fail(name, "it is in the repository, and the script does not write it")
    elif made[name] != kept[name]:
        report.fail(name, "the script writes other bytes")
report.finish()
