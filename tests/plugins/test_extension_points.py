"""Everything that may be added from a package outside of the tree is used once: by its name, and for a value.

| what is added | entry point | test |
|---|---|---|
| metric | `receval.metrics` | `test_plugins`: of a package, of a file of `--plugin`, of a session; on Spark |
| check | `receval.checks` | `test_plugins`; its severity and limits in `tests/config/test_plugin_checks.py` |
| convention | `receval.conventions` | `test_plugins` |
| output format | `receval.formats` | `test_plugins`: for `--format` and as an ending of `-o` |
| tracker | `receval.trackers` | here; one that fails in `tests/trackers/test_tracking.py` |
| kind of table in memory | none: Arrow's C interface | here |
| section of a report | `receval.sections` | here |
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, get_args

import pytest
import receval as library
from receval.support import plugins

from tests.conftest import CONFIGS
from tests.plugins.conftest import announced

pytestmark = pytest.mark.usefixtures("acme")


def test_the_example_package_adds_something_of_every_kind():
    assert {f"receval.{kind}" for kind in get_args(plugins.Kind)} <= announced().keys()


def test_a_tracker_of_a_package_gets_the_values_of_a_run(receval: Callable[..., Any], tmp_path):
    journal = tmp_path / "journal.txt"
    options = ("--set", "evaluation.metrics=[HitRate@1, LateHits@10]", "--set", f"track=[{{journal: {{path: {journal}}}}}]")
    code, _, err = receval("run", CONFIGS / "quickstart.yaml", "-q", *options)
    assert (code, err) == (0, "")
    lines = dict(line.rsplit(" = ", 1) for line in journal.read_text().splitlines())
    expected = library.evaluate(library.load_config(CONFIGS / "quickstart.yaml", ["evaluation.metrics=[HitRate@1, LateHits@10]"]))
    assert lines == {f"{row.model} {row.label}": str(row.value) for row in expected.rows}
    assert 0 < float(lines["knn LateHits@10"]) < 1


def test_a_kind_of_table_of_a_package_is_read_with_arrow():
    log = import_module("acme_receval").Log
    test, lists = log(user=[1, 1, 2], item=[1, 2, 3]), log(user=[1, 1, 2, 2], item=[5, 1, 3, 4], score=[0.9, 0.5, 0.8, 0.1])
    found = library.evaluate(test=test, recommendations=lists, metrics=["nDCG@2", "Recall@1"]).to_dict()
    assert found == {"model": {"nDCG@2": pytest.approx((0.386853 + 1) / 2, abs=1e-6), "Recall@1": 0.5}}


@pytest.fixture
def tiny(write: Callable[..., Any]) -> Any:
    write("test.csv", "user,item\n1,1\n2,3\n")
    write("lists.csv", "user,item\n1,5\n1,1\n2,3\n")
    return write("c.yaml", "data: {test: test.csv, recommendations: lists.csv}\nevaluation: {metrics: [nDCG@2]}\n")


@pytest.mark.parametrize("ending", ["md", "html"])
def test_a_section_of_a_package_is_in_every_form_of_a_report(ending, receval: Callable[..., Any], tiny, tmp_path):
    assert receval("report", tiny, "-o", tmp_path / f"report.{ending}")[0] in (0, 1)
    text = (tmp_path / f"report.{ending}").read_text("utf-8")
    assert "Acme's users" in text.replace("&#39;", "'")
    assert "Acme counts 2 users." in text


def test_a_failing_section_is_reported_with_its_name_and_package(receval: Callable[..., Any], tiny, tmp_path):
    receval("run", tiny, "-q", "-o", f"{tmp_path}/old/")
    receval("run", tiny, "-q", "-o", f"{tmp_path}/new/")
    code, _, err = receval("report", tmp_path / "old", tmp_path / "new", "-o", tmp_path / "report.md")
    assert (code, err.partition(": ValueError")[0]) == (2, "receval: the section users of acme-receval 1.2 failed")
