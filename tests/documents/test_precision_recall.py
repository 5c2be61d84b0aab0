"""The chart of precision and recall: its data are the values of the result, and it says what it needs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from receval import load_config, run
from receval.actions.report import chart_of, report_of
from receval.comparison.comparison_options import ComparisonOptions
from receval.config.run_sections import ReportConfig
from receval.documents import figures
from receval.documents.precision_recall import precision_recall
from receval.render import drawing
from receval.results.result import Result
from receval.support.errors import ConfigError

from tests.conftest import CONFIGS
from tests.documents.test_figures import rows
from tests.reports import as_html, evaluated, reported

LEVELS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
INTERPOLATED = {"InterpolatedPrecision": {"recall": LEVELS}}
MODELS = ["popular", "good", "better"]


def chart(result, *of):
    """Return the chart of a result, of some metrics."""
    return precision_recall(reported(result, wanted=ReportConfig(charts={"precision_recall": of})))


def lines(figure):
    """Return the points of each model, in the order of its line."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows(figure.spec):
        found.setdefault(row["model"], []).append((row["x"], row["value"]))
    return found


def values(result, metric):
    """Return (model, cut-off) → value of a metric."""
    return {(row.model, row.k): row.value for row in result.rows if row.metric == metric}


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> Result:
    return evaluated(tmp_path_factory.mktemp("curves"), MODELS, metrics=[INTERPOLATED, "Precision", "Recall", "nDCG"])


@pytest.fixture(scope="module")
def over_k(tmp_path_factory) -> Result:
    return evaluated(tmp_path_factory.mktemp("over_k"), MODELS, metrics=["Precision", "Recall", "nDCG"], top_k=["none", 5, 1, 3])


def test_a_line_has_the_value_of_each_level_of_recall(result):
    titles = {level: "InterpolatedPrecision" + ("" if level == 0.1 else f"(recall={level})") for level in LEVELS}
    figure = chart(result)
    expected = {model: [(level, values(result, title)[model, None]) for level, title in titles.items()] for model in MODELS}
    assert lines(figure) == expected
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows(figure.spec))
    assert figure.caption == "InterpolatedPrecision at 11 levels of recall: means over users. The bands are 95 % intervals."


def test_the_axes_say_what_is_drawn(result, over_k):
    for figure, x, y in ((chart(result), "recall", "InterpolatedPrecision"), (chart(over_k), "Recall at k", "Precision at k")):
        assert figure.spec["encoding"]["x"]["title"] == x
        assert {layer["encoding"]["y"]["title"] for layer in figure.spec["layer"]} == {y}
        assert figure.spec["description"] == f"{y} against {x} of 3 models"


def test_without_levels_a_line_has_precision_and_recall_at_each_common_cut_off(over_k):
    precision, recall = (values(over_k, metric) for metric in ("Precision", "Recall"))
    figure = chart(over_k)
    assert lines(figure) == {model: [(recall[model, k], precision[model, k]) for k in (1, 3, 5, None)] for model in MODELS}
    said = "Precision against Recall at 4 cut-offs k, from k = 1 to the whole list: means over users."
    assert figure.caption == f"{said} The numbers at the marks of better are k."


def test_cut_offs_with_the_same_point_share_a_number(tmp_path):
    """Use lists of five or six items, for which 6 is the whole list in means over users."""
    figure = chart(evaluated(tmp_path, MODELS, metrics=["Precision", "Recall"], top_k=[1, 3, 6, "none"]))
    shown = {model: [row["text"] for row in rows(figure.spec) if row["model"] == model] for model in MODELS}
    assert shown == {"popular": [None] * 4, "good": [None] * 4, "better": ["1", "3", "6, all", None]}


def test_levels_come_first_and_named_metrics_take_precedence(result):
    assert chart(result, "Precision").caption.startswith("Precision against Recall at 3 cut-offs k, from k = 1 to k = 5: ")
    assert chart(result, "Recall").spec == chart(result, "Precision").spec
    assert chart(result, "InterpolatedPrecision").spec == chart(result).spec


def test_one_model_has_one_line(tmp_path):
    figure = chart(evaluated(tmp_path, ["alone"], metrics=[INTERPOLATED]))
    assert [*lines(figure)] == ["alone"]
    assert len(lines(figure)["alone"]) == len(LEVELS)


def test_more_than_four_models_have_no_bands(tmp_path):
    figure = chart(evaluated(tmp_path, list("abcde"), metrics=[INTERPOLATED]))
    assert [layer["mark"]["type"] for layer in figure.spec["layer"]] == ["line", "point"]
    assert "interval" not in figure.caption


def test_models_of_several_results_have_a_line_each(result):
    wanted = ReportConfig(charts={"precision_recall": []})
    content = report_of({"main": result, "today": result}, ComparisonOptions(), wanted)
    assert lines(precision_recall(content)) == {
        f"{name}/{model}": points for name in ("main", "today") for model, points in lines(chart(result)).items()
    }


def test_metrics_with_other_settings_have_a_panel_of_their_own(tmp_path):
    others = {"InterpolatedPrecision": {"recall": [0, 1], "rounding": "nearest"}}
    recalls = {"RecallAtPrecision": {"precision": [0.2, 0.5, 1], "k": [3, 5]}}
    figure = chart(evaluated(tmp_path, MODELS, metrics=[INTERPOLATED, others, recalls]))
    titles = [(panel["encoding"]["x"]["title"], panel["layer"][1]["encoding"]["y"]["title"]) for panel in figure.spec["concat"]]
    assert titles == [
        ("recall", "InterpolatedPrecision"),
        ("recall", "InterpolatedPrecision(rounding=nearest)"),
        ("precision", "RecallAtPrecision@3"),
        ("precision", "RecallAtPrecision@5"),
    ]
    assert "RecallAtPrecision@5 at 3 levels of precision: means over users." in figure.caption


def test_the_lines_of_folds_are_their_means_without_bands(write):
    for fold, (truth, lists) in enumerate((("a,x\na,y", "a,x\na,z"), ("a,x\na,z", "a,y\na,x"))):
        write(f"test_{fold}.csv", f"user,item\n{truth}\n")
        write(f"lists_{fold}.csv", f"user,item\n{lists}\n")
    data = "data: {folds: [0, 1], test: 'test_{fold}.csv', recommendations: {als: 'lists_{fold}.csv'}}\n"
    config = write("config.yaml", data + "evaluation: {metrics: [{InterpolatedPrecision: {recall: [0, 0.5, 1]}}]}\nhealth: off\n")
    figure = chart(run(load_config(config)))
    # fold 0 has a hit at rank 1 of 2 relevant items, fold 1 at rank 2: 1 and 1/2 up to recall 1/2, then 0
    assert lines(figure) == {"als": [(0, 0.75), (0.5, 0.75), (1, 0)]}
    assert figure.caption == "InterpolatedPrecision at 3 levels of recall: means over users. Means over folds or runs have no interval."
    assert [layer["mark"]["type"] for layer in figure.spec["layer"]] == ["line", "point"]


def test_values_that_are_all_0_have_an_axis_up_to_the_ends_of_their_intervals(write):
    write("test.csv", "user,item\na,x\nb,y\n")
    write("lists.csv", "user,item\na,z\nb,z\n")
    data = "data: {test: test.csv, recommendations: {none: lists.csv}}\n"
    config = write("config.yaml", data + "evaluation: {metrics: [{InterpolatedPrecision: {recall: [0, 1]}}]}\nhealth: off\n")
    figure = chart(run(load_config(config)))
    assert lines(figure) == {"none": [(0, 0), (1, 0)]}
    (domain,) = {tuple(layer["encoding"]["y"]["scale"]["domain"]) for layer in figure.spec["layer"]}
    assert domain == (0, pytest.approx(0.6576, abs=1e-4))  # 1.96² / (2 + 1.96²): no hit of two users


def test_without_values_the_message_has_the_line_to_add_to_the_config(tmp_path):
    result = evaluated(tmp_path, MODELS, metrics=["nDCG", "Recall", "InterpolatedPrecision", "Precision@3", "Precision@5"])
    content = reported(result, wanted=ReportConfig(charts={"precision_recall": []}))
    with pytest.raises(ConfigError) as error:
        chart_of(content, "precision_recall")
    assert str(error.value) == (
        "there is no chart precision_recall of these results: it needs InterpolatedPrecision at two or more levels of recall, "
        "RecallAtPrecision at two or more levels of precision, or Precision and Recall at three or more cut-offs\n"
        "  for the usual eleven levels add this line to evaluation.metrics: "
        "- InterpolatedPrecision: {recall: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]}"
    )
    line = figures.ADVICE["precision_recall"].partition("metrics: - ")[2]
    loaded = load_config(CONFIGS / "quickstart.yaml", [f"evaluation.metrics=[{line}]"])
    assert len(loaded.config.evaluation.labels) == 11


def test_formulas_and_other_aggregates_are_left_out(tmp_path):
    metrics = [INTERPOLATED, "Precision@5 + Recall@5", "Precision", "Recall"]
    result = evaluated(tmp_path, MODELS, metrics=metrics, aggregates=["mean", "median", "std"])
    assert len(rows(chart(result).spec)) == len(MODELS) * len(LEVELS)
    assert len(rows(chart(result, "Precision").spec)) == len(MODELS) * 3


def test_names_of_a_paper_are_in_the_chart(result):
    names = {"better": "Ours", "Precision": "P", "Recall": "R"}
    content = reported(
        replace(result, config={**result.config, "report": {"names": names}}), wanted=ReportConfig(charts={"precision_recall": ["Recall"]})
    )
    figure = chart_of(content, "precision_recall")
    assert figure.spec["encoding"]["x"]["title"] == "R at k"
    assert {row["model"] for row in rows(figure.spec)} == {"popular", "good", "Ours"}
    assert {row["model"] for row in rows(figure.spec) if row["text"]} == {"Ours"}
    assert figure.caption.endswith("The numbers at the marks of Ours are k.")


@pytest.mark.skipif(not drawing.can_draw(), reason="the extra report is not installed")
def test_a_page_has_the_chart_unasked_only_if_a_metric_has_levels(result, over_k):
    assert b'id="precision-recall-chart"' in as_html(reported(result))
    assert b"precision-recall" not in as_html(reported(over_k))
    named = ReportConfig(charts=["precision_recall"])
    assert b'id="precision-recall-chart"' in as_html(reported(over_k, wanted=named))


def test_aggregates_with_words_behind_their_measure_are_no_points_of_a_line(tmp_path):
    aggregates = ["mean", "median", "bootstrap95", "p90"]
    made = evaluated(tmp_path, MODELS, metrics=["Precision", "Recall"], top_k=[1, 3, 5], aggregates=aggregates)
    assert "Recall@5 (bootstrap95 low)" in {row.label for row in made.rows}
    assert all(len(points) == 3 for points in lines(chart(made)).values())
    assert b"</html>" in as_html(reported(made))
