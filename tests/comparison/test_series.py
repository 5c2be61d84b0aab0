"""Histories and leaderboards: which runs are compared, where a new series begins, and what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
import receval as api
from jsonschema import Draft202012Validator
from receval.render.schemas import json_schema_of
from receval.stats.accepted import against_accepted, pairs_of_runs
from receval.stats.concluding import judge_family
from receval.stats.difference import Settings, Subject
from receval.stats.two_models import compare_paired

N_USERS = 400
METRICS = ("nDCG@5", "Recall@5")


def relevant(n_users: int = N_USERS) -> dict[str, list[str]]:
    return {f"u{user:03}": [f"r{user % 7}", f"s{user % 5}"] for user in range(n_users)}


def lists_of(found: float, seed: int = 0, n_users: int = N_USERS) -> dict[str, list[str]]:
    """Return lists that find this share of the relevant items; those with the same seed find nearly the same ones."""
    lists = {}
    for user, items in relevant(n_users).items():
        luck = random.Random(f"{user} {seed}").random(), random.Random(f"{seed} {user}").random()
        lists[user] = [*(item for item, chance in zip(items, luck, strict=True) if chance < found), "x", "y", "z"]
    return lists


def result(found: float | Mapping[str, float], metrics: Any = METRICS, n_users: int = N_USERS, **arguments: Any) -> Any:
    """Return the evaluation of models that find this share of the relevant items; each is made once."""
    models = found if isinstance(found, Mapping) else {"als": found}
    return _evaluated(tuple(models.items()), tuple(metrics), n_users, **arguments)


@cache
def _evaluated(models: tuple[tuple[str, float], ...], metrics: tuple[str, ...], n_users: int, **arguments: Any) -> Any:
    lists = {name: lists_of(share, n_users=n_users) for name, share in models}
    return api.evaluate(test=relevant(n_users), recommendations=lists, metrics=list(metrics), health=False, **arguments)


def runs_of(*shares: float | Mapping[str, float], **arguments: Any) -> dict[str, Any]:
    return {f"run-{number}": result(share, **arguments) for number, share in enumerate(shares, 1)}


def line(history: Any, measure: str = "nDCG@5", series: int = 1, model: str = "als") -> Any:
    return next(one for one in history.lines if (one.model, one.measure, one.series) == (model, measure, series))


def test_the_first_run_in_which_a_loss_is_shown_and_the_last_good_one():
    found = line(api.history(runs_of(0.8, 0.8, 0.7, 0.7)))
    assert (found.first_loss.run, found.last_good.run, found.losses) == ("run-3", "run-2", ("run-3", "run-4"))
    assert {point.difference.subject.base for point in found.points[1:]} == {"run-1"}


def test_a_run_that_is_shown_to_be_better_is_accepted_and_the_next_are_compared_with_it():
    found = line(api.history(runs_of(0.7, 0.8, 0.75)))
    assert [point.accepted for point in found.points] == [True, True, False]
    assert (found.points[2].difference.subject.base, found.points[2].loss) == ("run-2", True)


def test_a_run_that_people_accept_is_the_one_to_compare_with_although_it_lost():
    runs = runs_of(0.8, 0.7, 0.7)
    found = line(api.history(runs, accept="run-2"))
    assert [point.loss for point in found.points] == [False, True, False]
    assert found.points[2].difference.subject.base == "run-2"
    with pytest.raises(api.ConfigError, match="the accepted run is run-9, but no result has this name"):
        api.history(runs, accept=["run-9"])


def test_fifty_releases_that_each_lose_too_little_to_be_shown_are_caught():
    generator, n_users = np.random.default_rng(1), 2000
    users = generator.normal(0.5, 0.1, n_users)
    values = {f"{run:02}": users - 0.0004 * run + generator.normal(0, 0.05, n_users) for run in range(50)}

    def difference(base: str, run: str) -> Any:
        return compare_paired(Subject("m", base, run), values[base], values[run], Settings())

    family = pairs_of_runs(len(values))
    steps = against_accepted([*values], difference, Settings(), family)
    verdicts = {
        step.run: one.verdict for step, one in zip(steps, judge_family([s.difference for s in steps], Settings(), family), strict=True)
    }
    neighbours = [difference(before, run) for before, run in zip([*values], [*values][1:], strict=False)]
    assert verdicts["49"] == "worse"
    assert not any(one.verdict == "worse" for one in judge_family(neighbours, Settings()))


def test_differences_are_corrected_for_all_pairs_of_runs_of_all_lines():
    history = api.history(runs_of(0.8, 0.8, 0.78, 0.7))
    assert history.family == 2 * 6
    assert {point.difference.family for one in history.lines for point in one.points[1:]} == {12}
    assert api.history(history.results, measures="nDCG@5").family == 6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n_users": 390}, "the test data of run-2 have 390 users and those of run-1 400"),
        ({"convention": "elliot"}, "the convention is elliot in run-2 and receval in run-1"),
    ],
)
def test_a_new_series_begins_where_values_cannot_be_compared_and_it_says_what_changed(arguments: dict[str, Any], sentence: str):
    results = {"run-1": result(0.8), "run-2": result(0.5, **arguments), "run-3": result(0.4, **arguments)}
    history = api.history(results)
    assert [(one.series, one.points[0].run) for one in history.lines] == [(1, "run-1"), (2, "run-2")] * 2
    assert line(history, series=2).first_loss.run == "run-3"
    assert [*history.changes()] == [f"With run-2 a new series begins: {sentence}."]
    assert f"With run-2 a new series begins: {sentence}." in " ".join(repr(history).split())


def test_one_run_on_other_test_data_hides_no_loss_of_the_runs_around_it():
    runs = runs_of(0.8, 0.8, 0.8, 0.7, 0.7)
    history = api.history({**runs, "run-3": result(0.8, n_users=390)})
    found = line(history)
    assert [point.run for point in found.points] == ["run-1", "run-2", "run-4", "run-5"]
    assert (found.first_loss.run, found.last_good.run) == ("run-4", "run-2")
    assert [*history.changes()] == [
        "With run-3 a new series begins: the test data of run-3 have 390 users and those of run-2 400.",
    ]
    assert {one.series for one in history.latest_lines()} == {1}
    assert "No loss is shown" not in repr(history)


def test_the_only_run_of_the_latest_series_has_nothing_to_compare_with_yet():
    runs = {**runs_of(0.8, 0.8), "run-3": result(0.5, n_users=390)}
    said = [*api.history(runs).conclusions()]
    assert said == ["Nothing to compare yet: run-3 is the only run of its series; no loss is shown before."]
    two = {"run-1": result(0.8), "run-2": result(0.8, n_users=390)}
    assert [*api.history(two).conclusions()] == ["Nothing to compare yet: run-2 is the only run of its series."]
    lost = {**runs_of(0.8, 0.6), "run-3": result(0.5, n_users=390)}
    assert [*api.history(lost, measures="nDCG@5").conclusions()][1:] == ["Nothing to compare yet: run-3 is the only run of its series."]


def test_without_a_shown_loss_the_loss_that_these_users_could_show_is_said():
    (said,) = api.history(runs_of(0.8, 0.79)).conclusions()
    start, end = (
        "No loss is shown. 400 users can detect 0.0",
        "with 80 % power. Fewer measures or models leave more power (--measure, --models).",
    )
    assert said.startswith(start)
    assert said.endswith(end)
    (alone,) = api.history(runs_of(0.8, 0.79), measures="nDCG@5").conclusions()
    assert "Fewer" not in alone


def test_one_loss_is_singular_and_an_accepted_one_is_said_to_be_accepted():
    (said,) = api.history(runs_of(0.8, 0.7, 0.7), measures="nDCG@5", accept="run-2").conclusions()
    assert said.endswith("A loss is shown in 1 run, not in the latest run, run-3. run-2 was accepted although it lost.")
    (latest,) = api.history(runs_of(0.8, 0.7), measures="nDCG@5", accept="run-2").conclusions()
    assert latest.endswith("Last good run: run-1. run-2 was accepted although it lost.")


def test_a_run_with_other_measures_is_named_in_a_note():
    runs = {**runs_of(0.8, 0.8, 0.8), "run-2": result(0.8, metrics=["nDCG@3", "Recall@5"])}
    assert "als: run-2 has no nDCG@5: not compared in this measure." in api.history(runs).notes
    assert api.history(runs, measures="Recall@5").notes == ()


def test_a_new_series_begins_where_the_candidates_change():
    def ranked(n: int) -> dict[str, list[str]]:
        return {user: [*items, *(f"x{(place * 7 + int(user[1:])) % 900}" for place in range(n - 2))] for user, items in relevant().items()}

    lists = {"a": ranked(100), "b": ranked(50)}
    history = api.history(
        {name: api.evaluate(test=relevant(), recommendations={"als": some}, metrics=["nDCG@5"]) for name, some in lists.items()}
    )
    assert [*history.changes()] == ["With b a new series begins: b ranks 50 sampled candidates and a 100 sampled candidates."]


def test_a_measure_with_another_definition_begins_a_series_of_its_own_and_the_others_go_on():
    relevance = {"threshold": 1, "graded": True}
    rated = {user: dict.fromkeys(items, 2.0) for user, items in relevant().items()}
    given = {"test": rated, "recommendations": {"als": lists_of(0.8)}, "metrics": METRICS, "health": False}
    history = api.history({"a": api.evaluate(**given), "b": api.evaluate(**given, relevance=relevance)})
    assert all(one.series == 1 for one in history.lines if one.points[0].run == "a")
    assert any(one.series == 2 for one in history.lines)
    assert "threshold is 1 in b and not set in a" in " ".join(history.changes())


def test_runs_without_values_of_users_are_compared_and_labelled_as_unpaired(tmp_path: Any):
    runs = runs_of(0.8, 0.5)
    runs["run-2"] = api.evaluate(
        test=relevant(), recommendations={"als": lists_of(0.5)}, metrics=list(METRICS), health=False, keep_users=False
    )
    history = api.history(runs)
    point = line(history).points[1]
    assert (point.paired, point.loss, point.difference.test) == (False, True, "welch")
    assert "unpaired: run-2, without per-user values on both sides" in " ".join(repr(history).split())
    history.report(tmp_path / "history.md")
    assert "| worse, unpaired |" in (tmp_path / "history.md").read_text()


def test_runs_are_ordered_by_the_numbers_in_their_names_or_by_their_dates():
    results = {"r10": result(0.8), "r9": result(0.8), "r2": result(0.8)}
    assert [run.run for run in api.history(results).runs] == ["r2", "r9", "r10"]
    dated = {name: with_date(one, f"2026-01-0{day}") for (name, one), day in zip(results.items(), (1, 3, 2), strict=True)}
    assert [run.run for run in api.history(dated).runs] == ["r10", "r2", "r9"]
    assert [run.run for run in api.history(dated, order="name").runs] == ["r2", "r9", "r10"]


def test_without_a_date_in_all_runs_their_names_decide_and_a_note_says_so():
    results = {"r10": with_date(result(0.8), "2026-01-01"), "r9": result(0.8)}
    history = api.history(results)
    assert ([run.run for run in history.runs], history.order) == (["r9", "r10"], "name")
    assert history.notes == ("1 of 2 runs has a report.date: without one in all, names set the order.",)
    assert api.history(results, order="name").notes == ()
    with pytest.raises(api.DataError, match=r"r9 has no report\.date, by which runs are ordered"):
        api.history(results, order="date")


def with_date(one: Any, date: str) -> Any:
    from msgspec.structs import replace

    return replace(one, config={**one.config, "report": {"date": date}})


@pytest.mark.parametrize(
    ("names", "dates", "sentence"),
    [
        (("a", "b"), ("2026-01-01", "2026-01-01"), "a and b have the same report.date, 2026-01-01; order='name' orders by names"),
        (("r" + "1" * 5000, "r0" + "1" * 5000), (None, None), "have names with the same place in their order"),
        (("r1", "r01"), (None, None), "r01 and r1 have names with the same place in their order"),
    ],
)
def test_runs_that_have_no_certain_order_are_refused_in_one_sentence(names: Any, dates: Any, sentence: str):
    one = result(0.8)
    given = {name: one if date is None else with_date(one, date) for name, date in zip(names, dates, strict=True)}
    with pytest.raises(api.DataError) as error:
        api.history(given)
    assert sentence in " ".join(str(error.value).replace("\n", "; ").split()).replace("; Hint: ", "; ")


def test_models_come_and_go_and_the_only_model_of_each_run_may_have_any_name():
    history = api.history(runs_of({"a": 0.8}, {"a": 0.8, "b": 0.7}, {"b": 0.7}))
    assert {(one.model, len(one.points)) for one in history.lines} == {("a", 2), ("b", 2)}
    renamed = api.history(runs_of({"v1": 0.8}, {"v2": 0.7}))
    assert line(renamed, model="the model").first_loss.run == "run-2"


def test_a_measure_without_a_better_direction_has_values_and_no_verdict():
    history = api.history(runs_of(0.8, 0.7, metrics=["nDCG@5", "NumRetrieved@5"]))
    of_coverage = line(history, "NumRetrieved@5")
    assert of_coverage.first_loss is None
    assert history.family == 1


def test_one_run_is_no_history():
    with pytest.raises(api.ConfigError, match="a history needs two runs or more"):
        api.history(runs_of(0.8))


def test_a_leaderboard_ranks_all_models_with_letters_of_those_that_are_not_clearly_different():
    board = api.leaderboard({"b": result({"x": 0.8, "y": 0.6}), "a": result({"x": 0.8, "z": 0.4})})
    assert list(board.rows) == ["a/x", "b/x", "b/y", "a/z"]
    assert board.comparison.letters["nDCG@5"] == {"a/x": "a", "b/x": "a", "b/y": "b", "a/z": "c"}
    assert board.to_polars().height == 8
    assert [one["rank"] for one in board.to_dict()["models"]] == [1, 2, 3, 4]


def test_a_leaderboard_refuses_other_test_data_and_definitions_by_name():
    with pytest.raises(api.DataError, match="b cannot be compared with a: the test data of b have 390 users and those of a 400"):
        api.leaderboard({"a": result(0.8), "b": result(0.8, n_users=390)})


def test_a_leaderboard_names_the_result_whose_measures_differ():
    results = {"run-1": result(0.8), "run-10": result(0.8), "run-12b": result(0.8, metrics=["nDCG@3"])}
    with pytest.raises(api.DataError, match="run-12b has no measure in common with all others: it has nDCG@3, the others nDCG@5, Recall@5"):
        api.leaderboard(results)
    results["run-10"] = result(0.8, metrics=["Recall@4"])
    with pytest.raises(
        api.DataError, match="no measure is in all of run-1, run-10, run-12b: run-1 has nDCG@5, Recall@5; run-10 has Recall@4"
    ):
        api.leaderboard(results)


def test_a_leaderboard_without_values_of_users_says_so_once_and_pairs_nobody():
    board = api.leaderboard({name: result(0.8, keep_users=False) for name in ("a", "b", "c")})
    assert board.comparison.notes == ("a, b and c have no per-user values (output.per_user): users are not paired.",)
    assert "paired by id" not in repr(board)


def test_pages_are_the_same_for_any_order_of_the_results(tmp_path: Any):
    runs = runs_of(0.8, 0.7, 0.75)
    for verb in (api.history, api.leaderboard):
        for ending in ("html", "md", "json"):
            files = [tmp_path / f"{number}.{ending}" for number in range(2)]
            verb(runs).report(files[0])
            verb(dict(reversed(runs.items()))).report(files[1])
            assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("name", ["history", "leaderboard"])
def test_the_json_has_the_keys_of_its_schema_and_no_others(name: str):
    schema = json.loads(json_schema_of(name))
    for part in schema["$defs"].values():
        part |= {"additionalProperties": False} if "properties" in part else {}
    made = getattr(api, name)(runs_of(0.8, 0.7))
    problems = [*Draft202012Validator(schema).iter_errors(json.loads(json.dumps(made.to_dict())))]
    assert problems == []


def test_python_takes_a_folder_of_folders_folders_and_results_by_name(tmp_path: Any):
    for name, one in runs_of(0.8, 0.7).items():
        one.save(tmp_path / name)
    whole = api.history(tmp_path)
    assert whole.to_dict() == api.history([tmp_path / "run-2", f"{tmp_path}/run-1"]).to_dict()
    assert whole.to_dict() == api.history({"run-1": tmp_path / "run-1", "run-2": api.load_results(tmp_path / "run-2")}).to_dict()
    assert whole.to_polars().height == 4
    assert "run-2 is worse than run-1" in " ".join(whole.sentences)
    assert "<table" in whole._repr_html_()


@pytest.mark.parametrize("results", [5, None, result])
@pytest.mark.parametrize("verb", [api.history, api.leaderboard])
def test_what_is_no_result_is_refused_in_python(verb: Any, results: Any):
    with pytest.raises(api.ConfigError, match="results must be folders, or evaluations and folders by name"):
        verb(results)


@pytest.mark.parametrize("verb", [api.history, api.leaderboard])
def test_evaluations_in_a_list_have_no_names(verb: Any):
    with pytest.raises(api.ConfigError, match="because an evaluation in a list has no name"):
        verb([result(0.8), result(0.7)])


def test_two_folders_of_one_name_are_refused_in_python(tmp_path: Any):
    for place in ("a/main", "b/main"):
        result(0.8).save(tmp_path / place)
    with pytest.raises(api.ConfigError, match="two results are both named main"):
        api.leaderboard([tmp_path / "a/main", tmp_path / "b/main"])
