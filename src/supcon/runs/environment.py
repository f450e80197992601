"""The environment of a run, recorded so that its results can be reproduced."""

import os
import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("supcon", "torch", "torchvision", "timm", "lightning", "numpy", "scikit-learn")


def describe_environment(seed: int) -> dict[str, Any]:
    """Versions, commit, hardware, seed, command and time, as plain values."""
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "seed": seed,
        "commit": _commit(),
        "python": platform.python_version(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "accelerators": _accelerators(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    """The commit of this package's checkout, followed by `+changes` if the package was changed since.

    Other files do not count: those of a study, for example, are written into the checkout while it runs.
    """
    here = Path(__file__).parent

    def git(*arguments: str) -> str:
        # Without locks: `git status` would otherwise leave its lock in the repository if this process is killed.
        command = ["git", "--no-optional-locks", "-C", str(here), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "environment.py")  # fails for a copy installed inside another repository
        return git("rev-parse", "HEAD") + ("+changes" if git("status", "--porcelain", "--", str(here.parent)) else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _accelerators() -> list[str]:
    import torch

    return [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
