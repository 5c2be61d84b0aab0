"""Options laid over a config: one function puts each value, and what is wrong with one stops no other."""

from __future__ import annotations

import pytest
from receval import ConfigError, load_config
from receval.config.overrides import Layers, override

DATA = {"data": {"test": "test.csv"}, "evaluation": {"metrics": ["nDCG@2"]}}


def test_an_option_that_is_wrong_stops_no_other_and_each_value_keeps_its_origin():
    layers = Layers({"data": {"test": "test.csv", "folds": []}})
    assert layers.each(override, [("data.folds[3]=x",), ("output=out/",), ("nothing",), ("data.test.split=a",)]) == 2
    assert layers.config == {"data": {"test": {"path": "test.csv", "split": "a"}, "folds": []}, "output": "out/"}
    assert layers.origins == {("output",): "--set output=out/", ("data", "test", "split"): "--set data.test.split=a"}
    assert [problem.partition(":")[0] for problem in layers.problems] == ["--set data.folds[3]=x", "--set nothing"]


@pytest.mark.parametrize(("lists", "n_problems"), [([], 1), (["=als.csv"], 1)])
def test_a_model_that_is_refused_is_not_missing_too(lists, n_problems):
    with pytest.raises(ConfigError) as error:
        load_config(DATA, recommendations=lists)
    assert len(error.value.problems) == n_problems
    assert error.value.problems[0].startswith(
        "--recs =als.csv: write it as NAME=PATH" if lists else "data.recommendations: this key is missing"
    )
