"""`receval audit --find --search`: every combination of convention and settings that prints a number, and how many were tried."""

from __future__ import annotations

import csv
import io
import json
import random
from itertools import product

import pytest
from receval import load_config, run
from receval.conventions import AXES
from receval.evaluation.files import SourceReader
from receval.results.audit import prints
from receval.results.found_settings import boxes
from receval.studies import searching
from receval.studies.searching import search

from tests.sizes import draws, some

NAMES = ("elliot", "recbole", "ranx")
POLICIES = ("duplicates", "seen_items", "unknown_items")
ORDER = ("list_order", "tie_order")


def write_world(folder, seed=3, scores=True):
    """Write a config without any policy, whose lists repeat items, and have ties, seen and unknown items."""
    chance = random.Random(seed)
    items = [f"i{number}" for number in range(12)]
    rows = {"test": ["user,item"], "train": ["user,item"], "m": ["user,item,score,rank" if scores else "user,item"]}
    for user in range(1, 16):
        for name, share in (("test", 0.3), ("train", 0.3)):
            rows[name] += [f"{user},{item}" for item in items[:10] if chance.random() < share]
        for rank in range(1, 9):
            item = chance.choice([*items, "made-up"])
            rows["m"].append(f"{user},{item},{chance.randint(1, 4)},{rank}" if scores else f"{user},{item}")
    for name, lines in rows.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (folder / "config.yaml").write_text(
        "data: {test: test.csv, train: train.csv, recommendations: {m: m.csv}}\nevaluation: {metrics: [nDCG@3]}\nhealth: off\n"
    )
    return folder / "config.yaml"


def combinations(names, axes):
    """Return every combination of a convention and the values of the axes."""
    return list(product(("receval", *names), *([value for value in AXES[axis].values if value not in ("worst", "best")] for axis in axes)))


def every_value(path, names, axes):
    """Return the value of nDCG@3 under each combination of settings, as a run prints it."""
    return values_of(path, combinations(names, axes), axes)


def values_of(path, tried, axes):
    written = {}
    for name, *combination in tried:
        settings = ",".join(f"{axis}={value}" for axis, value in zip(axes, combination, strict=True))
        written[name, *combination] = f"nDCG({settings},convention={name})@3"
    loaded = load_config(path)
    evaluation = loaded.config.evaluation
    labels = {key: evaluation.define(text).label for key, text in written.items()}
    values = {row.measure: row.value for row in run(load_config(path, [f"evaluation.metrics={json.dumps(list(written.values()))}"])).rows}
    return {key: values[label] for key, label in labels.items()}


def test_the_combinations_that_print_a_number_are_those_whose_runs_print_it(tmp_path):
    path = write_world(tmp_path)
    values = every_value(path, NAMES, POLICIES)
    for number in dict.fromkeys(f"{value:.6f}" for value in random.Random(1).sample(list(values.values()), draws(3, 6))):
        found = search(load_config(path), number, ("policies",), NAMES)
        settings = [list(product(*match.settings.values())) for match in found.matches]
        printing = {key for key, value in values.items() if prints(value, number)}
        # without data.items the two ways to drop and refill unknown items are one
        expected = {key for key in printing if key[3] != "drop_and_refill_untrained"}
        assert sorted(key for some in settings for key in some) == sorted(expected)
        assert found.n_printing == len(expected)
        assert found.n_combinations == len([key for key in values if key[3] != "drop_and_refill_untrained"])


@pytest.mark.parametrize("seed", some(range(3), 1))
def test_a_measure_as_it_is_written_beside_a_match_has_the_value(tmp_path, seed):
    path = write_world(tmp_path, seed)
    axes = (*POLICIES, *ORDER)
    combination = random.Random(seed).choice([key for key in combinations(("elliot",), axes) if "untrained" not in key[3]])
    number = f"{values_of(path, [combination], axes)[combination]:.8f}"
    found = search(load_config(path), number, ("policies", "order"), ("elliot",))
    assert found.exact
    assert any(combination in set(product(*match.settings.values())) for match in found.matches)
    for match in some(found.matches, 8):
        (row,) = run(load_config(path, [f"evaluation.metrics={json.dumps([match.written])}"])).rows
        assert prints(row.value, number), match.written
    assert found.matches[0].written.count("=") == min(match.written.count("=") for match in found.matches)


def test_sets_of_settings_hold_every_combination_once():
    chance = random.Random(5)
    everything = list(product("abc", "pq", "xyzw"))
    for size in (1, 3, 11, 24):
        some = chance.sample(everything, size)
        held = [settings for box in boxes(some) for settings in product(*box)]
        assert sorted(held) == sorted(some)
    assert len(boxes(everything)) == 1
    assert boxes([]) == []


def test_the_answer_says_how_many_were_tried_and_that_a_match_is_no_proof(tmp_path, receval):
    path = write_world(tmp_path, scores=False)
    value = every_value(path, ("elliot",), POLICIES)["elliot", "keep_all", "drop_and_refill", "drop_and_refill"]
    arguments = ("audit", path, "--convention", "elliot", "--find", f"{value:.8f}", "--search", "policies,order")
    code, out, _ = receval(*arguments)
    flat = " ".join(out.split())
    assert code == 0
    assert "108 combinations of convention, duplicates, seen_items and unknown_items were tried" in flat
    assert "A match is not a proof" in flat
    assert "By chance fewer than 0.01 values would match." in flat
    assert "tie_order was not searched: the lists have no scores and no ranks." in flat
    assert "-m 'nDCG(unknown_items=drop_and_refill,convention=elliot)@3'" in flat
    (row,) = list(csv.DictReader(io.StringIO(receval(*arguments, "--format", "csv")[1])))
    assert ("elliot" in row["convention"].split(), row["seen_items"], row["exact"]) == (True, "drop_and_refill", "true")
    body = json.loads(receval(*arguments, "--format", "json")[1])
    assert (body["n_combinations"], body["tolerance"]) == (108, 5e-9)
    nothing = receval(*arguments[:5], "0.99999", *arguments[6:])[1]
    assert nothing.startswith("No combination prints 0.99999 (± 0.000005); the closest values are:")
    assert "A match is not a proof" not in nothing


def test_a_search_reads_each_file_once_and_measures_equal_settings_once(tmp_path, monkeypatch):
    path, scans = write_world(tmp_path), []
    read_once = SourceReader._read_once
    monkeypatch.setattr(SourceReader, "_read_once", lambda self, read, source: scans.append(source.role) or read_once(self, read, source))
    found = search(load_config(path), "0.5", ("order",))
    assert len(scans) == len(set(scans)) == 3
    assert found.n_different < found.n_combinations


def test_a_setting_that_the_measure_names_stays_as_it_is(tmp_path):
    path = write_world(tmp_path)
    found = search(load_config(path, ["evaluation.metrics=[nDCG(seen_items=drop)@3]"]), "0.9999", ("policies",), ("elliot",))
    assert {match.settings["seen_items"] for match in found.matches} == {("drop",)}
    found = search(load_config(path, ["evaluation.metrics=[DuplicateShare@3]"]), "0.9999", ("policies",), ("receval",))
    assert {match.settings["duplicates"] for match in found.matches} == {("keep_all",)}


def test_a_search_that_is_too_large_says_how_to_make_it_smaller(tmp_path, receval, monkeypatch):
    path = write_world(tmp_path)
    monkeypatch.setattr(searching, "_MOST_VALUES", 100)
    code, _, err = receval("audit", path, "--find", "0.5", "--search", "policies")
    assert code == 2
    assert "at most 100 are tried" in err
    assert "with --models and -m" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--search", "policies"), "--search looks for a number: give it with --find 0.1894"),
        (("--find", "0.1", "--search", "polices"), "--search takes policies and order, not 'polices' — did you mean 'policies'?"),
        (("--find", "0.1", "--search", ","), "--search names no part: it takes policies, order"),
        (("--find", "0.1", "--search", "order", "--by", "cold"), "--search looks at values over all users: leave out --by"),
        (("--find", "x", "--search", "order"), "--find takes a printed number such as 0.1894, not 'x'"),
    ],
)
def test_impossible_searches_are_refused(tmp_path, receval, arguments, message):
    code, out, err = receval("audit", write_world(tmp_path), *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


def test_the_digits_of_a_number_decide_how_near_a_value_must_be():
    assert [prints(value, "0.1514") for value in (0.15134, 0.15135, 0.15142, 0.15145, 0.15146)] == [False, True, True, True, False]
    assert prints(0.4, "0")
    assert not prints(float("inf"), "1")
    assert not prints(float("nan"), "1")
