"""Gates: the rules of a result, their outcomes, and what was found; and the baseline that they compare with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import to_builtins

from ..document import Cell, Column, Document, Heading, Section, Sentences, Table, Terms
from ..results.gates import Gate, Verdicts
from ..results.result import Result
from ..stats.concluding import users_text
from .values import Formats
from .verdicts import outcome_cell

DATA: Final = ("rule", "model", "outcome", "consequence", "value", "limit", "low", "high")
"""The columns that programs read of a page."""


def document(gates: Sequence[Gate], *, summary: bool = True) -> Document:
    """Return the table of gates with its title, notes, and a `summary` if that is not said elsewhere; nothing without gates."""
    if not gates:
        return ()
    verdicts = Verdicts(tuple(gates))
    notes = (*([verdicts.summary()] if summary else []), *verdicts.notes())
    return (table(gates), *([Sentences(notes)] if notes else []))


def section(gates: Sequence[Gate]) -> Section | None:
    """Return the section of a report; `None` without gates."""
    return Section("gates", "Gates", document(gates, summary=False)) if gates else None


def title(gates: Sequence[Gate]) -> str:
    """Return what is judged against what: `gates · today against main · 350 users, paired · one-sided 95 % bounds`."""
    models, bases = (tuple(dict.fromkeys(names)) for names in ((one.model for one in gates), (one.base for one in gates if one.base)))
    named = models[0] if len(models) == 1 else f"{len(models)} models"
    compared = [one for one in gates if one.base and not one.by_value]
    anchors = tuple(dict.fromkeys(one.anchor.base for one in gates if one.anchor is not None))
    users = sorted({one.n_users for one in compared if one.group is None} or {one.n_users for one in compared})
    told = users_text(users[0]) if len(users) == 1 else f"{users[0]:,} to {users[-1]:,} users" if users else ""
    paired = ", paired" if told and all(one.paired for one in compared) else ""
    levels = dict.fromkeys(f"one-sided {100 * one.level:g} % bounds" for one in compared if one.low is not None)
    against = [f"{named} against {_common(bases)}" if bases else named, *([f"anchor {_common(anchors)}"] if anchors else [])]
    return " · ".join(("gates", *against, *([f"{told}{paired}"] if told else []), *levels))


def table(gates: Sequence[Gate]) -> Table:
    """Return a row for each rule: its outcome, its model where there are several, what was found, and why."""
    bases = [_stem(one.base) for one in gates if one.base]
    base = max(dict.fromkeys(bases), key=bases.count, default="")  # that of most gates, which their rules need not name
    several = len({one.model for one in gates}) > 1
    columns = (
        Column("outcome", "verdict"),
        *([Column("model", "name")] if several else []),
        Column("rule", "name", wraps=True),
        Column("found", "name", wraps=True),
        Column("why", "name", wraps=True),
    )
    rows = tuple(
        (outcome_cell(one), *([Cell(one.model)] if several else []), Cell(_rule(one, base)), Cell(one.found), Cell(_why(one)))
        for one in gates
    )
    data = [[cells[name] for name in DATA] for cells in map(to_builtins, gates)]
    return Table(columns, rows, title(gates), "gates-table", bare=True, columns_of_data=DATA, data=data)


def baseline_document(result: Result, name: str) -> Document:
    """Return what a folder of results holds: models and values, on which test data, and whether its gates and checks passed."""
    table, formats = result.by_model(), Formats.of(result.rows)
    columns = (Column("measure", "name"), *(Column(model, "value") for model in result.models))
    rows = tuple((Cell(label), *(formats.cell(table[model].get(label)) for model in result.models)) for label in result.labels())
    return (Heading(name), Terms(tuple(_baseline_terms(result)), code=False), Table(columns, rows))


def _common(bases: Sequence[str]) -> str:
    """Return the bases as the title names them; models of one folder by the name of the folder."""
    names = tuple(bases) if len(bases) == 1 else tuple(dict.fromkeys(map(_stem, bases)))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _stem(base: str) -> str:
    return base.partition("/")[0]


def _rule(one: Gate, base: str) -> str:
    return one.rule if not one.base or _stem(one.base) == base else f"{one.rule} against {one.base}"


def _why(one: Gate) -> str:
    """Return the remark, or the sentence if nothing was found, and whether a rule that fails only warns."""
    only = "warns only" if one.outcome == "fail" and one.consequence == "warn" else ""
    remark = one.remark or ("" if one.found else one.sentence)
    return "; ".join(part for part in (remark, only) if part)


def _baseline_terms(result: Result) -> Iterator[tuple[str, str]]:
    for fold, truth in result.truths.items():
        yield f"test data{f' of fold {fold}' if fold else ''}", f"{users_text(truth.users)}, {truth.rows:,} rows, {truth.hash[:12]}"
    yield "per-user values", "stored: users can be paired" if result.per_user else "not stored: users cannot be paired"
    yield "gates", Verdicts(result.gates).summary() if result.gates else "none were judged"
    yield "health checks", ("an error-level check failed" if result.failed() else "passed") if result.examined else "none ran"
    yield "receval", result.versions.get("receval", "")
