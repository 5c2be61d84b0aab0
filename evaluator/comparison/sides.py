"""Which models of which results are compared with which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations

from msgspec import Struct

from ..errors import ConfigError, DataError
from ..results.result import Result


class Side(Struct, frozen=True, eq=False):
    """One model of one result, under the name that the comparison gives it."""

    name: str
    result: Result
    model: str


class Sides(Struct, frozen=True, eq=False):
    """The pairs to compare, base first, all sides in order, the base that all pairs share, and notes on what has no partner."""

    pairs: tuple[tuple[Side, Side], ...]
    all: tuple[Side, ...]
    base: str | None
    notes: tuple[str, ...] = ()


def sides_of(results: Mapping[str, Result], baseline: str | None = None, *, all_pairs: bool = False) -> Sides:
    """Pair the models of named results.

    Of one result its models are compared with `baseline`, by default the first; yardsticks only if named. Of several, each model is
    compared with the one of the same name in the result called `baseline`, by default the first; if each result has one model, the names
    need not be the same. With `all_pairs` every two sides are compared.

    `ConfigError` if there is no such baseline, or fewer than two models; `DataError` if results have no model in common.
    """
    if not results:
        raise ConfigError("there is nothing to compare")
    if len(results) == 1:
        return _of_one(next(iter(results.values())), baseline, all_pairs)
    base_label = _named(baseline, tuple(results), "result") if baseline is not None else next(iter(results))
    if all_pairs:
        sides = tuple(side for label, result in results.items() for side in _sides(label, result))
        return Sides(tuple(combinations(sides, 2)), sides, None)
    return _of_several(results, base_label)


def _of_one(result: Result, baseline: str | None, all_pairs: bool) -> Sides:
    models = [model for model in result.models if model not in result.yardsticks]
    base = _named(baseline, result.models, "model") if baseline is not None else models[0]
    named = [base, *(model for model in models if model != base)]
    if len(named) < 2:
        raise ConfigError(
            f"there is one model, {named[0]}, and nothing to compare it with",
            "give another folder of results as well, or a config with several models",
        )
    sides = tuple(Side(model, result, model) for model in named)
    if all_pairs:
        return Sides(tuple(combinations(sides, 2)), sides, None)
    return Sides(tuple((sides[0], side) for side in sides[1:]), sides, base)


def _of_several(results: Mapping[str, Result], base_label: str) -> Sides:
    base_models = _own_models(results[base_label])
    pairs: list[tuple[Side, Side]] = []
    alone: list[str] = []
    for label, result in results.items():
        if label == base_label:
            continue
        models = _own_models(result)
        common = [model for model in models if model in base_models]
        partners = [(model, model) for model in common] or ([(base_models[0], models[0])] if len(models) == len(base_models) == 1 else [])
        if not partners:
            raise DataError(
                f"{label} and {base_label} have no model in common: {_listed(models)}; {_listed(base_models)}",
                "compare models of the same name, or folders with one model each",
            )
        single = len(partners) == 1
        for base_model, model in partners:
            base_name, name = (base_label, label) if single else (f"{base_label}/{base_model}", f"{label}/{model}")
            pairs.append((Side(base_name, results[base_label], base_model), Side(name, result, model)))
        left = [model for model in models if model not in common] if common else []
        alone += [f"{label}/{model}" for model in left]
    sides = {side.name: side for pair in pairs for side in pair}
    bases = {base.name for base, _ in pairs}
    notes = (f"Not compared, since {base_label} has no such model: {_listed(alone)}.",) if alone else ()
    return Sides(tuple(pairs), tuple(sides.values()), next(iter(bases)) if len(bases) == 1 else None, notes)


def _own_models(result: Result) -> list[str]:
    return [model for model in result.models if model not in result.yardsticks]


def _sides(label: str, result: Result) -> list[Side]:
    models = _own_models(result)
    return [Side(label if len(models) == 1 else f"{label}/{model}", result, model) for model in models]


def _named(name: str, known: Sequence[str], kind: str) -> str:
    if name in known:
        return name
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there {'is' if len(known) == 1 else 'are'} {_listed(known)}"
    raise ConfigError(f"the baseline is {name}, and no {kind} is called so", hint)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
