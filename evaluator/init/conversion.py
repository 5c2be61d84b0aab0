"""Convert the config file of another program into an equivalent config of receval, with comments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from .. import conventions, metrics
from ..config.dialects import PROGRAMS, Translation, ours, translate
from ..config.loader import check, read_document
from ..config.overrides import Locations, dotted
from ..errors import ConfigError
from ..names import yaml_text as text
from ..names.measure_strings import MetricSpec
from .experiments import OURS, Experiment, recognise
from .guess_text import as_key, flow, moved_path, plain

_PROGRAMS = ", ".join(PROGRAMS.values())
_Moved = Callable[[Any], Any]


def convert(path: Path, folder: Path | None = None) -> str:
    """Return the YAML of a config equivalent to the file at `path`, with paths relative to `folder` (that of the file if not given).

    Raises `ConfigError` if the file cannot be read, if nothing in it is recognised, or if it is wrong.
    """
    document = read_document(path)
    experiment = recognise(document.value)
    if experiment is None:
        raise ConfigError(f"{path}: it was not recognised as a config of {_PROGRAMS}", "a config of receval needs no conversion")
    is_ours = experiment.dialect == OURS
    translation = Translation(experiment.evaluation) if is_ours else translate(experiment.evaluation, path.parent, experiment.dialect)
    locations = Locations(str(path), document, translation, at=experiment.at)
    value, unknown, needs = _known_metrics(translation, path.parent)
    experiment = _with_side_inputs(experiment, needs)
    if not any(value.get(key) for key in ("metrics", "complex_metrics")) and unknown:
        raise ConfigError([f"{locations.in_file((*experiment.at, *where))}: {message}" for where, message in unknown])
    others = tuple(problem for problem in translation.problems if problem[0] not in {where for where, _ in unknown})
    checked = {"data": experiment.data, "evaluation": value, **experiment.others}
    config = check(checked, replace(locations, translation=replace(translation, problems=others)), path.parent)
    wanting = {"train"} if config.data.items else {"train", "catalogue"}
    needed = any(definition.needs & wanting for definition in config.evaluation.computed)
    if experiment.optional and "train" in experiment.placeholders and not needed:
        experiment = replace(experiment, data={role: given for role, given in experiment.data.items() if role != "train"})
    moved = partial(moved_path, start=path.parent, folder=folder)
    remarks = [
        *experiment.left_out,
        *(((*experiment.at, *where), message) for where, message in [*translation.warnings, *unknown] if where),
    ]
    program = PROGRAMS.get(experiment.dialect)
    about = f"what {program} computes, in receval's keys" if program else "the evaluation as `receval run` reads it"
    head = [plain(f"# Written by `receval init --from {path.name}`: {about}."), "# Paths are relative to this file."]
    tail = ["# Left out or assumed:"] if remarks else []
    tail += [plain(f"#   {dotted(where)}: {message}") for where, message in remarks]
    return "\n".join([*head, *_data(experiment, moved), *_evaluation(value, experiment, moved), *tail]) + "\n"


def _with_side_inputs(experiment: Experiment, needs: frozenset[str]) -> Experiment:
    """Add a placeholder for every side input that the metrics need and the experiment lacks."""
    data, placeholders = dict(experiment.data), set(experiment.placeholders)
    for need in sorted(needs):
        role = "items" if need == "categories" else need.partition(".")[0]
        if role in ("train", "catalogue"):
            continue
        if role not in data:
            data[role] = f"{role}.csv"
            placeholders.add(role)
        if need == "categories":
            given = data[role] if isinstance(data[role], Mapping) else {"path": data[role]}
            data[role] = {"categories": "category", **given}
            placeholders.add(role)
    return replace(experiment, data=data, placeholders=frozenset(placeholders))


def _known_metrics(translation: Translation, folder: Path) -> tuple[dict[str, Any], list[tuple[text.Path, str]], frozenset[str]]:
    """Return the evaluation with the metrics that receval knows, the problems of the others, and the inputs that the known ones need."""
    value, unknown = dict(translation.value), []
    needs: set[str] = set()
    load = partial(conventions.load, folder=folder)
    try:
        chosen = load(str(value["convention"]))
    except ValueError:  # reported when the evaluation is checked
        return value, [], frozenset()
    for key in ("metrics", "complex_metrics"):
        if not isinstance(value.get(key), list):
            continue
        known = []
        for index, entry in enumerate(value[key]):
            origin = translation.origin((key, index))
            try:
                refused = [message for where, message in translation.problems if where == origin]
                if refused:
                    raise ValueError(refused[0])
                read = ours(entry, chosen)
                spec = read if isinstance(read, MetricSpec) else chosen.parse(read["name"])
                needs |= {need for need in metrics.resolve(spec, chosen, load).needs if not need.endswith("?")}
                known.append(str(read) if isinstance(read, MetricSpec) else read)
            except ValueError as error:
                unknown.append((origin, str(error).partition("; known:")[0]))
        value[key] = known
    return value, unknown, frozenset(needs)


def _data(experiment: Experiment, moved: _Moved) -> Iterator[str]:
    yield "data:"
    for role, given in experiment.data.items():
        is_placeholder = role in experiment.placeholders
        fill_in = "  # fill in: the original config does not have it" if is_placeholder else ""

        def source(given: Any, is_placeholder: bool = is_placeholder) -> str:
            if is_placeholder:
                return flow(given)
            return flow({**given, "path": moved(given.get("path"))} if isinstance(given, Mapping) else moved(given))

        if role == "recommendations" and isinstance(given, Mapping | list):
            yield f"  recommendations:{fill_in}"
            models = given.items() if isinstance(given, Mapping) else [(None, lists) for lists in given]
            yield from (f"    {'-' if name is None else f'{as_key(name)}:'} {source(lists)}" for name, lists in models)
        else:
            yield f"  {flow(role)}: {source(given)}{fill_in}"


def _evaluation(value: Mapping[str, Any], experiment: Experiment, moved: _Moved) -> Iterator[str]:
    convention = str(value["convention"])
    shown = flow(moved(convention) if "/" in convention or convention.endswith((".yaml", ".yml")) else convention)
    yield "evaluation:"
    yield f"  convention: {shown}  # what it decides: receval metrics --convention {plain(shown)}"
    for key in (key for key in value if key not in ("convention", "metrics", "complex_metrics")):
        yield f"  {flow(key)}: {flow(value[key])}"
    yield "  metrics:"
    yield from (f"    - {flow(entry)}" for key in ("metrics", "complex_metrics") for entry in value.get(key) or ())
    for key, given in experiment.others.items():
        output = key == "output" and isinstance(given, Mapping) and "dir" in given
        yield f"{flow(key)}: {flow({**given, 'dir': moved(given['dir'])} if output else given)}"
