"""Pages of several rows of recommendations (shelves, carousels): hits count by row and by position in the row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.graph import table
from ..tables.ids import gather
from ..tables.lists import Reading
from ..tables.rows import Rows, in_order, number_rows
from ..tables.truth import TestPairs, TruthTable
from .measure import Measure, Ratio, gain_of
from .notation import GAINS, best_gain, tex
from .registry import Number, metric
from .table_views import CutTable

_CELL: Final = ("alpha", "beta", "shelves", "columns")


@table(
    "page_hits",
    uses=("reading", "test_pairs", "truth_table"),
    params=_CELL,
    columns=("item", "shelf", "position", "gain"),
    title="The hits on the page",
)
def page_hits(
    reading: Reading, test_pairs: TestPairs, truth_table: TruthTable, alpha: float, beta: float, shelves: float, columns: float
) -> Rows:
    """Return the relevant items on the page, each once at its best place: `rank` (in reading order), `shelf`, `position`, `gain`.

    A list without rows is a page of one row. Of places that are equally good the first in reading order counts.
    """
    row, pair = test_pairs.lookup.find(reading.pairs)
    rows = reading.source.rows
    if "shelf" in rows:
        shelf, position = (rows.column(name) if reading.rows is None else rows.column(name)[reading.rows] for name in ("shelf", "position"))
    else:
        shelf, position = np.ones(len(reading)), reading.rank
    inside = truth_table.relevant[pair] & (shelf[row] <= shelves) & (position[row] <= columns)
    row, pair = row[inside], pair[inside]
    order = np.lexsort((row, alpha * shelf[row] + beta * position[row], pair))
    _, first = np.unique(pair[order], return_index=True)
    index = order[first]
    index = index[np.argsort(row[index])]
    cells = {"shelf": shelf[row[index]], "position": position[row[index]], "gain": truth_table.gain[pair[index]]}
    return reading.table(row[index]).with_columns(**cells)


@table("page_ideal", uses=("relevant",), params=_CELL, columns=("shelf", "position", "gain"), title="The best possible page")
def page_ideal(relevant: Rows, alpha: float, beta: float, shelves: float, columns: float) -> Rows:
    """Return the relevant items in the best places of the page, highest gain first: `rank`, `shelf`, `position`, `gain`."""
    order = in_order(relevant.user, [(relevant["gain"], True)])
    rank = number_rows(relevant.user, relevant.n_users)
    shelf, position = best_places(int(rank.max(initial=0)), alpha, beta, shelves, columns)
    kept = np.flatnonzero(rank <= len(shelf))
    place, item = rank[kept] - 1, None if relevant.item is None else gather(relevant.item, order[kept])
    cells = {"rank": rank[kept], "shelf": shelf[place], "position": position[place], "gain": relevant["gain"][order[kept]]}
    return Rows(relevant.n_users, relevant.user[kept], cells, item)


def best_places(n: int, alpha: float, beta: float, shelves: float, columns: float) -> tuple[Array, Array]:
    """Return the row and the position of the best `n` places of a page, the best first; fewer if the page has fewer.

    A place (i, j) is among the best n only if i·j ≤ n, because no place above and left of it is worse.
    """
    width = [int(min(columns, n // shelf)) for shelf in range(1, int(min(shelves, n)) + 1)]
    shelf = np.repeat(np.arange(1, len(width) + 1), width)
    position = np.concatenate([np.empty(0, dtype=np.int64), *(np.arange(1, some + 1) for some in width)])
    best = np.lexsort((shelf, alpha * shelf + beta * position))[:n]
    return shelf[best], position[best]


def _refuse_wrong_pages(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` if the page has no whole number of places, or if the discount of its best place is not above 0."""
    for name in ("shelves", "columns"):
        if float(params[name]) != math.inf and float(params[name]) % 1:
            raise ValueError(f"{name} of N2DCG is a whole number, not {params[name]}")
    if float(params["alpha"]) + float(params["beta"]) <= 1:
        raise ValueError("alpha and beta of N2DCG must be more than 1 together, so that log2(alpha + beta) is above 0")


def _dcg(m: Measure, page: CutTable) -> Array:
    gain = gain_of(str(m.params["gain"]), page["gain"], m.offset)
    by = np.log2(float(m.params["alpha"]) * page["shelf"] + float(m.params["beta"]) * page["position"])
    return page.whole.exact_sum(gain / by, "gain/discount")


_DISCOUNT = r"\log_2(\alpha\,x_r + \beta\,y_r)"


@metric(
    "N2DCG",
    family="ranking",
    uses=("page_hits", "page_ideal"),
    axes={"gain": "ndcg_gain"},
    numbers={
        "alpha": Number(1.0, "the weight of the row in the discount", symbol=r"\alpha"),
        "beta": Number(1.0, "the weight of the position in the discount", symbol=r"\beta"),
        "shelves": Number(math.inf, "the number of rows of the page; those below do not count", least=1, symbol="X"),
        "columns": Number(math.inf, "the number of positions of a row; those on the right do not count", least=1, symbol="Y"),
    },
    cut=False,
    validate=_refuse_wrong_pages,
    tex=tex(
        rf"\sum_{{r\,:\,x_r \le X,\, y_r \le Y}} \frac{{<gain>}}{{{_DISCOUNT}}} \biggl/ "
        r"\sum_{r\,:\,x^*_r \le X,\, y^*_r \le Y} \frac{<best>}{\log_2(\alpha\,x^*_r + \beta\,y^*_r)}",
        gain=GAINS,
        best=lambda params: best_gain("relevant", str(params["gain"])),
    ),
    reference="Felicioni, Ferrari Dacrema, Pérez Maurera and Cremonesi, IIR 2021 (CEUR 2947); Ferrari Dacrema, Felicioni and Cremonesi, "
    "Frontiers in Big Data 5, 2022",
)
def n2dcg(m: Measure) -> Ratio:
    """How close to the top left of a page the relevant items are; use it if a page shows several rows of items (shelves, carousels).

    It is the gain of the hits, divided by that of the relevant items in the best places of the page, highest gain first. The gain is that
    of DCG. Rows and positions are the columns `row` and `position` of `data.recommendations`, from 1 at the top and at the left. The page
    has `shelves` rows of `columns` positions; without these parameters it has any number. An item that is on the page several times counts
    once, at its best place.

    Edge cases: takes no cut-off, since `shelves` and `columns` say what is visible. A list without rows is a page of one row, so that with
    `shelves` = 1 the value is nDCG. Reference lists have no pages and no value. If a policy for duplicates removes rows, an item counts
    where its remaining row is. The cost of clicks and swipes that the paper of 2021 adds is not included.
    """
    params = {name: float(m.params[name]) for name in _CELL}
    return Ratio(_dcg(m, m.table("page_hits", **params)), _dcg(m, m.table("page_ideal", **params)))
