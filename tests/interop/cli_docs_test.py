"""Every example of docs/cli.md and docs/convert.md prints what the page says.

A block of ```console holds commands after `$ ` and what they print, errors included.
"""

import os
import re
import subprocess
import tempfile

import checks
import cli_files

PAGES = [checks.HERE.parents[1] / "docs" / name for name in ("cli.md", "convert.md")]


def examples(text):
    """(command, expected output) in order."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def check_page(report, page):
    """Runs the examples of a page one after another, in a folder of its own."""
    path = f"{checks.cli().parent}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        cli_files.make(folder)
        for command, expected in examples(page.read_text(encoding="utf-8")):
            report.count("examples")
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env={**os.environ, "PATH": path},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=checks.LONGEST_RUN_SECONDS,
            )
            if done.stdout != expected:
                report.fail(command, f"expected\n{expected}\nfound\n{done.stdout}")


def main():
    report = checks.Report()
    for page in PAGES:
        check_page(report, page)
    report.finish()


main()
