"""What screens say about users without a list, differences of nothing, and the two models of a chart."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "test.csv": "user,item\n1,a\n2,b\n3,c\n",
    "old.csv": "user,item\n1,a\n3,x\n3,c\n",
    "new.csv": "user,item\n1,a\n3,c\n",
    "c.yaml": "data: {test: test.csv, recommendations: {old: old.csv, new: new.csv}}\nevaluation: {metrics: [MRR@2]}\nhealth: off\n",
}


def test_a_user_without_a_list_is_explained_in_the_words_of_the_view_of_a_user(folder, receval):
    folder(FILES)
    assert "0.0 (no list; missing_lists: zero)" in receval("explain", "MRR@2", "c.yaml", "--user", "2", "--model", "old")[1]
    assert "no list" in receval("user", "2", "c.yaml")[1].lower()
    assert "no list" not in receval("explain", "MRR@2", "c.yaml", "--user", "3", "--model", "old")[1]


def test_the_chart_of_differences_names_both_models(folder, receval):
    folder(FILES)
    code, _, err = receval("plot", "differences", "c.yaml", "-o", "chart.json")
    assert code == 0, err
    assert "new minus old" in Path("chart.json").read_text()


def test_a_comparison_begins_with_its_table_and_keeps_the_interval_on_80_columns(folder, receval, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    folder(FILES)
    lines = [line for line in receval("compare", "c.yaml", "--test", "permutation")[1].splitlines() if line.strip()]
    assert lines[0] == "new against old"
    assert all(head in lines[1] for head in ("measure", "old", "new", "verdict"))
    assert sum("users, paired by id" in line for line in lines) == 1
