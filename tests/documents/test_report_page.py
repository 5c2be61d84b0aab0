"""The sections of a report, and those that its short form leaves out."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from receval.documents import report_page
from receval.documents.document import Code, Figure, Paragraph, Points, Section, Status, Table
from receval.documents.report_page import PARTS, ReportPart, report, summary

from tests.reports import as_html, as_markdown, content, gate, hostile, reported, result

__all__ = ["content", "hostile", "result"]


def sections(document):
    return [block for block in document if isinstance(block, Section)]


def blocks(section, kind):
    """Return all blocks of a kind in a section, also those in its folds."""
    return [
        found
        for block in section.blocks
        for found in (blocks(block, kind) if isinstance(block, Section) else [block])
        if isinstance(found, kind)
    ]


def test_a_section_of_a_plugin_is_on_the_page_in_its_links_and_in_the_short_form(content, monkeypatch):
    def own(given, short):
        yield Section("own", "Our own part", (Paragraph(f"{len(given.models)} models{'' if short else ', told at length'}"),))

    monkeypatch.setattr(report_page, "PARTS", (*PARTS, ReportPart(own, "shown")))
    page = as_html(content).decode()
    assert ('<a href="#own">Our own part</a>' in page, "<p>3 models, told at length</p>" in page) == (True, True)
    assert "## Our own part\n\n3 models\n" in as_markdown(content)


def test_the_short_form_has_no_charts_or_config_and_folds_long_parts(result):
    shown = sections(summary(reported(result, baseline="popular", gates=[gate("fail")], losers=1)))
    assert [section.id for section in shown if not section.folded] == ["gates", "values", "differences", "losers"]
    assert [section.id for section in shown if section.folded] == ["groups", "findings", "done"]
    assert not [found for section in shown for kind in (Figure, Code) for found in blocks(section, kind)]


def test_the_short_form_has_no_sentence_twice(content):
    said = {sentence for _, sentence in summary(replace(content, closing=()))[1].lines}
    points = [
        text for section in sections(summary(replace(content, closing=()))) for found in blocks(section, Points) for text in found.texts
    ]
    assert said
    assert not said & set(points)


def test_verdicts_and_failed_checks_come_first_and_values_before_findings(content):
    heading, status, *rest = report(content)
    assert heading.text == "Evaluation of popular, good and better"
    assert isinstance(status, Status)
    assert {type(block) for block in rest} == {Section}
    ids = [block.id for block in rest]
    assert ids.index("values") < ids.index("findings")


@pytest.mark.parametrize("given", ["content", "hostile"])
def test_every_table_of_the_page_has_its_own_name_and_a_caption(given, request):
    tables = [found for section in sections(report(request.getfixturevalue(given))) for found in blocks(section, Table)]
    assert len({table.id for table in tables} - {""}) == len(tables) > 5
    assert all(table.caption for table in tables)


def test_page_and_short_form_have_the_same_values_except_intervals(content):
    page, short = (
        next(blocks(section, Table)[0] for section in sections(made(content)) if section.id == "values") for made in (report, summary)
    )
    assert any(cell.drawn for row in page.rows for cell in row)
    assert [[replace(cell, spread="", drawn=None) for cell in row] for row in page.rows] == [list(row) for row in short.rows]
