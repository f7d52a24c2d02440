"""The Python plugin gives back arrays of any memory order, and tensors of Paddle and MLX, by stand-ins for these."""

import os
import pathlib
import subprocess
import sys
import tempfile

import checks
import numpy as np
import safestructures
import safestructures_cpp


def check_orders(report, path):
    """Arrays load as they were, whatever the order of their memory, without the plugins, too."""
    array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    value = [array, array.T, array[:, ::2], array[::-1], np.asfortranarray(array), np.broadcast_to(array[0], (2, 3, 4))]
    value += [array[0, 0, 1:2].reshape(()), array[:0].T, array.astype(">i4").T]
    for plugins in (None, safestructures_cpp.PLUGINS):
        report.count("orders of memory")
        safestructures.save_file(value, path, plugins=plugins)
        for file in (path, checks.by_cpp(path)):
            for i, (one, found) in enumerate(zip(value, safestructures.load_file(file, plugins=plugins), strict=True)):
                if one.shape != found.shape or np.any(one != found):
                    report.fail(f"array {i} of {file.name}", f"found {found!r}, not {one!r}")


#: As much of Paddle and MLX as the plugin looks at. Paddle gives NumPy the bits of the floats that NumPy lacks.
PADDLE = """
import numpy as np

float32, bfloat16 = "float32", "bfloat16"


class Tensor:
    def __init__(self, array, dtype=None, is_sparse=False):
        self.array, self.dtype, self.is_sparse = array, dtype or str(array.dtype), is_sparse

    def is_dense(self):
        return not self.is_sparse

    def astype(self, dtype):
        return Tensor((self.array.astype(np.uint32) << 16).view(np.float32), dtype)

    def numpy(self):
        return self.array


to_tensor = Tensor
"""
MLX = """
import numpy as np

float32, float64, bfloat16 = np.dtype("f4"), np.dtype("f8"), "bfloat16"


class array:
    def __init__(self, values, dtype=None):
        self.values = values.astype(dtype or {float64: float32}.get(values.dtype, values.dtype))
        self.dtype = dtype or self.values.dtype

    def __array__(self, dtype=None, copy=None):
        return self.values
"""
WITH_STAND_INS = """
import sys
import numpy as np, safestructures, safestructures_cpp
import paddle, mlx.core

view = np.arange(6, dtype=np.float32).reshape(2, 3).T
value = [paddle.Tensor(view), paddle.Tensor(np.array([0x3F80, 0xC000], np.uint16), "bfloat16"), paddle.Tensor(np.array(2.5))]
value += [mlx.core.array(view), mlx.core.array(np.array([0.1]), mlx.core.float64)]
safestructures.save_file(value, sys.argv[1], plugins=safestructures_cpp.PLUGINS)
for one in safestructures.load_file(sys.argv[1], plugins=safestructures_cpp.PLUGINS):
    array = one.array if type(one) is paddle.Tensor else one.values
    print(type(one).__name__, array.dtype, array.tolist())
try:
    safestructures.save_file([paddle.Tensor(view, is_sparse=True)], sys.argv[1], plugins=safestructures_cpp.PLUGINS)
except TypeError as error:
    print(error)
"""


def check_frameworks(report, path):
    """Tensors of Paddle and MLX keep their order where they are views, and their numbers where NumPy lacks the dtype."""
    folder = path.parent / "stand-ins"
    (folder / "mlx").mkdir(parents=True)
    (folder / "paddle.py").write_text(PADDLE)
    (folder / "mlx" / "core.py").write_text(MLX)
    paths = [str(folder), str(checks.HERE.parents[1] / "plugins" / "python"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(part for part in paths if part)}
    given = [sys.executable, "-c", WITH_STAND_INS, path]
    done = subprocess.run(given, env=environment, capture_output=True, text=True, timeout=60)
    view = "float32 [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]"
    expected = [f"Tensor {view}", "Tensor float32 [1.0, -2.0]", "Tensor float64 2.5", f"array {view}", "array float64 [0.1]"]
    expected.append("a sparse tensor of Paddle cannot be saved: save what to_dense() gives")
    report.count("tensors of stand-ins")
    if done.stdout.splitlines() != expected:
        report.fail("Paddle and MLX", f"found {done.stdout}{done.stderr}")


def main():
    checks.arguments(__doc__, 0)
    report = checks.Report()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.safetensors"
        check_orders(report, path)
        check_frameworks(report, path)
    report.finish()


if __name__ == "__main__":
    main()
