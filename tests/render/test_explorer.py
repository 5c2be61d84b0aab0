"""The page of `receval diff`: its sample, its numbers, what it hides, and that it is safe without a browser's help."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

import polars as pl
import pytest
from receval import ConfigError, DataError
from receval import diff as diff_of
from receval.documents.diff_page import SIZES, page_data, picture_address, sample_text, with_users
from receval.documents.model_diff import user_hash
from receval.render import explorer
from receval.studies import diff_sample

from tests.render.diff_pages import HOSTILE, write_hostile, write_titled

POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')


@pytest.fixture
def titled(tmp_path, monkeypatch):
    write_titled(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(receval: Any, *arguments: str) -> str:
    code, _, err = receval("diff", "config.yaml", *arguments, "-q", "-o", "diff.html")
    assert code == 0, err
    with open("diff.html", encoding="utf-8", newline="") as file:
        return file.read()


def data_of(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" id="receval-data">(.*?)</script>', page, re.S)
    content: dict[str, Any] = json.loads(text)
    return content


def test_the_numbers_of_the_page_are_those_of_the_json(receval, titled):
    page = data_of(made(receval, "--show-users", "-o", "diff.json"))
    whole = json.loads((titled / "diff.json").read_bytes())
    by_name = {user["user"]: user for user in whole["users"]}
    names = [measure["name"] for measure in page["measures"]]
    assert names == [measure["measure"] for measure in whole["measures"]]
    assert {user["name"] for user in page["users"]} == by_name.keys()
    ids = [cells[0] for cells in page["items"]]
    split = [measure for measure in page["measures"] if measure["split"] is not None]
    assert len(split) == 2
    for user in page["users"]:
        there = by_name[user["name"]]
        assert user["n"] == there["n_relevant"]
        assert user["values"] == [[there[f"{name} {end}"] for end in ("base", "model", "difference")] for name in names]
        assert user["overlap"] == [there["overlap"], there["jaccard"], there["rbo"]]
        items = {item["item"]: item for item in there["items"]}
        assert {ids[cells[0]] for cells in user["relevant"]} == items.keys()
        for index, gain, base, model, *_, of_first, of_second in user["relevant"]:
            item = items[ids[index]]
            assert (gain, base or None, model or None) == (item["gain"], item["base rank"], item["model rank"])
            assert [of_first, of_second] == [item[measure["name"]] for measure in split]


def test_other_files_are_the_same_beside_a_page(receval, titled):
    made(receval, "-o", "beside.json", "-o", "beside.csv")
    for form in ("json", "csv"):
        receval("diff", "config.yaml", "-q", "-o", f"alone.{form}")
        assert (titled / f"alone.{form}").read_bytes() == (titled / f"beside.{form}").read_bytes()


def test_rows_of_lists_have_their_ranks_and_marks(receval, titled):
    page = data_of(made(receval, "--show-users"))
    frames = {name: pl.read_csv(titled / f"{name}.csv") for name in ("old", "new", "test", "train")}
    pairs = {name: {*frame.select("user", "item").iter_rows()} for name, frame in frames.items()}
    trained = {*frames["train"]["item"]}
    ranks = {
        name: {(user, item): 13 - score for user, item, score in frames[name].select("user", "item", "score").iter_rows()}
        for name in ("old", "new")
    }
    ids = [cells[0] for cells in page["items"]]
    seen = set()
    for user in page["users"]:
        for rows, own, other in zip(user["lists"], ("old", "new"), ("new", "old"), strict=True):
            assert [row[0] for row in rows] == list(range(1, 11)), "twice the cut-off of 5"
            for rank, index, other_rank, marks in rows:
                pair = (user["name"], ids[index])
                expected = (pair in pairs["test"]) + 2 * (pair in pairs["train"]) + 4 * (ids[index] not in trained)
                assert (rank, other_rank, marks) == (ranks[own][pair], ranks[other].get(pair, 0), expected)
                seen.add(marks)
    assert {0, 1, 2, 4} <= seen


def test_the_same_input_makes_the_same_bytes_also_from_python(receval, titled):
    first = made(receval)
    assert first == made(receval)
    assert diff_of("old", "new", "config.yaml").to_html() == first


def test_all_users_are_on_the_page_of_a_small_data_set(receval, titled):
    page = made(receval)
    assert "<p>All 60 users.</p>" in page
    assert len(data_of(page)["users"]) == 60


def test_a_large_data_set_has_a_stated_sample(receval, titled, monkeypatch):
    monkeypatch.setattr(diff_sample, "N_USERS", 12)
    monkeypatch.setattr(diff_sample, "_N_BY_ORDER", (("loss", 5), ("gain", 4)))
    monkeypatch.setattr(diff_sample, "SAMPLE", (("loss", 5), ("gain", 4), ("random", 12)))
    page = made(receval, "--show-users", "-o", "diff.json")
    assert "12 of 60 users: the 5 largest losses, 4 largest gains, 3 at random (seed 0)." in page
    changes = [user["values"][0][2] for user in data_of(page)["users"]]
    assert changes == sorted(changes)
    whole = sorted(user["nDCG@5 difference"] for user in json.loads((titled / "diff.json").read_bytes())["users"])
    assert changes[:5] == whole[:5]
    assert changes[-4:] == whole[-4:]
    names = [{user["name"] for user in data_of(made(receval, "--show-users", "--seed", seed))["users"]} for seed in "077"]
    assert names[0] != names[1] == names[2]


def test_user_ids_are_nowhere_in_the_page_unless_they_are_asked_for(receval, titled):
    page = made(receval)
    assert not re.search(r"user-\d", page)
    assert {user["name"] for user in data_of(page)["users"]} == {user_hash(f"user-{number}") for number in range(60)}
    assert "user-7" in made(receval, "--show-users")


def test_the_policy_allows_only_the_scripts_of_the_page_and_no_request(receval, titled):
    page = made(receval)
    (policy,) = POLICY.findall(page)
    rules = {name: rest for name, _, rest in (rule.strip().partition(" ") for rule in policy.split(";"))}
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].split() == [f"'sha256-{digest}'" for digest in digests]
    assert rules["img-src"] == "data:"
    assert "://" not in re.sub(r"http://www\.w3\.org/2000/svg", "", page)
    assert not re.search(r"<[^>]+ on[a-z]+=", page)
    assert "img-src data: https:;" in made(receval, "--pictures", "cover")


def test_hostile_texts_end_no_element_of_the_page(receval, tmp_path, monkeypatch):
    write_hostile(tmp_path)
    monkeypatch.chdir(tmp_path)
    page = made(receval, "--show-users", "--pictures", "cover")
    assert page.count("</script>") == page.count("<script") == 3
    assert all(text not in page for text in HOSTILE if "<" in text)
    assert "\u202e" not in page
    assert "\u2028" not in json.dumps(data_of(page), ensure_ascii=False)
    assert "img-src data:;" in page, "no address is one of the web"
    data = data_of(page)
    assert max(len(text) for cells in data["items"] for text in cells) <= 160
    assert max(len(user["name"]) for user in data["users"]) <= 160


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://a.example/b.png", True), ("HTTP://a.example/b.png", True), ("javascript:alert(1)", False), ("//a.example/b", False),
        ("data:image/png;base64,AA", False), ("file:///a.png", False), ("https://[", False), ("", False),
    ],
)  # fmt: skip
def test_only_addresses_of_the_web_are_pictures(address, kept):
    assert picture_address(address) == (address if kept else "")


def test_a_page_that_is_too_large_has_fewer_rows_and_says_so(receval, titled, monkeypatch):
    whole = made(receval)
    monkeypatch.setattr(explorer, "LARGEST", len(whole) - 1)
    monkeypatch.setattr(explorer, "SIZES", SIZES[3:])
    small = made(receval)
    assert "To stay below 5 MB the page has the main measure only." in small
    assert len(small) < len(whole)
    assert [measure["name"] for measure in data_of(small)["measures"]] == ["nDCG@5"]


def test_a_thousand_users_with_long_titles_stay_below_5_mb(tmp_path, monkeypatch):
    write_titled(tmp_path, 1600)
    monkeypatch.chdir(tmp_path)
    items = pl.read_csv("items.csv").with_columns(title=pl.col("title") + " x" * 200)
    items.write_csv("items.csv")
    page = diff_of("old", "new", "config.yaml").to_html(pictures="cover")
    assert "1,000 of 1,600 users: the 400 largest losses, 400 largest gains, 200 at random (seed 0)." in page
    assert len(page.encode()) < explorer.LARGEST


def test_the_page_shows_the_summary_and_the_first_users_without_its_script(receval, titled):
    page = re.sub(r"<script.*?</script>", "", made(receval), flags=re.S)
    assert all(
        text in page for text in ("new beside old", "Why relevant items were missed", "Largest losses", "Largest gains", "<noscript>")
    )
    assert page.count("The Film No.") > 20


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("-o", "x.html", "--pictures", "cuver"), 3, "cuver"),
        (("--pictures", "cover"), 2, "--pictures: pictures are for a page only; add -o diff.html"),
        (("-o", "x.html", "--pictures", "cover", "--set", "data.items=null"), 2, "pictures need data.items"),
        (("-o", "x.pdf",), 2, ".html"),
    ],
)  # fmt: skip
def test_wrong_questions_are_answered_by_a_sentence(receval, titled, arguments, code, sentence):
    got, _, err = receval("diff", "config.yaml", *arguments)
    assert (got, sentence in err) == (code, True), err
    assert "Traceback" not in err
    assert not (titled / "x.html").exists()


def test_python_has_the_same_errors(titled):
    diff = diff_of("old", "new", "config.yaml")
    with pytest.raises(DataError, match="cuver"):
        diff.to_html(pictures="cuver")
    with pytest.raises(ConfigError, match="pictures need items"):
        diff_of("old.csv", "new.csv", test="test.csv").to_html(pictures="cover")


def test_one_user_and_models_without_common_items_have_a_page(receval, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, item in (("test", "a"), ("old", "a"), ("new", "b")):
        (tmp_path / f"{name}.csv").write_text(f"user,item\nu,{item}\n")
    code, _, err = receval("diff", "old.csv", "new.csv", "--test", "test.csv", "-m", "nDCG", "--set", "health=off", "-q", "-o", "x.html")
    assert code == 0, err
    with open("x.html", encoding="utf-8") as file:
        page = file.read()
    assert "<p>The only user.</p>" in page
    assert data_of(page)["has_train"] is False


def test_a_measure_that_is_better_if_lower_has_its_losses_first(receval, titled):
    page = data_of(made(receval, "-m", "AveragePopularity@5,nDCG@5"))
    lower = [measure["name"] for measure in page["measures"] if measure["lower"]]
    assert page["main"] == 0
    changes = [user["values"][0][2] for user in page["users"]]
    assert changes == sorted(changes, reverse=bool(lower and page["measures"][0]["lower"]))


def test_the_sample_sentence_leaves_out_orders_without_users(titled):
    made_diff = diff_of("old", "new", "config.yaml")
    assert made_diff._with_page is not None
    sample = made_diff._with_page(None).sample
    assert sample is not None
    assert sample_text(made_diff, sample) == "All 60 users."
    assert page_data(made_diff, sample, SIZES[0])["k"] == 5


def test_a_page_with_long_texts_has_fewer_users(titled, monkeypatch):
    whole = diff_of("old", "new", "config.yaml")
    assert whole._with_page is not None
    made_diff = whole._with_page(None)
    assert made_diff.sample is not None
    full, least = (
        len(explorer._page(made_diff, sample, SIZES[-1]).encode())
        for sample in (made_diff.sample, with_users(made_diff, made_diff.sample, 1))
    )
    monkeypatch.setattr(explorer, "LARGEST", (full + least) // 2)
    page = explorer.explorer(made_diff)
    assert len(page.encode()) < (full + least) // 2
    data = data_of(page)
    n_users = len(data["users"])
    assert 20 < n_users < 40
    said = re.search(
        r"(\d+) of 60 users: the (\d+) largest losses, (\d+) largest gains, (\d+) at random \(seed 0\)\. To stay below 5 MB", page
    )
    assert said is not None
    numbers = list(map(int, said.groups()))
    assert numbers[0] == n_users == sum(numbers[1:])
    assert f"the page has {n_users} users instead of 60, the first 5 ranks of a list and the main measure only." in page
    changes = [user["values"][0][2] for user in data["users"]]
    whole_changes = sorted(made_diff.sample.users["nDCG@5 difference"].to_list())
    assert changes == sorted(changes)
    assert changes[: numbers[1]] == whole_changes[: numbers[1]]
    assert changes[-numbers[2] :] == whole_changes[-numbers[2] :]
    assert all(len(group["of"]) == n_users for group in data["groups"])


def test_long_addresses_of_pictures_do_not_make_the_page_larger_than_5_mb(receval, titled):
    items = pl.read_csv("items.csv").with_columns(cover=pl.format("https://img.example/{}{}", "item", pl.lit("x" * 1900)))
    items.write_csv("items.csv")
    page = made(receval, "--pictures", "cover")
    assert len(page.encode()) < explorer.LARGEST


def test_a_page_whose_summary_is_too_long_is_refused(receval, titled, monkeypatch):
    monkeypatch.setattr(explorer, "LARGEST", 20_000)
    code, _, err = receval("diff", "config.yaml", "-q", "-o", "diff.html")
    assert code == 3
    assert "the page would have more than 5 MB" in err
    assert not (titled / "diff.html").exists()
