"""NumPy's scalars, and the tensors of frameworks that the package does not know."""

import importlib.util

import numpy as np
from safestructures import TensorProcessor
from safestructures.defaults import DEFAULT_PROCESS_MAP, register_processor
from safestructures.processors.tensor import NumpyProcessor

try:
    import ml_dtypes  # noqa: F401  Makes NumPy know bfloat16, the dtype that safetensors loads BF16 as.
except ImportError:
    pass


def as_numpy(tensor):
    """Returns a tensor as an array, whichever framework the file was loaded for."""
    if hasattr(tensor, "detach"):  # torch: it may be on a device or require a gradient
        tensor = tensor.detach().cpu()
    return np.asarray(tensor)


def in_order(array):
    """Returns the array, C-contiguous: the package stores the memory as it is, in which a view has another order."""
    return np.asarray(array, order="C")


class OrderedProcessor(NumpyProcessor):
    """An array whose memory may have any order, such as a transposed one."""

    def to_numpy(self, tensor):
        """Returns the array in the order in which it is stored."""
        return in_order(tensor)


# The package accepts no plugins for types that it knows.
register_processor(DEFAULT_PROCESS_MAP, OrderedProcessor)


class ScalarProcessor(TensorProcessor):
    """A NumPy scalar, stored as a tensor without dimensions, which keeps its dtype."""

    def to_numpy(self, tensor):
        """Converts it to an array."""
        return np.asarray(tensor)

    def deserialize(self, tensor_id, **kwargs):
        """Returns the scalar; refuses a tensor with dimensions or of another dtype."""
        array = as_numpy(self.serializer.tensors[tensor_id])
        if array.ndim != 0 or array.dtype != np.dtype(self.data_type):
            raise ValueError(
                f"{self.schema_type} must be a tensor of its dtype without dimensions, but tensor"
                f" {tensor_id!r} is {array.dtype} of shape {list(array.shape)}"
            )
        return array[()]


def _scalar_processor(dtype):
    return type(f"{dtype.__name__}Processor", (ScalarProcessor,), {"data_type": dtype})


SCALARS = [np.bool_, np.complex64]
SCALARS += [getattr(np, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
SCALARS += [np.float16, np.float32, np.float64]

PLUGINS = [_scalar_processor(dtype) for dtype in SCALARS]


if importlib.util.find_spec("paddle"):
    import paddle

    # NumPy gets them as integers.
    SMALL_FLOATS = [getattr(paddle, name, None) for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2")]

    class PaddleProcessor(TensorProcessor):
        """A PaddlePaddle tensor."""

        data_type = paddle.Tensor

        def to_numpy(self, tensor):
            """Copies it to CPU memory; bfloat16 and floats of 8 bits become float32."""
            if not tensor.is_dense():
                raise TypeError("a sparse tensor of Paddle cannot be saved: save what to_dense() gives")
            if tensor.dtype in SMALL_FLOATS:
                tensor = tensor.astype(paddle.float32)
            return in_order(tensor.numpy())

        def deserialize(self, tensor_id, **kwargs):
            """Converts the array to a tensor."""
            return paddle.to_tensor(as_numpy(self.serializer.tensors[tensor_id]))

    PLUGINS.append(PaddleProcessor)

if importlib.util.find_spec("mlx"):
    import mlx.core

    class MlxProcessor(TensorProcessor):
        """An MLX array."""

        data_type = mlx.core.array

        def to_numpy(self, tensor):
            """Converts it to a NumPy array; bfloat16, which NumPy lacks, becomes float32."""
            if tensor.dtype == mlx.core.bfloat16:
                tensor = tensor.astype(mlx.core.float32)
            return in_order(np.array(tensor))

        def deserialize(self, tensor_id, **kwargs):
            """Converts the array to one of MLX, which by itself makes float32 of float64."""
            array = as_numpy(self.serializer.tensors[tensor_id])
            return mlx.core.array(array, getattr(mlx.core, "float64", None) if array.dtype == np.float64 else None)

    PLUGINS.append(MlxProcessor)
