"""The page on files has the table of shapes."""

from __future__ import annotations

from receval.recognise.shapes import SHAPES

from tests.conftest import ROOT


def test_the_page_on_files_has_every_shape_with_its_examples():
    page = (ROOT / "docs" / "files.md").read_text("utf-8")
    assert [line for line in page.splitlines() if line.startswith("| ") and "`" in line][: len(SHAPES)] == [
        f"| {shape.name} | {', '.join(f'`{line}`' for line in shape.examples)} |" for shape in SHAPES
    ]
