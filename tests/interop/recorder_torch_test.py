"""Hooks on torch's modules record what a hand would: skipped where no Python at hand has torch."""

import json
import pathlib
import subprocess
import tempfile

import checks
from cli_outcomes import REPORT, expect, run, stats
from torch_python import python_with_torch


def check_inputs(found, has_keywords):
    """In front of each call what went in, as it was then; a torch before 2.0 tells of no keywords."""
    one, two = [[-1.0, 2.0], [-2.0, 4.0]]
    named = [["named.input", {"x": one, "cache": "not recorded: builtins.object", "mask": None}]]
    mixed = [["mixed.inputs", {"scale": 0.5, "odd": "not recorded: a dict with a key of builtins.tuple"}]]
    expected = [
        ["input", one],
        ["outer.input", one],
        ["outer.one.input", two],
        ["outer.one", two],
        ["outer", two],
        ["several.input", [one, None, [two]]],
        ["several", None],
        *(named if has_keywords else []),
        ["named", None],
        ["mixed.input", one],
        *(mixed if has_keywords else []),
        ["mixed", one],
        ["nothing", None],
        ["relu.input", one],
        ["relu", [0.0, 2.0]],
        ["output", one],
    ]
    expect("inputs", expected, found)


def check_unreadable(said):
    """What has no numbers for NumPy is told of in its place."""
    found = said["unreadable"]
    expect("x", [1.0], found["x"])
    expect("nested", "not recorded: a nested torch tensor", found["nested"])
    for name in ("half", "meta"):
        expect(name, "not recorded: torch.Tensor, which cannot be read (", found[name][:50])
    expect("torch.jit", ("the module '1' cannot take hooks (", 0), (said["jit"][:34], said["jit_hooks"]))


def check_compiled(found):
    """What was compiled before is compiled with the hooks, and without them when they are gone."""
    if found is None:
        print("this torch compiles nothing: not tried")
        return
    expected = [[name, 0] for name in ("input", "0.input", "0", "1.input", "1", "output")]
    expect("compiled", expected + [["again.1", step] for step in range(4)], found)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python, environment = python_with_torch(folder / "packages")
        done = subprocess.run(
            [python, checks.HERE / "record_torch.py", folder], env=environment, capture_output=True, text=True
        )
        expect("record_torch.py", (0, ""), (done.returncode, done.stderr if done.returncode else ""))
        if done.returncode:
            REPORT.finish()
        said = json.loads(done.stdout)

        done = run(folder, "diff", "torch-run", "by-hand", "--order", "call")
        expect("hooks and hand", (0, ""), (done.returncode, done.stderr))
        expect("all of it", "compared 24 tensors, 270 of 270 numbers finite in both, and 6 other values", done.stdout.splitlines()[-2])
        order = [(row["record"]["step"], row["path"]) for row in stats(folder, "torch-run")]
        names = [f"layers.{i}{part}" for i in range(2) for part in (".q", "/0", "/1/weights")] + ["norm", "output"]
        expect("the order of calls", [(step, name) for step in range(3) for name in names], order)

        rows = {row["path"]: row for row in stats(folder, "kinds")}
        for kind in said["kinds"]:
            expect(kind, 0.5 if kind == "complex64" else 1, rows[kind]["mean"])
        expect("bfloat16", "BF16", rows["bfloat16"]["dtype"])
        expect("a view", [3, 2], rows["view"]["shape"])
        view = run(folder, "get", "kinds/segment-000001.safetensors", f"/values/{len(said['kinds'])}").stdout
        expect("a view's elements", "[[0.0, 3.0],\n [1.0, 4.0],\n [2.0, 5.0]]\n", view)
        expect("a scalar", ([], 2.5), (rows["scalar"]["shape"], rows["scalar"]["mean"]))
        expect("a conjugate", -2, rows["conjugate"]["min"])
        sparse = "the record 'sparse', at /: a torch tensor of layout torch.sparse_coo and dtype torch.float32 cannot be recorded."
        expect("a sparse tensor", True, said["sparse"].startswith(sparse))
        nets = [(row["path"], row["record"]["step"]) for row in stats(folder, "kinds") if row["path"].startswith("net")]
        expect("hooks: only, steps, and gone", ([("net.1", 0), ("net.1", 1)], 0), (nets, said["hooks"]))

        expect("pickled: with hooks, its state, without them", [False, True, True], said["pickled"])

        check_inputs(said["inputs"], said["has_keywords"])
        expect("inputs: only, and gone", (["net.relu.input", "net.relu"], 0), (said["some_inputs"], said["pre_hooks"]))

        check_unreadable(said)
        check_compiled(said["compiled"])

        if said["transformers"]:
            rows = [(row["record"]["step"], row["path"]) for row in stats(folder, "transformers-run")]
            expect("transformers: steps", [0, 1, 2], sorted({step for step, _ in rows}))
            has_inputs = (2, "transformer.h.1.ln_1.input") in rows and (2, "transformer.h.1.mlp.c_fc.input") in rows
            expect("transformers: inputs", True, has_inputs)
            for path in ("transformer.wte", "transformer.h.1.attn/0", "transformer/last_hidden_state", "output/logits"):
                expect(f"transformers: {path}", True, (2, path) in rows)
        else:
            print("transformers is not installed: not tried")
        for segment in sorted(folder.glob("*/*.safetensors")):
            expect(f"{segment.parent.name}: verify", 0, run(folder, "verify", segment).returncode)
    REPORT.finish()


main()
