"""Cautions on files that may not be meant so: all events or ratings count, a word for none is a category, or folds are read as one."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final

import numpy as np
import polars as pl

from .. import load
from ..load.columns import is_no_category, says_part
from ..metrics.definition import Definition
from ..results.row import listed, sentences_with_models
from ..scoring.partial import Partial
from ..scoring.task import tables_of
from ..support.errors import DataError
from ..support.patterns import regex
from ..tables.graph import closure
from .files import Files
from .inputs import Inputs

_FOLD: Final = regex(r"(?i)(?<![a-z])(fold|split|cv)")
"""A word for folds in a path."""
_SAMPLE: Final = 100_000
"""Number of rows in which events are counted."""
_MOST_RATINGS: Final = 20
"""Largest number of distinct ratings; more are scores or counts."""
_RELEVANT: Final = [2, 3, 6, 7]
"""The cells of users with a relevant item."""


def cautions(files: Files) -> Iterator[str]:
    """Yield sentences without which the values of a run may mislead; without health checks only those on files that are read as one."""
    yield from _fold_cautions(files.inputs)
    yield from remarks_on_order(files.inputs, of_frames=False)
    if files.request.checks.on:
        yield from _relevance_cautions(files)
        yield from _category_cautions(files)
        yield from _catalogue_cautions(files)


def remarks_on_order(inputs: Inputs, *, of_frames: bool = True) -> list[str]:
    """Return sentences on models whose lists are in the order of the rows, or of a column that was found by the words in its name.

    Without `of_frames`, the order of rows is said of files only: values in memory are usually given in their order.
    """
    of_file = "the file has no recognised rank or score column; the row order is the rank."
    of_frame = "there is no recognised rank or score column; the given order is the rank."
    said = []
    for name, source in inputs.models.items():
        is_frame, has_order = source.scan.frame is not None, bool({"position", "score"} & source.columns)
        if source.reading and not source.is_by_name:
            continue  # the sentence on its reading says it
        if source.order_by_words:
            said.append((name, f"{source.order_by_words}."))
        elif not has_order and not source.scan.lists and not _has_entry_per_user(source) and (of_frames or not is_frame):
            said.append((name, of_frame if is_frame else of_file))
    baseline = inputs.source("baseline")
    if baseline is not None and baseline.order_by_words:
        said.append((baseline.role, f"{baseline.order_by_words}."))
    return [*readings(inputs), *sentences_with_models(said)]


def readings(inputs: Inputs) -> list[str]:
    """Return a sentence on each source that was recognised by values or positions, the same of several in one."""
    named = {source.role: name for name, source in inputs.models.items()}
    by_content = [source for source in inputs.all() if source.reading and not source.is_by_name]
    of_file = [
        (named.get(source.role, source.role), f"{PurePath(source.name).name}: {source.reading}.", f"read as: {source.reading}.")
        for source in by_content
    ]
    same = Counter(text for *_, text in of_file)
    return sentences_with_models((name, shared if same[shared] > 1 else own) for name, own, shared in of_file)


def _has_entry_per_user(source: load.Source) -> bool:
    """Return whether a source is a JSON document with a list for each user, whose order is the rank."""
    return any(file.is_document for file in source.files) and load.is_by_user(source.originals[0].local)


def _fold_cautions(inputs: Inputs) -> Iterator[str]:
    """Yield a sentence if the files of the test set and of models are as many, and named alike, like folds."""
    test = [file.name for file in inputs.test.originals]
    keys = _keys_of_files(test)
    lists = {name: [file.name for file in source.originals] for name, source in inputs.models.items()}
    folds = [name for name, paths in lists.items() if keys & _keys_of_files(paths) and any(map(_FOLD.search, (*test, *paths)))]
    if folds:
        have = f"{listed(folds)} {'has' if len(folds) == 1 else 'have'} as many, with the same names, and they are read as one test set"
        yield f"data.test has {len(test):,} files, {have}: are these folds? receval init writes a config with folds."


def _keys_of_files(paths: Sequence[str]) -> set[frozenset[str]]:
    """Return the values of each part of some paths that differs in all of them, such as the number of the fold; empty for one path."""
    parts = [re.split(r"[^A-Za-z0-9]+", path) for path in paths]
    if len(paths) < 2 or len({len(part) for part in parts}) > 1:
        return set()
    return {frozenset(values) for values in zip(*parts, strict=True) if len(set(values)) == len(paths)}


def _relevance_cautions(files: Files) -> Iterator[str]:
    """Yield a sentence if the test file has a column of events and no filter, or ratings and no threshold, and every row is relevant."""
    test, plan = files.inputs.test, files.request.plan
    if not any("truth_table" in closure(tables_of(definition)) for definition in plan.all):
        return
    found = None if test.scan.where else load.events(test, _SAMPLE)
    if "rating" in test.columns and (found is None or not says_part(found.name)):
        is_loose = any(
            definition.truth.rule == "above_zero" and definition.truth.threshold is None and not definition.truth.graded
            for definition in plan.all
        )
        if is_loose and "relevance" not in files.request.evaluation.model_fields_set:
            yield from _rating_cautions(test, files.sides["test"].frame)
    elif found is not None:
        keep = "filter its rows first" if test.scan.format == "frame" else f'keep those of one kind with --where "{found.likely_filter}"'
        rows = f"in the first {_SAMPLE:,} rows" if found.n_rows == _SAMPLE else ""
        counts = "every row counts as relevant" if test.target is None else "the target of a user may be a row of any of them"
        yield f"{test.role}: {' '.join(filter(None, (found.text, rows)))}, and {counts}; {keep}."


def _rating_cautions(test: load.Source, frame: pl.DataFrame) -> Iterator[str]:
    """Yield a sentence on ratings all of which are relevant, with a threshold if they look like stars."""
    rating = frame["rating"].unique().cast(pl.Float64).drop_nulls()
    if not 3 <= len(rating) <= _MOST_RATINGS:
        return
    least, most = float(rating.min()), float(rating.max())  # type: ignore[arg-type]
    threshold = "4" if load.like_stars(least, most, rating.to_list()) else "N"
    keep = f"relevance={threshold}" if test.scan.format == "frame" else f"--threshold {threshold}"
    span = f"the ratings go from {least:g} to {most:g}, and all above 0 count as relevant"
    yield f"{test.role}: {span}; {keep} counts those of at least {threshold}."


def _catalogue_cautions(files: Files) -> Iterator[str]:
    """Yield a sentence if items of train or test are not in data.items, which is the catalogue of some measures."""
    prepared = files.prepared
    over_catalogue = (
        definition for definition in files.request.plan.shown if "catalogue" in definition.needs and not definition.metric.as_delivered
    )
    metrics = list(dict.fromkeys(definition.metric.name for definition in over_catalogue))  # InvalidShare takes items of train as well
    if files.inputs.source("items") is None or not metrics:
        return
    in_train = prepared.in_train & ~prepared.in_catalogue
    known = prepared.items.ids.filter(pl.Series(prepared.in_catalogue))
    tested = files.sides["test"].frame["item"].drop_nulls()
    in_test = tested.filter(~tested.is_in(known.implode()))
    n_rows = {"train": int(prepared.train_rows[in_train].sum()), "test": len(in_test)}
    given = {role: n for role, n in n_rows.items() if n}
    if not given:
        return
    n = pl.concat([prepared.items.ids.filter(pl.Series(in_train)).rename("item"), in_test.rename("item")]).n_unique()
    rows = " and ".join(f"{count:,}" for count in given.values())
    several = f"{n:,} item{'s' * (n > 1)} of {' and '.join(given)} ({rows} row{'s' * (sum(given.values()) > 1)})"
    are, take = "is" if n == 1 else "are", "takes" if len(metrics) == 1 else "take"
    yield f"{several} {are} not in data.items; {listed(metrics)} {take} only the items of data.items as the catalogue."


def _category_cautions(files: Files) -> Iterator[str]:
    """Yield a sentence if items have a word for none, such as `(no genres listed)`, as their only category."""
    items, prepared = files.request.loaded.config.data.items, files.prepared
    words = {group.code: group.name for group in prepared.groups.get("categories", ()) if is_no_category(group.name)}
    if items is None or len(items.category_columns) > 1 or not words:
        return
    n_categories = np.bincount(prepared.category_item)[prepared.category_item]
    n_items = {code: int(((prepared.category_code == code) & (n_categories == 1)).sum()) for code in words}
    having = [words[code] for code, n in n_items.items() if n]
    if having:
        n, nulls = sum(n_items.values()), [*(items.null_values or ()), *having]
        several = f"one of the categories {listed([*map(repr, having)])}, which count as categories"
        what = several if having[1:] else f"the category {having[0]!r}, which counts as a category"
        value: str | list[str] = nulls if nulls[1:] or nulls[0] == "-" else nulls[0]
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        source = files.inputs.source("items")
        is_frame = source is not None and source.scan.format == "frame"
        way = f"items={{'frame': …, 'null_values': {value!r}}}" if is_frame else f"--set {shlex.quote(f'data.items.null_values={written}')}"
        of = f"{n:,} of {int(prepared.in_catalogue.sum()):,} items {'has' if n == 1 else 'have'}"
        yield f"data.items: {of} {what}; {way} reads {'them' if having[1:] else 'it'} as no category."


def refuse_nothing_relevant(source: load.Source, definitions: Sequence[Definition], found: Partial) -> None:
    """Raise `DataError` if no measure that reads the test file has a value because no user has a relevant item.

    A measure that counts such users as 0, or that reads all ratings, relevant or not, has a value.
    """
    looking = [
        i
        for i, definition in enumerate(definitions)
        if definition.population in ("test", "tested") or "test_pairs" in closure(tables_of(definition))
    ]
    counting = [i for i in looking if (definitions[i].population, definitions[i].user_rules.no_relevant) == ("test", "drop")]
    if counting != looking or not looking or any(found.cells[i][_RELEVANT].sum() or found.valued[i].sum() for i in counting):
        return
    cells, choice = found.cells[looking[0]], definitions[looking[0]].truth
    least = f" of at least {choice.threshold:g}" if choice.threshold is not None else ""
    rules = {"above_zero": " above 0", "above_half": " above 0.5", "at_least_zero": " of at least 0", "at_least_one": " of at least 1"}
    wanted = least or rules.get(choice.rule, "")
    rating = f", that is, a rating{wanted}" if wanted and "rating" in source.columns else ""
    left_out = "" if choice.filter == "none" else "; test rows of users and items that are not in train or the catalogue are left out"
    n_test = int(cells[4:].sum())
    who = f"none of {n_test:,} users has a" if n_test > 1 else "its only user has no"
    hint = "lower the threshold; receval describe shows the ratings" if rating and least else ""
    raise DataError(f"{source.role}: {who} relevant item{rating}{left_out}", hint)
