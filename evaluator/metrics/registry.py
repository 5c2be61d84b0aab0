"""Registry: one record per metric, which the `@metric` decorator of its definition enters; and checks of conventions."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from math import inf
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from ..conventions import PROTOCOL, Convention
from ..support import plugins
from ..support.synonyms import did_you_mean, question
from ..syntax.formula import is_formula
from ..syntax.measure_strings import Params, Scalar
from ..tables.array import Array
from .measure import Measure, Ratio
from .notation import TexFormula

Many = Mapping[Params, Array]
"""Values of one measure for a whole model that parameters distinguish, such as those of pairs of groups."""
Define = Callable[[Measure], "Array | Ratio | Many"]
Needs = Callable[[Mapping[str, Scalar]], Iterable[str]]
Chooses = Callable[[Mapping[str, Scalar]], bool]
Facts = ParamSpec("Facts")
Fact = TypeVar("Fact")


def at(params: Mapping[str, Scalar], fact: Fact | Callable[[Mapping[str, Scalar]], Fact]) -> Fact:
    """Return a fact about a metric with these parameters, of which it may be a function."""
    return fact(params) if callable(fact) else fact


class Text(Struct, frozen=True):
    """A metric's own parameter that is a name or a text: its default (`None`: it must be given), and its meaning.

    A parameter with a `key` names a column of values, such as `items.price`; its default is the value of
    `evaluation.value_columns.KEY`. One that is `shown` has the column of `evaluation.weights`, which is printed in every measure that it
    fits; `none` turns it off. `words` are values that name no column.
    """

    default: str | None
    means: str
    key: str = ""
    shown: bool = False
    words: tuple[str, ...] = ()


class Number(Struct, frozen=True):
    """A metric's own numeric parameter: its default, its meaning, its bounds, and its symbol in the LaTeX formula.

    One with the default `None` has no value unless it is given; the metric says when it must be.
    """

    default: float | None
    means: str
    least: float = 1e-6
    most: float = 1e6
    symbol: str = ""

    @property
    def usual(self) -> float:
        """The default of a number that has one."""
        assert self.default is not None
        return self.default

    def read(self, name: str, value: Scalar) -> float:
        """Return `value` as a number within the bounds; `ValueError` otherwise."""
        if isinstance(value, str):  # a number in quotes
            with suppress(ValueError):
                value = float(value)
        if value == self.default and self.default is not None:
            return self.default
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.least <= value <= self.most:
            kind = "a number above 0 (from 1e-6 to 1e6)" if self.least == 1e-6 else f"a number from {self.least:g} to {self.most:g}"
            raise ValueError(f"{name} is {kind}, not {value!r}")
        return float(value)


class Metric(Struct, frozen=True):
    """One metric. Facts that depend on its parameters are functions of them: read them by `at(params, metric.needs)`.

    - `axes`: parameter names in measure strings → axes (`gain` → `ndcg_gain`); `numbers` and `texts`: the metric's own parameters
    - `forms`: a further parameter → the metric that it makes of this one: `Recall(ips=…)` is SNIPSRecall
    - `combines`: default metrics of a metric of metrics (`any_number`: it combines as many as are given)
    - `cut`: false if a cut-off has no meaning
    - `average`, `population`: aggregate over users and users who count, unless the convention or the config sets others
    - `as_delivered`: it reads every row of a list, whatever policies and conventions remove, unless the measure itself says otherwise
    - `left_out`: the users without a value, who are left out where others count 0, as a sentence
    - `needs`: inputs besides test and lists; `uses`: tables that the body reads
    - `one_cutoff`: the body runs for one cut-off at a time, because its tables depend on it
    - `pooled`: the body returns a `Ratio`, which can be pooled over users; by default if its annotation says so
    - `per_model`: a value belongs to the whole model, and users have none
    - `has_subvalues`: the body returns several values of a whole model, which parameters distinguish
    - `is_count`: a value is a number of things (by `form`, if it has this parameter), and an integer unless it is a mean; by default
      it has no upper bound
    - `tex`: LaTeX formula of a user's value (of the model's, if `per_model`), right of the equals sign
    - `validate`: raises `ValueError` for parameters that contradict each other or the cut-off; `validate_combined`: for parameters that do
      not fit the number of combined metrics
    """

    define: Define
    name: str
    family: str
    reference: str
    tex: str | TexFormula = ""
    bounds: tuple[float, float] = (0.0, 1.0)
    aliases: tuple[str, ...] = ()
    axes: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Number] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)
    combines: tuple[str, ...] = ()
    any_number: bool = False
    texts: Mapping[str, Text] = field(default_factory=dict)
    needs: Iterable[str] | Needs = ()
    uses: Iterable[str] | Needs = ("hits",)
    one_cutoff: bool = False
    pooled: bool | Chooses = False
    has_subvalues: bool | Chooses = False
    is_count: bool = False
    validate: Callable[[Mapping[str, Scalar], int | None], None] = lambda params, k: None
    validate_combined: Callable[[Mapping[str, Scalar], int], None] = lambda params, n_metrics: None
    per_model: bool = False
    higher_is_better: bool | Callable[[Mapping[str, Scalar]], bool | None] | None = True
    cut: bool = True
    average: str = "mean"
    population: str = "test"
    as_delivered: bool = False
    left_out: str = ""
    ties: bool | Chooses = False
    """True if tied scores have exact bounds: the value never falls when a relevant item moves up, and is a sum over the hits, or the term
    of the first hit, times a factor that does not depend on their order.
    """
    by_item: bool | Chooses = False
    """True if the value is a sum over the hits, of terms that are at least 0 and depend on the hit and its rank only, divided by a number
    that depends on no hit: then each hit has a share in the value."""

    @property
    def doc(self) -> str:
        """Docstring of the definition: the formula and its edge cases."""
        return self.define.__doc__ or ""

    @property
    def origin(self) -> str:
        """Source of the metric: `receval`, a package with its version, a file, or a session of Python."""
        return plugins.origin(self.define.__module__)

    def __reduce__(self) -> tuple[Callable[..., Metric], tuple[Any, ...]]:
        """Pickle the name and the module of the metric, because functions cannot be pickled; the other process imports the module.

        For a file of the command line the text of the file is pickled. A metric of a session is pickled itself, which only `cloudpickle`
        can do.
        """
        module = self.define.__module__
        if (file := plugins.file_of(module)) is not None:
            return load_metric, (self.name, *file)
        if plugins.is_importable(module):
            return import_metric, (module, self.name)
        return restore_metric, (asdict(self),)


METRICS: Final[dict[str, Metric]] = {}


def session_has_metrics() -> bool:
    """Return whether a metric belongs only to this session, and not to a module or a file."""
    modules = {metric.define.__module__ for metric in METRICS.values()}
    return any(not plugins.is_importable(module) and plugins.file_of(module) is None for module in modules)


def load_metric(name: str, file: str, text: bytes) -> Metric:
    """Return the metric with this name from a file of the command line; the file runs unless it ran before."""
    plugins.load_text(file, text)
    return METRICS[name]


def restore_metric(values: Mapping[str, Any]) -> Metric:
    """Enter a metric of another process, which replaces any metric with the same name."""
    METRICS[values["name"]] = Metric(**values)
    _spellings.cache_clear()
    return METRICS[values["name"]]


def import_metric(module: str, name: str) -> Metric:
    """Import `module` and return the metric that it defines; `ImportError` if the module does not exist."""
    importlib.import_module(module)
    return METRICS[name]


def _entering(make: Callable[Concatenate[Define, Facts], Metric]) -> Callable[Facts, Callable[[Define], Define]]:
    """Return a decorator that takes what `make` takes, and enters the definition below it into the registry."""

    def decorator(*given: Facts.args, **facts: Facts.kwargs) -> Callable[[Define], Define]:
        def enter(define: Define) -> Define:
            entry = make(define, *given, **facts)
            if "pooled" not in facts and define.__annotations__.get("return") in (Ratio, Ratio.__name__):
                entry = replace(entry, pooled=True)
            if "bounds" not in facts and entry.is_count:
                entry = replace(entry, bounds=(0.0, inf))
            _refuse_taken(entry)
            if plugins.is_own(define.__module__):
                METRICS[entry.name] = entry
                _spellings().update(_spellings_of(entry))
            else:
                METRICS[entry.name] = _guarded(entry)
                _spellings.cache_clear()
            return define

        return enter

    return decorator


metric: Final = _entering(Metric)
"""The decorator of a definition, `@metric(NAME, family=…, reference=…)`: it takes the fields of `Metric`."""


def _guarded(entry: Metric) -> Metric:
    """Return a metric of foreign code, each of whose functions fails with its name."""
    expected = {"validate": (ValueError,), "validate_combined": (ValueError,)}
    functions = {
        key: plugins.guarded(f"the metric {entry.name}", value, expected.get(key, ()))
        for key, value in asdict(entry).items()
        if callable(value)
    }
    return replace(entry, **functions)


def _refuse_taken(entry: Metric) -> None:
    """Raise `ValueError` if another metric has the name; the same definition may be entered again, as by a cell of a notebook."""
    for spelling in (entry.name, *entry.aliases):
        there = _spellings().get(_fold(spelling))
        if there is not None and _identity(there) != _identity(entry):
            raise ValueError(f"{spelling!r} is a name of the metric {there.name} of {there.origin}: choose another name")


def _identity(entry: Metric) -> tuple[str, str, str]:
    return entry.name, entry.define.__module__, entry.define.__qualname__


def find(name: str, params: Params = ()) -> Metric:
    """Return the metric called `name` (a name or an alias, in any case, `-` and `_` ignored); `ValueError` if there is none.

    With `params` it may be a form of this metric, such as SNIPSRecall for Recall(ips=…). A name that is not built in may belong to an
    installed package, which is then imported.
    """
    found = _spellings().get(_fold(name))
    if found is None and plugins.find("metrics", name) is not None:
        found = _spellings().get(_fold(name))
    if found is None:
        written = {_fold(spelling): spelling for entry in METRICS.values() for spelling in (entry.name, *entry.aliases)}
        hint = did_you_mean(_fold(name), written, "; `receval metrics` lists all", before=" — ", shown=lambda folded: written[folded])
        if (at := re.fullmatch(r"(.*?)(?:[-_ ]at)?[-_ ]?(\d+)", name)) and _fold(at[1]) in written:  # nDCG10, recall_at_20
            hint = f" — {question(f'{written[_fold(at[1])]}@{at[2]}')}"
        raise ValueError(f"unknown metric '{name}'{hint}")
    return next((METRICS[form] for key, _ in params if (form := found.forms.get(key))), found)


@cache
def _spellings() -> dict[str, Metric]:
    return {spelling: entry for known in METRICS.values() for spelling, entry in _spellings_of(known).items()}


def _spellings_of(entry: Metric) -> dict[str, Metric]:
    return {_fold(spelling): entry for spelling in (entry.name, *entry.aliases)}


@lru_cache(maxsize=1000)
def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(" ", "").lower()


def bounds_of(metric: str) -> tuple[float, float]:
    """Return the bounds of a metric such as `nDCG(gain=linear)`; infinite if it has none, is arithmetic, or is unknown."""
    known: Mapping[str, object] = METRICS
    name = metric.partition("(")[0]
    return METRICS[name].bounds if name in known and not is_formula(metric) else (-inf, inf)


def check(convention: Convention) -> None:
    """Raise `ValueError` with file and line if a convention names an unknown metric, or an axis that the metric does not have."""
    problems = []
    for (name, axis), location in convention.locations.items():
        if name not in METRICS:
            problems.append(f"{location}: there is no metric named '{name}'{did_you_mean(name, METRICS, before=' — ')}")
        elif axis and axis not in PROTOCOL and axis not in METRICS[name].axes.values():
            problems.append(f"{location}: {name} has no axis '{axis}'")
    if problems:
        raise ValueError("\n".join(dict.fromkeys(problems)))
