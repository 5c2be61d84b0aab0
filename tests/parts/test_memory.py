"""Amounts of memory."""

from __future__ import annotations

import pytest
from receval.config.memory import parse_memory
from receval.parts import default_memory
from receval.parts.memory import _machine_memory


@pytest.mark.parametrize(
    ("text", "size"), [("1GB", 10**9), ("1.5 GB", 1_500_000_000), ("2GiB", 2**31), ("7kb", 7000), (" 3 MiB ", 3 * 2**20), ("5B", 5)]
)
def test_amounts_are_read(text, size):
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "GB", "1", "1 XB", "-1GB", "0GB", "one GB", "1GB2"])
def test_other_texts_are_refused_with_an_example(text):
    with pytest.raises(ValueError, match="write a number and a unit, such as 500MB"):
        parse_memory(text)


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
def test_the_limit_of_a_container_counts(tmp_path, line, file):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(f"3:cpuset:/\n{line}\n")
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text("4000000\n")
    assert default_memory(tmp_path) == 1_000_000


def test_no_limit_is_no_limit(tmp_path):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/\n")
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("max\n")
    assert default_memory(tmp_path) == _machine_memory() // 4
