"""What Python's `records` gives of recordings by C++, and what it says of what is none."""

import copy
import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys
import time
import warnings

import numpy as np
import safestructures
from cli_outcomes import CLI, expect, raised, run, run_checks
from safestructures.constants import SCHEMA_FIELD
from safestructures_cpp import nodes, order, recording, segment_front, small_floats
from safestructures_cpp.recorder import Recorder, records
from safetensors import safe_open
from safetensors.numpy import load_file, save_file


@dataclasses.dataclass
class Segment:
    """Three records in one tensor, as Python's package writes it: the name of the class is not in the file."""

    names: list
    sequence: np.ndarray
    step: np.ndarray
    call: np.ndarray
    time: np.ndarray
    name: np.ndarray
    thread: np.ndarray
    value: np.ndarray
    row: np.ndarray
    kept: np.ndarray
    values: list

    @classmethod
    def of_rows(cls, rows, **others):
        columns = {name: np.arange(3, dtype=kind) for name, (_, kind) in segment_front.COLUMNS.items()}
        columns |= {"name": np.zeros(3, np.uint32), "value": np.zeros(3, np.uint32), "names": ["x"], "values": [rows]}
        return cls(**{**columns, **others})


def check_records(folder):
    """Records of C++, rows of one tensor among them, one by one, and without this package."""
    folder = pathlib.Path(folder)
    subprocess.run([CLI.parent / "interop" / "recordings", folder, "rows"], check=True)
    expect("nothing is sealed", [], list(records(folder / "rows")))
    # It sees all at once, so that there is one tensor, whatever the recorder wrote together.
    run(folder, "recover", "rows")
    segment = folder / "rows" / "segment-000001.safetensors"
    for path in (folder / "rows", str(segment)):
        found = list(records(path))
        said = [(one.name, one.step, one.call, one.sequence, one.kept) for one in found]
        expect(f"{path}: what is said", [("layer", 0, n, n, "full") for n in range(3)], said)
        expect(f"{path}: values", [[1, 2, 3]] * 3, [one.value.tolist() for one in found])
        expect(f"{path}: one thread", 1, len({one.thread for one in found}))
        expect(f"{path}: times", True, 0 < found[0].time <= found[2].time <= time.time_ns())
        owners = [one.value.base for one in found]
        expect(f"{path}: views of one", True, owners[0] is not None and owners[0] is owners[2])
    expect("a record is frozen", True, "cannot assign" in raised(AttributeError, lambda: setattr(found[0], "step", 1)))

    plain = safestructures.load_file(segment)
    expect("plain: names", ["layer"], plain.names)
    columns = [column.tolist() for column in (plain.sequence, plain.value, plain.row)]
    expect("plain: columns", [[0, 1, 2], [0, 0, 0], [0, 1, 2]], columns)
    expect("plain: values", [[[1, 2, 3]] * 3], [value.tolist() for value in plain.values])

    subprocess.run([CLI.parent / "interop" / "recordings", folder, "kept"], check=True)
    found = list(records(folder / "kept"))
    said = [(one.name, one.kept) for one in found]
    expect("kept", [("whole", "full"), ("part", "slice"), ("brief", "statistics")], said)
    expect("a slice", [1, -2], found[1].value.tolist())
    expect("statistics", (4, "F32"), (found[2].value["x"].count, found[2].value["x"].dtype))


def check_segments_read(folder):
    """Segments come by their numbers; what is none is told of, with its name."""
    folder = pathlib.Path(folder)
    (folder / "some").mkdir()
    later = Segment.of_rows(np.arange(3.0), sequence=np.arange(3, 6, dtype=np.uint64))
    safestructures.save_file(later, folder / "some" / "segment-1000000.safetensors")
    safestructures.save_file(Segment.of_rows(np.ones((4, 2))), folder / "some" / "segment-999999.safetensors")
    for other in (
        "segment-000002.part",
        "segment-7.safetensors",
        "segment-0000007.safetensors",
        "segment-000000.safetensors",
        "segment-٠٠٠٠٠٧.safetensors",
        f"segment-{(1 << 48) + 1}.safetensors",
        "notes.txt",
    ):
        (folder / "some" / other).write_text("another's")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = list(records(folder / "some"))
    missing = f"{folder / 'some'}: segments 1 to 999998 are missing"
    expect("those that are not there", [missing], [str(one.message) for one in caught])
    expect("in order", [[1, 1]] * 3 + [0, 1, 2], [one.value.tolist() for one in found])
    expect("a row of one number", ((), False), (found[3].value.shape, found[3].value.flags.owndata))

    (folder / "empty").mkdir()
    none = raised(FileNotFoundError, lambda: records(folder / "empty"))
    expect("a folder", True, none.startswith(f"{folder}/empty: the folder is not a recording: expected segment-000001"))
    (folder / "empty" / "segment-0000001.safetensors").write_text("another's")
    expect("no segment of ours", none, raised(FileNotFoundError, lambda: records(folder / "empty")))
    none = raised(FileNotFoundError, lambda: records(folder / "none"))
    expect("nothing", f"{folder}/none: there is no such folder or file", none)
    rows = np.zeros((3, 2))
    file = folder / "forged.safetensors"
    for made, why in [
        ([1, 2], "it has no list of names"),
        (Segment.of_rows(rows, values=rows), "it has no list of values"),
        (Segment.of_rows(rows, step=[0, 1, 2]), "it has no column step"),
        (Segment.of_rows(rows, step=np.arange(3.0)), "it has no column step"),
        (Segment.of_rows(rows, step=np.zeros((3, 1), np.int64)), "it has no column step"),
        (Segment.of_rows(rows, time=np.arange(2)), "its column time has 2 numbers, not 3"),
        (Segment.of_rows(rows, name=np.array([0, 1, 0], np.uint32)), "its column name has 1, not below 1"),
        (Segment.of_rows(rows, value=np.array([0, 9, 0], np.uint32)), "its column value has 9, not below 1"),
        (Segment.of_rows(rows, kept=np.array([0, 3, 0], np.uint8)), "its column kept has 3, not below 3"),
        (Segment.of_rows(rows, row=np.array([0, 3, 0], np.int32)), "its column row has 3, which its value 0 does not have"),
        (Segment.of_rows(rows, row=np.array([0, -2, 0], np.int32)), "its column row has -2, which its value 0 does not have"),
        (Segment.of_rows(rows[0, 0:1].reshape(())), "its column row has 0, which its value 0 does not have"),
        (Segment.of_rows("abc"), "its column row has 0, which its value 0 does not have"),
    ]:
        safestructures.save_file(made, file)
        problem = f"{file}: the file is not a sealed segment of a recording: {why}"
        expect(why, problem, raised(ValueError, lambda: list(records(file))))
    save_file({"x": rows}, file)
    expect("plain tensors", True, raised(ValueError, lambda: list(records(file))).endswith("it has no schema"))
    file.write_bytes(b"")
    problem = raised(ValueError, lambda: list(records(file)))
    expect("no tensors", True, problem.startswith(f"{file}: the file is not a sealed segment of a recording: "))


def check_versions(folder):
    """Recordings of an earlier version with this layout are read, other layouts refused, with what to do."""
    earlier = pathlib.Path(__file__).resolve().parents[1] / "golden" / "earlier"
    found = list(records(earlier / "2026-11-24" / "closed"))
    expect("an earlier version's", 16, len(found))
    expect("its first record", ("block.out", 0, [0, 1]), (found[0].name, found[0].step, found[0].value.tolist()))
    file = pathlib.Path(folder) / "segment.safetensors"
    rows = Segment.of_rows(np.zeros((3, 2)))
    for version, other in (("1", "the safestructures that recorded it"), ("3", "a newer safestructures")):
        safestructures.save_file(rows, file, metadata={order.METADATA_KEY: f'{{"version": {version}}}'})
        expect(
            f"version {version}",
            f"{file}: the segment of a recording has an unknown layout: expected version 2, found"
            f" {version}. Read the recording with {other}, or open this file alone as a structure.",
            raised(ValueError, lambda: list(records(file))),
        )
    for said in ('{"version": 2}', '{"version": "3"}', "{}", "[]", "no JSON", "[" * 5000 + "]" * 5000):
        safestructures.save_file(rows, file, metadata={order.METADATA_KEY: said})
        expect(said[:20], 3, len(list(records(file))))
    segment = earlier / "2026-11-22" / "closed" / "segment-000001.safetensors"
    problem = raised(ValueError, lambda: list(records(segment.parent)))
    expect("before the columns", True, problem.startswith(f"{segment}: the segment of a recording has an unknown layout"))


def check_changed_schemas(folder):
    """Whatever a schema says, the error is a ValueError that names the file, and no module is loaded for a name."""
    folder = pathlib.Path(folder)
    with Recorder(folder / "changed") as recorder:
        recorder.record("a", {"k": [1, 2.5, None, "x", b"z"], 2: 1 + 2j})
        recorder.record("b", np.ones(2))
    file = folder / "changed" / "segment-000001.safetensors"
    with safe_open(file, "np") as opened:
        schema = json.loads(opened.metadata()[SCHEMA_FIELD])
    tensors = load_file(file)

    def places(node):
        keys = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        return [place for key in keys for place in [(node, key), *places(node[key])]]

    def error_of(changed):
        save_file(tensors, file, {SCHEMA_FIELD: json.dumps(changed)})
        try:
            list(records(file))
        except Exception as error:
            return type(error).__name__, str(error)
        return "", ""

    for i in range(len(places(schema))):
        for other in (None, 5, "x", "", [], {}, "int", "numpy.ndarray", "SafestructuresDataclass", [[1]]):
            changed = copy.deepcopy(schema)
            node, key = places(changed)[i]
            node[key] = other
            kind, text = error_of(changed)
            if kind and (kind != "ValueError" or not text.startswith(f"{file}: ")):
                expect(f"node {i} as {other!r}", f"a ValueError of {file}", f"{kind}: {text}")
    (folder / "loaded_by_a_name.py").write_text("loaded = True")
    sys.path.insert(0, str(folder))
    try:
        schema["value"]["values"]["value"][0] = {"data_type": "loaded_by_a_name.loaded", "value": None}
        why = "the file is not a sealed segment of a recording: the type 'loaded_by_a_name.loaded' is unknown"
        expect("a module's name", ("ValueError", f"{file}: {why}"), error_of(schema))
    finally:
        sys.path.remove(str(folder))
    expect("it is not loaded", False, "loaded_by_a_name" in sys.modules)


def check_types_of_tensors(folder):
    """Tensors that C++ loaded from a file of another framework, and recorded, are arrays without that framework."""
    folder = pathlib.Path(folder)
    with Recorder(folder / "types") as recorder:
        recorder.record("x", [np.full(2, i) for i in range(len(recording.TENSORS))])
        recorder.record("y", [np.bool_(True)] * 2)
    file = folder / "types" / "segment-000001.safetensors"
    with safe_open(file, "np") as opened:
        schema = json.loads(opened.metadata()[SCHEMA_FIELD])
    # C++ writes them as it read them.
    for node, name in zip(schema["value"]["values"]["value"][0]["value"], recording.TENSORS):
        node["data_type"] = name
    for node, name in zip(schema["value"]["values"]["value"][1]["value"], ("numpy.bool", "numpy.bool_")):
        node["data_type"] = name
    save_file(load_file(file), file, {SCHEMA_FIELD: json.dumps(schema)})
    x, y = records(file)
    arrays = [(np.ndarray, [i, i]) for i in range(len(recording.TENSORS))]
    expect("arrays", arrays, [(type(one), one.tolist()) for one in x.value])
    expect("truth values of both NumPys", [(np.bool_, True)] * 2, [(type(one), bool(one)) for one in y.value])
    expect("C++", 0, run(folder, "convert", file, "again.safetensors").returncode)
    with safe_open(folder / "again.safetensors", "np") as opened:
        expect("the same types", schema, json.loads(opened.metadata()[SCHEMA_FIELD]))


def check_small_floats(folder):
    """Tensors of dtypes that NumPy does not know are arrays of ml_dtypes' types, or say what is missing."""
    subprocess.run([CLI.parent / "interop" / "recordings", folder, "dtypes"], check=True)
    pairs = list(records(pathlib.Path(folder) / "dtypes"))
    expect("dtypes", 12, len(pairs) // 2)
    for record, numbers in zip(pairs[::2], pairs[1::2]):
        same = np.array_equal(np.asarray(record.value, np.float64), numbers.value, equal_nan=True)
        expect(f"{record.name}: numbers", True, same)
        if record.name in small_floats.NAMES:
            expect(f"{record.name}: type", small_floats.NAMES[record.name][0], record.value.dtype.name)
    segment = pathlib.Path(folder) / "dtypes" / "segment-000001.safetensors"
    name = small_floats.NAMES["F4"]
    small_floats.NAMES["F4"] = ("float4_of_tomorrow", 4)
    try:
        expect(
            "an ml_dtypes that is too old",
            f"{segment}: the tensor '00000000:F4' is F4, which NumPy does not know: install ml_dtypes, 0.5 or"
            " later (pip install -U ml_dtypes)",
            raised(ValueError, lambda: list(records(segment))),
        )
    finally:
        small_floats.NAMES["F4"] = name


def check_deep(folder):
    """What C++ reads, but not Python's recursion, is told of with its file and its record."""
    folder = pathlib.Path(folder)
    value = 1
    for _ in range(490):
        value = [value]
    bounds = nodes.MOST_LEVELS
    nodes.MOST_LEVELS = 490  # As C++ has it.
    try:
        with Recorder(folder / "deep") as recorder:
            for name, one in (("before", 1), ("deep", value), ("after", [[2]])):
                recorder.record(name, one)
    finally:
        nodes.MOST_LEVELS = bounds
    segment = folder / "deep" / "segment-000001.safetensors"
    expect("C++", 0, run(folder, "verify", segment).returncode)
    save_file({"x": np.ones(1)}, folder / "other.safetensors", {SCHEMA_FIELD: "[" * 100000 + "]" * 100000})
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    try:
        advice = "is too deep for Python's recursion limit of 1000. Call sys.setrecursionlimit(10000) first, or read"
        advice += " it with `safestructures get` or in C++."
        for file, what in ((segment, "the record 'deep' (sequence 1)"), (folder / "other.safetensors", "its content")):
            said = raised(ValueError, lambda: list(records(file)))
            expect(f"{file.name}: too deep", f"{file}: {what} {advice}", said)
        expect("the limit", 1000, sys.getrecursionlimit())
    finally:
        sys.setrecursionlimit(limit)
    expect("with a limit that is enough", [1, value, [[2]]], [record.value for record in records(folder / "deep")])


def check_order(folder):
    """Segments that stand for others are told of, as `verify` tells of them, and what is there is given."""
    folder = pathlib.Path(folder)
    for name, first in (("whole", 0), ("other", 100)):
        with Recorder(folder / name, segment_bytes=1) as recorder:
            for i in range(4):
                recorder.record("x", np.full(4, first + i))
    last = "segment-000004.safetensors"
    taken = "has 1 record that is no later than those of segments before it: not read"

    def told(name, change):
        run_folder = folder / name
        shutil.copytree(folder / "whole", run_folder)
        change(lambda number: run_folder / f"segment-{number:06}.safetensors")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            values = [int(record.value[0]) for record in records(run_folder)]
        faults = [str(one.message).removeprefix(f"{run_folder}: ") for one in caught]
        said = [line.split(": ", 2)[2] for line in run(folder, "verify", name).stderr.splitlines()]
        expect(f"{name}: as verify says", [], [fault for fault in said if fault not in faults and "kept" not in fault])
        return values, faults

    def swap(file):
        file(2).rename(file(9))
        file(3).rename(file(2))
        file(9).rename(file(3))

    two, three = "segment-000002.safetensors", "segment-000003.safetensors"
    for name, change, expected in (
        ("as it was", lambda file: None, ([0, 1, 2, 3], [])),
        ("missing", lambda file: file(2).unlink(), ([0, 2, 3], ["segment 2 is missing"])),
        ("two missing", lambda file: (file(1).unlink(), file(2).unlink()), ([2, 3], ["segments 1 to 2 are missing"])),
        ("a copy", lambda file: shutil.copy(file(1), file(2)),
         ([0, 2, 3], [f"{two} says that it is segment 1 of its recording", f"{two} {taken}"])),
        ("swapped", swap, ([0, 2, 3], [f"{two} says that it is segment 3 of its recording",
                                       f"{three} says that it is segment 2 of its recording", f"{three} {taken}"])),
        ("another's", lambda file: shutil.copy(folder / "other" / two, file(2)),
         ([0, 101, 2, 3], [f"{two} is of another recording than segment-000001.safetensors"])),
        ("behind", lambda file: shutil.copy(file(1), file(5)),
         ([0, 1, 2, 3], ["segment-000005.safetensors comes after segment 4, which closed the recording, "
                         "and was not read"])),
    ):
        expect(name, expected, told(name, change))
    expect("one file alone", [3], [int(record.value[0]) for record in records(folder / "whole" / last)])


run_checks(
    check_records,
    check_segments_read,
    check_versions,
    check_changed_schemas,
    check_types_of_tensors,
    check_small_floats,
    check_deep,
    check_order,
)
