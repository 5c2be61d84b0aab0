"""Search the users of results, or of a config that is evaluated, for slices in which a model is worse, or better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ..comparison.comparison_options import ComparisonOptions
from ..comparison.slicing import SliceOptions, find_slices
from ..config.judgement import Compare
from ..evaluation.features import features_of
from ..results.slices import Slices
from ..storage.stage import Stage
from .compare import GatheredResults, Read, Tell, gather, groups_named, open_inputs, with_arguments, with_baseline_folder
from .targets import PathLike, targets_of


def slices_of(gathered: GatheredResults, options: SliceOptions) -> Slices:
    """Search gathered results, and those of the folder that the baseline names; see `slicing.find_slices` for its errors."""
    results, comparison = with_baseline_folder(gathered, options.comparison)
    return find_slices(results, replace(options, comparison=comparison))


def slices_of_inputs(
    inputs: Sequence[str],
    arguments: Mapping[str, Any],
    *,
    read: Read,
    tell: Tell,
    by: Iterable[str] = (),
    depth: int = 2,
    outputs: Sequence[PathLike] = (),
) -> Slices:
    """Search the results of folders and of a config, and write what was found; `arguments` are by the names of `ComparisonOptions`.

    A config is evaluated with the groups of `by`, or all that its files have; folders have the groups that were stored with them.
    """
    targets, by = targets_of(outputs, "slices"), tuple(by)
    opened = open_inputs(inputs, read, arguments)
    with Stage(targets.written(of=opened.config), opened.read()) as stage:
        gathered = gather(opened, tell, features=lambda loaded: features_of(loaded, by))
        stored = gathered.config.config.compare if gathered.config is not None else Compare.model_construct()
        options = with_arguments(ComparisonOptions.from_config(stored), arguments)
        if not arguments.get("measures"):
            options = replace(options, measures=options.measures[:1])
        slices = slices_of(gathered, SliceOptions(options, groups_named(gathered.results, by), depth))
        stage.commit(targets.rendered(slices))
    return slices
