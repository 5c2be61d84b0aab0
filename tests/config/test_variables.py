"""A value of the environment is written as `${NAME}`, and each config of a process has its own values."""

from __future__ import annotations

from receval import load_config, run
from receval.support.secrets import mask_values


def test_results_name_the_variables_of_their_own_config_only(write, tmp_path):
    write("test.csv", "user,item\n1,10\n")
    write("secret-folder.csv", "user,item\n1,10\n")
    text = "data: {test: test.csv, recommendations: {m: %s}}\nevaluation: {metrics: [Recall@1]}\nhealth: off\n"
    taken = load_config(write("a.yaml", text % "'${WHERE}.csv'"), environment={"WHERE": "secret-folder"})
    given = load_config(write("b.yaml", text % "secret-folder.csv"), environment={})
    assert "secret-folder" not in str(taken.resolved()) + str(run(taken).inputs)
    assert "${WHERE}.csv" in str(run(taken).inputs)
    assert "WHERE" not in str(given.resolved()) + str(run(given).inputs)


def test_the_name_of_a_variable_is_whole_even_if_it_contains_another_value(write):
    values = {"abcdefgh": "${MY_SECRET_FOLDER}", "SECRET": "${OTHER}", "abcdefghijk": "${LONGER}"}
    assert mask_values("abcdefgh/SECRET/abcdefghijk", values) == "${MY_SECRET_FOLDER}/${OTHER}/${LONGER}"
    text = "data: {test: t.csv, recommendations: {m: '${MY_SECRET_FOLDER}/${OTHER}.csv'}}\nevaluation: {metrics: [MRR]}\n"
    environment = {"MY_SECRET_FOLDER": "abcdefgh", "OTHER": "SECRET"}
    resolved = load_config(write("a.yaml", text), environment=environment).resolved_yaml()
    assert "${MY_SECRET_FOLDER}/${OTHER}.csv" in resolved
    again = load_config(write("b.yaml", resolved), environment=environment).config
    assert again.data == load_config(write("a.yaml", text), environment=environment).config.data
