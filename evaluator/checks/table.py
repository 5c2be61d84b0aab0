"""Health checks by id: what they detect, their default severity and limits, and advice. Long: a row for each check."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

Severity = Literal["error", "warn", "info", "off"]
SEVERITIES: Final = ("error", "warn", "info", "off")


class Limit(Struct, frozen=True):
    """A number that a check takes from the config: its default (`None`: the check ignores it), its bounds, and its meaning."""

    default: float | None
    means: str
    most: float = float("inf")


_COUNTED: Final = MappingProxyType({"max_share": Limit(0.0, "the check passes up to this share", most=1.0)})


class Check(Struct, frozen=True):
    """One check: its id, default severity, the problem that it detects, advice, and limits.

    `needs` are keys of `NEEDS`; the check is skipped without them.
    """

    id: str
    severity: Severity
    finds: str
    advice: str
    limits: Mapping[str, Limit] = field(default_factory=lambda: _COUNTED)
    needs: tuple[str, ...] = ()
    doubts_values: bool = False
    """True if a finding questions the values as a whole; it is shown before others of the same severity."""


class CheckSetting(Struct, frozen=True):
    """Setting of a check in one run: its severity, and its limits."""

    severity: Severity
    limits: Mapping[str, float | None]

    def limit(self, name: str) -> float:
        """Return a limit that has a number."""
        value = self.limits[name]
        assert value is not None
        return value


FILLERS: Final = ("-1", "nan", "NaN", "None", "null", "<pad>", "[PAD]")
"""Items that programs write to fill lists up."""
STRICT: Final = "warning_counted_as_error"
"""The key in `details` of a warning that `--strict` counts as an error."""


class Finding(Struct, frozen=True):
    """Finding of a check: one full sentence with count and share, examples, and advice.

    `model` is empty for a finding about the files that all models share. `count` of `total` are affected. `details` has further numbers,
    such as the bounds of values under ties. Each of `cures` has the options of a command with which the finding is not made.
    """

    check: str
    severity: Severity
    sentence: str
    advice: str
    model: str = ""
    count: int = 0
    total: int = 0
    examples: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    cures: tuple[str, ...] = ()

    @property
    def is_strict(self) -> bool:
        """True if the finding is a warning that `--strict` counts as an error."""
        return STRICT in self.details

    def counted_strictly(self) -> Finding:
        """Return the finding; a warning as an error."""
        return replace(self, severity="error", details={**self.details, STRICT: True}) if self.severity == "warn" else self

    @property
    def share(self) -> float:
        """Share that is affected."""
        return self.count / self.total if self.total else 0.0

    def cells(self) -> dict[str, Any]:
        """Return the finding in the form for machine formats."""
        return {
            "check": self.check,
            "severity": self.severity,
            "model": self.model,
            "sentence": self.sentence,
            "advice": self.advice,
            "count": self.count,
            "total": self.total,
            "share": self.share,
            "examples": list(self.examples),
            **({"details": dict(self.details)} if self.details else {}),
            **({"cures": list(self.cures)} if self.cures else {}),
        }


def setting(check: Check, severity: Severity | None = None, **limits: float | None) -> CheckSetting:
    """Return the setting of `check`: its defaults, and the values that are given."""
    return CheckSetting(severity or check.severity, {name: limit.default for name, limit in check.limits.items()} | limits)


NEEDS: Final = MappingProxyType(
    {
        "test": "data.test",
        "train": "data.train",
        "catalogue": "data.train or data.items",
        "times": "timestamps in test and train",
        "scores": "scores",
        "ranks": "ranks",
        "cutoffs": "cut-offs",
        "auc": "AUC or GAUC",
        "ips": "measures under exposure",
        "lists": "lists",
        "gains": "graded relevance",
        "relevance": "measures of relevance",
    }
)
"""Inputs that a check may need, in words."""


LIST_LENGTHS: Final = "R05"
"""The check whose findings have the lengths of lists as details; see `results.list_lengths`."""
_DECLARED: Final[dict[str, Check]] = {}
CHECKS: Final[Mapping[str, Check]] = MappingProxyType(_DECLARED)
"""All checks by id, in the order in which findings of one severity are shown."""
LEAKS: Final = ("X05", "X06", "X07", "X08", "X09", "X16")
"""The checks that look for leaks."""
EFFECTIVE: Final = "X17"
"""The check whose findings have the effective sample sizes of measures as details."""
SAMPLED: Final = "R10"
"""The check that recognises sampled candidates."""


def declare(*checks: Check) -> None:
    """Add checks to `CHECKS`; `ValueError` if one of that id exists already."""
    for check in checks:
        if check.id in _DECLARED:
            raise ValueError(f"there is a check {check.id!r} already")
        _DECLARED[check.id] = check


declare(
    Check(
        "R01",
        "error",
        "a list contains an item more than once",
        "list each item once; evaluation.policy.duplicates sets how duplicates are handled",
    ),
    Check(
        "R02",
        "error",
        "a row lacks a user, item, score or rank, or its score is NaN or infinite",
        "remove or fill these rows; evaluation.policy.missing_values sets whether they are refused or left out",
    ),
    Check(
        "R03",
        "error",
        "the ranks of a list are not 1 to n, are repeated, or contradict the scores",
        "write ranks from 1 without gaps, in the order of the scores; if the file has ranks and scores, one column is enough",
        needs=("ranks",),
    ),
    Check(
        "R04",
        "warn",
        "scores in a list are tied, so their order is arbitrary",
        "break ties in the model, or report the expected value with its bounds",
        {
            "max_share": Limit(0.01, "the check passes up to this share of lists if no value varies by more than `width`", most=1.0),
            "width": Limit(0.001, "bounds of a value are shown if they are at least this far apart"),
        },
        needs=("scores",),
    ),
    Check(
        "R05",
        "warn",
        "a list is shorter than the largest cut-off",
        "write lists at least as long as the largest cut-off: empty ranks lower Precision",
        needs=("cutoffs",),
    ),
    Check(
        "R06",
        "info",
        "a list is longer than the largest cut-off",
        "no action is needed: items below the cut-off do not count",
        needs=("cutoffs",),
    ),
    Check(
        "R07",
        "warn",
        "a recommended item is in neither the train file nor the items file",
        "check the ids; evaluation.policy.unknown_items sets how such items are handled",
        needs=("catalogue",),
    ),
    Check(
        "R08",
        "warn",
        "many users have the same list",
        "check that the model is personalised and that this is the right file",
        {"max_share": Limit(0.5, "the check passes up to this share of users", most=1.0)},
        doubts_values=True,
    ),
    Check(
        "R09",
        "warn",
        "all scores of a list are equal",
        "check the scores: such lists have no order",
        needs=("scores",),
    ),
    Check(
        "R10",
        "warn",
        "lists look like sampled candidates: nearly all have the same size, and they contain nearly every relevant item",
        "rank the whole catalogue: over sampled candidates values are higher, and the order of models can differ (Krichene and Rendle, "
        "KDD 2020); if they are intended, set health: {R10: off}, and use the gate Recall@none >= 1 (or the share of users with a list), "
        "which fails if a test item is not a candidate; models with other candidates are not compared, whether the check is on or off",
        {
            "min_inside": Limit(
                0.9,
                "the check fails if the lists contain this share of the relevant items, and this share of lists has the same size",
                most=1.0,
            )
        },
        doubts_values=True,
        needs=("test",),
    ),
    Check(
        "T01",
        "warn",
        "the test file contains a user-item pair more than once",
        "write each pair once; evaluation.policy.truth_duplicates sets how duplicates are handled",
        needs=("test",),
    ),
    Check(
        "T02",
        "info",
        "a test user has no relevant item",
        "no action is needed, or lower relevance.threshold; evaluation.policy.no_relevant sets how such users are handled",
        needs=("relevance",),
    ),
    Check(
        "T03",
        "warn",
        "ratings that are used as gains are negative, fractional or all equal",
        "check the rating column; with relevance.graded the rating is the gain",
        needs=("gains",),
    ),
    Check(
        "T04",
        "warn",
        "too few users to detect differences between models",
        "evaluate more users, or expect to detect only larger differences",
        {
            "min_users": Limit(30, "the smallest number of users at which the check passes"),
            "mde": Limit(None, "the smallest difference in the first measure that must be detectable (80 % power, 5 % level)"),
        },
    ),
    Check(
        "X01",
        "warn",
        "a user with relevant items has no list",
        "write lists for all test users; evaluation.policy.missing_lists sets how missing lists are handled",
        needs=("test", "lists"),
    ),
    Check(
        "X02",
        "info",
        "a user with a list is not in the test file",
        "no action is needed: such lists are not evaluated",
        needs=("test",),
    ),
    Check(
        "X03",
        "error",
        "the lists and the test file have no user, no item, or no hit in common",
        "ids are compared as written: check type, leading zeros, spaces and case, or map another column",
        needs=("test",),
    ),
    Check(
        "X04",
        "error",
        "ids would match after cleaning: they differ in white space, case, leading zeros or a final .0",
        "write ids the same way in all files: they are compared as written",
        needs=("test",),
    ),
    Check(
        "X05",
        "warn",
        "a recommended item is already in the user's train rows",
        "remove seen items from the lists, unless users repeat items; evaluation.policy.seen_items sets how they are handled",
        needs=("train",),
    ),
    Check(
        "X06",
        "warn",
        "a user-item pair of the test file is also in train",
        "keep test rows out of train, unless users repeat items",
        needs=("test", "train"),
    ),
    Check(
        "X07",
        "warn",
        "a user's first test row is older than the user's last train row",
        "split by time, so that test rows come after train rows",
        needs=("train", "times"),
    ),
    Check(
        "X08",
        "warn",
        "train rows are newer than the first test row (a leak across users)",
        "split at one point in time for all users, or report that the split is per user",
        needs=("train", "times"),
    ),
    Check(
        "X09",
        "warn",
        "a recommended item first appears after the user's last test row",
        "recommend only items that existed at that time; an item counts from its first row in train or test, after their filters",
        needs=("train", "times"),
    ),
    Check(
        "X10",
        "info",
        "test users or test items are cold: they are not in train",
        "report the value for warm users beside the value for all users",
        needs=("test", "train"),
    ),
    Check(
        "X11",
        "info",
        "nearly all hits come from the most popular items",
        "report a novelty or popularity metric beside accuracy",
        {
            "head": Limit(0.01, "the share of items that count as the most popular", most=1.0),
            "max_share": Limit(0.9, "the check passes up to this share of hits", most=1.0),
        },
        needs=("test", "train"),
    ),
    Check(
        "X12",
        "info",
        "items of the catalogue are never recommended",
        "report ItemCoverage or Gini beside accuracy",
        needs=("catalogue",),
    ),
    Check(
        "X13",
        "error",
        "a value is outside the range of its metric, or above the best possible list",
        "follow the finding; if it names no cause, report it with the config and the rows of the listed users",
        {},
    ),
    Check(
        "X14",
        "warn",
        "a model is no better than the popularity baseline, and its lists differ from those of the baseline",
        "check the model and that this is the right file",
        {"margin": Limit(0.0, "how much better than the baseline a model must be")},
        needs=("test", "train"),
        doubts_values=True,
    ),
    Check(
        "X15",
        "warn",
        "an AUC is computed on lists that omit candidates, which then count as ranked last",
        "write lists of all candidates, or use LAUC@k or RocAuc@k, which use only the first k ranks",
        {
            "max_share": Limit(0.0, "the check passes up to this share of lists", most=1.0),
            "min_listed": Limit(0.95, "a list counts as complete from this share of the user's candidates", most=1.0),
        },
        needs=("auc",),
        doubts_values=True,
    ),
    Check(
        "X16",
        "warn",
        "the same file is given for two inputs",
        "check the paths: two models share a file, or a model has the test or train file",
        {},
        doubts_values=True,
    ),
    Check(
        "X17",
        "warn",
        "the weights of a measure under exposure leave few relevant items that decide its value",
        "use a smaller gamma or a floor, or read the value together with Recall; audit --gamma-curve shows both",
        {
            "min_items": Limit(100, "the smallest number of relevant items of equal weight"),
            "min_share": Limit(0.1, "the smallest share of the number without weights", most=1.0),
        },
        needs=("ips",),
    ),
)
