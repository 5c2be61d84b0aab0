"""The command that installs a missing extra, for every way to install receval."""

from __future__ import annotations

import json
from importlib import metadata

import pytest
from receval.support import extras


class Installed:
    """A distribution for which pip recorded its source."""

    def __init__(self, origin: dict[str, object] | None) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        return json.dumps(self.origin) if name == "direct_url.json" and self.origin is not None else None


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'receval[spark]'"),
        ({"url": "file:///home/me/my%20clone", "dir_info": {}}, "pip install '/home/me/my clone[spark]'"),
        ({"url": "file:///home/me/clone", "dir_info": {"editable": True}}, "pip install -e '/home/me/clone[spark]'"),
        (
            {"url": "https://example.org/receval.git", "vcs_info": {"vcs": "git", "commit_id": "1f"}},
            "pip install 'receval[spark] @ git+https://example.org/receval.git'",
        ),
        (
            {"url": "file:///tmp/receval-0.1.0-py3-none-any.whl", "archive_info": {}},
            "pip install 'receval[spark] @ file:///tmp/receval-0.1.0-py3-none-any.whl'",
        ),
    ],
)
def test_an_extra_is_installed_from_where_receval_came(origin, command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(metadata, "distributions", lambda name: [Installed(None), Installed(origin)])
    assert extras.install_command("spark") == command


def test_without_a_recorded_source_the_command_has_the_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(metadata, "distributions", lambda name: [])
    failure = extras.missing_extra("sql", "reading sqlite://", "adbc_driver_sqlite")
    assert failure.message == "reading sqlite:// needs adbc_driver_sqlite, which is not installed"
    assert failure.hint == "pip install 'receval[sql]'"
    assert extras.missing_extra("report", "drawing charts").message == "drawing charts needs the extra report, which is not installed"


def test_only_extras_knows_the_install_command():
    from tests.conftest import ROOT

    code = [*ROOT.glob("evaluator/**/*.py"), *ROOT.glob("cli/*.py")]
    assert [path.name for path in code if "pip install 'receval" in path.read_text()] == ["extras.py"]
