"""`--format trec`: the lines of `trec_eval -q`, and the sets of its measures."""

from __future__ import annotations

import polars as pl
import pytest
import receval
from receval.cli.main import main
from receval.conventions import load
from receval.metrics import resolve
from receval.render.trec_lines import trec_lines

QRELS = [("q10", "a", 1), ("q10", "b", 1), ("q9", "a", 1), ("q9", "c", 0), ("q8", "d", 1)]
RUN = [("q9", "c", 3.0), ("q9", "a", 2.0), ("q10", "a", 9.0), ("q10", "x", 8.0)]

# q10: a is relevant at rank 1, b is missing: AP = (1/1)/2, P_5 = 1/5. q9: a at rank 2: AP = 1/2, P_5 = 1/5, recip_rank = 1/2. q8 has no
# list. Queries are in the order of their ids as text; the geometric mean and the number of queries have no line of a query.
LINES = """\
num_ret               \tq10\t2
map                   \tq10\t0.5000
recip_rank            \tq10\t1.0000
P_5                   \tq10\t0.2000
num_ret               \tq9\t2
map                   \tq9\t0.5000
recip_rank            \tq9\t0.5000
P_5                   \tq9\t0.2000
runid                 \tall\tbm_25
num_q                 \tall\t2
num_ret               \tall\t4
map                   \tall\t0.5000
gm_map                \tall\t0.5000
recip_rank            \tall\t0.7500
P_5                   \tall\t0.2000
"""


def evaluated(metrics, convention="trec_eval", lists=None, **more):
    test = pl.DataFrame(QRELS, schema=["user", "item", "rating"], orient="row")
    runs = lists or {"bm 25": RUN}
    frames = {name: pl.DataFrame(rows, schema=["user", "item", "score"], orient="row") for name, rows in runs.items()}
    return receval.evaluate(test=test, recommendations=frames, metrics=metrics, convention=convention, health="off", **more)


def test_the_lines_of_a_run_are_those_of_trec_eval_with_option_q():
    assert trec_lines(evaluated(["P_5", "recip_rank", "gm_map", "map", "num_ret", "num_q"])) == LINES


def test_the_command_prints_the_same_lines(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame([(q, 0, d, r) for q, d, r in QRELS], orient="row").write_csv("a.qrels", include_header=False, separator=" ")
    rows = [(q, "Q0", d, 1, s, "x") for q, d, s in RUN]
    pl.DataFrame(rows, orient="row").write_csv("a.run", include_header=False, separator=" ")
    given = ["--convention", "trec_eval", "-m", "P_5,recip_rank,gm_map,map,num_ret,num_q", "--format", "trec", "--set", "health=off"]
    code = main(["run", "--test", "a.qrels", "--recs", "bm_25=a.run", *given])
    assert (code, capsysbinary.readouterr().out.decode()) == (0, LINES)


def test_queries_without_a_list_count_in_the_means_of_option_c_but_have_no_line():
    lines = trec_lines(evaluated(["map"], policy={"missing_lists": "zero"})).splitlines()
    assert [line.split("\t")[1] for line in lines] == ["q10", "q9", "all", "all"]
    assert lines[-1].endswith("0.3333")


@pytest.mark.parametrize("convention", ["trec_eval", "trec_eval10"])
@pytest.mark.parametrize("name", ["official", "all_trec"])
def test_a_set_prints_every_name_of_trec_eval_once_and_in_its_order(convention, name):
    names = load(convention).sets[name]
    lines = trec_lines(evaluated(name, convention)).splitlines()
    printed = [line.split("\t")[0].strip() for line in lines if line.split("\t")[1] == "all"]
    assert printed == ["runid", *names]
    assert len(set(names)) == len(names)


def test_a_set_is_the_same_as_its_names_one_by_one():
    names = list(load("trec_eval").sets["official"])
    assert trec_lines(evaluated("official")) == trec_lines(evaluated(names))


def test_measures_outside_the_sets_have_the_name_of_their_spelling_or_their_own():
    metrics = ["P_7", "iprec_at_recall_0.25", "Rprec_mult_0.35", "set_F_0.5", "nDCG(convention=receval)@10"]
    lines = trec_lines(evaluated(metrics)).splitlines()
    printed = [line.split("\t")[0].strip() for line in lines if line.split("\t")[1] == "all"]
    assert printed[1:] == ["P_7", "iprec_at_recall_0.25", "Rprec_mult_0.35", "set_F_0.50", "nDCG(convention=receval)@10"]


def test_names_of_trec_eval_stand_only_for_values_of_its_convention():
    lines = trec_lines(evaluated(["Precision@5"], "receval")).splitlines()
    assert lines[-1].startswith("Precision@5           \tall\t")


def test_each_of_several_models_has_the_lines_of_its_own_run():
    both = evaluated(["map"], lists={"one": RUN, "two": RUN[:2]})
    parts = [trec_lines(evaluated(["map"], lists={name: rows})) for name, rows in (("one", RUN), ("two", RUN[:2]))]
    assert trec_lines(both) == "".join(parts)


@pytest.mark.parametrize("name", ["P_7", "ndcg_cut_3", "relative_P_4", "iprec_at_recall_0.25", "unj_5", "rbp_p=0.50"])
def test_the_name_of_a_measure_is_read_as_the_measure(name):
    convention = load("trec_eval10")
    definition = resolve(convention.parse(name), convention)
    assert convention.name_of(definition.label) == name


def test_the_lines_of_a_convention_in_a_file_have_the_names_of_the_one_that_it_extends(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judged.yaml").write_text("extends: trec_eval\naxes: {positions: among_judged}\n")
    lists = {"bm 25": [("q9", "x", 3.0), ("q9", "a", 2.0), ("q10", "a", 9.0)]}  # x is not judged: a moves up to rank 1
    lines = trec_lines(evaluated(["map", "P_5"], convention="./judged.yaml", lists=lists)).splitlines()
    assert [line.split() for line in lines if "\tq9\t" in line] == [["map", "q9", "1.0000"], ["P_5", "q9", "0.2000"]]
    (tmp_path / "judged.yaml").rename(tmp_path / "moved.yaml")
    result = evaluated(["map"], convention="./moved.yaml", lists=lists)
    monkeypatch.chdir("/")
    assert trec_lines(result).splitlines()[0].split() == ["MAP@none", "q10", "0.5000"]
