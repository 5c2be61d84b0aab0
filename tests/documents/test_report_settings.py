"""A report names the settings of every class of ClayRS that has them: cut-off, beta, threshold and average."""

from __future__ import annotations

import pytest

CUT = ("PrecisionAtK", "RecallAtK", "FMeasureAtK", "NDCGAtK", "MRRAtK")
OF_RELEVANCE = ("Precision", "Recall", "FMeasure", "RPrecision", "MRR", *(name for name in CUT if name != "NDCGAtK"))


@pytest.fixture
def label(receval, tmp_path):
    """Return a function that gives the label of a class with parameters, which is in all forms of a report."""
    (tmp_path / "test.csv").write_text("user,item,rating\n1,1,5\n1,2,5\n1,3,1\n2,2,4\n")
    (tmp_path / "lists.csv").write_text("user,item,score\n1,6,0.9\n1,1,0.7\n2,2,0.9\n")

    def label(name, parameters):
        body = "{" + ", ".join(f"{key}: {value}" for key, value in parameters.items()) + "}"
        changes = ("--set", "evaluation.convention=clayrs-docs", "--set", f"evaluation.metrics=[{{{name}: {body}}}]")
        inputs = ("--test", str(tmp_path / "test.csv"), "--recs", f"m={tmp_path / 'lists.csv'}")
        assert receval("run", *inputs, *changes, "-o", f"{tmp_path / 'results'}/", "-q")[0] == 0
        outputs = [tmp_path / f"report.{form}" for form in ("md", "html", "tex")]
        assert receval("report", tmp_path / "results", *(word for file in outputs for word in ("-o", str(file))))[0] == 0
        texts = [file.read_text() for file in outputs]
        found = next(line for line in texts[0].split("\n") if line.startswith("| ") and "↑" in line).split("|")[1].strip(" ↑")
        assert found.removesuffix(" (micro)") in texts[1]
        return found, texts

    return label


def with_k(name, **parameters):
    return {**({"k": 2} if name in CUT else {}), **parameters}


@pytest.mark.parametrize("name", CUT)
def test_the_report_names_the_cutoff_of_a_class(label, name):
    assert label(name, {"k": 2})[0].removesuffix(" (micro)").endswith("@2")


@pytest.mark.parametrize("name", ["FMeasure", "FMeasureAtK"])
def test_the_report_names_the_beta_of_a_class(label, name):
    assert "(beta=2" in label(name, with_k(name, beta=2))[0]


@pytest.mark.parametrize("name", OF_RELEVANCE)
def test_the_report_names_the_threshold_of_a_class(label, name):
    named, texts = label(name, with_k(name, relevant_threshold=3))
    assert "threshold=3" in named
    assert all("at least 3" in text for text in texts)


@pytest.mark.parametrize("name", OF_RELEVANCE)
def test_the_report_names_the_rule_of_a_class_without_a_threshold(label, name):
    assert all("at least the mean of the user" in text for text in label(name, with_k(name))[1])


@pytest.mark.parametrize("name", ["PrecisionAtK", "RecallAtK", "FMeasureAtK", "RPrecision"])
def test_the_report_names_the_average_of_a_class(label, name):
    assert label(name, with_k(name, sys_average="micro"))[0].endswith("(micro)")
