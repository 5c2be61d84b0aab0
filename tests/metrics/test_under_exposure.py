"""Measures under exposure: Recall and DCG with inverse propensities, their effective sample size, and their curve over γ."""

from __future__ import annotations

import csv
import io
import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import receval as library
from hypothesis import given, settings
from hypothesis import strategies as st
from receval import ConfigError, DataError
from receval.conventions import AXES, PROTOCOL, load
from receval.evaluation import running
from receval.evaluation.running import whole_users
from receval.metrics import resolve
from receval.results.gamma_curve import GammaCurve, at_gammas, over_gamma
from receval.syntax.measure_strings import parse

from tests.conftest import per_user, table
from tests.sizes import draws
from tests.worlds import measured, worlds

TEST = table(["user", "item", "p"], [("a", "x", 0.5), ("a", "y", 0.1), ("b", "x", 0.5), ("b", "z", 1.0)])
TRAIN = table(["user", "item"], [(user, item) for user, items in {"c": "xyz", "d": "xz", "e": "x", "f": "x"}.items() for item in items])
LISTS = {
    "popular": table(["user", "item", "rank"], [(user, item, rank) for user in "ab" for rank, item in enumerate("xzy", 1)]),
    "niche": table(["user", "item", "rank"], [(user, item, rank) for user in "ab" for rank, item in enumerate("yzx", 1)]),
}
SETTINGS = [
    f"{axis}={value}"
    for axis in PROTOCOL
    for value in AXES[axis].values
    if value != load("receval").axes[axis] and axis != "threshold" and axis != "average"
]


def evaluated(*metrics: str, **inputs: Any) -> Any:
    return library.evaluate(**{"test": TEST, "train": TRAIN, "recommendations": LISTS, "metrics": list(metrics), **inputs})


@settings(max_examples=draws(2, 5), deadline=None)
@given(world=worlds())
def test_with_gamma_minus_one_it_is_the_plain_recall_to_the_bit_under_every_setting(world, evaluate):
    pairs = [("Recall", "SNIPSRecall(gamma=-1)"), *((f"Recall({one})", f"SNIPSRecall(gamma=-1,{one})") for one in SETTINGS)]
    result = measured(evaluate, world, [text for pair in pairs for text in pair], top_k=[3])
    for user, row in per_user(result).items():
        for plain, weighted in pairs:
            assert repr(row[f"{plain}@3"]) == repr(row[f"{weighted}@3"]), (user, plain)


@settings(max_examples=draws(4, 10), deadline=None)
@given(world=worlds(), gamma=st.floats(-1, 5), floor=st.floats(0.001, 1))
def test_values_are_between_0_and_1_and_a_perfect_list_has_1(world, gamma, floor, evaluate):
    best = world["test"].filter(pl.col("rating") > 0).select("user", "item", score=pl.lit(1.0))
    for lists in (world["lists"], best):
        measures = [f"SNIPSRecall(gamma={gamma},floor={floor})", f"SNIPSRecall(gamma={gamma},floor={floor},average=micro)"]
        for row in measured(evaluate, world | {"lists": lists}, measures, top_k=["none"]).rows:
            assert 0 <= row.value <= 1 + 1e-12
            assert lists is not best or row.value == pytest.approx(1)


def test_the_weights_of_a_column_are_one_over_its_numbers_and_are_divided_by_their_sum():
    (row,) = evaluated("Recall(ips=rows.p)@1", recommendations={"niche": LISTS["niche"]}).rows
    assert row.measure == "SNIPSRecall(ips=rows.p)@1"
    assert row.value == pytest.approx((10 / 12 + 0) / 2)
    (plain,) = evaluated("Recall(weight=rows.p)@1", recommendations={"niche": LISTS["niche"]}).rows  # the weights are the numbers
    assert plain.value == pytest.approx((0.1 / 0.6 + 0) / 2)


def test_values_do_not_depend_on_the_scale_of_a_column():
    scaled = TEST.with_columns(p=pl.col("p") * 8)
    one, other = (evaluated("DCG(ips=rows.p)@3", test=test).rows for test in (TEST, scaled))
    assert [row.value for row in one] == [row.value for row in other]


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        ("Recall(ips=popularity)@20", "ips=popularity needs gamma, which has no usual value: write ips=popularity,gamma=NUMBER"),
        ("SNIPSDCG@10", "ips=popularity needs gamma"),
        ("nDCG(ips=popularity,gamma=1.7)@10", "nDCG takes no ips, which Recall and DCG do"),
        ("Recall(ips=items.p,gamma=1)@10", "gamma belongs to ips=popularity: items.p has the propensities"),
        ("Recall(ips=items.p,floor=0.1)@10", "floor belongs to ips=popularity"),
        ("Recall(ips=p)@10", "ips is popularity or a column: the column must be items.p"),
        ("Recall(ips=popularity,gamma=7)@10", "gamma of SNIPSRecall is a number from -1 to 5, not 7"),
        ("Recall(ips=popularity,gamma=1,weight=items.p)@10", "SNIPSRecall has no parameter 'weight'"),
    ],
)
def test_a_wrong_measure_is_refused_in_one_sentence(measure, sentence):
    with pytest.raises(ConfigError) as raised:
        evaluated(measure)
    assert len(raised.value.problems) == 1
    assert sentence in raised.value.problems[0]


def test_popularity_needs_train_and_a_column_does_not():
    with pytest.raises(ConfigError, match="needs the train interactions"):
        evaluated("Recall(ips=popularity,gamma=1)@2", train=None)
    assert evaluated("Recall(ips=rows.p)@2", train=None).rows


def test_missing_numbers_of_a_column_leave_items_out_and_numbers_below_0_are_refused():
    items = table(["item", "p"], [("x", 0.5), ("y", None), ("z", 0.0)])
    result = evaluated("Recall(ips=items.p)@3", items=items)
    assert all(row.value == 1 and row.n_users == 2 for row in result.rows)  # x is what is left
    left_out = "2 of 4 relevant user-item pairs have no number above 0 in a column that ips names: measures with this column leave them out"
    assert [remark for remark in result.remarks if left_out in remark]
    assert not [remark for remark in result.remarks if "count 0" in remark]
    with pytest.raises(DataError, match="below 0 in 1 of 3 rows") as raised:
        evaluated("Recall(ips=items.p)@3", items=items.with_columns(p=pl.Series([0.5, -1.0, 0.1])))
    assert "Profit" not in str(raised.value.hint)


def test_propensities_above_1_beside_others_are_mentioned_and_a_column_of_another_scale_is_not():
    mixed = TEST.with_columns(p=pl.Series([90.0, 0.9, 0.1, 1.0]))
    (one,) = [remark for remark in evaluated("Recall(ips=rows.p)@3", test=mixed).remarks if "above 1" in remark]
    assert "1 of 4 propensities of relevant user-item pairs in a column of ips is above 1, and the others are not" in one
    for column in ([90.0, 9.0, 10.0, 2.0], [0.9, 0.1, 0.2, 1.0]):
        assert not [
            remark
            for remark in evaluated("Recall(ips=rows.p)@3", test=TEST.with_columns(p=pl.Series(column))).remarks
            if "above 1" in remark
        ]


COLD = table(["user", "item"], [(user, item) for user in "ab" for item in ("x", "y", "new")])


@pytest.mark.parametrize(
    ("measures", "is_said"),
    [
        (["Recall(ips=popularity,gamma=1)@2"], True),
        (["Recall(ips=popularity,gamma=-1)@2", "Recall(ips=popularity,gamma=1,floor=0.1)@2", "Recall(ips=rows.p)@2"], False),
    ],
)
def test_only_measures_that_leave_out_items_without_train_rows_are_said_to_do_so(measures, is_said):
    remarks = evaluated(*measures, test=COLD.with_columns(p=pl.lit(0.5))).remarks
    said = "2 of 6 relevant user-item pairs have an item without train rows: measures with ips=popularity, a gamma above -1 and no floor"
    assert [said in remark for remark in remarks if "train rows" in remark] == [True] * is_said


def test_a_column_of_weights_of_the_config_does_not_apply_under_exposure():
    assert resolve(parse("Recall(ips=popularity,gamma=1)@5"), load("receval"), value_columns={"relevant": "rows.p"}).label == (
        "SNIPSRecall(gamma=1)@5"
    )


@pytest.mark.parametrize("name", ["Recall(ips=popularity,gamma=1.7)@10", "SNIPSRecall(gamma=1.7)@10"])
def test_a_gate_names_the_measure_in_either_spelling(receval, sample, name):
    rules = f'gates.rules=[{{measure: "{name}", min: 0.01, models: knn}}]'
    code, out, err = receval("gate", sample / "families.yaml", "-m", "Recall(ips=popularity,gamma=1.7)@10", "--set", rules)
    assert code == 0, err
    assert "pass" in out


MEASURES = ["Recall(ips=popularity,gamma=1.7)", "DCG(ips=popularity,gamma=1.7,floor=0.1)", "Recall(ips=popularity,gamma=2,average=micro)"]


def shop() -> dict[str, pl.DataFrame]:
    """Return test rows, lists and train rows, where items with small numbers are popular and some are not in train."""
    chance = random.Random(5)
    test = [(user, item) for user in range(40) for item in chance.sample(range(30), chance.randint(1, 8))]
    lists = [(user, item, chance.random()) for user in range(40) for item in chance.sample(range(30), 12)]
    train = [(user, chance.choice(range(item + 1))) for user, item in test]
    return {
        "test": table(["user", "item"], test),
        "lists": table(["user", "item", "score"], lists),
        "train": table(["user", "item"], train),
    }


def test_parts_and_the_order_of_rows_change_neither_values_nor_findings(evaluate, monkeypatch):
    inputs, asked = shop(), {"metrics": MEASURES, "top_k": [5], "health": {"T04": "off"}}
    whole = evaluate(**inputs, **asked)
    monkeypatch.setattr(running, "whole_users", partial(whole_users, rows_per_part=9))
    parts = evaluate(**{name: frame.sample(fraction=1, shuffle=True, seed=5) for name, frame in inputs.items()}, **asked)
    assert parts.rows == whole.rows
    assert parts.per_user["model"].equals(whole.per_user["model"])
    assert parts.remarks == whole.remarks
    (one, other) = ([finding for finding in result.findings if finding.check == "X17"] for result in (whole, parts))
    assert one == other
    named = {name for finding in one for name in finding.details["measures"]}
    assert named == {"SNIPSRecall(gamma=1.7)", "SNIPSDCG(gamma=1.7,floor=0.1)", "SNIPSRecall(gamma=2,average=micro)"}


@pytest.mark.spark
def test_values_on_spark_are_those_of_other_engines(evaluate, spark):
    inputs, asked = shop(), {"metrics": MEASURES, "top_k": [5]}
    assert evaluate(**inputs, **asked, engine=spark).rows == evaluate(**inputs, **asked).rows


def test_a_curve_says_where_two_models_cross():
    curve = GammaCurve("SNIPSRecall@2", (-1.0, 0.0, 1.0), {"a": (0.4, 0.3, 0.1), "b": (0.2, 0.2, 0.2), "c": (0.0, None, 0.2)}, (None,) * 3)
    assert [(one.first, one.second, one.gamma) for one in curve.crossings] == [
        ("a", "c", pytest.approx(0.6)),
        ("a", "b", pytest.approx(0.5)),
    ][::-1]


def test_models_that_touch_and_part_again_do_not_cross():
    touching = {"a": (0.4, 0.3, 0.4), "b": (0.3, 0.3, 0.3)}
    assert GammaCurve("SNIPSRecall@2", (-1.0, 0.0, 1.0), touching, (None,) * 3).crossings == ()
    meeting = {"a": (0.4, 0.3, 0.2), "b": (0.3, 0.3, 0.3)}
    assert [one.gamma for one in GammaCurve("SNIPSRecall@2", (-1.0, 0.0, 1.0), meeting, (None,) * 3).crossings] == [pytest.approx(0.0)]


def test_no_crossing_is_looked_for_where_values_jump():
    values = {"a": (0.4, 0.1, 0.2, 0.1), "b": (0.3, 0.3, 0.1, 0.2)}
    found = {n: GammaCurve("SNIPSRecall@2", (-1.0, -0.5, 0.0, 1.0), values, (None,) * 4, n).crossings for n in (0, 4)}
    assert [one.gamma < -0.5 for one in found[0]] == [True, False, False]
    assert found[4] == found[0][1:]
    assert GammaCurve("SNIPSRecall@2", (-0.5, 0.0, 0.5, 1.0), values, (None,) * 4, 4).crossings[0].gamma < 0


def cold_shop(folder: Path, models: str = "cold warm") -> Path:
    """Write a config where `cold` lists an item without train rows, and `warm` a rare item with some."""
    lists = {model: [(user, item, 1) for user in "ab"] for model, item in {"cold": "new", "warm": "y"}.items()}
    COLD.filter((pl.col("user") == "a") | (pl.col("item") != "y")).write_csv(folder / "test.csv")
    TRAIN.write_csv(folder / "train.csv")
    for model, rows in lists.items():
        table(["user", "item", "rank"], rows).write_csv(folder / f"{model}.csv")
    given = ", ".join(f"{model}: {model}.csv" for model in models.split())
    config = folder / "config.yaml"
    config.write_text(f"data: {{test: test.csv, train: train.csv, recommendations: {{{given}}}}}\nevaluation: {{metrics: [Recall@2]}}\n")
    return config


@pytest.mark.parametrize("health", ["{}", "off", "{X17: off}"])
def test_a_curve_says_why_it_jumps_and_counts_items_whatever_health_says(receval, tmp_path, health):
    config = cold_shop(tmp_path)
    code, out, err = receval("audit", config, "--gamma-curve", "--set", f"health={health}")
    assert code == 0, err
    text = " ".join(out.split())
    assert (
        "2 relevant user-item pairs have items without train rows: they count like all others only at γ = -1, so values jump there." in text
    )
    assert "No two models cross from γ = -0.5 to 3." in text
    assert "is above" not in text
    (curve,) = json.loads(receval("audit", config, "--gamma-curve", "--set", f"health={health}", "--format", "json")[1])["curves"]
    assert curve["values"]["cold"][0] > curve["values"]["warm"][0]
    assert curve["values"]["cold"][1] < curve["values"]["warm"][1]
    assert (curve["no_train"], curve["crossings"]) == (2, [])
    assert None not in curve["effective"]


def test_a_floor_makes_values_jump_too_and_no_crossing_is_found_there(receval, tmp_path):
    measure = "Recall(ips=popularity,gamma=1,floor=0.01)@2"
    out = receval("audit", cold_shop(tmp_path), "--gamma-curve", "-m", measure, "--format", "json")[1]
    (curve,) = json.loads(out)["curves"]
    near = json.loads(receval("run", tmp_path / "config.yaml", "-m", measure.replace("gamma=1", "gamma=-0.9999"), "--format", "json")[1])
    assert all(abs(row["value"] - curve["values"][row["model"]][0]) > 0.1 for row in near["results"])
    assert curve["no_train"] == 2


def test_a_curve_of_one_model_says_nothing_of_crossings(receval, tmp_path):
    out = receval("audit", cold_shop(tmp_path, "warm"), "--gamma-curve")[1]
    assert "so values jump there." in " ".join(out.split())
    assert "ross" not in out
    assert "one model" not in out


def test_a_curve_over_folds_counts_the_items_of_all_folds(receval, tmp_path):
    text = cold_shop(tmp_path).read_text()
    data = text.partition("{")[2].partition("}}")[0] + "}"
    folds = tmp_path / "folds.yaml"
    folds.write_text(text.replace(data, f"folds: [{{name: one, {data}}}, {{name: two, {data}}}]"))
    one, both = (json.loads(receval("audit", path, "--gamma-curve", "--format", "json")[1]) for path in (tmp_path / "config.yaml", folds))
    assert both["curves"][0]["effective"] == pytest.approx([2 * value for value in one["curves"][0]["effective"]])
    assert both["curves"][0]["no_train"] == 2 * one["curves"][0]["no_train"] == 4


def test_a_measure_is_read_at_each_gamma():
    (spec, gamma) = over_gamma("SNIPSRecall(gamma=1.7,floor=0.1)@20") or (None, None)
    assert (str(spec), gamma) == ("SNIPSRecall(floor=0.1)@20", 1.7)
    assert [over_gamma(label) for label in ("Recall@20", "SNIPSRecall(ips=rows.p)@20", "Recall@5 - SNIPSRecall(gamma=1)@5")] == [None] * 3
    assert [str(one) for one in at_gammas(parse("DCG@10"))[:2]] == ["SNIPSDCG(gamma=-1)@10", "SNIPSDCG(gamma=-0.5)@10"]
    assert at_gammas(parse("nDCG@10")) == at_gammas(parse("SNIPSRecall(ips=rows.p)@10")) == ()


def test_audit_shows_the_curve_in_every_form(receval, sample):
    config = sample / "families.yaml"
    code, out, err = receval("audit", config, "--gamma-curve", "-m", "Recall@10,DCG@5,nDCG@5", "--format", "json")
    curves = json.loads(out)["curves"]
    assert (code, [curve["measure"] for curve in curves]) == (0, ["SNIPSRecall@10", "SNIPSDCG@5"]), err
    assert all(len(values) == 9 for curve in curves for values in curve["values"].values())
    assert curves[0]["effective"] == sorted(curves[0]["effective"], reverse=True)
    plain = json.loads(receval("run", config, "-m", "Recall@10", "--format", "json")[1])["results"]
    assert {row["model"]: row["value"] for row in plain} == {name: values[0] for name, values in curves[0]["values"].items()}
    lines = [*csv.DictReader(io.StringIO(receval("audit", config, "--gamma-curve", "-m", "Recall@10", "--format", "csv")[1]))]
    assert [float(line["gamma"]) for line in lines if line["model"] == "knn"] == curves[0]["gammas"]
    for form in ("table", "md"):
        out = receval("audit", config, "--gamma-curve", "-m", "Recall@10", "--format", form)[1]
        assert "SNIPSRecall@10 over γ" in out
        assert "effective items" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("-m", "nDCG@10"), "Recall and DCG can be shown over gamma, and evaluation.metrics has nDCG@10"),
        (("-m", "Recall@10", "--set", "data.train=null"), "propensities follow from the popularity of items in the train interactions"),
        (("-m", "Recall@10", "--why", "elliot", "recbole"), "--gamma-curve looks at one convention and all users"),
    ],
)
def test_a_curve_that_cannot_be_shown_is_refused_in_one_sentence(receval, sample, arguments, sentence):
    code, out, err = receval("audit", sample / "families.yaml", "--gamma-curve", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err


def test_a_chart_has_a_line_for_each_model_over_gamma(receval, sample, tmp_path):
    measure = 'evaluation.metrics=[{"Recall": {"ips": "popularity", "gamma": [-1, 0, 1, 2], "k": 10}}]'
    code, _, err = receval("plot", "gamma-curve", sample / "families.yaml", "--set", measure, "-o", tmp_path / "g.json")
    assert code == 0, err
    values = json.loads((tmp_path / "g.json").read_text())["data"]["values"]
    assert sorted({row["x"] for row in values}) == [-1, 0, 1, 2]
    assert {row["model"] for row in values} == {"random", "popular", "knn"}


def test_a_chart_without_several_gamma_says_what_to_add(receval, sample, tmp_path):
    code, _, err = receval("plot", "gamma-curve", sample / "families.yaml", "-m", "Recall@10", "-o", tmp_path / "g.json")
    assert code == 2
    assert "it needs a measure at three or more gamma" in err
    assert "Recall: {ips: popularity, gamma: [-1, -0.5" in err
