"""Numbers in sentences."""

from __future__ import annotations

from receval.stats.concluding import users_text


def test_singular_and_plural_agree():
    assert [users_text(n) for n in (0, 1, 2, 1_200)] == ["0 users", "1 user", "2 users", "1,200 users"]
