"""A folder of results reads back unchanged, or is refused in one sentence."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import polars as pl
import pytest
from msgspec.structs import replace
from receval import load_config, run
from receval.comparison.best_models import with_conclusions
from receval.comparison.comparison_options import ComparisonOptions
from receval.results.result import StoredUsers, columns_of, select
from receval.storage.result_folder import load
from receval.support.errors import DataError

from tests.conftest import built_once
from tests.sizes import some

TEST = "user,item,rating\n1,a,5\n1,b,3\n2,a,4\n2,c,5\n3,b,4\n4,c,4\n"
KNN = "user,item,score\n1,a,3\n1,b,2\n2,b,9\n2,c,1\n3,c,2\n3,b,1\n4,a,1\n"
USERS = "user,plan\n1,free\n2,paid\n3,free\n"
TRAIN = "user,item\n1,c\n2,b\n2,d\n3,a\n"
CONFIGS = {
    "groups": "data: {test: test.csv, recommendations: {knn: knn.csv}, train: train.csv, users: users.csv}\n"
    "evaluation: {metrics: [nDCG, Recall, ItemCoverage, 'F1(beta=2)', '0.5*nDCG@2 + 0.5*Recall@2'], top_k: [1, 2],\n"
    "  by: [users.plan, cold]}\n",
    "aggregates": "data: {test: test.csv, recommendations: {knn: knn.csv}}\n"
    "evaluation: {metrics: [Precision], top_k: 2, aggregates: [mean, micro, std, ci95, median]}\n",
    "runs": "data: {test: test.csv, recommendations: {knn: {runs: [knn.csv, other.csv]}, other: other.csv}}\n"
    "evaluation: {metrics: [nDCG@2], yardsticks: [oracle]}\n",
    "folds": "data: {folds: [{test: test.csv, recommendations: {knn: knn.csv}}, {test: test.csv, recommendations: {knn: other.csv}}]}\n"
    "evaluation: {metrics: [nDCG@2]}\noutput: {describe: true}\n",
}


@pytest.fixture
def saved(receval, tmp_path):
    """Return a function that evaluates a config into the folder `out`, and gives the folder and the config."""

    def saved(config, *arguments):
        built_once(tmp_path, build, config, arguments)
        return tmp_path / "out", tmp_path / "config.yaml"

    def build(config, arguments):
        for name, text in (("test", TEST), ("knn", KNN), ("other", KNN.replace("9", "0")), ("users", USERS), ("train", TRAIN)):
            Path(f"{name}.csv").write_text(text)
        Path("config.yaml").write_text(config)
        code, _, err = receval("run", "config.yaml", "-q", "-o", "out/", *arguments)
        assert code in (0, 1), err

    return saved


@pytest.mark.parametrize("config", CONFIGS)
def test_a_folder_reads_back_unchanged(config, saved):
    folder, path = saved(CONFIGS[config])
    loaded = load_config(path)
    assert load(folder) == with_conclusions(run(loaded, describes=loaded.config.output.describe), ComparisonOptions())


def test_only_the_requested_columns_are_read(saved):
    users = load(saved(CONFIGS["groups"])[0]).per_user
    assert isinstance(users, StoredUsers)
    unread = StoredUsers(users.columns, lambda model, names: pytest.fail(f"{model} was read"))
    assert ("knn" in unread, "other" in unread, list(unread)) == (True, False, ["knn"])
    assert list(columns_of(users, "knn")) == ["user", "n_relevant", "n_recommended", "users.plan", "cold",
                                              "nDCG@1", "nDCG@2", "Recall@1", "Recall@2", "F1(beta=2)@1", "F1(beta=2)@2",
                                              "0.5*nDCG@2 + 0.5*Recall@2"]  # fmt: skip
    assert select(users, "knn", ["user", "Recall@1"]).rows() == [(1, 0.5), (2, 0.0), (3, 0.0), (4, 0.0)]
    assert select(users, "knn", ["users.plan"])["users.plan"].to_list() == ["free", "paid", "free", "(missing)"]


def test_values_of_a_pooled_measure_have_their_numerator_and_denominator(saved):
    users = load(saved(CONFIGS["aggregates"])[0]).per_user["knn"]
    assert users["Precision@2 numerator"].to_list() == [2, 1, 1, 0]
    assert users["Precision@2 denominator"].to_list() == [2, 2, 2, 2]


def test_definitions_have_every_axis_and_the_threshold(saved):
    result = load(saved(CONFIGS["groups"], "--set", "evaluation.relevance.threshold=4")[0])
    definition = result.definitions["nDCG"]
    assert (definition.threshold, definition.axes["ndcg_gain"], definition.axes["missing_lists"]) == (4.0, "exp2", "zero")
    assert list(result.definitions["0.5*nDCG@2 + 0.5*Recall@2"].components) == ["nDCG@2", "Recall@2"]


def test_every_mean_over_users_has_its_standard_deviation(saved):
    rows = {(row.label, row.group): row for row in load(saved(CONFIGS["groups"])[0]).long_rows}
    assert rows["Recall@1", None].std == pytest.approx(0.25)  # of 1/2, 0, 0, 0
    assert rows["Recall@1", "free"].std == pytest.approx(0.125**0.5)  # of 1/2 and 0
    assert rows["Recall@1", "paid"].std is None
    assert rows["ItemCoverage@1", None].std is None


def with_sha256(content):
    """Write the hashes of the inputs as format 5 wrote them."""
    files = [file for source in content["inputs"] for file in source["files"]]
    for number, file in enumerate(files):
        file["sha256"] = file.pop("hash").removeprefix("blake3:")[::-1] + str(number)


def test_results_of_the_format_before_conclusions_are_still_read(saved):
    folder, _ = saved(CONFIGS["runs"])
    now = load(folder)
    content = json.loads((folder / "results.json").read_text())
    assert len(content.pop("conclusions")) == 1
    with_sha256(content)
    text = json.dumps(content | {"format_version": 4})
    (folder / "results.json").write_text(text)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest.pop("sha256", None)  # that version did not write it
    for output in manifest["outputs"]:
        if output["path"] == "results.json":
            output |= {"bytes": len(text.encode()), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    old = load(folder)
    assert replace(old, inputs=now.inputs) == replace(now, conclusions=())
    before, after = ([file for source in result.inputs for file in source.files] for result in (old, now))
    assert all(first.hash.startswith("sha256:") and first.may_equal(other) for first, other in zip(before, after, strict=True))
    assert not before[0].may_equal(before[1])


def test_results_of_formats_that_cannot_be_compared_are_refused(saved):
    folder, _ = saved(CONFIGS["aggregates"])
    content = json.loads((folder / "results.json").read_text())
    (folder / "results.json").write_text(json.dumps(content | {"format_version": 3}))
    with pytest.raises(DataError, match=r"written by an earlier version of receval \(format 3; this version reads formats 4 to 7\)"):
        load(folder)


def damaged_json(folder):
    (folder / "results.json").write_text("{")
    return "results.json: this is not valid JSON: the file is damaged"


def other_results(folder):
    text = (folder / "results.json").read_text()
    (folder / "results.json").write_text(text.replace("knn", "kmm"))
    return "results.json: this is not the file that the manifest lists: the folder is incomplete or mixed"


def users_gone(folder):
    (folder / "per_user.parquet").unlink()
    return "per_user.parquet is missing, but the manifest lists it"


def users_cut(folder):
    with open(folder / "per_user.parquet", "r+b") as file:
        file.truncate(100)
    return "per_user.parquet: this is not the file that the manifest lists"


def no_manifest(folder):
    (folder / "manifest.json").unlink()
    return "there is no manifest.json, so this is not a result folder"


def no_results_in_manifest(folder):
    (folder / "manifest.json").write_text("{}")
    return "manifest.json: this was not written by receval"


def other_users_of_one_size(folder):
    path = folder / "per_user.parquet"
    content = path.read_bytes()
    path.write_bytes(content[:-100] + bytes(100))
    assert path.stat().st_size == len(content)
    return "per_user.parquet: this is not the file that the manifest lists"


def other_manifest(folder):
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace("test.csv", "best.csv"))
    return "manifest.json: its content has changed since it was written: the file is damaged"


def other_name_in_a_manifest_without_checksum(folder):
    content = without_checksum(folder)
    (folder / "manifest.json").write_text(json.dumps(content).replace("per_user.parquet", "per_used.parquet"))
    return "manifest.json: it lists per_used.parquet, which receval never writes: the file is damaged"


def endless_json(folder):
    (folder / "results.json").write_text("[" * 100_000)
    return "results.json: this is not valid JSON: the file is damaged"


def without_checksum(folder):
    """Write the manifest as earlier versions did."""
    content = json.loads((folder / "manifest.json").read_text())
    del content["sha256"]
    (folder / "manifest.json").write_text(json.dumps(content))
    return content


DAMAGES = [damaged_json, other_results, users_gone, users_cut, no_manifest, no_results_in_manifest, other_users_of_one_size, other_manifest,
           other_name_in_a_manifest_without_checksum, endless_json]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_refused(damage, saved):
    folder, _ = saved(CONFIGS["aggregates"])
    sentence = damage(folder)
    with pytest.raises(DataError) as refused:
        load(folder)
    assert sentence in str(refused.value)
    assert "evaluate again with receval run" in str(refused.value.hint)


def test_a_folder_whose_manifest_has_no_checksum_is_read_and_its_files_are_checked(saved):
    folder, path = saved(CONFIGS["aggregates"])
    without_checksum(folder)
    assert load(folder) == run(load_config(path))
    users_cut(folder)
    with pytest.raises(DataError, match=r"per_user\.parquet: this is not the file that the manifest lists"):
        load(folder)


@pytest.mark.parametrize("change", ["other", "touched", "gone"])
def test_per_user_values_that_change_after_their_check_are_refused(change, saved):
    folder, _ = saved(CONFIGS["runs"])
    users, path = load(folder).per_user, folder / "per_user.parquet"
    assert users["knn"].height == 8  # 4 users, 2 runs
    if change == "gone":
        path.unlink()
    elif change == "touched":  # its content may have changed since: it was not read yet
        os.utime(path, ns=(0, 0))
    else:
        path.write_bytes(b"PAR1" * 10)
    with pytest.raises(DataError, match=r"per_user\.parquet changed after its hash was checked"):
        users["knn"]


def test_an_unreadable_file_with_the_right_hash_is_refused_in_one_sentence(saved):
    folder, _ = saved(CONFIGS["runs"])
    broken = b"PAR1 this is no Parquet PAR1"
    (folder / "per_user.parquet").write_bytes(broken)
    content = without_checksum(folder)
    for output in content["outputs"]:
        if output["path"] == "per_user.parquet":
            output |= {"bytes": len(broken), "sha256": hashlib.sha256(broken).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"per_user\.parquet: cannot be read"):
        load(folder)


def test_a_folder_without_per_user_values_has_none(saved):
    folder, _ = saved(CONFIGS["aggregates"], "--set", "output.per_user=false")
    assert load(folder).per_user == {}
    assert pl.read_parquet(folder / "results.parquet")["ci_low"].null_count() < 5


OLD = Path(__file__).parent / "results_of_format_6"
"""A folder of format 6, whose tables have 37 columns, and the files that it was evaluated from."""


@pytest.fixture
def old_and_new(tmp_path, receval):
    """Return a folder of an earlier version, and one of this version of the same data with other lists of pop."""
    work = Path(shutil.copytree(OLD, tmp_path / "old"))
    (work / "pop.csv").write_text((work / "pop.csv").read_text().replace("2,a,9", "2,a,0"))
    assert receval("run", work / "config.yaml", "-q", "-o", f"{tmp_path}/new/")[0] == 0
    return OLD, tmp_path / "new"


def test_an_older_folder_has_the_values_that_this_version_computes(receval, tmp_path):
    assert receval("run", OLD / "config.yaml", "-q", "-o", f"{tmp_path}/new/")[0] == 0
    old, new = load(OLD), load(tmp_path / "new")
    assert (old.rows, old.by_group, old.repeated) == (new.rows, new.by_group, new.repeated)
    assert old.value_rows() == [replace(row, run_id=old.run_id) for row in new.value_rows()]
    assert old.ledger_rows() == [replace(row, run_id=old.run_id) for row in new.ledger_rows()]


@pytest.mark.parametrize("swapped", some([False, True], 1))
def test_every_reader_takes_an_older_folder_beside_a_new_one(old_and_new, swapped, receval, tmp_path):
    first, second = reversed(old_and_new) if swapped else old_and_new
    for command in (
        ("compare", f"a={first}", f"b={second}"),
        ("compare", f"a={first}", f"b={second}", "--format", "json"),
        ("report", f"a={first}", f"b={second}", "-o", tmp_path / "report.html"),
        ("user", "1", second),
        ("baseline", "set", first, "--to", tmp_path / "baseline"),
        ("baseline", "show", tmp_path / "baseline"),
        ("gate", second, "--baseline", tmp_path / "baseline", "--rule", "nDCG@2 max_loss 90%", "--fail", "value"),
        ("plot", "differences", first, "-o", tmp_path / "chart.json"),
        ("run", OLD / "config.yaml", "-q", "-o", f"{tmp_path}/again/"),
    ):
        code, out, err = receval(*command)
        assert code == 0, (command, out, err)
        assert "Traceback" not in err
    assert "pop" in receval("compare", f"a={first}", f"b={second}")[1]


def test_a_new_run_replaces_an_older_folder(receval, tmp_path):
    folder = shutil.copytree(OLD, tmp_path / "old")
    assert receval("run", OLD / "config.yaml", "-q", "-o", f"{folder}/")[0] == 0
    assert load(folder).run_id == json.loads((folder / "manifest.json").read_text())["run_id"]
    assert (folder / "ledger.csv").exists()
