"""An input that a config may leave out, and that a group or a measure of an option needs, is named in a sentence; so is a measure without a
cut-off that it needs."""

from __future__ import annotations

import itertools
import os
import random
from typing import Final

import pytest
import yaml

from tests.variants import VARIANTS

DATA: Final = {"test": "test.csv", "recommendations": {"one": "one.csv", "two": "two.csv"}}
SIDES: Final = {"train": "train.csv", "users": "users.csv", "items": {"path": "items.csv", "categories": "genre"}}
GROUPS: Final = {
    "cold": ("cold", {"train"}), "train_count:1+": ("0", {"train"}), "popular_share:2": ("x", {"train"}),
    "mainstreamness:2": ("x", {"train"}),
    "recency:2": ("x", {"train"}), "first_category": ("a", {"train", "items"}), "users.plan": ("free", {"users"}),
    "cold*users.plan": ("cold*free", {"train", "users"}),
}  # fmt: skip
"""Grouping of users → one of its groups, and the inputs that it needs."""


@pytest.fixture
def place(write, tmp_path, monkeypatch):
    """Return a function that writes a config with some side inputs; the files of all are there."""
    monkeypatch.chdir(tmp_path)
    write("test.csv", "user,item,timestamp\n1,1,10\n1,2,20\n2,1,10\n3,2,10\n")
    write("train.csv", "user,item,timestamp\n1,3,1\n2,3,2\n2,4,3\n")
    write("users.csv", "user,plan\n1,free\n2,paid\n3,free\n")
    write("items.csv", "item,genre,price\n1,a,1\n2,b,2\n3,a,3\n4,,4\n")
    write("one.csv", "user,item,score\n1,1,2\n1,3,1\n2,1,1\n3,1,1\n")
    write("two.csv", "user,item,score\n1,2,2\n1,1,1\n2,2,1\n3,2,1\n")

    def place(*sides, **evaluation):
        data = {**DATA, **{name: SIDES[name] for name in sides}}
        made = {"data": data, "evaluation": {"metrics": ["nDCG"], "top_k": [2], **evaluation}, "health": "off"}
        return write("config.yaml", yaml.safe_dump(made))

    return place


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_that_needs_an_input_names_it_in_every_command(group, place, receval):
    name, needs = GROUPS[group]
    for sides in (sides for n in range(len(SIDES)) for sides in itertools.combinations(SIDES, n) if not needs <= {*sides}):
        place(*sides)
        for command in (
            ("run", "config.yaml", "--by", group),
            ("compare", "config.yaml", "--by", group),
            ("slices", "config.yaml", "--by", group),
            ("diff", "config.yaml", "one", "two", "--group", f"{group}={name}"),
            ("user", "1", "config.yaml", "--set", f"evaluation.by=['{group}']"),
            ("audit", "config.yaml", "--convention", "ranx", "--by", group),
            ("gate", "config.yaml", "--rule", f"nDCG@2 >= 0 by {group}"),
        ):
            code, _, err = receval(*command)
            assert code == 2, (command, sides, err)
            is_combined = "*" in group and command[0] == "slices"
            assert is_combined or any(f"data.{need}" in err for need in needs - {*sides}), (command, sides, err)


def test_a_user_is_shown_also_if_the_test_set_has_a_target(place, receval):
    place("train")
    for command in (
        ("user", "1", "config.yaml", "--target", "last"),
        ("user", "1", "--test", "test.csv", "--recs", "one.csv", "--target", "last"),
    ):
        code, out, err = receval(*command)
        assert code == 0, err
        assert "Rows of data.test that are left out, 1 of 2. The target keeps only others" in " ".join(out.split())


@pytest.mark.parametrize("command", ["validate", "run", "compare", "check", "audit"])
@pytest.mark.parametrize("measure", ["ERRIA(ideal=every_category)", "AlphaNDCG(ideal=places)", "0.5*AlphaNDCG(ideal=places)"])
def test_a_measure_without_the_cut_off_that_it_needs_is_named_at_its_place(command, measure, place, receval):
    place("items", metrics=["nDCG", measure], top_k=[2, "none"])
    code, _, err = receval(command, "config.yaml")
    assert code == 2
    assert "evaluation.metrics[1]: " in err
    assert "needs a cut-off" in err


def test_a_user_is_shown_also_if_every_measure_is_a_formula(place, receval):
    place("train", metrics=["0.5*nDCG@2"])
    code, out, err = receval("user", "1", "config.yaml")
    assert code == 0, err
    assert "nDCG@2" in out


MEASURES: Final = VARIANTS if os.environ.get("RECEVAL_FUZZ_SECONDS") else random.Random(2).sample(VARIANTS, 30)
COMMANDS: Final = (("run",), ("user", "1"), ("explain", "--user", "1", "--model", "one"), ("audit",), ("compare",), ("check",), ("diff",))
ALL_SIDES: Final = {
    **SIDES, "users": "users.csv", "baseline": "two.csv", "predictions": "predictions.csv", "previous_policy": "policy.csv",
    "distances": "distances.csv",
}  # fmt: skip


def test_any_measure_with_any_inputs_is_a_result_or_a_sentence_in_every_command(place, write, receval):
    """Thirty measures are tried, all of them with `RECEVAL_FUZZ_SECONDS` set; the lists have no scores, and the test set no ratings."""
    place()
    for name, text in {
        "users": "user,group\n1,a\n2,b\n3,a\n", "items": "item,group,genre,price\n1,new,a,1\n2,old,b,2\n3,old,a,3\n4,new,,4\n",
        "one": "user,item\n1,1\n1,3\n2,1\n3,1\n", "two": "user,item\n1,3\n1,2\n2,4\n3,2\n",
        "predictions": "user,item,prediction\n1,1,3\n2,1,4\n",
        "policy": "item,score\n1,1\n2,2\n", "distances": "item,other,distance\n1,2,0.5\n1,3,0.1\n",
    }.items():  # fmt: skip
        write(f"{name}.csv", text)
    chance = random.Random(3)
    for measure in MEASURES:
        data = {**DATA, **{name: side for name, side in ALL_SIDES.items() if chance.random() < 0.5}}
        write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": [measure], "top_k": [2]}}))
        command = chance.choice(COMMANDS)
        before, after = ((measure,) if "explain" in command else ()), (("one", "two") if "diff" in command else ())
        code, _, err = receval(*command, *before, "config.yaml", *after)
        assert code in (0, 1, 2, 3), (measure, command, data.keys(), err)


def test_a_text_with_half_a_character_in_an_option_is_refused(place, receval):
    place()
    for option in ("--metrics", "-k", "--convention", "--where", "--by", "--set", "--recs", "--sort"):
        code, _, err = receval("run", "config.yaml", option, "a\udcff")
        assert code == 2, (option, err)
        assert "\\udcff" in err
