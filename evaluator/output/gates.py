"""Gates as a table for people, as Markdown, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, TextIO

from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..render.markdown import markdown_text
from ..render.terminal import UNBOUNDED, Screen
from ..results.gates import Gate, Outcome, Verdicts
from ..stats.digits import users_text
from .data import gate_cells

FORMAT_VERSION: Final = 2
"""The version of the JSON form. 1: with `state` and the outcome `warn`. 2: the outcomes of `results.gates`, `consequence` and `anchor`."""
_WORDS: Final[dict[Outcome, tuple[str, str]]] = {
    "pass": ("pass", "green"),
    "fail": ("FAIL", "bold red"),
    "inconclusive": ("inconclusive", "yellow"),
    "skipped": ("skip", "dim"),
}
"""The word for an outcome, and its style."""


def title(gates: Sequence[Gate]) -> str:
    """What is judged against what: `gates · today against main · 350 users, paired · one-sided 95 % bounds`."""
    models, bases = (tuple(dict.fromkeys(names)) for names in ((one.model for one in gates), (one.base for one in gates if one.base)))
    named = models[0] if len(models) == 1 else f"{len(models)} models"
    compared = [one for one in gates if one.base and not one.by_value]
    anchors = tuple(dict.fromkeys(one.anchor.base for one in gates if one.anchor is not None))
    users = sorted({one.n_users for one in compared if one.group is None} or {one.n_users for one in compared})
    told = users_text(users[0]) if len(users) == 1 else f"{users[0]:,} to {users[-1]:,} users" if users else ""
    paired = ", paired" if told and all(one.paired for one in compared) else ""
    levels = dict.fromkeys(f"one-sided {100 * one.level:g} % bounds" for one in compared if one.low is not None)
    against = [f"{named} against {_common(bases)}" if bases else named, *([f"anchor {_common(anchors)}"] if anchors else [])]
    return " · ".join(("gates", *against, *([f"{told}{paired}"] if told else []), *levels))


def rows(gates: Sequence[Gate]) -> list[tuple[str, str, str, str, str]]:
    """The cells of the table: outcome, model, rule, what was found, and why."""
    base = _usual_base(gates)
    return [(_WORDS[one.outcome][0], one.model, _rule(one, base), one.found, _why(one)) for one in gates]


def show(gates: Sequence[Gate], file: TextIO) -> str:
    """The table as text for `file`, with colour only where that is a terminal that has it; nothing without gates."""
    if not gates:
        return ""
    screen = Screen.of(file)
    several = len({one.model for one in gates}) > 1
    lines = [[screen.visible(cell) for number, cell in enumerate(line) if several or number != 1] for line in rows(gates)]
    table = Table.grid(padding=(0, 2))
    for number, column in enumerate(zip(*lines, strict=True)):
        last = number == len(lines[0]) - 1
        table.add_column(no_wrap=not last, min_width=None if last else max(map(cell_len, column)))
    for one, line in zip(gates, lines, strict=True):
        table.add_row(Text(line[0], style=_WORDS[one.outcome][1]), *map(Text, line[1:]))
    widest = UNBOUNDED.measure(table).maximum + 2
    head = Text(screen.visible(title(gates).replace("·", "·" if screen.encodes("·") else "-")))
    notes = [line for note in Verdicts(tuple(gates)).notes() for line in screen.paragraph(Text(screen.visible(note), style="dim"))]
    shapes: list[tuple[RenderableType, int]] = [
        *screen.paragraph(head),
        (Padding(table, (0, 0, 0, 2), expand=False), screen.width or widest),
    ]
    return screen.draw([*shapes, *notes])


def below(gates: Sequence[Gate], file: TextIO) -> str:
    """The table as it stands below another one."""
    return f"\n{show(gates, file)}" if gates else ""


def as_markdown(gates: Sequence[Gate]) -> str:
    """The gates as a Markdown table, with what so many users can show below; nothing without gates."""
    if not gates:
        return ""
    lines = [f"**{markdown_text(title(gates))}**", "", "| | model | rule | found | |", "|---|---|---|---|---|"]
    for word, *cells in rows(gates):
        marked = f"**{word}**" if word == _WORDS["fail"][0] else word
        lines.append(f"| {' | '.join([marked, *map(markdown_text, cells)])} |")
    verdicts = Verdicts(tuple(gates))
    return "\n".join([*lines, "", *(f"- {markdown_text(told)}" for told in (verdicts.summary(), *verdicts.notes()))]) + "\n"


def as_json(gates: Sequence[Gate], *, strict: bool = False) -> bytes:
    """The gates with full precision, and whether they failed, as the exit code has it."""
    verdicts = Verdicts(tuple(gates))
    content: dict[str, Any] = {"format_version": FORMAT_VERSION, "failed": verdicts.failed(strict), "summary": verdicts.summary()}
    return (json.dumps(content | gate_cells(gates), indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _usual_base(gates: Sequence[Gate]) -> str:
    """The base that most gates have, which their rules need not name."""
    bases = [_stem(one.base) for one in gates if one.base]
    return max(dict.fromkeys(bases), key=bases.count, default="")


def _common(bases: Sequence[str]) -> str:
    """The bases as the title names them: one, or the first with how many more; models of one folder by the name of the folder."""
    names = tuple(bases) if len(bases) == 1 else tuple(dict.fromkeys(map(_stem, bases)))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _stem(base: str) -> str:
    return base.partition("/")[0]


def _rule(one: Gate, base: str) -> str:
    return one.rule if not one.base or _stem(one.base) == base else f"{one.rule} against {one.base}"


def _why(one: Gate) -> str:
    """The remark, and that a rule only warns where it fails."""
    only = "warns only" if one.outcome == "fail" and one.consequence == "warn" else ""
    return "; ".join(part for part in (one.remark, only) if part)
