"""Gates: the rules of a result, their outcomes and observed values; and their baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import to_builtins

from ..results.gates import Gate, Outcome, Verdicts
from ..results.notes import CHOSEN
from ..results.result import Result
from ..stats.concluding import group_text, users_text
from .document import Cell, Column, Document, Heading, Sentences, Table, Terms
from .methods import method_names
from .numbers import users_range
from .values import Formats

DATA: Final = ("rule", "model", "outcome", "consequence", "value", "limit", "low", "high")
"""The columns of the data in a page."""
_OUTCOMES: Final[dict[Outcome, str]] = {"pass": "pass", "fail": "FAIL", "inconclusive": "inconclusive", "skipped": "not judged"}


def document(gates: Sequence[Gate], *, summary: bool = True) -> Document:
    """Return the table of gates with its title, notes, and, unless it is elsewhere, a `summary`; empty without gates."""
    if not gates:
        return ()
    verdicts = Verdicts(tuple(gates))
    notes = (*([verdicts.summary()] if summary else []), *verdicts.notes())
    return (table(gates), *([Sentences(notes)] if notes else []))


def title(gates: Sequence[Gate]) -> str:
    """Return a title with the compared models: `gates · today against main · 350 users, paired · one-sided 95 % bounds`.

    It names the methods other than the paired t test.
    """
    models, bases = (tuple(dict.fromkeys(names)) for names in ((gate.model for gate in gates), (gate.base for gate in gates if gate.base)))
    named = models[0] if len(models) == 1 else f"{len(models)} models"
    compared = [gate for gate in gates if gate.base and not gate.by_value]
    anchors = tuple(dict.fromkeys(gate.anchor.base for gate in gates if gate.anchor is not None))
    users = users_range({gate.n_users for gate in compared if gate.group is None} or {gate.n_users for gate in compared})
    paired = ", paired" if all(gate.paired for gate in compared) else ""
    levels = dict.fromkeys(f"one-sided {100 * gate.level:g} % bounds" for gate in compared if gate.low is not None)
    methods = method_names({gate.measure: gate.test for gate in compared if gate.test not in (None, "t")})
    against = [f"{named} against {_common(bases)}" if bases else named, *([f"anchor {_common(anchors)}"] if anchors else [])]
    return " · ".join(("gates", *against, *([f"{users}{paired}"] if users else []), *levels, *([methods] if methods else [])))


def table(gates: Sequence[Gate]) -> Table:
    """Return a row for each rule: its outcome, its model if there are several, the observed values, and the reason.

    The reason is the remark, or the sentence without observed values, and a note if a failed rule only warns. On a narrow screen it follows
    the observed values.
    """
    bases = [_stem(gate.base) for gate in gates if gate.base]
    base = max(dict.fromkeys(bases), key=bases.count, default="")  # the most frequent base, which rules need not name
    several = len({gate.model for gate in gates}) > 1
    columns = (
        Column("outcome", "verdict"),
        *([Column("model", "name")] if several else []),
        Column("rule", "name", wraps=True),
        Column("found", "name", wraps=True),
        Column("why", "name", wraps=True),
    )
    rows = []
    for gate in gates:
        rule = (
            gate.rule
            if gate.by is None or gate.group is None
            else gate.rule.replace(f"{gate.by} {gate.group}", group_text(gate.by, gate.group))
        )
        rule = rule if not gate.base or _stem(gate.base) == base else f"{rule} against {gate.base}"
        only = "warns only" if gate.outcome == "fail" and gate.consequence == "warn" else ""
        remark = gate.remark or ("" if gate.found else gate.sentence)
        texts = (*([gate.model] if several else []), rule, gate.found, "; ".join(part for part in (remark, only) if part))
        rows.append((Cell(_OUTCOMES[gate.outcome], mark=gate.outcome), *map(Cell, texts)))
    data = [[cells[name] for name in DATA] for cells in map(to_builtins, gates)]
    joined = tuple((*row[:-2], Cell("; ".join(cell.text for cell in row[-2:] if cell.text))) for row in rows)
    narrow = Table((*columns[:-2], Column("found", "name", wraps=True)), joined, title(gates), "gates-table", bare=True)
    return Table(columns, tuple(rows), title(gates), "gates-table", bare=True, narrow=narrow, columns_of_data=DATA, data=data)


def baseline_document(result: Result, name: str) -> Document:
    """Return the contents of a folder of results: models and values, test data, and whether its gates and checks passed."""
    table, formats = result.by_model(), Formats.from_rows(result.rows)
    columns = (Column("measure", "name"), *(Column(model, "value") for model in result.models))
    rows = tuple((Cell(label), *(formats.cell(table[model].get(label)) for model in result.models)) for label in result.labels())
    truths = ((f" of fold {fold}" if fold else "", truth) for fold, truth in result.truths.items())
    terms = [(f"test data{of}", f"{users_text(truth.users)}, {truth.rows:,} rows, {truth.hash[:12]}") for of, truth in truths]
    terms += [
        ("per-user values", "stored: users can be paired" if result.per_user else "not stored: users cannot be paired"),
        ("gates", Verdicts(result.gates).summary() if result.gates else "none were judged"),
        ("health checks", ("an error-level check failed" if result.failed() else "passed") if result.examined else "none ran"),
        ("receval", result.versions.get("receval", "")),
    ]
    chosen = tuple(remark for remark in result.remarks if CHOSEN in remark)
    return (Heading(name), Terms(tuple(terms), code=False), Table(columns, rows), *([Sentences(chosen)] if chosen else []))


def _common(bases: Sequence[str]) -> str:
    """Return the bases for the title; models of one folder by the name of the folder."""
    names = tuple(bases) if len(bases) == 1 else tuple(dict.fromkeys(map(_stem, bases)))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _stem(base: str) -> str:
    return base.partition("/")[0]
