"""Writes minifloats.bin, the oracle of minifloat_test.cpp and convert_test.cpp.

    python make_minifloat_tables.py        (needs numpy and ml_dtypes; takes seconds)

All little endian, one section after the other:
  1. for each format of FORMATS, the float32 of every code, in the order of the codes;
  2. uint64 n, then n float64: numbers at and next to what decides rounding;
  3. for each format of FORMATS, the n codes that these numbers round to.
A code takes 2 bytes for F16 and BF16, else 1. Beyond the largest number stands infinity, else NaN,
else the largest number.

The codes come from rounding by table in exact arithmetic (halves of neighbours are exact in
float64). NumPy and ml_dtypes must agree: on all numbers for F16, and on all numbers that are
float32 for the others, as ml_dtypes may go from float64 through float32, which rounds twice. Left
out is F8_E8M0 between its two smallest numbers, where ml_dtypes 0.5.4 always rounds up.
"""

import pathlib

import ml_dtypes
import numpy as np

FORMATS = [  # name, type, bits
    ("F16", np.float16, 16),
    ("BF16", ml_dtypes.bfloat16, 16),
    ("F8_E5M2", ml_dtypes.float8_e5m2, 8),
    ("F8_E4M3", ml_dtypes.float8_e4m3fn, 8),
    ("F8_E8M0", ml_dtypes.float8_e8m0fnu, 8),
    ("F8_E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, 8),
    ("F8_E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, 8),
    ("F4", ml_dtypes.float4_e2m1fn, 4),
    ("F6_E2M3", ml_dtypes.float6_e2m3fn, 6),
    ("F6_E3M2", ml_dtypes.float6_e3m2fn, 6),
]


def code_type(bits):
    return np.uint16 if bits > 8 else np.uint8


def all_numbers(dtype, bits):
    codes = np.arange(1 << bits, dtype=code_type(bits))
    return codes.view(dtype).astype(np.float32)


def magnitudes(table):
    """The finite numbers from zero up (codes from 0 up), as float64."""
    numbers = table[: len(table) // 2 if (table < 0).any() else None].astype(np.float64)
    return numbers[: np.argmin(np.isfinite(numbers))] if not np.isfinite(numbers).all() else numbers


def round_by_table(name, table, values):
    grid = magnitudes(table)
    last = len(grid) - 1
    step = grid[last] - grid[last - 1] if name != "F8_E8M0" else grid[last]
    grid = np.append(grid, grid[last] + step)  # what would follow decides when to overflow
    size = np.abs(values)
    below = np.clip(np.searchsorted(grid, size, side="right") - 1, 0, len(grid) - 2)
    middle = (grid[below] + grid[below + 1]) / 2
    up = (size > middle) | ((size == middle) & ((below % 2 == 1) | (name == "F8_E8M0")))
    code = np.where(size > grid[-1], last + 1, below + up)
    sign_bit = len(table) // 2
    negative = np.signbit(values)
    if name == "F8_E8M0":
        code = np.where((values > 0) & (code <= last), code, 0xFF)
        return np.where(np.isnan(values), 0xFF, code)
    if "FNUZ" in name:
        over = np.full_like(code, sign_bit)
        return np.where(code > last, over, np.where(negative & (code > 0), code + sign_bit, code))
    if name in ("F16", "BF16", "F8_E5M2"):
        code = np.minimum(code, last + 1)  # the code after the largest number is infinity
    elif name == "F8_E4M3":
        code = np.minimum(code, 0x7F)
    else:
        code = np.minimum(code, last)
    return np.where(negative, code + sign_bit, code)


def edges(tables):
    random = np.random.default_rng(20261120)
    picked = [np.array([0.0, 1.0, np.inf, 5e-324, 1e-310, 1.8e308, 2.0**-126, 2.0**-149])]
    for name, table in tables.items():
        grid = magnitudes(table)
        grid = np.append(grid, 2 * grid[-1] - grid[-2] if name != "F8_E8M0" else 2 * grid[-1])
        middle = (grid[:-1] + grid[1:]) / 2
        if len(middle) > 300:  # all near zero and the limit, a sample of the others
            sample = random.choice(len(middle), 160, replace=False)
            keep = np.concatenate([np.arange(20), sample, np.arange(len(middle) - 20, len(middle))])
            middle, grid = middle[np.unique(keep)], grid[np.unique(keep)]
        single = middle.astype(np.float32)
        with np.errstate(over="ignore"):
            picked += [grid, middle, np.nextafter(middle, 0), np.nextafter(middle, np.inf)]
            picked += [np.nextafter(single, np.float32(0)).astype(np.float64)]
            picked += [np.nextafter(single, np.float32(np.inf)).astype(np.float64)]
    picked += [np.exp2(random.uniform(-160, 135, 2000)), np.exp2(random.uniform(-12, 12, 2000))]
    picked += [np.exp2(random.uniform(-30, 20, 1000)).astype(np.float32).astype(np.float64)]
    numbers = np.unique(np.concatenate(picked))
    return np.concatenate([numbers, -numbers])


def main():
    tables = {name: all_numbers(dtype, bits) for name, dtype, bits in FORMATS}
    values = edges(tables)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        single = values.astype(np.float32)
        is_single = single.astype(np.float64) == values
        sections = [table.astype("<f4").tobytes() for table in tables.values()]
        sections += [np.array(len(values), "<u8").tobytes(), values.astype("<f8").tobytes()]
        for name, dtype, bits in FORMATS:
            codes = round_by_table(name, tables[name], values).astype(code_type(bits))
            checked = np.full(len(values), True) if name == "F16" else is_single
            if name == "F8_E8M0":
                checked = checked & ((values <= 2.0**-127) | (values >= 2.0**-126))
            source = values if name == "F16" else single
            oracle = source[checked].astype(dtype)
            ours = tables[name][codes[checked]]
            theirs = oracle.astype(np.float32)
            same = (ours == theirs) & (np.signbit(ours) == np.signbit(theirs))
            same |= np.isnan(ours) & np.isnan(theirs)
            assert same.all(), (name, source[checked][~same][:8], ours[~same][:8], theirs[~same][:8])
            sections.append(codes.tobytes())
    target = pathlib.Path(__file__).with_name("minifloats.bin")
    target.write_bytes(b"".join(sections))
    print(f"{target}: {len(values)} numbers, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
