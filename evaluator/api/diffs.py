"""Compare the lists of two models user by user from Python, as `receval diff` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import polars as pl
from msgspec.structs import replace

from ..actions.diff import TwoModels, two_models
from ..config import Loaded, load_config
from ..documents.model_diff import cells, document
from ..results.model_diff import ORDERS, REASONS, ModelDiff
from ..storage.places import is_folder
from ..studies.diffing import DiffOptions
from ..studies.diffing import diff as diff_models
from ..support.errors import ConfigError
from ..support.synonyms import takes
from .arguments import CallArguments, ConfigLike, loaded_of, names_of
from .display import WithCells, number_shown
from .wording import errors_as_arguments

_USUAL = "nDCG@10"


class DiffResult(WithCells, ModelDiff, frozen=True, eq=False):
    """The difference between the lists of two models, user by user; it prints as `receval diff`.

    `users` has a row per user: the measures under both models (`nDCG@10 base`, `nDCG@10 model`, `nDCG@10 difference`), `overlap`,
    `jaccard` and `rbo` of the lists, and the item that rises most (`promoted`). `contributions` has a row per relevant item: its ranks,
    why it is missed, and for measures that are sums over hits what it adds to the difference. `reasons` counts the missed items.
    `to_html()` is a page to explore.
    """

    _with_page: Callable[[str | None], ModelDiff] | None = None

    @property
    def reasons(self) -> pl.DataFrame:
        """The number of relevant items by reason: missed under the `base`, under the `model`, `lost` and `gained`."""
        columns = {kind: [counts[reason] for reason in REASONS[1:]] for kind, counts in self.missed._asdict().items()}
        return pl.DataFrame({"reason": list(REASONS[1:]), **columns})

    def to_html(self, *, pictures: str | None = None) -> str:
        """Return a page to explore the users, one HTML file without network, as `receval diff -o diff.html` writes it.

        It has at most 1,000 users: the 400 with the largest losses, the 400 with the largest gains, and others at random. `pictures` is a
        column of `items` with web addresses of pictures, which a browser loads when the page is shown; otherwise nothing is loaded. The
        lists are read once more. Raises `DataError` if there is no such column.
        """
        from ..render.explorer import explorer  # only here: not every caller makes a page

        if self._with_page is None:
            raise ConfigError("this difference has no lists to show", "make it with receval.diff")
        with errors_as_arguments():
            return explorer(self._with_page(pictures))

    _cells = cells
    _document = document


@takes(*CallArguments.__annotations__)
def diff(
    a: Any,
    b: Any,
    config: ConfigLike | None = None,
    *,
    measure: str | None = None,
    show: int = 3,
    order: str | Sequence[str] = ("loss", "gain"),
    group: str | None = None,
    least_relevant: int = 0,
    most_relevant: int | None = None,
    persistence: float = 0.9,
    seed: int = 0,
    show_users: bool = False,
    **arguments: Unpack[CallArguments],
) -> DiffResult:
    """Compare the lists of two models user by user, as `receval diff` does; `a` is the base.

    `a` and `b` are the names of two models of a `config`, or of `recommendations`; or two folders of results with stored lists; or
    the lists themselves, tables or paths, beside `test`. The other arguments are those of `evaluate`; `metrics` is nDCG@10 by default.

    `measure` decides what a loss is, by default the first. It shows `show` users of each `order`: `loss`, `gain`, `relevant` (most relevant
    items) or `random`, which depends on `seed`. `group` takes only users of a group, such as `cold=warm` or `users.plan=free`;
    `least_relevant` and `most_relevant` limit their number of relevant items. `persistence` is p of rank-biased overlap. The frames have
    the ids of users; what is printed has them only with `show_users`, otherwise a hash.

    Raises `ConfigError` for models, measures or groups that do not exist, `DataError` if no user has a value under both models.
    """
    orders = names_of(order)
    for name in orders:
        if name not in ORDERS:
            raise ConfigError(f"order: {name!r} is none of {', '.join(ORDERS)}")
    if not 0 < persistence < 1:
        raise ConfigError(f"persistence must be between 0 and 1, not {persistence!r}")
    with errors_as_arguments():
        found = _two(a, b, config, arguments)
        options = DiffOptions(
            measure=measure,
            orders=tuple(name for name in ORDERS if name in orders),
            n_shown=number_shown(show, "users of each order"),
            group=group,
            relevant=(least_relevant, most_relevant),
            p=persistence,
            seed=seed,
            keeps=True,
            shows_users=show_users,
        )
        made = diff_models(found.loaded, found.base, found.model, options)

    def with_page(pictures: str | None) -> ModelDiff:
        return diff_models(found.loaded, found.base, found.model, replace(options, keeps=False, has_page=True, pictures=pictures))

    return DiffResult.of_record(made, _with_page=with_page)


def _two(a: Any, b: Any, config: ConfigLike | None, arguments: CallArguments) -> TwoModels:
    """Return the models that a call names, with their config."""
    if config is None and not arguments.get("recommendations"):
        if not arguments and all(isinstance(side, str | os.PathLike) and is_folder(os.fspath(side)) for side in (a, b)):
            return two_models([os.fspath(a), os.fspath(b)], _read, has_test=False)
        names = _names(a, b)
        arguments = CallArguments(**{**arguments, "recommendations": dict(zip(names, (a, b), strict=True))})
        arguments = CallArguments(**{"metrics": _USUAL, **arguments})
    else:
        names = (a, b)
    if not all(isinstance(name, str) for name in names):
        raise ConfigError("name two models of the config", "or give their lists with test=…, without config and recommendations")
    return TwoModels(loaded_of(config, arguments, above=6), *names)


def _names(a: Any, b: Any) -> tuple[str, str]:
    """Return the names of two lists: those of their files, or a and b."""
    if all(isinstance(side, str | os.PathLike) for side in (a, b)):
        first, second = (Path(side).name.partition(".")[0] for side in (a, b))
        if first != second:
            return first, second
    return "a", "b"


def _read(config: str | Mapping[str, Any] | None, lists: Sequence[str]) -> Loaded:
    return load_config(config or {}, recommendations=lists)
