"""Differences of models, for every form: all their tables and the words of verdicts are made here.

Their columns are in `difference_columns`.

Cells have numbers as text with a minus sign (U+2212), `value` for sorting, `direction` next to the name of a measure, letters as `note`,
the `mark` of a verdict, and `drawn` in the column of intervals. The form decides on signs before verdicts, the drawing of intervals and
line breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from msgspec.structs import replace

from ..results.comparison import Comparison, conclusions, family_size
from ..results.row import listed, shortened
from ..stats.concluding import decimals, percent, plain
from ..stats.difference import MEANINGS, Difference, Verdict
from . import numbers, slices
from .best_values import corrected_text
from .difference_columns import COLUMNS, GROUP, GROUP_OF_ONE, MODEL, PAIR, RELATIVE, USERS, DifferenceColumn, Shown, number_cell
from .document import SIGNS, Block, Cell, Column, Document, Figure, Heading, Paragraph, Points, Section, Table, with_arrow
from .methods import citations, method_names, methods_of

DATA: Final = ("measure", "difference", "low", "high", "p_adjusted", "up", "same", "down", "margin", "verdict")
"""The columns of the data in a page; those of groups begin with `DATA_OF_GROUPS`."""
DATA_OF_GROUPS: Final = ("by", "group", "model", "base", "n_users")
MOST_PAIRED: Final = 3
"""With more models, a screen and a paper show all pairs only as letters."""
_COUNTS: Final = "up/same/down: the number of users with a better, the same and a worse value"
_EXPLAINED: Final[tuple[Verdict, ...]] = ("equivalent", "identical", "inconclusive")
"""Longer words of verdicts."""
LETTERS: Final = "Models that share a letter are not clearly different"
_LEAST_DECIMALS, _MOST_DECIMALS = 4, 6


def document(comparison: Comparison, look_at: str = "CONFIG", everything: bool = False, relative: bool = False) -> Document:
    """Return tables of pairs, or letters if there are many, one line on how they were made, conclusions, groups, losers and footnotes.

    `look_at` is the config in the command that explains one user. With `everything`, measures that are not tested have rows too; with
    `relative`, differences also have a column in percent.
    """
    said = untested_text(comparison, everything)
    comparison = comparison if everything else only_tested(comparison)
    # several models with one base in one measure
    is_of_one = comparison.base is not None and len(comparison.measures) == 1 < len(comparison.differences)
    of_measure = _single_measure(comparison.differences) if is_of_one else ""
    blocks: list[Block] = [Heading(f"{title(comparison)}{of_measure}")]
    # Most tables are without captions, because the headings above them say the same; several tables of pairs keep theirs.
    if shows_pairs(comparison):
        tables = (measure_table(comparison, relative),) if is_of_one else pair_tables(comparison, relative)
        blocks += tables if len(tables) > 1 else [replace(table, caption="") for table in tables]
    if comparison.letters:
        letters = replace(letters_table(comparison), caption="")
        blocks += [Heading("Models that are not clearly different", 2), letters, Paragraph(f"{LETTERS}.")]
    blocks += [_method(comparison, said), Points(_conclusions(comparison))]
    if comparison.by_group:
        blocks += [Heading(f"Within groups{_single_measure(comparison.by_group)}", 2), Paragraph(groups_text(comparison))]
        tables = tuple(groups_tables(comparison, relative))
        blocks += tables if len(tables) > 1 else [replace(table, caption="") for table in tables]
    for table, (model, measure) in zip(losers_tables(comparison), comparison.losers, strict=True):
        blocks.append(Heading(table.caption, 2))
        if table.rows:
            name = comparison.own_names.get(model, model)
            command = f"receval explain '{measure}' {look_at} --user '{table.rows[0][0].text}' --model '{name}'"
            blocks += [replace(table, caption=""), Paragraph(f"To explain the first: `{command}`")]
        else:
            blocks.append(Paragraph("Nobody."))
    if comparison.slices is not None:
        blocks += [Heading("Slices of users", 2), *slices.body(comparison.slices)]
    found = footnotes(comparison)
    return (*blocks, *([Points(found)] if found else []))


def section(comparison: Comparison, figures: Sequence[Figure] = (), *, signs: bool = True, relative: bool = False) -> Section:
    """Return the section of a report: the method, conclusions, charts, and the tables of all pairs and of groups.

    The meanings of `signs` of verdicts and of the band of a margin are given if a form shows them. With `relative`, differences also have a
    column in percent.
    """
    margins = any(difference.margin is not None for difference in comparison.differences)
    band = "; the grey band is the margin, within which a difference does not matter" if margins else ""
    meanings = "; ".join(f"{SIGNS[verdict]} {verdict}: {MEANINGS[verdict]}" for verdict in ("equivalent", "inconclusive"))
    blocks: list[Block] = [Paragraph(f"{title(comparison)}: {subtitle(comparison)}. Δ is the model minus the baseline; {_COUNTS}.")]
    sentences = (first_text(comparison), corrected_for(comparison), untested_text(comparison, everything=True))
    blocks += [Paragraph(" ".join(filter(None, sentences)))] if any(sentences) else []
    blocks += [Paragraph(f"{meanings}{band}.")] if signs else []
    blocks += [Points((*_conclusions(comparison), *footnotes(comparison))), *figures]
    blocks += [letters_table(comparison)] if comparison.letters else []
    blocks += pair_tables(comparison, relative)
    blocks += [groups_table(comparison, relative), Paragraph(groups_text(comparison))] if comparison.by_group else []
    return Section("differences", "Differences", tuple(blocks))


def _method(comparison: Comparison, untested: str) -> Paragraph:
    """Return how the differences were made, in one paragraph: users, test, correction, baseline, and measures that are not tested."""
    counts = f"{_COUNTS}." if shows_pairs(comparison) and any(difference.up is not None for difference in comparison.differences) else ""
    sentences = (f"{subtitle(comparison)}.", counts, first_text(comparison), corrected_for(comparison), untested)
    return Paragraph(" ".join(filter(None, sentences)))


def _conclusions(comparison: Comparison) -> tuple[str, ...]:
    """Return the conclusions; a sentence that is the same for all of several pairs, on untested measures, comes once, at the end."""
    sentences, n_pairs = conclusions(comparison, with_groups=True), len(by_pair(comparison))
    of_all = [sentence for sentence in dict.fromkeys(sentences) if n_pairs > 1 and sentences.count(sentence) == n_pairs]
    return (*(sentence for sentence in sentences if sentence not in of_all), *of_all)


def title(comparison: Comparison) -> str:
    """Return a title with the compared models."""
    if comparison.base is None:
        return f"{len(comparison.models)} models, all pairs" if comparison.letters else _title_of_folders(comparison)
    return f"{', '.join(comparison.others)} against {comparison.base}"


def _title_of_folders(comparison: Comparison) -> str:
    """Return a title with the compared results, model by model; without a common base, that models of the same name are compared."""
    own = comparison.own_names
    bases = dict.fromkeys(difference.subject.base.partition("/")[0] for difference in comparison.differences)
    names = (difference.subject.model for difference in comparison.differences)
    results = dict.fromkeys(name if own.get(name) == name else name.partition("/")[0] for name in names)
    if len(bases) > 1 or results.keys() & bases.keys():
        return "Models of the same name"
    return f"{', '.join(results)} against {next(iter(bases))}, models of the same name"


def subtitle(comparison: Comparison) -> str:
    """Return the number of users, their pairing, the correction of p values, the methods, and the margins."""
    users = _own_users(comparison) or numbers.users_range(difference.n_users for difference in comparison.differences if difference.n_users)
    if comparison.distinct_users and not _own_users(comparison):
        counts = (difference.n_users for difference in comparison.differences if difference.n_users)
        users = numbers.users_of_folds(comparison.distinct_users, comparison.n_folds, counts)
    paired = ", paired by id" if comparison.paired and users else ""
    settings = comparison.settings
    family = family_size(comparison.differences)
    corrected = corrected_text(settings.correction, family)
    by = "no measure can be tested" if not family else "p not corrected" if corrected == "not corrected" else f"p by {corrected}"
    if comparison.by_group and corrected != "not corrected":
        by += f" (within groups: over {family_size(comparison.by_group):,})"
    methods = method_names(methods_of(comparison.differences, settings), comparison.cluster)
    test = f" · {methods}" if methods else ""
    alone = ", each on its own" if family > 1 and corrected != "not corrected" else ""  # only p is corrected
    return f"{users or 'no per-user values'}{paired} · {_level(comparison)}s{alone} · {by}{test}{_margins_text(comparison)}"


def _own_users(comparison: Comparison) -> str:
    """Return the number of users of each model, `300 users of main, 600 users of today`; empty unless they differ and are not paired."""
    models: dict[str, list[str]] = {}
    for name, counts in comparison.own_users.items():
        models.setdefault(numbers.users_range(counts), []).append(name)
    return ", ".join(f"{users} of {listed(names)}" for users, names in models.items() if users) if len(models) > 1 else ""


def groups_text(comparison: Comparison) -> str:
    """Return the correction of p values within groups, and what their intervals do not include."""
    corrected = corrected_text(comparison.settings.correction, family_size(comparison.by_group))
    if corrected == "not corrected":
        return "Within groups p values and intervals are not corrected."
    inconclusive = (difference for difference in comparison.by_group if difference.verdict == "inconclusive" and not difference.real)
    excludes = any(some.interval and (some.interval[0] > 0 or some.interval[1] < 0) for some in inconclusive)
    why = ", so an interval can exclude 0 where the verdict is inconclusive" if excludes else ""
    return f"Within groups p is corrected by {corrected} (all groups, measures and models); intervals are not corrected{why}."


def _margins_text(comparison: Comparison) -> str:
    """Return the margins of the tested measures, as given; empty if there are none."""
    of_size: dict[str, list[str]] = {}
    for measure in comparison.judged:
        if measure in comparison.margins:
            margin = comparison.margins[measure]
            of_size.setdefault(percent(margin.size) if margin.is_share else plain(margin.size), []).append(measure)
    if not of_size:
        return ""
    if len(of_size) == 1 and next(iter(of_size.values())) == list(comparison.judged):
        return f" · margin {next(iter(of_size))}"
    return f" · margin{'s' * (len(of_size) > 1)} " + ", ".join(f"{size} ({shortened(measures)})" for size, measures in of_size.items())


def first_text(comparison: Comparison) -> str:
    """Return a sentence if the base is only the first model or result because nothing names another one; else empty."""
    if comparison.first is None:
        return ""
    kind = "model" if comparison.first in comparison.models and comparison.base == comparison.first else "result"
    return f"Baseline: {comparison.first}, the first {kind}; choose another with --baseline."


def corrected_for(comparison: Comparison) -> str:
    """Return a sentence if a run of the compared models corrects for more comparisons: for all pairs; else empty."""
    base, family = comparison.base, family_size(comparison.differences)
    of_one_result = all(name == own for name, own in comparison.own_names.items())
    if base is None or len(comparison.models) < 3 or not of_one_result or not family or comparison.settings.correction == "none":
        return ""
    return "receval run compares all pairs of models, so its marks can differ."


def untested_text(comparison: Comparison, everything: bool) -> str:
    """Return a sentence on the number of tested measures, and of those that have no row; empty if none is left out of the tests."""
    n_others, of = len(comparison.measures) - len(comparison.judged), f"of {len(comparison.measures):,} measures"
    if not n_others:
        return ""
    said = f"{len(comparison.tested):,} {of} {'is' if len(comparison.tested) == 1 else 'are'} tested"
    if everything:
        return f"{said}."
    return f"{said}; {n_others:,} {'is' if n_others == 1 else 'are'} not shown, --all prints {'it' if n_others == 1 else 'them'}."


def only_tested(comparison: Comparison) -> Comparison:
    """Return the comparison without the measures that are not tested."""
    return replace(
        comparison,
        differences=tuple(difference for difference in comparison.differences if difference.subject.measure in comparison.judged),
    )


def footnotes(comparison: Comparison) -> tuple[str, ...]:
    """Return the notes on the comparison and its differences, each once, with its measures unless these are all."""
    named: dict[str, dict[str, None]] = {}
    for difference in comparison.differences:
        for note in difference.notes:
            named.setdefault(note, {})[difference.subject.measure] = None
    n_measures = len({difference.subject.measure for difference in comparison.differences})
    notes = (note if len(measures) == n_measures else f"{', '.join(measures)}: {note}" for note, measures in named.items())
    return tuple(dict.fromkeys((*comparison.notes, *notes)))


def by_pair(comparison: Comparison) -> dict[tuple[str, str], list[Difference]]:
    """Return the differences of each pair of models, base first; measures that are not tested come last."""
    found: dict[tuple[str, str], list[Difference]] = {}
    for difference in comparison.differences:
        found.setdefault((difference.subject.base, difference.subject.model), []).append(difference)
    return {pair: sorted(some, key=lambda row: row.subject.measure not in comparison.judged) for pair, some in found.items()}


def shows_pairs(comparison: Comparison) -> bool:
    """Return whether a screen or a paper has tables of pairs; for all pairs of many models, letters replace them."""
    return not comparison.letters or len(comparison.models) <= MOST_PAIRED


def _columns(relative: bool) -> tuple[DifferenceColumn, ...]:
    """Return the columns, with those in percent behind the verdict if `relative`."""
    place = 1 + next(index for index, column in enumerate(COLUMNS) if column.role == "verdict")
    return (*COLUMNS[:place], *RELATIVE, *COLUMNS[place:]) if relative else COLUMNS


def _named(columns: Sequence[DifferenceColumn], rows: Sequence[Difference]) -> list[DifferenceColumn]:
    """Return the columns with the names of the models above their values, if all rows have the same one."""
    bases, models = ({getattr(row.subject, name) for row in rows} for name in ("base", "model"))
    names = {title: some.pop() for title, some in (("base", bases), ("value", models)) if len(some) == 1}
    return [replace(column, title=names.get(column.title, column.title)) for column in columns]


def pair_tables(comparison: Comparison, relative: bool = False) -> tuple[Table, ...]:
    """Return a table for each pair."""
    tables = []
    for number, ((base, model), rows) in enumerate(by_pair(comparison).items(), 1):
        about, caption = {"model": model, "base": base}, f"{model} against {base}"
        columns = _named(_columns(relative), rows)
        tables.append(_table(columns, rows, comparison, DATA, caption=caption, id=f"differences-{number}", about=about))
    return tuple(tables)


def _single_measure(differences: Iterable[Difference]) -> str:
    """Return the measure of all differences, behind a comma and with its direction; empty if there are several."""
    measures = {difference.subject.measure: difference.subject.higher_is_better for difference in differences}
    return "".join(f", {with_arrow(*measure)}" for measure in measures.items()) if len(measures) == 1 else ""


def measure_table(comparison: Comparison, relative: bool = False) -> Table:
    """Return one table of all models that are compared with one base in one measure, which is in its caption: a row per model."""
    rows = comparison.differences
    columns = _named((MODEL, *_columns(relative)[1:]), rows)
    return _table(columns, rows, comparison, caption=f"{title(comparison)}{_single_measure(rows)}", id="differences")


def joined_table(comparison: Comparison, relative: bool = False) -> Table:
    """Return one table of all pairs; if there are several, a line above its rows names each."""
    rows: list[Difference] = []
    headings: dict[int, str] = {}
    for (base, model), some in by_pair(comparison).items():
        headings[len(rows)] = f"{model} against {base}"
        rows += some
    caption = f"Comparison of {title(comparison)}. {subtitle(comparison)}."
    found = {row.verdict for row in rows if row.subject.measure in comparison.judged}
    meanings = "; ".join(f"{verdict}: {MEANINGS[verdict]}" for verdict in _EXPLAINED if verdict in found)
    cited = citations(methods_of(rows, comparison.settings).values())
    counts = [f"{_COUNTS}."] if any(row.up is not None for row in rows) else []
    notes = (*counts, *([f"{meanings}."] if meanings else []), *footnotes(comparison), *cited)
    columns, rules = _named(_columns(relative), rows), headings if len(headings) > 1 else {}
    return _table(columns, rows, comparison, caption=caption, id="comparison", rules=rules, notes=notes)


def groups_table(comparison: Comparison, relative: bool = False, pair: tuple[str, str] | None = None) -> Table:
    """Return the differences within groups of users, of all pairs or of one.

    What all rows have in common is in the heads and the caption: the grouping, the models, the measure.
    """
    of_pair = [difference for difference in comparison.by_group if pair in (None, (difference.subject.base, difference.subject.model))]
    rows = [difference for _, some in groupby(of_pair, key=_grouping) for difference in sorted(some, key=_first_number)]
    groupings, bases, models = ({getattr(row.subject, name) for row in rows} for name in ("by", "base", "model"))
    group = replace(GROUP_OF_ONE, title=groupings.pop() or "") if len(groupings) == 1 else GROUP
    of_measure, model = _single_measure(rows), PAIR if len(bases) > 1 else MODEL
    keys = (group, *([model] if len(models) + len(bases) > 2 else []), *([] if of_measure else COLUMNS[:1]))
    columns, data = _named((*keys, USERS, *_columns(relative)[1:]), rows), (*DATA_OF_GROUPS, *DATA)
    caption = f"Differences within groups{of_measure}"
    return _table(columns, rows, comparison, data, caption=caption, id="differences-groups")


def groups_tables(comparison: Comparison, relative: bool = False) -> Iterator[Table]:
    """Yield the differences within groups of users: a table for each pair, or one table for one base and one measure."""
    pairs = dict.fromkeys((difference.subject.base, difference.subject.model) for difference in comparison.by_group)
    if len(pairs) == 1 or (_single_measure(comparison.by_group) and len({base for base, _ in pairs}) == 1):
        yield groups_table(comparison, relative)
        return
    for base, model in pairs:
        yield replace(groups_table(comparison, relative, (base, model)), caption=f"{model} against {base}")


def _grouping(row: Difference) -> tuple[str, str, str, str | None]:
    return row.subject.base, row.subject.model, row.subject.measure, row.subject.by


def _first_number(row: Difference) -> int:
    """Return the lowest number of train rows of a group, by which such groups are sorted; 0 for any other group."""
    start = re.match(r"\d+", row.subject.group or "") if row.subject.by == "train_count" else None
    return int(start[0]) if start else 0


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
    """Return for each model and measure the users with the largest losses; a table without rows if nobody loses."""
    tables = []
    for number, ((model, measure), frame) in enumerate(comparison.losers.items(), 1):
        names = ("user", *(("fold",) if "fold" in frame.columns and frame.height else ()))
        heads = (Column(comparison.base or "base", "value"), Column(model, "value"), Column("Δ", "difference"))
        columns = (Column("user", "key"), *(Column(name) for name in names[1:]), *heads)
        rows = tuple(
            (
                *(Cell(str(row[name])) for name in names),
                *(number_cell(row[name], _LEAST_DECIMALS, sign=name == "difference") for name in ("base", "model", "difference")),
            )
            for row in frame.rows(named=True)
        )
        tables.append(Table(columns, rows, f"Users with the largest losses in {measure} with {model}", f"losers-{number}"))
    return tuple(tables)


def _table(
    columns: Sequence[DifferenceColumn], rows: Sequence[Difference], comparison: Comparison, data: Sequence[str] = (), **rest: Any
) -> Table:
    """Return the table of some differences, with `data` for programs.

    The number of decimals of a measure gives two significant digits of its narrowest interval, within limits.
    """
    by_measure = {row.subject.measure: digits_of(of for of in rows if of.subject.measure == row.subject.measure) for row in rows}
    shares = ((row.relative_low, row.relative_high) for row in rows)
    in_percent = _digits((None if low is None or high is None else (100 * low, 100 * high) for low, high in shares), 1)
    level = _level(comparison)
    heads = tuple(Column(level if column.title == "interval" else column.title, column.role, yields=column.yields) for column in columns)
    shown = {measure: Shown(digits, in_percent, comparison.judged) for measure, digits in by_measure.items()}
    cells = tuple(tuple(column.cell(row, shown[row.subject.measure]) for column in columns) for row in rows)
    of_data = [[cells[name] for name in data] for cells in (row.cells() for row in rows)] if data else ()
    return Table(heads, cells, columns_of_data=tuple(data), data=of_data, **rest)


def digits_of(rows: Iterable[Difference]) -> int:
    """Return the number of decimals of some differences: two significant digits of the narrowest interval, within limits."""
    return _digits((row.interval for row in rows), _LEAST_DECIMALS)


def _digits(intervals: Iterable[tuple[float, float] | None], least: int) -> int:
    """Return the number of decimals for two significant digits of the narrowest interval, within limits."""
    needed = (decimals((interval[1] - interval[0]) / 2) for interval in intervals if interval is not None)
    return min(max([least, *(places for places in needed if places is not None)]), _MOST_DECIMALS)


def _level(comparison: Comparison) -> str:
    return f"{100 * comparison.settings.level:g} % interval"
