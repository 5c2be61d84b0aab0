"""`receval explain`: the rows it shows add up to the value in the results."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl
import pytest
from receval import explain, load_config, run
from receval.evaluation.files import Files, open_inputs
from receval.evaluation.plan import Plan, Request
from receval.metrics import METRICS
from receval.results.explanation import Explanation
from receval.scoring.per_user import Scorer
from receval.studies.explaining import explain_user, user_frames
from receval.support.errors import ConfigError, DataError
from receval.syntax.measure_strings import parse
from receval.tables.rows import PartData

from tests.conftest import CONFIGS, ROOT
from tests.sizes import half, some
from tests.variants import FORMULAS, PROTOCOLS

SETTINGS = ["evaluation.relevance={threshold: 3, graded: true}", "evaluation.top_k=[5]"]
DIRTY = ROOT / "tests" / "oracles"


def check(explanation: Explanation) -> None:
    """Assert that the rows add up: each total is that of its rows, and the value is numerator by denominator."""
    for table in explanation.steps:
        assert table.title
        for label, how, total in table.totals:
            terms = [row[table.headers.index(label)] for row in table.rows]
            assert table.headers.count(label) == 1
            numbers = [term for term in terms if isinstance(term, float)]
            shown = {"sum": math.fsum(numbers), "tally": math.fsum(numbers), "max": max(numbers, default=0.0), "count": len(numbers)}[how]
            assert total == pytest.approx(shown, abs=1e-9), (explanation.measure, label)
    if explanation.denominator and explanation.value is not None:
        assert explanation.value == pytest.approx(explanation.numerator / explanation.denominator, abs=5e-5), explanation.measure
    for part in explanation.components:
        check(part)


def labels_to_explain() -> list[str]:
    """Return the label of every metric with per-user values, and of every axis value of the metrics of accuracy."""
    metrics = {label: METRICS[parse(label).name] for label in FORMULAS}
    of_users = [label for label, entry in metrics.items() if not entry.per_model]
    first = {metrics[label].name: label for label in reversed(of_users)}
    whole = ("accuracy", "ranking", "value", "auc")
    return [label for label in of_users if metrics[label].family in whole or first[metrics[label].name] == label]


EXPLAINED = (
    *labels_to_explain(),
    *(label for label in PROTOCOLS if label.startswith("nDCG")),
    "nDCG(threshold=3)",
    "nDCG(convention=clayrs)",
)


class Build:
    """Computes every explained measure over files that are read once."""

    def __init__(self, folder: Path) -> None:
        with_prices = self.items = folder / "items.csv"
        items = pl.read_csv(CONFIGS / "data" / "items.csv").with_columns(price=pl.col("item_id") % 7 / 10)
        items.write_csv(with_prices)
        settings = [*SETTINGS, f"evaluation.metrics={json.dumps(EXPLAINED)}", f"data.items.path={with_prices}"]
        self.loaded = load_config(CONFIGS / "families.yaml", settings)
        rows = run(self.loaded).per_user["knn"].filter(pl.col("n_relevant") > 2).rows(named=True)
        self.rows = [rows[20 + 40 * index] for index in range(3)]
        """The values of three users."""
        self.scorers = open_inputs(Request(self.loaded, Plan.from_config(self.loaded.config.evaluation)), self.scorers_of_users)

    def scorers_of_users(self, files: Files) -> list[Scorer]:
        """Return, for each of the users, a function that computes measures over the rows of this user."""
        return [Scorer.for_part(files.prepared, PartData(user_frames(files, "knn", row["user"]))) for row in self.rows]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    return Build(tmp_path_factory.mktemp("items"))


@pytest.mark.parametrize("label", half(EXPLAINED))
def test_the_explained_value_is_that_of_the_results_for_every_metric_and_axis(label, build):
    definition = build.loaded.config.evaluation.define(label)
    index = len(label) % 3  # each label with another user
    row = build.rows[index]
    explanation = explain_user(build.scorers[index], definition, "knn", str(row["user"]))
    value = row[definition.label]
    if value is None or math.isnan(value):
        assert explanation.value is None
        assert explanation.reason
    else:
        assert explanation.value == pytest.approx(value, rel=1e-12)
    check(explanation)


@pytest.mark.parametrize(
    "label",
    half(
        [
            "nDCG@5",
            "MAP(duplicates=keep_best_rank)@5",
            "nDCG(convention=clayrs)@5",
            "Precision(duplicates=keep_best_rank_after_cut)@5",
            "AUC",
            "MAP(convention=rectools)@5",
        ]
    ),
)
def test_the_explanation_of_a_dirty_list_counts_it_as_the_results_do(label, tmp_path):
    import shutil

    for name in ("test.csv", "train.csv", "everything.csv"):
        shutil.copy(DIRTY / name, tmp_path / name)
    path = tmp_path / "config.yaml"
    path.write_text(
        "data: {test: test.csv, train: train.csv, recommendations: {everything: everything.csv}}\n"
        f"evaluation: {{metrics: ['{label}']}}\n"
    )
    config = load_config(path)
    result = run(config)
    for row in some(result.per_user["everything"].filter(pl.col(label).is_not_null()).rows(named=True), 4):
        found = explain(config, label, row["user"])
        assert found.value == row[label], row["user"]
        check(found)


def test_every_rank_of_the_list_is_shown_with_its_term(receval):
    arguments = ("explain", "nDCG@10", CONFIGS / "quickstart.yaml", "--user", "426", "--model", "knn")
    code, text, _ = receval(*arguments)
    assert code == 0
    assert [line.split()[0] for line in text.splitlines() if line.strip()[:2].strip().isdigit()][:10] == [str(n) for n in range(1, 11)]
    body = json.loads(receval(*arguments, "--format", "json")[1])
    assert body["value"] == pytest.approx(body["numerator"] / body["denominator"])
    assert {choice["name"] for choice in body["choices"]} >= {"gain", "discount", "log_base", "ideal", "threshold"}
    assert "| rank |" in receval(*arguments, "--format", "md")[1]


def test_a_user_who_is_not_counted_gets_the_reason(tmp_path, write):
    write("test.csv", "user,item,rating\nu1,a,5\nu2,a,0\nu3,a,5\n")
    write("lists.csv", "user,item\nu1,b\nu1,a\nu2,a\n")
    path = write("config.yaml", "data: {test: test.csv, recommendations: {m: lists.csv}}\nevaluation: {metrics: [MAP]}\n")
    config = load_config(path)
    assert explain(config, "MAP@5", "u1").value == 0.5
    assert explain(config, "MAP@5", "u2").reason == "the user has no relevant item in the test file, and is left out"
    assert explain(config, "MAP@5", "u3").value == 0.0
    assert explain(config, "MAP(missing_lists=drop)@5", "u3").reason == "the user has no list, and is left out"
    assert (
        explain(config, "MAP(missing_lists=undefined)@5", "u3").reason
        == "the value is not defined for this user, so the mean is not defined either"
    )
    assert explain(config, "MAP(no_hits=drop)@1", "u1").reason == "the user has no hit, and is left out"


def test_an_unknown_user_model_or_measure_is_refused_in_one_sentence(receval):
    config = load_config(CONFIGS / "quickstart.yaml")
    with pytest.raises(DataError, match=r"no file contains the user '99999999'\n  users of the test set are, for example, \d+, \d+, \d+"):
        explain(config, "MAP@5", "99999999", "knn")
    with pytest.raises(DataError, match="users are integers"):
        explain(config, "MAP@5", "nobody", "knn")
    with pytest.raises(ConfigError, match="did you mean 'knn'"):
        explain(config, "MAP@5", "426", "kn")
    with pytest.raises(ConfigError, match="name one of the models knn, popular, random"):
        explain(config, "MAP@5", "426")
    with pytest.raises(ConfigError, match="did you mean 'MAP'"):
        explain(config, "MAPP@5", "426", "knn")
    assert receval("explain", "AUC", CONFIGS / "quickstart.yaml", "--user", "426", "--model", "knn")[0] == 2


def test_relevant_items_that_are_no_hits_are_named_with_their_ranks(receval, tmp_path, write):
    write("t.csv", "user,item\n1,c\n1,z\n2,a\n")
    write("m.csv", "user,item,score\n1,a,3\n1,b,2\n1,c,1\n2,a,2\n")
    files = ("--test", tmp_path / "t.csv", "--recs", f"m={tmp_path}/m.csv")
    code, text, _ = receval("explain", "nDCG@2", *files, "--user", "1")
    assert (code, "Relevant below the cut-off: c at rank 3.\n" in text, "Relevant, but not in the list: z.\n" in text) == (0, True, True)
    assert "below the cut-off" not in receval("explain", "nDCG@3", *files, "--user", "1")[1]
    assert "Relevant" not in receval("explain", "nDCG@2", *files, "--user", "2")[1].partition("The value")[0].replace("relevant", "")
    assert "missed" not in receval("explain", "nDCG@2", *files, "--user", "1", "--format", "json")[1]


@pytest.fixture
def shop(write):
    """Return a config with events, prices and weights, and one user with five test rows, two of them of one item."""
    test = "1,a,click,2\n1,b,click,3.5\n1,b,order,5\n1,c,order,\n1,d,view,1\n2,a,click,1\n"
    write("t.csv", f"user,item,event,paid\n{test}")
    write("r.csv", "user,item,rank\n1,b,1\n1,x,2\n1,c,3\n1,d,4\n2,a,1\n")
    write("train.csv", "user,item\n1,b\n2,z\n")
    write("u.csv", "user,revenue\n1,12.5\n2,3\n")
    data = "data: {test: t.csv, train: train.csv, users: u.csv, recommendations: {m: r.csv}}\nhealth: off\n"
    more = "value_columns: {revenue: rows.paid}, weights: {users: users.revenue}, by: [rows.event, [cold, rows.repeat]]"
    return write("c.yaml", f"{data}evaluation: {{metrics: [Hits@3], {more}}}\n")


def test_test_rows_have_their_groups_and_the_value_of_each_group_is_that_of_the_measure_with_the_group(shop):
    explanation = explain(shop, "Hits@3", "1")
    assert explanation.test_rows.headers == ("item", "rank", "relevant", "rows.event", "rows.repeat")
    assert explanation.test_rows.rows == (
        ("b", 1, "yes", "click", "repeat"),
        ("b", 1, "yes", "order", "repeat"),
        ("c", 3, "yes", "order", "explore"),
        ("d", 4, "yes", "view", "explore"),
        ("a", None, "yes", "click", "explore"),
    )
    by_event, by_repeat = explanation.by_group
    assert by_event.rows == (("click", 2, 1.0), ("order", 2, 2.0), ("view", 1, 0.0))
    assert by_repeat.rows == (("repeat", 1, 1.0), ("explore", 3, 1.0))
    assert sum(value for *_, value in by_repeat.rows) == explanation.value
    for group, _, value in by_event.rows:
        assert explain(shop, f"Hits(rows.event={group})@3", "1").value == value
    assert explanation.facts[-1] == ("weight of the user, users.revenue", 12.5)


def test_a_measure_of_one_group_has_only_the_rows_of_the_group_as_relevant(shop):
    explanation = explain(shop, "Recall(rows.event=order)@1", "1")
    relevant = [(row[0], row[3]) for row in explanation.test_rows.rows if row[2]]
    assert relevant == [("b", "click"), ("b", "order"), ("c", "order")]
    assert (explanation.value, [table.title for table in explanation.by_group]) == (0.5, ["By rows.repeat"])


def test_a_measure_of_values_shows_the_value_of_each_test_row(shop):
    explanation = explain(shop, "Revenue@3", "1")
    assert explanation.test_rows.headers[-1] == "rows.paid"
    assert [row[-1] for row in explanation.test_rows.rows] == [3.5, 5.0, None, 1.0, 2.0]


def test_the_command_and_its_json_have_the_test_rows_only_if_there_is_more_than_the_other_tables_show(shop, receval):
    out = receval("explain", "Hits@3", shop, "--user", "1")[1]
    assert "The test rows\n\n  item   rank   relevant   rows.event   rows.repeat\n" in out
    assert out.endswith("  repeat        1                1\n  explore       3                1\n")
    given = json.loads(receval("explain", "Hits@3", shop, "--user", "1", "--format", "json")[1])
    assert given["test_rows"]["rows"][2] == ["c", 3, "yes", "order", "explore"]
    assert [table["headers"][0] for table in given["by_group"]] == ["rows.event", "rows.repeat"]
    plain = json.loads(receval("explain", "Hits@3", shop, "--user", "1", "--format", "json", "--set", "evaluation.by=[]")[1])
    assert not {"test_rows", "by_group"} & plain.keys()


def test_every_measure_can_be_explained_with_groups_of_test_rows(build):
    loaded = load_config(CONFIGS / "families.yaml", [*SETTINGS, f"data.items.path={build.items}", "evaluation.by=[rows.rating]"])
    definitions = [loaded.config.evaluation.define(label) for label in EXPLAINED]

    def tables(files: Files) -> list[Explanation]:
        scorer = Scorer.for_part(files.prepared, PartData(user_frames(files, "knn", build.rows[0]["user"])))
        return [explain_user(scorer, definition, "knn", "u", files.request.plan.by) for definition in definitions]

    by = tuple(loaded.config.evaluation.by)
    found = open_inputs(Request(loaded, Plan(tuple(definitions), by=by), whole_lists=True), tables)
    assert all(explanation.test_rows is not None for explanation in found)
    assert {len(explanation.by_group) for explanation in found} == {0, 1}
