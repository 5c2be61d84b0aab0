"""A document as Markdown: tables, lists and folds; names are plain text."""

from __future__ import annotations

from receval.documents.document import (
    Alert,
    Cell,
    Code,
    Column,
    Heading,
    Links,
    Paragraph,
    Points,
    Section,
    Sentences,
    Status,
    Table,
    Terms,
    text_columns,
)
from receval.render.markdown import as_markdown

NAME = "a|b_*c*_<script>[x](javascript:y)`z`"
PLAIN = "a\\|b\\_\\*c\\*\\_\\<script\\>\\[x\\](javascript:y)\\`z\\`"


def test_a_table_has_the_marks_arrows_and_notes_of_its_cells():
    columns = (Column("measure", "name"), Column("knn", "value", direction=True), Column("what", "code"))
    rows = (
        (Cell("nDCG@10", direction=True), Cell("0.5", "0.1", "best", "a"), Cell("run")),
        (Cell("RMSE", direction=False), Cell("1.5", mark="untested"), Cell("")),
    )
    assert as_markdown((Table(columns, rows, "Values"),)).splitlines() == [
        "**Values**",
        "",
        "| measure | knn ↑ | what |",
        "|---|---:|---|",
        "| nDCG@10 ↑ | **0.5 ± 0.1** a | `run` |",
        "| RMSE ↓ | 1.5 ◃ |  |",
    ]


def test_names_are_plain_text_in_tables_sentences_alerts_and_headings():
    table = Table.from_texts((Column(NAME, "name"), Column("value", "value")), [(NAME, "1")])
    alert = Alert("warn", "warning X01", NAME, (NAME,), (NAME,))
    for block in (table, Sentences((NAME,)), Status((("bad", NAME),)), alert, Heading(NAME), Section("id", NAME)):
        text = as_markdown((block,))
        assert PLAIN in text
        assert NAME not in text


def test_the_title_of_a_fold_is_text_in_html():
    assert as_markdown((Section("id", NAME, (Paragraph("text"),), folded=True),)).startswith(
        "<details><summary>a|b_*c*_&lt;script&gt;[x](javascript:y)`z`</summary>\n\ntext\n\n</details>"
    )


def test_receval_texts_can_have_code_and_only_texts_without_quotes_can_have_links():
    text = "`<b>` is <b>bold</b>, [here](there)"
    assert as_markdown((Paragraph(text),)) == "`<b>` is \\<b>bold\\</b>, [here]\\(there)\n"
    assert as_markdown((Paragraph(text),), quotes_nobody=True) == "`<b>` is \\<b>bold\\</b>, [here](there)\n"
    assert as_markdown((Heading("`code`"),), quotes_nobody=True) == "# `code`\n"
    table = Table.from_texts(text_columns("a", "b", code=("b",)), [("`x|y`\nz", "u|v")])
    assert as_markdown((table,)).splitlines()[-1] == "| `x\\|y`⏎z | `u\\|v` |"


def test_notes_of_tables_are_a_list_below_them_and_alerts_are_one_list():
    table = Table.from_texts((Column("a"),), [("1",)])
    noted = Table(table.columns, table.rows, notes=("of the table",))
    assert as_markdown((noted, Sentences(("below",)))).endswith("| 1 |\n\n- of the table\n- below\n")
    assert as_markdown((noted, Paragraph("text"))).endswith("text\n\n- of the table\n")
    alerts = [Alert("error", "error X01", "found", ("u", "v"), ("least", "most"), "advice"), Alert("info", "note X02", "fine")]
    assert as_markdown(alerts) == "- **error X01** found For example: u; v. least. most.\n- **note X02** fine\n"


def test_other_blocks_have_their_markdown_forms():
    document = (Points(("one", "two")), Terms((("key", "text"),), "about"), Code("x = 1", "python"), Links("See", ("One",)))
    assert as_markdown(document) == "- one\n- two\n\nabout\n\n- `key`: text\n\n```python\nx = 1\n```\n\nSee: [One](#one)\n"
    assert as_markdown((Section("id", "More", (Paragraph("text"),), folded=True),)) == (
        "<details><summary>More</summary>\n\ntext\n\n</details>\n"
    )
