"""The memory that a container, a batch system or `ulimit` allows: Linux's control groups and resource limits."""

import resource
from collections.abc import Iterator
from pathlib import Path

_MOUNT, _GROUPS, _STATUS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup"), Path("/proc/self/status")
_FILES = {  # of the version: limit, use, and the line of memory.stat with the file cache that the kernel can take back
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: ("memory.max", "memory.current", "inactive_file"),
}


def memory_below_limits(mount: Path = _MOUNT, groups: Path = _GROUPS) -> int | None:
    """Bytes that this process can take before a limit ends it; None without a limit.

    /proc/meminfo describes the machine: in a container with 4 GB on a machine with 512 GB it says 512.
    """
    rooms = [_room(folder, *_FILES[version]) for version, folder in _folders(mount, groups)]
    return min((room for room in [*rooms, *_below_resource_limits()] if room is not None), default=None)


def _below_resource_limits() -> Iterator[int]:
    """What `ulimit -v` and `ulimit -d` leave of the address space and of the memory for data."""
    lines = (line.split() for line in _STATUS.read_text().splitlines()) if _STATUS.is_file() else ()
    kilobytes = {words[0]: int(words[1]) for words in lines if words and words[-1] == "kB"}
    for limit, name in ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:")):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY and name in kilobytes:
            yield max(0, most - 1024 * kilobytes[name])


def _folders(mount: Path, groups: Path) -> Iterator[tuple[int, Path]]:
    """The folders of the process's group and of all groups around it: each can have a limit of its own."""
    lines = groups.read_text().splitlines() if groups.is_file() else []
    for number, controllers, path in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        if number == "0":
            version, root = 2, mount
        elif "memory" in controllers.split(","):
            version, root = 1, mount / "memory"
        else:
            continue
        # Inside a container the path can be that of the host, which does not exist here; the root is the container's.
        group = root / path.lstrip("/")
        yield from ((version, folder) for folder in (group, *group.parents) if folder.is_relative_to(root))


def _room(folder: Path, limit: str, use: str, cache: str) -> int | None:
    try:
        most, taken = ((folder / name).read_text().strip() for name in (limit, use))
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return None if most == "max" else max(0, int(most) - int(taken) + int(stat.get(cache, 0)))
    except (OSError, ValueError):  # no such group here, or a file of another form: then there is no limit that we know
        return None
