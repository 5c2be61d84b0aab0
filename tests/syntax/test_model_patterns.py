"""Names of the runs of a model, from the names of their files."""

from __future__ import annotations

import pytest
from receval.syntax.model_patterns import names_of_runs


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["bpr_0.csv", "bpr_1.csv"], ["0", "1"]),
        (["bpr_seed7.csv", "bpr_seed42.csv", "bpr_seed100.csv"], ["7", "42", "100"]),
        (["fold1/bpr-2.csv", "fold1/bpr-12.csv"], ["2", "12"]),
        (["s3/bpr_007.csv", "s3/bpr_008.csv"], ["007", "008"]),
        (["a_1_1.csv", "a_2_2.csv"], ["1", "2"]),  # numbered: two numbers differ
        (["all.csv", "one.csv"], ["1", "2"]),
        (["bpr_5.csv", "bpr_5.csv"], ["1", "2"]),
        (["bpr_5.csv", "knn_6.csv"], ["1", "2"]),
    ],
)
def test_runs_are_called_by_their_seeds_if_their_files_differ_only_in_a_number(files, names):
    assert list(names_of_runs([(file,) for file in files])) == names


def test_runs_without_files_are_numbered():
    assert names_of_runs([(), (), ()]) == ("1", "2", "3")
