"""The tensors of frameworks, saved with Python's own package: groups for make_structures.py.

JAX is among the packages of tests/requirements.txt. torch and TensorFlow are not: they take GiBs. What
was written where they are installed stays as it is elsewhere. To write it again:

    python -m venv with
    with/bin/pip install -r tests/requirements.txt torch==2.15.0 tensorflow==2.21.0
    with/bin/python tests/golden/make_structures.py OUT_DIR
"""

import json

import notation
import numpy as np

AS_F32 = "floating arrays of a framework are stored as F32; they load as numpy arrays"


def arrays_of_jax(out):
    import jax.numpy as jnp

    halves = jnp.array([1.5, -2.0, 65504.0], dtype=jnp.float16)
    arrays = {
        "half": halves,
        "bf16": jnp.ones((2, 2), jnp.bfloat16),
        "int": jnp.arange(3),
        "bool": jnp.array([True]),
        "rank 0": jnp.float32(0.5),
        "complex": jnp.array([1 + 2j], jnp.complex64),
    }
    loaded = {
        k: np.asarray(v.astype(np.float32) if v.dtype.itemsize == 2 else v)
        for k, v in arrays.items()
    }
    out.save(
        "arrays_of_jax",
        arrays,
        loads_as=loaded,
        needs="jaxlib.xla_extension",
        note=AS_F32,
    )


def torch_tensors(out):
    import torch

    matrix = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    out.save(
        "torch_tensors",
        {
            "float": matrix,
            "half": matrix.half(),
            "bf16": matrix.bfloat16(),
            "double": matrix.double() / 3,
            "int": torch.arange(-1, 2),
            "uint8": torch.tensor([0, 255], dtype=torch.uint8),
            "bool": torch.tensor([True, False]),
            "complex": torch.tensor([1 + 2j], dtype=torch.complex64),
            "rank 0": torch.tensor(0.5),
            "empty": torch.zeros(0, 4),
            "transposed": matrix.t(),
            "with a gradient": torch.ones(2, requires_grad=True),
            "in a list": [matrix[0], (matrix[:, 1],)],
        },
        loads_as={
            "float": values,
            "half": values,
            "bf16": values,
            "double": (values.astype(np.float64) / 3).astype(np.float32),
            "int": np.arange(-1, 2),
            "uint8": np.array([0, 255], np.uint8),
            "bool": np.array([True, False]),
            "complex": np.array([1 + 2j], np.complex64),
            "rank 0": np.array(0.5, np.float32),
            "empty": np.zeros((0, 4), np.float32),
            "transposed": np.ascontiguousarray(values.T),
            "with a gradient": np.ones(2, np.float32),
            "in a list": [values[0], (np.ascontiguousarray(values[:, 1]),)],
        },
        needs="torch",
        note=AS_F32,
    )


def tensorflow_tensors(out):
    import tensorflow

    # None of rank 0: the package takes what numpy() makes of one for no array, and fails.
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    constant = tensorflow.constant(values)
    out.save(
        "tensorflow_tensors",
        {
            "float": constant,
            "half": tensorflow.cast(constant, tensorflow.float16),
            "bf16": tensorflow.cast(constant, tensorflow.bfloat16),
            "double": tensorflow.cast(constant, tensorflow.float64) / 3,
            "int": tensorflow.range(-1, 2),
            "bool": tensorflow.constant([True, False]),
            "in a list": [constant[0]],
        },
        loads_as={
            "float": values,
            "half": values,
            "bf16": values,
            "double": (values.astype(np.float64) / 3).astype(np.float32),
            "int": np.arange(-1, 2, dtype=np.int32),
            "bool": np.array([True, False]),
            "in a list": [values[0]],
        },
        needs="tensorflow",
        note=AS_F32,
    )


def without_frameworks(out):
    names = sorted(notation.TENSOR_TYPES - {"numpy.ndarray", "jaxlib.xla_extension.ArrayImpl"})
    for name in names:
        schema = json.dumps(
            {
                "data_type": "list",
                "value": [{"data_type": name, "value": "0"}, {"data_type": "int", "value": "1"}],
            }
        )
        out.craft(
            f"a_tensor_of_type_{name.replace('.', '_').lower()}",
            schema,
            tensors={"0": np.arange(3, dtype=np.float32)},
            note="what that framework's tensors are written as, without the framework",
        )


MADE_APART = (torch_tensors, tensorflow_tensors)


def frameworks(out):
    arrays_of_jax(out)
    for group in MADE_APART:
        try:
            group(out)
        except ImportError:
            out.keep(group.__name__)
    without_frameworks(out)
