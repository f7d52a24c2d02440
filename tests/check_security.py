#!/usr/bin/env python3
"""Checks that the tests which docs/security.md names are there: check_security.py ROOT.

Each entry of the table's second column is `FILE`: NAME, or `FILE` alone, in a folder of tests/unit or
with its path in tests/; NAME is a TEST_CASE of the file.
"""

import re
import sys
from pathlib import Path

ENTRY = re.compile(r"`([\w/]+\.(?:cpp|py))`(?:: (.+))?")
TEST_CASE = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)')


def test_cases(path: Path) -> set[str]:
    literals = TEST_CASE.findall(path.read_text(encoding="utf-8"))
    return {"".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)) for literal in literals}


def main() -> int:
    root = Path(sys.argv[1])
    page = (root / "docs/security.md").read_text(encoding="utf-8")
    section = page.split("\n## What holds\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    faults = []
    for row in rows:
        cell = row.strip("| ").rsplit(" | ", 1)[1]
        for entry in cell.split("<br>"):
            match = ENTRY.fullmatch(entry.strip())
            if not match:
                faults.append(f"not of the form `FILE`: NAME: {entry}")
                continue
            tests = root / "tests"
            path = next(tests.glob(f"unit/*/{match[1]}"), tests / match[1])
            if not path.is_file():
                faults.append(f"there is no {match[1]} in tests/")
            elif match[2] and match[2] not in test_cases(path):
                faults.append(f'{match[1]} has no TEST_CASE "{match[2]}"')
    for fault in faults:
        print(f"docs/security.md: {fault}")
    if not rows:
        print("docs/security.md: the table was not found")
        return 1
    print(f"check_security.py: {len(rows)} guarantees, {len(faults)} failures")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
