"""No sentence about a table in memory speaks of a file, a line, an option of the command line or a key of a config."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl
import pytest
import receval

from tests.api.test_input_kinds import INPUT_KINDS
from tests.sizes import FULL, half, some

WORLD = INPUT_KINDS.WORLD
NUMBERS = ("score", "rating", "prediction", "distance")
OF_FILES = re.compile(
    r"\bfiles?\b|\blines?\b|\bheader\b|\bseparator\b|\bpaths?\b|\bconfig\b|\breceval run\b|--\w|\b(data|evaluation|gates)\.\w",
    re.IGNORECASE,
)
Change = Callable[[pl.DataFrame], pl.DataFrame | None]


def first_id(frame: pl.DataFrame) -> str:
    return "item" if "item" in frame.columns else "user"


def id_change(expression: Callable[[pl.Expr], Any]) -> Change:
    return lambda frame: frame.with_columns(expression(pl.col(first_id(frame))).alias(first_id(frame)))


def number_change(expression: Callable[[pl.Expr], Any]) -> Change:
    def change(frame: pl.DataFrame) -> pl.DataFrame | None:
        name = next((column for column in NUMBERS if column in frame.columns), None)
        return None if name is None else frame.with_columns(expression(pl.col(name)).alias(name))

    return change


def second(value: Any) -> Callable[[pl.Expr], pl.Expr]:
    """Return an expression that replaces the value of the second row."""
    return lambda column: pl.when(pl.int_range(pl.len()) == 1).then(pl.lit(value)).otherwise(column)


def lists_change(**columns: Any) -> Change:
    return lambda frame: frame.with_columns(**columns) if "score" in frame.columns and "user" in frame.columns else None


FAULTS: dict[str, Change] = {
    "no rows": lambda frame: frame.clear(),
    "one row": lambda frame: frame.head(1),
    "no column of ids": lambda frame: frame.drop(first_id(frame)),
    "no columns": lambda frame: frame.select([]),
    "two columns of ids": lambda frame: frame.rename({first_id(frame): "itemid"}).with_columns(item_id="itemid"),
    "a missing id": id_change(second(None)),
    "an empty id": id_change(lambda column: second("")(column.cast(pl.String))),
    "a long id": id_change(lambda column: second("x" * 70_000)(column.cast(pl.String))),
    "ids with fractions": id_change(lambda column: column + 0.5),
    "dates as ids": id_change(lambda column: pl.lit("2020-01-01").str.to_date()),
    "booleans as ids": id_change(lambda column: column > 1),
    "bytes as ids": id_change(lambda column: pl.lit(b"a")),
    "structs as ids": id_change(pl.struct),
    "lists as ids": id_change(pl.concat_list),
    "lists in text": id_change(lambda column: pl.lit("1|2")),
    "other ids": id_change(lambda column: column + 1000),
    "ids as text": id_change(lambda column: "x" + column.cast(pl.String)),
    "ids with zeros": id_change(lambda column: "0" + column.cast(pl.String)),
    "duplicates": lambda frame: pl.concat([frame, frame]),
    "a word among numbers": number_change(lambda column: second("many")(column.cast(pl.String))),
    "words as numbers": number_change(lambda column: pl.lit("many")),
    "a missing number": number_change(second(None)),
    "NaN": number_change(lambda column: second(float("nan"))(column.cast(pl.Float64))),
    "infinity": number_change(lambda column: second(float("inf"))(column.cast(pl.Float64))),
    "negative numbers": number_change(lambda column: -column - 1),
    "ties": number_change(lambda column: pl.lit(1.0)),
    "dates as numbers": number_change(lambda column: pl.lit("2020-01-01").str.to_date()),
    "lists as numbers": number_change(pl.concat_list),
    "structs as numbers": number_change(pl.struct),
    "no numbers": lambda frame: frame.drop([name for name in NUMBERS if name in frame.columns]),
    "no time": lambda frame: frame.with_columns(timestamp=pl.lit("soon")),
    "the same rank": lists_change(rank=pl.lit(1)),
    "rank 0": lists_change(rank=pl.lit(0)),
    "words as ranks": lists_change(rank=pl.lit("x")),
}
STRICT = {"duplicates": "error", "unknown_items": "error", "seen_items": "error", "truth_duplicates": "error"}


def texts(role: str, rows: Any, **more: Any) -> Iterator[str]:
    """Yield all sentences about an evaluation with these rows: the error, or warnings, findings and remarks."""
    given = {name: WORLD[name] for name in ("test", "recommendations")}
    asked = {"metrics": ["nDCG@3", "Recall@5"], **INPUT_KINDS.METRICS.get(role, {}), **more}
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        try:
            result = receval.evaluate(**{**given, role: rows, **asked})
        except receval.RecevalError as error:
            yield str(error)
            return
    yield from (str(warning.message) for warning in issued)
    yield from (text for finding in result.findings for text in (finding.sentence, finding.advice))
    yield from (*result.remarks, *result.unmade.values())


@pytest.mark.parametrize("role", half(WORLD))
def test_no_sentence_about_a_table_in_memory_is_about_a_file(role: str):
    wrong = set()
    for place, (fault, change) in enumerate(FAULTS.items(), [*WORLD].index(role)):
        rows, turn = change(WORLD[role]), place % 3  # each fault meets every setting in some role
        for more in () if rows is None else some([[{}, {"health": False}, {"policy": STRICT}][(turn + n) % 3] for n in range(3)], 1):
            wrong |= {(fault, line) for text in texts(role, rows, **more) for line in text.splitlines() if OF_FILES.search(line)}
    assert not {(fault, line) for fault, line in wrong if "distance=file" not in line}


OTHERS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "records": lambda frame: frame.to_dicts(),
    "columns": lambda frame: frame.to_dict(as_series=False),
    "by user": lambda frame: {row[0]: [row[1:]] for row in frame.rows()},
    "pandas": lambda frame: frame.to_pandas(),
    "pyarrow": lambda frame: frame.to_arrow(),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_no_sentence_about_other_kinds_of_objects_is_about_a_file(kind: str):
    faults = [fault for fault in FAULTS if fault not in ("structs as ids", "structs as numbers")]
    for fault in faults if FULL else faults[[*OTHERS].index(kind) % 2 :: 2]:
        rows = FAULTS[fault](WORLD["recommendations"])
        assert rows is not None
        for text in texts("recommendations", OTHERS[kind](rows)):
            assert not [line for line in text.splitlines() if OF_FILES.search(line)], fault
