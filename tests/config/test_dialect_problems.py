"""Problems in an evaluation block of another program are reported at their place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from receval import load_config
from receval.support.errors import ConfigError

from tests.config.test_dialects import DATA, ELLIOT


@pytest.fixture
def problems(write, tmp_path) -> Callable[..., list[str]]:
    def problems(evaluation: str, *overrides: str) -> list[str]:
        with pytest.raises(ConfigError) as error:
            load_config(write("config.yaml", DATA + evaluation), overrides)
        return [problem.replace(f"{tmp_path}/", "") for problem in error.value.problems]

    return problems


@pytest.mark.parametrize(
    ("evaluation", "message"),
    [
        ("  cutoffs: [10, 0]\n  simple_metrics: [nDCG]", "config.yaml:3:12: evaluation.cutoffs: a cut-off must be at least 1, not 0"),
        ("  cutoffs: 5\n  simple_metrics: [nDCG, nDGC]", "config.yaml:4:26: evaluation.simple_metrics[1]: unknown metric 'nDGC'"),
        ("  cutofs: 5\n  simple_metrics: [nDCG]", "config.yaml:3:3: evaluation.cutofs: unknown key 'cutofs'"),
        ("  relevance_threshold: high\n  simple_metrics: [nDCG]", "config.yaml:3:24: evaluation.relevance_threshold: "),
        (
            "  cutoffs: 5\n  top_k: 5\n  simple_metrics: [nDCG]",
            "config.yaml:3:12: evaluation.cutoffs: cutoffs and top_k mean the same: give only one",
        ),
        (
            "  relevance: {threshold: 3}\n  relevance_threshold: 4\n  simple_metrics: [nDCG]",
            "config.yaml:4:24: evaluation.relevance_threshold: relevance_threshold and relevance.threshold mean the same: give only one",
        ),
        ("  cutoffs: 5", "evaluation: there are no metrics"),
        (
            "  simple_metrics: [nDCG]\n  complex_metrics:\n    - {metric: UserMADrating, clustering_file: u.tsv}",
            "config.yaml:5:7: evaluation.complex_metrics[0]: UserMADRating needs by, the column of data.users",
        ),
        (
            "  simple_metrics: [nDCG]\n  complex_metrics: [{metric: ExtendedF1, metric_0: MAP}]",
            "config.yaml:4:21: evaluation.complex_metrics[0]: ExtendedF1 needs metric_1, the metrics that it combines",
        ),
        (
            "  strategy: full\n  metrics: [nDCG]\n"
            "  complex_metrics: [{name: EucDistance, params: {metric_names: [MAP, nDCG], utopia_points: [1, 2, 3]}}]",
            "config.yaml:5:21: evaluation.complex_metrics[0]: points has 3 values for 2 metrics",
        ),
        ("  nDCG: {cutoff: {type: double, values: [0.5]}}", "config.yaml:3:9: evaluation.nDCG: cut-offs must be of type int, not 'double'"),
        (
            "  Community precision: {cutoff: {values: 5}}",
            "config.yaml:3:24: evaluation.Community precision: unknown metric 'Community precision'",
        ),
        (
            "  nDCG: {cutoff: {values: 5}}\n  relevence: {threshold: 3}",
            "evaluation.relevence: unknown key 'relevence' — did you mean 'relevance'?",
        ),
        ("  - PrecisionAtK: {k: 5}\n  - NDCGAtK: {gains: linear}", "config.yaml:4:5: evaluation[1]: NDCGAtK needs k"),
        ("  - NDCGAtK: {k: 5, gains: linaer}", "config.yaml:3:5: evaluation[0]: gains must be one of linear, exponential under"),
        ("  metrics:\n    GiniIndx: {top_n: 10}", "config.yaml:4:15: evaluation.metrics.GiniIndx: unknown metric 'GiniIndx'"),
        ("  convention: elliott\n  cutoffs: 5\n  simple_metrics: [HR]", "evaluation.convention: unknown convention 'elliott'"),
    ],
)
def test_a_problem_in_a_block_is_reported_at_its_place(evaluation, message, problems):
    (found,) = [problem for problem in problems(f"evaluation:\n{evaluation}\n") if message in problem]
    assert found


def test_an_override_of_a_key_of_the_program_names_itself_when_it_is_wrong(problems):
    assert problems(ELLIOT, "evaluation.cutoffs=0") == [
        "--set evaluation.cutoffs=0: evaluation.cutoffs: a cut-off must be at least 1, not 0"
    ]
