"""The section of differences: a table per pair of models, each difference with its interval, its margin and its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from ...content.differences import digits_of, pairs, subtitle, title
from ...content.verdicts import NOT_JUDGED
from ...results.comparison import Comparison
from ...results.conclusions import conclusions
from ...stats.records import MEANINGS, Difference
from ..comparison import counts_text, interval_header, interval_text, notes_on, number, p_text
from .values import ARROWS
from .views import PageCell, PageColumn, PageTable, Picture, Section
from .whiskers import CellScale, forest

DATA = ("measure", "difference", "low", "high", "p_adjusted", "up", "same", "down", "margin", "verdict")
SIGNS = {"better": "●", "worse": "▼", "equivalent": "■", "identical": "■", "inconclusive": "◇"}
_LEGEND = f"■ equivalent: {MEANINGS['equivalent']}; ◇ inconclusive: {MEANINGS['inconclusive']}"


def section(comparison: Comparison, pictures: Sequence[Picture]) -> Section:
    """What is concluded, the tables of pairs, letters, groups and footnotes."""
    margins = any(one.margin is not None for one in comparison.differences)
    band = "; the grey band is the margin, within which a difference does not matter" if margins else ""
    how = (f"{title(comparison)}: {subtitle(comparison)}. Δ is the model less the base.", f"{_LEGEND}{band}.")
    notes = tuple(dict.fromkeys((*comparison.notes, *notes_on(comparison.differences))))
    tables = [_pair(number, base, model, comparison) for number, (base, model) in enumerate(pairs(comparison), 1)]
    letters = [_letters(comparison)] if comparison.letters else []
    groups = [_groups(comparison)] if comparison.by_group else []
    said = (*conclusions(comparison), *notes)
    return Section("differences", "Differences", how, said, tuple(pictures), (*letters, *tables, *groups))


def losers_section(comparison: Comparison) -> Section:
    """The users with the largest losses, for those who asked for them."""
    tables = []
    for place, ((model, measure), frame) in enumerate(comparison.losers.items(), 1):
        rows = frame.rows(named=True)
        folds = [PageColumn("fold", "text")] if "fold" in frame.columns else []
        columns = (PageColumn("user", "name"), *folds, PageColumn("base"), PageColumn(model, "name"), PageColumn("Δ"))
        cells = tuple(
            (
                PageCell(str(row["user"])),
                *(PageCell(str(row["fold"])) for _ in folds),
                PageCell(number(row["base"], 4)),
                PageCell(number(row["model"], 4)),
                PageCell(number(row["difference"], 4, sign=True)),
            )
            for row in rows
        )
        tables.append(PageTable(f"losers-{place}", f"Who loses most in {measure} with {model}", columns, cells))
    return Section("losers", "Who loses most", tables=tuple(tables))


def _pair(place: int, base: str, model: str, comparison: Comparison) -> PageTable:
    of_pair = [one for one in comparison.differences if (one.subject.base, one.subject.model) == (base, model)]
    in_order = sorted(of_pair, key=lambda one: one.subject.measure not in comparison.judged)
    digits = digits_of(in_order)
    columns = (
        PageColumn("measure", "name"),
        PageColumn(base, "name"),
        PageColumn(model, "name"),
        PageColumn("Δ"),
        PageColumn(interval_header(comparison)),
        PageColumn("p"),
        PageColumn("users up / same / down", "counts"),
        PageColumn("verdict", "text"),
    )
    rows = tuple((PageCell(_headed(one)), *_cells(one, digits, comparison)) for one in in_order)
    data = [_data(one) for one in in_order]
    return PageTable(f"differences-{place}", f"{model} against {base}", columns, rows, DATA, data, {"model": model, "base": base})


def _cells(one: Difference, digits: int, comparison: Comparison) -> tuple[PageCell, ...]:
    scale = CellScale.over((one.difference, one.low, one.high, 0.0, *(() if one.margin is None else (one.margin, -one.margin))))
    picture = "" if one.interval is None else forest(scale, one.difference, one.low, one.high, one.margin, one.verdict)
    judged = one.subject.measure in comparison.judged
    return (
        PageCell(number(one.base_value, digits)),
        PageCell(number(one.value, digits)),
        PageCell(number(one.difference, digits, sign=True)),
        PageCell(_unbroken(interval_text(one, digits)), picture=picture),
        PageCell(p_text(one)),
        PageCell(_unbroken(counts_text(one).replace("/", " / "))),
        PageCell(_unbroken(_verdict_text(one) if judged else NOT_JUDGED), verdict=(one.verdict or "") if judged else ""),
    )


def _verdict_text(one: Difference) -> str:
    return "–" if one.verdict is None else f"{SIGNS[one.verdict]} {one.verdict}"


def _headed(one: Difference) -> str:
    return f"{one.subject.measure}{ARROWS[one.subject.higher_is_better]}"


def _unbroken(text: str) -> str:
    """The text in one line, however narrow its column is."""
    return text.replace(" ", "\u00a0")


def _data(one: Difference) -> list[object]:
    cells = one.cells()
    return [cells[name] for name in DATA]


def _groups(comparison: Comparison) -> PageTable:
    digits = digits_of(comparison.by_group)
    columns = (
        PageColumn("group", "name"),
        PageColumn("model", "text"),
        PageColumn("measure", "text"),
        PageColumn("users"),
        PageColumn("base"),
        PageColumn("value"),
        PageColumn("Δ"),
        PageColumn(interval_header(comparison)),
        PageColumn("p"),
        PageColumn("users up / same / down", "counts"),
        PageColumn("verdict", "text"),
    )
    rows = tuple(
        (
            PageCell(f"{one.subject.by} {one.subject.group}"),
            PageCell(one.subject.model),
            PageCell(_headed(one)),
            PageCell(f"{one.n_users:,}"),
            *_cells(one, digits, comparison),
        )
        for one in comparison.by_group
    )
    about = ("by", "group", "model", "base", "n_users")
    data = [[*(one.cells()[name] for name in about), *_data(one)] for one in comparison.by_group]
    return PageTable("differences-groups", "Differences within groups", columns, rows, (*about, *DATA), data)


def _letters(comparison: Comparison) -> PageTable:
    columns = (PageColumn("measure", "name"), *(PageColumn(model, "name") for model in comparison.models))
    rows = tuple(
        (
            PageCell(measure),
            *(PageCell(number(comparison.values[measure, model], 4), letters.get(model, "")) for model in comparison.models),
        )
        for measure, letters in comparison.letters.items()
    )
    return PageTable("letters", "Models that share a letter are not clearly different", columns, rows)
