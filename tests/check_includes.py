#!/usr/bin/env python3
"""Checks what sources may say of each other: check_includes.py ROOT.

A floor knows only the floors below it. The rooms of one floor form no circle, and know nothing of the
files beside them, which use them. Public headers keep the libraries that they are built with to
themselves, and each says what the library needs of the compiler, at once or by another that it includes.
Of two things of one name in the headers that tests share the linker takes one and says nothing. What a
source uses of the standard library it includes, and nothing else of it (standard_headers.py).
"""

import re
import sys
from pathlib import Path

import standard_headers

# What the files of each floor may include. The platform lies below them all, but for errors and
# the interface of what bytes go into.
MAY_INCLUDE = {
    "platform": {"platform", "data/error.hpp", "data/export.hpp", "data/sink.hpp"},
    "data": {"data", "platform"},
    "codecs": {"data", "codecs", "platform"},
    "formats": {"data", "formats", "platform"},
    "tools": {"data", "codecs", "formats", "tools", "platform"},
    "recording": {"data", "codecs", "formats", "tools", "platform", "recording"},
    "compare": {"data", "codecs", "formats", "tools", "platform", "recording", "compare"},
    "testing": {"data", "codecs", "formats", "tools", "recording", "compare", "testing"},
    "burn": {"data", "codecs", "formats", "tools", "burn", "safestructures.hpp"},
    "cli": {
        "data", "codecs", "formats", "tools", "recording", "compare", "platform", "cli",
        "safestructures.hpp",
    },
    "plugins": {"data", "codecs", "formats", "tools", "plugins", "safestructures.hpp"},
    "safestructures.hpp": {"data", "codecs", "formats", "tools"},
}
# Third-party headers that a public header of the core may include: reflection, and in those of test
# macros their frameworks.
PUBLIC_MAY_INCLUDE = re.compile(r"boost/(pfr|version\.hpp)")
TESTING_MAY_INCLUDE = re.compile(r"(doctest/doctest\.h|gtest/gtest\.h|catch2/catch(_test_macros)?\.hpp)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def check(file: Path, base: Path) -> list[str]:
    """The faults of one file, whose place in the house is its path below `base`."""
    floor = file.relative_to(base).parts[0]
    allowed = MAY_INCLUDE.get(floor)
    if allowed is None:
        return [f"{file}: the folder '{floor}' is no floor of the house"]
    faults = []
    public = base.name == "safestructures"
    needs = "safestructures/data/export.hpp"  # names no other header of ours, so each chain ends there
    text = file.read_text(encoding="utf-8")
    if public and not needs.endswith(file.relative_to(base).as_posix()) and "#include <safestructures/" not in text:
        faults.append(f"{file}: include <{needs}>, which says what the library needs of the compiler")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, name = match.groups()
        place = f"{file}:{number}"
        if name.startswith("."):
            faults.append(f"{place}: '{name}' is relative; name it from the include root")
            continue
        if quote == '"' and "/" not in name:
            faults.append(f"{place}: name '{name}' from the include root, as all do")
            continue
        own = name.removeprefix("safestructures/")
        ours = own != name or quote == '"'
        if ours:
            if own.split("/")[0] not in allowed and own not in allowed:
                faults.append(f"{place}: '{floor}' must not include '{name}'")
        elif public and floor != "plugins":
            may_include = TESTING_MAY_INCLUDE if floor == "testing" else PUBLIC_MAY_INCLUDE
            if ("/" in name or name.endswith((".h", ".hpp"))) and not may_include.match(name):
                faults.append(f"{place}: a public header of the core must not include '{name}'")
    return faults


# Floors whose files lie in rooms or above them. The rooms of formats, which are siblings, share what is
# beside them.
FLOORS_ON_ROOMS = ("cli", "compare", "data", "recording")


def circles(source: Path, floor: str) -> list[str]:
    """Rooms of a floor that include each other, at once or through others, or what is beside them."""
    included: dict[str, dict[str, str]] = {}
    for file in sorted((source / floor).rglob("*.[ch]pp")):
        room = file.parent.relative_to(source).as_posix()
        for match in map(INCLUDE.match, file.read_text(encoding="utf-8").splitlines()):
            other = match.group(2).rpartition("/")[0] if match and match.group(1) == '"' else ""
            if other != room and (other + "/").startswith(floor + "/"):
                included.setdefault(room, {}).setdefault(other, f"{file}: '{match.group(2)}'")
    faults = [
        f"{rooms[floor]} is beside the rooms of '{floor}', and they do not know it"
        for room, rooms in included.items()
        if room != floor and floor in rooms
    ]
    included.pop(floor, None)
    while included:
        targets = {room for rooms in included.values() for room in rooms}
        outside = (targets - included.keys()) | (included.keys() - targets)
        if not outside:
            return faults + [f"{next(iter(rooms.values()))} closes a circle" for rooms in included.values()]
        included = {
            room: inside
            for room, rooms in included.items()
            if room not in outside and (inside := {to: why for to, why in rooms.items() if to not in outside})
        }
    return faults


NAMESPACE = re.compile(r"namespace ([\w:]+) \{$")
DEFINITION = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)[^;]*$|inline [^=(]*?\b(\w+\(.*)")


def defined_twice(headers: list[Path]) -> list[str]:
    """Types, and functions of the same parameters, that two of the headers define."""
    places: dict[str, Path] = {}
    faults = []
    for header in headers:
        namespace = ""
        for line in header.read_text(encoding="utf-8").splitlines():
            if match := NAMESPACE.match(line):
                namespace = match.group(1)
            elif match := DEFINITION.match(line):
                name = f"{namespace}::{match.group(1) or match.group(2)}"
                if places.setdefault(name, header) != header:
                    faults.append(f"{header}: {name} is in {places[name]} as well")
    return faults


def standard_faults(root: Path, sources: list[tuple[Path, Path]], bases: list[Path]) -> list[str]:
    """Standard headers that are missing or not used, also in the examples and in what tests share."""
    files = [file for file, _ in sources]
    for folder in ("examples", "plugins/*/example", "plugins/*/tests", "tests/support"):
        files += sorted(root.glob(f"{folder}/*.[ch]pp"))
    roots = [*(base.parent if base.name == "safestructures" else base for base in bases), root / "tests"]
    return [fault for file in files for fault in standard_headers.faults_of(file, roots)]


def main() -> int:
    root = Path(sys.argv[1])
    bases = [root / "include/safestructures", root / "src"]
    bases += sorted(root.glob("plugins/*/include/safestructures"))
    files = [
        (file, base)
        for base in bases
        for file in sorted(base.rglob("*"))
        if file.suffix in {".hpp", ".cpp"}
    ]
    if not files:
        print(f"no source files under {root}")
        return 1
    faults = [fault for file, base in files for fault in check(file, base)]
    for floor in FLOORS_ON_ROOMS:
        faults += circles(root / "src", floor)
    faults += standard_faults(root, files, bases)
    faults += defined_twice(sorted(root.glob("tests/support/*.hpp")))
    print("\n".join(faults) if faults else f"{len(files)} files: no include points upward or lacks a use")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
