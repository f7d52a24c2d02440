"""What the figures were measured on."""

import datetime
import os
import pathlib
import platform
import subprocess


def output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip().splitlines()[0]


def field(path, name):
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith(name):
            return line.split(":", 1)[1].strip()
    return "unknown"


def system_name():
    release = platform.freedesktop_os_release()
    return release.get("PRETTY_NAME", "unknown")


def memory_bytes():
    return int(field("/proc/meminfo", "MemTotal").split()[0]) << 10


def describe(folder, versions):
    """Pairs of what and how much, for a table."""
    huge = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return [
        ("date", datetime.date.today().isoformat()),
        ("commit", output("git", "-C", str(pathlib.Path(__file__).parent), "describe", "--always", "--dirty")),
        ("processor", f"{field('/proc/cpuinfo', 'model name')}, {os.cpu_count()} cores"),
        ("virtual machine", output("systemd-detect-virt")),
        ("memory", f"{memory_bytes() / (1 << 30):.0f} GiB"),
        ("huge pages", huge.read_text().strip() if huge.exists() else "none"),
        ("system", f"{system_name()}, Linux {platform.release()}"),
        ("file system", output("stat", "-f", "-c", "%T", str(folder))),
        ("compiler", output("c++", "--version")),
        ("Rust", output("rustc", "--version")),
        ("Python", platform.python_version()),
        ("peers", ", ".join(f"{name} {version}".strip() for name, version in versions.items())),
        ("load average when it began", f"{os.getloadavg()[0]:.2f}"),
    ]
