"""Every sentence of SECURITY.md that promises something has a test, which is named here; those on outputs in `test_outputs_that_exist`."""

from __future__ import annotations

import pickle
import re
import socket
from pathlib import Path

import pytest

from tests.conftest import CONFIGS, ROOT

STATEMENTS = {
    "receval opens them with the rights": "config/test_variables.py",
    "What a plug-in raises, `sys.exit` included": "plugins/test_endings.py::test_a_plugin_file_that_ends_the_program_is_named",
    "A query must be one statement": "load/test_queries.py::test_a_statement_that_does_not_read_is_refused_by_its_name",
    "SQLite and DuckDB files are opened read-only": "load/test_queries.py::test_the_connection_to_a_file_refuses_changes_itself",
    "- **Data**: files, folders, answers of servers": "test_security_page.py::test_a_pickled_file_is_refused_and_not_unpickled",
    "receval runs no code in them": "test_security_page.py::test_a_pickled_file_is_refused_and_not_unpickled",
    "Data that cannot be read is refused": "load/test_fuzz.py",
    "Ids and names are never markup": "cli/test_hostile_names.py::test_no_name_is_interpreted_on_a_screen",
    "No text of data begins a line": "cli/test_hostile_lines.py::test_no_line_of_a_message_or_a_page_begins_with_a_command_of_data",
    "- **Configs as text**: YAML is read without tags": "syntax/test_yaml_text.py::test_tags_and_odd_keys_are_refused",
    "- **Result folders** of others": "cli/test_damaged_folders.py",
    "Machine formats": "cli/test_hostile_names.py::test_csv_has_one_record_per_row_and_unchanged_names",
    "On a terminal special characters": "cli/test_hostile_names.py::test_formats_for_machines_escape_names_on_a_terminal",
    "A spreadsheet program treats text": "cli/test_hostile_names.py::test_with_spreadsheet_safe_no_name_is_a_formula",
    "Only requests to the addresses": "test_security_page.py::test_a_run_on_local_files_makes_no_connection",
    "There is no telemetry": "test_security_page.py::test_a_run_on_local_files_makes_no_connection",
    "Redirects of a web server": "load/test_web.py::test_a_redirect_to_anything_but_http_is_refused",
    "User names, passwords and queries": "config/test_secrets.py::test_a_login_in_an_address_is_masked",
    "If `${NAME}` in a config takes a value": "cli/test_secrets_stay_secret.py::test_a_value_that_names_something_of_the_data_is_masked",
    "There are three exceptions": "cli/test_secrets_stay_secret.py::test_the_name_of_a_model_and_the_title_of_a_report_are_shown",
    "Results contain user ids": "render/report/test_page.py::test_user_ids_are_on_the_page_only_if_users_who_lose_are_requested",
}
"""Beginning of a statement → the file of its test, or the file and the beginning of the name of the test."""
ADVICE = (
    "- **The command line, `--plugin` files",
    "They run code or control it",
    "Use only those",
    "Only `os._exit` and a crash",
    "- **The config, because",
    "Treat a config from somebody else",
    "- **The login of a database",
    "Other databases do not",
    "Use a login that can only read",
)
"""Beginnings of sentences that say what to trust, and what no program can promise."""


def statements():
    text = (ROOT / "SECURITY.md").read_text("utf-8").partition("## Report a vulnerability")[0]
    text = re.sub(r"## What is written\n.*?\n(?=## )", "", text, flags=re.DOTALL)
    for paragraph in re.split(r"\n\n|\n(?=- )", text.strip()):
        if not paragraph.startswith("#"):
            yield from re.split(r"(?<=\.)\*{0,2} (?=[A-Zr])", " ".join(paragraph.split()))


def test_every_sentence_has_a_test_or_is_advice():
    beginnings = (*STATEMENTS, *ADVICE)
    assert [statement for statement in statements() if not statement.startswith(beginnings)] == []
    assert [beginning for beginning in beginnings if not any(sentence.startswith(beginning) for sentence in statements())] == []


@pytest.mark.parametrize("place", sorted(set(STATEMENTS.values())))
def test_the_named_tests_exist(place):
    file, _, name = place.partition("::")
    assert f"\ndef {name}" in (ROOT / "tests" / file).read_text("utf-8")


class Marked:
    """An object that creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["lists.pkl", "lists.csv", "lists.parquet", "lists.npy"])
def test_a_pickled_file_is_refused_and_not_unpickled(name, write, receval, tmp_path):
    write("test.csv", "user,item\n1,1\n")
    write(name, pickle.dumps(Marked(tmp_path / "unpickled")))
    code, _, err = receval("run", "--test", tmp_path / "test.csv", "--recs", tmp_path / name, "-m", "Recall@2")
    assert code in (2, 3), err
    assert not (tmp_path / "unpickled").exists()


def test_a_run_on_local_files_makes_no_connection(monkeypatch, receval, tmp_path):
    def connect(*arguments):
        raise AssertionError("a connection")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, connect)
    assert receval("run", CONFIGS / "quickstart.yaml", "-q", "-o", f"{tmp_path}/out/", "-o", tmp_path / "r.html")[0] == 0
