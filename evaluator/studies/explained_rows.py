"""The test rows of an explained user with their groups and values, and the user's value in each group of test rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from ..metrics.definition import Definition
from ..results.explanation import CellValue, ExplainedTable
from ..scoring.model_level_sums import CollectSums
from ..scoring.per_user import Scorer
from ..scoring.task import group_measures, sums_hits
from ..syntax.value_columns import source_and_column
from ..tables.array import Array
from ..tables.lists import Reading
from ..tables.pair_values import parse_numbers
from ..tables.prepared import GroupBy, codes_column
from ..tables.truth import TEST, TruthTable


def test_rows(scorer: Scorer, definition: Definition, by: Sequence[GroupBy]) -> ExplainedTable | None:
    """Return the user's test rows: item, rank in the list, whether it is relevant, rating, groups, and the value that the measure adds up.

    Relevant rows come first, by rank. `None` if there are neither groups nor values to show, because the other tables have the rest.
    """
    columns = value_columns(definition)
    if not len(scorer.part.rows(TEST)) or not (by or columns):
        return None
    frame = columns_of_rows(scorer, definition, by, columns).drop("timestamp", strict=False)
    shown = frame.with_columns(pl.col("item").cast(pl.String), relevant=pl.when("relevant").then(pl.lit("yes")).otherwise(pl.lit("")))
    body = sorted(shown.rows(), key=lambda row: (row[2] == "", row[1] is None, row[1] or 0, *map(str, row)))
    return ExplainedTable("The test rows", tuple(shown.columns), tuple(body), ())


def value_columns(*definitions: Definition) -> tuple[str, ...]:
    """Return the columns of test rows and items whose values measures add up, such as `rows.price`."""
    texts = (column for definition in definitions for column in definition.texts.values())
    return tuple(dict.fromkeys(column for column in texts if column.startswith(("rows.", "items."))))


def columns_of_rows(scorer: Scorer, definition: Definition, by: Sequence[GroupBy], columns: Sequence[str]) -> pl.DataFrame:
    """Return the user's test rows in the order of the file.

    Columns: `item`, `rank` in the list (null if it is not there), `relevant`, if the file has them `rating` and `timestamp`, the name of
    the group in each grouping, and the value of each of the `columns`, null if it is missing.
    """
    truth: TruthTable = scorer.tables.get("truth_table", scorer.choice(definition))
    reading: Reading = scorer.tables.get("reading", scorer.choice(definition))
    rows, listed = scorer.part.rows(TEST).frame, reading.table()
    assert listed.item is not None
    ranks = dict(reversed([*zip(listed.item.to_list(), listed["rank"].tolist(), strict=True)]))  # the best rank of a repeated item
    relevant = set(truth.pairs.item.filter(pl.Series(truth.relevant)).to_list())
    items = rows["item"].to_list()
    shown = [
        pl.Series("item", rows["item"]),
        pl.Series("rank", [ranks.get(item) for item in items], dtype=pl.Int64),
        pl.Series("relevant", [item in relevant for item in items], dtype=pl.Boolean),
        *(rows[name] for name in ("rating", "timestamp") if name in rows.columns),
    ]
    for grouping in by:
        names = dict(scorer.prepared.groups_by(grouping))
        shown.append(pl.Series(grouping.name, [names[code] for code in rows[codes_column(grouping.name)].to_list()], dtype=pl.String))
    shown += [pl.Series(column, _values(scorer, column)).fill_nan(None) for column in columns]
    return pl.DataFrame({column.name: column for column in shown})


def _values(scorer: Scorer, column: str) -> Array:
    """Return the value of each test row in a column of test rows or items; NaN for a missing one."""
    source, name = source_and_column(column)
    frame = scorer.part.rows(TEST).frame
    if source == "items":
        values: Array = scorer.prepared.item_column("value", column=name)[scorer.prepared.items.index_of(frame["item"])]
        return values
    label, decimal_comma = scorer.prepared.row_columns[name]
    return parse_numbers(frame[label], decimal_comma)


def values_by_group(scorer: Scorer, definition: Definition, by: Sequence[GroupBy]) -> Iterator[ExplainedTable]:
    """Yield a table for each grouping of test rows: in each group of the user's rows, the relevant items and the value.

    Only for measures based on hits, and for groupings that the measure does not name itself.
    """
    if not sums_hits(definition) or not len(scorer.part.rows(TEST)):
        return
    for grouping in by:
        if grouping.name in dict(definition.rows):
            continue
        codes = set(scorer.part.rows(TEST).frame[codes_column(grouping.name)].to_list())
        rows: list[tuple[CellValue, ...]] = []
        for code, name in scorer.prepared.groups_by(grouping):
            if code in codes:
                (group,) = group_measures((definition.for_row_group(grouping.name, name),))
                of_group = scorer.values(group, CollectSums())
                n, value = int(of_group.n_relevant[0]), float(np.reshape(of_group.values, -1)[0])
                rows.append((name, n, value if n and np.isfinite(value) else None))
        yield ExplainedTable(f"By {grouping.name}", (grouping.name, "relevant items", definition.label), tuple(rows), ())
