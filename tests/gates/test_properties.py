"""Properties of gates for any values."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from receval.render.result_data import verdict_cells

from tests.gates.small import gate, gates, result_of
from tests.sizes import draws

VALUES = st.lists(st.tuples(st.floats(0.125, 1, width=32), st.floats(0, 1, width=32)), min_size=2, max_size=30)
KINDS = st.sampled_from(["nDCG", "RMSE"])
SEVERE = {"pass": 0, "inconclusive": 1, "fail": 2}


def rule(metric: str, kind: str, margin: float, is_share: bool) -> str:
    return f"{metric if metric == 'RMSE' else f'{metric}@10'} {kind} {f'{100 * margin!r}%' if is_share else repr(margin)}"


@settings(max_examples=draws(21, 60))
@given(VALUES, KINDS, st.floats(0, 0.4), st.floats(0, 0.4), st.booleans())
def test_a_gate_that_passes_also_passes_with_a_larger_margin(pairs, metric, margin, more, is_share):
    base, today = zip(*pairs, strict=True)
    tight = gate(base, today, rule(metric, "max_loss", margin, is_share), metric)
    loose = gate(base, today, rule(metric, "max_loss", margin + more, is_share), metric)
    assert SEVERE[loose.outcome] <= SEVERE[tight.outcome]


@settings(max_examples=draws(21, 60))
@given(VALUES, KINDS, st.floats(0, 0.4), st.booleans(), st.sampled_from(["max_loss", "min_gain"]))
def test_a_gate_passes_only_if_the_observed_loss_is_within_the_margin_and_fails_only_if_it_is_not(pairs, metric, margin, is_share, kind):
    base, today = (np.array(side) for side in zip(*pairs, strict=True))
    loss = base.mean() - today.mean() if metric == "nDCG" else today.mean() - base.mean()
    allowed = (margin if kind == "max_loss" else -margin) * (base.mean() if is_share else 1)
    assume(abs(loss - allowed) > 1e-9)
    one = gate(base, today, rule(metric, kind, margin, is_share), metric)
    assert one.outcome != ("pass" if loss > allowed else "fail")


@settings(max_examples=draws(10, 30))
@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_users_changes_no_byte_of_a_gate(pairs, random):
    base, today = zip(*pairs, strict=True)
    first, second = result_of({"home": today, "other": base}), result_of({"home": base, "other": today})
    rules = ["nDCG@10 max_loss 2%", "nDCG@10 min_gain 0.001", "nDCG@10 >= 0.3"]
    shuffled = []
    for result in (first, second):
        orders = {model: random.sample(range(len(pairs)), len(pairs)) for model in result.per_user}
        shuffled.append(replace(result, per_user={model: frame[orders[model]] for model, frame in result.per_user.items()}))
    assert verdict_cells(gates(first, *rules, base=second)) == verdict_cells(gates(shuffled[0], *rules, base=shuffled[1]))
