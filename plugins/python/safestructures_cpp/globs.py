"""Globs as the C++ library has them: docs/recording.md has their syntax, tests/globs.txt cases for both.

Python's fnmatch knows no backslash, and `!` alone in brackets.
"""

import re

#: The characters of each class, as ranges.
CLASSES = {
    "alnum": ("09", "AZ", "az"),
    "alpha": ("AZ", "az"),
    "blank": ("\t\t", "  "),
    "cntrl": ("\0\x1f", "\x7f\x7f"),
    "digit": ("09",),
    "graph": ("!~",),
    "lower": ("az",),
    "print": (" ~",),
    "punct": ("!/", ":@", "[`", "{~"),
    "space": ("\t\r", "  "),
    "upper": ("AZ",),
    "xdigit": ("09", "AF", "af"),
}
CLASS = re.compile(r"\[:([a-z]*):\]")


def matches(glob, text):
    """Whether the whole text matches. Takes at most the product of their lengths."""
    at = place = 0
    behind_star = None
    retry = 0  # What the last star has not taken yet. Those before need no more.
    while place < len(text):
        if glob.startswith("*", at):
            at += 1
            behind_star = at
            retry = place
            continue
        end = matched(glob, at, text[place])
        if end is not None:
            at = end
            place += 1
        elif behind_star is None:
            return False
        else:
            at = behind_star
            retry += 1
            place = retry
    return not glob[at:].strip("*")


def matched(glob, at, character):
    """The end of the part of a glob that matches a character, or None."""
    if at == len(glob):
        return None
    if glob[at] == "?":
        return at + 1
    if glob[at] == "[":
        found = brackets(glob, at + 1)
        if found is not None:
            end, ranges, is_negated = found
            has_character = any(low <= character <= high for low, high in ranges)
            return end if has_character != is_negated else None
    if glob[at] == "\\":
        at += 1
    return at + 1 if glob.startswith(character, at) else None


def brackets(glob, at):
    """(end, ranges of characters, whether all others are meant); None where no bracket closes them."""
    is_negated = glob.startswith(("!", "^"), at)
    at += is_negated
    first = at
    ranges = []
    while at < len(glob):
        # A bracket that closes is the first of the characters where it is the first.
        if glob[at] == "]" and at != first:
            return at + 1, ranges, is_negated
        if found := CLASS.match(glob, at):
            ranges += CLASSES.get(found[1], ())
            at = found.end()
            continue
        at += glob[at] == "\\"
        low = high = glob[at : at + 1]
        at += 1
        if glob.startswith("-", at) and glob[at + 1 : at + 2] not in ("", "]"):
            at += 1
            at += glob[at] == "\\"
            high = glob[at : at + 1]
            at += 1
        if not low or not high:
            return None
        ranges.append((low, high))
    return None
