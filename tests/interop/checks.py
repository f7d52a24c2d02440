"""What the interop checks share: golden files, the program under test, the list of failures."""

import importlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "structures"
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "plugins" / "python")]

import notation
import safestructures

LONGEST_RUN_SECONDS = 120
LONGEST_PROBLEM = 600


class Report:
    """Collects failures by the file they belong to, and ends the program."""

    def __init__(self):
        self.failures = []
        self.counts = {}

    def fail(self, name, problem):
        if len(problem) > LONGEST_PROBLEM:
            half = LONGEST_PROBLEM // 2
            problem = f"{problem[:half]} ... {problem[-half:]}"
        self.failures.append(f"{name}: {problem}")

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def finish(self):
        """Prints failures and counts; the exit code is 1 if anything failed or nothing was done."""
        for failure in self.failures:
            print("FAIL", failure)
        if not self.counts:
            sys.exit("nothing was checked: the folder holds no files of this kind")
        done = ", ".join(f"{number} {what}" for what, number in self.counts.items())
        print(f"{pathlib.Path(sys.argv[0]).name}: {done}, {len(self.failures)} failures")
        sys.exit(1 if self.failures else 0)


def arguments(usage, count):
    """The command-line arguments, or the usage and exit code 2."""
    if len(sys.argv) - 1 not in (count if isinstance(count, tuple) else (count,)):
        print(usage.strip(), file=sys.stderr)
        sys.exit(2)
    return sys.argv[1:]


def cli():
    """The program under test, in the folder that CTest names."""
    return pathlib.Path(os.environ["SAFESTRUCTURES_BIN"]) / "safestructures"


def run_check(check, *args):
    """Runs the main function of a check as if called with these arguments."""
    sys.argv = [f"{check.__name__}.py", *map(str, args)]
    check.main()


def golden_files(folder):
    """(path of the structure, its JSON description) for every pair in the folder."""
    for path in sorted(pathlib.Path(folder).glob("*.safetensors")):
        description = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        yield path, description


def run(cli, *args):
    """Runs the command line: (exit code, standard output, last line of standard error)."""
    try:
        done = subprocess.run(
            [cli, *map(str, args)], capture_output=True, timeout=LONGEST_RUN_SECONDS
        )
    except subprocess.TimeoutExpired:
        return None, b"", f"no end after {LONGEST_RUN_SECONDS} s"
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return done.returncode, done.stdout, lines[-1] if lines else ""


def by_cpp(path):
    """The file as C++ saves it again."""
    again = path.with_name("again.safetensors")
    code, _, error = run(cli(), "convert", path, again)
    if code != 0:
        raise AssertionError(error)
    return again


def plugins_of(description):
    """The plugins that a file names."""
    modules = [importlib.import_module(name) for name in description.get("plugins", ())]
    return [plugin for module in modules for plugin in module.PLUGINS]


def is_importable(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def load(path, plugins):
    """Loads with Python's package, from where recursion has the room of a script's top level."""
    notation.as_if_called_at_top_level()
    try:
        return safestructures.load_file(path, plugins=plugins)
    finally:
        sys.setrecursionlimit(10000)


def python_differences(path, description):
    """Loads a file with Python's package: where its value differs from the expected tree.

    None means that this Python cannot be asked, for want of a framework or because the package
    does not load such files at all.
    """
    needed = description.get("needs")
    if needed and not is_importable(needed):
        return None
    if not (description["python_loads"] or description.get("python_loads_when_taught")):
        return None
    try:
        value = load(path, plugins_of(description))
    except Exception as error:  # whatever it raises is the finding
        return [f"Python refuses it: {type(error).__name__}: {error}"]
    return notation.differences(description["value"], notation.tree_of_value(value))


notation.teach_numpy_the_small_floats()
sys.setrecursionlimit(10000)
