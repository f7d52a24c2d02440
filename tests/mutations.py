"""The mutants of C++ sources as clang-format sets them, one small change each, for mutate.py; and
which of them are tried."""

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LISTED = ROOT / "tests/mutants.txt"
FLOORS = [f"src/{floor}" for floor in ("codecs", "data", "formats", "platform", "tools")]

# What is no code to change: comments, attributes, the preprocessor's lines, static_assert, literals;
# the ' between digits begins none.
NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\[\[.*?\]\]|^[ ]*\#[^\n]*|\bstatic_assert\(.*?\);
    |(?P<literal>R"(?P<d>\w*)\(.*?\)(?P=d)"|"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)+')""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
# Operators stand between spaces; the < > of templates and the && of references do not.
OPERATORS = [("<", "<="), (">", ">="), ("==", "!="), ("&&", "||")]
WORDS = [("return true", "return false"), ("std::min", "std::max"), ("break", "continue")]
SWAPS = [
    *((rf"(?<= ){re.escape(a)}(?= )", b) for pair in OPERATORS for a, b in (pair, pair[::-1])),
    *((rf"\b{a}(?=[;(<])", b) for pair in WORDS for a, b in (pair, pair[::-1])),
    (r" \+ 1\b(?!['.])", " - 1"),
    (r" \+ 1\b(?!['.])", ""),
    (r" - 1\b(?!['.])", " + 1"),
    (r"(?<=[\w)\]]) \+ (?=[A-Za-z_(*])", " - "),
    (r"(?<=[\w)\]]) - (?=[A-Za-z_(*])", " + "),
]
NUMBER = re.compile(r"(?<![\w.'])(0x[0-9A-Fa-f']+|\d[\d']*)(?=[uUlL]*(?![\w.']))")
CONDITION = re.compile(r"\bif \((!?)([\w.:>()-]+)\)(?= )")
# Where a statement begins, and those that are left out: throw, calls, assignments. Without `reserve`
# nothing changes but time.
START = re.compile(r"(?<=[;{}:)])\s*\n +|\bif \([^;{}\n]*\) (?=[\w*+-])|\belse (?=[\w*+-])")
PLACE = r"\*?[\w.:>()\[\]-]+"
STATEMENT = re.compile(
    rf"throw\b|(\+\+|--){PLACE};|{PLACE}(\+\+|--);|{PLACE} ([-+*/|&^]|<<|>>)?= |(?![\w.>-]+reserve\()[\w.:>()\[\]-]+\("
)


class Mutant(NamedTuple):
    file: str
    line: int
    begin: int
    end: int
    text: str  # what stands there instead
    before: str  # the line above, the line, and the line as it is changed
    original: str
    mutated: str

    @property
    def key(self) -> str:
        return f"{self.file}:{self.line}: {self.original} -> {self.mutated}"

    @property
    def entry(self) -> tuple[str, str, str, str]:
        """What names it in tests/mutants.txt, where lines have no numbers."""
        return self.file, self.before, self.original, self.mutated


def statement_end(code: str, begin: int) -> int | None:
    """Where the statement ends, behind its semicolon; None for what has a block of its own."""
    depth = 0
    for at in range(begin, min(len(code), begin + 600)):
        if code[at] == ";" and depth == 0:
            return at + 1
        if code[at] == "{" and depth == 0 and code[at - 1] == " ":
            return None
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth < 0:
            return None
    return None


def changes(code: str) -> Iterator[tuple[int, int, str]]:
    """What to put for which part of code without comments and literals: (begin, end, text)."""
    for pattern, text in SWAPS:
        for match in re.finditer(pattern, code):
            yield *match.span(), text
    for match in NUMBER.finditer(code):
        digits = match[1].replace("'", "")
        if digits.startswith("0x"):
            more = f"0x{int(digits, 16) + 1:x}"
        elif digits.startswith("0") and digits != "0":
            more = f"0{int(digits, 8) + 1:o}"
        else:
            more = str(int(digits) + 1)
        yield *match.span(1), more
    for match in CONDITION.finditer(code):
        if match[2].count("(") == match[2].count(")"):
            yield match.start(1), match.end(2), match[2] if match[1] else f"!({match[2]})"
    for match in START.finditer(code):
        begin = match.end()
        end = statement_end(code, begin) if STATEMENT.match(code, begin) else None
        if end:
            # The lines below keep their numbers.
            yield begin, end, ";" + "\n" * code.count("\n", begin, end)


def mutants_of(file: str, source: str) -> list[Mutant]:
    def blank(match: re.Match) -> str:
        return re.sub(r"[^\n]", '"' if match["literal"] else " ", match[0])

    found = {}
    for begin, end, text in changes(NO_CODE.sub(blank, source)):
        first = source.rfind("\n", 0, begin) + 1
        last = source.find("\n", begin)
        above = [line.strip() for line in source[:first].splitlines() if line.strip()]
        mutated = source[first:begin] + text.rstrip("\n") + source[end:last]
        mutant = Mutant(
            file, source.count("\n", 0, begin) + 1, begin, end, text,
            above[-1] if above else "", source[first:last].strip(), mutated.strip(),
        )  # fmt: skip
        found.setdefault(mutant.key, mutant)
    return sorted(found.values(), key=lambda mutant: (mutant.begin, mutant.end))


def git_files(patterns: list[str]) -> list[str]:
    which = ["--cached", "--others", "--exclude-standard", "--", *patterns]
    command = ["git", "ls-files", "-z", *which]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(name for name in output.split("\0") if name and (ROOT / name).is_file())


def mutants(file: str) -> list[Mutant]:
    return mutants_of(file, (ROOT / file).read_text(encoding="utf-8"))


def chosen(patterns: list[str], seed: int) -> tuple[list[Mutant], bool]:
    """One mutant of each line, in an order that takes from every file by its share of the lines; or
    all mutants of the lines that the patterns name, and True."""
    lines = [re.fullmatch(r"(.+):(\d+)", pattern) for pattern in patterns]
    if patterns and all(lines):
        return [m for line in lines for m in mutants(line[1]) if m.line == int(line[2])], True
    order = []
    for file in git_files(patterns or FLOORS):
        if not file.endswith(".cpp"):
            continue
        dice = random.Random(f"{seed} {file}")  # Another file's lines do not change the choice.
        by_line: dict[int, list[Mutant]] = {}
        for mutant in mutants(file):
            by_line.setdefault(mutant.line, []).append(mutant)
        picked = [dice.choice(of_line) for of_line in by_line.values()]
        dice.shuffle(picked)
        shift = dice.random()
        order += [((place + shift) / len(picked), mutant) for place, mutant in enumerate(picked)]
    return [mutant for _, mutant in sorted(order)], False


def known() -> dict[tuple[str, ...], str]:
    """tests/mutants.txt: (file, line above, line, changed line) and the reason."""
    entries = {}
    text = LISTED.read_text(encoding="utf-8") if LISTED.is_file() else ""
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.strip().splitlines() if not line.startswith("#")]
        if not lines:
            continue
        if len(lines) < 5 or [line[:2] for line in lines[1:4]] != ["  ", "- ", "+ "]:
            sys.exit(f"{LISTED}: not a file, a line above, a line -, a line + and a reason:\n{block}")
        entries[(lines[0], *(line[2:] for line in lines[1:4]))] = " ".join(lines[4:])
    return entries


def stale(listed: dict[tuple[str, ...], str]) -> list[str]:
    """What is wrong with the entries: lines that are not there, or not so, any more."""
    faults = []
    for entry in listed:
        if not (ROOT / entry[0]).is_file():
            faults.append(f"tests/mutants.txt: {entry[0]} is not there any more: {entry[2]}")
        elif entry not in {mutant.entry for mutant in mutants(entry[0])}:
            faults.append(f"tests/mutants.txt: this is no mutant any more: {entry}")
    return faults
