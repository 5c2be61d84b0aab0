"""Gates as a table: aligned, in words that the output can encode, in colour only on a terminal."""

from __future__ import annotations

import io

from msgspec.structs import asdict, replace
from receval.documents import gates
from receval.render.markdown import as_markdown
from receval.render.screen import show
from receval.results.gates import Gate

PASS = Gate("Recall@20 ≥ 0.25", "home", "Recall@20", "min", 0.25, False, "error", "pass", "none", "", value=0.2616, found="0.2616")
LOSS = {"kind": "max_loss", "limit": 0.02, "relative": True, "severity": "error", "sentence": "", "base": "main", "n_users": 350}
FAIL = Gate("nDCG@10 loses at most 2 %", "home", "nDCG@10", outcome="fail", consequence="fail", **LOSS, paired=True,
            difference=-0.053, low=-0.08, high=-0.021, found="−5.3 %, at best −2.1 %", remark="loss exceeds the limit of 2 %")  # fmt: skip


def as_text(encoding):
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


def test_the_table_has_each_gate_with_its_outcome():
    assert show(gates.document([PASS, FAIL], summary=False), as_text("utf-8")) == (
        "gates · home against main · 350 users, paired · one-sided 95 % bounds\n"
        "  pass  Recall@20 ≥ 0.25           0.2616\n"
        "  FAIL  nDCG@10 loses at most 2 %  −5.3 %, at best −2.1 %  loss exceeds the limit of 2 %\n"
    )


def test_an_output_without_unicode_gets_plain_signs():
    text = show(gates.document([PASS, FAIL], summary=False), as_text("ascii"))
    assert text.isascii()
    assert "  FAIL  nDCG@10 loses at most 2 %  -5.3 %, at best -2.1 %  loss exceeds the limit of 2 %\n" in text
    assert "Recall@20 >= 0.25" in text


def test_several_models_are_named_in_each_row_and_another_base_in_its_rule():
    other = Gate(**{**asdict(FAIL), "model": "other", "base": "popular"})
    lines = show(gates.document([PASS, FAIL, FAIL, other], summary=False), as_text("utf-8")).splitlines()
    assert lines[0] == "gates · 2 models against main and popular · 350 users, paired · one-sided 95 % bounds"
    assert lines[2].startswith("  FAIL  home   nDCG@10 loses at most 2 %  ")
    assert lines[4].startswith("  FAIL  other  nDCG@10 loses at most 2 % against popular  ")


def test_a_rule_is_on_one_line_of_a_narrow_screen_and_its_reason_is_beside_the_values(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rule = "nDCG@10 loses at most 2 %, train_count 0-2"
    lines = show(
        gates.document([PASS, replace(FAIL, rule=rule, by="train_count", group="0-2")], summary=False), as_text("utf-8")
    ).splitlines()
    assert lines[2].split("  ")[1:4] == ["FAIL", rule, "−5.3 %, at best −2.1 %; loss"]
    assert lines[3].strip() == "exceeds the limit of 2 %"


def test_a_rule_for_cold_users_names_them():
    one = replace(FAIL, rule="nDCG@10 loses at most 2 %, cold cold", by="cold", group="cold")
    assert "nDCG@10 loses at most 2 %, cold users  " in show(gates.document([one], summary=False), as_text("utf-8"))


def test_markdown_has_the_same_cells():
    text = as_markdown(gates.document([PASS, FAIL]))
    assert text.startswith("**gates · home against main · 350 users, paired · one-sided 95 % bounds**\n")
    assert "| **FAIL** | nDCG@10 loses at most 2 % | −5.3 %, at best −2.1 % | loss exceeds the limit of 2 % |" in text
    assert "- 1 of 2 gates failed" in text


def test_without_gates_there_is_no_text():
    assert gates.document([]) == ()


def test_a_gate_that_was_not_judged_has_its_reason():
    skipped = Gate(**{**asdict(PASS), "outcome": "skipped", "found": "", "sentence": "there is no value"})
    (row,) = gates.table([skipped]).rows
    assert [cell.text for cell in row] == ["not judged", "Recall@20 ≥ 0.25", "", "there is no value"]
