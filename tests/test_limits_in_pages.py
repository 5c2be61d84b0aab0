"""The page of config keys says which limits of a number are allowed."""

from __future__ import annotations

import runpy

import pytest

from tests.conftest import ROOT

LIMITS = runpy.run_path(str(ROOT / "docs" / "generate" / "config_reference.py"))["limits"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5}, " above 0 and below 0.5"),
        ({"type": "number", "minimum": 0, "maximum": 1}, " from 0 to 1"),
        ({"type": "integer", "minimum": 0, "exclusiveMaximum": 2**32}, " from 0 to 4294967295"),
        ({"type": "text"}, ""),
    ],
)
def test_the_limits_of_a_number_say_whether_they_are_allowed(entry, said):
    assert LIMITS(entry) == said
