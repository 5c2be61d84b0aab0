"""A comparison as a page, and for machines: JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import polars as pl
from msgspec import to_builtins
from rich.cells import cell_len

from ..render.markdown import without_links
from ..results.comparison import FORMAT_VERSION, Comparison
from ..results.conclusions import conclusions
from ..stats.digits import decimals, plain, signed, users_text
from ..stats.records import Difference
from . import blocks, csv_text
from .blocks import Block, Heading, Points, Prose
from .data import as_table
from .figures import Figures
from .indented_json import indented
from .whiskers import pictures

_ARROWS: Final = {True: " ↑", False: " ↓", None: ""}
_MOST_DECIMALS: Final = 6
NOT_JUDGED: Final = "(not judged)"
MOST_PAIRED: Final = 3
"""With more models all pairs are told by letters alone."""
_CORRECTIONS: Final = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}


def page(comparison: Comparison, look_at: str = "CONFIG", width: int | None = None) -> list[Block]:
    """The comparison for people: what is concluded first, a table per pair, letters of all pairs, groups, and users who lose most.

    `look_at` is the config that the command to look at one user names. Where a screen of `width` columns has room, intervals are drawn.
    """
    blocks: list[Block] = [Heading(title(comparison)), Prose(subtitle(comparison))]
    for base, model in pairs(comparison):
        if comparison.letters and len(comparison.models) > MOST_PAIRED:
            break  # the letters say it
        of_pair = [one for one in comparison.differences if (one.subject.base, one.subject.model) == (base, model)]
        in_order = sorted(of_pair, key=lambda one: one.subject.measure not in comparison.judged)
        headers = ("measure", base, model, "Δ", interval_header(comparison), "p", "up/same/down", "")
        blocks.append(_drawn(Figures(headers, _rows(in_order, comparison)), in_order, width))
    if comparison.letters:
        blocks += [
            Heading("Which are not clearly different", 2),
            _letters(comparison),
            Prose("Models that share a letter are not clearly different."),
        ]
    blocks.append(Points(tuple(conclusions(comparison))))
    if comparison.by_group:
        blocks += [Heading("Within groups", 2), _groups(comparison)]
    for (model, measure), frame in comparison.losers.items():
        blocks += _losers(comparison, model, measure, frame.rows(named=True), look_at)
    footnotes = tuple(dict.fromkeys((*comparison.notes, *notes_on(comparison.differences))))
    return [*blocks, Points(footnotes)] if footnotes else blocks


def title(comparison: Comparison) -> str:
    """Which models are compared with which."""
    if comparison.base is None:
        return f"{len(comparison.models)} models, all pairs" if comparison.letters else "Models of the same name"
    return f"{', '.join(comparison.others)} against {comparison.base}"


def subtitle(comparison: Comparison) -> str:
    """Over how many users, how they were paired, and how p values were corrected."""
    n = sorted({one.n_users for one in comparison.differences if one.n_users})
    users = users_text(n[0]) if len(n) == 1 else f"{n[0]:,} to {n[-1]:,} users" if n else "no values of users"
    settings = comparison.settings
    corrected = _CORRECTIONS.get(settings.correction)
    family = max((one.family or 0 for one in comparison.differences), default=0)
    by = f"p by {corrected} over {family} comparison{'' if family == 1 else 's'}" if corrected else "p not corrected"
    test = "" if settings.test == "t" else f" · test: {settings.test}"
    return f"{users}{', paired by id' if comparison.paired and n else ''} · {100 * settings.level:g} % intervals · {by}{test}"


def pairs(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """The pairs of models, base first."""
    return tuple(dict.fromkeys((one.subject.base, one.subject.model) for one in comparison.differences))


def interval_header(comparison: Comparison) -> str:
    """The head of the column of intervals."""
    return f"{100 * comparison.settings.level:g} % interval"


def digits_of(differences: Iterable[Difference]) -> int:
    """How many decimals a table of differences has: two significant digits of the narrowest interval, within limits."""
    wanted = [decimals((one.interval[1] - one.interval[0]) / 2) for one in differences if one.interval is not None]
    known = [number for number in wanted if number is not None]
    return min(max([4, *known]), _MOST_DECIMALS)


def number(value: float | None, digits: int, *, sign: bool = False) -> str:
    """A number of a table; a dash where there is none."""
    return "–" if value is None else signed(value, digits) if sign else plain(value, digits)


def interval_text(one: Difference, digits: int) -> str:
    """The interval of a difference."""
    return "–" if one.interval is None else f"{signed(one.interval[0], digits)} to {signed(one.interval[1], digits)}"


def p_text(one: Difference) -> str:
    """The corrected p value, or the plain one of a measure that is not judged."""
    p = one.p if one.p_adjusted is None else one.p_adjusted
    return "" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def counts_text(one: Difference) -> str:
    """For how many users the value is better, the same, and worse."""
    return "" if one.up is None or one.same is None or one.down is None else f"{one.up:,}/{one.same:,}/{one.down:,}"


def verdict_text(one: Difference, comparison: Comparison) -> str:
    """The verdict, a dash where there is none, or `(not judged)`."""
    return (one.verdict or "–") if one.subject.measure in comparison.judged else NOT_JUDGED


def measure_text(one: Difference) -> str:
    """The measure with the direction that is better."""
    return f"{one.subject.measure}{_ARROWS[one.subject.higher_is_better]}"


def notes_on(differences: Sequence[Difference]) -> Iterator[str]:
    """The footnotes of differences, each with the measures that it is about."""
    named: dict[str, list[str]] = {}
    for one in differences:
        for note in one.notes:
            named.setdefault(note, []).append(one.subject.measure)
    everything = len({one.subject.measure for one in differences})
    for note, measures in named.items():
        of_all = len(set(measures)) == everything
        yield note if of_all else f"{', '.join(dict.fromkeys(measures))}: {note}"


def cells(comparison: Comparison) -> dict[str, Any]:
    """Everything as plain values; see `FORMAT_VERSION`."""
    losers = [{"model": model, "measure": measure, "users": frame.to_dicts()} for (model, measure), frame in comparison.losers.items()]
    return {
        "format_version": FORMAT_VERSION,
        "base": comparison.base,
        "models": list(comparison.models),
        "paired": comparison.paired,
        "judged": list(comparison.judged),
        "settings": to_builtins(comparison.settings),
        "conclusions": conclusions(comparison),
        "comparisons": [one.cells() for one in comparison.differences],
        "by_group": [one.cells() for one in comparison.by_group],
        "letters": {measure: dict(letters) for measure, letters in comparison.letters.items()},
        **({"losers": losers} if losers else {}),
        "notes": list(dict.fromkeys((*comparison.notes, *notes_on(comparison.differences)))),
    }


def as_json(comparison: Comparison) -> bytes:
    """The comparison with full precision."""
    return (indented(cells(comparison)) + "\n").encode()


def as_markdown(comparison: Comparison, look_at: str) -> bytes:
    """The page as Markdown, in which names are nothing but names."""
    return without_links(blocks.as_markdown(page(comparison, look_at))).encode()


def as_csv(comparison: Comparison, *, spreadsheet_safe: bool = False) -> bytes:
    """One line per difference, over all users and within groups, with full precision."""
    rows = [one.cells() for one in (*comparison.differences, *comparison.by_group)]
    lines = ([" ".join(cell) if isinstance(cell, tuple) else cell for cell in row.values()] for row in rows)
    return csv_text.as_csv([list(rows[0]), *lines], spreadsheet_safe=spreadsheet_safe).encode()


def users_as_parquet(comparison: Comparison) -> bytes:
    """The users who lose most: model, measure, user (as text), base, model_value, difference."""
    frames = [
        frame.select(
            pl.lit(model).alias("model"),
            pl.lit(measure).alias("measure"),
            pl.col("user").cast(pl.String),
            "base",
            pl.col("model").alias("model_value"),
            "difference",
        )
        for (model, measure), frame in comparison.losers.items()
    ]
    return as_table(pl.concat(frames))


def _drawn(table: Figures, differences: Sequence[Difference], width: int | None) -> Figures:
    """The table with a picture of each interval, if the screen has room for it."""
    taken = sum(max(map(cell_len, column)) + 3 for column in zip(table.headers, *table.rows, strict=True))
    drawn = None if width is None else pictures(differences, width - taken - 4)
    if drawn is None:
        return table
    rows = tuple((*row[:5], picture, *row[5:]) for row, picture in zip(table.rows, drawn, strict=True))
    return Figures((*table.headers[:5], "", *table.headers[5:]), rows)


def _rows(differences: Sequence[Difference], comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    digits = digits_of(differences)
    return tuple(
        (
            measure_text(one),
            number(one.base_value, digits),
            number(one.value, digits),
            number(one.difference, digits, sign=True),
            interval_text(one, digits),
            p_text(one),
            counts_text(one),
            verdict_text(one, comparison),
        )
        for one in differences
    )


def _letters(comparison: Comparison) -> Figures:
    rows = []
    for measure, letters in comparison.letters.items():
        values = (comparison.values[measure, model] for model in comparison.models)
        shown = (f"{number(value, 4)} {letters.get(model, '')}" for value, model in zip(values, comparison.models, strict=True))
        rows.append((f"{measure}{_ARROWS[comparison.higher_is_better[measure]]}", *shown))
    return Figures(("measure", *comparison.models), tuple(rows))


def _groups(comparison: Comparison) -> Figures:
    digits = digits_of(comparison.by_group)
    rows = tuple(
        (
            f"{one.subject.by} {one.subject.group}",
            one.subject.model,
            measure_text(one),
            f"{one.n_users:,}",
            number(one.base_value, digits),
            number(one.difference, digits, sign=True),
            interval_text(one, digits),
            p_text(one),
            one.verdict or "–",
        )
        for one in comparison.by_group
    )
    return Figures(("group", "model", "measure", "users", "base", "Δ", interval_header(comparison), "p", ""), rows)


def _losers(comparison: Comparison, model: str, measure: str, rows: Sequence[dict[str, Any]], look_at: str) -> list[Block]:
    heading = Heading(f"Who loses most in {measure} with {model}", 2)
    if not rows:
        return [heading, Prose("Nobody.")]
    has_folds = "fold" in rows[0]
    table = tuple(
        (
            str(row["user"]),
            *((str(row["fold"]),) if has_folds else ()),
            number(row["base"], 4),
            number(row["model"], 4),
            number(row["difference"], 4, sign=True),
        )
        for row in rows
    )
    headers = ("user", *(("fold",) if has_folds else ()), "base", model, "Δ")
    name = model.rpartition("/")[2] if "/" in model else model
    command = f"receval explain '{measure}' {look_at} --user '{rows[0]['user']}' --model '{name}'"
    return [heading, Figures(headers, table), Prose(f"To look at the first: `{command}`")]
