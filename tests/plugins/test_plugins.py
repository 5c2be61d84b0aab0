"""Additions of packages and files: metrics, conventions, checks and formats under names that are not built in."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import receval as library
from receval.metrics import METRICS, find
from receval.metrics.measure import Measure
from receval.metrics.registry import metric as registered_metric
from receval.testing import check_metric

from tests.conftest import CONFIGS
from tests.plugins.conftest import install

TEST, LISTS = {1: [1, 2], 2: [3], 4: [9]}, {1: [5, 1], 2: [3, 4]}


@pytest.mark.usefixtures("acme")
def test_a_metric_of_a_package_is_found_by_its_name_and_named_in_the_manifest():
    assert "acme_receval" not in sys.modules
    result = library.evaluate(test=TEST, recommendations=LISTS, metrics=["late_hits@2", "HitsPerItem@2", "nDCG@2"])
    assert result.to_dict()["model"] == pytest.approx({"LateHits@2": 1 / 3, "HitsPerItem@2": 1 / 3, "nDCG@2": (0.386853 + 1) / 3}, abs=1e-6)
    assert result.versions["acme-receval"] == "1.2"
    assert find("LateHits").origin == "acme-receval 1.2"
    assert "acme-receval" not in library.evaluate(test=TEST, recommendations=LISTS, metrics="nDCG@2").versions


@pytest.mark.usefixtures("acme")
def test_a_convention_a_check_and_a_format_of_a_package_are_found_by_their_names(receval: Callable[..., Any], tmp_path: Path):
    result = library.evaluate(test=TEST, recommendations=LISTS, metrics="HitRate@2", convention="acme", health={"Z01": "warn"})
    assert result["HitRate@2"].value == 1.0  # user 4 has no list and is left out
    assert [finding.sentence for finding in result.findings if finding.check == "Z01"] == ["There are lists."]
    path = CONFIGS / "quickstart.yaml"
    code, out, _ = receval("run", path, "--format", "lines")
    assert (code, out.splitlines()[0]) == (0, "knn Precision@5 = 0.1737142857142857")
    assert receval("run", path, "-q", "-o", tmp_path / "values.lines")[0] == 0
    assert (tmp_path / "values.lines").read_text() == out


@pytest.mark.usefixtures("acme")
def test_the_command_line_explains_a_metric_of_a_package_and_names_the_package(receval: Callable[..., Any]):
    code, out, _ = receval("metrics", "LateHits")
    assert code == 0
    assert "Share of the hits that are in the second half of the list." in out
    assert "added by     acme-receval 1.2" in out
    assert json.loads(receval("metrics", "LateHits", "--format", "json")[1])["metric"]["origin"] == "acme-receval 1.2"


def test_two_packages_with_one_name_are_refused_with_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("acme-receval", "other-receval"):
        (tmp_path / name).mkdir()
        install(tmp_path / name, name)
        monkeypatch.syspath_prepend(tmp_path / name)
    with pytest.raises(library.ConfigError, match=r"two packages have metrics named 'LateHits': acme-receval 1\.2 and other-receval 1\.2"):
        library.evaluate(test=TEST, recommendations=LISTS, metrics="LateHits@2")


def test_a_package_that_cannot_be_imported_is_reported_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    install(tmp_path)
    (tmp_path / "acme_receval.py").write_text("import nothing_of_this_name")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(library.ConfigError, match=r"LateHits of the package acme-receval 1\.2 cannot be loaded: ModuleNotFoundError"):
        library.evaluate(test=TEST, recommendations=LISTS, metrics="LateHits@2")


def test_a_file_of_the_command_line_adds_a_metric_and_a_config_cannot(receval: Callable[..., Any], tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text("import receval\n@receval.metric('Firsts')\ndef firsts(listed):\n    return float(listed[0].relevant)\n")
    path = CONFIGS / "quickstart.yaml"
    code, _, err = receval("run", path, "--set", "evaluation.metrics=[Firsts@5]")
    assert (code, "unknown metric 'Firsts'" in err) == (2, True)
    code, out, _ = receval("run", path, "--set", "evaluation.metrics=[Firsts@5, HitRate@1]", "--plugin", file, "--format", "json")
    values = {(row["model"], row["metric"]): row["value"] for row in json.loads(out)["results"]}
    assert code == 0
    assert values["knn", "Firsts"] == values["knn", "HitRate"]
    assert len(json.loads(out)["versions"]["mine.py"]) == 12
    assert receval("validate", path, "--plugin", tmp_path / "none.py")[0] == 2


def test_metric_functions_choose_their_arguments():
    @library.metric("Shown", bounds=(0, 100))
    def shown(listed: Any, k: int | None, relevant: Any) -> float:
        """Record the arguments of the function."""
        calls.append(([tuple(item) for item in listed], k, dict(relevant)))
        return 1.0

    calls: list[Any] = []
    test, lists = {1: {1: 4, 2: 2}, 2: {3: 1}}, {1: {5: 0.9, 1: 0.5}, 2: {4: 0.1}}
    given: dict[str, Any] = {"relevance": {"threshold": 2, "graded": True}, "health": False, "top_k": [1, "none"]}
    result = library.evaluate(test=test, recommendations=lists, metrics=[shown], **given)
    assert calls == [
        ([(5, 1, 0.9, False, 0.0)], 1, {1: 4.0, 2: 2.0}),
        ([(5, 1, 0.9, False, 0.0), (1, 2, 0.5, True, 4.0)], None, {1: 4.0, 2: 2.0}),
    ]
    assert result["Shown@1"].n_users == 1


def test_an_error_of_a_metric_function_is_reported_in_one_sentence():
    @library.metric("Failing")
    def failing(listed: Any) -> Any:
        return 1 / (len(listed) - 2)

    @library.metric("Wordy")
    def wordy(k: Any) -> Any:
        return "much"

    with pytest.raises(library.ConfigError, match="the metric Failing failed for a user: ZeroDivisionError: division by zero"):
        library.evaluate(test=TEST, recommendations=LISTS, metrics=failing)
    with pytest.raises(library.ConfigError, match="the metric Wordy gave 'much' for a user"):
        library.evaluate(test=TEST, recommendations=LISTS, metrics=["Wordy@2"])
    with pytest.raises(ValueError, match="a metric may take listed, k, relevant, train, previous, not n"):
        library.metric("Odd")(lambda listed, n: 0.0)
    with pytest.raises(ValueError, match="'ndcg' is a name of the metric nDCG of receval: choose another name"):
        library.metric("ndcg")(lambda listed: 0.0)


def test_users_without_a_value_are_left_out():
    @library.metric("Once")
    def once(listed: Any) -> float | None:
        return None if listed[0].id == 5 else 1.0

    assert library.evaluate(test={1: [1], 2: [3]}, recommendations=LISTS, metrics="Once@1")["Once@1"].n_users == 1


def test_code_that_runs_without_a_module_can_define_a_metric():
    exec("import receval\n@receval.metric('Lone')\ndef lone(listed):\n    return float(listed[0].relevant)\n", {})
    assert library.evaluate(test=TEST, recommendations=LISTS, metrics="Lone@2")["Lone@2"].value == 1 / 3  # 0, 1, and no list


def test_check_metric_tries_a_metric_on_random_data():
    @library.metric("Fine")
    def fine(listed: Any, relevant: Any) -> float:
        return sum(item.relevant for item in listed) / max(len(relevant), 1)

    @library.metric("Beyond")
    def beyond(listed: Any) -> float:
        return float(len(listed))

    @library.metric("Named", bounds=(0, 1000))
    def named(listed: Any) -> float:
        return float(listed[0].id if isinstance(listed[0].id, int) else 0)

    @library.metric("OftenNone")
    def often_none(listed: Any) -> float | None:
        return 1.0 if len(listed) > 1 and listed[0].relevant else None

    check_metric(fine, trials=2)
    check_metric(often_none, trials=8)
    check_metric("nDCG", trials=2)
    with pytest.raises(AssertionError, match=r"Beyond on the random data 0: Beyond@2 is 2\.0, outside of its bounds 0 to 1"):
        check_metric(beyond, trials=2)
    with pytest.raises(AssertionError, match="the names of users and items change a value"):
        check_metric(named, trials=4)


def test_check_metric_finds_a_metric_that_reads_other_users():
    @registered_metric("Crowd", family="own", uses=("n_relevant",), reference="")
    def crowd(m: Measure) -> Any:
        """Return one over the number of users."""
        return m.n_relevant * 0 + 1 / m.n_relevant.size

    with pytest.raises(AssertionError, match="a value depends on other users: Crowd@1 of user 0"):
        check_metric("Crowd", trials=2)


@pytest.mark.spark
@pytest.mark.slow
def test_metrics_of_a_session_and_of_a_file_are_sent_to_the_workers_of_spark(receval, spark, spark_session: Any, tmp_path: Path):
    weight = 0.5

    @library.metric("Here")
    def here(listed: Any) -> float:
        return weight * any(item.relevant for item in listed)

    METRICS["Here"].define.__module__ = "__main__"
    given: dict[str, Any] = {"test": {1: [1], 2: [3]}, "metrics": ["Here@1", "HitRate@1"]}
    lists = pl.DataFrame({"user": [1, 2], "item": [1, 1], "score": [0.9, 0.8]})
    there = library.evaluate(recommendations=spark_session.native.createDataFrame(lists.to_arrow()), **given)
    assert there.to_dict() == library.evaluate(recommendations=lists, **given).to_dict() == {"model": {"Here@1": 0.25, "HitRate@1": 0.5}}
    (tmp_path / "own.py").write_text(
        "import receval\nHALF = 0.5\n\n@receval.metric('OfFile')\ndef of_file(listed) -> float:\n    return HALF\n", "utf-8"
    )
    config = (
        "run",
        CONFIGS / "quickstart.yaml",
        "--plugin",
        tmp_path / "own.py",
        "--set",
        "evaluation.metrics=[OfFile@5]",
        "--format",
        "csv",
    )
    code, out, err = receval(*config, "--set", "engine.name=spark", "--set", "engine.master=local[2]")
    METRICS.pop("OfFile")
    assert (code, out) == receval(*config)[:2], err
    assert ",knn,OfFile@5,OfFile,5,mean,,,,,0.5" in out
