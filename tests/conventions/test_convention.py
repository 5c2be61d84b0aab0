"""Convention files: those of receval are complete and consistent, and errors of users' files are reported with their line."""

from __future__ import annotations

import re

import pytest
from receval import conventions, load_config, metrics
from receval.support.errors import ConfigError
from receval.syntax.measure_strings import parse

from tests.conftest import values

REQUIRED = (
    "receval warprec warprec-docs replay replay-experimental clayrs clayrs-docs relison rs_metrics rs_metrics-docs trec_eval ranx "
    "ranksys rectools elliot recbole lenskit recommenders trec_eval10"
)


def test_every_library_has_its_convention():
    assert set(REQUIRED.split()) <= set(conventions.builtin_names())


@pytest.mark.parametrize("name", conventions.builtin_names())
def test_a_convention_sets_every_axis_and_names_its_library(name):
    convention = conventions.load(name)
    metrics.check(convention)
    assert convention.name == name
    assert convention.axes.keys() == conventions.AXES.keys()
    for axis, value in convention.axes.items():
        assert conventions.AXES[axis].read(value) == value
    if name != "receval":
        assert convention.library
        assert convention.version
        assert convention.source.startswith("https://")
        assert convention.about.endswith(".")
        assert convention.notes
        assert convention.metrics


@pytest.mark.parametrize("name", conventions.packaged_names())
def test_the_spellings_of_a_convention_that_comes_with_receval_can_be_read(name):
    """Reading such a convention does not try them, as it does those of other files."""
    for pattern, template in conventions.load(name).spellings.items():
        re.compile(pattern)
        parse(re.sub(r"\\\d+", "1", str(template)))


@pytest.mark.parametrize(
    ("convention", "written", "meant"),
    [
        ("clayrs", "PrecisionAtK@5", "Precision@5"),
        ("clayrs", "NDCGAtK(gains=exponential)@5", "nDCG(gain=exp2)@5"),
        ("clayrs", "FMeasureAtK(beta=2,sys_average=micro,relevant_threshold=4)@3", "F1(beta=2,threshold=4,average=micro)@3"),
        ("rs_metrics", "mapr@10", "MAP@10"),
        ("replay", "HitRate@10", "HitRate@10"),
        ("warprec", "nDCGRendle2020@10", "nDCGRendle2020@10"),
        ("warprec", "F1[MAP, nDCG]@10", "F1(MAP,nDCG)@10"),
        ("trec_eval", "ndcg_cut_10", "nDCG@10"),
        ("trec_eval", "P.10", "Precision@10"),
        ("trec_eval", "P_10", "Precision@10"),
        ("trec_eval", "map", "MAP@none"),
        ("trec_eval", "recip_rank", "MRR@none"),
        ("trec_eval", "Rprec_mult_0.20", "RPrecision(multiple=0.2)"),
        ("trec_eval", "iprec_at_recall_0.50", "InterpolatedPrecision(recall=0.5)"),
        ("trec_eval", "set_F_0.5", "F1(beta=0.5)@none"),
        ("trec_eval", "rbp", "RBP(p=0.9,convention=trec_eval10)@none"),
        ("trec_eval", "rbp.p=0.95", "RBP(p=0.95,convention=trec_eval10)@none"),
        ("trec_eval", "gm_bpref", "Bpref(average=geometric)"),
        ("trec_eval", "utility.1,-2,0,0", "Utility(cost=2)@none"),
        ("trec_eval", "utility_1.00,-1.00,0.00,0.00", "Utility@none"),
        ("trec_eval10", "rbp", "RBP(p=0.9)@none"),
        ("trec_eval10", "rbp_p=0.98", "RBP(p=0.98)@none"),
        ("trec_eval10", "ndcg_cut_10", "nDCG@10"),
        ("ir_measures", "RBP(rel=1)", "RBP(threshold=1)"),
        ("ir_measures", "IPrec(rel=2)@0.25", "InterpolatedPrecision(recall=0.25,threshold=2)"),
        ("ir_measures", "AP(rel=4)@10", "MAP(threshold=4)@10"),
        ("ir_measures", "RR@10", "MRR(list_order=score,tie_order=text_asc)@10"),
        ("ir_measures", "nDCG(dcg='exp-log2')@10", "nDCG(gain=exp2,score_type=float64,float_type=decimals5)@10"),
        ("ir_measures", "IPrec@0.1", "InterpolatedPrecision"),
        ("ir_measures", "nDCG(gains={0:1,1:4})@3", "nDCG(gains='0=1,1=4')@3"),
        ("ir_measures", "nDCG(gains={0:1,1:4},judged_only=True)@3", "nDCG(gains='0=1,1=4',positions=among_judged)@3"),
        ("ir_measures", "nDCG(judged_only=True, gains={0:1,1:4})@3", "nDCG(gains='0=1,1=4',positions=among_judged)@3"),
        ("ir_measures", "nDCG(rel=2,gains={0:1},judged_only=True)@3", "nDCG(threshold=2,gains='0=1',positions=among_judged)@3"),
        ("ir_measures", "SDCG(dcg='log2')@10", "SDCG@10"),
        ("ir_measures", 'SDCG(dcg="log2",max_rel=1)@10', "SDCG(max_rel=1)@10"),
        ("ir_measures", "SDCG(max_rel=1,dcg='log2',min_rel=0.5)@10", "SDCG(max_rel=1,min_rel=0.5)@10"),
        ("ranx", "recall@10-l2", "Recall(threshold=2)@10"),
        ("ranx", "ndcg_burges@10", "nDCG(gain=exp2)@10"),
        ("ranx", "r-precision", "RPrecision"),
        ("ranksys", "KCall(at_least=2)@10", "HitRate(at_least=2)@10"),
        ("rectools", "F1Beta(beta=0.5)@10", "F1(beta=0.5)@10"),
        ("rectools", "MAP(divide_by_k=True)@10", "MAP(denominator=k)@10"),
        ("rectools", "NDCG(divide_by_achievable=True,log_base=3)@10", "nDCG(log_base=3,ideal=relevant)@10"),
        ("elliot", "HR@10", "HitRate@10"),
        ("elliot", "DSC(beta=2)@10", "F1(beta=2)@10"),
        ("recbole", "hit@10", "HitRate@10"),
        ("recbole", "gauc", "GAUC"),
        ("lenskit", "RecipRank@10", "MRR@10"),
        ("lenskit", "NDCG(n=2)", "nDCG@2"),
        ("lenskit", "N", "NumRetrieved"),
        ("lenskit", "ILS(genre)@3", "ILS@3"),
        ("lenskit", "Entropy(genre)", "ListEntropy"),
        ("clayrs", "CatalogCoverage(top_n=1)", "ItemCoverage@1"),
        ("lenskit", "NDCG(gain=rating)@10", "nDCG(gain=linear,grades=ratings)@10"),
        ("recommenders", "map_at_k@10", "MAP@10"),
        ("recommenders", "map@10", "MAP(denominator=r)@10"),
        ("recommenders", "ndcg_at_k(score_type=raw,discfun_type=loge)@10", "nDCG(gain=linear,grades=ratings)@10"),
    ],
)
def test_measures_in_the_spelling_of_a_library_are_understood(convention, written, meant):
    known = conventions.load(convention)
    found = metrics.resolve(known.parse(written), known)
    if convention == "ir_measures" and written == "RR@10":  # its protocol is printed because it differs from the convention's
        assert found.axes["tie_order"] == "text_asc"
        return
    assert found.label == meant
    again = metrics.resolve(parse(found.label), known)
    assert again.axes == found.axes
    assert again.label == found.label


def config(write, convention: str, extra: str = "") -> str:
    write("test.csv", "user,item,rating\nu1,a,5\nu1,b,3\nu2,c,4\n")
    write("lists.csv", "user,item\nu1,x\nu1,a\n")
    return str(
        write(
            "config.yaml",
            "data: {test: test.csv, recommendations: {m: lists.csv}}\n"
            f"evaluation: {{convention: {convention}, metrics: [MAP], top_k: [2]{extra}}}\n",
        )
    )


def test_a_users_own_convention_extends_another(write):
    write(
        "ours.yaml",
        "extends: replay\nabout: Ours.\naxes: {missing_lists: drop}\nmetrics:\n  MAP: {map_denominator: r}\nspellings: {ap: MAP}\n",
    )
    from receval import run

    result = run(load_config(config(write, "./ours.yaml")))
    assert values(result, "m") == {"MAP@2": pytest.approx(0.25)}  # (1/2)/2 of u1; u2 has no list
    assert result.rows[0].n_users == 1
    assert values(run(load_config(config(write, "ours.yaml"))), "m") == values(result, "m")


def test_a_convention_may_be_set_for_one_measure(write):
    from receval import run

    config(write, "receval")
    write("ours.yaml", "extends: replay\naxes: {missing_lists: drop}\n")
    path = write(
        "config.yaml",
        "data: {test: test.csv, recommendations: {m: lists.csv}}\n"
        "evaluation: {metrics: [MAP, MAP(convention=elliot), \"MAP(convention='./ours.yaml')\", 'MAP(missing_lists=drop)'], top_k: [2]}\n",
    )
    result = run(load_config(path))
    assert values(result, "m") == {
        "MAP@2": pytest.approx(0.125),
        "MAP(convention=elliot)@2": pytest.approx(0.25),
        "MAP(convention=./ours.yaml)@2": pytest.approx(0.25),
        "MAP(missing_lists=drop)@2": pytest.approx(0.25),
    }
    assert [row.n_users for row in result.rows] == [2, 1, 1, 1]
    assert any("averaged over 1 user" in note for note in result.notes())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("axes:\n  map_denominator: q\n", r"ours\.yaml:2: map_denominator must be one of min_r_k"),
        ("axes:\n  map_denominator: min_r\n", r"did you mean 'min_r_k'"),
        ("about: x\naxes:\n  map_denomiator: r\n", r"ours\.yaml:3: no metric has an axis 'map_denomiator' — did you mean 'map_d"),
        ("metrics:\n  MAP:\n    ndcg_gain: linear\n", r"ours\.yaml:3: MAP has no axis 'ndcg_gain'"),
        ("metrics:\n  MAPP: {}\n", r"ours\.yaml:2: there is no metric named 'MAPP' — did you mean 'MAP'"),
        ("axess: {}\n", r"ours\.yaml:1: unknown key 'axess'"),
        ("extends: replya\n", r"ours\.yaml:1: unknown convention 'replya' — did you mean 'replay'"),
        ("extends: ./ours.yaml\n", r"it extends itself"),
        ("axes: [1\n", r"ours\.yaml:2: not valid YAML"),
        ("axes: 5\n", r"ours\.yaml:1: axes must be a mapping"),
        ("just text\n", r"ours\.yaml:1: a convention must be a mapping"),
        ("spellings: {'P(': Precision}\n", r"ours\.yaml:1: .*unterminated|missing \)"),
        ("axes:\n  ndcg_log_base: 1\n", r"ours\.yaml:2: ndcg_log_base must be a number above 1"),
        ("notes: {a: b}\n", r"ours\.yaml:1: notes must be a list"),
        ("metrics: {MAP: r}\n", r"ours\.yaml:1: MAP must be a mapping"),
        ("axes: {no_relevant: [a]}\n", r"ours\.yaml:1: no_relevant must be one of drop, zero"),
        ("- a\n", r"ours\.yaml:1: a convention must be a mapping"),
        ("", r"ours\.yaml:1: a convention must be a mapping"),
        ("name: elliot\n", r"ours\.yaml:1: 'elliot' is the name of a built-in convention"),
        ("parameters: {a: {b: 5}}\n", r"ours\.yaml:1: a=b must be a mapping of parameters"),
        ("parameters: {a: {b: [1]}}\n", r"ours\.yaml:1: a=b must be a mapping of parameters"),
        ("spellings: {MAP: B, B: MAP}\n", r"form a circle"),
    ],
)
def test_a_wrong_convention_file_is_refused_with_file_and_line(write, text, message):
    write("ours.yaml", text)
    with pytest.raises(ConfigError) as caught:
        load_config(config(write, "./ours.yaml"))
    assert re.search(message, str(caught.value)), str(caught.value)


def test_an_unknown_convention_is_refused(write):
    with pytest.raises(ConfigError, match=r"there is no convention .*none\.yaml"):
        load_config(config(write, "none.yaml"))
    with pytest.raises(ConfigError, match="did you mean 'elliot'"):
        load_config(config(write, "eliot"))


def test_trec_eval_has_the_rbp_of_version_10_in_every_spelling(write):
    # grade 1 of 1 at rank 2: .1·.9; p = .8: .2·.8; receval's own RBP counts a hit 1 and has p = .8, which is the same as the latter here
    from receval import evaluate

    given = {"test": {"u": {"a": 2, "b": 1}}, "recommendations": {"m": {"u": ["x", "b"]}}, "convention": "trec_eval", "health": False}
    for metric, value in (("rbp", 0.045), ({"rbp": {"p": 0.8}}, 0.08), ({"name": "rbp", "k": 1}, 0.0), ("RBP", 0.16)):
        (row,) = evaluate(**given, metrics=[metric]).rows
        assert row.value == pytest.approx(value, abs=1e-12), metric


def test_judged_needs_no_cut_off_under_ir_measures():
    # the list b x a: b and a are judged
    from receval import evaluate

    lists = {"m": {"u": ["b", "x", "a"]}}
    result = evaluate(test={"u": {"a": 2, "b": 0}}, recommendations=lists, metrics=["Judged"], convention="ir_measures", health=False)
    assert [row.value for row in result.rows] == [pytest.approx(2 / 3)]


@pytest.mark.parametrize(
    ("convention", "written", "label"),
    [
        ("clayrs", "PrecisionAtK(sys_average=macro)@2", "Precision@2"),
        ("clayrs", "FMeasureAtK(sys_average=macro,beta=1)@2", "F1@2"),
        ("clayrs", "PrecisionAtK(sys_average=micro)@2", "Precision(average=micro)@2"),
        ("receval", "MAP(average=mean)@2", "MAP@2"),
        ("receval", "AUC(average=mean)", "AUC(average=mean)"),
        ("receval", "AUC(average=micro)", "AUC"),
        ("trec_eval", "Hits(average=own)@2", "Hits(average=own)@2"),
    ],
)
def test_an_average_that_is_the_default_of_the_metric_is_not_in_the_label(convention, written, label):
    known = conventions.load(convention)
    assert metrics.resolve(known.parse(written), known).label == label
