"""Python loads what structures.cpp writes, which fills a folder as check_written.py describes."""

import pathlib
import subprocess

import check_written
import checks

folder = pathlib.Path("written")
folder.mkdir(exist_ok=True)
for old in folder.iterdir():
    old.unlink()
subprocess.run([checks.cli().parent / "interop" / "structures", folder], check=True)
checks.run_check(check_written, folder)
