"""The config section `report`."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from receval import load_config
from receval.config.run_sections import ReportConfig
from receval.support.errors import ConfigError

from tests.conftest import CONFIGS


def test_charts_are_names_or_names_with_measures():
    wanted = ReportConfig.model_validate({"charts": ["differences", {"trade_off": ["nDCG@10", "EPC@10"], "over_k": "nDCG"}]})
    assert wanted.chosen == {"differences": (), "trade_off": ("nDCG@10", "EPC@10"), "over_k": ("nDCG",)}
    assert ReportConfig.model_validate({"charts": {"over_k": None}}).chosen == {"over_k": ()}
    assert ReportConfig().chosen == {}


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"charts": ["pie"]}, "a chart must be one of differences, over_k, precision_recall, gamma_curve, distribution, trade_off"),
        ({"charts": [{"trade_off": ["nDCG@10"]}]}, "needs two measures"),
        ({"charts": [{"over_k": [1]}]}, "measures"),
        ({"charts": {"over_k": 1}}, "measures"),
        (
            {"charts": 3},
            "a chart must be one of differences, over_k, precision_recall, gamma_curve, distribution, trade_off, groups, not '3'",
        ),
        (
            {"charts": None},
            "a chart must be one of differences, over_k, precision_recall, gamma_curve, distribution, trade_off, groups, not 'None'",
        ),
        ({"files": 3}, "the file of a report must end in .html"),
        ({"files": ["report.docx"]}, "the file of a report must end in .html"),
        ({"title": ""}, "at least 1 character"),
    ],
)
def test_a_wrong_report_section_is_refused(section, message):
    with pytest.raises(ValidationError, match=message):
        ReportConfig.model_validate(section)


def test_a_config_reads_back_with_its_reports(tmp_path):
    section = "report={title: T, charts: [over_k, {trade_off: ['nDCG@5', 'MAP@5']}], files: [a.html]}"
    loaded = load_config(CONFIGS / "quickstart.yaml", [section])
    (tmp_path / "again.yaml").write_text(loaded.resolved_yaml())
    assert load_config(tmp_path / "again.yaml").config.report == loaded.config.report
    assert "report" not in load_config(CONFIGS / "quickstart.yaml").resolved()


def test_a_chart_of_an_unknown_measure_is_refused_before_the_evaluation(receval):
    code, _, err = receval(
        "run", CONFIGS / "quickstart.yaml", "--set", "report.charts=[{distribution: MRR}]", "--set", "data.test=gone.csv"
    )
    assert code == 2
    assert "report.charts: distribution: the results have no measure 'MRR'" in err


def test_a_misspelt_key_is_refused():
    with pytest.raises(ConfigError, match="did you mean"):
        load_config(CONFIGS / "quickstart.yaml", ["report.titel=x"])
