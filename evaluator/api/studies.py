"""Audits, descriptions and explanations that print as the tables of the command line."""

from __future__ import annotations

from ..documents.audit import audit_document, explanation_document
from ..documents.description import document
from ..results.audit import Audit
from ..results.description import Description
from ..results.explanation import Explanation
from .display import Displayed


class PrintedAudit(Displayed, Audit, frozen=True):
    """An `Audit` that prints as the tables of `receval audit`."""

    _document = audit_document


class PrintedDescription(Displayed, Description, frozen=True):
    """A `Description` that prints as the tables of `receval describe`."""

    _document = document


class PrintedExplanation(Displayed, Explanation, frozen=True):
    """An `Explanation` that prints as the tables of `receval explain`."""

    _document = explanation_document
