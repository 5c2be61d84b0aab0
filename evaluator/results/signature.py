"""Signatures: one line for a measure, with every setting that its value depends on and no other.

    receval:0.1.0|nDCG@10|gain=binary|discount=log_r_plus_1|…|users=350/358|test=b3:9f2c…

Settings are written as in measure strings, defaults too, so that a later default changes the line. The settings of measures that a metric
combines, if they differ from its own, are in its parentheses; those of a formula are shared by all of its measures, or in theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from msgspec import Struct

from ..conventions import AXES, PROTOCOL
from ..metrics import METRICS, Metric
from ..metrics.definition import GAINS, ROWS
from ..metrics.settings_read import axes_in_effect, reads_test
from ..syntax import formula
from ..syntax.measure_strings import UNSET, MetricSpec, Scalar, parse, unquoted
from ..syntax.short_names import is_spread
from .measure_definition import MeasureDefinition, params_of, with_params
from .result import Result
from .row import Row

PROGRAM: Final = "receval"
FACTS: Final = ("folds", "runs", "users", "test")
"""The parts of a signature that are about the data."""
WEIGHTS: Final = "user_weights"
"""The setting with the column of the weights of users."""
THRESHOLD: Final = "relevance.threshold"
"""The setting with the lowest rating of a relevant item; a metric may have a `threshold` of its own."""
LEVEL: Final = "level"
"""The setting with the threshold of the config, where another rule decides what is relevant."""
OF_PROTOCOL: Final = "protocol."
"""The beginning of a setting of the protocol whose name is that of a parameter of the metric."""
_MARK: Final = "|"
_ESCAPES: Final = {"%": "%25", _MARK: "%7C", "\n": "%0A", "\r": "%0D"}
_RELEVANCE: Final = ("relevance_rule", "threshold", "grades")
"""The axes of relevance that are written in the form in which they act: a threshold or a rule, and the grades."""
_NAMED: Final = ("population", "average", "std_ddof")
"""The axes whose value `own` is written as what it stands for, or that only some aggregates read."""
_GAINS: Final = ("ndcg_gain", "rbp_gain")
"""The axes of gains that depend on the grade of an item."""
_ONE: Final = "binary"
_SAME_UNGRADED: Final = (_ONE, "linear", "exp2", "exp2_offset", "grade", "share")
"""The gains that are 1 for an item of grade 1."""
_DIGITS: Final = 16


class Signature(Struct, frozen=True):
    """A signature in parts: the version, the measure, its settings as written in measure strings, and facts on the data."""

    version: str
    measure: str
    settings: Mapping[str, str]
    facts: Mapping[str, str]

    def __str__(self) -> str:
        named = (f"{name}={value}" for part in (self.settings, self.facts) for name, value in part.items())
        return _MARK.join(map(_escaped, (f"{PROGRAM}:{self.version}", self.measure, *named)))


def read_signature(line: str) -> Signature:
    """Read a signature; raise `ValueError` if a text is none."""
    start, *parts = map(_unescaped, line.strip().strip("`").split(_MARK))
    program, _, version = start.partition(":")
    if program != PROGRAM or not version or not parts or not all("=" in part for part in parts[1:]):
        raise ValueError(f"{line.strip()[:80]!r} is not a signature: a signature is {PROGRAM}:VERSION|MEASURE|SETTING=VALUE|…")
    pairs = [part.partition("=")[::2] for part in parts[1:]]
    end = len(pairs)
    while end and pairs[end - 1][0] in FACTS:  # a parameter of a metric may have the name of a fact
        end -= 1
    names = [name for name, _ in pairs[:end]]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise ValueError(f"the signature of {parts[0]} names {twice} twice")
    return Signature(version, parts[0], dict(pairs[:end]), dict(pairs[end:]))


def _escaped(text: str) -> str:
    return text.translate({ord(sign): code for sign, code in _ESCAPES.items()})


def _unescaped(text: str) -> str:
    for sign, code in reversed(_ESCAPES.items()):
        text = text.replace(code, sign)
    return text


# Writing


def signatures(result: Result, models: Iterable[str] = ()) -> dict[str, Signature]:
    """Return the signature of each measure by its label, over all `models`, by default all but the reference lists."""
    chosen = frozenset(models) or frozenset(result.models) - frozenset(result.yardsticks) or frozenset(result.models)
    rows: dict[str, list[Row]] = {}
    for row in result.rows:
        if row.model in chosen and row.metric in result.definitions:
            rows.setdefault(row.label, []).append(row)
    return {label: _signature(result, of_label) for label, of_label in rows.items()}


def signature_lines(result: Result, models: Iterable[str] = ()) -> dict[str, str]:
    """Return the signature of each measure by its label, as text; `models` as in `signatures`."""
    return {label: str(signature) for label, signature in signatures(result, models).items()}


def _signature(result: Result, rows: list[Row]) -> Signature:
    first, definition = rows[0], result.definitions[rows[0].metric]
    if definition.metric == "formula":
        measure, settings = _of_formula(first.metric, definition)
    else:
        spec = parse(first.metric)
        settings = _settings(definition, spec, first.aggregate)
        cut = first.k if first.measure != first.metric else UNSET
        measure = str(MetricSpec(definition.metric, _components(definition, settings), (), cut))
    return Signature(result.versions.get(PROGRAM, ""), measure, _written(settings), dict(_facts(result, rows, definition)))


def _written(settings: Mapping[str, Scalar]) -> dict[str, str]:
    """Return settings with their values as measure strings have them."""
    return {name: _written_value(name, value) for name, value in settings.items()}


@lru_cache(typed=True)
def _written_value(name: str, value: Scalar) -> str:
    return MetricSpec("", (), ((name, value),)).title[len(name) + 2 : -1]


def _settings(one: MeasureDefinition, spec: MetricSpec, aggregate: str = "") -> dict[str, Scalar]:
    """Return the settings that the value of a measure depends on, in the form in which they act, by their names in measure strings.

    `spec` is the measure as printed; only an `aggregate` says how users are combined, which is no setting of a measure in another.
    """
    metric = METRICS.get(one.metric)
    read = frozenset(one.axes)
    if metric is not None:
        acting = [(each, _as_they_act(each, params, one.graded)) for each, params in with_params(one)]
        read = axes_in_effect(acting, one.axes, one.population, one.average)
    settings: dict[str, Scalar] = {}
    for name, axis in metric.axes.items() if metric is not None else ():
        settings |= {name: _as_they_act(metric, {name: one.axes[axis]}, one.graded)[name]} if axis in read and metric is not None else {}
    known = {name for name in params_of(metric, one) if name not in metric.axes} if metric is not None else {*one.params}
    given = {**one.params, **dict(spec.params)}  # a row may be that of one group
    settings |= {name: value for name, value in given.items() if name in known or name in (GAINS, LEVEL) or name.startswith(ROWS)}
    for name, text in metric.texts.items() if metric is not None else ():
        settings[name] = unquoted(str(settings.get(name, "none" if text.shown else "")))
    if "relevance_rule" in read:
        settings |= {THRESHOLD: one.threshold} if one.threshold is not None else {"relevance_rule": one.axes["relevance_rule"]}
    if "grades" in read:
        settings["grades"] = "ratings" if one.graded else "ones"
    plain = (axis for axis in PROTOCOL if axis in read and axis in one.axes and axis not in (*_RELEVANCE, *_NAMED))
    settings |= {f"{OF_PROTOCOL}{axis}" if axis in settings else axis: one.axes[axis] for axis in plain}
    if not aggregate:
        return {name: value for name, value in settings.items() if not _is_of_users(name, metric)}
    settings["population"] = one.population
    settings |= {} if one.of_models else {"average": aggregate}
    settings |= {"std_ddof": one.axes["std_ddof"]} if is_spread(aggregate) else {}
    return settings | ({WEIGHTS: one.params["weights"]} if one.average == aggregate == "weighted" else {})


def _is_of_users(name: str, metric: Metric | None) -> bool:
    """Return whether a setting says who counts and how, which a measure in another cannot have for itself."""
    own = metric is not None and name in {*metric.axes, *metric.numbers, *metric.texts}
    return not own and (axis := name.removeprefix(OF_PROTOCOL)) in PROTOCOL and AXES[axis].part in ("users", "value")


def _as_they_act(metric: Metric, params: Mapping[str, Scalar], is_graded: bool) -> dict[str, Scalar]:
    """Return parameters with a gain that is 1 for all items written as one."""
    gains = {
        name for name, axis in metric.axes.items() if axis in _GAINS and name in params and acts_as(_ONE, params[name], axis, is_graded)
    }
    return {**params, **dict.fromkeys(gains, _ONE)}


def meant(metric: Metric, axis: str, axes: Mapping[str, Scalar]) -> Scalar:
    """Return the value of an axis for a metric; `own` is that of the metric."""
    own = {"population": metric.population, "average": metric.average}
    return own[axis] if axes[axis] == "own" and axis in own else axes[axis]


def acts_as(value: Scalar, other: Scalar, axis: str, is_graded: bool) -> bool:
    """Return whether two values of an axis do the same: all gains of items of grade 1 are 1, but that of `exp2_plus1`."""
    return value == other or (axis in _GAINS and not is_graded and value in _SAME_UNGRADED and other in _SAME_UNGRADED)


def _components(one: MeasureDefinition, outer: Mapping[str, Scalar]) -> tuple[MetricSpec, ...]:
    """Return the measures that a metric combines, each with the settings of its own."""
    found = []
    for label, part in one.components.items():
        settings = _settings(part, parse(label))
        own = {name: value for name, value in settings.items() if outer.get(name) != value or name not in PROTOCOL}
        found.append(MetricSpec(part.metric, _components(part, {**outer, **settings}), tuple(own.items())))
    return tuple(found)


def _of_formula(text: str, one: MeasureDefinition) -> tuple[str, dict[str, Scalar]]:
    """Return a formula with the settings of its measures, and those that they share."""
    parts = {parse(label): part for label, part in one.components.items()}
    settings = {spec: _settings(part, spec, part.average) for spec, part in parts.items()}
    first, *others = settings.values()
    shared = {
        name: value for name, value in first.items() if name in (*PROTOCOL, WEIGHTS) and all(each.get(name) == value for each in others)
    }

    def in_full(spec: MetricSpec) -> MetricSpec:
        own = {name: value for name, value in settings[spec].items() if name not in shared}
        return MetricSpec(parts[spec].metric, _components(parts[spec], settings[spec]), tuple(own.items()), spec.k)

    return formula.read(text).with_measures(in_full).text, shared


# Facts on the data


def _facts(result: Result, rows: list[Row], one: MeasureDefinition) -> Iterator[tuple[str, str]]:
    """Yield the numbers of folds, runs and users, and the hash of the test set if the measure reads it."""
    if result.folds:
        yield "folds", str(len(result.folds))
    runs = {model: _n_runs(result, model) for model in dict.fromkeys(row.model for row in rows)}
    if any(runs.values()):
        yield "runs", _ranged(max(n, 1) for n in runs.values())
    leaves = [*one.components.values()] if one.metric == "formula" else [one]
    counted = [(row.n_users, _n_population(result, row, leaves[0])) for row in rows if row.n_users]
    if counted:
        yield "users", f"{_ranged(n for n, _ in counted)}/{_ranged(total for _, total in counted)}"
    if result.truths and any(part.metric not in METRICS or reads_test(with_params(part), part.population) for part in leaves):
        of_folds = [f"{name}:{truth.users}:{truth.rows}:{truth.hash}" for name, truth in result.truths.items()]
        yield "test", hash_of(of_folds)


def hash_of(texts: Iterable[str]) -> str:
    """Return one short hash of several texts."""
    from blake3 import blake3  # only here: `receval validate` works without it

    return f"b3:{blake3(_MARK.join(texts).encode()).hexdigest()[:_DIGITS]}"


def _n_runs(result: Result, model: str) -> int:
    return len({row.run for row in result.repeated if row.model == model and row.run is not None})


def _n_population(result: Result, row: Row, one: MeasureDefinition) -> int:
    """Return the number of users of whom some count: those of the test set, or with a list for a measure of lists alone."""
    ledger = row.ledger
    if one.population in ("test", "tested", "tested_lists"):
        tested = sum(truth.users for truth in result.truths.values())
        return max(row.n_users, tested or (ledger.in_truth if ledger is not None else 0))
    if ledger is None:
        return row.n_users
    return max(row.n_users, ledger.in_lists if one.population in ("lists", "lists_at_k") else ledger.counted + ledger.left_out)


def _ranged(numbers: Iterable[int]) -> str:
    every = sorted(set(numbers))
    return f"{every[0]}" if len(every) == 1 else f"{every[0]}-{every[-1]}"
