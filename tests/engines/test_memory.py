"""The memory limit of parts."""

from __future__ import annotations

import pytest
from receval.engines import default_memory
from receval.engines.resources import _machine_memory


def test_the_default_is_a_quarter_of_the_machine(tmp_path):
    assert default_memory(tmp_path) == _machine_memory() // 4


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("0::/user/job", "sys/fs/cgroup/user/job/memory.max"),
        ("0::/user/job", "sys/fs/cgroup/user/memory.max"),
        ("0::/", "sys/fs/cgroup/memory.max"),
        ("5:cpu,memory:/job", "sys/fs/cgroup/memory/job/memory.limit_in_bytes"),
    ],
)
def test_the_memory_limit_of_a_container_is_respected(tmp_path, line, file):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(f"3:cpuset:/\n{line}\n")
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text("4000000\n")
    assert default_memory(tmp_path) == 1_000_000


def test_a_container_without_a_limit_has_the_default(tmp_path):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/\n")
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("max\n")
    assert default_memory(tmp_path) == _machine_memory() // 4
