"""Differences of models, for every form: the tables are made here and nowhere else.

- `COLUMNS` is the list of columns: a further one here is a further one on the screen, in Markdown, in the page and in LaTeX
- `document` is what `receval compare` shows, `section` and `losers_section` stand in a report
- `pair_tables` has a table for each pair, `joined_table` one for all pairs (for a paper), `groups_table` the differences within groups,
  `letters_table` the values of all models with letters, `losers_tables` the users who lose most
- `title`, `subtitle` and `footnotes` are the texts around them, `pairs` the pairs of models, base first

Cells have numbers as text with a minus sign (U+2212), `value` for sorting, `direction` beside the name of a measure, letters as `note`, the
`mark` of a verdict, and `drawn` in the column of intervals. Whether a sign stands before a verdict, how intervals are drawn and where lines
break is up to the form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..document import Block, Cell, Column, Document, Figure, Heading, Interval, Paragraph, Points, Role, Section, Table
from ..results.comparison import Comparison, conclusions
from ..stats.concluding import decimals, plain, signed, users_text
from ..stats.difference import Difference
from . import numbers, verdicts

DATA: Final = ("measure", "difference", "low", "high", "p_adjusted", "up", "same", "down", "margin", "verdict")
"""The columns that programs read of a page; those of groups have `DATA_OF_GROUPS` before them."""
DATA_OF_GROUPS: Final = ("by", "group", "model", "base", "n_users")
MOST_PAIRED: Final = 3
"""With more models all pairs are told by letters alone, on a screen and in a paper."""
LETTERS: Final = "Models that share a letter are not clearly different"
_LEAST_DECIMALS, _MOST_DECIMALS = 4, 6


class Shown(Struct, frozen=True):
    """How the differences of one table are shown: with how many decimals, and which measures are judged."""

    digits: int
    judged: tuple[str, ...]


class DifferenceColumn(Struct, frozen=True):
    """A column of differences: title, role, how the cell of a difference is made, and when it makes room (see `Column.yields`)."""

    title: str
    role: Role
    cell: Callable[[Difference, Shown], Cell]
    yields: int = 0


def _interval_cell(one: Difference, shown: Shown) -> Cell:
    if one.interval is None:
        return Cell("–")
    low, high = one.interval
    drawn = Interval(one.difference, low, high, one.margin, mark=one.verdict or "")
    return Cell(f"{signed(low, shown.digits)} to {signed(high, shown.digits)}", drawn=drawn)


def _p_cell(one: Difference, shown: Shown) -> Cell:
    """Return the corrected p value, or the plain one of a measure that is not judged."""
    p = one.p if one.p_adjusted is None else one.p_adjusted
    return Cell("" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}", value=p)


def _counts_cell(one: Difference, shown: Shown) -> Cell:
    """Return for how many users the value is better, the same, and worse."""
    known = one.up is not None and one.same is not None and one.down is not None
    return Cell(f"{one.up:,}/{one.same:,}/{one.down:,}" if known else "")


COLUMNS: tuple[DifferenceColumn, ...] = (
    DifferenceColumn("measure", "key", lambda one, shown: Cell(one.subject.measure, direction=one.subject.higher_is_better)),
    DifferenceColumn("base", "value", lambda one, shown: number_cell(one.base_value, shown.digits), 3),
    DifferenceColumn("value", "value", lambda one, shown: number_cell(one.value, shown.digits), 2),
    DifferenceColumn("Δ", "difference", lambda one, shown: number_cell(one.difference, shown.digits, sign=True)),
    DifferenceColumn("interval", "interval", _interval_cell, 1),
    DifferenceColumn("p", "p", _p_cell, 5),
    DifferenceColumn("up/same/down", "counts", _counts_cell, 4),
    DifferenceColumn("verdict", "verdict", lambda one, shown: verdicts.verdict_cell(one, shown.judged)),
)
"""The columns of differences. A table of one pair names its models above `base` and `value`; `interval` is headed by its level."""
_GROUP: Final = DifferenceColumn("group", "key", lambda one, shown: Cell(f"{one.subject.by} {one.subject.group}"))
_MODEL: Final = DifferenceColumn("model", "name", lambda one, shown: Cell(one.subject.model))
_USERS: Final = DifferenceColumn("users", "value", lambda one, shown: Cell(f"{one.n_users:,}", value=one.n_users), 6)


def document(comparison: Comparison, look_at: str = "CONFIG") -> Document:
    """Return tables of pairs, or letters if there are many, conclusions, groups, users who lose most, and footnotes.

    `look_at` is the config that the command to look at one user names.
    """
    blocks: list[Block] = [Heading(title(comparison)), Paragraph(subtitle(comparison))]
    blocks += map(_headed, pair_tables(comparison) if shows_pairs(comparison) else ())
    if comparison.letters:
        blocks += [Heading("Models that are not clearly different", 2), _headed(letters_table(comparison)), Paragraph(f"{LETTERS}.")]
    blocks.append(Points(tuple(conclusions(comparison))))
    if comparison.by_group:
        blocks += [Heading("Within groups", 2), _headed(groups_table(comparison))]
    for table, (model, measure) in zip(losers_tables(comparison), comparison.losers, strict=True):
        blocks += [Heading(table.caption, 2), *_losers(table, model, measure, look_at)]
    found = footnotes(comparison)
    return (*blocks, *([Points(found)] if found else []))


def section(comparison: Comparison, figures: Sequence[Figure] = (), *, signs: bool = True) -> Section:
    """Return the section of a report: the method, conclusions, charts, and the tables of all pairs and of groups.

    What `signs` of verdicts and the band of a margin mean is said where a form shows them.
    """
    margins = any(one.margin is not None for one in comparison.differences)
    band = "; the grey band is the margin, within which a difference does not matter" if margins else ""
    counts = "up/same/down: the number of users with a better, the same and a worse value"
    letters = [letters_table(comparison)] if comparison.letters else []
    groups = [groups_table(comparison)] if comparison.by_group else []
    return Section(
        "differences",
        "Differences",
        (
            Paragraph(f"{title(comparison)}: {subtitle(comparison)}. Δ is the model minus the baseline; {counts}."),
            *([Paragraph(f"{verdicts.legend()}{band}.")] if signs else []),
            Points((*conclusions(comparison), *footnotes(comparison))),
            *figures,
            *letters,
            *pair_tables(comparison),
            *groups,
        ),
    )


def losers_section(comparison: Comparison) -> Section:
    """Return the users with the largest losses, for a report that may name users."""
    return Section("losers", "Users with the largest losses", losers_tables(comparison))


def title(comparison: Comparison) -> str:
    """Return which models are compared with which."""
    if comparison.base is None:
        return f"{len(comparison.models)} models, all pairs" if comparison.letters else "Models of the same name"
    return f"{', '.join(comparison.others)} against {comparison.base}"


def subtitle(comparison: Comparison) -> str:
    """Return the number of users, how they were paired, and how p values were corrected."""
    n = sorted({one.n_users for one in comparison.differences if one.n_users})
    users = users_text(n[0]) if len(n) == 1 else f"{n[0]:,} to {n[-1]:,} users" if n else "no per-user values"
    settings = comparison.settings
    family = max((one.family or 0 for one in comparison.differences), default=0)
    corrected = verdicts.corrected_text(settings.correction, family)
    by = "p not corrected" if corrected == "not corrected" else f"p by {corrected}"
    test = "" if settings.test == "t" else f" · test: {settings.test}"
    return f"{users}{', paired by id' if comparison.paired and n else ''} · {_level(comparison)}s · {by}{test}"


def footnotes(comparison: Comparison) -> tuple[str, ...]:
    """Return the notes on the comparison and on its differences, each once."""
    return tuple(dict.fromkeys((*comparison.notes, *_notes_on(comparison.differences))))


def pairs(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """Return the pairs of models, base first."""
    return tuple(dict.fromkeys((one.subject.base, one.subject.model) for one in comparison.differences))


def shows_pairs(comparison: Comparison) -> bool:
    """Return whether a screen or a paper has tables of pairs; of all pairs of many models letters say the same."""
    return not comparison.letters or len(comparison.models) <= MOST_PAIRED


def pair_tables(comparison: Comparison) -> tuple[Table, ...]:
    """Return a table for each pair; measures that are not judged stand last."""
    return tuple(_pair(number, base, model, comparison) for number, (base, model) in enumerate(pairs(comparison), 1))


def joined_table(comparison: Comparison) -> Table:
    """Return one table of all pairs; where there are several, a line above its rows names each."""
    rows: list[Difference] = []
    headings: dict[int, str] = {}
    for base, model in pairs(comparison):
        headings[len(rows)] = _against(model, base)
        rows += _of_pair(base, model, comparison)
    caption = f"Comparison of {title(comparison)}. {subtitle(comparison)}."
    meaning = verdicts.meanings(one.verdict for one in rows if one.subject.measure in comparison.judged)
    notes = (*([meaning] if meaning else []), *footnotes(comparison))
    return _table(COLUMNS, rows, comparison, caption=caption, id="comparison", rules=headings if len(headings) > 1 else {}, notes=notes)


def groups_table(comparison: Comparison) -> Table:
    """Return the differences within groups of users."""
    rows = comparison.by_group
    return _table(
        (_GROUP, _MODEL, COLUMNS[0], _USERS, *COLUMNS[1:]),
        rows,
        comparison,
        caption="Differences within groups",
        id="differences-groups",
        columns_of_data=(*DATA_OF_GROUPS, *DATA),
        data=[_data(one, (*DATA_OF_GROUPS, *DATA)) for one in rows],
    )


def letters_table(comparison: Comparison, digits: int | None = None) -> Table:
    """Return the values of all models by measure, each with its letters; models that share one are not clearly different.

    Values have `digits` decimals, or as many as those of their measure need.
    """
    rows = tuple(_lettered(measure, comparison, digits) for measure in comparison.letters)
    columns = (Column("measure", "key"), *(Column(model, "value") for model in comparison.models))
    return Table(columns, rows, LETTERS, "letters", turns=True, corner="model")


def losers_tables(comparison: Comparison) -> tuple[Table, ...]:
    """Return for each model and measure the users with the largest losses; a table without rows where nobody loses."""
    return tuple(
        _losers_table(number, model, measure, frame.rows(named=True))
        for number, ((model, measure), frame) in enumerate(comparison.losers.items(), 1)
    )


def number_cell(value: float | None, digits: int, *, sign: bool = False) -> Cell:
    """Return a cell with a number; a dash where there is none."""
    return Cell("–" if value is None else signed(value, digits) if sign else plain(value, digits), value=value)


def digits_of(differences: Iterable[Difference]) -> int:
    """Return the number of decimals of a table of differences: two significant digits of the narrowest interval, within limits."""
    needed = [decimals((one.interval[1] - one.interval[0]) / 2) for one in differences if one.interval is not None]
    return min(max([_LEAST_DECIMALS, *(places for places in needed if places is not None)]), _MOST_DECIMALS)


def _pair(place: int, base: str, model: str, comparison: Comparison) -> Table:
    rows = _of_pair(base, model, comparison)
    return _table(
        COLUMNS,
        rows,
        comparison,
        {"base": base, "value": model},
        caption=_against(model, base),
        id=f"differences-{place}",
        columns_of_data=DATA,
        data=[_data(one, DATA) for one in rows],
        about={"model": model, "base": base},
    )


def _table(
    columns: Sequence[DifferenceColumn],
    rows: Sequence[Difference],
    comparison: Comparison,
    titles: Mapping[str, str] = MappingProxyType({}),
    **rest: Any,
) -> Table:
    shown = Shown(digits_of(rows), comparison.judged)
    named = {"interval": _level(comparison), **titles}
    heads = tuple(Column(named.get(one.title, one.title), one.role, yields=one.yields) for one in columns)
    return Table(heads, tuple(tuple(column.cell(one, shown) for column in columns) for one in rows), **rest)


def _of_pair(base: str, model: str, comparison: Comparison) -> list[Difference]:
    of_pair = [one for one in comparison.differences if (one.subject.base, one.subject.model) == (base, model)]
    return sorted(of_pair, key=lambda one: one.subject.measure not in comparison.judged)


def _headed(table: Table) -> Table:
    """Return the table without a caption: the heading above it says the same, or its heads do."""
    return replace(table, caption="")


def _lettered(measure: str, comparison: Comparison, digits: int | None) -> tuple[Cell, ...]:
    values = {model: comparison.values[measure, model] for model in comparison.models}
    places = numbers.decimals(values.values()) if digits is None else digits
    letters = comparison.letters[measure]
    cells = (Cell(numbers.number(value, places) or "–", note=letters.get(model, ""), value=value) for model, value in values.items())
    return Cell(measure, direction=comparison.higher_is_better[measure]), *cells


def _against(model: str, base: str) -> str:
    return f"{model} against {base}"


def _level(comparison: Comparison) -> str:
    return f"{100 * comparison.settings.level:g} % interval"


def _data(one: Difference, names: Sequence[str]) -> list[Any]:
    cells = one.cells()
    return [cells[name] for name in names]


def _notes_on(differences: Sequence[Difference]) -> Iterator[str]:
    """Yield the footnotes of differences, each with the measures that it is about."""
    named: dict[str, list[str]] = {}
    for one in differences:
        for note in one.notes:
            named.setdefault(note, []).append(one.subject.measure)
    everything = len({one.subject.measure for one in differences})
    for note, measures in named.items():
        of_all = len(set(measures)) == everything
        yield note if of_all else f"{', '.join(dict.fromkeys(measures))}: {note}"


def _losers_table(place: int, model: str, measure: str, rows: Sequence[dict[str, Any]]) -> Table:
    folds = ("fold",) if rows and "fold" in rows[0] else ()
    columns = (
        Column("user", "key"),
        *(Column(name, "text") for name in folds),
        Column("base", "value"),
        Column(model, "value"),
        Column("Δ", "difference"),
    )
    cells = tuple(
        (
            *(Cell(str(row[name])) for name in ("user", *folds)),
            *(number_cell(row[name], _LEAST_DECIMALS, sign=name == "difference") for name in ("base", "model", "difference")),
        )
        for row in rows
    )
    return Table(columns, cells, f"Users with the largest losses in {measure} with {model}", f"losers-{place}")


def _losers(table: Table, model: str, measure: str, look_at: str) -> Iterator[Block]:
    """Yield the table, and the command that shows how the value of the first user comes about."""
    if not table.rows:
        yield Paragraph("Nobody.")
        return
    name = model.rpartition("/")[2] if "/" in model else model
    yield _headed(table)
    yield Paragraph(f"To explain the first: `receval explain '{measure}' {look_at} --user '{table.rows[0][0].text}' --model '{name}'`")
