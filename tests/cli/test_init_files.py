"""`receval init FILES` recognises the role of each file, and prints its guesses."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest
from receval import load_config

from tests.cli.inits import HEADER, ITEMS, PLAIN, SCORED, STARS, TEST, TRAIN, models, pairs, text


def test_side_inputs_are_recognised_and_used(init):
    done = init(
        {
            **PLAIN,
            "items.csv": text(ITEMS, ("item_id", "title", "genres"), "\t"),
            "item_stats.csv": text([(11, 3), (12, 4)], ("item_id", "n")),
            "users.csv": text([(1, 33, "f"), (2, 44, "m"), (3, 55, "f")], ("user_id", "age", "gender")),
            "previous_policy.csv": text([(11, 0.5), (21, 0.25)], ("item_id", "score")),
            "rated.csv": text([(user, item, rating - 0.25) for user, item, rating, _ in TEST], ("user_id", "item_id", "prediction")),
            "distances.csv": text([(11, 12, 0.5)], ("item1", "item2", "distance")),
        }
    )
    assert done.data["items"] == {"path": "items.csv", "separator": "\t", "categories": "genres", "split": "|"}
    assert [done.data[key]["path"] for key in ("users", "previous_policy", "predictions")] == [
        "users.csv",
        "previous_policy.csv",
        "rated.csv",
    ]
    assert models(done) == {"als": "als.csv"}
    assert "# items: item_stats.csv" in done.config
    assert done.said["item_stats.csv"] == "left out, but listed in a comment: could also be items"
    assert {("als", name) for name in ("ItemCoverage@5", "EPC@5", "ILD@5")} <= done.values.keys()
    assert done.values["als", "ItemCoverage@5"] == pytest.approx(3 / 5)  # items 11, 12 and 13 of the five


def test_suggested_metrics_need_only_existing_inputs(init):
    done = init({name: PLAIN[name] for name in ("test.csv", "als.csv")})
    assert done.evaluation["metrics"] == [f"{name}@5" for name in ("nDCG", "Recall", "Precision", "MAP", "MRR", "HitRate")]


def test_the_rows_of_a_text_file_are_estimated_from_its_whole_length(init):
    rows = [(user, user % 100 * 7 + place, 1 - place / 10) for user in range(3_000) for place in range(10)]  # ids grow longer
    done = init({"test.csv": PLAIN["test.csv"], "als.csv": text(rows, ("user_id", "item_id", "score"))})
    assert done.said["als.csv"].endswith("; about 30,000 rows")


def test_the_comment_of_epc_does_not_call_it_novelty(init):
    done = init({name: PLAIN[name] for name in ("test.csv", "train.csv", "als.csv")})
    assert "- EPC  # how few train users know the hits; other items count 0" in done.config


@pytest.mark.parametrize(("length", "top_k"), [(2, [2]), (7, [5]), (12, [5, 10]), (50, [5, 10, 20])])
def test_cut_offs_are_the_usual_ones_up_to_the_length_of_the_lists(length, top_k, init):
    rows = [(user, 11 + place, 1 - place / 100) for user in (1, 2, 3) for place in range(length)]
    done = init({"test.csv": PLAIN["test.csv"], "als.csv": text(rows, ("user_id", "item_id", "score"))})
    assert done.evaluation["top_k"] == top_k


@pytest.mark.parametrize("column", ["skus", "recommended_skus"])
def test_a_column_of_any_name_with_lists_of_known_items_makes_lists(column, init):
    lists = text([(1, '"a-11,a-12"'), (2, '"a-13,a-11"'), (3, '"a-12,a-14"')], ("customer_id", column))
    events = text([(1, "a-11"), (1, "a-12"), (2, "a-13"), (3, "a-12")], ("customer_id", "sku"))
    done = init({"events.csv": events, "old.csv": lists, "users.csv": lists})
    assert (done.data["recommendations"]["old"]["split"], done.data["recommendations"]["old"]["columns"]["item"]) == (",", column)
    assert done.said["users.csv"].startswith("data.users")


def test_cut_offs_are_not_above_the_usual_lists_of_a_model(init):
    rows = {name: [(user, item, -item) for user in (1, 2, 3) for item in range(11, 11 + n)] for name, n in (("old", 10), ("new", 20))}
    files = {f"{name}.csv": text(of_one, ("user_id", "item_id", "score")) for name, of_one in rows.items()}
    done = init({"test.csv": PLAIN["test.csv"], **files})
    assert done.evaluation["top_k"] == [5, 10]
    assert "the usual lists of the models have 10 to 20 items: above 10 the models would not be compared like with like" in done.config


@pytest.mark.parametrize(
    ("ratings", "threshold"),
    [((5, 3, 4, 1), 4), ((4.5, 0.5, 3, 4), 4), ((1, 1, 1, 1), None), ((0, 1, 0, 1), None), ((9, 3, 10, 1), None), ((3, 2, 0, 1), None)],
)
def test_a_threshold_is_guessed_only_if_ratings_look_like_stars(ratings, threshold, init):
    rows = [(user, item, rating) for (user, item, *_), rating in zip(TEST, ratings, strict=True)]
    done = init({"test.csv": text(rows, HEADER[:3]), "als.csv": PLAIN["als.csv"]})
    assert done.evaluation["relevance"].get("threshold") == threshold
    assert ("like stars" in done.doubts) == (threshold is not None)


def test_of_two_possible_test_sets_one_is_chosen_and_the_other_is_a_comment(init):
    done = init({**PLAIN, "holdout.csv": text(TEST[:3], HEADER), "validation.csv": text(TRAIN[:2], HEADER)})
    assert done.data["test"]["path"] == "test.csv"
    assert "  # test: holdout.csv  # could also be the test set\n" in done.config
    assert "  # test: validation.csv  # a validation set, by its name\n" in done.config
    assert "test.csv is used as the test set; holdout.csv could also be the test set, and is a comment in the config" in done.doubts


def test_a_file_that_contains_the_test_pairs_is_not_used_as_train_set(init):
    done = init({"test.csv": PLAIN["test.csv"], "als.csv": PLAIN["als.csv"], "ratings.csv": text(TRAIN + TEST, HEADER)})
    assert "train" not in done.data
    assert "  # train: ratings.csv  # contains 100% of the test pairs: all interactions, not a train set\n" in done.config
    assert "ratings.csv contains 100% of the test pairs" in done.doubts


def test_the_only_interactions_are_the_test_set_if_they_have_recommended_pairs(init):
    done = init({"clicks.csv": text(pairs(TEST), ("user", "item")), "als.csv": PLAIN["als.csv"]})
    assert done.data["test"]["path"] == "clicks.csv"
    assert "no file name tells which file is the test set; clicks.csv is used as it" in done.doubts


def test_a_file_with_one_row_per_user_is_never_read_as_interactions(init):
    people = text([(user, "nurse", "Alien") for user in range(1, 30)], ("user_id", "job", "film"))
    done = init({**{name: PLAIN[name] for name in ("test.csv", "als.csv")}, "demography.csv": people})
    assert done.data["users"]["path"] == "demography.csv"
    assert done.said["demography.csv"].startswith("data.users: one row per user")


def test_lists_for_a_test_set_are_not_mistaken_for_the_test_set(init):
    done = init({"test.csv": PLAIN["test.csv"], "als_test.csv": PLAIN["als.csv"]})
    assert (done.data["test"]["path"], models(done)) == ("test.csv", {"als_test": "als_test.csv"})


def test_a_test_set_may_call_its_ratings_scores(init):
    done = init({"test.csv": text(TEST, ("user_id", "item_id", "score", "timestamp")), "als.csv": PLAIN["als.csv"]})
    assert done.data["test"]["columns"] == {"user": "user_id", "item": "item_id", "rating": "score", "timestamp": "timestamp"}
    assert done.values["als", "MRR@5"] == pytest.approx(STARS)


def test_ambiguous_columns_are_chosen_written_and_reported(init):
    rows = [(user, user, item, rating) for user, item, rating, _ in TEST]
    done = init({**PLAIN, "test.csv": text(rows, ("uid", "user_id", "item_id", "rating"))})
    assert done.data["test"]["columns"] == {"user": "uid", "item": "item_id", "rating": "rating"}
    assert "column 'uid' is used as the user; 'user_id' could also be the user" in done.doubts


@pytest.mark.parametrize(
    ("spell", "called"),
    [
        ("{:02}".format, "leading zeros"),
        (" {} ".format, "surrounding white space"),
    ],
)
def test_ids_that_differ_in_spelling_are_named(spell, called, init):
    rows = [(user, spell(item) if item == 11 else item, score) for user, item, score in SCORED]
    rows = [(spell(user) if user == 1 else user, item, score) for user, item, score in rows]
    done = init({"test.csv": PLAIN["test.csv"], "als.csv": text(rows, ("user_id", "item_id", "score"))})
    assert f"1 user ids of test.csv and als.csv differ in {called} only, such as '1' and {spell(1)!r}" in done.doubts
    assert "User ids are compared as text" in done.doubts


def test_ids_that_differ_in_case_are_named_and_without_common_ids_nothing_is_written(init, receval, folder):
    test = text([(f"U{user}", item) for user, item, *_ in TEST], ("user", "item"))
    lists = text([(f"u{user}", item, score) for user, item, score in SCORED], ("user", "item", "score"))
    folder({"test.csv": test, "als.csv": lists})
    code, out, err = receval("init", "-o", "config.yaml")
    assert (code, out) == (3, "")
    assert "3 user ids of test.csv and als.csv differ in upper and lower case only, such as 'U1' and 'u1'" in err
    assert "receval: no file has lists for test.csv: als.csv: it looks like lists, but has no user in common with test.csv" in err
    assert not Path("config.yaml").exists()


def test_a_spelling_that_several_files_share_is_reported_once(init):
    lists = text([(f"{user:02}" if user == 1 else user, item, score) for user, item, score in SCORED], ("user_id", "item_id", "score"))
    done = init({"test.csv": PLAIN["test.csv"], "a.csv": lists, "b.csv": lists})
    assert done.doubts.count("differ in leading zeros only") == 1
    assert "(also in 1 other file)" in done.doubts


def test_of_equally_good_files_those_beside_the_test_set_are_used(init):
    items = text(ITEMS, ("item_id", "title", "genres"), "\t")
    done = init(
        {f"{folder}/{name}": content for folder in ("b", "c") for name, content in {**PLAIN, "items.tsv": items}.items()},
        "b",
        "c/items.tsv",
        "c/train.csv",
    )
    assert [done.data[key]["path"] for key in ("test", "train", "items")] == ["b/test.csv", "b/train.csv", "b/items.tsv"]


def test_test_pairs_in_train_are_counted_over_distinct_pairs_of_users_in_both_files(receval, folder):
    folder({**PLAIN, "train.csv": PLAIN["train.csv"] + PLAIN["test.csv"].splitlines()[1] + "\n"})
    code, _, err = receval("init", "-o", "config.yaml")
    assert code == 0
    assert "distinct test pairs is also in it (of users in both files)" in err


def test_rows_without_a_value_are_left_out_by_the_config_and_a_run_is_not_refused(receval, folder):
    folder({**PLAIN, "test.csv": PLAIN["test.csv"] + "3,15,,1\n"})
    code, _, err = receval("init", "-o", "config.yaml")
    assert code == 0
    assert "not sure: test.csv: column 'rating' has no value in 1 row; the config leaves such rows out" in err
    assert "policy: {missing_values: drop}" in Path("config.yaml").read_text()
    code, out, _ = receval("run", "config.yaml")
    assert (code, "warning R02" in out) == (0, True)
    assert receval("run", "config.yaml", "--strict")[0] == 1
    assert receval("check", "config.yaml", "--set", "evaluation.policy.missing_values=error")[0] == 1


def test_results_in_the_folder_are_not_taken_for_data(receval, folder):
    folder(PLAIN)
    assert receval("init", "-o", "config.yaml")[0] == 0
    assert receval("run", "config.yaml", "-q", "-o", "results/main/", "-o", "out.json", "--set", "health=off")[0] == 0
    err = receval("init")[2]
    assert "results/main" not in err
    assert "out.json: left out: it contains results of receval\n" in err


def test_a_file_with_the_lists_of_several_models_is_written_with_their_column(receval, folder):
    both = text([(model, *row) for model in "ab" for row in SCORED], ("model", "user", "item", "score"))
    folder({**PLAIN, "all.csv": both})
    code, _, err = receval("init", "-o", "config.yaml")
    assert (code, "all.csv: the models a, b: the score in column 'score'; up to 5 items per user;" in err) == (0, True), err
    written = Path("config.yaml").read_text()
    assert "    - {path: all.csv, columns: {model: model}}" in written
    assert "    - {path: als.csv, name: als}" in written
    code, out, err = receval("run", "config.yaml", "--format", "csv", "--set", "health=off")
    assert code == 0, err
    assert {line.split(",")[1] for line in out.splitlines()} >= {"a", "b", "als"}


def test_an_unusable_file_is_left_out_with_the_reason(init):
    done = init(
        {
            **PLAIN,
            "notes.txt": "some words\nand more words\n",
            "broken.parquet": b"PAR1 and then nothing",
            "empty.csv": "",
            "results.csv": text([("als", "nDCG", 5, 0.1)], ("model", "metric", "k", "value")),
            "per_user.csv": text([(1, 0.1)], ("user", "nDCG@5")),
            "weird.csv": text([(1, 2)], ("alpha", "beta")),
            "nested.parquet": pl.DataFrame({"user": [1], "items": [[[1], [2]]]}),
            "python.csv": """user,items\n1,"[('11', 0.5), ('12', 0.4)]"\n2,"[('13', 1)]"\n""",
            "package.json": '{\n  "name": "als"\n}\n',
            "array.json": "[1, 2]\n",
            "floats.parquet": pl.DataFrame({"user": [1.0], "item": [2.0], "score": [0.5]}),
        }
    )
    assert done.said["broken.parquet"].startswith("left out: not a readable parquet file")
    assert done.said["empty.csv"] == "left out: the file is empty"
    assert done.said["results.csv"] == done.said["per_user.csv"] == "left out: it contains metric values"
    assert "no user or item column was recognised; the columns are 'alpha', 'beta'" in done.said["weird.csv"]
    assert done.said["notes.txt"].startswith("left out: ")
    assert done.said["nested.parquet"] == "left out: column 'items' is of type List(Int64) and cannot be an id"
    assert done.said["python.csv"].endswith("which is not a JSON array")
    assert done.said["package.json"] == "left out: user 'name': \"als\" is not a list of items"
    assert done.said["array.json"] == "left out: record 1: a JSON object was expected, not 1"
    assert "of type Float64 and cannot be an id" in done.said["floats.parquet"]
    assert models(done) == {"als": "als.csv"}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "there is no table in ."),
        (
            {"train.csv": PLAIN["train.csv"], "als.csv": PLAIN["als.csv"]},
            "no file looks like a test set: by name, train.csv is the train",
        ),
        ({"data.csv": PLAIN["train.csv"], "als.csv": PLAIN["als.csv"]}, "data.csv contains no recommended pair"),
        ({"als.csv": PLAIN["als.csv"]}, "no file looks like a test set, which has a user and an item column"),
        ({"test.csv": PLAIN["test.csv"], "train.csv": PLAIN["train.csv"]}, "no file looks like recommendations"),
        (
            {"notes.txt": "one\ntwo\n"},
            "no file looks like recommendations: these have a user column, an item column, and a score or rank, and",
        ),
    ],
)
def test_without_a_test_set_or_lists_one_sentence_says_so_and_nothing_is_written(files, message, receval, folder):
    folder(files)
    code, out, err = receval("init", "-o", "new/config.yaml")
    assert (code, out) == (3, "")
    assert f"receval: {message}" in err
    assert not Path("new").exists()


def test_a_named_file_that_does_not_exist_is_reported(receval, folder):
    folder(PLAIN)
    assert receval("init", "test.csv", "gone.csv")[::2] == (3, "receval: there is no file gone.csv\n  give files or a folder\n")


def test_files_and_folders_can_be_named_and_paths_are_relative_to_the_config(receval, folder):
    here = folder({"data/test.csv": PLAIN["test.csv"], "data/recs/als.csv": PLAIN["als.csv"], "data/recs/old.csv": PLAIN["als.csv"]})
    code, _, _ = receval("init", "data/test.csv", "data/recs/als.csv", "-o", "configs/one.yaml")
    assert code == 0
    assert load_config("configs/one.yaml").resolved()["data"]["test"]["path"] == "../data/test.csv"
    assert receval("run", "configs/one.yaml", "-q")[0] == 0
    assert receval("init", here / "data", "-o", "two.yaml")[0] == 0
    data = load_config("two.yaml").resolved()["data"]
    assert {name: given["path"] for name, given in data["recommendations"].items()} == {
        name: str(here / "data" / "recs" / f"{name}.csv") for name in ("als", "old")
    }


def test_a_config_is_only_overwritten_by_force(receval, folder):
    folder({**PLAIN, "config.yaml": "mine"})
    code, _, err = receval("init", "-o", "config.yaml")
    assert (code, Path("config.yaml").read_text()) == (2, "mine")
    assert "--force" in err
    assert receval("init", "-o", "config.yaml", "--force")[0] == 0
    assert load_config("config.yaml").config.evaluation.top_k == (5,)


def test_names_that_are_special_in_yaml_or_a_shell_read_back(init):
    files = {"test.csv": PLAIN["test.csv"], "no.csv": PLAIN["als.csv"], "1e3.csv": PLAIN["als.csv"], "a: b #$X.csv": PLAIN["als.csv"]}
    files |= {"nbsp\u00a0.csv": PLAIN["als.csv"], "two\nlines.csv": PLAIN["als.csv"], "[1].csv": PLAIN["als.csv"]}
    names = ("[1]", "1e3", "a: b #$X", "nbsp\u00a0", "no", "two\nlines")
    assert models(init(files)) == {name: f"{name}.csv" for name in names}


def test_a_file_name_that_is_not_valid_text_is_reported(receval, folder):
    here = folder(PLAIN)
    Path(os.fsdecode(os.fsencode(here) + b"/\xff.csv")).write_text(PLAIN["als.csv"])
    code, out, err = receval("init")
    assert (code, out) == (3, "")
    assert "is not UTF-8 text," in err


def test_models_of_the_same_name_get_different_names(init):
    rows = pl.DataFrame(SCORED, schema=["user", "item", "score"], orient="row")
    done = init(
        {"test.csv": PLAIN["test.csv"], "recs_als.csv": PLAIN["als.csv"], "recs_als.parquet": rows, "recs_bpr.csv": PLAIN["als.csv"]}
    )
    assert models(done) == {"bpr": "recs_bpr.csv", "recs_als_csv": "recs_als.csv", "recs_als_parquet": "recs_als.parquet"}


def test_the_schema_is_named_for_editors_if_it_exists(init):
    modeline = "# yaml-language-server: $schema=receval.schema.json\n"
    assert init({**PLAIN, "receval.schema.json": "{}"}).config.startswith(modeline)


def test_blank_lines_before_the_table_do_not_matter(init):
    done = init({**PLAIN, "test.csv": "\n" * 60 + PLAIN["test.csv"]})
    assert done.values["als", "MRR@5"] == pytest.approx(STARS)


def test_roles_are_not_guessed_from_names_of_folders_above_all_files(receval, folder):
    here = folder({f"test/runs/{name}": content for name, content in PLAIN.items()})
    assert receval("init", *sorted(map(str, (here / "test" / "runs").iterdir())), "-o", "config.yaml")[0] == 0
    data = load_config("config.yaml").resolved()["data"]
    assert [os.path.basename(data[key]["path"]) for key in ("test", "train")] == ["test.csv", "train.csv"]


@pytest.mark.parametrize(
    "arguments", [("a.csv", "--demo", "d"), ("a.csv", "--from", "x.yml"), ("--demo", "d", "-o", "x"), ("--demo", "d", "--from", "x")]
)
def test_the_ways_to_call_init_cannot_be_combined(arguments, receval, folder):
    folder({})
    code, _, err = receval("init", *arguments)
    assert code == 2
    assert "--demo" in err


def test_results_of_a_run_are_not_looked_at_and_arrays_are_left_out_with_a_reason(init):
    done = init(
        {
            "test.csv": text([(user, user) for user in range(9)], ("user", "item")),
            "sasrec.csv": text([(user, item, 9.5 - item) for user in range(9) for item in range(9)], ("user", "item", "score")),
            "bert.npy": b"\x93NUMPY",
            "out/manifest.json": "{}",
            "out/results.json": "{}",
            "out/results.csv": text([("als", "nDCG", 5, 0.1)], ("model", "metric", "k", "value")),
        }
    )
    assert set(done.said) == {"test.csv", "sasrec.csv", "bert.npy"}
    assert done.said["bert.npy"].startswith("left out: receval does not read NumPy files")


def test_coverage_and_novelty_are_not_suggested_for_sampled_candidates(init):
    files = {
        "test.csv": text([(user, user) for user in range(9)], ("user", "item")),
        "train.csv": text([(user, user + 1) for user in range(9)], ("user", "item")),
        "sasrec.csv": text([(user, item, 9.5 - item) for user in range(9) for item in range(9)], ("user", "item", "score")),
    }
    assert "ItemCoverage@5" in init(files).evaluation["metrics"]
    files["candidates.csv"] = text([(user, item) for user in range(9) for item in range(9)], ("user", "item"))
    assert init(files, "--force").evaluation["metrics"] == ["HitRate@5", "nDCG@5", "MRR@5"]
    files["test.csv"] += "0,0\n1,1\n"
    assert init(files, "--force").evaluation["metrics"] == ["HitRate@5", "nDCG@5", "MRR@5"]  # two events were written twice


def test_ratings_alone_are_answered_with_what_receval_needs(receval, folder):
    folder({"ratings.csv": PLAIN["train.csv"]})
    code, _, err = receval("init")
    assert code == 3
    assert "receval: no file looks like recommendations: these have a user column, an item column, and a score or rank\n" in err
    assert "receval needs a test set and the lists of a model; it does not split data and does not train." in err


def test_a_log_with_times_gets_an_example_of_a_split_by_time(init, receval, tmp_path):
    rows = [(user, item, event, f"2026-10-{item} 08:00:00") for user in (1, 2) for item in range(11, 21) for event in ("view", "buy")]
    log = text(rows, ("user_id", "item_id", "event", "event_time"))
    config = init({"log.csv": log, "als.csv": PLAIN["als.csv"]}).config
    example = [line.strip() for line in config.splitlines() if "2026-10-19" in line]
    after, before = "event == 'buy' and event_time >= '2026-10-19'", "event == 'buy' and event_time < '2026-10-19'"
    assert example[0] == f'# where: "{after}"  # an example of a split by time, from 2026-10-19 on, with this train set:'
    assert example[1].startswith("# train: {path: log.csv")
    assert before in example[1].replace("''", "'")
    without = [line for line in config.splitlines() if "# where: \"event == 'buy'\"" not in line]
    (tmp_path / "split.yaml").write_text("\n".join(without).replace("# where", "where").replace("# train", "train"))
    data = load_config(tmp_path / "split.yaml").config.data
    assert (data.test.where, data.train.where) == (after, before)


@pytest.mark.parametrize("time", ["18.10.2026", "1788220861", "2026-10-19", "17"])
def test_times_of_one_day_or_in_another_layout_get_no_example_of_a_split(time, init):
    log = text([(user, item, time) for user in (1, 2) for item in range(11, 21)], ("user_id", "item_id", "event_time"))
    assert "split by time" not in init({"log.csv": log, "als.csv": PLAIN["als.csv"]}).config
