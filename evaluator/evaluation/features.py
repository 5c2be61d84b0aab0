"""Groupings of users in which a search for slices looks: all columns of data.users, and what follows from data.train."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Final

import polars as pl

from .. import load
from ..config import Loaded, missing_for_groups
from ..config.evaluation_keys import read_group
from ..support.errors import ArgumentError, ConfigError
from ..tables.prepared import GroupBy
from .files import session_of
from .inputs import look_at_everything

_N_GROUPS: Final = 5


def features_of(loaded: Loaded, by: Iterable[str] = ()) -> tuple[GroupBy, ...]:
    """Return the groupings to search in the files of a config: those of `by`, or all that its files have.

    These are the columns of data.users; five groups by `train_count`, `popular_share` and `mainstreamness`; with times in data.train five
    groups by `recency`, and, with categories of items, `first_category`.

    Raises `ArgumentError` for text that is no grouping of users, `ConfigError` for folds, or if there is no grouping.
    """
    named = tuple(map(_named, by))
    for grouping in named:
        for problem in missing_for_groups(grouping, loaded.config.data):
            raise ConfigError(problem)
    if loaded.folds:
        first = next(iter(loaded.folds))
        raise ConfigError(
            f"slices need one test set, and data.folds has {len(loaded.folds)} folds", f"evaluate one: --set 'data.folds=[{first}]'"
        )
    if named:
        return named
    data = loaded.config.data
    with ExitStack() as stack:
        needed = frozenset(role for role in ("train", "users") if getattr(data, role) is not None)
        inputs = look_at_everything(loaded, needed, stack, session_of(loaded, stack))
        users, train = inputs.source("users"), inputs.source("train")
        found = [] if users is None else [GroupBy("users", column) for column in _columns(users) if column not in _ids(users)]
        if train is not None and {"user", "item"} <= train.columns:
            found += [GroupBy(kind, n_groups=_N_GROUPS) for kind in ("train_count", "popular_share", "mainstreamness")]
            found += _timed(loaded) if "timestamp" in train.columns else []
    if not found:
        raise ConfigError("there are no groups of users to search", "give data.users or data.train, or name groups with --by")
    return tuple(found)


def _timed(loaded: Loaded) -> list[GroupBy]:
    items = loaded.config.data.items
    with_categories = items is not None and items.categories is not None
    return [GroupBy("recency", n_groups=_N_GROUPS), *([GroupBy("first_category")] if with_categories else [])]


def _named(text: str) -> GroupBy:
    try:
        by = read_group(text)
    except ValueError as error:
        raise ArgumentError(f"by: {error}", option=f"--by {text}: {error}") from None
    if by.groups_relevant or by.parts:
        what = "a combination: --depth 2 makes pairs" if by.parts else "no group of users"
        raise ArgumentError(f"by: {by.name} is {what}", option=f"--by {text} is {what}")
    return by


def _ids(users: load.Source) -> set[str]:
    """Return the names of the columns that are read as ids."""
    return set(users.scan.names.values())


def _columns(users: load.Source) -> list[str]:
    """Return the names of the columns of a file or frame of users; none for formats that do not say them without reading."""
    scan = users.scan
    if scan.frame is not None:
        return scan.frame.collect_schema().names()
    if scan.format in ("parquet", "ipc"):
        read = pl.read_parquet_schema if scan.format == "parquet" else pl.read_ipc_schema
        return list(read(users.files[0].local))
    return list(scan.header)
