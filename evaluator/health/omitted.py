"""X01, X02, X10 and X12: users and items that one file has and another has not."""

from __future__ import annotations

from collections.abc import Callable

from ..frames import Frame
from .examiner import Examiner, Lists, Symptom, shared


def users(x: Examiner, of: Lists, done: str, wanted: Frame, tested: Frame) -> list[Symptom]:
    """Users with relevant items (`wanted`) and no list, and users with a list and no row of the test file (`tested`).

    `done` says what is done with those without a list: they "count 0".
    """
    found = _without_list(x, of, done, wanted.select("user")) if x.asks("X01") else []
    return found + (_strangers(x, of, tested) if x.asks("X02") else [])


def _without_list(x: Examiner, of: Lists, done: str, wanted: Frame) -> list[Symptom]:
    users = wanted.join(of.lengths, on="user", how="anti")
    n, total = x.size(users), x.size(wanted)
    if not n:
        return []
    sentence = f"{shared(n, total, 'users with relevant items')} have no list, and {done}."
    return x.symptom("X01", sentence, n, total, model=of.model, examples=x.examples(users, "user"), rows=_same(users))


def _strangers(x: Examiner, of: Lists, tested: Frame) -> list[Symptom]:
    users = of.lengths.join(tested, on="user", how="anti").select("user")
    n, total = x.size(users), x.size(of.lengths)
    if not n:
        return []
    sentence = f"{shared(n, total, 'users with a list')} do not stand in the test file."
    return x.symptom("X02", sentence, n, total, model=of.model, examples=x.examples(users, "user"), rows=_same(users))


def cold(x: Examiner, rows: Frame, train_users: Frame, train_items: Frame) -> list[Symptom]:
    """Users and items of the test `rows` that train does not hold."""
    found: list[Symptom] = []
    if not x.asks("X10"):
        return found
    for column, known in (("user", train_users), ("item", train_items)):
        (own,) = x.engine.settle([rows.select(column).unique(column)])
        (strange,) = x.engine.settle([own.join(known, on=column, how="anti")])
        n, total = x.size(strange), x.size(own)
        if n:
            n_rows, n_all = x.size(rows.join(strange, on=column, how="semi")), x.size(rows)
            said = f"{shared(n, total, f'test {column}s')} are cold, train does not hold them: {shared(n_rows, n_all, 'test rows')}."
            found += x.symptom("X10", said, n, total, examples=x.examples(strange, column), rows=_same(strange))
    return found


def coverage(x: Examiner, of: Lists, catalogue: Frame) -> list[Symptom]:
    """Items of the catalogue that no list holds."""
    if not x.asks("X12"):
        return []
    never = catalogue.join(of.items, on="item", how="anti")
    n, total = x.size(never), x.size(catalogue)
    if not n:
        return []
    sentence = f"{shared(n, total, 'items of the catalogue')} are never recommended."
    return x.symptom("X12", sentence, n, total, model=of.model, examples=x.examples(never, "item"), rows=_same(never))


def _same(frame: Frame) -> Callable[[], Frame]:
    return lambda: frame
