#!/usr/bin/env python3
"""Compares recordings of many sizes and numbers of records, and writes SWEEP_RECORDS.md.

As sweep.py measures: every measurement is a process of its own, repetitions are interleaved and their
order rotates, figures are medians. What counts is the ratio to reading all bytes of both recordings
with read(), by one thread: into huge pages, which is the harder limit, and into the memory that a
program gets for so many bytes.
"""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys

import machine
from report import records_text, table as markdown_table
from run import ROOT, remove
from sweep import run

KIB, MIB = 1 << 10, 1 << 20
ASKED = 1.3
ACTIONS = ("read", "read_plainly", "equal", "different")
# What is measured of floats alone: what none can do without, on one thread and on two.
LEAST = ("least", "least_at_once")
REPETITIONS = 9
QUICK = 5
NEEDED_DISK = 3 << 30
# (bytes of a record as F32, records, dtype that is kept). Sizes on both sides of every bound of the
# code, and some that nothing was tuned at.
NUMBERS = [(256, count, "f32") for count in (100, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)]
SIZES = [
    (32, 100_000, "f32"),
    (128, 100_000, "f32"),
    (300, 100_000, "f32"),
    (512, 100_000, "f32"),
    (KIB, 60_000, "f32"),
    (2560, 25_000, "f32"),
    (4 * KIB, 16_000, "f32"),
    (4504, 16_000, "f32"),
    (8 * KIB, 8000, "f32"),
    (12_000, 6000, "f32"),
    (16 * KIB, 4000, "f32"),
    (16 * KIB + 4, 4000, "f32"),
    (32 * KIB, 4000, "f32"),
    (64 * KIB, 2000, "f32"),
    (96_000, 1500, "f32"),
    (160 * KIB, 800, "f32"),
    (255 * KIB, 500, "f32"),
    (257 * KIB, 500, "f32"),
    (600_000, 300, "f32"),
    (MIB, 200, "f32"),
    (3 * MIB, 80, "f32"),
]
HALVES = [(512, 50_000, "f16"), (4 * KIB, 16_000, "f16"), (32 * KIB, 4000, "f16"), (MIB, 200, "f16")]


def measure(program, folder, case, repetitions):
    """Medians in ns by action."""
    size, count, dtype = case

    def act(action):
        return run([str(word) for word in (program, action, folder, size, count, dtype)])["ns"]

    remove(folder)
    act("prepare")
    actions = ACTIONS + LEAST if dtype == "f32" else ACTIONS
    times = {action: [] for action in actions}
    for repetition in range(repetitions):
        turn = repetition % len(actions)
        for action in actions[turn:] + actions[:turn]:
            times[action].append(act(action))
    remove(folder)
    return {action: statistics.median(found) for action, found in times.items()}


def row(case, found):
    size, count, dtype = case

    def beside(action, reading="read"):
        ratio = found[action] / found[reading]
        return f"**{ratio:.2f}**" if ratio > ASKED else f"{ratio:.2f}"

    least = [found[action] / found["read"] for action in LEAST if action in found]

    # As F16 they take half of that.
    stored = size if dtype == "f32" else size // 2
    what = records_text(count, stored) + ("" if dtype == "f32" else ", F16")
    times = [f"{found[action] / 1e6:.2f} ms" for action in ACTIONS]
    plainly = [beside(action, "read_plainly") for action in ("equal", "different")]
    return [what, *times, *plainly, beside("equal"), beside("different"), f"{min(least):.2f}" if least else "-"]


def write(file, tables, description, repetitions):
    head = ["records", "read, huge pages", "read plainly", "equal", "different"]
    head += ["equal / plainly", "different / plainly", "equal / huge", "different / huge", "least / huge"]
    parts = "\n\n".join(f"## {name}\n\n{markdown_table(head, rows)}" for name, rows in tables)
    file.write_text(f"""# Sweep over recordings that are compared

Written by `./dev bench records`. Two recordings of 100 layers, opened, compared, told of in a
table and closed, as `safestructures diff` does: medians of {repetitions} repetitions in turn, each a process
of its own that compared two small recordings before. Where they differ, the layers of the second
half do, by noise of 1 %. What it is measured beside is `read()` of all files of both, by one
thread: plainly, into the memory that a program gets for so many bytes (`new`), and into huge pages,
which nobody has without asking for them, but costs no first touch of each 4 KiB. Asked: at most
{ASKED}; what misses is bold.

`least` is what none can do without where half of the records differ (`least.cpp`): their bytes read in
pieces that stay in the cache, the largest difference and three sums, and as much written to fresh
memory as our rows and metrics take, on one thread or on two, whichever is faster.

{parts}

{markdown_table(["", "machine"], [[name, value] for name, value in description])}
""")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} repetitions, not {REPETITIONS}")
    parser.add_argument("--sizes", help="some sizes in bytes alone, such as 256,4096; written into the folder")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/side_by_side/sweep_records")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(arguments.folder).free < NEEDED_DISK:
        sys.exit(f"{arguments.folder} needs {NEEDED_DISK >> 30} GiB of free space")
    sizes = {int(size) for size in arguments.sizes.split(",")} if arguments.sizes else None
    repetitions = QUICK if arguments.quick else REPETITIONS
    description = machine.describe(arguments.folder, {})
    tables = []
    for name, cases in (("Numbers of records", NUMBERS), ("Sizes of records", SIZES), ("Kept as F16", HALVES)):
        rows = []
        for case in cases:
            if sizes is not None and case[0] not in sizes:
                continue
            rows.append(row(case, measure(arguments.program.resolve(), arguments.folder / "records", case, repetitions)))
            print("  ".join(rows[-1]), flush=True)
        if rows:
            tables.append((name, rows))
    output = (ROOT / "benchmarks" if sizes is None else arguments.folder) / "SWEEP_RECORDS.md"
    write(output, tables, description, repetitions)
    print(f"written to {output}")


if __name__ == "__main__":
    main()
