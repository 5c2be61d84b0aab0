"""`receval gate --plan`: the screen, the files, the Python function, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import receval as library
from receval.documents import gate_plan
from receval.gates import planning
from receval.render.markdown import as_markdown
from receval.results.gate_plan import GatePlan, RulePlan

from tests.cli.gate_place import CONFIG, TEST, change, lists
from tests.conftest import built_once

RULE = ("--rule", "nDCG@2 max_loss 10%")


@pytest.fixture
def place(gate_folder, receval, monkeypatch):
    """Return the folder with results of two models, of which the new one changes some users."""
    monkeypatch.setitem(planning.plan_gates.__kwdefaults__, "draws", 40)
    monkeypatch.setattr(planning, "_SEARCH_DRAWS", 40)

    def build():
        Path("test.csv").write_text(TEST)
        Path("home.csv").write_text(lists(lambda user: user % 3))
        Path("new.csv").write_text(lists(lambda user: (user % 3 and user % 10) or user % 15 == 0))
        change(Path(), data={**CONFIG["data"], "recommendations": {"home": "home.csv", "new": "new.csv"}}, gates={})
        assert receval("run", "config.yaml", "-q", "-o", "results/two/")[0] == 0
        one = ("-m", "nDCG@2", "--set", "data.recommendations={home: home.csv}")
        assert receval("run", "config.yaml", "-q", *one, "-o", "results/one/")[0] == 0

    return built_once(gate_folder, build)


SHOWN = {}


@pytest.fixture
def plan(receval, place):
    """Return a function that plans rules on the results of two models, and gives what is on the screen: the same plan is made once."""

    def plan(*options):
        if options not in SHOWN:
            SHOWN[options] = receval("gate", "results/two", *options, "--plan")
        return SHOWN[options]

    return plan


def test_a_plan_says_how_often_each_rule_passes_and_how_many_users_it_takes_and_ends_with_0(plan):
    code, out, err = plan(*RULE, "--rule", "Recall@1 >= 0.9")
    assert (code, err) == (0, "")
    assert out.startswith("gate plan · new against home · 120 users\n")
    assert "nDCG@2 loses at most 10 %\n\n  true change   pass   inconclusive   FAIL\n" in out
    assert [line.split("  ")[1].strip() for line in out.splitlines() if line.startswith("  ") and "%" in line] == [
        "none", "loses 5 %", "loses 10 %", "loses 20 %",
    ]  # fmt: skip
    assert "With 120 users a candidate that loses nothing passes in" in out
    assert "To pass in 80 % of cases takes about" in out
    assert "Recall@1 ≥ 0.9\n\nNo plan: it is judged by the value alone, so a plan has nothing to draw." in out
    assert "There is no baseline of another run: home is used as the baseline, and new as the candidate." in " ".join(out.split())


def test_the_forms_of_a_plan_agree_and_the_same_command_writes_the_same_bytes(place, plan, receval):
    command = (*RULE, "--baseline", "home")
    written = ("-o", "plan.json", "-o", "plan.md", "-o", "plan.html")
    code, out, _ = receval("gate", "results/two", *command, "--plan", *written, "--format", "json")
    assert code == 0
    assert (place / "plan.json").read_text() == out == plan(*command, "--format", "json")[1]
    (rule,) = json.loads(out)["rules"]
    assert [point["multiple"] for point in rule["points"]] == list(planning.MULTIPLES)
    passes = f"{100 * rule['points'][0]['passes']:.0f} %"
    assert f"| none | {passes} |" in (place / "plan.md").read_text()
    page = (place / "plan.html").read_text()
    assert passes in page
    notes = json.loads(out)["notes"]
    assert len(notes) == len([line for line in plan(*command)[1].splitlines() if line.startswith("  -  ")]) >= 3
    assert all(note in (place / "plan.md").read_text() for note in notes)
    assert "What was assumed" in page


def test_a_rule_that_is_given_twice_is_judged_and_planned_once(plan, receval):
    command = (*RULE, "--baseline", "home")
    assert plan(*RULE, *command) == plan(*command)
    assert receval("gate", "results/two", *RULE, *command) == receval("gate", "results/two", *command)


def test_a_plan_of_several_rules_says_that_they_are_corrected_for_each_other(plan):
    command = (*RULE, "--baseline", "home")
    assert "corrected for each other" not in plan(*command)[1]
    assert " ".join(plan(*command, "--rule", "Recall@1 max_loss 10%")[1].split()).count("are corrected for each other") == 1


def test_a_plan_from_few_changed_users_says_that_the_gate_is_careful(plan):
    out = " ".join(plan(*RULE)[1].split())
    assert "With fewer than 100 changed users the gate is careful" in out
    assert "The numbers of users are those that this gate needs." in out


def test_a_rule_on_slices_has_no_plan_whether_or_not_there_are_groups_and_nothing_is_assumed_for_it(plan):
    code, out, err = plan("--baseline", "home", "--rule", "slices: none worse than 5%")
    assert (code, err) == (0, "")
    assert out.endswith("slices: none worse than 5 %\n\nNo plan: rules on slices are not planned.\n")
    code, out, err = plan(*RULE, "--rule", "nDCG@2 slices: none worse than 5% against home")
    assert code == 0, err
    assert "With 120 users a candidate" in out
    assert "No plan: rules on slices are not planned." in out


def test_rows_that_cannot_be_made_are_named_and_every_sentence_has_its_subject(plan):
    out = " ".join(plan("--rule", "nDCG@2 min_gain 80%")[1].split())
    assert "With 120 users a candidate that gains nothing fails in 100 % of cases." in out
    assert "no candidate with the changes of these users gains 80 % or 160 %, so these rows are missing" in out
    assert "How many users it takes is not known, because the changes of these users make no candidate that truly gains 160 %." in out
    assert "A true gain is planted by drawing users who gain more often" in out


def test_a_limit_of_0_names_the_loss_that_true_changes_are_multiples_of(plan):
    out = " ".join(plan("--rule", "nDCG@2 max_loss 0")[1].split())
    assert ", the loss that these users can detect with 80 % power." in out


def test_a_loose_limit_does_not_ask_for_fewer_users_than_a_gate_judges_well(plan):
    out = " ".join(plan("--rule", "nDCG@2 max_loss 60%")[1].split())
    assert "100 users are enough to pass in 80 % of cases; fewer are too few to judge well." in out


def test_another_seed_draws_another_plan_and_is_refused_without_one(plan, receval):
    command = (*RULE, "--baseline", "home")
    same, other = (receval("gate", "results/two", *command, "--plan", "--seed", seed)[1] for seed in ("0", "3"))
    assert plan(*command)[1] == same != other
    code, _, err = receval("gate", "results/two", *command, "--seed", "3")
    assert code == 2
    assert "--seed needs --plan" in err


def test_a_rule_without_a_plan_names_its_model_if_there_are_several(plan):
    out = plan("--rule", "Recall@1 >= 0.9")[1]
    assert "Recall@1 ≥ 0.9 (home)\n" in out
    assert "Recall@1 ≥ 0.9 (new)\n" in out


def test_a_reason_with_a_colon_is_a_sentence_of_its_own():
    rule = RulePlan("nDCG@2 loses at most 1 %", "new", "home", "nDCG@2", skipped="the baseline is missing: results/main")
    shown = as_markdown(gate_plan.document(GatePlan((rule,), 0.8)))
    assert "No plan. The baseline is missing: results/main." in shown
    assert "What was assumed" not in shown


def test_a_config_is_evaluated_and_planned(place, receval):
    code, out, err = receval("gate", "config.yaml", *RULE, "--baseline", "home", "--plan")
    assert code == 0, err
    assert out.startswith("gate plan · new against home · 120 users\n")


def test_a_candidate_is_planned_against_the_baseline_of_another_run(place, receval):
    assert (
        receval("run", "config.yaml", "-q", "-m", "nDCG@2", "--set", "data.recommendations={home: new.csv}", "-o", "results/next/")[0] == 0
    )
    code, out, err = receval("gate", "results/next", *RULE, "--baseline", "results/one", "--plan")
    assert code == 0, err
    assert out.startswith("gate plan · home against one · 120 users\n")


def test_a_baseline_of_the_config_that_is_not_there_yet_is_no_error_but_one_that_is_given_is(place, receval):
    command = ("gate", "results/two", *RULE, "--plan")
    change(place, data={**CONFIG["data"], "recommendations": {"home": "home.csv", "new": "new.csv"}}, gates={"baseline": "results/none"})
    assert receval("gate", "config.yaml", *RULE, "--plan")[0] == 0
    assert receval(*command, "--baseline", "results/none")[0] == 3


def test_one_model_alone_is_refused_in_one_sentence_with_what_to_do(place, receval):
    code, out, err = receval("gate", "results/one", *RULE, "--plan")
    assert (code, out) == (2, "")
    assert "a plan needs two models, and the results have one, home" in err
    assert "--baseline DIR" in err
    with pytest.raises(library.ConfigError, match="a plan needs two models") as caught:
        library.plan_gate("results/one", "nDCG@2 max_loss 10%")
    assert "--baseline" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--strict",), "--strict has no effect with --plan, which judges nothing and ends with 0"),
        (("--exit-zero",), "--exit-zero has no effect with --plan, which judges nothing and ends with 0"),
        (("--format", "junit"), "--plan has no --format junit; use table, json, md or html"),
        (("-o", "plan.svg"), "plan.svg: the name of a plan must end in .json, .md, .html, .htm"),
    ],
)
def test_what_a_plan_does_not_have_is_refused(place, receval, options, said):
    code, out, err = receval("gate", "results/two", *RULE, "--plan", *options)
    assert (code, out) == (2, "")
    assert said in err


def test_no_rules_are_refused_as_by_a_gate(place, receval):
    assert receval("gate", "results/two", "--plan")[2] == receval("gate", "results/two")[2]


def test_python_makes_the_plan_of_the_command(plan):
    out = json.loads(plan(*RULE, "--baseline", "home", "--format", "json")[1])
    made = library.load_results("results/two").plan_gate("nDCG@2 max_loss 10%", baseline="home")
    assert json.loads(json.dumps(made.to_dict())) == out
    assert [rule.model for rule in made] == ["new"]
    assert len(made.to_polars()) == len(planning.MULTIPLES)
    assert str(made) + "\n" == plan(*RULE, "--baseline", "home")[1]


def test_a_plain_gate_imports_nothing_of_plans(place):
    command = ["gate", "results/two", *RULE, "--baseline", "home", "-q"]
    script = f"import sys; from receval.cli.main import main; main({command!r}); print([name for name in sys.modules if 'plan' in name])"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert not [name for name in ("receval.gates.planning", "receval.actions.gate_plan", "receval.stats.planting") if name in printed]
