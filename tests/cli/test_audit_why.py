"""`receval audit --why` and `--find`: which settings make a difference, and which convention gives a number."""

from __future__ import annotations

import csv
import io
import json

import pytest
from receval import audit, load_config
from receval.results.audit import read_number
from receval.studies.auditing import difference

from tests.conftest import CONFIGS

QUICKSTART = CONFIGS / "quickstart.yaml"
NDCG = ("--set", "evaluation.metrics=[nDCG@20]")


@pytest.fixture(scope="module")
def study():
    return difference(load_config(QUICKSTART, ["evaluation.metrics=[nDCG@20, F1@10]"]), "receval", "clayrs")


def test_the_steps_lead_from_one_conventions_value_to_the_others(study):
    values = audit(load_config(QUICKSTART, ["evaluation.metrics=[nDCG@20, F1@10]"]), ["clayrs"]).measures
    for measure, audited in zip(study.measures, values, strict=True):
        for model in study.models:
            assert measure.first[model] == audited.cells["receval", model].value
            assert measure.second[model] == audited.cells["clayrs", model].value
            assert measure.steps[-1].so_far[model] == measure.second[model]
            assert measure.rest(model) == 0
            added = [measure.effect(index, model) for index in range(len(measure.steps))]
            assert sum(added) == pytest.approx(measure.second[model] - measure.first[model])


def test_a_step_changes_one_setting_also_of_the_metrics_that_are_combined(study):
    ndcg, f1 = study.measures
    gain = next(index for index, step in enumerate(ndcg.steps) if step.choice == "ndcg_gain")
    assert (ndcg.steps[gain].before, ndcg.steps[gain].after) == ("exp2", "linear")
    assert ndcg.has_effect(gain)
    assert ndcg.depends_on_order(gain)  # with grades of 1 both gains are 1: alone it changes nothing
    assert ndcg.effect_alone(gain, "knn") == 0
    assert "precision_denominator" in {step.choice for step in f1.steps}  # a setting of Precision, not of F1


def test_one_changed_setting_gives_the_value_of_the_measure_string_with_it(study):
    alone = next(step for step in study.measures[0].steps if step.choice == "positions").alone
    own = audit(load_config(QUICKSTART, ["evaluation.metrics=['nDCG(positions=among_rated)@20']"]), ["receval"])
    assert alone == {model: own.measures[0].cells["receval", model].value for model in own.models}


def test_the_output_has_values_steps_meanings_and_settings_without_effect(receval):
    code, out, _ = receval("audit", QUICKSTART, *NDCG, "--why", "receval", "elliot")
    assert code == 0
    assert "grades      configured → ratings   0.2028 (-0.0228)   0.1223 (-0.0183)   0.0125 (-0.0022)" in out
    assert "this line. Another order changes the steps, not the total." in out
    assert "ndcg_gain  the gain of a relevant item of grade g. receval: 2^g - 1. elliot: " in out
    assert "Different settings without effect on these files: list_order, tie_order, duplicates" in out


def test_every_format_has_the_steps(receval):
    arguments = ("audit", QUICKSTART, *NDCG, "--why", "receval", "elliot")
    body = json.loads(receval(*arguments, "--format", "json")[1])
    steps = body["measures"][0]["steps"]
    assert [body["first"], body["second"]] == ["receval", "elliot"]
    rows = [row for row in csv.DictReader(io.StringIO(receval(*arguments, "--format", "csv")[1])) if row["model"] == "knn"]
    assert [float(row["value"]) for row in rows[1:-1]] == [step["so_far"]["knn"] for step in steps]
    assert (float(rows[0]["value"]), float(rows[-1]["value"])) == (
        body["measures"][0]["first"]["knn"], body["measures"][0]["second"]["knn"],
    )  # fmt: skip
    assert "| setting | from → to | knn |" in receval(*arguments, "--format", "md")[1]


def test_a_measure_that_one_convention_lacks_is_named_with_the_reason(receval):
    arguments = ("--set", "evaluation.metrics=[F1@5, nDCG@5]", "--why", "receval")
    assert "Nothing to compare: replay: the library does not have the metric." in receval("audit", QUICKSTART, *arguments, "replay")[1]
    code, _, err = receval("audit", QUICKSTART, "--set", "evaluation.metrics=[F1@5]", "--why", "receval", "replay")
    assert (code, err) == (
        2, "receval: the conventions receval and replay cannot be compared: F1@5: replay: the library does not have the metric\n",
    )  # fmt: skip


def test_the_plain_audit_names_the_command_for_its_widest_spread(receval):
    out = receval("audit", QUICKSTART, *NDCG)[1]
    assert "To explain the widest gap, add --why rectools clayrs" in out


def test_find_compares_a_number_to_its_own_digits(receval):
    out = receval("audit", QUICKSTART, "--find", "0.1942")[1]
    assert "0.1942 is printed by:" in out
    assert out.splitlines()[-1].split() == ["0.1942", "nDCG@20", "knn", "elliot,", "ranksys"]
    assert "as a percentage" in receval("audit", QUICKSTART, *NDCG, "--find", "19.42")[1]
    assert "elliot, ranksys" in receval("audit", QUICKSTART, *NDCG, "--find", "19.42 %")[1]


def test_the_nearest_values_are_named_if_no_convention_gives_the_number(receval):
    code, out, _ = receval("audit", QUICKSTART, *NDCG, "--find", "0.1949")
    assert code == 0
    lines = [line.split() for line in out.splitlines() if line.startswith("  0.")]
    assert "No convention prints 0.1949, with or without evaluation.relevance {threshold: 4}; the closest values are:" in out
    assert lines[0][:3] == ["0.1942", "nDCG@20", "knn"]
    distances = [abs(float(line[0]) - 0.1949) for line in lines]
    assert distances == sorted(distances)
    body = json.loads(receval("audit", QUICKSTART, *NDCG, "--find", "0.1949", "--format", "json")[1])
    assert body["exact"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--why", "receval", "receval"), "--why names two conventions, not receval twice"),
        (("--why", "receval", "clayrx"), "did you mean 'clayrs'"),
        (("--why", "receval", "clayrs", "--find", "1"), "--why names the two conventions that it compares: leave out --find"),
        (("--find", "abc"), "--find takes a printed number such as 0.1894, not 'abc'"),
    ],
)
def test_impossible_options_of_an_audit_are_refused(arguments, message, receval):
    code, out, err = receval("audit", QUICKSTART, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_a_number_is_read_as_it_is_printed():
    assert [read_number(text) for text in ("0.1894", ".5", "18.94 %", "−0.20", "3")] == [
        (0.1894, 4), (0.5, 1), (18.94, 2), (-0.2, 2), (3.0, 0),
    ]  # fmt: skip
    for text in ("", "1e-3", "0,19", "٣", "0.1.2"):
        with pytest.raises(ValueError, match="takes a printed number"):
            read_number(text)
