"""docs/tutorial.ipynb runs, and its stored outputs are current."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "tutorial.ipynb"
pytestmark = pytest.mark.skipif(not all(map(find_spec, ("nbclient", "ipykernel"))), reason="needs nbclient and ipykernel")


def outputs_of(notebook: Any) -> list[tuple[str, str, list[str]]]:
    """Return the outputs of each cell: the kind, the text, and the available forms."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [(output.output_type, output.get("text") or output.data["text/plain"], sorted(output.get("data", {}))) for output in outputs]


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the kernel
def test_the_notebook_runs_and_its_stored_outputs_are_current():
    import nbformat
    from nbclient import NotebookClient

    stored = nbformat.read(PAGE, as_version=4)
    run = nbformat.read(PAGE, as_version=4)
    NotebookClient(run, timeout=240, resources={"metadata": {"path": str(PAGE.parent)}}).execute()
    assert outputs_of(run) == outputs_of(stored)
    assert [forms for _, _, forms in outputs_of(run)].count(["image/svg+xml", "text/plain"]) == 2
    shown = [html for cell in run.cells[1:] for output in cell.get("outputs", []) if (html := output.get("data", {}).get("text/html"))]
    expected = ("nDCG@10", "The value", "knn is better than popular", "both gates passed")  # a result, one user, a comparison, gates
    assert [text in html for text, html in zip(expected, shown[1:], strict=True)] == [True] * 4
    assert "\x1b" not in "".join(text for _, text, _ in outputs_of(run))
