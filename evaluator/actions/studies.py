"""Studies of a config besides its values: description of its files, audit of conventions, explanation of a value."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from ..checks import CHECKS, EFFECTIVE, setting
from ..config import Config, Loaded
from ..conventions import packaged_names
from ..evaluation.describing import describe
from ..evaluation.inputs import refuse_missing_files
from ..evaluation.running import run
from ..results.audit import Audit, ConventionDifference, FoundValues, read_number
from ..results.found_settings import FoundSettings
from ..results.gamma_curve import GammaCurves, at_gammas, gamma_curves
from ..studies.auditing import audit, difference, relevance_text
from ..studies.explaining import explain
from ..studies.searching import read_search, search
from ..support.errors import ArgumentError, ConfigError
from ..support.outputs import Subject

__all__ = ["audit", "audit_question", "curve_measures", "describe", "explain", "over_gamma", "refuse_missing_files", "search"]


def curve_measures(loaded: Loaded) -> tuple[str, ...]:
    """Return the measures of a config that can be shown over γ, each at the usual γ; raise `ConfigError` if there are none."""
    evaluation, found = loaded.config.evaluation, dict[str, None]()
    if loaded.config.data.train is None:
        problem = "propensities follow from the popularity of items in the train interactions"
        raise ConfigError(problem, "give data.train, or --train FILE")
    for definition in evaluation.definitions:
        for spec in at_gammas(definition.spec):
            with suppress(ValueError):  # a setting that weights by exposure do not fit
                found[evaluation.resolve(spec).label] = None
    if not found:
        labels = ", ".join(evaluation.labels)
        raise ConfigError(f"Recall and DCG can be shown over gamma, and evaluation.metrics has {labels}", "name one with -m Recall@20")
    return tuple(found)


def over_gamma(loaded: Loaded) -> GammaCurves:
    """Evaluate the measures of a config and return those that it has at several γ as curves; the check of their effective sizes runs."""

    def counted(config: Config) -> Config:
        own = config.health.settings[EFFECTIVE]
        shown = setting(CHECKS[EFFECTIVE]) if own.severity == "off" else own
        return config.model_copy(update={"health": config.health.model_copy(update={EFFECTIVE: shown})})

    folds = {name: counted(config) for name, config in loaded.folds.items()}
    checked = replace(loaded, config=counted(loaded.config), folds=folds)
    return gamma_curves(run(checked, concludes=False, keep_users=False))


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
