"""`receval run --signature` and `--from-signature`, and the places in which results have signatures."""

from __future__ import annotations

import json
import re

import pytest
import receval as library

ONE = ("--set", "evaluation.metrics=[nDCG@10]")


@pytest.fixture
def config(sample):
    return sample / "quickstart.yaml"


LINES = []


@pytest.fixture
def line(receval, config):
    """Return the signature of the sample, which one run prints for all tests."""
    if not LINES:
        code, out, err = receval("run", config, *ONE, "--signature", "-q")
        assert (code, err) == (0, "")
        assert out.startswith("receval:")
        assert out.count("\n") == 1
        LINES.append(out.strip())
    return LINES[0]


def test_the_screen_has_signatures_only_if_they_are_asked_for(receval, config, line):
    _, usual, _ = receval("run", config, *ONE)
    _, with_it, _ = receval("run", config, *ONE, "--signature")
    assert line not in usual
    assert with_it == f"{usual}\n{line}\n"


def test_the_chosen_columns_have_signatures_and_no_others(receval, config):
    _, out, _ = receval("run", config, "--columns", "nDCG@10,MAP@5", "--signature", "-q")
    assert [splitline.split("|")[1] for splitline in out.splitlines()] == ["nDCG@10", "MAP@5"]


def test_json_the_page_and_the_latex_document_have_the_signature(receval, config, line, tmp_path):
    code, _, _ = receval(
        "run", config, *ONE, "-q", *(part for name in ("r.json", "r.html", "report.tex") for part in ("-o", tmp_path / name))
    )
    assert code == 0
    assert json.loads((tmp_path / "r.json").read_text())["signatures"] == {"nDCG@10": line}
    assert line in (tmp_path / "r.html").read_text()
    assert "gain=binary" in re.sub(r"\\allowbreak\{\}", "", (tmp_path / "report.tex").read_text())


def test_latex_tables_have_signatures_as_notes_if_they_are_asked_for(receval, config):
    _, usual, _ = receval("run", config, *ONE, "--format", "latex")
    _, with_it, _ = receval("run", config, *ONE, "--format", "latex", "--signature")
    assert "gain=binary" not in usual
    plain = re.sub(r"\\allowbreak\{\}|\\text\w+\{\}|[{}\\]", "", with_it)
    assert "gain=binary" in plain
    _, configured, _ = receval("run", config, *ONE, "--format", "latex", "--set", "report.latex.signatures=true")
    assert configured == with_it


def test_markdown_has_signatures_in_a_block_of_their_own(receval, config, line):
    _, out, _ = receval("run", config, *ONE, "--format", "md", "--signature")
    assert f"```text\n{line}\n```" in out


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "html", "wide-csv"])
def test_forms_that_cannot_show_signatures_refuse_the_option(form, receval, config):
    code, out, err = receval("run", config, "--format", form, "--signature")
    assert (code, out) == (2, "")
    assert "--signature prints signatures with a table; " in err


def test_a_signature_gives_the_same_value_and_says_so(receval, config, line):
    _, first, _ = receval("run", config, *ONE, "--format", "csv")
    code, again, err = receval("run", config, "--from-signature", line, "--format", "csv")
    assert code == 0
    assert [splitline.split(",")[1:] for splitline in again.splitlines()] == [splitline.split(",")[1:] for splitline in first.splitlines()]
    assert "receval: The result has the signature of nDCG@10 again." in err


def test_a_signature_needs_only_the_files_as_options(receval, sample, line):
    data = sample / "data"
    code, out, err = receval(
        "run", "--test", data / "test.csv", "--recs", f"knn={data / 'knn.parquet'}", "--from-signature", line, "--signature", "-q"
    )
    assert (code, out.strip(), err) == (0, line, "")


def test_another_test_set_is_said(receval, sample, line):
    data = sample / "data"
    _, _, err = receval("run", "--test", data / "train.csv", "--recs", f"knn={data / 'knn.parquet'}", "--from-signature", line)
    assert "receval: nDCG@10 has another signature here: users=" in err
    assert "; the test set is another one." in err


def test_several_lines_are_several_measures_in_one_option_or_in_several(receval, config):
    _, lines, _ = receval("run", config, "--set", "evaluation.metrics=[nDCG@10, Recall@5, ItemCoverage@5]", "--signature", "-q", "--train",
                          config.parent / "data" / "train.csv")  # fmt: skip
    train = ("--train", config.parent / "data" / "train.csv", "--signature", "-q")
    assert receval("run", config, "--from-signature", lines, *train)[1] == lines
    parts = [part for splitline in lines.splitlines() for part in ("--from-signature", splitline)]
    assert receval("run", config, *parts, *train)[1] == lines


@pytest.mark.parametrize("option", [("-m", "MAP"), ("-k", "5"), ("--threshold", "3")])
def test_options_that_a_signature_has_already_are_refused(option, receval, config, line):
    code, _, err = receval("run", config, "--from-signature", line, *option)
    assert code == 2
    assert f"--from-signature and {option[0]} contradict each other" in err


def test_a_broken_signature_is_one_sentence(receval, config):
    code, out, err = receval("run", config, "--from-signature", "nDCG@10|gain=exp2")
    assert (code, out) == (2, "")
    assert (
        err == "receval: --from-signature: 'nDCG@10|gain=exp2' is not a signature: a signature is receval:VERSION|MEASURE|SETTING=VALUE|…\n"
    )


def test_groups_and_reference_lists_of_the_config_stay(receval, config, line):
    code, out, _ = receval("run", config, "--from-signature", line, "--set", "evaluation.yardsticks=[oracle]", "--format", "csv")
    assert code == 0
    assert ",(oracle),nDCG@10," in out


def test_a_result_in_python_has_the_same_signature(config, line, tmp_path):
    result = library.evaluate_config(library.load_config(config), outputs=f"{tmp_path / 'out'}/").result
    assert result.signature("nDCG@10") == result.signature("ndcg@10") == line
    assert library.load_results(tmp_path / "out").signature("nDCG@10", model="knn") == line
    with pytest.raises(KeyError, match="there is no value of 'nDCG@11'"):
        result.signature("nDCG@11")
    with pytest.raises(KeyError, match="there is no model named 'kmn'"):
        result.signature("nDCG@10", "kmn")
