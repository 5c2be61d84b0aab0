"""Models that rank sampled candidates are compared only with models that rank as many: in a run, between results, and by gates."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace
from receval.api.evaluation_result import EvaluationResult
from receval.comparison.best_models import with_conclusions
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.config.run_sections import LatexStyle
from receval.documents.best_values import best_values
from receval.documents.headline import closing_of_result
from receval.documents.paper import marks_of
from receval.documents.values import Formats
from receval.render.forms import rendered
from receval.results.candidates import groups_of
from receval.results.comparison import conclusions
from receval.storage.result_folder import load, save
from receval.support.errors import DataError
from receval.support.outputs import output_form

from tests.gates.small import gates

USERS, ITEMS = 120, 1500
RANDOM = np.random.default_rng(5)
RELEVANT = RANDOM.integers(0, ITEMS, USERS)
SCORES = RANDOM.normal(size=(USERS, ITEMS))
SCORES[np.arange(USERS), RELEVANT] += 2
TEST = pl.DataFrame({"user": np.arange(USERS), "item": RELEVANT})
LOOK = "the lists of {} look like all of {} sampled candidates per user, those of {}"
ADVICE = ": their values are not compared. To compare them, give lists with all scored candidates of each."
NOT = LOOK.format("bprmf and neumf", 100, "sasrec do not").capitalize() + ADVICE
HINT = "score the same candidates with both and give all of them, or rank the whole catalogue with both"


def sampled(n: int = 100, noise: float = 0.0, without: int = 0) -> pl.DataFrame:
    """Return the scores of `n` candidates per user, the relevant item among them, except for the first `without` users."""
    random, rows = np.random.default_rng(n), []
    for user, item in enumerate(RELEVANT):
        others = random.choice(np.setdiff1d(np.arange(ITEMS), [item]), n, replace=False)
        rows += [
            (user, int(candidate), SCORES[user, candidate] + noise * random.normal())
            for candidate in (*others[1:], others[0] if user < without else item)
        ]
    return pl.DataFrame(rows, schema=["user", "item", "score"], orient="row")


def full(n: int = 10, noise: float = 0.0) -> pl.DataFrame:
    """Return the first `n` items of the whole catalogue."""
    scores = SCORES + noise * np.random.default_rng(n).normal(size=SCORES.shape)
    rows = [(user, int(item), scores[user, item]) for user in range(USERS) for item in np.argsort(-scores[user])[:n]]
    return pl.DataFrame(rows, schema=["user", "item", "score"], orient="row")


MIXED = {"bprmf": sampled(), "neumf": sampled(noise=3), "sasrec": full()}


@pytest.fixture
def result(evaluate):
    """Return a function that evaluates models with conclusions."""
    return lambda models=None, **given: with_conclusions(
        evaluate(TEST, MIXED if models is None else models, metrics=["HitRate@10"], **given), ComparisonOptions()
    )


@pytest.mark.parametrize("health", ["off", {"R10": "off"}, {}])
def test_a_run_declares_no_winner_between_sampled_candidates_and_the_whole_catalogue(result, health):
    found = result(health=health)
    (one,) = found.conclusions
    assert (one.models, [rival.model for rival in one.rivals]) == (("bprmf", "neumf"), ["neumf"])
    first, second = closing_of_result(found)
    assert (first.startswith("bprmf is best among bprmf and neumf on HitRate@10, by "), second) == (True, NOT)
    marked = best_values(found, Formats.from_rows(found.rows))
    assert (marked.tested, marked.untested) == ({("bprmf", "HitRate@10")}, frozenset())
    assert "No mark: the lists of sasrec look like other candidates than those of the marked models." in marked.legend()
    assert NOT in rendered(output_form("md", "result"), found).decode()
    assert "no mark: the lists of sasrec look like other candidates" in rendered(output_form("latex", "latex"), found).decode()


def test_two_models_with_different_candidates_have_no_mark_in_any_form(result):
    found = result({"neumf": sampled(), "sasrec": full()})
    assert found.conclusions == ()
    assert closing_of_result(found) == [LOOK.format("neumf", 100, "sasrec do not").capitalize() + ADVICE]
    assert marks_of(found, Formats.from_rows(found.rows), LatexStyle(second="underline")).marks == {}
    text = rendered(output_form("md", "result"), found).decode()
    assert "**0." not in text
    assert "No mark: the lists of the models look like different candidates, so their values are not compared." in text


def test_a_report_says_in_one_line_why_the_models_are_not_compared(evaluate, tmp_path, receval):
    save(evaluate(TEST, {"neumf": sampled(), "sasrec": full()}, metrics=["HitRate@10"]), tmp_path / "run", inputs=())
    said = LOOK.format("neumf", 100, "sasrec do not: their values are not compared")
    assert f"The models are not compared: {said}; {HINT}." in receval("report", tmp_path / "run", "--format", "md")[1]


def test_different_numbers_of_candidates_are_different(result):
    found = result({"a": sampled(100), "b": sampled(50), "c": full(), "d": full(20)})
    assert groups_of(found) == {100: ("a",), 50: ("b",), None: ("c", "d")}
    assert closing_of_result(found)[-1] == LOOK.format("a", 100, "b like 50, those of c and d do not").capitalize() + ADVICE


def test_lists_of_one_size_with_many_relevant_items_are_compared_with_others_of_this_size(result, evaluate):
    """Expect that 95 % of the relevant items in lists prove nothing: the lists of the other model are as long."""
    doubtful, other = sampled(without=6), sampled(without=40)
    found = result({"a": doubtful, "b": other, "c": full()})
    assert found.candidates["a"].inside == pytest.approx(0.95)
    assert groups_of(found) == {None: ("a", "b", "c")}
    assert groups_of(result({"a": doubtful, "c": full()})) == {100: ("a",), None: ("c",)}


def test_lists_of_the_whole_catalogue_are_compared_with_short_lists(result):
    (one,) = result({"a": full(ITEMS), "c": full()}, health={}).conclusions
    assert one.rivals[0].verdict == "identical"


def test_a_comparison_leaves_out_pairs_with_different_candidates(result):
    found = result()
    compared = compare({"": found}, ComparisonOptions())
    assert [(difference.subject.base, difference.subject.model) for difference in compared.differences] == [("bprmf", "neumf")]
    assert conclusions(compared)[0] == NOT
    of_all = compare({"": found}, ComparisonOptions(all_pairs=True))
    assert (of_all.models, list(of_all.letters["HitRate@10"])) == (("bprmf", "neumf"), ["bprmf", "neumf"])
    with pytest.raises(DataError) as refused:
        compare({"": found}, ComparisonOptions(baseline="sasrec"))
    assert (refused.value.message, refused.value.hint) == (
        LOOK.format("bprmf and neumf", 100, "sasrec do not: their values are not compared"),
        "choose a baseline among bprmf and neumf",
    )


def test_every_form_of_a_comparison_says_which_models_are_left_out_and_repeats_r10(evaluate, tmp_path, receval):
    save(with_conclusions(evaluate(TEST, MIXED, metrics=["HitRate@10"], health={}), ComparisonOptions()), tmp_path / "run", inputs=())
    said = "bprmf and neumf rank 100 sampled candidates per user: over the whole catalogue values would be lower"
    for form in ("table", "md", "html"):
        text = " ".join(receval("compare", tmp_path / "run", "--format", form)[1].split())
        assert NOT in text
        assert said in text
    found = EvaluationResult.of(load(tmp_path / "run"))
    assert found.compare().sentences[0] == NOT
    assert said not in receval("compare", tmp_path / "run", "--format", "csv")[1]


@pytest.mark.parametrize(
    ("before", "today", "what"),
    [
        (full(), sampled(), LOOK.format("today", 100, "main do not")),
        (full(100), sampled(), LOOK.format("today", 100, "main do not")),
        (sampled(50), sampled(), LOOK.format("main", 50, "today like 100")),
        (sampled(), full(), LOOK.format("main", 100, "today do not")),
    ],
)
def test_a_comparison_and_a_gate_refuse_a_baseline_with_other_candidates(evaluate, before, today, what):
    main, now = (evaluate(TEST, {"m": lists}, metrics=["HitRate@10"], health={}) for lists in (before, today))
    for judge in (
        lambda: compare({"main": main, "today": now}, ComparisonOptions()),
        lambda: gates(now, "HitRate@10 max_loss 2%", base=main),
    ):
        with pytest.raises(DataError) as refused:
            judge()
        assert refused.value.message.replace(" of m ", " of today ").replace(" of base ", " of main ").endswith(f": {what}")
        assert refused.value.hint == HINT


def test_a_quiet_gate_against_other_candidates_ends_with_exit_code_3(evaluate, tmp_path, receval):
    for name, lists in (("main", full()), ("today", sampled())):
        save(evaluate(TEST, {"m": lists}, metrics=["HitRate@10"], health={"R10": "off"}), tmp_path / name, inputs=())
    code, _, err = receval("gate", tmp_path / "today", "--baseline", tmp_path / "main", "--rule", "HitRate@10 max_loss 2%", "-q")
    assert code == 3
    assert err.splitlines() == [
        f"receval: m cannot be compared with main: {LOOK.format('m', 100, 'main do not')}",
        f"  {HINT}",
    ]


def test_a_gate_refuses_a_rule_between_models_with_different_candidates(result):
    with pytest.raises(DataError, match=f"neumf cannot be compared with sasrec: {LOOK.format('neumf', 100, 'sasrec do not')}"):
        gates(result(), {"measure": "HitRate@10", "min_gain": 0, "against": "sasrec", "models": ["neumf"]})


def test_the_number_of_candidates_is_stored_only_if_there_are_any_and_results_without_it_compare_as_before(evaluate, tmp_path):
    found = {name: evaluate(TEST, {"m": lists}, metrics=["HitRate@10"]) for name, lists in (("now", sampled()), ("main", full(100)))}
    for name, value in found.items():
        save(value, tmp_path / name, inputs=())
    stored = [json.loads((tmp_path / name / "results.json").read_text())["models"][0] for name in found]
    assert stored[0]["candidates"] == {"per_user": 100, "inside": 1.0}
    assert "candidates" not in stored[1]
    assert load(tmp_path / "now") == found["now"]
    old = replace(found["now"], candidates={})
    assert compare({"main": old, "now": found["now"]}, ComparisonOptions()).differences[0].difference == 0
