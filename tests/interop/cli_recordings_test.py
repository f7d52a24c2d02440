"""`show`, `ls` and `get` of recordings: which record, which part of it, and what they say of others; `verify`."""

import json
import pathlib
import re
import shutil
import subprocess

import numpy as np
import safestructures
from cli_outcomes import CLI, expect, run, run_checks
from safestructures_cpp.recorder import Recorder

NOT_CLOSED = "safestructures: note: killed: the recording was not closed, so records may be missing\n"
LEFT_OUT = (
    "safestructures: note: closed: the recorder left out or thinned records:"
    " decoder.sum: 1 filtered of 4 calls\n"
)


def outcome(done):
    return done.returncode, done.stdout, done.stderr


def record(folder):
    """`closed` and `killed` of 15 records, `kept` of less than what was given, and `nothing`."""
    runs = pathlib.Path(folder) / "runs"
    runs.mkdir()
    for name in ([], ["kept"], ["nothing"]):
        subprocess.run([CLI.parent / "interop" / "recordings", runs, *name], check=True)
    return runs


def check_show(folder):
    """Every name in the order of the first records, however many segments there are."""
    runs = record(folder)
    shown = run(runs, "show", "closed")
    expect("show: exit code", (0, LEFT_OUT), (shown.returncode, shown.stderr))
    size = sum(file.stat().st_size for file in (runs / "closed").glob("*.safetensors"))
    outputs = "decoder.out: struct Output, 4 records, steps 0 to 3\n"
    expect(
        "show",
        f"recording closed, {size / 1024:.1f} KiB in 4 segments\n"
        "records   15, steps 0 to 3\n"
        "\n"
        "4 names\n"
        f"├─ {outputs}"
        "├─ decoder.bytes: tensor U8 [0], 4 records, steps 0 to 3\n"
        "├─ decoder.doubles: dict of 1, 4 records, steps 0 to 3\n"
        "└─ decoder.sum: float 0.0, 3 records, steps 0 to 2\n",
        shown.stdout,
    )
    few = run(runs, "show", "closed", "--items", "1").stdout
    expect("--items", True, few.endswith(f"4 names\n├─ {outputs}└─ ... 3 more\n"))
    none = run(runs, "show", "closed", "--depth", "0").stdout
    expect("--depth 0", True, none.endswith("\n4 names\n└─ ...\n"))
    kept = run(runs, "show", "kept").stdout
    expect("kept: statistics", True, ", kept: statistics\n" in kept)
    expect("kept: slice", True, ", kept: slice\n" in kept)
    nothing = run(runs, "show", "nothing").stdout
    expect("nothing", "recording nothing, 2.1 KiB in 1 segment\nrecords   0\n\n0 names\n", nothing)
    killed = run(runs, "show", "killed")
    expect("not closed", (0, True), (killed.returncode, NOT_CLOSED in killed.stderr))
    expect("not closed: what there is", shown.stdout.partition("\n")[2], killed.stdout.partition("\n")[2])
    expect(
        "--json",
        (2, "", "safestructures: --json is for files: 'safestructures ls closed --json' lists what a recording holds.\n"),
        outcome(run(runs, "show", "closed", "--json")),
    )
    expect(
        "a record, as a tree",
        'struct Output\n├─ hidden: F32 [2]  1.0, 2.0\n└─ text: "step 1"\n',
        run(runs, "show", "closed", "decoder.out", "--step", "1").stdout,
    )
    expect(
        "--step without a record",
        (2, "", "safestructures: --step requires PATH. See 'safestructures show --help'.\n"),
        outcome(run(runs, "show", "closed", "--step", "1")),
    )


def check_ls(folder):
    """Every tensor of every record, with its place; JSON as that of `stats`."""
    runs = record(folder)
    listed = run(runs, "ls", "closed", "decoder.out*")
    lines = [f"F32  [2]  8  {step}  {step}  decoder.out/hidden" for step in range(4)]
    expect("ls", (0, "\n".join(lines) + "\n", LEFT_OUT), outcome(listed))
    found = json.loads(run(runs, "ls", "closed", "--json").stdout)
    stats = json.loads(run(runs, "stats", "closed", "--json").stdout)
    expect("ls --json: of stats", [{key: one[key] for key in found[0]} for one in stats], found)
    largest = json.loads(run(runs, "ls", "closed", "--json", "--sort", "size").stdout)
    expect("--sort size", sorted((one["bytes"] for one in found), reverse=True), [one["bytes"] for one in largest])
    kept = run(runs, "ls", "kept").stdout.splitlines()
    expect("what was kept", ["whole", "part  kept: slice"], [line.split("  ", 5)[-1] for line in kept[:2]])
    expect("statistics", True, kept[2].endswith("brief/x  kept: statistics"))
    expect("not closed", True, NOT_CLOSED in run(runs, "ls", "killed").stderr)


def check_get(folder):
    """A record is said by name and step or call; the rest of the path leads into it."""
    runs = record(folder)
    for words, expected in (
        (("decoder.out/text", "--step", "2"), "step 2\n"),
        (("decoder.out/text", "--call", "0"), "step 0\n"),
        (("decoder.out/hidden", "--step", "1", "--slice", "1:", "--dtype", "F64"), "[2.0]\n"),
        (("decoder.sum", "--step", "2"), "0.5\n"),
        (("decoder.bytes", "--call", "1", "--step", "1"), "[7]\n"),
        (("decoder.out/text", "--step", "2", "--json"), '"step 2"\n'),
    ):
        expect(f"get {words}", (0, expected, ""), outcome(run(runs, "get", "closed", *words)))
    run(runs, "get", "closed", "decoder.out/hidden", "--step", "1", "-o", "x.npy")
    expect("-o", [1.0, 2.0], np.load(runs / "x.npy").tolist())
    expect("the only record", True, run(runs, "get", "kept", "whole").stdout.startswith("["))
    there = "4 records, steps 0 to 3, calls 0 to 3"
    for words, expected in (
        (("decoder.out",), f"closed: 'decoder.out' has {there}: choose one with --call or --step."),
        (
            ("decoder.out", "--step", "4"),
            f"closed: no record of 'decoder.out' has that step or call: it has {there}.",
        ),
        (
            ("decoder.out", "--step", "-1"),
            f"closed: no record of 'decoder.out' has that step or call: it has {there}.",
        ),
        (
            ("decoder.out", "--step", "1", "--call", "2"),
            f"closed: no record of 'decoder.out' has that step or call: it has {there}.",
        ),
        (
            ("decoder.out/txt", "--step", "1"),
            "closed/segment-000001.safetensors: at decoder.out: there is no 'txt': found struct Output: hidden, text."
            " Perhaps 'text' is meant.",
        ),
        (
            ("decoder.out", "--step", "0x1"),
            "--step: expected a whole number, found '0x1'. See 'safestructures get --help'.",
        ),
        (
            ("decoder.out", "--call", "-1"),
            "--call: expected a whole number, 0 or larger, found '-1'. See 'safestructures get --help'.",
        ),
    ):
        code, printed, errors = outcome(run(runs, "get", "closed", *words))
        expect(f"get {words}", (2, "", f"safestructures: {expected}\n"), (code, printed, errors.replace(LEFT_OUT, "")))
    # What may be missing is said first.
    for name, expected in (
        ("nothing", "nothing: there is no record 'decoder.uot': the recording is empty."),
        ("killed", "killed: there is no record 'decoder.uot': did you mean 'decoder.out'?"),
        ("closed", "closed: there is no record 'decoder.uot': did you mean 'decoder.out'?"),
    ):
        code, _, errors = outcome(run(runs, "get", name, "decoder.uot"))
        notes, _, last = errors.rpartition("safestructures: ")
        expect(f"get of {name}", (2, expected + "\n"), (code, last))
        expect(f"get of {name}: notes", True, notes.startswith(f"safestructures: note: {name}: "))
    expect(
        "a step of a file",
        (2, "", "safestructures: --step is for recordings: model.safetensors is a file.\n"),
        outcome(run(folder, "get", "model.safetensors", "/name", "--step", "1")),
    )


def check_two_records_of_a_step(folder):
    """Names have slashes too: the longest one is meant. Two records of a step are two calls."""
    with Recorder(pathlib.Path(folder) / "run") as recorder:
        recorder.record("a", {"b": np.float32([1])})
        recorder.record("a/b", np.float32([2]))
        for number in (3, 4):
            recorder.record("twice", np.float32([number]))
    expect("the longest name", "[2.0]\n", run(folder, "get", "run", "a/b").stdout)
    expect("a part of a record", True, "b" in run(folder, "show", "run", "a").stdout)
    expect(
        "two of one step",
        (2, "safestructures: run: 'twice' has 2 records, step 0, calls 0 to 1: choose one with --call.\n"),
        (lambda done: (done.returncode, done.stderr))(run(folder, "get", "run", "twice", "--step", "0")),
    )
    expect("a call", "[4.0]\n", run(folder, "get", "run", "twice", "--call", "1").stdout)


def check_verify(folder):
    """`verify` takes the folder of a recording; `convert` says that it takes none."""
    folder = pathlib.Path(folder)
    (runs := folder / "runs").mkdir()
    subprocess.run([CLI.parent / "interop" / "recordings", runs], check=True)
    subprocess.run([CLI.parent / "interop" / "recordings", runs, "started"], check=True)
    note = "safestructures: note: {}: the recording was not closed, so records may be missing\n"
    for name, found, said in (
        ("closed", "15 records in 4 sealed segments, {}, checksums match", ""),
        ("killed", "15 records in 3 sealed segments and one unsealed, {}, checksums match", note),
        ("started", "3 records in 0 sealed segments and one unsealed, 0 bytes", note),
    ):
        done = run(runs, "verify", name)
        size = re.search(r"[\d.]+ (KiB|bytes)|$", done.stdout)[0]
        expect(
            f"verify of a recording: {name}",
            (0, f"{name}: ok, {found.format(size)}\n", said.format(name)),
            outcome(done),
        )
    for name, segments in (("closed", "4 sealed segments"), ("started", "0 sealed segments")):
        expect(
            f"convert of a recording: {name}",
            (
                1,
                "",
                f"safestructures: {name}: the folder is a recording: expected a file, or a folder that holds one,"
                f" found {segments}. Name one of its segments; the other commands take a recording.\n",
            ),
            outcome(run(runs, "convert", name, "converted.safetensors")),
        )
    expect("a segment", 0, run(runs, "show", "closed/segment-000001.safetensors").returncode)
    shutil.copytree(runs / "closed", runs / "damaged")
    for number in (2, 3):
        segment = runs / f"damaged/segment-00000{number}.safetensors"
        data = bytearray(segment.read_bytes())
        data[-1] ^= 1
        segment.write_bytes(data)
    done = run(runs, "verify", "damaged", "closed")
    expect("the others are checked", (1, 1), (done.returncode, done.stdout.count("closed: ok")))
    expect(
        "each segment that is damaged",
        ["segment-000002.safetensors", "segment-000003.safetensors"],
        re.findall(r"^safestructures: damaged/(\S+): .* not those that were saved", done.stderr, re.MULTILINE),
    )
    shutil.copytree(runs / "closed", runs / "hole")
    (runs / "hole/segment-000002.safetensors").unlink()
    expect(
        "a segment that is missing",
        (1, "", "safestructures: hole: segment 2 is missing\n"),
        outcome(run(runs, "verify", "hole")),
    )
    check_other_segments(runs)


def check_other_segments(runs):
    """`verify` tells of segments that stand for others, and of those behind the last."""

    def verified(name, change):
        shutil.copytree(runs / "closed", runs / name)
        change(lambda number: runs / name / f"segment-{number:06}.safetensors")
        done = run(runs, "verify", name)
        expect(f"verify: {name}: exit code", (1, ""), (done.returncode, done.stdout))
        return done.stderr

    first = "safestructures: {0}: segment-000002.safetensors"
    expect(
        "a segment over another",
        f"{first} says that it is segment 1 of its recording\n"
        f"{first} has 5 records that are no later than those of segments before it: not read\n".format("over"),
        verified("over", lambda segment: shutil.copy(segment(1), segment(2))),
    )

    def empty(number):
        return lambda segment: safestructures.save_file({}, segment(number))

    behind = ("safestructures: {}: segment-{}.safetensors comes after segment 4, which closed the recording, "
              "and was not read\n")
    for name, number in ("behind", 5), ("far", 7):
        expect(f"a file {name}", behind.format(name, f"{number:06}"), verified(name, empty(number)))
    shutil.copytree(runs / "closed", runs / "begun")
    (runs / "begun/segment-000005.part").write_bytes(b"")
    done = run(runs, "verify", "begun")
    said = behind.format("begun", "000005").replace("safetensors comes", "part comes")
    expect("a file without a header", said, done.stderr)


if __name__ == "__main__":
    run_checks(check_show, check_ls, check_get, check_two_records_of_a_step, check_verify)
