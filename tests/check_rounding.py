#!/usr/bin/env python3
"""Checks that the library's numbers have the same digits, whichever processors of a family it is compiled
for: check_rounding.py COMPILER OPTION..., the options that it is compiled with.

Where a processor multiplies and adds in one instruction, compilers use that unless they are told not to,
and what is rounded once has other digits than what is rounded twice.
"""

import platform
import re
import subprocess
import sys

SOURCE = "double sum(double a, double b, double c) { return a * b + c; }\n"
# What has the compiler take such a processor for granted.
PROCESSORS = {"x86_64": ["-mfma"], "AMD64": ["-mfma"], "aarch64": [], "arm64": []}
SKIPPED = 77


def is_fused(compiler: str, options: list[str]) -> bool:
    done = subprocess.run(
        [compiler, "-O2", *PROCESSORS[platform.machine()], *options, "-x", "c++", "-S", "-o", "-", "-"],
        input=SOURCE, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return re.search(r"\bv?fn?madd", done.stdout) is not None


def main() -> int:
    compiler, *options = sys.argv[1:]
    if platform.machine() not in PROCESSORS:
        print(f"nothing is known of {platform.machine()}")
        return SKIPPED
    # Else nothing could be seen below.
    if not is_fused(compiler, ["-ffp-contract=fast"]):
        print("the compiler never fuses a product and a sum")
        return 1
    if is_fused(compiler, options):
        print(f"a product and a sum are rounded once with {' '.join(options)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
