"""Differences of each kind of values, as `compare_paired` has them of paired users."""

from __future__ import annotations

from collections.abc import Sequence

from receval.stats.difference import Difference, Settings, Subject
from receval.stats.estimates import RatioTerms, Summary, paired_estimate, unpaired_estimate, weighted_estimate
from receval.stats.paired import Floats, PairedSums
from receval.stats.samples import runs_estimate
from receval.stats.two_models import difference_of, whole_estimate


def compare_sums(subject: Subject, sums: PairedSums, settings: Settings, margin: float | None = None) -> Difference:
    """Compare means over paired users from their sums, by the paired t test: any number of users, on any engine."""
    return difference_of(subject, paired_estimate(sums, settings.alpha), settings, margin)


def compare_runs(
    subject: Subject, base: Sequence[Floats], model: Sequence[Floats], settings: Settings, margin: float | None = None
) -> Difference:
    """Compare two models over users and training runs: one array of per-user values per run."""
    return difference_of(subject, runs_estimate(base, model), settings, margin)


def compare_ratios(subject: Subject, base: RatioTerms, model: RatioTerms, settings: Settings, margin: float | None = None) -> Difference:
    """Compare a pooled (`micro`) measure, by the jackknife."""
    return difference_of(subject, weighted_estimate(base, model), settings, margin)


def compare_unpaired(subject: Subject, base: Summary, model: Summary, settings: Settings, margin: float | None = None) -> Difference:
    """Compare two means of which only deviation and number of users are known, by Welch's t test."""
    return difference_of(subject, unpaired_estimate(base, model), settings, margin)


def compare_wholes(subject: Subject, base_value: float | None, value: float | None, settings: Settings) -> Difference:
    """Compare model-level values, such as coverage, without an interval."""
    return difference_of(subject, whole_estimate(base_value, value), settings, None)
