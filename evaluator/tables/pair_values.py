"""Values of hits, relevant items and listed items, from a column of items or of test rows."""

from __future__ import annotations

import math

from ..conventions.axis import Truth
from ..support.lazy import np, pl
from ..syntax.value_columns import source_and_column
from .array import Array
from .graph import TableNotes, note_sentence, table
from .prepared import Prepared, item_column
from .rows import PartData, Rows
from .truth import ONE_ROW, TEST, TestPairs, in_groups, one_row_per_pair, relevant_rows, rows_that_pass


def parse_numbers(texts: pl.Series, decimal_comma: bool) -> Array:
    """Return texts as numbers, NaN for a missing value and for text that is not a number; `decimal_comma`: 3,5 is 3.5."""
    written = texts.str.replace(",", ".", literal=True) if decimal_comma else texts
    return written.str.strip_chars().cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()


@item_column("value", otherwise=math.nan)
def value(prepared: Prepared, column: str) -> Array:
    """Return the value of each item in a column of data.items; NaN for an item without a value."""
    return prepared.item_values[column]


@table("pair_values", uses=("part", "prepared", "test_pairs", "notes"), params=("column", "repeated"), varies=("truth",))
def pair_values(
    part: PartData, prepared: Prepared, test_pairs: TestPairs, notes: TableNotes, truth: Truth, column: str, repeated: str
) -> Array:
    """Return the value of each test pair; a missing value is 0.

    With a column of items, a pair has the value of its item. With a column of test rows, a pair with several rows has the highest value of
    its relevant rows, or by the axis `truth_duplicates` (`repeated`) the value of its first or last row or the sum of its rows; if each row
    counts as a relevant item of its own, each of them has the mean of the rows, so that they add up to the sum. With `repeated` =
    `relevant` it has the sum of its relevant rows. If only a group of rows is relevant, only these rows have values.
    """
    source, name = source_and_column(column)
    if source == "items":
        return _fill(prepared.item_column("value", column=name)[prepared.items.index_of(test_pairs.item)])
    label, decimal_comma = prepared.row_columns[name]
    values = _fill(parse_numbers(part.rows(TEST).frame[label], decimal_comma))
    of_pairs = np.zeros(len(test_pairs))
    if not test_pairs.repeats:
        notes.count("uncounted_rows", 0, len(values))
        of_pairs[test_pairs.row_pair] = values
        return of_pairs
    passing = rows_that_pass(part, prepared, test_pairs, truth.filter)
    if repeated in ONE_ROW:
        pair, of_pair, _ = one_row_per_pair(test_pairs, values, passing, repeated)
        of_pairs[pair] = of_pair
        return of_pairs
    relevant = relevant_rows(test_pairs, passing, truth, part.n_users, prepared)
    rows = np.flatnonzero(relevant & in_groups(test_pairs, prepared, truth.rows, test_pairs.row_pair) if truth.rows else relevant)
    pair = test_pairs.row_pair[rows]
    if "row" in repeated or repeated == "relevant":
        order = np.lexsort((values[rows], pair))  # a sum must not depend on the order of the file
        sums = np.bincount(pair[order], values[rows][order], len(test_pairs))
        return sums if repeated == "relevant" else sums / np.maximum(np.bincount(pair, minlength=len(test_pairs)), 1)
    notes.count("uncounted_rows", len(pair) - len(np.unique(pair)), len(values))
    of_pairs[pair] = -np.inf
    np.maximum.at(of_pairs, pair, values[rows])
    return of_pairs


def _fill(values: Array) -> Array:
    """Return values with 0 instead of NaN."""
    return np.where(np.isnan(values), 0.0, values)


@table("valued_hits", uses=("hits", "pair_values"), columns=("rank", "item", "value"), title="The hits")
def valued_hits(hits: Rows, pair_values: Array) -> Rows:
    """Return the hits, each with its `value`."""
    return hits.with_columns(value=pair_values[hits["pair"]])


@table("valued_relevant", uses=("relevant_with_repeats", "pair_values"), columns=("item", "value"), title="The relevant items")
def valued_relevant(relevant_with_repeats: Rows, pair_values: Array) -> Rows:
    """Return the relevant items, each as often as it counts, with its `value`."""
    return relevant_with_repeats.with_columns(value=pair_values[relevant_with_repeats["pair"]])


@table(
    "valued_listed",
    uses=("listed", "prepared", "notes"),
    params=("column",),
    columns=("rank", "item", "value"),
    title="The items of the list",
)
def valued_listed(listed: Rows, prepared: Prepared, notes: TableNotes, column: str) -> Rows:
    """Return the recommended items, each with its `value` in a column of data.items; items without a value have 0."""
    _, name = source_and_column(column)
    values = prepared.item_column("value", column=name)[listed.item_index(prepared.items)]
    notes.count("no_weight", int(np.isnan(values).sum()), len(values))
    return listed.with_columns(value=_fill(values))


def _without_weight(n: int, total: int) -> str:
    """Return the sentence of the note `no_weight`."""
    have, count = ("has", "counts") if n == 1 else ("have", "count")
    return f"{n:,} of {total:,} recommended items {have} no weight and {count} 0 in WeightedPrecision"


note_sentence("no_weight", _without_weight)


def _uncounted(n: int, total: int) -> str:
    """Return the sentence of the note `uncounted_rows`."""
    rows = f"{n:,} of {total:,} test rows {'repeats a pair and adds' if n == 1 else 'repeat a pair and add'} no value"
    policy = "evaluation.policy.truth_duplicates"
    return f"{rows}: only the highest value of a pair counts; {policy}: sum (or --set {policy}=sum) adds all of them up"


note_sentence("uncounted_rows", _uncounted)
