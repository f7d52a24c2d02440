"""Headers near the grammar are read where Python's safetensors reads them, and refused where it
refuses them, but for the differences that docs/format.md names."""

import itertools
import os
import pathlib
import random
import re
import struct
import subprocess

import safetensors

RANDOM_HEADERS = 30_000
READER = pathlib.Path(os.environ["SAFESTRUCTURES_BIN"]) / "interop" / "read_containers"
# What this library refuses and Python does not.
STRICTER = re.compile(
    r'"__metadata__" holds the key .* twice'
    r"|two tensors have the same name"
    r"|the tensor is not described by an object: .* found \["
    r"|the shape is too large: .* sizes of 0 not counted"
    r'|"dtype" is not a string: .* found \{'
)
# What Python refuses and this library does not.
LAXER = "recursion limit exceeded"

METADATA = (
    '"__metadata__":{"k":"v"}',
    '"__metadata__":{}',
    '"__metadata__":null',
    '"\\u005f_metadata__":{"k":"v"}',
    '"__metadata__":{"dtype":"U8","shape":"[]","data_offsets":"[0,0]"}',
    '"__metadata__":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}',
    '"__metadata__":{"k":"v","k":"w"}',
    '"__metadata__":{"k":1}',
    '"__metadata__":[]',
)
USUAL_DTYPE = '"U8"'
DTYPES = ('"u8"', '"F32"', '"F4"', '"BOOL"', '"\\u00558"', '"I8"', '{"U8":null}', '{"u8":null}', '{"U8":1}', "null")
SHAPES = (
    "[]", "[-1]", "[1.0]", "[1e0]", "[01]", "[+1]", "[null]", '"1"', "{}", "[1,]", "[-0]",
    "[18446744073709551616]", "[18446744073709551615,0]", "[0,18446744073709551615,4]",
    "[00000000000000000001]", "[0,9223372036854775807,2]", "[18446744073709551615,2,0]",
)  # fmt: skip
OFFSETS = ("[0]", "[0,1,2]", "[-0,1]", "[0.0,1]", "{}", "null", '["0",1]', "[1,0]",
           "[18446744073709551616,18446744073709551616]", "[36893488147419103232,1]",
           "[00,1]")  # fmt: skip
FIELDS = (
    '"x":1', '"x":{"y":[1,-2.5e3,"\\u0041",null]}', '"x":1e999', '"x":-0', '"x":tru',
    '"x":"\\ud800"', '"x":"\x7f"', '"x":"\x1f"', '"dtype":"U8"', '"shape":[1]', '"sh\\u0061pe":[1]',
    '"x":123456789012345678901234567890', '"":null', '"x":' + "[" * 125 + "]" * 125, '"x":' + "[" * 126 + "]" * 126,
)  # fmt: skip
INSERTED = (" ", "\n", "\t", "\r", "  ") * 3 + ("\x0b", "\x0c", "\xa0", "\0", ",", "\ufeff", "}")


def container(header, data_size):
    header = header.encode()
    return struct.pack("<Q", len(header)) + header + bytes(data_size)


def tensor(rng, name, begin, size):
    def usual(text, others):
        return text if rng.random() < 0.93 else rng.choice(others)

    fields = [
        f'"dtype":{usual(USUAL_DTYPE, DTYPES)}',
        f'"shape":{usual(f"[{size}]", SHAPES)}',
        f'"data_offsets":{usual(f"[{begin},{begin + size}]", OFFSETS)}',
    ]
    if rng.random() < 0.3:
        rng.shuffle(fields)
    if rng.random() < 0.1:
        fields.insert(rng.randrange(4), rng.choice(FIELDS))
    if rng.random() < 0.04:
        fields.pop(rng.randrange(len(fields)))
    if rng.random() < 0.03:
        return f'"{name}":[' + ",".join(field.split(":", 1)[1] for field in fields) + "]"
    return f'"{name}":{{' + ",".join(fields) + "}"


def random_container(rng):
    """The container, and whether a tensor's name is there twice: Python then looks at the last."""
    members, names, end = [], [], 0
    for number in range(rng.choice((0, 1, 1, 2, 2, 3))):
        name = rng.choice(("a", "b", "", "\xe9", "\\u0061", "__metadata_", "a\\nb"))
        name = name if rng.random() < 0.3 else "xyz"[number]
        size = rng.choice((0, 1, 1, 3))
        members.append(tensor(rng, name, end, size))
        names.append(name.replace("\\u0061", "a"))
        end += size
    for _ in range(rng.choice((0, 0, 1, 1, 1, 2))):
        some = METADATA[:2] if rng.random() < 0.7 else METADATA
        members.insert(rng.randrange(len(members) + 1), rng.choice(some))
    if rng.random() < 0.3:
        rng.shuffle(members)
    header = "{" + ",".join(members) + "}"
    for _ in range(rng.choice((0, 0, 0, 0, 1, 1, 2))):
        at = rng.randrange(len(header) + 1)
        header = header[:at] + rng.choice(INSERTED) + header[at:]
    if rng.random() < 0.03:
        header += rng.choice(("{}", " x", "\0", " \n\t\r"))
    return container(header, end + (rng.random() < 0.02)), len(set(names)) < len(names)


def every_order():
    """Every sequence of up to four of these members, once with a blank at each place."""
    members = (
        '"__metadata__":{"k":"v"}',
        '"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}',
        '"b":{"shape":[],"dtype":"U8","data_offsets":[1,2]}',
        '"__metadata__":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}',
    )
    for count in range(5):
        for chosen in itertools.product(members, repeat=count):
            is_twice = any(chosen.count(member) > 1 for member in members[1:3])
            yield container("{" + ",".join(chosen) + "}", 2), is_twice
    header = "{" + ",".join(members[:3]) + "}"
    for at in range(len(header) + 1):
        for blank in " \t\n\r\x0b\0":
            yield container(header[:at] + blank + header[at:], 2), False


def python_refusal(data):
    try:
        safetensors.deserialize(data)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the Rust code does not derive from Exception
        return str(error) or repr(error)
    return None


def main():
    seed = int(os.environ.get("SAFESTRUCTURES_SEED", random.SystemRandom().randrange(10**9)))
    print(f"seed {seed} (SAFESTRUCTURES_SEED repeats it)")
    rng = random.Random(seed)
    family = [*every_order(), *(random_container(rng) for _ in range(RANDOM_HEADERS))]
    files = b"".join(struct.pack("<Q", len(data)) + data for data, _ in family)
    done = subprocess.run([READER], input=files, capture_output=True, check=True, timeout=120)
    verdicts = done.stdout.decode("utf-8", "replace").split("\n")[:-1]
    assert len(verdicts) == len(family), (len(verdicts), len(family))
    counts, failures = {}, 0
    for (data, is_twice), verdict in zip(family, verdicts):
        refusal = python_refusal(data)
        if bool(refusal) == bool(verdict):
            outcome = "refused by both" if refusal else "read by both"
        elif verdict and (is_twice or STRICTER.search(verdict)):
            outcome = "refused only here, as documented"
        elif refusal and LAXER in refusal:
            outcome = "read only here, as documented"
        else:
            outcome = "different"
            failures += 1
            print(f"FAIL {data[8:]!r}\n  Python: {refusal or 'read'}\n  here: {verdict or 'read'}")
        counts[outcome] = counts.get(outcome, 0) + 1
    print(counts)
    if counts.get("read by both", 0) < RANDOM_HEADERS // 10:
        failures += 1
        print("FAIL too few headers were good")
    return min(failures, 1)


raise SystemExit(main())
