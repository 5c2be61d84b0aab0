"""A result in LaTeX, with the models compared as its config says."""

from __future__ import annotations

from msgspec.structs import replace

from ..comparison.beside_best import beside_best
from ..comparison.comparing import compare
from ..comparison.questions import Questions
from ..config.comparing import Compare
from ..config.models import Config
from ..config.reporting import LatexStyle
from ..output.latex import Tested, document_as_latex, tables_as_latex
from ..results.comparison import Comparison
from ..results.result import Result


def as_latex(result: Result, config: Config, *, is_document: bool = False) -> bytes:
    """The tables of a result, or a whole document; values of users, where they were kept, say which models cannot be told apart.

    By default each measure's best model is compared with all others; for letters every two models are, for daggers all with the baseline.
    """
    return latex_of(result, config.compare, config.report.latex, is_document=is_document)


def latex_of(result: Result, compare: Compare, style: LatexStyle, *, is_document: bool) -> bytes:
    """The same, with the sections of a config that it looks at."""
    questions = replace(Questions.of(compare), common=True, by=())
    tested, sentences = _tested(result, questions)
    comparison = _compared(result, questions, style.marks) if tested is not None else None
    tested = None if comparison is not None and comparison.base is None else tested  # what is bold goes with the letters
    if is_document:
        return document_as_latex(result, comparison, tested, style, sentences=sentences)
    return tables_as_latex(result, comparison, tested, style)


def _compared(result: Result, questions: Questions, marks: str) -> Comparison | None:
    """The comparison that marks other than that of the best model need."""
    if marks == "none":
        return None
    if questions.baseline not in result.models:  # a folder, whose models have no line in the table
        questions = replace(questions, baseline=None)
    return compare({"": result}, replace(questions, all_pairs=marks == "letters"))


def _tested(result: Result, questions: Questions) -> tuple[Tested | None, list[str]]:
    """Which values cannot be told from the best one, and what is concluded of the first measure."""
    found = beside_best(result, questions)
    if found is None:
        return None, []
    every = [one for some in found.differences.values() for one in some]
    unknown = {one.subject.measure for one in every if one.p_adjusted is None and one.verdict != "identical"}
    known = found.differences.keys() - unknown
    family = max((one.family or 0 for one in every), default=0)
    tested = Tested(found.alike(), frozenset(known), questions.settings, family)
    return (tested if known else None), found.sentences()
