"""`Row`: one value with its protocol and its users; who counts, why others do not, and short sentences on many rows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from ..metrics import find
from ..metrics.registry import bounds_of
from ..stats.estimates import interval_of_mean
from ..syntax.formula import is_formula

_FEW: Final = 4
_MOST_ALIKE: Final = 2
"""Number of sentences that differ in one number and stay apart."""
_NUMBER: Final = re.compile(r"(?<![\w@.,-])\d[\d,]*(?![\w.])")
"""A whole number of a sentence, which is no part of a name."""


def shortened(names: Iterable[str]) -> str:
    """Join names with commas; of many, give the first three and the number of the rest."""
    every = list(names)
    return ", ".join(every) if len(every) <= _FEW else f"{', '.join(every[:3])} and {len(every) - 3} more"


def listed(names: Sequence[str]) -> str:
    """Join names for a sentence: `a, b and c`; of many, give the first three and the number of the rest."""
    return shortened(names) if len(names) > _FEW or len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"


def sentences_with_models(sentences: Iterable[tuple[str, str]]) -> list[str]:
    """Join pairs (model, sentence) into texts: a sentence on several models appears once, with their names.

    Three or more sentences that differ in one number are one, with the range of this number.
    """
    models_by_sentence: dict[str, list[str]] = {}
    for model, sentence in sentences:
        models_by_sentence.setdefault(sentence, []).append(model)
    alike: dict[str, list[str]] = {}
    for sentence in models_by_sentence:
        alike.setdefault(_NUMBER.sub("0", sentence), []).append(sentence)
    texts = []
    for some in alike.values():
        in_one = _with_ranges(some) if len(some) > _MOST_ALIKE else ""
        if in_one:
            models_by_sentence[in_one] = [model for sentence in some for model in models_by_sentence[sentence]]
        texts += [f"{shortened(dict.fromkeys(models_by_sentence[sentence]))}: {sentence}" for sentence in ([in_one] if in_one else some)]
    return texts


def _with_ranges(sentences: Sequence[str]) -> str:
    """Return one sentence for those that differ in one number, with its range; empty if they differ in more."""
    columns = list(zip(*(_NUMBER.findall(sentence) for sentence in sentences), strict=True))
    varying = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    if len(varying) != 1:
        return ""
    in_order = sorted(columns[varying[0]], key=lambda text: int(text.replace(",", "")))
    places = count()
    return _NUMBER.sub(lambda number: f"{in_order[0]} to {in_order[-1]}" if next(places) == varying[0] else number[0], sentences[0])


class Ledger(Struct, frozen=True):
    """The users of one measure: those in the test file (`in_truth`), those with a list (`in_lists`), and those with both (`in_both`).

    `counted` users have a value. The `filled` ones among them have the value that the policy sets (0 for nearly all metrics): users
    without a list, without a relevant item, or without a test row. The `left_out` users have no value: they are of the same kinds, or
    lack a hit, a prediction, or other data of the metric (`left_out_without_value`). So in_truth + in_lists - in_both = counted +
    left_out.

    If a measure is averaged over the users of train or of a reference model, `others` of them are in neither file and are added;
    users of the two files who are not among them are left out (`left_out_of_others`).

    `covered_value` is the value over the `covered` users, who count and have a list; `warm_value` that over the `warm` users, who are in
    train. Both are `None` if unknown, or if these users are all that count.
    """

    in_truth: int = 0
    in_lists: int = 0
    in_both: int = 0
    counted: int = 0
    filled_without_list: int = 0
    filled_without_relevant: int = 0
    filled_without_truth: int = 0
    left_out_without_list: int = 0
    left_out_without_relevant: int = 0
    left_out_without_truth: int = 0
    left_out_without_value: int = 0
    left_out_of_others: int = 0
    others: int = 0
    covered: int = 0
    covered_value: float | None = None
    warm: int | None = None
    warm_value: float | None = None

    @property
    def filled(self) -> int:
        """The number of users who count with a value set by the policy."""
        return self.filled_without_list + self.filled_without_relevant + self.filled_without_truth

    @property
    def left_out(self) -> int:
        """The number of users who do not count."""
        without = self.left_out_without_list + self.left_out_without_relevant + self.left_out_without_truth
        return without + self.left_out_without_value + self.left_out_of_others

    def cells(self) -> dict[str, Any]:
        """Return its keys in JSON."""
        return {name: getattr(self, name) for name in LEDGER_COLUMNS}


LEDGER_COLUMNS = tuple(Ledger.__struct_fields__)
"""The keys of a value in JSON that a ledger fills."""


DEFAULT: Final = "default"
"""The source of a cut-off that neither the measure nor the config gives."""


class Protocol(Struct, frozen=True):
    """The settings that a value depends on, besides its measure and the data.

    `relevance` says which test rows are relevant, including the threshold; it is empty for a measure that does not read the test file.
    `cutoff_from` is the source of the cut-off: `measure`, `top_k` or `default`; it is empty without a cut-off.
    """

    convention: str
    relevance: str
    cutoff_from: str


LEAST_RATING: Final = "a rating of at least"
"""The words before the threshold of a rule of relevance."""
PROTOCOL_COLUMNS: Final = tuple(Protocol.__struct_fields__)
"""The keys of a value in JSON that a protocol fills."""


def protocol_sentences(protocols: Mapping[str, Protocol], threshold: float | None = None) -> Iterator[str]:
    """Yield sentences on the `protocols` of measures by label: the convention, the relevant test rows, and default cut-offs.

    `threshold` is that of the config, which is not of the convention.
    """
    by_convention: dict[str, dict[str, list[str]]] = {}
    for label, protocol in protocols.items():
        by_convention.setdefault(protocol.convention, {}).setdefault(protocol.relevance, []).append(label)
    for number, (convention, by_relevance) in enumerate(by_convention.items()):
        labels = [label for some in by_relevance.values() for label in some]
        rules = {relevance: some for relevance, some in by_relevance.items() if relevance}
        most = max(rules, key=lambda relevance: len(rules[relevance]), default="")
        others = [f"; for {shortened(some)} {relevance} is" for relevance, some in rules.items() if relevance != most]
        named = f"Convention {convention}{f' for {shortened(labels)}' if number else ''}"
        yield f"{named}: {most} is relevant{own_threshold(most, threshold)}{''.join(others)}." if most else f"{named}."
    by_default = [label for label, protocol in protocols.items() if protocol.cutoff_from == DEFAULT]
    whole = [label for label in by_default if label.endswith("@none")]
    if cut := [label for label in by_default if label not in whole]:
        yield default_cutoff(cut)
    if whole:
        yield f"{shortened(whole)} {'uses' if len(whole) == 1 else 'use'} whole lists, the default: evaluation.top_k is not given."


def own_threshold(relevance: str, threshold: float | None) -> str:
    """Return the key of the config, in parentheses, if a rule of relevance has the threshold of the config and not of the convention."""
    is_own = threshold is not None and f"{relevance} ".startswith(f"{LEAST_RATING} {threshold:g} ")
    return " (evaluation.relevance.threshold)" if is_own else ""


def default_cutoff(labels: Sequence[str]) -> str:
    """Return a sentence on the measures with these `labels`, which are cut at the default, and on the way to read whole lists."""
    name = next((label.partition("@")[0] for label in labels if label.count("@") == 1), "")
    way = f"; {name}@none reads the whole list" if name else ""
    return f"The cut-off of {shortened(labels)} is the default: evaluation.top_k is not given{way}."


RECORD: Final = (
    *("model", "measure", "metric", "k", "aggregate", "value", "ci_low", "ci_high", "n_users", "higher_is_better", "std"),
    *(*LEDGER_COLUMNS, "achieved", "by", "group", "few_users", "n_rows", "fold", "run", "repeats", "repeats_std", "least_users"),
    *PROTOCOL_COLUMNS,
)
"""The keys of a value in JSON."""
_NOBODY: Final = dict.fromkeys(LEDGER_COLUMNS)
_NO_PROTOCOL: Final = dict.fromkeys(PROTOCOL_COLUMNS)

FEW_USERS: Final = 100
"""A group of fewer users is marked in every output."""


class Row(Struct, frozen=True):
    """One value: a metric (its printed name without the cut-off) at `k` (`None`: the whole list), over `n_users` users."""

    model: str
    metric: str
    k: int | None
    aggregate: str
    value: float | None
    n_users: int
    higher_is_better: bool | None = True
    ledger: Ledger | None = None
    achieved: float | None = None
    """The share of the best possible value, if computed."""
    protocol: Protocol | None = None
    by: str | None = None
    """The grouping of users or relevant items, such as `users.plan`; `None` over all of them."""
    group: str | None = None
    n_rows: int | None = None
    """The number of test rows in a group of test rows; `None` for other groups and for combinations of groupings."""
    fold: str | None = None
    """The fold (or `run`: the training run) of the value; `None` if there is only one, and for means."""
    run: str | None = None
    repeats: int | None = None
    """For a mean over runs or folds: the number of values; `repeats_std` is their standard deviation."""
    repeats_std: float | None = None
    least_users: int | None = None
    """For a mean over runs or folds: the smallest number of users of a value."""
    std: float | None = None
    """For a mean over users: the standard deviation of their values (divided by n - 1), if requested."""

    @property
    def source(self) -> str:
        """The model, with the fold and the run: `als, fold 1, run 2`."""
        return ", ".join((self.model, *(f"{kind} {name}" for kind, name in (("fold", self.fold), ("run", self.run)) if name is not None)))

    @property
    def few_users(self) -> bool | None:
        """True if a group has fewer than 100 users, in at least one fold: its value is uncertain. `None` without a group."""
        return None if self.by is None else (self.n_users if self.least_users is None else self.least_users) < FEW_USERS

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of a mean over users (see `interval_of_mean`), cut at the bounds of the measure.

        `None` for other values, and for means without a stored deviation.
        """
        if self.value is None or self.std is None or self.n_users < 2 or self.aggregate != "mean" or self.repeats is not None:
            return None
        least, largest = bounds_of(self.metric)
        low, high = interval_of_mean(self.value, self.std, self.n_users, 0.05, are_shares=(least, largest) == (0, 1))
        return max(least, low), min(largest, high)

    def __float__(self) -> float:
        """Return the value; NaN if there is none."""
        return math.nan if self.value is None else self.value

    def __repr__(self) -> str:
        places = {"by": self.by, "group": self.group, "fold": self.fold, "run": self.run}
        shown = {"value": self.value, "n_users": self.n_users, **{name: place for name, place in places.items() if place is not None}}
        return f"Row({self.model!r}, {self.label!r}, {', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def cells(self) -> dict[str, Any]:
        """Return everything about this value by key, as in `RECORD`."""
        low, high = self.interval or (None, None)
        of_users = asdict(self.ledger) if self.ledger else _NOBODY
        definitions = asdict(self.protocol) if self.protocol else _NO_PROTOCOL
        more = {"measure": self.measure, "ci_low": low, "ci_high": high, "few_users": self.few_users}
        known = {**asdict(self), **more, **of_users, **definitions}
        return {name: known[name] for name in RECORD}

    @property
    def measure(self) -> str:
        """The measure with its cut-off."""
        if is_formula(self.metric):
            return self.metric
        cut = find(self.metric.partition("(")[0]).cut
        return f"{self.metric}@{'none' if self.k is None else self.k}" if cut else self.metric

    @property
    def label(self) -> str:
        """The measure with its cut-off, and with the aggregate unless it is the mean."""
        plain = self.aggregate in ("mean", "system", "") or is_formula(self.metric)
        return self.measure if plain else f"{self.measure} ({self.aggregate})"


class Counts(Struct, frozen=True):
    """Numbers of users for one model.

    `test` users are in the test file; `relevant` of them have a relevant item; `listed` of those have a list; the first measure is
    averaged over `averaged` users. Users without a list count 0 if `missing_count`, or have no value if `missing_undefined`; users
    without a relevant item count 0, or `irrelevant_value`, if `irrelevant_count`; `untested` users without a test row count 0. `empty` of
    the `test` users have an empty list there; whatever the rule for others without a relevant item, they count 0, or have no value if
    `empty_undefined`. A model of several `runs` has the numbers of its first run, and those of each.
    """

    test: int
    relevant: int
    listed: int
    averaged: int
    missing_count: bool = True
    irrelevant_count: bool = False
    untested: int = 0
    missing_undefined: bool = False
    empty: int = 0
    empty_undefined: bool = False
    irrelevant_value: int | UnsetType = UNSET
    runs: tuple[Counts, ...] | UnsetType = UNSET

    @property
    def each(self) -> tuple[Counts, ...]:
        """The numbers of every run; these numbers if there are no runs."""
        return (self,) if isinstance(self.runs, UnsetType) else self.runs


class Candidates(Struct, frozen=True):
    """The candidates of a model whose lists look like sampled ones (check R10): their number, and the share of relevant items in lists."""

    per_user: int
    inside: float
