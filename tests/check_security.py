#!/usr/bin/env python3
"""Checks what docs/security.md says: check_security.py ROOT.

The tests that it names are there: each entry of the table's second column is `FILE`: NAME, or `FILE`
alone, in a folder of tests/unit or with its path in tests/; NAME is a TEST_CASE of the file. And the
defaults of `Limits` are those of limits.hpp, in docs/limits.md too.
"""

import re
import sys
from pathlib import Path

ENTRY = re.compile(r"`([\w/]+\.(?:cpp|py))`(?:: (.+))?")
LIMIT = re.compile(r"^  std::uint\d+_t (\w+) = ([\d']+);", re.MULTILINE)
# The rows of docs/limits.md that have the default of a limit.
NAMES_IN_LIMITS = {
    "levels": "depth",
    "values in one structure": "nodes",
    "dimensions of a tensor": "rank",
    "digits of an `int`": "digits",
    "tensors": "tensors",
    "bytes of tensors that are named again": "repeats",
    "attributes of a value": "attributes",
}
TEST_CASE = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)')


def test_cases(path: Path) -> set[str]:
    literals = TEST_CASE.findall(path.read_text(encoding="utf-8"))
    return {"".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)) for literal in literals}


def section(root: Path, page: str, title: str) -> str:
    return (root / "docs" / page).read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]


def defaults_in(text: str) -> dict[str, int]:
    """The number that the second column of a table begins with, by the first column."""
    rows = re.findall(r"^\| ([^|]+) \| ([\d,]+)", text, re.MULTILINE)
    return {name: int(number.replace(",", "")) for name, number in rows}


def limit_faults(root: Path) -> list[str]:
    header = (root / "include/safestructures/data/limits.hpp").read_text(encoding="utf-8")
    limits = {name: int(number.replace("'", "")) for name, number in LIMIT.findall(header)}
    in_security = defaults_in(section(root, "security.md", "Limits and the attacks they stop"))
    in_limits = defaults_in(section(root, "limits.md", "Structure"))
    pages = {
        "security.md": (in_security, {f"`{name}`": number for name, number in limits.items()}),
        "limits.md": (in_limits, {row: limits.get(name) for row, name in NAMES_IN_LIMITS.items()}),
    }
    return [
        f"docs/{page} has other defaults of limits than limits.hpp: {found}, not {expected}"
        for page, (found, expected) in pages.items()
        if found != expected
    ]


def main() -> int:
    root = Path(sys.argv[1])
    rows = [line for line in section(root, "security.md", "What holds").splitlines() if line.startswith("| ")][1:]
    faults = limit_faults(root)
    for row in rows:
        cell = row.strip("| ").rsplit(" | ", 1)[1]
        for entry in cell.split("<br>"):
            match = ENTRY.fullmatch(entry.strip())
            if not match:
                faults.append(f"docs/security.md: not of the form `FILE`: NAME: {entry}")
                continue
            tests = root / "tests"
            path = next(tests.glob(f"unit/*/{match[1]}"), tests / match[1])
            if not path.is_file():
                faults.append(f"docs/security.md: there is no {match[1]} in tests/")
            elif match[2] and match[2] not in test_cases(path):
                faults.append(f'docs/security.md: {match[1]} has no TEST_CASE "{match[2]}"')
    for fault in faults:
        print(fault)
    if not rows:
        print("docs/security.md: the table was not found")
        return 1
    print(f"check_security.py: {len(rows)} guarantees, {len(faults)} failures")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
