"""Checks that the segments of a recording follow each other, with the messages of the C++ library."""

import json

METADATA_KEY = "safestructures_recording"
#: The version of the segments' layout in the metadata. Version 1 had a list of records instead of columns.
LAYOUT_VERSION = 2


def about_of(metadata):
    """Returns what a segment's metadata say about it; an empty dict if another program wrote them."""
    try:
        about = json.loads(metadata.get(METADATA_KEY, "{}"))
    except (ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}


class Order:
    """Checks segments one after the other, in the order of their numbers."""

    def __init__(self):
        self._number = 0  # The number of the last segment.
        self._run = None  # The run of the first segment that has one.
        self._run_file = None  # The file of that segment.
        self._next_sequence = 0
        self.is_closed = False

    def add(self, number, file, about, sequence):
        """Adds the next segment. sequence: the sequence numbers of its records, ascending.

        Returns a list of faults, one line each, and the number of records at its start to skip: those no later than
        records of earlier segments, or all of them after the closing segment.
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
