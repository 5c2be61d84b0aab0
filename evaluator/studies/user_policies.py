"""How the policies handled the data of one user: duplicates, ties, seen items, rows that were left out, and whether the user counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from .. import load
from ..conventions.axes import AXES
from ..evaluation.files import Files, lazy_rows, reading
from ..load.opening import FAILURES
from ..load.scan import ReadError
from ..metrics.definition import Definition
from ..results.row import shortened
from ..results.user_view import PolicyEffect
from ..scoring.per_user import Scorer
from ..tables.array import Array
from ..tables.lists import ListRows, Reading, order_of
from ..tables.rows import LISTS
from ..tables.truth import TEST, TestPairs

_NAMED: Final = ("tie_order", "truth_filter")
"""Axes whose values name what they decide."""


def effects_on_lists(scorer: Scorer, definitions: Sequence[Definition], model: str) -> Iterator[PolicyEffect]:
    """Yield how the settings of some measures handled the list of the only user of a part."""
    stored: ListRows = scorer.tables.get("rows_as_stored", scorer.choice(definitions[0]))
    total = len(stored.user)
    for axis, what, n in (
        ("duplicates", "rows that repeat an item of the list", total - stored.rows.item.n_unique()),
        ("tie_order", "rows with the score of another row", _n_tied(stored, definitions[0])),
        ("seen_items", "rows with an item of the user's train rows", _n_seen(scorer)),
        ("unknown_items", "rows with an item that is in neither train nor the catalogue", _n_unknown(scorer, stored, definitions)),
    ):
        if n:
            yield from _effects(axis, definitions, model, what, n, total)
    own: Reading = scorer.tables.get("reading", scorer.choice(definitions[0]))
    if total and not len(own):
        yield PolicyEffect(model, "", "", "no row of the list is left", "all rows were removed")


def effects_on_user(scorer: Scorer, definitions: Sequence[Definition], model: str) -> Iterator[PolicyEffect]:
    """Yield how the settings of some measures handled the only user of a part, who lacks a list, a relevant item or a test row."""
    tested, listed = bool(scorer.facts.tested[0]), len(scorer.part.rows(LISTS)) > 0
    relevant = bool(scorer.counts(definitions[0])[1][0])
    empty = scorer.facts.empty is not None and bool(scorer.facts.empty[0])
    judged = [definition for definition in definitions if definition.population in ("test", "tested")]
    if not judged:
        return
    if empty:
        yield from _effects("empty_truth", judged, "", "an empty list of test items")
    elif tested and not relevant:
        yield from _effects("no_relevant", judged, "", "no relevant item")
    elif listed and not tested:
        yield from _effects("no_truth", judged, model, "a list and no test row")
    if relevant and not listed:
        yield from _effects("missing_lists", judged, model, "no list")


def effects_on_test(scorer: Scorer, definitions: Sequence[Definition]) -> Iterator[PolicyEffect]:
    """Yield how the settings of some measures handled repeated test rows, and test rows that a convention leaves out."""
    rows = scorer.part.rows(TEST)
    if not len(rows):
        return
    pairs: TestPairs = scorer.tables.get("test_pairs", scorer.choice(definitions[0]))
    if pairs.repeats:
        yield from _effects("truth_duplicates", definitions, "", "test rows that repeat an item", len(rows) - len(pairs), len(rows))
    filtering = [definition for definition in definitions if definition.truth.filter != "none"]
    n = int(_filtered(scorer, filtering[0].truth.filter).sum()) if filtering and "train" in scorer.part else 0
    if n:
        yield from _effects("truth_filter", filtering, "", "test rows of unknown users or items, or in train", n, len(rows))


def rows_left_out(files: Files, models: Sequence[str], user: int | str) -> Iterator[PolicyEffect]:
    """Yield how many rows of the user a filter, a target or a missing value left out, in each file that was read.

    Files with a filter or a target are read once more, for the rows of this user only.
    """
    roles = {
        origin.role: origin for role in ("test", "train") if (origin := files.inputs.source(role)) is not None and "user" in origin.columns
    }
    lists = {files.inputs.models[model].role: files.inputs.models[model] for model in models}
    for role, source in {**roles, **lists}.items():
        model = next((name for name in models if files.inputs.models[name].role == role), "")
        read = files.reader.as_read.get(role, source)
        if read.faulty is not None and (n := _n_rows(read.faulty_rows(), user)):
            yield PolicyEffect(model, "missing_values", "drop", f"rows of {role} without a value", "such rows are left out", n)
        if source.scan.format == "table":
            continue  # Spark would read the whole table again
        kept = _n_rows(read, user) if source.scan.where or source.target is not None else None
        if kept is not None and source.scan.where:
            total = _n_rows(read.with_scan(where=""), user)
            if total > kept:
                yield PolicyEffect(
                    model, "", source.scan.where, f"rows of {role} that are left out", "the filter keeps only others", total - kept, total
                )
        if kept is None or source.target is None:
            continue
        used = len(files.sides[TEST].frame.filter(pl.col("user") == user))  # only data.test has a target
        if kept > used:
            yield PolicyEffect(
                model, "", source.target.rule, f"rows of {role} that are left out", "the target keeps only others", kept - used, kept
            )


def _n_rows(source: load.Source, user: int | str) -> int:
    try:
        with reading():
            return int(lazy_rows(source).filter(pl.col("user") == user).select(pl.len()).collect(engine="streaming").item())
    except (*FAILURES, ReadError):  # rows that a filter leaves out may be unreadable
        return 0


def _effects(
    axis: str, definitions: Sequence[Definition], model: str, what: str, n: int | None = None, total: int | None = None
) -> Iterator[PolicyEffect]:
    """Yield an effect for each value that an axis has in some measures."""
    chosen: dict[str, list[str]] = {}
    for definition in definitions:
        for inner in definition.all:
            chosen.setdefault(str(inner.axes[axis]), []).append(definition.label)
    meanings: Mapping[str, str] = AXES[axis].meanings
    subject = re.sub(r" \([^)]*\)", "", AXES[axis].decides) + (":" if axis in _NAMED else "")
    for choice, labels in chosen.items():
        of_labels = f", for {shortened(dict.fromkeys(labels))}" if len(chosen) > 1 else ""
        yield PolicyEffect(model, axis, choice, what, f"{subject} {meanings.get(choice, '')}{of_labels}", n, total)


def _n_tied(stored: ListRows, definition: Definition) -> int:
    """Return the number of rows of a list whose score, or rank, another row has too."""
    (name, _), *_ = order_of(stored.rows, definition.lists)
    if name == "row" or not len(stored.user):
        return 0
    counts: Array = np.unique(np.asarray(stored.key(name)), return_counts=True)[1]
    return int(counts[counts > 1].sum())


def _n_seen(scorer: Scorer) -> int:
    """Return the number of rows of the list whose item is in the user's train rows."""
    part = scorer.part
    return len(part.lookup_of_train.find(part.pairs[LISTS])[0]) if "train" in part else 0


def _n_unknown(scorer: Scorer, stored: ListRows, definitions: Sequence[Definition]) -> int:
    """Return the number of rows of the list with an item that is in neither train nor the catalogue; 0 if no measure asks for it."""
    known = scorer.prepared.in_train | scorer.prepared.in_catalogue
    asks = any(inner.lists.unknown != "keep" for definition in definitions for inner in definition.all)
    return int((~np.append(known, False)[stored.item_index]).sum()) if asks and known.any() else 0


def _filtered(scorer: Scorer, choice: str) -> Array:
    """Return a mask of the test rows that a filter of test rows leaves out."""
    rows, prepared = scorer.part.rows(TEST), scorer.prepared
    known = np.append(prepared.in_catalogue, False)[prepared.items.index_of(rows.frame["item"])]
    mask: Array = ~known | (len(scorer.part.rows("train")) == 0)
    if choice == "known_unseen":
        mask[scorer.part.lookup_of_train.find(scorer.part.pairs[TEST])[0]] = True
    return mask
