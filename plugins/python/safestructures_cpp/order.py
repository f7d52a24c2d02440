"""Whether the segments of a recording follow each other: what is wrong is said as the C++ library says it."""

import json

METADATA_KEY = "safestructures_recording"
#: Which layout of segments this is, as the metadata say: 1 had a list of records for columns.
LAYOUT_VERSION = 2


def about_of(metadata):
    """What a segment says of itself; nothing of what other writers wrote."""
    try:
        about = json.loads(metadata.get(METADATA_KEY, "{}"))
    except ValueError:
        return {}
    return about if isinstance(about, dict) else {}


class Order:
    """Segments, one after the other in the order of their numbers."""

    def __init__(self):
        self._number = 0  # Of the last one.
        self._run = None  # Of the first that names it,
        self._run_file = None  # whose file this is.
        self._next_sequence = 0
        self.is_closed = False

    def add(self, number, file, about, sequence):
        """Takes the next one. sequence: of its records, ascending.

        Returns what is wrong, a line each, and how many of its first records are no later than others before.
        """
        if self.is_closed:
            return [f"{file.name} comes after segment {self._number}, which closed the recording, "
                    "and was not read"], len(sequence)
        faults = []
        first, last = self._number + 1, number - 1
        if first == last:
            faults.append(f"segment {first} is missing")
        elif first < last:
            faults.append(f"segments {first} to {last} are missing")
        said = about.get("segment", number)
        if said != number:
            faults.append(f"{file.name} says that it is segment {said} of its recording")
        run = about.get("run")
        if self._run is None and run is not None:
            self._run, self._run_file = run, file
        is_other = run is not None and run != self._run
        if is_other:
            faults.append(f"{file.name} is of another recording than {self._run_file.name}")
        taken = sum(one < self._next_sequence for one in sequence)
        if taken:
            records = "1 record that is" if taken == 1 else f"{taken} records that are"
            faults.append(f"{file.name} has {records} no later than those of segments before it: not read")
        if len(sequence):
            self._next_sequence = max(self._next_sequence, sequence[-1] + 1)
        self._number = number
        self.is_closed = about.get("closed") is True and said == number and not is_other
        return faults, taken
