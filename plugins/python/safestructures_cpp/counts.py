"""What became of the calls of a recorder's names."""

from safestructures_cpp import segments


class Counts:
    """Of each name, and of all, how many calls there were, and how many were kept, filtered or failed.

    A call is counted in one step; an interrupt may leave the sums behind, which are then made again.
    """

    def __init__(self):
        self._names = {}
        self._all = {}
        self._left_out = {}  # Of names that lost something.
        self._is_adding = False

    def __bool__(self):
        return bool(self._names)

    def by_name(self):
        """Copies of the counts by name."""
        return {name: dict(counts) for name, counts in self._names.items()}

    def calls(self, name):
        """How many calls of a name there were."""
        counts = self._names.get(name)
        return counts["calls"] if counts else 0

    def add(self, name, what):
        """Counts a call, and what became of it."""
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
        """The text of what a segment says of itself: `said`, the sums and, where it is short enough, all names."""
        self._mend()
        said = {**said, "counts": self._all or {"calls": 0}}
        # As the C++ recorder bounds it: twice for the escapes, and something for the keys.
        most = (segments.METADATA_ROOM - segments.PAGE) // 2
        if len(self._left_out) * len('"": {"calls": 1}, ') < most:
            whole = segments.text({**said, "left_out": self._left_out})
            if len(whole) <= most:
                return whole
        return segments.text(said)
