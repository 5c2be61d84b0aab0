"""Messages of commands name the keys of the config, and never the arguments of a Python call."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("command", ["run", "check", "describe", "audit", "explain Recall@1 --user 1", "compare"])
def test_errors_of_files_are_in_words_of_the_config(command, write, receval):
    write("test.csv", "user,item\n1,10\n")
    write("lists.csv", "item,score\n10,1\n")
    text = "data: {test: test.csv, recommendations: {one: lists.csv, two: lists.csv}}\nevaluation: {metrics: [Recall@1]}\n"
    name, *more = command.split()
    arguments = (*more[:1], write("config.yaml", text), *more[1:], *(("--model", "one") if name == "explain" else ()))
    code, _, err = receval(name, *arguments)
    assert code == 3
    assert "data.recommendations.one: " in err
    assert "data.columns: {user: NAME}, or by --set data.columns.user=NAME, or for one file by" in err
    assert "--set data.recommendations.one.columns.user=NAME" in err
