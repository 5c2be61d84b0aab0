"""The words of verdicts are the same in every form of a comparison."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from receval.content.charts.differences import differences as chart
from receval.output import blocks
from receval.output import comparison as pages
from receval.output.latex import comparison_as_latex
from receval.output.report.differences import section
from receval.results.comparison import Comparison
from receval.stats.comparing import compare_paired, compare_wholes
from receval.stats.records import VERDICTS, Settings, Subject
from receval.stats.verdicts import corrected

SETTINGS = Settings()
RETIRED = ("tiny", "unknown", "cannot be told", "told apart", "p_same", '"same"', '"none"')


@pytest.fixture(scope="module")
def comparison():
    """A measure for each verdict, in the order of `VERDICTS`, and a value of whole models, which has none."""
    random = np.random.default_rng(0)
    base, noise = random.random(500), random.normal(0, 0.1, 500)
    values = {"better": base + 0.1, "worse": base - 0.1, "equivalent": base + 0.001, "identical": base, "inconclusive": base}
    values = {verdict: value if verdict == "identical" else value + noise - noise.mean() for verdict, value in values.items()}
    made = [
        compare_paired(Subject(f"M{place}@10", "main", "today"), base, values[verdict], SETTINGS, 0.05 if verdict == "equivalent" else None)
        for place, verdict in enumerate(VERDICTS)
    ]
    whole = compare_wholes(Subject("Coverage@10", "main", "today"), 0.1, 0.2, SETTINGS)
    differences = corrected([*made, whole], SETTINGS)
    measures = tuple(one.subject.measure for one in differences)
    return Comparison(
        base="main",
        models=("main", "today"),
        differences=differences,
        settings=SETTINGS,
        judged=measures,
        values={(one.subject.measure, "main"): one.base_value for one in differences}
        | {(one.subject.measure, "today"): one.value for one in differences},
        higher_is_better=dict.fromkeys(measures, True),
    )


def test_each_measure_has_the_verdict_that_it_was_made_for(comparison):
    assert [one.verdict for one in comparison.differences] == [*VERDICTS, None]


def test_every_form_names_each_verdict_by_its_word_and_by_no_other(comparison):
    table = "".join(cell.text + "\n" for table in section(comparison, ()).tables for row in table.rows for cell in row)
    forms = {
        "screen": blocks.show(pages.page(comparison), io.StringIO()),
        "markdown": pages.as_markdown(comparison, "CONFIG").decode(),
        "json": pages.as_json(comparison).decode(),
        "csv": pages.as_csv(comparison).decode(),
        "latex": comparison_as_latex(comparison).decode(),
        "page": table,
        "chart": json.dumps(chart(comparison.differences, "main")),
    }
    for form, text in forms.items():
        assert [verdict for verdict in VERDICTS if verdict not in text] == [], form
        assert [word for word in RETIRED if word in text.replace('"same": ', "")] == [], form


def test_the_json_form_is_of_version_2_and_a_difference_without_a_verdict_has_null(comparison):
    content = json.loads(pages.as_json(comparison))
    assert content["format_version"] == 2
    whole = content["comparisons"][-1]
    assert (whole["verdict"], whole["p"], whole["low"], whole["real"]) == (None, None, None, False)
    assert {"p_equivalent", "probability_equivalent"} <= whole.keys()
