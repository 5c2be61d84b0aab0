"""Judge a folder of results, or evaluate a config and judge it, and write the verdicts: `receval gate`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..config import Loaded, gates_of
from ..disk.result_folder import load
from ..disk.stage import Stage, destination
from ..errors import ConfigError
from ..evaluation.running import run
from ..outputs import OutputForm
from ..render.forms import rendered
from ..results.result import Result
from .judge import bases_of, features_of_rules, judge_of_config, with_gates
from .outcome import JudgedResult
from .targets import PathLike, targets_of


def judge_source(
    source: str,
    options: Mapping[str, Any],
    *,
    read: Callable[[str], Loaded],
    outputs: Sequence[PathLike] = (),
    more_files: Mapping[Path, OutputForm] | None = None,
    reports: bool = False,
    strict: bool = False,
) -> JudgedResult[Result]:
    """Judge the results of a folder, by the gates of its config changed by `options`, or evaluate a config and judge it.

    Writes the verdicts and reports of `outputs`; with `reports`, a report is made even without a file. Paths in a stored result are
    relative to the working folder.
    """
    targets = targets_of(outputs, "gates", "report", more=more_files)
    with Stage(targets.places) as stage:
        folder = Path(source).expanduser()
        if os.path.isdir(folder):
            result = load(folder)
            gates, compare = gates_of(result.config, options)
            if not gates.rules:
                hint = "give one with --rule 'nDCG@10 max_loss 2%', or evaluate with gates in the config"
                raise ConfigError("there are no rules to judge", hint)
            result = with_gates(result, gates, compare, bases_of(gates, Path(), result.models), strict=strict)
        else:
            loaded = read(source)
            if not loaded.config.gates.rules:
                hint = "write some under gates.rules, or give --rule 'nDCG@10 max_loss 2%'"
                raise ConfigError(f"{loaded.name}{': ' if loaded.name else ''}there are no rules to judge", hint)
            result = judge_of_config(loaded, strict=strict)(
                run(loaded, concludes=False, features=features_of_rules(loaded))
            )  # baselines are found before the run
        content = None
        if reports or targets.of("report"):
            from .compare import GatheredResults  # only here: most runs with gates make no report
            from .report import report_of_gathered

            content = report_of_gathered(GatheredResults({Path(source).stem: result}), {}, source=source)
        made = {path: rendered(row, content if row.of == "report" else result.gates, strict=strict) for path, row in targets.files.items()}
        stage.commit({destination(path): content for path, content in made.items()})
    return JudgedResult(result, content, strict)
