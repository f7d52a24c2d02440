"""The command line: what it prints, its exit codes, its errors, the files it writes."""

import json
import os
import pathlib

import checks
import ml_dtypes  # noqa: F401, NumPy then knows bfloat16
import notation
import numpy as np
from cli_outcomes import expect, run, run_checks
from safetensors.numpy import save_file

MODEL_TREE = """\
dict of 5
├─ "name": "tiny"
├─ "epochs": 3
├─ "rate": 1e-05
├─ "layers": list of 2
│  ├─ 0: dict of 2
│  │  ├─ "weight": F32 [4, 3]  -0.125, 0.0, 0.5, 1.0, -1.125, -0.875, ...
│  │  └─ "bias": F64 [3]  0.0, 0.0, 0.0
│  └─ 1: dict of 2
│     ├─ "weight": F32 [4, 3]  -0.625, 0.625, -0.625, -0.25, 0.25, 0.0, ...
│     └─ "bias": F64 [3]  0.0, 0.0, 0.0
└─ "labels": tuple of 3
   ├─ 0: 1
   ├─ 1: None
   └─ 2: True
"""

NARROW = (
    "safestructures: narrow.safetensors: at w: elements narrower than a byte cannot be sliced:"
    " found tensor %s [4]. Add --dtype F32 to convert them.\n"
)
WEIGHT = """\
[[-0.125,    0.0,    0.5],
 [   1.0, -1.125, -0.875],
 [ 0.625,    1.0, -0.625],
 [  -0.5,   0.75,  -0.25]]
"""

# arguments: exit code, standard output, standard error
CASES = {
    "show model.safetensors": (
        0,
        "file      model.safetensors, 1.8 KiB\n"
        "tensors   4, 144 bytes\n"
        "schema    safestructures 1.0.0\n"
        'metadata  run: "42"\n\n' + MODEL_TREE,
        "",
    ),
    "show model.safetensors /labels": (
        0,
        "tuple of 3\n├─ 0: 1\n├─ 1: None\n└─ 2: True\n",
        "",
    ),
    "show model.safetensors /layers --depth 1 --items 0": (
        0,
        "list of 2\n└─ ... 2 more\n",
        "",
    ),
    "show model.safetensors /layers --depth 1": (
        0,
        "list of 2\n├─ 0: dict of 2\n│  └─ ...\n└─ 1: dict of 2\n   └─ ...\n",
        "",
    ),
    "show hostile.safetensors": (
        0,
        "file      hostile.safetensors, 800 bytes\n"
        "tensors   0\n"
        "schema    safestructures 1.0.0\n\n"
        "dict of 4\n"
        '├─ "\\x1b[2Jkey": "\\x1b]0;title\\x07"\n'
        '├─ "\\u202eright to left": "a\\nb\\u009b31m"\n'
        '├─ "half": "\\ud800"\n'
        '└─ "quote\\"": "back\\\\slash"\n',
        "",
    ),
    "show plain.safetensors": (
        0,
        "file      plain.safetensors, 200 bytes\n"
        "tensors   2, 32 bytes\n"
        "schema    none: a plain safetensors file\n"
        'metadata  format: "np"\n\n'
        "dict of 2\n"
        '├─ "scale": F64 []  0.5\n'
        '└─ "layers": list of 1\n'
        "   └─ 0: dict of 1\n"
        '      └─ "weight": F32 [2, 3]  0.0, 1.0, 2.0, 3.0, 4.0, 5.0\n',
        "",
    ),
    "show plain.safetensors --json": (
        0,
        '{"metadata": {"format": "np"}, "schema": null, "tensors": {'
        '"scale": {"dtype": "F64", "shape": [], "data_offsets": [0, 8]}, '
        '"layers.0.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]}}}\n',
        "",
    ),
    "verify model.safetensors": (0, "model.safetensors: ok, 4 tensors, 144 bytes\n", ""),
    "verify damaged.safetensors bfloat.safetensors wrong_bool.safetensors": (
        1,
        "bfloat.safetensors: ok, 1 tensor, 4 bytes\n",
        "safestructures: damaged.safetensors: the file ends before its tensors do: expected 144 bytes"
        " of data, found 134. The file is not complete: copy or download it again.\n"
        "safestructures: wrong_bool.safetensors: at flag: a bool is neither true nor false: expected"
        " byte 0 or 1, found byte 2 (byte 68).\n",
    ),
    "verify original_unknown.safetensors original_number.safetensors original_whole.safetensors": (
        1,
        "",
        "safestructures: original_unknown.safetensors: at t: a tensor's original dtype is not known:"
        ' found str "F99".\n'
        "safestructures: original_number.safetensors: at t: a tensor's original dtype is not known:"
        " found int 64.\n"
        "safestructures: original_whole.safetensors: at t: element 0 cannot be converted from F32 to"
        " I64: expected a whole number, found 1.5. Choose a floating-point dtype, or cut fractions"
        " off with Overflow::saturate (in C++).\n",
    ),
    "verify missing": (
        1,
        "",
        "safestructures: missing: cannot open the file: No such file or directory."
        " Check the path; relative paths start at the current folder.\n",
    ),
    "show folder": (
        1,
        "",
        "safestructures: folder: it is unclear which file in the folder is meant: expected"
        " model.safetensors, one .index.json, one model file, or a single .json or .bin file and nothing else,"
        " found none of these. Name a file inside it.\n",
    ),
    "get model.safetensors /name": (0, "tiny\n", ""),
    "get model.safetensors epochs": (0, "3\n", ""),
    "get model.safetensors rate": (0, "1e-05\n", ""),
    "get model.safetensors /labels/1": (0, "None\n", ""),
    "get model.safetensors /": (0, MODEL_TREE, ""),
    "get model.safetensors /layers/0/weight": (0, WEIGHT, ""),
    "get model.safetensors /layers/0/weight --slice [:2,-1]": (0, "[   0.5, -0.875]\n", ""),
    "get model.safetensors /layers/0/weight --slice -1,0 --dtype F64": (0, "-0.5\n", ""),
    "get narrow.safetensors w": (0, "[0.5, 1.0, 1.0, 0.5]\n", ""),
    "get narrow.safetensors w --slice 0 --dtype F32": (0, "0.5\n", ""),
    "get narrow.safetensors w --slice 0": (2, "", NARROW % "F4"),
    "get narrow.safetensors w --slice 0 --dtype F6_E2M3": (2, "", NARROW % "F6_E2M3"),
    "show narrow.safetensors w": (0, "F4 [4]  0.5, 1.0, 1.0, 0.5\n", ""),
    "get plain.safetensors layers.0.weight": (0, "[[0.0, 1.0, 2.0],\n [3.0, 4.0, 5.0]]\n", ""),
    "get many.safetensors steps": (
        0,
        "[[   0,    1,    2, ...,  497,  498,  499],\n"
        " [ 500,  501,  502, ...,  997,  998,  999],\n"
        " [1000, 1001, 1002, ..., 1497, 1498, 1499],\n"
        " [1500, 1501, 1502, ..., 1997, 1998, 1999]]\n",
        "",
    ),
    "get bfloat.safetensors w": (0, "[1.0, 1.5]\n", ""),
    "get bfloat.safetensors w -o w.npy": (
        2,
        "",
        "safestructures: bfloat.safetensors: at w: NumPy does not have this dtype: found BF16. Add --dtype F32 to convert it.\n",
    ),
    "get model.safetensors /layers/7": (
        2,
        "",
        "safestructures: model.safetensors: at /layers: there is no '7': found list of 2.\n",
    ),
    "get model.safetensors /name --slice 1": (
        2,
        "",
        'safestructures: --slice is for tensors: /name is str "tiny".\n',
    ),
    "get model.safetensors /layers -o layers.npy": (
        2,
        "",
        "safestructures: only a tensor, a str or bytes can be written unchanged: /layers is list of 2."
        " Name a .json file, or add --json.\n",
    ),
    "get model.safetensors /layers/0/weight -o weight.txt": (
        2,
        "",
        "safestructures: a tensor is written as .npy or .json: use one of these endings, not weight.txt.\n",
    ),
    "get model.safetensors /layers/0/weight -o missing/weight.npy": (
        2,
        "",
        "safestructures: missing/weight.npy: cannot create a file in its folder: No such file or directory."
        " Create the folder first; relative paths start at the current folder.\n",
    ),
    "get model.safetensors /layers/0/weight --dtype F99": (
        2,
        "",
        "safestructures: --dtype: there is no dtype 'F99': the dtypes are BOOL, F4, F6_E2M3, F6_E3M2,"
        " U8, I8, F8_E5M2, F8_E4M3, F8_E8M0, F8_E4M3FNUZ, F8_E5M2FNUZ, I16, U16, F16, BF16, I32, U32,"
        " F32, C64, F64, I64, U64. See 'safestructures get --help'.\n",
    ),
    "get model.safetensors": (
        2,
        "",
        "safestructures: PATH is required. See 'safestructures get --help'.\n",
    ),
    "verify --quick model.safetensors": (
        2,
        "",
        "safestructures: verify has no option '--quick': its options are --help, -h."
        " See 'safestructures verify --help'.\n",
    ),
    "shwo model.safetensors": (
        2,
        "",
        "safestructures: there is no command 'shwo': did you mean 'show'?\n",
    ),
    "delete model.safetensors": (
        2,
        "",
        "safestructures: there is no command 'delete': the commands are show, ls, get,"
        " verify, convert, recover, diff, stats, report, completion, help.\n",
    ),
    "convert damaged.safetensors out.safetensors": (
        1,
        "",
        "safestructures: damaged.safetensors: the file ends before its tensors do: expected 144 bytes"
        " of data, found 134. The file is not complete: copy or download it again.\n",
    ),
    "convert large.safetensors saturated.safetensors --precision f16 --overflow saturate": (
        0,
        "saturated.safetensors: written, 1 tensor, 78 bytes\n",
        "safestructures: note: values changed in weight: 1 beyond the range, 1 became 0.\n",
    ),
}


def check_cases(folder):
    for line, (code, output, errors) in CASES.items():
        done = run(folder, *line.split(" "))
        expect(line, code, done.returncode)
        expect(f"{line}: standard output", output, done.stdout)
        expect(f"{line}: standard error", errors, done.stderr)


def check_help(folder):
    expect("no arguments", 2, run(folder).returncode)
    for command in ("show", "verify", "get", "convert"):
        done = run(folder, command, "--help")
        expect(f"{command} --help", (0, ""), (done.returncode, done.stderr))
        expect(f"{command}: its usage", True, f"Usage: safestructures {command} " in done.stdout)
        expect(f"{command}: its examples", True, f"  safestructures {command} " in done.stdout)
    version = run(folder, "--version")
    expect("--version", True, version.stdout.startswith("safestructures "))


def check_npy(folder):
    """Every dtype that NumPy has comes back from .npy as it was."""
    for path in sorted(checks.GOLDEN.glob("a_tensor_of_*.safetensors")):
        _, tensors = notation.read_container(path)
        for name, (dtype, shape, data) in tensors.items():
            known = dtype in ("BOOL", "C64") or dtype[0] in "IU" or dtype in ("F16", "F32", "F64")
            target = pathlib.Path(folder) / "tensor.npy"
            target.unlink(missing_ok=True)
            done = run(folder, "get", path, name, "-o", target)
            expect(f"{path.stem} as .npy", 0 if known else 2, done.returncode)
            expect(f"{path.stem}: a file is there", known, target.exists())
            if known and target.exists():
                array = np.load(target)
                expect(path.stem, (shape, data), (list(array.shape), array.tobytes()))


def check_output_file(folder):
    """`get -o` writes as the library does: nothing planted is followed, and permissions are kept."""
    folder = pathlib.Path(folder)
    model, victim, out = folder / "model.safetensors", folder / "victim", folder / "out.txt"
    victim.write_text("precious")
    out.write_text("old")
    out.chmod(0o600)
    # The old tool opened OUT.<pid>.tmp; every number that the next process may have is planted.
    planted = [folder / f"out.txt.{os.getpid() + i}.tmp" for i in range(1, 2000)]
    for link in planted:
        link.symlink_to(victim)
    expect("get -o", 0, run(folder, "get", model, "/name", "-o", out).returncode)
    for link in planted:
        link.unlink()
    expect("-o: a planted link is not followed", "precious", victim.read_text())
    expect("-o: what was written", "tiny", out.read_text())
    expect("-o: the mode is kept", 0o600, out.stat().st_mode & 0o777)
    link = folder / "link.txt"
    link.symlink_to(out.name)
    run(folder, "get", model, "/epochs", "-o", link)
    run(folder, "get", model, "/name", "-o", link)
    expect("-o: a link stays", True, link.is_symlink())


def check_text(folder):
    path = pathlib.Path(folder) / "many.safetensors"
    whole = run(folder, "get", path, "steps", "--all").stdout
    expect("--all", np.arange(2000).reshape(4, 500).tolist(), json.loads(whole))
    part = run(folder, "get", path, "steps", "--slice", "[1:, ::-100]").stdout
    expect("--slice", np.arange(2000).reshape(4, 500)[1:, ::-100].tolist(), json.loads(part))


def check_convert(folder):
    folder = pathlib.Path(folder)
    model = folder / "model.safetensors"
    half = folder / "half.safetensors"
    expect("to f16", 0, run(folder, "convert", model, half, "--precision", "f16").returncode)
    metadata, tensors = notation.read_container(half)
    expect("f16: dtypes", {"F16"}, {dtype for dtype, _, _ in tensors.values()})
    expect("f16: metadata", "42", metadata["run"])
    back = folder / "back.safetensors"
    run(folder, "convert", half, back, "--precision", "f64")
    expect("f64: dtypes", {"F64"}, {d for d, _, _ in notation.read_container(back)[1].values()})

    same_bytes = {}
    before = model.read_bytes()
    expect("onto itself", 0, run(folder, "convert", model, model).returncode)
    expect("onto itself: structure", 0, run(folder, "verify", model).returncode)
    expect(
        "onto itself: tensors", notation.read_container(model)[1], _tensors_of(before, folder)
    )
    kept = half.read_bytes()
    failed = run(folder, "convert", "large.safetensors", half, "--precision", "f16")
    expect("beyond f16", (2, kept), (failed.returncode, half.read_bytes()))
    expect("beyond f16: the reason", True, "at weight: element 1 cannot be" in failed.stderr)
    failed = run(
        folder, "convert", "large.safetensors", half, "--precision", "bf16", "--lossless"
    )
    expect("bf16 rounds", (2, kept), (failed.returncode, half.read_bytes()))
    done = run(
        folder, "convert", "large.safetensors", half, "--precision", "bf16", "--refuse-range-losses"
    )
    expect("bf16 keeps the range", 0, done.returncode)

    for threads in ("0", "1", "3"):
        run(folder, "convert", model, "threads.safetensors", "--precision", "f64", "--threads", threads)
        written = (folder / "threads.safetensors").read_bytes()
        same = same_bytes.setdefault("threads", written) == written
        expect(f"--threads {threads}: the same file", True, same)
    failed = run(folder, "convert", model, "threads.safetensors", "--threads", "-1")
    expect(
        "--threads -1",
        (2, "safestructures: --threads: expected a whole number, 0 or larger, found '-1'. See 'safestructures "
            "convert --help'.\n"),
        (failed.returncode, failed.stderr),
    )

    shards = run(folder, "convert", model, "parts.safetensors", "--shard-size", "64")
    expect("shards", 0, shards.returncode)
    index = folder / "parts.safetensors.index.json"
    done = run(folder, "verify", index)
    expect("shards: verify", (0, f"{index}: ok, 4 tensors, 144 bytes\n"), (done.returncode, done.stdout))
    expect("shards: one file again", 0, run(folder, "convert", index, "one.safetensors").returncode)
    expect(
        "shards: the same file",
        model.read_bytes(),
        (folder / "one.safetensors").read_bytes(),
    )
    run(folder, "convert", model, "sums.safetensors", "--checksums")
    done = run(folder, "verify", "sums.safetensors")
    expect("checksums", "sums.safetensors: ok, 4 tensors, 144 bytes, checksums match\n", done.stdout)
    run(folder, "convert", "sums.safetensors", "again.safetensors", "--precision", "f64")
    expect("checksums stay", True, "match" in run(folder, "verify", "again.safetensors").stdout)
    damaged = bytearray((folder / "sums.safetensors").read_bytes())
    damaged[-1] ^= 1
    (folder / "sums.safetensors").write_bytes(damaged)
    done = run(folder, "verify", "sums.safetensors")
    expect("checksums: damage", 1, done.returncode)
    name = "sums.safetensors: at 2: the bytes of a tensor are not those that were saved"
    expect("checksums: the tensor is named", True, name in done.stderr)
    for output in ("again.safetensors", "again.json", "again.npz", "-"):
        before = (folder / "again.safetensors").read_bytes()
        done = run(folder, "convert", "sums.safetensors", output)
        expect(f"checksums: damage is not converted to {output}", (1, ""), (done.returncode, done.stdout))
        expect(f"checksums: {output}: the tensor is named", True, name in done.stderr)
        expect("checksums: what was there stays", before, (folder / "again.safetensors").read_bytes())


def check_nan(folder):
    """NaNs that lose bits are counted as changed; the usual ones are not."""
    nans = np.array([0x7FF8000000000000, 0x7FF8000000000001, 0x7FF0000000000001], dtype=np.uint64)
    save_file({"w": nans.view(np.float64)}, pathlib.Path(folder) / "nan.safetensors")
    done = run(folder, "convert", "nan.safetensors", "out.safetensors", "--precision", "f32")
    expect("NaN: counted", "safestructures: note: values changed in w: 2 NaN changed.\n", done.stderr)
    done = run(
        folder, "convert", "nan.safetensors", "out.safetensors", "--precision", "f32", "--lossless"
    )
    expect("NaN: lossless", 2, done.returncode)


def _tensors_of(data, folder):
    path = pathlib.Path(folder) / "copy.safetensors"
    path.write_bytes(data)
    return notation.read_container(path)[1]


run_checks(
    check_cases, check_help, check_npy, check_output_file, check_text, check_convert, check_nan
)
