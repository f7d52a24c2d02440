"""Times, paths and enums."""

import datetime
import enum
import pathlib

from safestructures import DataProcessor

from safestructures_cpp.containers import class_of_name


class TextProcessor(DataProcessor):
    """A value that a text says in full."""

    def deserialize(self, serialized, **kwargs):
        """Reads the text; anything else is refused."""
        if not isinstance(serialized, str):
            raise ValueError(f"{self.schema_type} must be a text, not {serialized!r}")
        return self.parse(serialized)


class DatetimeProcessor(TextProcessor):
    """A date and a time, with its offset from UTC where it has one."""

    data_type = datetime.datetime

    def serialize(self, data):
        """Writes ISO 8601. The name of a zone is not kept, its offset is."""
        return data.isoformat()

    def parse(self, text):
        """Reads ISO 8601."""
        return self.data_type.fromisoformat(text)


class DateProcessor(DatetimeProcessor):
    """A date."""

    data_type = datetime.date


class TimeProcessor(DatetimeProcessor):
    """A time of day."""

    data_type = datetime.time


class TimedeltaProcessor(DataProcessor):
    """A duration."""

    data_type = datetime.timedelta

    def serialize(self, data):
        """Writes its three parts as text, as every int in the schema is."""
        return [str(data.days), str(data.seconds), str(data.microseconds)]

    def deserialize(self, serialized, **kwargs):
        """Reads the three parts."""
        if not isinstance(serialized, list) or len(serialized) != 3:
            raise ValueError(
                f"a timedelta must be a list of days, seconds and microseconds, not {serialized!r}"
            )
        return self.data_type(*map(int, serialized))


class PathProcessor(TextProcessor):
    """A path of this system: what is PosixPath on one is WindowsPath on another."""

    data_type = pathlib.Path

    @property
    def schema_type(self):
        """The class that exists on every system."""
        return "pathlib.Path"

    def serialize(self, data):
        """Writes it with slashes."""
        return data.as_posix()

    def parse(self, text):
        """Makes a path of this system."""
        return pathlib.Path(text)


class SystemPathProcessor(PathProcessor):
    """The class that `Path()` makes here."""

    data_type = type(pathlib.Path())


class PurePosixPathProcessor(TextProcessor):
    """A path of POSIX, wherever it is used."""

    data_type = pathlib.PurePosixPath

    @property
    def schema_type(self):
        """The public name: Python 3.13 calls the module of all of them `pathlib._local`."""
        return f"pathlib.{self.data_type.__name__}"

    def serialize(self, data):
        """Writes it with slashes."""
        return data.as_posix()

    def parse(self, text):
        """Makes a path."""
        return self.data_type(text)


class PureWindowsPathProcessor(PurePosixPathProcessor):
    """A path of Windows, wherever it is used."""

    data_type = pathlib.PureWindowsPath


class EnumProcessor(TextProcessor):
    """A member of any enum, by its name."""

    data_type = enum.Enum

    @property
    def schema_type(self):
        """The same for all enums: the file says which it was by `class`."""
        return "enum.Enum"

    def serialize(self, data):
        """Writes the name, which outlives a change of the value."""
        return data.name

    def serialize_extra(self, data):
        """Writes the name of the class."""
        return {"class": type(data).__name__}

    def deserialize(self, serialized, **kwargs):
        """The member of the class that `enumeration` was given, else the text of its name."""
        name = super().deserialize(serialized)
        known = class_of_name(self.serializer, EnumProcessor, str(kwargs.get("class", "")))
        if known is None:
            return name
        if name not in known.__members__:
            raise ValueError(
                f"{known.__name__} has no member {name!r}: it has {', '.join(known.__members__)}"
            )
        return known[name]

    def parse(self, text):
        """The text itself."""
        return text


def enumeration(data_type):
    """The processor of an enum, for `plugins`."""
    return type(f"{data_type.__name__}Processor", (EnumProcessor,), {"data_type": data_type})


PLUGINS = [
    DatetimeProcessor,
    DateProcessor,
    TimeProcessor,
    TimedeltaProcessor,
    PathProcessor,
    SystemPathProcessor,
    PurePosixPathProcessor,
    PureWindowsPathProcessor,
    EnumProcessor,
]
