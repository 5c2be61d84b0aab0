"""The registry: one record per metric, which the `@metric` decorator of its definition enters; and checks of conventions."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from math import inf
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import asdict

from .. import plugins
from ..conventions import PROTOCOL, Convention
from ..names.formula import is_formula
from ..names.measure_strings import Params, Scalar
from ..tables.array import Array
from .measure import Measure, Ratio
from .notation import TexFormula

Many = Mapping[Params, Array]
"""Values of a whole model that parameters distinguish, such as those of pairs of groups."""
Define = Callable[[Measure], "Array | Ratio | Many"]
Needs = Callable[[Mapping[str, Scalar]], Iterable[str]]


class Text(Struct, frozen=True):
    """A parameter of a metric's own that is a name or a text: its default (`None`: it must be given), and its meaning.

    A parameter with a `key` names a column of values, as `items.price` does; if it is not given, `evaluation.value_columns` may do so under
    that key.
    """

    default: str | None
    means: str
    key: str = ""


class Number(Struct, frozen=True):
    """A parameter of a metric's own: its default, its meaning, its bounds, and its symbol in the formula in LaTeX."""

    default: float
    means: str
    least: float = 1e-6
    most: float = 1e6
    symbol: str = ""

    def read(self, name: str, value: Scalar) -> float:
        """Return `value` as a number within the bounds; `ValueError` otherwise."""
        if value == self.default:
            return self.default
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.least <= value <= self.most:
            kind = "a number above 0 (from 1e-6 to 1e6)" if self.least == 1e-6 else f"a number from {self.least:g} to {self.most:g}"
            raise ValueError(f"{name} is {kind}, not {value!r}")
        return float(value)


class Metric(Struct, frozen=True):
    """One metric.

    `axes` maps the parameter names of measure strings to axes (`gain` → `ndcg_gain`); `numbers` are parameters of the metric's own;
    `texts` are names that it takes, such as that of a column; `combines` names the default metrics of a metric of metrics (`any_number`:
    it takes as many as are given); `cut` is false where a cut-off has no meaning; `average` is how users are combined and `population`
    which users count unless the convention or the config says otherwise; `needs` the inputs beside test and lists under given parameters,
    `uses` the tables that the body reads; `one_cutoff`: the body is run for one cut-off at a time, since its tables depend on it;
    `pooled`: the body gives a `Ratio`, which can be pooled over users; `several`: it gives several values of a whole model, which
    parameters distinguish; `counts`: a value is a number of things (by `form`, where it has that parameter), and is whole unless it is a
    mean; `tex` is the formula of a user's value (of the model's, where `system`) in LaTeX, the part on the right of its equals sign;
    `validate` raises `ValueError` for parameters that contradict each other or the cut-off, `validate_combined` for those that do not fit
    the number of combined metrics; `system` is true where a value belongs to the whole model and no user has one.
    """

    name: str
    define: Define
    family: str
    bounds: tuple[float, float]
    reference: str
    tex: TexFormula
    aliases: tuple[str, ...] = ()
    axes: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Number] = field(default_factory=dict)
    combines: tuple[str, ...] = ()
    any_number: bool = False
    texts: Mapping[str, Text] = field(default_factory=dict)
    needs: Needs = lambda params: ()
    uses: Needs = lambda params: ()
    one_cutoff: bool = False
    pooled: Callable[[Mapping[str, Scalar]], bool] = lambda params: False
    several: Callable[[Mapping[str, Scalar]], bool] = lambda params: False
    counts: bool = False
    validate: Callable[[Mapping[str, Scalar], int | None], None] = lambda params, k: None
    validate_combined: Callable[[Mapping[str, Scalar], int], None] = lambda params, n_metrics: None
    system: bool = False
    higher_is_better: bool | Callable[[Mapping[str, Scalar]], bool | None] | None = True
    cut: bool = True
    average: str = "mean"
    population: str = "test"
    ties: Callable[[Mapping[str, Scalar]], bool] = lambda params: False
    """True if the value never falls when a relevant item moves up, and is a sum over the hits, or the term of the first hit, times a factor
    that does not depend on their order: then it has exact bounds for tied scores."""

    @property
    def doc(self) -> str:
        """The docstring of the definition: the formula and its edge cases."""
        return self.define.__doc__ or ""

    @property
    def origin(self) -> str:
        """Where it comes from: `receval`, a package with its version, a file, or a session of Python."""
        return plugins.origin(self.define.__module__)

    def __reduce__(self) -> tuple[Callable[..., Metric], tuple[Any, ...]]:
        """Pickle the name and the module that defines the metric: functions cannot be pickled, and another process has them.

        For a file of the command line it is the text of the file. A metric of a session is pickled as it is, which only `cloudpickle` can
        do.
        """
        module = self.define.__module__
        if (file := plugins.file_of(module)) is not None:
            return registered_by_file, (self.name, *file)
        if plugins.is_importable(module):
            return registered, (module, self.name)
        return entered, (asdict(self),)


METRICS: Final[dict[str, Metric]] = {}


def session_has_metrics() -> bool:
    """Return whether a metric belongs only to this session, and not to a module or a file."""
    modules = {metric.define.__module__ for metric in METRICS.values()}
    return any(not plugins.is_importable(module) and plugins.file_of(module) is None for module in modules)


def registered_by_file(name: str, file: str, text: bytes) -> Metric:
    """Return the metric of that name, which a file of the command line defines; the file is run, unless it was run before."""
    plugins.load_text(file, text)
    return METRICS[name]


def entered(values: Mapping[str, Any]) -> Metric:
    """Enter a metric of another process, which replaces any metric of its name."""
    METRICS[values["name"]] = Metric(**values)
    _spellings.cache_clear()
    return METRICS[values["name"]]


def registered(module: str, name: str) -> Metric:
    """The metric of that name, which `module` defines; `ImportError` if there is no such module."""
    importlib.import_module(module)
    return METRICS[name]


def metric(
    name: str,
    *,
    family: str,
    reference: str,
    tex: str | TexFormula = "",
    bounds: tuple[float, float] = (0.0, 1.0),
    aliases: Iterable[str] = (),
    axes: Mapping[str, str] | None = None,
    numbers: Mapping[str, Number] | None = None,
    combines: tuple[str, ...] = (),
    any_number: bool = False,
    texts: Mapping[str, Text] | None = None,
    needs: Iterable[str] | Needs = (),
    uses: Iterable[str] | Needs = ("hits",),
    one_cutoff: bool = False,
    pooled: Callable[[Mapping[str, Scalar]], bool] | bool = False,
    several: Callable[[Mapping[str, Scalar]], bool] | bool = False,
    counts: bool = False,
    validate: Callable[[Mapping[str, Scalar], int | None], None] = lambda params, k: None,
    validate_combined: Callable[[Mapping[str, Scalar], int], None] = lambda params, n_metrics: None,
    system: bool = False,
    higher_is_better: bool | Callable[[Mapping[str, Scalar]], bool | None] | None = True,
    cut: bool = True,
    average: str = "mean",
    population: str = "test",
    ties: Callable[[Mapping[str, Scalar]], bool] | bool = False,
) -> Callable[[Define], Define]:
    """Enter the decorated definition into the registry."""

    def enter(define: Define) -> Define:
        _refuse_taken(name, aliases, define)
        METRICS[name] = Metric(
            name=name,
            define=define,
            family=family,
            bounds=bounds,
            reference=reference,
            tex=tex if callable(tex) else lambda params: tex,
            aliases=tuple(aliases),
            axes=axes or {},
            numbers=numbers or {},
            combines=combines,
            any_number=any_number,
            texts=texts or {},
            needs=needs if callable(needs) else _always(needs),
            uses=uses if callable(uses) else _always(uses),
            one_cutoff=one_cutoff,
            pooled=pooled if callable(pooled) else lambda params: bool(pooled),
            several=several if callable(several) else lambda params: bool(several),
            counts=counts,
            validate=validate,
            validate_combined=validate_combined,
            system=system,
            higher_is_better=higher_is_better,
            cut=cut,
            average=average,
            population=population,
            ties=ties if callable(ties) else lambda params: bool(ties),
        )
        _spellings.cache_clear()
        return define

    return enter


def _refuse_taken(name: str, aliases: Iterable[str], define: Define) -> None:
    """`ValueError` if another metric has the name; the same definition may be entered again, as by a cell of a notebook."""
    for spelling in (name, *aliases):
        there = next((entry for entry in METRICS.values() if _fold(spelling) in map(_fold, (entry.name, *entry.aliases))), None)
        if there is not None and (there.name, there.define.__module__, there.define.__qualname__) != (
            name,
            define.__module__,
            define.__qualname__,
        ):
            raise ValueError(f"{spelling!r} is a name of the metric {there.name} of {there.origin}: choose another name")


def _always(needs: Iterable[str]) -> Needs:
    found = tuple(needs)
    return lambda params: found


def find(name: str) -> Metric:
    """The metric called `name` (a name or an alias, in any case, `-` and `_` ignored); `ValueError` if there is none.

    A name that is not built in may be that of an installed package, which is imported then.
    """
    found = _spellings().get(_fold(name))
    if found is None and plugins.find("metrics", name) is not None:
        found = _spellings().get(_fold(name))
    if found is None:
        written = {_fold(spelling): spelling for entry in METRICS.values() for spelling in (entry.name, *entry.aliases)}
        close = difflib.get_close_matches(_fold(name), written, n=1)
        hint = f" — did you mean '{written[close[0]]}'?" if close else "; `receval metrics` lists all"
        raise ValueError(f"unknown metric '{name}'{hint}")
    return found


@cache
def _spellings() -> dict[str, Metric]:
    return {_fold(spelling): entry for entry in METRICS.values() for spelling in (entry.name, *entry.aliases)}


@lru_cache(maxsize=1000)
def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(" ", "").lower()


def bounds_of(metric: str) -> tuple[float, float]:
    """The bounds of a metric such as `nDCG(gain=linear)`; infinite where it has none, is arithmetic, or is not known here."""
    known: Mapping[str, object] = METRICS
    name = metric.partition("(")[0]
    return METRICS[name].bounds if name in known and not is_formula(metric) else (-inf, inf)


def check(convention: Convention) -> None:
    """Raise `ValueError` with file and line if a convention speaks of a metric that there is not, or of an axis it has not."""
    problems = []
    for (name, axis), location in convention.locations.items():
        if name not in METRICS:
            close = difflib.get_close_matches(name, METRICS, n=1)
            problems.append(f"{location}: there is no metric named '{name}'" + (f" — did you mean '{close[0]}'?" if close else ""))
        elif axis and axis not in PROTOCOL and axis not in METRICS[name].axes.values():
            problems.append(f"{location}: {name} has no axis '{axis}'")
    if problems:
        raise ValueError("\n".join(dict.fromkeys(problems)))
