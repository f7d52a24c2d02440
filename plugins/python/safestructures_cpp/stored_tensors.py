"""Tensors of every framework as a recording stores them: as NumPy's, so that it opens without the framework."""

import dataclasses
import functools
import sys

import numpy as np

#: The format's dtypes by the names in NumPy, ml_dtypes and torch (without "torch.").
DTYPES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "int32": "I32",
    "uint64": "U64",
    "int64": "I64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
    "float8_e5m2": "F8_E5M2",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e8m0fnu": "F8_E8M0",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
}
#: A dtype that is stored as pairs of float64, as C++'s std::complex<double> is.
PAIRS = "complex128"
#: The dtypes of all tensors that can be recorded.
RECORDABLE = DTYPES.keys() | {PAIRS}
#: torch dtypes that torch may not convert to NumPy, and integers of the same size to view them as.
BITS_OF_TORCH = {"bfloat16": "int16", "uint16": "int16", "uint32": "int32", "uint64": "int64"}


@dataclasses.dataclass
class StoredTensor:
    """A tensor as it is stored. `data` is its bytes in order; `name` is set when the record assigns one."""

    dtype: str
    shape: tuple
    data: memoryview
    path: str
    name: str = ""
    is_complex: bool = False  # Whether the last dimension is real and imaginary parts, for which there is no dtype.


class NotRecordable(TypeError):
    """A value of a type that no record can hold."""


def is_torch_tensor(value):
    """Whether it is a torch tensor. Does not import torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_jax_array(value):
    """Whether it is a JAX array. Does not import JAX."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


def is_array(value):
    """Whether it is a tensor of a known framework or a NumPy scalar."""
    return isinstance(value, (np.ndarray, np.generic)) or is_torch_tensor(value) or is_jax_array(value)


def is_typed_number(value):
    """Whether it is a Python number with a dtype, such as those that newer JAX passes to differentiation rules."""
    return isinstance(value, (int, float, complex)) and isinstance(getattr(value, "dtype", None), np.dtype)


def is_random_key(value):
    """Whether it is an array of JAX's typed random keys, which NumPy cannot represent."""
    return is_jax_array(value) and not isinstance(value.dtype, np.dtype)


def torch_as_numpy(tensor):
    """Returns (name of the dtype, array of its bits) in CPU memory."""
    import torch

    if tensor.is_nested:
        raise NotRecordable("a nested torch tensor")
    if tensor.layout != torch.strided or tensor.is_quantized:
        raise NotRecordable(f"a torch tensor of layout {tensor.layout} and dtype {tensor.dtype}")
    name = str(tensor.dtype).removeprefix("torch.")
    tensor = tensor.detach().cpu().contiguous()
    if name.startswith("float8"):
        return name, tensor.view(torch.uint8).numpy()
    if name in BITS_OF_TORCH:
        return name, tensor.view(getattr(torch, BITS_OF_TORCH[name])).numpy()
    return name, tensor.resolve_conj().resolve_neg().numpy()


@functools.lru_cache(maxsize=64)  # NumPy puts the name together anew each time, which takes 3 us.
def name_of_dtype(dtype):
    """Returns the name of a dtype of NumPy."""
    return dtype.name


def stored_tensor(value, path):
    """Returns the StoredTensor of an array, which may share its memory. Raises NotRecordable."""
    if is_torch_tensor(value):
        name, array = torch_as_numpy(value)
    else:
        array = np.asarray(value)
        name = name_of_dtype(array.dtype)
    is_complex = name == PAIRS
    if name not in RECORDABLE:
        raise NotRecordable(f"a tensor of dtype {name}")
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    array = np.asarray(array, order="C")
    if is_complex:
        name = "float64"
        array = array.reshape(*array.shape, 1).view(np.float64)
    if not array.size:
        return StoredTensor(DTYPES[name], tuple(array.shape), memoryview(b""), path, is_complex=is_complex)
    # As bytes, because some dtypes do not support the buffer protocol.
    data = array.reshape(-1).view(np.uint8)
    if name == "bool" and np.maximum.reduce(data) > 1:
        data = (data != 0).view(np.uint8)  # C++ would take other bytes, as of memory that was never set, for damaged.
    return StoredTensor(DTYPES[name], tuple(array.shape), memoryview(data), path, is_complex=is_complex)
