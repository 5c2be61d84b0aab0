"""`receval history` and `receval leaderboard` on folders, and the ledger of looks at a baseline."""

from __future__ import annotations

import json
import math
import threading
from pathlib import Path
from typing import Any

import pytest
import receval as api
from receval.actions.looks import level_of_look
from receval.storage.looks import add_looks
from receval.support.errors import OutputError

from tests.comparison.test_series import N_USERS, result
from tests.conftest import built_once

RULE = ("--rule", "nDCG@5 max_loss 2%")


@pytest.fixture
def nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of three nights, the last of which loses, and of a job that failed."""

    def build() -> None:
        for number, share in enumerate((0.8, 0.79, 0.7), 1):
            result(share).save(Path("nights") / f"{number:02}")
        Path("nights", "failed").mkdir()

    monkeypatch.chdir(built_once(tmp_path, build))
    return tmp_path / "nights"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_screen_of_any_width_has_the_first_loss_and_the_last_good_run(nights: Path, width: int, receval: Any, monkeypatch: Any):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, err = receval("history", "nights/")
    assert code == 0, err
    row = next(line for line in out.splitlines() if "nDCG@5" in line)
    assert row.split()[-2:] == ["03", "02"]
    assert "03 is worse than 01" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= width or width == 60


def test_a_folder_of_folders_gives_what_its_folders_give_in_any_order(nights: Path, receval: Any):
    (nights / "failed").rmdir()
    for name in ("history", "leaderboard"):
        outputs = [arg for ending in ("html", "md", "json") for arg in ("-o", f"one/{name}.{ending}")]
        assert receval(name, "nights", "-q", *outputs)[0] == 0
        others = [text.replace("one/", "two/") for text in outputs]
        assert receval(name, "nights/03", "nights/01", "nights/02/", "-q", *others)[0] == 0
    assert tree(Path("one")) == tree(Path("two"))
    assert len(tree(Path("one"))) == 6


@pytest.mark.parametrize("name", ["history", "leaderboard"])
def test_folders_without_results_are_named_in_a_note(nights: Path, receval: Any, name: str):
    note = "1 folder has no results and is left out: failed."
    assert note in " ".join(receval(name, "nights")[1].split())
    (nights / "stopped").mkdir()
    assert "2 folders have no results and are left out: failed, stopped." in " ".join(receval(name, "nights/")[1].split())
    assert "left out" not in receval(name, "nights/01", "nights/02")[1]
    assert "left out: failed, stopped" in repr(getattr(api, name)("nights"))


def test_a_page_has_the_chart_the_sentences_and_nothing_from_elsewhere(nights: Path, receval: Any):
    assert receval("history", "nights", "-q", "-o", "page.html")[0] == 0
    page = Path("page.html").read_text()
    assert "<svg" in page
    assert "03 is worse than 01" in page
    assert 'src="http' not in page


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("history", "nights/01"), 2, "a history needs two runs or more"),
        (("history", "nights/01", "nights/failed"), 3, "nights/failed: there is no manifest.json"),
        (("history", "nights/01", "nothing/"), 3, "nothing: the folder does not exist"),
        (("history", "nights/01", "copy/01"), 2, "two results are both named 01"),
        (
            ("history", "nights", "copy"),
            2,
            "named 01: nights/01 and copy/01 give the results of copy one by one, and this one with a label: LABEL=copy/01",
        ),
        (("leaderboard", "copy", "nights/01"), 2, "give the results of copy one by one"),
        (("history", "nights/01", "file.py"), 3, "file.py: this is a file, not a folder of results"),
        (("history", "nights", "--measure", "MRR"), 2, "the results have no measure 'MRR'"),
        (("history", "nights", "--models", "bpr"), 2, "bpr"),
        (("history", "nights", "--accept", "04"), 2, "the accepted run is 04, but no result has this name"),
        (("history", "nights", "--order", "date"), 3, "01, 02, 03 have no report.date"),
        (("history", "nights", "-o", "page.pdf"), 2, "the name of a file must end in"),
        (("history", "nights", "--alpha", "2"), 2, "alpha"),
        (("leaderboard", "nights", "other"), 3, "the test data"),
        (("history", "nights", "-o", "nights/01/results.json"), 2, "nights/01/results.json"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(nights: Path, receval: Any, arguments: tuple[str, ...], code: int, sentence: str):
    def build() -> None:
        result(0.8).save(Path("copy/01"))
        result(0.8, n_users=N_USERS - 9).save(Path("other"))
        Path("file.py").write_text("")

    built_once(Path(), build)
    before = tree(nights)
    found, out, err = receval(*arguments)
    assert sentence in " ".join(err.split()), err
    assert found == code
    assert "Traceback" not in err
    assert out == ""
    assert tree(nights) == before


def test_a_labelled_folder_is_beside_one_of_its_name_in_a_folder_of_folders(nights: Path, receval: Any):
    result(0.8).save(Path("copy/01"))
    code, out, err = receval("leaderboard", "nights", "today=copy/01")
    assert (code, "4 models of 4 results" in out) == (0, True), err


# Looks


def count(receval: Any, *arguments: str) -> str:
    code, _, err = receval(*arguments, "-q")
    assert code in (0, 1), err
    return str(err)


@pytest.fixture
def main(nights: Path, receval: Any) -> Path:
    """Return a baseline with a ledger that has nine looks."""
    assert receval("baseline", "set", "nights/01", "--to", "main", "--looks")[0] == 0
    baseline = json.loads((nights.parent / "main" / "manifest.json").read_text())["run_id"]
    assert add_looks(nights.parent / "main", baseline, [f"{number:016}" for number in range(9)]) == 9
    return nights.parent / "main"


def looks(folder: Path) -> list[str]:
    content = json.loads((folder / "looks.json").read_text())
    return list(next(iter(content["looks"].values())))


def test_from_the_tenth_look_gate_and_compare_say_its_number_and_what_a_correction_would_cost(main: Path, receval: Any):
    said = count(receval, "gate", "nights/03", "--baseline", "main", *RULE)
    assert "look 10 at the baseline main" in said
    assert "the level 0.000304 instead of 0.05: bounds 2.1 times as far from the value; 1 of 1 shown results would remain" in said
    assert "intervals 1.9 times as wide" in count(receval, "compare", "main", "nights/02")
    assert "look 10 at the baseline main" in count(receval, "compare", "nights/03", "--baseline", "main")


def test_a_gate_that_compares_nothing_with_the_baseline_is_no_look(main: Path, receval: Any):
    assert "look" not in count(receval, "gate", "nights/03", "--baseline", "main", "--rule", "nDCG@5 >= 0.1").replace("looks", "")
    assert len(looks(main)) == 9
    count(receval, "gate", "nights/03", "--baseline", "main", "--rule", "nDCG@5 >= 0.1", *RULE)
    assert len(looks(main)) == 10


def test_the_same_run_is_the_same_look_and_no_output_or_result_changes(main: Path, receval: Any):
    before = {name: content for name, content in tree(main).items() if name != "looks.json"}
    for number in range(2):
        assert receval("compare", "main", "nights/03", "-q", "-o", f"{number}/")[0] == 0
        assert receval("gate", "nights/03", "--baseline", "main", *RULE, "-q", "-o", f"{number}/gates.json")[0] == 1
    assert len(looks(main)) == 10
    assert tree(Path("0")) == tree(Path("1"))
    (main / "looks.json").unlink()
    assert receval("compare", "main", "nights/03", "-q", "-o", "2/")[0] == 0
    assert receval("gate", "nights/03", "--baseline", "main", *RULE, "-q", "-o", "2/gates.json")[0] == 1
    assert tree(Path("2")) == tree(Path("0"))
    assert tree(main) == before


def test_the_baselines_that_a_config_names_are_counted_too(main: Path, receval: Any, write: Any):
    write("test.csv", "user,item\n" + "".join(f"u{user:03},r{user % 7}\n" for user in range(N_USERS)))
    write("als.csv", "user,item,rank\n" + "".join(f"u{user:03},r{user % 3},1\n" for user in range(N_USERS)))
    text = "data: {test: test.csv, recommendations: {als: als.csv}}\nevaluation: {metrics: [nDCG@5]}\n"
    assert receval("run", write("c.yaml", text), "-q", "-o", "base/")[0] == 0
    assert receval("baseline", "set", "base", "--to", "main", "--looks", "--force")[0] == 0
    write("als.csv", "user,item,rank\n" + "".join(f"u{user:03},r{user % 4},1\n" for user in range(N_USERS)))
    gates = "gates: {baseline: main, rules: [nDCG@5 max_loss 2%]}\ncompare: {baseline: main}\n"
    config = write("gated.yaml", text + gates)
    count(receval, "gate", config)
    assert [len(runs) for runs in json.loads((main / "looks.json").read_text())["looks"].values()] == [9, 1]
    count(receval, "compare", config)
    assert [len(runs) for runs in json.loads((main / "looks.json").read_text())["looks"].values()] == [9, 1]
    write("als.csv", "user,item,rank\n" + "".join(f"u{user:03},r{user % 5},1\n" for user in range(N_USERS)))
    count(receval, "compare", config)
    assert [len(runs) for runs in json.loads((main / "looks.json").read_text())["looks"].values()] == [9, 2]


def test_a_baseline_without_a_ledger_is_not_written_to(nights: Path, receval: Any):
    before = tree(nights)
    count(receval, "gate", "nights/03", "--baseline", "nights/01", *RULE)
    count(receval, "compare", "nights/01", "nights/02")
    assert tree(nights) == before


def test_the_ledger_outlives_the_next_baseline_which_has_a_count_of_its_own(main: Path, receval: Any):
    assert receval("baseline", "set", "nights/02", "--to", "main")[0] == 0
    assert "look" not in count(receval, "gate", "nights/03", "--baseline", "main", *RULE).replace("looks", "")
    assert [len(runs) for runs in json.loads((main / "looks.json").read_text())["looks"].values()] == [9, 1]


def test_looks_of_several_processes_at_once_are_all_counted(main: Path):
    threads = [threading.Thread(target=add_looks, args=(main, "b", [f"{number}"])) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(json.loads((main / "looks.json").read_text())["looks"]["b"], key=int) == [f"{number}" for number in range(12)]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format_version": 9, "looks": {}}', '{"looks": [1]}', '{"looks": {"a": 1}}', "\xff"])
def test_a_damaged_ledger_is_a_warning_and_the_verdict_stands(main: Path, content: str, receval: Any):
    (main / "looks.json").write_bytes(content.encode("latin-1"))
    code, _, err = receval("gate", "nights/03", "--baseline", "main", *RULE, "-q")
    assert code == 1
    assert "warning: this look at the baseline main is not counted" in err
    assert "this is not a ledger of looks" in err
    assert (main / "looks.json").read_bytes() == content.encode("latin-1")


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("nowhere"), lambda path: path.symlink_to("results.json")])
def test_what_is_no_file_is_a_damaged_ledger(main: Path, make: Any, receval: Any):
    (main / "looks.json").unlink()
    make(main / "looks.json")
    code, _, err = receval("gate", "nights/03", "--baseline", "main", *RULE, "-q")
    assert (code, "warning: this look at the baseline main is not counted: main/looks.json: this is not a ledger" in err) == (1, True)


def test_a_ledger_that_cannot_be_written_is_a_warning(main: Path, receval: Any, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise OutputError("cannot write to the folder main: Read-only file system", "choose another one with -o")

    monkeypatch.setattr("receval.storage.looks._write", fail)
    code, _, err = receval("gate", "nights/03", "--baseline", "main", *RULE, "-q")
    assert code == 1
    assert "is not counted: cannot write to the folder main: Read-only file system; its looks.json must be writable" in err
    assert "choose another one" not in err


def test_a_ledger_that_cannot_be_opened_is_a_warning(main: Path, receval: Any, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("receval.storage.looks.alone", fail)
    code, _, err = receval("gate", "nights/03", "--baseline", "main", *RULE, "-q")
    assert (code, "is not counted: main/looks.json: cannot be read: Permission denied" in err) == (1, True)


def test_the_levels_of_all_looks_add_up_to_alpha():
    assert math.isclose(level_of_look(0.05, 12), 0.000211086, rel_tol=1e-5)
    assert math.isclose(sum(level_of_look(0.05, look) for look in range(1, 100_000)), 0.05, rel_tol=1e-4)


def test_a_baseline_in_a_store_has_no_ledger(nights: Path, receval: Any):
    code, _, err = receval("baseline", "set", "nights/01", "--to", "s3://bucket/main", "--looks")
    assert (code, "a baseline in a store has no ledger of looks" in err) == (2, True)
