"""Words of a config → words of a call: errors, findings and remarks of a run name the arguments that were given."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from ..recognise.applying import QuestionError
from ..recognise.reading import as_argument
from ..results.result import Result
from ..support.errors import ConfigError, DataError, in_arguments
from ..support.forks import refuse_lost_threads
from ..support.patterns import regex

CATEGORIES: Final = regex(r"set data\.items\.categories (.*) data\.items\.split (.*): --set .*")
"""The advice of a sentence on missing categories, in words of the command line."""
_KEYS: Final = {"engine.name": "engine", "gates.baseline.model": "baseline_model", "gates.models": "models"}
"""Key of a config → argument of another name."""
_SOURCES: Final = "test|train|items|users|baseline|previous_policy|predictions|distances|recommendations|columns"
_REWORDED: Final = (
    (CATEGORIES, r"set categories \1 split \2: categories='genres', split='|'"),
    (re.compile(r"\bset evaluation\.policy\.(\w+): (\w+)"), r"set policy={'\1': '\2'}"),
    (re.compile("|".join(rf"\b{re.escape(key)}\b" for key in _KEYS)), lambda found: _KEYS[found[0]]),
    (re.compile(rf"(?<!=\[')\b(?:data\.(?=(?:{_SOURCES})\b)|evaluation\.(?=[a-z_]+\b))"), ""),
    (re.compile(r"\bgates\.(?:(?:baseline|anchor)\.(?=if_missing)|(?=[a-z_]+:))"), ""),
    (re.compile(r" in the config\b"), ""),
    (re.compile(r", or by(?: --set (?:'[^']*'|[^\s;']+?(?=, or |[\s;]|$)))+"), ""),
    (re.compile(r"columns: \{(\w+: [^{}]+)\}"), lambda found: f"columns={{{_as_items(found[1])}}}"),
    (re.compile(r"^--(?:(rule|by|cluster)(?= )|(models)(?: .*?: data\.models)?(?=: ))"), lambda found: found[1] or found[2]),
)
"""Text in a sentence about a config → text about arguments; see `worded` for sentences that have both."""
_OF_FILES: Final = {
    " (--items)": "",
    " (--train)": "",
    "neither the train nor the items file": "neither train nor items",
    "the test file": "the test set",
    "the train file": "train",
    "the items file": "items",
    "the test or train file": "the rows of test or train",
    "check the paths: two models share a file": "check the lists: two models share them",
    "this is the right file": "these are the right lists",
    "the file has ranks and": "the lists have ranks and",
    "the file may contain": "the lists may contain",
    "in all files": "in all tables",
    "report it with the config": "report it with the call",
    "the file has no recognised": "there is no recognised",
}
"""Text about files → text about inputs of any kind."""
_FILES: Final = regex("|".join(rf"{re.escape(text)}(?!\w)" if text[0] == " " else rf"\b{re.escape(text)}\b" for text in _OF_FILES))
_SETTINGS: Final = regex(
    r"(?P<it>(?:(?:it|them) in the config, )?)(?:columns: \{[^{}]*\})?(?: and )?(?:split: '[^']*')?(?:, the separator of the items)?"
    r", or by(?P<options>(?: --set (?:'[^']*'|[^\s;']+?(?=, or |[\s;]|$)))+)"
)
"""Settings of a source that a hint gives as keys of a config and as options."""
_OPTION: Final = regex(r"data\.(?P<source>recommendations\.[\w-]+|\w+)\.(?:split|columns\.(?P<column>\w+))=(?P<value>.*)")


@contextmanager
def errors_as_arguments() -> Iterator[None]:
    """Raise errors in a config that was made from arguments, or in its data, in terms of these arguments.

    Raises `MachineError` in a process in which Polars cannot work.
    """
    refuse_lost_threads()
    try:
        yield
    except ConfigError as error:
        raise ConfigError(list(map(reworded, error.problems)), error.hint and reworded(error.hint)) from None
    except QuestionError as error:
        asked = QuestionError(error.questions, error.failure, as_arguments=True)
        raise DataError([reworded(line) for line in asked.message.split("\n")], asked.hint) from None
    except DataError as error:
        hint = error.hint and reworded(_with_source(error.hint, error.message))
        raise DataError(reworded(error.message).split("\n"), hint and hint.split("\n")) from error.__cause__


def _with_source(hint: str, message: str) -> str:
    """Return a hint whose settings are those of one source, as the argument for this source: a path has no columns to choose among."""
    settings = _SETTINGS.search(hint)
    options = [_OPTION.fullmatch(text) for text in shlex.split(settings["options"])[1::2]] if settings else []
    if settings is None or not all(options):
        return hint
    of_source = [match for match in options if match]
    if len({match["source"] for match in of_source}) > 1:
        return hint
    place = os.path.expanduser(message.partition(": ")[2].partition(": ")[0])
    keys = [f"'split': {match['value']!r}" for match in of_source if not match["column"]]
    if (
        not os.path.exists(place) and not keys and not any(match["column"] == "model" for match in of_source)
    ):  # tables in memory, whose columns are known, share a mapping
        return hint
    if columns := {match["column"]: match["value"] for match in of_source if match["column"]}:
        keys.insert(0, f"'columns': {columns}")
    source = ", ".join(["{'path': FILE" if os.path.exists(place) else "{'frame': TABLE", *keys]) + "}"
    role, _, model = of_source[0]["source"].partition(".")
    return hint.replace(settings[0], f"{settings['it']}{role}={f'{{{model!r}: {source}}}' if model else source}")


def reworded(text: str) -> str:
    """Convert a sentence about a config into one about the arguments of a function."""
    text = in_arguments(text)
    for pattern, words in _REWORDED:
        text = pattern.sub(words, text)
    return _FILES.sub(lambda found: _OF_FILES[found[0]], text)


def _as_items(columns: str) -> str:
    """Return `user: id, item: sku` as the items of a mapping."""
    pairs = [pair.partition(": ") for pair in columns.split(", ")]
    pairs = pairs if all(colon for _, colon, _ in pairs) else [columns.partition(": ")]
    return ", ".join(f"'{key}': '{name}'" for key, _, name in pairs)


def about_arguments(result: Result) -> Result:
    """Return a result of a call with arguments, with findings and remarks in terms of these arguments."""
    of_files = [f"{source.role}." for source in result.inputs if any(os.path.exists(file.path) for file in source.files)]
    findings = tuple(
        replace(
            finding,
            sentence=reworded(finding.sentence),
            advice=reworded(finding.advice),
            cures=tuple(as_argument(cure, of_files) for cure in finding.cures),
        )
        for finding in result.findings
    )
    remarks, cautions = (tuple(map(reworded, texts)) for texts in (result.remarks, result.cautions))
    unmade = {check: reworded(reason) for check, reason in result.unmade.items()}
    return replace(result, findings=findings, remarks=remarks, cautions=cautions, unmade=unmade)
