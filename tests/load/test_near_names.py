"""A file that is not there gets the name that may be meant."""

from __future__ import annotations

import pytest
from receval.errors import DataError
from receval.load import find

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
