"""Bounds over the whole catalogue beside the whole linear program, with every rank and every constraint."""

from __future__ import annotations

import numpy as np
import pytest
from receval.stats import catalogue_bounds
from receval.stats.catalogue_bounds import Band, Images, half_width, worth_of
from scipy import stats
from scipy.optimize import linprog


def drawn(case: int, most: int = 300) -> tuple[Images, Band, np.ndarray, str, int]:
    """Draw a catalogue, ranks of users, and their band."""
    random = np.random.default_rng(case)
    n_items, n_users = int(random.integers(20, most)), int(random.integers(20, 3000))
    sampled, k = int(random.integers(2, min(n_items - 1, 60))), int(random.integers(1, 16))
    replacement, falling = bool(case % 2), bool(case // 2 % 2)
    ranks = random.integers(1, random.integers(1, n_items + 1, n_users) + 1)
    above = ranks - 1
    among = random.binomial(sampled, above / (n_items - 1)) if replacement else random.hypergeometric(above, n_items - 1 - above, sampled)
    counts = np.bincount(among + 1, minlength=sampled + 2)[1:].astype(float)
    return Images(sampled, n_items, replacement, falling), Band.around(counts, counts, 0.95), ranks, ("HitRate", "MRR", "nDCG")[case % 3], k


def literal(images: Images, band: Band, worth: np.ndarray) -> tuple[float, float] | None:
    """Solve the whole program, with images by scipy."""
    ranks, at_most = np.arange(1, images.catalogue + 1), np.arange(images.sampled)
    others = images.catalogue - 1
    shares = np.array(
        [
            stats.binom.cdf(at_most, images.sampled, (rank - 1) / others)
            if images.replacement
            else stats.hypergeom.cdf(at_most, others, rank - 1, images.sampled)
            for rank in ranks
        ]
    )
    value = np.zeros(images.catalogue)
    value[: len(worth)] = worth[: images.catalogue]
    if images.falling:
        shares, value = np.cumsum(shares, axis=0) / ranks[:, np.newaxis], np.cumsum(value) / ranks
    found = [
        linprog(
            sign * value,
            A_ub=np.vstack([shares.T, -shares.T]),
            b_ub=np.concatenate([band.high, -band.low]),
            A_eq=np.ones((1, len(ranks))),
            b_eq=[1],
        )
        for sign in (1, -1)
    ]
    return None if found[0].status == 2 else (found[0].fun, -found[1].fun)


@pytest.mark.parametrize("case", range(12))
def test_bounds_are_those_of_the_whole_program_and_never_narrower(case):
    images, band, _, metric, k = drawn(case)
    worth = worth_of(metric, k)
    bounds, whole = images.bounds(band, worth), literal(images, band, worth)
    assert bounds == pytest.approx(whole, abs=2e-6)
    assert bounds is not None
    assert whole is not None
    assert bounds[0] <= whole[0] + 1e-9
    assert bounds[1] >= whole[1] - 1e-9


@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize("replacement", [False, True])
def test_a_grid_of_high_ranks_gives_bounds_that_are_wider_by_little(monkeypatch, falling, replacement):
    random = np.random.default_rng(3)
    above = random.integers(0, random.integers(1, 6000, 4000))
    counts = np.bincount(random.hypergeometric(above, 5999 - above, 40) + 1, minlength=42)[1:].astype(float)
    band, worth = Band.around(counts, counts, 0.95), worth_of("nDCG", 10)
    exact = Images(40, 6000, replacement, falling)
    assert (len(exact.ranks), exact.slack) == (6000, 0.0)
    monkeypatch.setattr(catalogue_bounds, "_EXACT", 400)
    monkeypatch.setattr(catalogue_bounds, "_GRID", 600)
    grid = Images(40, 6000, replacement, falling)
    assert len(grid.ranks) < 1500
    index = np.searchsorted(grid.ranks, between := np.arange(1, 6001))
    left, right = np.maximum(index - 1, 0), index
    share = (between - grid.ranks[left]) / np.maximum(grid.ranks[right] - grid.ranks[left], 1)
    line = grid.columns[left] + share[:, np.newaxis] * (grid.columns[right] - grid.columns[left])
    assert np.abs(line - exact.columns).max() <= grid.slack
    (low, high), (exact_low, exact_high) = grid.bounds(band, worth), exact.bounds(band, worth)
    assert exact_low - 0.01 <= low <= exact_low + 1e-6
    assert exact_high - 1e-6 <= high <= exact_high + 0.01


@pytest.mark.release
def test_many_sampled_items_give_valid_bounds_from_some_of_the_constraints(monkeypatch):
    random = np.random.default_rng(5)
    ranks = np.minimum(random.geometric(0.02, 2000), 2000)
    counts = np.bincount(random.hypergeometric(ranks - 1, 2000 - ranks, 500) + 1, minlength=502)[1:].astype(float)
    band, worth, images = Band.around(counts, counts, 0.95), worth_of("HitRate", 10), Images(500, 2000)
    assert len(images.thresholds) < 130
    low, high = images.bounds(band, worth)
    monkeypatch.setattr(catalogue_bounds, "_THRESHOLDS", 500)
    of_all = Images(500, 2000).bounds(band, worth)
    assert low - 2e-6 <= of_all[0] <= (ranks <= 10).mean() <= of_all[1] <= high + 2e-6
    assert (low, high) == pytest.approx(of_all, abs=0.01)


def test_the_published_example_is_reproduced_about():
    """Expect about 0 to .144, and .007 to .116, for 26,744 items and a HitRate@10 of .389 among 100 sampled ones, as published."""
    images = Images(100, 26744)
    shares = np.arange(1, 26745) ** -0.608
    at_most = np.concatenate([images._at_most(ranks) for ranks in np.array_split(np.arange(1, 26745), 10)])
    image = np.concatenate([[0], (shares / shares.sum()) @ at_most, [1]])
    assert image[10] == pytest.approx(0.391, abs=5e-4)
    counts = np.diff(image) * 10_000
    band = Band.around(counts, counts, 0.95)
    assert images.bounds(band, worth_of("HitRate", 10)) == pytest.approx((0, 0.144), abs=1e-3)
    assert Images(100, 26744, falling=True).bounds(band, worth_of("HitRate", 10)) == pytest.approx((0.005, 0.116), abs=1e-3)


def test_ranks_that_no_true_ranks_explain_have_no_bounds():
    counts = np.zeros(51)
    counts[25] = 5000  # all at rank 26: whatever the true rank, it would vary
    assert Images(50, 1000).bounds(Band.around(counts, counts, 0.95), worth_of("HitRate", 10)) is None


def test_unknown_ranks_widen_the_band_to_both_sides():
    least, most = np.zeros(11), np.zeros(11)
    least[0], most[10] = 100, 100  # the rank of nobody is known
    band, width = Band.around(least, most, 0.95), half_width(100, 0.95)
    assert (band.low.max(), band.high.min(), width) == (0, 1, pytest.approx(0.1358, abs=1e-4))
    assert Images(10, 100).bounds(band, worth_of("HitRate", 5)) == pytest.approx((0, 1))


@pytest.mark.release
def test_bounds_of_full_lists_that_were_sampled_hold_the_exact_values():
    """Expect them to hold in all of a few draws; benchmarks/claims_of_candidates.py has many."""
    from benchmarks.claims_of_candidates import rows

    for row in rows():
        random = np.random.default_rng(7)
        assert not any(row.wrong(random) for _ in range(3)), row.world
