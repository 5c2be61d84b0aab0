"""The outputs of some fast cases have their recorded bytes; `python benchmarks/net.py check` tests all cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from types import ModuleType

import pytest
import yaml

from tests.conftest import ROOT

CASES = yaml.safe_load((ROOT / "tests" / "net" / "cases.yaml").read_text("utf-8"))
FAST = [name for name, case in CASES.items() if isinstance(case, dict) and case.get("fast")]
HOW = """
To see what is different, write the outputs of the earlier commit, and compare:
    git stash; python benchmarks/net.py write /tmp/net {case}; git stash pop
    python benchmarks/net.py compare /tmp/net {case}
If it is wanted, say so in changelog.d, and record the outputs: python benchmarks/net.py record {case}"""


@pytest.fixture(scope="module")
def net() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import net

        yield net


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.release) if case in ("forms", "ties", "one_model", "series") else case for case in FAST]
)
def test_every_output_of_a_case_has_the_recorded_bytes(case, net):
    moves = list(net.changes(net.recorded([case]), net.digests(net.run_all([case]))))
    if moves and not net.same_versions():
        pytest.skip(f"the record was made with other libraries than {net.versions()}")
    assert not moves, HOW.format(case=case)


@pytest.mark.parametrize("case", [name for name in CASES if not name.startswith(".")])
def test_a_case_has_a_record_and_no_command_twice(case, net):
    import net_cases

    commands = [*net_cases.flat(CASES[case].get("once", ())), *CASES[case].get("show", ())]
    assert [command for command, times in Counter(commands).items() if times > 1] == []
    assert net.recorded([case])


def test_changes_are_shown_line_by_line(net):
    before, after = {"a/out": b"one\ntwo\n", "a/old": b""}, {"a/out": b"one\n2\n", "a/new": b""}
    assert list(net.changes(before, after)) == [("new", "a/new"), ("missing", "a/old"), ("moved", "a/out")]
    assert net.difference("a/out", before["a/out"], after["a/out"]).splitlines()[3:] == [" one", "-two", "+2"]
