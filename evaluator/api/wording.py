"""Words of a config → words of a call: errors, findings and remarks of a run name the arguments that were given."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from ..errors import ConfigError, DataError
from ..forks import refuse_lost_threads
from ..recognise.applying import QuestionError
from ..recognise.reading import as_argument
from ..results.result import Result

CATEGORIES: Final = re.compile(r"set data\.items\.categories (.*) data\.items\.split (.*): --set .*")
"""The advice of a sentence on missing categories, in words of the command line."""
_REWORDED: Final = (
    (re.compile(r"\bgive data\.items with its key categories, and split if"), "give items and categories='COLUMN', and split='|' if"),
    (
        re.compile(r"set data\.test\.categories to their column \(--set \S+; (.*)\)"),
        r"give {'frame': TABLE, 'categories': 'COLUMN'} as test (\1)",
    ),
    (CATEGORIES, r"set categories \1 split \2: categories='genres', split='|'"),
    (
        re.compile(
            r"(?<!=\[')\bdata\.(?=(test|train|items|users|baseline|previous_policy|predictions|distances|recommendations|columns)\b)"
        ),
        "",
    ),
    (re.compile(r"\bset evaluation\.policy\.(\w+): (\w+)"), r"set policy={'\1': '\2'}"),
    (re.compile(r"(?<!=\[')\bevaluation\.(?=[a-z_]+\b)"), ""),
    (re.compile(r"\bengine\.name\b"), "engine"),
    (re.compile(r" in the config\b"), ""),
    (
        re.compile(r"paths in a config are relative to its file, those of options to the current folder"),
        "paths start from the folder that Python runs in",
    ),
    (re.compile(r"give name: path, or --recs NAME=PATH"), "give {name: lists}"),
    (re.compile(r", or by(?: --set (?:'[^']*'|[^\s;']+?(?=, or |[\s;]|$)))+"), ""),
    (re.compile(r", or for one file by --set \S+(?=;|$)"), ""),
    (re.compile(r"columns: \{(\w+): ([^{},]+), (\w+): ([^{},]+)\}"), r"columns={'\1': '\2', '\3': '\4'}"),
    (re.compile(r"columns: \{(\w+): ([^{}]+)\}"), r"columns={'\1': '\2'}"),
    (re.compile(r"; receval run … --print-config prints the config to set them in$"), ""),
    (re.compile(r"\badd engine: spark\b"), "add engine='spark'"),
    (re.compile(r"^fix the file, or set\b"), "fix these rows, or set"),
    (re.compile(r"^--(rule|by|cluster) "), r"\1 "),
    (re.compile(r"^--models(?: .*?: data\.models)?(?=: )"), "models"),
    (
        re.compile(r"evaluate again with compare\.by: receval run CONFIG --set compare\.by='?(.+?)'? -o DIR/$"),
        r"evaluate again by receval.evaluate({'data': …, 'compare': {'by': ['\1']}}), a config whose key compare names the groups",
    ),
    (re.compile(r"receval run CONFIG --by '?(.+?)'? -o DIR/$"), r"receval.evaluate with by='\1'"),
    (re.compile(r"give --baseline DIR, gates\.baseline, or against in the rule"), "give baseline, or against in the rule"),
    (re.compile(r"create it with receval baseline set [^;]*; the first time use --if-missing pass, or"), "create it with result.save, or"),
    (re.compile(r"\bgates\.(baseline|anchor)\.(?=if_missing)"), ""),
    (re.compile(r"\bgates\.baseline\.model\b"), "baseline_model"),
    (re.compile(r"--baseline-model NAME"), "baseline_model='NAME'"),
    (re.compile(r"\bcompare\.users: common\b|\bcompare\.users=common \(or --users common\)|--users common\b"), "common=True"),
    (re.compile(r"^--unpaired\b"), "unpaired=True"),
    (re.compile(r"\breceval compare --unpaired\b"), "receval.compare with unpaired=True"),
    (re.compile(r"\bgates\.models\b"), "models"),
    (re.compile(r"\bgates\.(?=[a-z_]+:)"), ""),
)
"""Text in a sentence about a config → text about arguments."""
_OF_FILES: Final = (
    (re.compile(r" \(--(items|train)\)"), ""),
    (re.compile(r"\bneither the train nor the items file\b"), "neither train nor items"),
    (re.compile(r"\bthe test file\b"), "the test set"),
    (re.compile(r"\bthe (train|items) file\b"), r"\1"),
    (re.compile(r"\bthe test or train file\b"), "the rows of test or train"),
    (re.compile(r"\bcheck the paths: two models share a file\b"), "check the lists: two models share them"),
    (re.compile(r"\bthis is the right file\b"), "these are the right lists"),
    (re.compile(r"\bthe file has ranks and\b"), "the lists have ranks and"),
    (re.compile(r"\bthe file may contain\b"), "the lists may contain"),
    (re.compile(r"\bin all files\b"), "in all tables"),
    (re.compile(r"\breport it with the config\b"), "report it with the call"),
    (re.compile(r"\bthe file has no recognised\b"), "there is no recognised"),
)
"""Text about files → text about inputs of any kind."""
_SETTINGS: Final = re.compile(
    r"(?P<it>(?:(?:it|them) in the config, )?)(?:columns: \{[^{}]*\})?(?: and )?(?:split: '[^']*')?(?:, the separator of the items)?"
    r", or by(?P<options>(?: --set (?:'[^']*'|[^\s;']+?(?=, or |[\s;]|$)))+)"
)
"""Settings of a source that a hint gives as keys of a config and as options."""
_OPTION: Final = re.compile(r"data\.(?P<source>recommendations\.[\w-]+|\w+)\.(?:split|columns\.(?P<column>\w+))=(?P<value>.*)")


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
    of_source = [one for one in options if one]
    if len({one["source"] for one in of_source}) > 1:
        return hint
    place = os.path.expanduser(message.partition(": ")[2].partition(": ")[0])
    keys = [f"'split': {one['value']!r}" for one in of_source if not one["column"]]
    if (
        not os.path.exists(place) and not keys and not any(one["column"] == "model" for one in of_source)
    ):  # tables in memory, whose columns are known, share a mapping
        return hint
    if columns := {one["column"]: one["value"] for one in of_source if one["column"]}:
        keys.insert(0, f"'columns': {columns}")
    source = ", ".join(["{'path': FILE" if os.path.exists(place) else "{'frame': TABLE", *keys]) + "}"
    role, _, model = of_source[0]["source"].partition(".")
    return hint.replace(settings[0], f"{settings['it']}{role}={f'{{{model!r}: {source}}}' if model else source}")


def reworded(text: str) -> str:
    """Convert a sentence about a config into one about the arguments of a function."""
    for pattern, words in (*_REWORDED, *_OF_FILES):
        text = pattern.sub(words, text)
    return text


def about_arguments(result: Result) -> Result:
    """Return a result of a call with arguments, with findings and remarks in terms of these arguments."""
    of_files = [f"{one.role}." for one in result.inputs if any(os.path.exists(file.path) for file in one.files)]
    findings = tuple(
        replace(
            one,
            sentence=reworded(one.sentence),
            advice=reworded(one.advice),
            cures=tuple(as_argument(cure, of_files) for cure in one.cures),
        )
        for one in result.findings
    )
    remarks, cautions = (tuple(map(reworded, texts)) for texts in (result.remarks, result.cautions))
    unmade = {check: reworded(reason) for check, reason in result.unmade.items()}
    return replace(result, findings=findings, remarks=remarks, cautions=cautions, unmade=unmade)
