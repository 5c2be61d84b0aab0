"""Models over several data sets: what may be claimed, the table of mean changes, the changes on each data set, and ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from ..results.across import AcrossComparison, AcrossDifference
from ..results.row import listed
from ..stats.concluding import percent, plain, with_sign
from ..stats.meta_analysis import LEAST_FOR_INTERVAL
from ..stats.ranks import Ranks
from ..support.quoting import on_one_line
from . import numbers
from .best_values import corrected_text
from .document import Block, Cell, Code, Column, Document, Heading, Interval, Paragraph, Points, Table

_WIDTH: Final = 41
"""Number of characters of the axis of ranks."""
BARS: Final = "Models that share a bar are not shown to differ (Wilcoxon, corrected by Holm)"


def document(comparison: AcrossComparison) -> Document:
    """Return the mean changes, how they were made, the conclusions, the changes on each data set, ranks, and notes."""
    means, values = (replace(made, caption="") for made in (table(comparison), values_table(comparison)))
    blocks: list[Block] = [Heading(title(comparison)), means, Paragraph(_method(comparison)), Points(tuple(comparison.sentences))]
    blocks += [Heading("On each data set", 2), values]
    for ranks in comparison.ranks:
        blocks += [Heading(f"Ranks in {ranks.measure}", 2), replace(ranks_table(ranks), caption="")]
        if not ranks.can_reject:
            blocks.append(Paragraph(too_few(ranks)))
            continue
        blocks += [Paragraph(_friedman(ranks))] if ranks.friedman else []
        blocks += [Code(diagram(ranks)), *([Paragraph(f"{BARS}.")] if ranks.groups else []), Points(tuple(_pairs(ranks)))]
    return (*blocks, Points(comparison.cautions))


def title(comparison: AcrossComparison) -> str:
    """Return the models, and the number of data sets."""
    over = f"over {len(comparison.data_sets)} data sets"
    if comparison.base is None:
        return f"{len(comparison.models)} models, all pairs, {over}"
    return f"{', '.join(model for model in comparison.models if model != comparison.base)} against {comparison.base}, {over}"


def _method(comparison: AcrossComparison) -> str:
    """Return the data sets, the way in which effects are combined, and the correction."""
    corrected = corrected_text(comparison.correction, comparison.family)
    tested = f"p {'by ' if corrected != 'not corrected' else ''}{corrected}" if comparison.family else "no p values"
    intervals = f"{percent(comparison.level)} intervals by Hartung, Knapp, Sidik and Jonkman, at least as wide as with equal weights"
    parts = (
        listed(comparison.data_sets) if len(comparison.data_sets) < 5 else f"{len(comparison.data_sets)} data sets",
        "mean change by random effects (Paule and Mandel)",
        *((intervals,) if len(comparison.data_sets) >= LEAST_FOR_INTERVAL else ()),
        tested,
    )
    first = f" Baseline: {comparison.base}, the first model; choose another with --baseline." if comparison.first else ""
    return f"{' · '.join(parts)}.{first}"


def table(comparison: AcrossComparison) -> Table:
    """Return a row for each measure and pair: the mean change, its interval, the range on a further data set, counts, p, verdict."""
    of_one = len({(row.base, row.model) for row in comparison.differences}) == 1
    columns = (
        Column("measure", "key"),
        *(() if of_one else (Column("model", "name"),)),
        Column("change", "difference"),
        Column(f"{percent(comparison.level)} interval", "interval"),
        Column("further data set", "interval", yields=2),
        Column("better on" if any(row.higher_is_better is not None for row in comparison.differences) else "up on", "counts", yields=1),
        Column("p", "p", yields=3),
        Column("verdict", "verdict"),
    )
    lines = [tuple(_cells(row, comparison, of_one=of_one)) for row in comparison.differences]
    return Table(columns, tuple(lines), id="across", caption=title(comparison))


def _cells(row: AcrossDifference, comparison: AcrossComparison, *, of_one: bool) -> Iterator[Cell]:
    mean, mark = row.mean, row.verdict or ""
    yield Cell(row.measure, direction=row.higher_is_better)
    if not of_one:
        yield Cell(_pair(row, comparison))
    yield Cell(_change(row, mean.mean), value=mean.mean)
    drawn = None
    if mean.low is not None and mean.high is not None:
        drawn = Interval(row.shown(mean.mean), row.shown(mean.low), row.shown(mean.high), mark=mark)
    yield Cell(_span(row, (mean.low, mean.high)), drawn=drawn)
    yield Cell(row.further_text(signed=True))
    yield Cell(f"{row.n_better} of {mean.n}", value=row.n_better)
    p = row.p_adjusted
    yield Cell("–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}", value=p)
    yield Cell(row.verdict or "–", mark=mark)


def _pair(row: AcrossDifference, comparison: AcrossComparison) -> str:
    return row.model if comparison.base is not None else f"{row.model} against {row.base}"


def _change(row: AcrossDifference, effect: float) -> str:
    """Return an effect in percent, or in standard deviations of per-user differences."""
    return f"{with_sign(row.shown(effect), row.digits)}{' %' if row.scale == 'ratio' else ' sd'}"


def _span(row: AcrossDifference, ends: tuple[float | None, float | None]) -> str:
    low, high = ends
    if low is None or high is None:
        return "–"
    return f"{with_sign(row.shown(low), row.digits)} to {_change(row, high)}"


def values_table(comparison: AcrossComparison) -> Table:
    """Return a row for each measure, pair and data set: the values, and the change with its own interval, not corrected."""
    of_one = len({(row.base, row.model) for row in comparison.differences}) == 1
    columns = (
        Column("measure", "key"),
        *(() if of_one else (Column("model", "name"),)),
        Column("data set", "name"),
        Column("users", "counts", yields=2),
        Column("base" if comparison.base is None else comparison.base, "value", yields=1),
        Column(comparison.differences[0].model if of_one else "value", "value"),
        Column("change", "difference"),
        Column("interval", "interval"),
    )
    lines: list[tuple[Cell, ...]] = []
    for row in comparison.differences:
        places = numbers.decimals(value for effect in row.effects for value in (effect.base_value, effect.value))
        for effect in row.effects:
            names = (row.measure, *(() if of_one else (_pair(row, comparison),)), effect.data_set)
            values = (f"{effect.n_users:,}", numbers.number(effect.base_value, places), numbers.number(effect.value, places))
            ends = row.interval_on(effect)
            change = Cell(_change(row, effect.effect), value=effect.effect)
            lines.append((*map(Cell, (*names, *values)), change, Cell(_span(row, ends or (None, None)))))
    return Table(columns, tuple(lines), id="data-sets", caption="The values on each data set")


# Ranks


def ranks_table(ranks: Ranks) -> Table:
    """Return the mean rank of each model, best first."""
    lines = [(model, plain(rank, 3)) for model, rank in ranks.mean_ranks.items()]
    return Table.from_texts((Column("model", "name"), Column("mean rank", "value")), lines, f"Mean ranks in {ranks.measure}", "ranks")


def _friedman(ranks: Ranks) -> str:
    assert ranks.friedman is not None
    test, k = ranks.friedman, len(ranks.mean_ranks)
    f = "" if test.f == float("inf") else f", F {plain(test.f, 3)} (Iman and Davenport)"
    p = "<0.001" if test.p < 0.001 else f"{test.p:.3f}"
    return f"Friedman over {ranks.n} data sets and {k} models: χ² {plain(test.chi_square, 3)}{f}, p {p} (permutations)."


def too_few(ranks: Ranks) -> str:
    """Return why there are no p values of pairs and no diagram."""
    k = len(ranks.mean_ranks)
    return (
        f"{ranks.n} data sets are too few to compare ranks of {k} models: Wilcoxon's test, corrected by Holm, cannot show any "
        f"difference with fewer than {ranks.least}. So there are no p values of pairs, and no diagram."
    )


def _pairs(ranks: Ranks) -> Iterator[str]:
    """Yield the pairs that differ, or that none does, and the critical difference of other papers."""
    shown = [pair for pair in ranks.pairs if pair.p_adjusted <= ranks.alpha]
    for pair in shown:
        p = "<0.001" if pair.p_adjusted < 0.001 else f"{pair.p_adjusted:.3f}"
        yield f"{pair.models[0]} ranks above {pair.models[1]} (Wilcoxon, p {p} by Holm over {len(ranks.pairs)} pairs)."
    if not shown:
        yield f"No pair is shown to differ (Wilcoxon, corrected by Holm over {len(ranks.pairs)} pairs)."
    yield (
        f"Nemenyi's critical difference, which many papers draw, is {plain(ranks.critical_difference, 3)} (q {plain(ranks.quantile, 3)}); "
        "it is not used here, because it depends on the models that are not in a pair."
    )


def diagram(ranks: Ranks) -> str:
    """Return the critical-difference diagram in characters: an axis from rank 1, a point for each model, a bar for each group."""
    k = len(ranks.mean_ranks)

    def column(rank: float) -> int:
        return round((rank - 1) / (k - 1) * (_WIDTH - 1))

    heads, axis = [" "] * (_WIDTH + 2), ["─"] * _WIDTH
    for rank in range(1, k + 1):
        at = column(rank)
        axis[at] = "┴"
        heads[at : at + len(str(rank))] = str(rank)
    lines = ["".join(heads).rstrip(), "".join(axis)]
    for model, mean in ranks.mean_ranks.items():
        lines.append(f"{' ' * column(mean)}●{' ' * (_WIDTH - column(mean))}{plain(mean, 2)}  {on_one_line(model)}")
    for group in ranks.groups:
        first, last = (column(ranks.mean_ranks[model]) for model in (group[0], group[-1]))
        lines.append(f"{' ' * first}{'━' * (last - first + 1)}")
    return "\n".join(lines)
