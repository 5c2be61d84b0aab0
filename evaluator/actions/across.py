"""Compare models over several data sets, the results of folders and of a config that is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..comparison.across import AcrossOptions, compare_across, refuse_unused
from ..comparison.comparison_options import ComparisonOptions
from ..config import Loaded
from ..config.data_sets import SeveralDataSetsError
from ..config.judgement import Compare
from ..render.forms import is_spreadsheet_safe
from ..results.across import AcrossComparison
from ..results.result import Result
from ..storage.stage import Stage
from ..support.errors import ConfigError
from ..support.outputs import in_folder
from .compare import OpenedInputs, Tell, gather, open_inputs, path_of, with_arguments
from .targets import PathLike, targets_of

_USED = ("baseline", "measures", "correction", "alpha", "users", "cluster", "all_pairs", "models", "ranks", "complete")


ReadOne = Callable[..., Loaded]
"""Reads a config with the changes of a command's options, and the data set to choose, if any."""


class ComparedAcross(Struct, frozen=True, eq=False):
    """A comparison over data sets with their results."""

    comparison: AcrossComparison
    results: Mapping[str, Result]

    @property
    def form_arguments(self) -> dict[str, Any]:
        """The arguments of the forms of a comparison."""
        return {"compared": self, "spreadsheet_safe": any(map(is_spreadsheet_safe, self.results.values()))}


def compare_inputs_across(
    inputs: Sequence[str],
    arguments: Mapping[str, Any],
    *,
    read: ReadOne,
    tell: Tell,
    outputs: Sequence[PathLike] = (),
) -> ComparedAcross:
    """Compare the models of folders and of a config, each of which is a data set, and write the comparison.

    A config with `datasets` is all of them. `arguments` are by the names of `ComparisonOptions` and `AcrossOptions`; of the section
    `compare` of configs only the baseline counts. Raises `ArgumentError` for arguments that have no effect.
    """
    refuse_unused({name: value for name, value in arguments.items() if name not in _USED})
    targets = targets_of(outputs, "across", folders=True)
    opened = _opened(inputs, arguments, read)
    with Stage(targets.written(in_folder("across").__contains__, of=opened.config), opened.read()) as stage:
        results = gather(opened, tell).results
        options = with_arguments(ComparisonOptions.from_config(Compare.model_construct()), arguments)
        comparison = compare_across(results, AcrossOptions(options, ranks=bool(arguments.get("ranks")), complete=arguments.get("complete")))
        compared = ComparedAcross(comparison, results)
        stage.commit(targets.rendered(comparison, in_folder("across"), **compared.form_arguments))
    return compared


def _opened(inputs: Sequence[str], arguments: Mapping[str, Any], read: ReadOne) -> OpenedInputs:
    """Open folders and configs; raise `ConfigError` for a config with several data sets beside other inputs."""
    try:
        return open_inputs(inputs, read, {**arguments, "baseline": None})
    except SeveralDataSetsError as error:
        if len(inputs) > 1:
            raise ConfigError(f"{error.message}; give it alone", error.hint) from None
        configs = {name: read(path_of(inputs[0]), name) for name in error.names}
        return OpenedInputs(tuple(configs), {}, {}, configs, None, None)
