"""Loads tensors of dtypes that NumPy lacks, as arrays of ml_dtypes types."""

import json
import struct

import numpy as np

#: The names in ml_dtypes, and the number of bits.
NAMES = {
    "BF16": ("bfloat16", 16),
    "F4": ("float4_e2m1fn", 4),
    "F6_E2M3": ("float6_e2m3fn", 6),
    "F6_E3M2": ("float6_e3m2fn", 6),
    "F8_E4M3": ("float8_e4m3fn", 8),
    "F8_E4M3FNUZ": ("float8_e4m3fnuz", 8),
    "F8_E5M2": ("float8_e5m2", 8),
    "F8_E5M2FNUZ": ("float8_e5m2fnuz", 8),
    "F8_E8M0": ("float8_e8m0fnu", 8),
}


def load(file, names):
    """Returns {name: array} for the named tensors of a file, whose header must be valid. Raises ValueError."""
    with open(file, "rb") as opened:
        (size,) = struct.unpack("<Q", opened.read(8))
        header = json.loads(opened.read(size))
        return {name: load_one(opened, 8 + size, file, name, header[name]) for name in names}


def load_one(opened, begin, file, name, entry):
    """Returns the array of one tensor. entry: the tensor's entry in the header."""
    kind, bits = NAMES[entry["dtype"]]
    first, last = entry["data_offsets"]
    opened.seek(begin + first)
    data = np.frombuffer(bytearray(opened.read(last - first)), np.uint8)
    codes = data if bits >= 8 else unpacked(data, bits)
    return codes.view(kind_of(kind, file, name, entry["dtype"])).reshape(entry["shape"])


def kind_of(kind, file, name, dtype):
    """Returns the type in ml_dtypes. Raises ValueError, which says what to install."""
    try:
        import ml_dtypes

        return getattr(ml_dtypes, kind)
    except (ImportError, AttributeError) as error:
        raise ValueError(
            f"{file}: the tensor {name!r} is {dtype}, which NumPy does not know: install ml_dtypes, 0.5 or"
            " later (pip install -U ml_dtypes)"
        ) from error


def unpacked(data, bits):
    """Returns one byte per number. Numbers of 4 or 6 bits are packed from the lowest bit."""
    numbers = np.unpackbits(data, bitorder="little").reshape(-1, bits)
    return np.packbits(numbers, axis=1, bitorder="little").reshape(-1)
