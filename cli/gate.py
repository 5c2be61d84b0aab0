"""`receval gate`, and `receval baseline` for the baseline of gates."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import click
from receval.support.outputs import output_form

from . import options
from .options import hint_in_options
from .output import ci_files, publish, say, say_verdicts, say_without_charts, show, tell, tell_cautions

_USUAL: Final = (
    "--baseline", "--models", "--if-missing", "--rule", "--inconclusive", "--strict", "--plan", "--test", "--recs", "--ci", "--format",
    "-o",
)  # fmt: skip
"""The options that `receval gate --help` shows."""


@click.command(cls=options.Command, usual=_USUAL)
@options.config_or_folder_argument("source", "[DIR|CONFIG]")
@click.option("--baseline", metavar="[LABEL=]DIR|MODEL", help="The result folder or model to compare with, instead of gates.baseline.")
@click.option(
    "--baseline-model", metavar="NAME", help="The model in the baseline folder to compare with. Default: the model of the same name."
)
@click.option(
    "--models",
    "--model",
    "models",
    multiple=True,
    metavar="A,B",
    help="Judge only these models, instead of those of gates.models: names, or patterns such as 'bpr*'. May be repeated.",
)
@click.option("--anchor", metavar="[LABEL=]DIR", help="A second, older baseline: margins must also hold against it.")
@click.option(
    "--if-missing",
    type=click.Choice(("warn", "error", "pass")),
    help="What to do if the baseline or anchor is missing: error (exit 3), warn, or pass (skip its rules).",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help="A rule, instead of those of the config: 'Recall@20 >= 0.25', 'nDCG@10 max_loss 2%', or in each group of users "
    "'nDCG@10 max_loss 5% by users.plan'. May be repeated.",
)
@options.fail_option
@options.inconclusive_option
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 also for gates that are inconclusive or warn, or if none could be judged; not for warnings of the health checks.",
)
@click.option(
    "--plan",
    "plans",
    is_flag=True,
    help="Judge nothing: say how often each rule will pass, be inconclusive and fail, by the true loss of a candidate, and how many users "
    "it needs.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="The seed of --plan: another one draws other evaluations. Default: 0.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if a gate failed; for jobs that only report.")
@options.reading_options("overrides", "recommendations", "where", "target", "replace", without=("models",))
@options.ci_option
@options.format_option("gates", "report", default="table", help="The output format. Default: a table.")
@options.outputs_option("Also write the verdicts: .json or .md, or a report: .html, .xml (JUnit), .svg (a badge).")
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print only errors, failures, inconclusive gates (a line each), and the output of --format json or md.",
)
@click.pass_context
def gate(
    context: click.Context,
    /,
    source: str | None,
    read: options.ConfigReader,
    strict: bool,
    plans: bool,
    seed: int,
    exit_zero: bool,
    system: str,
    form: str,
    outputs: tuple[str, ...],
    quiet: bool,
    **arguments: Any,
) -> None:
    """Check models against release rules; the exit code tells if they pass.

    Give a folder that 'receval run -o DIR/' wrote, which is judged without its data, or a config, which is evaluated. Exits with 1 if
    a gate failed, or a health check of level error.
    """
    from receval.actions.judge import gate_options, measures_of_rules
    from receval.actions.judge_source import judge_source

    named = read.source(source)
    _refuse_contradictions(named, read, arguments, context)
    row = output_form(form, "gates", "report")
    models = arguments.pop("models")
    options = gate_options(**arguments)
    in_hints = {", or the models to judge by gates.models": "; --models NAME judges only these"}
    in_hints |= {} if arguments["baseline"] is None else {"gates.baseline.model": "--baseline-model NAME"}
    of_gates = options | ({"models": []} if models else {})
    read_config = partial(read, quiet=quiet, gates=of_gates, given={"models": models}, metrics=measures_of_rules(arguments["rules"]))
    with hint_in_options(in_hints):
        if plans:
            _plan(named, options, form, outputs, models=models, read=read_config, quiet=quiet, seed=seed)
            context.exit(0)
        judged = judge_source(
            named,
            options,
            models=models,
            read=read_config,
            outputs=outputs,
            more_files=ci_files(system),
            reports=system != "none" or (row is not None and row.of == "report"),
            strict=strict,
        )
    tell([finding for finding in judged.result.findings if finding.severity == "error"])
    tell_cautions(judged.result, quiet=quiet)
    if form != "table" or not quiet:
        show(row, judged.report if row is not None and row.of == "report" else judged.result.gates, strict=strict, summary=False)
    say_without_charts(outputs, row, quiet=quiet)
    publish(judged.report if system != "none" else None, system)
    say_verdicts(judged, quiet=quiet)
    context.exit(0 if exit_zero else judged.exit_code)


def _plan(source: str, options: dict[str, Any], form: str, outputs: tuple[str, ...], *, quiet: bool, **arguments: Any) -> None:
    """Show how often each rule will pass, instead of judging it."""
    from receval.actions.gate_plan import plan_source

    plan, row = plan_source(source, options, outputs=outputs, **arguments), output_form(form, "plan")
    if form != "table" or not quiet:
        show(row, plan)
    say_without_charts(outputs, row, quiet=quiet)


def _is_given(context: click.Context, key: str) -> bool:
    return context.get_parameter_source(key) == click.core.ParameterSource.COMMANDLINE


def _refuse_verdicts(context: click.Context) -> None:
    """Raise `UsageError` for options on verdicts, which a plan does not have."""
    given = {"--strict": "strict", "--exit-zero": "exit_zero", "--anchor": "anchor", "--ci": "system"}
    used = [name for name, key in given.items() if _is_given(context, key)]
    if used:
        raise click.UsageError(f"{used[0]} has no effect with --plan, which judges nothing and ends with 0")
    if output_form(context.params["form"], "plan") is None:
        raise click.UsageError(f"--plan has no --format {context.params['form']}; use table, json, md or html")


def _refuse_contradictions(source: str, read: options.ConfigReader, arguments: dict[str, Any], context: click.Context) -> None:
    """Raise `UsageError` for options that do not go together."""
    if context.params["plans"]:
        _refuse_verdicts(context)
    elif _is_given(context, "seed"):
        raise click.UsageError("--seed needs --plan")
    if arguments["baseline"] is None and arguments["baseline_model"] is not None:
        raise click.UsageError("--baseline-model needs --baseline")
    if arguments["baseline"] is None and arguments["anchor"] is None and arguments["if_missing"] is not None:
        raise click.UsageError("--if-missing needs --baseline")
    from receval.actions.targets import is_folder

    if is_folder(source) and read.changes:
        raise click.UsageError(
            "--set, --recs, --where and --target change a config, as -m, -k and --test do; they have no effect on stored results"
        )


class _BaselineCommands(click.Group):
    def resolve_command(self, context: click.Context, arguments: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if arguments[0] not in self.commands and not arguments[0].startswith("-"):
            context.fail(
                f"No such command {arguments[0]!r}. Use receval baseline set DIR --to BASELINE, or receval baseline show BASELINE."
            )
        return super().resolve_command(context, arguments)


@click.group(cls=_BaselineCommands)
def baseline() -> None:
    """Store results as the baseline of later comparisons and gates."""


@baseline.command("set", cls=options.Command, short_help="Make a folder of results the baseline.")
@click.argument("folder", metavar="DIR")
@click.option(
    "--to",
    "target",
    metavar="DIR",
    help="The folder of the baseline. Default: gates.baseline of the config of the results, else results/main.",
)
@options.models_option
@click.option("--looks", is_flag=True, help="Count in looks.json of the baseline which runs gate and compare compare with it.")
@click.option("--force", is_flag=True, help="Also accept results that would be refused.")
@click.pass_context
def set_baseline(context: click.Context, folder: str, target: str | None, models: tuple[str, ...], looks: bool, force: bool) -> None:
    """Make a folder of results the baseline.

    DIR is a folder that 'receval run -o DIR/' wrote; it is copied, with --models only the results of these.

    The files replace those of the earlier baseline in one step. Exits with 1, and changes nothing, if gates or error-level checks of the
    results failed, if their config has gates that were never judged, or if they have no model of the earlier baseline (unless
    gates.baseline names another model).
    """
    from receval.actions.judge import set_baseline

    made = set_baseline(folder, target, models=models, force=force, looks=looks)
    if made.reasons:
        say(f"Baseline not updated: {' and '.join(made.reasons)}. Use --force to override")
        context.exit(1)
    say(f"{folder} is now the baseline {made.target}{made.chosen and f'; {made.chosen}'.rstrip('.')}")


@baseline.command("show", cls=options.Command, short_help="Show the models and values of a baseline.")
@click.argument("folder", metavar="DIR", default="results/main")
@options.models_option
@options.format_option("baseline", default="table", help="Text, JSON or Markdown.")
def show_baseline(folder: str, models: tuple[str, ...], form: str) -> None:
    """Show the models and values of a baseline.

    Also shows its test data, and whether its gates and checks passed.
    """
    from receval.actions.judge import load, with_bases

    show(output_form(form, "baseline"), with_bases(folder, load(folder), models), name=folder)
