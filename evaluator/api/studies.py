"""Audits, descriptions and explanations that print as the tables of the command line."""

from __future__ import annotations

from ..documents.audit import audit_document, explanation_document
from ..documents.description import document
from ..documents.document import Document
from ..results.audit import Audit
from ..results.description import Description
from ..results.explanation import Explanation
from .display import Displayed


class PrintedAudit(Displayed, Audit, frozen=True):
    """An `Audit` that prints as the tables of `receval audit`."""

    def _document(self, *, in_notebook: bool) -> Document:
        return audit_document(self)


class PrintedDescription(Displayed, Description, frozen=True):
    """A `Description` that prints as the tables of `receval describe`."""

    def _document(self, *, in_notebook: bool) -> Document:
        return document(self)


class PrintedExplanation(Displayed, Explanation, frozen=True):
    """An `Explanation` that prints as the tables of `receval explain`."""

    def _document(self, *, in_notebook: bool) -> Document:
        return explanation_document(self)
