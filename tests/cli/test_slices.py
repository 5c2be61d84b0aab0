"""`receval slices` finds the users for whom a model is worse, on one half of them, and says how many slices the other half confirms."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import polars as pl
import pytest
from receval.comparison.slicing import halves

CONFIG = """
data: {test: test.csv, users: users.csv, recommendations: {old: old.csv, new: new.csv}}
evaluation: {metrics: [MRR@10]}
health: off
"""
USERS = 1_200
PLACE = ("users.plan", "free"), ("users.device", "phone")


@pytest.fixture
def config(write, tmp_path):
    """Return a function that writes two models; new ranks the item of users on a free plan with a phone lower, if `loses` says so."""

    def config(loses=lambda user: True, order=0):
        draw, users, test, lists = random.Random(1), [], [], {"old": [], "new": []}
        for user in range(USERS):
            plan, device, age = draw.choice(["free", "paid"]), draw.choice(["phone", "web"]), draw.randint(18, 70)
            users.append((user, plan, device, age))
            test.append((user, 0))
            before = draw.randint(1, 3)
            after = before + draw.choice([0, 0, 1]) + (3 if plan == "free" and device == "phone" and loses(user) else 0)
            for model, rank in (("old", before), ("new", after)):
                lists[model] += [(user, item, place) for place, item in enumerate([*range(1, rank), 0], 1)]
        for name, rows, columns in (
            ("users", users, ["user", "plan", "device", "age"]),
            ("test", test, ["user", "item"]),
            *((model, lists[model], ["user", "item", "rank"]) for model in lists),
        ):
            frame = pl.DataFrame(rows, schema=columns, orient="row")
            (frame.sample(fraction=1.0, shuffle=True, seed=order) if order else frame).write_csv(tmp_path / f"{name}.csv")
        return write("config.yaml", CONFIG)

    return config


def found(receval, *arguments):
    code, out, err = receval("slices", *arguments, "--format", "json", "-q")
    assert code == 0, err
    return json.loads(out)


def test_a_planted_slice_is_confirmed_and_comes_first(config, receval):
    code, out, _ = receval("slices", config())
    assert code == 0
    assert "MRR@10 of new against old" in out
    sentence = next(
        line for line in out.splitlines() if line.startswith("  -  worse for users.plan free and users.device phone than for others: ")
    )
    assert re.search(r" users \([\d,]+ tested\)\.$", sentence)
    assert "slices tested, " in out


def test_values_are_those_of_the_half_that_did_not_find_the_slice(config, receval, tmp_path):
    path = config()
    (first, *_) = found(receval, path)["searches"][0]["slices"]
    assert {(condition["by"], condition["group"]) for condition in first["conditions"]} == set(PLACE)
    receval("run", path, "--by", "users.plan", "--by", "users.device", "-q", "-o", f"{tmp_path}/out/")
    frame = pl.read_parquet(tmp_path / "out" / "per_user.parquet").pivot(
        "model", index=["user", "users.plan", "users.device"], values="MRR@10"
    )
    second = ~halves(frame["user"], 0)
    inside = ((frame["users.plan"] == "free") & (frame["users.device"] == "phone")).to_numpy()
    d = (frame["new"] - frame["old"]).to_numpy()
    assert (first["n_users"], first["n_confirming"]) == (int(inside.sum()), int((inside & second).sum()))
    assert first["value"] == pytest.approx(d[inside & second].mean())
    assert first["difference"] == pytest.approx(d[inside & second].mean() - d[~inside & second].mean())


def test_a_slice_that_only_the_first_half_has_is_examined_and_not_confirmed(config, receval):
    first = halves(pl.Series(np.arange(USERS)), 0)
    slices = found(receval, config(lambda user: first[user]))
    assert slices["family"] > 0
    assert slices["confirmed"] == 0
    _, out, _ = receval("slices", config(lambda user: first[user]))
    assert "MRR@10 of new against old: no slice is confirmed." in out
    assert re.search(rf"\b{slices['family']} of [0-9]+ slices? tested, none confirmed\.", out)


@pytest.mark.release
def test_bytes_do_not_depend_on_the_order_of_rows_or_on_threads(config, receval):
    outs = {receval("slices", config(order=order), "--format", "json", "--set", f"engine.workers={order}")[1] for order in (0, 1, 2)}
    assert len(outs) == 1


def test_folders_have_the_groups_that_were_stored_with_them(config, receval, tmp_path):
    path = config()
    receval("run", path, "-q", "-o", f"{tmp_path}/with/", "--by", "users.plan", "--by", "users.device")
    receval("run", path, "-q", "-o", f"{tmp_path}/without/")
    of_config = found(receval, path, "--by", "users.plan", "--by", "users.device")
    assert found(receval, tmp_path / "with") == of_config
    code, _, err = receval("slices", tmp_path / "without")
    assert (code, "the results have no groups of users" in err, "receval slices CONFIG" in err) == (2, True, True)
    code, _, err = receval("slices", tmp_path / "with", "--by", "users.age")
    assert (code, "no groups by users.age: the results have users.plan, users.device" in err) == (2, True)


def test_a_single_model_is_compared_with_its_own_mean(config, receval):
    path = config()
    out = receval("slices", path, "--set", "data.recommendations={new: new.csv}")[1]
    assert out.startswith("MRR@10 of new ↑")
    assert "lower for users.plan free and users.device phone than for others: " in out


def test_depth_one_has_no_pairs_and_by_chooses_the_groups(config, receval):
    path = config()
    slices = found(receval, path, "--depth", "1")["searches"][0]["slices"]
    assert {len(user_slice["conditions"]) for user_slice in slices} == {1}
    assert found(receval, path, "--by", "users.age")["features"] == ["users.age"]


def test_a_column_of_many_numbers_is_cut_into_groups(config, receval):
    path = config()
    text = path.parent.joinpath("users.csv").read_text()
    old = pl.read_csv(text.encode()).with_columns(age=pl.when(pl.col("plan") == "free").then(pl.col("age") + 60).otherwise("age"))
    old.write_csv(path.parent / "users.csv")
    groups = {
        condition["group"]
        for made in found(receval, path, "--by", "users.age")["searches"][0]["slices"]
        for condition in made["conditions"]
    }
    assert groups
    assert all("-" in group or group.endswith("+") for group in groups)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            ("--set", "compare.cluster=users.plan"),
            "slices need independent users, and compare.cluster says that those with the same users.plan",
        ),
        (("--set", "evaluation.weights={users: users.age}"), "slices compare plain means, and MRR@10 is weighted"),
        (("--by", "mainstreamness:4"), "mainstreamness comes from data.train"),
        (("--by", "items.genre"), "--by items.genre is no group of users"),
        (("--by", "users.plan*users.device"), "is a combination: --depth 2 makes pairs"),
        (("--measure", "ItemCoverage@10", "--set", "evaluation.metrics=[ItemCoverage@10]", "--by", "users.plan"), "ItemCoverage@10"),
        (("-o", "slices.html"), "must end in .json, .csv, .parquet, .md"),
    ],
)
def test_what_cannot_be_searched_is_refused_with_a_sentence(changes, sentence, config, receval):
    code, _, err = receval("slices", config(), *changes)
    assert code == 2
    assert sentence in err


def test_folds_are_refused(config, receval, write, tmp_path):
    config()
    lists = "recommendations: {old: old.csv}"
    folds = write(
        "folds.yaml", f"data: {{folds: [{{test: test.csv, {lists}}}, {{test: test.csv, {lists}}}]}}\n{CONFIG.splitlines()[2]}\nhealth: off"
    )
    code, _, err = receval("slices", folds)
    assert (code, "slices need one test set, and data.folds has 2 folds" in err) == (2, True)
    receval("run", folds, "-q", "-o", f"{tmp_path}/out/")
    code, _, err = receval("slices", tmp_path / "out")
    assert (code, "slices need one test set, and these results have 2 folds" in err) == (2, True)


def test_files_have_the_forms_of_their_endings(config, receval, tmp_path):
    names = [f"{tmp_path}/slices.{ending}" for ending in ("json", "csv", "parquet", "md")]
    receval("slices", config(), "-q", *(part for name in names for part in ("-o", name)))
    cells = json.loads((tmp_path / "slices.json").read_text())
    assert pl.read_csv(tmp_path / "slices.csv")["slice"].to_list() == pl.read_parquet(tmp_path / "slices.parquet")["slice"].to_list()
    assert len(pl.read_csv(tmp_path / "slices.csv")) == cells["family"]
    assert "slices tested" in (tmp_path / "slices.md").read_text()


def test_compare_and_report_have_a_section_of_slices_if_asked(config, receval, tmp_path):
    path = config()
    out = receval("compare", path, "--find-slices", "-o", f"{tmp_path}/c.html", "-o", f"{tmp_path}/c.json")[1]
    line = next(line for line in out.splitlines() if "worse for users.plan free and users.device phone" in line)
    assert "Slices of users" not in receval("compare", path)[1]
    text = line.partition("worse")[2].partition("(")[0]
    assert text in (tmp_path / "c.html").read_text()
    assert json.loads((tmp_path / "c.json").read_text())["slices"] == found(receval, path)
    assert text in receval("report", path, "--find-slices", "--format", "md")[1]
