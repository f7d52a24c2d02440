"""Times, paths and enums."""

import datetime
import enum
import pathlib
import re

from safestructures import DataProcessor

from safestructures_cpp.containers import classes_of_name, only_one


class TextProcessor(DataProcessor):
    """A value that a text says in full."""

    def deserialize(self, serialized, **kwargs):
        """Reads the text; anything else is refused."""
        if not isinstance(serialized, str):
            raise ValueError(f"{self.schema_type} must be a text, not {serialized!r}")
        return self.parse(serialized)


class DateProcessor(TextProcessor):
    """A date."""

    data_type = datetime.date

    def serialize(self, data):
        """Writes ISO 8601. The name of a zone is not kept, its offset is."""
        return data.isoformat()

    def parse(self, text):
        """Reads ISO 8601."""
        return self.data_type.fromisoformat(text)


class TimeProcessor(DateProcessor):
    """A time of day."""

    data_type = datetime.time

    def serialize_extra(self, data):
        """Writes which it is of two times that a clock shows, if it is the second: ISO 8601 has no word for it."""
        return {"fold": str(data.fold)} if data.fold else {}

    def deserialize(self, serialized, fold="0", **kwargs):
        """Reads ISO 8601 and which of two times it is."""
        value = super().deserialize(serialized)
        if fold not in ("0", "1"):
            raise ValueError(f'the fold of a {self.schema_type} must be "0" or "1", not {fold!r}')
        return value.replace(fold=int(fold))


class DatetimeProcessor(TimeProcessor):
    """A date and a time, with its offset from UTC where it has one."""

    data_type = datetime.datetime


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
    """A member of any enum, by its name; flags that are set together by the names of all: `R|W`."""

    data_type = enum.Enum

    @property
    def schema_type(self):
        """The same for all enums: the file says which it was by `class`."""
        return "enum.Enum"

    def serialize(self, data):
        """Writes the name, which outlives a change of the value."""
        text = text_of_member(data)
        try:
            found = member_of_text(type(data), text)
        except ValueError:
            found = None
        if found is not data:
            raise ValueError(
                f"{data!r} cannot be saved: it is no member of {type(data).__name__}, and {text!r}, which says"
                " its bits, is read as another or as none. Save its value"
            )
        return text

    def serialize_extra(self, data):
        """Writes the name of the class, unless that is another's too."""
        name = type(data).__name__
        self.only_class(name)
        return {"class": name}

    def deserialize(self, serialized, **kwargs):
        """The member of the class that `enumeration` was given, else the text of its name."""
        text = super().deserialize(serialized)
        known = self.only_class(str(kwargs.get("class", "")))
        return text if known is None else member_of_text(known, text)

    def parse(self, text):
        """The text itself."""
        return text

    def only_class(self, name):
        """The enum of that name that `enumeration` was given; else None."""
        return only_one(classes_of_name(self.serializer, EnumProcessor, name), "enums")


def text_of_member(member):
    """The name; of flags without one the names of their parts and the number of the bits that have none.

    Python's own name of these depends on its version.
    """
    members = type(member).__members__
    if not isinstance(member, enum.Flag) or members.get(member._name_) is member:
        return str(member._name_)
    rest = member._value_
    names = []
    # Before Python 3.11 an IntFlag can be negative; then its number says it.
    for name, part in members.items() if rest > 0 else ():
        bits = part._value_
        if bits & rest and bits & member._value_ == bits:
            names.append(name)
            rest &= ~bits
    return "|".join(names + ([str(rest)] if rest or not names else []))


def member_of_text(known, text):
    """The member, or the flags, that such a text says."""
    if text in known.__members__:
        return known.__members__[text]
    is_flags = issubclass(known, enum.Flag)
    flags = 0
    for part in text.split("|") if is_flags else [text]:
        if part in known.__members__:
            flags |= known.__members__[part]._value_
        elif is_flags and re.fullmatch("-?[0-9]{1,1000}", part):
            flags |= int(part)
        else:
            raise ValueError(f"{known.__name__} has no member {part!r}: it has {', '.join(known.__members__)}")
    found = known(flags)
    # By its boundary a class may take other bits than these, or give a plain int.
    if not isinstance(found, known) or (flags >= 0 and found._value_ != flags):
        raise ValueError(f"{known.__name__} cannot have the flags {text!r}: it gives {found!r}")
    return found


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
