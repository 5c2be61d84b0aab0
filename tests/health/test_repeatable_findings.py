"""The same input has the same findings, for any order of rows and any folder."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest

from tests.dirty import CASES
from tests.sizes import FULL, half, some

ORDERED = {
    name
    for name, case in CASES.items()
    if any("score" not in str(content) and "rank" not in str(content) for file, content in case.files.items() if "lists" in file)
}
"""Cases without scores or ranks, in which the order of the rows is the ranking."""
PLACED = {name for name, case in CASES.items() if any(finding["check"] == "R02" for finding in case.findings)}
"""Cases whose sentences name the line of the first odd row."""


def one_per_check(names):
    """Return a case that raises each check, and some of those that raise none; before a release all."""
    of_checks = {"-".join(sorted({finding["check"] for finding in CASES[name].findings})): name for name in sorted(names)}
    return sorted(names) if FULL else sorted({*of_checks.values()})


def shuffled(folder, seed):
    """Put the rows of every file into another order."""
    chance = random.Random(seed)
    for path in sorted(folder.iterdir()):
        if path.suffix == ".parquet":
            pl.read_parquet(path).sample(fraction=1, shuffle=True, seed=seed).write_parquet(path)
        elif path.suffix == ".csv":
            head, *rows = path.read_text().splitlines()
            chance.shuffle(rows)
            path.write_text("".join(f"{line}\n" for line in (head, *rows)))


@pytest.mark.parametrize("name", half(one_per_check(CASES.keys() - ORDERED - PLACED)))
def test_the_order_of_rows_changes_no_finding(name, receval, tmp_path):
    path, found = CASES[name].write(tmp_path / "case"), set()
    for seed in range(2):
        _, out, err = receval("check", path, "--format", "json")
        assert out, err
        found.add(json.dumps(json.loads(out)["findings"]))
        shuffled(path.parent, seed)
    assert len(found) == 1


@pytest.mark.parametrize("name", some(one_per_check(CASES.keys()), 16))
def test_a_copy_in_another_folder_has_the_same_findings(name, receval, tmp_path):
    drop = ("--set", "evaluation.policy.missing_values=drop")
    found = [receval("run", CASES[name].write(tmp_path / place), "--format", "json", *drop)[1] for place in ("here", "over/there")]
    assert found[0] == found[1]
    assert json.loads(found[0])["results"]
