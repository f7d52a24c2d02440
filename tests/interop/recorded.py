"""What a Recorder of Python makes of a function that records."""

import pathlib

from cli_outcomes import verify
from safestructures_cpp.recorder import Recorder, records


def recorded(folder, name, call, *args):
    """(name, value) of what a function records that is given the recorder."""
    with Recorder(pathlib.Path(folder) / name) as recorder:
        call(recorder, *args)
    verify(folder, name)
    return [(record.name, record.value) for record in records(pathlib.Path(folder) / name)]
