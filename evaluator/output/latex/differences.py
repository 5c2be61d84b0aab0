"""A comparison as tables in LaTeX: every difference with its interval, and groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...content.differences import digits_of, pairs, subtitle, title
from ...content.numbers import decimals
from ...content.numbers import number as value_text
from ...results.comparison import Comparison
from ...stats.records import MEANINGS, Difference, Verdict
from ..comparison import counts_text, interval_header, interval_text, measure_text, notes_on, number, p_text, verdict_text
from .escape import escaped
from .numbers import in_latex
from .tabular import LatexColumn, LatexTable, text_column

_EXPLAINED: Final[tuple[Verdict, ...]] = ("equivalent", "identical", "inconclusive")


def differences_table(comparison: Comparison) -> LatexTable:
    """Every difference over all users, pair by pair; measures that are not judged last."""
    rows: list[Difference] = []
    headings: dict[int, str] = {}
    for base, model in pairs(comparison):
        headings[len(rows)] = f"{model} against {base}"
        of_pair = [one for one in comparison.differences if (one.subject.base, one.subject.model) == (base, model)]
        rows += sorted(of_pair, key=lambda one: one.subject.measure not in comparison.judged)
    verdicts = [verdict_text(one, comparison) for one in rows]
    caption = f"Comparison of {title(comparison)}. {subtitle(comparison)}."
    notes = (*_meaning(verdicts), *dict.fromkeys((*comparison.notes, *notes_on(comparison.differences))))
    keys = (text_column("measure", [measure_text(one) for one in rows]),)
    columns = (*_numbers(comparison, rows), text_column("", verdicts))
    return LatexTable(caption, "tab:comparison", keys, columns, headings if len(headings) > 1 else {}, notes)


def letters_table(comparison: Comparison, digits: int | None) -> LatexTable:
    """Of all pairs which models are not clearly different: the values with their letters."""
    columns = []
    for measure, letters in comparison.letters.items():
        values = [comparison.values[measure, model] for model in comparison.models]
        places = decimals(values) if digits is None else digits
        shown = [in_latex(value_text(value, places)) for value in values]
        cells = tuple(
            text + (rf"\rlap{{$^{{\mathrm{{{letters[model]}}}}}$}}" if letters.get(model) else "")
            for text, model in zip(shown, comparison.models, strict=True)
        )
        head = measure + {True: " \u2191", False: " \u2193", None: ""}[comparison.higher_is_better[measure]]
        columns.append(LatexColumn(head, cells, max(map(len, shown)), raised=max(map(len, letters.values()), default=0)))
    caption = f"Comparison of {title(comparison)}. {subtitle(comparison)}. Models that share a letter are not clearly different."
    return LatexTable(caption, "tab:letters", (text_column("", comparison.models),), tuple(columns), notes=comparison.notes)


def groups_table(comparison: Comparison) -> list[LatexTable]:
    """The differences within groups of users; nothing where none were compared."""
    rows = comparison.by_group
    if not rows:
        return []
    names = [f"{one.subject.by} {one.subject.group}" for one in rows]
    keys = (
        text_column("group", names),
        text_column("model", [one.subject.model for one in rows]),
        text_column("measure", [measure_text(one) for one in rows]),
    )
    columns = (_column("users", [f"{one.n_users:,}" for one in rows]), *_numbers(comparison, rows))
    rules = {place: "" for place in range(1, len(rows)) if names[place] != names[place - 1]}
    caption = f"Comparison of {title(comparison)}, within groups, corrected together."
    return [LatexTable(caption, "tab:comparison-groups", keys, columns, rules)]


def _numbers(comparison: Comparison, rows: Sequence[Difference]) -> tuple[LatexColumn, ...]:
    digits = digits_of(rows)
    return (
        _column("base", [number(one.base_value, digits) for one in rows]),
        _column("value", [number(one.value, digits) for one in rows]),
        _column("\u0394", [number(one.difference, digits, sign=True) for one in rows]),
        _column(interval_header(comparison), [interval_text(one, digits) for one in rows]),
        _column("p", [p_text(one) for one in rows]),
        _column("up/same/down", [counts_text(one) for one in rows]),
    )


def _column(head: str, texts: Sequence[str]) -> LatexColumn:
    return LatexColumn(head, tuple(map(escaped, texts)), max(map(len, texts), default=0))


def _meaning(verdicts: Sequence[str]) -> tuple[str, ...]:
    """The meaning of those verdicts that do not say it themselves."""
    found = [f"{verdict}: {MEANINGS[verdict]}" for verdict in _EXPLAINED if verdict in verdicts]
    return (f"{'; '.join(found)}.",) if found else ()
