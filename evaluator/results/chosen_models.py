"""A result with some of its models, as if only these had been evaluated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import polars as pl
from msgspec.structs import replace

from ..support.errors import ConfigError
from ..syntax.model_patterns import chosen_models
from .description import Description
from .notes import chosen_text
from .result import Result, StoredUsers

Kind = TypeVar("Kind", bound=Result)


def with_chosen_models(results: Mapping[str, Kind], patterns: Sequence[str], also: Collection[str] = ()) -> dict[str, Kind]:
    """Return results by label, with the models that are named or fit a pattern in any of them, those of `also`, and all reference lists.

    Raises `ConfigError` for a text that fits no model, and for a result of which nothing is left.
    """
    own = {label: [model for model in result.models if model not in result.yardsticks] for label, result in results.items()}
    every = tuple(dict.fromkeys(model for models in own.values() for model in models))
    try:
        chosen = {*chosen_models(patterns, every, also)}
    except ValueError as error:
        raise ConfigError(f"--models: {error}") from None
    for label, models in own.items():
        if chosen.isdisjoint(models):
            raise ConfigError(f"--models: {label} has none of these models", f"it has {', '.join(models)}")
    return {label: _with_models(result, own[label], chosen) for label, result in results.items()}


def _with_models(result: Kind, own: Collection[str], chosen: Collection[str]) -> Kind:
    kept = {model for model in own if model in chosen}
    if len(kept) == len(own):
        return result
    shown = kept | {*result.yardsticks}

    def shown_values(values: Mapping[str, Any]) -> dict[str, Any]:
        return {model: value for model, value in values.items() if model in shown}

    def rows(given: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(row for row in given if row.model in shown)

    named = [model for model in own if model in kept]
    left_out = {f"data.{role}.{model}" for role in ("recommendations", "predictions") for model in own if model not in kept}
    others = {name: value for name, value in result.config.get("gates", {}).items() if name != "models"}
    sections: dict[str, Any] = {"gates": others} if others else {}
    if names := (report := result.config.get("report") or {}).get("names"):
        sections["report"] = {**report, "names": {name: text for name, text in names.items() if name in shown or name not in own}}
    return replace(
        result,
        rows=rows(result.rows),
        by_group=rows(result.by_group),
        repeated=rows(result.repeated),
        gates=rows(result.gates),
        inputs=tuple(source for source in result.inputs if source.role.partition(".runs[")[0] not in left_out),
        counts=shown_values(result.counts),
        per_user=_users_of(result.per_user, shown),
        candidates=shown_values(result.candidates),
        catalogue_bounds=shown_values(result.catalogue_bounds),
        list_hashes=shown_values(result.list_hashes),
        enriched={name: path for name, path in result.enriched.items() if name in shown or name.rpartition(" (")[0] in shown},  # of runs
        findings=tuple(finding for finding in result.findings if not finding.model or finding.model in shown),
        conclusions=(),
        description=None if result.description is None else _without_sources(result.description, left_out),
        remarks=(chosen_text(named, len(own)), *(remark for remark in result.remarks if _source_of(remark) not in left_out)),
        config={**result.config, **sections},
    )


def _without_sources(description: Description, left_out: Collection[str]) -> Description:
    tables = tuple(table for table in description.tables if table.role.partition(".runs[")[0] not in left_out)
    names = {table.name for table in tables}
    overlaps = tuple(overlap for overlap in description.overlaps if names.issuperset((overlap.one, overlap.other)))
    return replace(description, tables=tables, overlaps=overlaps)


def _source_of(remark: str) -> str:
    """Return the source that a remark is about, without its number of a run, such as `data.recommendations.als`; else its first words."""
    return remark.partition(": ")[0].partition(".runs[")[0]


def _users_of(users: Mapping[str, pl.DataFrame], models: Collection[str]) -> Mapping[str, pl.DataFrame]:
    """Return the per-user values of some models; those in a file stay there."""
    if isinstance(users, StoredUsers):
        return StoredUsers({model: columns for model, columns in users.columns.items() if model in models}, users.read)
    return {model: frame for model, frame in users.items() if model in models}
