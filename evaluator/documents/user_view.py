"""Everything about one user as a document, and as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl
from msgspec.structs import asdict, replace

from ..results.row import listed, shortened
from ..results.user_view import PolicyEffect, UserFinding, UserValue, UserView
from ..tables.time_units import PLACEHOLDER, TimeUnit
from . import numbers
from .document import Block, Cell, Column, Document, Heading, Paragraph, Points, Section, Sentences, Table

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""
_MOST_ROWS: Final = 20
"""Rows of lists that are shown if a measure reads whole lists, or deeper ones."""
_BESIDE: Final = 4
"""Models whose lists are side by side in one table."""
_NARROW: Final = 48
"""Letters of all titles of a row on a narrow screen."""
_SHORTEST: Final = 6
_SHORT: Final = 20
"""Letters of the title of a train or test row on a narrow screen."""
_HIT, _SEEN = "✔", "•"
_FIRST_TIME: Final = 100_000_000
"""Larger numbers are times in seconds since 1970, or in a finer unit."""


def document(view: UserView) -> Document:
    """Return the facts, the history, the test rows, the lists, the values, and what policies and checks did."""
    return (
        Heading(f"User {view.user}"),
        *([Paragraph(facts)] if (facts := _facts(view)) else []),
        *_history(view),
        *_test(view),
        *_lists(view),
        *_values(view),
        *_policies(view.policies),
        *_findings(view.findings),
        *([Sentences(view.notes, small=False)] if view.notes else []),
    )


def _facts(view: UserView) -> str:
    """Say how many rows the user has, and the user's groups."""
    parts = []
    if view.n_relevant is not None:
        rows = f" in {_count(len(view.test), 'test row')}" if view.test is not None else ""
        rule = f" (relevant: {view.relevance})" if view.relevance and view.test is not None else ""
        parts.append(f"{_count(view.n_relevant, 'relevant item')}{rows}{rule}")
    if view.history is not None:
        parts.append(_count(len(view.history), "train row"))
    parts += [f"{by}: {group}" for by, group in view.groups.items()]
    if view.weight is not None:
        parts.append(f"weight {view.weight:g}")
    return f"{'; '.join(parts)}." if parts else ""


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _item(view: UserView, item: Any) -> str:
    """Return the title of an item, or its id."""
    return view.titles.get(str(item), str(item))


def _history(view: UserView) -> Iterator[Block]:
    """Yield the newest train rows."""
    rows = view.history
    if rows is None or not len(rows) or not view.n_shown:
        return
    order = "newest first" if "timestamp" in rows.columns else "last row first"
    shown = rows.head(view.n_shown)
    table = _rows_table(view, shown, _details(shown, view.time_unit), {})
    more = len(rows) - len(shown)
    said = f"{_count(more, 'more train row')}; --show {len(rows)} shows all." if more else ""
    yield Section("history", f"History, {order}", (table, *([Paragraph(said)] if said else [])))


def _test(view: UserView) -> Iterator[Block]:
    """Yield the first test rows with the rank of each in every list."""
    rows = view.test
    if rows is None or not len(rows) or not view.n_shown:
        return
    ranks = {f"rank {model}": f"in {model}" for model in view.lists}
    shown = rows.head(view.n_shown)
    plain = _details(shown.drop("relevant", *ranks), view.time_unit)
    places = {title: ["–" if rank is None else f"{rank:,}" for rank in shown[name].to_list()] for name, title in ranks.items()}
    table = _rows_table(view, shown, plain, places)
    rest = rows.tail(len(rows) - len(shown))
    said = ""
    if len(rest):
        n = int(rest["relevant"].sum())
        said = f"{_count(len(rest), 'more test row')}, {n:,} of them relevant; --show {len(rows)} shows all."
    yield Section("test", "Test rows", (table, *([Paragraph(said)] if said else [])))


def _rows_table(view: UserView, rows: pl.DataFrame, texts: Mapping[str, Sequence[str]], counts: Mapping[str, Sequence[str]]) -> Table:
    """Return rows of items, those that are relevant with a mark; on a narrow screen titles are cut and times are left out."""
    marks = [_HIT if holds else " " for holds in rows["relevant"].to_list()] if "relevant" in rows.columns else None
    items = [_item(view, item) for item in rows["item"].to_list()]

    def table(longest: int | None, left_out: Sequence[str] = ()) -> Table:
        cut = [_cut(item, longest) for item in items]
        named = cut if marks is None else [f"{mark} {item}" for mark, item in zip(marks, cut, strict=True)]
        shown = {name: some for name, some in texts.items() if name not in left_out}
        columns = (Column("item", "name"), *(Column(name) for name in shown), *(Column(name, "counts") for name in counts))
        return Table(columns, tuple(tuple(map(Cell, row)) for row in zip(named, *shown.values(), *counts.values(), strict=True)))

    return replace(table(None), narrow=table(_SHORT, ("time",)))


def _details(rows: pl.DataFrame, unit: TimeUnit) -> dict[str, list[str]]:
    """Return all columns but the item as texts, by title."""
    shown: dict[str, list[str]] = {}
    for name in (name for name in rows.columns if name != "item"):
        if name == "timestamp":
            shown["time"] = times(rows[name], unit)
        else:
            cells = rows[name].to_list()
            shown[name] = ["" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in cells]
    return shown


def times(values: pl.Series, unit: TimeUnit) -> list[str]:
    """Return times as dates in UTC if they are numbers since 1970, without the time of the day if all are midnight; else as they are."""
    known = values.cast(pl.Float64).drop_nulls()
    known = known.filter(known.abs() > PLACEHOLDER)
    if not len(known) or float(known.min()) < _FIRST_TIME:  # type: ignore[arg-type]
        return ["" if value is None else f"{value:g}" for value in values.to_list()]
    dates = unit.as_dates(values)
    days = bool((dates.drop_nulls().dt.truncate("1d") == dates.drop_nulls()).all())
    return [text or "" for text in dates.dt.strftime("%Y-%m-%d" if days else "%Y-%m-%d %H:%M").to_list()]


def _lists(view: UserView) -> Iterator[Block]:
    """Yield the lists of all models side by side, and what the marks mean."""
    some = {model: frame for model, frame in view.lists.items() if len(frame)}
    if not some:
        if view.lists:
            yield Section("lists", "Lists", (Paragraph("No model has a list for this user."),))
        return
    names = list(some)
    tables = [_list_table(view, names[first : first + _BESIDE]) for first in range(0, len(names), _BESIDE)]
    without = [model for model in view.lists if model not in some]
    seen = any("in_train" in frame.columns for frame in some.values())
    said = [f"{_HIT} relevant" + (f"; {_SEEN} in the user's train rows" if seen else "") + "."]
    said += [f"No list: {listed(without)}."] if without else []
    yield Section("lists", "Lists", (*tables, Sentences(tuple(said))))


def _list_table(view: UserView, models: Sequence[str]) -> Table:
    """Return the lists of some models; on a narrow screen titles are cut."""
    depth = min(view.k or _MOST_ROWS, _MOST_ROWS)
    cells = {model: dict(_marked(view, view.lists[model].filter(pl.col("rank") <= depth))) for model in models}
    last = max((rank for of_model in cells.values() for rank in of_model), default=0)
    columns = (Column("rank", "counts"), *(Column(model, "name") for model in models))
    rows = [tuple(of_model.get(rank, "") for of_model in cells.values()) for rank in range(1, last + 1)]
    room = max(_NARROW // len(models) - 3, _SHORTEST)
    lengths = {True: room, False: None}
    whole, narrow = (
        Table(columns, tuple((Cell(str(rank)), *(Cell(_cut(text, lengths[cut])) for text in row)) for rank, row in enumerate(rows, 1)))
        for cut in (False, True)
    )
    return replace(whole, narrow=narrow) if whole != narrow else whole


def _marked(view: UserView, rows: pl.DataFrame) -> Iterator[tuple[int, str]]:
    """Yield the rank and the text of each row; items of equal rank share a row."""
    texts: dict[int, list[str]] = {}
    for row in rows.rows(named=True):
        mark = f"{_HIT if row['relevant'] else ' '}{_SEEN if row.get('in_train') else ' '}"
        texts.setdefault(row["rank"], []).append(f"{mark} {_item(view, row['item'])}")
    yield from ((rank, ", ".join(of_rank)) for rank, of_rank in texts.items())


def _cut(text: str, longest: int | None) -> str:
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _values(view: UserView) -> Iterator[Block]:
    """Yield the values by measure and model, and the reasons for missing ones."""
    if not view.values:
        return
    with_mean = any(value.mean is not None for value in view.values)
    with_place = any(value.better_than is not None for value in view.values)
    more = (*([Column("mean", "value")] if with_mean else []), *([Column("beats", "counts")] if with_place else []))
    models = list(dict.fromkeys(value.model for value in view.values))
    by_measure: dict[str, dict[str, UserValue]] = {}
    for value in view.values:
        by_measure.setdefault(value.measure, {})[value.model] = value
    rows, long_rows = [], []
    for measure, found in by_measure.items():
        places = numbers.decimals([number for value in found.values() for number in (value.value, value.mean)])
        head = Cell(measure, direction=next(iter(found.values())).higher_is_better)
        shown = (0, *([1] if with_mean else []), *([2] if with_place else []))
        every = {model: _value_cells(found.get(model), places) for model in models}
        cells = {model: [of_model[index] for index in shown] for model, of_model in every.items()}
        rows.append((head, *(cell for of_model in cells.values() for cell in of_model)))
        long_rows += [(head if not number else Cell(), Cell(model), *cells[model]) for number, model in enumerate(models)]
    notes = ["mean: the value of the model over all users."] if with_mean else []
    notes += ["beats: the share of users with a worse value."] if with_place else []
    if with_place and any(value.higher_is_better is None for value in view.values):
        notes.append("If neither direction is better, beats counts the users with a lower value.")
    columns = (Column("measure", "key"), *(column for model in models for column in (Column(model, "value"), *more)))
    long = Table((Column("measure", "key"), Column("model", "name"), Column("value", "value"), *more), tuple(long_rows))
    narrow = long if len(models) > 1 and more else None
    table, said = Table(columns, tuple(rows), narrow=narrow), [Sentences(tuple(notes))] if notes else []
    yield Section("values", "Values", (table, *said, *_reasons(view.values)))


def _value_cells(user_value: UserValue | None, places: int) -> tuple[Cell, Cell, Cell]:
    """Return the cells of a value: the value, the mean, and the share of users with a worse value."""
    value, mean, share = (None, None, None) if user_value is None else (user_value.value, user_value.mean, user_value.better_than)
    return (
        Cell("–" if value is None else numbers.number(value, places), value=value),
        Cell("–" if mean is None else numbers.number(mean, places), value=mean),
        Cell("–" if share is None else f"{100 * share:.0f} %", value=share),
    )


def _reasons(values: Iterable[UserValue]) -> Iterator[Block]:
    """Yield sentences on the values that are missing, each reason once."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for value in values:
        if value.value is None and value.reason:
            reasons.setdefault(value.reason, {}).setdefault(value.model, []).append(value.measure)
    texts = []
    for reason, by_model in reasons.items():
        labels = list(dict.fromkeys(label for some in by_model.values() for label in some))
        texts.append(f"No value: {shortened(labels)} under {shortened(by_model)}: {reason}.")
    if texts:
        yield Points(tuple(texts))


def _policies(effects: Sequence[PolicyEffect]) -> Iterator[Block]:
    """Yield sentences on what policies did with the user's data; effects that models share are one sentence."""
    shared: dict[PolicyEffect, list[str]] = {}
    for effect in effects:
        shared.setdefault(replace(effect, model=""), []).append(effect.model)
    texts = []
    for effect, models in shared.items():
        what = f"{shortened(models)}: {effect.what}" if any(models) else f"{effect.what[0].upper()}{effect.what[1:]}"
        rows = "" if effect.n is None else f", {effect.n:,}" if effect.total is None else f", {effect.n:,} of {effect.total:,}"
        setting = f" ({effect.axis}: {effect.choice})" if effect.axis else f" ({effect.choice})" if effect.choice else ""
        texts.append(f"{what}{rows}. {effect.effect[0].upper()}{effect.effect[1:]}{setting}.")
    if texts:
        yield Section("policies", "What was done with odd data", (Points(tuple(texts)),))


def _findings(findings: Sequence[UserFinding]) -> Iterator[Block]:
    """Yield the findings that concern the user; those that models share are one sentence."""
    shared: dict[UserFinding, list[str]] = {}
    for finding in findings:
        shared.setdefault(replace(finding, model=""), []).append(finding.model)
    texts = []
    for finding, models in shared.items():
        who = f" in {shortened(models)}" if any(models) else ""
        examples = f" ({'; '.join(finding.examples)})" if finding.examples else ""
        texts.append(f"{finding.check}, {finding.severity}{who}: {finding.problem}{examples}.")
    if texts:
        yield Section("findings", "Findings of checks that concern this user", (Points(tuple(texts)),))


# For programs


def cells(view: UserView) -> dict[str, Any]:
    """Return everything as plain values."""
    frames = {name: None if frame is None else frame.to_dicts() for name, frame in (("history", view.history), ("test", view.test))}
    return {
        "format_version": FORMAT_VERSION,
        "user": view.user,
        "n_relevant": view.n_relevant,
        "relevance": view.relevance,
        "k": view.k,
        "groups": dict(view.groups),
        "weight": view.weight,
        **frames,
        "lists": {model: frame.to_dicts() for model, frame in view.lists.items()},
        "values": [{**asdict(value), "better_than": value.better_than} for value in view.values],
        "policies": [asdict(policy) for policy in view.policies],
        "findings": [{**asdict(finding), "examples": list(finding.examples)} for finding in view.findings],
        "titles": dict(sorted(view.titles.items())),
        "notes": list(view.notes),
    }
