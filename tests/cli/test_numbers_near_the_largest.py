"""Ratings, scores and predictions near the largest float give the right number or one sentence, and no warning of a library."""

from __future__ import annotations

import itertools
import json

import pytest
import yaml

from tests.sizes import FULL, each_once, half

ITEMS = range(10, 16)
USERS = range(1, 13)


def world(write, big):
    """Write files in which every user has values of both signs near `big`."""
    values = [big, -big, 1.7 * big, 5.0, big / 10]

    def rows(name, header, number):
        lines = [f"{user},{item},{values[number(user, place) % 5]!r}" for user in USERS for place, item in enumerate(ITEMS)]
        write(name, "\n".join([header, *lines]) + "\n")

    rows("test.csv", "user,item,rating", lambda user, place: user + place)
    rows("train.csv", "user,item,rating", lambda user, place: user + 2 * place)
    for model, factor in (("m", 2), ("n", 3)):
        rows(f"{model}.csv", "user,item,score", lambda user, place, factor=factor: factor * user + place * place)
        rows(f"{model}_predictions.csv", "user,item,prediction", lambda user, place, factor=factor: user + factor * place)
    write("users.csv", "user,group\n" + "".join(f"{user},{'ab'[user % 2]}\n" for user in USERS))


def config(write, metrics, **evaluation):
    data = {"test": "test.csv", "train": "train.csv", "users": "users.csv", "recommendations": {"m": "m.csv", "n": "n.csv"}}
    if metrics[0] in ("RMSE", "MAE", "R2"):
        data["predictions"] = {"m": "m_predictions.csv", "n": "n_predictions.csv"}
    return write("c.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": metrics, "top_k": [3], **evaluation}}))


MEASURES = {
    "nDCG": {},
    "DCG(gain=linear)": {"relevance": {"graded": True}},
    "nDCG(gain=linear)": {"relevance": {"graded": True}},
    "RMSE": {},
    "MAE": {},
    "R2": {},
    "Correlation": {},
    "UserMADRating(by=group)": {},
    "ItemCoverage": {"convention": "clayrs"},
    "Recall": {"convention": "clayrs"},
}


@pytest.mark.parametrize(("measure", "big"), half(each_once(MEASURES, [1e308, 1e200])))
def test_large_numbers_give_a_number_or_an_error_and_no_warning(measure, big, receval, write, tmp_path):
    # A warning of a library is an error in this suite, and would end in exit code 70.
    world(write, big)
    folder = f"{tmp_path}/res/"
    path = config(write, [measure], **MEASURES[measure])
    aggregates = "evaluation.aggregates=[mean,std,median,ci95,bootstrap95]"
    at_three = measure if measure in ("RMSE", "MAE", "R2") else f"{measure}@3"
    commands = [
        ("run", path, "-o", folder, "--per-user"),
        ("run", path, "--set", "evaluation.yardsticks=true"),
        ("run", path, "--set", aggregates),
        ("check", path),
        ("audit", path),
        ("explain", at_three, path, "--user", "1", "--model", "m"),
    ]
    codes = []
    turn = [*MEASURES].index(measure)
    for command in commands if FULL else [commands[0], *commands[1 + turn % 2 :: 2]]:
        code, _, err = receval(*command)
        codes.append(code)
        assert code in (0, 1, 2, 3), (command, err)
        assert "Warning" not in err
        assert ".py" not in err
    if codes[0] == 0:
        tests = ("t", "wilcoxon", "permutation")
        for test in tests if FULL else [tests[turn % 3]]:
            code, _, err = receval("compare", folder, "--test", test)
            assert code == 0, err


def test_a_deviation_whose_square_overflows_is_right(receval, write):
    # Errors of 1e200, 3e200: the mean is 2e200, the deviation of the sample √2·1e200.
    write("test.csv", "user,item,rating\n1,10,0\n2,10,0\n")
    write("m.csv", "user,item,score\n1,10,1\n2,10,1\n")
    write("p.csv", "user,item,prediction\n1,10,1e200\n2,10,3e200\n")
    data = {"test": "test.csv", "recommendations": {"m": "m.csv"}, "predictions": {"m": "p.csv"}}
    evaluation = {"metrics": ["MAE"], "aggregates": ["mean", "std"], "relevance": {"threshold": -1}}
    path = write("c.yaml", yaml.safe_dump({"data": data, "evaluation": evaluation}))
    code, out, err = receval("run", path, "--format", "json")
    assert code == 0, err
    found = {row["aggregate"]: row["value"] for row in json.loads(out)["results"]}
    assert found == pytest.approx({"mean": 2e200, "std": 2**0.5 * 1e200}, rel=1e-12)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_mean_of_large_ratings_can_be_the_relevance_threshold(order, receval, write):
    # Ratings 1.7e308, 1.7e308, -1e308 have the mean .8e308: the first two items are relevant; of 3 and 4 the mean is 3.5.
    rows = ["1,10,1.7e308", "1,11,1.7e308", "1,12,-1e308"]
    write("test.csv", "user,item,rating\n" + "\n".join(rows[place] for place in order) + "\n2,10,3\n2,11,4\n")
    write("m.csv", "user,item,score\n1,10,3\n1,12,2\n2,10,2\n2,11,1\n")
    data = {"test": "test.csv", "recommendations": {"m": "m.csv"}}
    path = write("c.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": ["Recall(relevance_rule=user_mean)"], "top_k": [2]}}))
    code, out, err = receval("run", path, "--format", "json")
    assert code == 0, err
    assert [row["value"] for row in json.loads(out)["results"] if row["aggregate"] == "mean"] == [(1 / 2 + 1) / 2]
