"""Names for trackers, and the way back to measures."""

from __future__ import annotations

import re
from itertools import permutations

from receval.trackers.tracker import as_identifiers, for_mlflow

MEASURES = [
    "nDCG@10",
    "nDCG(gain=linear)@10",
    "F1(beta=0.5, of=nDCG)@5",
    "0.5*nDCG@10 + 0.5*EPC@10",
    "Größe@1",
    "median of nDCG@10",
    "5hits",
]


def test_names_are_valid_in_mlflow_and_sort_well_in_wandb():
    assert for_mlflow(MEASURES)["nDCG(gain=linear)@10"] == "nDCG.gain-linear_at_10"
    assert as_identifiers(MEASURES)["nDCG(gain=linear)@10"] == "nDCG_gain_linear_at_10"
    assert all(re.fullmatch(r"[\w.\- ]+", name, re.ASCII) for name in for_mlflow(MEASURES).values())
    assert all(re.fullmatch(r"[_a-zA-Z][_a-zA-Z0-9]*", name) for name in as_identifiers(MEASURES).values())


def test_every_measure_has_its_own_name_in_any_order():
    clashing = ["nDCG(a=b)@1", "nDCG(a b)@1", "ndcg(A=b)@1", "@", "x" * 300]
    for rule in (for_mlflow, as_identifiers):
        names = rule(clashing)
        assert len({name.lower() for name in names.values()}) == len(clashing)
        assert all(rule(order) == names for order in permutations(clashing, len(clashing)) if order[0] == "@")
        assert max(map(len, names.values())) < 250
