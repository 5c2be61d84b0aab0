"""The page docs/checks.md: every health check, and what a policy can say."""

from __future__ import annotations

from receval.checks import CHECKS, NEEDS, Check
from receval.config.odd_data import Policy
from receval.conventions import AXES
from receval.output.blocks import Block, Grid, Heading, Prose, Terms

GROUPS = {"R": "The lists of a model", "T": "The test file", "X": "Between files"}


def page() -> list[Block]:
    """The page."""
    blocks: list[Block] = [
        Heading("Health checks and policies"),
        Prose(
            "`receval check CONFIG` makes every check, `receval run CONFIG` makes them in the pass that evaluates. The key `health` of a "
            "config sets severities (`error`, `warn`, `info`, `off`) and limits: "
            "`health: {R04: error, X01: {severity: error, max_share: 0.01}, X05: off}`, or `health: off`. A check that fails with the "
            "severity `error` makes the exit code 1; the results are written all the same. With `--strict` warnings count too."
        ),
    ]
    for letter, title in GROUPS.items():
        rows = tuple(_row(check) for check in CHECKS.values() if check.id.startswith(letter))
        blocks += [Heading(title, 2), Grid(("check", "severity", "fails if", "limits, with their defaults", "needs", "what to do"), rows)]
    blocks += [
        Heading("Policies", 2),
        Prose(
            "`evaluation.policy` says what is done with odd data, for every metric alike; what it does not say the convention decides. "
            "Each of its keys may also be `error`: then `receval run` refuses such data with exit code 3, and `receval check` calls it an "
            "error. They are axes of the conventions, so that a single measure may choose too: `nDCG(missing_lists=drop)@10`."
        ),
    ]
    for name in Policy.model_fields:
        if name in AXES:
            blocks.append(Terms(tuple(AXES[name].meanings.items()), f"`{name}`: {AXES[name].decides}"))
    values = (("error", "are refused, with the first place"), ("drop", "are left out and counted"))
    blocks.append(Terms(values, "`missing_values`: rows without an id, score or rank, or with a score that is no finite number"))
    return blocks


def _row(check: Check) -> tuple[str, ...]:
    limits = "; ".join(f"`{name}` {_shown(limit.default)}: {limit.means}" for name, limit in check.limits.items())
    return (check.id, check.severity, check.finds, limits, " and ".join(NEEDS[need] for need in check.needs), check.advice)


def _shown(number: float | None) -> str:
    return "(none)" if number is None else f"{number:g}"
