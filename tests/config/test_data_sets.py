"""A config has several data sets, of which one is chosen, or all are compared."""

from __future__ import annotations

import pytest
from receval.config import load_config
from receval.config.data_sets import SeveralDataSetsError
from receval.support.errors import ConfigError

EVALUATION = {"metrics": ["nDCG@5"]}
BY_NAME = {
    "datasets": ["ml1m", "steam"],
    "data": {"test": "{dataset}/test.csv", "recommendations": {"als": "{dataset}/als.csv"}},
    "evaluation": EVALUATION,
    "output": {"dir": "results/{dataset}/"},
}
BY_KEYS = {
    "datasets": {"ml1m": {"test": "a.csv"}, "steam": {"test": "b.csv", "recommendations": {"own": "own.csv"}}},
    "data": {"recommendations": {"als": "{dataset}.csv"}},
    "evaluation": EVALUATION,
}


def paths(config, *overrides):
    loaded = load_config(config, overrides).config
    lists = {name: str(source.path[0]) for name, source in loaded.data.recommendations.items()}
    return str(loaded.data.test.path[0]), lists, loaded.output.dir


def test_the_name_of_the_chosen_data_set_replaces_its_mark_in_paths():
    assert paths(BY_NAME, "dataset=steam") == ("steam/test.csv", {"als": "steam/als.csv"}, "results/steam/")
    assert paths({**BY_NAME, "dataset": "ml1m"})[0] == "ml1m/test.csv"


def test_a_data_set_has_the_keys_of_data_that_differ():
    assert paths(BY_KEYS, "dataset=steam")[:2] == ("b.csv", {"als": "steam.csv", "own": "own.csv"})
    assert paths(BY_KEYS, "dataset=ml1m")[:2] == ("a.csv", {"als": "ml1m.csv"})


def test_options_are_laid_over_the_chosen_data_set():
    assert paths(BY_KEYS, "data.test=c.csv", "dataset=ml1m")[0] == "c.csv"


def test_a_config_of_one_data_set_is_stored_as_if_it_were_the_only_one():
    resolved = load_config(BY_NAME, ["dataset=steam"]).resolved()
    assert {"datasets", "dataset"}.isdisjoint(resolved)
    assert load_config(resolved).resolved() == resolved


def test_no_choice_names_the_data_sets_and_both_ways_on():
    with pytest.raises(SeveralDataSetsError, match="the config has several data sets: ml1m, steam") as refused:
        load_config(BY_NAME)
    assert refused.value.names == ("ml1m", "steam")
    assert "compare --across" in refused.value.hint
    assert "--set dataset=ml1m" in refused.value.hint


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"dataset": "stem"}, "there is no data set stem"),
        ({"datasets": "ml1m", "dataset": "ml1m"}, "datasets must be names that replace"),
        ({"datasets": [], "dataset": "ml1m"}, "datasets must be names that replace"),
        ({"datasets": None, "dataset": "ml1m"}, "datasets must be names that replace"),
        ({"datasets": {"ml1m": 1}, "dataset": "ml1m"}, "datasets must be names that replace"),
        ({"data": [], "dataset": "ml1m"}, "data"),
        ({"datasets": {"ml1m": {"tst": "x"}}, "dataset": "ml1m"}, r"datasets\.ml1m\.tst: unknown key 'tst'"),
    ],
)
def test_wrong_data_sets_are_one_sentence_at_their_place(changes, problem):
    with pytest.raises(ConfigError, match=problem):
        load_config({**BY_NAME, **changes})
