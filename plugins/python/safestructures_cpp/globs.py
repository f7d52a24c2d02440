"""The globs of the C++ library: docs/recording.md describes the syntax, tests/globs.txt has test cases for both.

Python's fnmatch has no backslash escapes, and in brackets only `!` for negation.
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
    """Whether the whole text matches. Takes time proportional to the product of the lengths at most."""
    at = place = 0
    behind_star = None
    retry = 0  # Where the text not yet taken by the last star begins. Earlier stars need no retries.
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
    """Returns the end of the part of the glob at `at` if that part matches the character, otherwise None."""
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
    """Returns (end, ranges of characters, whether they are negated), or None if there is no closing bracket."""
    is_negated = glob.startswith(("!", "^"), at)
    at += is_negated
    first = at
    ranges = []
    while at < len(glob):
        # A closing bracket that comes first is an ordinary character.
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
