import subprocess
import sys
from pathlib import Path

import pytest

from supcon.base.memory_limits import memory_below_limits


def group(folder: Path, version: int, limit: str, used: int, cache: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = {1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_"), 2: ("memory.max", "memory.current", "")}
    most, taken, prefix = names[version]
    (folder / most).write_text(f"{limit}\n")
    (folder / taken).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{prefix}inactive_file {cache}\n")


def room(tmp_path: Path, lines: str) -> int | None:
    (tmp_path / "groups").write_text(lines)
    return memory_below_limits(tmp_path / "mount", tmp_path / "groups")


def test_a_container_of_version_2_leaves_its_limit_less_what_is_used_and_not_cache(tmp_path: Path) -> None:
    group(tmp_path / "mount", 2, "4000", 1000, 300)
    assert room(tmp_path, "0::/\n") == 3300


def test_a_container_of_version_1_sees_its_group_at_the_root_under_another_name(tmp_path: Path) -> None:
    group(tmp_path / "mount/memory", 1, "4000", 1000, 300)
    assert room(tmp_path, "4:memory:/docker/0123\n1:cpu:/\n0::/\n") == 3300


def test_the_smallest_room_of_the_groups_around_a_job_counts(tmp_path: Path) -> None:
    group(tmp_path / "mount/slurm", 2, "5000", 4500, 0)
    group(tmp_path / "mount/slurm/job_7", 2, "4000", 1000, 0)
    group(tmp_path / "mount/other", 2, "10", 0, 0)
    assert room(tmp_path, "0::/slurm/job_7\n") == 500


def test_use_above_the_limit_leaves_nothing(tmp_path: Path) -> None:
    group(tmp_path / "mount", 2, "4000", 4100, 0)
    assert room(tmp_path, "0::/\n") == 0


def test_without_a_limit_there_is_none(tmp_path: Path) -> None:
    group(tmp_path / "mount", 2, "max", 1000, 0)
    assert room(tmp_path, "0::/\n") is None
    assert room(tmp_path, "0::/elsewhere\nno line of a group\n") is None
    assert memory_below_limits(tmp_path, tmp_path / "missing") is None


def test_files_of_another_form_count_as_no_limit(tmp_path: Path) -> None:
    group(tmp_path / "mount", 2, "plenty", 1000, 0)
    assert room(tmp_path, "0::/\n") is None


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_of_the_shell_leaves_what_the_process_has_not_taken(limit: str) -> None:
    code = (
        "import resource; from supcon.base.memory import available_memory\n"
        f"resource.setrlimit(resource.{limit}, (1 << 31, 1 << 31)); print(available_memory())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 1 << 29 < int(done.stdout) < 1 << 31
