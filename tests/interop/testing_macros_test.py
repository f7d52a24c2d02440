"""CHECK_STRUCTURES_NEAR of each framework, against files made here: what passes, what fails and how;
and where doctest's assertions are disabled."""

import dataclasses
import json
import pathlib
import subprocess

import checks
import cli_files
import numpy as np
import safestructures
from cli_outcomes import REPORT, expect

PROGRAMS = checks.cli().parent / "testing"
TABLE = """a, the structure, differs from b, golden.safetensors:
verdict     max abs   max rel    rel L2  SNR dB      ULP  beyond  path
different  2.50e-01  1.25e-01  6.68e-02    23.5  1048576     1/3  /weights/kernel  worst at [1]: 2.25 and 2
1 equal tensor not shown
first divergence: /weights/kernel, worst at [1]: 2.25 and 2
compared 2 tensors, 4 of 4 numbers finite in both, and 1 other value
different: 1 difference
"""
EXTRA = "only in b        -        -       -       -    -       -  more  tensor F32 [1]"
MISSING = "the structure cannot be compared with none.safetensors: none.safetensors: cannot open the file"
#: The call that TABLE is about.
CALL = 'CHECK_STRUCTURES_NEAR(other_layer(), "golden.safetensors");'
SOURCES = pathlib.Path(__file__).resolve().parent.parent / "testing"
#: What ends the output: of three tests, two fail.
ENDS = {
    "doctest": "test cases: 3 | 1 passed | 2 failed",
    "gtest": "2 FAILED TESTS",
    "catch2": "test cases: 3 | 1 passed | 2 failed",
}


@dataclasses.dataclass
class Layer:
    name: str
    weights: dict


def make(folder):
    weights = {"bias": np.array([0.5], np.float32), "kernel": np.array([1, 2, 3], np.float32)}
    safestructures.save_file(Layer("dense", weights), folder / "golden.safetensors")
    whole = (folder / "golden.safetensors").read_bytes()
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + size])
    end = len(whole) - 8 - size
    header["more"] = {"dtype": "F32", "shape": [1], "data_offsets": [end, end + 4]}
    (folder / "extra.safetensors").write_bytes(cli_files.container(json.dumps(header), whole[8 + size :] + bytes(4)))


def place_of(framework):
    """The file and line of CALL, as the framework prints them."""
    source = SOURCES / ("gtest.cpp" if framework == "gtest" else "cases.hpp")
    lines = source.read_text().splitlines()
    return f"{source.name}:{1 + [line.strip() for line in lines].index(CALL)}:"


def main():
    folder = pathlib.Path("macros")
    folder.mkdir(exist_ok=True)
    make(folder)
    for name, end in ENDS.items():
        program = PROGRAMS / name
        if not program.exists():
            print(f"{name} is not installed: not tried")
            continue
        done = subprocess.run([program], cwd=folder, capture_output=True, text=True)
        # Catch2 indents what it prints of a message, and breaks its lines, within numbers too.
        said = "".join(done.stdout.split())
        expect(f"{name}: exit code", True, done.returncode != 0)
        for part in (place_of(name), TABLE, EXTRA, MISSING, end):
            expect(f"{name}: {part}", (1, done.stdout), (said.count("".join(part.split())), done.stdout))
    done = subprocess.run([PROGRAMS / "disabled"], cwd=folder, capture_output=True, text=True)
    expect("doctest, disabled", (0, "", ""), (done.returncode, done.stdout, done.stderr))
    expect("doctest at least", True, (PROGRAMS / "doctest").exists())
    REPORT.finish()


main()
