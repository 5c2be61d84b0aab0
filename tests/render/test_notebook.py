"""A document as HTML for notebooks: text is escaped, and the best values have their own class."""

from __future__ import annotations

from receval.document import Alert, Cell, Column, Paragraph, Section, Sentences, Table
from receval.render.html import for_notebook


def test_findings_are_above_the_table_and_its_notes_below():
    columns = (Column("measure", "name"), Column("<b>", "value"))
    rows = ((Cell("nDCG", direction=True), Cell("0.5", mark="best")), (Cell("RMSE"), Cell("1", "0.1", "untested")))
    document = (Alert("warn", "warning X01", "<found>"), Table(columns, rows, notes=("marks",)), Sentences(("below",)))
    html = for_notebook(document).partition("</style>")[2]
    assert html == (
        '<div class="receval-result"><ul class="receval-findings"><li>warning X01: &lt;found&gt;</li></ul>'
        '<table><thead><tr><th scope="col">measure</th><th scope="col">&lt;b&gt;</th></tr></thead>'
        '<tbody><tr><th scope="row">nDCG ↑</th><td class="receval-best">0.5</td></tr>'
        '<tr><th scope="row">RMSE</th><td>1 ± 0.1 ◃</td></tr></tbody></table>'
        '<ul class="receval-notes"><li>marks</li><li>below</li></ul></div>'
    )


def test_blocks_of_sections_are_below_their_heading():
    inner = Section("inner", "<within>", (Alert("warn", "warning X01", "found"),))
    html = for_notebook((Section("outer", "Lists", (Paragraph("side by side"), inner)),)).partition("</style>")[2]
    assert html == (
        '<div class="receval-result"><h4>Lists</h4><p>side by side</p><h4>&lt;within&gt;</h4>'
        '<ul class="receval-findings"><li>warning X01: found</li></ul></div>'
    )
