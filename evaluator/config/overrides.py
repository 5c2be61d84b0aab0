"""Locate the values of a config, and replace them by options of the command line. Long: both follow the same paths."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial, reduce
from operator import getitem
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from pydantic import ValidationError

from .. import conventions
from ..support.patterns import regex
from ..support.quoting import one_line
from ..syntax import yaml_text as text
from ..syntax.measure_strings import measures_of
from ..syntax.short_names import is_address
from .data_sources import InMemory, as_list
from .dialects import Translation
from .error_texts import keys_at
from .from_signature import evaluation_of
from .judgement import GateBaseline, Gates, as_baseline
from .run_files import without_seed


class Locations(Struct, frozen=True):
    """Find the location of a path of the config.

    A config that is not a file has no `name`; its locations are paths alone. `overridden` maps paths that the command line gives to the
    option; `at` is the path of the evaluation in the file; `moved` maps paths to the paths as written.
    """

    name: str
    document: text.Document
    translation: Translation = field(default_factory=lambda: Translation(None))
    overridden: dict[text.Path, str] = field(default_factory=dict)
    at: text.Path = ("evaluation",)
    moved: Mapping[text.Path, text.Path] = field(default_factory=dict)

    def location(self, path: text.Path, of_key: bool = False) -> str:
        """Return `config.yaml:12:7: evaluation.metrics[3]`, or the option that gave the value; `path` is in receval's keys."""
        if path[:1] == ("evaluation",):
            path = (*self.at, *self.translation.origin(path[1:]))
        return self.in_file(path, of_key)

    def in_file(self, path: text.Path, of_key: bool = False) -> str:
        """Return the same for a path in the keys of the file, which may be those of another program."""
        path = (*self.moved.get(path[:2], path[:2]), *path[2:])
        for end in range(len(path), 0, -1):
            if path[:end] in self.overridden:
                return f"{self.overridden[path[:end]]}: {dotted(path)}"
        for origin, where in self.overridden.items():  # an override created this path
            if path and origin[: len(path)] == path and path not in self.document.positions:
                return f"{where}: {dotted(path)}"
        if not self.name:
            return dotted(path)
        line, column = self.document.position(path, of_key) or (1, 1)
        return f"{self.name}:{line}:{column}: {dotted(path)}" if path else f"{self.name}:{line}:{column}"


def dotted(path: text.Path) -> str:
    """Return a path as text, such as `evaluation.metrics[3]`."""
    shown = "".join(f"[{segment}]" if isinstance(segment, int) else f".{segment}" for segment in path)
    return shown.removeprefix(".") or "the config"


_SEGMENT = regex(r"""(?:^|\.)(?:"(?P<quoted>[^"]+)"|(?P<key>[^.\[\]"]+))|\[(?P<index>\d+)\]""")
_DEEPEST = 60
_ENDING: Final = regex(r"\.[a-z]\w*(\.(gz|zst|bz2|xz))?$", re.IGNORECASE)
"""The ending of a file of lists whose name names the model."""
SETTINGS: Final[Mapping[str, tuple[text.Path, str]]] = {
    **{name: (("data", name), f"--{name}") for name in ("test", "train", "items")},
    "convention": (("evaluation", "convention"), "--convention"),
    "threshold": (("evaluation", "relevance", "threshold"), "--threshold"),
    "top_k": (("evaluation", "top_k"), "-k"),
    "metrics": (("evaluation", "metrics"), "-m"),
    "by": (("evaluation", "by"), "--by"),
    "compared_by": (("compare", "by"), "--by"),
    "models": (("data", "models"), "--models"),
    "cluster": (("compare", "cluster"), "--cluster"),
}
"""Name of a setting that an option gives → its key and its option."""
_OF_LISTED: Final = "data.recommendations["
"""The beginning of a `--set` for files of lists without a name, which are there after `--recs`."""
_NAMED_CUTOFF: Final = regex(r"([^@]*)@(\w+)")
_PLACES: Final = ("path", "table", "uri", "query", "frame", "runs")
"""The keys of a source that locate its rows."""
_SHORT_FORMS: Final[Mapping[text.Path, str]] = {
    ("engine",): "name",
    ("output",): "dir",
    ("gates", "baseline"): "path",
    ("gates", "anchor"): "path",
    ("evaluation", "relevance"): "threshold",
}
"""Sections that may be written as a text → the key of this text; for files of `data` it is `path`."""


class WrongOptionError(ValueError):
    """An option that cannot be laid over a config; the text names the option."""


class Layers(Struct):
    """A config with options laid over it, one after another: the option that gave each path, and the problems of all.

    A path of an option starts from the working folder, and is written as seen from `folder`, that of the config.
    """

    config: dict[str, Any]
    folder: Path = Path()
    environment: Mapping[str, str] | None = None
    origins: dict[text.Path, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lay(
        self,
        question: Mapping[str, Any],
        overrides: Iterable[str],
        recommendations: Sequence[str],
        *,
        replaces: bool,
        of_test: Mapping[str, str | None],
        form: str | None,
        gates: Mapping[str, Any],
        signatures: Sequence[str],
    ) -> int:
        """Lay all options over the config, each over those before it; return how many files of `recommendations` are refused."""
        late = [given for given in overrides if recommendations and given.startswith(_OF_LISTED)]
        self.each(add_setting, ((question, setting) for setting in SETTINGS if setting in question))
        self.each(add_signatures, [(signatures,)] if signatures else [])
        self.each(override, ((given,) for given in overrides if given not in late))
        n_refused = self.each(add_model, ((model, replaces) for model in recommendations))
        self.each(override, ((given,) for given in late))
        self.each(add_to_test, (given for given in of_test.items() if given[1] is not None))
        self.each(add_input_format, [(form,)] if form else [])
        self.each(add_gates, [(gates,)])
        add_bases(self.config, question.get("bases", ()))
        return n_refused

    def each(self, layer: Callable[..., None], given: Iterable[tuple[Any, ...]]) -> int:
        """Lay each of the options of one kind; return how many of them are wrong."""
        before = len(self.problems)
        for arguments in given:
            try:
                layer(self, *arguments)
            except WrongOptionError as error:
                self.problems.append(str(error))
        return len(self.problems) - before

    def put(self, path: text.Path, value: Any, where: str) -> None:
        """Set the value at a path of the config, and record the option that gave it."""
        here: Any = self.config
        for index, key in enumerate(path):
            if isinstance(key, int) and (not isinstance(here, list) or key >= len(here)):
                raise WrongOptionError(f"{where}: {dotted(path[:index])} has no element {key}")
            if isinstance(key, str) and not isinstance(here, dict):
                raise WrongOptionError(f"{where}: {dotted(path[:index])} is not a mapping")
            if index == len(path) - 1:
                here[key] = value
                break
            if isinstance(key, str) and here.get(key) is None:
                here[key] = {}
            if isinstance(path[index + 1], str):
                here[key] = _in_full(path[: index + 1], here[key], path[index + 1])
            here = here[key]
        self.origins[path] = where


def add_signatures(layers: Layers, lines: Sequence[str]) -> None:
    """Apply `--from-signature LINE`: replace the evaluation by that of signatures, and note what is to be said of them."""
    where, before = "--from-signature", layers.config.get("evaluation")
    try:
        rebuilt = evaluation_of(lines, before if isinstance(before, dict) else {}, partial(conventions.load, folder=layers.folder))
    except ValueError as error:
        raise WrongOptionError(f"{where}: {error}") from None
    layers.put(("evaluation",), dict(rebuilt.evaluation), where)
    layers.notes += [f"{where}: {note}" for note in rebuilt.notes]


def override(layers: Layers, assignment: str) -> None:
    """Apply `--set PATH=VALUE`."""
    target, equals, written = assignment.partition("=")
    where = one_line(f"--set {assignment}")
    segments = list(_SEGMENT.finditer(target))
    whole = "".join(match[0] for match in segments) == target and not target.endswith(".")
    path = tuple(int(match["index"]) if match["index"] else match["quoted"] or match["key"] for match in segments)
    if not equals or not path or not whole or not isinstance(path[0], str):
        raise WrongOptionError(f"{where}: write it as path=value, such as evaluation.top_k=[5,10]")
    if len(path) > _DEEPEST:
        raise WrongOptionError(f"{where}: no config key is {len(path):,} levels deep")
    is_text = written.isprintable() or written == "\t"  # a lone surrogate is not, and no control character
    if is_text and len(written) == 1 and not written.isalnum() and written != "~":  # a separator, which YAML reads as a sign
        return layers.put(path, written, where)
    value = text.read(written, layers.environment)
    is_broken = value.problems and value.problems[0][1].startswith("not valid YAML")
    if is_text and is_broken and not written.startswith(("[", "{", '"', "'")):
        return layers.put(path, written, where)
    if value.problems:
        raise WrongOptionError(f"{where}: {value.problems[0][1]}")
    if value.value is None and isinstance(path[-1], str) and "columns" not in path[-2:-1]:  # a column that is null is one that is not there
        return _unset(layers, path, where)
    return layers.put(path, value.value, where)


def _unset(layers: Layers, path: text.Path, where: str) -> None:
    """Remove the key at a path of the config, if it is there; a key that no section has is left to be refused."""
    here: Any = layers.config
    for index, key in enumerate(path[:-1]):
        is_element = isinstance(here, list) and isinstance(key, int) and key < len(here)
        value = here.get(key) if isinstance(here, dict) else here[key] if is_element else None
        here = _in_full(path[: index + 1], value, path[index + 1])
    if isinstance(here, dict) and path[-1] in here:
        layers.put(path, None, where)  # sections in short form become mappings
        del reduce(getitem, path[:-1], layers.config)[path[-1]]  # type: ignore[arg-type]
    elif (known := keys_at(path[:-1])) and path[-1] not in known:
        layers.put(path, None, where)


def add_model(layers: Layers, model: str, replace: bool = False) -> None:
    """Apply `--recs NAME=PATH`.

    Without NAME, the model has the name of the file without its ending. An existing model is refused, unless `replace`, or unless `--set`
    only gave options to read it; these options stay.
    """
    where = one_line(f"--recs {model}")
    name, equals, path = model.partition("=")
    if not equals and (set("*?[") & set(model) or _ENDING.search(model)):
        name, path = without_seed(_ENDING.sub("", os.path.basename(model))), model
    if not name or not path:
        files = shlex.quote(os.path.join(model, "*"))
        of_folder = f"; --recs {files} makes a model of each file of the folder" if os.path.isdir(model) else ""
        raise WrongOptionError(f"{where}: write it as NAME=PATH, or NAME=- for standard input{of_folder}")
    if not _is_text(model):
        raise WrongOptionError(f"{where}: this is not UTF-8 text, which configs must be; rename the file")
    relative = _seen_from(layers.folder, path)
    data, there_already = layers.config.get("data"), f"{where}: there is a model '{name}' already: choose another name, or add --replace"
    assignment = data.get("recommendations") if isinstance(data, dict) else None
    if not equals and set("*?[") & set(path):  # every file of a pattern is a separate model
        if isinstance(assignment, dict):
            raise WrongOptionError(
                f"{where}: a pattern of files without a name cannot be added to models with names: write NAME=PATH for each"
            )
        listed = [] if assignment is None else [assignment] if isinstance(assignment, str) else assignment
        return layers.put(("data", "recommendations"), [*listed, relative], where)
    if isinstance(assignment, dict) and isinstance(columns := assignment.get("columns"), dict) and "model" in columns:
        if assignment.keys() & set(_PLACES) and not replace:
            raise WrongOptionError(f"{where}: a column names the models of one file of lists: give one file, or remove columns.model")
        return layers.put(("data", "recommendations"), {**_reading(assignment), "path": relative}, where)
    if isinstance(data, dict) and isinstance(assignment, str | list):
        listed = [assignment] if isinstance(assignment, str) else assignment
        same = [entry for entry in listed if isinstance(entry, dict) and entry.get("name") == name]
        if same and not replace:
            raise WrongOptionError(there_already)
        replaced = {**_reading(same[0] if same else {"name": name}), "path": relative}
        data["recommendations"] = [*(entry for entry in listed if entry not in same), replaced]
        layers.origins["data", "recommendations", len(listed) - len(same)] = where
        return None
    before = assignment.get(name) if isinstance(assignment, dict) else None
    if before is not None and not replace and (not isinstance(before, dict) or before.keys() & set(_PLACES)):
        raise WrongOptionError(there_already)
    value = {**_reading(before), "path": relative} if isinstance(before, dict) else relative
    is_set = any(("data", "recommendations", name) == origin[:3] for origin in layers.origins)
    if isinstance(assignment, dict) and isinstance(before, dict) and not before.keys() & set(_PLACES) and is_set:
        del assignment[name]  # models are in the order of --recs, not of the --set for their columns
    return layers.put(("data", "recommendations", name), value, where)


def _reading(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a source that say how to read it, not where it is."""
    return {key: value for key, value in source.items() if key not in _PLACES}


def _is_text(given: str) -> bool:
    """Return whether an argument of the command line is text, not bytes of another encoding."""
    try:
        return "\0" not in given and bool(given.encode())
    except UnicodeEncodeError:
        return False


def add_to_test(layers: Layers, key: str, value: str) -> None:
    """Apply `--where` or `--target`: set a key of the test set, which may be written as a path alone."""
    data, option = layers.config.get("data"), one_line(f"--{key} {value}")
    if not isinstance(data, dict) or not data.get("test"):
        in_folds = f"; write {key} into each fold" if isinstance(data, dict) and "folds" in data else ""
        raise WrongOptionError(f"{option}: the config has no data.test{in_folds}")
    own = data["test"].get(key) if isinstance(data["test"], dict) else None
    if key == "where" and isinstance(own, str) and own.strip() != value.strip():
        filters = f"{one_line(value)} instead of {one_line(own)}"
        layers.warnings.append(f'--where replaces data.test.where of the config: {filters}; join both with "and" to apply both')
    layers.put(("data", "test", key), value, option)


def add_input_format(layers: Layers, form: str) -> None:
    """Apply `--input-format`: set the format of every source that is standard input."""
    where = one_line(f"--input-format {form}")
    piped = list(_piped(layers.config.get("data"), ("data",)))
    if not piped:
        raise WrongOptionError(f"{where}: no input is read from standard input; set a path of the config to -, or use --recs NAME=-")
    for path, source in piped:
        with_format = {**source, "format": form}
        layers.put(path, [with_format] if path == ("data", "recommendations") else with_format, where)


def add_gates(layers: Layers, given: Mapping[str, Any]) -> None:
    """Put options of gates into a config: `rules` and the `path` of a baseline or anchor, relative to here.

    `if_missing` applies to the baseline and the anchor of the config, if it has them.
    """
    for key, value in given.items():
        if key == "if_missing":
            _put_if_missing(layers.config, value)
            continue
        if key in ("baseline", "anchor"):
            value = {**value, "path": _baseline_seen_from(layers.folder, value["path"])}
        rules = value if key == "rules" else []
        layers.put(("gates", key), [read_rule(rule) for rule in rules] if rules else value, f"--{key}")
        layers.origins.update({("gates", key, number): one_line(f"--rule {rule}") for number, rule in enumerate(rules)})


def _put_if_missing(config: dict[str, Any], policy: str) -> None:
    """Set `if_missing` of the baseline and the anchor of a config, in any of their notations."""
    gates = config.get("gates")
    if not isinstance(gates, dict):
        return
    for key in ("baseline", "anchor"):
        with suppress(ValueError):  # its problem is reported when the config is checked
            source = as_baseline(gates.get(key))
            if isinstance(source, Mapping):
                gates[key] = {**source, "if_missing": policy}


def read_rule(written: str) -> Any:
    """Read a rule of the command line: a short form unchanged, else a mapping in YAML."""
    document = text.read(written, {}) if written.lstrip().startswith("{") else None
    return written if document is None or document.problems else document.value


def add_setting(layers: Layers, question: Mapping[str, Any], name: str) -> None:
    """Put one of the options on files, measures, cut-offs, relevance and groups into a config.

    A file that replaces one of the config keeps its options to read it.
    """
    path, option = SETTINGS[name]
    value: Any = list(question[name]) if isinstance(question[name], list | tuple) else question[name]
    where = one_line(f"{option} {','.join(value) if isinstance(value, list) else value}")
    if name == "top_k":
        cutoffs = text.read(f"[{value.strip('[] ')}]", {})
        if cutoffs.problems:
            raise WrongOptionError(f"{where}: write cut-offs as 5,10")
        value = cutoffs.value
    elif name == "metrics":
        value = _at_cutoffs(_measures_named(value, layers.config), question.get("top_k", ""))
    elif name in ("test", "train", "items"):
        data = layers.config.get("data")
        given = data.get(name) if isinstance(data, dict) else None
        place = _seen_from(layers.folder, value)
        value = {**_reading(given), "path": place} if isinstance(given, dict) else place
    elif name == "convention" and value.endswith((".yaml", ".yml")):
        value = _seen_from(layers.folder, value)
    layers.put(path, value, where)
    if isinstance(value, list) and name != "top_k":
        layers.origins.update({(*path, index): one_line(f"{option} {part}") for index, part in enumerate(value)})


def _measures_named(given: Iterable[str], config: Mapping[str, Any]) -> list[str]:
    """Return the measures in texts of the command line, also by the names that `report.names` of the config gives them."""
    report = config.get("report")
    names = report.get("names") if isinstance(report, dict) else None
    own = {str(name): measure for measure, name in names.items()} if isinstance(names, dict) else {}
    measures = (measure for text in given for measure in ([text] if text in own else measures_of([text])))
    return [own.get(measure, measure) for measure in measures]


def add_bases(config: dict[str, Any], bases: Iterable[str]) -> None:
    """Add to the chosen models of a config the ones that they are compared with: `bases`, and those that the config names."""
    data = config.get("data")
    if not isinstance(data, dict) or not isinstance(models := as_list(data.get("models")), list):
        return
    gates, compare = (section if isinstance(section := config.get(name), dict) else {} for name in ("gates", "compare"))
    rules, base = gates.get("rules"), gates.get("baseline")
    against = [rule.get("against") for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    named = [*bases, compare.get("baseline"), base.get("path") if isinstance(base, dict) else base, *against]
    known = data.get("recommendations") or data.get("predictions")
    data["models"] = [
        *models,
        *(named_base for named_base in named if isinstance(named_base, str) and isinstance(known, dict) and named_base in known),
    ]


def _at_cutoffs(measures: Sequence[str], cutoffs: str) -> list[str]:
    """Return the measures; if all of them name a cut-off, add those of `-k`, which would have no effect otherwise."""
    extra = [cut for cut in re.split(r"[,\s]+", cutoffs.strip("[] ")) if cut]
    named = [_NAMED_CUTOFF.fullmatch(measure) for measure in measures]
    if not extra or not all(named):
        return list(measures)
    at_all = ((found[1], cut) for found in named if found for cut in ([] if found[2] in extra else [found[2]]) + extra)
    return list(dict.fromkeys(f"{metric}@{cut}" for metric, cut in at_all))


def _seen_from(folder: Path, path: str) -> str:
    """Return a path of the working folder relative to another folder; standard input and addresses unchanged."""
    place = os.path.expanduser(path)
    if path == "-" or is_address(path) or (folder == Path() and os.path.isabs(place)):
        return place
    return os.path.relpath(os.path.abspath(place), os.path.realpath(folder))


def measures_of_rules(rules: Iterable[str]) -> tuple[str, ...]:
    """Return the measures that rules of the command line name, each once; invalid rules are skipped."""
    measures: list[str] = []
    for rule in rules:
        with suppress(ValidationError):
            (read,) = Gates.model_validate({"rules": [read_rule(rule)]}).rules
            measures += [read.measure.partition(" (")[0]] if read.measure else []
    return tuple(dict.fromkeys(measures))


def _baseline_seen_from(folder: Path, baseline: str) -> str:
    """Return `FOLDER` or `LABEL=FOLDER` with its path relative to another folder; the name of a model unchanged."""
    label, equals, path = baseline.rpartition("=")
    is_name = not equals and "/" not in path and not os.path.isdir(os.path.expanduser(path))
    return baseline if is_name else f"{label}{equals}{_seen_from(folder, path)}"


def _piped(value: Any, path: text.Path) -> Iterator[tuple[text.Path, dict[str, Any]]]:
    """Yield every source that is standard input, with its path."""
    if value == "-" or value == ["-"]:
        yield path, {"path": "-"}
    elif isinstance(value, dict) and value.get("path") in ("-", ["-"]):
        yield path, value
    elif isinstance(value, dict) and "path" not in value:
        for key, element in value.items():
            yield from _piped(element, (*path, key))
    elif isinstance(value, list):
        for location, element in enumerate(value):
            yield from _piped(element, (*path, location))


def _in_full(path: text.Path, value: Any, key: str | int = "") -> Any:
    """Return a section in short form as a mapping, to which `key` can be added; anything else unchanged."""
    if path in _SHORT_FORMS and isinstance(value, str | int | float):
        return {_SHORT_FORMS[path]: value}
    is_of_gates = path[0] == "gates" and path in _SHORT_FORMS
    if is_of_gates and isinstance(value, dict) and len(value) == 1 and not value.keys() & GateBaseline.model_fields:
        ((label, folder),) = value.items()
        return {"path": f"{label}={folder}"}
    is_of_model = len(path) == 3 and path[1] in ("recommendations", "predictions")
    is_of_all_models = path == ("data", "recommendations") and key == "columns"  # one file, which has a column of the models
    is_source = path[0] == "data" and (is_of_model or is_of_all_models or (len(path) == 2 and path[1] not in ("recommendations", "folds")))
    return {"frame" if isinstance(value, InMemory) else "path": value} if is_source and isinstance(value, str | list | InMemory) else value
