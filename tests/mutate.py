#!/usr/bin/env python3
"""Tests the tests: puts small faults into the library, one at a time; the tests must see each.

PATTERN is a git pattern of sources, or FILE:LINE for every mutant of one line. The tree is never
changed: a copy is built in build/mutate, and results.json there is the record. A mutant that does
not compile, or whose object code is the original's, does not count. Those that no test can tell from
the original are listed in tests/mutants.txt, each with its reason, and only tried when their line is
named. The exit code is 0 when at least 95 % of the others are caught.
"""

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from mutations import ROOT, Mutant, chosen, git_files, known, stale

HOME = ROOT / "build/mutate"
TREE, BUILD, RECORD = HOME / "tree", HOME / "out", HOME / "results.json"
WANTED = 95  # per cent

# ---- running ----

running: set[subprocess.Popen] = set()
stopped = threading.Event()


def run(command: list | str, log: Path, seconds: float | None = None, **more) -> int | None:
    """The exit code, or None after `seconds` of the processor, or ten times as long on the clock.
    Whatever the command started ends with it."""
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True, shell=isinstance(command, str), **more,
        )  # fmt: skip
    running.add(process)
    try:
        if seconds is None:
            return process.wait()
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        code = process.wait(10 * seconds)
        return None if code == -signal.SIGXCPU else code
    except subprocess.TimeoutExpired:
        return None
    finally:
        end(process)
        process.wait()
        running.discard(process)


def end(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def stop(*_) -> None:
    stopped.set()
    for process in list(running):
        end(process)


def must(command: list, **more) -> None:
    log = HOME / "build.log"
    if run([str(part) for part in command], log, **more) != 0:
        sys.exit(f"{log.read_text(encoding='utf-8')[-3000:]}\nmutate.py: this failed: {command[:4]}")


def output_of(command: list) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def copy_tree() -> None:
    """Makes build/mutate/tree what the tree is, and touches no file that is the same."""
    files = git_files([])
    for name in files:
        data, copy = (ROOT / name).read_bytes(), TREE / name
        if not copy.is_file() or copy.read_bytes() != data:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy)
    copies = {p.relative_to(TREE).as_posix() for p in TREE.rglob("*") if p.is_file()}
    for gone in copies - set(files):
        (TREE / gone).unlink()


# ---- building and testing ----


class Test(NamedTuple):
    name: str
    command: list[str]
    programs: list[str]  # the targets that it runs
    environment: dict[str, str]
    words: set[str]
    clock: bool  # it measures time: a failure must repeat itself


def words(path: str) -> set[str]:
    parts = re.split(r"[\W_]", path)
    return {word.rstrip("s") for word in parts if word not in ("src", "cpp", "test", "")}


class Bench:
    """The build of the original, its tests, and a folder for each thread to build a mutant in."""

    def __init__(self, jobs: int, quick: bool):
        copy_tree()
        linker = next((x for x in ("mold", "lld", "gold") if shutil.which(f"ld.{x}")), None)
        python = ROOT / "build/venv/bin/python"
        options = {
            "CMAKE_CXX_FLAGS": "-O1 -w -D_GLIBCXX_ASSERTIONS",
            "CMAKE_EXE_LINKER_FLAGS": f"-fuse-ld={linker}" if linker else "",
            "CMAKE_PREFIX_PATH": ROOT / "build/packages/usr",
            "SAFESTRUCTURES_WARNINGS_AS_ERRORS": "OFF",
            "SAFESTRUCTURES_INSTALL": "OFF",
            "SAFESTRUCTURES_BUILD_EXAMPLES": "OFF",
            "SAFESTRUCTURES_PYTHON": python if python.exists() else "",
        }
        defines = [f"-D{name}={value}" for name, value in options.items()]
        must(["cmake", "--preset", "test", "-S", TREE, "-B", BUILD, *defines], cwd=TREE)
        must(["cmake", "--build", BUILD, "-j", str(jobs), "--target", "safestructures_programs"])
        ninja = ["ninja", "-C", BUILD, "-t"]
        targets = output_of([*ninja, "targets", "all"])
        linked = re.findall(r"^(\S+): CXX_EXECUTABLE_LINKER__(\w+)_$", targets, re.MULTILINE)
        outside = [name for _, name in linked if re.search("_cli$|_interop_", name)]
        show = ["ctest", "--test-dir", BUILD, "-L", "unit|interop", "--show-only=json-v1"]
        entries = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
        self.compile = {entry["file"]: entry["command"] for entry in entries}
        self.tests = [self.test(entry, outside) for entry in json.loads(output_of(show))["tests"]]
        commands = {name: output_of([*ninja, "commands", "-s", path]) for path, name in linked}
        self.output = {name: path for path, name in linked}
        self.link = {name: text.strip().splitlines()[-1] for name, text in commands.items()}
        self.kills: dict[tuple[str, str], int] = {}
        self.seconds: dict[str, float] = {}
        self.lock = threading.Lock()
        self.here = threading.local()
        self.quick = quick
        self.places = 0

    def test(self, entry: dict, outside: list[str]) -> Test:
        properties = {item["name"]: item["value"] for item in entry["properties"]}
        name, command = entry["name"], entry["command"]
        environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
        if "interop" in properties["LABELS"]:
            return Test(name, command, outside, environment, words(name), False)
        source = command[1].split("/")[-1]
        path = next(file for file in self.compile if file.endswith(f"/{source}"))
        text = Path(path).read_text(encoding="utf-8")
        clock = re.search(r"cost\.hpp|steady_clock|<thread>", text)
        command = [*command, "--abort-after=1", "--no-version"]
        return Test(name, command, [Path(command[0]).name], environment, words(source), bool(clock))

    def place(self) -> Path:
        if not hasattr(self.here, "path"):
            with self.lock:
                self.places += 1
                self.here.path = HOME / f"work{self.places}"
        shutil.rmtree(self.here.path, ignore_errors=True)
        (self.here.path / "tmp").mkdir(parents=True)
        return self.here.path

    def run_test(self, test: Test, place: Path, build: Path) -> str | None:
        """None when the test of the programs in `build` passes, or how it failed."""
        limit = 10 + 6 * self.seconds.get(test.name, 10)
        own = {"SAFESTRUCTURES_BIN": str(build / "bin"), "TMPDIR": str(place / "tmp")}
        environment = {**os.environ, **test.environment, **own}
        command = [part.replace(str(BUILD), str(build)) for part in test.command]
        log = place / "test.log"
        code = run(command, log, limit, cwd=place / "tmp", env=environment)
        if code is None:
            return f"hang: {test.name}"
        output = log.read_text(encoding="utf-8", errors="replace")
        if code == 77 or (code == 0 and not re.search(r"test cases: +0 ", output)):
            return None
        case = re.search(r"TEST CASE: +(.*)|^FAIL (.{,90})", output, re.MULTILINE)
        how = "crash" if code not in (0, 1) or "test case CRASHED" in output else "test"
        return f"{how}: {test.name}: {(case[1] or case[2]) if case else 'no test case'}"

    def original(self) -> None:
        """The tests must pass with nothing changed, once for each build; how long they take limits
        them later."""
        record = HOME / "seconds.json"
        old = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
        if self.quick:
            self.tests = [test for test in self.tests if len(test.programs) == 1]
        for test in self.tests:
            built = max((BUILD / self.output[name]).stat().st_mtime for name in test.programs)
            if test.name not in old or record.stat().st_mtime < built:
                begin = time.monotonic()
                fault = self.run_test(test, self.place(), BUILD)
                if fault or stopped.is_set():
                    sys.exit(f"mutate.py: the original fails: {fault}")
                old[test.name] = time.monotonic() - begin
            self.seconds[test.name] = old[test.name]
        record.write_text(json.dumps(self.seconds), encoding="utf-8")

    def ordered(self, mutant: Mutant) -> list[Test]:
        """Likely ones first: what caught others of the file or folder, what has its name, what is
        quick. Those that run programs last."""
        own, folder = words(mutant.file), str(Path(mutant.file).parent)

        def score(test: Test) -> tuple[bool, float]:
            near = 1 + len(own & test.words) + min(2, self.kills.get((folder, test.name), 0))
            near += 3 * self.kills.get((mutant.file, test.name), 0)
            return len(test.programs) > 1, -near / (0.1 + self.seconds[test.name])

        return sorted(self.tests, key=score)

    def outcome(self, mutant: Mutant) -> str:
        """`uncompilable`, `same code`, `survived`, or what caught it: `test: ...`, `crash: ...`,
        `hang: ...`."""
        place = self.place()
        original = TREE / mutant.file
        source, made = place / original.name, place / "mutant.o"
        text = original.read_text(encoding="utf-8")
        source.write_text(text[: mutant.begin] + mutant.text + text[mutant.end :], encoding="utf-8")
        command = self.compile[str(original)]
        target = re.search(r" -o (\S+)", command)[1]
        command = command.replace(f" -o {target}", f" -o {made}")
        command = command.replace(f" -c {original}", f" -c {source}")
        command = f"exec env CCACHE_DISABLE=1 {command} -iquote {original.parent}"
        if run(command, place / "compile.log", cwd=BUILD) != 0:
            return "uncompilable"
        if made.read_bytes() == (BUILD / target).read_bytes():
            return "same code"
        for test in self.ordered(mutant):
            near = words(mutant.file) & test.words
            if self.quick and self.seconds[test.name] > 1.5 and not near:
                continue
            for name in test.programs:
                output = self.output[name]
                if (place / output).exists():
                    continue
                (place / output).parent.mkdir(parents=True, exist_ok=True)
                # What the mutant defines is not looked for in the library any more.
                link = self.link[name].replace(f" -o {output}", f" -o {place / output}")
                link = re.sub(r" (\S*libsafestructures\.a)", rf" {made} \1", link, count=1)
                if run(link, place / "link.log", cwd=BUILD) != 0:
                    return "uncompilable"
            fault = self.run_test(test, place, place)
            if fault and test.clock:
                fault = self.run_test(test, place, place)
            if fault:
                with self.lock:
                    for where in (mutant.file, str(Path(mutant.file).parent)):
                        self.kills[where, test.name] = self.kills.get((where, test.name), 0) + 1
                return fault
        return "survived"


# ---- the record ----


def report(results: list[dict], listed: dict) -> int:
    rows: dict[str, dict[str, int]] = {}
    for result in results:
        what = result["outcome"].split(":")[0]
        if what == "survived":
            entry = tuple(result[name] for name in ("file", "before", "original", "mutated"))
            what = "listed" if entry in listed else what
        if what == "survived":
            block = "\nsurvived, line {line}:\n{file}\n  {before}\n- {original}\n+ {mutated}"
            print(block.format(**result))
        for row in ("/".join(result["file"].split("/")[:2]), "together"):
            counts = rows.setdefault(row, {})
            counts[what] = counts.get(what, 0) + 1
    columns = ("test", "crash", "hang", "survived", "listed", "same code", "uncompilable")
    heads = "".join(f"{name:>13}" for name in columns)
    print(f"\n{'':14}{'mutants':>8}{heads}{'caught':>10}")
    share = 100.0
    for row, counts in sorted(rows.items()):
        caught = sum(counts.get(name, 0) for name in ("test", "crash", "hang"))
        of = caught + counts.get("survived", 0)
        share = 100 * caught / max(of, 1)
        line = "".join(f"{counts.get(name, 0):>13}" for name in columns)
        print(f"{row:14}{of + counts.get('listed', 0):>8}{line}{share:>8.1f} %")
    return 0 if share >= WANTED else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.split("\n\n")[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="sources, or FILE:LINE")
    parser.add_argument("--count", type=int, default=240, help="mutants that count")
    parser.add_argument("--seed", type=int, default=1, help="of the choice")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="leave out what takes seconds")
    parser.add_argument("--resume", action="store_true", help="keep the outcomes of the record")
    parser.add_argument("--again", action="store_true", help="keep them, but for the survivors")
    arguments = parser.parse_args()
    os.nice(19)
    for kind, limit in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, 8 << 30)):
        resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    HOME.mkdir(parents=True, exist_ok=True)

    order, of_lines = chosen(arguments.patterns, arguments.seed)
    old = {}
    if (arguments.resume or arguments.again) and RECORD.is_file():
        for result in json.loads(RECORD.read_text(encoding="utf-8")):
            if not (arguments.again and result["outcome"] == "survived"):
                old[result["key"]] = result["outcome"]
    listed = known()
    print("\n".join(stale(listed)))
    if not of_lines:
        old |= {mutant.key: "survived" for mutant in order if mutant.entry in listed}
    print(f"seed {arguments.seed}: {len(order)} mutants to choose from", flush=True)
    bench = Bench(arguments.jobs, arguments.quick)
    bench.original()
    seconds = sum(bench.seconds.values())
    print(f"the original passes {len(bench.tests)} tests in {seconds:.0f} s", flush=True)

    results: dict[int, dict] = {}
    waiting = iter(enumerate(order))
    lock = threading.Lock()

    def counted() -> int:
        return sum(r["outcome"] not in ("uncompilable", "same code") for r in results.values())

    def work() -> None:
        while not stopped.is_set():
            with lock:
                enough = not of_lines and counted() >= arguments.count
                at, mutant = (0, None) if enough else next(waiting, (0, None))
            if mutant is None:
                return
            begin = time.monotonic()
            outcome = old.get(mutant.key) or bench.outcome(mutant)
            if stopped.is_set():
                return
            with lock:
                results[at] = {"key": mutant.key, "outcome": outcome, **mutant._asdict()}
                if not of_lines:
                    part = RECORD.with_suffix(".part")
                    part.write_text(json.dumps([results[i] for i in sorted(results)], indent=1))
                    part.replace(RECORD)
                if mutant.key not in old:
                    took = f"{counted():4} {time.monotonic() - begin:5.1f} s"
                    print(f"{took}  {mutant.file}:{mutant.line}  {outcome}", flush=True)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        for future in [pool.submit(work) for _ in range(arguments.jobs)]:
            future.result()
    return report([results[at] for at in sorted(results)], listed)


if __name__ == "__main__":
    sys.exit(main())
