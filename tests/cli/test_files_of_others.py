"""Files that are no lists of users and items are refused by name, with a way."""

from __future__ import annotations

import pytest

TEST = "user,item\n1,10\n2,12\n"


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.libsvm"])
@pytest.mark.parametrize("lines", ["1 qid:1 1:0.5 2:0.3\n0 qid:2 1:0.2 2:0.1\n", "1 3:0.5\n-1 1:0.2 2:0.1 # note\n"])
def test_features_of_libsvm_are_refused_by_name(folder, receval, name, lines):
    folder({"test.csv": TEST, name: lines})
    code, _, err = receval("run", "--test", "test.csv", "--recs", f"m={name}", "-m", "MRR@2")
    assert (code, "libsvm" in err, "--set" in err) == (3, True, False)


@pytest.mark.parametrize("cell", ["[(10, 0.9), (12, 0.8)]", "[[10, 0.9], [12, 0.8]]", "{10: 0.9, 12: 0.8}", "[{'item': 10}]"])
def test_pairs_of_items_and_scores_in_a_cell_are_refused_without_a_setting_that_would_read_them_as_items(folder, receval, cell):
    folder({"test.csv": TEST, "lists.csv": f'user,recs\n1,"{cell}"\n2,"{cell}"\n'})
    code, _, err = receval("run", "--test", "test.csv", "--recs", "m=lists.csv", "-m", "MRR@2")
    assert (code, "or one row per item, with the columns user, item and score" in err, "split: ','" in err) == (3, True, False)
