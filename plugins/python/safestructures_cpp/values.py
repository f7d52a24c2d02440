"""Times, paths and enums."""

import datetime
import enum
import pathlib
import re

from safestructures import DataProcessor

from safestructures_cpp.containers import classes_of_name, only_one


class TextProcessor(DataProcessor):
    """A value that is stored as a text."""

    def deserialize(self, serialized, **kwargs):
        """Reads the text; refuses anything else."""
        if not isinstance(serialized, str):
            raise ValueError(f"{self.schema_type} must be a text, not {serialized!r}")
        return self.parse(serialized)


class DateProcessor(TextProcessor):
    """A date."""

    data_type = datetime.date

    def serialize(self, data):
        """Writes ISO 8601. The offset of a time zone is kept, its name is not."""
        return data.isoformat()

    def parse(self, text):
        """Reads ISO 8601."""
        return self.data_type.fromisoformat(text)


class TimeProcessor(DateProcessor):
    """A time of day."""

    data_type = datetime.time

    def serialize_extra(self, data):
        """Writes `fold` if it is 1: the second of two equal wall-clock times, which ISO 8601 cannot express."""
        return {"fold": str(data.fold)} if data.fold else {}

    def deserialize(self, serialized, fold="0", **kwargs):
        """Reads ISO 8601 and `fold`."""
        value = super().deserialize(serialized)
        if fold not in ("0", "1"):
            raise ValueError(f'the fold of a {self.schema_type} must be "0" or "1", not {fold!r}')
        return value.replace(fold=int(fold))


class DatetimeProcessor(TimeProcessor):
    """A date and a time, with the offset from UTC if it has one."""

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
    """A path of the current system: a PosixPath saved on one system may load as a WindowsPath on another."""

    data_type = pathlib.Path

    @property
    def schema_type(self):
        """The class that exists on every system."""
        return "pathlib.Path"

    def serialize(self, data):
        """Writes it with slashes."""
        return data.as_posix()

    def parse(self, text):
        """Returns a path of the current system."""
        return pathlib.Path(text)


class SystemPathProcessor(PathProcessor):
    """The class of `Path()` on the current system."""

    data_type = type(pathlib.Path())


class PurePosixPathProcessor(TextProcessor):
    """A POSIX path on any system."""

    data_type = pathlib.PurePosixPath

    @property
    def schema_type(self):
        """The public name. In Python 3.13, the `__module__` of these classes is `pathlib._local`."""
        return f"pathlib.{self.data_type.__name__}"

    def serialize(self, data):
        """Writes it with slashes."""
        return data.as_posix()

    def parse(self, text):
        """Returns a path."""
        return self.data_type(text)


class PureWindowsPathProcessor(PurePosixPathProcessor):
    """A Windows path on any system."""

    data_type = pathlib.PureWindowsPath


class EnumProcessor(TextProcessor):
    """A member of any enum, stored by its name; combined flags by the names of all of them: `R|W`."""

    data_type = enum.Enum

    @property
    def schema_type(self):
        """The same name for all enums; `class` in the file tells which one it was."""
        return "enum.Enum"

    def serialize(self, data):
        """Writes the name, which stays valid if the value changes."""
        text = text_of_member(data)
        try:
            found = member_of_text(type(data), text)
        except ValueError:
            found = None
        if not are_same(found, data):
            raise ValueError(
                f"{data!r} cannot be saved: it is not a member of {type(data).__name__}, and {text!r}, which"
                " names its bits, would load as another member or not at all. Save its value"
            )
        return text

    def serialize_extra(self, data):
        """Writes the name of the class. Raises ValueError if another class has the same name."""
        name = type(data).__name__
        self.only_class(name)
        return {"class": name}

    def deserialize(self, serialized, **kwargs):
        """Returns the member of the class given to `enumeration`, or else the text of its name."""
        text = super().deserialize(serialized)
        known = self.only_class(str(kwargs.get("class", "")))
        return text if known is None else member_of_text(known, text)

    def parse(self, text):
        """Returns the text itself."""
        return text

    def only_class(self, name):
        """Returns the enum of that name that `enumeration` was given, or None."""
        return only_one(classes_of_name(self.serializer, EnumProcessor, name), "enums")


def are_same(found, member):
    """Whether both are the same member, or the same flags."""
    if found is member:
        return True
    # Python 3.11.2 makes flags with bits that have no name anew each time.
    return isinstance(member, enum.Flag) and type(found) is type(member) and found._value_ == member._value_


def text_of_member(member):
    """Returns the name; for unnamed flags, the names of their parts, plus a number for bits without a name.

    Python's own name for such flags depends on its version.
    """
    members = type(member).__members__
    if not isinstance(member, enum.Flag) or members.get(member._name_) is member:
        return str(member._name_)
    rest = member._value_
    names = []
    # Before Python 3.11 an IntFlag can be negative; it is then written as its number.
    for name, part in members.items() if rest > 0 else ():
        bits = part._value_
        if bits & rest and bits & member._value_ == bits:
            names.append(name)
            rest &= ~bits
    return "|".join(names + ([str(rest)] if rest or not names else []))


def member_of_text(known, text):
    """Returns the member, or the flags, that such a text stands for."""
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
    # Depending on its boundary, a class may take other bits than these or return a plain int.
    if not isinstance(found, known) or (flags >= 0 and found._value_ != flags):
        raise ValueError(f"{known.__name__} cannot have the flags {text!r}: it gives {found!r}")
    return found


def enumeration(data_type):
    """Returns the processor for an enum, to be passed in `plugins`."""
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
