"""Choose the users of a page that compares two models, and collect what it shows of them: lists, history, groups and titles."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from ..config import Loaded
from ..evaluation.files import Files
from ..metrics.catalogue import formula_text
from ..metrics.definition import Definition
from ..results.model_diff import RANDOM, MeasureFormula, Order, SampledUsers
from ..scoring.list_differences import DiffPartial, DiffTask, first_users, users_in_order
from ..tables.prepared import GroupBy
from .titles import texts_in, titles_of

N_USERS: Final = 1000
"""Number of users of a page; with fewer users it has all."""
_N_BY_ORDER: Final[tuple[tuple[Order, int], ...]] = (("loss", 400), ("gain", 400))
SAMPLE: Final[tuple[tuple[Order, int], ...]] = (*_N_BY_ORDER, ("random", N_USERS))
"""As many random users as the page has, because some may be chosen already."""
_DEPTH: Final = 50
_DEPTH_OF_WHOLE: Final = 20
"""Ranks of a list that a page has at most, and if the measure has no cut-off; otherwise 2k, because items just below the cut matter."""
_GAINS: Final = ("binary", "linear", "exp2")
"""Gains that follow from the grade alone."""


def groupings_of(loaded: Loaded) -> tuple[GroupBy, ...]:
    """Return the groupings of users in the config."""
    return tuple(by for by in loaded.config.evaluation.by if not by.groups_relevant)


def as_shown(users: pl.DataFrame, task: DiffTask) -> pl.DataFrame:
    """Return users without the columns that only a sample needs."""
    extra = [by.name for by in task.groupings] + ([] if "random" in task.orders else [RANDOM])
    return users.drop([column for column in extra if task.sample and column in users.columns])


def sampled(files: Files, made: DiffPartial, task: DiffTask, pictures: str | None) -> SampledUsers:
    """Return the sample: the largest losses and gains, and other users at random, which depend on the seed and the ids only.

    `pictures` is a column of data.items with the addresses of pictures. Raises `DataError` if there is no such column.
    """
    details = first_users(task, made.shown)
    chosen = [users_in_order(task, details.users, order, n) for order, n in _N_BY_ORDER]
    n_first = [len(drawn_users) for drawn_users in chosen]
    others = users_in_order(task, details.users.join(pl.concat(chosen), on="user", how="anti"), "random", N_USERS - sum(n_first))
    n_users = [*n_first, len(others)] if int(made.numbers[0]) > N_USERS else [0, 0, 0]
    change = pl.col(f"{task.task.definitions[task.main].label} difference")
    users = pl.concat([*chosen, others]).sort(change, "user", descending=[task.is_lower_better, False])
    ids = users.select("user")
    k = task.task.definitions[task.main].k
    depth = _DEPTH_OF_WHOLE if k is None else min(2 * k, _DEPTH)
    lists = details.lists.filter(pl.col("rank") <= depth).join(ids, on="user", how="semi", maintain_order="left")
    items = made.with_reasons(details.items.join(ids, on="user", how="semi", maintain_order="left"), task.test_items)
    history = _history(files, ids)
    columns = [frame["item"] for frame in (lists, items, history)]
    wanted = {str(item) for column in columns for item in column.unique()}
    return SampledUsers(
        users=users,
        lists=_with_marks(files, lists, history),
        items=items,
        history=history,
        n_losses=n_users[0],
        n_gains=n_users[1],
        n_random=n_users[2],
        groups={by.name: _groups(files, by, users[by.name]) for by in task.groupings},
        formulas=tuple(map(_formula, task.task.definitions)),
        titles=titles_of(files, columns),
        pictures={} if pictures is None else texts_in(files.request.loaded, wanted, pictures),
    )


def _formula(definition: Definition) -> MeasureFormula:
    """Return the formula of a measure, with its gain if the terms are gain / log2(rank + 1)."""
    params = definition.params
    is_usual = params.get("discount") == "log_r_plus_1" and params.get("log_base") == 2 and not params.get("weight")
    is_dcg = definition.metric.name in ("nDCG", "DCG") and is_usual and params["gain"] in _GAINS
    return MeasureFormula(formula_text(definition.metric, params).replace("\n", ", "), definition.k, str(params["gain"]) if is_dcg else "")


def _history(files: Files, ids: pl.DataFrame) -> pl.DataFrame:
    """Return the train rows of users, in the order of the file."""
    if "train" not in files.sides:
        return pl.DataFrame(schema={"user": ids.schema["user"], "item": files.sides["test"].frame.schema["item"]})
    train = files.sides["train"].frame.select("user", "item")
    return train.join(ids, on="user", how="semi", maintain_order="left")


def _with_marks(files: Files, lists: pl.DataFrame, history: pl.DataFrame) -> pl.DataFrame:
    """Return rows of lists with `in_train` and `cold`; both are false without data.train."""
    if "train" not in files.sides:
        return lists.with_columns(in_train=pl.lit(value=False), cold=pl.lit(value=False))
    seen = history.unique().with_columns(in_train=pl.lit(value=True))
    prepared = files.prepared
    cold = ~np.append(prepared.in_train, False)[prepared.items.index_of(lists["item"])]
    marked = lists.with_columns(cold=pl.Series(cold)).join(seen, on=["user", "item"], how="left", maintain_order="left")
    return marked.with_columns(pl.col("in_train").fill_null(value=False))


def _groups(files: Files, by: GroupBy, codes: pl.Series) -> tuple[str, ...]:
    names = dict(files.prepared.groups_by(files.prepared.with_borders(by)))
    return tuple(names[code] for code in codes.to_list())
