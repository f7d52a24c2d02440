"""Counts of what became of a recorder's calls, by name."""

from safestructures_cpp import segments


class Counts:
    """The numbers of calls and of those kept, filtered and failed, for each name and in total.

    A call is counted in a single step. An interrupt may leave the totals out of date; they are then recomputed.
    """

    def __init__(self):
        self._names = {}
        self._all = {}
        self._left_out = {}  # The counts of names that lost records.
        self._is_adding = False

    def __bool__(self):
        return bool(self._names)

    def by_name(self):
        """Returns copies of the counts by name."""
        return {name: dict(counts) for name, counts in self._names.items()}

    def calls(self, name):
        """Returns the number of calls of a name."""
        counts = self._names.get(name)
        return counts["calls"] if counts else 0

    def add(self, name, what):
        """Counts a call and what became of it."""
        self._mend()
        self._is_adding = True
        counts = self._names.get(name, {"calls": 0})
        counts = {**counts, "calls": counts["calls"] + 1, what: counts.get(what, 0) + 1}
        self._names[name] = counts
        for key in ("calls", what):
            self._all[key] = self._all.get(key, 0) + 1
        self._note(name, counts)
        self._is_adding = False

    def _note(self, name, counts):
        if counts.get("kept", 0) != counts["calls"]:
            self._left_out[name] = counts

    def _mend(self):
        if not self._is_adding:
            return
        self._all = {}
        for name, counts in self._names.items():
            self._note(name, counts)
            for what, count in counts.items():
                self._all[what] = self._all.get(what, 0) + count
        self._is_adding = False

    def about(self, said):
        """Returns the text of a segment's metadata: `said`, the totals and, if short enough, `left_out`.

        `left_out` holds the counts of names that lost records.
        """
        self._mend()
        said = {**said, "counts": self._all or {"calls": 0}}
        # The C++ recorder's bound: a factor of two for escapes, and some room for the keys.
        most = (segments.METADATA_ROOM - segments.PAGE) // 2
        if len(self._left_out) * len('"": {"calls": 1}, ') < most:
            whole = segments.text({**said, "left_out": self._left_out})
            if len(whole) <= most:
                return whole
        return segments.text(said)
