"""Writes records into the segments of a recording, one after another."""

import os

from safestructures_cpp import order, segments


class SegmentWriter:
    """Writes records, and begins and seals segments as they fill up.

    As in a segment, an interrupt costs only the record that is being written.
    """

    def __init__(self, folder, segment_bytes, counts):
        """`counts` is what became of the calls so far; sealed segments tell it."""
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._counts = counts
        self._run = os.urandom(8).hex()  # Identifies the recording in its segments.
        self._sealed = 0  # The number of records in sealed segments.
        self._segment = None
        self._segment_number = 0
        self._room = 256 << 10
        self.is_closing = False
        self.is_closed = False

    @property
    def next_sequence(self):
        """The number of records written so far, which is the sequence of the next one."""
        return self._sealed if self._segment is None else self._segment.first + self._segment.records

    def write(self, record):
        """Writes a record that is prepared. Raises OSError."""
        segment = self._segment
        if segment is not None:
            is_full = segment.size and segment.size + record.size > self._segment_bytes
            if is_full or segment.is_sealing or not segment.fits(record):
                self._seal(False)
        if self._segment is None:
            self._begin(record.cost + record.cost_of_name, self._room)
        self._segment.add(record)

    def seal_what_is_whole(self):
        """Seals the segment after an error, if that is possible: else the journal tells which records are complete."""
        if self._segment is None:
            return
        try:
            self._seal(False)
        except OSError:
            pass

    def close(self, even_unused):
        """Seals the last segment, which says that the recording was closed. Raises OSError.

        even_unused: whether to write one if nothing was ever recorded.
        """
        if self._segment is not None and self._segment.is_sealing and not self.is_closing:
            self._seal(False)  # Sealing was interrupted: its metadata may already be written.
        self.is_closing = True  # After another interrupt, closing continues and nothing more is recorded.
        if self._segment is None:
            if not self._counts and not even_unused:
                return
            # Without a segment, readers would take the recording for one that was never closed.
            self._begin(0, 0)
        self._seal(True)

    def _begin(self, cost, room):
        needed = segments.in_pages(cost + segments.METADATA_ROOM + segments.PAGE)
        room = max(segments.in_pages(room), needed)
        self._segment = segments.Segment(self._folder, self._segment_number + 1, room, self._sealed)

    def _seal(self, closed):
        segment = self._segment
        # The next segment gets the room that this one would have needed when full, but grows at most twofold.
        share = max(1, self._segment_bytes / max(segment.size, 1))
        most = max(min(2 * segment.room, segments.LARGEST_ROOM), 64 << 10)
        self._room = int(min(max(segment.bound * share * 1.25, 64 << 10), most))
        about = {"version": order.LAYOUT_VERSION, "segment": segment.number, "closed": closed, "run": self._run}
        try:
            segment.seal(self._counts.about(about), even_empty=closed)
        except OSError:
            self._leave(segment)
            segment.abandon()
            raise
        if closed:
            self.is_closed = True  # Set first: otherwise a second `close` would begin another segment.
        self._leave(segment)

    def _leave(self, segment):
        self._sealed = segment.first + segment.records
        if segment.records:
            self._segment_number = segment.number
        self._segment = None
