"""Rules of gates in a config: both spellings, their errors, and that they read back."""

from __future__ import annotations

import subprocess
import sys

import jsonschema
import pytest
import yaml
from receval import load_config
from receval.config import gates_of, json_schema
from receval.support.errors import ConfigError

from tests.conftest import ROOT

CONFIG = """
data: {test: t.csv, users: u.csv, items: i.csv, recommendations: {home: r.csv, popular: p.csv}}
evaluation: {metrics: [nDCG, Recall, ItemCoverage, RMSE, '0.5*nDCG@5 + 0.5*Recall@5', '2*nDCG@5*Recall@5'], top_k: [5, 10]}
gates:
  baseline: popular
  rules:
    - RULE
"""


@pytest.fixture
def rule(write):
    """Return a function that reads a config with one rule and gives the rule."""

    def rule(text):
        return load_config(write("config.yaml", CONFIG.replace("RULE", text))).config.gates.rules[0]

    return rule


@pytest.fixture
def problem(write):
    """Return a function that gives the problem of a config with one wrong rule."""

    def problem(text, *overrides):
        with pytest.raises(ConfigError) as error:
            load_config(write("config.yaml", CONFIG.replace("RULE", text)), overrides)
        (sentence,) = error.value.problems
        return sentence.partition(": ")[2]

    return problem


@pytest.mark.parametrize(
    ("short", "mapping"),
    [
        ("Recall@10 >= 0.25", "{measure: Recall@10, min: 0.25}"),
        ("Recall@10>=.25", "{measure: Recall@10, min: 0.25}"),
        ("RMSE <= 0.95", "{measure: RMSE, max: 0.95}"),
        ("nDCG@10 ≥ 0", "{measure: nDCG@10, min: 0}"),
        ("nDCG@10 max_loss 2%", "{measure: nDCG@10, max_loss: 2%}"),
        ("nDCG max_loss 0.005", "{measure: nDCG, max_loss: 0.005}"),
        ("nDCG@10 min_gain 0 against popular", "{measure: nDCG@10, min_gain: 0, against: popular}"),
        ("nDCG@10 max_loss 2 % by users.plan", "{measure: nDCG@10, max_loss: 2%, by: users.plan}"),
        ("0.5*nDCG@5 + 0.5*Recall@5 >= 0.2", "{measure: '0.5*nDCG@5 + 0.5*Recall@5', min: 0.2}"),
    ],
)
def test_the_short_form_of_a_rule_equals_the_mapping(short, mapping, rule):
    assert rule(f"'{short}'") == rule(mapping)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nDCG@10 > 0.2", "gates.rules[0]: a rule has >= or <=, not >: write it as"),
        ("nDCG@10 is good", "gates.rules[0]: a rule must be written as"),
        ("nDCG@10 >= inf", "gates.rules[0]: a limit must be a number such as 0.25, not 'inf'"),
        ("nDCG@10 >= 2%", "gates.rules[0]: a limit must be a number such as 0.25, not '2%'"),
        ("{measure: nDCG@10}", "gates.rules[0]: a rule needs exactly one of min, max, max_loss, min_gain, slices: none is given"),
        (
            "{measure: nDCG@10, min: 0.1, max: 0.2}",
            "gates.rules[0]: a rule needs exactly one of min, max, max_loss, min_gain, slices: min and max are given",
        ),
        ("{measure: nDCG@10, min: 0.1, against: popular}", "gates.rules[0]: min limits the value itself"),
        ("{measure: nDCG@10, min: .nan}", "gates.rules[0].min: a limit must be a number such as 0.25, not 'nan'"),
        ("{measure: nDCG@10, max_loss: .inf}", "gates.rules[0].max_loss: a margin must be a number from 0"),
        ("{measure: nDCG@10, min: 0.1, severty: warn}", "gates.rules[0].severty: unknown key 'severty' — did you mean 'severity'?"),
        ("{measure: nDCG@10, min: 0.1, models: hme}", "gates.rules[0].models[0]: there is no model named 'hme': did you mean 'home'?"),
        ("nDGC@10 >= 0.1", "gates.rules[0]: the config has no measure 'nDGC@10': did you mean 'nDCG@10'?"),
        ("Foo@10 >= 0.1", "gates.rules[0]: the config has no measure 'Foo@10': there are nDCG@5"),
        ("ILD@10 >= 0.2", "Recall@10; ILD@10 needs the categories of the items: set data.items.categories to their column"),
        ("nDCG@20 >= 0.1", "add it to evaluation.metrics, which has nDCG@5, nDCG@10, Recall@5, Recall@10"),
        ("nDCG@10 max_loss 2", "nDCG@10 is between 0 and 1: no max_loss of 2 is possible; 2% is a share of the baseline's value"),
        ("nDCG@10 max_loss 100%", "max_loss of 100% can never fail: nDCG@10 is never below 0, so no loss can exceed 100%"),
        ("{measure: nDCG@10, max_loss: 2%, anchor: a/, against: popular}", "an anchor is a second baseline:"),
        ("nDCG@10 min_gain 0 against populr", "gates.rules[0].against: there is no model named 'populr': did you mean 'popular'?"),
        ("2*nDCG@5*Recall@5 max_loss 2%", "2*nDCG@5*Recall@5 has no better direction"),
        ("ItemCoverage@10 >= 0.1 by users.plan", "ItemCoverage@10 has no per-user values, so it has no value for a group"),
        ("nDCG@10 >= 0.1 by items.genre", "models are compared for groups of users or of test rows; items.genre are groups of items"),
        ("nDCG@10 >= 0.1 by cold", "cold comes from data.train: give data.train"),
    ],
)
def test_a_wrong_rule_is_refused_with_its_place_and_a_suggestion(text, sentence, problem):
    assert sentence in problem(text)


def test_a_margin_needs_a_baseline_or_another_model(problem):
    assert "max_loss compares with a baseline: give gates.baseline" in problem("nDCG@10 max_loss 2%", "gates.baseline=null")


@pytest.mark.parametrize("text", ["nDCG@10 >= 0.1", "nDCG(k=10) >= 0.1"])
def test_a_rule_on_a_mean_that_the_aggregates_lack_is_refused_with_what_to_set(text, problem):
    sentence = "the rule needs the mean of nDCG@10, but evaluation.aggregates has only sum and std: add mean to it, or write nDCG@10 (sum)"
    assert sentence in problem(text, "evaluation.aggregates=[sum, std]")


def test_a_rule_may_have_the_spelling_of_the_convention(write):
    path = write("config.yaml", CONFIG.replace("RULE", "ndcg_cut_10 >= 0.1"))
    loaded = load_config(path, ("evaluation.convention=trec_eval", "evaluation.metrics=[ndcg_cut_10]"))
    assert loaded.config.gates.rules[0].measure == "ndcg_cut_10"


def test_the_resolved_config_reads_back_and_so_do_stored_gates(write):
    text = CONFIG.replace("baseline: popular", "baseline: {main: results/main}").replace(
        "RULE",
        "{measure: Recall@10, max_loss: 2.5%, severity: warn, by: [users.plan], models: home}\n    - nDCG min_gain 0 against popular",
    )
    loaded = load_config(write("config.yaml", text))
    again = load_config(write("again.yaml", loaded.resolved_yaml()))
    assert again.config.gates == loaded.config.gates
    assert gates_of(loaded.resolved(), {}) == (loaded.config.gates, loaded.config.compare)
    assert gates_of(loaded.resolved(), {"inconclusive": "fail"})[0].inconclusive == "fail"


def test_stored_rules_of_earlier_versions_fail_as_they_did_unless_told_otherwise(write):
    stored = {"gates": {"baseline": {"path": "results/main"}, "rules": [{"measure": "nDCG@10", "max_loss": "2%"}]}}
    assert gates_of(stored, {})[0].fail == "shown_beyond"
    assert gates_of(stored, {"fail": "value"})[0].fail == "value"
    assert gates_of(stored, {"rules": ["nDCG@10 max_loss 3%"]})[0].fail == "shown_worse"
    loaded = load_config(write("config.yaml", CONFIG.replace("RULE", "nDCG@10 max_loss 2%")))
    assert loaded.resolved()["gates"]["fail"] == "shown_worse"


@pytest.mark.parametrize("limit", ["min: 0.1", "max: 0.1", "slices: 5%"])
def test_only_a_margin_can_say_when_it_fails(limit, problem):
    assert "fail says when a margin fails: it is for max_loss and min_gain" in problem(f"{{measure: nDCG@10, {limit}, fail: value}}")


def test_the_schema_knows_both_spellings():
    schema = json_schema()
    for rule in (
        "Recall@10 >= 0.25",
        {"measure": "nDCG@10", "max_loss": "2%", "by": "users.plan", "models": "home"},
        {"slices": "none worse than 5%"},
    ):
        config = yaml.safe_load(CONFIG) | {"gates": {"baseline": {"path": "results/main", "if_missing": "warn"}, "rules": [rule]}}
        jsonschema.validate(config, yaml.safe_load(schema))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(config | {"gates": {"rules": [{"min": 3}]}}, yaml.safe_load(schema))


def test_a_loss_above_100_percent_is_allowed_if_it_is_possible(rule):
    assert rule("RMSE max_loss 150%").margin.size == 1.5
    assert rule("nDCG@10 min_gain 150%").margin.size == 1.5


def test_the_old_key_is_refused_with_the_new_one_and_read_in_stored_results(write):
    with pytest.raises(ConfigError, match="the key unproven was renamed to inconclusive: write inconclusive: warn or inconclusive: fail"):
        load_config(write("config.yaml", CONFIG.replace("RULE", "nDCG@10 >= 0.1")), ["gates.unproven=error"])
    stored = {"rules": [{"measure": "nDCG@10", "min": 0.1}]}
    found = [gates_of({"gates": stored | {"unproven": word}}, {})[0].inconclusive for word in ("error", "warn", "pass")]
    assert found == ["fail", "warn", "warn"]


@pytest.mark.parametrize(
    ("baseline", "sentence"),
    [
        ("results/oct\n  baseline_model: prod", "there is no key baseline_model: write baseline: {path: results/oct, model: prod}"),
        ("{main: results/oct, model: prod}", "gates.baseline: write it as {path: results/oct, model: prod}"),
    ],
)
def test_a_model_of_the_baseline_at_another_place_is_refused_with_the_right_place_alone(write, baseline, sentence):
    text = CONFIG.replace("RULE", "nDCG@10 max_loss 2%").replace("baseline: popular", f"baseline: {baseline}")
    assert text.count(baseline) == 1
    with pytest.raises(ConfigError) as caught:
        load_config(write("config.yaml", text))
    assert [problem.endswith(sentence) for problem in caught.value.problems] == [True]


@pytest.mark.parametrize("end", ["for users.plan=new", "in users.plan = new", "by users.plan=new"])
def test_a_rule_for_one_group_is_refused_with_the_rule_by_groups(rule, end):
    sentence = "'nDCG@10 max_loss 5% by users.plan' judges each group of users.plan, and its lines name new"
    for written in (f"nDCG@10 max_loss 5% {end}", f"nDCG@10 {end.removeprefix('for ')} max_loss 5%"):
        with pytest.raises(ConfigError, match=sentence):
            rule(written)


def test_no_schema_is_built_for_a_section_that_has_only_defaults():
    """Building one takes some milliseconds, and every run and every command on results would build several."""
    script = f"""
from receval.config import gates_of, load_config
from receval.config.card import Card
from receval.config.evaluation_keys import WeightsConfig
from receval.config.judgement import Compare, Gates
from receval.config.run_sections import ReportConfig
load_config({str(ROOT / "configs" / "quickstart.yaml")!r}).resolved()
print([kind.__name__ for kind in (Card, Compare, Gates, ReportConfig, WeightsConfig) if kind.__pydantic_complete__])
gates, compare = gates_of({{}}, {{"rules": ["nDCG@10 >= 0.1"]}})
print([kind.__name__ for kind in (Card, Compare, Gates, ReportConfig, WeightsConfig) if kind.__pydantic_complete__], len(gates.rules))
"""
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert printed == "[]\n['Gates'] 1\n"
