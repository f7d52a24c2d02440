"""`.npz`: what NumPy writes is read, what is written NumPy reads, and hostile archives are refused."""

import io
import json
import os
import pathlib
import struct
import tokenize
import warnings
import zipfile

import checks  # noqa: F401, finds the package
import notation
import numpy as np
import safestructures
from cli_outcomes import expect, run, run_checks
from safetensors.numpy import load_file, save_file

DTYPES = "? u1 i1 u2 i2 f2 u4 i4 f4 u8 i8 f8 c8".split()


def arrays():
    rng = np.random.default_rng(3)
    made = {f"of.{d}": (rng.random((2, 3)) * 9).astype(d) for d in DTYPES if d != "?"}
    made["of.bool"] = np.array([True, False])
    made["scalar"] = np.array(0.5)
    made["empty"] = np.zeros((0, 4), dtype=np.float32)
    made["big_endian"] = np.arange(5, dtype=">i4")
    made["big_complex"] = np.array([1 + 2j, 3 - 4j], dtype=">c8")
    made["fortran"] = np.asfortranarray(np.arange(24, dtype=np.int16).reshape(2, 3, 4))
    return made


def check_read(folder):
    """Stored and deflated archives become the same tensors."""
    folder = pathlib.Path(folder)
    for save in (np.savez, np.savez_compressed):
        save(folder / "a.npz", **arrays())
        done = run(folder, "convert", "a.npz", "a.safetensors")
        expect(f"{save.__name__}", (0, ""), (done.returncode, done.stderr))
        loaded = load_file(folder / "a.safetensors")
        expect(f"{save.__name__}: names", set(arrays()), set(loaded))
        for name, array in arrays().items():
            native = array.astype(array.dtype.newbyteorder("="))
            expect(
                f"{save.__name__}: {name}",
                (native.dtype, native.shape, native.tobytes()),
                (loaded[name].dtype, loaded[name].shape, loaded[name].tobytes()),
            )
        done = run(folder, "verify", "a.npz")
        expect(f"{save.__name__}: verify", 0, done.returncode)
    expect("get", "0.5\n", run(folder, "get", "a.npz", "scalar").stdout)
    expect("ls", 13, len(run(folder, "ls", "a.npz", "/of.*").stdout.splitlines()))


def check_write(folder):
    folder = pathlib.Path(folder)
    np.savez(folder / "a.npz", **arrays())
    run(folder, "convert", "a.npz", "a.safetensors")
    done = run(folder, "convert", "a.safetensors", "b.npz")
    expect("written", (0, ""), (done.returncode, done.stderr))
    with np.load(folder / "b.npz") as again:
        expect("names", set(arrays()), set(again.files))
        for name, array in arrays().items():
            expect(name, array.tolist(), again[name].tolist())
    expect("zipfile finds nothing wrong", None, zipfile.ZipFile(folder / "b.npz").testzip())
    first = (folder / "b.npz").read_bytes()
    run(folder, "convert", "b.npz", "b.npz")
    expect("the same bytes again", first, (folder / "b.npz").read_bytes())

    done = run(folder, "convert", "plain.safetensors", "plain.npz", "--precision", "f16")
    expect(
        "metadata",
        (0, "safestructures: note: a .npz file cannot hold metadata, so this is left out: 'format'.\n"),
        (done.returncode, done.stderr),
    )
    with np.load(folder / "plain.npz") as loaded:
        expect("converted", np.float16, loaded["layers.0.weight"].dtype)
        expect("a scalar tensor", 0.5, float(loaded["scale"]))
    refused = {
        "model.safetensors": "out.npz: at /name: a .npz file holds arrays and numbers only: found str"
        ' "tiny". Save as .safetensors or .json, which hold everything.',
        "bfloat.safetensors": "out.npz: at /w: NumPy does not have this dtype: found BF16. Add --precision f32 to convert"
        " it.",
    }
    for name, message in refused.items():
        done = run(folder, "convert", name, "out.npz")
        expect(name, (2, f"safestructures: {message}\n"), (done.returncode, done.stderr))
        expect(f"{name}: nothing is left", False, (folder / "out.npz").exists())
    done = run(folder, "convert", "bfloat.safetensors", "out.npz", "--precision", "f32")
    expect("--precision f32", 0, done.returncode)

    save_file({}, folder / "none.safetensors")
    done = run(folder, "convert", "none.safetensors", "none.npz")
    expect("no tensors", (0, "none.npz: written, 0 tensors, 22 bytes\n"), (done.returncode, done.stdout))
    with np.load(folder / "none.npz") as none:
        expect("no tensors: NumPy", [], none.files)
    expect("no tensors: zipfile", [], zipfile.ZipFile(folder / "none.npz").namelist())
    done = run(folder, "verify", "none.npz")
    expect("no tensors: verify", (0, "none.npz: ok, 0 tensors, 0 bytes\n"), (done.returncode, done.stdout))
    expect("in any case", 0, run(folder, "convert", "plain.safetensors", "out.NPZ").returncode)
    with np.load(folder / "out.NPZ") as loaded:
        expect("in any case: NumPy", True, len(loaded.files) > 0)
    done = run(folder, "convert", "plain.safetensors", "out.npz", "--shard-size", "10")
    expect("no shards", 2, done.returncode)


TWICE = (
    "two values have the same name with dots: found '{}'. Rename one of them, or save as .safetensors or .json,"
    " which keep them apart."
)
EVERYTHING = "Save as .safetensors or .json, which hold everything."
# What has no place in an archive: the text of a .json file, and the error.
NO_PLACE = {
    '{"a.b": 1, "a": {"b": 2}}': f"at /a/b: {TWICE.format('a.b')}",
    '{"$dict": [[1, 2], ["1", 3]]}': f"at /1: {TWICE.format('1')}",
    '{"": 1, "a": {"$dict": [["", 2]]}, "a.": 3}': f"at /a.: {TWICE.format('a.')}",
    '{"a": 1, "none": []}': f"at /none: a .npz file holds arrays and numbers only: found list of 0. {EVERYTHING}",
    '{"a": {"b": {}}}': f"at /a/b: a .npz file holds arrays and numbers only: found dict of 0. {EVERYTHING}",
    '{"z": {"$complex": [1, 2]}}': (
        f"at /z: a .npz file holds arrays and numbers only: found complex (1+2j). {EVERYTHING}"
    ),
    '[1, {"$tuple": []}]': f"at /1: a .npz file holds arrays and numbers only: found tuple of 0. {EVERYTHING}",
    '{"a": {"$list": [1], "$attributes": {"unit": 2}}}': (
        f"at /a: a .npz file cannot hold attributes of values: found the attribute 'unit'. {EVERYTHING}"
    ),
}


def check_no_place(folder):
    """What an archive cannot hold is refused, and the one that was there stays."""
    folder = pathlib.Path(folder)
    np.savez(folder / "out.npz", old=np.arange(3))
    before = (folder / "out.npz").read_bytes()
    for text, message in NO_PLACE.items():
        (folder / "in.json").write_text(text)
        done = run(folder, "convert", "in.json", "out.npz")
        expect(text, (2, f"safestructures: out.npz: {message}\n"), (done.returncode, done.stderr))
        expect(f"{text}: the old file", before, (folder / "out.npz").read_bytes())
    plain = {"a": np.arange(2), "a.b": np.arange(3)}
    safestructures.save_file({"a": {"b": np.arange(4)}}, folder / "in.safetensors")
    header, tensors = notation.read_container(folder / "in.safetensors")
    expect("the tensor's name", ["0"], list(tensors))
    save_file({**plain, "0": np.arange(4)}, folder / "beside.safetensors", metadata=header)
    done = run(folder, "convert", "beside.safetensors", "out.npz")
    message = f"safestructures: out.npz: at a.b: {TWICE.format('a.b')}\n"
    expect("a tensor beside the structure", (2, message), (done.returncode, done.stderr))


def check_scalars(folder):
    """Numbers and truth values are arrays without dimensions, whatever was in their memory before."""
    folder = pathlib.Path(folder)
    (folder / "in.json").write_text('{"yes": true, "no": false, "half": 0.5, "most": 18446744073709551615, "few": -3}')
    done = run(folder, "convert", "in.json", "scalars.npz", env={**os.environ, "MALLOC_PERTURB_": "85"})
    expect("scalars", (0, ""), (done.returncode, done.stderr))
    with np.load(folder / "scalars.npz") as loaded:
        found = {name: (loaded[name].dtype.name, loaded[name].shape, loaded[name].item()) for name in loaded.files}
    expected = {"yes": ("bool", (), True), "no": ("bool", (), False), "half": ("float64", (), 0.5)}
    expected |= {"most": ("uint64", (), 2**64 - 1), "few": ("int64", (), -3)}
    expect("what NumPy reads", expected, found)


def check_names(folder):
    """An empty name is one, and what is in the keys of a dict is no array."""
    folder = pathlib.Path(folder)
    np.savez(folder / "e.npz", **{"": np.arange(3), "tensor": np.arange(4)})
    done = run(folder, "convert", "e.npz", "e.npz")
    expect("an empty name", (0, ""), (done.returncode, done.stderr))
    with np.load(folder / "e.npz") as loaded:
        expect("an empty name: names", ["", "tensor"], sorted(loaded.files))
        expect("an empty name: arrays", [3, 4], [len(loaded[name]) for name in ("", "tensor")])
    expect("an empty name: verify", 0, run(folder, "verify", "e.npz").returncode)
    for text, names in {
        '{"$tensor": "F32", "shape": [2], "data": [1, 2]}': ["tensor"],
        '{"k": {"$dict": [[{"$tuple": [1, 2]}, 3]]}}': ["k.(1, 2)"],
        '{"$dict": [[{"$tuple": ["text", null]}, {"": 1}]]}': ["('text', None)."],
        '{"s": {"$struct": "A", "x": 1, "$attributes": {"class_version": 2}}}': ["s.x"],
        '{"$struct": "A", "kind": {"$tensor": "U8", "$attributes": {"names": {"car": 0}}, "shape": [1], "data": [0]},'
        ' "$attributes": {"columns": 1}}': ["kind"],
    }.items():
        (folder / "in.json").write_text(text)
        done = run(folder, "convert", "in.json", "named.npz")
        expect(text, (0, ""), (done.returncode, done.stderr))
        with np.load(folder / "named.npz") as loaded:
            expect(f"{text}: names", names, loaded.files)


def archive(name="a.npy", content=None, method=zipfile.ZIP_STORED):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", method) as zipped:
        zipped.writestr(name, npy() if content is None else content)
    return bytearray(memory.getvalue())


def npy(descr="'<f4'", shape="(2,)", data=b"\0" * 8, extra="", version=1):
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, {extra}}}".encode()
    size = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + data


def literals():
    """Headers of an array of two numbers, each with its version, near those that NumPy writes."""
    for version in ((1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 2), (0, 0), (4, 0)):
        yield version, LITERAL.format("(2,)")
    for shape in (
        "(2L,)", "(1L, 2L)", "(1L,2)", "(2l,)", "(2LL,)", "(L,)", "(2)", "(2L)", "(1, 2)", "(1, 2,)", "(2,,)", "(,)",
        "(02,)", "(1, 02)", "(2 ,)", "( 2, )", "(\n2,\t1\r\n)", "(2,\v)", "[2]", "(2.0,)", "(2;)",
    ):  # fmt: skip
        for version in ((1, 0), (2, 0), (3, 0)):
            yield version, LITERAL.format(shape)
    for behind in (" ", "\n", "  \t \n", "\r\n", ";", "\0", "\n\0", " x", "\n1", ",", "}", "{}"):
        yield (1, 0), LITERAL.format("(2,)") + behind
    for blank in "\n\t\r\v\0":
        yield (1, 0), LITERAL.format("(2,)").replace(" ", blank)


LITERAL = "{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}"


def numpy_shape(data):
    """The shape of the array, or None where NumPy refuses it."""
    try:
        with warnings.catch_warnings(action="ignore"):  # Of files that Python 2 wrote.
            return list(np.load(io.BytesIO(data)).shape)
    except (ValueError, SyntaxError, tokenize.TokenError):
        return None


def check_literals(folder):
    """What NumPy reads of headers is read, what it refuses is refused."""
    folder = pathlib.Path(folder)
    seen = set()
    for (major, minor), literal in literals():
        header = literal.encode()
        size = struct.pack("<H" if major == 1 else "<I", len(header))
        array = b"\x93NUMPY" + bytes([major, minor]) + size + header + bytes(8)
        (folder / "a.npz").write_bytes(archive(content=array))
        done = run(folder, "show", "--json", "a.npz")
        shape = json.loads(done.stdout)["tensors"]["a"]["shape"] if done.returncode == 0 else None
        expect(f"version {major}.{minor}, {literal!r}", numpy_shape(array), shape)
        seen.add(shape is None)
    expect("some are read, some refused", {True, False}, seen)


def with_field(data, signature, offset, text):
    """The archive with other bytes in its last record of that signature."""
    place = data.rfind(signature) + offset
    data[place : place + len(text)] = text
    return data


DIRECTORY = b"PK\1\2"
END = b"PK\5\6"


def hostile():
    damaged = archive()
    damaged[60] ^= 1
    yield "a changed byte", damaged, "at a.npy: the bytes of a file in the archive are not those that were saved"
    yield "a cut file", archive()[:-30], "the archive has no end record"
    yield "no archive", bytearray(b"PK\3\4"), "the file is too short for a ZIP archive"
    yield (
        "a stored size that lies",
        with_field(archive(), DIRECTORY, 24, struct.pack("<I", 1 << 30)),
        "at a.npy: a file in the archive announces more than its bytes can hold",
    )
    bomb = archive(content=b"\0" * 100_000, method=zipfile.ZIP_DEFLATED)
    yield (
        "more than deflate can make",
        with_field(bomb, DIRECTORY, 24, struct.pack("<I", 0xFFFFFFF0)),
        "at a.npy: a file in the archive announces more than its bytes can hold",
    )
    lying = archive(content=npy() + b"\0" * 1000, method=zipfile.ZIP_DEFLATED)
    yield (
        "a deflated size that lies",
        with_field(lying, DIRECTORY, 24, struct.pack("<I", 500)),
        "at a.npy: a file in the archive does not expand to the size that it announces",
    )
    yield (
        "a count that lies",
        with_field(archive(), END, 10, struct.pack("<H", 60000)),
        "the archive announces more files than it has room for",
    )
    yield (
        "a directory elsewhere",
        with_field(archive(), END, 16, struct.pack("<I", 3)),
        "the archive is damaged: there is no directory record where one should be",
    )
    yield (
        "a directory beyond the end",
        with_field(archive(), END, 16, struct.pack("<I", 0x7FFFFFFF)),
        "the archive ends inside a record",
    )
    yield (
        "encryption",
        with_field(archive(), DIRECTORY, 8, b"\1"),
        "at a.npy: a file in the archive is encrypted",
    )
    yield (
        "another method",
        archive(method=zipfile.ZIP_BZIP2),
        "at a.npy: a file in the archive has an unsupported compression method",
    )
    # Of 300 KB; each file alone would be within what gzip may be.
    half = npy("'|u1'", f"({1 << 27},)", bytes(1 << 27))
    far = io.BytesIO()
    with zipfile.ZipFile(far, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in ("a.npy", "b.npy"):
            zipped.writestr(name, half)
    yield (
        "more than packed files may be",
        far.getvalue(),
        f"a compressed file is too large when unpacked: expected at most {1 << 28} bytes (Limits::expansion), found more in"
        f" {len(far.getvalue())}. Raise the limit if you trust the file.",
    )
    two = io.BytesIO()
    with zipfile.ZipFile(two, "w") as zipped:
        zipped.writestr("a.npy", npy())
        zipped.writestr("b.npy", npy())
    twice = bytearray(two.getvalue())
    place = twice.rfind(DIRECTORY)
    header = struct.unpack_from("<I", twice, twice.find(DIRECTORY) + 42)[0]
    twice[place + 42 : place + 46] = struct.pack("<I", header)
    twice[place + 46] = ord("a")
    yield "one name twice", twice, "at a.npy: the archive holds two files with the same name"
    overlapping = bytearray(two.getvalue())
    struct.pack_into("<I", overlapping, overlapping.find(DIRECTORY) + 20, 60 + len(npy()))
    struct.pack_into("<I", overlapping, overlapping.find(DIRECTORY) + 24, 60 + len(npy()))
    yield "overlaps", overlapping, "files in the archive overlap"
    yield "no array", archive("notes.txt"), "at notes.txt: the archive holds a file that is not an array"
    yield "not UTF-8", archive("\u00fc.npy"), None
    yield "no .npy", archive(content=b"text of some length"), "at a: this is not a .npy file"
    yield (
        "a new version",
        archive(content=npy(version=9)),
        "at a: a .npy file has an unknown version: expected 1.0, 2.0 or 3.0, found 9.0.",
    )
    yield (
        "objects",
        archive(content=npy("'|O'")),
        "at a: an array has an unsupported dtype: expected bools, integers, floats of up to 64 bits,"
        " complex of 64 bits, found '|O'. These are pickled objects, which can run code",
    )
    yield "text", archive(content=npy("'<U4'")), "at a: an array has an unsupported dtype"
    yield "records", archive(content=npy("[('x', '<f4')]")), "at a: structured arrays are not arrays of numbers"
    yield "a huge shape", archive(content=npy(shape="(4294967296, 4294967296)")), "at a: "
    yield "another shape", archive(content=npy(shape="(3,)")), "at a: "
    yield "a negative shape", archive(content=npy(shape="(-1,)")), "at a: the header of an array"
    yield "many dimensions", archive(content=npy(shape="(" + "1, " * 65 + ")")), "at a: an array has too many"
    yield "a shape that is no tuple", archive(content=npy(shape="(2)")), "at a: the header of an array"
    yield "code", archive(content=npy(extra="'x': __import__('os'), ")), "at a: the header of an array"
    yield "a cut header", archive(content=npy()[:14]), "at a: a .npy file ends inside its header"
    long = b"\x93NUMPY\2\0" + struct.pack("<I", 1 << 31)
    yield "a long header", archive(content=long + b" " * 9), "at a: the header of an array is too long"


def check_hostile(folder):
    folder = pathlib.Path(folder)
    for name, data, message in hostile():
        (folder / "bad.npz").write_bytes(data)
        done = run(folder, "verify", "bad.npz")
        if message is None:
            expect(name, 0, done.returncode)
            continue
        expect(name, 1, done.returncode)
        expect(f"{name}: the message", f"safestructures: bad.npz: {message}", done.stderr[: 25 + len(message)])


def check_damage(folder):
    """No byte of an archive can be changed so that reading ends in anything but an answer."""
    folder = pathlib.Path(folder)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        whole = archive(method=method)
        for place in range(0, len(whole), 3):
            damaged = bytearray(whole)
            damaged[place] ^= 0xFF
            (folder / "bad.npz").write_bytes(damaged)
            done = run(folder, "verify", "bad.npz")
            expect(f"{method}: byte {place}", True, done.returncode in (0, 1))


run_checks(
    check_read,
    check_write,
    check_no_place,
    check_scalars,
    check_names,
    check_literals,
    check_hostile,
    check_damage,
)
