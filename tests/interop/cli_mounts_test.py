"""The tool on a file system that is mounted read-only, and in a program that runs as another user.

Both take root, and a mount takes a system that lets root mount: what cannot be tried is said.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

TOOL = os.environ["SAFESTRUCTURES_BIN"] + "/safestructures"
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


def on_read_only_mount(folder: Path) -> None:
    """Nothing is written, and the error says why; reading works."""
    script = f'mount --bind "{folder}" "{folder}" && mount -o remount,bind,ro "{folder}" && exec "$@"'
    run = lambda *command: subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", *command], capture_output=True, text=True
    )
    if run("true").returncode != 0:
        print("NOT CHECKED: this system lets nobody mount")
        return
    before = sorted(p.name for p in folder.iterdir())
    read = run(TOOL, "verify", str(folder / "a.safetensors"))
    check(read.returncode == 0, f"verify reads there: {read.stderr}")
    for target in ("a.safetensors", "new.safetensors", "new.json"):
        saved = run(TOOL, "convert", str(folder / "a.safetensors"), str(folder / target))
        check(saved.returncode == 2, f"convert to {target} ends with {saved.returncode}")
        check("Read-only file system" in saved.stderr, f"convert to {target} says: {saved.stderr}")
    got = run(TOOL, "get", str(folder / "a.safetensors"), "/x", "-o", str(folder / "x.npy"))
    check(got.returncode == 2 and "Read-only file system" in got.stderr, f"get says: {got.stderr}")
    check(sorted(p.name for p in folder.iterdir()) == before, "something was left behind")


def as_set_user_id(folder: Path) -> None:
    """Who runs a set-user-id program has only the rights of its owner: here of nobody."""
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        print("NOT CHECKED: this file system lets no program run as its owner")
        return
    tool = folder / "tool"
    shutil.copy(TOOL, tool)
    nobody = 65534
    os.chown(tool, nobody, nobody)
    os.chmod(tool, 0o4755)
    closed = folder / "closed.safetensors"
    shutil.copy(folder / "a.safetensors", closed)
    os.chmod(closed, 0o600)
    run_tool = lambda *command: subprocess.run(
        [tool, *command], capture_output=True, text=True, user=1, group=1
    )
    # Real user 1, effective user nobody: neither may read what only root may.
    run = run_tool("show", closed)
    check(run.returncode != 0 and "Permission denied" in run.stderr, f"show says: {run.stderr}")
    # A file of nobody's is replaced as nobody, who owns it then as well.
    own = folder / "own"
    own.mkdir()
    os.chown(own, nobody, nobody)
    os.chmod(own, 0o755)
    target = own / "b.safetensors"
    run = run_tool("convert", folder / "a.safetensors", target)
    # At the end LeakSanitizer fails: it looks at processes by ptrace, which may not look at this one.
    only_leaks = "LeakSanitizer does not work under ptrace" in run.stderr
    check(run.returncode == 0 or only_leaks, f"convert says: {run.stderr}")
    if target.exists():
        check(target.stat().st_uid == nobody, f"the file belongs to {target.stat().st_uid}")
    check([p.name for p in own.iterdir()] == ["b.safetensors"], "nothing, or more than the file, is there")


def main() -> int:
    if os.geteuid() != 0:
        print("NOT CHECKED: this needs root")
        return 77
    # Where other users may look: a checkout is often below a closed home.
    folder = Path(tempfile.mkdtemp(prefix="safestructures."))
    try:
        os.chmod(folder, 0o755)
        save_file({"x": np.arange(3, dtype=np.float32)}, folder / "a.safetensors")
        os.chmod(folder / "a.safetensors", 0o644)
        on_read_only_mount(folder)
        as_set_user_id(folder)
    finally:
        shutil.rmtree(folder)
    print("ok" if failures == 0 else f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
