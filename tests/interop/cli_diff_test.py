"""`diff`: two files of any kind, two recordings; its table, JSON and JUnit, its exit codes."""

import json
import os
import pathlib
import pty
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import cli_files
import ml_dtypes
import numpy as np
import safestructures
from cli_outcomes import CLI, expect, run, run_checks
from report_cases import SCORES, statistics_runs, suspicious_runs
from safetensors.numpy import save_file


def make(folder):
    """The files of cli_files, and another model that differs in one number."""
    other = cli_files.model()
    other["layers"][1]["weight"][2, 1] += 0.5
    safestructures.save_file(other, pathlib.Path(folder) / "other.safetensors")


def found(folder, *args):
    done = run(folder, "diff", *args)
    return done.returncode, done.stdout, done.stderr


def check_outcomes(folder):
    make(folder)
    expect(
        "equal files",
        (
            0,
            "4 equal tensors not shown\n"
            "compared 4 tensors, 30 of 30 numbers finite in both, and 6 other values\n"
            "equal within tolerance\n",
            "",
        ),
        found(folder, "model.safetensors", "model.safetensors"),
    )
    code, text, errors = found(folder, "other.safetensors", "model.safetensors")
    expect("another number", (1, ""), (code, errors))
    expect(
        "another number: the row",
        True,
        "/layers/1/weight  worst at [2, 1]: -0.625 and -1.125" in text and text.endswith("different: 1 difference\n"),
    )
    for options in (["--atol", "0.5"], ["--tolerance", "*weight=0,0.5"], ["--only", "*0/weight"],
                    ["--ignore", "/layers/1/weight"]):
        code, text, _ = found(folder, "other.safetensors", "model.safetensors", *options)
        expect(options, (0, True), (code, text.endswith("equal within tolerance\n")))
    save_file({"half": np.float16([1.01])}, pathlib.Path(folder) / "half.safetensors")
    save_file({"half": np.float16([1])}, pathlib.Path(folder) / "one.safetensors")
    for options, code in (([], 1), (["--tolerance", "dtype:f16=0.1,0"], 0), (["--tolerance", "dtype:BF16=0.1,0"], 1),
                          (["--tolerance", "/half=0,0", "--tolerance", "dtype:F16=0.1,0"], 1),
                          (["--tolerance", "dtype:F16=0.1,0", "--tolerance", "/half=0,0"], 0)):
        expect(options, code, found(folder, "half.safetensors", "one.safetensors", *options)[0])
    code, text, _ = found(folder, "model.safetensors", "model.safetensors", "--only", "nothing")
    expect("nothing compared", (1, "not equal: nothing was compared"), (code, text.splitlines()[-1]))


def check_renames(folder):
    """What has another name in the second is paired where that is said."""
    layers = {f"layers.{i}.w": np.float32([i, i + 0.5]) for i in range(3)}
    other = {f"model.layers.{i}.weight": np.float32([i, i + 0.5]) for i in range(3)}
    save_file({**layers, "head": np.float32([3])}, pathlib.Path(folder) / "a.safetensors")
    save_file({**other, "lm_head": np.float32([4])}, pathlib.Path(folder) / "b.safetensors")
    code, text, _ = found(folder, "a.safetensors", "b.safetensors")
    expect("without a rename", (1, True), (code, "; 4 only in a, 4 only in b\n" in text))
    rename = ["--rename", "/layers/*/w=/model/layers/*/weight"]
    code, text, errors = found(folder, "a.safetensors", "b.safetensors", *rename, "--only", "/layers*")
    expect(
        "a rename of paths",
        (
            0,
            "3 equal tensors not shown\n"
            "compared 3 tensors, 6 of 6 numbers finite in both, and 0 other values; 2 left out by the filter\n"
            "equal within tolerance\n",
            "",
        ),
        (code, text, errors),
    )
    done = run(folder, "diff", "a.safetensors", "b.safetensors", *rename, "--rename", "head=lm_head", "--json")
    rows = [(row["path"], row["other_path"], row["verdict"]) for row in json.loads(done.stdout)["rows"]]
    expect("a second one, of names", (1, 4), (done.returncode, len(rows)))
    expect("a second one, of names: its row", True, ("/head", "/lm_head", "different") in rows)
    code, text, _ = found(folder, "a.safetensors", "a.safetensors", "--rename", "x=y")
    expect("a useless one", True, "note: the rename x=y matched nothing\n" in text)
    options = ["--only", "*", "--ignore", "x", "--tolerance", "dtype:F16=1,0"]
    code, text, _ = found(folder, "a.safetensors", "a.safetensors", *options)
    notes = ["note: ignore: the glob x matched nothing", "note: the tolerance of * for F16 had no effect"]
    expect("useless options", notes, [line for line in text.splitlines() if line.startswith("note")])


def check_wrong_calls(folder):
    for line, message in {
        "model.safetensors": "B is required. See 'safestructures diff --help'.",
        "model.safetensors none.safetensors": None,
        "model.safetensors damaged.safetensors": None,
        "model.safetensors - --noise -": "only one of the inputs can be the standard input.",
        "model.safetensors model.safetensors --noise killed": "--noise: killed is a recording, but"
        " model.safetensors is not.",
        "killed killed --noise model.safetensors": "--noise: model.safetensors is not a recording,"
        " but killed is.",
        "- -": "only one of the inputs can be the standard input.",
        "- model.safetensors --renames -": "only one of the inputs can be the standard input.",
        "a b --save-renames -": "--save-renames: the standard output is for the comparison: name a file.",
        "a b --rtol x": "--rtol: expected a number, 0 or larger, found 'x'.",
        "a b --atol -1": "--atol: expected a number, 0 or larger, found '-1'.",
        "a b --rtol nan": "--rtol: expected a number, 0 or larger, found 'nan'.",
        "a b --tolerance x=1": "--tolerance: 'x=1' is not of the form GLOB=RTOL,ATOL or dtype:DTYPE=RTOL,ATOL.",
        "a b --tolerance dtype:half=1,0": "--tolerance: there is no dtype 'half': the dtypes are BOOL, F4,"
        " F6_E2M3, F6_E3M2, U8, I8, F8_E5M2, F8_E4M3, F8_E8M0, F8_E4M3FNUZ, F8_E5M2FNUZ, I16, U16, F16, BF16,"
        " I32, U32, F32, C64, F64, I64, U64.",
        "a b --tolerance dtype:F16=1,x": "--tolerance: expected a number, 0 or larger, found 'x'.",
        "a b --tolerance x=1,": "--tolerance: expected a number, 0 or larger, found ''.",
        "a b --rename x": "--rename: 'x' is not of the form A=B.",
        "a b --json --junit": "--json cannot be combined with --junit.",
        "a b --order date": "--order: there is no order 'date': the orders are worst, call."
        " See 'safestructures diff --help'.",
        "model.safetensors model.safetensors --rename a*=b": "a rename rule is not valid: expected"
        " the same number of * on both sides, found a*=b.",
    }.items():
        code, text, errors = found(folder, *line.split(" "))
        expect(f"diff {line}", (2, ""), (code, text))
        if message:
            expect(f"diff {line}: the reason", f"safestructures: {message}\n", errors)


def check_wrong_large_files(folder):
    """Files that are large enough to be opened at once, by several threads: the first that fails is named, always."""
    for name in ("good", "short", "cut"):
        save_file({"x": np.zeros(2**19, np.float32)}, pathlib.Path(folder) / f"{name}.safetensors")
    for name in ("short", "cut"):
        os.truncate(pathlib.Path(folder) / f"{name}.safetensors", 2**20)
    for names, first in (("short cut", "short"), ("cut short", "cut"), ("good cut", "cut"), ("cut good", "cut")):
        files = [f"{name}.safetensors" for name in names.split(" ")]
        for args in (files, [*files, "--noise", "short.safetensors"]):
            outcomes = {found(folder, *args) for _ in range(8)}
            expect(f"diff {args}: one outcome", 1, len(outcomes))
            code, text, errors = outcomes.pop()
            expect(f"diff {args}", (2, "", True), (code, text, errors.startswith(f"safestructures: {first}.safetensors: ")))
    code, _, errors = found(folder, "good.safetensors", "good.safetensors", "--noise", "cut.safetensors")
    expect("noise that fails", (2, True), (code, errors.startswith("safestructures: cut.safetensors: ")))


def check_numbers(folder):
    """The metrics are those that NumPy computes, for every pair of dtypes."""
    rng = np.random.default_rng(3)
    for dtype in (np.float64, np.float32, np.float16, ml_dtypes.bfloat16):
        b = rng.standard_normal(5000).astype(dtype)
        a = (b.astype(np.float64) * (1 + 1e-2 * rng.standard_normal(5000))).astype(dtype)
        save_file({"x": a}, pathlib.Path(folder) / "a.safetensors")
        save_file({"x": b}, pathlib.Path(folder) / "b.safetensors")
        done = run(folder, "diff", "a.safetensors", "b.safetensors", "--json")
        row = json.loads(done.stdout)["rows"][0]
        x, y = a.astype(np.float64), b.astype(np.float64)
        error = x - y
        worst = int(np.argmax(np.abs(error) / (row["atol"] + row["rtol"] * np.abs(y))))
        cosine = x @ y / np.linalg.norm(x) / np.linalg.norm(y)
        expected = {
            "max_absolute": np.abs(error).max(),
            "mean_error": error.mean(),
            "mean_absolute": np.abs(error).mean(),
            "rmse": np.sqrt((error**2).mean()),
            "relative_l2": np.linalg.norm(error) / np.linalg.norm(y),
            "snr_db": -20 * np.log10(np.linalg.norm(error) / np.linalg.norm(y)),
            "cosine": cosine,
            "norm_ratio": np.linalg.norm(x) / np.linalg.norm(y),
        }
        for name, value in expected.items():
            tolerance = 1e-9 if name == "mean_error" else 1e-12
            close = bool(abs(row[name] - value) <= tolerance * abs(value))
            expect(f"{dtype}: {name} {row[name]} {value}", True, close)
        expect(f"{dtype}: worst", worst, row["worst"]["index"])
        beyond = np.abs(error) > row["atol"] + row["rtol"] * np.abs(y)
        expect(f"{dtype}: beyond", int(beyond.sum()), row["beyond"])
        signed = {8: np.int64, 4: np.int32, 2: np.int16}[a.itemsize]
        places = [v.view(signed).astype(object) for v in (a, b)]
        low = 1 << (8 * a.itemsize - 1)
        places = [np.where(p < 0, -(p + low), p) for p in places]
        expect(f"{dtype}: ULP", int(np.abs(places[0] - places[1]).max()), row["ulp"]["max"])


def check_programs(folder):
    """JSON and XML that programs read, whatever the names and numbers."""
    name = '\x1b[2J<b> & "quoted" \u202e \ud83d\ude00'.encode("utf-16", "surrogatepass").decode("utf-16")
    for file, number in {"a": np.nan, "b": 1.0}.items():
        save_file(
            {name: np.array([number, np.inf]), "same": np.zeros((0, 2))},
            pathlib.Path(folder) / f"{file}.safetensors",
        )
    done = run(folder, "diff", "a.safetensors", "b.safetensors", "--json")
    read = json.loads(done.stdout)
    expect("JSON: ASCII", True, done.stdout.isascii() and "\x1b" not in done.stdout)
    expect("JSON: exit code", 1, done.returncode)
    row = next(row for row in read["rows"] if row["verdict"] == "different")
    expect("JSON: the name", "/" + name, row["path"])
    expect("JSON: the worst", {"index": 0, "a": "NaN", "b": 1.0}, row["worst"])
    expect("JSON: coverage", 1, read["coverage"]["nothing"])
    done = run(folder, "diff", "a.safetensors", "b.safetensors", "--junit")
    suite = ElementTree.fromstring(done.stdout)
    expect("JUnit", (1, "3", "1", "1"), (done.returncode, *map(suite.get, ("tests", "failures", "skipped"))))
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    expect("JUnit: the name", ['/\\x1b[2J<b> & "quoted" \\u202e \U0001f600'], failed)
    text = run(folder, "diff", "a.safetensors", "b.safetensors").stdout
    unsafe = [c for c in text if c != "\n" and not c.isprintable()]
    expect("the table: nothing unsafe", [], unsafe)
    done = run(folder, "diff", "a.safetensors", "b.safetensors", "--junit", "--only", "nothing")
    suite = ElementTree.fromstring(done.stdout)
    expect("JUnit of nothing", ("1", "1"), (suite.get("tests"), suite.get("failures")))


def check_junit_coverage(folder):
    """JUnit tells of all that was not compared, and of what stands below the table, as the others do."""
    suspicious_runs(folder)
    statistics_runs(folder)
    save_file({"\ufffe<&": np.zeros(0), "x": np.ones(2)}, pathlib.Path(folder) / "odd.safetensors")
    for args, said in {
        ("killed", "killed"): ["note: a: the recording was not closed, so records may be missing"],
        ("killed", "killed", "--only", "none"): ["not equal: nothing was compared"],
        ("killed", "killed", "--rename", "<x>=&"): ["note: the rename <x>=& matched nothing"],
        ("few", "many"): [
            "note: tensors compared by their statistics, which may hide differences of single numbers: 1"
        ],
        ("ported", "reference", "--noise", "exact"): [
            f"makes an error: {SCORES}, step 0 call 0: error 7.00e+00, but 8.76e-08 in its input {SCORES}.input; in 2 of its calls",
            f"suspicion: {SCORES}, step 0 call 0: missing scale: a is b times 8, the square root of 64;"
            " 100 % of the squared difference",
        ],
        ("odd.safetensors", "odd.safetensors"): [
            "compared 2 tensors, 2 of 2 numbers finite in both, and 0 other values; 1 tensor with nothing to compare"
        ],
        ("odd.safetensors", "large.safetensors", "--only", "*x"): [
            "compared 0 tensors, 0 of 0 numbers finite in both, and 0 other values; 1 only in a, 0 only in b;"
            " 2 left out by the filter"
        ],
    }.items():
        suite = ElementTree.fromstring(run(folder, "diff", *args, "--junit").stdout)
        lines = suite.findtext("system-out").splitlines()
        expect(f"{args}: JUnit says {lines}", [], [line for line in said if line not in lines])
        text = run(folder, "diff", *args).stdout.splitlines()
        expect(f"{args}: as the text does", text[len(text) - len(lines) :], lines)
        coverage = json.loads(run(folder, "diff", *args, "--json").stdout)["coverage"]
        properties = {one.get("name"): int(one.get("value")) for one in suite.find("properties")}
        expect(f"{args}: the coverage", {f"coverage.{name}": count for name, count in coverage.items()}, properties)


def check_noise(folder):
    """A run in higher precision finds what a tolerance hides, and excuses what rounding explains."""
    rng = np.random.default_rng(7)
    exact = rng.standard_normal(4000)
    half = exact.astype(np.float16)
    near = (exact * (1 + 2e-4)).astype(np.float16)
    for name, numbers in {"exact": exact, "half": half, "near": near, "same": half}.items():
        save_file({"x": numbers}, pathlib.Path(folder) / f"{name}.safetensors")
    for a, code, floor in (("same", 0, []), ("same", 0, ["--noise", "exact.safetensors"]),
                           ("near", 0, []), ("near", 0, ["--noise", "half.safetensors"])):
        expect(f"{a} {floor}", code, found(folder, f"{a}.safetensors", "half.safetensors", *floor)[0])
    far = (exact * (1 + 3e-3)).astype(np.float16)
    save_file({"x": far}, pathlib.Path(folder) / "far.safetensors")
    args = ["far.safetensors", "half.safetensors", "--atol", "0.1"]
    expect("a tolerance that was given", 0, found(folder, *args, "--noise", "exact.safetensors")[0])
    args = ["far.safetensors", "half.safetensors", "--noise", "exact.safetensors", "--json"]
    done = run(folder, "diff", *args)
    row = json.loads(done.stdout)["rows"][0]
    expect("the noise: JSON", (1, True, 1), (done.returncode, row["noise"]["precise"], row["noise"]["runs"]))
    rounding = np.sqrt(np.mean((half.astype(np.float64) - exact) ** 2))
    expect("the noise: RMSE", True, abs(row["noise"]["rmse"] / rounding - 1) < 1e-9)
    _, text, _ = found(folder, *args[:-1])
    expect("the noise: a column", ["beyond", "noise", "path"], text.splitlines()[0].split()[-3:])


def check_streams_and_formats(folder):
    make(folder)
    with open(pathlib.Path(folder) / "model.safetensors", "rb") as file:
        done = subprocess.run(
            [CLI, "diff", "-", "model.safetensors"], cwd=folder, stdin=file, capture_output=True
        )
    expect("the standard input", (0, b""), (done.returncode, done.stderr))
    (pathlib.Path(folder) / "checkpoint").mkdir()
    shutil.copy(pathlib.Path(folder) / "model.safetensors", pathlib.Path(folder) / "checkpoint")
    expect("a folder with a file", 0, found(folder, "checkpoint", "model.safetensors")[0])
    run(folder, "convert", "arrays.npz", "arrays.json")
    expect("npz and JSON", 0, found(folder, "arrays.npz", "arrays.json")[0])
    expect("dtypes", 0, found(folder, "arrays.npz", "arrays.json", "--dtypes")[0])


def check_recordings(folder):
    """Recordings are compared record by record, also those that nobody closed."""
    code, text, errors = found(folder, "killed", "killed", "--order", "call")
    expect("a recording and itself", (0, ""), (code, errors))
    expect(
        "a recording that was not closed",
        ["note: a: the recording was not closed, so records may be missing"],
        [line for line in text.splitlines() if line.startswith("note: a")],
    )
    code, text, errors = found(folder, "killed", "model.safetensors")
    expect(
        "a recording and a file",
        (
            2,
            "",
            "safestructures: a file cannot be compared with a recording: killed is a recording,"
            " model.safetensors is not.\n",
        ),
        (code, text, errors),
    )


def check_rename_files(folder):
    """Names are suggested, kept in a file, looked at, and applied."""
    folder = pathlib.Path(folder)
    numbers = {name: np.arange(12, dtype=np.float32) + place for place, name in enumerate("qkv")}
    save_file(numbers, folder / "short.safetensors")
    save_file({f"attention_{name}": tensor for name, tensor in numbers.items()}, folder / "long.safetensors")
    files = ("short.safetensors", "long.safetensors")
    code, text, errors = found(folder, *files, "--save-renames", "names.txt")
    expect("names that are others", (1, ""), (code, errors))
    names = (folder / "names.txt").read_text()
    rules = [line for line in names.splitlines() if not line.startswith("#")]
    expect("rules that were suggested", ["/k=/attention_k", "/q=/attention_q", "/v=/attention_v"], sorted(rules))
    expect("each behind its reason", 3, names.count("# same "))
    expect("rules from a file", 0, found(folder, *files, "--renames", "names.txt")[0])
    for text, outcome in ((names, (0, "")), ("q k\n", (2, "safestructures: standard input: at line 1: a line is not a rename rule: expected A=B, a comment that begins with #, or nothing, found q k.\n"))):
        done = run(folder, "diff", *files, "--renames", "-", input=text)
        expect("rules from the standard input", outcome, (done.returncode, done.stderr))
    # What was applied is kept with what is suggested beside it.
    options = ["--rename", "/q=/attention_q", "--save-renames", "more.txt"]
    expect("one rule alone", 1, found(folder, *files, *options)[0])
    expect("it is kept", True, (folder / "more.txt").read_text().startswith("/q=/attention_q\n# same "))
    (folder / "wrong.txt").write_text("q k\n")
    expect(
        "a line that is no rule",
        (
            2,
            "",
            "safestructures: wrong.txt: at line 1: a line is not a rename rule: expected A=B, a comment that"
            " begins with #, or nothing, found q k.\n",
        ),
        found(folder, *files, "--renames", "wrong.txt"),
    )
    # A model, named by mistake, is not brought into memory.
    with open(folder / "large.txt", "wb") as large:
        large.truncate(2**24 + 1)
    expect(
        "a file of rules that is too large",
        (
            2,
            "",
            "safestructures: large.txt: the file of rename rules is too large: expected at most 16777216 bytes,"
            " found 16777217.\n",
        ),
        found(folder, *files, "--renames", "large.txt"),
    )


def check_colours(folder):
    make(folder)
    for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        parent, child = pty.openpty()
        subprocess.run(
            [CLI, "diff", "other.safetensors", "model.safetensors"],
            cwd=folder,
            stdout=child,
            env={**os.environ, "TERM": "xterm", **environment},
        )
        os.close(child)
        shown = os.read(parent, 10000).decode()
        os.close(parent)
        expect(f"colours {environment}", coloured, "\x1b[1;31mdifferent\x1b[0m" in shown)
        expect(f"escapes {environment}", coloured, "\x1b" in shown)


run_checks(
    check_outcomes,
    check_renames,
    check_wrong_calls,
    check_wrong_large_files,
    check_numbers,
    check_programs,
    check_junit_coverage,
    check_noise,
    check_streams_and_formats,
    check_recordings,
    check_rename_files,
    check_colours,
)
