"""Convert the arguments of a call into a config: the same models check them, so mistakes get the same sentences.

In these sentences, keys of a config are replaced by arguments.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypedDict

import polars as pl
from msgspec.structs import replace

from ..config import Loaded, load_config
from ..config.data_sources import UNNAMED, InMemory, as_list, describes_a_source, in_memory, refuse_splits, source_of
from ..config.loader import NoTestError
from ..load.column_words import column_words
from ..load.columns import is_no_category
from ..load.in_memory.frames import column_names, frame_of
from ..load.in_memory.matrices import Matrix, is_matrix
from ..load.in_memory.python_values import is_vector
from ..load.in_memory.ragged import even_rows
from ..metrics.own import name_of
from ..support.errors import ConfigError, DataError
from ..support.quoting import one_line, type_name
from ..support.synonyms import FOLDS, meaning_of, wrong_type
from .wording import CATEGORIES, reworded

ConfigLike = Loaded | Mapping[str, Any] | str | os.PathLike[str]
"""A config: loaded, as a mapping, or the path of its file."""


class CallArguments(TypedDict, total=False):
    """The arguments of an evaluation; see `evaluate`."""

    test: Any
    recommendations: Any
    metrics: str | Sequence[Any] | Mapping[str, Any] | None
    top_k: int | str | Sequence[int | str | None] | Mapping[str, Any] | None
    train: Any
    items: Any
    users: Any
    baseline: Any
    previous_policy: Any
    predictions: Any
    distances: Any
    relevance: float | Mapping[str, Any] | None
    convention: str | os.PathLike[str] | None
    columns: Mapping[str, Any] | None
    categories: str | Sequence[str] | None
    split: str | None
    mask_seen: bool | None
    policy: Mapping[str, Any] | None
    health: bool | Mapping[str, Any] | None
    yardsticks: bool | str | Sequence[str] | Mapping[str, Any] | None
    engine: str | Mapping[str, Any] | None
    by: str | Mapping[str, Any] | Sequence[Any] | None
    aggregates: str | Sequence[str] | None
    value_columns: Mapping[str, str] | None
    weights: Mapping[str, str] | None
    candidates: Mapping[str, Any] | None


class Arguments(CallArguments, total=False):
    """The arguments of an evaluation of several models, which can be chosen also of a config."""

    models: str | Sequence[str]


_EVALUATION: Final = (
    "metrics", "top_k", "convention", "policy", "yardsticks", "by", "aggregates", "value_columns", "weights", "candidates",
)  # fmt: skip
NO_MATRIX: Final = (
    "use policy={'seen_items': 'drop_and_refill'} for lists, receval.Matrix(scores, mask_seen=True) for one of several models"
)
_SEVERAL: Final = f"write {{'runs': [table, …]}} for several runs on one test set; for folds call {FOLDS}"
_SOURCES: Final = ("test", "train", "items", "users", "baseline", "previous_policy", "distances")


def names_of(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    return (given,) if isinstance(given, str) else tuple(given)


def warn(sentences: Iterable[str], above: int) -> None:
    """Issue sentences about a config as Python warnings, at the line of the call `above` this one."""
    for warning in sentences:
        warnings.warn(one_line(reworded(warning)), UserWarning, stacklevel=above)


def loaded_from(config: ConfigLike | None, arguments: CallArguments, describes: bool = False) -> Loaded:
    """Return the given config, or the one made from arguments; raise `ConfigError` if both or neither are given, or it is wrong.

    If it only `describes` its data, one table is enough. The argument `models` chooses among the models of either.
    """
    given: dict[str, Any] = {name: value for name, value in arguments.items() if value is not None}
    models: str | Sequence[str] = given.pop("models", ())
    is_table = isinstance(config, Mapping) and not any(isinstance(key, str) for key in config)
    if config is not None and (is_table or not isinstance(config, Loaded | Mapping | str | os.PathLike)):
        raise wrong_type("the first argument", "a config", config, "give tables by name to receval.evaluate, test=…, recommendations=…")
    if config is not None:
        both = next(iter(given), None)
        if both is not None:
            hint = with_change(both, given[both])
            raise ConfigError(f"{both} comes from the config: give either a config or arguments", hint and f"use {hint}")
        if models and isinstance(config, Loaded):
            raise ConfigError("models: this config is loaded with its models", "give them to receval.load_config(CONFIG, models=…)")
        try:
            return config if isinstance(config, Loaded) else load_config(config, describes=describes, models=models)
        except ConfigError as error:
            raise ConfigError([CATEGORIES.sub(_categories_in(config), problem) for problem in error.problems], error.hint) from None
    of_lists = {"recommendations", "metrics"} <= given.keys()
    for name in (*(() if of_lists else ("test",)), *(() if "predictions" in given else ("recommendations",))):
        if name not in given and not (describes and given.keys() & {"test", "train", "items"}):
            raise ConfigError(f"{name} is missing", "give test, recommendations and metrics, or a config")
    try:
        loaded = load_config(config_of(given), describes=describes, models=models)
        return replace(loaded, doubt="")  # arguments are no block of another program
    except NoTestError as error:
        raise ConfigError(f"test is missing, and {error.reader} reads it", "give test, recommendations and metrics, or a config") from None
    except ConfigError as error:
        if not any(map(CATEGORIES.search, error.problems)) or not (nulls := _words_for_none(given["items"])):
            raise
        with_nulls = rf"set categories \1 split \2: categories='genres', split='|', {nulls}"
        raise ConfigError(
            [CATEGORIES.sub(lambda found: found.expand(with_nulls), problem) for problem in error.problems], error.hint
        ) from None


def loaded_of(config: ConfigLike | None, arguments: CallArguments, metrics: str = "", describes: bool = False, above: int = 5) -> Loaded:
    """Return the config of a call; `metrics` is the default of a call without metrics, and one that `describes` needs no lists.

    Warnings are at the line of the call `above` this one.
    """
    if config is None and metrics and not arguments.get("metrics"):
        arguments = {**arguments, "metrics": metrics}
    loaded = loaded_from(config, arguments, describes)
    if not isinstance(config, Loaded):  # its warnings were issued when it was loaded
        warn(loaded.warnings, above)
    return loaded


def _words_for_none(items: Any) -> str:
    """Return the argument that reads words for no category, such as `(no genres listed)`, as none; empty if the items have no such word."""
    section = _section(source_of(items) if isinstance(items, Mapping | str | os.PathLike) else in_memory(items))
    path, rows = section.get("path"), section.get("frame")
    try:
        if isinstance(path, str):
            from ..init.guess import guess_categories  # only here: for an error

            words = as_list(guess_categories(path).get("null_values", []))
        else:
            frame = frame_of("items", "catalogue", rows.rows if isinstance(rows, InMemory) else rows)
            names = [name for name, dtype in frame.schema.items() if dtype == pl.String and "genre" in column_words(name)]
            words = sorted({word for name in names for word in frame[name].drop_nulls().unique() if is_no_category(word)})
    except DataError:
        return ""
    place = f"'path': {path!r}" if isinstance(path, str) else "'frame': …"
    return f"items={{{place}, 'null_values': {words[0] if len(words) == 1 else words!r}}}" if words else ""


def _categories_in(config: Any) -> str:
    """Return what to write into a config so that its items have categories; a table of a mapping becomes a section with `frame`."""
    written = "items: {path: FILE, categories: genres, split: '|'}"
    if isinstance(config, Mapping):
        data = config.get("data")
        items = data.get("items") if isinstance(data, Mapping) else None
        is_path = isinstance(items, str | os.PathLike | list) or (isinstance(items, Mapping) and "path" in items)
        place = '"path": FILE' if is_path else '"frame": table'
        written = f'"items": {{{place}, "categories": "genres", "split": "|"}}'
    return f"write the name of their column, and split if a cell has several, in the section data: {written}"


def with_change(name: str, value: Any) -> str:
    """Return a call that loads a config with another value of an argument; empty if a config cannot have it."""
    name = meaning_of(name) or name
    if name == "recommendations":
        return "receval.load_config(CONFIG, recommendations=['NAME=FILE']) instead of the config"
    places = dict.fromkeys((*_SOURCES, "predictions"), "data.") | dict.fromkeys(("categories", "split"), "data.items.")
    places |= dict.fromkeys((*_EVALUATION, "relevance"), "evaluation.") | {"health": "", "engine": ""}
    if name not in places:
        return ""
    written = "FILE" if name not in (*_EVALUATION, "relevance", "health", "engine") and not isinstance(value, str) else _as_override(value)
    return f"receval.load_config(CONFIG, overrides=['{places[name]}{name}={written}']) instead of the config"


def _as_override(value: Any) -> str:
    """Return a short plain value as in an override; a placeholder for any other, such as a table."""
    with suppress(TypeError, ValueError):
        text = value if isinstance(value, str) else json.dumps(value)
        if len(text) <= 40 and "'" not in text and text.isprintable():
            return text
    return "VALUE"


def config_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Convert arguments into a config."""
    tables = (*_SOURCES, "recommendations", "predictions")
    for name, value in given.items():
        if name in tables:
            refuse_splits(name, value)
        elif hasattr(value, "columns") or len(getattr(value, "shape", ())) > 1:
            raise TypeError(f"{name} must not be a table, and is {type_name(value)}: tables are {', '.join(tables)}")
    if not isinstance(given.get("columns", {}), Mapping):
        raise wrong_type("columns", "a mapping such as {'user': 'NAME'}", given["columns"])
    data: dict[str, Any] = {name: _source(name, given[name]) for name in _SOURCES if name in given}
    if "recommendations" in given:
        data["recommendations"] = _lists_by_model(given["recommendations"])
        if given.get("mask_seen"):
            _mask(data["recommendations"])
    if "predictions" in given:
        predictions = _lists_by_model(given["predictions"])
        is_of_all = isinstance(predictions, dict) and set(predictions) == {UNNAMED}
        data["predictions"] = predictions[UNNAMED] if is_of_all else predictions
    for key in ("categories", "split"):
        if key in given:
            _refuse_without_effect(key, data.get("items"))
            data["items"] = {**_section(data["items"]), key: given[key]}
    _name_columns(data, given.get("columns", {}))
    evaluation: dict[str, Any] = {key: _plain(given[key]) for key in _EVALUATION if key in given}
    if isinstance(evaluation.get("aggregates"), str):
        evaluation["aggregates"] = [evaluation["aggregates"]]
    if "relevance" in given:
        relevance = given["relevance"]
        evaluation["relevance"] = _plain(relevance) if isinstance(relevance, Mapping) else {"threshold": relevance}
    config: dict[str, Any] = {"data": data, "evaluation": evaluation}
    if given.get("health", True) is not True:
        config["health"] = given["health"]
    return config | ({"engine": given["engine"]} if given.get("engine") else {})


def _source(name: str, value: Any) -> Any:
    """Return a source in the form of a config; several texts for items or users are ids, unless each of them is a file."""
    texts = name in ("items", "users") and isinstance(value, list | tuple) and value and all(isinstance(part, str) for part in value)
    return in_memory(list(value)) if texts and not all(map(os.path.exists, value)) else source_of(value)


def collected(name: str, rows: Any) -> Any:
    """Return a DataFrame of Spark, also one in a section, as a frame in the memory of this process; anything else as it is.

    Raises `DataError` if it cannot be read.
    """
    if isinstance(rows, Mapping) and "frame" in rows:
        return {**rows, "frame": collected(name, rows["frame"])}
    held = in_memory(rows)
    if not held.is_of_spark:
        return rows
    from ..engines.spark.catalog_tables import collect_frame  # only here: most callers have no Spark

    return collect_frame(f"data.{name}", held.rows, held.kind)


def _refuse_without_effect(key: str, items: Any) -> None:
    """Raise `ConfigError` for an argument on the categories of items if there are no items, or no categories to split."""
    hint = "the separator of lists is a key of their source: {'path': FILE, 'split': ','}"
    if items is None:
        raise ConfigError(f"{key} has no effect without items, which have the categories", hint if key == "split" else None)
    if key == "split" and "categories" not in _section(items):
        raise ConfigError("split has no effect without categories: it separates the categories of items", hint)


def _lists_by_model(value: Any) -> Any:
    """Return the lists of each model: of a single one, named `model`, or a mapping from names, also to several runs."""
    paths = [value] if isinstance(value, str | os.PathLike) else value
    if isinstance(paths, list | tuple) and paths and all(isinstance(path, str | os.PathLike) for path in paths):
        return [source_of(path) for path in paths]
    for name, given in value.items() if isinstance(value, Mapping) else ():
        if isinstance(given, list | tuple) and len(given) and hasattr(given[0], "columns"):
            raise ConfigError(f"recommendations: {name!r} has a list of {len(given)} tables", _SEVERAL)
    if not isinstance(value, Mapping) or describes_a_source(value) or _is_by_user(value):
        return {UNNAMED: value if describes_a_source(value) else in_memory(value)}
    models: dict[str, Any] = {}
    for name, given in value.items():
        has_runs = isinstance(given, Mapping) and isinstance(given.get("runs"), list | tuple)
        models[str(name)] = {**given, "runs": [source_of(run) for run in given["runs"]]} if has_runs else source_of(given)
    return models


def _mask(recommendations: Any) -> None:
    """Mark matrices of scores to be masked; raise `ConfigError` for lists, which cannot be masked."""
    for _, place, key in _places({"recommendations": recommendations}):
        source = place[key]
        if not (isinstance(source, InMemory) and is_matrix(source.rows)):
            named = "recommendations are" if key == UNNAMED or not isinstance(key, str) else f"recommendations.{key} is"
            raise ConfigError(f"mask_seen: {named} not a matrix of scores", NO_MATRIX)
        place[key] = InMemory(masked_matrix(source.rows))


def masked_matrix(rows: Any) -> Matrix:
    """Return a matrix of scores that masks seen items."""
    return Matrix(rows.values, rows.users, rows.items, True) if isinstance(rows, Matrix) else Matrix(rows, mask_seen=True)


def matrix_of_users(users: Any, lists: Any) -> Matrix:
    """Return the lists of a batch as a matrix with ids of its users; raise `DataError` for lists by user, or of other users."""
    if isinstance(lists, Mapping):
        hint = "give (ids, scores), or only ids, with a row for each user; or give the lists of all users at once: evaluator(lists)"
        raise DataError(f"update: {type(lists).__name__} has no row for each of the users", hint)
    if isinstance(users, str | Mapping) or hasattr(users, "columns") or not hasattr(users, "__len__"):
        raise wrong_type("users", "the ids of the batch, one for each row of lists", users)
    if not isinstance(lists, Matrix):
        return Matrix(even_rows("update", lists), users=users)
    if lists.users is not None and list(lists.users) != list(users):
        raise DataError("update: the users of this Matrix are not the given users", "give (ids, scores) without Matrix")
    return Matrix(even_rows("update", lists.values), users, lists.items)


def _is_by_user(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping has the lists of users, not those of models.

    Users have items, pairs of an item and a number, or a mapping of items to numbers; models have tables, paths, or mappings by user.
    """
    if not all(isinstance(name, str) for name in value):
        return True
    held = next((entry for entry in value.values() if is_matrix(entry) or not _is_empty(entry)), None)
    if held is None or isinstance(held, str | os.PathLike) or is_matrix(held):
        return False
    if isinstance(held, Mapping):
        return not describes_a_source(held) and not hasattr(next(iter(held.values())), "__len__")
    if isinstance(held, list | tuple) and all(
        isinstance(entry, os.PathLike) or (isinstance(entry, str) and os.path.isfile(os.path.expanduser(entry))) for entry in held
    ):  # the files of a model
        return False
    if isinstance(held, list | tuple | set | frozenset) or is_vector(held):
        first = next(iter(held))
        return not isinstance(first, Mapping) and not (isinstance(first, list | tuple) and len(first) != 2)
    return False


def single_model_lists(lists: Any) -> Any:
    """Return lists without the name of their model; raise `ConfigError` for the lists of several models."""
    refuse_splits("recommendations", lists)
    if not isinstance(lists, Mapping) or _is_by_user(lists) or all(map(_is_empty, lists.values())):
        return lists
    if not all(isinstance(model_lists, Mapping) or is_matrix(model_lists) or column_names(model_lists) for model_lists in lists.values()):
        return lists
    if len(lists) > 1:
        raise ConfigError(
            f"the lists of {len(lists)} models, {', '.join(map(repr, lists))}: an Evaluator evaluates lists of one model",
            "call it once for each: {name: evaluator(one) for name, one in lists.items()}",
        )
    return next(iter(lists.values()))


def _is_empty(value: Any) -> bool:
    """Return whether a value is an empty container; a scalar is not empty."""
    return hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0 and not len(value)


def _name_columns(data: dict[str, Any], columns: Mapping[str, Any]) -> None:
    """Set the columns of single sources and those that all share; raise `ConfigError` for a source that is not given."""
    of_sources = {role: named for role, named in columns.items() if isinstance(named, Mapping) and "column" not in named}
    lost = next((role for role in of_sources if role not in data), None)
    if lost is not None:
        raise ConfigError(f"columns: {lost} is not given", f"name the columns of {', '.join(data)}")
    for role, place, key in _places(data):
        if role in of_sources:
            section = _section(place[key])
            place[key] = {**section, "columns": {**of_sources[role], **section.get("columns", {})}}
    if shared := {column: name for column, name in columns.items() if column not in of_sources}:
        data["columns"] = shared


def _places(data: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield every source of a data section: its role, the container that has it, and its key there."""
    for role, value in data.items():
        if isinstance(value, list):
            yield from ((role, value, index) for index in range(len(value)))
        elif role in ("recommendations", "predictions") and isinstance(value, dict) and not describes_a_source(value):
            for name, given in value.items():
                runs = given.get("runs") if isinstance(given, Mapping) else None
                if isinstance(runs, list) and runs:
                    yield from ((role, runs, index) for index in range(len(runs)))
                else:
                    yield role, value, name
        else:
            yield role, data, role


def _section(source: Any) -> dict[str, Any]:
    return dict(source) if isinstance(source, Mapping) else {"frame": source} if isinstance(source, InMemory) else {"path": source}


def _plain(value: Any) -> Any:
    """Return a value in the types of YAML: lists for ranges and tuples, Python numbers for NumPy numbers."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | range | set | frozenset):
        return [_plain(inner) for inner in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if callable(value):
        return name_of(value)
    if len(getattr(value, "shape", ())) == 1:  # an array, or a column of a frame
        return [_plain(inner) for inner in value]
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", None) else value
