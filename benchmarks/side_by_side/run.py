#!/usr/bin/env python3
"""Runs every workload on the library, its limits and its peers, and writes RESULTS.md.

Each measurement is a process of its own. Repetitions are interleaved: the first of every row, then
the second of every row, in an order that rotates, so that a change of the machine's speed meets all
alike. Figures are medians. See docs/performance.md.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

import compile_cost
import embedding
import machine
import parts
import report
import targets
import workloads
from records import RECORDERS
from rows import CPP_PEERS, HUGE_MALLOC, NAMES

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
REPETITIONS = 7
QUICK = 3
NEEDED_DISK = 12 << 30
HEAVY_MEMORY = 4 << 30
SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's own has torch for the processor alone.


class Programs:
    """The programs that are timed, and why some are missing."""

    def __init__(self, binaries, python):
        self.commands = {
            "limits": [str(binaries / "limits")],
            "worker": [str(binaries / "worker")],
        }
        self.missing = {}
        self.versions = {}
        recorders = binaries / "recorders"
        self.commands["recorders"] = [str(recorders)]
        if not recorders.exists():
            for name in RECORDERS.values():
                self.missing[name] = "libhdf5-dev or libcereal-dev is not installed"
        for peer, (name, packages) in CPP_PEERS.items():
            self.find_cpp(binaries / f"peer_{peer}", name, packages)
        self.find_rust("rust", "safetensors-peer", "Rust safetensors", "0.8.0")
        self.find_rust("burn", "burn-peer", "Burn", "0.21.0")
        for peer, name in NAMES.items():
            self.find_python(peer, name, (python, SYSTEM_PYTHON))

    def find_cpp(self, program, name, packages):
        if not program.exists():
            self.missing[name] = f"{packages} is not installed"
            return
        self.commands[program.name] = [str(program)]
        done = subprocess.run([program, "version"], capture_output=True, text=True, check=True)
        self.versions[name] = done.stdout.strip()

    def find_python(self, peer, name, pythons):
        """The first Python that has the peer runs it."""
        for python in pythons:
            command = [python, str(HERE / "peers.py")]
            try:
                done = subprocess.run(
                    [*command, peer, "-", "available", "-"],
                    capture_output=True,
                    text=True,
                    check=True,
                )
                answer = json.loads(done.stdout)
            except (OSError, subprocess.CalledProcessError) as error:
                text = (getattr(error, "stderr", "") or str(error)).strip()
                answer = {"missing": text.splitlines()[-1]}
            if "missing" not in answer:
                self.commands[peer] = command
                self.versions[name] = answer["version"]
                self.missing.pop(name, None)
                return
            self.missing.setdefault(name, answer["missing"])

    def find_rust(self, folder, program, name, version):
        """Builds the crate in that folder."""
        target = ROOT / "build" / "rust"
        if shutil.which("cargo") is None:
            self.missing[name] = "cargo is not installed"
            return
        command = ["cargo", "build", "--release", "--quiet", "--locked"]
        environment = os.environ | {"CARGO_TARGET_DIR": str(target)}
        crate = ROOT / "benchmarks" / folder
        built = subprocess.run(command, cwd=crate, env=environment, capture_output=True, text=True)
        if built.returncode != 0:
            self.missing[name] = built.stderr.strip().splitlines()[-1]
            return
        self.commands[folder] = [str(target / "release" / program)]
        self.versions[name] = version

    def has(self, row):
        # What is behind a comma says how: "HDF5, a dataset a call".
        return not {row.who, row.who.split(",")[0]} & self.missing.keys()

    def run(self, row, file):
        arguments = [str(file) if word == "FILE" else word for word in row.arguments]
        command = [*self.commands[row.program], *arguments]
        setting = {"GLIBC_TUNABLES": HUGE_MALLOC} if row.huge_malloc else {}
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | setting)
        if done.returncode != 0:
            return {"failed": (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]}
        return json.loads(done.stdout.splitlines()[-1])


def drop_from_cache(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fdatasync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def remove(path):
    """The file, and shards that were written beside it; the folder of a recording."""
    for found in path.parent.glob(path.name + "*"):
        if found.is_dir():
            shutil.rmtree(found)
        else:
            found.unlink()


def warm(limits):
    """Touches and frees several times what a row needs, as far as that much is free. A row does so
    itself with what it needs, but where much else is free the system may hand out some of that
    instead: W1 save took 134 ms, or up to 2 s when it met memory that was with the host. `limits` is
    that program's command."""
    with open("/proc/meminfo") as lines:
        free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) << 10
    size = min(HEAVY_MEMORY, free // 2)
    subprocess.run([*limits, "warm", "-", str(size)], check=True)


def compact_memory():
    """Gives back what files left in memory, and joins what is free: how well a file lies in the page
    cache depends on it, and with that the rows that touch one. Root may do so."""
    os.sync()
    for setting, value in (("drop_caches", "3"), ("compact_memory", "1")):
        try:
            pathlib.Path("/proc/sys/vm", setting).write_text(value)
        except OSError:
            return


def measure_row(programs, row, folder, heavy):
    if heavy:
        warm(programs.commands["limits"])
    if row.file:
        path = folder / row.file
        if row.cold:
            drop_from_cache(path)
        result = programs.run(row, path)
    else:
        path = folder / "fresh"
        result = programs.run(row, path)
        remove(path)
    os.sync()
    return result


def measure_workload(programs, workload, folder, repetitions):
    """Results by (quantity, row): {"times": ns, "peaks": bytes} or {"failed": reason}."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    compact_memory()
    for row in workload.prepare:
        if programs.has(row):
            answer = programs.run(row, folder / row.file)
            if "failed" in answer:
                print(f"  cannot prepare {row.file} of {row.label}: {answer['failed']}", flush=True)
    os.sync()
    rows = [
        (quantity.name, row)
        for quantity in workload.quantities
        for row in quantity.rows
        if programs.has(row)
    ]
    results = {(name, row.label): {"times": [], "peaks": []} for name, row in rows}
    for repetition in range(repetitions):
        turn = repetition * len(rows) // repetitions
        for name, row in rows[turn:] + rows[:turn]:
            result = results[name, row.label]
            if "failed" in result or repetition >= row.most:
                continue
            answer = measure_row(programs, row, folder, workload.is_heavy(name))
            if "failed" in answer:
                print(f"  {name}, {row.label}: {answer['failed']}", flush=True)
                result["failed"] = answer["failed"]
            else:
                result["times"].append(answer["ns"])
                result["peaks"].append(answer["peak"])
    shutil.rmtree(folder)
    return results


def summary(result):
    if "failed" in result:
        return {"failed": result["failed"]}
    times = result["times"]
    return {
        "min": min(times),
        "median": statistics.median(times),
        "max": max(times),
        "peak": statistics.median(result["peaks"]),
    }


def keep_figures(path, medians, again):
    """For a closer look, for when the run is broken off, and for --again."""
    figures = {" | ".join(key): value for key, value in medians.items()}
    path.write_text(json.dumps({"measured again": sorted(again), "figures": figures}, indent=1))


def kept_figures(path):
    kept = json.loads(path.read_text())
    figures = {tuple(key.split(" | ")): value for key, value in kept["figures"].items()}
    return figures, set(kept["measured again"])


def parse_arguments():
    names = [workload.name for workload in workloads.WORKLOADS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", metavar="WORKLOAD", help=" ".join(names))
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} repetitions, not {REPETITIONS}")
    parser.add_argument(
        "--again",
        action="store_true",
        help="measure the named workloads again and take the others from the last run: rows of one "
        "workload are compared with each other only, so a disturbed one can be repeated alone",
    )
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--python", default=str(ROOT / "build/venv/bin/python"))
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench")
    parser.add_argument("--results", type=pathlib.Path, help="default: RESULTS.md for a full run")
    arguments = parser.parse_args()
    unknown = set(arguments.only) - set(names)
    if unknown:
        parser.error(f"unknown workload {', '.join(sorted(unknown))}; there are {' '.join(names)}")
    return arguments


def main():
    arguments = parse_arguments()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(folder).free < NEEDED_DISK:
        sys.exit(f"{folder} needs {NEEDED_DISK >> 30} GiB of free space")
    if arguments.again and not (folder / "figures.json").exists():
        sys.exit("--again takes the other figures from a full run, and there was none: ./dev bench")
    programs = Programs(arguments.binaries / "side_by_side", arguments.python)
    for name, reason in programs.missing.items():
        print(f"missing: {name}: {reason}", flush=True)
    description = machine.describe(folder, programs.versions)
    repetitions = QUICK if arguments.quick else REPETITIONS

    full = not arguments.only or arguments.again
    kept, again = kept_figures(folder / "figures.json") if arguments.again else ({}, set())
    if arguments.again:
        again.update(arguments.only)
    text, medians = [], dict(kept)
    for workload in workloads.WORKLOADS:
        if not arguments.only or workload.name in arguments.only:
            results = measure_workload(programs, workload, folder / "data", repetitions)
            summaries = {key: summary(result) for key, result in results.items()}
        elif arguments.again:
            summaries = {key[1:]: value for key, value in kept.items() if key[0] == workload.name}
        else:
            continue
        medians |= {(workload.name, *key): value for key, value in summaries.items()}
        if full:
            keep_figures(folder / "figures.json", medians, again)
        section = report.workload(workload, summaries)
        print(section, flush=True)
        text.append(section)

    judged = targets.judge(medians)
    if full:
        compiled = compile_cost.measure(ROOT, arguments.binaries.parent, repetitions)
        warm(programs.commands["limits"])
        grown = parts.measure(arguments.binaries / "benchmarks")
        judged += targets.judge_compile(compiled) + targets.judge_growth(grown)
        judged += targets.judge_embedding(embedding.compile_growth(ROOT, repetitions))
        cost = embedding.measure(compiled, arguments.binaries.parent, arguments.python)
        embedding.append(cost, dict(description))
        history = embedding.history()[-embedding.SHOWN :]
        text += [report.compile_cost(compiled), report.embedding(history), report.parts(grown)]
    else:
        judged = [entry for entry in judged if entry.measured is not None]
    verdict = report.targets(judged)
    print(verdict)
    if again:
        names = " ".join(one.name for one in workloads.WORKLOADS if one.name in again)
        description.append(("measured again, after the others", names))
    document = report.document(description, programs.missing, repetitions, verdict, text)
    results_file = arguments.results or (ROOT / "benchmarks/RESULTS.md" if full else folder / "part.md")
    results_file.write_text(document)
    print(f"written to {results_file}")


if __name__ == "__main__":
    main()
