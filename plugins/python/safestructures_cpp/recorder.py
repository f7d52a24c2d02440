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

import fcntl
import itertools
import operator
import os
import pathlib
import threading
import time
import weakref

from safestructures_cpp import globs, hooks, order, segments, traced
from safestructures_cpp.counts import Counts
from safestructures_cpp.nodes import SURROGATE, NodeWriter, Unlike
from safestructures_cpp.recording import Record, records
from safestructures_cpp.scopes import Scope, in_scopes

__all__ = ["Record", "Recorder", "records"]


def as_step(number):
    """A step as records have it. Raises TypeError or ValueError for what is none."""
    number = operator.index(number)
    if not -(2**63) <= number < 2**63:
        raise ValueError("a step has 64 bits at most")
    return number


class Recorder:
    """Writes records into the files of a folder while the program goes on.

    `record` has written the value when it returns: the death of the process, however it comes, costs
    no record that was complete. (A loss of power may.) An interrupt costs the record that it came into and no
    other. Several threads may record at once.
    """

    def __init__(self, folder, *, only=("*",), every=1, segment_bytes=256 << 20):
        """Begins a recording in a folder, which is made where there is none.

        only: globs, as the C++ library has them; records whose names match none are left out and counted.
        every: only steps that are multiples of it, likewise.
        segment_bytes: data of one file. A single larger record gets a file of its own size.

        Raises FileExistsError where the folder holds a recording already, BlockingIOError where
        another recorder writes to it.
        """
        every, segment_bytes = operator.index(every), operator.index(segment_bytes)
        if every < 1 or segment_bytes < 1:
            raise ValueError("every and segment_bytes must be 1 at least")
        self._folder = pathlib.Path(folder).absolute()  # The program may go into another one.
        self._only = [only] if isinstance(only, str) else list(only)
        self._every = every
        self._segment_bytes = segment_bytes
        self._folder.mkdir(parents=True, exist_ok=True)
        self._process = os.getpid()
        self._mutex = threading.RLock()
        self._local = threading.local()
        self._threads = itertools.count()
        self._step = 0
        self._counts = Counts()
        self._wanted = {}  # Of each name whether a glob matches it.
        self._pending = None  # The record that is being written.
        self._sealed = 0  # Records of segments that are sealed.
        self._run = os.urandom(8).hex()  # Names this recording among others, in the segments.
        self._segment = None
        self._segment_number = 0
        self._room = 256 << 10
        self._error = None
        self._is_closing = False
        self._is_closed = False
        self._is_to_be_closed = False
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
        """`with recorder.scope("decoder"):` puts the name and a dot in front of the names of this thread or task.

        A function that JAX traces keeps the scope of the call that traced it.
        """
        if not name:
            raise ValueError("a scope has no name")
        return Scope(self, name)

    def step(self, number):
        """The step of what is recorded from now on, by all threads; 0 at first.

        In a JAX function that is staged it is the step whenever the function runs, and may be traced.
        """
        is_traced = traced.is_tracer(number)
        number = number if is_traced else as_step(number)
        if is_traced or traced.is_staged():
            self._has_callbacks = True
            traced.call_back_step(self._set_step, number)
            return
        self._wait_for_callbacks()
        self._step = number

    def _set_step(self, number):
        self._step = as_step(number)

    def record(self, name, value):
        """Records a value: tensors of NumPy, torch and JAX, numbers, texts, and containers of these.

        In a JAX function that is staged (by jit, scan, cond and the like) it becomes a callback, whether the value
        is traced or not: the function records whenever it runs, in the order of the calls. What is not traced is
        recorded as it was when `record` was called. Under grad and vmap alone only what is traced is a callback,
        under vmap one for each row. The package's README says where JAX itself leaves callbacks out.

        Raises TypeError for a value that cannot be recorded, ValueError for one that is beyond what readers
        take (200 levels, 4300 digits, 64 dimensions, keys that are one key to them) or that takes more than
        the 100,000,000 bytes of a file's header beside its tensors, once OSError where the disk ended the
        recording: from then on records are counted as failed.
        """
        self._record(in_scopes(self, name), name, value, None)

    def _record(self, whole_name, name, value, omit):
        if not name:
            raise ValueError("a record has no name")
        whole_name.encode()  # UnicodeEncodeError: names are UTF-8.
        if traced.has_tracer(value) or traced.is_staged():
            self._has_callbacks = True
            # Of what is left out only the calls are counted, whatever it is.
            found = value if self._is_wanted(whole_name) else None
            traced.call_back(lambda late: self._record_now(whole_name, late, omit), whole_name, found, omit)
            return
        if self._has_callbacks:
            # What makes the value may record itself, in another thread: it cannot while this one is in `_take`.
            traced.wait_for(value)
        self._record_now(whole_name, value, omit)

    def _record_now(self, whole_name, value, omit):
        if os.getpid() != self._process:
            raise RuntimeError("a forked process cannot use its parent's recorder: make one there")
        if self._is_inside():
            raise RuntimeError(
                "record was called while this thread records, by what the value does or by a signal's handler: record"
                " when it has returned"
            )
        try:
            with self._mutex:
                self._take(whole_name, value, omit)
        finally:
            if self._is_to_be_closed:
                self._close(even_unused=True)

    def _is_inside(self):
        """Whether this was called by what `record` calls, or by a signal's handler that came into it."""
        return self._mutex._is_owned()

    def _wait_for_callbacks(self):
        if self._has_callbacks:
            import jax

            jax.effects_barrier()

    def _take(self, name, value, omit):
        if self._is_closing:
            raise ValueError("the recorder is closed")
        self._settle()
        if not self._is_wanted(name) or self._step % self._every:
            return self._counts.add(name, "filtered")
        if self._error is not None:
            return self._counts.add(name, "failed")
        try:
            self._pending = self._prepare(name, value, omit)
        except BaseException:
            self._counts.add(name, "failed")
            raise
        try:
            self._write(self._pending)
        except OSError as error:
            if error.filename is not None:  # Else it is none of the disk, but of a signal's handler.
                self._error = error
                self._settle()
                self._seal_what_is_whole()
            raise
        finally:
            self._settle()

    def _settle(self):
        """Counts the record that was being written, if an interrupt has not left that to the next call."""
        record = self._pending
        if record is not None and self._counts.calls(record.name) == record.call:
            self._counts.add(record.name, "kept" if self._next_sequence() > record.sequence else "failed")
        self._pending = None

    def _next_sequence(self):
        return self._sealed if self._segment is None else self._segment.first + self._segment.records

    def _is_wanted(self, name):
        if name not in self._wanted:
            self._wanted[name] = any(globs.matches(glob, name) for glob in self._only)
        return self._wanted[name]

    def _prepare(self, name, value, omit):
        start = SURROGATE.sub("\ufffd", f"{self._next_sequence():08}:{name}")
        names = Unlike()

        def name_of(path):
            return names.name(start + SURROGATE.sub("\ufffd", path.replace("/", ".")))

        if not hasattr(self._local, "thread"):
            self._local.thread = next(self._threads)
        writer = NodeWriter(name, name_of, omit)
        node = writer.node(value)
        record = segments.Prepared(
            sequence=self._next_sequence(),
            step=self._step,
            call=self._counts.calls(name),
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
            if is_full or segment.is_sealing or not segment.fits(record):
                self._seal(False)
        if self._segment is None:
            cost = record.cost + record.cost_of_name
            self._begin_segment(cost, self._room)
        self._segment.add(record)

    def _begin_segment(self, cost, room):
        needed = segments.in_pages(cost + segments.METADATA_ROOM + segments.PAGE)
        room = max(segments.in_pages(room), needed)
        self._segment = segments.Segment(self._folder, self._segment_number + 1, room, self._sealed)

    def _seal(self, closed):
        segment = self._segment
        # The next one gets what this one would have needed for all its data, but grows by steps.
        share = max(1, self._segment_bytes / max(segment.size, 1))
        most = max(min(2 * segment.room, segments.LARGEST_ROOM), 64 << 10)
        self._room = int(min(max(segment.bound * share * 1.25, 64 << 10), most))
        about = {"version": order.LAYOUT_VERSION, "segment": segment.number, "closed": closed, "run": self._run}
        try:
            segment.seal(self._counts.about(about), even_empty=closed)
        except OSError:
            self._leave(segment)
            segment.abandon()
            raise
        if closed:
            self._is_closed = True  # Before: another segment would be begun by who closes it again.
        self._leave(segment)

    def _leave(self, segment):
        self._sealed = segment.first + segment.records
        if segment.records:
            self._segment_number = segment.number
        self._segment = None

    def _seal_what_is_whole(self):
        if self._segment is None:
            return
        try:
            self._seal(False)
        except OSError:
            pass  # The journal says what is whole.

    def counts(self):
        """Of each name how many calls there were, and how many of them were kept, filtered or failed."""
        if self._is_inside():
            return self._counts.by_name()
        with self._mutex:
            self._settle()
            return self._counts.by_name()

    def attach(self, model, name="", *, only=("*",), steps=False, inputs=False):
        """Records the output of every module of a torch model whenever it is called.

        A module's record has its dotted name, behind `name` and a dot where that is given; the model
        itself is `name`, or "output". Outputs may be tensors, tuples, dicts and dataclasses, so
        those of `transformers` too; what in them cannot be recorded, such as a cache, is a text that
        says so. Modules come when they are done, the inner ones first.

        only: globs of the names that the modules' outputs are recorded by. steps: the step is one more
        after each call of the model.

        inputs: records what goes into the same modules too, before they begin, behind their name as
        `.input`: what was given by position, a tuple where that is several, or a dict of the
        keywords; of both the keywords are `.inputs`. Of a model without a name they are "input" and
        "inputs". Keywords take torch 2.0.

        What torch.compile made is compiled once more, with the hooks: then and when they are taken away.

        Returns a function that takes the hooks away; `close` does so as well. Raises ValueError where `only`
        matches no module and where the recorder is closed, TypeError for a module of torch.jit: they take no hooks.
        """
        if self._is_closed:
            raise ValueError("the recorder is closed")
        wanted = [only] if isinstance(only, str) else list(only)
        handles = hooks.attach(self._record_of_module, model, name, wanted, inputs)
        if steps:
            step_on = hooks.uncompiled(lambda *_: self.step(self._step + 1))
            handles.append(model.register_forward_hook(step_on))
        self._handles.append(handles)

        def detach():
            if handles in self._handles:
                hooks.remove(handles)
                self._handles.remove(handles)

        return detach

    def _record_of_module(self, name, value):
        if not self._is_closed:
            self._record(in_scopes(self, name), name, value, lambda what: None)

    def close(self):
        """Takes the hooks away and seals the last file. Raises what ended the recording.

        The last file says that the recording was closed and has the counts; there is one even where no
        record was kept. A signal's handler that came into `record` may call it: that record is written first.
        What a callback of a JAX function raised, it raises when all is sealed.
        """
        self._close(even_unused=True)

    def _close(self, even_unused):
        if os.getpid() != self._process:
            return
        if self._is_closed:
            self._unlock()  # If an interrupt came before it.
            return
        if self._is_inside():
            self._is_to_be_closed = True  # When the record is written.
            return
        failure = None
        try:
            self._wait_for_callbacks()
        except Exception as error:  # Of any callback of the program's: JAX tells of it whenever it is asked.
            failure = error
        with self._mutex:
            hooks.remove([*itertools.chain(*self._handles)])
            self._settle()
            try:
                if self._error is None:
                    self._close_last(even_unused)
            except Exception:
                self._end()
                raise
            self._end()
        if self._error is not None:
            raise self._error
        if failure is not None:
            raise failure

    def _end(self):
        self._is_closing = self._is_closed = True
        self._unlock()

    def _close_last(self, even_unused):
        if self._segment is not None and self._segment.is_sealing and not self._is_closing:
            self._seal(False)  # An interrupt came between: what it says of itself may be written.
        self._is_closing = True  # It may come again: closing goes on then, and nothing is recorded any more.
        if self._segment is None:
            if not self._counts and not even_unused:
                return
            # Who reads it would take a recording without a segment for one that was never closed.
            self._begin_segment(0, 0)
        self._seal(True)
