"""A mistake in a config, or in its name, gets a suggestion that works."""

from __future__ import annotations

import pytest
from receval.config import load_config
from receval.support.errors import ConfigError

WHOLE = {"data": {"test": "t.csv", "recommendations": {"als": "als.csv"}}, "evaluation": {"metrics": ["nDCG@10"]}}


def test_the_words_that_findings_print_are_severities_too():
    loaded = load_config(WHOLE | {"health": {"R01": "warning", "R04": "note", "R02": "off"}})
    assert {check: loaded.config.health.settings[check].severity for check in ("R01", "R04", "R02")} == {
        "R01": "warn",
        "R04": "info",
        "R02": "off",
    }


@pytest.mark.parametrize(
    ("override", "meant"),
    [
        ("top_k=5", "evaluation.top_k"),
        ("evaluation.threshold=4", "evaluation.relevance.threshold"),
        ("evaluation.missing_values=drop", "evaluation.policy.missing_values"),
    ],
)
def test_a_key_at_the_wrong_place_gets_the_right_one(override, meant):
    with pytest.raises(ConfigError, match=f"did you mean '{meant}'"):
        load_config(WHOLE, (override,))


def test_a_config_that_is_not_there_gets_the_nearest_name(tmp_path):
    (tmp_path / "config.yaml").write_text("data: {}")
    with pytest.raises(ConfigError) as error:
        load_config(tmp_path / "confg.yaml")
    assert error.value.hint == f"did you mean {tmp_path / 'config.yaml'}?"
    with pytest.raises(ConfigError) as error:
        load_config(tmp_path / "shop.yaml")
    assert error.value.hint.startswith("receval init")


def test_results_in_place_of_a_config_are_named_as_such(tmp_path):
    (tmp_path / "out.json").write_text('{"format_version": 5, "results": []}')
    with pytest.raises(ConfigError, match=r"out.json contains results, not a config") as error:
        load_config(tmp_path / "out.json")
    assert "folder" in error.value.hint


@pytest.mark.parametrize("written", ["nDCG10", "ndcg_10", "nDCG-10", "ndcg_at_10"])
def test_a_metric_with_its_cutoff_but_without_the_sign_gets_it(written):
    with pytest.raises(ConfigError, match="did you mean 'nDCG@10'"):
        load_config(WHOLE, (f"evaluation.metrics=[{written}]",))


def test_a_group_without_its_file_gets_both_that_it_may_be_of():
    with pytest.raises(ConfigError, match=r"write items\.category, of data\.users users\.category"):
        load_config(WHOLE, ("evaluation.by=[category]",))


@pytest.mark.parametrize(
    ("override", "meant"),
    [
        ("duplicates=drop", "'keep_best_rank': an item that is more than once in a list is kept only at its best rank"),
        ("duplicates=last", "'keep_last_row': an item"),
        ("truth_duplicates=dedupe", "'best': a user-item pair that is more than once in the test file counts once"),
    ],
)
def test_a_usual_word_for_a_policy_gets_the_value_with_its_meaning(override, meant):
    with pytest.raises(ConfigError, match=f"did you mean {meant}"):
        load_config(WHOLE, (f"evaluation.policy.{override}",))
