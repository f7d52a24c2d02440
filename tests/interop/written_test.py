"""Python loads what the C++ programs of this folder write.

Every program NAME.cpp here is run as `NAME DIR` and fills DIR as check_written.py describes.
"""

import pathlib
import subprocess
import sys

import check_written
import checks

programs = sorted(path for path in (checks.cli().parent / "interop").glob("*") if path.is_file())
if not programs:
    sys.exit("no program to run: tests/interop holds no .cpp file, or it was not built")
folder = pathlib.Path("written")
folder.mkdir(exist_ok=True)
for old in folder.iterdir():
    old.unlink()
for program in programs:
    subprocess.run([program, folder], check=True)
checks.run_check(check_written, folder)
