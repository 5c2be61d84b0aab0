"""The code quality report of GitLab: what failed or warned, shown in a merge request."""

from __future__ import annotations

import hashlib
import json
from typing import Final

from ...content.report import ReportContent
from .cases import Case, cases

_SEVERITIES: Final = {"fail": "major", "warn": "minor", "skipped": "minor"}


def as_code_quality(content: ReportContent) -> bytes:
    """Return the gates and checks that did not pass, each at the config or the folder that it is about."""
    issues = [_issue(case, content.source or "receval") for case in cases(content) if case.outcome != "pass"]
    return (json.dumps(issues, indent=1, ensure_ascii=False) + "\n").encode()


def _issue(case: Case, path: str) -> dict[str, object]:
    """An issue; its fingerprint is that of the rule and the model, so that the next run finds it again."""
    model = f"{case.model}: " if case.model and not case.sentence.startswith(case.model) else ""
    return {
        "description": f"{model}{case.sentence or case.name}",
        "check_name": f"receval {case.id}",
        "fingerprint": hashlib.sha256("\x1f".join((case.suite, case.id, case.model)).encode()).hexdigest(),
        "severity": _SEVERITIES[case.outcome],
        "location": {"path": path, "lines": {"begin": 1}},
    }
