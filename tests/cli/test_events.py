"""Logs of views and purchases, one test item per user, and candidates, in `init`, `describe` and `--where`."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest

from tests.cli.inits import ITEMS, LISTS, PLAIN, SCORED, models, text

EVENTS = [(1, 11, "purchase"), (1, 21, "view"), (2, 13, "purchase"), (2, 24, "cart"), (3, 14, "view"), (3, 22, "view")]
LOG = {"test.csv": text(EVENTS, ("user_id", "item_id", "event")), "als.csv": PLAIN["als.csv"]}
MRR = (1 / 2 + 1 / 5) / 2
"""MRR@5 of the lists if only purchases are relevant: item 11 has rank 2, item 13 has rank 5."""


def test_init_writes_the_values_of_a_column_of_events_and_a_filter_to_uncomment(init, receval):
    done = init(LOG)
    filter = "    # where: \"event == 'purchase'\"  # event: view 3, purchase 2, cart 1\n"
    assert f"  test:  # by its name\n    path: test.csv\n{filter}" in done.config
    assert "test.csv: all events count as relevant (event: view 3, purchase 2, cart 1) unless data.test.where keeps one kind" in done.doubts
    with open("filtered.yaml", "w") as file:
        file.write(done.config.replace("# where:", "where:"))
    code, out, _ = receval("run", "filtered.yaml", "--format", "csv")
    values = {f"{row['metric']}@{row['k']}": row["value"] for row in csv.DictReader(io.StringIO(out)) if row["value"]}
    assert (code, float(values["MRR@5"])) == (0, pytest.approx(MRR))


@pytest.mark.parametrize(
    ("name", "values", "condition"),
    [
        ("event type", ("view", "buy it now"), "`event type` == 'buy it now'"),
        ("action", ("skip", "skip", "seen"), "action == 'seen'"),
        ("behavior", (1, 1, 4), "behavior == 4"),
        ("Type", ("it's", "it's", "o'clock$HOME"), "Type == 'o''clock$$HOME'"),
    ],
)
def test_the_suggested_filter_has_the_likeliest_value_or_the_rarest_and_is_valid(init, receval, name, values, condition):
    rows = [(1 + n, 11 + n % 3, value) for n, value in enumerate(values)]
    done = init({"test.csv": text(rows, ("user_id", "item_id", name)), "als.csv": PLAIN["als.csv"]})
    assert f"# where: {json.dumps(condition)}  # {name}: " in done.config
    with open("filtered.yaml", "w") as file:
        file.write(done.config.replace("# where:", "where:"))
    code, _, err = receval("validate", "filtered.yaml")
    assert code == 0, err


@pytest.mark.parametrize("rows", [[(*row[:2], "view") for row in EVENTS], [(*row[:2], f"e{n}") for n, row in enumerate(EVENTS * 4)]])
def test_a_column_with_one_value_or_many_is_not_an_event_column(init, rows):
    done = init({**LOG, "test.csv": text(rows, ("user_id", "item_id", "event"))})
    assert "where" not in done.config
    assert "event" not in done.doubts


def test_describe_lists_the_values_of_events_with_and_without_a_filter(init, receval):
    init(LOG)
    said = "data.test: column 'event' has view 3, purchase 2, cart 1"
    remarks = json.loads(receval("describe", "config.yaml", "--format", "json")[1])["remarks"]
    assert remarks[0] == f"{said}; without data.test.where all rows are used."
    remarks = json.loads(receval("describe", "config.yaml", "--where", "event != 'view'", "--format", "json")[1])["remarks"]
    assert remarks[:2] == [f"{said}.", "data.test: 3 of 6 rows are used (where: event != 'view')."]


def test_where_filters_the_test_file_of_every_command_and_a_mistake_names_the_option(init, receval):
    init(LOG)
    code, out, _ = receval("run", "config.yaml", "--where", "event == 'purchase'", "--set", "evaluation.metrics=[MRR@5]", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert (code, float(row["value"]), row["n_users"]) == (0, pytest.approx(MRR), "2")
    for command in (("check",), ("validate",), ("describe",), ("audit",)):
        code, _, err = receval(*command, "config.yaml", "--where", "event = purchase")
        assert code == 2
        assert err.startswith(
            "receval: --where event = purchase: data.test.where: cannot read the filter 'event = purchase': 'purchase' at"
        )
    code, _, err = receval("run", "config.yaml", "--where", "event == 'sold'")
    assert code == 3
    assert "none of 6 rows is kept by where: event == 'sold'\n  the most frequent values are event: view (3), purchase (2), cart (1)" in err


@pytest.mark.parametrize("command", ["run", "compare", "gate"])
def test_where_that_replaces_the_filter_of_a_config_says_so_once_with_both(command, folder, receval):
    folder(LOG)
    test, lists = "{path: test.csv, where: \"event != 'view'\"}", "{als: als.csv, same: als.csv}"
    with open("config.yaml", "w") as file:
        file.write(f"data: {{test: {test}, recommendations: {lists}}}\nevaluation: {{metrics: [MRR@5]}}\ngates: {{rules: [MRR@5 >= 0]}}\n")
    said = "data.test.where of the config: event == 'purchase' instead of event != 'view'; join both with \"and\" to apply both"
    err = receval(command, "config.yaml", "--where", "event == 'purchase'")[2]
    assert err.count(f"receval: warning: --where replaces {said}\n") == err.count("where") - 1 == 1
    assert "replaces" not in receval(command, "config.yaml", "--where", " event != 'view'")[2]


def test_where_applies_to_every_fold_of_one_test_path_and_is_refused_for_folds_with_own_paths(folder, receval):
    folder({"test1.csv": LOG["test.csv"], "test2.csv": LOG["test.csv"], "als.csv": LOG["als.csv"]})
    rest = "recommendations: {als: als.csv}}\nevaluation: {metrics: [MRR@5]}\n"
    with open("marked.yaml", "w") as file:
        file.write(f"data: {{folds: [1, 2], test: 'test{{fold}}.csv', {rest}")
    code, out, _ = receval("run", "marked.yaml", "--where", "event == 'purchase'")
    assert code == 0
    assert "data.test: 2 of 6 rows are used (where: event == 'purchase')." in out
    with open("own.yaml", "w") as file:
        file.write(f"data: {{folds: [{{test: test1.csv}}, {{test: test2.csv}}], {rest}")
    code, _, err = receval("run", "own.yaml", "--where", "event == 'purchase'")
    assert code == 2
    assert "--where event == 'purchase': the config has no data.test; write where into each fold" in err


@pytest.mark.parametrize(
    ("name", "shown"), [("event_time", {}), ("createdAt", {}), ("order_date", {}), ("visit_day", {"timestamp": "visit_day"})]
)
def test_times_are_recognised_by_many_names(init, name, shown):
    rows = [(user, item, f"2024-01-{10 + user}") for user, item, _ in EVENTS]
    files = {
        "test.csv": text(rows, ("user_id", "item_id", name)),
        "train.csv": text([(u, 31, "2023-01-01") for u in (1, 2, 3)], ("user_id", "item_id", name)),
    }
    done = init({**files, "als.csv": PLAIN["als.csv"]})
    assert done.data["test"].get("columns", {}).get("timestamp") == shown.get("timestamp")
    assert "no column of times" not in done.doubts


def test_checks_that_are_off_without_times_are_named(init):
    done = init({**PLAIN, "test.csv": text([(1, 11, 5), (2, 13, 4)], ("user_id", "item_id", "rating"))})
    assert "test.csv: no column of times is recognised, so the checks for leaks through time (X07 to X09) stay off" in done.doubts


def test_the_fourth_column_without_a_header_is_a_time(init, receval):
    rows = [(user, item, 3, 880_000_000 + item) for user, item, _ in EVENTS]
    done = init(
        {
            "u.test": text(rows, separator="\t"),
            "u.base": text([(u, 30 + u, 3 + u % 2, 870_000_000 + u) for u in (1, 2, 3)], separator="\t"),
            "als.csv": PLAIN["als.csv"],
        }
    )
    assert done.data["test"]["columns"]["timestamp"] == done.data["train"]["columns"]["timestamp"] == 4
    assert "no column of times" not in done.doubts
    assert "X07" not in receval("check", "config.yaml")[1].rpartition("skipped")[2]


@pytest.mark.parametrize(
    ("test", "names"),
    [
        ([(1, 11), (2, 13), (3, 14)], ["HitRate", "nDCG", "MRR"]),
        ([(1, 11), (1, 12), (2, 13)], ["nDCG", "Recall", "Precision", "MAP", "MRR", "HitRate"]),
    ],
)
def test_one_test_item_per_user_needs_fewer_measures(init, test, names):
    done = init({**PLAIN, "test.csv": text(test, ("user_id", "item_id"))})
    written = [line.split()[1] for line in done.config.splitlines() if line.startswith("    - ")]
    assert written == [*names, "ItemCoverage", "EPC"]
    said = "    - HitRate  # one test item per user: Recall equals HitRate, Precision is HitRate / k, and MAP equals MRR\n"
    assert (said in done.config) == (len(names) == 3)


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("candidates.csv", ("user_id", "item_id")),
        ("sampled_candidates.csv", ("user_id", "item_id")),
        ("negatives.csv", ("user_id", "item_id")),
        ("candidates.csv", ("user_id", "item_id", "label")),
    ],
)
def test_candidates_are_not_a_model(init, name, header):
    first = {1: 11, 2: 13, 3: 14}
    rows = [(user, item, int(item == first[user])) for user, items in LISTS.items() for item in (first[user], *items)]
    done = init({**PLAIN, name: text([row[: len(header)] for row in rows], header)})
    assert models(done) == {"als": "als.csv"}
    assert done.said[name].startswith("left out: by its name it has candidates for ranking, but it has no score or rank")


def test_candidates_with_scores_are_a_model(init):
    done = init({**PLAIN, "candidates.csv": text(SCORED, ("user_id", "item_id", "score"))})
    assert models(done)["candidates"] == "candidates.csv"


def test_a_run_without_a_filter_says_that_all_events_count_and_how_to_keep_one_kind(init, receval):
    init(LOG)
    said = "data.test: column 'event' has view 3, purchase 2, cart 1, and every row counts as relevant; keep those of one kind with --where"
    out = " ".join(receval("run", "config.yaml")[1].split())
    assert f"{said} \"event == 'purchase'\"." in out
    assert said in " ".join(receval("gate", "config.yaml", "--rule", "nDCG@5 >= 0")[2].split())
    assert said not in " ".join(receval("run", "config.yaml", "--where", "event == 'purchase'")[1].split())


@pytest.mark.parametrize(("name", "values"), [("clicked", "01"), ("isLiked", ("false", "True"))])
def test_a_label_of_true_and_false_is_a_rating_which_is_said(receval, folder, name, values):
    rows = [(user, item, values[item == 11]) for user, items in LISTS.items() for item in (11, *items)]
    folder({**PLAIN, "test.csv": text(rows, ("user_id", "item_id", name))})
    run = ["run", "--test", "test.csv", "--recs", "als=als.csv", "-m", "MRR", "-k", "5"]
    assert f"data.test: test.csv: user = 'user_id', item = 'item_id', rating = '{name}'." in " ".join(receval(*run)[1].split())


def test_a_column_of_counts_of_clicks_is_no_label(receval, folder):
    rows = [(user, item, item % 3) for user, items in LISTS.items() for item in items]
    folder({**PLAIN, "test.csv": text(rows, ("user_id", "item_id", "clicks"))})
    assert "every row counts as" not in receval("run", "--test", "test.csv", "--recs", "als=als.csv", "-m", "MRR", "-k", "5")[1]


def test_a_run_of_ratings_without_a_threshold_names_one_above_the_table(init, receval):
    init(PLAIN)
    out = receval("run", "--test", "test.csv", "--recs", "als=als.csv", "-k", "5")[1]
    assert "and all above 0 count as relevant; --threshold 4 counts those of at least 4." in " ".join(out.partition("↑")[0].split())
    assert "count as relevant" not in receval("run", "config.yaml")[1] + receval("run", "config.yaml", "--threshold", "1")[1]


GENRES = text([(11, "Horror|SciFi"), (12, "(no genres listed)"), (13, "Unknown|Comedy"), (14, "-")], ("item_id", "genres"))


def test_a_word_for_no_category_is_named_until_it_is_no_category(folder, receval):
    folder({**PLAIN, "items.csv": GENRES})
    arguments = ["run", "--test", "test.csv", "--recs", "als=als.csv", "--items", "items.csv", "-m", "ILD(distance=jaccard)@5"]
    arguments += ["--set", "data.items.categories=genres", "--set", "data.items.split=|"]
    out = " ".join(receval(*arguments)[1].split())
    change = 'data.items.null_values=["(no genres listed)", "-"]'
    said = "data.items: 2 of 4 items have one of the categories '(no genres listed)' and '-', which count as categories; "
    assert f"{said}--set '{change}'" in out  # 'Unknown' is one of several
    assert "which count" not in " ".join(receval(*arguments, "--set", change)[1].split())
    one = " ".join(receval(*arguments, "--set", "data.items.null_values=-")[1].split())
    assert "1 of 4 items has the category '(no genres listed)', which counts as a category; " in one


def test_init_reads_a_word_for_no_category_as_none(init):
    done = init({**PLAIN, "items.csv": text([*ITEMS, (16, "Fargo", "(no genres listed)")], ("item_id", "title", "genres"))})
    assert done.data["items"]["null_values"] == ["(no genres listed)"]
    assert "null_values: (no genres listed)}  # " in done.config
    assert "; null_values are read as no category" in done.config


MODEL_SCORES = [(1, 30, 0.1), (1, 11, 0.9), (2, 31, 0.1), (2, 13, 0.9), (3, 32, 0.1), (3, 14, 0.9)]
OF_ONE_MODEL = ("--test", "test.csv", "--recs", "als=als.csv", "-m", "MRR@5")


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_column_whose_words_say_score_orders_the_lists_and_every_command_says_so(form, folder, receval):
    where = folder({**PLAIN, "als.csv": text(MODEL_SCORES, ("user_id", "item_id", "model_score"))})
    frame = pl.read_csv(where / "als.csv")
    frame.write_parquet(where / "als.parquet")
    frame.write_ndjson(where / "als.jsonl")
    given = [option.replace("als.csv", f"als.{form}") for option in OF_ONE_MODEL]
    said = "als: the score is in column 'model_score', by its name."
    assert " ".join(receval("run", *given)[1].split()).count(said) == 1
    assert said in receval("check", *given)[2]
    assert said in receval("gate", *given, "--rule", "MRR@5 >= 0")[2]
    assert said in receval("compare", *given, "--recs", f"b=als.{form}")[2].replace("als, b:", "als:")


@pytest.mark.parametrize("name", ["score_type", "predicted_at_time", "popularity_rank", "rating_count"])
def test_other_columns_do_not_order_lists_and_every_command_says_that_rows_do(name, folder, receval):
    folder({**PLAIN, "als.csv": text(MODEL_SCORES, ("user_id", "item_id", name))})
    said = "als: the file has no recognised rank or score column; the row order is the rank."
    assert said in receval("check", *OF_ONE_MODEL)[2]
    assert said in receval("compare", *OF_ONE_MODEL, "--recs", "b=als.csv")[2].replace("als, b:", "als:")


def test_of_two_columns_whose_words_say_score_or_rank_the_one_that_counts_orders_the_lists(folder, receval):
    rows = [(*row, rank) for row, rank in zip(MODEL_SCORES, (1, 2) * 3, strict=True)]
    folder({**PLAIN, "als.csv": text(rows, ("user_id", "item_id", "model_score", "rec_rank"))})
    said = "als: als.csv: user = 'user_id', item = 'item_id', rank = 'rec_rank' (1 to 2 in every list); not read: 'model_score'."
    assert said in " ".join(receval("run", *OF_ONE_MODEL)[1].split())
    assert said not in receval("run", *OF_ONE_MODEL, "--set", "data.recommendations.als.columns.score=model_score")[1]


def test_two_columns_whose_words_say_score_are_a_question_with_a_line_to_paste_for_each(folder, receval):
    rows = [(*row, -row[2] if row[0] == 1 else row[2]) for row in MODEL_SCORES]
    folder({**PLAIN, "als.csv": text(rows, ("user_id", "item_id", "first_score", "second_score"))})
    code, _, problem = receval("run", *OF_ONE_MODEL)
    assert code == 3
    for name in ("first_score", "second_score"):
        assert f"    --set data.recommendations.als.columns.score={name}\n" in problem
        assert receval("run", *OF_ONE_MODEL, "--set", f"data.recommendations.als.columns.score={name}")[0] == 0


def test_items_of_train_and_test_outside_of_the_items_file_are_counted_for_measures_of_the_catalogue(folder, receval):
    known = text([(1, 11), (1, 12), (1, 13), (1, 99), (2, 99)], ("user_id", "item_id"))
    items = text([(11, "a"), (12, "b"), (13, "c"), (14, "d")], ("item_id", "title"))
    tests = text([(1, 11), (2, 13), (3, 98)], ("user_id", "item_id"))
    folder({**PLAIN, "test.csv": tests, "train.csv": known, "items.csv": items})
    given = ("run", "--test", "test.csv", "--train", "train.csv", "--items", "items.csv", "--recs", "als=als.csv")
    out = " ".join(receval(*given, "-m", "ItemCoverage@5", "-m", "Gini@5")[1].split())
    said = "2 items of train and test (2 and 1 rows) are not in data.items; ItemCoverage and Gini take only the items of data.items"
    assert f"{said} as the catalogue." in out
    assert "as the catalogue" not in receval(*given, "-m", "MRR@5")[1]


TIMED = [(1, 11, 3), (1, 13, 1), (2, 24, 1), (2, 13, 2), (2, 21, 2)]
CHOSEN = "Only the last row of each user by time is the target (data.test.target): 2 of 5 test rows."


def test_a_target_applies_to_the_test_file_of_every_command(init, receval):
    init({"test.csv": text(TIMED, ("user_id", "item_id", "timestamp")), "als.csv": PLAIN["als.csv"]})
    measures = ("--set", "evaluation.metrics=[MRR@5]")
    for options in (("--target", "last"), ("--set", "data.test={path: test.csv, target: last}")):
        code, out, err = receval("run", "config.yaml", *options, *measures, "--format", "json")
        result = json.loads(out)
        assert code == 0, err
        assert any(remark.startswith(CHOSEN) for remark in result["remarks"])
        assert next(source["rows"] for source in result["inputs"] if source["role"] == "data.test") == 2
    assert CHOSEN in receval("run", "config.yaml", "--target", "last", *measures)[1]
    assert CHOSEN in receval("audit", "config.yaml", "--target", "last", "-m", "MRR@5")[1]
    found = json.loads(receval("describe", "config.yaml", "--target", "last", "--format", "json")[1])
    assert next(table["rows"] for table in found["tables"] if table["role"] == "data.test") == 2
    assert any(remark.startswith(CHOSEN) for remark in found["remarks"])
    explained = receval("explain", "MRR@5", "config.yaml", "--user", "2", "--target", "first", "--format", "json")[1]
    assert "24" in explained


def test_a_target_on_the_command_line_replaces_that_of_the_config_and_needs_a_test_file(init, receval):
    init({"test.csv": text(TIMED, ("user_id", "item_id", "timestamp")), "als.csv": PLAIN["als.csv"]})
    own = ("--set", "data.test={path: test.csv, target: last}", "--set", "evaluation.metrics=[MRR@5]")
    _, out, _ = receval("run", "config.yaml", *own, "--target", "all")
    assert "target" not in out
    code, _, err = receval("run", "config.yaml", "--target", "latest")
    assert (code, "'latest' is not one of 'last', 'first', 'random', 'all'" in err) == (2, True)
    code, _, err = receval("run", "config.yaml", "--set", "data={folds: [{test: test.csv}], recommendations: als.csv}", "--target", "last")
    assert (code, "--target last: the config has no data.test; write target into each fold" in err) == (2, True)


def test_with_events_and_a_target_the_caution_says_that_the_target_may_be_of_any_event(init, receval):
    init(LOG)
    _, out, err = receval("run", "config.yaml", "--target", "last", "--set", "evaluation.metrics=[MRR@5]")
    assert "view 3, purchase 2, cart 1, and the target of a user may be a row of any of them; keep those of one kind" in out + err
