"""A Python that has torch and the plugin, for the tests that need both."""

import os
import pathlib
import subprocess
import sys
import sysconfig

import checks

PLUGIN = checks.HERE.parents[1] / "plugins" / "python"
SKIPPED = 77


def python_with_torch(packages):
    """(a Python, its environment); ends the test as skipped where there is none.

    The system's own lacks the plugin's packages: it gets links in the folder `packages`.
    """
    packages.mkdir()
    found = pathlib.Path(sysconfig.get_path("purelib"))
    for pattern in ("safestructures*", "safetensors*", "xxhash*"):
        for path in found.glob(pattern):
            (packages / path.name).symlink_to(path)
    for python, extra in ((sys.executable, ""), ("/usr/bin/python3", str(packages))):
        path = os.pathsep.join(part for part in (str(PLUGIN), extra, os.environ.get("PYTHONPATH", "")) if part)
        environment = {**os.environ, "PYTHONPATH": path}
        probe = [python, "-c", "import torch, safestructures_cpp.recorder"]
        if subprocess.run(probe, env=environment, capture_output=True).returncode == 0:
            return python, environment
    print("skipped: no Python here has torch")
    sys.exit(SKIPPED)
