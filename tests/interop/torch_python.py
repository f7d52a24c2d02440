"""A Python that has torch and the plugin, for the tests that need both."""

import os
import pathlib
import subprocess
import sys
import sysconfig

import checks

ROOT = checks.HERE.parents[1]
PLUGIN = ROOT / "plugins" / "python"
SKIPPED = 77


def python_with_torch(packages):
    """(a Python, its environment); ends the test as skipped where there is none.

    CI's and the system's own lack the plugin's packages: they get links in the folder `packages`.
    """
    packages.mkdir()
    found = pathlib.Path(sysconfig.get_path("purelib"))
    for pattern in ("safestructures*", "safetensors*", "xxhash*"):
        for path in found.glob(pattern):
            (packages / path.name).symlink_to(path)
    others = [str(python) for python in (ROOT / "build/torch/bin/python", "/usr/bin/python3") if os.path.exists(python)]
    for python, extra in ((sys.executable, ""), *((other, str(packages)) for other in others)):
        path = os.pathsep.join(part for part in (str(PLUGIN), extra, os.environ.get("PYTHONPATH", "")) if part)
        environment = {**os.environ, "PYTHONPATH": path}
        probe = [python, "-c", "import torch, safestructures_cpp.recorder"]
        if subprocess.run(probe, env=environment, capture_output=True).returncode == 0:
            return python, environment
    print("skipped: no Python here has torch")
    sys.exit(SKIPPED)
