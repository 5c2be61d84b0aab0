"""What a config took from the environment is `${NAME}` in what is written, and another config of the process has its own texts."""

from __future__ import annotations

from receval import load_config, run


def test_results_name_the_variables_of_their_own_config_only(write, tmp_path):
    write("test.csv", "user,item\n1,10\n")
    write("secret-folder.csv", "user,item\n1,10\n")
    text = "data: {test: test.csv, recommendations: {m: %s}}\nevaluation: {metrics: [Recall@1]}\nhealth: off\n"
    taken = load_config(write("a.yaml", text % "'${WHERE}.csv'"), environment={"WHERE": "secret-folder"})
    given = load_config(write("b.yaml", text % "secret-folder.csv"), environment={})
    assert "secret-folder" not in str(taken.resolved()) + str(run(taken).inputs)
    assert "${WHERE}.csv" in str(run(taken).inputs)
    assert "WHERE" not in str(given.resolved()) + str(run(given).inputs)
