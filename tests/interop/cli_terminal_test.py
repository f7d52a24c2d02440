"""The command line at a terminal, in colours, at a broken output, and on a file that changes as it reads."""

import os
import pathlib
import pty
import re
import resource
import select
import signal
import subprocess
import tempfile
import time

import checks
import cli_files
from cli_outcomes import CLI, expect, run, run_checks


def start_verify(folder, size, stderr):
    """`verify` of a file of that many zeros, their holes in memory; the file and where they begin."""
    path = pathlib.Path(folder) / "large.safetensors"
    begin = cli_files.make_sparse(path, size)
    process = subprocess.Popen(
        [CLI, "verify", path.name],
        cwd=path.parent,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, "NO_COLOR": "1"},
        text=True,
    )
    return process, path, begin


# Of tmpfs, reading holes costs no memory; on a disk they fill the cache.
SPARSE = "/dev/shm" if os.path.isdir("/dev/shm") else None
# Read in no less than seconds by any machine, so that what is to happen meanwhile does.
NEVER_READ_WHOLE = 256 << 30


def read_terminal(parent, seconds):
    """What comes to a terminal within that time, or nothing."""
    return os.read(parent, 10000).decode() if select.select([parent], [], [], seconds)[0] else ""


def check_progress(_):
    """Of 1 GiB and more, a terminal sees how far the work is, from the second second on."""
    parent, child = pty.openpty()
    with tempfile.TemporaryDirectory(dir=SPARSE) as folder:
        process, path, _ = start_verify(folder, NEVER_READ_WHOLE, child)
        shown = ""
        while not re.search(r"[1-9]\d* %", shown) and (more := read_terminal(parent, 60)):
            shown += more
        os.truncate(path, 0)
        process.communicate(timeout=60)
        line = r"(\r\x1b\[Kverifying large\.safetensors: \d+ % of 256\.0 GiB, [\d.]+ \w+/s)+\r\x1b\[K"
        told = "safestructures: large.safetensors: at zeros: the file ends inside a tensor: "
        # A busy machine's terminal hands it over in parts.
        while told not in shown and (more := read_terminal(parent, 5)):
            shown += more
        expect(f"the progress, {shown!r}", True, bool(re.match(line + told, shown)))

        for size, cleared in ((1 << 30, "\r\x1b[K"), ((1 << 30) - 1, "")):
            process, _, _ = start_verify(folder, size, child)
            output = process.communicate()[0]
            expect(f"{size} bytes", "large.safetensors: ok, 1 tensor, 1.0 GiB\n", output)
            # A slow machine shows lines before the one that clears them.
            shown = read_terminal(parent, 0)[-len("\r\x1b[K") :]
            expect(f"the progress of {size} bytes", cleared, shown)

        process, _, _ = start_verify(folder, 1 << 30, subprocess.PIPE)
        expect("progress for a program", "", process.communicate()[1])
    os.close(parent)
    os.close(child)


def check_progress_of_two(_):
    """`diff` tells how far it is in both files together."""
    parent, child = pty.openpty()
    with tempfile.TemporaryDirectory(dir=SPARSE) as folder:
        for name in ("a", "b"):
            cli_files.make_sparse(pathlib.Path(folder) / f"{name}.safetensors", NEVER_READ_WHOLE)
        process = subprocess.Popen(
            [CLI, "diff", "a.safetensors", "b.safetensors"], cwd=folder, stdout=subprocess.PIPE, stderr=child
        )
        shown = ""
        while not re.search(r"[1-9]\d* %", shown) and (more := read_terminal(parent, 60)):
            shown += more
        process.kill()
        process.communicate(timeout=60)
    line = r"(\r\x1b\[Kcomparing a\.safetensors and b\.safetensors: \d+ % of 512\.0 GiB, [\d.]+ \w+/s)+"
    expect(f"the progress, {shown!r}", True, bool(re.fullmatch(line, shown)))
    os.close(parent)
    os.close(child)


def check_cut_while_reading(_):
    """A file that is cut short while `verify` reads it is an error, not a crash."""
    with tempfile.TemporaryDirectory(dir=SPARSE) as folder:
        process, path, begin = start_verify(folder, NEVER_READ_WHOLE, subprocess.PIPE)
        position = 0
        while position < 32 << 20 and process.poll() is None:
            position = bytes_read(process)
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        ahead = (bytes_read(process) // (64 << 20) + 1) * (64 << 20)
        os.truncate(path, begin + ahead + 10)
        process.send_signal(signal.SIGCONT)
        output, errors = process.communicate(timeout=60)
    expect(
        "cut short",
        (
            1,
            "",
            f"safestructures: {path.name}: at zeros: the file ends inside a tensor: expected 4194304"
            f" bytes, found 10 (byte {begin + ahead}). It may have been cut short while it was copied or"
            " downloaded.\n",
        ),
        (process.returncode, output, errors),
    )


def bytes_read(process):
    counters = pathlib.Path(f"/proc/{process.pid}/io").read_text().split()
    return int(counters[counters.index("rchar:") + 1])


def check_output_failures(folder):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [CLI, "show", "model.safetensors"], cwd=folder, stdout=full, stderr=subprocess.PIPE
        )
    expect("a full disk", 2, done.returncode)
    expect(
        "a full disk: the reason",
        b"safestructures: cannot write to the standard output: No space left on device.\n",
        done.stderr,
    )
    golden = checks.GOLDEN / "a_list_of_10000_entries.safetensors"
    done = subprocess.run(
        ["bash", "-c", '"$0" show --all "$1" | head -1', CLI, golden], capture_output=True
    )
    expect("a closed pipe is no error", b"", done.stderr)


def hidden(folder):
    return sorted(path.name for path in pathlib.Path(folder).iterdir() if path.name.startswith("."))


def check_limit_of_size(folder):
    """A file that may grow no further is an error, not the end of the tool, and is not left behind."""
    done = run(
        folder, "convert", "many.safetensors", "out.safetensors",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    expect("beyond the limit of a file", (2, ""), (done.returncode, done.stdout))
    expect("beyond the limit: the reason", True, "File too large" in done.stderr and "ulimit -f" in done.stderr)
    expect("beyond the limit: one line", 1, done.stderr.count("\n"))
    expect("beyond the limit: nothing is left", [], hidden(folder))
    expect("beyond the limit: no file", False, (pathlib.Path(folder) / "out.safetensors").exists())


def check_interrupted(_):
    """Whom a signal ends removes the file that is not complete."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        with tempfile.TemporaryDirectory(dir=SPARSE) as folder:
            cli_files.make_sparse(pathlib.Path(folder) / "zeros.safetensors", 4 << 30)
            process = subprocess.Popen(
                [CLI, "convert", "zeros.safetensors", "out.safetensors.gz", "--threads", "1"],
                cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                # Who runs the tests may have them ignored.
                preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
            )
            while not hidden(folder) and process.poll() is None:
                time.sleep(0.005)
            process.send_signal(number)
            output, errors = process.communicate(timeout=60)
            expect(f"{number.name}: it ends by it", (-number, b"", b""), (process.returncode, output, errors))
            expect(f"{number.name}: what is left", ["zeros.safetensors"], sorted(os.listdir(folder)))


def check_terminal(folder):
    """A string goes to programs as it is, and to a terminal without what would steer it."""
    raw = run(folder, "get", "hostile.safetensors", "/\x1b[2Jkey").stdout
    expect("a str for a program", "\x1b]0;title\x07\n", raw)
    parent, child = pty.openpty()
    subprocess.run(
        [CLI, "get", "hostile.safetensors", "/\x1b[2Jkey"], cwd=folder, stdout=child, check=True
    )
    os.close(child)
    shown = os.read(parent, 1000)
    os.close(parent)
    expect("a str for a terminal", b"\\x1b]0;title\\x07\r\n", shown)
    for options in (["show", "--json"], ["show"]):
        text = run(folder, *options, "hostile.safetensors").stdout
        unsafe = [c for c in text if c != "\n" and not (c.isprintable() or c in "├─└│")]
        expect(f"{options}: nothing unsafe", [], unsafe)
    missing = run(folder, "show", "\x1b[31mred").stderr
    expect("an error without escapes", True, "\\x1b[31mred" in missing and "\x1b" not in missing)


def at_terminal(folder, args, **environment):
    parent, child = pty.openpty()
    variables = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    subprocess.run(
        [CLI, *args], cwd=folder, stdout=child, stderr=child,
        env={**variables, "TERM": "xterm", **environment},
    )
    os.close(child)
    shown = b""
    try:
        while more := os.read(parent, 10000):
            shown += more
    except OSError:  # The end, of a terminal that nobody has open any more.
        pass
    os.close(parent)
    return shown.decode().replace("\r\n", "\n")


def check_colours(folder):
    """A terminal sees colours, and the same text without them where it asks for none."""
    for args in (["show", "model.safetensors"], ["verify", "model.safetensors"], ["show", "nothing"]):
        plain = run(folder, *args)
        shown = at_terminal(folder, args)
        expect(f"{args}: colours", True, "\x1b[" in shown)
        expect(f"{args}: the text", plain.stdout + plain.stderr, re.sub(r"\x1b\[[\d;]*m", "", shown))
        for variable in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            expect(f"{args}: {variable}", plain.stdout + plain.stderr, at_terminal(folder, args, **variable))
    tree = at_terminal(folder, ["show", "hostile.safetensors", "/"])
    expect("a key", True, '\x1b[36m"quote\\""\x1b[0m: "back' in tree)


run_checks(
    check_progress, check_progress_of_two, check_cut_while_reading, check_output_failures, check_limit_of_size,
    check_interrupted, check_terminal, check_colours,
)
