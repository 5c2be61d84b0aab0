"""The health checks on literal frames: tallies of parts merge to one finding, for any parts."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from functools import reduce
from operator import add

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from receval.checks import CHECKS, Check, setting
from receval.checks import table as declarations
from receval.health import (
    CHECKERS,
    CheckTask,
    Context,
    HealthCheck,
    SourceNames,
    Tally,
    check,
    checker,
    examine,
    failing_rows,
    findings,
    in_order,
    refuse,
)
from receval.health.checker import WANTS
from receval.scoring.finishing import finish
from receval.scoring.measuring import measure_users
from receval.scoring.partial import merge_partials
from receval.scoring.per_user import Scorer
from receval.support.errors import ConfigError, DataError
from receval.tables.graph import INPUTS, TABLES
from receval.tables.prepared import TimeFacts
from receval.tables.rows import PartData

from tests.conftest import table
from tests.scoring.small import frame, prepared, task
from tests.sizes import draws

AVAILABLE = frozenset({"lists", "train", "catalogue", "scores", "cutoffs"})
SETTINGS = {name: setting(declared) for name, declared in CHECKS.items()}


def names(role: str, stored: str) -> SourceNames:
    return SourceNames(role, {"user": "user", "item": "item"}, {"user": stored, "item": stored})


def examined(
    frames: Mapping[str, pl.DataFrame], cuts: Mapping[object, int] | None = None, stored: Mapping[str, str] | None = None, **options
):
    """Return the findings and the stored rows of lists whose users are in parts, as `cuts` divides them."""
    options["available"] = options.get("available", AVAILABLE) | {"test", "relevance"}  # every run but one of lists alone has these
    checks = CheckTask(**{"settings": SETTINGS, "cutoffs": (2,), "keeps_rows": True} | options)
    train = frames.get("train")
    known = prepared(train, ids=frames["lists"]["item"].dtype)
    if "times" in checks.available:
        known = replace(known, times=TimeFacts.from_rows(frames["test"], train))
    chosen = task(known, ["Recall", "nDCG"], [2])
    numbers = cuts or {}
    partials, tallies = [], []
    for part in sorted({0, *numbers.values()}):
        mine = {
            role: rows.filter(pl.col("user").map_elements(lambda user: numbers.get(user, 0), return_dtype=pl.Int64) == part)
            for role, rows in frames.items()
        }
        scorer = Scorer.for_part(known, PartData(mine))
        measured = measure_users(chosen, scorer)
        partials.append(measured.partial)
        tallies.append(pickle.loads(pickle.dumps(examine(checks, scorer, chosen.definitions, measured.values))))
    done = finish(chosen, merge_partials(partials), "m", n_train_users=None, schemas={}, predicted=frozenset())
    sources = {role: names(f"data.{role}", stored) for role in frames}
    context = Context("m", known, definitions=chosen.definitions, rows_by_measure=done.rows, sources=sources)
    found = in_order(findings(checks, reduce(add, tallies), context))
    return {finding.check: finding for finding, _, _ in found}, failing_rows(found)


TEST = frame("user item", [(1, 10), (2, 11), (3, 12)])


def lists(*rows):
    return frame("user item score", rows)


CLEAN = lists((1, 10, 2), (1, 20, 1), (2, 11, 2), (2, 21, 1), (3, 12, 2), (3, 22, 1))


def test_every_declared_check_is_implemented_with_existing_tables():
    assert list(CHECKERS.keys() ^ CHECKS.keys()) == []
    for kind in CHECKERS.values():
        assert kind.uses <= TABLES.keys() | INPUTS, kind.id


def test_clean_lists_raise_only_the_finding_of_few_users():
    found, rows = examined({"lists": CLEAN, "test": TEST}, available=frozenset({"lists", "scores", "cutoffs"}))
    assert set(found) == {"T04"}
    assert not rows


def test_duplicates_ties_and_lengths_are_counted_and_their_rows_stored():
    odd = lists((1, 10, 2), (1, 10, 1), (1, 20, 1), (2, 11, 1), (2, 21, 1), (4, 12, 1))
    found, rows = examined({"lists": odd, "test": TEST}, {1: 0, 2: 1, 4: 2}, available=frozenset({"lists", "scores", "cutoffs"}))
    assert found["R01"].sentence == "1 of 6 rows (16.7 %) repeat an item of the same list, for 1 user."
    assert found["R01"].examples == ("user 1, item 10",)
    assert rows["R01.m"].rows() == [(1, 10, 2.0), (1, 10, 1.0)]
    assert found["R04"].sentence == "2 of 3 lists (66.7 %) have tied scores in the first 2 ranks, 1 of them across a cut-off."
    assert (found["R05"].count, found["R05"].examples) == (1, ("user 4",))
    assert found["R06"].sentence.endswith("largest cut-off, 2; the longest has 3 rows.")
    assert rows["R09.m"]["item"].to_list() == [11, 21]
    assert found["X01"].sentence == "1 of 3 users with relevant items (33.3 %) have no list, and count 0."
    assert found["X02"].examples == ("user 4",)


@pytest.mark.parametrize(
    ("ranks", "count", "severity", "says"),
    [
        ([1, 2, 1, 2, 1, 2], None, None, None),
        ([0, 1, 0, 1, 0, 1], 3, "info", "All ranks count from 0"),
        ([0, 1, 1, 2, 1, 2], 1, "error", "have ranks that are not 1 to n"),
        ([1, 2, 2, 1, 1, 3], 2, "error", "each once; 1 of 3 lists (33.3 %) have ranks that contradict the scores"),
    ],
)
def test_ranks_must_be_1_to_n_in_the_order_of_scores(ranks, count, severity, says):
    ranked = CLEAN.with_columns(position=pl.Series(ranks, dtype=pl.Int64))
    found, _ = examined({"lists": ranked, "test": TEST}, available=frozenset({"lists", "scores", "ranks"}))
    if count is None:
        assert "R03" not in found
    else:
        assert (found["R03"].count, found["R03"].severity) == (count, severity)
        assert says in found["R03"].sentence


def test_identical_lists_are_found_in_any_order_of_items_and_in_any_part():
    alike = lists((1, 10, 2), (1, 20, 1), (2, 20, 2), (2, 10, 1), (3, 12, 2), (3, 22, 1))
    found, rows = examined({"lists": alike, "test": TEST}, {1: 0, 2: 1, 3: 2}, available=frozenset({"lists"}))
    assert found["R08"].sentence == "2 of 3 users (66.7 %) have the same items in their list."
    assert rows["R08.m"]["user"].to_list() == [1, 2]


@pytest.mark.parametrize(
    ("item_of_user", "says"),
    [
        (
            lambda user: 2 + user % 9,
            "199 of 200 lists (99.5 %) have 20 items, and 200 of 200 relevant items (100 %) are in them: they look like",
        ),
        (lambda user: 2 + user % 9, " 11.5 % of these items are in the first 2 rows; in random order it is 10.0 %."),
        (lambda user: 1, " All of these items are first in their list: the file may contain candidates or labels, not a model."),
        (lambda user: 20, " This is worse than random: check the sign of the scores and the order of the rows."),
        (lambda user: 20 if user < 190 else 99, "190 of 200 relevant items (95.0 %) are in them"),
        (lambda user: 20 if user < 190 else 99, " The other 10 relevant items cannot be hits."),
        (lambda user: 20 if user < 170 else 99, None),
    ],
)
def test_sampled_candidates_are_recognised_by_their_size_and_by_the_relevant_items_in_them(item_of_user, says):
    rows = [(user, item, 21.0 - item) for user in range(200) for item in range(1, 21) if (user, item) != (0, 3)]
    frames = {"lists": lists(*rows), "test": frame("user item", [(user, item_of_user(user)) for user in range(200)])}
    of_cuts = [examined(frames, cuts, available=frozenset({"lists", "scores", "cutoffs"}))[0].get("R10") for cuts in (None, {7: 1, 8: 2})]
    assert of_cuts[0] == of_cuts[1]
    assert says in of_cuts[0].sentence if says else of_cuts[0] is None


@pytest.mark.parametrize(
    ("more", "n_usual"),
    [
        ([(7, item, 0.0) for item in range(100, 120)], 199),  # one list twice as long
        ([(7, 100, 0.0)], 199),
        ([(user, 100, 0.0) for user in range(20)], 180),
        ([(user, 100, 0.0) for user in range(21)], None),
        ([(user, 5, 30.0) for user in range(150)], 200),  # duplicates are no candidates
    ],
)
def test_sampled_candidates_are_recognised_if_most_lists_have_one_size_whatever_the_others_have(more, n_usual):
    rows = [(user, 1000 + user if item == 1 else item, 21.0 - item) for user in range(200) for item in range(1, 21)]
    frames = {"lists": lists(*rows, *more), "test": frame("user item", [(user, 2) for user in range(200)])}
    of_cuts = [examined(frames, cuts, available=frozenset({"lists", "scores", "cutoffs"}))[0].get("R10") for cuts in (None, {7: 1, 8: 2})]
    assert of_cuts[0] == of_cuts[1]
    found = None if n_usual is None else f"{f'{n_usual} of 200' if n_usual < 200 else 'All'} lists"
    assert of_cuts[0] is None if found is None else of_cuts[0].sentence.startswith(found)


def test_negatives_drawn_with_repeats_are_recognised_by_the_number_of_rows():
    rows = [
        (user, 1000 + user if item == 1 else item if item <= 20 - user % 5 else 3, 31.0 - item)
        for user in range(200)
        for item in range(1, 31)
    ]
    frames = {"lists": lists(*rows), "test": frame("user item", [(user, 2) for user in range(200)])}
    available = frozenset({"lists", "scores", "cutoffs"})
    whole, parts = (examined(frames, cuts, available=available)[0]["R10"] for cuts in (None, {7: 1, 8: 2}))
    assert whole == parts
    assert whole.sentence.startswith("All lists have 30 rows, and 200 of 200 relevant items (100 %) are in them: they look like")


def test_train_is_compared_with_lists_and_test():
    train = frame("user item", [(1, 20), (1, 10), (2, 30), (5, 30)])
    found, rows = examined({"lists": CLEAN, "test": TEST, "train": train}, {1: 0, 2: 1, 3: 1, 5: 2})
    assert found["X05"].sentence.endswith("for 1 user; 1 of 3 hits at any rank (33.3 %) are among them.")
    assert rows["X05.m"]["item"].to_list() == [10, 20]
    assert rows["X06"].rows() == [(1, 10)]
    assert found["R07"].count == 4
    assert found["X10"].sentence.startswith("2 of 3 test items")
    assert found["X12"].examples == ("item 30",)
    assert found["X11"].count == 0 if "X11" in found else True


def test_times_are_compared_over_all_parts():
    test = TEST.with_columns(timestamp=pl.Series([5.0, 9.0, None]))
    train = frame("user item", [(1, 20), (2, 30), (7, 21)]).with_columns(timestamp=pl.Series([6.0, 1.0, 8.0]))
    found, rows = examined({"lists": CLEAN, "test": test, "train": train}, {1: 0, 2: 1, 7: 2}, available=AVAILABLE | {"times"})
    assert (found["X07"].count, found["X07"].total, found["X07"].examples) == (1, 2, ("user 1",))
    assert (found["X08"].count, found["X08"].total) == (2, 3)
    assert rows["X09.m"].rows() == [(1, 20, 6.0, 5.0)]


def test_text_ids_that_differ_in_spelling_are_matched_over_all_parts():
    kinds = {"user": pl.String, "item": pl.String}
    own = frame("user item score", [("a", "010", 2), ("b ", "011", 1)], kinds)
    test = frame("user item", [("a", "11"), ("b", "10")], kinds)
    found, rows = examined({"lists": own, "test": test}, {"a": 0, "b ": 1, "b": 2}, "text", available=frozenset({"lists"}))
    assert found["X03"].sentence.startswith("No item of data.lists is in data.test: data.test ('item', text) has '10', '11'")
    assert found["X04"].sentence.endswith("after cleaning (leading zeros 2).")
    assert rows["X04.m"].rows() == [("b ", "b")]


def test_data_that_the_policy_forbids_are_refused_at_any_severity():
    context = Context("m", prepared(), {"R01": setting(CHECKS["R01"], "off")}, frozenset({"R01"}))
    symptoms = CHECKERS["R01"].symptom(context, "Rows repeat.", 1, 9)
    assert symptoms[0].finding.severity == "error"
    with pytest.raises(DataError, match=r"m: Rows repeat\. evaluation\.policy\.duplicates is set to error\."):
        refuse(symptoms)


def test_limits_and_lower_severities_of_the_config_apply():
    context = Context("m", prepared(), {"X01": setting(CHECKS["X01"], max_share=0.5)})
    assert CHECKERS["X01"].symptom(context, "Few.", 1, 2) == []
    (symptom,) = CHECKERS["X01"].symptom(context, "Many.", 2, 2, severity="info")
    assert symptom.finding.severity == "info"
    strict = Context("m", prepared(), {"X01": setting(CHECKS["X01"], "error")})
    assert CHECKERS["X01"].symptom(strict, "Many.", 2, 2, severity="info")[0].finding.severity == "error"


users, items = st.integers(1, 6), st.integers(1, 8)


@settings(max_examples=draws(14, 40))
@given(
    own=st.lists(st.tuples(users, items, st.sampled_from([1.0, 2.0, 3.0]), st.integers(0, 4)), max_size=25),
    tested=st.lists(st.tuples(users, items), min_size=1, max_size=12),
    trained=st.lists(st.tuples(users, items), min_size=1, max_size=12),
    times=st.lists(st.sampled_from([None, 1.0, 2.0, 3.0]), min_size=24, max_size=24),
    cuts=st.dictionaries(users, st.integers(0, 3)),
)
def test_cutting_users_into_parts_changes_no_finding_and_no_stored_row(own, tested, trained, times, cuts):
    timed = {role: frame("user item", rows) for role, rows in (("test", tested), ("train", trained))}
    timed = {role: rows.with_columns(timestamp=pl.Series(times[: len(rows)], dtype=pl.Float64)) for role, rows in timed.items()}
    ranked = frame("user item score position", own, {"position": pl.Int64})
    frames = {"lists": ranked, **timed}
    available = AVAILABLE | {"ranks", "times"}
    loud = {
        name: setting(declared, "warn", **({"max_share": 0.0} if "max_share" in declared.limits else {}))
        for name, declared in CHECKS.items()
    }
    whole, rows = examined(frames, settings=loud, available=available)
    found, parts = examined(frames, cuts, settings=loud, available=available)
    assert found == whole
    assert parts.keys() == rows.keys()
    assert all(parts[name].equals(rows[name]) for name in rows)


@pytest.fixture
def one_more() -> Iterator[str]:
    yield "P01"
    checker._CHECKERS.pop("P01", None)
    declarations._DECLARED.pop("P01", None)


def test_a_plugin_check_reads_only_its_declared_tables(one_more):
    @check(Check(one_more, "warn", "a list is even", "nothing"), uses=("reading",))
    class EvenLists(HealthCheck):
        table = "reading"

        def tally(self, part):
            even = (part.table(self.table).lengths % 2 == 0) & (part.lists.counts > 0)
            return Tally.of(even=int(even.sum()), **part.users(even))

        def finding(self, tally, context):
            n = tally.count("even")
            return self.symptom(context, f"{n} lists are even.", n, context.n_lists, examples=tally.examples("user"))

    found, _ = examined({"lists": CLEAN, "test": TEST}, {1: 0, 2: 1, 3: 1}, available=frozenset({"lists"}))
    assert (found[one_more].sentence, found[one_more].examples) == ("3 lists are even.", ("user 1", "user 2", "user 3"))
    EvenLists.table = "truth_table"
    with pytest.raises(ConfigError, match=r"the check P01 of .* failed: ValueError: .* does not declare"):
        examined({"lists": CLEAN, "test": TEST}, available=frozenset({"lists"}))
    with pytest.raises(ValueError, match="already"):
        check("R01")
    assert np.isfinite(found[one_more].share)


def test_checks_declare_what_they_want_of_a_run():
    wanted = {name: CheckTask({**CheckTask.none().settings, name: setting(CHECKS[name], "warn")}).wants for name in CHECKS}
    assert {name: set(wants) for name, wants in wanted.items() if wants} == {
        "R02": {"faulty_rows"},
        "R04": {"tie_bounds"},
        "X13": {"reference_lists"},
        "X14": {"popularity_lists"},
        "X16": {"twins"},
    }
    assert set().union(*wanted.values()) == set(WANTS)
    assert not CheckTask.none().wants


def test_a_policy_that_refuses_data_turns_its_check_on():
    task = CheckTask(CheckTask.none().settings, policy=frozenset({"duplicates", "tie_order"}))
    assert task.refused == task.on == {"R01", "R04"}


@pytest.mark.parametrize(
    ("asks", "says"),
    [
        ({"wants": ("coffee",)}, "a check can request faulty_rows, .*, not coffee"),
        ({"policy": "repeats"}, "evaluation.policy has no 'repeats'"),
    ],
)
def test_a_check_with_an_unknown_demand_is_refused(asks, says):
    with pytest.raises(ValueError, match=says):
        check(Check("Z09", "info", "a list is there", "nothing to do"), **asks)
    assert "Z09" not in CHECKS


def _without_hits(n_users: int) -> dict[str, pl.DataFrame]:
    """Return lists of 10 of the items 0 to 19 whose users have 5 relevant items, all of them among the other ten."""
    listed = [(user, item, 20.0 - item) for user in range(n_users) for item in range(20) if (item + user) % 2]
    tested = [(user, item) for user in range(n_users) for item in range(10) if not (item + user) % 2]
    return {"lists": lists(*listed), "test": frame("user item", tested)}


def test_no_hit_at_all_is_a_warning_where_random_lists_would_have_seven():
    found = examined(_without_hits(3), available=frozenset({"lists"}))[0]["X03"]  # 3 users with 10 · 5 / 20 = 2.5 hits each
    assert (found.severity, found.count) == ("warn", 3)
    assert "one of the 15 relevant items of its user; random lists would have about 8." in found.sentence
    assert "X03" not in examined(_without_hits(2), available=frozenset({"lists"}))[0]


def test_one_hit_is_enough():
    frames = _without_hits(50)
    tested = pl.concat([frame("user item", [(0, 1)]), frames["test"]])
    assert "X03" not in examined({**frames, "test": tested}, {7: 1, 8: 1}, available=frozenset({"lists"}))[0]


def test_the_advice_on_repeated_items_says_how_they_were_counted(evaluate):
    rows = table(["user", "item", "score"], [(1, 1, 2.0), (1, 1, 1.0), (1, 2, 0.5)])
    by_policy = {}
    for policy in ("unique_hits", "keep_best_rank"):
        result = evaluate(table(["user", "item"], [(1, 1)]), rows, metrics=["Recall"], policy={"duplicates": policy}, health={})
        by_policy[policy] = next(finding.advice for finding in result.findings if finding.check == "R01")
    assert (
        "is one hit, at its best rank; its other ranks are misses (evaluation.policy.duplicates: unique_hits)" in by_policy["unique_hits"]
    )
    assert "is kept only at its best rank; later items move up (evaluation" in by_policy["keep_best_rank"]
