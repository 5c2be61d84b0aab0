"""What changed between two results of one config: values with arrows, measures and models that came or went, users, and gates."""

from __future__ import annotations

from collections.abc import Iterator

from ..checks.table import Finding
from ..results.gates import Gate
from ..results.result import Result, Row
from ..stats.concluding import users_text
from .values import Formats

_VERDICTS = {"pass": "pass", "fail": "FAIL", "inconclusive": "inconclusive", "skipped": "not judged"}
Key = tuple[str, str, str, str]


def changes(before: Result, now: Result) -> list[str]:
    """Return a line for each value, number of users, gate and finding that changed; empty if nothing did.

    The arrow shows if the value became higher (↑) or lower (↓); for a measure with a direction the word says if that is better or worse.
    """
    return [*_values(before, now), *_gates(before.gates, now.gates), *_findings(before, now)]


def _values(before: Result, now: Result) -> Iterator[str]:
    old, new = _rows(before), _rows(now)
    formats = Formats.from_rows([*old.values(), *new.values()])
    several = len({row.model for row in (*old.values(), *new.values())}) > 1

    def name(row: Row) -> str:
        group = "" if row.by is None else f", {row.by} {row.group}"
        return f"{row.label}{f' of {row.model}' if several else ''}{group}"

    for key, row in new.items():
        was = old.get(key)
        if was is None:
            yield f"{name(row)}: new, {formats.text(row.label, row.value)}"
        elif was.value != row.value:
            yield f"{name(row)}: {_apart(formats, was, row)}{_arrow(was, row)}"
        elif was.n_users != row.n_users and row.by is None:
            yield f"{name(row)}: {was.n_users:,} → {users_text(row.n_users)}"
    yield from (f"{name(row)}: gone" for key, row in old.items() if key not in new)


def _rows(result: Result) -> dict[Key, Row]:
    return {(row.model, row.label, row.by or "", row.group or ""): row for row in (*result.rows, *result.by_group)}


def _apart(formats: Formats, was: Row, row: Row) -> str:
    """Return both values, with as many decimals as are needed to differ."""
    texts = [formats.text(side.label, side.value) for side in (was, row)]
    digits = 4
    while texts[0] == texts[1] and digits < 15:
        digits += 1
        texts = [Formats({row.label: digits}).text(row.label, side.value) for side in (was, row)]
    return " → ".join(texts)


def _arrow(was: Row, row: Row) -> str:
    if was.value is None or row.value is None:
        return ""
    is_higher = row.value > was.value
    word = "" if row.higher_is_better is None else " better" if is_higher == row.higher_is_better else " worse"
    return f" {'↑' if is_higher else '↓'}{word}"


def _gates(before: tuple[Gate, ...], now: tuple[Gate, ...]) -> Iterator[str]:
    old, new = ({(gate.model, gate.rule): gate.outcome for gate in gates} for gates in (before, now))
    for (model, rule), outcome in new.items():
        was = old.get((model, rule))
        if was != outcome:
            yield f"gate {rule} of {model}: {f'{_VERDICTS[was]} → ' if was is not None else 'new, '}{_VERDICTS[outcome]}"
    yield from (f"gate {rule} of {model}: gone" for model, rule in old if (model, rule) not in new)


def _findings(before: Result, now: Result) -> Iterator[str]:
    """Yield the findings of the health checks, of level warn and error, that came, and those that went."""
    old, new = (
        {(finding.check, finding.model): finding for finding in result.findings if finding.severity in ("warn", "error")}
        for result in (before, now)
    )
    yield from (
        f"{finding.severity} {finding.check}: {_model_prefix(finding)}{finding.sentence}" for key, finding in new.items() if key not in old
    )
    yield from (f"{finding.check}: {_model_prefix(finding)}passes now" for key, finding in old.items() if key not in new)


def _model_prefix(finding: Finding) -> str:
    return f"{finding.model}: " if finding.model else ""
