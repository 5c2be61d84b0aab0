"""Queries of configs: one statement that only reads is sent to a database, and nothing else."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ..support.errors import DataError
from ..support.patterns import regex
from .drivers import DATABASES, OTHER

_STARTS: Final = ("SELECT", "WITH", "FROM", "VALUES")
"""Words that begin a statement that only reads."""
_STANDARD: Final = regex(
    r"""(?P<text>(?<!\w)[eE]'(?:[^'\\]|''|\\.)*(?:'|\Z)|'(?:[^']|'')*(?:'|\Z)|"(?:[^"]|"")*(?:"|\Z)
    |(?<![\w$])(?P<tag>\$(?:[^\W\d]\w*)?\$).*?(?:(?P=tag)|\Z))
    |--[^\r\n]*|(?P<block>/\*.*?(?:\*/|\Z))""",
    re.DOTALL | re.VERBOSE,
)
"""Texts, quoted names and comments of standard SQL, of PostgreSQL and of DuckDB."""
_BACKSLASHES: Final = regex(
    r"""(?P<text>'(?:[^'\\]|''|\\.)*(?:'|\Z)|"(?:[^"\\]|""|\\.)*(?:"|\Z)|`(?:[^`]|``)*(?:`|\Z))
    |(?:--|\#)[^\n]*|(?P<block>/\*.*?(?:\*/|\Z))""",
    re.DOTALL | re.VERBOSE,
)
"""The same of databases in which a backslash escapes a quote."""
_READINGS: Final = {False: (_STANDARD,), True: (_BACKSLASHES,), None: (_STANDARD, _BACKSLASHES)}
"""How a database reads quotes and comments, by whether a backslash escapes a quote; if nobody knows, a query must be fine in both ways."""
_CHANGES: Final = regex(r"\b(insert\s+into|delete\s+from|merge\s+into|update\s+\S+\s+set)\b", re.IGNORECASE)
"""Changes inside of a statement, such as in its WITH clause."""
_INTO: Final = regex(r"\b(into)\b", re.IGNORECASE)
"""`SELECT … INTO` makes a table or a file."""


def refuse_changes(where: str, scheme: str, query: str) -> None:
    """Raise `DataError` for a query that is not one statement that only reads; `where` names the database in messages."""
    for reading in _READINGS[DATABASES.get(scheme, OTHER).backslash]:
        if problem := _problem(reading, scheme, query):
            raise DataError(f"{where}: the query was not sent, because it {problem}", "write one statement: SELECT, WITH, FROM or VALUES")


def _problem(reading: re.Pattern[str], scheme: str, query: str) -> str:
    """Return why a query is not sent; empty if it is."""
    blocks = [found["block"][2:] for found in reading.finditer(query) if found["block"]]
    if any("/*" in block or block.startswith(("!", "M!")) for block in blocks):  # databases disagree on where such a comment ends
        return "has /* inside of a comment, or a comment that MySQL runs"
    code = reading.sub(lambda found: "''" if found["text"] else " ", query)
    statements = [part for part in _visible(code).split(";") if part.strip()]
    if not statements:
        return "is empty"
    start = re.match(r"[\s(]*(\w+|.)", statements[0])
    assert start is not None
    if start[1].upper() not in _STARTS:
        return f"begins with {start[1].upper()}"
    if len(statements) > 1:
        return f"has {len(statements)} statements, of which a database may run any"
    database = DATABASES.get(scheme, OTHER)
    refuses = database.is_file or database.read_only  # the database itself, because the connection only reads
    change = _CHANGES.search(statements[0]) or (None if refuses else _INTO.search(statements[0]))
    return "" if change is None else f"has {change[1].upper()}"


def _visible(code: str) -> str:
    """Return code without characters that nobody sees, such as a byte order mark or a zero-width space."""
    return code if code.isascii() else "".join(letter for letter in code if unicodedata.category(letter) != "Cf")
