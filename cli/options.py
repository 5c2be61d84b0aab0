"""Arguments that several commands share, and the objects made from them. Long: a declaration for each option."""

from __future__ import annotations

import json
import os
import shlex
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

import click
import receval
from click.shell_completion import CompletionItem
from receval.support import outputs
from receval.support.errors import ConfigError, DataError, in_options
from receval.support.patterns import regex

from .command import Command as Command

_Callback = TypeVar("_Callback", bound=Callable[..., Any])


_LONGEST_METAVAR: Final = 60
"""Longest line of names of forms in a help text."""


class FormatChoice(click.Choice[str]):
    """The name of a form of some subjects: one of `outputs`, or one that an installed package adds."""

    def __init__(self, *subjects: outputs.Subject) -> None:
        self._subjects = subjects
        super().__init__([row.form for row in outputs.rows(*subjects) if not row.binary])

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> str:
        """Return the name, if there is such a form and it can be printed; fail otherwise."""
        row = outputs.output_form(str(value), *self._subjects)
        if row is not None and not row.binary:
            return str(value)
        try:
            return self._complete().convert(value, parameter, context)
        except click.BadParameter as error:
            from .guesses import form_meant

            hint = f"-o FILE.{value}" if row is not None else form_meant(str(value), self._complete().choices)
            raise click.BadParameter(f"{error.message}{hint and f' Use {hint}.'}", context, parameter) from None

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Return every name, in several lines if there are many: click does not break this text."""
        names = (self._complete().get_metavar(param, ctx) or "").replace("|", "| ")
        lines = textwrap.wrap(names, _LONGEST_METAVAR, break_on_hyphens=False)
        return f"\n{' ' * len('  --format [')}".join(line.replace("| ", "|") for line in lines)

    def shell_complete(self, context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with `incomplete`."""
        return self._complete().shell_complete(context, parameter, incomplete)

    def _complete(self) -> click.Choice[str]:
        """Return all forms, including those of packages, whose search is too slow for the declaration of an option."""
        return click.Choice(outputs.forms(*self._subjects))


def format_option(*subjects: outputs.Subject, help: str, default: str | None = None) -> Callable[[_Callback], _Callback]:
    """Return the option `--format`, with the forms of some subjects."""
    return click.option("--format", "form", type=FormatChoice(*subjects), default=default, help=help)


_TABLES: Final = (".csv", ".tsv", ".parquet", ".gz", ".jsonl", ".ndjson")
COMMAND_LINE: Final = "command-line"
"""The name of the input made from options, if no config is given."""
_NO_CONFIG: Final = "Missing argument 'CONFIG': give a config, or the files: --test FILE --recs NAME=FILE -m nDCG@10"
_USUAL_METRICS: Final = ("nDCG", "Recall", "Precision", "MAP", "MRR", "HitRate")
"""The metrics if neither a config nor an option names any."""


_TESTS: Final = ("t", "t-plain", "permutation", "bootstrap", "bootstrap-t", "wilcoxon")


def tests_or_files(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values if each is the name of a test of differences or may be a file; fail otherwise."""
    for value in given:
        if value not in _TESTS and not ({".", "/", "*"} & set(value) or value == "-" or os.path.exists(value)):
            raise click.BadParameter(f"{value!r} is neither a file nor one of {', '.join(_TESTS)}")
    return given


class ConfigReader:
    """Load configs with the changes of a command's options, and print their warnings."""

    def __init__(
        self, overrides: Sequence[str] = (), recommendations: Sequence[str] = (), question: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        self.overrides, self.recommendations, self._options = overrides, recommendations, options
        self.question = question or {}
        self.signatures: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are chosen, by names or patterns; empty for all."""
        return tuple(self.question.get("models", ()))

    @property
    def changes(self) -> bool:
        """True if options change or replace a config."""
        return bool(self.overrides or self.recommendations or self._config_options or self._test_options)

    @property
    def _config_options(self) -> dict[str, Any]:
        """The options that only a config can have, not stored results."""
        return {name: value for name, value in self.question.items() if name not in ("models", "bases")}

    @property
    def _test_options(self) -> dict[str, str]:
        """The options on the rows of the test file."""
        return {name: value for name in ("where", "target") if (value := self._options.get(name)) is not None}

    @property
    def _changes_measures(self) -> bool:
        """True if options replace the metrics or the cut-offs of a config."""
        overrides = ("evaluation.metrics", "evaluation.top_k")
        return not {"metrics", "top_k"}.isdisjoint(self.question) or any(override.startswith(overrides) for override in self.overrides)

    def as_options(self) -> str:
        """Return the options for files and their reading, as text for another command."""
        named = [f"--{name} {shlex.quote(str(value))}" for name, value in self._config_options.items() if name not in ("metrics", "top_k")]
        named += [f"--models {shlex.quote(','.join(self.models))}"] if self.models else []
        of_test = ((f"--{name}", (value,)) for name, value in self._test_options.items())
        others = (("--recs", self.recommendations), ("--set", self.overrides), *of_test)
        return " ".join([*named, *(f"{option} {shlex.quote(value)}" for option, values in others for value in values)])

    def source(self, given: str | None, files: Collection[str] = ("test",), missing: str = _NO_CONFIG) -> str:
        """Return the given config, or `COMMAND_LINE`; raise `UsageError` if there is neither a config nor one of these files."""
        of_lists = bool(self.recommendations) and "metrics" in self.question and "test" in files
        if given is None and self.question.keys().isdisjoint(files) and not of_lists:
            raise click.UsageError(missing)
        return COMMAND_LINE if given is None else given

    def sources(self, given: Sequence[str], sections: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the given inputs, and `COMMAND_LINE` if the test file is given and all inputs are folders.

        Raises `UsageError` if there are only folders and options that change a config, except keys of these sections.
        """
        from receval.actions.targets import is_folder

        are_folders = all(is_folder(text.rpartition("=")[2]) for text in given)
        if are_folders and "test" in self.question:
            return (*given, COMMAND_LINE)
        if not given:
            raise click.UsageError(_NO_CONFIG)
        if are_folders and self._config_options:
            raise click.UsageError("options for files and metrics change a config; they have no effect on stored results")
        without_effect = [
            override for override in self.overrides if are_folders and not override.startswith(tuple(f"{name}." for name in sections))
        ]
        if without_effect:
            keys = f"; only keys of {' and '.join(sections)} have an effect" if sections else ""
            raise click.UsageError(f"--set {without_effect[0]} has no effect on stored results{keys}")
        return tuple(given)

    def own_signatures(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return the signatures that replace the evaluation; raise `UsageError` for options that would change it."""
        given = next((name for name in ("metrics", "top_k", "threshold") if lines and name in self.question), None)
        if given is not None:
            option = {"metrics": "-m", "top_k": "-k", "threshold": "--threshold"}[given]
            raise click.UsageError(
                f"--from-signature and {option} contradict each other: a signature has the measure with all its settings"
            )
        return tuple(lines)

    def take_tests(self, given: Sequence[str]) -> str | None:
        """Take the test file from the values of `--test`, which also names tests of differences; return the last of these."""
        files = [value for value in given if value not in _TESTS]
        self.question = {**self.question, "test": files[-1]} if files else self.question
        return next((value for value in reversed(given) if value in _TESTS), None)

    def with_lists(self, lists: Sequence[str]) -> ConfigReader:
        """Return the same reader with more lists, each as `NAME=FILE`."""
        return ConfigReader(self.overrides, (*self.recommendations, *lists), self.question, **self._options)

    def of_data_set(self, name: str | None) -> ConfigReader:
        """Return the same reader for one of the data sets of a config, or for no choice among them."""
        return ConfigReader((*self.overrides, f"dataset={json.dumps(name)}"), self.recommendations, self.question, **self._options)

    def __call__(
        self,
        path: str | Mapping[str, Any],
        given: Mapping[str, Any] = MappingProxyType({}),
        *,
        quiet: bool = False,
        metrics: Sequence[str] = (),
        judges_gates: bool = True,
        **sections: Any,
    ) -> receval.Loaded:
        """Load a config, with further `given` options and whole `sections`; without a config, `metrics` are the default metrics.

        For a command that does not judge gates, options may leave out a measure that a rule of the config needs.
        """
        from receval.config import load_config
        from receval.support.errors import ConfigError

        from .output import warn

        question = {**self.question, **{name: value for name, value in given.items() if value}}
        more: tuple[str, ...] = ()
        if path == COMMAND_LINE and not self.signatures:
            question = {"metrics": tuple(metrics) or _USUAL_METRICS, **question}
        elif not judges_gates and (self._changes_measures or "metrics" in given):
            more = ("gates.rules=[]",)
        config: str | Mapping[str, Any] = {} if path == COMMAND_LINE else path
        try:
            with _options_in_errors() if path == COMMAND_LINE else nullcontext():
                changes = {"question": question, "signatures": self.signatures, **self._options, **sections}
                loaded = load_config(config, (*self.overrides, *more), self.recommendations, **changes)
        except ConfigError as error:
            raise _with_category_settings(error, question.get("items")) from None
        if not quiet:
            warn(loaded)
        return loaded


_GIVE: Final = regex(r"\b(?<=give )data\.(\w+)(?: or data\.(\w+))?")
"""Inputs to give, in a sentence about a config."""


@contextmanager
def _options_in_errors() -> Iterator[None]:
    """Raise errors of a config that was made from options in terms of these options."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError([_as_options(problem) for problem in error.problems], error.hint and _as_options(error.hint)) from None


@contextmanager
def hint_in_options(words: Mapping[str, str]) -> Iterator[None]:
    """Raise a `DataError` with some words of its hint replaced, for a command that has an option for what the hint names."""
    try:
        yield
    except DataError as error:
        hint = error.hint
        for of_config, of_command in words.items() if hint else ():
            hint = (hint or "").replace(of_config, of_command)
        raise DataError(error.message.split("\n"), hint) from None


def _as_options(text: str) -> str:
    def option(role: str) -> str:
        return f"--{role} FILE" if role in ("train", "items") else f"--set data.{role}=FILE"

    return _GIVE.sub(lambda found: " or ".join(map(option, filter(None, found.groups()))), in_options(text))


def _with_category_settings(error: receval.support.errors.ConfigError, items: Any) -> receval.support.errors.ConfigError:
    """Return the error of a config, with the settings for the categories of the file of `--items`."""
    if not isinstance(items, str):
        return error
    from receval.actions.start import with_category_settings

    return with_category_settings(error, items)


def _load_plugins(context: click.Context, parameter: click.Parameter, files: tuple[str, ...]) -> None:
    """Run the files of `--plugin` before reading anything that may use their additions."""
    if files:
        from receval.support import plugins

        for file in files:
            plugins.load_file(Path(file))


plugin_option = click.option(
    "--plugin",
    multiple=True,
    metavar="FILE",
    expose_value=False,
    is_eager=True,
    callback=_load_plugins,
    help="Run this Python file first; it adds metrics or checks.",
)


def _refuse_data_file(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """Return the argument; raise `ConfigError` for a table instead of a config, `UsageError` for a value of the option before it."""
    for name in given if isinstance(given, tuple) else (given,) if given else ():
        is_path = name.endswith((".yaml", ".yml")) or "/" in name or "=" in name
        if context.params.get("test") and not is_path and (name.endswith(_TABLES) or not os.path.exists(name)):
            raise click.UsageError(f"Unexpected argument {name!r}. Separate values by commas (-k 5,10); give --recs once per model")
        if not name.endswith((".yaml", ".yml", "/")):
            from receval.config import refuse_data_file

            file = name.rpartition("=")[2]
            described = f"describe it with --test {file}, --train or --items; lists with --test FILE --recs {file}"
            refuse_data_file(file, described if context.info_name == "describe" else "")
    return given


def config_or_folder_argument(name: str, metavar: str, **attributes: Any) -> Callable[[_Callback], _Callback]:
    """Add an argument for configs and folders; without it, the config is made from options."""
    return click.argument(name, required=False, metavar=metavar, type=click.Path(), callback=_refuse_data_file, **attributes)


config_argument = config_or_folder_argument("config", "[CONFIG]")


_QUESTION = {
    "test": click.option("--test", metavar="FILE", help="The test file. With --test and --recs no config is needed."),
    "train": click.option("--train", metavar="FILE", help="The train file."),
    "items": click.option("--items", metavar="FILE", help="The file of items."),
    "metrics": click.option("-m", "--metrics", "--metric", "metrics", multiple=True, metavar="M,M", help="The metrics: nDCG@10,Recall."),
    "top_k": click.option("-k", "--top-k", "top_k", metavar="K,K", help="The cut-offs: 5,10."),
    "threshold": click.option("--threshold", type=float, metavar="RATING", help="The lowest rating of a relevant item."),
    "models": click.option(
        "--models",
        "models",
        multiple=True,
        metavar="A,B",
        shell_complete=lambda *given: model_names(*given),
        help="Only these models: names, or patterns such as 'bpr*'. May be repeated.",
    ),
    "convention": click.option(
        "--convention",
        metavar="NAME",
        shell_complete=lambda *given: convention_names(*given),
        help="The library whose definitions are used.",
    ),
}
"""The options that make a config, or change the given one."""
models_option = _QUESTION["models"]
_READING = {
    "overrides": click.option(
        "--set", "overrides", multiple=True, metavar="PATH=VALUE", help="Override a config value: --set evaluation.top_k=[5,10]."
    ),
    "recommendations": click.option(
        "--recs",
        "recommendations",
        multiple=True,
        metavar="NAME=FILE",
        help="Add a model and its lists; without NAME it is named after the file; 'DIR/*' adds a model per file; "
        "NAME=- reads standard input.",
    ),
    "where": click.option(
        "--where",
        metavar="FILTER",
        help="Read only these rows of the test file, instead of those of its filter in the config: "
        "--where \"event == 'purchase' and rating >= 3\".",
    ),
    "target": click.option(
        "--target",
        type=click.Choice(("last", "first", "random", "all")),
        help="Use only the last or the first row of each user in the test file, by time, or a random item of each user; all: every row.",
    ),
    "replace": click.option(
        "--replace", is_flag=True, help="Let --recs replace the file of a model of the config; its other keys, such as columns, stay."
    ),
    "input_format": click.option(
        "--input-format",
        type=click.Choice(("csv", "tsv", "trec", "ragged", "json", "ndjson", "parquet", "ipc")),
        help="The format of standard input, if a path is -. Default: detected.",
    ),
}
"""The options that change a config; a command gets them as a `ConfigReader`, in the argument `read`."""


def reading_options(*names: str, without: Sequence[str] = ()) -> Callable[[_Callback], _Callback]:
    """Add options that change a config (default: all), and those that make one, `without` some of them."""
    of_question = [name for name in _QUESTION if name not in without]

    def decorated(callback: _Callback) -> Any:
        @wraps(callback)
        def command(*arguments: Any, **given: Any) -> Any:
            question = {name: value for name in of_question if (value := given.pop(name, None)) not in (None, ())}
            if bases := tuple(base for name in ("baseline", "baseline_model") if (base := given.get(name))):
                question |= {"bases": bases} if "models" in question else {}
            read = ConfigReader(question=question, **{name: given.pop(name) for name in _READING if name in given})
            return callback(*arguments, read=read, **given)

        wrapped: Callable[..., Any] = command
        for name in reversed(names or tuple(_READING)):
            wrapped = _READING[name](wrapped)
        for name in reversed(of_question):
            wrapped = _QUESTION[name](wrapped)
        return wrapped

    return decorated


inconclusive_option = click.option(
    "--inconclusive",
    type=click.Choice(("warn", "fail")),
    help="What an inconclusive gate does: warn, or fail (exit 1). Default: gates.inconclusive of the config, else warn.",
)
fail_option = click.option(
    "--fail",
    type=click.Choice(("shown_worse", "shown_beyond", "value")),
    help="When a margin fails: a loss is shown and the value is beyond the limit (shown_worse), the true loss is shown to be beyond it "
    "(shown_beyond), or the value is (value). Default: gates.fail of the config, else shown_worse.",
)
store_option = click.option(
    "--store-failures", "store", metavar="DIR", help="Write the affected rows of failed checks into a folder, as Parquet."
)


def _ci_system(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Return the system, or `none`. GitHub is detected by its variable; GitLab must be named, because its job names the files."""
    return value if value != "auto" else "github" if os.environ.get("GITHUB_ACTIONS") == "true" else "none"


ci_option = click.option(
    "--ci",
    "system",
    type=click.Choice(("auto", "github", "github-comment", "gitlab", "none")),
    default="auto",
    callback=_ci_system,
    help="github: a step summary and annotations; github-comment: receval-comment.md for a pull request; "
    "gitlab: gl-code-quality-report.json and receval-junit.xml. auto detects GitHub.",
)


def outputs_option(help: str, metavar: str = "FILE") -> Callable[[_Callback], _Callback]:
    """Return the option `-o`, which may be repeated."""
    return click.option("-o", "--output", "outputs", multiple=True, metavar=metavar, help=f"{help} May be repeated.")


find_slices_option = click.option(
    "--find-slices",
    is_flag=True,
    help="Also find groups of users for whom a model is worse, or better, than for all others, in the first tested measure.",
)


def by_option(does: str) -> Callable[[_Callback], _Callback]:
    """Return the option `--by`, an entry of `evaluation.by`, which may be repeated."""
    of_users = "users.plan, cold, train_count:4 (of equal size), train_count:5,20 (borders), train_count:3+ (one border)"
    of_rows = "rows.event (a column), rows.repeat, rows.new_item, rows.rating, rows.popularity:5 or rows.timestamp:7d"
    groups = f"{of_users}; of test rows {of_rows}"
    return click.option("--by", multiple=True, metavar="GROUPS", help=f"{does}: {groups}. May be repeated.")


def metric_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """Return the metrics that begin with `begun`, ignoring case."""
    from receval.actions.catalogue import METRICS

    return [name for name in METRICS if name.lower().startswith(begun.lower())]


def convention_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """Return the conventions that begin with `begun`."""
    from receval.actions.catalogue import packaged_names

    return [name for name in packaged_names() if name.startswith(begun)]


def models_of_configs(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the models of the config among the words before, or in the folder, that begin with `begun`, and files."""
    from receval.actions.diff import config_among

    names = _models_of(config_among(context.params.get("inputs") or ()), begun)
    return [*map(CompletionItem, names), CompletionItem(begun, type="file")]


def model_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """Return the models that begin with `begun`, of the config on the command line; empty if it cannot be read."""
    return _models_of(context.params.get("config"), begun)


def _models_of(config: str | None, begun: str) -> list[str]:
    with suppress(Exception):  # problems of the config are reported when the command runs, not during completion
        from receval.config import load_config

        models = (load_config(config).config.data.named_models or ()) if config else ()
        return [name for name in map(str, models) if name.startswith(begun)]
    return []
