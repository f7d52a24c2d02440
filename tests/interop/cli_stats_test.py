"""`stats`: what it says of files and recordings, beside NumPy; order, filter, JSON, hostile names."""

import dataclasses
import json
import os
import pathlib
import pty
import subprocess

import cli_files
import ml_dtypes
import numpy as np
import safestructures
from cli_outcomes import CLI, expect, run, run_checks
from safetensors.numpy import save_file

COUNTS = ["count", "zeros", "nan", "positive_infinities", "negative_infinities"]


def stats(folder, *args):
    done = run(folder, "stats", *args)
    return done.returncode, done.stdout, done.stderr


def read(folder, *args):
    code, text, errors = stats(folder, *args, "--json")
    expect(f"{args}: JSON", (0, "", True), (code, errors, text.isascii()))
    return json.loads(text)


def tensors():
    rng = np.random.default_rng(5)
    found = {"empty": np.zeros((0, 3), np.float32), "scalar": np.array(2.5), "flags": rng.random(40) < 0.5}
    for dtype in (np.float64, np.float32, np.float16, ml_dtypes.bfloat16, np.int8, np.int64):
        numbers = (rng.standard_normal((3, 1000)) * 40).astype(dtype)
        numbers[0, :7] = 0
        found[f"layer.{np.dtype(dtype).name}"] = numbers
    bad = rng.standard_normal(100).astype(np.float32)
    bad[[1, 2, 3, 4, 5, 6]] = [np.nan, np.nan, np.nan, np.inf, np.inf, -np.inf]
    found["bad"] = bad
    found["all_bad"] = np.full(3, np.nan, np.float32)
    return found


def check_quantiles(name, numbers, found):
    """Each is as near to that of NumPy as the documentation says."""
    if numbers.size == 0:
        return expect(f"{name}: no quantiles", None, found)
    expect(f"{name}: quantiles", ["0.01", "0.5", "0.99"], list(found))
    for probability, quantile in found.items():
        exact = np.sort(numbers)[int(np.floor(float(probability) * (numbers.size - 1)))]
        near = np.isclose(float(quantile), exact, rtol=1 / 32, atol=0)
        expect(f"{name}: quantile {probability}: {quantile} {exact}", True, bool(near))


def check_numbers(folder):
    """Every number is the one that NumPy computes in double precision."""
    made = tensors()
    save_file(made, pathlib.Path(folder) / "a.safetensors")
    rows = {row["path"]: row for row in read(folder, "a.safetensors")}
    expect("paths", {"/" + name.replace(".", "/") for name in made}, set(rows))
    for name, tensor in made.items():
        row = rows["/" + name.replace(".", "/")]
        wide = tensor.astype(np.float64).ravel()
        finite = wide[np.isfinite(wide)]
        expect(f"{name}: shape, bytes", (list(tensor.shape), tensor.nbytes), (row["shape"], row["bytes"]))
        counts = [wide.size, (wide == 0).sum(), np.isnan(wide).sum(), (wide == np.inf).sum(), (wide == -np.inf).sum()]
        expect(f"{name}: counts", [int(count) for count in counts], [row[key] for key in COUNTS])
        histogram = sum(negative + positive for _, negative, positive in row["histogram"])
        expect(f"{name}: histogram", int((finite != 0).sum()), histogram)
        check_quantiles(name, wide[~np.isnan(wide)], row["quantiles"])
        if finite.size == 0:
            expect(f"{name}: nothing finite", [None] * 3, [row[key] for key in ("min", "mean", "l2_norm")])
            continue
        expected = [finite.min(), finite.max(), finite.mean(), finite.std(), np.sqrt((finite**2).sum())]
        names = ["min", "max", "mean", "standard_deviation", "l2_norm"]
        near = np.allclose([row[key] for key in names], expected, rtol=1e-12, atol=1e-12)
        expect(f"{name}: moments {row} {expected}", True, bool(near))


def check_table(folder):
    save_file(
        {"a": np.array([[1.0, -2.0], [0.0, 4.0]], np.float32), "b": np.array([np.nan, np.inf, -np.inf])},
        pathlib.Path(folder) / "two.safetensors",
    )
    expected = (
        "dtype  shape   min  max  mean    std     L2  zeros  NaN  Inf  path\n"
        "F32    [2, 2]   -2    4  0.75  2.165  4.583      1    0    0  /a\n"
        "F64    [3]       -    -     -      -      -      0    1    2  /b\n"
    )
    code, text, errors = stats(folder, "two.safetensors")
    expect("the table", (0, sorted(expected.splitlines()), ""), (code, sorted(text.splitlines()), errors))
    note = "safestructures: note: two.safetensors: no tensor matches none\n"
    expect("nothing matches", (0, "", note), stats(folder, "two.safetensors", "none"))
    with open(pathlib.Path(folder) / "two.safetensors", "rb") as file:
        done = subprocess.run([CLI, "stats", "-"], stdin=file, capture_output=True, text=True)
    expect("the standard input", (0, text), (done.returncode, done.stdout))


def check_orders(folder):
    """Every order is that of the numbers it is named after."""
    # Beside numbers below 0, one that does not exist would not be last if it were taken for 0.
    save_file(tensors() | {"below": np.float64([-3, -2])}, pathlib.Path(folder) / "a.safetensors")

    def largest(name):
        return lambda row: np.inf if row[name] is None else -row[name]

    keys = {
        "name": lambda row: row["path"],
        "size": lambda row: -row["bytes"],
        "min": lambda row: np.inf if row["min"] is None else row["min"],
        "max": largest("max"),
        "mean": largest("mean"),
        "std": largest("standard_deviation"),
        "norm": largest("l2_norm"),
        "zeros": largest("zeros"),
        "nan": lambda row: -(row["nan"] + row["positive_infinities"] + row["negative_infinities"]),
    }
    for order, key in keys.items():
        rows = read(folder, "a.safetensors", "--sort", order)
        expect(f"--sort {order}", [row["path"] for row in sorted(rows, key=key)], [row["path"] for row in rows])
    rows = read(folder, "a.safetensors", "*layer*", "--sort", "size")
    expect("glob and order", (6, True), (len(rows), all("layer" in row["path"] for row in rows)))


def check_recordings(folder):
    """Records are listed in the order of their calls; kept statistics are taken as they are."""
    code, text, errors = stats(folder, "killed")
    expect(
        "a recording",
        (
            0,
            "dtype  shape  min  max  mean     std     L2  zeros  NaN  Inf  step  call  record\n"
            + "".join(f"F32    [3]      1    3     2  0.8165  3.742      0    0    0     0     {n}  layer\n" for n in range(3)),
            "safestructures: note: killed: the recording was not closed, so records may be missing\n",
        ),
        (code, text, errors),
    )
    subprocess.run([CLI.parent / "interop" / "recordings", folder, "kept"], check=True)
    full, slice_, statistics = json.loads(run(folder, "stats", "kept", "--json").stdout)
    expect("kept", ["full", "slice", "statistics"], [full["kept"], slice_["kept"], statistics["kept"]])
    expect("a slice", ([4], [2]), (full["shape"], slice_["shape"]))
    for one in (full, statistics):
        for key in ("path", "record", "kept"):
            del one[key]
    expect("statistics in place of a tensor", full, statistics)
    lines = run(folder, "stats", "kept").stdout.splitlines()[1:]
    said = [line.split("  0     0  ")[-1].lstrip(" 0") for line in lines]
    expect("what was kept is said", ["whole", "part  kept: slice", "brief/x  kept: statistics"], said)
    expect("of a recording that is whole, nothing", "", run(folder, "stats", "kept").stderr)
    rules = pathlib.Path(folder) / "rules"
    rules.mkdir()
    subprocess.run([CLI.parent / "interop" / "recordings", rules], check=True)
    expect(
        "what the recorder left out",
        "safestructures: note: rules/closed: the recorder left out or thinned records:"
        " decoder.sum: 1 filtered of 4 calls\n",
        stats(folder, "rules/closed")[2],
    )
    expect("a glob of a recording", 1, len(json.loads(run(folder, "stats", "kept", "brief*", "--json").stdout)))


def check_failures(folder):
    for line, code, message in [
        ("none.safetensors", 1, "none.safetensors: cannot open the file"),
        ("damaged.safetensors", 1, "the file ends before its tensors do"),
        ("wrong_bool.safetensors", 1, "wrong_bool.safetensors: at /flag: element 2"),
        ("model.safetensors --sort date", 2, "the orders are name, size, min, max, mean, std, norm, zeros, nan."),
        ("", 2, "FILE is required"),
    ]:
        found = stats(folder, *line.split())
        expect(f"stats {line}", (code, "", True), (found[0], found[1], message in found[2]))


@dataclasses.dataclass
class Statistics:
    dtype: str = "F32"
    shape: list = dataclasses.field(default_factory=lambda: [2])
    count: int = 2
    zeros: int = 0
    nan: int = 0
    positive_infinities: int = 0
    negative_infinities: int = 0
    min: float = 1.0
    max: float = 2.0
    mean: float = 1.5
    standard_deviation: float = 0.5
    l2_norm: float = 2.0
    histogram: object = dataclasses.field(default_factory=lambda: np.zeros((2, 64), np.int64))
    quantiles: object = dataclasses.field(default_factory=lambda: np.linspace(1, 2, 19))


@dataclasses.dataclass
class OlderStatistics(Statistics):
    quantiles: dataclasses.InitVar[object] = None


def column(dtype, number=0):
    return dataclasses.field(default_factory=lambda: np.array([number], dtype))


@dataclasses.dataclass
class Segment:
    values: list
    names: list = dataclasses.field(default_factory=lambda: ["x"])
    sequence: np.ndarray = column(np.uint64)
    step: np.ndarray = column(np.int64)
    call: np.ndarray = column(np.uint64)
    time: np.ndarray = column(np.int64)
    name: np.ndarray = column(np.uint32)
    thread: np.ndarray = column(np.uint32)
    value: np.ndarray = column(np.uint32)
    row: np.ndarray = column(np.int32, -1)
    kept: np.ndarray = column(np.uint8, 2)


def save_record(statistics, path):
    """Python's package writes no names of classes, which C++ does."""
    safestructures.save_file(Segment([statistics]), path)
    whole = path.read_bytes()
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + size])
    schema = json.loads(header["__metadata__"]["_safestructures_schema_"])
    schema["class"] = "Segment"
    schema["value"]["values"]["value"][0]["class"] = "Statistics"
    header["__metadata__"]["_safestructures_schema_"] = json.dumps(schema)
    path.write_bytes(cli_files.container(json.dumps(header), whole[8 + size :]))


def check_statistics_of_others(folder):
    """Statistics in a record are looked at before they are believed."""
    run_folder = pathlib.Path(folder) / "forged"
    run_folder.mkdir()
    segment = run_folder / "segment-000001.safetensors"
    save_record(Statistics(), segment)
    whole = json.loads(run(folder, "stats", "forged", "--json").stdout)[0]
    expect("in order", (1.5, 1.5), (whole["mean"], whole["quantiles"]["0.5"]))
    save_record(OlderStatistics(), segment)
    older = json.loads(run(folder, "stats", "forged", "--json").stdout)[0]
    expect("before there were quantiles", {**whole, "quantiles": None}, older)
    for field, value, message in [
        ("dtype", "F99", "/dtype: {}: expected the name of a dtype, found str \"F99\"."),
        ("dtype", 1, "/dtype: {}: expected the name of a dtype, found int 1."),
        ("shape", [-1], "/shape: {}: expected a list of sizes, found int -1."),
        ("shape", 3, "/shape: {}: expected a list of sizes, found int 3."),
        ("count", -1, "/count: {}: expected a count, found int -1."),
        ("mean", "x", "/mean: {}: expected a float, found str \"x\"."),
        ("quantiles", np.zeros(3), "/quantiles: {}: expected an F64 tensor of shape [19], found tensor F64 [3]."),
        ("quantiles", 1, "/quantiles: {}: expected an F64 tensor of shape [19], found int 1."),
        ("histogram", np.zeros(3), "/histogram: {}: expected an I64 tensor of shape [2, 64], found tensor F64 [3]."),
    ]:
        save_record(Statistics(**{field: value}), segment)
        problem = "the statistics in a record are not what a recorder keeps"
        expected = f"safestructures: {segment.relative_to(folder)}: at x{message.format(problem)}\n"
        code, text, errors = stats(folder, "forged")
        expect(f"{field} {value}", (1, "", expected), (code, text, errors.splitlines(True)[-1]))


def strict(text):
    """JSON as it is defined: NaN and infinities are no numbers."""
    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def check_no_infinite_numbers(folder):
    """JSON stays JSON where a norm is larger than every double, and where a record says what is no number."""
    largest = np.finfo(np.float64).max
    save_file({"x": np.float64([1.7e308, 1.7e308])}, pathlib.Path(folder) / "large.safetensors")
    (row,) = strict(run(folder, "stats", "large.safetensors", "--json").stdout)
    expect("a norm beyond doubles", largest, row["l2_norm"])
    run_folder = pathlib.Path(folder) / "no-numbers"
    run_folder.mkdir()
    numbers = {"min": float("-inf"), "max": float("inf"), "l2_norm": float("nan"), "quantiles": np.full(19, np.nan)}
    save_record(Statistics(**numbers),
                run_folder / "segment-000001.safetensors")
    (row,) = strict(run(folder, "stats", "no-numbers", "--json").stdout)
    expect("of others", ("-Infinity", "Infinity", "NaN", "NaN"),
           (row["min"], row["max"], row["l2_norm"], row["quantiles"]["0.5"]))


def check_hostile(folder):
    name = '\x1b[2J<b> & "quoted" \u202e \u2028 \U0001f600'
    save_file({name: np.zeros(1)}, pathlib.Path(folder) / "hostile_name.safetensors")
    expect("JSON: the name", "/" + name, read(folder, "hostile_name.safetensors")[0]["path"])
    text = stats(folder, "hostile_name.safetensors")[1]
    expect("the table: nothing unsafe", [], [c for c in text if c != "\n" and not c.isprintable()])
    expect("the table: the name", True, '/\\x1b[2J<b> & "quoted" \\u202e \\u2028 \U0001f600\n' in text)


def check_colours(folder):
    save_file({"bad": np.array([np.nan])}, pathlib.Path(folder) / "bad.safetensors")
    parent, child = pty.openpty()
    subprocess.run([CLI, "stats", "bad.safetensors"], cwd=folder, stdout=child, env={**os.environ, "TERM": "xterm"})
    os.close(child)
    shown = os.read(parent, 10000).decode()
    os.close(parent)
    expect("a NaN is seen at once", True, "\x1b[1;31m/bad\x1b[0m" in shown)


run_checks(
    check_numbers,
    check_table,
    check_orders,
    check_recordings,
    check_failures,
    check_statistics_of_others,
    check_no_infinite_numbers,
    check_hostile,
    check_colours,
)
