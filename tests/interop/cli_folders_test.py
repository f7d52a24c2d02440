"""Which file a folder is about, where a command reads one."""

import gzip
import pathlib
import shutil

import numpy as np
from cli_outcomes import expect, run, run_checks
from safetensors.numpy import save_file

EXPECTED = (
    "it is unclear which file in the folder is meant: expected model.safetensors, one .index.json, one model file, or a single"
    " .json or .bin file and nothing else, found"
)


def unclear(name, found):
    return 1, f"safestructures: {name}: {EXPECTED} {found}. Name a file inside it.\n"


def outcome(done):
    return done.returncode, done.stderr


def check_the_usual_files(folder):
    folder = pathlib.Path(folder)
    (one := folder / "one").mkdir()
    shutil.copy(folder / "plain.safetensors", one / "weights.safetensors")
    (one / "config.json").write_text("{}")
    done = run(folder, "verify", "one")
    expect("the only file", (0, "one: ok, 2 tensors, 32 bytes\n"), (done.returncode, done.stdout))
    expect("show names it", True, "one/weights.safetensors" in run(folder, "show", "one").stdout)
    shutil.copy(folder / "bfloat.safetensors", one / "other.safetensors")
    expect(
        "two files",
        unclear("one", "'other.safetensors', 'weights.safetensors'"),
        outcome(run(folder, "show", "one")),
    )
    (parts := folder / "parts").mkdir()
    run(folder, "convert", "model.safetensors", "parts/big.safetensors", "--shard-size", "64")
    done = run(folder, "verify", "parts")
    expect("an index", "parts: ok, 4 tensors, 144 bytes\n", done.stdout)
    shutil.copy(folder / "model.safetensors", parts / "model.safetensors")
    expect("the usual name", True, "parts/model.safetensors" in run(folder, "show", "parts").stdout)


def make_simple(folder):
    """A file that every format has a place for."""
    save_file({name: np.ones((2, 2), np.float32) for name in "ab"}, folder / "simple.safetensors")
    return folder / "simple.safetensors"


def check_every_format(folder):
    """One file of any format that is read, whatever else of none lies beside it."""
    folder = pathlib.Path(folder)
    simple = make_simple(folder)
    formats = ["safetensors", "npz", "mpk", "bpk", "msgpack", "cbor"]
    packed = [f"{ending}.gz" for ending in formats if ending != "npz"]
    for ending in [*formats, *packed, "MPK"]:
        (made := folder / f"of {ending}").mkdir()
        name = f"weights.{ending}"
        written = run(folder, "convert", simple, made / name)
        expect(f"{name}: written", 0, written.returncode)
        for other in ("config.json", "tokenizer.json", "pytorch_model.bin", "README.md", ".hidden.mpk"):
            (made / other).write_text("{}")
        (made / "a folder.cbor").mkdir()
        done = run(folder, "verify", made.name)
        expect(name, (0, f"{made.name}: ok, 2 tensors, 32 bytes\n", ""), (done.returncode, done.stdout, done.stderr))
        if ending == "safetensors":
            continue
        shutil.copy(folder / "model.safetensors", made / "model.safetensors")
        shown = run(folder, "show", made.name).stdout.splitlines()[:1]
        expect(f"{name}: model.safetensors goes before", True, "/model.safetensors" in str(shown))
        (made / "model.safetensors").rename(made / "other.safetensors")
        shown = run(folder, "show", made.name).stdout.splitlines()[:1]
        expect(f"{name}: the only .safetensors goes before", True, "/other.safetensors" in str(shown))
        (made / "other.safetensors").unlink()
        shutil.copy(made / name, made / f"another.{ending}")
        names = sorted([f"'{name}'", f"'another.{ending}'"])
        expect(f"{name}: two", unclear(made.name, ", ".join(names)), outcome(run(folder, "show", made.name)))


def check_pytorch(folder):
    """One file of torch.save, packed or not, and the index of several, beside the configuration of the model."""
    folder = pathlib.Path(folder)
    golden = pathlib.Path(__file__).parents[1] / "golden" / "pytorch"
    for name, bytes_of_file in {
        "model.pt": (golden / "state.pt").read_bytes(),
        "model.pth": (golden / "old.pt").read_bytes(),
        "model.pt.gz": gzip.compress((golden / "state.pt").read_bytes()),
    }.items():
        (made := folder / f"with {name}").mkdir()
        (made / "config.json").write_text("{}")
        (made / name).write_bytes(bytes_of_file)
        checked = "" if name == "model.pth" else ", checksums match"
        expect(name, f"{made.name}: ok, 5 tensors, 64 bytes{checked}\n", run(folder, "verify", made.name).stdout)
    (parts := folder / "of torch").mkdir()
    (parts / "config.json").write_text("{}")
    for path in golden.glob("sharded*"):
        shutil.copy(path, parts)
    done = run(folder, "verify", "of torch")
    expect("an index of torch", "of torch: ok, 5 tensors, 64 bytes, checksums match\n", done.stdout)


def check_files_of_other_things_too(folder):
    """A .json is taken where nothing else is there: it is rather the configuration of something."""
    folder = pathlib.Path(folder)
    for name in ("m.json", "m.json.gz"):
        (alone := folder / f"with {name}").mkdir()
        run(folder, "convert", "plain.safetensors", alone / name)
        (alone / ".DS_Store").write_bytes(b"")
        done = run(folder, "verify", alone.name)
        expect(f"{name} alone", (0, f"{alone.name}: ok, 2 tensors, 32 bytes\n"), (done.returncode, done.stdout))
        (alone / "README.md").write_text("")
        expect(f"{name}, not alone", unclear(alone.name, f"'{name}'"), outcome(run(folder, "show", alone.name)))
    (other := folder / "other").mkdir()
    for name in ("config.json", "pytorch_model.bin"):
        (other / name).write_bytes(gzip.compress(b"{}"))
    expect(
        "a model of others",
        unclear("other", "'config.json', 'pytorch_model.bin'"),
        outcome(run(folder, "show", "other")),
    )


def check_the_file_stays(folder):
    """What is written takes the place of no file that a folder stands for."""
    folder = pathlib.Path(folder)
    simple = make_simple(folder)
    for ending in ("mpk", "bpk", "safetensors.gz"):
        (made := folder / ending).mkdir()
        run(folder, "convert", simple, made / f"m.{ending}")
        output = f"{ending}/m.{ending}"
        message = f"safestructures: -o: {output} is also an input and would be overwritten: name another file.\n"
        expect(output, (2, message), outcome(run(folder, "report", ending, "-o", output)))
        expect(f"{output}: it is there", 0, run(folder, "verify", output).returncode)


run_checks(check_the_usual_files, check_every_format, check_pytorch, check_files_of_other_things_too, check_the_file_stays)
