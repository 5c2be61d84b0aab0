"""Judge each rule for each model, measure and group; gains and failures are corrected together; each verdict is a `Gate`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct, field
from msgspec.structs import replace

from ..comparison.comparing import notes_on_inputs, notes_on_lists, refuse_incomparable, refuse_other_candidates
from ..comparison.comparison_options import rows_of
from ..comparison.model_pair import ModelPair
from ..comparison.pairing import Side
from ..comparison.slice_limits import SliceLimit, find_beyond
from ..config.judgement import GateRule, Inconclusive
from ..results.gates import AnchorVerdict, Consequence, Gate, Outcome, Verdicts
from ..results.list_lengths import caution
from ..results.result import FEW_USERS, Result
from ..stats.concluding import plain
from ..stats.difference import Failing, GateOutcome, Subject
from ..stats.estimates import Estimate
from ..stats.failures import as_identical, correct_failures
from ..stats.gates import GateTest, correct_gains, estimate_test, gate_sentence, limit_test, margin_test, observed_text, remark, rule_text
from ..stats.rare_changes import ValueRange
from ..stats.two_models import few_changed
from ..support.errors import ConfigError, DataError, worded
from .demands import Baseline, Demands, NoBase, base_of, consequence_of_missing, judged_models, side_of
from .judged_rules import RuleCase, cases_of


class JudgedCase(Struct, frozen=True, eq=False):
    """A case with its test, and the same case against an `anchor`; if `skipped`, the reason and the consequence for the run."""

    case: RuleCase
    subject: Subject
    test: GateTest
    skipped: str = ""
    consequence: Consequence = "none"
    paired: bool = False
    notes: tuple[str, ...] = ()
    anchor: JudgedCase | None = None
    name: str = ""
    slices: SliceLimit | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome of this comparison alone; a case without a value fails."""
        return "skipped" if self.skipped else self.test.outcome or "fail"

    @property
    def why(self) -> str:
        """The reason for the outcome."""
        if self.slices is not None:
            return remark(self.test) if self.test.n_corrected is not None else self.slices.why
        return self.skipped or remark(self.test, self.subject.measure)

    @property
    def found(self) -> str:
        """The observed values, as text."""
        if self.slices is not None:
            return self.slices.found
        return "" if self.skipped else observed_text(self.test)

    @property
    def sentence(self) -> str:
        """One sentence that is complete alone."""
        if self.slices is not None:
            verdict = {"pass": "holds", "fail": "does not hold"}.get(self.outcome, "is inconclusive")
            models = f"{self.subject.model} against {self.subject.base}"
            explanation = "; ".join(part for part in (self.found, self.why) if part)
            return f"“{rule_text(self.subject.measure, self.test)}” of {models} {verdict}: {explanation}."
        if not self.skipped:
            return gate_sentence(self.subject, self.test)
        return f"“{rule_text(self.subject.measure, self.test)} of {self.subject.model}” is not judged: {self.skipped}."


def gate_of(judged: JudgedCase, inconclusive: Inconclusive, *, strict: bool = False) -> Gate:
    """Return the gate of a judged case; `inconclusive` is the consequence of such an outcome, which is never `warn` if `strict`."""
    subject, test, severity = judged.subject, judged.test, judged.case.rule.severity
    parts = (judged,) if judged.anchor is None else (judged, judged.anchor)
    outcome = min((part.outcome for part in parts), key=("fail", "inconclusive", "pass", "skipped").index)
    consequence = _consequence(outcome, severity, inconclusive, parts)
    text = rule_text(subject.measure, test)
    return Gate(
        rule=text if subject.group is None else f"{text}, {subject.by} {subject.group}",
        model=subject.model,
        measure=subject.measure,
        kind=test.kind,
        limit=test.limit,
        relative=test.relative,
        severity=severity,
        outcome=outcome,
        consequence="fail" if strict and consequence == "warn" else consequence,
        sentence=" ".join(part.sentence for part in parts),
        base=subject.base or None,
        by=subject.by,
        group=subject.group,
        n_users=test.n_users,
        n_changed=test.n_changed,
        paired=judged.paired,
        by_value=test.by_value,
        test=test.test,
        value=test.value,
        base_value=test.base_value,
        difference=test.difference,
        low=test.low,
        high=test.high,
        level=test.level,
        p=test.p,
        p_adjusted=test.p_adjusted,
        p_fail=test.p_fail,
        p_fail_adjusted=test.p_fail_adjusted,
        fail=test.fail,
        identical=test.identical,
        failed_by=test.failed_by if outcome == "fail" else None,
        detectable=test.detectable,
        users_needed=test.users_needed,
        probability_within=test.probability_within,
        anchor=None if judged.anchor is None else _anchor_verdict(judged.anchor),
        n_searched=None if judged.slices is None else judged.slices.n_searched,
        slices=() if judged.slices is None else judged.slices.slices,
        found="; ".join(part for part in (judged.found, _from_anchor(judged.anchor, "found")) if part),
        remark="; ".join(part for part in (judged.why, _from_anchor(judged.anchor, "why")) if part),
        notes=tuple(note for part in parts for note in part.notes),
    )


def _consequence(outcome: Outcome, severity: str, inconclusive: Inconclusive, parts: Sequence[JudgedCase]) -> Consequence:
    """Return the consequence for the run: the gravest of the outcome and of skipped parts; a rule of severity `warn` never fails it."""
    of_outcome: Consequence = "fail" if outcome == "fail" else inconclusive if outcome == "inconclusive" else "none"
    gravest = max((of_outcome, *(part.consequence for part in parts)), key=("none", "warn", "fail").index)
    return "warn" if gravest == "fail" and severity == "warn" else gravest


def _anchor_verdict(anchor: JudgedCase) -> AnchorVerdict:
    test = anchor.test
    return AnchorVerdict(
        anchor.name,
        anchor.outcome,
        test.n_users,
        anchor.paired,
        test.base_value,
        test.difference,
        test.low,
        test.high,
        anchor.found,
        anchor.why,
    )


def _from_anchor(anchor: JudgedCase | None, name: str) -> str:
    """Return a text attribute of the case against the anchor (`found` or `why`), after the name of the anchor."""
    text = "" if anchor is None else getattr(anchor, name)
    return f"anchor {anchor.name}: {text}" if anchor is not None and text else ""


def judge(result: Result, demands: Demands) -> Verdicts:
    """Judge every rule, model by model.

    Raises `ConfigError` for a rule about data that the result does not have; `DataError` if the baseline is missing, with
    `if_missing: error`, or cannot be compared: other test data, definitions or users.
    """
    judging = Judging(result, demands)
    models = {rule: judged_models(rule, demands, result) for rule in dict.fromkeys(demands.rules)}
    judged = [case for model in result.models for rule in demands.rules if model in models[rule] for case in judging.rule(rule, model)]
    if not judged:
        raise ConfigError("no model is judged: all are baselines or reference lists", "list models of the results in gates.models")
    cases = corrected(judged, demands.options.settings.alpha)
    return Verdicts(tuple(gate_of(case, demands.inconclusive, strict=demands.strict) for case in cases))


def corrected(judged: Sequence[JudgedCase], alpha: float) -> Iterator[JudgedCase]:
    """Yield the cases with gains corrected together, and failures too, with those against anchors; rules that only warn are apart."""
    gains = correct_gains([case.test for case in judged], alpha)
    judged = [replace(case, test=test) for case, test in zip(judged, gains, strict=True)]
    parts = [(case.case.rule.severity, part.test) for case in judged for part in (case, case.anchor) if part is not None]
    of_severity = {
        severity: iter(correct_failures([test for other, test in parts if other == severity], alpha))
        for severity in dict.fromkeys(severity for severity, _ in parts)
    }
    for case in judged:
        tests = of_severity[case.case.rule.severity]
        test = next(tests)
        yield replace(case, test=test, anchor=None if case.anchor is None else replace(case.anchor, test=next(tests)))


class Judging(Struct, eq=False):
    """Judge the rules of a result; the users of two models are paired once."""

    result: Result
    demands: Demands
    pairs: dict[tuple[str, str], ModelPair] = field(default_factory=dict)

    def rule(self, rule: GateRule, model: str) -> Iterable[JudgedCase]:
        """Judge all cases of a rule for a model."""
        cases = list(cases_of(rule, self.result, model))
        if not rule.compares:
            return [self._limit(case) for case in cases]
        bases = self.demands.bases
        judged = self._against(cases, base_of(rule, model, self.result, bases.baseline), bases.baseline)
        anchor = bases.anchor_of(rule)
        if anchor is None:
            return judged
        anchored = self._against(cases, side_of(anchor, model, self.result), anchor)
        return [
            replace(case, anchor=replace(other, name=other.subject.base or anchor.name))
            for case, other in zip(judged, anchored, strict=True)
        ]

    def _against(self, cases: Sequence[RuleCase], base: Side | NoBase, baseline: Baseline | None) -> list[JudgedCase]:
        """Judge cases against a base model; without one they are skipped, with the consequence that the baseline sets."""
        if not isinstance(base, NoBase):
            return self._margins(cases, base, "baseline" if baseline is None else baseline.noun)
        assert baseline is not None
        consequence = consequence_of_missing(baseline.if_missing)
        return [not_judged(case, base.reason, consequence) for case in cases]

    def _limit(self, case: RuleCase) -> JudgedCase:
        row, alpha = case.row, self.demands.options.settings.alpha
        if row.by is not None and row.n_users < FEW_USERS:
            return _too_few(case, _subject(case), row.n_users)
        kind, limit = case.rule.limit
        return JudgedCase(case, _subject(case), limit_test(kind, limit, row.value, row.std, row.n_users, alpha))

    def _margins(self, cases: Sequence[RuleCase], base: Side, noun: str) -> list[JudgedCase]:
        _refuse_what_it_lacks(base, cases, noun)
        pair = self.pair_of(base, cases)
        estimates = {label: pair.estimate(label) for label in dict.fromkeys(case.label for case in cases)}
        pair.count_users({label: (estimate.n, estimate.n_unpaired) for label, estimate in estimates.items()})
        judge_one = self._margin if cases[0].rule.slices is None else self._slices
        judged = [judge_one(case, pair, estimates[case.label]) for case in cases]
        common = worded("compare.users: common", argument="common=True")
        with _hinting(f"missing_lists: zero counts users without a list; {common} judges users that count for both"):
            pair.refuse_other_users(estimates)
        pair.refuse_no_common_users(estimates)
        metrics = dict.fromkeys(case.row.metric for case in cases)
        cautions = caution({side.name: (side.result, side.model) for side in (base, pair.model)}, estimates)
        notes = (
            *cautions,
            *notes_on_lists((base, pair.model)),
            *pair.notes(estimates),
            *notes_on_inputs(base, pair.model, metrics),
            *self._notes_on(base, noun),
            *self.demands.notes,
        )
        return [replace(case, notes=(*case.notes, *notes)) for case in judged]

    def _notes_on(self, base: Side, noun: str) -> Iterator[str]:
        """Yield a note if the baseline is of another run and failed its own gates or checks."""
        failed = Verdicts(base.result.gates).failed()
        if base.result is not self.result and (failed or base.result.failed()):
            what = "its own gates" if failed else "its health checks"
            yield f"The {noun} {base.name} failed {what}: matching this {noun} does not mean that the other gates pass."

    def _margin(self, case: RuleCase, pair: ModelPair, of_all: Estimate) -> JudgedCase:
        """Judge a margin over a group, or `of_all` users."""
        row = case.row
        subject = pair.subject(case.label, row.by, row.group)
        estimate = of_all if row.by is None else pair.estimate(case.label, row.by, row.group)
        if pair.has_same_lists and estimate.n_changed == 0:
            return _identical(case, subject, estimate, self.demands.options.settings.alpha)
        if row.by is not None and estimate.n < FEW_USERS:
            return _too_few(case, subject, estimate.n)
        values = pair.value_range(case.label)
        test = margin_test_of(case, estimate, self.demands.options.settings.alpha, values, case.rule.fail or self.demands.fail)
        return JudgedCase(case, subject, test, paired=estimate.n_changed is not None, notes=tuple(_notes(case, test, estimate, values)))

    def _slices(self, case: RuleCase, pair: ModelPair, of_all: Estimate) -> JudgedCase:
        """Fail if a slice is confirmed to lose more than the limit; inconclusive if there are too few users for any slice."""
        if pair.has_same_lists and of_all.n_changed == 0:
            return _identical(case, pair.subject(case.label), of_all, self.demands.options.settings.alpha)
        found = find_beyond(pair, case.label, case.rule, self.demands.options.settings.alpha, of_all)
        outcome: GateOutcome = "inconclusive" if not found.n_searched else "fail" if found.confirmed else "pass"
        level = 1 - self.demands.options.settings.alpha
        test = replace(_without(case), n_users=of_all.n, base_value=of_all.base_value, value=of_all.value, level=level, outcome=outcome)
        test = replace(test, meets=None if outcome == "inconclusive" else outcome == "pass", p_fail=found.p)
        return JudgedCase(case, pair.subject(case.label), test, paired=True, notes=found.notes, slices=found)

    def pair_of(self, base: Side, cases: Sequence[RuleCase]) -> ModelPair:
        """Return the pair of a model and its base; raise `DataError` if their measures cannot be compared."""
        model = Side(cases[0].model, self.result, cases[0].model)
        refuse_other_candidates(base, model)
        refuse_incomparable(base, model, dict.fromkeys(case.row.metric for case in cases), unpaired=False)
        labels = dict.fromkeys(case.label for case in cases)
        return self.pairs.setdefault((base.name, model.name), ModelPair(base, model, self.demands.options, labels=labels))


@contextmanager
def _hinting(hint: str) -> Iterator[None]:
    """Replace the hints of errors, which name options of `receval compare`, by one for gates."""
    try:
        yield
    except DataError as error:
        raise DataError(error.message.split("\n"), hint) from None


def margin_test_of(
    case: RuleCase, estimate: Estimate, alpha: float, values: ValueRange | None, fail: Failing, *, verdict_only: bool = False
) -> GateTest:
    """Test a margin: over paired users exactly, otherwise by its estimate; see `margin_test`."""
    kind, margin, better = case.rule.margin_kind, case.rule.margin, case.row.higher_is_better
    assert kind is not None
    assert better is not None
    if estimate.sums is not None:
        return margin_test(estimate.sums, better, kind, margin.size, margin.is_share, alpha, values, fail, verdict_only=verdict_only)
    return estimate_test(estimate, better, kind, margin.size, alpha, margin.is_share, values, fail, verdict_only=verdict_only)


def _notes(case: RuleCase, test: GateTest, estimate: Estimate, values: ValueRange | None) -> Iterator[str]:
    if test.by_value:
        return
    of_exact_p = few_changed(estimate.n_changed or 0, estimate.n)  # which a gate does not have
    yield from (note for note in estimate.notes if note != of_exact_p)
    if values is not None and values.is_observed:
        ends = f"{plain(values.least)} to {plain(values.largest)}"
        yield f"{case.label} has no upper limit: bounds assume that no user is outside the observed range, {ends}."
    if test.relative and not test.base_value and test.base_value is not None:
        yield f"{case.label} of the baseline is 0, so a share of it is 0 too: any loss exceeds the limit."


def _refuse_what_it_lacks(base: Side, cases: Sequence[RuleCase], noun: str) -> None:
    known = rows_of(base.result, base.model)
    lacking = [case.label for case in cases if case.label not in known]
    splits = {row.by for row in base.result.by_group}
    groups = [case.row.by for case in cases if case.row.by is not None and case.row.by not in splits]
    if lacking or groups:
        what = lacking[0] if lacking else f"values by {groups[0]}"
        raise DataError(f"the {noun} {base.name} has no {what}", "evaluate it again with the current config")


def not_judged(case: RuleCase, reason: str, consequence: Consequence = "none") -> JudgedCase:
    """Return a case that is skipped."""
    return JudgedCase(case, _subject(case), _without(case), reason, consequence)


def _subject(case: RuleCase) -> Subject:
    """Return the subject of a case that is judged without a baseline."""
    row = case.row
    return Subject(case.label, "", case.model, row.higher_is_better, row.k, row.aggregate, row.by, row.group)


def _without(case: RuleCase) -> GateTest:
    """Return a test with only the current value."""
    margin = case.rule.margin
    return GateTest(case.rule.kind, margin.size, margin.is_share, 0, None, case.row.value, None, None, None, 0.95, None, None)


def _identical(case: RuleCase, subject: Subject, estimate: Estimate, alpha: float) -> JudgedCase:
    """Return a case that is decided because no list differs: nothing was sampled, so no number of users is too small."""
    values = {"n_users": estimate.n, "base_value": estimate.base_value, "value": estimate.value, "n_changed": 0, "level": 1 - alpha}
    return JudgedCase(case, subject, as_identical(replace(_without(case), **values)), paired=True)


def _too_few(case: RuleCase, subject: Subject, n: int) -> JudgedCase:
    reason = f"{n:,} user{'' if n == 1 else 's'}: a group of fewer than {FEW_USERS} is not judged"
    return JudgedCase(case, subject, replace(_without(case), n_users=n), reason)
