"""Early stopping: an epoch is an improvement only if its users show it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import receval
from receval.integrations.early_stopping import EarlyStopping
from receval.integrations.epochs import logged, refuse_without_users

from tests.integrations.epochs import epoch_of

CHANCE = np.random.default_rng(3)
BEFORE = CHANCE.random(200)
HIGHER = BEFORE + CHANCE.normal(0.1, 0.1, 200)
NOISE = [BEFORE + CHANCE.normal(0, 0.1, 200) for _ in range(6)]


def test_the_first_epoch_is_the_one_to_beat():
    stopping = EarlyStopping()
    assert stopping.update(epoch_of(BEFORE))
    assert (stopping.best_epoch, stopping.clear_epoch, stopping.should_stop, stopping.sentence) == (0, 0, False, "")


def test_a_clear_improvement_starts_the_patience_again():
    stopping = EarlyStopping(patience=2)
    found = [stopping.update(epoch_of(values)) for values in (BEFORE, NOISE[0], HIGHER, HIGHER - 0.01)]
    assert (found, stopping.clear_epoch, stopping.should_stop) == ([True, False, True, False], 2, False)
    assert stopping.difference is not None
    assert stopping.difference.subject.base == "epoch 2"


def test_noise_is_no_improvement_but_the_best_value_is_remembered():
    stopping = EarlyStopping(patience=6)
    epochs = [epoch_of(values) for values in (BEFORE, *NOISE)]
    assert not any([stopping.update(epoch) for epoch in epochs][1:])
    best = int(np.argmax([epoch["nDCG@10"] for epoch in epochs]))
    assert (best > 0, stopping.best_epoch, stopping.clear_epoch, stopping.should_stop) == (True, best, 0, True)
    value = f"{epochs[best]['nDCG@10']:.4g}"
    assert (
        stopping.sentence == f"No clear improvement in nDCG@10 for 6 epochs after epoch 0; the best value is that of epoch {best}, {value}."
    )


def test_after_the_patience_no_epoch_is_an_improvement_any_more():
    stopping = EarlyStopping(patience=1)
    assert [stopping.update(epoch_of(values)) for values in (BEFORE, NOISE[0] - 0.05, HIGHER)] == [True, False, False]
    assert (stopping.should_stop, stopping.best_epoch) == (True, 2)


def test_small_gains_add_up_until_they_are_clear():
    stopping = EarlyStopping(patience=5)
    found = [stopping.update(epoch_of(BEFORE + 0.004 * epoch + CHANCE.normal(0, 0.05, 200))) for epoch in range(12)]
    assert not all(found)
    assert stopping.clear_epoch is not None
    assert stopping.clear_epoch > 4


def test_the_level_is_divided_by_the_patience():
    for patience, level in ((1, 0.9), (5, 0.98), (10, 0.99)):
        stopping = EarlyStopping(patience=patience)
        for values in (BEFORE, HIGHER):
            stopping.update(epoch_of(values))
        assert stopping.difference is not None
        assert stopping.difference.level == pytest.approx(level)


def test_a_gain_has_to_be_shown_to_be_as_large_as_asked_for():
    for min_gain, improved in ((0.05, True), (0.1, False)):
        stopping = EarlyStopping(min_gain=min_gain)
        stopping.update(epoch_of(BEFORE))
        assert stopping.update(epoch_of(HIGHER)) is improved


def test_lower_values_are_improvements_of_a_measure_where_lower_is_better():
    stopping = EarlyStopping(min_gain=0.05)
    epochs = {7: epoch_of(HIGHER, higher_is_better=False), 8: epoch_of(BEFORE, higher_is_better=False)}
    assert [stopping.update(values, epoch) for epoch, values in epochs.items()] == [True, True]
    assert (stopping.best_epoch, stopping.clear_epoch) == (8, 8)


def test_users_are_paired_by_id_also_if_ids_become_text():
    mixed = CHANCE.permutation(200)
    stopping = EarlyStopping()
    stopping.update(epoch_of(BEFORE))
    assert not stopping.update(epoch_of(BEFORE[mixed], users=[str(user) for user in mixed]))
    assert stopping.difference is not None
    assert stopping.difference.verdict == "identical"


def test_a_value_is_better_than_none_and_none_is_no_improvement():
    evaluator = receval.Evaluator(test={1: [1]}, metrics="nDCG@10", policy={"missing_lists": "undefined"}, keep_users=True)
    with pytest.warns(UserWarning, match="no user of these lists"):
        undefined = evaluator({2: [1]})
    stopping = EarlyStopping(patience=2)
    assert undefined["nDCG@10"] is None
    assert [stopping.update(values) for values in (undefined, undefined, evaluator({1: [1]}), undefined)] == [True, False, True, False]
    assert (stopping.best_epoch, stopping.best_value) == (2, 1.0)


def test_the_state_of_a_training_can_be_pickled():
    stopping = EarlyStopping(patience=3)
    for values in (BEFORE, NOISE[0]):
        stopping.update(epoch_of(values))
    again = pickle.loads(pickle.dumps(stopping))
    assert (again.sentence, again.update(epoch_of(HIGHER)), again.clear_epoch) == (stopping.sentence, True, 2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"patience": 0}, "patience must be at least 1 epoch, not 0"),
        ({"alpha": 0.5}, "alpha is the rate of false improvements and must be between 0 and 0.25, not 0.5"),
        ({"min_gain": -1}, "min_gain must be 0 or more, not -1"),
    ],
)
def test_impossible_settings_are_refused(arguments, sentence):
    with pytest.raises(receval.ConfigError, match=sentence):
        EarlyStopping(**arguments)


def test_what_users_cannot_show_is_refused_with_what_to_do():
    with pytest.raises(receval.ConfigError, match="keeps no per-user values\n  create it with keep_users=True"):
        EarlyStopping().update(receval.Evaluator(test={1: [1]}, metrics="nDCG@10")({1: [1]}))
    values = receval.Evaluator(test={1: [1]}, train={2: [2]}, metrics=["nDCG@10", "Gini@10"], keep_users=True)({1: [1]})
    with pytest.raises(receval.ConfigError, match="Gini@10 is not a mean over users, so it has no interval\n  watch another measure"):
        EarlyStopping(measure="Gini@10").update(values)
    with pytest.raises(receval.ConfigError, match="'MAP@10' is not one of the Evaluator\n  its measures are nDCG@10, Gini@10"):
        EarlyStopping(measure="MAP@10").update(values)
    with pytest.raises(receval.ConfigError, match="nDCG@10 has no better direction"):
        EarlyStopping().update(epoch_of(BEFORE, higher_is_better=None))


def test_a_callback_refuses_an_evaluator_without_users_before_the_training():
    evaluator = receval.Evaluator(test={1: [1]}, metrics="nDCG@10")
    with pytest.raises(
        receval.ConfigError, match=r"^early stopping compares users, but the Evaluator keeps no per-user values\n  create it"
    ):
        refuse_without_users(evaluator, object())


def test_values_that_are_not_defined_are_not_logged():
    assert logged({"nDCG@10": 0.25, "MRR@10": None}) == {"receval/nDCG@10": 0.25}


def test_a_measure_is_found_under_every_name():
    stopping = EarlyStopping(measure="HR@10")
    stopping.update(receval.Evaluator(test={1: [1]}, metrics=["nDCG@10", "HitRate@10"], keep_users=True)({1: [1]}))
    assert stopping.measure == "HitRate@10"
