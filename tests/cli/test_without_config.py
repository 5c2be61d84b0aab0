"""Commands without a config: files, measures, cut-offs and relevance as options of every command that reads a config."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pytest
import yaml
from receval import load_config

TEST = "customer,sku,rating\na,one,5\na,two,2\nb,one,4\n"
ALS = "customer,sku,score\na,one,3\na,two,2\nb,two,2\nb,one,1\n"
POP = "customer,sku,score\na,two,3\na,one,2\nb,one,1\n"
FILES = ("--test", "t.csv", "--recs", "als=als.csv")


@pytest.fixture(autouse=True)
def shop(folder):
    """Return a folder with a test file and the lists of two models only."""
    return folder({"t.csv": TEST, "als.csv": ALS, "pop.csv": POP})


def values(text):
    return {(row["model"], f"{row['metric']}@{row['k']}"): float(row["value"]) for row in csv.DictReader(io.StringIO(text)) if row["k"]}


def test_one_command_without_a_config_gives_the_value_of_a_measure(receval):
    code, out, _ = receval("run", *FILES, "-m", "Recall@1", "--format", "csv")
    # a finds one of two relevant items at rank 1; b finds none
    assert (code, values(out)) == (0, {("als", "Recall@1"): 0.25})


def test_the_threshold_option_decides_which_items_are_relevant(receval):
    out = receval("run", *FILES, "-m", "Recall@1", "--threshold", "4", "--format", "csv")[1]
    assert values(out) == {("als", "Recall@1"): 0.5}  # for a, two is not relevant any more


def test_measures_and_cutoffs_are_lists(receval):
    out = receval("run", *FILES, "--metric", "Recall,F1(nDCG,MAP)", "--metrics", "HitRate", "-k", "1,2", "--print-config")[1]
    assert yaml.safe_load(out)["evaluation"]["metrics"] == [
        *("Recall@1", "Recall@2", "F1(nDCG,MAP)@1", "F1(nDCG,MAP)@2", "HitRate@1", "HitRate@2")
    ]


def test_missing_columns_of_all_files_are_reported_at_once_with_the_options_to_paste(receval, write):
    for name in ("test", "train", "one", "two"):
        write(f"{name}.csv", f"title,genre\na{name},one{name}\nb{name},two{name}\n")  # names of something else
    given = ("--test", "test.csv", "--train", "train.csv", "--recs", "one=one.csv", "--recs", "two=two.csv", "-m", "EPC@1")
    code, _, err = receval("run", *given)
    places = ["data.test: test.csv", "data.train: train.csv", "data.recommendations.one: one.csv", "data.recommendations.two: two.csv"]
    heading, *lines, hint = err.splitlines()
    assert (code, heading) == (3, "receval: some files are missing or wrong")
    assert lines == [f"{place}: no user and no item column; the columns are 'title', 'genre'" for place in places]
    options, _, way = hint.partition(", or by ")[2].partition("; ")
    options, _, other = options.partition(", or for one file by ")
    assert (options, other) == ("--set data.columns.user=NAME --set data.columns.item=NAME", "--set data.test.columns.item=NAME")
    assert way == "receval run … --print-config prints the config to set them in"
    filled = options.replace("user=NAME", "user=title").replace("item=NAME", "item=genre").split()
    assert receval("run", *given, *filled, "--set", "health=off")[0] == 0


def test_the_column_of_categories_is_found_for_the_settings_to_paste(receval, write):
    write("items.csv", "sku,title,Genre\none,First,Drama|War\ntwo,Second,War\n")
    code, _, err = receval("run", *FILES, "--items", "items.csv", "-m", "ILD", "-k", "1,2")
    assert (code, err.count("ILD@")) == (2, 1)
    settings = "--set data.items.categories=Genre --set 'data.items.split=|'"
    assert err.rstrip().endswith(settings)
    assert receval("run", *FILES, "--items", "items.csv", "-m", "ILD", "-k", "2", *settings.replace("'", "").split())[0] == 0


@pytest.mark.parametrize(
    ("measures", "labels"),
    [
        ("nDCG@10", ["nDCG@5", "nDCG@10"]),
        ("nDCG@2", ["nDCG@2", "nDCG@5", "nDCG@10"]),
        ("nDCG(gain=linear)@5", ["nDCG(gain=linear)@5", "nDCG(gain=linear)@10"]),
        ("nDCG@2,Recall", ["nDCG@2", "Recall@5", "Recall@10"]),
    ],
)
def test_cutoffs_are_added_to_measures_if_all_name_their_own(measures, labels, receval):
    out = receval("run", *FILES, "-m", measures, "-k", "5,10", "--print-config")[1]
    assert yaml.safe_load(out)["evaluation"]["metrics"] == labels


def test_the_printed_config_gives_the_same_result(receval, shop):
    asked = (*FILES, "-m", "Recall", "-k", "1,2", "--threshold", "4", "--convention", "elliot")
    receval("run", *asked, "-o", "said.csv")
    (shop / "config.yaml").write_text(receval("run", *asked, "--print-config")[1])
    assert receval("run", "config.yaml", "-q", "-o", "written.csv")[0] == 0
    message, written = (values((shop / name).read_text()) for name in ("said.csv", "written.csv"))
    assert message == written
    assert message


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        (("-m", "EPC@1"), "EPC@1 needs the train interactions: give --train FILE"),
        (("-m", "GAUC"), "GAUC needs the catalogue: give --train FILE or --items FILE"),
        (
            ("-m", "ILD@1"),
            "ILD@1 needs the categories of the items: give --items FILE --set data.items.categories=COLUMN, "
            "and --set 'data.items.split=|' if a cell has several",
        ),
        (("-m", "ILD@1", "--items", "i.csv"), "if a cell has several: --set data.items.categories="),
        (("-m", "Revenue@1"), "of each relevant item: give --set evaluation.value_columns.revenue=rows.COLUMN (of the test rows) or items"),
        (("--by", "users.plan"), "users.plan comes from data.users: give --set data.users=FILE"),
    ],
)
def test_without_a_config_hints_name_options(typed, hint, receval):
    code, out, err = receval("run", *FILES, *typed)
    assert (code, out) == (2, "")
    assert hint in err


def test_with_a_config_hints_name_its_keys(receval, shop):
    (shop / "config.yaml").write_text("data: {test: t.csv, recommendations: {als: als.csv}}\nevaluation: {metrics: [EPC@1]}\n")
    assert receval("run", "config.yaml")[2].endswith("EPC@1 needs the train interactions: give data.train\n")


def test_every_command_that_reads_a_config_works_without_one(receval):
    both = (*FILES, "--recs", "pop=pop.csv")
    for command, message in [
        (("check", *FILES), "health checks"),
        (("describe", *FILES), "rows"),
        (("audit", *FILES, "-m", "Recall@1"), "receval"),
        (("explain", "Recall@1", *FILES, "--user", "a"), "Recall@1 of user a, model als"),
        (("compare", *both, "-m", "Recall@1"), "pop against als"),
        (("gate", *FILES, "--rule", "Recall@1 >= 0.2"), "Recall@1 ≥ 0.2"),
        (("report", *both, "-m", "Recall@1", "--format", "md"), "Recall@1"),
    ]:
        code, out, err = receval(*command)
        assert code == 0, err
        assert message in out, command


def test_compare_has_one_option_for_the_test_file_and_the_statistical_test(receval):
    both = ("compare", *FILES, "--recs", "pop=pop.csv", "-m", "Recall@1")
    assert '"test": "wilcoxon",' in receval(*both, "--test", "wilcoxon", "--format", "json")[1]
    code, _, err = receval(*both, "--test", "wilcoxxon")
    assert (code, "'wilcoxxon' is neither a file nor one of t, t-plain, permutation" in err) == (2, True)


def test_the_suggested_explain_command_has_the_options_instead_of_a_config(receval):
    out = receval("compare", *FILES, "--recs", "pop=pop.csv", "-m", "Recall@1", "--threshold", "4", "--losers", "1")[1]
    command = "explain 'Recall@1' --threshold 4.0 --test t.csv --recs als=als.csv --recs pop=pop.csv --user 'a' --model 'pop'"
    assert f"receval {command}" in " ".join(out.split())


def test_stored_results_can_be_compared_with_files_given_as_options(receval):
    assert receval("run", *FILES, "-m", "Recall@1", "-q", "-o", "main/")[0] == 0
    out = receval("compare", "main", "--test", "t.csv", "--recs", "als=pop.csv", "-m", "Recall@1")[1]
    assert out.startswith("als against main")


def test_options_for_files_are_refused_for_stored_results(receval):
    assert receval("run", *FILES, "-m", "Recall@1", "-q", "-o", "main/")[0] == 0
    for command in ("compare", "gate"):
        code, _, err = receval(command, "main", "-m", "nDCG")
        assert (code, "they have no effect on stored results" in err) == (2, True)


def test_a_model_without_a_name_is_named_after_its_file(receval):
    out = receval("run", "--test", "t.csv", "--recs", "./als.csv", "--recs", "pop.csv", "-m", "Recall@1", "--print-config")[1]
    assert yaml.safe_load(out)["data"]["recommendations"] == {"als": {"path": "als.csv"}, "pop": {"path": "pop.csv"}}


def test_models_are_in_the_order_of_their_options_also_if_another_option_names_columns_of_one(receval):
    models = ("--recs", "b=pop.csv", "--recs", "a=pop.csv", "--set", "data.recommendations.a.columns.score=score")
    code, out, err = receval("run", "--test", "test.csv", *models, "-m", "Recall@2", "--print-config")
    assert (code, out.index(" b:") < out.index(" a:")) == (0, True), err


def test_a_pattern_without_a_name_is_one_model_per_file(receval):
    out = receval("run", "--test", "t.csv", "--recs", "?[lo]*.csv", "-m", "Recall@1", "--format", "csv")[1]
    assert values(out) == {("als", "Recall@1"): 0.25, ("pop", "Recall@1"): 0.75}  # pop has item two of a, and item one of b
    code, _, err = receval("run", "--test", "t.csv", "--recs", "m=als.csv", "--recs", "p*.csv", "-m", "Recall@1")
    assert (code, "a pattern of files without a name cannot be added to models with names" in err) == (2, True)


def test_set_changes_how_files_given_as_options_are_read(receval, shop):
    (shop / "odd.csv").write_text("who;what\na;one\n")
    out = receval(
        "run", "--test", "odd.csv", *FILES[2:], "--set", "data.test.columns={user: who, item: what}", "-m", "Recall@1", "--format", "csv"
    )
    assert values(out[1]) == {("als", "Recall@1"): 1.0}


def test_options_change_a_given_config(receval, shop):
    config = {
        "data": {"test": {"path": "gone.csv", "columns": {"user": "customer"}}, "recommendations": {"als": "als.csv"}},
        "evaluation": {"metrics": ["nDCG"], "top_k": [10]},
    }
    (shop / "sub").mkdir()
    (shop / "sub" / "config.yaml").write_text(yaml.safe_dump(config))
    (shop / "sub" / "als.csv").write_text(ALS)
    code, out, _ = receval("run", "sub/config.yaml", "--test", "t.csv", "-m", "Recall", "-k", "1", "--print-config")
    read = yaml.safe_load(out)
    assert code == 0
    assert read["data"]["test"] == {"path": "../t.csv", "columns": {"user": "customer"}}
    assert read["evaluation"]["metrics"] == ["Recall@1"]


def test_cutoffs_without_effect_are_named(receval, shop):
    config = {"data": {"test": "t.csv", "recommendations": {"als": "als.csv"}}, "evaluation": {"metrics": ["nDCG@10"]}}
    (shop / "config.yaml").write_text(yaml.safe_dump(config))
    err = receval("run", "config.yaml", "-k", "5", "-q")[2]
    assert err == ""  # like every warning of a quiet run
    err = receval("run", "config.yaml", "-k", "5")[2]
    assert "-k 5 has no effect: every metric names its cut-off; name metrics without one: -m nDCG" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'CONFIG': give a config, or the files: --test FILE --recs NAME=FILE -m nDCG@10"),
        (("--recs", "als.csv"), "Missing argument 'CONFIG'"),
        (("--test", "t.csv"), "data.recommendations: this key is missing: give --recs NAME=FILE"),
        ((*FILES, "-m", "nDGC"), "-m nDGC: evaluation.metrics[0]: unknown metric 'nDGC' — did you mean 'nDCG'?"),
        (
            (*FILES, "-k", "5 10"),
            "-k 5 10: evaluation.top_k: a cut-off must be a positive integer or none (the whole list), not '5 10'; separate ",
        ),
        ((*FILES, "-k", "x"), "-k x: evaluation.top_k: a cut-off must be a positive integer or none (the whole list), not 'x'"),
        ((*FILES, "-k", "5", "10"), "Unexpected argument '10'. Separate values by commas (-k 5,10); give --recs once per model"),
        ((*FILES, "pop.csv", "-m", "nDCG"), "Unexpected argument 'pop.csv'. Separate values by commas"),
        ((*FILES, "-k", "1: 2: 3"), "-k 1: 2: 3: write cut-offs as 5,10"),
        ((*FILES, "--threshold", "nan"), "--threshold nan: evaluation.relevance.threshold"),
        ((*FILES, "--convention", "Elliot-0.3"), "unknown convention 'Elliot-0.3' — did you mean 'elliot'?"),
        ((*FILES, "--convention", "elliott"), "--convention elliott: evaluation.convention: unknown convention 'elliott'"),
    ],
)
def test_an_error_of_an_option_names_the_option(arguments, message, receval):
    code, out, err = receval("run", *arguments)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("name", ["als.csv", "gone.parquet", "packed.csv.gz", "u.data", "log", "lists"])
def test_a_data_file_given_as_config_is_named_as_such(name, receval, shop):
    (shop / "log").write_text("a\tone\t5\n")
    (shop / "lists").write_bytes(b"PAR1\xff\xfe")
    for command in (("run", name), ("run", name, "als.csv"), ("compare", name)):
        code, _, err = receval(*command)
        assert code == 2
        if len(command) < 3 or "." in name:
            assert err.startswith(f"receval: {name} is a data file, not a config\n  without a config give the files: --test TEST ")


def test_a_result_folder_can_be_named_like_a_data_file(receval):
    assert receval("run", *FILES, "-m", "Recall@1", "-q", "-o", "run.data/")[0] == 0
    assert receval("gate", "run.data", "--rule", "Recall@1 >= 0.1")[0] == 0


def test_a_threshold_above_all_ratings_is_reported_with_the_command_that_shows_the_ratings(receval, tmp_path):
    (tmp_path / "rated.csv").write_text("user,item,rating\n1,1,5\n2,2,4\n")
    code, _, err = receval("run", "--test", tmp_path / "rated.csv", *FILES[2:], "-m", "Recall@1", "--threshold", "6")
    said = (
        "none of 2 users has a relevant item, that is, a rating of at least 6\n  lower the threshold; receval describe shows the ratings\n"
    )
    assert (code, err) == (3, f"receval: data.test: {said}")


def test_a_report_given_as_config_is_named_as_such(receval, tmp_path):
    page = tmp_path / "report.html"
    assert receval("report", *FILES, "-m", "Recall@1", "-o", page)[0] == 0
    code, _, err = receval("run", page)
    assert (code, err) == (
        2,
        f"receval: {page} is a page or a report, not a config\n  give the config, or the folder that receval run -o DIR/ wrote\n",
    )


def test_python_has_the_same_message_about_a_data_file_as_config():
    with pytest.raises(Exception, match=r"als\.csv is a data file, not a config"):
        load_config("als.csv")


def test_the_test_file_option_can_be_standard_input(receval):
    out = receval("run", "--test", "-", *FILES[2:], "-m", "Recall@1", "--print-config")[1]
    assert yaml.safe_load(out)["data"]["test"] == {"path": "-"}


@pytest.mark.parametrize("arguments", [("nDCG@2", *FILES), (*FILES, "-m", "nDCG@2")])
def test_the_measure_to_explain_is_an_argument_or_an_option(arguments, receval):
    code, out, _ = receval("explain", *arguments, "--user", "a", "--format", "json")
    assert (code, json.loads(out)["measure"]) == (0, "nDCG@2")


@pytest.mark.parametrize("arguments", [("c.yaml",), ()])
def test_explain_says_that_its_measure_is_missing(arguments, receval, shop):
    (shop / "c.yaml").write_text("data: {}\n")
    code, _, err = receval("explain", *arguments, "--user", "a")
    assert (code, "Missing argument 'MEASURE': receval explain nDCG@10 CONFIG --user ID." in err) == (2, True)


def test_the_other_names_of_a_metric_work_in_every_option(receval):
    code, out, _ = receval("run", *FILES, "--recs", "pop.csv", "-m", "HR@1,hit@2", "--columns", "HR", "--sort", "hr@1", "-o", "results/")
    assert (code, "HitRate@1" in out, "HitRate@2" in out) == (0, True, True)
    code, out, _ = receval("compare", "results", "--measure", "HR@1", "--margin", "Hit@1=0.1")
    assert (code, "HitRate@1" in out, "HitRate@2" in out) == (0, True, False)
    assert receval("gate", "results", "--baseline", "pop", "--rule", "HR@1 >= 0", "--rule", "success@1 max_loss 0.9")[0] == 0


def test_a_folder_of_lists_is_named_with_the_pattern_that_reads_it(receval, shop):
    (shop / "epochs").mkdir()
    code, _, err = receval("run", "--test", "t.csv", "--recs", "epochs/", "-m", "nDCG@1")
    said = "write it as NAME=PATH, or NAME=- for standard input; --recs 'epochs/*' makes a model of each file of the folder"
    assert (code, err) == (2, f"receval: --recs epochs/: {said}\n")
    for epoch in ("first", "second"):
        (shop / f"epochs/{epoch}.csv").write_text((shop / "pop.csv").read_text())
    code, out, _ = receval("run", "--test", "t.csv", "--recs", "epochs/*", "-m", "nDCG@1", "--format", "csv")
    assert (code, [line.split(",")[1] for line in out.splitlines()[1:]]) == (0, ["first", "second"])


def test_results_that_are_given_as_config_are_named_as_such(receval):
    receval("run", *FILES, "-m", "nDCG@1", "-o", "results/")
    assert "results/results.json contains results, not a config" in receval("compare", "results/results.json")[2]
    assert (
        "results is a folder, not a config file\n  it contains results, not data files"
        in receval("explain", "nDCG@1", "results", "--user", "a")[2]
    )


@pytest.mark.parametrize("key", ["data.candidates=c.csv", "evaluation.negatives=100"])
def test_candidates_are_no_key_and_the_sentence_says_what_to_give_instead(key, receval):
    assert "receval samples no candidates; give lists with the scores of the candidates" in receval("run", *FILES, "--set", key)[2]


def test_several_models_in_one_measure_are_one_table(receval):
    files = (*FILES, "--recs", "pop=pop.csv", "--recs", "old=pop.csv", "--set", "health=off", "-m", "Recall@1,Recall@2")
    heads = [receval("compare", *files, *of, "--format", "md")[1].count("| verdict |") for of in (("--measure", "Recall@1"), ())]
    assert heads == [1, 2]
    lines = receval("compare", *files, "--measure", "Recall@1", "--format", "md")[1].splitlines()
    assert lines[0] == "# pop, old against als, Recall@1 ↑"
    assert [line.split(" | ")[0] for line in lines if line.startswith(("| pop", "| old"))] == ["| pop", "| old"]


@pytest.mark.parametrize("name", ["u1.test", "u1.base", "ratings.train", "u1.test.gz"])
def test_endings_that_say_what_a_file_holds_do_not_say_its_format(name, receval, shop):
    rows = (shop / "t.csv").read_bytes()
    (shop / name).write_bytes(gzip.compress(rows) if name.endswith(".gz") else rows)
    assert values(receval("run", "--test", name, "--recs", "als.csv", "-m", "nDCG@10", "--format", "csv")[1]) == values(
        receval("run", *FILES, "-m", "nDCG@10", "--format", "csv")[1]
    )


@pytest.mark.parametrize(("name", "format"), [("als.pkl", "pickle"), ("als.npy", "NumPy"), ("als.xlsx", "Excel")])
def test_files_of_other_programs_are_named_as_such(name, format, receval, shop):
    (shop / name).write_bytes(b"\x80\x04\x95")
    code, _, err = receval("run", "--test", "t.csv", "--recs", name, "-m", "nDCG@10")
    assert code == 3
    assert err.startswith(
        f"receval: {name}: receval does not read {format} files\n  load it in Python and pass its content to receval.evaluate"
    )


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("evaluation.threshold=4", "unknown key 'threshold' — did you mean 'evaluation.relevance.threshold'?"),
        ("relevance.threshold=4", "unknown key 'relevance' — did you mean 'evaluation.relevance'?"),
        ("evaluation.k=5", "unknown key 'k' — did you mean 'top_k'?"),
        ("evaluation.relevance.threshold=>=4", "evaluation.relevance.threshold: this should be a number, not '>=4'"),
        ("evaluation.metrics=nDCG@5 Recall@5", "unexpected 'Recall' after the measure; separate measures with commas"),
        ("evaluation.metrics=Hit Rate@5", "separate measures with commas — or did you mean 'HitRate@5'?"),
    ],
)
def test_a_key_in_a_wrong_place_is_named_in_the_right_one(assignment, said, receval):
    code, _, err = receval("run", *FILES, "--set", assignment)
    assert code == 2
    assert said in err


@pytest.mark.parametrize(
    ("assignment", "written"),
    [
        ("evaluation.relevance=4", "threshold: 4.0"),
        ("evaluation.metrics=nDCG@5,Recall@5", "[nDCG@5, Recall@5]"),
        ("evaluation.convention=RecBole", "convention: recbole"),
        ("data.test.separator=,", "separator: ','"),
        ("data.test.separator=|", "separator: '|'"),
        (r"data.test.separator=\t", r'separator: "\t"'),
    ],
)
def test_short_forms_of_values_are_understood(assignment, written, receval):
    code, out, err = receval("run", *FILES, "--set", assignment, "--print-config")
    assert (code, err) == (0, "")
    assert written in out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("run", "--test", "t.cvs", "--recs", "als.csv"), "data.test: there is no file t.cvs\n  did you mean t.csv?"),
        (
            ("run", "--test", "t_{fold}.csv", "--recs", "als.csv"),
            "data.test: there is no file t_{fold}.csv\n"
            "  {fold} needs the names of the folds: data.folds: [1, 2, 3] in the config, or --set data.folds=[1,2,3]",
        ),
        (
            ("compare", "als", "pop"),
            "there is no config or folder of results named als\n  receval init -o config.yaml writes one for the files of a folder; ",
        ),
        (("compare", *FILES, "--base", "pop"), "No such option '--base'. Use --baseline NAME."),
        (("run", *FILES, "--folds", "5"), "No such option '--folds'. Use --set 'data.folds=[1,2,3]'."),
        (("run", *FILES, "--top_k", "5"), "No such option '--top_k'. Use -k."),
    ],
)
def test_usual_slips_are_answered_with_what_is_meant(command, said, receval):
    code, _, err = receval(*command)
    assert code in (2, 3)
    assert said in err


def test_a_column_of_all_files_is_named_once_and_a_file_may_have_its_own_name(receval, write):
    write("t.csv", TEST.replace("customer", "impression"))
    write("als.csv", ALS.replace("sku", "thing").replace("customer", "impression"))
    write("pop.csv", POP)  # its own usual name
    shared = ["--set", "data.columns.user=impression", "--set", "data.columns.item=thing"]
    code, out, _ = receval("run", *FILES, "--recs", "pop=pop.csv", "-m", "Recall@1", *shared, "--format", "csv")
    assert (code, values(out)) == (0, {("als", "Recall@1"): 0.25, ("pop", "Recall@1"): 0.75})
    data = yaml.safe_load(receval("run", *FILES, "-m", "Recall@1", *shared, "--print-config")[1])["data"]
    assert data["columns"] == {"user": "impression", "item": "thing"}


@pytest.mark.parametrize("role", ["user", "rating", "timestamp"])
def test_a_column_that_no_file_has_is_refused_even_if_usual_names_are_there(receval, role):
    code, _, err = receval("run", *FILES, "-m", "Recall@1", "--set", f"data.columns.{role}=stern")
    assert (code, err) == (3, f"receval: data.columns: no file or table has a column 'stern' for the {role}\n  choose an existing column\n")


def test_a_shared_column_may_be_only_in_a_file_that_the_run_does_not_need(receval, write):
    write("train.csv", "customer,sku,bought\na,one,2024-01-02\nb,two,2024-01-03\n")
    shared = ("--train", "train.csv", "--set", "data.columns.timestamp=bought", "--set", "health=off")
    assert receval("run", *FILES, "-m", "Recall@1", *shared)[0] == 0


def test_a_metric_over_the_catalogue_names_the_one_inside_lists(receval):
    _, _, err = receval("run", *FILES, "-m", "GAUC")
    assert err.endswith("; for AUC among the items of each list, such as sampled candidates, use RocAuc\n")
