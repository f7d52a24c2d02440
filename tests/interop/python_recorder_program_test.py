"""Python's Recorder in programs that change their folder, run threads and tasks, leave generators, detach hooks."""

import asyncio
import errno
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import threading
import warnings
from unittest import mock

import checks
import numpy as np
from cli_outcomes import expect, raised, run, run_checks, verify
from safestructures_cpp import segments
from safestructures_cpp.recorder import Recorder, records


def names_in(folder):
    return [record.name for record in records(folder)]


def check_elsewhere(folder):
    """A recorder stays with its folder where the program goes into another."""
    before = os.getcwd()
    try:
        os.chdir(folder)
        recorder = Recorder("here", segment_bytes=8)
        recorder.record("a", np.ones(1))
        os.mkdir("other")
        os.chdir("other")
        recorder.record("b", np.ones(1))
        recorder.close()
    finally:
        os.chdir(before)
    verify(folder, "here")
    expect("records", ["a", "b"], names_in(pathlib.Path(folder) / "here"))
    expect("elsewhere", [], os.listdir(pathlib.Path(folder) / "other"))


def check_tasks(folder):
    """Each task has its own scopes, inside those that it was begun in."""

    async def task(recorder, name):
        with recorder.scope(name):
            await asyncio.sleep(0)
            recorder.record("x", 1)
            await asyncio.sleep(0)
        recorder.record("y", 1)

    async def tasks(recorder):
        with recorder.scope("all"):
            await asyncio.gather(task(recorder, "t1"), task(recorder, "t2"))

    with Recorder(pathlib.Path(folder) / "tasks") as recorder:
        asyncio.run(tasks(recorder))
    expect("names", ["all.t1.x", "all.t2.x", "all.y", "all.y"], names_in(pathlib.Path(folder) / "tasks"))


def check_step_scopes(folder):
    """Several inputs at once: each has its step, whatever `step` says and the others do."""

    def answer(recorder, request, barrier):
        with recorder.step_scope(request):
            for layer in range(3):
                barrier.wait()
                recorder.record(f"layer{layer}", request)
            with recorder.scope("deep"), recorder.step_scope(-request):
                recorder.record("inner", request)
            recorder.record("out", request)
        barrier.wait()
        recorder.record("after", request)

    async def task(recorder, request):
        with recorder.step_scope(request):
            await asyncio.sleep(0)
            recorder.record("task", request)

    async def tasks(recorder):
        await asyncio.gather(*(task(recorder, request) for request in (20, 21)))

    barrier = threading.Barrier(3)
    with Recorder(pathlib.Path(folder) / "steps") as recorder, Recorder(pathlib.Path(folder) / "other") as other:
        recorder.step(7)
        threads = [threading.Thread(target=answer, args=(recorder, 10 + i, barrier)) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        asyncio.run(tasks(recorder))
        with recorder.step_scope(30):
            other.record("x", 0)
    found = list(records(pathlib.Path(folder) / "steps"))
    expect("records", 3 * 6 + 2, len(found))
    for record in found:
        expected = {"deep.inner": -record.value, "after": 7}.get(record.name, record.value)
        expect(f"{record.name} of {record.value}", expected, record.step)
    expect("another recorder", [0], [record.step for record in records(pathlib.Path(folder) / "other")])

    with Recorder(pathlib.Path(folder) / "every", every=10) as recorder:
        for request in (20, 25, 30):
            with recorder.step_scope(request):
                recorder.record("x", request)
    expect("every 10th", [20, 30], [record.value for record in records(pathlib.Path(folder) / "every")])
    expect("no step", "a step has at most 64 bits", raised(ValueError, lambda: recorder.step_scope(2**63)))


def check_generators(folder):
    """A generator that is closed inside a later scope takes away its own."""

    def values(recorder):
        with recorder.scope("generated"):
            yield 1

    with Recorder(pathlib.Path(folder) / "generators") as recorder, Recorder(pathlib.Path(folder) / "other") as other:
        generator = values(recorder)
        next(generator)
        recorder.record("a", 1)
        with recorder.scope("outer"), other.scope("of another"):
            generator.close()
            recorder.record("b", 1)
        generator = values(recorder)
        next(generator)
        closing = threading.Thread(target=generator.close)
        closing.start()
        closing.join()
        recorder.record("after a thread", 1)
        scope = recorder.scope("twice")
        with scope, scope:
            recorder.record("c", 1)
        recorder.record("d", 1)
    names = ["generated.a", "outer.b", "after a thread", "twice.twice.c", "d"]
    expect("names", names, names_in(pathlib.Path(folder) / "generators"))


def check_asynchronous_generators(folder):
    """One that nobody exhausts is closed by asyncio in a task of its own: its scopes end in the one that used it, too."""
    folder = pathlib.Path(folder) / "generators"

    async def values(recorder):
        with recorder.scope("generated"), recorder.step_scope(7):
            yield 1

    async def outlive(recorder, closed):
        await closed.wait()
        recorder.record("outlives", 1)

    async def use(recorder):
        closed = asyncio.Event()
        for i in range(2):
            async for _ in values(recorder):
                recorder.record(f"inside{i}", 1)
                break
            await asyncio.sleep(0.01)
            recorder.record(f"after{i}", 1)
        with recorder.scope("outer"):
            task = asyncio.create_task(outlive(recorder, closed))
        closed.set()
        await task

    with Recorder(folder) as recorder:
        asyncio.run(use(recorder))
    expected = [("generated.inside0", 7), ("after0", 0), ("generated.inside1", 7), ("after1", 0), ("outer.outlives", 0)]
    expect("names and steps", expected, [(record.name, record.step) for record in records(folder)])


def check_steps(folder):
    """A step is an integer, of NumPy too."""
    with Recorder(pathlib.Path(folder) / "steps") as recorder:
        recorder.step(np.int8(3))
        recorder.record("x", 1)
        problem = "'float' object cannot be interpreted as an integer"
        expect("a part of one", problem, raised(TypeError, lambda: recorder.step(1.9)))
    expect("steps", [3], [record.step for record in records(pathlib.Path(folder) / "steps")])


def check_files_of_others(folder):
    """A file that somebody else put where the next segment would be ends the recording, and stays."""
    for kind in ("journal", "part", "safetensors"):
        here = pathlib.Path(folder) / f"with {kind}"
        recorder = Recorder(here, segment_bytes=1)
        recorder.record("a", np.ones(1))
        other = here / f"segment-000002.{kind}"
        other.write_text("theirs")
        problem = "[Errno 17] File exists. The earlier records are kept: fix this, and record into another folder:"
        problem += f" '{other}'"
        expect(kind, problem, raised(OSError, lambda: recorder.record("b", np.ones(1))))
        expect(f"{kind}, at close", problem, raised(OSError, recorder.close))
        kept = [record.name for record in records(here / "segment-000001.safetensors")]
        expect(f"{kind}: records", ["a"], kept)
        files = ["recording.lock", "segment-000001.safetensors", other.name]
        expect(f"{kind}: files", files, sorted(os.listdir(here)))
        expect(f"{kind}: it stays", "theirs", other.read_text())


def check_files_gone(folder):
    """A segment that somebody removed or renamed while it was written is told of when it should be sealed."""
    folder = pathlib.Path(folder)
    for name, change in (
        ("part", lambda here: (here / "segment-000001.part").unlink()),
        ("folder", shutil.rmtree),
        ("name", lambda here: here.rename(folder / "renamed")),
    ):
        here = folder / f"without {name}"
        recorder = Recorder(here)
        recorder.record("a", np.ones(1))
        change(here)
        problem = "[Errno 2] the file is gone: it or its folder was removed or renamed while it was written. Leave the"
        problem += f" folder alone until the recorder is closed: '{here / 'segment-000001.part'}'"
        expect(name, problem, raised(OSError, recorder.close))
    # While the recording goes on it ends it, once; what is in other segments stays.
    here = folder / "in the middle"
    recorder = Recorder(here, segment_bytes=16)
    for name in "abc":
        recorder.record(name, np.ones(1))
    (here / "segment-000002.part").unlink()
    problem = problem.replace(str(folder / "without name"), str(here)).replace("000001", "000002")
    recorder.record("d", np.ones(1))
    expect("in the middle", problem, raised(OSError, lambda: recorder.record("e", np.ones(1))))
    recorder.record("f", np.ones(1))
    expect("at close", problem, raised(OSError, recorder.close))
    kept = {name: counts for name, counts in recorder.counts().items() if "kept" in counts}
    expect("counts", dict.fromkeys("abcd", {"calls": 1, "kept": 1}), kept)
    expect("what is sealed", ["a", "b"], names_in(here))
    expect("recover", 0, run(folder, "recover", "renamed").returncode)
    expect("what was renamed", ["a"], names_in(folder / "renamed"))


def check_nothing_can_be_written(folder):
    """Where not even a header can be written, what was recorded before stays in the open segment for `recover`."""
    folder = pathlib.Path(folder)
    recorder = Recorder(folder / "full")
    recorder.record("a", 1)
    problem = "[Errno 28] No space left. The earlier records are kept: fix this, and record into another folder:"
    problem += f" '{folder / 'full' / 'segment-000001.part'}'"
    with mock.patch.object(segments, "write_all", side_effect=OSError(errno.ENOSPC, "No space left")):
        expect("record", problem, raised(OSError, lambda: recorder.record("b", np.ones(1))))
    expect("close", problem, raised(OSError, recorder.close))
    done = run(folder, "recover", "full")
    expect("recover", (0, ""), (done.returncode, done.stderr))
    expect("records", ["a"], names_in(folder / "full"))


def check_forked_processes(folder):
    """A recorder that is closed lets go of its folder, whatever was forked while it was open; what is forked does not."""
    folder = pathlib.Path(folder)
    recorder = Recorder(folder / "forked")
    recorder.record("x", 1)
    ends, begins = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX warns of its threads; the children use none.
        children = [os.fork()]
        if children[0] == 0:
            os.close(begins)
            os.read(ends, 1)  # Until the parent closes its end.
            os._exit(0)
        children.append(os.fork())
    if children[1] == 0:
        recorder.close()
        recorder._unlock()  # As at its exit.
        os._exit(0)
    os.waitpid(children[1], 0)
    expect("while it is open", 2, run(folder, "recover", "forked").returncode)
    recorder.close()
    done = run(folder, "recover", "forked")
    expect("once it is closed", (0, ""), (done.returncode, done.stderr))
    os.close(begins)
    os.waitpid(children[0], 0)
    os.close(ends)


class Handle:
    def __init__(self, hooks):
        self.hooks = hooks

    def remove(self):
        self.hooks.pop(self, None)


class Module:
    """What `attach` needs of a torch module."""

    def __init__(self):
        self.hooks = {}
        self._modules = {}

    def named_modules(self):
        return [("", self), ("part", self)]

    def register_forward_hook(self, hook):
        handle = Handle(self.hooks)
        self.hooks[handle] = hook
        return handle


def check_detached(folder):
    """Hooks that were taken away are forgotten; `close` takes the others away."""
    module = Module()
    with Recorder(pathlib.Path(folder) / "hooks") as recorder:
        for _ in range(3):
            detach = recorder.attach(module)
            expect("hooks", 2, len(module.hooks))
            detach()
            detach()
            expect("none", ({}, []), (module.hooks, recorder._handles))
        recorder.attach(module)
        expect("hooks", 2, len(module.hooks))
    expect("after close", {}, module.hooks)


def check_closed_meanwhile(folder):
    """A model that runs in another thread while the recorder is closed goes on: its hook records nothing."""
    module = Module()
    recorder = Recorder(pathlib.Path(folder) / "meanwhile")
    recorder.attach(module)
    hooks = list(module.hooks.values())
    hooks[0](module, (), 1)
    failures = []

    def run_model():
        try:
            hooks[0](module, (), 2)
        except ValueError as error:
            failures.append(str(error))

    thread = threading.Thread(target=run_model)
    seal = segments.Segment.seal

    def sealed_meanwhile(*given, **named):
        thread.start()
        thread.join(0.2)  # It waits for this one.
        return seal(*given, **named)

    with mock.patch.object(segments.Segment, "seal", sealed_meanwhile):
        recorder.close()
    thread.join()
    hooks[0](module, (), 3)  # As those of a copy of the model, which stay there.
    expect("failures", [], failures)
    expect("records", [1], [record.value for record in records(pathlib.Path(folder) / "meanwhile")])


#: As much of JAX as the plugin and safestructures 1.0.0 look at, without `jaxlib.xla_extension`.
LATER_JAX = """
import sys, types

class Array: pass
class core: Tracer = type("Tracer", (), {})
class lax: full = staticmethod(lambda shape, value: value)

numpy = sys.modules["jax.numpy"] = types.ModuleType("jax.numpy")
numpy.zeros = lambda shape: Array()
devices = lambda kind: ["cpu"]
"""

PROGRAM = """
import sys
from safestructures_cpp.recorder import Recorder, records
import jax, safestructures
from safestructures.defaults import DEFAULT_PROCESS_MAP
assert jax.Array in DEFAULT_PROCESS_MAP
from jaxlib.xla_extension import ArrayImpl
assert ArrayImpl is jax.Array
with Recorder(sys.argv[1]) as recorder:
    recorder.record("x", 1)
"""


def check_later_jax(folder):
    """The package is imported beside a JAX later than 0.6.0, which has its array type elsewhere."""
    folder = pathlib.Path(folder)
    (folder / "jaxlib").mkdir()
    (folder / "jaxlib" / "__init__.py").touch()
    (folder / "jax.py").write_text(LATER_JAX)
    paths = [str(folder), str(checks.HERE.parents[1] / "plugins" / "python"), sysconfig.get_path("purelib")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    given = [sys.executable, "-c", PROGRAM, folder / "later"]
    done = subprocess.run(given, env=environment, capture_output=True, text=True, timeout=60)
    expect("imported", (0, ""), (done.returncode, done.stderr))
    expect("recorded", ["x"], names_in(folder / "later"))


def check_left_open(folder):
    """A program that ends without closing its recorder ends without a word: what it wrote can be recovered."""
    program = [
        "import sys",
        "from safestructures_cpp import segments",
        "from safestructures_cpp.recorder import Recorder",
        "recorder = Recorder(sys.argv[1])",
        "recorder.record('x', 1)",
        "segments.os = None",  # As where Python has taken the module's names away.
        "del recorder",
    ]
    paths = [str(checks.HERE.parents[1] / "plugins" / "python"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    given = [sys.executable, "-c", "\n".join(program), pathlib.Path(folder) / "open"]
    done = subprocess.run(given, env=environment, capture_output=True, text=True, timeout=60)
    expect("ended", (0, ""), (done.returncode, done.stderr))
    expect("recover", 0, run(folder, "recover", "open").returncode)
    expect("recorded", ["x"], names_in(pathlib.Path(folder) / "open"))


run_checks(
    check_elsewhere,
    check_tasks,
    check_step_scopes,
    check_generators,
    check_asynchronous_generators,
    check_steps,
    check_files_of_others,
    check_files_gone,
    check_nothing_can_be_written,
    check_forked_processes,
    check_detached,
    check_closed_meanwhile,
    check_later_jax,
    check_left_open,
)
