"""Workloads of records: those of Burn, and those of a running program."""

import dataclasses

from rows import (
    KIB, LIMIT, MIB, PEER, Row, Workload, limit, ours, python, quantity,
)

MIB_OF_FLOATS = MIB // 4
# Records of Burn: parameters, and numbers of each.
RECORDS = {"B1": (25, 4 * MIB_OF_FLOATS), "B2": (10_000, 16), "B3": (4, 4 * MIB_OF_FLOATS)}
RECORD_FORMATS = {
    "mpk": "named MessagePack",
    "bin": "bincode",
    "bpk": "burnpack",
    "json": "pretty JSON",
    "mpk_gz": "named MessagePack, gzip",
    "bin_gz": "bincode, gzip",
    "json_gz": "JSON, gzip",
}


def burn(workload, action, file=""):
    """Burn itself, on the same record."""
    arguments = (action, "FILE", *map(str, RECORDS[workload]))
    return Row(PEER, "Burn", "burn", arguments, file)


def records(name, title, formats, peers, limits):
    """A workload of records: saving, and loading what we wrote, in each format."""
    size = 4 * RECORDS[name][0] * RECORDS[name][1]
    quantities = []
    for key in formats:
        text = RECORD_FORMATS[key]
        python_rows = [
            lambda action, file="", peer=peer: python(peer, name, f"{action}_{key}", file)
            for peer in peers.get(key, ())
        ]
        save_limits = [limit("fallocate_write", size)] if limits else []
        load_limits = [limit("read_huge", size, "read into huge pages", "plain")] if limits else []
        quantities += [
            quantity(
                f"save, {text}",
                save_limits,
                ours(name, f"save_{key}"),
                burn(name, f"save_{key}"),
                [make("save") for make in python_rows],
            ),
            quantity(
                f"load, {text}",
                load_limits,
                ours(name, f"load_{key}", "ours into Tensors", key),
                [ours(name, f"load_vectors_{key}", "ours into std::vectors", key)] * (key == "mpk"),
                burn(name, f"load_{key}", file=key),
                [make("load", key) for make in python_rows],
            ),
        ]
    prepare = [ours(name, f"save_{key}", file=key) for key in formats]
    prepare += [limit("write", size, file="plain")] if limits else []
    return Workload(name, title, tuple(quantities), tuple(prepare))


# Recordings: records, and bytes of each.
RECORDINGS = {"R1": (100_000, 256), "R2": (4_000, 64 * KIB), "R3": (64, 4 * MIB)}
RECORDERS = {
    "hdf5": "HDF5, a dataset a call",
    "npy": "npy, a file a call",
    "cereal": "cereal, one stream",
}


def recording(name, title, peers):
    """A workload of records of a running program."""
    count, size = RECORDINGS[name]

    def peer(program):
        arguments = (program, "FILE", str(count), str(size))
        return Row(PEER, RECORDERS[program], "recorders", arguments)

    def limit_of(action, who):
        return Row(LIMIT, who, "worker", (name, action, "FILE"))

    # 100,000 files take twenty seconds.
    python_files = dataclasses.replace(
        python("safestructures", name, "record", most=1 if name == "R1" else 100),
        who="Python safestructures, a file a call",
    )
    return Workload(
        name,
        title,
        (
            quantity(
                "record(), what the program waits for",
                limit_of("copy", "memcpy into fresh memory"),
                ours(name, "hot_path"),
            ),
            quantity(
                "all of it, until it is in the files",
                limit_of("write", "write() of each"),
                ours(name, "record"),
                [peer(program) for program in peers],
                python_files,
            ),
            quantity(
                "the writer alone, records moved in",
                limit_of("write_given", "write() and free() of each"),
                ours(name, "record_moved"),
            ),
            quantity("open", ours(name, "open", file="run")),
            quantity("find one record, and read it", ours(name, "find", file="run")),
            quantity(
                "compare two of them",
                Row(LIMIT, "read both into huge pages", "worker", (name, "read_runs", "FILE"), "runs"),
                ours(name, "compare_equal", "ours, equal", file="runs"),
                ours(name, "compare_different", "ours, different from the 50th layer on", file="runs"),
            ),
        ),
        prepare=(ours(name, "record", file="run"), ours(name, "prepare_runs", file="runs")),
    )
