"""The command line as a tool: help, slips of the hand, streams, lists, JSON, options of `convert`."""

import json
import os
import pathlib
import pty
import re
import subprocess

import checks
import notation
import numpy as np
import safestructures
from cli_outcomes import CLI, COMMANDS, expect, run, run_checks


def check_help_command(folder):
    for command in COMMANDS:
        asked = run(folder, "help", command)
        expect(f"help {command}", (0, ""), (asked.returncode, asked.stderr))
        expect(f"help {command}: as --help", run(folder, command, "--help").stdout, asked.stdout)
        expect(f"help {command}: no wider than a terminal", [], [one for one in asked.stdout.splitlines() if len(one) > 80])
    expect("help", run(folder, "--help").stdout, run(folder, "help").stdout)
    alone = run(folder)
    expect(
        "no command: the help, where errors go",
        (2, "", run(folder, "help").stdout),
        (alone.returncode, alone.stdout, alone.stderr),
    )
    expect(
        "help of nothing",
        (2, "safestructures: there is no command 'gte': did you mean 'get'?\n"),
        outcome(run(folder, "help", "gte")),
    )
    expect(
        "help of two",
        (2, "safestructures: help explains one command at a time: 'safestructures help get'.\n"),
        outcome(run(folder, "help", "get", "show")),
    )
    for option in ("--precision preserve|f32|f16|bf16|f64", "--overflow error|saturate|allow"):
        expect(f"convert --help: {option}", True, option in run(folder, "help", "convert").stdout)


def outcome(done):
    return done.returncode, done.stderr


SLIPS = {
    "get model.safetensors /name --slcie 1": "get has no option '--slcie': did you mean '--slice'?"
    " See 'safestructures get --help'.",
    "convert model.safetensors --precison=f16 out": "convert has no option '--precison': did you mean"
    " '--precision'? See 'safestructures convert --help'.",
    "verify -q model.safetensors": "verify has no option '-q': its options are --help, -h."
    " See 'safestructures verify --help'.",
    "convert model.safetensors out --precision f12": "--precision: there is no precision 'f12': the"
    " precisions are preserve, f32, f16, bf16, f64. See 'safestructures convert --help'.",
    "convert a b --precision": "--precision needs a value: preserve|f32|f16|bf16|f64."
    " See 'safestructures convert --help'.",
    "get a b --slice": "--slice needs a value. See 'safestructures get --help'.",
    "ls model.safetensors --sort date": "--sort: there is no order 'date': the orders are name, size."
    " See 'safestructures ls --help'.",
    "convert model.safetensors out --metadata run": "--metadata takes KEY=VALUE, not 'run'.",
    "get model.safetensors /layers/0/weight --slice [9]": "model.safetensors: at /layers/0/weight: the"
    " index is outside dimension 0: expected an index from -4 to 3, found 9.",
    "--foo": "there is no option '--foo': the options are --help, -h, --version. See 'safestructures --help'.",
    "--vresion": "there is no option '--vresion': did you mean '--version'? See 'safestructures --help'.",
    "--help --foo=1 show": "there is no option '--foo': the options are --help, -h, --version."
    " See 'safestructures --help'.",
    "-q show model.safetensors": "there is no option '-q': the options are --help, -h, --version."
    " See 'safestructures --help'.",
    "-": "there is no command '-': the commands are " + ", ".join(COMMANDS) + ".",
    "-1": "there is no command '-1': the commands are " + ", ".join(COMMANDS) + ".",
    "completion tcsh": "SHELL: there is no shell 'tcsh': the shells are bash, zsh, fish."
    " See 'safestructures completion --help'.",
}


def check_slips(folder):
    for line, message in SLIPS.items():
        expect(line, (2, f"safestructures: {message}\n"), outcome(run(folder, *line.split(" "))))


IN_ANY_CASE = {
    "convert model.safetensors - --precision f16": "convert model.safetensors - --precision F16",
    "convert model.safetensors - --overflow saturate": "convert model.safetensors - --overflow Saturate",
    "ls model.safetensors --sort size": "ls model.safetensors --sort SIZE",
    "get model.safetensors /layers/0/weight --dtype F64 -o -": (
        "get model.safetensors /layers/0/weight --dtype f64 -o -"
    ),
    "completion bash": "completion Bash",
}


def check_words_in_any_case(folder):
    for line, other in IN_ANY_CASE.items():
        expected, found = (
            subprocess.run([CLI, *words.split(" ")], cwd=folder, capture_output=True)
            for words in (line, other)
        )
        expect(other, (0, expected.stdout, b""), (found.returncode, found.stdout, found.stderr))


def piped(folder, name, *args):
    with open(pathlib.Path(folder) / name, "rb") as file:
        return subprocess.run([CLI, *args], cwd=folder, stdin=file, capture_output=True, timeout=60)


def check_streams(folder):
    """`-` is the standard input, and of `convert` the standard output."""
    whole = (pathlib.Path(folder) / "model.safetensors").read_bytes()
    shown = run(folder, "show", "model.safetensors").stdout
    expected = shown.replace("file      model.safetensors", "file      standard input")
    expect("show -", expected, piped(folder, "model.safetensors", "show", "-").stdout.decode())
    expect("get -", b"tiny\n", piped(folder, "model.safetensors", "get", "-", "/name").stdout)
    done = piped(folder, "model.safetensors", "verify", "-")
    expect("verify -", b"standard input: ok, 4 tensors, 144 bytes\n", done.stdout)
    done = piped(folder, "damaged.safetensors", "verify", "-")
    expect(
        "verify - of a damaged file",
        (1, b"", "safestructures: standard input: the file ends before its tensors do: expected 144"),
        (done.returncode, done.stdout, done.stderr.decode()[:81]),
    )
    done = piped(folder, "model.safetensors", "convert", "-", "-")
    expect("convert - -", (0, b""), (done.returncode, done.stderr))
    run(folder, "convert", "model.safetensors", "copy.safetensors")
    copy = (pathlib.Path(folder) / "copy.safetensors").read_bytes()
    expect("convert - -: the same file", copy, done.stdout)
    expect("the input is untouched", whole, (pathlib.Path(folder) / "model.safetensors").read_bytes())
    done = piped(folder, "hostile.safetensors", "convert", "-", "-", "--shard-size", "10")
    expect("shards need a file", 2, done.returncode)

    parent, child = pty.openpty()
    done = subprocess.run(
        [CLI, "convert", "model.safetensors", "-"],
        cwd=folder, stdout=child, stderr=subprocess.PIPE, text=True,
    )
    os.close(child)
    os.close(parent)
    expect(
        "no file on a terminal",
        (2, "safestructures: the file is not written to a terminal: redirect the standard output or name a file.\n"),
        outcome(done),
    )


LIST = """\
F32  [4, 3]  48  /layers/0/weight
F64  [3]     24  /layers/0/bias
F32  [4, 3]  48  /layers/1/weight
F64  [3]     24  /layers/1/bias
"""


def check_ls(folder):
    def lines(*args):
        return [line.split()[-1] for line in run(folder, "ls", *args).stdout.splitlines()]

    expect("ls", LIST, run(folder, "ls", "model.safetensors").stdout)
    biases = ["/layers/0/bias", "/layers/1/bias"]
    weights = ["/layers/0/weight", "/layers/1/weight"]
    expect("a glob", biases, lines("model.safetensors", "*bias"))
    expect("a glob of one step", weights, lines("model.safetensors", "/layers/?/w*"))
    expect("no match", [], lines("model.safetensors", "bias"))
    note = "safestructures: note: model.safetensors: no tensor matches bias\n"
    expect("no match: a note", (0, note), outcome(run(folder, "ls", "model.safetensors", "bias")))
    expect("by size", weights + biases, lines("model.safetensors", "--sort", "size"))
    expect(
        "by name",
        ["/layers/0/bias", "/layers/0/weight", "/layers/1/bias", "/layers/1/weight"],
        lines("model.safetensors", "--sort", "name"),
    )
    rows = json.loads(run(folder, "ls", "model.safetensors", "*0/bias", "--json").stdout)
    row = {"path": "/layers/0/bias", "dtype": "F64", "shape": [3], "bytes": 24}
    expect("--json", [row], rows)


def check_json(folder):
    folder = pathlib.Path(folder)
    epochs = run(folder, "get", "model.safetensors", "/labels", "--json").stdout
    expect("a tuple", {"$tuple": [1, None, True]}, json.loads(epochs))
    run(folder, "get", "model.safetensors", "/layers", "-o", "layers.json")
    layers = json.loads((folder / "layers.json").read_text())
    expect("-o x.json", [0.0, 0.0, 0.0], layers[1]["bias"]["data"])
    expect(
        "what .json loses nothing of",
        run(folder, "show", "model.safetensors", "/layers").stdout,
        run(folder, "show", "layers.json", "/").stdout,
    )


def check_original_dtype(folder):
    run(folder, "convert", "model.safetensors", "f32.safetensors", "--precision", "f32")
    shown = run(folder, "show", "f32.safetensors", "/layers/0").stdout
    expect("was F64", True, '"bias": F32, was F64 [3]  0.0, 0.0, 0.0\n' in shown)
    expect("was nothing else", True, '"weight": F32 [4, 3]  -0.125' in shown)


def check_convert_options(folder):
    folder = pathlib.Path(folder)
    run(
        folder, "convert", "model.safetensors", "meta.safetensors",
        "--metadata", "run=43", "--metadata", "format=pt=1",
    )
    metadata, _ = notation.read_container(folder / "meta.safetensors")
    expect("--metadata", ("43", "pt=1"), (metadata["run"], metadata["format"]))

    for name in ("a_tensor_of_type_torch_tensor", "a_tensor_of_type_jaxlib__jax_arrayimpl"):
        source = checks.GOLDEN / f"{name}.safetensors"
        run(folder, "convert", source, "framework.safetensors")
        schema = notation.read_container(folder / "framework.safetensors")[0]
        run(folder, "convert", source, "numpy.safetensors", "--numpy")
        found = notation.read_container(folder / "numpy.safetensors")[0]
        types = [re.findall(r'"(torch\.Tensor|jax[^"]*|numpy\.ndarray)"', m["_safestructures_schema_"])
                 for m in (schema, found)]
        expect(f"{name}: its type", False, "numpy.ndarray" in types[0])
        expect(f"{name}: --numpy", {"numpy.ndarray"}, set(types[1]))
        loaded = safestructures.load_file(folder / "numpy.safetensors")
        leaf = next(iter(loaded.values())) if isinstance(loaded, dict) else loaded
        leaf = leaf[0] if isinstance(leaf, (list, tuple)) else leaf
        expect(f"{name}: what Python loads", np.ndarray, type(leaf))


run_checks(
    check_help_command,
    check_slips,
    check_words_in_any_case,
    check_streams,
    check_ls,
    check_json,
    check_original_dtype,
    check_convert_options,
)
