"""Studies of a config besides its values: description of its files, audit of conventions, explanation of a value."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ..config import Loaded
from ..conventions import packaged_names
from ..evaluation.describing import describe
from ..evaluation.inputs import refuse_missing_files
from ..results.audit import Audit, ConventionDifference, FoundValues, read_number
from ..results.found_settings import FoundSettings
from ..studies.auditing import audit, difference, relevance_text
from ..studies.explaining import explain
from ..studies.searching import read_search, search
from ..support.errors import ArgumentError
from ..support.outputs import Subject

__all__ = ["audit", "audit_question", "describe", "explain", "refuse_missing_files", "search"]


def audit_question(
    loaded: Loaded,
    conventions: Sequence[str] = (),
    why: tuple[str, str] | None = None,
    number: str | None = None,
    searched: str | None = None,
    *,
    by_group: bool = False,
) -> tuple[Subject, Audit | ConventionDifference | FoundValues | FoundSettings]:
    """Evaluate the measures of a config under conventions; return the subject of the output, and the answer.

    With `why`, the answer explains the difference between two conventions; with a `number`, it lists the conventions that print it, of
    libraries and of scripts, or, if there are none and the config sets relevance, those that print it by their own rule of relevance. With
    `searched`, such as `policies,order`, these settings are searched too. With `by_group`, values within the groups of the config are
    evaluated and searched, too.
    """
    if why is not None:
        return "audit-difference", difference(loaded, *why)
    if number is None:
        return "audit", audit(loaded, conventions, by_group=by_group)
    try:
        read_number(number)  # an invalid number is refused before files are read
    except ValueError as error:
        raise ArgumentError(f"number {error}", option=f"--find {error}") from None
    if searched is not None:
        parts = read_search(searched)
        settings = search(loaded, number, parts, conventions)
        if settings.exact or not relevance_text(loaded):
            return "audit-settings", settings
        others = search(loaded, number, parts, conventions, own_relevance=True)
        return "audit-settings", replace(others if others.exact else settings, without=relevance_text(loaded))
    names = conventions or packaged_names()
    found = audit(loaded, names, by_group=by_group).find(number)
    if found.exact or not relevance_text(loaded):
        return "audit-values", found
    other = audit(loaded, names, own_relevance=True, by_group=by_group).find(number)
    return "audit-values", replace(other if other.exact else found, without=relevance_text(loaded))
