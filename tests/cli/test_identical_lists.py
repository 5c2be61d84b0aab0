"""Gates on lists that are the same as those of the baseline: nothing was sampled, so nothing can be lost."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.cli.gate_place import CONFIG, change, lists

SAME = "the lists are the same for every user"
HOME = lists(lambda user: user % 2)


def outcomes(receval, *arguments):
    """Judge a source; return the exit code, and the outcome and remark of each gate."""
    code, out, _ = receval("gate", *arguments, "--inconclusive", "fail", "--format", "json")
    return code, [(gate["outcome"], gate["remark"]) for gate in json.loads(out)["gates"] if gate["base"]]


@pytest.fixture
def against(gate_folder, write, receval):
    """Return a function that runs other lists, and judges them against lists of the same config."""

    def against(before, after, **sections):
        change(gate_folder, **sections)
        shutil.rmtree("results/main")
        for text, folder in ((before, "main"), (after, "today")):
            write("home.csv", text)
            receval("run", "config.yaml", "-q", "-o", f"results/{folder}/", "--if-missing", "pass")
        return outcomes(receval, "results/today")

    return against


def test_the_same_lists_pass_even_if_an_inconclusive_gate_fails(against):
    assert against(HOME, HOME) == (0, [("pass", SAME)])


def test_lists_are_the_same_in_any_order_of_rows_and_below_the_largest_cutoff(against):
    head, *rows = HOME.splitlines(True)
    deeper = "".join((head, *reversed(rows), *(f"{user},deep,0\n" for user in range(1, 50))))
    assert against(HOME, deeper) == (0, [("pass", SAME)])


def test_one_other_item_of_one_user_is_a_change_although_no_value_differs(against):
    code, [(outcome, remark)] = against(HOME, HOME.replace("1,c,1", "1,d,1", 1))
    assert (code, outcome) == (1, "inconclusive")
    assert "none of 120 users changed" in remark


def test_one_other_order_of_irrelevant_items_is_a_change(against):
    swapped = HOME.replace("2,z,2\n2,c,1\n", "2,c,2\n2,z,1\n", 1)
    assert against(HOME, swapped)[1][0][0] == "inconclusive"


def test_the_same_lists_pass_in_small_groups_and_on_slices_but_gain_nothing(against):
    rules = ["nDCG@2 max_loss 2% by users.plan", "slices: none worse than 5%", "nDCG@2 min_gain 0"]
    sections = {"data": CONFIG["data"] | {"users": "users.csv"}, "gates": {"baseline": "results/main", "rules": rules}}
    assert against(HOME, HOME, **sections) == (1, [("pass", SAME)] * 3 + [("fail", SAME)])


def test_the_same_file_read_alike_has_the_same_lists_without_gates_in_the_config(gate_folder, receval):
    change(gate_folder, gates={})
    for folder in ("main", "today"):
        receval("run", "config.yaml", "-q", "-o", f"results/{folder}/")
    rule = ("results/today", "--baseline", "results/main", "--rule", "nDCG@2 max_loss 2%")
    assert outcomes(receval, *rule) == (0, [("pass", SAME)])
    receval("run", "config.yaml", "-q", "-o", "results/today/", "--set", "data.recommendations.home.where=item != 'z'")
    assert outcomes(receval, *rule)[1][0][1] != SAME


def test_runs_and_folds_have_the_same_lists_if_each_has(against, write):
    write("other.csv", HOME.replace("1,c,1", "1,d,1", 1))
    runs = CONFIG["data"] | {"recommendations": {"home": {"runs": ["home.csv", "other.csv"]}}}
    assert against(HOME, HOME, data=runs) == (0, [("pass", SAME)])
    folds = {"folds": [{"name": name, **CONFIG["data"]} for name in "ab"]}
    assert against(HOME, HOME, data=folds) == (0, [("pass", SAME)])
    assert against(HOME, HOME.replace("1,c,1", "1,d,1", 1), data=folds)[1][0][0] == "inconclusive"
