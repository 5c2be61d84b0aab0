"""YAML text → plain values with their positions: YAML 1.2 scalars, no duplicate keys, `${VAR}` from the environment.

The result is only data: no tags, no objects, a limited number of values from aliases.
"""

from __future__ import annotations

import errno
import json
import os
import re
import select
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, Final

import yaml
from msgspec import Struct, field

from ..support.patterns import regex
from ..support.secrets import remember

Path = tuple[str | int, ...]

_INT = regex(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = regex(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = regex(r"[-+]?\.(inf|Inf|INF)")
_WORDS: Final[dict[str, Any]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".nan": float("nan"), ".NaN": float("nan"), ".NAN": float("nan"),
}  # fmt: skip
_VARIABLE = regex(r"\$(?:\$|\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::(?P<default>[^}]*))?\})")
_YAML: Final = "tag:yaml.org,2002:"
_TAGS: Final = {_YAML + kind for kind in ["map", "seq", "str", "int", "float", "bool", "null", "timestamp", "merge", "value"]}
_MOST_VALUES: Final = 100_000
_DEEPEST: Final = 60
_LONGEST: Final = 4 << 20
_PATIENCE: Final = 20
"""Seconds to wait for a pipe that sends nothing."""
_MOST_DIGITS: Final = 400
_LARGEST: Final = 10**300
"""A number of this size or larger is read as a text: not every number type holds it, and Python refuses to print longer ones."""


class Document(Struct):
    """Value of a YAML text, the position (line and column from 1) of each value and key in it, and its problems."""

    value: Any = None
    positions: dict[Path, tuple[int, int]] = field(default_factory=dict)
    keys: dict[Path, tuple[int, int]] = field(default_factory=dict)
    problems: list[tuple[tuple[int, int], str]] = field(default_factory=list)

    def position(self, path: Path, of_key: bool = False) -> tuple[int, int] | None:
        """Return the line and column of the value at `path` (or of its key), else of the nearest value around it."""
        if of_key and path in self.keys:
            return self.keys[path]
        while path:
            if path in self.positions:
                return self.positions[path]
            path = path[:-1]
        return self.positions.get(())


_HINTS: Final = {
    "escape": "; in double quotes a backslash starts an escape: write Windows paths in single quotes or with /",
    "found character '\\t'": "; indent with spaces, not with tabs",
    "but got '{'": "; inside { } and [ ], quote texts with braces, such as recs_{fold}.csv",
}
"""Part of an error of the YAML library → what to do."""


def read_file(path: FilePath, *, pipes: bool = False) -> str:
    """Return the text of a YAML file; `OSError` or `UnicodeDecodeError` if it is not text, not a regular file or larger than 4 MiB.

    With `pipes` a pipe is read too, such as `<(…)` of a shell, as long as it sends something.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "a file name cannot contain a NUL character", str(path))
    if pipes and stat.S_ISFIFO(os.stat(path).st_mode):
        content = _read_pipe(path)
    elif os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    else:
        with path.open("rb") as file:
            content = file.read(_LONGEST + 1)
    if len(content) > _LONGEST:
        raise OSError(errno.EFBIG, "it is larger than 4 MiB", str(path))
    return content.decode("utf-8-sig")


def _read_pipe(path: FilePath) -> bytes:
    """Return the content of a pipe; `OSError` if nothing comes for 20 seconds, because maybe nobody ever writes to it."""
    pipe, content = os.open(path, os.O_RDONLY | os.O_NONBLOCK), b""
    try:
        while len(content) <= _LONGEST:
            if not select.select([pipe], [], [], _PATIENCE)[0]:
                raise OSError(errno.ETIMEDOUT, f"it is a pipe that sent nothing for {_PATIENCE} seconds", str(path))
            if not (more := os.read(pipe, 1 << 16)):
                break
            content += more
    finally:
        os.close(pipe)
    return content


def read(text: str, environment: Mapping[str, str] | None = None, *, is_own: bool = False) -> Document:
    """Read one YAML document; problems are returned in `problems`, never raised.

    A text that `is_own`, from a file that comes with receval, is read by libyaml if it is installed, in a tenth of the time.
    """
    reader = _Reader(os.environ if environment is None else environment)
    if len(text) > _LONGEST:
        return Document(problems=[((1, 1), "the config is larger than 4 MiB")])
    try:
        loader = yaml.CSafeLoader(text) if is_own and yaml.__with_libyaml__ else _Loader(text)
        node = loader.get_single_node()
        if node is not None:
            reader.document.value = reader.read(node, (), 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        hint = next((hint for part, hint in _HINTS.items() if part in str(error.problem)), "")
        before = text.split("\n")[mark.line][: mark.column] if mark else ""
        if before.rstrip().endswith("}") and "expected <block end>" in str(error.problem):
            hint = '; put a text that begins with a brace into quotes, such as "{fold}/test.csv"'
        said = (_indent_problem(text.split("\n"), mark.line) if mark and not hint else "") or f"{error.problem or error.context}{hint}"
        reader.document.problems.append((position, f"not valid YAML: {said}"))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        reader.document.problems.append(((line, 1), f"not valid YAML: {error.reason}"))
    except (_TooMuch, RecursionError):
        reader.document.problems.append(((1, 1), "the config is nested too deeply, or its aliases expand to too many values"))
    return reader.document


def _indent_problem(lines: list[str], number: int) -> str:
    """Say that a line has another indent than the block it belongs to; empty if this is not what is wrong with it."""
    if number >= len(lines):
        return ""
    line, above = lines[number], [earlier for earlier in lines[:number] if earlier.strip() and not earlier.lstrip().startswith("#")]
    own = _indent(line)
    open_indents = sorted(
        {_indent(earlier) for place, earlier in enumerate(above) if all(_indent(earlier) <= _indent(later) for later in above[place:])}
    )
    if not above or own in open_indents or (above[-1].rstrip().endswith(":") and own > _indent(above[-1])):
        return ""
    fits = " or ".join(map(str, open_indents))
    return f"the indent of this line is {own} spaces, but a line here needs {fits}, as the lines above that it belongs to"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def scalar(text: str) -> Any:
    """Return the value of a plain (unquoted) scalar, by the rules of YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        number = int(text, 0 if text[:2] in ("0o", "0x") else 10) if len(text) < _MOST_DIGITS else _LARGEST
        return number if abs(number) < _LARGEST else text
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return float(text.replace(".", ""))
    return text


def option(key: str, value: Any) -> str:
    """Return the option of a command that sets a key of the config: text as it is, unless it would be read as something else."""
    is_plain = isinstance(value, str) and value.strip() == value != "" and not (found := read(value, {})).problems and found.value == value
    return f"--set {shlex.quote(f'{key}={value if is_plain else json.dumps(value, ensure_ascii=False)}')}"


def _whole(text: str) -> str:
    """Return `text` with surrogate pairs joined: JSON writes an emoji as two halves."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _whole_measures(items: list[yaml.Node]) -> list[yaml.Node]:
    """Return the items of a list of measures; those without quotes that YAML split at a comma within parentheses are joined again."""
    whole: list[yaml.Node] = []
    for item in items:
        last = whole[-1] if whole else item
        is_plain = all(isinstance(node, yaml.ScalarNode) and not node.style for node in (last, item))
        if whole and is_plain and last.value.count("(") > last.value.count(")"):
            whole[-1] = yaml.ScalarNode(f"{_YAML}str", f"{last.value}, {item.value}", last.start_mark, item.end_mark)
        else:
            whole.append(item)
    return whole


class _TooMuch(Exception):
    pass


class _Loader(yaml.SafeLoader):
    """Loader that stops at brackets that are nested too deeply: YAML's time to look for their ends grows with the square of the depth."""

    def fetch_flow_collection_start(self, TokenClass: Any) -> None:  # noqa: N803
        if self.flow_level > _DEEPEST:
            raise _TooMuch
        super().fetch_flow_collection_start(TokenClass)


class _Reader:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.document = Document()
        self.count = 0

    def read(self, node: yaml.Node, path: Path, depth: int) -> Any:
        self.count += 1
        if self.count > _MOST_VALUES or depth > _DEEPEST:
            raise _TooMuch
        self.document.positions[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if node.tag not in _TAGS:
            self.problem(node, f"YAML tags are not allowed: remove {node.tag.replace(_YAML, '!!')}")
            return None
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path, depth)
        if isinstance(node, yaml.SequenceNode):
            self.swallowed_items(node)
            items = _whole_measures(node.value) if path[-1:] == ("metrics",) else node.value
            return [self.read(item, (*path, index), depth + 1) for index, item in enumerate(items)]
        return self.scalar(node)

    def swallowed_items(self, node: yaml.SequenceNode) -> None:
        """Report an item whose dash is indented further than that of the item above: YAML reads both as one text, `a - b`."""
        for item in () if node.flow_style else node.value:
            start, end = item.start_mark, item.end_mark
            if isinstance(item, yaml.ScalarNode) and not item.style and start.line < end.line and start.buffer:
                for number, line in enumerate(start.buffer[start.pointer : end.pointer].split("\n")[1:], 1):
                    if line.lstrip(" ").startswith("- "):
                        own, wanted = _indent(line), node.start_mark.column
                        said = f"the indent of this line is {own} spaces, but the list has {wanted}; a difference must be in one line"
                        self.document.problems.append(((start.line + number + 1, own + 1), f"not valid YAML: {said}"))

    def mapping(self, node: yaml.MappingNode, path: Path, depth: int) -> dict[str | int, Any]:
        result: dict[str | int, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.problem(key_node, "a key must be plain text")
                continue
            key = _whole(key_node.value)
            if not key.isascii() and any("\ud800" <= letter <= "\udfff" for letter in key):
                self.problem(key_node, "this key contains half a character (a lone surrogate)")
                continue
            if key in result:
                self.problem(key_node, f"the key '{key}' is given twice")
                continue
            result[key] = self.read(value_node, (*path, key), depth + 1)
            self.document.keys[(*path, key)] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        return result

    def scalar(self, node: yaml.Node) -> Any:
        text = _whole(self.substitute(node))
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            self.problem(node, "this text contains half a character (a lone surrogate)")
            return None
        if "\0" in text:
            self.problem(node, "this text contains a NUL character, which file names and fields cannot have")
            return None
        if isinstance(node, yaml.ScalarNode) and node.style:  # quoted or block text stays text
            return text
        return scalar(text)

    def substitute(self, node: yaml.Node) -> str:
        def value(match: re.Match[str]) -> str:
            name, default = match["name"], match["default"]
            if name is None:
                return "$"
            if name in self.environment:
                remember(name, self.environment[name])
                return self.environment[name]
            if default is None:
                self.problem(node, f"the environment variable {name} is not set; write ${{{name}:DEFAULT}} to give it a default")
                return ""
            return default

        return _VARIABLE.sub(value, str(node.value))

    def problem(self, node: yaml.Node, message: str) -> None:
        self.document.problems.append(((node.start_mark.line + 1, node.start_mark.column + 1), message))
