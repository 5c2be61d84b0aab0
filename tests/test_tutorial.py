"""docs/tutorial.ipynb runs, and shows what is stored in it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "tutorial.ipynb"
pytestmark = pytest.mark.skipif(not all(map(find_spec, ("nbclient", "ipykernel"))), reason="needs nbclient and ipykernel")


def shown(notebook: Any) -> list[tuple[str, str, list[str]]]:
    """What each cell shows: the kind of output, its text, and the forms that it has."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [(one.output_type, one.get("text") or one.data["text/plain"], sorted(one.get("data", {}))) for one in outputs]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the kernel
def test_the_notebook_runs_and_shows_what_is_stored_in_it():
    import nbformat
    from nbclient import NotebookClient

    stored = nbformat.read(PAGE, as_version=4)
    run = nbformat.read(PAGE, as_version=4)
    NotebookClient(run, timeout=240, resources={"metadata": {"path": str(PAGE.parent)}}).execute()
    assert shown(run) == shown(stored)
    assert [forms for _, _, forms in shown(run)].count(["image/svg+xml", "text/plain"]) == 2
    assert "\x1b" not in "".join(text for _, text, _ in shown(run))
