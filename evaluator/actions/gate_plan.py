"""Plan the gates of a folder of results or of a config: `receval gate --plan`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..comparison.bases import base_of, own_models
from ..config import Loaded, gates_of
from ..config.judgement import Compare, Gates
from ..documents.gate_plan import assumptions
from ..evaluation.running import run
from ..gates.demands import Baseline, Bases, Demands
from ..gates.planning import plan_gates
from ..results.gate_plan import GatePlan
from ..results.result import Result
from ..results.row import listed
from ..storage.own_inputs import baselines_of, inputs_of, inputs_of_folders
from ..storage.places import NO_OPTIONS, Storage, is_folder
from ..storage.result_folder import load
from ..storage.stage import Stage
from ..support.errors import ConfigError, worded
from .judge import bases_of, with_bases
from .judge_source import refuse_no_rules
from .targets import PathLike, targets_of


def plan_source(
    source: str,
    options: Mapping[str, Any],
    *,
    read: Callable[[str], Loaded],
    models: Sequence[str] = (),
    outputs: Sequence[PathLike] = (),
    seed: int = 0,
) -> GatePlan:
    """Plan the gates of a folder, or evaluate a config and plan its gates, and write the plan; arguments are those of `judge_source`."""
    targets = targets_of(outputs, "plan", noun="plan")
    loaded = None if is_folder(source) else read(source)
    if loaded is None:
        result = with_bases(source, load(source), models, options)
        gates, compare = gates_of(result.config, options)
        inputs = [*inputs_of_folders([source]), *inputs_of_folders(gates.bases, role="the baseline")]
    else:
        gates, compare = loaded.config.gates, loaded.config.compare
        inputs = [*inputs_of(loaded), *baselines_of(loaded)]
    refuse_no_rules(gates, loaded)
    with Stage(targets.written(of=loaded), inputs) as stage:
        is_given = "baseline" in options
        if loaded is None:
            plan = plan_of(result, gates, compare, is_given=is_given, seed=seed)
        else:
            result = run(loaded, concludes=False)
            plan = plan_of(result, gates, compare, loaded.folder, loaded.config.output.storage, is_given=is_given, seed=seed)
        stage.commit(targets.rendered(plan))
    return plan


def plan_of(
    result: Result,
    gates: Gates,
    compare: Compare,
    folder: Path = Path(),
    storage: Storage = NO_OPTIONS,
    *,
    bases: Bases | None = None,
    is_given: bool = False,
    seed: int = 0,
) -> GatePlan:
    """Plan the gates of a result.

    A baseline that only the config names need not be there yet: then two models of the result stand for it and for the candidate. Raises
    `ConfigError` if there is nothing to compare with.
    """
    if bases is None:
        bases = bases_of(gates if is_given else may_be_missing(gates), folder, result.models, storage)
    chosen, base = "", bases.baseline
    needs = any(rule.compares and rule.against is None for rule in gates.rules)
    is_itself = base is not None and base.result is not None and base.result.run_id == result.run_id
    if needs and (base is None or base.missing or (is_itself and not is_given)):
        bases, chosen = _within(result, bases)
    plan = plan_gates(result, Demands.from_config(gates, compare, bases), seed=seed)
    n = len({rule.model for rule in plan.planned})
    alone = [f"This gate judges {n} models and corrects failures for all of them; each is planned as if it were judged alone."]
    strict = ["This gate also fails what is inconclusive (gates.inconclusive: fail)."] if gates.inconclusive == "fail" else []
    anchored = ["Anchors are left out: rules are planned against the baseline alone."] if bases.anchors else []
    plan = replace(plan, chosen=chosen, notes=(*(alone if n > 1 and not chosen else ()), *strict, *anchored))
    return replace(plan, notes=tuple(assumptions(plan)))


def may_be_missing(gates: Gates) -> Gates:
    """Return gates whose baseline need not be there."""
    given = gates.baseline
    return gates if given is None else gates.model_copy(update={"baseline": given.model_copy(update={"if_missing": "pass"})})


def _within(result: Result, bases: Bases) -> tuple[Bases, str]:
    """Return bases with a model of the result as baseline, and a sentence on that."""
    own = own_models(result)
    if len(own) < 2:
        raise ConfigError(
            f"a plan needs two models, and the results have one, {listed(own)}: how users change from one to the other decides how often "
            "a gate passes",
            f"give an older result with {worded('--baseline DIR', argument='baseline')}, or evaluate two models, such as two settings or "
            "two trainings of one",
        )
    named = base_of({"": result}).name
    name = named if named in own else own[0]
    others = [model for model in own if model != name]
    used = f"{name} is used as the baseline, and {listed(others)} as {'the candidate' if len(others) == 1 else 'candidates'}"
    return Bases(Baseline(name), bases.anchors), f"There is no baseline of another run: {used}."
