"""Compare models over several data sets, the results of folders and of a config that is evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..comparison.across import AcrossOptions, compare_across, refuse_unused
from ..comparison.comparison_options import ComparisonOptions
from ..config.judgement import Compare
from ..render.forms import rendered
from ..results.across import AcrossComparison
from ..storage.overwriting import destination
from ..storage.stage import Stage
from ..support.outputs import in_folder
from .compare import Read, Tell, gather, open_inputs, with_arguments
from .targets import PathLike, targets_of

_USED = ("baseline", "measures", "correction", "alpha", "users", "cluster", "all_pairs", "models", "ranks", "complete")


def compare_inputs_across(
    inputs: Sequence[str],
    arguments: Mapping[str, Any],
    *,
    read: Read,
    tell: Tell,
    outputs: Sequence[PathLike] = (),
) -> AcrossComparison:
    """Compare the models of folders and of a config, each of which is a data set, and write the comparison.

    `arguments` are by the names of `ComparisonOptions` and `AcrossOptions`. The section `compare` of stored configs is not used, beside the
    baseline. Raises `ArgumentError` for those that have no effect.
    """
    refuse_unused({name: value for name, value in arguments.items() if name not in _USED})
    targets = targets_of(outputs, "across", folders=True)
    opened = open_inputs(inputs, read, {**arguments, "baseline": None})
    with Stage(targets.written(in_folder("across").__contains__, of=opened.config), opened.read()) as stage:
        gathered = gather(opened, tell)
        options = with_arguments(ComparisonOptions.from_config(Compare()), arguments)
        comparison = compare_across(
            gathered.results, AcrossOptions(options, ranks=bool(arguments.get("ranks")), complete=arguments.get("complete"))
        )
        rows = {destination(path): row for path, row in targets.files.items()}
        rows |= {folder / name: row for folder in targets.folders for name, row in in_folder("across").items()}
        stage.commit({path: rendered(row, comparison) for path, row in rows.items()})
    return comparison
