"""`receval check`, and the effect of its findings on `receval run`."""

from __future__ import annotations

import json
import shlex

import polars as pl
import pytest

CONFIG = """
data: {{test: test.csv, recommendations: {{m: lists.csv}}}}
evaluation: {{metrics: [Precision, nDCG], top_k: [2], policy: {{{policy}}}}}
health: {{{health}}}
"""
TEST = "user,item\n1,10\n1,11\n2,12\n3,13\n"
CLEAN = "user,item,score\n1,10,3\n1,11,2\n2,12,3\n2,10,2\n3,9,3\n3,13,2\n"
UNMADE = (
    "no ranks: R03; no data.train or data.items: R07, X12; no graded relevance: T03; no data.train: X05 to X11, X14; no AUC or GAUC: X15; "
    "no measures under exposure: X17"
)


@pytest.fixture
def config(write):
    def config(lists: str, policy: str = "", health: str = "T04: off"):
        write("test.csv", TEST)
        write("lists.csv", lists)
        return write("config.yaml", CONFIG.format(policy=policy, health=health))

    return config


def test_clean_files_have_no_findings_and_exit_0(receval, config):
    assert receval("check", config(CLEAN)) == (
        0,
        "16 of 31 health checks ran and found nothing; 14 had nothing to look at; 1 is off.\n"
        f"Checks that did not run: {UNMADE}; off: T04.\n",
        "",
    )


def test_ids_that_would_match_after_cleaning_are_named_with_both_files_and_what_to_write(receval, config, write):
    path = config(CLEAN)
    write("train.csv", "user,item\n1.0,10\n2.0,11\n")
    code, out, _ = receval("check", path, "--set", "data.train=train.csv")
    assert code == 1
    assert "2 of 3 user ids (66.7 %) of data.test (test.csv) would match data.train (train.csv) after cleaning (a final .0 2)." in out
    assert "for example: '1' would match '1.0'; '2' would match '2.0'" in out
    assert "write whole numbers without .0 (in pandas .astype('Int64') before saving); or read them as integers:\n" in out
    cure = """--set 'data.train.columns.user={"column": "user", "as": "integer"}'"""
    assert f"\n    {cure}\n" in out
    assert "X04" not in receval("check", path, "--set", "data.train=train.csv", *shlex.split(cure))[1]


def test_checks_that_did_not_run_are_named_with_the_reason_and_do_not_sound_like_a_failure(receval, config):
    path = config(CLEAN, health="T04: off, R04: off")
    _, out, _ = receval("run", path, "--format", "json")
    checks = json.loads(out)["checks"]
    assert checks["not_made"]["X05"] == "no data.train"
    assert checks["not_made"]["R04"] == "off"
    assert "R01" in checks["made"]
    assert len(checks["made"]) + len(checks["not_made"]) == 31
    _, out, _ = receval("run", path)
    assert "15 of 31 health checks ran and found nothing; 14 had nothing to look at; 2 are off (receval run -v has the details).\n" in out
    assert json.loads(receval("run", path, "--format", "json", "--set", "health=off")[1])["checks"]["made"] == []


def test_a_failed_error_exits_1_and_the_results_are_written(receval, config, tmp_path):
    path = config(CLEAN + "3,13,1\n")
    code, out, err = receval("run", path, "-o", f"{tmp_path}/out/", "--format", "csv")
    assert code == 1
    assert out.startswith("run_id,model,measure,metric,k,aggregate,")
    assert err.startswith("error R01  m: 1 of 7 rows (14.3 %) repeat an item of the same list, for 1 user.")
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    (finding,) = [problem for problem in results["findings"] if problem["severity"] == "error"]
    assert (finding["check"], finding["model"], finding["count"], finding["total"]) == ("R01", "m", 1, 7)
    assert finding["examples"] == ["user 3, item 13"]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["findings"] == results["findings"]
    assert "- **error R01** m: 1 of 7 rows" in (tmp_path / "out" / "results.md").read_text()


def test_warnings_fail_only_on_request(receval, config):
    path = config(CLEAN.replace("3,9,3\n3,13,2\n", ""))
    assert receval("check", path)[0] == 0
    code, out, _ = receval("check", path, "--strict")
    assert code == 1
    assert "warning X01  m: 1 of 3 users with relevant items (33.3 %) have no list, and count 0." in out
    assert receval("run", path, "--strict")[0] == 1


def test_a_strict_run_counts_warnings_as_errors_in_its_files_and_says_so(receval, config, tmp_path):
    path = config(CLEAN.replace("3,9,3\n3,13,2\n", ""), health="T04: off")
    said = "--strict counts warnings of the health checks as errors"
    code, out, err = receval("run", path, "--strict", "-q", "-o", f"{tmp_path}/out/", "-o", f"{tmp_path}/r.xml")
    assert (code, out) == (1, "")
    assert f"receval: exit code 1 because of X01 ({said}): fix the files" in err
    assert ' failures="1"' in (tmp_path / "r.xml").read_text()
    assert (
        f"- ✖ The health checks found 1 error (X01); {said}." in receval("report", tmp_path / "out", "--format", "github-comment", "-q")[1]
    )
    assert receval("run", path, "--inconclusive", "fail", "-q") == (0, "", "")


def test_the_config_sets_severities_and_limits(receval, config):
    short = CLEAN.replace("3,9,3\n3,13,2\n", "")
    assert receval("check", config(short, health="T04: off, X01: error"))[0] == 1
    assert receval("check", config(short, health="T04: off, X01: {severity: error, max_share: 0.4}"))[0] == 0
    code, out, _ = receval("check", config(short, health="T04: off, X01: off"))
    assert (code, "warning X01" in out) == (0, False)
    assert receval("check", config(short, health="X01: info"), "--strict", "--set", "health.T04=off")[0] == 0


def test_all_checks_can_be_switched_off(receval, write, config):
    path = config(CLEAN + "3,13,1\n")
    code, out, err = receval("run", path, "--set", "health=off")
    assert (code, err) == (0, "")
    assert "Health" not in out
    assert "R01" not in out


def test_the_offending_rows_are_stored(receval, config, tmp_path):
    code, _, _ = receval("check", config(CLEAN + "3,13,1\n"), "--store-failures", tmp_path / "failures")
    assert code == 1
    rows = pl.read_parquet(tmp_path / "failures" / "R01.m.parquet").sort("score")
    assert rows.select("user", "item", "score").rows() == [(3, 13, 1.0), (3, 13, 2.0)]


def test_rows_with_missing_values_are_stored_and_the_first_of_all_columns_is_named(receval, config, tmp_path):
    odd = CLEAN.replace("1,11,2\n", "1,11,inf\n") + "\n1,,1\n2,13,\n"
    _, out, _ = receval("check", config(odd), "--store-failures", tmp_path)
    assert "the first: lists.csv, line 3: score is not a finite number.\n" in out
    assert "line 3: score is not a finite number; lists.csv, line 9: no value for item; lists.csv, line 10: no value for score\n" in out
    rows = pl.read_parquet(tmp_path / "R02.m.parquet")
    assert rows.columns == ["user", "item", "score"]
    assert rows.rows() == [(1, 11, float("inf")), (1, None, 1.0), (2, 13, None)]


def test_only_the_stored_rows_of_an_earlier_run_are_removed(receval, config, tmp_path):
    folder = tmp_path / "failures"
    receval("check", config(CLEAN + "3,13,1\n"), "--store-failures", folder)
    others = ("R01.txt", "R01x.parquet", "mine.parquet")
    for name in others:
        (folder / name).write_text("mine")
    receval("check", config(CLEAN), "--store-failures", folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(others)


def test_files_with_nothing_in_common_are_an_error_with_a_guess(receval, config):
    code, out, _ = receval("check", config(CLEAN.replace(",1", ",01").replace(",9,", ",09,")))
    assert code == 1
    assert "error X03  m: No item of data.recommendations.m is in data.test: data.test ('item', integers) has '10', '11', '12'" in out
    assert "error X04  m: " in out
    assert "leading zeros" in out
    code, out, _ = receval("run", config(CLEAN.replace("\n", "\nu").removesuffix("u")))
    assert code == 1
    assert "No user of data.recommendations.m is in data.test" in out


@pytest.mark.parametrize(
    ("policy", "lists"),
    [
        ("duplicates: error", CLEAN + "3,13,1\n"),
        ("missing_lists: error", CLEAN.replace("3,9,3\n3,13,2\n", "")),
        ("no_truth: error", CLEAN + "4,13,1\n"),
        ("tie_order: error", CLEAN.replace("2,10,2", "2,10,3")),
    ],
)
def test_data_that_the_policy_forbids_fail_a_run_and_are_named_by_check(policy, lists, receval, config):
    code, out, err = receval("run", config(lists, policy))
    assert (code, out) == (3, "")
    assert f"evaluation.policy.{policy.partition(':')[0]} is set to error." in err
    code, out, _ = receval("check", config(lists, policy))
    assert code == 1
    assert "error " in out
    assert receval("run", config(CLEAN, policy))[0] == 0


@pytest.mark.parametrize("command", [("explain", "nDCG@2", "--user", "1"), ("audit",)])
def test_commands_without_a_policy_do_not_mention_data_that_it_forbids(command, receval, config):
    path = config(CLEAN + "3,13,1\n", "duplicates: error")
    name, *more = command
    code, _, err = receval(name, *more, path)
    assert (code, err) == (0, "")


def test_rows_with_missing_values_are_refused_dropped_or_named(receval, config):
    odd = CLEAN + "1,,1\n2,13,nan\n"
    code, _, err = receval("run", config(odd))
    assert code == 3
    assert "line 8: no value for item" in err
    code, out, _ = receval("run", config(odd, "missing_values: drop"), "--format", "csv")
    assert code == 0  # whoever asks to leave them out gets a warning
    assert ",m,Precision@2,Precision,2,mean,,,,,0.6666666666666666," in out
    code, out, _ = receval("check", config(odd))
    assert code == 1
    assert "error R02  m: 2 of 8 rows of data.recommendations.m (25.0 %) lack a value" in out


def test_counted_users_are_shown_on_request(receval, config):
    _, out, _ = receval("run", config(CLEAN.replace("3,9,3\n3,13,2\n", "4,1,1\n")), "-v")
    assert "Users that were counted" in out
    assert "3 test users, 3 with a list, 2 both: 3 count, 1 (no list) filled in; 1 with a list has no test row" in out
    assert "note X02" in out


def test_train_is_read_only_if_a_check_needs_it(receval, config, write):
    path = config(CLEAN)
    write("train.csv", "user,item\n1,\n")
    train = ["--set", "data.train=train.csv"]
    assert receval("run", path, *train)[0] == 3
    off = ("R07", "X05", "X06", "X07", "X08", "X09", "X10", "X11", "X12", "X14")
    code, out, _ = receval("run", path, *train, *(part for name in off for part in ("--set", f"health.{name}=off")))
    assert code == 0
    assert "Precision" in out


def test_models_with_similar_names_all_keep_their_stored_rows(receval, config, tmp_path):
    names = ("x/y", "x_y", "x_y.2", "x%2Fy", "x+2")
    models = [f"--recs={name}={tmp_path / 'lists.csv'}" for name in names]
    receval("check", config(CLEAN + "3,13,1\n"), *models, "--store-failures", tmp_path / "failures")
    stored = {path.name for path in (tmp_path / "failures").glob("R01.*")}
    assert stored == {
        "R01.m.parquet",
        "R01.x%2Fy.parquet",
        "R01.x_y.parquet",
        "R01.x_y.2.parquet",
        "R01.x%252Fy.parquet",
        "R01.x%2B2.parquet",
    }


@pytest.mark.parametrize(
    ("of", "said"), [("users", "then every list belongs to the wrong user"), ("items", "then every row has the wrong item")]
)
def test_lists_whose_ids_begin_at_0_are_named(of, said, receval, folder):
    def rows(shifted):
        user, item = shifted and of == "users", shifted and of == "items"
        return "user,item\n" + "".join(f"{number - user},{number - item}\n" for number in range(1, 40))

    folder(
        {
            "t.csv": rows(False),
            "train.csv": "user,item\n" + "".join(f"{number},{number % 39 + 1}\n" for number in range(1, 40)),
            "l.csv": rows(True),
        }
    )
    files = ("--test", "t.csv", "--train", "train.csv", "--recs", "als=l.csv", "-m", "HitRate@5")
    out = receval("run", *files)[1]
    assert (
        f"als: only {of[:-1]} 0 is not in the other files: these ids may start at 0 and those of the other files at 1; {said}."
        in " ".join(out.split())
    )
    folder({"l.csv": rows(False)})
    assert "is not in the other files" not in receval("run", *files)[1]


def test_a_file_with_a_column_of_models_is_read_as_the_lists_of_each(receval, folder):
    rows = [(model, user, item, 1 - item / 10) for model in ("als", "knn") for user in (1, 2) for item in (1, 2)]
    lists = "model,user,item,score\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)
    folder({"test.csv": "user,item\n1,1\n2,2\n", "all.csv": lists})
    code, _, err = receval("check", "--test", "test.csv", "--recs", "all.csv")
    said = "als, knn: read as: user = 'user', item = 'item', score = 'score', model = 'model'; 2 models: als, knn."
    assert (code, said in err) == (0, True)
    one = ("--recs", "als=all.csv", "--set", "data.recommendations.als.where=model == 'als'")
    assert receval("check", "--test", "test.csv", *one)[0] == 0
    code, _, err = receval("check", "--test", "test.csv", "--recs", "mine=all.csv")
    assert (code, "mine: all.csv: the lists are of 2 models, als, knn, in 'model'" in err) == (3, True)
    mine = ("--recs", "mine=all.csv", "--set", "data.recommendations.mine.columns.model=model")
    results = json.loads(receval("run", "--test", "test.csv", *mine, "-m", "MRR@2", "--format", "json")[1])["results"]
    assert [row["model"] for row in results] == ["als", "knn"]


def test_the_id_of_a_check_instead_of_a_config_explains_it(receval):
    code, out, err = receval("check", "r04")
    assert (code, err) == (0, "")
    assert out.startswith("R04: scores in a list are tied, so their order is arbitrary\n")
    for text in ("`warn`, unless the config says otherwise", "needs       scores", "break ties in the model", "max_share", "width"):
        assert text in out
    assert json.loads(receval("check", "X07", "--format", "json")[1])["check"]["needs"] == ["train", "times"]


def test_a_file_named_like_a_check_is_a_config(config, receval):
    path = config(CLEAN)
    path.rename(path.parent / "R01")
    assert "health checks" in receval("check", path.parent / "R01")[1]


def test_select_runs_only_the_checks_of_these_ids_and_patterns(receval, config):
    path = config(CLEAN.replace("1,10,3", "1,10,3\n1,10,1"), health="T04: off, R01: {severity: warn}")
    out = receval("check", path, "--select", "t*, r02", "--format", "json")[1]
    checks = json.loads(out)["checks"]
    assert checks["made"] == ["R02", "T01", "T02", "T04"]  # T04 is selected, though the config turns it off
    assert checks["not_made"]["R01"] == "off"
    assert receval("check", path, "--select", "X*")[0] == 0
    out = receval("check", path, "--select", "R01")[1]
    assert out.startswith("warning R01")  # the severity of the config
    assert "1 of 31 health checks ran and found 1 warning; 30 are off." in out


def test_select_refuses_an_id_that_no_check_has(receval, config):
    code, out, err = receval("check", config(CLEAN), "--select", "R01,Q*")
    assert (code, out) == (2, "")
    assert err == "receval: --select Q*: there is no such check\n  write ids and patterns such as R01,X*; docs/checks.md lists all checks\n"


def test_an_item_that_fills_lists_up_is_left_out_by_the_option_under_the_finding(receval, folder):
    folder({"test.csv": "user,item\n1,10\n2,12\n", "lists.csv": 'user,items\n1,"[10, 12, -1, -1]"\n2,"[12, -1, -1, -1]"\n'})
    given = ("check", "--test", "test.csv", "--recs", "m=lists.csv")
    out = receval(*given)[1]
    cure = """--set 'data.recommendations.m.padding=["-1"]'"""
    assert f"or leave -1 out, which may only fill lists up:\n    {cure}\n" in out
    assert "R01" not in receval(*given, *shlex.split(cure))[1]
