#!/usr/bin/env python3
"""Checks the recipes of other package managers for form: check_packaging.py ROOT.

All of them say the version of CMakeLists.txt, and name nothing that is not there. The table of options in
docs/embedding.md has each of them.
"""

import ast
import json
import re
import sys
from pathlib import Path


def versions(root: Path) -> dict[str, str]:
    """The version that each file says."""
    conan = ast.parse((root / "packaging/conan/conanfile.py").read_text())
    recipe = next(node for node in conan.body if isinstance(node, ast.ClassDef))
    return {
        "packaging/conan/conanfile.py": next(
            node.value.value
            for node in recipe.body
            if isinstance(node, ast.Assign) and node.targets[0].id == "version"
        ),
        "packaging/vcpkg/vcpkg.json": json.loads((root / "packaging/vcpkg/vcpkg.json").read_text())[
            "version"
        ],
        "plugins/python/pyproject.toml": re.search(
            r'^version = "(.*)"$', (root / "plugins/python/pyproject.toml").read_text(), re.M
        )[1],
    }


def faults_of_vcpkg(root: Path) -> list[str]:
    """What vcpkg would refuse: names, and options that CMakeLists.txt does not have."""
    faults = []
    manifest = json.loads((root / "packaging/vcpkg/vcpkg.json").read_text())
    parts = [manifest, *manifest["features"].values()]
    for dependency in (d for part in parts for d in part["dependencies"]):
        name = dependency if isinstance(dependency, str) else dependency["name"]
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
            faults.append(f"vcpkg.json: '{name}' is no name of a port")
    port = (root / "packaging/vcpkg/portfile.cmake").read_text()
    switched = set(re.findall(r"FEATURES (\w+)", port))
    for feature in switched - set(manifest["features"]):
        faults.append(f"portfile.cmake: vcpkg.json has no feature '{feature}'")
    for feature in set(manifest["features"]) - switched:
        faults.append(f"portfile.cmake: the feature '{feature}' switches nothing")
    if port.count("(") != port.count(")"):
        faults.append("portfile.cmake: parentheses do not match")
    return faults


def options(root: Path) -> set[str]:
    """What a user may set of ours."""
    text = (root / "CMakeLists.txt").read_text()
    cached = re.findall(r"set\((SAFESTRUCTURES_\w+)\s+\S+\s+CACHE", text)
    return {*re.findall(r"option\((\w+)", text), *cached}


def faults_of_docs(root: Path) -> list[str]:
    """Options that docs/embedding.md's table lacks, or has too many."""
    table = set(re.findall(r"^\| `(SAFESTRUCTURES_\w+)`", (root / "docs/embedding.md").read_text(), re.M))
    faults = [f"docs/embedding.md: the table lacks {option}" for option in options(root) - table]
    return faults + [f"docs/embedding.md: there is no option {option}" for option in table - options(root)]


def faults_of_options(root: Path) -> list[str]:
    """Options that recipes set and CMake would pass over in silence."""
    known = options(root) | {"SAFESTRUCTURES_SHARED"}  # a macro of those who link the shared library
    faults = []
    for file in ("packaging/vcpkg/portfile.cmake", "packaging/conan/conanfile.py"):
        text = (root / file).read_text().replace("_{part}", "_CLI")
        for option in set(re.findall(r"SAFESTRUCTURES_\w+", text)) - known:
            faults.append(f"{file}: CMakeLists.txt has no option {option}")
    return faults


def main() -> int:
    root = Path(sys.argv[1])
    version = re.search(r"^  VERSION (\S+)$", (root / "CMakeLists.txt").read_text(), re.M)[1]
    faults = [
        f"{file}: the version is {found}, and {version} in CMakeLists.txt"
        for file, found in versions(root).items()
        if found != version
    ]
    faults += faults_of_vcpkg(root) + faults_of_options(root) + faults_of_docs(root)
    print("\n".join(faults) if faults else f"the recipes are those of {version}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
