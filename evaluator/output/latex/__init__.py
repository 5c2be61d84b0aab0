"""Results in LaTeX: tables for a paper, and a whole document."""

from .document import as_latex, comparison_as_latex, document_as_latex, tables_as_latex
from .marks import Tested

__all__ = ["Tested", "as_latex", "comparison_as_latex", "document_as_latex", "tables_as_latex"]
