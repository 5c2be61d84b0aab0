"""The values of users, of each model, in memory or in a file: columns are brought when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl

from ..forks import refuse_lost_threads

Read = Callable[[str, Sequence[str] | None], pl.DataFrame]
"""The named columns (`None`: all) of the values of the users of a model."""


class StoredUsers(Mapping[str, pl.DataFrame]):
    """The values of the users of some models, in a file that is `read` when they are looked at; by model its columns."""

    def __init__(self, columns: Mapping[str, Sequence[str]], read: Read) -> None:
        self.columns, self.read = columns, read

    def __getitem__(self, model: str) -> pl.DataFrame:
        if model not in self.columns:
            raise KeyError(model)
        refuse_lost_threads()
        return self.read(model, None)

    def __contains__(self, model: object) -> bool:
        return model in self.columns  # what a mapping does by itself would read all columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def columns_of(users: Mapping[str, pl.DataFrame], model: str) -> Sequence[str]:
    """The names of the columns of a model's users, without reading them."""
    return users.columns[model] if isinstance(users, StoredUsers) else users[model].columns


def select(users: Mapping[str, pl.DataFrame], model: str, names: Sequence[str]) -> pl.DataFrame:
    """Some columns of a model's users; no others are read."""
    refuse_lost_threads()
    return users.read(model, names) if isinstance(users, StoredUsers) else users[model][list(names)]
