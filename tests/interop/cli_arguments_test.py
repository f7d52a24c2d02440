"""Numbers, sizes and texts that the command line takes, what goes with what, where it writes to, and how long its errors
are."""

import json
import pathlib
import struct

from cli_outcomes import expect, run, run_checks


def outcome(done):
    return done.returncode, done.stdout, done.stderr


def check_counts(folder):
    """A count is digits, and no other spelling of a number."""
    for option in ("--items", "--depth"):
        for given in ("-1", "+3", "0x10", "1e3", "1.0", "1_000", "x"):
            message = (
                f"safestructures: {option}: expected a whole number, 0 or larger, found '{given}'."
                " See 'safestructures show --help'.\n"
            )
            done = run(folder, "show", "model.safetensors", option, given)
            expect(f"{option} {given}", (2, "", message), outcome(done))
    large = "99999999999999999999"
    message = f"safestructures: --items: the number {large} is too large. See 'safestructures show --help'.\n"
    done = run(folder, "show", "model.safetensors", "--items", large)
    expect("--items beyond 64 bits", (2, "", message), outcome(done))
    (pathlib.Path(folder) / "list.json").write_text(str(list(range(12))))
    done = run(folder, "show", "list.json", "/", "--items", "010")
    expect("--items 010 is 10", "└─ ... 2 more", done.stdout.splitlines()[-1])
    done = run(folder, "convert", "model.safetensors", "out.safetensors", "--threads", "5000000000")
    message = "safestructures: --threads: the number 5000000000 is too large. See 'safestructures convert --help'.\n"
    expect("--threads beyond 32 bits", (2, "", message), outcome(done))


def check_sizes(folder):
    folder = pathlib.Path(folder)
    for given in ("-1", "2XB", "1.5GB", "GB", "99999999999999999999", "100EB", "0x10", "5 kibb"):
        done = run(folder, "convert", "model.safetensors", "out.safetensors", "--shard-size", given)
        message = (
            "safestructures: --shard-size: expected a size such as 500MB, 5GiB or a number of bytes,"
            f" found '{given}'. See 'safestructures convert --help'.\n"
        )
        expect(f"--shard-size {given}", (2, "", message), outcome(done))
    expect("nothing is written", [], list(folder.glob("out*")))
    expect("--shard-size 0", 0, run(folder, "convert", "model.safetensors", "out.safetensors", "--shard-size", "0").returncode)
    expect("it is one file", ["out.safetensors"], [path.name for path in folder.glob("out*")])
    (folder / "out.safetensors").unlink()
    # Tensors of 48, 24, 48 and 24 bytes. What fits is one file without an index.
    for given, files in (("48", 4), ("96B", 2), ("1k", 0), ("1 KB", 0), ("1KiB", 0), ("2gib", 0), ("1EB", 0)):
        done = run(folder, "convert", "model.safetensors", "out.safetensors", "--shard-size", given)
        expect(f"--shard-size {given}", (0, files), (done.returncode, len(list(folder.glob("out-*")))))
        written = "out.safetensors.index.json" if files else "out.safetensors"
        expect(f"--shard-size {given} writes {written}", written, done.stdout.split(":")[0])
        expect(f"--shard-size {given}: it opens", 0, run(folder, "verify", written).returncode)
        for path in folder.glob("out*"):
            path.unlink()


def check_empty_texts(folder):
    """What is empty, as a variable of a shell may be, is not as if it was not given."""
    two = ["model.safetensors", "model.safetensors"]
    for command, option, name in (
        (["diff", *two], "--rtol", "--rtol"),
        (["diff", *two], "--atol", "--atol"),
        (["diff", *two], "--save-renames", "--save-renames"),
        (["diff", *two], "--only", "--only"),
        (["get", "model.safetensors", "/name"], "-o", "--output"),
        (["get", "model.safetensors", "/layers/0/bias"], "--slice", "--slice"),
        (["report", "model.safetensors"], "-o", "--output"),
    ):
        done = run(folder, *command, option, "")
        message = (
            f"safestructures: {name}: expected a value, found an empty text. See 'safestructures {command[0]} --help'.\n"
        )
        expect(f"{command[0]} {option}", (2, "", message), outcome(done))
    done = run(folder, "report", "model.safetensors", "", "-o", "page.html")
    message = "safestructures: B: expected a value, found an empty text. See 'safestructures report --help'.\n"
    expect("report without the name of B", (2, "", message), outcome(done))


def check_what_goes_with_what(folder):
    """An option that could do nothing is refused, and nothing is written."""
    folder = pathlib.Path(folder)
    run(folder, "convert", "model.safetensors", "sums.safetensors", "--checksums")
    before = sorted(folder.iterdir())
    two = "model.safetensors model.safetensors"
    comparing = ("--rtol 1", "--atol 1", "--tolerance *=1,1", "--rename a*=b", "--renames names.txt", "--noise none", "--dtypes")
    for line, problem in (
        *((f"report model.safetensors -o page.html {option}", f"{option.split()[0]} requires B") for option in comparing),
        (f"diff {two} --json --order call", "--order cannot be combined with --json"),
        (f"diff {two} --junit --order worst", "--order cannot be combined with --junit"),
        ("show model.safetensors --json --items 1", "--items cannot be combined with --json"),
        ("show model.safetensors --json --depth 1", "--depth cannot be combined with --json"),
    ):
        done = run(folder, *line.split(" "))
        message = f"safestructures: {problem}. See 'safestructures {line.split()[0]} --help'.\n"
        expect(line, (2, "", message), outcome(done))
    for line, problem in (
        ("convert model.safetensors - --durable", "--durable is for files, not for the standard output: name a file."),
        (
            "convert arrays.npz out.npz --metadata k=v",
            "--metadata: a .npz file cannot hold metadata: name a file of another format.",
        ),
        ("get model.safetensors /layers --json -o x.json.gz", "--json: x.json.gz would hold JSON, not .gz: name a .json file."),
        ("get model.safetensors /layers --json -o x.npy", "--json: x.npy would hold JSON, not .npy: name a .json file."),
    ):
        done = run(folder, *line.split(" "), errors="replace")
        expect(line, (2, "", f"safestructures: {problem}\n"), outcome(done))
    expect("nothing is written", before, sorted(folder.iterdir()))


def check_checksums_that_are_left_out(folder):
    """Formats without checksums do not take them away unsaid."""
    run(folder, "convert", "model.safetensors", "sums.safetensors", "--checksums")
    for name, format in (("o.json", "json"), ("o.msgpack", "messagepack"), ("o.cbor.gz", "cbor")):
        done = run(folder, "convert", "sums.safetensors", name)
        message = f"safestructures: note: the format {format} has no checksums, so those of IN are left out.\n"
        expect(name, (0, message), (done.returncode, done.stderr))
    for name in ("again.safetensors", "again.safetensors.gz"):
        done = run(folder, "convert", "sums.safetensors", name)
        expect(name, (0, ""), (done.returncode, done.stderr))
    done = run(folder, "convert", "model.safetensors", "o.json")
    expect("a file that has none", (0, ""), (done.returncode, done.stderr))


def check_outputs(folder):
    done = run(folder, "convert", "model.safetensors", "-", "--shard-size", "5")
    message = "safestructures: --shard-size writes several files, and the standard output is one: name a file.\n"
    expect("shards to the standard output", (2, "", message), outcome(done))
    done = run(folder, "convert", "model.safetensors", "/dev/stdout")
    message = (
        "safestructures: /dev/stdout is a pipe or a device: name a file, or - for the standard output.\n"
    )
    expect("a pipe by its name", (2, "", message), outcome(done))
    for name in ("all.npy", "all.NPY"):
        done = run(folder, "convert", "model.safetensors", name)
        message = f"safestructures: {name}: a .npy file holds a single array: write it with 'get', or name a .npz file.\n"
        expect("one array", (2, "", message), outcome(done))
        expect("and nothing is written", False, (pathlib.Path(folder) / name).exists())
    for name in ("all.npz.gz", "all.npy.gz", "all.Npz.GZ"):
        done = run(folder, "convert", "model.safetensors", name)
        message = f"safestructures: {name}: NumPy cannot open arrays inside gzip: name a .npz file.\n"
        expect(name, (2, "", message), outcome(done))
        expect(f"{name}: nothing is written", False, (pathlib.Path(folder) / name).exists())


def check_long_names(folder):
    """A name of a megabyte makes no error of a megabyte."""
    folder = pathlib.Path(folder)
    long = "k" * 1_000_000
    (folder / "cut.json").write_text(f'{{"{long}":[1,2,}}')
    (folder / "twice.json").write_text(f'{{"{long}":1,"{long}":2}}')
    (folder / "one.json").write_text(f'{{"{long}":1}}')
    (folder / "long.safetensors.index.json").write_text(f'{{"weight_map":{{"a":"{long}"}}}}')
    (folder / "names.txt").write_text(f"{long}=b*\n")
    write_missing(folder / "missing.safetensors", long)
    for code, line, begin in (
        (1, "verify cut.json", "cut.json: at /kkk"),
        (1, "verify twice.json", "twice.json: at /kkk"),
        (1, "show long.safetensors.index.json", "kkk"),
        (1, "show missing.safetensors", "missing.safetensors: at /: the schema names a tensor that the file does not have: found 'k"),
        (2, "get one.json a", "one.json: at /: there is no 'a': found dict of 1: kkk"),
        (2, "get model.safetensors /" + "k" * 4000, "model.safetensors: at /: there is no 'kkk"),
        (2, "diff one.json one.json --renames names.txt", "a rename rule is not valid: expected the same number of * on both sides, found k"),
    ):
        done = run(folder, *line.split(" "))
        name = line[:60]
        expect(name, (code, ""), (done.returncode, done.stdout))
        expect(f"{name}: the beginning", f"safestructures: {begin}", done.stderr[: 16 + len(begin)])
        expect(f"{name}: what is left out", True, "kkk...kkk" in done.stderr)
        expect(f"{name}: {len(done.stderr)} bytes", True, len(done.stderr) < 2000)


def write_missing(path, name):
    """A file whose schema names a tensor that is not there."""
    schema = json.dumps({"data_type": "numpy.ndarray", "value": name})
    metadata = {"_safestructures_schema_": schema, "_safestructures_schema_version_": "1.0.0"}
    header = json.dumps({"__metadata__": metadata}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header)


run_checks(
    check_counts,
    check_sizes,
    check_empty_texts,
    check_what_goes_with_what,
    check_checksums_that_are_left_out,
    check_outputs,
    check_long_names,
)
