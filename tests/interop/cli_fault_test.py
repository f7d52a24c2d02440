"""Who is at fault when a conversion fails: the file that is read, or the call."""

import pathlib
import shutil
import struct

import checks
from cli_outcomes import expect, run, run_checks

RECORD = checks.HERE.parent / "golden" / "burn" / "0.13" / "rich.full.mpk"


def outcome(done):
    return done.returncode, done.stdout, done.stderr


def check_calls(folder):
    """The input is in order, and the output is not what the call asks for: 2, whatever is thrown."""
    folder = pathlib.Path(folder)
    shutil.copy(RECORD, folder / "r.mpk")
    (folder / "twice.json").write_text('{"a.": 1, "a": {"": 2}}')
    (folder / "complex.json").write_text('{"c": {"$tensor": "C64", "shape": [1], "data": [[1, 2]]}}')
    cases = {
        ("r.mpk", "out.mpk", "--precision", "bf16"): (
            "at /linear/weight: this version of Burn does not have the dtype: expected F32 or F64, or F16 as the"
            " precision of all floats, found BF16. Save it in another precision, or for Burn 0.14 or newer"
            " (burn::Options::burn_version)."
        ),
        ("r.mpk", "out.mpk", "--metadata", "burn.version=0.8"): (
            "records cannot be written for this version of Burn: expected 0.13 to 0.21, found '0.8'. Set"
            " burn::Options::burn_version, or in the tool --metadata burn.version=0.21.0; Burn 0.22 has no recorders:"
            " save as burnpack (.bpk)."
        ),
        ("twice.json", "out.bpk"): "at /a/: two values have the same name with dots: found 'a.'.",
        ("complex.json", "out.bpk"): (
            "at /c: Burn has no such dtype: expected BOOL, an integer, F16, BF16, F32 or F64, found C64. Save as"
            " safestructures, or in another precision."
        ),
        ("model.safetensors", "out.json", "--metadata", b"a=\xff"): 'the metadata of key "a" is not valid UTF-8.',
        ("model.safetensors", "out.safetensors", "--metadata", b"a=\xff"): (
            'the metadata of key "a" is not valid UTF-8.'
        ),
    }
    for (source, output, *options), message in cases.items():
        words = [option.decode(errors="surrogateescape") if isinstance(option, bytes) else option for option in options]
        expect(f"{source} {options}: the input", 0, run(folder, "verify", source).returncode)
        done = run(folder, "convert", source, output, *words)
        expect(f"{source} {options}", (2, "", f"safestructures: {output}: {message}\n"), outcome(done))
        expect(f"{source} {options}: nothing is left", False, (folder / output).exists())
    before = (folder / "model.safetensors").read_bytes()
    done = run(folder, "convert", "model.safetensors", "model.safetensors", "--metadata", "a=\udcff")
    message = 'safestructures: model.safetensors: the metadata of key "a" is not valid UTF-8.\n'
    expect("in place", (2, "", message), outcome(done))
    expect("in place: the file stays", before, (folder / "model.safetensors").read_bytes())
    done = run(folder, "convert", "model.safetensors", "-", "--metadata", "a=\udcff")
    message = 'safestructures: the metadata of key "a" is not valid UTF-8.\n'
    expect("to the standard output", (2, "", message), outcome(done))


def cbor(value):
    if isinstance(value, int):
        return b"\x1a" + struct.pack(">I", value)
    if isinstance(value, str):
        return b"\x78" + bytes([len(value)]) + value.encode()
    if isinstance(value, list):
        return b"\x98" + bytes([len(value)]) + b"".join(map(cbor, value))
    return b"\xb8" + bytes([len(value)]) + b"".join(cbor(part) for item in value.items() for part in item)


def wrong_bool():
    """A burnpack whose second bool of four bytes is none, which is found when it is read."""
    tensor = {"dtype": {"Bool": "U32"}, "shape": [2], "data_offsets": [0, 8]}
    description = cbor({"metadata": {}, "tensors": {"a": tensor}})
    head = b"NRUB" + struct.pack("<HI", 1, len(description)) + description
    return head.ljust(256, b"\0") + struct.pack("<II", 1, 0x100)


def check_files(folder):
    """Damage that the writing comes upon is the file's: 1, in place too, and the file stays."""
    folder = pathlib.Path(folder)
    (folder / "bad.bpk").write_bytes(wrong_bool())
    before = (folder / "bad.bpk").read_bytes()
    message = (
        "safestructures: bad.bpk: at a: a bool is neither true nor false: expected four bytes that are 0 or 1"
        " (byte 260).\n"
    )
    expect("verify", (1, "", message), outcome(run(folder, "verify", "bad.bpk")))
    for output in ("out.safetensors", "out.json", "out.npz", "bad.bpk", "./bad.bpk"):
        expect(output, (1, "", message), outcome(run(folder, "convert", "bad.bpk", output)))
        expect(f"{output}: nothing is left", False, (folder / "out.safetensors").exists())
    expect("to the standard output", (1, message), outcome(run(folder, "convert", "bad.bpk", "-"))[::2])
    for words in ((), ("-o", "a.npy"), ("-o", "a.json"), ("-o", "-"), ("--json",), ("--dtype", "F32"), ("--slice", "1")):
        expect(f"get {words}", (1, message), outcome(run(folder, "get", "bad.bpk", "a", *words))[::2])
        expect(f"get {words}: nothing is left", [], [*folder.glob("a.*")])
    done = run(folder, "get", "model.safetensors", "/layers/0/bias", "--slice", "7")
    expect("get: a slice that there is not", (2, True), (done.returncode, "outside dimension 0" in done.stderr))
    expect("the file stays", before, (folder / "bad.bpk").read_bytes())


run_checks(check_calls, check_files)
