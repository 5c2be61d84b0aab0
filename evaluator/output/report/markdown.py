"""A report as Markdown, for a pull request or the summary of a job: verdict first, then the table, the rest folded up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...document import SIGNS
from ...render.markdown import markdown_text
from ..charts.points import ValuePoint, by_label
from . import differences, findings, gates, provenance, segments
from .content import ReportContent
from .values import ARROWS
from .verdict import verdict
from .views import PageTable, Section

_SIGNS: Final = {"good": "✔ ", "bad": "✖ ", "doubtful": "▲ "}
_CUT: Final = (
    "\n\n*The rest is left out: it is longer than the {most:,} bytes that are shown here. receval report -o FILE.html has it all.*\n"
)


def as_markdown(content: ReportContent) -> bytes:
    """Title, verdict, gates, values and differences; groups, findings and notes are folded up, which GitHub and GitLab can."""
    return summary(content).encode()


def summary(content: ReportContent) -> str:
    """The same as text."""
    lines = [f"# {markdown_text(content.title)}", ""]
    lines += [f"- {_SIGNS.get(line.level, '')}{markdown_text(line.sentence)}" for line in verdict(content)]
    judged = gates.section(content)
    if judged is not None:
        lines += ["", "## Gates", "", *_tables(judged.tables)]
    lines += ["", "## Values", "", *_values(content)]
    legend = content.marked.legend("Bold:")
    lines += ["", *(f"- {sentence}" for sentence in legend)] if len(legend) > 1 else ["", *legend] if legend else []
    if content.comparison is not None:
        compared = differences.section(content.comparison, ())
        lines += ["", f"## {compared.title}", "", markdown_text(compared.prose[0])]
        said = [line.sentence for line in verdict(content)]
        more = [f"- {markdown_text(text)}" for text in compared.points if text not in said]
        lines += [*([""] if more else []), *more, "", *_tables(compared.tables)]
    if content.show_users and content.comparison is not None and content.comparison.losers:
        lines += ["", "## Who loses most", "", *_tables(differences.losers_section(content.comparison).tables)]
    for section in (segments.section(content), findings.section(content), provenance.section(content)):
        lines += [] if section is None else ["", *_folded(section)]
    return "\n".join(lines) + "\n"


def cut(text: str, most: int) -> str:
    """The text in at most so many bytes: cut at the end of a line, open folds closed, and saying so."""
    if len(text.encode()) <= most:
        return text
    said = _CUT.format(most=most)
    room = most - len(said.encode()) - 100
    if room <= 0:
        return ""
    kept = text.encode()[:room].decode(errors="ignore").rpartition("\n")[0]
    folds = kept.count("<details>") - kept.count("</details>")
    return f"{kept}\n{'</details>' * folds}{said}"


def _values(content: ReportContent) -> Iterator[str]:
    names = [one.name for one in content.models]
    better = content.higher_is_better
    yield _row(("measure", *names))
    yield "|---|" + "---:|" * len(names)
    for label, of_models in by_label(content.points).items():
        cells = (_marked(content, of_models[name]) if name in of_models else "" for name in names)
        yield f"| {markdown_text(label)}{ARROWS[better[label]]} | {' | '.join(cells)} |"
    yield _row(("users", *(f"{one.result.counts[one.model].averaged:,}" for one in content.models)))


def _marked(content: ReportContent, one: ValuePoint) -> str:
    text, place = content.formats.shown(one.row), (one.name, one.label)
    return f"**{text}**" if place in content.marked.tested else f"{text} {SIGNS['untested']}" if place in content.marked.untested else text


def _folded(section: Section) -> Iterator[str]:
    """A section that is opened by a click."""
    yield f"<details><summary>{section.title}</summary>"
    yield ""
    yield from (f"{markdown_text(text)}\n" for text in section.prose)
    yield from (f"- {markdown_text(text)}" for text in section.points)
    yield ""
    yield from _tables(section.tables)
    for fold in section.folds:
        if fold.points or fold.tables:
            yield f"\n**{markdown_text(fold.title)}**\n"
            yield from (f"- {markdown_text(text)}" for text in fold.points)
            yield ""
            yield from _tables(fold.tables)
    yield ""
    yield "</details>"


def _tables(tables: Sequence[PageTable]) -> Iterator[str]:
    for table in tables:
        yield f"**{markdown_text(table.caption)}**"
        yield ""
        yield _row([column.head for column in table.columns])
        yield "|" + "".join("---:|" if column.kind != "text" and place else "---|" for place, column in enumerate(table.columns))
        for row in table.rows:
            yield _row([" ".join(part for part in (cell.text, cell.remark) if part) for cell in row])
        yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(markdown_text(cell) for cell in cells)} |"
