"""An evaluation block that was pasted whole into the evaluation, or into its metrics, is read as it stands."""

from __future__ import annotations

import textwrap

import pytest
from receval.config import load_config
from receval.support.errors import ConfigError

BLOCKS = [
    "evaluation:\n    top_k: [1, 2]\n    metrics: [F1]\n",
    "evaluation:\n    top_k: [1, 2]\n    complex_metrics:\n        - name: F1\n          params:\n              metric_name_1: nDCG\n"
    "              metric_name_2: MAP\n              beta: 0.5\n",
]
DATA = "data: {test: t.csv, recommendations: {m: l.csv}}\n"


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("above", [["evaluation"], ["evaluation", "metrics"]])
def test_a_block_means_the_same_within_the_evaluation(write, block, above):
    plain = load_config(write("plain.yaml", DATA + block)).config.evaluation
    nested = block
    for name in reversed(above):
        nested = f"{name}:\n{textwrap.indent(nested, '  ')}"
    assert load_config(write("nested.yaml", DATA + nested)).config.evaluation.labels == plain.labels


def test_a_mistake_in_a_pasted_block_has_its_own_line(write):
    path = write("nested.yaml", f"{DATA}evaluation:\n  evaluation:\n    top_k: [1]\n    metrics: [nope]\n")
    with pytest.raises(ConfigError, match=r"nested.yaml:5:15"):
        load_config(path)
