"""Everything about one user from Python, as `receval user` shows it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Unpack

import polars as pl
from msgspec.structs import asdict

from ..actions.user import open_user, view_of_result
from ..config import load_config
from ..documents.user_view import cells, document
from ..results.user_view import UserView
from ..storage.places import is_folder
from ..support.synonyms import takes
from .arguments import CallArguments, ConfigLike, loaded_of, names_of
from .display import OF_ROWS, WithCells, number_shown
from .wording import errors_as_arguments


class UserResult(WithCells, UserView, frozen=True, eq=False):
    """Everything about one user; it prints as `receval user`, and a notebook shows tables.

    `history` (train rows), `test` (test rows) and `lists["als"]` are frames, `table` has the values. `policies` are what was done with odd
    data of the user, `findings` the findings of health checks that concern the user. See `UserView`.
    """

    @property
    def table(self) -> pl.DataFrame:
        """The values as a frame: `measure`, `model`, `value`, `reason`, `mean`, and how many users have a lower value and the same."""
        rows = [{**asdict(value), "better_than": value.better_than} for value in self.values]
        floats = dict.fromkeys(("value", "mean", "better_than"), pl.Float64)
        counts = dict.fromkeys(("n_users", "n_lower", "n_equal", "n_valued"), pl.Int64)
        return pl.DataFrame(rows, schema_overrides={**floats, **counts})

    _cells = cells
    _document = document


@takes(*CallArguments.__annotations__)
def user(
    user: Any,
    config: ConfigLike | None = None,
    *,
    models: str | Sequence[str] = (),
    show: int = 5,
    quick: bool = False,
    **arguments: Unpack[CallArguments],
) -> UserResult:
    """Return everything about one user, as `receval user` shows it.

    `user` is an id, or a tuple if several columns name a user. `config` is a config, or a folder of results, whose files are read again if
    they are still there. The other arguments are those of `evaluate`; `metrics` is nDCG@10 by default. `models` restricts the models, and
    `show` the train and test rows that are printed; the frames have all rows.

    All users are evaluated for means and the place of the user among them, unless `quick`; `receval.evaluate(…).user(id)` does this once
    for many users.

    Raises `DataError` if no file has the user, `ConfigError` for models that do not exist and for configs with folds.
    """
    chosen, n_shown = names_of(models), number_shown(show, OF_ROWS)
    if config is not None and isinstance(config, str | os.PathLike) and is_folder(os.fspath(config)):
        with errors_as_arguments():
            found = open_user(os.fspath(config), user, lambda config: load_config(config or {}))
            return UserResult.of_record(found.view(user, chosen, n_shown=n_shown, quick=quick))
    with errors_as_arguments():
        loaded = loaded_of(config, arguments, metrics="nDCG@10")
        return UserResult.of_record(view_of_result(None, loaded, user, chosen, n_shown=n_shown, quick=quick))
