"""Tables of a part are freed when it has been measured: commands run without a collector of cycles."""

import gc

import polars as pl
import pytest
from receval import audit, evaluate

DATA = {
    "test": pl.DataFrame({"user": [1, 1, 2, 2, 3], "item": [1, 2, 1, 3, 2], "rating": [5.0, 1, 3, 4, 2]}),
    "train": pl.DataFrame({"user": [1, 2, 3], "item": [3, 2, 1]}),
    "recommendations": pl.DataFrame({"user": [1, 1, 1, 2, 2, 3, 3], "item": [1, 3, 1, 3, 9, 1, 2], "score": [3.0, 2, 1, 2, 2, 1, 0]}),
    "top_k": [1, 2],
}
ROOMS = ("receval.tables", "receval.scoring")


@pytest.mark.parametrize(
    "command",
    [
        lambda: evaluate(**DATA, metrics=["nDCG", "Recall", "MAP", "Gini", "EPC", "RocAuc"]),
        lambda: evaluate(**DATA, metrics=["Recall"], policy={"duplicates": "keep_all_as_relevant"}),
        lambda: audit(**DATA, metrics=["nDCG", "Recall"]),
    ],
    ids=["run", "repeats", "audit"],
)
def test_no_table_of_a_part_waits_for_the_collector_of_cycles(command):
    command()
    gc.collect()
    gc.disable()
    try:
        command()
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        left = {type(found).__qualname__ for found in gc.garbage if type(found).__module__.startswith(ROOMS)}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not left
