#!/usr/bin/env python3
"""Checks the code in the docs: check_docs.py ROOT.

Every ```cpp block of a page must stand, line for line and but for its indentation, in a program of
examples/, docs/examples/, plugins/*/example/ or tests/testing/, all of which are compiled and run as
tests; every ```python block in a Python file of plugins/ or tests/. Every relative link must lead to
a file.
"""

import re
import sys
import textwrap
from pathlib import Path

PAGES = ("*.md", "docs/**/*.md", "plugins/**/*.md", "benchmarks/**/*.md")
SOURCES = {
    "cpp": ("examples/**/*.cpp", "docs/examples/*.cpp", "plugins/*/example/*.cpp", "tests/testing/*.cpp"),
    "python": ("plugins/**/*.py", "tests/interop/*.py", "docs/examples/*.py"),
}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


def normalised(text: str) -> str:
    lines = (line.rstrip() for line in textwrap.dedent(text).strip("\n").splitlines())
    return "\n".join(lines)


def stands_in(block: str, source: str) -> bool:
    """True when the block's lines follow each other in the source, all indented by the same."""
    wanted = normalised(block).splitlines()
    lines = [line.rstrip() for line in source.splitlines()]
    for start in range(len(lines) - len(wanted) + 1):
        if normalised("\n".join(lines[start : start + len(wanted)])).splitlines() == wanted:
            return True
    return False


def main() -> int:
    root = Path(sys.argv[1])
    sources = {
        language: [p.read_text(encoding="utf-8") for g in globs for p in sorted(root.glob(g))]
        for language, globs in SOURCES.items()
    }
    pages = sorted({p for g in PAGES for p in root.glob(g) if "build" not in p.parts})
    faults = []
    checked = 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for language, block in BLOCK.findall(text):
            if language not in sources:
                continue
            checked += 1
            if not any(stands_in(block, source) for source in sources[language]):
                first = normalised(block).splitlines()[0]
                faults.append(f"{page}: no program has the {language} block that begins '{first}'")
        for link in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            if not (page.parent / link).exists():
                faults.append(f"{page}: the link to {link} leads nowhere")
    if checked == 0:
        faults.append("no code block was found: the check itself is broken")
    print("\n".join(faults) if faults else f"{checked} code blocks in {len(pages)} pages are real")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
