"""Measure strings: printed strings read back, and invalid ones are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval import conventions, metrics
from receval.syntax.measure_strings import UNSET, MetricSpec, cutoff, parse


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("nDCG", MetricSpec("nDCG")),
        ("nDCG@10", MetricSpec("nDCG", k=10)),
        ("nDCG@none", MetricSpec("nDCG", k=None)),
        ("nDCG(gain=linear)@10", MetricSpec("nDCG", params=(("gain", "linear"),), k=10)),
        (" nDCG ( gain = linear , log_base = 10 ) @ 5 ", MetricSpec("nDCG", params=(("gain", "linear"), ("log_base", 10)), k=5)),
        ("F1(nDCG,MAP,beta=0.5)", MetricSpec("F1", (MetricSpec("nDCG"), MetricSpec("MAP")), (("beta", 0.5),))),
        ("F1(nDCG(gain=linear),MAP)@3", MetricSpec("F1", (MetricSpec("nDCG", params=(("gain", "linear"),)), MetricSpec("MAP")), k=3)),
        ("R-Precision", MetricSpec("R-Precision")),
        ("M(a='x, y')", MetricSpec("M", params=(("a", "x, y"),))),
    ],
)
def test_a_measure_string_is_read(text, spec):
    assert parse(text) == spec


names = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,8}", fullmatch=True)
texts = st.text("ab ,)('=@1.", max_size=5).filter(lambda text: "'" not in text)
fractions = st.floats(-1e6, 1e6).map(lambda x: x if x != int(x) else x + 0.5)
scalars = st.one_of(st.integers(-99, 99), st.booleans(), fractions, texts)
specs = st.recursive(
    st.builds(MetricSpec, names, st.just(()), st.dictionaries(names, scalars, max_size=2).map(lambda d: tuple(d.items()))),
    lambda inner: st.builds(MetricSpec, names, st.lists(inner, max_size=2).map(tuple), st.just(())),
    max_leaves=4,
)


@given(spec=specs, k=st.one_of(st.none(), st.integers(1, 1000), st.just(UNSET)))
def test_a_printed_measure_string_reads_back(spec, k):
    assert parse(str(spec.at(k))) == spec.at(k)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDCG(", "ends where"),
        ("nDCG(gain=)", "the value of gain"),
        ("nDCG@", "ends where a cut-off"),
        ("nDCG@0", "at least 1, not 0"),
        ("nDCG@-5", "at least 1, not -5"),
        ("nDCG@ten", "not 'ten'"),
        ("nDCG@10 x", "unexpected 'x'"),
        ("", "a metric name"),
        ("F1(nDCG@5,MAP)", "must be at the end"),
        ("nDCG(gain=linear,gain=exp2)", "twice"),
        ("(" * 100, "metric name"),
        ("F(" * 100, "deeply"),
    ],
)
def test_invalid_text_is_refused_with_the_reason(text, message):
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize("value", [True, 1.5, [5], "ten", -1])
def test_a_cut_off_is_a_positive_integer_or_none(value):
    with pytest.raises(ValueError, match="cut-off"):
        cutoff(value)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("ndcg@5", "nDCG@5"),
        ("AP@5", "MAP@5"),
        ("r-precision", "RPrecision"),
        ("hr@3", "HitRate@3"),
        ("nDCG(gain=exp2)@5", "nDCG@5"),
        ("F1(Precision,Recall,beta=1)@5", "F1@5"),
        ("F1(ndcg,AP,beta=0.5)@5", "F1(nDCG,MAP,beta=0.5)@5"),
        ("FBeta(beta=2)@5", "F1(beta=2)@5"),
        ("nDCG(log_base=10,gain=linear)@5", "nDCG(gain=linear,log_base=10)@5"),
    ],
)
def test_names_become_canonical_and_defaults_are_left_out(written, canonical):
    spec = metrics.resolve(parse(written), conventions.load("receval"))
    assert spec.label == canonical
    assert metrics.resolve(parse(canonical), conventions.load("receval")) == spec


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("nDGC@5", "did you mean 'nDCG'"),
        ("nDCG(gian=linear)", "did you mean 'gain'"),
        ("nDCG(gain=linaer)", "did you mean 'linear'"),
        ("nDCG(log_base=1)", "a number above 1"),
        ("Recall(k=5)@3", "gives its cut-off twice"),
        ("Recall(q=5)", "its own are denominator"),
        ("MAP(ranks=all)", "divides by k or list_length"),
        ("F1(Precision(missing_lists=drop),Recall)", "missing_lists cannot be set only for Precision in F1: write F1"),
        ("MAP(threshold=4,relevance_rule=all_rows)", "give only one"),
        ("MAP(threshold=1e999)", "finite"),
        ("F1(beta=0)", "above 0"),
        ("F1(nDCG)", "takes 2 metrics"),
        ("MAP(nDCG,MAP)", "takes no other metrics"),
        ("AUC@10", "takes no cut-off"),
    ],
)
def test_a_wrong_measure_is_refused_with_a_hint(written, message):
    with pytest.raises(ValueError, match=message):
        metrics.resolve(parse(written), conventions.load("receval"))


def test_no_two_metrics_share_a_spelling():
    spellings = [spelling.replace("-", "").lower() for entry in metrics.METRICS.values() for spelling in (entry.name, *entry.aliases)]
    assert len(spellings) == len(set(spellings))


def test_every_metric_documents_its_edge_cases_and_source():
    for entry in metrics.METRICS.values():
        assert entry.reference, entry.name
        assert "Edge cases" in entry.doc or entry.name in ("HitRate", "Hits"), entry.name
