"""Everything about one user from Python, as `receval user` shows it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import polars as pl
from msgspec.structs import asdict

from ..config import Loaded
from ..content.user_view import cells, document
from ..disk.places import is_folder
from ..document import Document
from ..errors import ConfigError
from ..results.result import Result
from ..results.user_view import UserView
from ..session.user import open_user, view_of_result
from ..synonyms import takes
from .arguments import CallArguments, ConfigLike, loaded_from, warn
from .wording import errors_as_arguments


class UserResult(UserView, frozen=True, eq=False):
    """Everything about one user; it prints as `receval user`, and a notebook shows tables.

    `history` (train rows), `test` (test rows) and `lists["als"]` are frames, `table` has the values. `policies` are what was done with odd
    data of the user, `findings` the findings of health checks that concern the user. See `UserView`.
    """

    @property
    def table(self) -> pl.DataFrame:
        """The values as a frame: `measure`, `model`, `value`, `reason`, `mean`, and how many users have a lower value and the same."""
        rows = [{**asdict(one), "better_than": one.better_than} for one in self.values]
        floats = dict.fromkeys(("value", "mean", "better_than"), pl.Float64)
        counts = dict.fromkeys(("n_users", "n_lower", "n_equal", "n_valued"), pl.Int64)
        return pl.DataFrame(rows, schema_overrides={**floats, **counts})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as in `--format json`."""
        return cells(self)

    @property
    def _document(self) -> Document:
        return document(self)

    def __repr__(self) -> str:
        from ..render.screen import show  # only here: not every caller prints
        from ..render.terminal import PlainText

        return show(self._document, PlainText()).rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        from ..render.html import for_notebook

        return for_notebook(self._document)


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
    chosen = names_of(models)
    n_shown = number_shown(show)
    if config is not None and isinstance(config, str | os.PathLike) and is_folder(os.fspath(config)):
        with errors_as_arguments():
            found = open_user(os.fspath(config), user, _read).view(user, chosen, n_shown=n_shown, quick=quick)
        return UserResult(**asdict(found))
    if config is None and not arguments.get("metrics"):
        arguments = CallArguments(**{**arguments, "metrics": "nDCG@10"})
    with errors_as_arguments():
        loaded = loaded_from(config, arguments)
        if not isinstance(config, Loaded):
            warn(loaded.warnings, above=5)
        return UserResult(**asdict(view_of_result(None, loaded, user, chosen, n_shown=n_shown, quick=quick)))


def user_of_result(result: Result, loaded: Loaded | None, user: Any, models: str | Sequence[str], show: int) -> UserResult:
    """Return everything about a user of a result; without its config only values."""
    with errors_as_arguments():
        return UserResult(**asdict(view_of_result(result, loaded, user, names_of(models), n_shown=number_shown(show))))


def names_of(models: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of models."""
    return (models,) if isinstance(models, str) else tuple(models)


def number_shown(show: int) -> int:
    """Return the number of rows to show; raise `ConfigError` if it is none."""
    if isinstance(show, bool) or not isinstance(show, int) or show < 0:
        raise ConfigError(f"show must be the number of train and test rows, a whole number from 0, not {show!r}")
    return show


def _read(config: str | Mapping[str, Any] | None) -> Loaded:
    from ..config import load_config

    return load_config(config or {})
