"""Results by group on the command line."""

from __future__ import annotations

import csv
import json
import re

import polars as pl
import pytest
import yaml
from receval import ConfigError, compare


@pytest.fixture
def config(sample):
    data = {
        "test": "data/test.csv",
        "train": "data/train.csv",
        "items": {"path": "data/items.csv", "categories": "genres", "split": "|"},
        "users": "data/users.csv",
        "recommendations": {"knn": "data/knn.parquet", "popular": "data/popular.parquet"},
    }
    by = ["users.plan", "items.genres", {"train_count": [5, 20]}, "cold"]
    evaluation = {"relevance": {"threshold": 4}, "metrics": ["nDCG", "Recall"], "top_k": [5, 10], "by": by}
    (sample / "by.yaml").write_text(yaml.safe_dump({"data": data, "evaluation": evaluation, "health": "off"}))
    return sample / "by.yaml"


def test_every_output_has_the_groups(receval, config, tmp_path):
    assert receval("run", config, "-q", "-o", f"{tmp_path}/out/", "-o", tmp_path / "r.jsonl")[0] == 0
    long = pl.read_csv(tmp_path / "out" / "results.csv", infer_schema_length=None)
    split = long.filter(pl.col("by").is_not_null())
    assert split["by"].unique(maintain_order=True).to_list() == ["users.plan", "items.genres", "train_count", "cold"]
    free, paid = (
        long.filter(model="knn", metric="nDCG", k=10, by="users.plan", group=group).row(0, named=True) for group in ("free", "paid")
    )
    everyone = long.filter(pl.col("by").is_null(), model="knn", metric="nDCG", k=10).row(0, named=True)
    assert free["n_users"] + paid["n_users"] == everyone["n_users"]
    weighted = (free["value"] * free["n_users"] + paid["value"] * paid["n_users"]) / everyone["n_users"]
    assert weighted == pytest.approx(everyone["value"], abs=1e-14)
    records = json.loads((tmp_path / "out" / "results.json").read_text())["results"]
    small = [row["few_users"] for row in records if (row["by"], row["measure"], row["model"]) == ("train_count", "nDCG@10", "knn")]
    assert small == [True, True, False]
    rows = pl.read_parquet(tmp_path / "out" / "results.parquet").to_dicts()
    assert [{name: record[name] for name in row if name != "run_id"} for record, row in zip(records, rows, strict=True)] == [
        {name: cell for name, cell in row.items() if name != "run_id"} for row in rows
    ]
    assert [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()] == rows
    with (tmp_path / "out" / "results_wide.csv").open() as file:
        wide = list(csv.DictReader(file))
    assert next(row for row in wide if (row["model"], row["group"]) == ("knn", "free"))["nDCG@10"] == str(free["value"])
    shown = f"| free | {free['n_users']} | knn |"
    assert shown in (tmp_path / "out" / "results.md").read_text()


def test_the_screen_shows_a_table_for_each_split_and_marks_small_groups(receval, config):
    code, out, _ = receval("run", config)
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("By ")] == [
        "By users.plan",
        "By items.genres",
        "By train_count",
        "By cold",
    ]
    assert "0-4           4 (few)    knn" in out
    assert "few: fewer than 100 users, whose values are very uncertain." in out


def test_the_resolved_config_reads_back(receval, config, tmp_path):
    _, out, _ = receval("run", config, "--print-config")
    by = ["users.plan", "items.genres", {"train_count": [5, 20]}, "cold"]
    assert yaml.safe_load(out)["evaluation"]["by"] == by
    assert receval("run", config, "--print-config", "--set", "evaluation.by=cold")[1].count("by: [cold]") == 1


@pytest.mark.parametrize(
    ("by", "sentence"),
    [
        ("[plan]", "a group must be a column of users (users.plan)"),
        ("users.age:18,30", "for users.age write a column with the name of each group into the file"),
        ("users.age:4", "for users.age write a column with the name of each group into the file"),
        ("{users.age: [18, 30]}", "for users.age write a column with the name of each group into the file"),
        ("users.signup:2026-10-09", "for users.signup write a column with the name of each group into the file"),
        ("[{train_count: [20, 5]}]", "or a list of ascending numbers from 1, such as [5, 20], not [20, 5]"),
        ("[{train_count: [0]}]", "or a list of ascending numbers from 1, such as [5, 20], not [0]"),
        ("train_count", "train_count needs a number of groups (train_count:4), or the numbers of train rows that start them"),
        ("train_count:1", "train_count makes from 2 to 100 groups of about equal size, not 1; one border is train_count:1+"),
        (
            "train_count:few",
            "train_count must be a number of groups, such as 4, one border, such as 3+, or a list of ascending numbers from 1",
        ),
        ("[train_count:5,20]", 'not 20; in a list in brackets write "train_count:5,20" in quotes'),
        ("[cold, cold]", "evaluation.by lists cold twice"),
    ],
)
def test_an_invalid_grouping_is_a_config_error(receval, config, by, sentence):
    code, out, err = receval("run", config, "--set", f"evaluation.by={by}")
    assert (code, out) == (2, "")
    assert sentence in err


@pytest.mark.parametrize(("by", "role"), [("users.plan", "users"), ("items.label", "items"), ("cold", "train")])
def test_groups_from_a_file_that_the_config_lacks_are_a_config_error(receval, config, by, role):
    code, _, err = receval("run", config, "--set", f"evaluation.by={by}", "--set", f"data.{role}=null")
    assert code == 2
    assert f"evaluation.by[0]: {by} comes from data.{role}: give data.{role}" in err


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (("run", "--by", "foo"), "--by foo: evaluation.by: a group must be a column of users (users.plan)"),
        (
            ("run", "--by", "cold", "--by", "users.plan"),
            "--by users.plan: evaluation.by[1]: users.plan comes from data.users",
        ),
        (("compare", "--by", "users.plan"), "--by users.plan: compare.by[0]: users.plan comes from data.users: give data.users"),
        (
            ("compare", "--cluster", "users.plan"),
            "--cluster users.plan: compare.cluster: users.plan comes from data.users",
        ),
        (("compare", "--cluster", "plan"), "--cluster plan: compare.cluster: write a column of data.users as users.plan"),
    ],
)
def test_an_error_of_an_option_for_groups_names_this_option(receval, config, typed, sentence):
    without = yaml.safe_load(config.read_text())
    del without["data"]["users"], without["evaluation"]["by"]
    config.write_text(yaml.safe_dump(without))
    code, out, err = receval(*typed[:1], config, *typed[1:])
    assert (code, out) == (2, "")
    assert sentence in err
    assert "--set" not in err


def test_a_missing_column_is_a_data_error_that_names_the_existing_ones(receval, config):
    code, out, err = receval("run", config, "--set", "evaluation.by=users.plam")
    assert (code, out) == (3, "")
    assert "data/users.csv: no column 'plam'; the columns are 'user_id', 'activity', 'plan'" in err


@pytest.mark.parametrize(("command", "options"), [(("audit",), ()), (("explain", "nDCG@10"), ("--user", "2", "--model", "knn"))])
def test_commands_without_groups_do_not_mention_them(command, options, receval, config):
    code, _, err = receval(*command, config, *options)
    assert code == 0, err
    assert "evaluation.by" not in err


def groups_of(out):
    rows = csv.DictReader(out.splitlines())
    return list(dict.fromkeys((row["by"], row["group"], row["n_users"]) for row in rows if row["by"] and row["model"] == "knn"))


@pytest.mark.parametrize("by", ["train_count:3", "{train_count: 3}", "[{train_count: 3}]", '["train_count:3"]'])
def test_a_number_of_groups_is_written_alike_in_the_config_and_on_the_command_line(receval, config, by):
    settings = ("--set", "evaluation.metrics=[ItemCoverage@10, nDCG@10]", "--format", "csv")
    _, out, err = receval("run", config, *settings, "--set", f"evaluation.by={by}")
    assert groups_of(out) == [("train_count", "0-26", "121"), ("train_count", "27-45", "113"), ("train_count", "46+", "116")], err
    assert receval("run", config, *settings, "--by", "train_count:3")[1] == out


@pytest.mark.parametrize("by", ["train_count:20+", "train_count:20,", "train_count:0,20", "train_count:[20]"])
def test_one_border_makes_two_groups(receval, config, by):
    _, out, err = receval("run", config, "--format", "csv", "--by", by)
    assert [group for _, group, _ in groups_of(out)] == ["0-19", "20+"], err


def test_by_sets_the_groups_of_a_run(receval, config):
    options = ("--set", "evaluation.metrics=[nDCG@10]", "--format", "csv", "--by", "cold", "--by", "train_count:5,20")
    code, out, err = receval("run", config, *options)
    assert (code, err) == (0, "")
    assert [(by, group) for by, group, _ in groups_of(out)] == [
        ("cold", "cold"),
        ("cold", "warm"),
        ("train_count", "0-4"),
        ("train_count", "5-19"),
        ("train_count", "20+"),
    ]


def test_the_number_of_groups_reads_back(receval, config):
    _, out, _ = receval("run", config, "--print-config", "--by", "train_count:4")
    assert yaml.safe_load(out)["evaluation"]["by"] == [{"train_count": 4}]


def test_other_groups_of_the_same_name_are_a_config_error(receval, config):
    code, _, err = receval("compare", config, "--by", "train_count:4")
    assert code == 2
    assert "compare.by[0]: train_count has other groups elsewhere in the config: use the same number or borders in all places" in err


FOLDS = ("--set", "data.test=null", "--set", "data.folds=[{name: a, test: data/test.csv}, {name: b, test: data/test.csv}]")


@pytest.mark.parametrize(
    ("groups", "way"),
    [
        ("train_count:4", "give the borders, train_count:5,20, or train_count:3+ for one border"),
        ("rows.popularity:3", "rows.popularity takes no borders; group by a column of the test rows or of data.items"),
        ("cold*popular_share:3", "popular_share takes no borders; group by a column of data.users"),
    ],
)
@pytest.mark.parametrize(
    ("command", "option", "place"),
    [
        ("validate", "--set=evaluation.by={}", "--set evaluation.by={}: evaluation.by[0]"),
        ("run", "--by={}", "--by {}: evaluation.by[0]"),
        ("compare", "--by={}", "--by {}: compare.by[0]"),
    ],
)
def test_a_number_of_groups_is_refused_for_folds_at_its_place_with_what_the_grouping_takes(
    command, option, place, groups, way, receval, config
):
    without = ("--set", "evaluation.by=[]") if command == "compare" else ()  # those of the config have other borders
    code, _, err = receval(command, config, *FOLDS, *without, option.format(groups))
    assert code == 2
    problem = "a number of groups of about equal size has other borders in each fold"
    assert f"{place.format(groups)}: {problem}: {way}" in " ".join(err.split())


def tables_of(receval, config, monkeypatch, width, *options):
    """Return the lines of each grouping on a screen of this width, without the heading."""
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, err = receval("run", config, *options)
    assert code == 0, err
    assert max(map(len, out.splitlines())) <= width
    lines = out[out.index("By ") : out.index("\n◂")].splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("By ")]
    return {lines[start]: lines[start + 1 : end] for start, end in zip(starts, [*starts[1:], None], strict=True)}


def n_tables(lines):
    return sum(line.startswith(" ───") for line in lines)


@pytest.mark.parametrize(
    ("width", "metrics", "heads"),
    [
        (80, "[nDCG@10, Recall@20]", "users.plan users model nDCG@10 Recall@20"),
        (80, "[nDCG, Recall, MAP, MRR, Precision]", "measure free knn free popular paid knn paid popular"),
        (60, "[nDCG, Recall, MAP, MRR, Precision]", "measure model free paid"),
    ],
)
def test_each_grouping_is_one_table_with_groups_in_rows_or_columns_as_they_fit(receval, config, monkeypatch, width, metrics, heads):
    options = ("--set", f"evaluation.metrics={metrics}", "--by", "users.plan", "--by", "cold")
    by_plan, cold = tables_of(receval, config, monkeypatch, width, *options).values()
    assert (n_tables(by_plan), n_tables(cold)) == (1, 1)
    assert by_plan[1].split() == heads.split()
    if "measure" in heads:
        assert by_plan[-2].split()[0] == "users"


def test_tables_of_groups_use_all_120_columns(receval, config, monkeypatch):
    options = ("--set", "evaluation.top_k=[1, 2, 5, 10, 20]", "--by", "users.plan")
    assert [n_tables(lines) for lines in tables_of(receval, config, monkeypatch, 120, *options).values()] == [1]


def test_groups_in_which_no_user_counts_are_in_one_line_below(receval, config):
    out = receval("run", config, "--by", "cold", "--by", "train_count:5,1000,2000")[1]
    cold, train = out.split("By cold")[1].split("By train_count")
    assert "\n\nNo user counts in group cold.\n" in cold
    assert "  cold " not in cold.replace("  cold   users", "")
    assert "\n\nNo user counts in groups 1000-1999, 2000+.\n" in train


def test_a_model_that_wins_over_all_users_but_loses_within_a_group_is_not_praised_without_it(receval, write, tmp_path):
    write("test.csv", "user,item\n" + "".join(f"{user},{user}\n" for user in range(1, 601)))
    write("users.csv", "user,plan\n" + "".join(f"{user},{'free' if user <= 200 else 'paid'}\n" for user in range(1, 601)))

    def lists(name, hits):
        write(f"{name}.csv", "user,item,score\n" + "".join(f"{user},{user if hits(user) else 0},1\n" for user in range(1, 601)))

    lists("old", lambda user: user <= 100)
    lists("new", lambda user: 201 <= user <= 400)
    lists("close", lambda user: user <= 96 or 201 <= user <= 400)
    data = "data: {test: test.csv, users: users.csv, recommendations: {old: old.csv, %s: %s.csv}}\n"
    rest = "evaluation: {metrics: [HitRate@1, Recall@1], by: users.plan}\nhealth: off\n"
    but = "But within users.plan free %s %s than old on both measures%s."
    for name, words in {"new": ("is worse", ""), "close": ("has worse values", " (not shown to be real)")}.items():
        for section in ("", "compare: {baseline: old}\n"):
            out = receval("run", write("c.yaml", data % (name, name) + rest + section))[1]
            assert but % (name, *words) in " ".join(out.split()), out
    for section in ("", "compare: {baseline: old}\n", "compare: {baseline: new}\n"):
        config, folder = write("c.yaml", data % ("new", "new") + rest + section), tmp_path / "run"
        receval("run", config, "-o", f"{folder}/", "-q")
        reports = [("report", folder, "--format", form) for form in ("md", "html", "github-comment")]
        for command in (("compare", config), ("compare", folder), ("report", config, "--format", "md"), *reports):
            assert but % ("new", "is worse", "") in " ".join(receval(*command)[1].split()), command
    assert "But within" not in receval("run", write("c.yaml", data % ("new", "new") + rest.replace(", by: users.plan", "")))[1]


def test_stored_results_are_compared_only_in_groups_that_they_have(receval, config, tmp_path):
    assert receval("run", config, "-q", "--by", "train_count:3", "-o", f"{tmp_path}/out/")[0] == 0
    for by in ("train_count", "train_count:3"):
        code, out, err = receval("compare", tmp_path / "out", "--by", by)
        assert code == 0, err
        assert re.search(r"^ +27-45 ", out.partition("\n  train_count ")[2], re.MULTILINE)
    code, _, err = receval("compare", tmp_path / "out", "--by", "train_count:5,20")
    assert code == 2
    assert "--by train_count:5,20: out was evaluated with train_count:3; use this, or evaluate again with" in err
    assert "train_count must be a number of groups" in receval("compare", tmp_path / "out", "--by", "train_count:x")[2]


@pytest.mark.parametrize(("typed", "wanted"), [("train_count:4", "train_count:4"), ("train_count", "train_count:4"), ("cold", "cold")])
def test_stored_results_without_groups_say_how_to_evaluate_both_with_what_was_typed(receval, config, tmp_path, typed, wanted):
    assert receval("run", config, "-q", "--set", "evaluation.by=[]", "-o", f"{tmp_path}/out/")[0] == 0
    code, _, err = receval("compare", tmp_path / "out", "--by", typed)
    assert (code, err.splitlines()) == (2, [
        f"receval: --by {typed}: the results of knn do not have the groups of users by {typed.partition(':')[0]}",
        f"  evaluate both with the same groups: receval run CONFIG --by {wanted} -o DIR/",
    ])  # fmt: skip
    with pytest.raises(ConfigError, match=f"evaluate both with the same groups: receval.evaluate with by='{wanted}'"):
        compare({"out": tmp_path / "out"}, by=typed)


def test_results_with_one_border_are_compared_by_the_same_text_in_both_doors(receval, config, tmp_path):
    assert receval("run", config, "-q", "--by", "train_count:30+", "-o", f"{tmp_path}/out/")[0] == 0
    err = receval("compare", tmp_path / "out", "--by", "train_count:30")[2]
    assert "out was evaluated with train_count:30+; use this, or evaluate again with train_count:30" in err
    for by in ("train_count:30+", "train_count:[30]", "train_count"):
        assert {difference.subject.group for difference in compare({"out": tmp_path / "out"}, by=by).by_group} == {"0-29", "30+"}
    with pytest.raises(ConfigError, match=r"by: out was evaluated with train_count:30\+"):
        compare({"out": tmp_path / "out"}, by="train_count:30")


def test_a_column_with_a_group_for_each_of_many_numbers_is_named_with_the_way_to_fewer(receval, write):
    users = range(60)
    test = write("t.csv", "user,item\n" + "".join(f"{user},a\n" for user in users))
    people = write("u.csv", "user,age,plan\n" + "".join(f"{user},{user + 18},{user % 2}\n" for user in users))
    sources = ("--test", test, "--recs", f"a={test}", "-m", "Recall@1", "--set", f"data.users={people}")
    code, out, err = receval("run", *sources, "--by", "users.age", "--by", "users.plan")
    said = " ".join((out + err).split())
    assert code == 0, err
    assert "users.age has 60 groups, one for each number: a column with ranges in the file, such as 0-4 and 5+, makes fewer." in said
    assert "users.plan has" not in said
