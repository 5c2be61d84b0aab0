"""`receval.compare_across` answers as `receval compare --across` does."""

from __future__ import annotations

import json

import polars as pl
import pytest
import receval as library

from tests.comparison.conftest import lists_of, rated_items


@pytest.fixture(scope="module")
def results():
    def one(seed):
        score = pl.col("rating").cast(pl.Float64).alias("score")
        relevant = rated_items(60, seed).filter(pl.col("rating") >= 4).select("user", "item", score)
        lists = {"base": lists_of(range(1, 61), seed + 9), "model": relevant}
        return library.evaluate(test=rated_items(60, seed), recommendations=lists, metrics=["nDCG@5", "Recall@5"], relevance=4)

    return {f"d{seed}": one(seed) for seed in (1, 2, 3)}


def test_results_in_memory_and_their_folders_give_the_command_line_s_answer(results, receval, tmp_path):
    for name, result in results.items():
        result.save(tmp_path / name)
    found = library.compare_across(results, measures="nDCG@5")
    stored = library.compare_across({name: tmp_path / name for name in results}, measures="nDCG@5")
    code, out, _ = receval("compare", "--across", *(tmp_path / name for name in results), "--measure", "nDCG@5", "--format", "json")
    assert code == 0
    assert json.loads(out) == found.to_dict() == stored.to_dict()
    assert found.sentences == [difference.sentence for difference in found.differences]


def test_it_prints_and_is_a_table_a_frame_and_a_file(results, tmp_path):
    found = library.compare_across(results, ranks=True)
    assert repr(found).startswith("model against base, over 3 data sets")
    assert "<table" in found._repr_html_()
    assert found.to_polars()["data_set"].to_list() == 2 * ["d1", "d2", "d3", None]
    found.save(tmp_path / "x.md")
    assert (tmp_path / "x.md").read_text().startswith("# model against base, over 3 data sets")
    with pytest.raises(library.DataError, match="3 data sets are too few to compare ranks of 2 models"):
        found.save(tmp_path / "x.svg")
    with pytest.raises(library.ConfigError, match=r"must end in \.json, "):
        found.save(tmp_path / "x.xyz")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"baseline": "x"}, "the baseline is x, but no model has this name"),
        ({"measures": "MRR"}, "no measure 'MRR'"),
        ({"complete": "both"}, "complete must be 'models' or 'data-sets', not 'both'"),
        ({"alpha": 2}, "alpha"),
        ({"results": "out"}, "results must be evaluations or their folders by name"),
        ({"results": {}}, "needs the results of two or more; there is none"),
    ],
)
def test_wrong_arguments_are_one_sentence(changes, problem, results):
    with pytest.raises(library.ConfigError, match=problem):
        library.compare_across(**{"results": results, **changes})


def test_missing_results_are_refused_in_terms_of_arguments(results):
    results["d4"] = library.evaluate(
        test=rated_items(60, 4), recommendations={"base": lists_of(range(1, 61), 3)}, metrics=["nDCG@5"], relevance=4
    )
    with pytest.raises(library.DataError) as refused:
        library.compare_across(results)
    assert refused.value.message == "model has no results on d4"
    assert "by complete='models', or the data sets by complete='data-sets'" in refused.value.hint
    assert library.compare_across(results, complete="data-sets").data_sets == ("d1", "d2", "d3")
