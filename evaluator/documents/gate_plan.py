"""The plan of a gate: how often each rule passes by the true change of a candidate, the users it needs, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..results.gate_plan import GatePlan, PlanPoint, RulePlan
from ..results.row import FEW_USERS
from ..stats.concluding import percent, plain, users_text
from ..stats.units import SPARSE_BELOW
from .chart_parts import BETWEEN_PANELS, COLOURS, LINES_HEIGHT, NUMBERS_SPACE, SHAPES, ChartSize, Spec, figure_of, lines_panel, looks_by
from .document import Block, Cell, Column, Document, Figure, Heading, Paragraph, Points, Section, Table
from .numbers import users_range

_SHOWN: Final = (0.0, 0.5, 1.0, 2.0)
"""The multiples of the limit in the table; the chart has all."""
_OUTCOMES: Final = {"passes": "pass", "inconclusive": "inconclusive", "fails": "FAIL"}
_ENOUGH_RUNS: Final = 5
_LEAD: Final = "How often each rule passes, is inconclusive and fails, by the true change of a candidate; judged as the gate judges."
_PLANTED: Final = "changes keep their sizes, no value leaves its range, and the baseline keeps its value."
_LOSS: Final = "A true loss is planted by drawing users who lose more often, and users who gain less often"
_GAIN: Final = "A true gain is planted by drawing users who gain more often, and users who lose less often"
_CORRECTED: Final = (
    "The rules of a model are corrected for each other, as in the gate: with more rules each fails less often, and a required gain passes "
    "less often."
)
_CAREFUL: Final = (
    f"With fewer than {SPARSE_BELOW} changed users the gate is careful: it counts one more user who changes as much as possible, and "
    "passes less often than a plain t test. The numbers of users are those that this gate needs."
)


def document(plan: GatePlan) -> Document:
    """Return a table and a sentence for each rule, and the assumptions."""
    assumed = (Heading("What was assumed", 2), Points(plan.notes)) if plan.notes else ()
    return (Heading(_title(plan)), Paragraph(_LEAD), *_rules(plan), *assumed)


def page(plan: GatePlan) -> Document:
    """Return the same with curves, as a page."""
    curves = [Section("curves", "Curves", (_chart(plan.planned),))] if plan.planned else []
    assumed = [Section("assumed", "What was assumed", (Points(plan.notes),))] if plan.notes else []
    return (Heading(_title(plan)), Section("plan", "Plan", (Paragraph(_LEAD), *_rules(plan))), *curves, *assumed)


def _rules(plan: GatePlan) -> Iterator[Block]:
    """Yield each rule as a heading, a table of its outcomes by true change, and a sentence on the users it needs."""
    columns = (Column("true change", "key"), *(Column(title, "value") for title in _OUTCOMES.values()))
    for number, rule in enumerate(plan.rules):
        yield Heading(_named(rule, plan), 2)
        if rule.points:
            shown = [point for point in map(rule.at, _SHOWN) if point is not None]
            rates = ([Cell(_rate(getattr(point, name)), value=getattr(point, name)) for name in _OUTCOMES] for point in shown)
            rows = ((Cell(_changed(rule, point.change)), *cells) for point, cells in zip(shown, rates, strict=True))
            yield Table(columns, tuple(rows), id=f"plan-{number}")
        yield Paragraph(_sentence(rule, plan))


def _title(plan: GatePlan) -> str:
    pairs = list(dict.fromkeys((rule.model, rule.base) for rule in plan.planned))
    models = [f"{pairs[0][0]} against {pairs[0][1]}"] if len(pairs) == 1 else [f"{len(pairs)} pairs of models"] if pairs else []
    users = users_range({rule.n_users for rule in plan.planned if rule.group is None} or {rule.n_users for rule in plan.planned})
    return " · ".join(("gate plan", *models, *([users] if users else [])))


def _named(rule: RulePlan, plan: GatePlan) -> str:
    """Return a rule, with its models if there are several."""
    if rule.base is None:
        return rule.rule if len({other.model for other in plan.rules}) < 2 else f"{rule.rule} ({rule.model})"
    is_alone = len({(other.model, other.base) for other in plan.rules if other.base}) < 2
    return rule.rule if is_alone else f"{rule.rule} ({rule.model} against {rule.base})"


def _rate(share: float) -> str:
    return f"{100 * share:.0f} %"


def _size(rule: RulePlan, change: float) -> str:
    return percent(float(f"{change:.3g}")) if rule.relative else plain(float(f"{change:.3g}"))


def _changed(rule: RulePlan, change: float) -> str:
    """Return a true change: `none`, `loses 2 %`, `gains 0.01`."""
    return f"{_verb(rule)} {_size(rule, change)}" if change else "none"


def _verb(rule: RulePlan) -> str:
    return "gains" if rule.kind == "min_gain" else "loses"


def _sentence(rule: RulePlan, plan: GatePlan) -> str:
    """Return what a rule does with a good and with a bad candidate, and the users it needs; or why it has no plan."""
    if not rule.points:
        reason = rule.skipped.removesuffix(".")
        return f"No plan. {reason[:1].upper()}{reason[1:]}." if ": " in reason else f"No plan: {reason}."
    good, bad = (rule.at(2.0), rule.at(0.0)) if rule.kind == "min_gain" else (rule.at(0.0), rule.at(2.0))
    said = [f"{_candidate(rule, good)} passes in {_rate(good.passes)} of cases"] if good else []
    said += [f"{_candidate(rule, bad)} fails in {_rate(bad.fails)}{'' if good else ' of cases'}"] if bad else []
    with_users = f"With {users_text(rule.n_users)} a candidate that {' and one that '.join(said)}. " if said else ""
    return with_users + _needs(rule, plan)


def _candidate(rule: RulePlan, point: PlanPoint) -> str:
    """Return what a candidate does: `loses nothing`, `truly loses 4 %`."""
    return f"truly {_changed(rule, point.change)}" if point.change else f"{_verb(rule)} nothing"


def _needs(rule: RulePlan, plan: GatePlan) -> str:
    """Return how many users, or runs, make the rule pass in 80 % of cases."""
    share, users, runs = _rate(plan.power), rule.users_for_power, rule.runs_for_power
    if rule.kind != "min_gain" and not rule.limit:
        return "No number of users is enough for a limit of 0: nothing shows that a candidate as good as the baseline loses nothing at all."
    if rule.at(2.0 if rule.kind == "min_gain" else 0.0) is None:
        wanted = f"truly {_changed(rule, rule.needed_at)}" if rule.needed_at else f"{_verb(rule)} nothing"
        return f"How many users it takes is not known, because the changes of these users make no candidate that {wanted}."
    at = f" at a true gain of {_size(rule, rule.needed_at)}" if rule.kind == "min_gain" else ""
    few = users is None or users > rule.n_users
    more = f"{runs:,} runs of each model" if runs is not None and few else ""
    if users is None:
        return f"More users are not enough to pass in {share} of cases{at}{more and f', but {more} are'}."
    if users <= FEW_USERS:
        return f"{users_text(users)} are enough to pass in {share} of cases{at}; fewer are too few to judge well."
    return f"To pass in {share} of cases{at} takes about {users_text(users)}{more and f', or {more}'}."


def assumptions(plan: GatePlan) -> Iterator[str]:
    """Yield from which users the plan is drawn, and what was assumed about a candidate."""
    if plan.chosen:
        yield plan.chosen
    pairs: dict[tuple[str, str | None], RulePlan] = {}
    for rule in plan.planned:
        pairs.setdefault((rule.model, rule.base), rule)
    for (model, base), rule in pairs.items():
        runs = f", {rule.runs} runs of each" if rule.runs and rule.runs > 1 else ""
        yield (
            f"The candidate is assumed to differ from the baseline as {model} differs from {base}: {rule.n_changed:,} of "
            f"{users_text(rule.n_users)} have another {rule.measure}{runs}. Users are drawn from these, {rule.draws:,} times for each "
            "change."
        )
        if 1 < (rule.runs or 0) < _ENOUGH_RUNS:
            yield f"{rule.runs} runs of each model show only roughly how much training again changes; use {_ENOUGH_RUNS} or more."
    fewest = min((rule.n_changed or 0 for rule in plan.planned), default=SPARSE_BELOW)
    if fewest < SPARSE_BELOW:
        yield f"Only {users_text(fewest)} {'is' if fewest == 1 else 'are'} known to change, so the plan is rough. {_CAREFUL}"
    if len(plan.planned) > len(pairs):
        yield _CORRECTED
    if pairs:
        kinds = {rule.kind for rule in plan.planned}
        yield f"{_GAIN if kinds == {'min_gain'} else _LOSS}{'; for a gain the other way round' if len(kinds) > 1 else ''}: {_PLANTED}"
        yield "A candidate that changes more users than these two models differ in, or changes them by more, passes less often."
    for rule in plan.planned:
        if rule.both_ways:
            apart = "" if rule.difference is None else f" ({_size(rule, rule.difference)})"
            yield (
                f"“{_named(rule, plan)}”: every user is drawn also with the two models exchanged, because their own difference{apart} is "
                "far from these true changes, or goes only one way."
            )
        if missing := [multiple * rule.unit for multiple in _SHOWN if rule.at(multiple) is None]:
            sizes = " or ".join(_size(rule, change) if change else "nothing" for change in missing)
            rows = "this row is" if len(missing) == 1 else "these rows are"
            yield f"“{_named(rule, plan)}”: no candidate with the changes of these users {_verb(rule)} {sizes}, so {rows} missing."
        if not rule.limit:
            shown, what = _size(rule, rule.unit), "gain" if rule.kind == "min_gain" else "loss"
            yield (
                f"“{_named(rule, plan)}”: the limit is 0, so true changes are multiples of {shown}, the {what} that these users can detect "
                f"with {_rate(plan.power)} power."
            )
    yield from plan.notes


def _chart(rules: Sequence[RulePlan]) -> Figure:
    """Return the shares of outcomes by the true change, a panel for each rule."""
    looks = looks_by("outcome", tuple(_OUTCOMES.values()), COLOURS, SHAPES)

    def panel(rule: RulePlan, width: int) -> Spec:
        scale = 100 if rule.relative else 1
        rows = [
            {"change": scale * point.change, "outcome": title, "value": 100 * getattr(point, name), "low": None, "high": None}
            for point in rule.points
            for name, title in _OUTCOMES.items()
        ]
        what = "gain" if rule.kind == "min_gain" else "loss"
        x = {"field": "change", "type": "quantitative", "title": f"true {what}{' in %' if rule.relative else ''}"}
        several = len({(other.model, other.base) for other in rules}) > 1
        panel = lines_panel(rows, x, looks, False, width, LINES_HEIGHT, {"domain": [0, 100]}, title="% of evaluations")
        return {"title": f"{rule.rule}{f' ({rule.model})' if several else ''}", **panel}

    def make(size: ChartSize) -> Spec:
        beside = min(max(1, size.lines - 1), len(rules))
        width = size.panel(beside, NUMBERS_SPACE, BETWEEN_PANELS)
        return {
            "concat": [panel(rule, width) for rule in rules],
            "columns": beside,
            "bounds": "flush",
            "spacing": {"row": 75, "column": BETWEEN_PANELS + NUMBERS_SPACE},
            "resolve": {"scale": {"color": "shared", "shape": "shared"}},
        }

    caption = "How often a rule passes, is inconclusive and fails, by the true change of a candidate; the same number of users as stored."
    return figure_of("plan", caption, f"shares of outcomes of {len(rules)} rules by the true change of a candidate", make)
