"""A document as HTML for notebooks: that of pages, with its own class names and without what only pages have."""

from __future__ import annotations

import re

from receval.documents.document import Alert, Cell, Column, Interval, Paragraph, Section, Sentences, Table
from receval.render.html import for_notebook


def test_findings_have_no_examples_and_the_table_has_no_id_no_picture_and_its_own_class_names():
    columns = (Column("measure", "name"), Column("<b>", "value"))
    drawn = Interval(0.5, 0.4, 0.6)
    rows = ((Cell("nDCG", direction=True), Cell("0.5", mark="best", drawn=drawn)), (Cell("RMSE"), Cell("1", "0.1", "untested")))
    found = Alert("warn", "warning X01", "<found>", examples=("user 7",), cures=("policy",))
    document = (found, Table(columns, rows, notes=("marks",), id="values"), Sentences(("below",)))
    html = for_notebook(document).partition("</style>\n")[2]
    assert re.sub(r"\n+", "", html) == (
        '<div class="receval-result"><p><b class="receval-warn">warning X01</b> &lt;found&gt; </p>'
        '<div class="receval-wide" role="group" tabindex="0"><table><caption></caption><thead><tr>'
        '<th scope="col" class="receval-t">measure</th><th scope="col" class="receval-l">&lt;b&gt;</th></tr></thead>'
        '<tbody><tr><th scope="row">nDCG\u00a0↑</th><td class="receval-l"><span class="receval-n receval-w3"><b>0.5</b></span></td></tr>'
        '<tr><th scope="row">RMSE</th><td class="receval-l"><span class="receval-n receval-w3 receval-p2">1</span>\u00a0'
        '<small class="receval-n receval-l receval-w2">◃</small>\u00a0<small class="receval-n receval-w4">±0.1</small></td></tr>'
        "</tbody></table></div><p>marks</p><p>below</p></div>"
    )


def test_blocks_of_sections_are_below_their_heading():
    inner = Section("inner", "<within>", (Alert("warn", "warning X01", "found"),))
    html = for_notebook((Section("outer", "Lists", (Paragraph("side by side"), inner)),)).partition("</style>\n")[2]
    assert html.replace("\n", "") == (
        '<div class="receval-result"><h4>Lists</h4><p>side by side</p><h4>&lt;within&gt;</h4>'
        '<p><b class="receval-warn">warning X01</b> found </p></div>'
    )


def test_a_text_that_looks_like_a_class_stays_a_text():
    assert " class=&#34;t&#34;" in for_notebook((Paragraph(' class="t"'),))
