"""Judge a folder of results, or evaluate a config and judge it, and write the verdicts: `receval gate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..config import Loaded, gates_of
from ..config.judgement import Gates
from ..render.forms import rendered
from ..results.result import Result
from ..storage.overwriting import InputPath, destination
from ..storage.own_inputs import baselines_of, inputs_of, inputs_of_folders
from ..storage.places import NO_OPTIONS, is_folder
from ..storage.result_folder import load
from ..storage.stage import Stage
from ..support.errors import ConfigError
from ..support.outputs import OutputForm
from .judge import bases_of, features_of_rules, judge_of_config, with_bases, with_gates
from .looks import counted
from .outcome import JudgedResult
from .targets import PathLike, targets_of

Judge = Callable[[], Result]
"""Returns the result with its judged gates."""


def judge_source(
    source: str,
    options: Mapping[str, Any],
    *,
    read: Callable[[str], Loaded],
    models: Sequence[str] = (),
    outputs: Sequence[PathLike] = (),
    more_files: Mapping[Path, OutputForm] | None = None,
    reports: bool = False,
    strict: bool = False,
) -> JudgedResult[Result]:
    """Judge the results of a folder, by the gates of its config changed by `options`, or evaluate a config and judge it.

    With `models` only these of a folder are judged; `read` must know those of a config.

    Writes the verdicts and reports of `outputs`; with `reports`, a report is made even without a file. Paths in a stored result are
    relative to the working folder.
    """
    targets = targets_of(outputs, "gates", "report", more=more_files)
    loaded = None if is_folder(source) else read(source)
    judge, inputs = _folder_judge(source, options, models, strict) if loaded is None else _config_judge(loaded, strict)
    with Stage(targets.written(of=loaded), inputs) as stage:
        result = judge()
        content = None
        if reports or targets.files_for("report"):
            from .compare import GatheredResults, storage_of  # only here: most runs with gates make no report
            from .report import report_of_gathered

            content = report_of_gathered(GatheredResults({Path(source).stem: result}, storage=storage_of(loaded)), {}, source=source)
        made = {path: rendered(row, content if row.of == "report" else result.gates, strict=strict) for path, row in targets.files.items()}
        stage.commit({destination(path): content for path, content in made.items()})
    looking = [gate for gate in result.gates if gate.base is not None]  # a limit of a value compares nothing with the baseline
    shown = [gate.p_fail_adjusted if gate.outcome == "fail" else gate.p_adjusted for gate in looking if gate.outcome in ("pass", "fail")]
    p_values, alpha = [p for p in shown if p is not None], 1 - result.gates[0].level if result.gates else 0.05
    place = (Path(), NO_OPTIONS) if loaded is None else (loaded.folder, loaded.config.output.storage)
    section = gates_of(result.config, options)[0] if loaded is None else loaded.config.gates
    looks = counted(section.bases, [result], p_values, alpha, *place, one_sided=True) if looking else ()
    return JudgedResult(result, content, strict, looks)


def refuse_no_rules(gates: Gates, loaded: Loaded | None = None) -> None:
    """Raise `ConfigError` if there are no rules, in a config or in the results of a folder."""
    if gates.rules:
        return
    if loaded is None:
        raise ConfigError("there are no rules to judge", "give one with --rule 'nDCG@10 max_loss 2%', or evaluate with gates in the config")
    hint = "write some under gates.rules, or give --rule 'nDCG@10 max_loss 2%'"
    raise ConfigError(f"{loaded.name}{': ' if loaded.name else ''}there are no rules to judge", hint)


def _folder_judge(folder: str, options: Mapping[str, Any], models: Sequence[str], strict: bool) -> tuple[Judge, list[InputPath]]:
    """Return a function that judges the results of a folder, and what it reads."""
    result = with_bases(folder, load(folder), models, options)
    gates, compare = gates_of(result.config, options)
    refuse_no_rules(gates)
    inputs = [*inputs_of_folders([folder]), *inputs_of_folders(gates.bases, role="the baseline")]
    return lambda: with_gates(result, gates, compare, bases_of(gates, Path(), result.models), strict=strict), inputs


def _config_judge(loaded: Loaded, strict: bool) -> tuple[Judge, list[InputPath]]:
    """Return a function that evaluates a config and judges it, and what it reads."""
    refuse_no_rules(loaded.config.gates, loaded)

    from ..evaluation.running import run  # only here: most gates judge a folder

    def judge() -> Result:
        judged = judge_of_config(loaded, strict=strict)  # baselines are found before the run
        return judged(run(loaded, concludes=False, features=features_of_rules(loaded)))

    return judge, [*inputs_of(loaded), *baselines_of(loaded)]
