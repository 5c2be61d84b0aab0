"""Every convention on messy data: repeated rows, users in one file only, users without a relevant item, ratings of 0.

`RECEVAL_EXAMPLES=100 pytest tests/conventions/test_messy_worlds.py` tries more, and other, worlds.
"""

from __future__ import annotations

import math
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval import conventions
from receval.conventions import AXES
from receval.metrics import METRICS, Definition, resolve
from receval.support.errors import DataError
from receval.syntax.measure_strings import parse

from tests import literal
from tests.conftest import model_values, per_user
from tests.conventions.messy import NOT_COVERED, Reader, messy_worlds, shuffled_within_users
from tests.sizes import draws, half
from tests.variants import needed
from tests.worlds import assert_same, measured

CONVENTIONS = conventions.builtin_names()
EXAMPLES = int(os.environ.get("RECEVAL_EXAMPLES", draws(0, 10)))


def definitions(name: str) -> dict[str, Definition]:
    """Return every metric of the convention's library (of receval, if it names none) at the cut-offs 1 and 3, and always PAP,
    PartialAUC, Recall, MAP and nDCG.
    """
    convention = conventions.load(name)
    names = dict.fromkeys([*(convention.metrics or METRICS), "PAP", "PartialAUC", "Recall", "MAP", "nDCG"])
    found = {}
    for metric in names:
        entry = METRICS[metric]
        given = ",".join(f"{key}={value}" for key, value in needed(entry).items())
        written = f"{metric}({given})" if given else metric
        for label in (f"{written}@1", f"{written}@3") if entry.cut else (written,):
            definition = resolve(parse(label), convention)
            found[definition.label] = definition
    return found


REPEATED_IN_LISTS = ("keep_all", "keep_all_as_relevant")


def may_leave_bounds(definition: Definition) -> bool:
    """Return whether a value may exceed the bounds of its metric: its convention counts a repeated row several times, as its library does.

    Hits repeated in a list are then divided by relevant items, which are not repeated; hits repeated in the test file by ranks. PAP
    adds up min(R, k) hits under any convention.
    """
    if definition.metric.name == "PAP":
        return False
    parts = definition.all
    return any(part.lists.duplicates in REPEATED_IN_LISTS or part.truth.duplicates == "rows_count" for part in parts)


def may_fall_below(definition: Definition) -> bool:
    """Return whether a value may be below the bounds of its metric, as in its library.

    An area under the curve can be, with more repeated misses than items; so can 1 less popularity, with rows of train divided by users.
    """
    counts_rows = definition.axes.get("popularity_count") == "rows"
    return counts_rows or (definition.metric.name in ("AUC", "GAUC", "LAUC") and may_leave_bounds(definition))


def assert_within_bounds(definition: Definition, value: float | None, where: Any) -> None:
    if value is None or math.isnan(value):
        return
    low, high = definition.metric.bounds
    assert value >= low - 1e-6 or may_fall_below(definition), (where, definition.label, value)
    assert value <= high + 1e-6 or may_leave_bounds(definition), (where, definition.label, value)


@pytest.mark.parametrize("name", half(CONVENTIONS))
@settings(max_examples=EXAMPLES or 1, derandomize=not EXAMPLES)
@given(world=messy_worlds(), seed=st.integers(0, 1000))
def test_values_keep_their_bounds_and_equal_literal_values_in_any_order_of_users(name, world, seed, evaluate):
    asked = definitions(name)
    options = {"convention": name, "top_k": [3], "relevance": {"graded": False}}
    try:
        result = measured(evaluate, world, asked, **options)
    except DataError as error:
        if "relevant item" in error.message:
            return  # no user has a relevant item, so no measure of the convention is defined
        raise
    for label, value in model_values(result).items():
        if label in asked:
            assert_within_bounds(asked[label], value, "all")
    users = per_user(result)
    for label, definition in asked.items():
        if definition.metric.per_model:
            continue
        reader = Reader(world, definition) if is_covered(definition) else None
        for user, row in users.items():
            assert_within_bounds(definition, row[label], user)
            expected = NOT_COVERED if reader is None else reader.value(user)
            if expected is None:
                assert row[label] is None, (user, label, row[label])
            elif expected is not NOT_COVERED:
                near = 1e-6 if definition.axes["float_type"] != "float64" else 1e-12
                assert row[label] == pytest.approx(expected, abs=near), (user, label)
    if not EXAMPLES and CONVENTIONS.index(name) % 3:
        return  # one convention in three is enough for the order of rows
    moved = {part: shuffled_within_users(world[part], seed) if part in ("test", "lists", "predictions") else world[part] for part in world}
    assert_same(result, measured(evaluate, moved, asked, **options), near=0)


def is_covered(definition: Definition) -> bool:
    """Return whether tests/literal.py computes the formula: with the settings of receval except those of lists and test rows."""
    if definition.metric.name not in literal.NAMES - {"AUC", "GAUC", "LAUC", "Accuracy", "MCC"}:
        return False
    own = resolve(parse(f"{definition.metric.name}@{definition.k or 'none'}"), conventions.load("receval"))
    plain = definition.params == own.params and definition.population == "test"
    plain &= all(definition.axes[axis] == own.axes[axis] for axis in ("no_hits", "divisor", "no_truth"))
    plain &= definition.axes["positions"] in ("real", "as_written")  # the ranks of messy worlds are 1, 2, 3, …
    parts = [part.params for part in definition.components] == [part.params for part in own.components]
    return plain and parts


def test_the_literal_form_covers_some_measures_of_every_convention():
    covered = {name: [label for label, definition in definitions(name).items() if is_covered(definition)] for name in CONVENTIONS}
    few = {name for name, labels in covered.items() if len(labels) < 2}
    # Tied items of lightfm share a rank, and mllib counts users without test rows: test_libraries_of_scores.py and test_mllib.py have them.
    assert few == {"lightfm", "mllib"}, covered


@settings(max_examples=EXAMPLES or 1, derandomize=not EXAMPLES)
@given(world=messy_worlds())
def test_pap_is_between_0_and_1_under_every_setting_for_repeated_rows(world, evaluate):
    labels = [
        f"PAP(duplicates={lists},truth_duplicates={truth},insufficient={insufficient})@{k}"
        for lists in AXES["duplicates"].values
        for truth in AXES["truth_duplicates"].values
        for insufficient in ("counts", "excluded")
        for k in (1, 2, "none")
    ]
    for user, row in per_user(measured(evaluate, world, labels)).items():
        for label, value in row.items():
            if label.startswith("PAP"):
                assert value is None or -1e-12 <= value <= 1 + 1e-12, (user, label, value)
