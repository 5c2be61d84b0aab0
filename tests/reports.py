"""Results for tests of reports: two or three models over a few users, with names that would do harm unless escaped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from msgspec.structs import replace
from receval import Result, load_config, run
from receval.actions.report import report_of
from receval.comparison.comparison_options import ComparisonOptions
from receval.config.run_sections import ReportConfig
from receval.documents.report import ReportContent
from receval.documents.report_page import report, summary
from receval.render import html, markdown
from receval.results.gates import Consequence, Gate, Outcome

HOSTILE = (
    "<script>alert(1)</script>",
    "a|b`c`*d*_e_[x](javascript:alert(1))",
    "esc\x1b[31m\nnew line",
    "long " + "x" * 500,
    "\u202eturned \u05e9\u05dc\u05d5\u05dd",
    "=cmd() \"quoted\" 'single' &amp; ${x} {{ 7*7 }}",
)
"""Names of models that are dangerous in HTML, Markdown, on a terminal and in programs, or by their length or direction."""

N_USERS = 40


def write_config(folder: Path, models: Sequence[str], **evaluation: Any) -> Path:
    """Write a config with its files: each model has more hits than the one before; user ids begin with `person`."""
    users = [f"person-{number:03}" for number in range(N_USERS)]
    truth = [(user, f"i{(number + step) % 30}", 5) for number, user in enumerate(users) for step in (0, 7, 11)]
    pl.DataFrame(truth, schema=["user", "item", "rating"], orient="row").write_parquet(folder / "test.parquet")
    paths = {}
    for place, model in enumerate(models):
        rows = []
        for number, user in enumerate(users):
            first = [f"i{number % 30}"] if (number * 7) % (len(models) + 1) <= place else []
            rows += [(user, item, 10.0 - rank) for rank, item in enumerate([*first, *(f"miss{(number + n) % 9}" for n in range(5))])]
        pl.DataFrame(rows, schema=["user", "item", "score"], orient="row").write_parquet(folder / f"lists{place}.parquet")
        paths[model] = f"lists{place}.parquet"
    given = {"metrics": ["nDCG", "Recall", "ItemCoverage"], "top_k": [1, 3, 5], **evaluation}
    pl.DataFrame({"user": users, "item": [f"i{n % 30}" for n in range(N_USERS)]}).write_parquet(folder / "train.parquet")
    pl.DataFrame({"user": users, "plan": ["free", "paid"] * (N_USERS // 2)}).write_parquet(folder / "users.parquet")
    data = {"test": "test.parquet", "train": "train.parquet", "users": "users.parquet", "recommendations": paths}
    (folder / "config.yaml").write_text(yaml.safe_dump({"data": data, "evaluation": given}, sort_keys=False))
    return folder / "config.yaml"


def evaluated(folder: Path, models: Sequence[str], **evaluation: Any) -> Result:
    """Return the complete result of such a config."""
    return run(load_config(write_config(folder, models, **evaluation)), complete=True, keep_users=True)


def reported(result: Result, *, gates: Sequence[Gate] = (), wanted: ReportConfig | None = None, **asked: Any) -> ReportContent:
    """Return the content of the report of a result."""
    return report_of({"result": replace(result, gates=tuple(gates) or result.gates)}, ComparisonOptions(**asked), wanted or ReportConfig())


def as_html(content: ReportContent, *, interactive: bool = False) -> bytes:
    """Return the page of a report."""
    return html.as_html(report(content), interactive=interactive).encode()


def as_markdown(content: ReportContent) -> str:
    """Return the short form of a report."""
    return markdown.as_markdown(summary(content))


def gate(outcome: Outcome, rule: str = "nDCG@3 ≥ 0.5", **more: Any) -> Gate:
    """Return a gate with this outcome."""
    consequences: dict[str, Consequence] = {"fail": "fail", "inconclusive": "warn"}
    given: dict[str, Any] = {
        "rule": rule,
        "model": "good",
        "measure": "nDCG@3",
        "kind": "min",
        "limit": 0.5,
        "relative": False,
        "severity": "error",
        "outcome": outcome,
        "consequence": consequences.get(outcome, "none"),
        "sentence": f"It is {outcome}.",
        "value": 0.4,
        "high": 0.6,
    }
    return Gate(**given | more)


@pytest.fixture(scope="session")
def result(tmp_path_factory):
    return evaluated(tmp_path_factory.mktemp("plain"), ["popular", "good", "better"], by=["users.plan"])


@pytest.fixture(scope="session")
def content(result):
    return reported(result, baseline="popular")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    return reported(evaluated(tmp_path_factory.mktemp("hostile"), ["base", *HOSTILE]))
