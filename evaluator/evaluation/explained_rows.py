"""The test rows of an explained user with their groups and values, and the user's value in each group of test rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from ..measure.model_level_sums import CollectSums
from ..measure.scoring import Scorer
from ..measure.task import group_measures, sums_hits
from ..metrics.definition import Definition
from ..names.value_columns import source_and_column
from ..results.explanation import CellValue, ExplainedTable
from ..tables.array import Array
from ..tables.lists import Reading
from ..tables.pair_values import parse_numbers
from ..tables.prepared import GroupBy, codes_column
from ..tables.truth import TEST, TruthTable


def test_rows(scorer: Scorer, definition: Definition, by: Sequence[GroupBy]) -> ExplainedTable | None:
    """Return the user's test rows: item, rank in the list, whether it is relevant, rating, groups, and the value that the measure adds up.

    Relevant rows come first, by rank. `None` if there are neither groups nor values to show, because the other tables have the rest.
    """
    columns = [column for column in definition.texts.values() if column.startswith(("rows.", "items."))]
    rows = scorer.part.rows(TEST)
    if not len(rows) or not (by or columns):
        return None
    truth: TruthTable = scorer.tables.get("truth_table", scorer.choice(definition))
    reading: Reading = scorer.tables.get("reading", scorer.choice(definition))
    listed = reading.table()
    assert listed.item is not None
    ranks = dict(zip(listed.item.to_list(), listed["rank"].tolist(), strict=True))
    relevant = set(truth.pairs.item.filter(pl.Series(truth.relevant)).to_list())
    items = rows.frame["item"].to_list()
    shown: dict[str, list[CellValue]] = {
        "item": [str(item) for item in items],
        "rank": [ranks.get(item) for item in items],
        "relevant": ["yes" if item in relevant else "" for item in items],
    }
    if "rating" in rows.frame.columns:
        shown["rating"] = rows.frame["rating"].to_list()
    for one in by:
        names = dict(scorer.prepared.groups_by(one))
        shown[one.name] = [names[code] for code in rows.frame[codes_column(one.name)].to_list()]
    for column in columns:
        shown[column] = [None if np.isnan(value) else float(value) for value in _values(scorer, column)]
    body = sorted(zip(*shown.values(), strict=True), key=lambda row: (row[2] == "", row[1] is None, row[1] or 0, *map(str, row)))
    return ExplainedTable("The test rows", tuple(shown), tuple(body), ())


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
    for one in by:
        if one.name in dict(definition.rows):
            continue
        codes = set(scorer.part.rows(TEST).frame[codes_column(one.name)].to_list())
        rows: list[tuple[CellValue, ...]] = []
        for code, name in scorer.prepared.groups_by(one):
            if code in codes:
                (group,) = group_measures((definition.of_rows(one.name, name),))
                of_group = scorer.values(group, CollectSums())
                n, value = int(of_group.n_relevant[0]), float(np.reshape(of_group.values, -1)[0])
                rows.append((name, n, value if n and np.isfinite(value) else None))
        yield ExplainedTable(f"By {one.name}", (one.name, "relevant items", definition.label), tuple(rows), ())
