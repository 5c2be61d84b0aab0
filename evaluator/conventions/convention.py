r"""A convention file → `Convention`: a value for every axis, and the names that a library uses.

name: ours                    # its name; the file's name if left out
extends: replay               # a convention to start from, by name or path; receval if left out
about: one sentence
library, version, source      # the library that it describes
notes: [...]                  # differences between the library's documents and its behaviour
top_k: none                   # default cut-offs if neither the metric nor the config has any; 10 if left out
needs_cutoff: ['P']           # patterns of names that the library refuses without a cut-off
axes: {axis: value}           # for every metric
metrics: {MAP: {axis: value}} # the metrics of the library, with the axes that differ for one of them
spellings: {'P_(\d+)': 'Precision@\1'}           # pattern of a name → measure string
sets: {official: [map, P_5]}  # a name for several of the library's names, in the order in which it prints them
refused: {auc: "is weighted by labels"}          # pattern of a name that means another value in the library → the reason, behind the name
parameters: {divide_by_k: {true: {denominator: k}}} # the library's parameter → ours; or just another name

The file is long because it has all of a convention: its keys, how they are read with every problem, and what they do to names of measures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from ..support import plugins
from ..support.synonyms import did_you_mean
from ..syntax import yaml_text
from ..syntax.measure_strings import CUTOFF_KEYS, UNSET, MetricSpec, Scalar, cutoff, parse
from .axes import AXES

Rewrite = str | Mapping[Scalar | None, Mapping[str, Scalar]]
"""Another name for a parameter, or the parameters that each of its values becomes."""


class Problems:
    """Reads the values of a convention file, and collects the problems."""

    def __init__(self, path: Path, document: yaml_text.Document) -> None:
        self.path, self.document = path, document
        self.messages: list[str] = []

    def location(self, where: yaml_text.Path) -> str:
        """Return the file and the line of a key."""
        line, _ = self.document.position(where, of_key=True) or (1, 1)
        return f"{self.path}:{line}"

    def add(self, where: yaml_text.Path, message: str) -> None:
        """Add a problem at a key."""
        self.messages.append(f"{self.location(where)}: {message}")

    def mapping(self, value: Any, where: yaml_text.Path) -> dict[str, Any]:
        """Read a mapping; a missing value is an empty one."""
        if value is not None and not isinstance(value, dict):
            self.add(where, f"{where[-1]} must be a mapping")
            return {}
        return dict(value or {})

    def cutoffs(self, content: Any) -> tuple[int | None, ...]:
        """Read one cut-off, or a list of them."""
        try:
            return tuple(cutoff(value) for value in (content if isinstance(content, list) else [content]))
        except ValueError as error:
            self.add(("top_k",), f"top_k: {error}")
            return ()

    def axes(self, content: Any, where: yaml_text.Path, allowed: Mapping[str, Any]) -> dict[str, Scalar]:
        """Read a mapping of axis → value, in which only `allowed` axes may occur."""
        read: dict[str, Scalar] = {}
        for axis, value in self.mapping(content, where).items():
            if axis not in allowed:
                self.add((*where, axis), f"no metric has an axis '{axis}'{did_you_mean(str(axis), allowed, before=' — ')}")
                continue
            try:
                read[axis] = AXES[axis].read(value)
            except ValueError as error:
                self.add((*where, axis), str(error))
        return read

    def rewrite(self, key: str, value: Any) -> Rewrite:
        """Read the parameters of receval for a parameter of the library."""
        if not isinstance(value, dict):
            return str(value)
        for choice, meaning in value.items():
            plain = isinstance(meaning, dict) and all(isinstance(parameter, str | int | float | bool) for parameter in meaning.values())
            if meaning is not None and not plain:
                self.add(("parameters", key, choice), f"{key}={choice} must be a mapping of parameters, such as {{denominator: k}}")
        return {yaml_text.scalar(str(choice)): meaning for choice, meaning in value.items() if isinstance(meaning, dict)} | {
            yaml_text.scalar(str(choice)): {} for choice, meaning in value.items() if meaning is None
        }

    def refuse(self) -> None:
        """Raise `ValueError` with all problems, if there are any."""
        if self.messages:
            raise ValueError("\n".join(self.messages))


DEFAULT: Final = "receval"
_HERE: Final = Path(__file__).parent
_SCRIPTS: Final = _HERE / "scripts"
SCRIPTS: Final = "scripts"
"""Name of all conventions of scripts together."""
_ABOUT: Final = ("about", "library", "version", "source")
_KEYS: Final = (
    "name",
    "extends",
    *_ABOUT,
    "notes",
    "top_k",
    "needs_cutoff",
    "axes",
    "metrics",
    "spellings",
    "sets",
    "refused",
    "parameters",
)
_DEEPEST: Final = 5


class Convention(Struct, frozen=True, dict=True):
    """A complete set of settings.

    `axes` has a value for every axis. `metrics` are the metrics of the library, each with the axes that differ for it.
    """

    name: str
    about: str
    library: str
    version: str
    source: str
    notes: tuple[str, ...]
    axes: Mapping[str, Scalar]
    metrics: Mapping[str, Mapping[str, Scalar]]
    spellings: Mapping[str, str]
    parameters: Mapping[str, Rewrite]
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names for several of the library's names, in the order in which the library prints them."""
    top_k: tuple[int | None, ...] = ()
    """Cut-offs of a metric without one, if the config has no `top_k`."""
    needs_cutoff: tuple[str, ...] = ()
    """Patterns of names that the library refuses without a cut-off."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Patterns of names of the library that have another meaning here, each with the reason."""
    locations: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Location, as `file:line`, at which the file sets an axis for one metric."""

    def axes_of(self, metric: str) -> dict[str, Scalar]:
        """Return the value of every axis for `metric`."""
        return {**self._for_all, **self.metrics.get(metric, {})}

    @cached_property
    def _for_all(self) -> dict[str, Scalar]:
        return dict(self.axes)  # copying a plain dict is ten times as fast as copying a proxy

    def parse(self, text: str) -> MetricSpec:
        """Read a measure string in receval's names or in those of the library."""
        spelled = self._from_spelling(text.strip())
        if spelled is not None:
            return spelled
        name, at, cut = text.rpartition("@")
        spelled = self._from_spelling(name.strip()) if at else None
        return parse(text) if spelled is None else spelled.at(cutoff(cut.strip()))

    def parse_all(self, text: str) -> tuple[MetricSpec, ...]:
        """Read a measure string, or the measures of a set of the library, such as `official` of trec_eval."""
        return tuple(map(self.parse, self.sets.get(text.strip(), (text,))))

    def name_of(self, measure: str) -> str | None:
        """Return the library's name of a measure, such as `P_5` for `Precision@5`; numbers with a point have two decimals.

        `None` if no spelling with a number in its name is read as this measure.
        """
        for pattern, template in self.spellings.items():
            start, reference, end = template.partition(r"\1")
            number = re.fullmatch(rf"{re.escape(start)}([\d.]+){re.escape(end)}", measure) if reference else None
            if number:
                name = pattern.replace(r"(\d+)", number[1]).replace(r"([\d.]+)", f"{float(number[1]):.2f}").replace("[_.]", "_")
                return name if re.fullmatch(pattern, name) else None
        return None

    def read(self, spec: MetricSpec) -> MetricSpec:
        """Translate `spec` from the library's names to receval's; values in `spec` take precedence over those of the spelling."""
        name, components, params, k = spec.name, spec.components, dict(spec.params), spec.k
        if reason := self.refusal(name):
            raise ValueError(reason)
        written = (spec.name,) if spec.k is UNSET else (f"{spec.name}@{spec.k}", spec.name)
        spelled = next((spelled for text in written if (spelled := self._from_spelling(text)) is not None), None)
        if spelled is not None:
            cut_by_name = k is UNSET and not any(key in params for key in CUTOFF_KEYS)
            name, components, k = spelled.name, components or spelled.components, spelled.k if cut_by_name else k
            params = dict(spelled.params) | params
        read: dict[str, Scalar] = {}
        for key, value in params.items():
            rewrite = self.parameters.get(key)
            if rewrite is None:
                read[key] = value
            elif isinstance(rewrite, str):
                read[rewrite] = value
            elif value in rewrite:
                read.update(rewrite[value])
            elif key in AXES and value in AXES[key].values:  # the library's parameter has the name of an axis
                read[key] = value
            else:
                allowed = ", ".join(map(str, rewrite))
                raise ValueError(f"{key} must be one of {allowed} under the convention {self.name}, not {value!r}")
        return MetricSpec(name, components, tuple(read.items()), k)

    def refusal(self, name: str) -> str:
        """Return why the metric that the library calls `name` is refused; empty if it is not."""
        reason = next((reason for pattern, reason in self.refused.items() if re.fullmatch(pattern, name)), "")
        return f"{name} of {self.library} {reason}" if reason else ""

    def refuse_without_cutoff(self, written: str) -> None:
        """Raise `ValueError` if the library refuses the metric that it calls `written` without a cut-off."""
        if any(re.fullmatch(pattern, written) for pattern in self.needs_cutoff):
            raise ValueError(f"{written} needs k, the number of items it uses: write {written}@10, or give top_k")

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        return tuple((re.compile(pattern), template) for pattern, template in self.spellings.items())

    def _from_spelling(self, text: str, depth: int = 0) -> MetricSpec | None:
        for pattern, template in self._patterns:
            if match := pattern.fullmatch(text):
                spec = parse(match.expand(template))
                if depth > _DEEPEST:
                    raise ValueError(f"the spellings of the convention {self.name} form a circle: {text}")
                again = self._from_spelling(spec.name, depth + 1) if spec.name != text else None
                return spec if again is None else MetricSpec(again.name, again.components, (*again.params, *spec.params), spec.k)
        return None


@cache
def builtin_names() -> tuple[str, ...]:
    """Return the names of the conventions of libraries that come with receval."""
    return _names_in(_HERE)


@cache
def script_names() -> tuple[str, ...]:
    """Return the names of the conventions of scripts: the evaluation code of papers, which other papers copy."""
    return _names_in(_SCRIPTS)


def packaged_names() -> tuple[str, ...]:
    """Return the names of all conventions that come with receval, those of scripts last."""
    return (*builtin_names(), *script_names())


def with_scripts(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of conventions, in which `scripts` means all those of scripts."""
    return tuple(word for name in names for word in (script_names() if name == SCRIPTS else (name,)))


def _names_in(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


def is_path(name: str) -> bool:
    """Return whether a convention is named by the path of its file."""
    return "/" in name or name.endswith((".yaml", ".yml"))


def load(name: str, folder: Path | None = None) -> Convention:
    """Return a convention by name, or by the path of a file (relative to `folder`) if `name` has a `/` or ends in `.yaml`.

    An installed package may add a name, as the path of its file.

    Raises `ValueError` if there is none, or with file and line if it is wrong.
    """
    if is_path(name):
        return _load((folder or Path()) / name, ())
    if name not in packaged_names():
        added = plugins.find("conventions", name)
        if added is not None:
            return _load(Path(str(added)), ())
        if name.lower() in packaged_names():
            return _packaged(name.lower())
        hint = did_you_mean(name.lower(), packaged_names(), before=" — ")
        raise ValueError(
            f"unknown convention {name!r}{hint}: give a name that `receval metrics --conventions` prints, or the path of a .yaml file"
        )
    return _packaged(name)


@cache
def _packaged(name: str) -> Convention:
    return _load((_HERE if name in builtin_names() else _SCRIPTS) / f"{name}.yaml", ())


def _is_own(path: Path) -> bool:
    return path.parent in (_HERE, _SCRIPTS)


_NOTHING: Final = Convention("", "", "", "", "", (), {}, {}, {}, {})
"""What a convention is built on that extends none."""


def _load(path: Path, above: tuple[Path, ...]) -> Convention:
    if path in above:
        raise ValueError(f"convention {path}: it extends itself")
    document = _document(path)
    problems, content = Problems(path, document), document.value
    for key in content:
        if key not in _KEYS:
            problems.add((key,), f"unknown key '{key}'; known: {', '.join(_KEYS)}")
    base = _base(content, path, above, problems)
    below = base or _NOTHING
    axes = {**below.axes, **problems.axes(content.get("axes"), ("axes",), AXES)}
    metrics, locations = {**below.metrics}, {**below.locations}
    for metric, changes in problems.mapping(content.get("metrics"), ("metrics",)).items():
        changed = problems.axes(changes, ("metrics", metric), AXES)
        metrics[metric] = {**metrics.get(metric, {}), **changed}
        locations |= {(metric, axis): problems.location(("metrics", metric, axis)) for axis in changed}
        locations[metric, ""] = problems.location(("metrics", metric))
    if not isinstance(content.get("notes") or [], list):
        problems.add(("notes",), "notes must be a list of sentences")
    top_k = problems.cutoffs(content["top_k"]) if "top_k" in content else below.top_k
    needs_cutoff = content.get("needs_cutoff", below.needs_cutoff)
    if not isinstance(needs_cutoff, list | tuple):
        problems.add(("needs_cutoff",), "needs_cutoff must be a list of name patterns")
    spellings, sets = _spellings(content, problems), _sets(content, problems)
    refused = {key: str(reason) for key, reason in problems.mapping(content.get("refused"), ("refused",)).items()}
    rewrites = {key: problems.rewrite(key, value) for key, value in problems.mapping(content.get("parameters"), ("parameters",)).items()}
    name = _name(content, path, problems)
    missing = AXES.keys() - axes.keys()
    if missing and not problems.messages:
        problems.add(("axes",), f"the axes {', '.join(sorted(missing))} have no value")
    problems.refuse()
    inherited = base if "extends" in content and _is_own(path) else None
    return Convention(
        name=name,
        notes=tuple(map(str, content.get("notes") or ())),
        axes=MappingProxyType(axes),
        metrics=MappingProxyType(metrics),
        spellings=MappingProxyType({**spellings, **{key: value for key, value in below.spellings.items() if key not in spellings}}),
        parameters=MappingProxyType({**below.parameters, **rewrites}),
        sets=MappingProxyType({**below.sets, **sets}),
        top_k=top_k,
        needs_cutoff=tuple(map(str, needs_cutoff)),
        refused=MappingProxyType({**below.refused, **refused}),
        locations=locations,
        **{key: str(content.get(key) or getattr(inherited, key, "")) for key in _ABOUT},
    )


def _document(path: Path) -> yaml_text.Document:
    """Return the text of a convention with its content, which is a mapping; `ValueError` if it cannot be read."""
    try:
        document = yaml_text.read(yaml_text.read_file(path), {}, is_own=_is_own(path))
    except FileNotFoundError:
        raise ValueError(f"there is no convention {path}") from None
    except OSError as error:
        raise ValueError(f"the convention {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text (byte {error.start})") from None
    for (line, _), message in document.problems:
        raise ValueError(f"{path}:{line}: {message}")
    if not isinstance(document.value, dict):
        raise ValueError(f"{path}:1: a convention must be a mapping with keys such as extends and axes")
    return document


def _spellings(content: Mapping[str, Any], problems: Problems) -> Mapping[str, Any]:
    """Return pattern → measure of the section `spellings`, whose patterns and measures are tried, except those of receval's own files."""
    spellings = problems.mapping(content.get("spellings"), ("spellings",))
    for pattern, template in () if _is_own(problems.path) else spellings.items():
        try:
            re.compile(pattern)
            parse(re.sub(r"\\\d+", "1", str(template)))
        except (re.error, ValueError) as error:
            problems.add(("spellings", pattern), f"the spelling {pattern!r}: {error}")
    return spellings


def _sets(content: Mapping[str, Any], problems: Problems) -> dict[str, tuple[str, ...]]:
    """Return name → names of metrics of the section `sets`."""
    sets = problems.mapping(content.get("sets"), ("sets",))
    for key, names in sets.items():
        if not isinstance(names, list):
            problems.add(("sets", key), f"sets: {key} must be a list of names, such as [map, P_5]")
    return {key: tuple(map(str, names)) for key, names in sets.items() if isinstance(names, list)}


def _name(content: Mapping[str, Any], path: Path, problems: Problems) -> str:
    """Return the name of a convention, by default that of its file."""
    name = content.get("name") or path.stem
    if not isinstance(name, str):
        problems.add(("name",), "name must be a text")
    elif name in packaged_names() and not _is_own(path):
        problems.add(("name",), f"{name!r} is the name of a built-in convention: choose another")
    return str(name)


def _base(content: Mapping[str, Any], path: Path, above: tuple[Path, ...], problems: Problems) -> Convention | None:
    extends = content.get("extends", None if path.stem == DEFAULT else DEFAULT)
    if extends is None:
        return None
    try:
        if is_path(str(extends)):
            return _load(path.parent / str(extends), (*above, path))
        base = load(str(extends))
    except ValueError as error:
        problems.add(("extends",), str(error))
        return None
    if "extends" in content:
        return base
    # Without `extends`, receval's convention is a default for the axes only: the file lists the metrics of its own library.
    return replace(base, metrics={}, spellings={}, sets={}, refused={}, parameters={}, needs_cutoff=(), locations={})
