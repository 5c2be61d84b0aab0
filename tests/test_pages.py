"""The README and the pages of docs are true: commands print the shown output, and no link is dead.

After a change of what commands print, this command writes the new output into the pages:

    RECEVAL_RECORD=1 pytest -n 0 tests/test_pages.py -k shown_output
"""

from __future__ import annotations

import os
import re
import shlex
from functools import cache
from pathlib import Path

import pytest
from receval import load_config

from tests.conftest import ROOT, copied_configs

PAGES = sorted(
    path.relative_to(ROOT)
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/README.md", "changelog.d/README.md")
    for path in ROOT.glob(pattern)
)
OF_THEIR_OWN = {
    "docs/gates.md": "test_gates_page.py",
    "docs/python.md": "test_python_docs.py",
    "docs/latex.md": "cli/test_latex.py",
    "docs/reports.md": "cli/test_reports_page.py",
    "docs/trackers.md": "test_trackers_page.py",
    "docs/how-to/spark.md": "test_spark_page.py",
    "docs/how-to/own-metric.md": "test_python_docs.py",
    "docs/how-to/schedulers.md": "test_schedulers_page.py",
}
"""Pages whose commands another test runs."""
RUN = [page for page in PAGES if "```console" in (ROOT / page).read_text("utf-8") and str(page) not in OF_THEIR_OWN]
ON_A_TERMINAL = ["README.md"]
"""Pages with the output on a terminal of 100 columns; the others have the output in a pipe."""
TERMINAL = {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": "100", "TERM": "xterm-256color"}
NAMED = re.compile(r"# (\S+\.ya?ml)$")
"""First line of a block that is a file."""


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return each block of code of a page, in order: language and text."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def plain(text: str) -> list[str]:
    """Return the lines without styles, trailing spaces, and empty lines at the start and end."""
    text = re.sub(r"\x1b\[[\d;]*m", "", text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n").splitlines()


def is_shown(printed: list[str], shown: list[str]) -> bool:
    """Return whether a page shows the output of a command; a line `…` of the page matches any lines."""
    pattern = "\n".join(".*" if line == "…" else re.escape(line) for line in shown)
    return bool(re.fullmatch(pattern, "\n".join(printed), re.DOTALL))


def assert_as_shown(printed: list[str], shown: list[str], command: str) -> None:
    """Compare the output of a command with that of the page."""
    if "…" not in shown:
        assert printed == shown, command
    assert is_shown(printed, shown), command


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a folder with the configs and the data of the repository, which is the working folder."""
    copied_configs(tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    return tmp_path


LONG = ["docs/how-to/history.md", "docs/how-to/sampled-candidates.md", "docs/how-to/data-sets.md"]
"""Pages whose scripts make and evaluate data of many runs, which takes seconds; a release runs them."""


@pytest.mark.parametrize("page", [pytest.param(page, marks=pytest.mark.release) if str(page) in LONG else page for page in RUN], ids=str)
def test_the_commands_of_a_page_print_the_shown_output(page, home, receval, monkeypatch):
    for name, value in TERMINAL.items() if str(page) in ON_A_TERMINAL else ():
        monkeypatch.setenv(name, value)
    for language, text in blocks(page):
        name = NAMED.match(text.splitlines()[0])
        if language == "yaml" and name:
            (home / name[1]).write_text(text)
        if language == "python" and not text.startswith("# not run"):
            exec(compile(text, str(page), "exec"), {})
        if language == "console":
            run_block(text, receval, ROOT / page if os.environ.get("RECEVAL_RECORD") else None)


def run_block(text: str, receval, record: Path | None = None) -> None:
    """Run the commands of a block in their order; one that fails is followed by `echo $?`. What moved is written into the page `record`."""
    parts = [part.partition("\n") for part in re.split(r"^\$ ", text, flags=re.M)[1:]]
    following = [command for command, _, _ in parts[1:]] + [""]
    code = 0
    for (command, _, shown), next_command in zip(parts, following, strict=True):
        if command == "echo $?":
            assert plain(shown) == [str(code)]
        elif command.startswith("ls "):
            assert sorted(path.name for path in Path(command[3:]).iterdir()) == plain(shown)
        else:
            code, out, err = receval(*shlex.split(command.removeprefix("receval ")))
            printed = [*plain(out), *plain(err)]
            if record is not None and not is_shown(printed, plain(shown)):
                replace_shown(record, command, plain(shown), printed)
                continue
            assert_as_shown(printed, plain(shown), command)
            assert code == 0 or next_command == "echo $?", err


def replace_shown(page: Path, command: str, shown: list[str], printed: list[str]) -> None:
    """Replace the output of a command on a page; of one with a line `…` as many lines before and after it as there were."""
    new = printed
    if "…" in shown:
        before, after = shown.index("…"), len(shown) - shown.index("…") - 1
        assert shown.count("…") == 1, f"{command}: write the lines between several … by hand"
        new = [*printed[:before], "…", *printed[len(printed) - after :]]
    text, block = page.read_text("utf-8"), "\n".join([f"$ {command}", *shown])
    assert text.count(block) == 1, f"{command}: not found as one text"
    page.write_text(text.replace(block, "\n".join([f"$ {command}", *new])), "utf-8")


def test_new_output_replaces_the_shown_one_with_its_ellipsis(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```console\n$ receval x\nold\n…\nend\n```\n")
    replace_shown(page, "receval x", ["old", "…", "end"], ["new", "more", "other", "last"])
    assert page.read_text() == "```console\n$ receval x\nnew\n…\nlast\n```\n"


def test_a_page_whose_commands_another_test_runs_is_named_in_that_test():
    for page, test in OF_THEIR_OWN.items():
        assert Path(page).stem in (ROOT / "tests" / test).read_text("utf-8")


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_no_link_of_a_page_is_dead(page):
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", (ROOT / page).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), target
        assert page.parts[0] != "docs" or file.resolve().is_relative_to(ROOT / "docs"), f"{target} is no page of the site"
        assert not anchor or anchor in anchors(file), target


def test_every_page_is_linked_from_another():
    linked = {
        ((ROOT / page).parent / target.partition("#")[0]).resolve()
        for page in PAGES
        for target in re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text("utf-8"))
        if not target.startswith("http")
    }
    assert [str(page) for page in PAGES if (ROOT / page).resolve() not in linked and page.name != "README.md"] == []


OF_A_LIBRARY = r"(?:\S+@10|(?:rmse|fcp)|(?:RMSE|FCP)\S*(?: \(micro\))?)"
"""Measures on the pages of libraries: those of lists have the cut-off 10, those of predictions have none."""
FROM_ELSEWHERE = [page for page in PAGES if page.parent.name == "coming-from"]


@pytest.mark.parametrize("page", FROM_ELSEWHERE, ids=str)
def test_the_numbers_of_a_library_are_beside_those_of_receval(page):
    text = (ROOT / page).read_text("utf-8")
    beside = re.findall(rf"^\| ({OF_A_LIBRARY}) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    if page.stem in ("elliot", "warprec"):
        assert (beside, "not in the package index" in text) == ([], True)
        return
    printed = [value for name, value in re.findall(rf"^  ({OF_A_LIBRARY}) [↑↓] +([\d.]+)$", text, re.MULTILINE)]
    assert [there for _, there, _, _ in beside] == printed[:2]
    assert [value for _, _, here, own in beside for value in (here, own)] == [printed[0], printed[2], printed[1], printed[3]]


@pytest.mark.parametrize("page", FROM_ELSEWHERE, ids=str)
def test_the_config_of_a_coming_from_page_has_the_convention_that_the_page_names(page, home):
    (named,) = {text for language, text in blocks(page) if language == "yaml" and NAMED.match(text.splitlines()[0])}
    (home / "config.yaml").write_text(named)
    evaluation = load_config(home / "config.yaml").config.evaluation
    assert f"`convention: {evaluation.convention}` computes" in (ROOT / page).read_text("utf-8")
