"""The notation of expected values that the golden files and the interop checks share.

A structure is a tree of nodes; a node is a JSON object whose "kind" says what it is:

    {"kind": "none"}
    {"kind": "bool", "value": true}
    {"kind": "int", "text": "-12"}                     decimal digits, any length
    {"kind": "float", "bits": "0x3ff0000000000000"}    the 64 bits of the double
    {"kind": "complex", "re_bits": "0x...", "im_bits": "0x..."}
    {"kind": "str", "utf8_hex": "c3a9"}                UTF-8; a lone surrogate as its three bytes
    {"kind": "list" | "tuple" | "set" | "frozenset", "items": [node, ...]}
    {"kind": "dict", "entries": [[key node, node], ...]}      in the order of the file
    {"kind": "collections.deque", "items": as above}
    {"kind": "collections.OrderedDict" | ..., "entries": as above}
    {"kind": "struct", "type": "...", "fields": [[name, node], ...]}
    {"kind": "tensor", "type": "numpy.ndarray", "name": "0", "dtype": "F32", "shape": [2],
     "bytes_hex": "..."}                               row-major, little endian
    {"kind": "bytes" | "bytearray", "name": "0", "hex": "..."}
    {"kind": "range" | "slice", "start": "0", "stop": "3", "step": null}
    {"kind": "ellipsis"}
    {"kind": "custom", "type": "acme.Pose", "value": raw JSON, "extra": raw JSON object}

A list, tuple, set, dict, struct or tensor node that carries more fields in the schema than its
own has them under "extra", as raw JSON. "frozenset", the types of collections, and what follows
tensors, custom excepted, are the extension spellings of plugins/python.
"""

import dataclasses
import inspect
import json
import math
import struct
import sys

import ml_dtypes
import numpy as np

SCHEMA_FIELD = "_safestructures_schema_"
VERSION_FIELD = "_safestructures_schema_version_"
STRUCT_TYPE = "SafestructuresDataclass"

# The names under which Python's package knows tensors, those of absent frameworks included.
TENSOR_TYPES = {
    "numpy.ndarray",
    "torch.Tensor",
    "tensorflow.python.framework.ops.EagerTensor",
    "jaxlib.xla_extension.ArrayImpl",
    "jaxlib._jax.ArrayImpl",
}

SEQUENCES = ("list", "tuple", "set", "frozenset", "collections.deque")
MAPPINGS = ("dict", "collections.OrderedDict", "collections.Counter", "collections.defaultdict")

SMALL_FLOATS = {
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "float8_e8m0fnu": "F8_E8M0",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
}

DTYPE_CODES = {
    "bool": "BOOL",
    "int8": "I8",
    "uint8": "U8",
    "int16": "I16",
    "uint16": "U16",
    "int32": "I32",
    "uint32": "U32",
    "int64": "I64",
    "uint64": "U64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
    **SMALL_FLOATS,
}


def teach_numpy_the_small_floats():
    """Lets safetensors 0.8.0 load 8-bit floats: it looks them up in numpy, which lacks them."""
    for name in SMALL_FLOATS:
        setattr(np, name, getattr(ml_dtypes, name))


def as_if_called_at_top_level():
    """Gives a call made here the room for recursion that a script's own lines have.

    Python's package recurses in step with the structure, so whether 247 levels fit depends on how
    deep the caller already is.
    """
    sys.setrecursionlimit(1000 + len(inspect.stack()) - 1)


def read_container(path):
    """The metadata and the tensors, {name: (dtype, shape, bytes)}, without any package."""
    with open(path, "rb") as file:
        content = file.read()
    (size,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + size])
    data = content[8 + size :]
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = (entry["dtype"], entry["shape"], data[begin:end])
    return metadata, tensors


def read_header(path):
    """The header as a JSON object."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(size))


def float_bits(number):
    return "0x" + struct.pack(">d", number).hex()


def float_node(number):
    return {"kind": "float", "bits": float_bits(number)}


def complex_node(number):
    return {
        "kind": "complex",
        "re_bits": float_bits(number.real),
        "im_bits": float_bits(number.imag),
    }


def str_node(text):
    return {"kind": "str", "utf8_hex": text.encode("utf-8", "surrogatepass").hex()}


def text_of(node):
    """The Python string of a str node."""
    return bytes.fromhex(node["utf8_hex"]).decode("utf-8", "surrogatepass")


def tree_of(schema, tensors):
    """The tree that a parsed schema describes, read as Python's package reads it."""
    kind, value = schema["data_type"], schema["value"]
    extra = {k: v for k, v in schema.items() if k not in ("data_type", "value", "keys")}

    def with_extra(node):
        return {**node, "extra": extra} if extra else node

    if kind in ("None", "NoneType"):
        return {"kind": "none"}
    if kind == "bool":
        return {"kind": "bool", "value": value}
    if kind == "int":
        return {"kind": "int", "text": str(int(value))}
    if kind == "float":
        return float_node(float(value))
    if kind == "complex":
        return complex_node(complex(value))
    if kind == "str":
        return str_node(value)
    if kind in SEQUENCES:
        return with_extra({"kind": kind, "items": [tree_of(item, tensors) for item in value]})
    if kind in MAPPINGS:
        keys = schema["keys"]
        entries = [[tree_of(keys[k], tensors), tree_of(v, tensors)] for k, v in value.items()]
        return with_extra({"kind": kind, "entries": entries})
    if kind == STRUCT_TYPE:
        fields = [[name, tree_of(field, tensors)] for name, field in value.items()]
        return with_extra({"kind": "struct", "type": kind, "fields": fields})
    if kind in TENSOR_TYPES:
        dtype, shape, data = tensors[value]
        node = {"kind": "tensor", "type": kind, "name": value, "dtype": dtype, "shape": shape}
        return with_extra({**node, "bytes_hex": data.hex()})
    if kind in ("bytes", "bytearray"):
        return {"kind": kind, "name": value, "hex": tensors[value][2].hex()}
    if kind in ("range", "slice"):
        return {"kind": kind, "start": value[0], "stop": value[1], "step": value[2]}
    if kind == "ellipsis":
        return {"kind": "ellipsis"}
    everything_else = {k: v for k, v in schema.items() if k not in ("data_type", "value")}
    return {"kind": "custom", "type": kind, "value": value, "extra": everything_else}


def tree_of_file(path):
    """The tree of a file of Python's package."""
    metadata, tensors = read_container(path)
    return tree_of(json.loads(metadata[SCHEMA_FIELD]), tensors)


def tree_of_value(value):
    """The tree of a Python value. Tensors have no name here, custom values only their type."""
    kind = type(value)
    if value is None:
        return {"kind": "none"}
    if value is ...:
        return {"kind": "ellipsis"}
    if kind is bool:
        return {"kind": "bool", "value": value}
    if kind is int:
        return {"kind": "int", "text": str(value)}
    if kind is float:
        return float_node(value)
    if kind is complex:
        return complex_node(value)
    if kind is str:
        return str_node(value)
    type_name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    if type_name in SEQUENCES:
        return {"kind": type_name, "items": [tree_of_value(item) for item in value]}
    if type_name in MAPPINGS:
        entries = [[tree_of_value(k), tree_of_value(v)] for k, v in value.items()]
        return {"kind": type_name, "entries": entries}
    if kind in (bytes, bytearray):
        return {"kind": kind.__name__, "hex": value.hex()}
    if kind in (range, slice):
        parts = {p: getattr(value, p) for p in ("start", "stop", "step")}
        texts = {p: None if v is None else str(v) for p, v in parts.items()}
        return {"kind": kind.__name__, **texts}
    if kind is np.ndarray:
        if value.dtype.byteorder == ">":
            value = value.astype(value.dtype.newbyteorder("<"))
        return {
            "kind": "tensor",
            "dtype": DTYPE_CODES[value.dtype.name],
            "shape": list(value.shape),
            "bytes_hex": value.tobytes().hex(),
        }
    if dataclasses.is_dataclass(value) and kind.__name__ == STRUCT_TYPE:
        fields = [
            [f.name, tree_of_value(getattr(value, f.name))] for f in dataclasses.fields(value)
        ]
        return {"kind": "struct", "fields": fields}
    return {"kind": "custom", "type": type_name}


def _is_nan(bits):
    return math.isnan(struct.unpack(">d", bytes.fromhex(bits[2:]))[0])


def _same_bits(a, b):
    return a == b or (_is_nan(a) and _is_nan(b))


def _brief(node):
    text = json.dumps(node)
    return text if len(text) <= 120 else text[:117] + "..."


def differences(expected, found, path="", raw=False):
    """Where two trees differ, as a list of lines; names of tensors aside.

    With `raw`, the raw JSON of extra fields and of custom values that is expected must be there.
    """
    where = path or "/"
    kind = expected["kind"]
    raw_fields = ("value", "extra") if kind == "custom" else ("extra",)
    for field in raw_fields if raw and kind == found["kind"] else ():
        if field in expected and json.dumps(expected[field]) != json.dumps(found.get(field)):
            wanted, got = json.dumps(expected[field]), json.dumps(found.get(field))
            return [f"{where}: {field}: expected {wanted}, found {got}"]
    if kind != found["kind"]:
        return [f"{where}: expected {_brief(expected)}, found {_brief(found)}"]
    if kind in SEQUENCES:
        a, b = expected["items"], found["items"]
        if kind in ("set", "frozenset"):  # a Python set has no order of its own
            a, b = (sorted(items, key=lambda n: json.dumps(n, sort_keys=True)) for items in (a, b))
        pairs = [(str(i), x, y) for i, (x, y) in enumerate(zip(a, b, strict=False))]
    elif kind in MAPPINGS:
        a, b = expected["entries"], found["entries"]
        pairs = [(f"key {i}", x[0], y[0]) for i, (x, y) in enumerate(zip(a, b, strict=False))]
        pairs += [(f"value {i}", x[1], y[1]) for i, (x, y) in enumerate(zip(a, b, strict=False))]
    elif kind == "struct":
        a, b = expected["fields"], found["fields"]
        if [n for n, _ in a] != [n for n, _ in b]:
            return [f"{where}: expected fields {[n for n, _ in a]}, found {[n for n, _ in b]}"]
        pairs = [(x[0], x[1], y[1]) for x, y in zip(a, b, strict=False)]
    else:
        compared = {
            "float": ("bits",),
            "complex": ("re_bits", "im_bits"),
            "tensor": ("dtype", "shape", "bytes_hex"),
            "bytes": ("hex",),
            "bytearray": ("hex",),
            "custom": ("type",),
        }.get(kind, tuple(expected))
        same = _same_bits if kind in ("float", "complex") else lambda x, y: x == y
        if all(same(expected[name], found[name]) for name in compared):
            return []
        return [f"{where}: expected {_brief(expected)}, found {_brief(found)}"]
    if len(a) != len(b):
        return [f"{where}: expected {len(a)} entries, found {len(b)}"]
    return [line for name, x, y in pairs for line in differences(x, y, f"{path}/{name}", raw)]
