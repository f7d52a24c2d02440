#!/usr/bin/env python3
"""Checks that tests/mutants.txt speaks of lines that are there."""

import sys

import mutations


def main():
    listed = mutations.known()
    faults = mutations.stale(listed)
    print("\n".join(faults) if faults else f"{len(listed)} mutants are listed, all of lines that are there")
    return 1 if faults or not listed else 0


if __name__ == "__main__":
    sys.exit(main())
