"""Critical-difference diagrams of ranks: as SVG, and as a picture of TikZ in LaTeX, without any extra."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from msgspec import Struct
from msgspec.structs import replace

from ..documents.across import BARS, ranks_table, table, too_few, values_table
from ..results.across import AcrossComparison
from ..stats.concluding import plain
from ..stats.ranks import Ranks
from ..support.errors import ConfigError, DataError, worded
from ..support.quoting import on_one_line
from .latex import Page, as_latex, escaped

_WIDTH, _MARGIN, _LINE, _TOP = 360.0, 150.0, 18.0, 40.0


class _Line(Struct, frozen=True):
    """A line from point to point, `thick` for a bar."""

    points: tuple[tuple[float, float], ...]
    thick: bool = False


class _Label(Struct, frozen=True):
    """A text at a point: `anchor` is the side of the text that touches it."""

    text: str
    x: float
    y: float
    anchor: str = "middle"


class _Drawing(Struct, frozen=True):
    """Lines and texts of one diagram, y downwards, and its height."""

    lines: tuple[_Line, ...]
    labels: tuple[_Label, ...]
    height: float


def as_svg(comparison: AcrossComparison) -> bytes:
    """Return the diagrams of all ranks below each other; raise `ConfigError` without ranks, `DataError` if none may be drawn."""
    drawings = [_drawn(ranks) for ranks in _drawable(comparison)]
    width, height = _WIDTH + 2 * _MARGIN, sum(drawing.height for drawing in drawings)
    parts, top = [], 0.0
    for drawing in drawings:
        parts += [f'<g transform="translate({_MARGIN:g},{top:g})">', *_svg(drawing), "</g>"]
        top += drawing.height
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img">'
    style = 'font-family="sans-serif" font-size="12" fill="none" stroke="black"'
    body = "\n".join((f"<title>{escape(BARS)}</title>", f"<g {style}>", *parts, "</g>"))
    return f"{head}\n{body}\n</svg>\n".encode()


def latex(comparison: AcrossComparison) -> str:
    """Return the tables, and the diagrams of all ranks that may be drawn, in a `tikzpicture` each."""
    tables = [replace(ranks_table(ranks), id=f"ranks-{n}") for n, ranks in enumerate(comparison.ranks, 1)]
    drawn = [_tikz(ranks) for ranks in comparison.ranks if ranks.can_reject]
    needs = ["% needs \\usepackage{tikz}"] if drawn else []
    return "\n".join([as_latex((table(comparison), values_table(comparison), *tables), Page()), *needs, *drawn])


def _drawable(comparison: AcrossComparison) -> list[Ranks]:
    if not comparison.ranks:
        raise ConfigError("a diagram of ranks needs ranks", worded("add --ranks", argument="give ranks=True"))
    drawable = [ranks for ranks in comparison.ranks if ranks.can_reject]
    if not drawable:
        raise DataError(too_few(comparison.ranks[0]), "the mean changes in the other forms hold with three data sets or more")
    return drawable


def _drawn(ranks: Ranks) -> _Drawing:
    """Lay a diagram out: an axis from rank 1, the better half of the models to the left, the others to the right, bars below the axis."""
    k, models = len(ranks.mean_ranks), list(ranks.mean_ranks.items())

    def x(rank: float) -> float:
        return round((rank - 1) / (k - 1) * _WIDTH, 2)

    lines = [_Line(((0.0, _TOP), (_WIDTH, _TOP))), *(_Line(((x(rank), _TOP), (x(rank), _TOP - 6))) for rank in range(1, k + 1))]
    labels = [_Label(ranks.measure, _WIDTH / 2, 14.0), *(_Label(str(rank), x(rank), _TOP - 10) for rank in range(1, k + 1))]
    bars = [_Line(((x(ranks.mean_ranks[group[0]]) - 4, y), (x(ranks.mean_ranks[group[-1]]) + 4, y)), True)
            for y, group in ((_TOP + 9 + 7 * n, group) for n, group in enumerate(ranks.groups))]  # fmt: skip
    start, n_left = _TOP + 9 + 7 * len(ranks.groups) + 8, (k + 1) // 2
    for n, (model, rank) in enumerate(models):
        is_left = n < n_left
        y, end = start + _LINE * (n if is_left else k - 1 - n), -6.0 if is_left else _WIDTH + 6
        lines.append(_Line(((x(rank), _TOP), (x(rank), y), (end, y))))
        labels.append(_Label(f"{model} ({plain(rank, 2)})", end + (-4 if is_left else 4), y + 4, "end" if is_left else "start"))
    return _Drawing((*lines, *bars), tuple(labels), start + _LINE * n_left + 8)


def _svg(drawing: _Drawing) -> Iterator[str]:
    for line in drawing.lines:
        points = " ".join(f"{x:g},{y:g}" for x, y in line.points)
        yield f'<polyline points="{points}" stroke-width="{4 if line.thick else 1}"/>'
    for label in drawing.labels:
        place = f'x="{label.x:g}" y="{label.y:g}" text-anchor="{label.anchor}"'
        yield f'<text {place} fill="black" stroke="none">{escape(on_one_line(label.text))}</text>'


def _tikz(ranks: Ranks) -> str:
    """Return a diagram in TikZ, in points, y upwards."""
    drawing, sides = _drawn(ranks), {"middle": "base", "end": "base east", "start": "base west"}
    lines = [
        f"\\draw{'[line width=3pt]' if line.thick else ''} {' -- '.join(f'({x:g},{-y:g})' for x, y in line.points)};"
        for line in drawing.lines
    ]
    labels = [
        rf"\node[inner sep=0pt,font=\footnotesize,anchor={sides[label.anchor]}] at ({label.x:g},{-label.y:g}) {{{escaped(label.text)}}};"
        for label in drawing.labels
    ]
    return "\n".join(("\\begin{tikzpicture}[x=0.7pt,y=0.7pt]", *lines, *labels, "\\end{tikzpicture}", ""))
