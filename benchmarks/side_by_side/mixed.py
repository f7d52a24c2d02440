"""Workloads of very many scalars, of tensors of a middle size, and of comparing."""

from rows import (
    F, KIB, MIB, Workload, cpp_files, cpps, huge_malloc, limit, ours, python, pythons, quantity,
)

# What ours of W14 takes, which is text: the schema alone. pickle's has 332 KB.
W14_FILE = 4_370_976

COMPARED = {
    "equal": "ours, all numbers equal",
    "numbers": "ours, all numbers different",
    "different": "ours, all numbers different, with suspicions",
}


def comparing(name, title, what):
    """A workload of two files, of which all numbers are compared."""
    return Workload(
        name,
        title,
        (
            quantity(
                "compare",
                limit("read_huge", 512 * MIB, "read as many bytes into huge pages", "both"),
                [ours(name, one, COMPARED[one], "files") for one in what.split()],
            ),
        ),
        prepare=(ours(name, "prepare", file="files"), limit("write", 512 * MIB, file="both")),
    )


def at_another_size(name, count, title, save, load):
    """What is tuned on holds at other sizes too: `name` with `count` items, ours beside pickle 5.

    `save` and `load` give the actions of ours and what they are called."""
    sized = f"{name}-{count}"
    return Workload(
        sized,
        title,
        (
            quantity(
                "save",
                [ours(sized, action, who) for action, who in save.items()],
                pythons("pickle", sized, "save"),
            ),
            quantity(
                "load",
                [ours(sized, action, who, "ours") for action, who in load.items()],
                pythons("pickle", sized, "load", F),
            ),
        ),
        prepare=(
            ours(sized, next(iter(save)), file="ours"),
            python("pickle", sized, "save", "pickle.data"),
        ),
    )


# W3 and W14 at half their size and larger.
SIZES = (
    # The headers of ten times as many would pass the 100 MB that the format allows.
    *(
        at_another_size(
            "W3",
            count,
            f"{count:,} tensors of 16 floats",
            {"save": "ours, std::vector<std::vector<float>>"},
            {"load_vectors": "ours into std::vector<std::vector<float>>"},
        )
        for count in (50_000, 500_000)
    ),
    *(
        at_another_size(
            "W14",
            count,
            f"a list of {count:,} dicts {{int, float, str, bool, list of 5 ints}}",
            {"save_dicts": "ours, a Value of dicts", "save_structs": "ours, std::vector of structs"},
            {"load_value": "ours into Value", "load_structs": "ours, dicts into std::vector of structs"},
        )
        for count in (2500, 50_000)
    ),
)

MIXED = (
    Workload(
        "W14",
        "a list of 5,000 dicts {int, float, str, bool, list of 5 ints}",
        (
            quantity(
                "save",
                limit("fallocate_write", W14_FILE, "fallocate+write of our file's bytes"),
                ours("W14", "save_dicts", "ours, a Value of dicts"),
                ours("W14", "save_structs", "ours, std::vector of structs"),
                pythons("safestructures pickle msgpack", "W14", "save"),
                cpps("W14", "save"),
            ),
            quantity(
                "load",
                limit("read_huge", W14_FILE, "read our file into huge pages", "ours"),
                ours("W14", "load_value", "ours into Value", "ours"),
                ours("W14", "load_structs", "ours, dicts into std::vector of structs", "ours"),
                pythons("safestructures pickle msgpack", "W14", "load", F),
                cpps("W14", "load"),
                huge_malloc(
                    ours("W14", "load_value", "ours into Value", "ours"),
                    *pythons("pickle", "W14", "load", F),
                ),
            ),
        ),
        prepare=(
            ours("W14", "save_dicts", file="ours"),
            python("safestructures", "W14", "save", "safestructures.data"),
            python("pickle", "W14", "save", "pickle.data"),
            python("msgpack", "W14", "save", "msgpack.data"),
            *cpp_files("W14"),
        ),
    ),
    Workload(
        "W15",
        "6,000 structs {name, step, shape, vector of 48 KiB}",
        (
            quantity(
                "save",
                limit("fallocate_write", 6000 * 48 * KIB),
                ours("W15", "save"),
                cpps("W15", "save"),
            ),
            quantity(
                "load",
                limit("read_huge", 6000 * 48 * KIB, "read into huge pages", "ours"),
                ours("W15", "load", "ours into std::vectors", "ours"),
                ours("W15", "load_tensors", "ours into Tensors", "ours"),
                cpps("W15", "load"),
            ),
        ),
        prepare=(ours("W15", "save", file="ours"), *cpp_files("W15")),
    ),
    Workload(
        "W16",
        "96 layers of two matrices of 4 MiB and a vector of 4 KiB",
        (
            quantity(
                "save",
                limit("fallocate_write", 96 * (8 * MIB + 4 * KIB)),
                ours("W16", "save", "ours, Eigen row-major"),
                cpps("W16", "save", most=3),
            ),
            quantity(
                "load",
                limit("read_huge", 96 * (8 * MIB + 4 * KIB), "read into huge pages", "ours"),
                ours("W16", "load", "ours into Eigen row-major", "ours"),
                ours("W16", "load_tensors", "ours into Tensors", "ours"),
                cpps("W16", "load", most=3),
            ),
        ),
        prepare=(ours("W16", "save", file="ours"), *cpp_files("W16")),
    ),
    Workload(
        "W17",
        "400 BF16 vectors of 1 MiB saved as F32",
        (
            quantity(
                "save",
                limit("fallocate_write", 800 * MIB),
                ours("W17", "save"),
            ),
        ),
    ),
    *SIZES,
    comparing("D1", "two files of 16 F32 tensors of 16 MiB", "equal numbers different"),
    comparing("D2", "two files of 16 F32 tensors of 32 x 128 x 1,024", "numbers different"),
)
