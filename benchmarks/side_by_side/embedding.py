"""What a program pays for having the library in it, with its history (../embedding.csv)."""

import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import compile_cost

HISTORY = pathlib.Path(__file__).resolve().parents[1] / "embedding.csv"
SHOWN = 12
STARTS = 31
BASELINE = "01d0982"  # What stood when it was asked that later formats add at most 0.3 s.


def start_up(build, python):
    """Milliseconds for the tool to show a small file, and for Python to do nothing."""
    tool = build / "bin/safestructures"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "small.safetensors"
        document = pathlib.Path(folder) / "small.json"
        document.write_text('{"step": 3, "loss": 0.5}')
        subprocess.run([tool, "convert", document, file], check=True, capture_output=True)
        commands = {"tool": [tool, "show", file], "python": [python, "-c", "pass"]}
        times = {name: [] for name in commands}
        for _ in range(STARTS):
            for name, command in commands.items():
                start = time.perf_counter_ns()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                times[name].append((time.perf_counter_ns() - start) / 1e6)
    return {name: statistics.median(values) for name, values in times.items()}


def measure(compiled, build, python):
    """A row of the history; `compiled` is what compile_cost.measure returned."""
    row = {}
    for compiler in compile_cost.COMPILERS:
        cost = compiled["compile"].get((compiler, compile_cost.TEN))
        if cost:
            row[f"{compiler} s"] = f"{cost['more']:.2f}"
            row[f"{compiler} code KiB"] = f"{cost['code'] / 1024:.0f}"
    for name, size in compiled["sizes"].items():
        row[f"{name} KiB"] = f"{size / 1024:.0f}"
    if (build / "bin/safestructures").exists():
        starts = start_up(build, python)
        row["start ms"] = f"{starts['tool']:.1f}"
        row["python -c pass ms"] = f"{starts['python']:.1f}"
    return row


def history():
    if not HISTORY.exists():
        return []
    with HISTORY.open() as lines:
        return list(csv.DictReader(lines))


def append(row, description):
    """Adds what was measured, by the commit and date of the machine's description."""
    rows = [old for old in history() if old["commit"] != description["commit"]]
    rows.append({"commit": description["commit"], "date": description["date"]} | row)
    columns = list(dict.fromkeys(name for one in rows for name in one))
    with HISTORY.open("w") as lines:
        out = csv.DictWriter(lines, columns, restval="", lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def headers_of(root, revision, folder):
    """Puts the headers of a revision into the folder. \returns whether the repository has it"""
    command = ["git", "-C", root, "archive", revision, "include", "benchmarks/compile"]
    archive = subprocess.run(command, capture_output=True)
    if archive.returncode == 0:
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return archive.returncode == 0


def compile_growth(root, repetitions):
    """Seconds that ten structs take more to compile than with the headers of BASELINE, by compiler."""
    with tempfile.TemporaryDirectory() as folder:
        if not headers_of(root, BASELINE, folder):
            return {}
        roots = {"now": root, "then": pathlib.Path(folder)}
        seconds = {}
        for _ in range(repetitions):
            for name, where in roots.items():
                for (compiler, source), cost in compile_cost.compile_times(where, 1, (compile_cost.TEN,)).items():
                    if source == compile_cost.TEN:
                        seconds.setdefault((name, compiler), []).append(cost["seconds"])
    median = {key: statistics.median(values) for key, values in seconds.items()}
    return {
        compiler: median["now", compiler] - median["then", compiler]
        for name, compiler in median
        if name == "now"
    }


def backfill(root, revisions, repetitions=5):
    """Prints rows with the compile cost of the headers of these revisions, measured side by side."""
    print("commit,date,GCC s,GCC code KiB,Clang s,Clang code KiB")
    for revision in revisions:
        with tempfile.TemporaryDirectory() as folder:
            if not headers_of(root, revision, folder):
                sys.exit(f"no revision {revision}")
            costs = compile_cost.compile_times(pathlib.Path(folder), repetitions, (compile_cost.TEN,))
        shown = ["git", "-C", root, "show", "-s", "--format=%h,%cs", revision]
        cells = [subprocess.run(shown, check=True, capture_output=True, text=True).stdout.strip()]
        for compiler in compile_cost.COMPILERS:
            cost = costs[compiler, compile_cost.TEN]
            cells += [f"{cost['more']:.2f}", f"{cost['code'] / 1024:.0f}"]
        print(",".join(cells), flush=True)


if __name__ == "__main__":
    backfill(pathlib.Path(__file__).resolve().parents[2], sys.argv[1:])
