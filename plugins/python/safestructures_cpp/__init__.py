"""Teaches Python's `safestructures` the types that it refuses, in the form that the C++ library uses.

    import safestructures_cpp, safestructures  # in this order if JAX is later than 0.6.0
    value = safestructures.load_file("from_cpp.safetensors", plugins=safestructures_cpp.PLUGINS)
    safestructures.save_file(value, "to_cpp.safetensors", plugins=safestructures_cpp.PLUGINS)

How each type is stored in the schema:

    type                                   value
    bytes, bytearray                       the name of a U8 tensor of rank 1
    frozenset                              a list of nodes, as for set
    range, slice                           ["start", "stop", "step"]; parts of a slice may be null
    ellipsis                               null
    collections.OrderedDict, Counter       as dict
    collections.defaultdict                as dict, plus "default_factory", the name of a builtin
    collections.deque                      as list, plus "maxlen"
    collections.namedtuple                 {field: node}, plus "class", its name
    enum.Enum                              the name of the member, plus "class"; flags are "R|W"
    numpy.float32 and the other scalars    the name of a tensor of rank 0
    datetime.datetime, date, time          ISO 8601, as isoformat() writes it, plus "fold" if it is 1
    datetime.timedelta                     ["days", "seconds", "microseconds"]
    pathlib.Path, PurePosixPath, ...       text
    paddle.Tensor, mlx.core.array          the name of a tensor

Named tuples and enums are your own classes: `PLUGINS + [named_tuple(Point), enumeration(Colour)]`
saves and loads them as such. Otherwise a named tuple loads as an instance of a new class with the same
fields, and an enum as the text of its name.

This plugin never imports anything by a name in a file, but `safestructures.load_file` itself imports the
module of any data_type with a dot: open untrusted files with the C++ library or its tool.

Once it is imported, a struct with a field that no dataclass can have, such as `lambda`, loads as a dict,
keys of a dict that look alike, such as `1` and `"1"`, are kept apart, and a dict or set that would lose
items in Python, such as one with `True` and `1`, is an error.

Needs `safestructures` 1.0.0, which ignores what the C++ library writes in addition to Python's own fields
(names of classes, original dtypes).

`safestructures_cpp.recorder` records activations as the C++ library does.
"""

from safestructures_cpp import newer_jax

newer_jax.stand_in()  # Before the package is imported.

from safestructures_cpp import arrays, builtin, containers, values
from safestructures_cpp.containers import named_tuple
from safestructures_cpp.values import enumeration

#: All plugins, for the `plugins` argument of `save_file` and `load_file`.
PLUGINS = [*builtin.PLUGINS, *containers.PLUGINS, *values.PLUGINS, *arrays.PLUGINS]

__all__ = ["PLUGINS", "enumeration", "named_tuple"]
