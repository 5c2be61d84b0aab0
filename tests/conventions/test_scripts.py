"""The conventions of scripts beside the arithmetic of their code, on random worlds; and how an audit names them."""

from __future__ import annotations

import random

import polars as pl
import pytest
import receval as package
from receval.conventions import AXES, builtin_names, load, packaged_names, script_names, with_scripts
from receval.metrics import resolve
from receval.studies.auditing import audit

from tests import scripts
from tests.conftest import CONFIGS, per_user
from tests.sizes import draws

KS = (1, 5, 10, 20)
QUICKSTART = CONFIGS / "quickstart.yaml"


def world(seed: int, repeats: bool):
    """Return train and test items of users, scores of all items for each without ties, and whether test rows are repeated."""
    chance = random.Random(seed)
    items = list(range(chance.randint(24, 60)))
    train, test, scores = {}, {}, {}
    for user in range(chance.randint(3, 12)):
        mixed = chance.sample(items, len(items))
        seen, relevant = chance.randint(0, 4), chance.randint(1, 15)
        train[user], test[user] = mixed[:seen], mixed[seen : seen + relevant]
        test[user] += chance.choices(test[user], k=chance.randint(0, 2)) if repeats else []
        scores[user] = dict(zip(items, chance.sample(range(1000), len(items)), strict=True))
    return train, test, scores


def frames(train, test, lists):
    """Return the frames of a world; `lists` has pairs of item and score."""
    rows = {"test": [(user, item) for user, some in test.items() for item in some]}
    rows["train"] = [(user, item) for user, some in train.items() for item in some] or [(0, 999)]
    made = {name: pl.DataFrame(some, schema=["user", "item"], orient="row") for name, some in rows.items()}
    of_lists = [(user, item, float(score)) for user, some in lists.items() for item, score in some]
    return made, pl.DataFrame(of_lists, schema=["user", "item", "score"], orient="row")


def differences(evaluate, name, expected, made, lists):
    """Return the values of users in which receval differs from a script, and the number of those compared."""
    labels = list(next(iter(expected.values())))
    result = evaluate(made["test"], lists, train=made["train"], convention=name, metrics=labels, top_k=[10])
    found = per_user(result)
    pairs = [(found[user][label], value) for user, of_user in expected.items() for label, value in of_user.items()]
    return [pair for pair in pairs if pair[0] != pytest.approx(pair[1], abs=1e-12)], len(pairs)


@pytest.mark.parametrize("name", scripts.OF_RANKED)
def test_a_script_that_ranks_all_items_has_the_values_of_its_code_in_random_worlds(name, evaluate):
    compared = 0
    n_worlds = draws(8, 30)
    for seed in range(n_worlds):
        train, test, scores = world(seed, repeats=name != "mult-vae")
        ranked = {
            user: [item for item in sorted(of_user, key=lambda item, of_user=of_user: -of_user[item]) if item not in train[user]]
            for user, of_user in scores.items()
        }
        expected = {user: scripts.OF_RANKED[name](some, test[user], KS) for user, some in ranked.items()}
        kept = {user: {*(ranked[user][: max(KS)] if name == "ngcf" else ranked[user]), *train[user]} for user in ranked}
        made, lists = frames(train, test, {user: [(item, scores[user][item]) for item in some] for user, some in kept.items()})
        wrong, n = differences(evaluate, name, expected, made, lists)
        assert wrong == [], seed
        compared += n
    assert compared > 25 * n_worlds


@pytest.mark.parametrize("name", ["ncf", "sasrec"])
def test_a_script_of_sampled_candidates_has_the_values_of_its_code_in_random_worlds(name, evaluate):
    for seed in range(draws(8, 30)):
        chance = random.Random(seed)
        test, lists, expected = {}, {}, {}
        for user in range(chance.randint(5, 15)):
            score = {item: chance.randint(1, 30) for item in range(200)}
            test[user] = [chance.randrange(200)]
            others = [item for item in score if item not in test[user]]
            sampled = chance.sample(others, 99) if name == "ncf" else chance.choices(others, k=100)
            candidates = [*sampled, *test[user]]
            lists[user] = [(item, score[item]) for item in chance.sample(candidates, len(candidates))]
            if name == "ncf":
                expected[user] = scripts.ncf({item: score[item] for item in candidates}, test[user][0], KS)
            else:
                expected[user] = scripts.sasrec([score[item] for item in sampled], score[test[user][0]], KS)
        made, frame = frames({}, test, lists)
        assert differences(evaluate, name, expected, made, frame)[0] == [], seed


def test_the_f1_of_higsp_is_that_of_the_means(evaluate):
    train, test, scores = world(4, repeats=True)
    made, lists = frames(train, test, {user: list(some.items()) for user, some in scores.items()})
    result = evaluate(made["test"], lists, train=made["train"], convention="higsp", metrics=["Precision", "Recall", "F1"], top_k=[5])
    precision, recall, f1 = (row.value for row in result.rows)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))


@pytest.mark.parametrize("measure", ["MRR@10", "nDCG@10", "ndcg@5"])
def test_ranks_by_hash_are_refused_in_one_sentence(measure):
    convention = load("higsp")
    with pytest.raises(ValueError, match="is not reproducible: the script ranks the first k items by the hashes of their ids"):
        resolve(convention.parse(measure), convention)


def test_every_script_has_an_oracle_and_is_no_library():
    assert {*scripts.OF_RANKED, "ncf", "sasrec"} == set(script_names())
    assert not set(script_names()) & set(builtin_names())
    assert with_scripts(["elliot", "scripts"]) == ("elliot", *script_names())
    assert set(packaged_names()) == {*builtin_names(), *script_names()}
    for name in script_names():
        assert load(name).source.startswith("https://github.com/")
        assert set(load(name).axes) == set(AXES)


def test_scripts_are_left_out_of_an_audit_unless_they_are_asked_for(receval):
    loaded = package.load_config(QUICKSTART, ["evaluation.metrics=[Recall@10]"])
    assert not set(audit(loaded).conventions) & set(script_names())
    assert audit(loaded, ["scripts"]).conventions == ("receval", *script_names())
    code, out, _ = receval("audit", QUICKSTART, "-m", "Recall@10,nDCG@10", "--convention", "scripts")
    assert code == 0
    assert "gde" in out
    assert "higsp (nDCG of HiGSP (script) is not reproducible" in " ".join(out.split())


def test_a_script_that_prints_a_number_is_named_as_one(receval):
    loaded = package.load_config(QUICKSTART, ["evaluation.metrics=[Recall(convention=gde)@10]"])
    value = next(row.value for row in package.run(loaded).rows if row.model == "knn")
    said = "gde is the evaluation code of a paper, which others copy: receval metrics --convention gde shows what it computes"
    for more in ((), ("--search", "policies")):
        out = " ".join(receval("audit", QUICKSTART, "-m", "Recall@10", "--find", f"{value:.8f}", *more)[1].split())
        assert f"{value:.8f}" in out
        assert said in out
    code, out, _ = receval("metrics", "--convention", "gde")
    assert code == 0
    assert "takes eleven ranks" in out


def test_eleven_ranks_count_at_ten_only_and_are_no_impossible_value(evaluate):
    test = pl.DataFrame({"user": [1] * 12, "item": list(range(12))})
    lists = pl.DataFrame({"user": [1] * 12, "item": list(range(12)), "score": [float(-item) for item in range(12)]})
    result = evaluate(test, lists, convention="gde", metrics=["Recall"], top_k=[9, 10, 11], health={"X13": "error"})
    assert [row.value for row in result.rows] == pytest.approx([1, 1.1, 1])
    assert "X13" not in {finding.check for finding in result.findings}
