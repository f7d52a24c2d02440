"""Records values from a running Python program, in the layout of the C++ library's ActivationRecorder.

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

from safestructures_cpp import globs, hooks, segments, traced
from safestructures_cpp.counts import Counts
from safestructures_cpp.nodes import SURROGATE, NodeWriter, Unlike, dotted
from safestructures_cpp.recording import Record, records
from safestructures_cpp.scopes import Scope, in_scopes, step_in_scopes
from safestructures_cpp.segment_writer import SegmentWriter

__all__ = ["Record", "Recorder", "records"]


def as_step(number):
    """Returns the step as an int. Raises TypeError or ValueError if it is not a valid step."""
    number = operator.index(number)
    if not -(2**63) <= number < 2**63:
        raise ValueError("a step has at most 64 bits")
    return number


def check_name(name, what):
    """Raises TypeError or ValueError if it is not a valid name."""
    if not isinstance(name, str):
        raise TypeError(f"the name of {what} is a text, not {name!r}")
    if not name:
        raise ValueError(f"{what} has no name")


def unlock(lock, process):
    """Closes a folder's lock; in the process that took it, also releases it.

    Closing alone leaves it to the processes that were forked meanwhile, such as the workers of a DataLoader.
    """
    if os.getpid() == process:
        fcntl.flock(lock, fcntl.LOCK_UN)
    os.close(lock)


class Recorder:
    """Writes records to files in a folder while the program runs.

    Once `record` returns, the value is written: however the process dies, no complete record is lost. (A loss of
    power may lose some.) An interrupt costs only the record that it interrupted. Several threads may record at
    once.
    """

    def __init__(self, folder, *, only=("*",), every=1, segment_bytes=256 << 20):
        """Begins a recording in a folder, which is created if it does not exist.

        only: globs as in the C++ library; records whose names match none are left out and counted.
        every: records of steps that are not multiples of it are left out and counted as well.
        segment_bytes: the largest number of data bytes in one file. A larger record gets a file of its own.

        Raises FileExistsError if the folder already holds a recording, BlockingIOError if another recorder
        writes to it.
        """
        every, segment_bytes = operator.index(every), operator.index(segment_bytes)
        if every < 1 or segment_bytes < 1:
            raise ValueError("every and segment_bytes must be at least 1")
        self._folder = pathlib.Path(folder).absolute()  # The program may change its working directory.
        self._only = [only] if isinstance(only, str) else list(only)
        self._every = every
        self._folder.mkdir(parents=True, exist_ok=True)
        self._process = os.getpid()
        self._mutex = threading.RLock()
        self._local = threading.local()
        self._threads = itertools.count()
        self._step = 0
        self._counts = Counts()
        self._wanted = {}  # Whether a glob matches, for each name.
        self._pending = None  # The record that is being written.
        self._writer = SegmentWriter(self._folder, segment_bytes, self._counts)
        self._error = None
        self._has_ended = False
        self._is_to_be_closed = False
        self._has_callbacks = False
        self._handles = []
        self._lock = os.open(self._folder / "recording.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            self._lock_folder()
            if any(self._folder.glob("segment-*")):
                raise FileExistsError(
                    f"{self._folder}: the folder already holds a recording. Record into another"
                    " folder, or remove this one."
                )
        except BaseException:
            os.close(self._lock)
            raise
        # On garbage collection, too: a recording that was never closed can then be recovered.
        self._unlock = weakref.finalize(self, unlock, self._lock, self._process)

    def _lock_folder(self):
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            said = f"{error.strerror}: the folder cannot be locked. Record into one of another file system"
            if isinstance(error, BlockingIOError):
                said = "another recorder writes to the folder. Close it, or end its process and those that it forked"
            raise OSError(error.errno, said, str(self._folder)) from error

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        # After a failure before the first call of `record`, no segment is written: the folder can be used again.
        self._close(even_unused=kind is None)

    def scope(self, name):
        """`with recorder.scope("decoder"):` prefixes names in this thread or task with the name and a dot.

        A function that JAX traces keeps the scope of the call that traced it.
        """
        check_name(name, "a scope")
        return Scope(self, name=name)

    def step(self, number):
        """Sets the step of everything recorded from now on, by all threads that are not in a `step_scope`. It is 0 at
        first.

        In a staged JAX function, the step is set whenever the function runs, and `number` may be traced.
        """
        is_traced = traced.is_tracer(number)
        number = number if is_traced else as_step(number)
        if is_traced or traced.is_staged():
            self._has_callbacks = True
            traced.call_back_step(self._set_step, number)
            return
        self._wait_for_callbacks()
        self._step = number

    def step_scope(self, number):
        """`with recorder.step_scope(i):` gives everything that this thread or task records a step of its own.

        For programs that work on several inputs at once, such as servers, whose records are otherwise not known to
        belong together. The innermost one counts. What a staged JAX function records has the step of `step`: JAX may
        run it in a thread of its own.
        """
        return Scope(self, step=as_step(number))

    def _set_step(self, number):
        self._step = as_step(number)

    def record(self, name, value):
        """Records a value: tensors of NumPy, torch and JAX, numbers, texts, and containers of these.

        In a JAX function that is staged (by jit, scan, cond and the like) the call becomes a callback, whether the
        value is traced or not: the function records whenever it runs, in the order of the calls. Values that are not
        traced are recorded as they were when `record` was called. Under grad and vmap alone, only traced values
        become callbacks, under vmap one for each row. The package's README tells where JAX leaves out callbacks.

        Raises TypeError for a value that cannot be recorded, and ValueError for one that exceeds what readers accept
        (200 levels, 4300 digits, 64 dimensions, keys that are equal to them) or that needs more than the 100,000,000
        bytes of a file's header in addition to its tensors. Raises OSError once if the disk ends the recording; from
        then on, records are counted as failed.
        """
        self._record(name, value, None)

    def _record(self, name, value, omit):
        check_name(name, "a record")
        whole_name = in_scopes(self, name)
        whole_name.encode()  # UnicodeEncodeError: names are UTF-8.
        own = step_in_scopes(self)
        is_staged = traced.is_staged()
        if is_staged or traced.has_tracer(value):
            self._has_callbacks = True
            # If the name is left out, only the call is counted, whatever the value is.
            found = value if self._is_wanted(whole_name) else None
            # JAX calls back in this thread or in another one: scopes that are open there must make no difference.
            own = None if is_staged else own
            traced.call_back(lambda late: self._record_now(whole_name, late, omit, own), whole_name, found, omit)
            return
        if self._has_callbacks:
            # Computing the value may itself record in another thread, which would block while this one is in `_take`.
            traced.wait_for(value)
        self._record_now(whole_name, value, omit, own)

    def _record_now(self, whole_name, value, omit, own):
        self._refuse_fork()
        if self._is_inside():
            raise RuntimeError(
                "record was called while this thread was recording, from code of the value or from a signal handler:"
                " call it when the first call has returned"
            )
        try:
            with self._mutex:
                self._take(whole_name, value, omit, own)
        finally:
            self._close_if_asked()

    def _refuse_fork(self):
        # Its lock may be held for ever, by a thread that the forked process does not have.
        if os.getpid() != self._process:
            raise RuntimeError("a forked process cannot use its parent's recorder: make a new one in it")

    def _close_if_asked(self):
        """Closes the recorder if a signal handler or a value's code called `close` while this thread was inside."""
        if self._is_to_be_closed:
            self._close(even_unused=True)

    def _is_inside(self):
        """Whether the caller runs inside `record`: it was called by it, or by a signal handler that interrupted it."""
        return self._mutex._is_owned()

    def _wait_for_callbacks(self):
        if self._has_callbacks:
            import jax

            jax.effects_barrier()

    def _take(self, name, value, omit, own):
        if self._is_closing:
            if omit is not None:
                return None  # From a hook: another thread may be inside the model when the recorder is closed.
            raise ValueError("the recorder is closed")
        self._settle()
        step = self._step if own is None else own
        if not self._is_wanted(name) or step % self._every:
            return self._counts.add(name, "filtered")
        if self._error is not None:
            return self._counts.add(name, "failed")
        try:
            self._pending = self._prepare(name, step, value, omit)
        except BaseException:
            self._counts.add(name, "failed")
            raise
        try:
            self._writer.write(self._pending)
        except OSError as error:
            if error.filename is not None:  # Otherwise it comes not from the disk but from a signal handler.
                self._error = error
                self._settle()
                self._writer.seal_what_is_whole()
            raise
        finally:
            self._settle()

    def _settle(self):
        """Counts the record that was being written, if any. If an interrupt prevents that, the next call does it."""
        record = self._pending
        if record is not None and self._counts.calls(record.name) == record.call:
            self._counts.add(record.name, "kept" if self._writer.next_sequence > record.sequence else "failed")
        self._pending = None

    def _is_wanted(self, name):
        if name not in self._wanted:
            self._wanted[name] = any(globs.matches(glob, name) for glob in self._only)
        return self._wanted[name]

    def _prepare(self, name, step, value, omit):
        start = SURROGATE.sub("\ufffd", f"{self._writer.next_sequence:08}:{name}")
        names = Unlike()

        def name_of(path):
            place = SURROGATE.sub("\ufffd", dotted(path))
            return names.name(f"{start}.{place}" if place else start)

        if not hasattr(self._local, "thread"):
            self._local.thread = next(self._threads)
        writer = NodeWriter(name, name_of, omit)
        node = writer.node(value)
        record = segments.Prepared(
            sequence=self._writer.next_sequence,
            step=step,
            call=self._counts.calls(name),
            time=time.time_ns(),
            name=name,
            thread=self._local.thread,
            node=segments.text(node),
            tensors=writer.tensors,
        )
        record.check_size()
        return record

    def counts(self):
        """Returns, for each name, the number of calls and how many of them were kept, filtered or failed.

        Raises RuntimeError in a forked process.
        """
        self._refuse_fork()
        if self._is_inside():
            return self._counts.by_name()
        try:
            with self._mutex:
                self._settle()
                return self._counts.by_name()
        finally:
            self._close_if_asked()

    def attach(self, model, name="", *, only=("*",), steps=False, inputs=False):
        """Records the output of every module of a torch model whenever the module is called.

        A record has the dotted name of its module, prefixed with `name` and a dot if a name is given; the model
        itself is `name`, or "output". Outputs may be tensors, tuples, dicts and dataclasses, including those of
        `transformers`; parts that cannot be recorded, such as a cache, become a text that says so. Modules are
        recorded when they finish, inner ones first.

        only: globs for the names under which outputs are recorded. steps: increments the step after each call
        of the model.

        inputs: also records the inputs of the same modules, before they begin, under their name and `.input`:
        the positional arguments (a tuple if there are several) or, if there are none, a dict of the keyword
        arguments; if there are both, the keyword arguments are `.inputs`. For a model without a name they are
        "input" and "inputs". Keyword arguments require torch 2.0.

        torch.compile compiles its models again, with the hooks, and once more after the hooks are removed.

        Returns a function that removes the hooks; `close` removes them as well. Raises ValueError if `only`
        matches no module or the recorder is closed, and TypeError for modules of torch.jit, which take no hooks.
        """
        if self._is_closed:
            raise ValueError("the recorder is closed")
        wanted = [only] if isinstance(only, str) else list(only)
        step_on = (lambda: self.step(self._step + 1)) if steps else None
        handles = hooks.attach(self._record_of_module, model, name, wanted, inputs, step_on)
        self._handles.append(handles)

        def detach():
            if handles in self._handles:
                hooks.remove(handles)
                self._handles.remove(handles)

        return detach

    def _record_of_module(self, name, value):
        if not self._is_closed:
            self._record(name, value, lambda what: None)

    def close(self):
        """Removes the hooks and seals the last file. Raises the error that ended the recording, if any.

        The last file states that the recording was closed and holds the counts; it is written even if no record
        was kept. A signal handler that interrupts `record` may call `close`: that record is written first. An
        error from a callback of a JAX function is raised once everything is sealed.
        """
        self._close(even_unused=True)

    def _close(self, even_unused):
        if os.getpid() != self._process:
            return
        if self._is_closed:
            self._unlock()  # An interrupt may have prevented it before.
            return
        if self._is_inside():
            self._is_to_be_closed = True  # As soon as the record is written.
            return
        failure = None
        try:
            self._wait_for_callbacks()
        except Exception as error:  # From any callback of the program; JAX raises it again at every call.
            failure = error
        with self._mutex:
            # Another thread or a signal handler may have closed it since: a second closing segment would be a fault.
            if not self._is_closed:
                self._close_now(even_unused)
        if self._error is not None:
            raise self._error
        if failure is not None:
            raise failure

    def _close_now(self, even_unused):
        hooks.remove([*itertools.chain(*self._handles)])
        self._settle()
        try:
            if self._error is None:
                self._writer.close(even_unused)
        except Exception:
            self._end()
            raise
        self._end()

    def _end(self):
        self._has_ended = True
        self._unlock()

    @property
    def _is_closing(self):
        return self._has_ended or self._writer.is_closing

    @property
    def _is_closed(self):
        return self._has_ended or self._writer.is_closed
