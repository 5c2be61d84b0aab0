"""The history of models over runs, and the leaderboard of many results: on a screen, and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from msgspec.structs import replace

from ..results.row import listed, shortened
from ..results.series import History, Leaderboard, Line, Order, Point
from ..stats.concluding import percent
from ..stats.difference import Difference
from . import chart_parts as pieces
from . import numbers
from .best_values import corrected_text
from .difference_columns import COLUMNS, Shown
from .differences import LETTERS, digits_of, subtitle
from .document import Block, Cell, Column, Document, Figure, Heading, Interval, Panel, Paragraph, Points, Role, Section, Table, with_arrow
from .methods import method_names, methods_of
from .values import Formats

_MOST_MEASURES: Final = 6
_MOST_CHANGES: Final = 3
_ORDERS: Final[dict[Order, str]] = {"date": "in the order of report.date", "name": "in the order of their names"}
_DATA: Final = ("model", "measure", "series", "run", "value", "low", "high", "accepted", "base", "difference", "p_adjusted", "verdict")
_NONE: Final = "–"
_CELLS: Final = {column.title: column.cell for column in COLUMNS}
_ACCEPTED: Final = (
    "Each run is compared with the last accepted one: the first of its series, and from then on a run that is shown to be better, or that "
    "people accept. A run without a shown loss does not become the accepted one, so that small losses add up until they are shown. "
    "Any run could have become it, so p is corrected for all pairs of runs."
)


# History


def document(history: History) -> Document:
    """Return a row for each line: its latest run against the one accepted before, the first loss and the last good run; and what was found.

    Earlier series have rows only if a loss is shown in them, and only the last few changes have sentences.
    """
    latest = history.latest_lines()
    lines = [line for line in history.lines if line.losses or line in latest]
    changes = [*history.changes()]
    left = len(changes) - _MOST_CHANGES
    more = (
        [f"{left:,} earlier series{'' if left == 1 else ' each'} began for such a reason: -o history.html names them."] if left > 0 else []
    )
    return (Heading(_title(history)), _summary(lines, history), *_said(history, [*changes[-_MOST_CHANGES:], *more]))


def page(history: History) -> Document:
    """Return all lines, charts, and all values and differences."""
    drawn = [figure] if (figure := _figure(history)) is not None else []
    return (
        Heading(_title(history)),
        Section("lines", "Losses", _found_first(_summary(history.lines, history), [*_said(history, [*history.changes()])])),
        *([Section("runs-chart", "Values over runs", tuple(drawn))] if drawn else []),
        Section("values", "All runs", tuple(_runs_tables(history)), folded=True),
    )


def markdown(history: History) -> Document:
    """Return the page without charts."""
    return tuple(block for block in page(history) if not (isinstance(block, Section) and block.id == "runs-chart"))


def _found_first(table: Table, said: Sequence[Block]) -> Document:
    """Return the blocks of a page: first what was found, then the table, then how."""
    found = [block for block in said if isinstance(block, Points)]
    return (*found, table, *(block for block in said if not isinstance(block, Points)))


def _title(history: History) -> str:
    models = dict.fromkeys(line.model for line in history.lines)
    first, *_, last = history.runs
    return f"{shortened([*models])}: {len(history.runs)} runs, {first.run} to {last.run}"


def _said(history: History, changes: Sequence[str]) -> Iterator[Block]:
    """Yield how the differences were made, what is shown, what changed, and notes."""
    methods = method_names(methods_of(history.differences, history.settings))
    corrected = f"p by {corrected_text(history.settings.correction, history.family)}" if history.family else "nothing can be tested"
    made = " · ".join(filter(None, (f"{percent(history.settings.level)} intervals, each on its own", corrected, methods)))
    yield Paragraph(f"Runs are {_ORDERS[history.order]}. {made}.")
    yield Paragraph(_ACCEPTED)
    yield Points((*history.conclusions(), *changes, *_unpaired(history)))
    yield from [Points(history.notes)] if history.notes else []


def _unpaired(history: History) -> Iterator[str]:
    """Yield a sentence on the runs whose users are not paired."""
    runs = dict.fromkeys(point.run for line in history.lines for point in line.points if point.paired is False)
    if runs:
        yield (
            f"unpaired: {shortened([*runs])}, without per-user values on both sides (output.per_user). Such a comparison shows only much "
            "larger differences."
        )


def _summary(lines: Sequence[Line], history: History) -> Table:
    """Return a row for each of some lines."""
    several = len({line.model for line in history.lines}) > 1
    renewed = any(line.series > 1 for line in history.lines)
    columns = (
        *([Column("model", "name")] if several else []),
        Column("measure", "key"),
        *([Column("series", "counts")] if renewed else []),
        Column("runs", "counts", yields=4),
        Column("against", "name", yields=2),
        Column("latest", "value", yields=3),
        Column("Δ", "difference", yields=1),
        Column("interval", "interval", yields=5),
        Column("first loss", "verdict"),
        Column("last good", "name"),
    )
    rows = []
    for line in lines:
        point = line.latest
        first, good, (size, interval, _) = line.first_loss, line.last_good, _difference_cells(point.difference)
        rows.append(
            (
                *([Cell(line.model)] if several else []),
                Cell(line.measure, direction=line.higher_is_better),
                *([Cell(f"{line.series}", value=line.series)] if renewed else []),
                Cell(f"{len(line.points):,}", value=len(line.points)),
                Cell(point.difference.subject.base if point.difference else _NONE),
                replace(_value_cell(point, line), drawn=None),
                size,
                interval,
                Cell(first.run if first else "none" if line.is_tested else "not tested", mark="worse" if first else ""),
                Cell(good.run if good else _NONE),
            )
        )
    return Table(columns, tuple(rows), id="lines-table")


def _value_cell(point: Point, line: Line) -> Cell:
    places = numbers.decimals(one.value for one in line.points)
    return Cell(numbers.number(point.value, places) or _NONE, value=point.value, drawn=Interval(point.value, point.low, point.high))


def _difference_cells(difference: Difference | None) -> tuple[Cell, Cell, Cell]:
    """Return the cells of a difference: its size, its interval and its p value."""
    if difference is None:
        return Cell(_NONE), Cell(_NONE), Cell()
    shown = Shown(digits_of([difference]), 0, ())
    size, interval, p = (_CELLS[title](difference, shown) for title in ("Δ", "interval", "p"))
    return size, interval, p


def _runs_tables(history: History) -> Iterator[Table]:
    """Yield all runs of each line, with their differences."""
    titles: dict[str, Role] = {"run": "key", "value": "value", "compared with": "name", "Δ": "difference", "interval": "interval", "p": "p"}
    columns = (*(Column(title, role) for title, role in titles.items()), Column("verdict", "verdict"))
    renewed = any(line.series > 1 for line in history.lines)
    for number, line in enumerate(history.lines, 1):
        rows = []
        for point in line.points:
            difference = point.difference
            verdict = "" if difference is None else difference.verdict or "not tested"
            said = ", ".join(filter(None, (verdict, "unpaired" if point.paired is False else "", "accepted" if point.accepted else "")))
            base = Cell(difference.subject.base if difference else _NONE)
            judged = Cell(said, mark=(difference.verdict or "") if difference else "")
            rows.append((Cell(point.run), _value_cell(point, line), base, *_difference_cells(difference), judged))
        title = f"{line.model}, {with_arrow(line.measure, line.higher_is_better)}{f', series {line.series}' if renewed else ''}"
        data = [[*row.values()] for row in rows_of_data(line)]
        yield Table(columns, tuple(rows), title, f"runs-{number}", columns_of_data=_DATA, data=data)


def rows_of_data(line: Line) -> Iterator[dict[str, Any]]:
    """Yield a row per run of a line, by `_DATA`."""
    for point in line.points:
        d = point.difference
        judged = (None, None, None, None) if d is None else (d.subject.base, d.difference, d.p_adjusted, d.verdict)
        of_run = (line.model, line.measure, line.series, point.run, point.value, point.low, point.high, point.accepted)
        yield dict(zip(_DATA, (*of_run, *judged), strict=True))


def _figure(history: History) -> Figure | None:
    """Return the values of each measure over the runs, with the runs in which a loss is shown."""
    by_measure: dict[str, list[Line]] = {}
    for line in history.lines:
        by_measure.setdefault(line.measure, []).append(line)
    shown = {measure: lines for measure, lines in [*by_measure.items()][:_MOST_MEASURES] if _rows(lines)}
    if not shown:
        return None
    models = tuple(dict.fromkeys(line.model for lines in shown.values() for line in lines))
    runs = [run.run for run in history.runs]
    looks = pieces.looks_by("model", models, pieces.COLOURS, pieces.SHAPES)

    def panel(lines: Sequence[Line], width: int, *, is_last: bool) -> pieces.Spec:
        axis = {"labelAngle": -40} if is_last else {"labels": False}
        x = {"field": "run", "type": "ordinal", "sort": runs, "scale": {"domain": runs}, "title": None, "axis": axis}
        made = pieces.lines_panel(_rows(lines), x, looks, len(models) <= pieces.MOST_BANDS, width, pieces.LINES_HEIGHT)
        ring = {"type": "point", "filled": False, "size": 140, "strokeWidth": 2, "color": pieces.ORANGE}
        made["layer"] += pieces.where_known(_rows(lines), "loss", ring, {"y": {"field": "loss", "type": "quantitative"}})
        made["encoding"]["detail"] = {"field": "series"}
        return {"title": with_arrow(lines[0].measure, lines[0].higher_is_better), **made}

    def make(size: pieces.ChartSize) -> pieces.Spec:
        width = size.panel(1, pieces.NUMBERS_SPACE, pieces.BETWEEN_PANELS)
        panels = [panel(lines, width, is_last=number == len(shown)) for number, lines in enumerate(shown.values(), 1)]
        return {"vconcat": panels, "spacing": 44, "bounds": "flush"}

    bands = " with bands of 95 % intervals over users" if len(models) <= pieces.MOST_BANDS else ""
    caption = (
        f"Values of each run{bands}; scales need not start at 0. A ring or ▼ marks a run in which a loss is shown. Runs share their users, "
        "so overlapping bands do not mean that there is no difference."
    )
    n_left = len(by_measure) - len(shown)
    left = pieces.left_text(n_left, f"measure{'s are' if n_left > 1 else ' is'} in the tables")
    about = f"{', '.join(shown)} of {listed(models)} over {len(runs)} runs"
    figure = pieces.figure_of("history", f"{caption}{left}", about, make)
    panels = tuple(_panel(line) for lines in shown.values() for line in lines)[:_MOST_MEASURES]
    return Figure(figure.id, figure.caption, figure.spec, figure.narrow, panels)


def _panel(line: Line) -> Panel:
    rows = tuple((f"{point.run} ▼" if point.loss else point.run, _value_cell(point, line)) for point in line.points)
    return Panel(f"{line.model} {with_arrow(line.measure, line.higher_is_better)}", rows)


def _rows(lines: Iterable[Line]) -> list[pieces.Spec]:
    return [
        {"model": line.model, "run": point.run, "series": f"{line.model} {line.series}", "value": point.value, "low": point.low}
        | {"high": point.high, "loss": point.value if point.loss else None}
        for line in lines
        for point in line.points
        if point.value is not None
    ]


# Leaderboard


def leaderboard(board: Leaderboard) -> Document:
    """Return the models in the order of the first measure, each value with letters of the models that are not clearly different."""
    comparison = board.comparison
    formats = Formats.from_rows(row for rows in board.rows.values() for row in rows.values())
    dated = any(run.date for run in board.runs.values())
    columns = (
        Column("place", "counts"),
        Column("model", "name"),
        *([Column("date", "text", yields=20)] if dated else []),
        *(
            Column(measure, "value", comparison.higher_is_better[measure], yields=number)
            for number, measure in enumerate(comparison.measures)
        ),
    )
    rows, first = [], comparison.judged[0]
    ranks = dict(_ranks([rows[first].value for rows in board.rows.values()]))
    for place, (name, of_model) in enumerate(board.rows.items()):
        cells = []
        for measure in comparison.measures:
            row = of_model[measure]
            low, high = row.interval or (None, None)
            letters = comparison.letters.get(measure, {}).get(name, "")
            cells.append(Cell(formats.shown(row) or _NONE, note=letters, value=row.value, drawn=Interval(row.value, low, high)))
        date = [Cell(board.runs[name].date or _NONE)] if dated else []
        rows.append((Cell(f"{ranks[place]}", value=ranks[place]), Cell(name), *date, *cells))
    lettered = [measure for measure in comparison.judged if measure in comparison.letters]
    missing = [measure for measure in comparison.judged if measure not in comparison.letters]
    said = [f"{LETTERS}, in the same measure; a is the group of the best."] if lettered else []
    said += [f"Without letters: {shortened(missing)}, whose values were not tested, or would need more than 26."] if missing else []
    n_results = len({run.run for run in board.runs.values()})
    models = f"{len(board.rows):,} models of {n_results:,} result{'' if n_results == 1 else 's'}"
    more = Points((*filter(None, (comparison.left_out,)), *said, *comparison.cautions, *comparison.notes))
    table = Table(columns, tuple(rows), id="leaderboard")
    return (Heading(f"Leaderboard by {first}: {models}"), table, Paragraph(f"{subtitle(comparison)}."), *([more] if more.texts else []))


def _ranks(values: Iterable[float | None]) -> Iterator[tuple[int, int]]:
    """Yield place and rank of values in order: equal ones share a rank."""
    for _, some in groupby(enumerate(values), key=lambda pair: pair[1]):
        places = [place for place, _ in some]
        yield from ((place, places[0] + 1) for place in places)
