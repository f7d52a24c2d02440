#!/usr/bin/env python3
"""Checks the code in the docs: check_docs.py ROOT.

Every ```cpp block of a page must stand, line for line and but for its indentation, in a program of
examples/, docs/examples/, plugins/*/example/ or tests/testing/, all of which are compiled and run as
tests; every ```python block in a Python file of plugins/ or tests/. Every relative link must lead to
a file. Prose has at most 120 columns, except in benchmarks/, which scripts write. The list of layers in
CONTRIBUTING.md is the one that tests/check_includes.py checks.
"""

import re
import sys
import textwrap
from pathlib import Path

from check_includes import MAY_INCLUDE

PAGES = ("*.md", "docs/**/*.md", "plugins/**/*.md", "benchmarks/**/*.md")
SOURCES = {
    "cpp": ("examples/**/*.cpp", "docs/examples/*.cpp", "plugins/*/example/*.cpp", "tests/testing/*.cpp"),
    "python": ("plugins/**/*.py", "tests/interop/*.py", "docs/examples/*.py"),
}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
COLUMNS = 120
NOT_WRAPPED = re.compile(r"\||    |<!--")  # A row of a table, indented code, a comment.
LAYER = re.compile(r"^\d+\. `([\w.]+)`[^`]* may include (.*?)\.$", re.MULTILINE)


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


def long_lines(page: Path, text: str) -> list[str]:
    """Lines of prose with more than 120 columns."""
    prose = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    return [
        f"{page}:{number}: {len(line)} columns; wrap at {COLUMNS}"
        for number, line in enumerate(prose.splitlines(), 1)
        if len(line) > COLUMNS and not NOT_WRAPPED.match(line)
    ]


def layer_faults(root: Path) -> list[str]:
    """Differences between the list of layers in CONTRIBUTING.md and what check_includes.py checks."""
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = {layer: set(re.findall(r"`([^`]+)`", others)) for layer, others in LAYER.findall(text)}
    checked = {layer: others - {layer} for layer, others in MAY_INCLUDE.items()}
    return [
        f"CONTRIBUTING.md: '{layer}' may include {listed.get(layer)}, but check_includes.py has {checked.get(layer)}"
        for layer in sorted(listed.keys() | checked.keys())
        if listed.get(layer) != checked.get(layer)
    ]


def main() -> int:
    root = Path(sys.argv[1])
    sources = {
        language: [p.read_text(encoding="utf-8") for g in globs for p in sorted(root.glob(g))]
        for language, globs in SOURCES.items()
    }
    pages = sorted({p for g in PAGES for p in root.glob(g) if "build" not in p.parts})
    faults = layer_faults(root)
    checked = 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if page.relative_to(root).parts[0] != "benchmarks":
            faults += long_lines(page, text)
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
