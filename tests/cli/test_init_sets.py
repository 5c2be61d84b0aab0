"""`receval init` in a folder with several test sets keeps the files of one set, and leaves out the rest with a reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from receval import load_config, run

from tests.cli.inits import EVERY, HEADER, PLAIN, SCORED, STARS, TEST, TRAIN, models, pairs, text
from tests.sizes import FULL, half

ITEMS = text([(11, "Alien"), (12, "Brazil"), (13, "Clue")], ("item_id", "title"))


def renamed(rows):
    return [(f"u{row[0]}", f"i{row[1]}", *row[2:]) for row in rows]


OTHER = {
    "train.csv": text(renamed(TRAIN), HEADER),
    "test.csv": text(renamed(TEST[:2]), HEADER),
    "recs_als.csv": text(renamed(SCORED), ("user_id", "item_id", "score")),
    "items.csv": text([("i11", "Alien", "x"), ("i12", "Brazil", "y")], ("item_id", "title", "genres")),
}


def below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": content for name, content in files.items()}


def test_the_set_nearest_to_the_top_is_used_and_files_of_other_sets_are_left_out(init):
    done = init({**PLAIN, "items.csv": ITEMS, **below("messy", OTHER)})
    assert [done.data[key]["path"] for key in ("test", "train", "items")] == ["test.csv", "train.csv", "items.csv"]
    assert models(done) == {"als": "als.csv"}
    assert done.said["messy/test.csv"] == "left out: another test set, with lists in its folder"
    for name in OTHER.keys() - {"test.csv"}:
        assert done.said[f"messy/{name}"] == "left out: it is in a folder with another test set, messy/test.csv"
    assert "messy" not in done.config
    assert "messy" not in done.doubts
    assert done.values["als", "MRR@5"] == pytest.approx(STARS)


def test_a_set_with_common_ids_in_another_folder_is_not_mixed_in(init):
    done = init({**PLAIN, **below("fold2", {**PLAIN, "test.csv": text(TEST[:2], HEADER)})})
    assert done.data["test"]["path"] == "test.csv"
    assert models(done) == {"als": "als.csv"}


def test_a_set_in_a_subfolder_is_used_if_the_top_test_set_has_no_lists(init):
    done = init({"test.csv": PLAIN["test.csv"], "items.csv": ITEMS, **below("messy", OTHER)})
    assert done.data["test"]["path"] == "messy/test.csv"
    assert models(done) == {"als": "messy/recs_als.csv"}
    assert done.said["test.csv"] == "left out: it has no user and no item in common with messy/test.csv"
    assert done.said["items.csv"] == "left out: it has no item in common with messy/test.csv"


def test_copies_of_one_test_set_are_one_set(init):
    one = {name: PLAIN[name] for name in ("test.csv", "als.csv")}
    done = init({**below("exp1", one), **below("exp2", one)})
    assert models(done) == {"exp1_als": "exp1/als.csv", "exp2_als": "exp2/als.csv"}


def test_long_files_of_lists_for_users_of_another_set_are_left_out(init):
    long = [(f"u{user}", item, 1 - item / 1000) for user in range(60) for item in range(1_000)]
    many = [(user, item, 1 - item / 1000) for user in range(10, 70) for item in range(1_000)]
    tests = text([*pairs(TEST)], ("user", "item"))
    files = {f"n{number:02}.csv": "user,item\n1,11\n" for number in range(60)}
    lists = {
        "als.csv": PLAIN["als.csv"],
        "none.csv": text(long, ("user", "item", "score")),
        "late.csv": text([*many, (1, 11, 0.5)], ("user", "item", "score")),
    }
    done = init({"test.csv": tests, **lists, **files})
    assert set(models(done)) >= {"als", "late"}
    assert "none" not in models(done)
    assert done.said["none.csv"] == "left out: it looks like lists, but has no user in common with test.csv"
    assert done.values["als", "MRR@5"] == pytest.approx(EVERY)


def test_a_train_set_with_other_users_is_used_if_the_items_are_the_same(init):
    others = [(user + 100, *rest) for user, *rest in [*TRAIN, (0, 11, 5, 1)]]
    done = init({**PLAIN, "train.csv": text(others, HEADER)})
    assert done.data["train"]["path"] == "train.csv"


def test_a_train_set_with_the_columns_of_the_test_set_is_preferred_to_a_larger_one(init):
    events = ("customer_ref", "sku", "event")
    rows = [*TRAIN, (2, 11), (3, 12), (1, 13), (1, 14)]
    done = init(
        {
            "last_week.csv": text([(user, item, "buy") for user, item, *_ in [*TEST, (3, 11)]], events),
            "autumn.csv": text([(user, item, "view", 1) for user, item, *_ in [*rows, (2, 15), (3, 16)]], (*events, "price")),
            "spring.csv": text([(user, item, "view") for user, item, *_ in rows], events),
            "als.csv": text(SCORED, ("customer_ref", "sku", "affinity")),
        }
    )
    assert done.data["test"]["path"] == "last_week.csv"
    assert done.data["train"]["path"] == "spring.csv"


@pytest.mark.parametrize("score", ["affinity", "merit"])
def test_ordered_lists_are_not_used_as_train_set(score, init):
    events = ("customer_ref", "sku", "event", "price")
    done = init(
        {
            "last_week.csv": text([(user, item, "buy", 9.5) for user, item, *_ in [*TEST, (3, 11)]], events),
            "spring.csv": text([(user, item, "view", 7.25) for user, item, *_ in [*TRAIN, (2, 11), (3, 12), (1, 13), (1, 14)]], events),
            "als_v2.csv": text(SCORED, ("customer_ref", "sku", score)),
        }
    )
    assert done.data["test"]["path"] == "last_week.csv"
    assert done.data["train"]["path"] == "spring.csv"
    assert models(done) == {"als_v2": "als_v2.csv"}
    assert done.data["recommendations"]["als_v2"]["columns"]["score"] == score


FOLD = {name: PLAIN[name] for name in ("train.csv", "als.csv")}


@pytest.mark.parametrize("pattern", ["{fold}/{name}", "fold_{fold}/{name}", "fold{fold}/{stem}_{fold}.csv", "{stem}{fold}.csv"])
def test_the_same_files_with_several_numbers_are_folds(pattern, init):
    files = {}
    for fold in (1, 2, 10):
        for name, content in {**FOLD, "test.csv": text(TEST[:-1] if fold == 2 else [*TEST, (fold, 15, 5, 1_600_000_500)], HEADER)}.items():
            files[pattern.format(fold=fold, name=name, stem=name.removesuffix(".csv"))] = content
    done = init({**files, "items.csv": ITEMS})
    assert "folds: [1, 2, 10]  # each name replaces {fold} in the paths" in done.config
    assert [fold["name"] for fold in done.data["folds"]] == ["1", "2", "10"]
    assert done.said["folds"] == "1, 2, 10: each name replaces {fold} in the paths; the first fold was looked at"
    for fold in done.data["folds"]:
        for key, name in (("test", "test"), ("train", "train")):
            assert fold[key]["path"] == pattern.format(fold=fold["name"], name=f"{name}.csv", stem=name)
        assert fold["items"]["path"] == "items.csv"


def numbered(pattern: str) -> dict[str, str]:
    """Return the files of two folds."""
    tests = {"1": text([*TEST, (1, 15, 5, 1_600_000_500)], HEADER), "2": text(TEST[:-1], HEADER)}
    return {
        pattern.format(stem=stem, fold=fold): content
        for fold, test in tests.items()
        for stem, content in {"test": test, "train": PLAIN["train.csv"], "als": PLAIN["als.csv"]}.items()
    }


@pytest.mark.parametrize(
    "pattern",
    [
        "{stem}_{fold}.csv",
        "{stem}{fold}.csv",
        "{stem}_fold_{fold}.csv",
        "f{fold}/{stem}.csv",
        "{fold}/{stem}-{fold}.csv",
        "{stem}/fold_{fold}.csv",
    ],
)
def test_a_model_of_folds_is_named_without_the_number_of_a_fold(pattern, init):
    done = init(numbered(pattern))
    assert {tuple(fold["recommendations"]) for fold in done.data["folds"]} == {("als",)}
    assert done.said[pattern.format(stem="als", fold="{fold}")].startswith("the model als: ")


def test_folds_beside_a_test_set_with_its_own_lists_are_left_out_with_the_command_for_them(init, receval):
    done = init({**PLAIN, **numbered("names/{stem}_{fold}.csv"), **numbered("cv/fold{fold}/{stem}.csv")})
    assert done.data["test"]["path"] == "test.csv"
    assert models(done) == {"als": "als.csv"}
    reason = "left out: folds 1, 2 have their own test sets"
    for folder, pattern in (("names", "names/{stem}_{{fold}}.csv"), ("cv", "cv/fold{{fold}}/{stem}.csv")):
        said = [done.said[pattern.format(stem=stem)] for stem in ("als", "test", "train")]
        assert sorted(said) == [reason, reason, f"{reason}; receval init {folder} writes a config of all folds"]
    code, out, _ = receval("init", "names")
    assert (code, "test: names/test_{fold}.csv" in out) == (0, True)


def test_the_command_for_folds_in_several_folders_writes_their_config(init, receval):
    of_folds = {re.sub(r"cv/als_(\d)", r"runs/fold\1/als", path): content for path, content in numbered("cv/{stem}_{fold}.csv").items()}
    done = init({"data/test.csv": PLAIN["test.csv"], "data/items.csv": ITEMS, "runs/last/als.csv": PLAIN["als.csv"], **of_folds})
    assert models(done) == {"als": "runs/last/als.csv"}
    said = [what for path, what in done.said.items() if "{fold}" in path]
    reason = "left out: folds 1, 2 have their own test sets"
    assert said == [f"{reason}; receval init cv runs/fold* data/items.csv writes a config of all folds", reason, reason]
    for arguments in (("cv", "runs/fold1", "runs/fold2", "data/items.csv"), ("cv", "runs")):
        code, out, err = receval("init", *arguments)
        assert (code, "test: cv/test_{fold}.csv" in out, "    als: runs/fold{fold}/als.csv" in out) == (0, True, True), err
        assert "last" not in out
        assert ("runs/last/als.csv: left out: no fold (1, 2) has such a file" in err) == ("runs" in arguments)


def test_lists_with_several_numbers_and_one_test_set_are_models(init):
    done = init({"test.csv": PLAIN["test.csv"], "als_1.csv": PLAIN["als.csv"], "als_2.csv": PLAIN["als.csv"]})
    assert "folds" not in done.data
    assert models(done) == {"als_1": "als_1.csv", "als_2": "als_2.csv"}


def test_the_train_set_with_the_number_of_the_test_set_is_taken(init):
    larger = text([*TRAIN, (1, 99, 5, 1_500_000_999)], HEADER)
    done = init({"als.csv": PLAIN["als.csv"], "u1.test": PLAIN["test.csv"], "u1.base": PLAIN["train.csv"], "u2.base": larger})
    assert done.data["train"]["path"] == "u1.base"


def _seed_files(pattern: str, folds: Sequence[int], seeds: Sequence[int]) -> dict[str, str]:
    """Return the files of two models with seeds and one without in several folds."""
    files = {}
    for fold in folds:
        files[f"split{fold}/test.csv"] = text(
            [*TEST, (1, 15, 1 + fold % 5, 1_600_000_500 + fold), (2, 31 + fold, 5, 1_600_000_500)], HEADER
        )
        files[f"split{fold}/train.csv"] = PLAIN["train.csv"]
        for model, seed in product(("BPR", "NeuMF"), seeds):
            rows = [(user, item, round(score + (item * seed * (fold + 1)) % 7 / 20, 3)) for user, item, score in SCORED]
            files[pattern.format(model=model, fold=fold, seed=seed)] = text(rows, ("user_id", "item_id", "score"))
        files[f"lists{fold}/Pop.csv"] = PLAIN["als.csv"]
    return files


@pytest.mark.parametrize(
    "pattern",
    half(
        [
            "lists{fold}/{model}_seed{seed}.csv",
            "lists{fold}/{model}-seed-{seed}.csv",
            "lists/{model}/seed{seed}/fold{fold}.csv",
            "lists/seed_{seed}/fold_{fold}/{model}.csv",
            "lists/{model}_fold{fold}_seed{seed}.csv",
            "lists{fold}/seed={seed}/{model}_{seed}.csv",
        ]
    ),
)
def test_the_lists_of_several_seeds_are_runs_of_one_model(pattern, init):
    folds, seeds = (0, 1), (0, 2, 10)
    done = init(_seed_files(pattern, folds, seeds))
    written = yaml.safe_load(done.config)["data"]
    wanted = {model: pattern.format(model=model, fold="{fold}", seed="{seed}") for model in ("BPR", "NeuMF")}
    assert {name: given for name, given in written["recommendations"].items() if name != "Pop"} == wanted
    assert [*written["recommendations"]] == ["BPR", "NeuMF", "Pop"]
    assert "3 seeds: 0, 2, 10" in done.said[wanted["BPR"]]
    assert not any("file" in place for place in done.said)  # nothing is left out
    explicit = [
        {
            "name": str(fold),
            "test": f"split{fold}/test.csv",
            "train": f"split{fold}/train.csv",
            "recommendations": {
                **{model: {"runs": [pattern.format(model=model, fold=fold, seed=seed) for seed in seeds]} for model in ("BPR", "NeuMF")},
                "Pop": f"lists{fold}/Pop.csv",
            },
        }
        for fold in folds
    ]
    document = {**yaml.safe_load(done.config), "data": {"folds": explicit}, "health": "off"}
    Path("explicit.yaml").write_text(yaml.safe_dump(document))
    if FULL or "fold{fold}" in pattern:
        assert rows_of(load_config("config.yaml", ["health=off"])) == rows_of(load_config("explicit.yaml"))


def rows_of(loaded: Any) -> list[Any]:
    """Return the values of each fold and run."""
    result = run(loaded)
    return [(row.model, row.fold, row.run, row.measure, row.value) for row in (*result.rows, *result.repeated)]


def test_files_that_become_no_model_are_counted_in_one_line(init):
    done = init({**_seed_files("lists{fold}/{model}-s{seed}.csv", (0, 1, 2), (0, 1, 2))})
    assert [*done.data["folds"][0]["recommendations"]] == ["BPR-s0", "NeuMF-s0", "Pop"]
    (place,) = [place for place in done.said if " files " in place]
    assert place == "12 files (lists0/BPR-s1.csv, lists0/BPR-s2.csv, lists0/NeuMF-s1.csv and 9 more)"
    assert (
        done.said[place]
        == "left out: a number in their paths is not that of a fold; if they are runs of a model, write {seed} in its place"
    )


def test_numbers_that_test_sets_have_too_are_no_seeds(init):
    done = init(numbered("{stem}_trial{fold}.csv"))
    assert [fold["name"] for fold in done.data["folds"]] == ["1", "2"]
    assert not any("seeds" in what for what in done.said.values())
