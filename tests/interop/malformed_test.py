"""Nothing that Python's safetensors refuses is accepted by `verify`: the family of malformed
containers (tests/malformed), and golden files with random damage."""

import os
import pathlib
import random
import subprocess
import tempfile

import check_malformed
import checks

DAMAGED_FILES = 600


def damaged(data, rng):
    """The bytes with a few of them changed, most of the time in the header."""
    data = bytearray(data)
    header = min(8 + int.from_bytes(data[:8], "little"), len(data))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(header if rng.random() < 0.9 else len(data))
        kind = rng.randrange(5)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.choice(b'"\\{}[],:0123456789- eE.\x00\xff')
        elif kind == 2:
            del data[at : at + rng.randrange(1, 4)]
        elif kind == 3:
            data[at:at] = data[at : at + rng.randrange(1, 8)]
        else:
            del data[rng.randrange(len(data)) :]
        if len(data) < 9:
            break
        if kind in (2, 3, 4) and rng.random() < 0.7:
            # The length put right, so that more than the length is wrong.
            end = data.rfind(b"}", 0, header + 8)
            data[:8] = max(end + 1 - 8, 0).to_bytes(8, "little")
        header = min(header, len(data))
    return bytes(data)


def write_damaged(folder, seed):
    rng = random.Random(seed)
    good = [p.read_bytes() for p in sorted(checks.GOLDEN.glob("*.safetensors"))]
    good = [data for data in good if len(data) < 4000]
    for number in range(DAMAGED_FILES):
        (folder / f"damaged_{number:04}.safetensors").write_bytes(damaged(rng.choice(good), rng))


seed = int(os.environ.get("SAFESTRUCTURES_SEED", random.SystemRandom().randrange(10**9)))
print(f"seed {seed} (SAFESTRUCTURES_SEED repeats it)")
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    writer = pathlib.Path(os.environ["SAFESTRUCTURES_BIN"]) / "interop" / "write_malformed"
    subprocess.run([writer, folder], check=True)
    write_damaged(folder, seed)
    checks.run_check(check_malformed, checks.cli(), folder)
