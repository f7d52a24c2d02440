"""Running the command line and comparing what it did, for its tests."""

import json
import pathlib
import subprocess
import tempfile

import checks
import cli_files

CLI = checks.cli()
COMMANDS = ["show", "ls", "get", "verify", "convert", "recover", "diff", "stats", "report", "completion", "help"]
REPORT = checks.Report()


def run(folder, *args, **options):
    return subprocess.run(
        [CLI, *map(str, args)], cwd=folder, capture_output=True, text=True, timeout=60, **options
    )


def stats(folder, name):
    return json.loads(run(folder, "stats", name, "--json").stdout)


def expect(name, expected, found):
    REPORT.count("outcomes")
    if expected != found:
        REPORT.fail(name, f"expected {expected!r}, found {found!r}")


def verify(folder, name):
    """Every segment is whole, its checksums those that the C++ library computes."""
    files = sorted((pathlib.Path(folder) / name).glob("*.safetensors"))
    done = run(folder, "verify", *files)
    expect(f"{name}: verify", (0, "", True), (done.returncode, done.stderr, len(files) > 0))
    matching = [line.endswith("checksums match") for line in done.stdout.splitlines()]
    expect(f"{name}: checksums", [True] * len(files), matching)
    return len(files)


def raised(kind, call):
    """The text of what a call raises, of that kind."""
    try:
        call()
    except kind as error:
        return str(error)
    return f"no {kind.__name__}"


def run_checks(*functions):
    """Calls each with a folder of its own that holds the files of cli_files, and ends the program."""
    for check in functions:
        with tempfile.TemporaryDirectory() as folder:
            cli_files.make(folder)
            check(folder)
    REPORT.finish()
