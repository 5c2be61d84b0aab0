"""Parts that are measured in parallel come in their order, and errors are raised."""

import polars as pl
import pytest
from receval.engines.part import Part
from receval.engines.resources import side_by_side


def parts(n):
    return iter([Part(pl.DataFrame({"user": [number]}), {}) for number in range(n)])


def number_of(part):
    return part.lists["user"][0]


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_results_come_in_the_order_of_the_parts(n, n_threads):
    assert list(side_by_side(number_of, parts(n), n_threads)) == list(range(n))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_part_is_raised(n_threads):
    def fail(part):
        if number_of(part) == 3:
            raise ValueError("third")
        return number_of(part)

    with pytest.raises(ValueError, match="third"):
        list(side_by_side(fail, parts(9), n_threads))


def test_an_error_while_reading_is_raised():
    def broken():
        yield from parts(3)
        raise OSError("broken")

    with pytest.raises(OSError, match="broken"):
        list(side_by_side(number_of, broken(), 2))
