"""Audits, descriptions and explanations that print as the tables of the command line."""

from __future__ import annotations

from ..document import Document
from ..results.audit import Audit
from ..results.description import Description
from ..results.explanation import Explanation


def _printed(document: Document) -> str:
    """Return the text that the command line prints."""
    from ..render.screen import show  # only here: not every caller prints
    from ..render.terminal import PlainText

    return show(document, PlainText()).rstrip("\n")


def _shown(document: Document) -> str:
    """Return the element that a notebook shows."""
    from ..render.html import for_notebook  # only here: not every caller has a notebook

    return for_notebook(document)


class PrintedAudit(Audit, frozen=True):
    """An `Audit` that prints as the tables of `receval audit`."""

    def __repr__(self) -> str:
        from ..content.audit import audit_document

        return _printed(audit_document(self))

    def _repr_html_(self) -> str:
        from ..content.audit import audit_document

        return _shown(audit_document(self))


class PrintedDescription(Description, frozen=True):
    """A `Description` that prints as the tables of `receval describe`."""

    def __repr__(self) -> str:
        from ..content.description import document

        return _printed(document(self))

    def _repr_html_(self) -> str:
        from ..content.description import document

        return _shown(document(self))


class PrintedExplanation(Explanation, frozen=True):
    """An `Explanation` that prints as the tables of `receval explain`."""

    def __repr__(self) -> str:
        from ..content.audit import explanation_document

        return _printed(explanation_document(self))

    def _repr_html_(self) -> str:
        from ..content.audit import explanation_document

        return _shown(explanation_document(self))
