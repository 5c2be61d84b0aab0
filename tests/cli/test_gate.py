"""`receval gate`, `receval baseline`, and gates at the end of `receval run`: verdicts, exit codes and refused input."""

from __future__ import annotations

import json
import shutil

import pytest
from receval import load_config, run
from receval.actions.judge import judge_of_config
from receval.storage.result_folder import load

from tests.cli.gate_place import CONFIG, TEST, WORSE, change, lists


def test_a_run_ends_with_its_gates_and_their_exit_code(gate_folder, receval):
    code, out, err = receval("run", "config.yaml")
    assert code == 0
    assert "\ngates · home against main · 120 users, paired · one-sided 95 % bounds\n  pass          nDCG@2 ≥ 0.1" in out
    assert "  inconclusive  nDCG@2 loses at most 2 %  0 %, at worst −7.8 %" in out
    assert err.endswith("receval: 1 of 2 gates is inconclusive; this fails only with --inconclusive fail\n")
    code, out, err = receval("run", "config.yaml", *WORSE)
    assert code == 1
    assert "  FAIL  nDCG@2 loses at most 2 %" in out
    assert err.endswith("receval: 1 of 2 gates failed\n")


def test_text_json_files_and_exit_code_agree_on_the_verdict(gate_folder, receval):
    code, out, err = receval("run", "config.yaml", *WORSE, "--format", "json", "-o", "results/today/")
    assert code == 1
    assert "  FAIL  nDCG@2 loses at most 2 %" in err
    of_run = json.loads(out)["gates"]
    assert [gate["outcome"] for gate in of_run] == ["pass", "fail"]
    assert json.loads((gate_folder / "results/today/manifest.json").read_text())["gates"] == of_run
    assert "| **FAIL** | nDCG@2 loses at most 2 % |" in (gate_folder / "results/today/results.md").read_text()
    for source in ("results/today", "config.yaml"):
        code, out, err = receval("gate", source, *(WORSE if source == "config.yaml" else ()), "--format", "json", "-o", "gates.md")
        content = json.loads(out)
        assert (code, content["failed"], content["summary"], content["gates"]) == (1, True, "1 of 2 gates failed", of_run)
        assert err == "receval: 1 of 2 gates failed\n"
        assert "| **FAIL** | nDCG@2 loses" in (gate_folder / "gates.md").read_text()


def test_gates_and_comparisons_say_which_models_lack_lists_for_how_many_users(gate_folder, write, receval):
    write("short.csv", "".join(line for line in lists(lambda user: user % 2).splitlines(True) if line[:2] != "11"))
    short = ("--recs", "home=short.csv", "--replace", "-o", "results/today/")
    said = "Users without a list: {main} 0 of 120; {home} 11 of 120. They count 0 (evaluation.policy.missing_lists)."
    assert said.format(main="main", home="home") in receval("run", "config.yaml", *short)[1]
    for source in ("results/today", "config.yaml"):
        out = receval("gate", source, *(short[:3] if source == "config.yaml" else ()))[1]
        assert out.count(said.format(main="main", home="home")) == 1, out
    assert said.format(main="main", home="today") in receval("compare", "results/main", "results/today")[1]
    assert "without a list" not in receval("compare", "main=results/main", "again=results/main")[1]
    assert "without a list" not in receval("gate", "config.yaml")[1]


def test_a_folder_with_gates_reads_back(gate_folder, receval):
    receval("run", "config.yaml", *WORSE, "-q", "-o", "results/today/")
    loaded = load_config("config.yaml", (), ["home=worse.csv"], replace=True)
    result = judge_of_config(loaded)(run(loaded))
    assert result.gates
    assert load("results/today") == result


def test_users_are_paired_even_if_per_user_values_are_not_written(gate_folder, receval):
    code, out, _ = receval("run", "config.yaml", "--set", "output.per_user=false", "-o", "results/today/")
    assert code == 0
    assert "120 users, paired" in out
    assert not (gate_folder / "results/today/per_user.parquet").exists()


def test_strict_makes_warnings_fail_and_exit_zero_never_fails(gate_folder, receval):
    rule = ("--rule", "{measure: nDCG@2, max_loss: 2%, severity: warn}")
    receval("run", "config.yaml", *WORSE, "-q", "-o", "results/today/")
    assert receval("gate", "results/today", *rule)[0] == 0
    assert receval("gate", "results/today", *rule, "--strict")[0] == 1
    assert receval("gate", "results/today", "--exit-zero")[0] == 0


def test_a_quiet_gate_prints_the_rules_that_failed(gate_folder, receval):
    receval("run", "config.yaml", *WORSE, "-q", "-o", "results/today/")
    _, out, err = receval("gate", "results/today", "-q")
    failed, summary = err.splitlines()
    assert (out, summary) == ("", "receval: 1 of 2 gates failed")
    assert failed.startswith("receval: “nDCG@2 of home loses at most 2 % against main” does not hold: ")


def test_a_failed_check_fails_a_gate_too(gate_folder, receval):
    change(gate_folder, health={"R04": "off"}, data=CONFIG["data"] | {"recommendations": {"home": "twice.csv"}})
    (gate_folder / "twice.csv").write_text(lists(lambda user: True) + "1,a,9\n")
    code, _, err = receval("gate", "config.yaml", "--rule", "nDCG@2 >= 0.1", "--set", "health.R01=error")
    assert code == 1, err
    assert "error R01" in err.replace("  ", " ")
    after = "exit code 1 because of R01: fix the files, or accept a finding in the config, for example "
    after += "health: {R01: warn}, or --set health.R01=warn"
    assert err.endswith(f"receval: 1 gate passed\nreceval: {after}\n")


def test_a_group_is_judged_by_itself_and_a_small_one_is_skipped(gate_folder, receval):
    change(gate_folder, data=CONFIG["data"] | {"users": "users.csv"}, gates={"rules": ["nDCG@2 >= 0.1 by users.plan"]})
    code, out, err = receval("gate", "config.yaml")
    assert (code, err) == (0, "receval: 1 of 2 gates was not judged\n"), out
    assert "  pass        nDCG@2 ≥ 0.1, users.plan free" in out
    assert "  not judged  nDCG@2 ≥ 0.1, users.plan paid          10 users: a group of fewer than 100 is not judged" in out


def test_an_inconclusive_gate_fails_if_the_config_or_strict_says_so(gate_folder, receval):
    assert receval("gate", "config.yaml")[0] == 0
    assert receval("gate", "config.yaml", "--strict")[0] == 1
    assert receval("gate", "config.yaml", "--inconclusive", "fail")[0] == 1
    code, _, err = receval("run", "config.yaml", "-q", "--set", "gates.inconclusive=fail")
    assert (code, err.endswith("receval: 1 of 2 gates is inconclusive\n")) == (1, True)


@pytest.mark.parametrize(("command", "given"), [("gate", "config.yaml"), ("gate", "results/today"), ("run", "config.yaml")])
def test_strict_counts_inconclusive_gates_as_failed_in_every_file_as_the_config_can(command, given, gate_folder, receval):
    receval("run", "config.yaml", "-q", "-o", "results/today/")
    made = {}
    for option in ("--strict", "--inconclusive=fail"):
        assert receval(command, given, option, "-q", "--ci", "gitlab", "-o", "r.svg")[0] == 1
        made[option] = [(gate_folder / name).read_text() for name in ("receval-junit.xml", "gl-code-quality-report.json", "r.svg")]
    assert made["--strict"] == made["--inconclusive=fail"]
    assert '<testsuite name="gates" tests="2" failures="1"' in made["--strict"][0]
    assert '"major"' in made["--strict"][1]


def test_a_folder_of_a_strict_run_is_reported_as_failed(gate_folder, receval):
    assert receval("run", "config.yaml", "-q", "--strict", "-o", "results/today/")[0] == 1
    _, out, err = receval("report", "results/today", "--format", "github-comment", "-q")
    assert "- ✖ 1 of 2 gates is inconclusive." in out
    assert err.startswith("receval: 1 of 2 gates is inconclusive; a report exits with 0")


def baseline_that_is_a_file(gate_folder):
    shutil.rmtree(gate_folder / "results/main")
    (gate_folder / "results/main").write_text("")
    return 3, "the baseline results/main is a file, not a result folder\n  create a result folder with receval run -o DIR/"


def other_users(gate_folder):
    (gate_folder / "test.csv").write_text(TEST.replace("120,a,5\n120,b,3\n", ""))
    return 3, "home cannot be compared with main: the test data of home have 119 users and those of main 120"


def other_test_set(gate_folder):
    (gate_folder / "test.csv").write_text(TEST.replace("1,b,3", "1,d,3"))
    return 3, (
        "home cannot be compared with main: the test data differ, with the same number of rows\n  evaluate both on the same data with the "
        "same config; receval compare --unpaired compares models that count different users, and --across "
        "models over several data sets"
    )


def another_threshold(gate_folder):
    change(gate_folder, evaluation=CONFIG["evaluation"] | {"relevance": {"threshold": 4}})
    return 3, "nDCG: threshold is 4 in home and not set in main"


def users_who_do_not_count(gate_folder):
    change(gate_folder, evaluation=CONFIG["evaluation"] | {"policy": {"missing_lists": "drop"}})
    return 3, "nDCG: missing_lists is drop in home and zero in main"


def torn_baseline(gate_folder):
    (gate_folder / "results/main/results.json").write_text("{")
    return 3, "results.json: this is not valid JSON: the file is damaged"


def missing_baseline(gate_folder):
    shutil.rmtree(gate_folder / "results/main")
    return 3, "there is no baseline results/main\n  create it with receval baseline set DIR"


def unknown_measure(gate_folder):
    change(gate_folder, gates={"rules": ["Recal@1 >= 0.1"]})
    return 2, "gates.rules[0]: the config has no measure 'Recal@1': did you mean 'Recall@1'?"


def limit_without_a_number(gate_folder):
    change(gate_folder, gates={"rules": ["nDCG@2 >= nan"]})
    return 2, "gates.rules[0]: a limit must be a number such as 0.25, not 'nan'"


def infinite_margin(gate_folder):
    change(gate_folder, gates={"baseline": "results/main", "rules": [{"measure": "nDCG@2", "max_loss": float("inf")}]})
    return 2, "gates.rules[0].max_loss: a margin must be a number from 0"


def results_over_the_baseline(gate_folder):
    change(gate_folder, output={"dir": "results/main"})
    return 2, "output.dir: results/main would overwrite results/main, which is the baseline"


@pytest.mark.parametrize(
    "spoil",
    [baseline_that_is_a_file, other_users, other_test_set,
      another_threshold, users_who_do_not_count, torn_baseline, missing_baseline, unknown_measure,
     limit_without_a_number, infinite_margin, results_over_the_baseline],
)  # fmt: skip
def test_gates_that_cannot_be_judged_are_refused_in_one_sentence(spoil, gate_folder, receval):
    code, sentence = spoil(gate_folder)
    ended, _, err = receval("run", "config.yaml")
    assert ended == code
    assert sentence in err
    assert "--un" not in err.replace("receval compare --unpaired", "")  # an option of another command
    assert "Traceback" not in err


def test_values_whose_gates_cannot_be_judged_are_written_but_cannot_become_a_baseline(gate_folder, receval):
    other_test_set(gate_folder)
    assert receval("run", "config.yaml", "-q", "-o", "results/today/")[0] == 3
    assert load("results/today").gates == ()
    code, _, err = receval("baseline", "set", "results/today")
    assert (code, err.splitlines()[0]) == (
        1, "receval: Baseline not updated: its config has gates that were not judged. Use --force to override",
    )  # fmt: skip


@pytest.mark.parametrize(("if_missing", "code", "consequence"), [("pass", 0, "none"), ("warn", 0, "warn"), ("error", 3, None)])
def test_a_missing_baseline_is_treated_as_the_config_says(if_missing, code, consequence, gate_folder, receval):
    shutil.rmtree(gate_folder / "results/main")
    ended, out, err = receval("gate", "config.yaml", "--baseline", "results/main", "--if-missing", if_missing, "--format", "json")
    assert ended == code
    if consequence is None:
        assert "there is no baseline results/main" in err
    else:
        gates = json.loads(out)["gates"]
        assert [gate["outcome"] for gate in gates] == ["pass", "skipped"]
        assert gates[1]["consequence"] == consequence
        assert gates[1]["remark"] == "there is no baseline results/main"
        assert (receval("gate", "config.yaml", "--baseline", "results/main", "--if-missing", if_missing, "--strict")[0] == 1) == (
            consequence == "warn"
        )


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--rule", "Recal@1 >= 0.1"), 2, "the results have no measure 'Recal@1'\n  did you mean 'Recall@1'?"),
        (("--rule", "ILD@2 >= 0.2"), 2, "no measure 'ILD@2'\n  add it to evaluation.metrics and evaluate again; the results have "),
        (("--rule", "nDCG@2 >= nan"), 2, "--rule nDCG@2 >= nan: a limit must be a number such as 0.25, not 'nan'"),
        (("--rule", "nDCG@2 max_loss -1%"), 2, "--rule nDCG@2 max_loss -1%: a margin must be a number from 0"),
        (("--rule", "nDCG@2"), 2, "--rule nDCG@2: a rule must be written as"),
        (("--rule", "{measure: nDCG@2, minn: 1}"), 2, "unknown key 'minn' — did you mean 'min'?"),
        (("--rule", "nDCG@2 max_loss 1%", "--baseline", "results/other"), 3, "there is no baseline results/other"),
        (("--rule", "nDCG@2 max_loss 1%", "--baseline", "nobody"), 3, "there is no baseline nobody"),
        (("--baseline-model", "home"), 2, "--baseline-model needs"),
        (("--rule", "nDCG@2 max_loss 100%"), 2, "max_loss of 100% can never fail"),
        (("--if-missing", "pass"), 2, "--if-missing needs"),
        (("--set", "a=b"), 2, "--set, --recs, --where and --target change a config"),
        (("-o", "gates.csv"), 2, "the name of a file must end in .json, .md"),
    ],
)
def test_wrong_options_are_refused_for_a_folder(arguments, code, sentence, gate_folder, receval):
    ended, _, err = receval("gate", "results/main", *arguments)
    assert (ended, sentence in err) == (code, True), err


def test_options_that_are_wrong_for_a_config_are_named(gate_folder, receval):
    code, _, err = receval("gate", "config.yaml", "--rule", "nDCG@2 >= 0.1", "--rule", "nDGC@2 >= 0.1")
    assert (code, "--rule nDGC@2 >= 0.1: gates.rules[1]: the config has no measure 'nDGC@2'" in err) == (2, True), err


@pytest.mark.parametrize("source", ["config.yaml", "results/main"])
def test_gates_without_rules_are_refused(source, gate_folder, receval):
    change(gate_folder, gates={})
    assert receval("gate", source)[0] == 2
    assert "there are no rules to judge" in receval("gate", source)[2]


def test_a_config_with_gates_is_validated_without_data(gate_folder, receval):
    (gate_folder / "test.csv").unlink()
    shutil.rmtree(gate_folder / "results")
    assert receval("validate", "config.yaml") == (0, "config.yaml is valid: 2 measures, 1 model, 2 gates\n", "")


@pytest.mark.parametrize("rule", ["nDCG@2 max_loss 2%", "ItemCoverage@2 min_gain 0"])
@pytest.mark.parametrize("users", ["same", "common"])
def test_models_without_a_common_user_get_no_verdict_not_even_on_values_of_whole_models(rule, users, receval, write):
    write("test.csv", "user,item\n1,a\n2,a\n3,a\n4,b\n")
    write("items.csv", "item\na\nb\nc\n")
    write("one.csv", "user,item,score\n1,a,2\n2,b,1\n")
    write("two.csv", "user,item,score\n3,a,2\n4,a,1\n")
    sections = f"evaluation: {{metrics: [nDCG@2, ItemCoverage@2], policy: {{missing_lists: drop}}}}\ncompare: {{users: {users}}}"
    sections += f"\ngates: {{baseline: one, rules: ['{rule}']}}"
    data = "{test: test.csv, items: items.csv, recommendations: {one: one.csv, two: two.csv}}"
    config = write("config.yaml", f"data: {data}\n{sections}\nhealth: off\n")
    code, out, err = receval("run", config)
    assert (code, "FAIL" in out, "pass" in out) == (3, False, False)
    assert "receval: two cannot be compared with one: no user counts for both" in err


@pytest.mark.parametrize("arguments", [("run", "config.yaml"), ("gate", "config.yaml"), ("gate", "results/today")])
def test_quiet_prints_a_line_for_each_inconclusive_gate_and_ends_with_0(arguments, gate_folder, receval):
    receval("run", "config.yaml", "-q", "-o", "results/today/")
    code, out, err = receval(*arguments, "-q")
    assert (code, out, err.count("\n")) == (0, "", 1)
    assert err.startswith(
        "receval: “nDCG@2 of home loses at most 2 % against main” is inconclusive: 0 %, at worst −7.8 %; none of 120 users"
    )


def test_a_shown_loss_beyond_the_limit_by_its_value_fails_unless_it_must_be_shown_to_be_beyond(gate_folder, write, receval):
    write("home.csv", lists(lambda user: user % 2 and user > 18))
    assert "a loss is shown, and its value is above the limit of 2 %" in receval("gate", "config.yaml")[1]
    for command in ("gate", "run"):
        codes = [receval(command, "config.yaml", "-q", "--fail", fail)[0] for fail in ("shown_worse", "shown_beyond", "value")]
        assert codes == [1, 0, 1]
    change(gate_folder, gates={"baseline": "results/main", "rules": [{"measure": "nDCG@2", "max_loss": "2%", "fail": "shown_beyond"}]})
    assert receval("gate", "config.yaml")[0] == 0
    (gate,) = json.loads(receval("gate", "config.yaml", "--fail", "value", "--format", "json")[1])["gates"]
    assert (gate["outcome"], gate["fail"], gate["failed_by"]) == ("inconclusive", "shown_beyond", None)
    assert receval("gate", "config.yaml", "--fail", "always")[:2] == (2, "")
