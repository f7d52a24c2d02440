#!/usr/bin/env python3
"""Saves and loads tensors of 1 KiB to 256 MiB, 512 MiB in all, and writes SWEEP.md and sweep.svg.

As run.py measures: every measurement is a process of its own, repetitions are interleaved and their
order rotates, figures are medians, and what counts is the ratio to the limit of the same size: the
system alone, with the same bytes in blocks of that size from the same allocator. What is done is
kept after every size; --resume goes on from there. Saves are compared with saves and loads with loads, so
that one kind alone can be measured --again.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

import machine
import sweep_report
from run import ROOT, compact_memory, remove, warm

KIB, MIB = 1 << 10, 1 << 20
SIZES = [KIB, 16 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB]
TOTAL = 512 * MIB
MOST_TENSORS = 100_000
REPETITIONS = 5
QUICK = 2
NEEDED_DISK = 6 << 30
DTYPES = {"f32": 4, "bf16": 2, "f16": 2, "f64": 8}
SAVED = ("vector", "column")
LIMIT_FILE = "f32-vector"
LOADED = ("vector", "row", "column", "tensor")


class Case:
    """A line of the plot. Without a dtype it is a limit, of targets with `width` bytes an element."""

    def __init__(self, action, dtype, kind, width=4):
        self.action, self.dtype, self.kind = action, dtype, kind
        self.width = DTYPES.get(dtype, width)

    @property
    def name(self):
        if self.dtype:
            return f"{self.action} {self.dtype} {self.kind}"
        return "limit of saving" if self.action == "save" else f"limit of loading, {self.width} bytes"

    @property
    def limit(self):
        """What it is compared with: the bytes of the file are the same for all saves."""
        return Case(self.action, None, None, 4 if self.action == "save" else self.width)

    @property
    def loaded_file(self):
        """A vector is a tensor of one dimension, all others load from two."""
        return f"{self.dtype}-{'vector' if self.kind == 'vector' else 'row'}"

    def command(self, binaries, folder, size, count):
        if self.dtype:
            file = folder / ("fresh" if self.action == "save" else self.loaded_file)
            words = [binaries / "sweep", self.action, self.dtype, self.kind, file, size, count]
        elif self.action == "save":
            words = [binaries / "limits", "write_blocks", folder / "fresh", size * count, size, size]
        else:
            # A file of ours is a header larger; the limit reads as much from its front.
            target = size * self.width // 4
            words = [binaries / "limits", "read_blocks", folder / LIMIT_FILE, size * count, size, target]
        return [str(word) for word in words]


def cases(names):
    found = [Case("save", dtype, kind) for dtype in DTYPES for kind in SAVED]
    found += [Case("load", dtype, kind) for dtype in DTYPES for kind in LOADED]
    return [case for case in found if not names or any(name in case.name for name in names)]


def limits(chosen):
    return list({case.limit.name: case.limit for case in chosen}.values())


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def measure_size(binaries, folder, size, chosen, repetitions, compact):
    """Figures by name: {"times": ns, "peak": bytes}."""
    count = min(TOTAL // size, MOST_TENSORS)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if compact:
        compact_memory()
    for name in {case.loaded_file for case in chosen if case.action == "load"} | {LIMIT_FILE}:
        words = (binaries / "sweep", "save", *name.split("-"), folder / name, size, count)
        run([str(word) for word in words])
    rows = chosen + limits(chosen)
    figures = {row.name: {"times": [], "peaks": []} for row in rows}
    for repetition in range(repetitions):
        turn = repetition * len(rows) // repetitions
        for row in rows[turn:] + rows[:turn]:
            if row.action == "save":
                warm([str(binaries / "limits")])
            answer = run(row.command(binaries, folder, size, count))
            figures[row.name]["times"].append(answer["ns"])
            figures[row.name]["peaks"].append(answer["peak"])
            if row.action == "save":
                remove(folder / "fresh")
    shutil.rmtree(folder)
    return figures


def ratios_of(figures, chosen):
    """{case name: {size: (ratio, median ns, peak)}}"""
    found = {}
    for case in chosen:
        for size, of_size in figures.items():
            if case.name not in of_size or case.limit.name not in of_size:
                continue
            median = statistics.median(of_size[case.name]["times"])
            limit = statistics.median(of_size[case.limit.name]["times"])
            peak = statistics.median(of_size[case.name]["peaks"])
            found.setdefault(case.name, {})[int(size)] = (median / limit, median, peak)
    return found


def size_of(text):
    units = {"K": KIB, "M": MIB}
    return int(text[:-1]) * units[text[-1]]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help='parts of names, such as "save bf16"')
    parser.add_argument("--sizes", help="some of them, such as 256K,4M")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} repetitions, not {REPETITIONS}")
    parser.add_argument("--repetitions", type=int, help="as many")
    parser.add_argument("--resume", action="store_true", help="keep the sizes that the last run measured")
    parser.add_argument("--again", choices=("save", "load"), help="these once more, the others as in the last run")
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "build/release/bin/side_by_side")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench")
    parser.add_argument("--output", type=pathlib.Path, help="folder of SWEEP.md and sweep.svg")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(arguments.folder).free < NEEDED_DISK:
        sys.exit(f"{arguments.folder} needs {NEEDED_DISK >> 30} GiB of free space")
    chosen = cases([f"{arguments.again} "] if arguments.again else arguments.cases)
    if not chosen:
        sys.exit("no case has such a name: " + ", ".join(case.name for case in cases([])))
    sizes = [size_of(text) for text in arguments.sizes.split(",")] if arguments.sizes else SIZES
    repetitions = arguments.repetitions or (QUICK if arguments.quick else REPETITIONS)
    is_whole = not arguments.cases and not arguments.sizes
    kept = arguments.folder / "sweep.json"
    figures = {}
    if arguments.again and not kept.exists():
        sys.exit("--again takes the other figures from the last run, and there was none: ./dev bench sweep")
    if (arguments.resume or arguments.again) and kept.exists():
        figures = {int(size): found for size, found in json.loads(kept.read_text()).items()}
    description = machine.describe(arguments.folder, {})
    resumed = []
    for size in sizes:
        if not arguments.again and all(case.name in figures.get(size, ()) for case in chosen):
            resumed.append(sweep_report.size_text(size))
            continue
        print(f"{sweep_report.size_text(size)}", flush=True)
        figures[size] = figures.get(size, {}) | measure_size(
            arguments.binaries.resolve(),
            arguments.folder / "sweep",
            size,
            chosen,
            repetitions,
            not arguments.quick,
        )
        kept.write_text(json.dumps(figures, indent=1))
    ratios = ratios_of(figures, cases(arguments.cases))
    if arguments.again:
        description.append(("measured again, after the others", arguments.again))
    if resumed:
        description.append(("measured before, by a run that this one went on with", ", ".join(resumed)))
    print(sweep_report.table(ratios, sorted(figures)))
    output = arguments.output or (ROOT / "benchmarks" if is_whole else arguments.folder)
    output.mkdir(parents=True, exist_ok=True)
    sweep_report.write(output, ratios, sorted(figures), description, repetitions)
    print(f"written to {output / 'SWEEP.md'} and {output / 'sweep.svg'}")


if __name__ == "__main__":
    main()
