"""Records what passes through a Python program, in the layout of the C++ library's ActivationRecorder.

    from safestructures_cpp.recorder import Recorder

    with Recorder("run") as recorder:
        recorder.attach(model)          # torch modules: every output, under the module's name
        for step, batch in enumerate(batches):
            recorder.step(step)
            model(batch)
            recorder.record("loss", loss)  # anything else; in JAX functions too, jitted or not

    for record in records("run"):
        print(record.name, record.step, record.value)

`safestructures diff`, `stats` and `recover`, and the C++ library's Recording, read the folder too.
"""

import dataclasses
import fcntl
import itertools
import os
import pathlib
import sys
import threading
import time
import weakref
from collections.abc import Mapping

from safestructures_cpp import globs, segments
from safestructures_cpp.nodes import MOST_LEVELS, SURROGATE, NodeWriter, Unlike
from safestructures_cpp.recording import Record, records

__all__ = ["Record", "Recorder", "records"]


def is_traced(value, level=0):
    """Whether a value holds what JAX puts in the place of an array while it traces a function."""
    jax = sys.modules.get("jax")
    if jax is None or level > MOST_LEVELS:
        return False
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = [getattr(value, field.name) for field in dataclasses.fields(value)]
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return isinstance(value, jax.core.Tracer)
    return any(is_traced(item, level + 1) for item in value)


def register_pre_hook(module, hook):
    """Lets a torch module call `hook(module, args, keywords)` before it begins."""
    try:
        return module.register_forward_pre_hook(hook, with_kwargs=True)
    except TypeError:  # torch before 2.0, which tells hooks of no keywords
        return module.register_forward_pre_hook(hook)


class Scope:
    """A part of the program whose records have its name in front, for as long as `with` lasts."""

    def __init__(self, names, name):
        self._names = names
        self._name = name

    def __enter__(self):
        self._names.append(self._name)

    def __exit__(self, *_):
        self._names.pop()


class Recorder:
    """Writes records into the files of a folder while the program goes on.

    `record` has written the value when it returns: the death of the process, however it comes, costs
    no record that was complete. (A loss of power may.) Several threads may record at once.
    """

    def __init__(self, folder, *, only=("*",), every=1, segment_bytes=256 << 20):
        """Begins a recording in a folder, which is made where there is none.

        only: globs, as the C++ library has them; records whose names match none are left out and counted.
        every: only steps that are multiples of it, likewise.
        segment_bytes: data of one file. A single larger record gets a file of its own size.

        Raises FileExistsError where the folder holds a recording already, BlockingIOError where
        another recorder writes to it.
        """
        if every < 1 or segment_bytes < 1:
            raise ValueError("every and segment_bytes must be 1 at least")
        self._folder = pathlib.Path(folder)
        self._only = [only] if isinstance(only, str) else list(only)
        self._every = every
        self._segment_bytes = segment_bytes
        self._folder.mkdir(parents=True, exist_ok=True)
        self._process = os.getpid()
        self._mutex = threading.RLock()
        self._local = threading.local()
        self._threads = itertools.count()
        self._step = 0
        self._sequence = 0
        self._names = {}  # Of each name its counts,
        self._wanted = {}  # and whether a glob matches it.
        self._run = os.urandom(8).hex()  # Names this recording among others, in the segments.
        self._segment = None
        self._segment_number = 0
        self._room = 256 << 10
        self._error = None
        self._is_closed = False
        self._has_callbacks = False
        self._handles = []
        self._lock = os.open(self._folder / "recording.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            self._lock_folder()
            if any(self._folder.glob("segment-*")):
                raise FileExistsError(
                    f"{self._folder}: the folder holds a recording already. Record into another"
                    " folder, or remove this one."
                )
        except BaseException:
            os.close(self._lock)
            raise
        # When it is collected, too: what nobody closed can then be recovered.
        self._unlock = weakref.finalize(self, os.close, self._lock)

    def _lock_folder(self):
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            said = f"{error.strerror}: the folder cannot be locked. Record into one of another file system"
            if isinstance(error, BlockingIOError):
                said = "another recorder writes to the folder. Close it, or end its process with all that it forked"
            raise OSError(error.errno, said, str(self._folder)) from error

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        # What failed before the first call of `record` has nothing to tell: the folder can be used again.
        self._close(even_unused=kind is None)

    def scope(self, name):
        """`with recorder.scope("decoder"):` puts the name and a dot in front of this thread's names.

        A function that JAX traces keeps the scope of the call that traced it.
        """
        if not name:
            raise ValueError("a scope has no name")
        return Scope(self._scopes(), name)

    def _scopes(self):
        if not hasattr(self._local, "scopes"):
            self._local.scopes = []
        return self._local.scopes

    def step(self, number):
        """The step of what is recorded from now on, by all threads; 0 at first."""
        number = int(number)
        if not -(2**63) <= number < 2**63:
            raise ValueError("a step has 64 bits at most")
        self._wait_for_callbacks()
        self._step = number

    def record(self, name, value):
        """Records a value: tensors of NumPy, torch and JAX, numbers, texts, and containers of these.

        In a JAX function that is traced, it becomes a callback, in the order of the calls.

        Raises TypeError for a value that cannot be recorded, ValueError for one that is beyond what readers
        take (200 levels, 4300 digits, 64 dimensions, keys that are one key to them) or that takes more than
        the 100,000,000 bytes of a file's header beside its tensors, once OSError where the disk ended the
        recording: from then on records are counted as failed.
        """
        self._record(".".join([*self._scopes(), name]), name, value, None)

    def _record(self, whole_name, name, value, omit):
        if not name:
            raise ValueError("a record has no name")
        whole_name.encode()  # UnicodeEncodeError: names are UTF-8.
        if is_traced(value):
            self._has_callbacks = True
            import jax

            jax.debug.callback(
                lambda found: self._record(whole_name, name, found, omit), value, ordered=True
            )
            return
        if os.getpid() != self._process:
            raise RuntimeError("a forked process cannot use its parent's recorder: make one there")
        with self._mutex:
            self._take(whole_name, value, omit)

    def _wait_for_callbacks(self):
        if self._has_callbacks:
            import jax

            jax.effects_barrier()

    def _take(self, name, value, omit):
        if self._is_closed:
            raise ValueError("the recorder is closed")
        counts = self._names.setdefault(name, {"calls": 0})
        call = counts["calls"]  # Counted with what became of it: its own record may seal a segment.
        if not self._is_wanted(name) or self._step % self._every:
            return self._count(counts, "filtered")
        if self._error is not None:
            return self._count(counts, "failed")
        try:
            record = self._prepare(name, call, value, omit)
        except BaseException:
            self._count(counts, "failed")
            raise
        try:
            self._write(record)
        except BaseException as error:
            # An interrupt too: what was written of the record is no record.
            self._error = error
            self._count(counts, "failed")
            self._seal_what_is_whole()
            raise
        self._sequence += 1
        self._count(counts, "kept")

    def _is_wanted(self, name):
        if name not in self._wanted:
            self._wanted[name] = any(globs.matches(glob, name) for glob in self._only)
        return self._wanted[name]

    @staticmethod
    def _count(counts, what):
        counts["calls"] += 1
        counts[what] = counts.get(what, 0) + 1

    def _prepare(self, name, call, value, omit):
        start = SURROGATE.sub("\ufffd", f"{self._sequence:08}:{name}")
        names = Unlike()

        def name_of(path):
            return names.name(start + SURROGATE.sub("\ufffd", path.replace("/", ".")))

        if not hasattr(self._local, "thread"):
            self._local.thread = next(self._threads)
        writer = NodeWriter(name, name_of, omit)
        node = writer.node(value)
        record = segments.Prepared(
            sequence=self._sequence,
            step=self._step,
            call=call,
            time=time.time_ns(),
            name=name,
            thread=self._local.thread,
            node=segments.text(node),
            tensors=writer.tensors,
        )
        record.check_size()
        return record

    def _write(self, record):
        segment = self._segment
        if segment is not None:
            is_full = segment.size and segment.size + record.size > self._segment_bytes
            if is_full or not segment.fits(record):
                self._seal(False)
        if self._segment is None:
            cost = record.cost + record.cost_of_name
            self._begin_segment(cost, self._room)
        self._segment.add(record)

    def _begin_segment(self, cost, room):
        needed = segments.in_pages(cost + segments.METADATA_ROOM + segments.PAGE)
        self._segment_number += 1
        room = max(segments.in_pages(room), needed)
        self._segment = segments.Segment(self._folder, self._segment_number, room)

    def _seal(self, closed):
        segment, self._segment = self._segment, None
        # The next one gets what this one would have needed for all its data, but grows by steps.
        share = max(1, self._segment_bytes / max(segment.size, 1))
        most = max(min(2 * segment.room, segments.LARGEST_ROOM), 64 << 10)
        self._room = int(min(max(segment.bound * share * 1.25, 64 << 10), most))
        try:
            segment.seal(self._about(closed), even_empty=closed)
        except BaseException:
            segment.abandon()
            raise

    def _seal_what_is_whole(self):
        if self._segment is None:
            return
        try:
            self._seal(False)
        except OSError:
            pass  # The journal says what is whole.

    def _about(self, closed):
        every = {}
        left_out = {}
        for name, counts in self._names.items():
            for what, count in counts.items():
                every[what] = every.get(what, 0) + count
            if counts.get("kept", 0) != counts["calls"]:
                left_out[name] = counts
        about = {"version": 2, "segment": self._segment_number, "closed": closed, "run": self._run}
        about["counts"] = every or {"calls": 0}
        whole = segments.text({**about, "left_out": left_out})
        # As the C++ recorder bounds it: twice for the escapes, and something for the keys.
        return whole if 2 * len(whole) + segments.PAGE <= segments.METADATA_ROOM else segments.text(about)

    def counts(self):
        """Of each name how many calls there were, and how many of them were kept, filtered or failed."""
        with self._mutex:
            return {name: dict(counts) for name, counts in self._names.items()}

    def attach(self, model, name="", *, only=("*",), steps=False, inputs=False):
        """Records the output of every module of a torch model whenever it is called.

        A module's record has its dotted name, behind `name` and a dot where that is given; the model
        itself is `name`, or "output". Outputs may be tensors, tuples, dicts and dataclasses, so
        those of `transformers` too; what in them cannot be recorded, such as a cache, is a text that
        says so. Modules come when they are done, the inner ones first.

        only: globs of the records' names. steps: the step is one more after each call of the model.

        inputs: records what goes into these modules too, before they begin, behind their name as
        `.input`: what was given by position, a tuple where that is several, or a dict of the
        keywords; of both the keywords are `.inputs`. Of a model without a name they are "input" and
        "inputs". Keywords take torch 2.0.

        Returns a function that takes the hooks away; `close` does so as well.
        """
        wanted = [only] if isinstance(only, str) else list(only)
        handles = []
        for path, module in model.named_modules():
            scope = ".".join(part for part in (name, path) if part)
            whole = scope or "output"
            if not any(globs.matches(glob, whole) for glob in wanted):
                continue
            if inputs:
                handles.append(register_pre_hook(module, self._input_hook(scope)))
            handles.append(module.register_forward_hook(self._hook(whole)))
        if steps:
            handles.append(model.register_forward_hook(lambda *_: self.step(self._step + 1)))
        self._handles += handles

        def detach():
            for handle in handles:
                handle.remove()

        return detach

    def _hook(self, name):
        return lambda module, args, output: self._record_of_module(name, output)

    def _input_hook(self, scope):
        start = f"{scope}." if scope else ""

        def hook(module, args, keywords=None):
            if args:
                self._record_of_module(f"{start}input", args[0] if len(args) == 1 else args)
            if keywords:
                self._record_of_module(f"{start}inputs" if args else f"{start}input", keywords)

        return hook

    def _record_of_module(self, name, value):
        if not self._is_closed:
            whole = ".".join([*self._scopes(), name])
            self._record(whole, name, value, lambda what: None)

    def close(self):
        """Takes the hooks away and seals the last file. Raises what ended the recording.

        The last file says that the recording was closed and has the counts; there is one even where no
        record was kept.
        """
        self._close(even_unused=True)

    def _close(self, even_unused):
        if self._is_closed or os.getpid() != self._process:
            return
        self._wait_for_callbacks()
        with self._mutex:
            for handle in self._handles:
                handle.remove()
            self._is_closed = True
            try:
                if self._error is None:
                    self._close_last(even_unused)
            finally:
                self._unlock()
        if self._error is not None:
            raise self._error

    def _close_last(self, even_unused):
        if self._segment is None:
            if not self._names and not even_unused:
                return
            # Who reads it would take a recording without a segment for one that was never closed.
            self._begin_segment(0, 0)
        self._seal(True)
