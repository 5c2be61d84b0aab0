"""A result in LaTeX, with the models compared as its config says."""

from __future__ import annotations

from msgspec.structs import replace

from ..comparison.best_models import with_conclusions
from ..comparison.comparing import compare
from ..comparison.questions import Questions
from ..config.comparing import Compare
from ..config.models import Config
from ..config.reporting import LatexStyle
from ..content.paper import paper_document, result_tables
from ..render import latex
from ..results.closing import closing_sentences
from ..results.comparison import Comparison
from ..results.result import Result


def as_latex(result: Result, config: Config, *, is_document: bool = False) -> bytes:
    """The tables of a result, or a whole document; values of users, where they were kept, say which models are clearly different.

    By default each measure's best model is compared with all others; for letters every two models are, for daggers all with the baseline.
    """
    return latex_of(result, config.compare, config.report.latex, is_document=is_document)


def latex_of(result: Result, compare: Compare, style: LatexStyle, *, is_document: bool) -> bytes:
    """The same, with the sections of a config that it looks at."""
    questions = replace(Questions.of(compare), common=True, by=())
    result = with_conclusions(result, questions)
    comparison = _compared(result, questions, style.marks) if any(one.is_tested for one in result.conclusions) else None
    if is_document:
        return latex.as_latex(paper_document(result, comparison, style, sentences=closing_sentences(result.conclusions))).encode()
    return latex.as_latex(result_tables(result, comparison, style)).encode()


def _compared(result: Result, questions: Questions, marks: str) -> Comparison | None:
    """The comparison that marks other than that of the best model need."""
    if marks == "none":
        return None
    if questions.baseline not in result.models:  # a folder, whose models have no line in the table
        questions = replace(questions, baseline=None)
    return compare({"": result}, replace(questions, all_pairs=marks == "letters"))
