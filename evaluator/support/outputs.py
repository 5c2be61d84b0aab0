"""`OUTPUTS`: every form of every output, one row each.

The table is the registry. From it come the choices of `--format` of every command, the endings of `-o`, shell completion, the sentences
that list them, and docs/output-forms.md. A row names its maker in the form of an entry point, so rows of packages are like any other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import PurePath
from typing import Any, Final, Literal

from msgspec import Struct

Subject = Literal[
    "result", "latex", "report", "users", "comparison", "losers", "gates", "findings", "chart", "audit", "audit-difference",
    "audit-values", "audit-settings", "gamma-curve", "description", "diff", "explanation", "baseline", "catalogue", "machine", "slices",
    "user", "card", "history", "leaderboard", "across", "plan",
]  # fmt: skip
"""Subject of an output."""
Need = Literal["users", "conclusions", "complete", "description", "drawing"]
"""Input that an output needs beside values: per-user values; the best models; standard deviations and fingerprints (`complete`); the
description of the files; the extra for drawing."""


class OutputForm(Struct, frozen=True):
    """One form of one subject.

    `maker` is a function, or the module and the name of one. It takes the subject, and the options of a command that the row `takes`; it
    returns bytes or text, or a document, plain values, rows or a frame, which the form renders (`render.forms`). A file with one of the
    `endings`, or with the name `file`, has this form; `folder` is the name of the file in a folder of all outputs of the subject. A
    `binary` form is not printed.
    """

    of: Subject
    form: str
    maker: str | Callable[..., Any]
    endings: tuple[str, ...] = ()
    needs: frozenset[Need] = frozenset()
    takes: tuple[str, ...] = ()
    file: str = ""
    folder: str = ""
    binary: bool = False

    def make(self, subject: Any, **options: Any) -> Any:
        """Make the output; options that the row does not take are ignored."""
        maker = self.maker
        if isinstance(maker, str):
            module, _, name = maker.partition(":")
            maker = getattr(import_module(module), name)
        return maker(subject, **{name: options[name] for name in self.takes if name in options})


_COMPLETE: Final[frozenset[Need]] = frozenset({"complete"})
_MARKED: Final[frozenset[Need]] = frozenset({"conclusions"})
_CONCLUDED: Final[frozenset[Need]] = frozenset({"complete", "conclusions"})
_REPORTED: Final[frozenset[Need]] = frozenset({"complete", "users"})
_TESTED: Final[frozenset[Need]] = frozenset({"complete", "users", "conclusions"})
_DESCRIBED: Final[frozenset[Need]] = frozenset({"complete", "users", "conclusions", "description"})
_DRAWN: Final[frozenset[Need]] = frozenset({"drawing"})
_DATA, _DIFF = "receval.render.result_data", "receval.documents.model_diff"
_AUDIT, _AUDITED, _CHARTS = "receval.documents.audit", "receval.render.audit_data", "receval.render.drawing"
_GAMMA: Final = "receval.documents.exposure_curve"
_SERIES: Final = "receval.documents.series"
_MARKDOWN: Final = "receval.actions.show:result_markdown"
_DIFFERENCES: Final = ("look_at", "everything", "relative")

PARQUET: Final[Mapping[str, Any]] = {"row_group_size": 1 << 16, "compression": "snappy"}
"""How Parquet is written. Groups of a fixed number of rows do not depend on the chunks of a frame, the parts of a run.
Zstandard makes files a third smaller, but takes 1.4 times as long, a thirtieth of a run."""

OUTPUTS: list[OutputForm] = [
    OutputForm("result", "table", "receval.actions.show:result_document", needs=_MARKED, takes=("looks", "verbose", "sentences", "bare")),
    OutputForm("result", "csv", f"{_DATA}:values_table", (".csv",), _COMPLETE, folder="results.csv"),
    OutputForm("result", "wide-csv", f"{_DATA}:wide_rows", (), _COMPLETE, folder="results_wide.csv"),
    OutputForm("result", "ledger-csv", f"{_DATA}:ledger_table", (), _COMPLETE, folder="ledger.csv"),
    OutputForm("result", "json", f"{_DATA}:result_cells", (".json",), _CONCLUDED, folder="results.json"),
    OutputForm("result", "jsonl", f"{_DATA}:values_table", (".jsonl",), _COMPLETE),
    OutputForm("result", "parquet", f"{_DATA}:values_table", (".parquet",), _COMPLETE, folder="results.parquet", binary=True),
    OutputForm("result", "trec", "receval.render.trec_lines:trec_lines", needs=_REPORTED),
    OutputForm("result", "md", _MARKDOWN, (".md",), _CONCLUDED, takes=("looks", "sentences", "signature"), folder="results.md"),
    OutputForm("latex", "latex", "receval.actions.report:tables", (".tex",), _TESTED),
    OutputForm("latex", "latex-document", "receval.actions.report:paper", (), _DESCRIBED, file="report.tex"),
    OutputForm("report", "html", "receval.documents.report_page:report", (".html", ".htm"), _TESTED),
    OutputForm("report", "md", "receval.documents.report_page:markdown", (".md",), _REPORTED),
    OutputForm("report", "junit", "receval.render.ci:as_junit", (".xml",), _REPORTED),
    OutputForm("report", "badge", "receval.render.ci:as_badge", (".svg",), _REPORTED),
    OutputForm("report", "code-quality", "receval.render.ci:as_code_quality", (), _REPORTED),
    OutputForm("report", "github-comment", "receval.render.ci:as_github_comment", (), _REPORTED),
    OutputForm("users", "csv", f"{_DATA}:user_table", (".csv",), _REPORTED, ("long",), folder="per_user.csv"),
    OutputForm("users", "jsonl", f"{_DATA}:user_table", (".jsonl",), _REPORTED, ("long",), folder="per_user.jsonl"),
    OutputForm("users", "parquet", f"{_DATA}:user_table", (".parquet",), _REPORTED, ("long",), folder="per_user.parquet", binary=True),
    OutputForm("comparison", "table", "receval.documents.differences:document", takes=_DIFFERENCES),
    OutputForm("comparison", "json", f"{_DATA}:comparison_cells", (".json",), folder="comparison.json"),
    OutputForm("comparison", "csv", f"{_DATA}:comparison_rows", (".csv",), folder="comparison.csv"),
    OutputForm("comparison", "md", "receval.documents.differences:document", (".md",), takes=_DIFFERENCES, folder="comparison.md"),
    OutputForm("comparison", "latex", "receval.documents.paper:comparison_tables", (".tex",), takes=("everything", "relative")),
    OutputForm("comparison", "html", "receval.actions.report:comparison_page", (".html", ".htm"), takes=("compared", "relative")),
    OutputForm("losers", "parquet", f"{_DATA}:losers", folder="comparison_users.parquet", binary=True),
    OutputForm("across", "table", "receval.documents.across:document"),
    OutputForm("across", "json", "receval.results.across:cells", (".json",), folder="across.json"),
    OutputForm("across", "csv", "receval.results.across:rows", (".csv",), folder="across.csv"),
    OutputForm("across", "md", "receval.documents.across:document", (".md",), folder="across.md"),
    OutputForm("across", "latex", "receval.render.rank_diagrams:latex", (".tex",)),
    OutputForm("across", "html", "receval.documents.across:document", (".html", ".htm")),
    OutputForm("across", "svg", "receval.render.rank_diagrams:as_svg", (".svg",)),
    OutputForm("diff", "table", f"{_DIFF}:document"),
    OutputForm("diff", "json", f"{_DIFF}:cells", (".json",)),
    OutputForm("diff", "csv", f"{_DIFF}:user_rows", (".csv",)),
    OutputForm("diff", "parquet", f"{_DIFF}:user_table", (".parquet",), binary=True),
    OutputForm("diff", "md", f"{_DIFF}:document", (".md",)),
    OutputForm("diff", "html", "receval.render.explorer:explorer", (".html", ".htm")),
    OutputForm("slices", "table", "receval.documents.slices:document"),
    OutputForm("slices", "json", f"{_DATA}:slice_cells", (".json",)),
    OutputForm("slices", "csv", f"{_DATA}:slice_table", (".csv",)),
    OutputForm("slices", "parquet", f"{_DATA}:slice_table", (".parquet",), binary=True),
    OutputForm("slices", "md", "receval.documents.slices:document", (".md",)),
    OutputForm("history", "table", f"{_SERIES}:document"),
    OutputForm("history", "json", f"{_DATA}:own_cells", (".json",)),
    OutputForm("history", "md", f"{_SERIES}:markdown", (".md",)),
    OutputForm("history", "html", f"{_SERIES}:page", (".html", ".htm")),
    OutputForm("leaderboard", "table", f"{_SERIES}:leaderboard"),
    OutputForm("leaderboard", "json", f"{_DATA}:own_cells", (".json",)),
    OutputForm("leaderboard", "md", f"{_SERIES}:leaderboard", (".md",)),
    OutputForm("leaderboard", "html", f"{_SERIES}:leaderboard", (".html", ".htm")),
    OutputForm("user", "table", "receval.documents.user_view:document"),
    OutputForm("user", "json", "receval.documents.user_view:cells", (".json",)),
    OutputForm("user", "md", "receval.documents.user_view:document", (".md",)),
    OutputForm("card", "table", "receval.documents.card:document"),
    OutputForm("card", "md", "receval.documents.card:document", (".md",)),
    OutputForm("card", "latex", "receval.documents.card:document", (".tex",)),
    OutputForm("card", "html", "receval.documents.card:document", (".html", ".htm")),
    OutputForm("card", "json", "receval.documents.card:cells", (".json",)),
    OutputForm("gates", "table", "receval.documents.gates:document", takes=("summary",)),
    OutputForm("gates", "json", f"{_DATA}:verdict_cells", (".json",), takes=("strict",)),
    OutputForm("gates", "md", "receval.documents.gates:document", (".md",)),
    OutputForm("plan", "table", "receval.documents.gate_plan:document"),
    OutputForm("plan", "json", "receval.results.gate_plan:cells", (".json",)),
    OutputForm("plan", "md", "receval.documents.gate_plan:document", (".md",)),
    OutputForm("plan", "html", "receval.documents.gate_plan:page", (".html", ".htm")),
    OutputForm("findings", "table", "receval.actions.show:check_document"),
    OutputForm("findings", "json", f"{_DATA}:findings"),
    OutputForm("chart", "svg", f"{_CHARTS}:as_svg_file", (".svg",), _DRAWN),
    OutputForm("chart", "png", f"{_CHARTS}:as_png", (".png",), _DRAWN, binary=True),
    OutputForm("chart", "pdf", f"{_CHARTS}:as_pdf", (".pdf",), _DRAWN, binary=True),
    OutputForm("chart", "json", f"{_CHARTS}:as_json", (".json",)),
    OutputForm("audit", "table", f"{_AUDIT}:audit_document", takes=("command",)),
    OutputForm("audit", "csv", f"{_AUDITED}:audit_rows"),
    OutputForm("audit", "json", f"{_AUDITED}:audit_json"),
    OutputForm("audit", "md", f"{_AUDIT}:audit_document", takes=("command",)),
    OutputForm("audit-difference", "table", f"{_AUDIT}:difference_document"),
    OutputForm("audit-difference", "csv", f"{_AUDITED}:difference_rows"),
    OutputForm("audit-difference", "json", f"{_AUDITED}:difference_json"),
    OutputForm("audit-difference", "md", f"{_AUDIT}:difference_document"),
    OutputForm("audit-values", "table", f"{_AUDIT}:found_document"),
    OutputForm("audit-values", "csv", f"{_AUDITED}:found_rows"),
    OutputForm("audit-values", "json", f"{_AUDITED}:found_json"),
    OutputForm("audit-values", "md", f"{_AUDIT}:found_document"),
    OutputForm("audit-settings", "table", "receval.documents.found_settings:document"),
    OutputForm("audit-settings", "csv", f"{_AUDITED}:settings_rows"),
    OutputForm("audit-settings", "json", f"{_AUDITED}:settings_json"),
    OutputForm("audit-settings", "md", "receval.documents.found_settings:document"),
    OutputForm("gamma-curve", "table", f"{_GAMMA}:document"),
    OutputForm("gamma-curve", "csv", f"{_GAMMA}:rows"),
    OutputForm("gamma-curve", "json", f"{_GAMMA}:cells"),
    OutputForm("gamma-curve", "md", f"{_GAMMA}:document"),
    OutputForm("description", "table", "receval.documents.description:document"),
    OutputForm("description", "json", "receval.documents.description:plain"),
    OutputForm("description", "md", "receval.documents.description:document"),
    OutputForm("explanation", "table", f"{_AUDIT}:explanation_document"),
    OutputForm("explanation", "json", f"{_AUDITED}:explanation_json"),
    OutputForm("explanation", "md", f"{_AUDIT}:explanation_document"),
    OutputForm("baseline", "table", "receval.documents.gates:baseline_document", takes=("name",)),
    OutputForm("baseline", "json", f"{_DATA}:baseline_cells", takes=("name",)),
    OutputForm("baseline", "md", "receval.documents.gates:baseline_document", takes=("name",)),
    OutputForm("catalogue", "table", "receval.actions.catalogue:page"),
    OutputForm("catalogue", "md", "receval.actions.catalogue:page"),
    OutputForm("catalogue", "json", "receval.actions.catalogue:content"),
    OutputForm("machine", "table", "receval.actions.machine:as_text"),
    OutputForm("machine", "json", "receval.actions.machine:content"),
]  # fmt: skip
"""All rows; if several subjects of a command have a form or an ending, the subject that it names first counts."""


def rows(*subjects: Subject) -> Iterator[OutputForm]:
    """Yield the rows of some subjects, in the order of these."""
    for subject in subjects:
        yield from (row for row in OUTPUTS if row.of == subject)


def forms(*subjects: Subject) -> tuple[str, ...]:
    """Return the forms that can be printed; those of packages come last."""
    return tuple(dict.fromkeys((*(row.form for row in rows(*subjects) if not row.binary), *_announced(subjects))))


def endings(*subjects: Subject) -> tuple[str, ...]:
    """Return the file endings that have a form; those of packages come last."""
    own = (ending for row in rows(*subjects) for ending in row.endings)
    return tuple(dict.fromkeys((*own, *(f".{name}" for name in _announced(subjects)))))


def output_form(form: str, *subjects: Subject) -> OutputForm | None:
    """Return the row of a form, which a package may add; `None` if there is none."""
    return next((row for row in rows(*subjects) if row.form == form), None) or _added(form, subjects)


def file_form(path: str | os.PathLike[str], *subjects: Subject) -> OutputForm | None:
    """Return the row of a file, by its name or its ending; `None` if neither has a form."""
    name, ending = PurePath(path).name.lower(), PurePath(path).suffix.lower()
    named = next((row for row in rows(*subjects) if row.file and row.file == name), None)
    by_ending = next((row for row in rows(*subjects) if ending in row.endings), None)
    return named or by_ending or _added(PurePath(path).suffix[1:], subjects)


def in_folder(*subjects: Subject) -> dict[str, OutputForm]:
    """Return the files of a folder of all outputs of some subjects, by name."""
    return {row.folder: row for row in rows(*subjects) if row.folder}


def _announced(subjects: tuple[Subject, ...]) -> tuple[str, ...]:
    """Return the forms of results that installed packages add."""
    if "result" not in subjects:
        return ()
    from . import plugins  # only here, because reading the metadata of packages is slow

    return tuple(entry.name for entry in plugins.entry_points_of("formats"))


def _added(form: str, subjects: tuple[Subject, ...]) -> OutputForm | None:
    """Return the row of a package: a function from a `Result` to bytes."""
    if "result" not in subjects or not form:
        return None
    from . import plugins

    maker = plugins.find("formats", form)
    if maker is None:
        return None
    return OutputForm("result", form, plugins.guarded(f"the format {form}", maker), (f".{form}",), _COMPLETE)
