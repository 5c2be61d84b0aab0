"""Models that rank sampled candidates are bounded over the whole catalogue by `evaluation.candidates`, or it is said why not."""

from __future__ import annotations

import builtins
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import receval
from receval.storage.result_folder import load, save
from receval.support.errors import ConfigError, MissingExtraError

USERS, ITEMS, SAMPLED = 400, 300, 20
RANDOM = np.random.default_rng(2)
RELEVANT = RANDOM.integers(0, ITEMS, USERS)
TEST = pl.DataFrame({"user": np.arange(USERS), "item": RELEVANT})
ASKED = {"sampled": SAMPLED, "catalogue": ITEMS}
METRICS = ["HitRate@5", "MRR@5", "nDCG@5"]


def world(knows: float, seed: int = 1) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the full lists of a model that adds `knows` to the score of the relevant item, and those of sampled candidates."""
    random = np.random.default_rng(seed)
    scores = random.normal(size=(USERS, ITEMS))
    scores[np.arange(USERS), RELEVANT] += knows
    users, items = np.repeat(np.arange(USERS), ITEMS), np.tile(np.arange(ITEMS), USERS)
    full = pl.DataFrame({"user": users, "item": items, "score": scores.ravel()})
    keys = random.random((USERS, ITEMS))
    keys[np.arange(USERS), RELEVANT] = -1  # the first of the candidates
    kept = np.argpartition(keys, SAMPLED, axis=1)[:, : SAMPLED + 1]
    return full, full.filter(pl.Series(np.isin(users * ITEMS + items, np.arange(USERS)[:, np.newaxis] * ITEMS + kept)))


FULL, GOOD = world(3.0)
_, BAD = world(0.0, 2)


def bounded(lists: Any, test: pl.DataFrame = TEST, metrics: Any = METRICS, **candidates: Any) -> Any:
    """Return the result of an evaluation with bounds; by default of the sampled candidates of the good model."""
    return receval.evaluate(test=test, recommendations=lists, metrics=metrics, candidates={**ASKED, **candidates}, health=False)


def only(result: Any) -> Any:
    """Return the bounds of the only model."""
    (of_model,) = result.catalogue_bounds.values()
    return of_model


def test_bounds_hold_the_values_of_the_full_lists():
    exact = receval.evaluate(test=TEST, recommendations=FULL, metrics=METRICS)
    found = only(bounded(GOOD, density="falling"))
    for measure in METRICS:
        value = found.by_measure[measure]
        (falling_low, falling_high), of_full = value.falling, exact[measure].value
        assert value.low <= falling_low <= of_full <= min(value.high, falling_high)
        assert value.high <= value.value + 1e-4
    assert (found.n_users, found.sampled, found.tied, found.lacking) == (USERS, SAMPLED, 0, 0)


def test_without_the_number_of_sampled_items_it_is_that_of_the_lists():
    assert only(bounded(GOOD, sampled=None)) == only(bounded(GOOD))


def test_the_order_of_models_is_kept_only_if_bounds_do_not_overlap_that_hold_together():
    result = bounded({"good": GOOD, "bad": BAD, "same": GOOD}, density="falling")
    verdicts = {(order.first, order.second): order.verdict for order in result.catalogue_orders if order.measure == "HitRate@5"}
    assert verdicts == {("good", "bad"): "kept", ("good", "same"): "inconclusive", ("same", "bad"): "kept"}
    alone, beside = only(bounded(GOOD)).by_measure["HitRate@5"], result.catalogue_bounds["good"].by_measure["HitRate@5"]
    assert (beside.low, beside.high) != (alone.low, alone.high)
    assert beside.low <= alone.low < alone.high <= beside.high


OTHERS = GOOD.join(TEST, on=["user", "item"], how="anti")
ALWAYS_TENTH = pl.concat([OTHERS.with_columns(score=-pl.col("score").rank().over("user")), TEST.with_columns(score=-9.5)], how="vertical")
ONE_LONGER = pl.concat([GOOD, OTHERS.head(1).with_columns(item=pl.lit(999, pl.Int64))])


@pytest.mark.parametrize(
    ("lists", "given", "reason"),
    [
        (FULL.filter(pl.col("item") < 250), {}, "the lists have 250 items, not 21 (the relevant item and 20 sampled ones): if 249"),
        (GOOD, {"sampled": 21}, "21 sampled ones): if lists were cut, give all candidates of each user; if 20 items were sampled for"),
        (
            pl.concat([GOOD, OTHERS.head(1).with_columns(item=pl.lit(999, pl.Int64))]),
            {},
            "the lists have from 21 to 22 items: give all candidates",
        ),
        (OTHERS, {}, "no list has a relevant item"),
        (TEST.with_columns(score=1.0), {"sampled": None}, "the lists have only the relevant item"),
        (GOOD.join(TEST.head(3), on=["user", "item"], how="anti"), {"sampled": None}, "3 of 400 lists do not have the relevant item"),
        (GOOD, {"catalogue": 199}, "the lists have 300 different items, and evaluation.candidates.catalogue is 199"),
        (ALWAYS_TENTH, {}, "no true ranks explain the ranks among 20 items that are sampled uniformly from 300"),
    ],
)
def test_a_model_has_no_bounds_if_its_lists_are_no_uniform_sample_and_it_is_said_why(lists, given, reason):
    result = bounded(lists, **given)
    found = only(result)
    assert found.values == ()
    assert reason in found.refused
    assert f"No bounds for {next(iter(result.catalogue_bounds))}: " in str(result)


def test_several_relevant_items_of_a_user_are_refused_with_their_number():
    more = TEST.vstack(GOOD.filter(pl.col("user") < 7).join(TEST, on=["user", "item"], how="anti").unique("user").select("user", "item"))
    assert only(bounded(GOOD, more)).refused.startswith("7 of 400 users have more than one relevant item, and bounds are for one: ")


def test_lists_without_the_relevant_item_and_tied_scores_count_with_every_possible_rank():
    usual, middle = world(1.0)[1], pl.col("user") < 50
    plain = only(bounded(usual)).by_measure["HitRate@5"]
    lacking = only(bounded(usual.join(TEST.head(40), on=["user", "item"], how="anti")))
    ties = only(bounded(usual.with_columns(score=pl.when(middle).then(0.0).otherwise("score"))))
    assert (lacking.lacking, ties.tied) == (40, 50)
    for of_some in (lacking, ties):
        wider = of_some.by_measure["HitRate@5"]
        assert (wider.low <= plain.low, wider.high > plain.high) == (True, True)


def test_users_without_a_list_count_0_in_bounds_as_in_the_values():
    half = GOOD.filter(pl.col("user") >= 200)
    found = only(bounded(half))
    alone = only(bounded(half, TEST.filter(pl.col("user") >= 200)))
    assert (found.unlisted, found.n_users) == (200, 200)
    for measure in METRICS:
        mine, whole = found.by_measure[measure], alone.by_measure[measure]
        assert (mine.value, mine.low, mine.high) == pytest.approx((whole.value / 2, whole.low / 2, whole.high / 2), abs=1e-4)


def test_measures_without_bounds_are_named_with_the_reason():
    result = bounded(GOOD, metrics=["HitRate@5", "HitRate(at_least=2)@5", "MAP@5", "MRR@none", "DCG@5", "Precision@5"])
    found = only(result)
    assert list(found.by_measure) == ["HitRate@5"]
    assert found.left_out["HitRate(at_least=2)@5"].startswith("its settings give ")
    assert {*found.left_out} == {"HitRate(at_least=2)@5", "MAP@5", "MRR@none", "DCG@5", "Precision@5"}
    assert "only HitRate, Recall, MRR and nDCG with a cut-off have bounds" in found.left_out["MRR@none"]


def test_repeats_need_the_image_of_draws_with_replacement():
    random = np.random.default_rng(4)
    ranks = np.minimum(random.geometric(0.05, USERS), ITEMS)
    drawn = random.integers(0, ITEMS - 1, (USERS, SAMPLED))
    rows = [(user, int(item), float(-item)) for user in range(USERS) for item in drawn[user] + (drawn[user] >= ranks[user] - 1)]
    rows += [(user, int(ranks[user]) - 1, float(1 - ranks[user])) for user in range(USERS)]
    lists = pl.DataFrame(rows, schema=["user", "item", "score"], orient="row")
    test = pl.DataFrame({"user": np.arange(USERS), "item": ranks - 1})
    given = {"metrics": ["HitRate@5"], "candidates": {**ASKED, "replacement": True}, "health": False}
    found = only(receval.evaluate(test=test, recommendations=lists, **given))
    assert found.by_measure["HitRate@5"].low <= (ranks <= 5).mean() <= found.by_measure["HitRate@5"].high
    refused = only(receval.evaluate(test=test, recommendations=lists, policy={"duplicates": "keep_best_rank"}, **given)).refused
    assert refused.endswith("give all candidates of each user, repeats included (evaluation.policy.duplicates: unique_hits)")


def test_no_falling_density_explains_a_model_that_puts_items_last():
    worst = GOOD.with_columns(score=-pl.col("score"))
    result = bounded(worst, density="falling")
    assert only(result).not_falling
    assert only(result).by_measure["HitRate@5"].falling is None
    assert "No falling bounds for " in str(result)


@pytest.mark.parametrize(
    ("candidates", "problem"),
    [
        ({"catalogue": 300, "sampling": "popularity"}, "bounds need items that are sampled uniformly, not by 'popularity'"),
        ({"catalogue": 10, "sampled": 10}, "10 items cannot be sampled from 10 that include the relevant one"),
        ({"sampled": 10}, "catalogue"),
        ({"catalogue": 300, "negatives": 3}, "negatives"),
    ],
)
def test_a_section_that_cannot_be_meant_is_refused_in_one_sentence(candidates, problem):
    with pytest.raises(ConfigError, match=problem):
        receval.evaluate(test=TEST, recommendations=GOOD, metrics=METRICS, candidates=candidates)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"metrics": ["MAP@10", "MRR@none"]}, "bounds are for HitRate, Recall, MRR, nDCG with a cut-off up to 500: add one of them"),
        ({"weights": {"users": "users.w"}, "users": pl.DataFrame({"user": [0], "w": [1.0]})}, "there are no bounds of weighted values"),
        ({"recommendations": {"a": {"runs": [GOOD, BAD]}}}, "bounds are for one test set and one run of each model"),
    ],
)
def test_a_config_without_a_value_to_bound_is_refused(given, problem):
    with pytest.raises(ConfigError, match=problem):
        receval.evaluate(**{"test": TEST, "recommendations": GOOD, "metrics": METRICS, "candidates": ASKED, **given})


def test_folds_have_no_bounds():
    config = {
        "data": {"folds": [{"name": "1", "test": {"frame": TEST}}, {"name": "2", "test": {"frame": TEST}}], "recommendations": {"a": GOOD}},
        "evaluation": {"metrics": METRICS, "candidates": ASKED},
    }
    with pytest.raises(ConfigError, match="bounds are for one test set and one run of each model"):
        receval.evaluate(config)


def test_without_scipy_the_extra_is_named_before_anything_is_evaluated(monkeypatch):
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("scipy"):
            raise ImportError(name)
        return real(name, *rest, **more)

    for name in [name for name in sys.modules if name.startswith("scipy")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match="bounding values over the whole catalogue needs scipy, which is not installed") as failure:
        bounded(GOOD)
    assert "[bounds]" in failure.value.hint


def files(folder: Path, lists: Mapping[str, pl.DataFrame], candidates: str) -> Path:
    """Write a config with its files."""
    TEST.write_csv(folder / "test.csv")
    for name, frame in lists.items():
        frame.write_parquet(folder / f"{name}.parquet")
    named = ", ".join(f"{name}: {name}.parquet" for name in lists)
    (folder / "c.yaml").write_text(
        f"data: {{test: test.csv, recommendations: {{{named}}}}}\nevaluation:\n  metrics: [HitRate@5, nDCG@5]\n{candidates}output: out\n"
    )
    return folder / "c.yaml"


def test_every_form_has_the_bounds_and_the_verdicts(tmp_path, receval):
    config = files(tmp_path, {"good": GOOD, "bad": BAD}, f"  candidates: {{sampled: {SAMPLED}, catalogue: {ITEMS}, density: falling}}\n")
    code, out, _ = receval("run", config)
    assert code == 0
    stored = load(tmp_path / "out")
    low, high = (getattr(stored.catalogue_bounds["good"].by_measure["HitRate@5"], end) for end in ("low", "high"))
    line = f"{low:.4f} to {high:.4f}"
    verdict = "The order of good and bad over the whole catalogue is kept in HitRate@5 and nDCG@5: good is above bad."
    page = tmp_path / "r.html"
    assert receval("report", tmp_path / "out", "-o", page)[0] == 0
    texts = (out, (tmp_path / "out/results.md").read_text(), page.read_text(), receval("report", tmp_path / "out", "--format", "md")[1])
    for text in texts:
        assert line in text
        assert verdict in " ".join(text.split())
        assert "Bounds over the whole catalogue" in text
    cells = json.loads((tmp_path / "out/results.json").read_text())
    assert cells["models"][0]["bounds"]["values"][0]["low"] == low
    assert cells["catalogue_orders"][0] == {"measure": "HitRate@5", "first": "good", "second": "bad", "verdict": "kept"}
    save(stored, tmp_path / "again", inputs=())
    assert load(tmp_path / "again") == stored


def test_check_r10_has_the_bounds_or_names_the_key_that_gives_them(tmp_path, receval):
    config = files(tmp_path, {"good": GOOD}, "")
    text = " ".join(receval("run", config, "-v")[1].split())
    assert f"for bounds over the whole catalogue set evaluation.candidates: {{sampled: {SAMPLED}, catalogue: ITEMS}}" in text
    text = " ".join(receval("run", config, "-v", "--set", f"evaluation.candidates.catalogue={ITEMS}")[1].split())
    assert f"Over the whole catalogue of {ITEMS} items HitRate@5 is from " in text
    assert "evaluation.candidates" not in text.partition("warning R10")[2].partition("warning")[0]


def test_a_run_without_the_section_neither_imports_the_solver_nor_counts_ranks(tmp_path):
    import subprocess

    config = files(tmp_path, {"good": GOOD}, "")
    code = (
        "import sys, receval; receval.evaluate(sys.argv[1]); "
        "print([n for n in sys.modules if n.split('.')[0] == 'scipy' or n.endswith(('.sampled_ranks', 'stats.catalogue_bounds'))])"
    )
    ran = subprocess.run([sys.executable, "-c", code, config], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("engine", [{"name": "polars", "workers": 2}, {"name": "polars", "memory": "20MB"}])
def test_parts_and_the_order_of_rows_change_no_bound(engine):
    shuffled = GOOD.sample(fraction=1, shuffle=True, seed=3)
    given = {"test": TEST, "recommendations": shuffled, "metrics": METRICS, "candidates": ASKED, "health": False}
    assert only(receval.evaluate(**given, engine=engine)) == only(bounded(GOOD))


def test_a_catalogue_that_is_smaller_than_the_items_of_the_lists_is_said():
    """The candidates of a user may lack what the user knows, so a catalogue may have a few items less than all lists together."""
    said = "the lists have 300 different items, more than the 250 of evaluation.candidates.catalogue"
    assert said in " ".join(str(bounded(GOOD, catalogue=250)).split())
    assert "different items" not in str(bounded(GOOD, catalogue=295))
