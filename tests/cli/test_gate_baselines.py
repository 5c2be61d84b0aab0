"""The comparisons of gates: baselines, anchors, and folders of earlier versions."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest
from receval.gates.demands import OF_EARLIER_VERSION
from receval.storage.result_folder import load

from tests.cli.gate_place import CONFIG, WORSE, change


@pytest.mark.parametrize("command", ["gate", "run"])
def test_strict_fails_if_no_rule_was_judged(command, gate_folder, receval):
    shutil.rmtree(gate_folder / "results/main")
    change(gate_folder, gates={"baseline": {"path": "results/main", "if_missing": "pass"}, "rules": ["nDCG@2 max_loss 2%"]})
    assert receval(command, "config.yaml", "-q")[0] == 0
    code, _, err = receval(command, "config.yaml", "-q", "--strict")
    assert (code, err) == (1, "receval: the only gate was not judged; --strict needs at least one\n")


def test_results_of_the_first_version_can_be_judged_again_and_be_a_baseline(gate_folder, receval):
    """Use a folder whose config has the key `unproven` and whose gates have a state."""
    receval("run", "config.yaml", *WORSE, "-q", "-o", "results/today/")
    results, manifest = (gate_folder / "results/today" / name for name in ("results.json", "manifest.json"))
    content = json.loads(results.read_text())
    for gate, state in zip(content["gates"], ("likely", "refuted"), strict=True):
        for name in ("consequence", "by_value", "n_changed", "anchor", "fail"):
            del gate[name]
        gate["state"] = state
    content["config"]["gates"]["unproven"] = "error"
    del content["config"]["gates"]["fail"]
    results.write_text(json.dumps(content))
    described = json.loads(manifest.read_text())
    (entry,) = (output for output in described["outputs"] if output["path"] == "results.json")
    entry |= {"bytes": results.stat().st_size, "sha256": hashlib.sha256(results.read_bytes()).hexdigest()}
    del described["sha256"]  # the checksum of the manifest itself, which the first version did not have
    manifest.write_text(json.dumps(described))
    assert [(gate.outcome, gate.consequence) for gate in load("results/today").gates] == [("pass", "none"), ("fail", "fail")]
    assert [gate.fail for gate in load("results/today").gates] == [None, "shown_beyond"]
    code, out, _ = receval("gate", "results/today")
    assert (code, OF_EARLIER_VERSION in out) == (1, True)
    code, out, _ = receval("gate", "results/today", "--fail", "value")
    assert (code, OF_EARLIER_VERSION in out) == (1, False)
    code, out, _ = receval("gate", "results/today", "--baseline", "results/today")
    assert (code, "  pass  nDCG@2 loses at most 2 %" in out) == (0, True)


def test_a_margin_applies_to_the_anchor_too(gate_folder, receval):
    receval("run", "config.yaml", *WORSE, "-q", "-o", "results/worse/")
    receval("baseline", "set", "results/main", "--to", "results/anchor")
    receval("baseline", "set", "results/worse", "--force")
    rule = ("--rule", "nDCG@2 max_loss 8%")
    assert receval("gate", "results/worse", *rule)[0] == 0
    code, out, _ = receval("gate", "results/worse", *rule, "--anchor", "spring=results/anchor")
    assert code == 1
    assert out.startswith("gates · home against main · anchor spring · 120 users, paired")
    assert "  FAIL  nDCG@2 loses at most 8 %  0 %; anchor spring: −33 %, at best −8.7 %" in out
    assert "anchor spring: loss exceeds the limit of 8 %" in out
    change(gate_folder, gates=CONFIG["gates"] | {"rules": ["nDCG@2 max_loss 8%"], "anchor": {"spring": "results/anchor"}})
    assert receval("run", "config.yaml", *WORSE, "-q", "-o", "results/today/")[0] == 1
    assert load("results/today").gates[0].anchor.outcome == "fail"
    assert receval("run", "config.yaml", "-q", "-o", "results/anchor/")[0] == 2  # the results would overwrite it


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (shutil.rmtree, "there is no anchor results/anchor\n  create it with receval baseline set DIR --to results/anchor; the first"),
        (lambda folder: (folder / "results.json").write_text("{"), "results.json: this is not valid JSON: the file is damaged"),
        (lambda folder: (shutil.rmtree(folder), folder.write_text("")), "the anchor results/anchor is a file, not a result folder"),
    ],
)  # fmt: skip
def test_an_anchor_that_is_missing_or_damaged_is_refused(spoil, sentence, gate_folder, receval):
    receval("baseline", "set", "results/main", "--to", "results/anchor")
    spoil(gate_folder / "results/anchor")
    change(gate_folder, gates=CONFIG["gates"] | {"anchor": "results/anchor"})
    code, _, err = receval("run", "config.yaml")
    assert (code, sentence in err) == (3, True), err


@pytest.mark.parametrize("source", ["config.yaml", "results/today"])
def test_only_some_models_are_judged_if_the_baseline_lacks_the_others(source, gate_folder, receval):
    change(gate_folder, data=CONFIG["data"] | {"recommendations": {"home": "home.csv", "new": "home.csv", "old": "worse.csv"}})
    receval("run", "config.yaml", "-q", "-o", "results/today/", "--set", "gates.rules=[]")
    given = ("gate", source, "--baseline", "results/main", "--rule", "nDCG@2 max_loss 2%", "--format", "json", "-q")
    code, _, err = receval(*given)
    assert (code, err.endswith("by --baseline-model NAME; --models NAME judges only these\n")) == (3, True)
    models = {}
    for some in (("home",), ("home,old",), ("home", "--models", "old")):
        base = ("--baseline-model", "home") if some != ("home",) else ()
        models[some] = [gate["model"] for gate in json.loads(receval(*given, "--models", *some, *base)[1])["gates"]]
    assert list(models.values()) == [["home"], ["home", "old"], ["home", "old"]]
    code, _, err = receval(*given, "--models", "none")
    assert (code, "none" in err, "Traceback" in err) == (2, True, False), err


def test_a_model_of_another_name_can_be_chosen_as_base(gate_folder, receval):
    change(gate_folder, data=CONFIG["data"] | {"recommendations": {"new": "home.csv"}})
    code, _, err = receval("gate", "config.yaml")
    assert (code, err.splitlines()[-2:]) == (3, [
        "receval: the baseline main has no model new: it has home",
        "  choose the model to compare with by gates.baseline.model; --models NAME judges only these",
    ])  # fmt: skip
    assert receval("gate", "config.yaml", "--baseline", "results/main")[2].splitlines()[-2:] == [
        "receval: the baseline main has no model new: it has home",
        "  choose the model to compare with by --baseline-model NAME; --models NAME judges only these",
    ]  # fmt: skip
    code, out, _ = receval("gate", "config.yaml", "--baseline", "results/main", "--baseline-model", "home")
    assert (code, out.partition(" · 120")[0]) == (0, "gates · new against main")
    change(gate_folder, data=CONFIG["data"] | {"recommendations": {"new": "home.csv"}}, gates=CONFIG["gates"] | {
        "baseline": {"path": "results/main", "model": "home"}})  # fmt: skip
    assert receval("run", "config.yaml", "-q")[0] == 0


def test_the_model_of_a_baseline_is_not_judged_against_itself_unless_it_is_the_only_one(gate_folder, receval):
    receval("run", "config.yaml", "-q", "-o", "results/own/", "--set", "gates.rules=[]")
    given = ("gate", "config.yaml", "--baseline", "results/own", "--baseline-model", "home", "--format", "json", "-q")
    alone = {gate["model"] for gate in json.loads(receval(*given)[1])["gates"]}
    change(gate_folder, data=CONFIG["data"] | {"recommendations": {"home": "home.csv", "new": "worse.csv"}})
    both = {gate["model"] for gate in json.loads(receval(*given)[1])["gates"]}
    change(gate_folder, data=CONFIG["data"] | {"recommendations": {"home": "worse.csv", "new": "home.csv"}})
    other_file = {gate["model"] for gate in json.loads(receval(*given)[1])["gates"]}
    assert (alone, both, other_file) == ({"home"}, {"new"}, {"home", "new"})


def test_a_baseline_is_copied_whole_and_failed_results_are_refused(gate_folder, receval):
    receval("run", "config.yaml", *WORSE, "-q", "-o", "results/today/")
    before = (gate_folder / "results/main/results.json").read_bytes()
    code, _, err = receval("baseline", "set", "results/today")
    assert (code, err) == (1, "receval: Baseline not updated: 1 of 2 gates failed. Use --force to override\n")
    assert (gate_folder / "results/main/results.json").read_bytes() == before
    assert receval("baseline", "set", "results/today", "--force") == (0, "", "receval: results/today is now the baseline results/main\n")
    assert load("results/main") == load("results/today")
    assert {path.name for path in (gate_folder / "results/main").iterdir()} == {
        path.name for path in (gate_folder / "results/today").iterdir()
    }
    code, out, _ = receval("gate", "results/today", "--baseline", "results/main")
    assert code == 0
    assert "The baseline main failed its own gates: matching this baseline does not mean that the other gates pass." in out


def test_results_of_another_model_replace_a_baseline_only_by_force(gate_folder, receval):
    receval("run", "--test", "test.csv", "--recs", "other=worse.csv", "-m", "nDCG@2", "-q", "-o", "results/other/")
    before = (gate_folder / "results/main/results.json").read_bytes()
    said = "receval: Baseline not updated: results/main has other models (home, not other). Use --force to override\n"
    assert receval("baseline", "set", "results/other") == (1, "", said)
    assert (gate_folder / "results/main/results.json").read_bytes() == before
    assert receval("baseline", "set", "results/other", "--to", "results/new")[0] == 0
    assert receval("baseline", "set", "results/other", "--force")[0] == 0


def test_results_become_the_baseline_that_their_config_names(gate_folder, receval):
    change(gate_folder, gates=CONFIG["gates"] | {"baseline": {"full": "results/main full"}})
    before = (gate_folder / "results/main/results.json").read_bytes()
    code, _, err = receval("run", "config.yaml", "-q")
    assert (code, "create it with receval baseline set DIR --to 'results/main full'; the first time" in err) == (3, True)
    assert receval("run", "config.yaml", "-q", "--if-missing", "pass", "-o", "results/today/")[0] == 0
    assert receval("baseline", "set", "results/today")[2] == "receval: results/today is now the baseline results/main full\n"
    assert (gate_folder / "results/main/results.json").read_bytes() == before
    assert receval("run", "config.yaml", "-q")[0] == 0


def test_judged_results_replace_a_baseline_of_other_models_only_if_their_config_names_one_of_them(gate_folder, receval):
    data = CONFIG["data"] | {"recommendations": {"new": "home.csv"}}
    change(gate_folder, data=data, gates=CONFIG["gates"] | {"baseline": "results/new", "rules": ["nDCG@2 >= 0.1"]})
    receval("run", "config.yaml", "-q", "-o", "results/today/")
    code, _, err = receval("baseline", "set", "results/today", "--to", "results/main")
    assert (code, "results/main has other models (home, not new). Use --force to override" in err) == (1, True)
    change(gate_folder, data=data, gates=CONFIG["gates"] | {"baseline": {"path": "results/main", "model": "home"}})
    receval("run", "config.yaml", "-q", "-o", "results/today/")
    assert receval("baseline", "set", "results/today")[0] == 0


def test_an_incomplete_folder_or_a_folder_of_other_files_is_refused_as_baseline(gate_folder, receval):
    assert receval("baseline", "set", "results/main", "--to", "results/main")[0] == 2
    (gate_folder / "mine").mkdir()
    (gate_folder / "mine/results.csv").write_text("mine")
    code, _, err = receval("baseline", "set", "results/main", "--to", "mine")
    assert (code, "mine is not a result folder: it contains a results.csv" in err) == (2, True)
    (gate_folder / "results/main/results.csv").write_text("torn")
    code, _, err = receval("baseline", "set", "results/main", "--to", "results/other")
    assert (code, "results.csv: this is not the file that the manifest lists" in err) == (3, True)
    assert not (gate_folder / "results/other").exists()
    assert receval("baseline", "set", "nowhere")[0] == 3


def test_a_baseline_is_shown_as_text_and_json(gate_folder, receval):
    code, out, _ = receval("baseline", "show")
    assert code == 0
    assert "test data        120 users, 240 rows" in out
    content = json.loads(receval("baseline", "show", "results/main", "--format", "json")[1])
    assert content["values"][0]["measure"] == "nDCG@2"
    assert content["gates_failed"] is None


def test_folders_without_per_user_values_are_compared_unpaired(gate_folder, receval):
    receval("run", "config.yaml", "-q", "--set", "output.per_user=false", "--set", "gates.rules=[]", "-o", "results/plain/")
    code, out, _ = receval("gate", "results/main", "--baseline", "results/plain", "--rule", "nDCG@2 max_loss 2%")
    assert code == 0
    assert "paired" not in out.splitlines()[0]
    assert "  inconclusive  nDCG@2 loses at most 2 %" in out
    assert "has no per-user values (output.per_user): users are not paired." in out


@pytest.mark.parametrize("baseline", ["results/none", {"main": "results/none"}, {"path": "results/none", "if_missing": "error"}, None])
def test_if_missing_allows_a_run_without_a_baseline_in_every_spelling_of_the_config(baseline, gate_folder, receval):
    rules = ["nDCG@2 >= 0.1", *(["nDCG@2 max_loss 2%"] if baseline else [])]
    change(gate_folder, gates={"rules": rules, **({"baseline": baseline} if baseline else {})})
    assert receval("run", "config.yaml", "-q")[0] == (3 if baseline else 0)
    assert receval("run", "config.yaml", "-q", "--if-missing", "pass") == (0, "", "")
    code, _, err = receval("run", "config.yaml", "--if-missing", "warn", "--strict")
    assert (code, "there is no baseline results/none" in err) == (int(bool(baseline)), False)


def test_a_wrong_baseline_has_the_same_message_with_and_without_the_option(gate_folder, receval):
    change(gate_folder, gates={"baseline": {"a": "b", "c": "d"}, "rules": ["nDCG@2 max_loss 2%"]})
    said = receval("run", "config.yaml", "-q")
    assert said[0] == 2
    assert receval("run", "config.yaml", "-q", "--if-missing", "pass") == said


def test_quiet_still_says_that_no_rule_was_judged(gate_folder, receval):
    change(gate_folder, gates={"baseline": "results/none", "rules": ["nDCG@2 max_loss 2%"]})
    said = "receval: the only gate was not judged\n"
    assert receval("run", "config.yaml", "-q", "--if-missing", "pass") == (0, "", said)
    assert receval("run", "config.yaml", "-q", "--if-missing", "pass", "-o", "out/")[0] == 0
    assert receval("gate", "out", "-q", "--baseline", "results/none", "--if-missing", "pass") == (0, "", said)
