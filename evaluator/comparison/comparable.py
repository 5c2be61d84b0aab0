"""Whether two results may be compared: the same truth, the same definitions; otherwise the first three differences are named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import DataError
from ..results.result import Result
from ..stats.concluding import users_text
from .sides import Side

_MOST = 3


def refuse_incomparable(base: Side, model: Side, metrics: Iterable[str], *, unpaired: bool) -> None:
    """`DataError` if two sides of different results have another truth, or another definition of one of the `metrics`.

    Definitions must be the same whatever is compared; with `unpaired` users, other test data may be compared too.
    """
    if base.result is model.result:
        return
    of_truth = [] if unpaired else list(_other_truths(base, model))
    differences = [*of_truth, *_other_definitions(base, model, metrics)]
    if differences:
        more = f"; and {len(differences) - _MOST} more" if len(differences) > _MOST else ""
        raise DataError(
            f"{model.name} cannot be compared with {base.name}: {'; '.join(differences[:_MOST])}{more}",
            "evaluate both on the same data, with the same config"
            + ("; --unpaired compares models of different users" if of_truth and len(of_truth) == len(differences) else ""),
        )


def notes_on_inputs(base: Side, model: Side, metrics: Iterable[str]) -> Iterator[str]:
    """Sentences on other side inputs that measures look at."""
    if base.result is model.result:
        return
    needs = {need.removesuffix("?").partition(".")[0] for metric in metrics for need in base.result.definitions[metric].needs}
    ours, theirs = (_hashes(side.result) for side in (base, model))
    for role in sorted(("train", "items") if "catalogue" in needs else ()) + sorted(needs - {"catalogue", "predictions"}):
        if ours.get(f"data.{role}") != theirs.get(f"data.{role}"):
            yield f"{model.name} was evaluated with another data.{role} than {base.name}; measures that look at it differ for that too."


def _other_truths(base: Side, model: Side) -> Iterator[str]:
    ours, theirs = base.result.truths, model.result.truths
    if ours.keys() != theirs.keys():
        yield f"the folds are {', '.join(ours) or 'none'} and {', '.join(theirs) or 'none'}"
        return
    for fold, truth in ours.items():
        other, named = theirs[fold], f" of fold {fold}" if fold else ""
        if truth.users != other.users:
            yield f"the test data{named} of {model.name} have {users_text(other.users)} and those of {base.name} {truth.users:,}"
        elif truth.rows != other.rows:
            yield f"the test data{named} of {model.name} have {other.rows:,} rows and those of {base.name} {truth.rows:,}"
        elif truth.hash != other.hash:
            yield f"the test data{named} are others, with as many rows"


def _other_definitions(base: Side, model: Side, metrics: Iterable[str]) -> Iterator[str]:
    for metric in metrics:
        ours, theirs = base.result.definitions[metric], model.result.definitions[metric]
        for choice, mine, other in ours.differences(theirs):
            yield f"{metric}: {choice} is {_shown(other)} in {model.name} and {_shown(mine)} in {base.name}"


def _shown(value: object) -> str:
    return "not set" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _hashes(result: Result) -> dict[str, tuple[str, ...]]:
    return {source.role: tuple(file.sha256 for file in source.files) for source in result.inputs}
