"""A transformer in C++ and its twin in NumPy: every fault planted in the C++ side is found, its layer
named first and its kind suspected, in float and in half precision.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import checks
import numpy as np
from safestructures_cpp.recorder import records
from safetensors.numpy import load_file

CLI = checks.cli()
ROOT = checks.HERE.parents[1]
PROGRAM = CLI.parent / "examples" / "transformer"
BLOCK = "blocks.1."

# Fault: the record that must be named, and what must be suspected first.
FAULTS = {
    "swapped_heads": ("attention.context", "permuted heads"),
    "epsilon": ("norm2.output", "norm epsilon"),
    "leaking_mask": ("attention.weights", "mask off by one"),
    "blind_mask": ("attention.weights", "mask off by one"),
    "rope_interleaved": ("attention.rope", "RoPE interleaving"),
    "position_offset": ("attention.rope", "position offset"),
    "gelu_tanh": ("gelu.output", "GELU variant"),
    "missing_scale": ("attention.scores", "missing scale"),
    "transposed_weight": ("attention.project.output", "transposed weight"),
    "missing_residual": ("add", "wrong residual"),
    "missing_bias": ("down.output", "missing bias"),
    "half_accumulation": ("up.output", "accumulation dtype"),
    "ignored_padding": ("attention.weights", "padding"),
    "wrong_embedding": ("embed", "padding"),
}
# What rounding to F16 hides: the variants of GELU altogether, and how sums were made.
HIDDEN_IN_HALF = {"gelu_tanh"}
UNNAMED_IN_HALF = {"half_accumulation"}


def call(*args):
    return subprocess.run(
        [str(a) for a in args], capture_output=True, text=True, timeout=checks.LONGEST_RUN_SECONDS
    )


def twin(kind):
    shutil.rmtree(kind, ignore_errors=True)
    subprocess.run([sys.executable, ROOT / "examples" / "transformer.py", "job.safetensors", kind, kind], check=True)


def run(kind, fault=None):
    shutil.rmtree("cpp", ignore_errors=True)
    args = (["half"] if kind == "half" else []) + ([fault] if fault else [])
    subprocess.run([PROGRAM, "run", "job.safetensors", "cpp", *args], check=True)


def check_fault(report, kind, fault):
    run(kind, fault)
    done = call(CLI, "diff", "cpp", kind, "--noise", f"{kind}-exact", "--json")
    found = json.loads(done.stdout)
    place = f"{fault} in {kind}"
    report.count("faults")
    if kind == "half" and fault in HIDDEN_IN_HALF:
        if done.returncode != 0:
            report.fail(place, "expected rounding to hide it")
        return
    name, suspicion = FAULTS[fault]
    wanted = name if fault == "wrong_embedding" else BLOCK + name
    if done.returncode != 1 or not found["culprits"] or found["culprits"][0]["name"] != wanted:
        return report.fail(place, f"expected {wanted}, found {done.returncode} {found['culprits']}")
    row = found["rows"][found["culprits"][0]["row"]]
    suspicions = [one["fault"] for one in row.get("suspicions", [])]
    if kind == "half" and fault in UNNAMED_IN_HALF:
        suspicion = None
    if (suspicions or [None])[0] != suspicion:
        report.fail(place, f"expected the suspicion {suspicion}, found {suspicions}")


def without_rounding(text):
    """Errors of rounding differ with the processor's instructions."""
    return re.sub(r"\d\.\d\de-0[6-9]", "(rounding)", text)


def check_docs(report):
    """The lines of the docs that name the culprit, and that of its page, are what the tool prints."""
    page = without_rounding((ROOT / "docs" / "compare.md").read_text(encoding="utf-8"))
    run("float", "swapped_heads")
    done = call(CLI, "diff", "cpp", "float", "--noise", "float-exact")
    lines = [
        line
        for line in done.stdout.splitlines()
        if line.startswith(("first divergence", "makes an error", "suspicion"))
    ]
    lines += call(CLI, "report", "cpp", "float", "--noise", "float-exact", "-o", "swapped.html").stdout.splitlines()
    report.count("lines of the docs")
    if len(lines) != 4:
        report.fail("docs", f"expected four lines, found {lines}")
    for line in lines:
        if without_rounding(line) not in page:
            report.fail("docs", f"docs/compare.md lacks the line {line}")
    page = without_rounding((ROOT / "docs" / "recording.md").read_text(encoding="utf-8"))
    lines = [line for line in call(CLI, "diff", "cpp", "float").stdout.splitlines() if line.startswith("makes an error")]
    if not lines or any(without_rounding(line) not in page for line in lines):
        report.fail("docs", f"docs/recording.md lacks one of the lines {lines}")


def check_torch(report):
    """The twin's layers are PyTorch's, where a Python on this machine has that."""
    pythons = [python for python in (sys.executable, "/usr/bin/python3") if call(python, "-c", "import torch").returncode == 0]
    if not pythons:
        return print("no torch on this machine: the twin is not compared with it")
    arrays = load_file("job.safetensors")
    for record in records("float"):
        name = f"{record.sequence:08}:{record.name}"
        parts = {"": record.value}
        if isinstance(record.value, (tuple, list)):
            parts = {f".{i}": part for i, part in enumerate(record.value)}
        elif isinstance(record.value, dict):
            parts = {f".{key}": part for key, part in record.value.items()}
        arrays |= {name + end: part for end, part in parts.items()}
    np.savez("layers.npz", **arrays)
    done = call(pythons[0], checks.HERE / "torch_layers.py", "layers.npz")
    report.count("comparisons with torch")
    if done.returncode != 0:
        report.fail("torch", done.stdout + done.stderr)


def main():
    report = checks.Report()
    subprocess.run([PROGRAM, "make", "job.safetensors"], check=True)
    usage = call(PROGRAM, "run")
    if usage.returncode != 2 or any(fault not in usage.stderr for fault in FAULTS):
        report.fail("usage", usage.stderr)
    for kind in ("float", "half"):
        twin(kind)
        twin(f"{kind}-exact")
        run(kind)
        done = call(CLI, "diff", "cpp", kind, "--noise", f"{kind}-exact")
        report.count("runs without a fault")
        if done.returncode != 0 or "makes an error" in done.stdout:
            report.fail(kind, done.stdout)
        for fault in FAULTS:
            check_fault(report, kind, fault)
        if kind == "float":
            check_docs(report)
            check_torch(report)
    report.finish()


main()
