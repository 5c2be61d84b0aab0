"""Gates on groups of test rows, formulas of such groups with a name and a direction, and numbers of rows in files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import polars as pl
import pytest
import receval as package
import yaml
from receval import ConfigError

SCORE = "0.4*Recall(rows.event=click)@5 + 0.6*Recall(rows.event=order)@5"


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Return a function that writes the config of a log of 150 users, with lists that find clicks and lists that find orders."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(7)
    log, lists = [], {"clicker": [], "buyer": []}
    for user in range(150):
        items = chance.sample(range(60), 8)
        log += [(user, item, "click" if rank < 6 else "order") for rank, item in enumerate(items)]
        for model, hits in (("clicker", items[:4]), ("buyer", items[4:])):
            listed = [item if chance.random() < 0.8 else 60 + chance.randrange(40) for item in hits]
            lists[model] += [(user, item, rank) for rank, item in enumerate(dict.fromkeys(listed), 1)]
    pl.DataFrame(log, schema=["user", "item", "event"], orient="row").write_csv("test.csv")
    for model, rows in lists.items():
        pl.DataFrame(rows, schema=["user", "item", "rank"], orient="row").write_csv(f"{model}.csv")

    def write(**sections):
        data = {"test": "test.csv", "recommendations": {"clicker": "clicker.csv", "buyer": "buyer.csv"}}
        evaluation = {"metrics": ["Recall@5", "Recall(rows.event=order)@5", SCORE]}
        config = {"data": data, "evaluation": evaluation, "health": "off"} | sections
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
        return "config.yaml"

    return write


def test_rules_on_groups_of_test_rows_decide_the_exit_code_in_every_form(receval, shop):
    rules = ["Recall(rows.event=order)@5 >= 0.3", "Recall@5 max_loss 5% by rows.event against clicker"]
    config = shop(gates={"rules": rules, "models": ["buyer"]})
    code, out, _ = receval("run", config, "-o", "out/")
    assert code == 1
    of_rules = [line.split()[0] for line in out.splitlines() if "rows.event" in line and line.split()[0] in ("pass", "FAIL")]
    assert of_rules == ["pass", "FAIL", "pass"]
    judged = json.loads(receval("gate", "out", "--format", "json")[1])["gates"]
    assert [(gate["by"], gate["group"], gate["outcome"]) for gate in judged] == [
        (None, None, "pass"),
        ("rows.event", "click", "fail"),
        ("rows.event", "order", "pass"),
    ]
    for form, failure in (("md", "**FAIL**"), ("junit", "<failure"), ("html", "rows.event click"), ("code-quality", "rows.event click")):
        code, out, _ = receval("gate", "out", "--format", form)
        assert (code, failure in out) == (1, True), form
    assert receval("gate", "out", "--rule", "Recall@5 >= 0.1 by rows.event", "--model", "buyer")[0] == 0


@pytest.mark.parametrize(
    ("rule", "measure"),
    [
        ("Recall@5{event=order} >= 0.3", "Recall(rows.event=order)@5"),
        ("Recall{rows.event=order}@5 >= 0.3", "Recall(rows.event=order)@5"),
        ("nDCG@10 for rows.event=order max_loss 2%", "nDCG(rows.event=order)@10"),
        ("Recall@5 >= 0.1 by [users.plan, rows.event]", "by users.plan*rows.event"),
    ],
)
def test_a_rule_with_a_group_in_the_wrong_place_is_told_the_right_one(receval, shop, rule, measure):
    code, _, err = receval("gate", shop(), "--rule", rule)
    assert (code, measure in err) == (2, True), err


def test_a_sum_of_measures_has_their_direction_and_a_gate_limits_its_loss(receval, shop):
    config = shop(gates={"rules": [f"{SCORE} max_loss 2% against clicker"], "models": ["buyer"]})
    code, out, _ = receval("run", config, "-o", "out/")
    assert (code, f"{SCORE} ↑" in out) == (0, True)
    (gate,) = json.loads(receval("gate", "out", "--format", "json")[1])["gates"]
    assert (gate["outcome"], gate["paired"]) == ("pass", True)


@pytest.mark.parametrize(
    ("formula", "better"),
    [
        ("Recall@5 + 2*nDCG@5", True),
        ("-Recall@5", False),
        ("1 - Recall@5", False),
        ("Recall@5 - EucDistance@5", True),
        ("Recall@5 + EucDistance@5", None),
        ("Recall@5*nDCG@5", None),
        ("Recall@5 + 0*EucDistance@5", True),
    ],
)
def test_the_direction_of_a_formula_follows_from_the_signs_of_its_weights(shop, formula, better):
    found = package.evaluate(shop(evaluation={"metrics": [formula]}))
    assert {row.higher_is_better for row in found.rows} == {better}


def test_the_name_of_a_formula_replaces_it_on_screen_and_a_note_has_the_whole(receval, shop):
    config = shop(report={"names": {SCORE: "OTTO", "Recall@5": "R5"}})
    for arguments in (("run",), ("compare",), ("run", "--format", "md")):
        _, out, _ = receval(arguments[0], config, *arguments[1:])
        lines = [line.replace("\\*", "*") for line in out.splitlines()]
        assert [line.lstrip("- ") for line in lines if SCORE in line] == [f"OTTO is {SCORE}."], arguments
        assert "OTTO ↑" in out
    assert "Recall@5 ↑" in receval("run", config)[1]  # names that can be typed stay on screen


def test_files_have_the_number_of_test_rows_of_each_group(receval, shop):
    assert receval("run", shop(), "-q", "--by", "rows.event", "-o", "out/")[0] == 0
    rows = pl.read_parquet("out/results.parquet").filter(model="buyer", metric="Recall")
    assert rows["group"].to_list() == [None, "click", "order"]
    of_json = json.loads(Path("out/results.json").read_text("utf-8"))["results"]
    assert {row["group"]: row["n_rows"] for row in of_json} == {None: None, "click": 900, "order": 300}


def test_files_have_the_number_of_test_rows_of_each_combination(receval, shop):
    shop()
    test = pl.read_csv("test.csv")
    users = test.select("user").unique(maintain_order=True).with_row_index("at")
    users.select("user", plan=pl.when(pl.col("at") % 3 == 0).then(pl.lit("free")).otherwise(pl.lit("paid"))).write_csv("users.csv")
    items = test.select("item").unique(maintain_order=True).with_row_index("at")
    genres = pl.when(pl.col("at") % 4 == 0).then(pl.lit("drama|comedy")).otherwise(pl.lit("drama"))
    items.select("item", genre=genres).write_csv("items.csv")
    by = [["users.plan", "rows.event"], ["items.genre", "rows.event", "users.plan"]]
    catalogue = {"path": "items.csv", "categories": "genre", "split": "|"}
    shop(
        data={"test": "test.csv", "recommendations": {"clicker": "clicker.csv"}, "users": "users.csv", "items": catalogue},
        evaluation={"metrics": ["Recall@5"], "by": by},
    )
    result = package.evaluate("config.yaml")
    expected = test.join(pl.read_csv("users.csv"), on="user").join(
        pl.read_csv("items.csv").with_columns(pl.col("genre").str.split("|")).explode("genre"), on="item"
    )
    for names, rows in ((["plan", "event"], expected.unique(["user", "item", "event"])), (["genre", "event", "plan"], expected)):
        counts = {"*".join(cell): n for *cell, n in rows.group_by(names).len().rows()}
        column = "*".join({"plan": "users.plan", "event": "rows.event", "genre": "items.genre"}[name] for name in names)
        assert {row.group: row.n_rows for row in result.by_group if row.by == column} == counts


def test_python_is_told_how_to_compare_within_groups_of_test_rows(shop):
    shop()
    lists = {"clicker": "clicker.csv", "buyer": "buyer.csv"}
    result = package.evaluate(test="test.csv", recommendations=lists, metrics="Recall@5", by="rows.event")
    with pytest.raises(ConfigError) as error:
        result.compare(by="rows.event")
    assert "'compare': {'by': ['rows.event']}" in str(error.value)
    assert "receval run" not in str(error.value)
