"""The health checks by id: what each looks at, how bad it is by default, its limits, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from msgspec import Struct, field

Severity = Literal["error", "warn", "info", "off"]
SEVERITIES: Final = ("error", "warn", "info", "off")


class Limit(Struct, frozen=True):
    """A number that a check takes from the config: its default (`None`: not asked), its bounds, and what it means."""

    default: float | None
    means: str
    most: float = float("inf")


_SHARE: Final = Limit(0.0, "the share up to which the check passes", most=1.0)
_COUNTED: Final = MappingProxyType({"max_share": _SHARE})


class Check(Struct, frozen=True):
    """One check: its id, its severity unless the config says otherwise, what it finds, what to do, and its limits.

    `needs` are those of `NEEDS` without which it is not made.
    """

    id: str
    severity: Severity
    finds: str
    advice: str
    limits: Mapping[str, Limit] = field(default_factory=lambda: _COUNTED)
    needs: tuple[str, ...] = ()


class CheckSetting(Struct, frozen=True):
    """How a check is used in one run: its severity, and its limits."""

    severity: Severity
    limits: Mapping[str, float | None]

    def limit(self, name: str) -> float:
        """A limit that has a number."""
        value = self.limits[name]
        assert value is not None
        return value


class Finding(Struct, frozen=True):
    """What a check found: one full sentence with count and share, examples, and what to do.

    `model` is empty where it is about the files that all models share. `count` of `total` are affected. `details` has further
    numbers, such as the bounds of values under ties.
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

    @property
    def share(self) -> float:
        """The share that is affected."""
        return self.count / self.total if self.total else 0.0

    def cells(self) -> dict[str, Any]:
        """What the formats for machines say of it."""
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
        }


def setting(check: Check, severity: Severity | None = None, **limits: float | None) -> CheckSetting:
    """How `check` is used, where something of it is given."""
    return CheckSetting(severity or check.severity, {name: limit.default for name, limit in check.limits.items()} | limits)


NEEDS: Final = MappingProxyType(
    {
        "train": "data.train",
        "catalogue": "data.train or data.items",
        "times": "timestamps in test and train",
        "scores": "scores",
        "ranks": "ranks",
        "cutoffs": "cut-offs",
        "auc": "AUC or GAUC",
        "lists": "lists",
        "gains": "graded relevance",
    }
)
"""What a check may need, in words."""


_DECLARED: Final[dict[str, Check]] = {}
CHECKS: Final[Mapping[str, Check]] = MappingProxyType(_DECLARED)
"""Every check by id, in the order in which findings of one severity are shown."""


def declare(*checks: Check) -> None:
    """Add checks to `CHECKS`; `ValueError` if there is one of that id already."""
    for check in checks:
        if check.id in _DECLARED:
            raise ValueError(f"there is a check {check.id!r} already")
        _DECLARED[check.id] = check


declare(
    Check(
        "R01",
        "error",
        "a list holds an item more than once",
        "write each item of a list once; evaluation.policy.duplicates says what is done with the others",
    ),
    Check(
        "R02",
        "error",
        "a row has no user, item, score or rank, or a score that is NaN or infinite",
        "remove or fill these rows; evaluation.policy.missing_values: drop leaves them out",
    ),
    Check(
        "R03",
        "error",
        "the ranks of a list are not 1 to n, are repeated, or contradict the scores",
        "write ranks from 1 without gaps in the order of the scores, or leave one of the two columns out",
        needs=("ranks",),
    ),
    Check(
        "R04",
        "warn",
        "scores of a list are tied, so that its order is arbitrary",
        "break ties where the lists are made, or report the expected value with its bounds",
        {
            "max_share": Limit(0.01, "the share of lists up to which the check passes, if no value moves further than `width`", most=1.0),
            "width": Limit(0.001, "how far apart the bounds of a value must be to be shown"),
        },
        needs=("scores",),
    ),
    Check(
        "R05",
        "warn",
        "a list is shorter than the largest cut-off",
        "write lists of at least the largest cut-off: Precision is charged for empty places",
        needs=("cutoffs",),
    ),
    Check(
        "R06",
        "info",
        "a list is longer than the largest cut-off",
        "nothing: items below the cut-off do not count",
        needs=("cutoffs",),
    ),
    Check(
        "R07",
        "warn",
        "a recommended item stands in neither the train nor the items file",
        "check the ids; evaluation.policy.unknown_items says what is done with such items",
        needs=("catalogue",),
    ),
    Check(
        "R08",
        "warn",
        "many users have the same list",
        "check that the model is personalised, and that the file is the one meant",
        {"max_share": Limit(0.5, "the share of users up to which the check passes", most=1.0)},
    ),
    Check(
        "R09",
        "warn",
        "all scores of a list are equal",
        "check the scores: such a list has no order",
        needs=("scores",),
    ),
    Check(
        "R10",
        "warn",
        "lists look like sampled candidates: all of one size, with every relevant item inside",
        "rank the whole catalogue: values over sampled candidates do not keep the order of models (Krichene and Rendle, KDD 2020)",
        {"min_inside": Limit(0.99, "the share of relevant items inside the lists from which the check fails", most=1.0)},
    ),
    Check(
        "T01",
        "warn",
        "the test file holds a pair of user and item more than once",
        "write each pair once; evaluation.policy.truth_duplicates says what is done with the others",
    ),
    Check(
        "T02",
        "info",
        "a test user has no relevant item",
        "nothing, or lower relevance.threshold; evaluation.policy.no_relevant says what is done with such users",
    ),
    Check(
        "T03",
        "warn",
        "ratings are negative, fractional or all equal where gains are made of them",
        "check the rating column; with relevance.graded the rating is the gain",
        needs=("gains",),
    ),
    Check(
        "T04",
        "warn",
        "too few users count to tell models apart",
        "evaluate more users, or look for larger differences only",
        {
            "min_users": Limit(30, "the least number of users"),
            "mde": Limit(None, "the least difference of the first measure that should be seen, with 80 % power at the 5 % level"),
        },
    ),
    Check(
        "X01",
        "warn",
        "a user with relevant items has no list",
        "write lists for all test users; evaluation.policy.missing_lists says what is done with the others",
        needs=("lists",),
    ),
    Check(
        "X02",
        "info",
        "a user with a list does not stand in the test file",
        "nothing: such lists are not judged",
    ),
    Check(
        "X03",
        "error",
        "the lists and the test file have no user, or no item, in common",
        "ids are compared as they are written: check type, leading zeros, spaces and case, or map another column",
    ),
    Check(
        "X04",
        "error",
        "ids would match after white space, case, leading zeros or a final .0 are mended",
        "write ids the same way in all files: they are compared as they are written",
    ),
    Check(
        "X05",
        "warn",
        "a recommended item is one that train holds for the user",
        "leave seen items out of lists unless users repeat; evaluation.policy.seen_items says what is done with them",
        needs=("train",),
    ),
    Check(
        "X06",
        "warn",
        "a pair of the test file stands in train too",
        "split train and test apart, unless users repeat",
        needs=("train",),
    ),
    Check(
        "X07",
        "warn",
        "a user's test rows begin before the last of the user's train rows",
        "split by time, so that what is to be predicted comes after what is known",
        needs=("train", "times"),
    ),
    Check(
        "X08",
        "warn",
        "train rows are younger than the first test row (a leak over all users)",
        "split at one point in time for all users, or say that the split is per user",
        needs=("train", "times"),
    ),
    Check(
        "X09",
        "warn",
        "an item is recommended that did not exist yet when the user's test rows ended",
        "recommend only what was there at the time",
        needs=("train", "times"),
    ),
    Check(
        "X10",
        "info",
        "test users or test items are cold: train does not hold them",
        "read the value over warm users beside the value over all",
        needs=("train",),
    ),
    Check(
        "X11",
        "info",
        "nearly all hits come from the most popular items",
        "read a novelty or popularity metric beside accuracy",
        {
            "head": Limit(0.01, "the share of items that are the most popular ones", most=1.0),
            "max_share": Limit(0.9, "the share of hits up to which the check passes", most=1.0),
        },
        needs=("train",),
    ),
    Check(
        "X12",
        "info",
        "items of the catalogue are never recommended",
        "read ItemCoverage or Gini beside accuracy",
        needs=("catalogue",),
    ),
    Check(
        "X13",
        "error",
        "a value is out of the bounds of its metric, or above the best possible list",
        "do what the finding says; if it names no cause, report it with the config and the rows of the users it names",
        {},
    ),
    Check(
        "X14",
        "warn",
        "a model is at or below the popularity baseline, and its lists are not those of that baseline",
        "check the model, and that its file is the one meant",
        {"margin": Limit(0.0, "how much better than the baseline a model must be")},
        needs=("train",),
    ),
    Check(
        "X15",
        "warn",
        "an AUC over lists that leave out candidates, which it counts as ranked last",
        "write lists of all candidates, or ask for LAUC@k or RocAuc@k, which look at the first k places only",
        {
            "max_share": Limit(0.0, "the share of lists up to which the check passes", most=1.0),
            "min_listed": Limit(0.95, "the share of a user's candidates from which a list counts as whole", most=1.0),
        },
        needs=("auc",),
    ),
    Check(
        "X16",
        "warn",
        "a file is given under two names",
        "check the paths: two models have the same lists, or a model has the test or the train file",
        {},
    ),
)
