"""Differences of models, for every form: the tables are made here and nowhere else, and so are the words of verdicts.

`COLUMNS` is the list of columns: a further one here is a further one on the screen, in Markdown, in the page and in LaTeX.

Cells have numbers as text with a minus sign (U+2212), `value` for sorting, `direction` beside the name of a measure, letters as `note`, the
`mark` of a verdict, and `drawn` in the column of intervals. Whether a sign stands before a verdict, how intervals are drawn and where lines
break is up to the form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..document import SIGNS, Block, Cell, Column, Document, Figure, Heading, Interval, Paragraph, Points, Role, Section, Table
from ..results.comparison import Comparison, conclusions
from ..stats.concluding import decimals, plain, signed
from ..stats.difference import MEANINGS, Difference, Verdict
from . import numbers
from .best_values import corrected_text

DATA: Final = ("measure", "difference", "low", "high", "p_adjusted", "up", "same", "down", "margin", "verdict")
"""The columns that programs read of a page; those of groups have `DATA_OF_GROUPS` before them."""
DATA_OF_GROUPS: Final = ("by", "group", "model", "base", "n_users")
MOST_PAIRED: Final = 3
"""With more models all pairs are told by letters alone, on a screen and in a paper."""
LETTERS: Final = "Models that share a letter are not clearly different"
_EXPLAINED: Final[tuple[Verdict, ...]] = ("equivalent", "identical", "inconclusive")
"""The verdicts whose words do not say everything."""
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


def _verdict_cell(one: Difference, shown: Shown) -> Cell:
    if one.subject.measure not in shown.judged:
        return Cell("(not judged)")
    return Cell(one.verdict or "–", mark=one.verdict or "")


def _number_cell(value: float | None, digits: int, *, sign: bool = False) -> Cell:
    """Return a cell with a number; a dash where there is none."""
    return Cell("–" if value is None else signed(value, digits) if sign else plain(value, digits), value=value)


COLUMNS: tuple[DifferenceColumn, ...] = (
    DifferenceColumn("measure", "key", lambda one, shown: Cell(one.subject.measure, direction=one.subject.higher_is_better)),
    DifferenceColumn("base", "value", lambda one, shown: _number_cell(one.base_value, shown.digits), 3),
    DifferenceColumn("value", "value", lambda one, shown: _number_cell(one.value, shown.digits), 2),
    DifferenceColumn("Δ", "difference", lambda one, shown: _number_cell(one.difference, shown.digits, sign=True)),
    DifferenceColumn("interval", "interval", _interval_cell, 1),
    DifferenceColumn("p", "p", _p_cell, 5),
    DifferenceColumn("up/same/down", "counts", _counts_cell, 4),
    DifferenceColumn("verdict", "verdict", _verdict_cell),
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
    # Tables are without captions: the headings above them say the same, or their heads do.
    blocks += [replace(table, caption="") for table in pair_tables(comparison) if shows_pairs(comparison)]
    if comparison.letters:
        letters = replace(letters_table(comparison), caption="")
        blocks += [Heading("Models that are not clearly different", 2), letters, Paragraph(f"{LETTERS}.")]
    blocks.append(Points(tuple(conclusions(comparison))))
    if comparison.by_group:
        blocks += [Heading("Within groups", 2), replace(groups_table(comparison), caption="")]
    for table, (model, measure) in zip(losers_tables(comparison), comparison.losers, strict=True):
        blocks.append(Heading(table.caption, 2))
        if table.rows:
            name = model.rpartition("/")[2]
            command = f"receval explain '{measure}' {look_at} --user '{table.rows[0][0].text}' --model '{name}'"
            blocks += [replace(table, caption=""), Paragraph(f"To explain the first: `{command}`")]
        else:
            blocks.append(Paragraph("Nobody."))
    found = footnotes(comparison)
    return (*blocks, *([Points(found)] if found else []))


def section(comparison: Comparison, figures: Sequence[Figure] = (), *, signs: bool = True) -> Section:
    """Return the section of a report: the method, conclusions, charts, and the tables of all pairs and of groups.

    What `signs` of verdicts and the band of a margin mean is said where a form shows them.
    """
    margins = any(one.margin is not None for one in comparison.differences)
    band = "; the grey band is the margin, within which a difference does not matter" if margins else ""
    meanings = "; ".join(f"{SIGNS[verdict]} {verdict}: {MEANINGS[verdict]}" for verdict in ("equivalent", "inconclusive"))
    counts = "up/same/down: the number of users with a better, the same and a worse value"
    blocks: list[Block] = [Paragraph(f"{title(comparison)}: {subtitle(comparison)}. Δ is the model minus the baseline; {counts}.")]
    blocks += [Paragraph(f"{meanings}{band}.")] if signs else []
    blocks += [Points((*conclusions(comparison), *footnotes(comparison))), *figures]
    blocks += [letters_table(comparison)] if comparison.letters else []
    blocks += pair_tables(comparison)
    blocks += [groups_table(comparison)] if comparison.by_group else []
    return Section("differences", "Differences", tuple(blocks))


def title(comparison: Comparison) -> str:
    """Return which models are compared with which."""
    if comparison.base is None:
        return f"{len(comparison.models)} models, all pairs" if comparison.letters else "Models of the same name"
    return f"{', '.join(comparison.others)} against {comparison.base}"


def subtitle(comparison: Comparison) -> str:
    """Return the number of users, how they were paired, and how p values were corrected."""
    users = numbers.users_range(one.n_users for one in comparison.differences if one.n_users)
    paired = ", paired by id" if comparison.paired and users else ""
    settings = comparison.settings
    family = max((one.family or 0 for one in comparison.differences), default=0)
    corrected = corrected_text(settings.correction, family)
    by = "p not corrected" if corrected == "not corrected" else f"p by {corrected}"
    test = "" if settings.test == "t" else f" · test: {settings.test}"
    return f"{users or 'no per-user values'}{paired} · {_level(comparison)}s · {by}{test}"


def footnotes(comparison: Comparison) -> tuple[str, ...]:
    """Return the notes on the comparison and on its differences, each once, with the measures that it is about if these are not all."""
    named: dict[str, dict[str, None]] = {}
    for one in comparison.differences:
        for note in one.notes:
            named.setdefault(note, {})[one.subject.measure] = None
    n_measures = len({one.subject.measure for one in comparison.differences})
    notes = (note if len(measures) == n_measures else f"{', '.join(measures)}: {note}" for note, measures in named.items())
    return tuple(dict.fromkeys((*comparison.notes, *notes)))


def by_pair(comparison: Comparison) -> dict[tuple[str, str], list[Difference]]:
    """Return the differences of each pair of models, base first; measures that are not judged stand last."""
    found: dict[tuple[str, str], list[Difference]] = {}
    for one in comparison.differences:
        found.setdefault((one.subject.base, one.subject.model), []).append(one)
    return {pair: sorted(some, key=lambda one: one.subject.measure not in comparison.judged) for pair, some in found.items()}


def shows_pairs(comparison: Comparison) -> bool:
    """Return whether a screen or a paper has tables of pairs; of all pairs of many models letters say the same."""
    return not comparison.letters or len(comparison.models) <= MOST_PAIRED


def pair_tables(comparison: Comparison) -> tuple[Table, ...]:
    """Return a table for each pair."""
    tables = []
    for number, ((base, model), rows) in enumerate(by_pair(comparison).items(), 1):
        columns = [replace(column, title={"base": base, "value": model}.get(column.title, column.title)) for column in COLUMNS]
        about, caption = {"model": model, "base": base}, f"{model} against {base}"
        tables.append(_table(columns, rows, comparison, DATA, caption=caption, id=f"differences-{number}", about=about))
    return tuple(tables)


def joined_table(comparison: Comparison) -> Table:
    """Return one table of all pairs; where there are several, a line above its rows names each."""
    rows: list[Difference] = []
    headings: dict[int, str] = {}
    for (base, model), some in by_pair(comparison).items():
        headings[len(rows)] = f"{model} against {base}"
        rows += some
    caption = f"Comparison of {title(comparison)}. {subtitle(comparison)}."
    found = {one.verdict for one in rows if one.subject.measure in comparison.judged}
    meanings = "; ".join(f"{verdict}: {MEANINGS[verdict]}" for verdict in _EXPLAINED if verdict in found)
    notes = (*([f"{meanings}."] if meanings else []), *footnotes(comparison))
    return _table(COLUMNS, rows, comparison, caption=caption, id="comparison", rules=headings if len(headings) > 1 else {}, notes=notes)


def groups_table(comparison: Comparison) -> Table:
    """Return the differences within groups of users."""
    columns, data = (_GROUP, _MODEL, COLUMNS[0], _USERS, *COLUMNS[1:]), (*DATA_OF_GROUPS, *DATA)
    return _table(columns, comparison.by_group, comparison, data, caption="Differences within groups", id="differences-groups")


def letters_table(comparison: Comparison, digits: int | None = None) -> Table:
    """Return the values of all models by measure, each with its letters; models that share one are not clearly different.

    Values have `digits` decimals, or as many as those of their measure need.
    """
    rows = []
    for measure, letters in comparison.letters.items():
        values = {model: comparison.values[measure, model] for model in comparison.models}
        places = numbers.decimals(values.values()) if digits is None else digits
        cells = (Cell(numbers.number(value, places) or "–", note=letters.get(model, ""), value=value) for model, value in values.items())
        rows.append((Cell(measure, direction=comparison.higher_is_better[measure]), *cells))
    columns = (Column("measure", "key"), *(Column(model, "value") for model in comparison.models))
    return Table(columns, tuple(rows), LETTERS, "letters", turns=True, corner="model")


def losers_tables(comparison: Comparison) -> tuple[Table, ...]:
    """Return for each model and measure the users with the largest losses; a table without rows where nobody loses."""
    tables = []
    for number, ((model, measure), frame) in enumerate(comparison.losers.items(), 1):
        names = ("user", *(("fold",) if "fold" in frame.columns and frame.height else ()))
        heads = (Column("base", "value"), Column(model, "value"), Column("Δ", "difference"))
        columns = (Column("user", "key"), *(Column(name) for name in names[1:]), *heads)
        rows = tuple(
            (
                *(Cell(str(row[name])) for name in names),
                *(_number_cell(row[name], _LEAST_DECIMALS, sign=name == "difference") for name in ("base", "model", "difference")),
            )
            for row in frame.rows(named=True)
        )
        tables.append(Table(columns, rows, f"Users with the largest losses in {measure} with {model}", f"losers-{number}"))
    return tuple(tables)


def _table(
    columns: Sequence[DifferenceColumn], rows: Sequence[Difference], comparison: Comparison, data: Sequence[str] = (), **rest: Any
) -> Table:
    """Return the table of some differences, with `data` for programs.

    It has as many decimals as two significant digits of its narrowest interval take, within limits.
    """
    needed = [decimals((one.interval[1] - one.interval[0]) / 2) for one in rows if one.interval is not None]
    digits = min(max([_LEAST_DECIMALS, *(places for places in needed if places is not None)]), _MOST_DECIMALS)
    shown = Shown(digits, comparison.judged)
    level = _level(comparison)
    heads = tuple(Column(level if one.title == "interval" else one.title, one.role, yields=one.yields) for one in columns)
    cells = tuple(tuple(column.cell(one, shown) for column in columns) for one in rows)
    of_data = [[cells[name] for name in data] for cells in (one.cells() for one in rows)] if data else ()
    return Table(heads, cells, columns_of_data=tuple(data), data=of_data, **rest)


def _level(comparison: Comparison) -> str:
    return f"{100 * comparison.settings.level:g} % interval"
