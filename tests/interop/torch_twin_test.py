"""A C++ run and hooks on its twin's torch modules, inputs too, are compared: skipped without torch."""

import json
import pathlib
import shutil
import subprocess
import tempfile

import checks
from cli_outcomes import CLI, REPORT, expect, run
from torch_python import python_with_torch

PROGRAM = CLI.parent / "examples" / "transformer"
BLOCK = "blocks.1."
CONTEXTS = ["blocks.1.attention.context", "blocks.2.attention.context"]

# Fault of the C++ side: the record that must be named first, and what must be suspected first.
FAULTS = {
    "swapped_heads": ("attention.context", "permuted heads"),
    "epsilon": ("norm2.output", "norm epsilon"),
    "transposed_weight": ("attention.project.output", "transposed weight"),
    "missing_residual": ("add", "wrong residual"),
}


def diff(folder, b, *args):
    """Of the C++ run, whose outputs have `.output` behind their layer's name, and b's have not."""
    done = run(folder, "diff", "cpp", b, "--rename", "*.output=*", "--json", *args)
    expect(f"{b}: no error", "", done.stderr)
    return done.returncode, json.loads(done.stdout)


def record_cpp(folder, *fault):
    shutil.rmtree(folder / "cpp", ignore_errors=True)
    subprocess.run([PROGRAM, "run", "job.safetensors", "cpp", *fault], cwd=folder, check=True)


def culprits(found):
    return [culprit["name"] for culprit in found["culprits"]]


def check_twins(folder):
    """Record by record they are the same, each with a counterpart."""
    record_cpp(folder)
    code, found = diff(folder, "right", "--noise", "exact")
    counts = {name: found["coverage"][name] for name in ("tensors", "only_a", "only_b")}
    expect("twins", (0, [], {"tensors": 351, "only_a": 0, "only_b": 0}), (code, culprits(found), counts))
    code, found = diff(folder, "outputs")
    expect("a side without inputs", (1, 147, 0), (code, found["coverage"]["only_a"], found["coverage"]["only_b"]))
    code, found = diff(folder, "outputs", "--only", "*.output", "--only", "*.output/*")
    expect("outputs alone", (0, 102), (code, found["coverage"]["tensors"]))


def check_faults(folder):
    for fault, (name, suspicion) in FAULTS.items():
        record_cpp(folder, fault)
        code, found = diff(folder, "right")
        expect(f"{fault}: the layer", (1, [BLOCK + name]), (code, culprits(found)[:1]))
        if not found["culprits"]:
            continue
        row = found["rows"][found["culprits"][0]["row"]]
        first = [one["fault"] for one in row.get("suspicions", [])][:1]
        expect(f"{fault}: what it is", ([suspicion], "recorded"), (first, row["origin"]["evidence"]))


def check_two_faults(folder):
    """A layer whose error is no larger than one before it in the step is seen by its input alone."""
    record_cpp(folder, "swapped_heads")
    expect("with inputs", CONTEXTS, sorted(culprits(diff(folder, "faulty")[1])))
    expect("outputs alone", CONTEXTS[:1], culprits(diff(folder, "faulty-outputs")[1]))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python, environment = python_with_torch(folder / "packages")
        subprocess.run([PROGRAM, "make", "job.safetensors"], cwd=folder, check=True)
        twin = [python, checks.HERE / "torch_twin.py", "job.safetensors"]
        subprocess.run(twin, cwd=folder, env=environment, check=True)
        check_twins(folder)
        check_faults(folder)
        check_two_faults(folder)
    REPORT.finish()


main()
