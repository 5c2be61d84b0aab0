"""The page on files has the table of shapes."""

from __future__ import annotations

from receval.recognise.shapes import SHAPES

from tests.conftest import ROOT


def test_the_page_on_files_has_every_shape_with_its_example():
    page = (ROOT / "docs" / "files.md").read_text("utf-8")
    assert [line for line in page.splitlines() if line.startswith("| ") and "`" in line][: len(SHAPES)] == [
        f"| {shape.name} | `{shape.example}` |" for shape in SHAPES
    ]
