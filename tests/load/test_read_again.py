"""Facts that only later rows show: the source is read again, and all sources only if all must change."""

from __future__ import annotations

from functools import partial

import pytest
import yaml
from receval import load_config, run
from receval.engines import whole_users
from receval.evaluation import files, running
from receval.load import opening

from tests.conftest import values

TEST = "user,item\n" + "".join(f"{user},{user}\n" for user in range(8))
LISTS = [f"{user},{item},{9 - item}" for user in range(8) for item in (user, 50, 51)]
HEADER = "user,item,score"


@pytest.fixture
def evaluate(write, monkeypatch):
    """Return a function that gives values of lists in parts of a few rows, how often each file was opened, and the rows read."""

    def evaluate(lines, **evaluation):
        opened, reports = [], []

        def noted(scan, **options):
            opened.append(scan.paths[0].rpartition("/")[2])
            return opening.open_rows(scan, **options)

        monkeypatch.setattr(files, "open_rows", noted)
        monkeypatch.setattr(running, "whole_users", partial(whole_users, rows_per_part=40))
        write("t.csv", TEST)
        write("first.csv", "\n".join([HEADER, *LISTS]) + "\n")
        write("l.csv", "\n".join([HEADER, *lines]) + "\n")
        data = {"test": "t.csv", "recommendations": {"first": "first.csv", "m": "l.csv"}}
        config = write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": ["MRR"], **evaluation}, "health": "off"}))
        result = run(load_config(config), reports.append)
        rows = max(report.n_rows for report in reports if report.model == "m")
        return values(result, "m"), {name: opened.count(name) for name in ("t.csv", "first.csv", "l.csv")}, rows

    return evaluate


def test_rows_without_new_facts_are_read_once(evaluate):
    found, opened, rows = evaluate(LISTS)
    assert opened == {"t.csv": 1, "first.csv": 1, "l.csv": 1}
    assert rows == len(LISTS)
    assert found["MRR@10"] > 0


def test_a_user_who_comes_back_late_makes_only_these_lists_be_read_again_and_reported_once(evaluate):
    expected, _, _ = evaluate(LISTS)
    found, opened, rows = evaluate([*LISTS[1:], LISTS[0]])
    assert found == expected
    assert opened == {"t.csv": 1, "first.csv": 1, "l.csv": 2}
    assert rows == len(LISTS)


@pytest.mark.parametrize("line", ["", "7,52,NA", "7,52,9007199254740993"])
def test_a_late_fact_about_a_file_makes_only_this_file_be_read_again(line, evaluate):
    evaluation = {"policy": {"missing_values": "drop"}} if "NA" in line else {}
    _, opened, _ = evaluate([*LISTS, *(f"{user},1,1" for user in range(100, 1200)), line, "3000,1,1"], **evaluation)
    assert opened["t.csv"] == opened["first.csv"] == 1
    assert opened["l.csv"] > 1


def test_a_late_text_id_makes_every_file_be_read_again(evaluate):
    _, opened, _ = evaluate([*LISTS, *(f"{user},1,1" for user in range(100, 1200)), "x,1,1"])
    assert opened == {"t.csv": 2, "first.csv": 2, "l.csv": 3}, "an id that is no integer is first seen as none, and all rows are counted"
