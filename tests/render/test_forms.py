"""JSON files equal the text that the standard library writes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval.render.forms import as_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
)


@given(VALUES)
def test_json_equals_that_of_the_standard_library(value):
    assert as_json(value) == f"{json.dumps(value, indent=2, ensure_ascii=False)}\n".encode()


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": [{"b": float("nan")}]}])
def test_a_number_that_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json(value)
