#!/usr/bin/env python3
"""Records many numbers and sizes of records, and writes SWEEP_RECORDING.md.

As sweep.py measures: every measurement is a process of its own, repetitions are interleaved and their
order rotates, figures are medians.
"""

import argparse
import pathlib
import shutil
import statistics
import sys

import machine
from report import records_text, table as markdown_table
from run import ROOT, remove
from sweep import run

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
# (bytes of a record, records). Those of 256 B, 64 KiB and 4 MiB are what is asked for, the others are
# between them.
CASES = [
    (256, 1000),
    (256, 3000),
    (256, 10_000),
    (256, 30_000),
    (256, 100_000),
    (4 * KIB, 10_000),
    (12_000, 5000),
    (64 * KIB, 1000),
    (64 * KIB, 10_000),
    (64 * KIB, 100_000),
    (4 * MIB, 100),
    (4 * MIB, 500),
    (4 * MIB, 1000),
]
# Measured once, as each takes minutes: what is written no longer fits into the part of memory that may
# wait for the disk.
ONCE_FROM = 3 * GIB
REPETITIONS = 7
QUICK = 3
# What is over in milliseconds is disturbed by little, and measured as often at all times.
ALWAYS_BELOW = 64 * MIB
# In memory at once: what is recorded, the queue, the page cache.
COPIES_IN_MEMORY = 3
PEERS = {"hdf5": "HDF5, a dataset a call", "npy": "npy, a file a call", "cereal": "cereal, one stream"}
RECORDING = ("copy", "hot_path", "write", "record", "record_within_memory", "write_given", "record_moved")
READING = ("open", "find")
IN_TURN = (*RECORDING, *READING, *(peer for peer in PEERS if peer != "npy"))
MOST_BESIDE_COPY = 1.5
BESIDE_COPY_FROM = 64 * KIB
MOST_NS = 1000
NS_UP_TO = 256
LEAST_BESIDE_WRITE = 0.9


def act(binaries, action, where, case):
    size, count = case
    if action in PEERS:
        words = (binaries / "recorders", action, where, count, size)
    else:
        words = (binaries / "sweep_records", action, where, size, count, "f32")
    return run([str(word) for word in words])


def measure(binaries, folder, case, repetitions):
    """Medians by action or peer: {"ns": ..., "peak": ...}; all but npy."""
    size, count = case
    written, fresh = folder / "written", folder / "fresh"
    if size * count >= ONCE_FROM:
        repetitions = 1
    elif size * count < ALWAYS_BELOW:
        repetitions = REPETITIONS
    remove(written)
    act(binaries, "record", written, case)
    found = {action: [] for action in IN_TURN}
    for repetition in range(repetitions):
        turn = repetition % len(IN_TURN)
        for action in IN_TURN[turn:] + IN_TURN[:turn]:
            found[action].append(act(binaries, action, written if action in READING else fresh, case))
            remove(fresh)
    remove(written)
    return {
        action: {key: statistics.median(one[key] for one in all_of) for key in ("ns", "peak")}
        for action, all_of in found.items()
    }


def measure_npy(binaries, folder, cases):
    """A file a call, once, after all else, and removed at the end: ext4 without a journal gives no inode
    again for some minutes, and making a file among thousands that were removed takes 0.6 ms for 0.02."""
    found = {case: act(binaries, "npy", folder / "-".join(("npy", *map(str, case))), case) for case in cases}
    remove(folder / "npy")
    return found


def bold(text, is_missed):
    return f"**{text}**" if is_missed else text


def rows_of(case, found):
    """A row of each table."""
    size, count = case
    name = records_text(count, size) + (", once" if size * count >= ONCE_FROM else "")

    def ms(action):
        return f"{found[action]['ns'] / 1e6:,.2f} ms"

    def ratio(action, other):
        return found[action]["ns"] / found[other]["ns"]

    beside_copy = ratio("hot_path", "copy")
    each = found["hot_path"]["ns"] / count
    beside_write = ratio("write_given", "record_moved")
    return (
        [
            name,
            ms("copy"),
            ms("hot_path"),
            bold(f"{beside_copy:.2f}", size >= BESIDE_COPY_FROM and beside_copy > MOST_BESIDE_COPY),
            bold(f"{each:,.0f} ns", size <= NS_UP_TO and each >= MOST_NS),
        ],
        [
            name,
            ms("write_given"),
            ms("record_moved"),
            bold(f"{beside_write:.2f}", beside_write < LEAST_BESIDE_WRITE),
        ],
        [
            name,
            ms("write"),
            ms("record"),
            ms("record_within_memory"),
            f"{found['record_within_memory']['peak'] / MIB:,.0f} MiB",
            *(f"{ratio(peer, 'record_within_memory'):.2f}" for peer in PEERS),
        ],
        [name, ms("open"), f"{found['find']['ns'] / 1e3:,.1f} us"],
    )


TABLES = (
    (
        "What a program waits for in record()",
        f"Beside `memcpy` into fresh memory. Asked: at most {MOST_BESIDE_COPY} times that from 64 KiB on, and less\n"
        f"than {MOST_NS:,} ns a record of 256 B. The memory for records has no bound here.",
        ["records", "memcpy", "record()", "record() / memcpy", "a record"],
    ),
    (
        "The writer alone",
        "Records are moved in; beside that each is written by one `write()`, and freed. Asked: at least\n"
        f"{LEAST_BESIDE_WRITE} of its speed.",
        ["records", "write() and free()", "ours", "speed beside write()"],
    ),
    (
        "Until all is in the files",
        "Records are copied, into memory without a bound and into the 256 MiB of the default, where the\n"
        "memory held is told of. Peers are told of in times of the default.",
        ["records", "write()", "no bound", "default", "memory held", *PEERS.values()],
    ),
    (
        "Opening, and finding one",
        "One record is found by its name and step, and read.",
        ["records", "open", "find"],
    ),
)


def write(file, tables, left_out, description, repetitions):
    parts = "\n\n".join(
        f"## {title}\n\n{text}\n\n{markdown_table(head, rows)}"
        for (title, text, head), rows in zip(TABLES, tables)
    )
    if left_out:
        parts += f"\n\nNot measured, for want of memory: {', '.join(left_out)}."
    file.write_text(f"""# Sweep over recordings that are made

Written by `./dev bench recording`. Records of 100 layers, medians of {repetitions} repetitions in turn, each a
process of its own: below {ALWAYS_BELOW // MIB} MiB of {REPETITIONS}, from {ONCE_FROM // GIB} GiB on once, and npy once. What misses what is asked is
bold.

{parts}

{markdown_table(["", "machine"], [[name, value] for name, value in description])}
""")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} repetitions, not {REPETITIONS}")
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "build/release/bin/side_by_side")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench")
    arguments = parser.parse_args()
    binaries = arguments.binaries.resolve()
    if not (binaries / "recorders").exists():
        sys.exit("the peers are missing: libhdf5-dev, libcereal-dev")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    memory = machine.memory_bytes()
    bytes_of = {case: case[0] * case[1] for case in CASES}
    cases = [case for case in CASES if COPIES_IN_MEMORY * bytes_of[case] <= memory]
    left_out = [records_text(count, size) for size, count in CASES if (size, count) not in cases]
    needed = 3 * max(bytes_of[case] for case in cases)
    if shutil.disk_usage(arguments.folder).free < needed:
        sys.exit(f"{arguments.folder} needs {needed / GIB:.0f} GiB of free space")
    repetitions = QUICK if arguments.quick else REPETITIONS
    description = machine.describe(arguments.folder, {})
    found = {}
    for case in cases:
        found[case] = measure(binaries, arguments.folder, case, repetitions)
        times = (f"{action} {one['ns'] / 1e6:,.2f} ms" for action, one in found[case].items())
        print("  ".join([records_text(case[1], case[0]), *times]), flush=True)
    for case, npy in measure_npy(binaries, arguments.folder, cases).items():
        found[case]["npy"] = npy
    tables = zip(*(rows_of(case, found[case]) for case in cases))
    output = ROOT / "benchmarks" / "SWEEP_RECORDING.md"
    write(output, tables, left_out, description, repetitions)
    print(f"written to {output}")


if __name__ == "__main__":
    main()
