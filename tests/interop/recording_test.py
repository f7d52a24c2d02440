"""Python opens what a recorder writes, recovered or closed; what `safestructures recover` says."""

import fcntl
import pathlib
import shutil
import subprocess

import checks
import numpy as np
import safestructures
from safestructures_cpp.recorder import records
from safetensors import safe_open

CLI = checks.cli()
NAMES = ["decoder.out", "decoder.bytes", "decoder.doubles", "decoder.sum"]


def recover(folder):
    """Exit code, standard output, standard error."""
    done = subprocess.run(
        [CLI, "recover", folder], capture_output=True, text=True, timeout=checks.LONGEST_RUN_SECONDS
    )
    return done.returncode, done.stdout, done.stderr


def value_of(name, step):
    return {
        "decoder.bytes": np.full(step, 7, np.uint8),
        "decoder.doubles": {step: np.array([0.5])},
        "decoder.sum": 0.25 * step,
    }[name]


def check_value(report, place, record):
    if record.name == "decoder.out":
        found = (record.value.hidden.tolist(), record.value.text)
        if found != ([record.step, record.step + 1], f"step {record.step}"):
            report.fail(place, f"found {found}")
        return
    expected = value_of(record.name, record.step)
    try:
        np.testing.assert_equal(record.value, expected)
    except AssertionError as error:
        report.fail(place, str(error))


def check_records(report, folder):
    """Every record in the folder's segments, by our package, by Python's alone and as plain tensors."""
    found = list(records(folder))
    segments = sorted(folder.glob("*.safetensors"))
    if len(segments) < 3:
        report.fail(folder, f"expected three segments at least, found {len(segments)}")
    plain = []
    for segment in segments:
        run = safestructures.load_file(segment)
        plain += [(run.names[name], step) for name, step in zip(run.name, run.step, strict=True)]
        with safe_open(segment, "np") as file:
            for name in file.keys():
                file.get_tensor(name)
            if '"version": 2' not in file.metadata()["safestructures_recording"]:
                report.fail(segment, "no metadata of the recording")
    # The rule keeps three of the four sums.
    expected = [(name, step) for step in range(4) for name in NAMES][:-1]
    if [(record.name, record.step) for record in found] != expected or plain != expected:
        report.fail(folder, f"expected {expected}, found {found} and {plain}")
    for sequence, record in enumerate(found):
        report.count("records")
        place = f"{folder}, record {sequence}"
        if (record.sequence, record.call, record.kept) != (sequence, record.step, "full"):
            report.fail(place, f"found {record}")
        check_value(report, place, record)


def expect(report, what, expected, found):
    report.count("recoveries")
    if expected != found:
        report.fail(what, f"expected {expected!r}, found {found!r}")


def main():
    report = checks.Report()
    folder = pathlib.Path("recordings")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    subprocess.run([CLI.parent / "interop" / "recordings", folder], check=True)
    check_records(report, folder / "closed")
    expect(report, "closed", 0, recover(folder / "closed")[0])

    killed = folder / "killed"
    damaged = folder / "damaged"
    shutil.copytree(killed, damaged)
    last = sorted(killed.glob("*.part"))[0].stem
    segments = len(list(killed.glob("*.safetensors"))) + 1
    code, out, error = recover(killed)
    first_line, second_line = out.splitlines()
    count = int(first_line.split()[1])
    plural = "" if count == 1 else "s"
    lines = [
        f"{last}.safetensors: {count} record{plural} recovered",
        f"{segments} segments, {count} record{plural} recovered, 0 lost",
    ]
    expect(report, "killed", (0, lines, ""), (code, [first_line, second_line], error))
    check_records(report, killed)
    nothing = f"ok, {segments} segments, nothing to recover\n"
    expect(report, "again", (0, nothing, ""), recover(killed))
    for segment in killed.glob("*.safetensors"):
        done = subprocess.run([CLI, "verify", segment], capture_output=True, text=True)
        expect(report, segment.name, 0, done.returncode)

    # A byte of the last segment's data is another.
    part = damaged / f"{last}.part"
    content = bytearray(part.read_bytes())
    content[-1] ^= 1
    part.write_bytes(content)
    code, out, error = recover(damaged)
    lost = f"safestructures: {last}.part: the data of 1 record are damaged or missing\n"
    expect(report, "damaged", (1, lost), (code, error))

    with open(damaged / "recording.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        busy = (
            f"safestructures: {damaged}: the recording is still being written: expected a folder that no process"
            " writes to, found its lock held by a running process. Close the recorder, or end its process and those that it forked.\n"
        )
        expect(report, "busy", (2, "", busy), recover(damaged))
    code, _, error = recover(folder / "none")
    expect(report, "none", (2, True), (code, "cannot open the folder of a recording" in error))
    report.finish()


main()
