"""A file that is not there gets the name that may be meant."""

from __future__ import annotations

import pytest
from receval.load import find
from receval.support.errors import DataError

RELATIVE = "paths in a config are relative to its file, those of options to the current folder"


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("tst.csv", "did you mean {0}/test.csv?"),
        ("tset.csv", "did you mean {0}/test.csv?"),
        ("als.csv,test.csv", "these are several files: give --recs once per model, or a list of paths in the config"),
        ("elsewhere/test.csv", RELATIVE),
        ("xyz.parquet", RELATIVE),
    ],
)
def test_a_file_that_is_not_there_gets_what_may_be_meant(given, hint, tmp_path):
    for name in ("test.csv", "als.csv"):
        (tmp_path / name).write_text("user,item\n1,2\n")
    with pytest.raises(DataError) as error:
        find("data.test", [given], tmp_path)
    assert error.value.hint == hint.format(tmp_path)


def test_each_of_several_files_that_are_not_there_gets_its_own_suggestion(write, receval, tmp_path, monkeypatch):
    for name in ("test.csv", "knn.parquet", "knn.tsv"):
        write(name, "user,item\n1,2\n")
    monkeypatch.chdir(tmp_path)
    code, _, err = receval("run", "--test", "tset.csv", "--recs", "kn.parquet", "--train", "xyz.csv", "-m", "nDCG@10")
    assert code == 3
    lines = err.splitlines()
    assert "data.test: there is no file tset.csv: did you mean test.csv?" in lines
    assert "data.recommendations.kn: there is no file kn.parquet: did you mean knn.parquet?" in lines
    assert "data.train: there is no file xyz.csv" in lines
    assert lines[-1] == f"  {RELATIVE}"
    assert "did you mean knn.tsv?" in receval("run", "--test", "test.csv", "--recs", "kn.tsv", "-m", "nDCG@10")[2]
