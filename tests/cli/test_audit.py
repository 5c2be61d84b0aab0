"""`receval audit`: all conventions in one pass, and whether the order of the models changes."""

from __future__ import annotations

import csv
import io
import json

import pytest
from receval import audit, conventions, load_config, run
from receval.actions import studies
from receval.documents.audit import audit_document
from receval.documents.document import Table
from receval.metrics import METRICS, resolve
from receval.results.audit import Audit, AuditCell, AuditedMeasure
from receval.syntax.measure_strings import MetricSpec

from tests.conftest import CONFIGS, ROOT
from tests.sizes import some

SETTINGS = (
    "--set",
    "evaluation.metrics=[nDCG,MAP,Precision,AUC]",
    "--set",
    "evaluation.top_k=[5,none]",
    "--set",
    "data.train=data/train.csv",
)


def test_an_audit_has_the_values_of_separate_runs_under_each_convention():
    found = audit(load_config(CONFIGS / "quickstart.yaml", SETTINGS[1::2]))
    assert found.conventions[0] == "receval"
    assert set(found.conventions) == set(conventions.builtin_names())
    compared, tried = 0, some(found.conventions, 6)
    for name in tried:
        alone = run(load_config(CONFIGS / "quickstart.yaml", [*SETTINGS[1::2], "health=off", f"evaluation.convention={name}"]))
        rows = {model: [row for row in alone.rows if row.model == model] for model in found.models}
        for place, audited in enumerate(found.measures):
            for model in found.models:
                cell, row = audited.cells[name, model], rows[model][place]
                if cell.reason:
                    assert cell.value is None
                    assert cell.reason in ("the library does not have the metric", "no user counts")
                else:
                    assert (cell.value, cell.n_users) == (row.value, row.n_users), (name, audited.measure, model)
                    compared += 1
    assert compared > 5 * len(tried)


def test_an_audit_reads_a_dirty_file_as_a_run_under_each_convention(tmp_path):
    import shutil

    for name in ("test.csv", "train.csv", "everything.csv", "clean.csv"):
        shutil.copy(ROOT / "tests" / "oracles" / name, tmp_path / name)
    (tmp_path / "config.yaml").write_text(
        "data: {test: test.csv, train: train.csv, recommendations: {everything: everything.csv, clean: clean.csv}}\n"
        "evaluation: {metrics: [nDCG, MAP, Precision, Recall, MRR, F1], top_k: [3, none]}\n"
    )
    found = audit(load_config(tmp_path / "config.yaml"))
    for name in some(found.conventions, 6):
        alone = run(load_config(tmp_path / "config.yaml", ["health=off", f"evaluation.convention={name}"]))
        rows = {model: [row for row in alone.rows if row.model == model] for model in found.models}
        for place, audited in enumerate(found.measures):
            for model in found.models:
                cell = audited.cells[name, model]
                if cell.value is not None:
                    assert cell.value == rows[model][place].value, (name, audited.measure, model)


def test_the_files_are_read_once_for_all_conventions(monkeypatch):
    from receval.evaluation.files import SourceReader

    scans = []
    read_once = SourceReader._read_once
    monkeypatch.setattr(SourceReader, "_read_once", lambda self, read, source: scans.append(source.role) or read_once(self, read, source))
    loaded = load_config(CONFIGS / "quickstart.yaml", SETTINGS[1::2])
    audit(loaded)
    assert len(scans) == len(set(scans)) == 5  # test, train and three models
    run(load_config(CONFIGS / "quickstart.yaml", [*SETTINGS[1::2], "health=off"]))
    assert len(scans) == 10


def audited(values: dict[str, tuple[float, float]], higher: bool | None = True) -> tuple[Audit, AuditedMeasure]:
    cells = {(name, model): AuditCell(pair[place], 10) for name, pair in values.items() for place, model in enumerate(("als", "knn"))}
    one = AuditedMeasure("MAP@10", higher, cells)
    return Audit("a", tuple(values), ("als", "knn"), (one,), (), {}), one


def test_a_changed_order_of_models_is_shown_with_its_conventions():
    whole, one = audited({"a": (0.3, 0.2), "b": (0.1, 0.2), "c": (0.5, 0.5), "d": (0.2, 0.3)})
    assert whole.changes(one) == ("Under 2 of 4 conventions knn beats als on MAP@10 (b, d); under a als beats knn.",)
    assert one.spread("als") == pytest.approx(0.4)
    lower, other = audited({"a": (0.3, 0.2), "b": (0.1, 0.2)}, higher=False)
    assert lower.changes(other) == ("Under 1 of 2 conventions als beats knn on MAP@10 (b); under a knn beats als.",)


def test_each_convention_orders_models_in_the_direction_of_its_own_definition(sample, receval):
    def better(metric: str, name: str) -> bool | None:
        return resolve(MetricSpec(metric, k=10), conventions.load(name), conventions.load).higher_is_better

    of_own = [name for name, metric in METRICS.items() if callable(metric.higher_is_better) and not metric.combines]
    turned = [name for name in of_own if len({better(name, convention) for convention in conventions.builtin_names()}) > 1]
    assert turned == ["Gini"]
    sets = [f"evaluation.metrics={turned}", "evaluation.top_k=10", "data.train=data/train.csv"]
    for own in ("receval", "elliot"):
        found = audit(load_config(sample / "quickstart.yaml", [*sets, f"evaluation.convention={own}"]))
        for name in {*some(found.conventions, 3), "receval", "elliot"}:
            result = run(load_config(sample / "quickstart.yaml", [*sets, "health=off", f"evaluation.convention={name}"]))
            for measure in found.measures:
                values = {model: measure.cells[name, model].value for model in found.models}
                is_better = next(iter(result.higher_is_better.values()))
                if None not in values.values():
                    assert measure.better(name) == is_better, name
                    assert measure.beats("popular", "knn")[name] == ((values["popular"] > values["knn"]) is is_better)
    arguments = ("audit", sample / "quickstart.yaml", *(part for setting in sets for part in ("--set", setting)), "--convention", "elliot")
    out = " ".join(receval(*arguments)[1].split())
    assert "Higher is better under elliot; lower is better under receval." in out
    assert "The order of the models on Gini@10 is the same under both conventions." in out
    values = json.loads(receval(*arguments, "--format", "json")[1])["measures"][0]["values"]
    assert {(value["convention"], value.get("higher_is_better")) for value in values} == {("receval", None), ("elliot", True)}


def test_a_measure_without_a_better_direction_orders_no_models():
    whole, one = audited({"a": (0.3, 0.2), "b": (0.1, 0.2)}, higher=None)
    assert whole.changes(one) == ()


def test_an_unchanged_order_of_models_is_shown():
    whole, one = audited({"a": (0.3, 0.2), "b": (0.2, 0.1)})
    assert whole.changes(one) == ("The order of the models on MAP@10 is the same under both conventions.",)


def test_every_format_has_every_cell(receval):
    arguments = (
        "audit",
        CONFIGS / "quickstart.yaml",
        "--set",
        "evaluation.metrics=[MAP@5]",
        "--convention",
        "clayrs",
        "--convention",
        "elliot",
    )
    code, text, _ = receval(*arguments)
    assert code == 0
    assert "clayrs" in text
    rows = list(csv.DictReader(io.StringIO(receval(*arguments, "--format", "csv")[1])))
    assert len(rows) == 3 * 3  # receval, clayrs, elliot; three models
    body = json.loads(receval(*arguments, "--format", "json")[1])
    assert body["conventions"] == ["receval", "clayrs", "elliot"]
    by_json = {(cell["convention"], cell["model"]): cell["value"] for cell in body["measures"][0]["values"]}
    assert by_json == {(row["convention"], row["model"]): float(row["value"]) for row in rows}
    assert "| knn |" in receval(*arguments, "--format", "md")[1]


def test_a_metric_that_a_library_lacks_and_a_missing_input_are_named(receval):
    arguments = ("audit", CONFIGS / "quickstart.yaml", "--set", "evaluation.metrics=[F1@5]")
    code, text, _ = receval(*arguments, "--convention", "warprec", "--convention", "replay")
    assert code == 0
    assert "warprec (it needs data.train)" in text
    assert "replay (the library does not have the metric)" in text


def test_an_unknown_convention_is_refused_with_a_hint(receval):
    code, _, err = receval("audit", CONFIGS / "quickstart.yaml", "--convention", "eliot")
    assert code == 2
    assert "did you mean 'elliot'" in err


@pytest.fixture
def unsorted(tmp_path):
    """Write a config of two models with the same lists; the rows of one are not in the order of scores."""
    lists = [(user, item, score) for user in range(1, 21) for item, score in ((1, 0.9), (2, 0.5), (3, 0.1))]
    texts = {
        "test": ["user,item", *(f"{user},1" for user in range(1, 21))],
        "in_order": ["user,item,score", *(f"{user},{item},{score}" for user, item, score in lists)],
        "turned": ["user,item,score", *(f"{user},{item},{score}" for user, item, score in reversed(lists))],
    }
    for name, lines in texts.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "config.yaml").write_text(
        "data: {test: test.csv, recommendations: {in_order: in_order.csv, turned: turned.csv}}\nevaluation: {metrics: [Recall@1]}\n"
    )
    return tmp_path / "config.yaml"


def test_the_spread_excludes_conventions_without_scores_if_rows_are_not_in_score_order(unsorted, receval):
    names = ["recbole", "ranksys", "lenskit"]
    (recall,) = audit(load_config(unsorted), names).measures
    assert (recall.cells["ranksys", "turned"].value, recall.cells["recbole", "turned"].value) == (0.0, 1.0)
    assert recall.left_out("turned") == ("ranksys", "lenskit")
    assert recall.left_out("in_order") == ()
    assert (recall.spread("turned"), recall.spread("in_order")) == (0.0, 0.0)
    out = " ".join(receval("audit", unsorted, "--convention", "recbole", "--convention", "ranksys")[1].split())
    footnote = "The spread of turned leaves out ranksys: it uses only the order of rows in the file, and here the rows are not in the order"
    assert footnote in out


def test_a_run_says_which_lists_a_convention_without_scores_reads_in_another_order(unsorted, receval, tmp_path):
    said = "turned: lenskit uses only the order of rows in the file, and 20 of 20 lists are not in the order of ranks or scores"
    lenskit, folder = ("--set", "evaluation.convention=lenskit", "--set", "health=off"), tmp_path / "run"
    assert receval("run", unsorted, *lenskit, "-o", f"{folder}/")[1].count(said) == 1
    commands = ("compare", unsorted, *lenskit), ("compare", folder), ("report", folder, "--format", "latex-document")
    for command in (*commands, ("report", folder, "--format", "html")):
        assert said in receval(*command)[1], command
    assert "order of rows" not in receval("run", unsorted)[1]
    assert "uses only the order" not in receval("audit", unsorted, "--convention", "recbole")[1]


@pytest.mark.each_once
@pytest.mark.parametrize("command", [("audit",), ("check",), ("compare",)])
@pytest.mark.parametrize("change", [("--set", "evaluation.metrics=[nDCG@10]"), ("-m", "nDCG@10")])
def test_commands_that_judge_no_gates_leave_out_a_measure_that_a_rule_needs(command, change, sample, receval):
    config = sample / "gated.yaml"
    config.write_text((sample / "quickstart.yaml").read_text() + "\ngates: {rules: [Recall@20 >= 0.2]}\n")
    code, _, err = receval(*command, config, *change)
    assert code == 0, err
    code, _, err = receval("run", config, *change)
    assert (code, "the config has no measure 'Recall@20'" in err) == (2, True)


@pytest.fixture
def config_with_runs(sample):
    """Write a config with a model of two runs; return it with the threshold of the sample, and without."""
    runs = "knn: {runs: [data/knn.parquet, data/random.parquet]}\n    popular: data/popular.parquet"
    lines = [line for line in (sample / "quickstart.yaml").read_text().splitlines() if " knn:" not in line and " random:" not in line]
    written = "\n".join(f"    {runs}" if " popular:" in line else line for line in lines)
    (sample / "runs.yaml").write_text(written)
    (sample / "plain.yaml").write_text("\n".join(line for line in written.splitlines() if "relevance:" not in line))
    return sample / "runs.yaml", sample / "plain.yaml"


def test_a_model_with_runs_has_their_mean_and_its_runs_are_no_rivals(config_with_runs, receval):
    loaded = load_config(config_with_runs[0], ["evaluation.metrics=[nDCG@10]"])
    found, result = audit(loaded), run(loaded)
    assert found.models == ("knn", "popular")
    (one,), means = found.measures, {row.model: row for row in result.rows}
    cell = one.cells["receval", "knn"]
    assert (cell.value, cell.n_users) == (means["knn"].value, means["knn"].n_users)
    assert [one.cells["receval", name].value for name in found.runs["knn"]] == [row.value for row in result.repeated]
    arguments = ("audit", config_with_runs[0], "--set", "evaluation.metrics=[nDCG@10]")
    out = receval(*arguments)[1]
    assert "(run 1)" not in out
    assert "nDCG@10   knn     receval" in receval(*arguments, "--find", f"{means['knn'].value:.6f}")[1]
    body = json.loads(receval(*arguments, "--format", "json")[1])
    assert (body["models"], body["runs"]) == (["knn", "popular"], {"knn": ["knn (run 1)", "knn (run 2)"]})
    assert "(run 1)" not in receval(*arguments, "--why", "receval", "elliot")[1]


def test_a_number_that_a_convention_prints_by_its_own_rule_of_relevance_is_found(config_with_runs, receval):
    value = {row.model: row.value for row in run(load_config(config_with_runs[1], ["evaluation.metrics=[nDCG@10]"])).rows}["popular"]
    arguments = ("audit", config_with_runs[0], "-m", "nDCG@10")
    code, out, _ = receval(*arguments, "--find", f"{value:.6f}")
    assert (code, out.splitlines()[0]) == (0, f"{value:.6f} is printed without evaluation.relevance {{threshold: 4}} by:")
    rows = list(csv.DictReader(io.StringIO(receval(*arguments, "--find", f"{value:.6f}", "--format", "csv")[1])))
    assert {row["without"] for row in rows} == {"evaluation.relevance {threshold: 4}"}
    assert receval(*arguments, "--find", "0.99999")[1].startswith(
        "No convention prints 0.99999, with or without evaluation.relevance {threshold: 4}; the closest values are:"
    )
    printed = receval("audit", config_with_runs[1], "-m", "nDCG@10", "--find", "0.99999")[1]
    assert printed.startswith("No convention prints 0.99999; the closest")


def test_an_audit_says_that_the_relevance_of_the_config_counts_under_every_convention(config_with_runs, receval):
    said = "evaluation.relevance {threshold: 4} counts under every convention; without it each convention uses its own rule."
    for more in ((), ("--why", "receval", "recbole")):
        assert said in receval("audit", config_with_runs[0], "-m", "nDCG@10", *more)[1]
        assert "counts under every convention" not in receval("audit", config_with_runs[1], "-m", "nDCG@10", *more)[1]
    items = ("--items", config_with_runs[0].parent / "data" / "items.csv")
    assert "counts under every convention" not in receval("audit", config_with_runs[0], "-m", "ItemCoverage@10", *items)[1]


def test_measures_that_one_convention_has_share_a_line_instead_of_a_table_each(config_with_runs, receval):
    out = receval("audit", config_with_runs[1], "-m", "nDCG@10,RBP@10,ERR@10", "--convention", "recbole")[1]
    assert "RBP@10, ERR@10: only receval has a value. No value: recbole (the library does not have the metric)." in " ".join(out.split())
    assert (out.count("largest minus smallest"), out.count("RBP")) == (1, 1)


def test_each_row_of_an_audit_has_the_digits_of_its_size():
    values = {"a": (0.4849, 0.5117), "b": (291.0, 307.0), "c": (0.4841, 0.5109)}
    table = next(block for block in audit_document(audited(values)[0]) if isinstance(block, Table))
    texts = {row[-1].text: [cell.text for cell in row[1:3]] for row in table.rows}
    assert texts == {
        "a": ["0.4849", "0.5117"],
        "b": ["291.00", "307.00"],
        "c": ["0.4841", "0.5109"],
        "largest minus smallest": ["290.52", "306.49"],
    }


GROUPED = ("data.train=data/train.csv", "data.users=data/users.csv", "evaluation.metrics=[nDCG@5, AUC, Gini@5]")
BY = "evaluation.by=[users.plan, rows.rating, 'users.plan*rows.rating', train_count:2]"


def test_an_audit_by_groups_has_the_values_of_separate_runs_in_each_group():
    found = studies.audit(load_config(CONFIGS / "quickstart.yaml", [*GROUPED, BY]), ["elliot", "trec_eval"], by_group=True)
    assert next(measure.by for measure in found.measures if measure.measure.startswith("nDCG@5")) is None
    cells = {(measure.measure.split(" of ")[0], measure.by, measure.group): measure.cells for measure in found.measures}
    compared = 0
    for name in found.conventions:
        alone = run(load_config(CONFIGS / "quickstart.yaml", [*GROUPED, BY, f"evaluation.convention={name}"]))
        for row in alone.by_group:
            cell = cells[row.measure, row.by, row.group][name, row.model]
            if not cell.reason:
                assert (cell.value, cell.n_users) == (row.value, row.n_users), (name, row)
                compared += 1
    assert compared > 60
    assert not [key for key in cells if key[0] == "Gini@5" and key[1]]
    assert not [key for key in cells if key[0] == "AUC" and (key[1] or "").startswith("rows")]


def test_groups_are_audited_only_with_the_option_by(receval, sample):
    config = sample / "quickstart.yaml"
    settings = [text for setting in GROUPED for text in ("--set", setting)]
    plain = receval("audit", config, *settings, "--convention", "elliot")
    assert receval("audit", config, *settings, "--convention", "elliot", "--set", "evaluation.by=users.plan")[1] == plain[1]
    code, out, err = receval("audit", config, *settings, "--convention", "elliot", "--by", "rows.rating")
    assert code == 0, err
    assert "\nnDCG@5 of rows.rating 5\n" in out
    assert out.count("--why") == plain[1].count("--why")
    given = json.loads(receval("audit", config, *settings, "--convention", "elliot", "--by", "rows.rating", "--format", "json")[1])
    assert {measure["group"] for measure in given["measures"] if measure.get("by") == "rows.rating"} >= {"4", "5"}
    code, _, err = receval("audit", config, "--why", "elliot", "ranx", "--by", "cold")
    assert (code, "--why explains values over all users: leave out --by" in err) == (2, True)


def test_small_groups_are_marked_in_an_audit(receval, sample):
    settings = ("--set", GROUPED[0], "--set", "evaluation.metrics=[nDCG@5]", "--convention", "elliot")
    out = receval("audit", sample / "quickstart.yaml", *settings, "--by", "train_count:4")[1]
    assert "89 (few)" in out
    assert "few: fewer than 100 users, whose values are very uncertain." in out


def test_a_model_with_runs_has_the_mean_of_its_runs_in_each_group(sample):
    lists = {"knn": {"runs": ["data/knn.parquet", "data/popular.parquet"]}}
    settings = [*GROUPED, BY, f"data.recommendations={json.dumps(lists)}"]
    found = studies.audit(load_config(sample / "quickstart.yaml", settings), ["receval"], by_group=True)
    (measure,) = (group_measure for group_measure in found.measures if group_measure.measure == "nDCG@5 of users.plan free")
    values = {model: cell.value for (_, model), cell in measure.cells.items()}
    assert values["knn"] == pytest.approx(sum(value for model, value in values.items() if model != "knn") / 2)


def test_an_audit_in_python_has_groups_if_its_arguments_name_them():
    given = {
        "test": {1: {10: 4, 11: 5}, 2: {10: 5}},
        "recommendations": {1: [10, 12], 2: [10]},
        "metrics": "Recall@2",
        "conventions": "elliot",
    }
    found = audit(**given, by="rows.rating")
    assert [measure.measure for measure in found.measures] == ["Recall@2", "Recall@2 of rows.rating 4", "Recall@2 of rows.rating 5"]
    assert [measure.cells["receval", found.models[0]].value for measure in found.measures] == [0.75, 1.0, 0.5]
    assert len(audit(**given).measures) == 1
