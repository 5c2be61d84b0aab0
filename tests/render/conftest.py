"""Reports that several tests look at."""

from __future__ import annotations

import pytest

from tests.reports import HOSTILE, evaluated, reported


@pytest.fixture(scope="session")
def result(tmp_path_factory):
    return evaluated(tmp_path_factory.mktemp("plain"), ["popular", "good", "better"], by=["users.plan"])


@pytest.fixture(scope="session")
def content(result):
    return reported(result, baseline="popular")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    return reported(evaluated(tmp_path_factory.mktemp("hostile"), ["base", *HOSTILE]))
