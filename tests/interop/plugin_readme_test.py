"""Runs the code of plugins/python/README.md on a file that has what plain Python refuses."""

import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "plugins" / "python"))
shutil.copy(
    ROOT / "tests" / "golden" / "structures" / "extension_bytes.safetensors",
    "from_cpp.safetensors",
)


def main():
    import safestructures_cpp
    import safestructures

    value = safestructures.load_file("from_cpp.safetensors", plugins=safestructures_cpp.PLUGINS)
    safestructures.save_file(value, "to_cpp.safetensors", plugins=safestructures_cpp.PLUGINS)

    again = safestructures.load_file("to_cpp.safetensors", plugins=safestructures_cpp.PLUGINS)
    return 0 if value == again else 1


if __name__ == "__main__":
    sys.exit(main())
