"""Signatures over the whole registry: what changes a value changes the line, and a line computes its value again."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.config.from_signature import evaluation_of
from receval.conventions import AXES, PROTOCOL, builtin_names, load
from receval.metrics import METRICS, find, resolve
from receval.results.result import Result
from receval.results.signature import Signature, read_signature, signature_lines, signatures
from receval.support.errors import ConfigError
from receval.syntax.measure_strings import parse

from tests.sizes import draws, some
from tests.variants import CUTOFFS, VARIANTS, needed
from tests.worlds import World, measured, worlds

CONTEXTS: tuple[dict[str, Any], ...] = ({"graded": True}, {"threshold": 3, "graded": True}, {"threshold": 3}, {})
FORMULAS = ("0.5*nDCG@10 + 0.5*Recall@5", "nDCG(gain=linear)@3 - nDCG@3", "MRR@5/Recall(threshold=2)@5")


def protocols() -> list[str]:
    """Return every metric with every value of the axes that all metrics have."""
    default, texts = load("receval").axes, []
    for name, metric in METRICS.items():
        given = [f"{key}={value}" for key, value in needed(metric).items()]
        for axis in PROTOCOL:
            for value in AXES[axis].values:
                is_average = axis == "average" and value in ("micro", "weighted")
                if value != default[axis] and axis not in (*metric.axes, *metric.numbers, "threshold") and not is_average:
                    text = f"{name}({','.join((*given, f'{axis}={value}'))})"
                    texts += [text] if _is_allowed(text) else []
    return texts


def _is_allowed(text: str) -> bool:
    spec = parse(text)
    try:
        resolve(spec.at(3) if find(spec.name).cut else spec, load("receval"))
    except ValueError:
        return False
    return True


GRADED = tuple(f"{name}(relevance_rule=all_rows,grades={grades})" for name in ("Precision", "MAP", "MRR") for grades in ("ratings", "ones"))
EVERY = (*VARIANTS, *protocols(), *GRADED)
N_METRICS = 8
"""Metrics that are tried in each random world, each with all of its variants."""


def some_metrics(seed: int, texts: Iterable[str]) -> list[str]:
    """Return the variants of some metrics."""
    chosen = set(random.Random(seed).sample(sorted(METRICS), N_METRICS))
    return [text for text in texts if find(parse(text).name).name in chosen]


def odd(world: World, seed: int) -> World:
    """Return a world with duplicate and tied rows, ratings of 0, scores below 0 and ids of users in their lists."""
    chance = random.Random(seed)
    test, lists = world["test"], world["lists"]
    test = pl.concat([test, test.sample(len(test) // 3, seed=seed).with_columns(rating=pl.lit(chance.randint(0, 5), pl.Int64))])
    near = pl.Series([chance.choice((0.0, 0.0, -1.0, 1e-9)) for _ in range(len(lists))])
    return {**world, "test": test, "lists": lists.with_columns(score=pl.col("score") + near)}


def lines_by_value(result: Result) -> dict[str, set[Any]]:
    """Return the values of all rows by signature."""
    lines, values = signature_lines(result), dict[str, set[Any]]()
    for row in result.rows:
        values.setdefault(lines[row.label], set()).add(repr(row.value))
    return values


def different(lines: dict[str, set[Any]], again: dict[str, set[Any]]) -> list[Any]:
    """Return the signatures that are not there again, or not with the same values."""
    return [(line, values, again.get(line)) for line, values in lines.items() if again.get(line) != values]


@settings(max_examples=draws(2, 8))
@given(world=worlds(), seed=st.integers(0, 1000))
def test_measures_with_equal_signatures_have_equal_values(world, seed, evaluate):
    result = measured(evaluate, odd(world, seed), some_metrics(seed, EVERY), relevance=CONTEXTS[seed % len(CONTEXTS)], top_k=[2])
    unequal = {line: values for line, values in lines_by_value(result).items() if len(values) > 1}
    assert not unequal


@settings(max_examples=draws(3, 6))
@given(world=worlds(), seed=st.integers(0, 1000))
def test_a_signature_computes_its_measure_again_with_the_same_bytes(world, seed, evaluate):
    world = odd(world, seed)
    first = measured(evaluate, world, [*some_metrics(seed, VARIANTS), *FORMULAS], relevance=CONTEXTS[seed % len(CONTEXTS)], top_k=[2])
    lines = lines_by_value(first)
    section = dict(evaluation_of(lines, {}).evaluation)
    again = lines_by_value(evaluate(**world, **{"relevance": {}, **section}))
    assert not different(lines, again)


def test_every_variant_and_every_axis_of_the_protocol_is_tried():
    assert {find(parse(text).name).name for text in EVERY} == METRICS.keys()
    given_axes = {key for text in EVERY for key, _ in parse(text).params}
    assert set(PROTOCOL) - {"threshold"} <= given_axes


TEST = pl.DataFrame({"user": [1, 1, 2, 3], "item": [1, 2, 3, 4], "rating": [5, 2, 4, 3]})
LISTS = pl.DataFrame({"user": [1, 1, 2, 2], "item": [1, 3, 3, 4], "score": [2.0, 1.0, 2.0, 1.0]})


def line_of(evaluate: Any, measure: str, **options: Any) -> str:
    result = evaluate(TEST, LISTS, metrics=[measure], **options)
    (line,) = signature_lines(result).values()
    return line


def test_a_signature_has_the_version_the_settings_the_users_and_the_test_set(evaluate):
    line = line_of(evaluate, "nDCG@10", relevance={"threshold": 4})
    assert line.startswith("receval:")
    assert "|nDCG@10|gain=binary|discount=log_r_plus_1|log_base=2|" in line
    assert "|relevance.threshold=4|" in line
    assert "|users=2/3|test=b3:" in line


def test_a_measure_has_no_setting_that_it_does_not_read(evaluate):
    coverage = read_signature(line_of(evaluate, "UnrepeatedReco@5", relevance={"threshold": 4, "graded": True}))
    assert not {"relevance.threshold", "relevance_rule", "grades", "no_relevant", "gain"} & coverage.settings.keys()
    assert "test" not in coverage.facts
    assert "grades" not in read_signature(line_of(evaluate, "Precision@5", relevance={"graded": True})).settings
    assert "grades" in read_signature(line_of(evaluate, "nDCG@5", relevance={"graded": True})).settings
    assert "std_ddof" not in read_signature(line_of(evaluate, "nDCG@5")).settings


def test_settings_of_the_config_that_do_not_change_a_value_do_not_change_a_signature(evaluate):
    usual = line_of(evaluate, "Precision@5")
    for options in ({"relevance": {"graded": True}}, {"by": []}, {"top_k": [3]}, {"yardsticks": {"oracle": True}}):
        assert line_of(evaluate, "Precision@5", **options) == usual, options


def test_the_same_settings_have_the_same_signature_however_they_are_written(evaluate):
    usual = line_of(evaluate, "nDCG@5", relevance={"threshold": 3}, policy={"no_relevant": "zero"})
    assert line_of(evaluate, "nDCG(threshold=3,no_relevant=zero)@5") == usual
    assert line_of(evaluate, "nDCG(gain=linear)@5") == line_of(evaluate, "nDCG@5")  # without grades every gain is 1
    assert line_of(evaluate, "nDCG(gain=linear)@5", relevance={"graded": True}) != line_of(evaluate, "nDCG@5", relevance={"graded": True})


@pytest.mark.parametrize(
    ("axis", "value"), [("ndcg_discount", "log_max_r_2"), ("no_relevant", "zero"), ("tie_order", "item_desc"), ("ndcg_log_base", 3.0)]
)
def test_another_default_of_receval_would_change_the_signature(axis, value, evaluate, tmp_path):
    (tmp_path / "later.yaml").write_text(f"extends: receval\nname: later\naxes: {{{axis}: {value}}}\n")
    later = line_of(evaluate, "nDCG@5", convention=str(tmp_path / "later.yaml"))
    now = line_of(evaluate, "nDCG@5")
    assert later != now
    assert later.split("|")[:2] == now.split("|")[:2]  # the measure is called the same


def test_a_threshold_that_a_metric_has_for_itself_is_not_that_of_relevance(evaluate):
    policy = pl.DataFrame({"item": [1, 2, 3, 4], "score": [1.0, 2.0, 1.0, 3.0]})
    result = evaluate(
        TEST, LISTS, metrics=["NCISRecall(threshold=2)@5", "NCISRecall@5"], previous_policy=policy, relevance={"threshold": 4}
    )
    first, second = signatures(result).values()
    assert (first.settings["threshold"], second.settings["threshold"]) == ("2", "10")
    assert first.settings["relevance.threshold"] == "4"
    section = evaluation_of([str(first), str(second)], {}).evaluation
    assert section["relevance"] == {"threshold": 4.0}
    assert section["metrics"] == ["NCISRecall(threshold=2)@5", "NCISRecall@5"]


@pytest.mark.parametrize("convention", some([name for name in builtin_names() if name != "surprise"], 13))
def test_a_signature_of_a_convention_computes_its_measure_under_that_of_receval(convention, evaluate):
    train = pl.DataFrame({"user": [1, 2, 3], "item": [3, 4, 1], "rating": [1, 2, 3]})
    metrics = [name for name in ("nDCG@3", "Recall@3", "MAP@3", "F1@3") if name.partition("@")[0] in load(convention).metrics]
    metrics = metrics or ["Precision(convention=receval)@3"]
    first = evaluate(TEST, LISTS, train=train, metrics=metrics, convention=convention, relevance={"threshold": 3, "graded": True})
    lines = lines_by_value(first)
    at = len(convention) % 3
    for before in some([{}, {"convention": "receval"}, {"convention": convention}][at:] + [{}, {"convention": "receval"}][:at], 1):
        section = dict(evaluation_of(lines, before).evaluation)
        again = evaluate(TEST, LISTS, train=train, **{"relevance": {}, **section})
        assert not different(lines, lines_by_value(again)), before


def test_weights_of_users_and_aggregates_are_in_the_signature(evaluate):
    users = pl.DataFrame({"user": [1, 2, 3], "money": [1.0, 2.0, 3.0]})
    weighted = evaluate(TEST, LISTS, users=users, metrics=["nDCG@3"], weights={"users": "users.money"})
    (line,) = signature_lines(weighted).values()
    assert "|average=weighted|user_weights=users.money|" in line
    section = dict(evaluation_of([line], {}).evaluation)
    assert lines_by_value(weighted) == lines_by_value(evaluate(TEST, LISTS, users=users, **section))
    spread = evaluate(TEST, LISTS, metrics=["nDCG@3"], aggregates=["mean", "std", "median"])
    lines = lines_by_value(spread)
    assert sum("|std_ddof=sample|" in text for text in lines) == 1
    assert lines == lines_by_value(evaluate(TEST, LISTS, **dict(evaluation_of(lines, {}).evaluation)))


def test_the_test_set_is_hashed_without_regard_to_the_order_of_its_rows(evaluate):
    usual = line_of(evaluate, "nDCG@5")
    assert line_of(lambda test, lists, **more: evaluate(test.reverse(), lists, **more), "nDCG@5") == usual
    assert line_of(lambda test, lists, **more: evaluate(test.head(3), lists, **more), "nDCG@5") != usual


def test_a_signature_reads_back_as_it_was_written(evaluate):
    for measure in ("nDCG@5", "Recall(rows.rating='a|b=%c')@none", "F1(nDCG,Recall)@5", *FORMULAS):
        if "rows" not in measure:
            line = line_of(evaluate, measure)
            assert str(read_signature(line)) == line
    one = Signature("1.0", "Recall@5", {"rows.event": "'a|b=%7C\n'"}, {"users": "1/2"})
    assert read_signature(str(one)) == one


def test_models_over_different_users_have_a_range_of_users(evaluate):
    result = evaluate(TEST, {"a": LISTS, "b": LISTS.head(2)}, metrics=["nDCG(missing_lists=drop)@5"])
    (one,) = signatures(result).values()
    assert one.facts["users"] == "1-2/3"
    (of_b,) = signatures(result, ["b"]).values()
    assert of_b.facts["users"] == "1/3"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("nDCG@10", "is not a signature"),
        ("receval:0.1.0", "is not a signature"),
        ("sacrebleu:2|nDCG@10", "is not a signature"),
        ("receval:0.1.0|nDCG@10|gain", "is not a signature"),
        ("receval:0.1.0|nDCG@10|gain=exp3", "gain must be one of"),
        ("receval:0.1.0|nDCG@10|gian=exp2", "did you mean 'gain'"),
        ("receval:0.1.0|nDCG@10|gain=exp2|gain=linear", "names gain twice"),
        ("receval:0.1.0|NDGC@10|gain=exp2", "the signature of NDGC@10: unknown metric"),
        ("receval:0.0.1|nDCG@10|gain=exp3", "it is of receval 0.0.1, this is receval"),
        ("  ", "give a signature"),
    ],
)
def test_a_line_that_is_no_signature_of_this_version_is_refused_with_what_is_wrong(line, problem):
    with pytest.raises(ValueError, match=r"(?i)signature") as found:
        evaluation_of([line], {})
    assert problem in str(found.value)


def test_another_version_and_another_convention_are_said():
    line = "receval:0.0.1|nDCG@10|gain=linear|discount=log_max_r_2|grades=ratings|users=1/1"
    notes = evaluation_of([line], {"convention": "receval"}).notes
    assert notes[0] == "The signature is of receval 0.0.1, this is receval 0.1.0: definitions may have changed between them."
    assert notes[1].startswith("The signature differs from the convention receval in 2 settings: gain=linear, discount=log_max_r_2.")


def test_a_refused_signature_is_an_error_of_the_config(tmp_path):
    from receval import load_config

    TEST.write_csv(tmp_path / "test.csv")
    LISTS.write_csv(tmp_path / "lists.csv")
    config = {"data": {"test": str(tmp_path / "test.csv"), "recommendations": {"a": str(tmp_path / "lists.csv")}}}
    with pytest.raises(ConfigError, match="--from-signature: the signature of nDCG@10: gain must be"):
        load_config(config, signatures="receval:0.1.0|nDCG@10|gain=exp3")
    loaded = load_config(config, signatures=["receval:0.1.0|nDCG@10|gain=binary"])
    assert loaded.config.evaluation.labels == ["nDCG@10"]


def test_cutoffs_of_a_signature_are_those_of_its_measure(evaluate):
    result = measured(evaluate, {"test": TEST, "lists": LISTS}, ["nDCG"], top_k=["none" if k is None else k for k in CUTOFFS])
    assert [signature.measure for signature in signatures(result).values()] == ["nDCG@1", "nDCG@3", "nDCG@none"]
