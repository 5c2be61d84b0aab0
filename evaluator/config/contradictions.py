"""Find problems between valid parts of a config: missing inputs, contradictions, settings without effect. Long: a function for each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import inf
from typing import Final

from msgspec import Struct

from ..metrics import Definition
from ..metrics.definition import WITH_LISTS
from ..metrics.intents import TEST_CATEGORIES
from ..results.spellings import close_label, labels_named, without_aggregate
from ..scoring.task import BOUNDED, MOST_BOUNDED, is_bounded, needs_scores, sums_hits
from ..support.errors import worded
from ..support.synonyms import did_you_mean
from ..syntax import yaml_text as text
from ..syntax.short_names import REFERENCE_NAMES, is_spread
from ..tables.graph import closure, varies_with
from ..tables.prepared import GroupBy
from .data import Data, problems_of_models, problems_of_reading
from .evaluation_keys import WeightsConfig
from .judgement import GateRule
from .missing_inputs import missing, missing_for_groups
from .whole_config import Config, Evaluation


class MeasureFacts(Struct, frozen=True):
    """Facts of a measure that rules need: its better direction, whether it has per-user values, and its bounds."""

    higher_is_better: bool | None
    has_users: bool
    least: float = -inf
    largest: float = inf


def rule_problem(rule: GateRule, label: str, facts: MeasureFacts) -> str | None:
    """Return the reason why a rule cannot judge a measure; `None` if it can."""
    if rule.compares and facts.higher_is_better is None:
        return f"{label} has no better direction, so loss and gain are not defined: use min or max"
    if rule.slices is not None and not facts.has_users:
        return f"{label} has no per-user values, so no slices can be compared"
    if rule.by and not facts.has_users:
        return f"{label} has no per-user values, so it has no value for a group"
    if rule.compares and not rule.margin.is_share and rule.margin.size >= facts.largest - facts.least:
        hint = f"; {rule.margin.size:g}% is a share of the baseline's value"
        return f"{label} is between {facts.least:g} and {facts.largest:g}: no {rule.kind} of {rule.margin} is possible{hint}"
    if (
        (rule.max_loss or rule.slices) is not None
        and rule.margin.is_share
        and rule.margin.size >= 1
        and facts.higher_is_better
        and facts.least >= 0
    ):
        return f"{rule.kind} of {rule.margin} can never fail: {label} is never below 0, so no loss can exceed 100% of the baseline's value"
    return None


def gate_problems(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Yield every problem of the section `gates`, with its path."""
    gates, evaluation = config.gates, config.evaluation
    if not gates.rules:
        return
    facts = facts_of(evaluation)
    yield from ((("gates", "models", index), sentence) for index, sentence in _unknown(gates.models, config))
    for number, rule in enumerate(gates.rules):
        place: text.Path = ("gates", "rules", number)
        if not rule.measure:
            judged = [measure for measure in facts.values() if measure.has_users and measure.higher_is_better is not None]
            if not judged and not any(definition.has_subvalues for definition in evaluation.definitions):
                yield place, "slices need a measure with per-user values and a better direction: add one to evaluation.metrics"
            if rule.against is None and gates.baseline is None:
                yield place, f"{rule.kind} compares with a baseline: give gates.baseline, or against, a model of the config"
            continue
        labels = labels_named(rule.measure, tuple(facts)) or _label_of(rule.measure, evaluation, facts)
        if not labels and not _may_be_named_by_data(rule.measure, evaluation):
            what, hint = _lacking_mean(rule.measure, evaluation, tuple(facts)), _hint(rule.measure, config, tuple(facts))
            yield place, what or f"the config has no measure {rule.measure[:80]!r}: {hint}"
        problems = (rule_problem(rule, label, facts[label]) for label in labels)
        yield from ((place, problem) for problem in problems if problem)
        yield from (((*place, "models", index), sentence) for index, sentence in _unknown(rule.models, config))
        if rule.against is not None:
            yield from (((*place, "against"), sentence) for _, sentence in _unknown((rule.against,), config))
        elif rule.compares and gates.baseline is None:
            yield place, f"{rule.kind} compares with a baseline: give gates.baseline, or against, a model of the config"


def facts_of(evaluation: Evaluation) -> dict[str, MeasureFacts]:
    """Return the facts of each measure that are known before data are read, by its label in results."""
    facts: dict[str, MeasureFacts] = {}
    for definition in evaluation.definitions:
        for aggregate in ("system",) if definition.metric.per_model else definition.aggregates(evaluation.aggregates):
            if not is_spread(aggregate):
                facts[_label(definition, aggregate)] = _facts(definition, aggregate)
    return facts | {
        composite.formula.text: MeasureFacts(composite.higher_is_better, has_users=False) for composite in evaluation.composites
    }


def _label(definition: Definition, aggregate: str) -> str:
    return definition.label if aggregate in ("mean", "system") else f"{definition.label} ({aggregate})"


def _facts(definition: Definition, aggregate: str) -> MeasureFacts:
    least, largest = definition.bounds
    if aggregate == "sum":
        least, largest = min(least, 0.0), inf
    return MeasureFacts(definition.higher_is_better, not definition.metric.per_model, least, largest)


def _may_be_named_by_data(measure: str, evaluation: Evaluation) -> bool:
    """Return whether a measure may be one value of a metric with several, whose names depend on the files."""
    return any(definition.has_subvalues and measure.partition("(")[0] == definition.metric.name for definition in evaluation.definitions)


def _lacking_mean(measure: str, evaluation: Evaluation, labels: tuple[str, ...]) -> str:
    """Return the sentence on a rule whose measure the config only has with other aggregates; empty for any other."""
    plain = evaluation.labels if evaluation.aggregates else []
    found = labels_named(measure, plain) or _label_of(measure, evaluation, plain)
    if not found:
        return ""
    others = [label for label in labels if without_aggregate(label)[0] == found[0]]
    instead = f", or write {' or '.join(others)} in the rule" if others else ""
    only = " and ".join(map(str, evaluation.aggregates))
    return f"the rule needs the mean of {found[0]}, but evaluation.aggregates has only {only}: add mean to it{instead}"


def _label_of(measure: str, evaluation: Evaluation, labels: Collection[str]) -> tuple[str, ...]:
    """Return the label of a measure that is written with settings it has anyway; none if there is no such label."""
    try:
        definition = evaluation.define(measure)
    except ValueError:
        return ()
    label = _label(
        definition, "mean" if definition.metric.per_model else definition.aggregates(("mean",) if evaluation.aggregates else ())[0]
    )
    return (label,) if label in labels else ()


def _hint(measure: str, config: Config, labels: tuple[str, ...]) -> str:
    try:
        definition = config.evaluation.define(measure)
    except ValueError:
        return close_label(measure, labels)
    needs = "".join(f"; {sentence}" for sentence in missing(definition, config.data))
    return f"add it to evaluation.metrics, which has {', '.join(labels[:4])}{needs}"


def _unknown(names: tuple[str, ...], config: Config) -> Iterator[tuple[int, str]]:
    """Yield the position of each name that is not a model of the config, with a sentence; names in parentheses are reference lists."""
    models = config.data.all_models or config.data.named_models
    if models is None:
        return  # the models are named after files, which are not searched yet
    for index, name in enumerate(names):
        if name not in models and not name.startswith("("):
            hint = did_you_mean(name, models, f"the models are {', '.join(models)}")
            yield index, f"there is no model named '{name}': {hint}"


_HAVING: Final = {
    "score": ("recommendations", "baseline", "previous_policy"),
    "rank": ("recommendations", "baseline"),
    "row": ("recommendations",),
    "position": ("recommendations",),
    "prediction": ("predictions",),
    "timestamp": ("test", "train"),
    "other": ("distances",),
    "distance": ("distances",),
}
"""Column → the only sources that may have it."""


ONE_RUN: Final = "bounds are for one test set and one run of each model: evaluate folds and runs separately"


def contradictions(config: Config, needs_lists: bool = True) -> Iterator[tuple[text.Path, str]]:
    """Yield every contradiction, with the path of its key; lists of models are missing only if the config `needs_lists`."""
    try:
        _ = config.evaluation.computed
    except ValueError:  # nothing else can be said of measures that have no definition
        yield from ((("evaluation", *location), sentence) for location, sentence in config.evaluation.unreadable())
        return
    lacking: dict[str, str] = {}
    for definition in config.evaluation.computed:
        for sentence in (*_row_group_problems(definition), *missing(definition, config.data)):  # once for a metric with several cut-offs
            lacking.setdefault(sentence.replace(definition.label, definition.spec.title), sentence)
    yield from ((("evaluation", "metrics"), sentence) for sentence in lacking.values())
    yield from _file_problems(config.data)
    yield from _table_problems(config)
    yield from _model_problems(config, needs_lists)
    yield from _without_inputs(config)
    yield from _group_problems(config)
    yield from _weight_problems(config)
    yield from _candidate_problems(config)
    yield from gate_problems(config)
    relevance = config.evaluation.relevance
    if relevance.graded and relevance.threshold is not None and relevance.threshold < 0:
        yield ("evaluation", "relevance", "threshold"), "with graded relevance the rating is the gain, and a gain is not negative"
    aggregates = config.evaluation.aggregates
    for definition in config.evaluation.computed:
        if (
            "micro" in ((definition.average,) if not aggregates else aggregates if set(aggregates) == {"micro"} else ())
            and not definition.is_pooled
        ):
            location = ("evaluation", "aggregates" if aggregates else "metrics")
            yield location, f"{definition.label} is not a ratio and cannot be pooled (micro): use the mean{' too' if aggregates else ''}"
            break


def _candidate_problems(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Yield why values cannot be bounded over the whole catalogue: no measure with bounds, weights, folds or runs."""
    if config.evaluation.candidates is None:
        return
    if not any(map(is_bounded, config.evaluation.definitions)):
        yield ("evaluation", "candidates"), f"bounds are for {', '.join(BOUNDED)} with a cut-off up to {MOST_BOUNDED}: add one of them"
    if config.evaluation.weights != WeightsConfig.model_construct():
        yield ("evaluation", "candidates"), "there are no bounds of weighted values: remove evaluation.weights or evaluation.candidates"
    if config.data.runs:
        yield ("evaluation", "candidates"), ONE_RUN


def _weight_problems(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Yield the weights of users without data.users, and beside the aggregate micro."""
    evaluation, column = config.evaluation, config.evaluation.weights.users
    if column is not None and config.data.users is None:
        yield ("evaluation", "weights"), f"{column} comes from data.users: give data.users"
    if column is not None and "micro" in evaluation.aggregates:
        pooled = "write average=micro in the measure, such as Precision(average=micro)@10"
        yield ("evaluation", "aggregates"), f"micro cannot be an aggregate of all measures beside evaluation.weights: {pooled}"


def _without_inputs(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Yield the reference lists and policies that need files which are not given, and models with a name of reference lists."""
    reference_lists, policy, data = config.evaluation.yardsticks, config.evaluation.policy, config.data
    for name in data.recommendations if isinstance(data.recommendations, dict) else ():
        if name in REFERENCE_NAMES:
            yield ("data", "recommendations", name), f"{name} is the name of reference lists (yardsticks): rename the model"
    if reference_lists.popularity and data.train is None:
        yield ("evaluation", "yardsticks"), "popularity needs the train interactions: give data.train"
    if reference_lists.random is not None and data.train is None and data.items is None:
        yield ("evaluation", "yardsticks"), "random lists need the catalogue: give data.train or data.items"
    if policy.seen_items not in (None, "keep") and data.train is None:
        yield ("evaluation", "policy", "seen_items"), "seen items need the train interactions: give data.train"
    if policy.unknown_items not in (None, "keep") and data.train is None and data.items is None:
        yield ("evaluation", "policy", "unknown_items"), "unknown items need the catalogue: give data.train or data.items"


def _group_problems(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Yield the groupings whose file is not given, that have other groups elsewhere, or that cannot be compared."""
    compared: list[tuple[text.Path, GroupBy]] = [(("compare", "by", index), by) for index, by in enumerate(config.compare.by)]
    compared += [(("gates", "rules", number, "by"), by) for number, rule in enumerate(config.gates.rules) for by in rule.by]
    for location, by in (*((("evaluation", "by", index), by) for index, by in enumerate(config.evaluation.by)), *compared):
        yield from ((location, sentence) for sentence in missing_for_groups(by, config.data))
    for location, by in compared:
        if any(grouping.name == by.name and grouping != by for grouping in (*config.evaluation.by, *(other for _, other in compared))):
            yield location, f"{by.name} has other groups elsewhere in the config: use the same number or borders in all places"
        if any(part.kind == "items" for part in by.crossed):
            of_items = f"{by.name} are groups of items" if by.kind == "items" else f"{by.name} combines them with others"
            yield (
                location,
                f"models are compared for groups of users or of test rows; {of_items}; "
                "use a column of data.users, rows.COLUMN, train_count or cold",
            )
    if config.compare.cluster is not None and config.data.users is None:
        yield ("compare", "cluster"), f"{config.compare.cluster} comes from data.users: give data.users"


def _row_group_problems(definition: Definition) -> Iterator[str]:
    """Yield a sentence if a measure is restricted to a group of test rows and cannot be."""
    if definition.rows and not sums_hits(definition):
        yield f"{definition.label}: only measures based on hits can be restricted to test rows, such as Recall, nDCG and MRR"


def _file_problems(data: Data) -> Iterator[tuple[text.Path, str]]:
    """Yield columns in sources that cannot have them, and standard input that is used twice."""
    for location, source in data.sources():
        for key in source.columns.given():
            roles = _HAVING.get(key, (location[0],))
            if location[0] not in roles:
                known = f"only {' or '.join(f'data.{role}' for role in roles)} has one"
                yield ("data", *location, "columns", key), f"this file has no column for {key}: {known}"
        yield from ((("data", *location, *keys), message) for keys, message in problems_of_reading(str(location[0]), source))
    yield from problems_of_models(data)
    piped = [source for _, source in data.sources() if "-" in source.path]
    if len(piped) > 1 or any(len(source.path) > 1 for source in piped):
        yield ("data",), "standard input (-) can be read only once and not together with other files"


def _table_problems(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Yield catalog tables and Spark DataFrames in a config without Spark."""
    for place, source in config.data.sources():
        if source.table is not None and config.engine.name != "spark":
            yield ("data", *place, "table"), f"catalog tables are read by Spark: {_ADD_SPARK}"
        if source.frame is not None and source.frame.is_of_spark and config.engine.name != "spark":
            yield ("data", *place), f"Spark DataFrames need Spark: {_ADD_SPARK}"
    if config.output.per_user_table is not None and (problem := unwritable_table(config)):
        yield ("output", "per_user_table"), problem


def unwritable_table(config: Config) -> str | None:
    """Return why per-user values cannot be written into a table of Spark; `None` if they can."""
    if config.engine.name != "spark":
        return f"a table of per-user values is written by Spark: {_ADD_SPARK}"
    return "a table of per-user values has no column for runs: give one run of each model" if config.data.runs else None


def _model_problems(config: Config, needs_lists: bool) -> Iterator[tuple[text.Path, str]]:
    data = config.data
    if not data.recommendations:
        yield from _without_lists(config) if needs_lists else ()
        return
    if not isinstance(data.recommendations, dict):
        return  # the models are named after files, which are not searched yet
    names = [name.lower() for name, _, _, _ in data.named_lists()]
    if len(set(names)) < len(names):
        yield ("data", "recommendations"), "two models have names that differ only in case"
    if isinstance(data.predictions, dict) and not data.has_model_column:
        for name in data.predictions:
            if name not in data.recommendations:
                yield ("data", "predictions", name), unknown_model(name, data.recommendations)
        for definition in config.evaluation.computed:
            lacking = [name for name in data.recommendations if name not in data.predictions]
            if "predictions" in definition.needs and data.predictions and lacking:
                yield ("data", "predictions"), f"{definition.label} needs predicted ratings of every model: give those of {lacking[0]} too"
                break


GIVE_MODELS: Final = worded("give name: path, or --recs NAME=PATH", option="give --recs NAME=FILE", argument="give {name: lists}")
_ADD_SPARK: Final = worded("add engine: spark", argument="add engine='spark'")


def _without_lists(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Yield problems of a config without lists: only measures of predictions need none."""
    looking = next((definition.label for definition in config.evaluation.computed if not definition.reads_predictions), None)
    if config.data.predictions is None or config.evaluation.yardsticks.any:
        given = "recommendations" in config.data.model_fields_set
        yield (
            ("data", "recommendations"),
            f"{'no model to evaluate' if given else 'this key is missing'}: {GIVE_MODELS}",
        )
    elif looking is not None:
        yield ("data", "recommendations"), f"{looking} needs the lists of the models: {GIVE_MODELS}"


def unknown_model(name: str, models: Collection[str]) -> str:
    """Return the sentence about predictions of a model that has no lists."""
    hint = did_you_mean(name, models, f"; the models are {', '.join(models)}" if models else "", before=" — ")
    return f"there is no model named '{name}'{hint}"


_SUBJECTS: Final = {
    "duplicates": "lists",
    "truth_duplicates": "the test file",
    "seen_items": "lists",
    "unknown_items": "lists",
    "missing_lists": "users without a list",
    "no_relevant": "users without a relevant item",
    "no_truth": "users without a test row",
    "tie_order": "lists",
}
"""Axis of the policy → the data that it concerns, in the words of messages."""


def unused(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Yield every setting for measures that has no effect, with its path and the reason."""
    evaluation = config.evaluation
    judging = [inner for definition in evaluation.computed for inner in definition.all if uses_relevance(inner)]
    conventions = ", ".join(dict.fromkeys(definition.convention for definition in evaluation.computed))
    yield from _relevance_problems(evaluation, judging, conventions)
    for axis, reason in _policy_problems(evaluation, conventions):
        yield ("evaluation", "policy", axis), f"has no effect: {reason}"
    for key, reason in _measure_problems(evaluation):
        yield ("evaluation", key), f"has no effect: {reason}"
    if config.data.test.categories and not any(TEST_CATEGORIES in definition.needs for definition in evaluation.computed):
        yield ("data", "test", "categories"), "has no effect: no measure has categories_of=test"


def _policy_problems(evaluation: Evaluation, conventions: str) -> Iterator[tuple[str, str]]:
    everything = [inner for definition in evaluation.computed for inner in definition.all]
    for axis, value in evaluation.policy.axes.items():
        looking = [definition for definition in everything if looks_at(definition, axis, value)]
        if not looking:
            yield axis, f"no measure uses {_SUBJECTS[axis]}"
        elif not any(definition.axes[axis] == value for definition in looking):
            delivered = all(definition.metric.as_delivered for definition in looking)
            yield axis, "every measure counts lists as they were delivered" if delivered else f"every measure names its own {axis}"
        elif axis == "tie_order" and all(definition.lists.order == "file" for definition in looking):
            yield axis, f"the convention {conventions} reads lists in file order, which has no ties"


def looks_at(definition: Definition, axis: str, value: str) -> bool:
    """Return whether a value of an axis may change which users count for a measure, or which data it reads."""
    population = definition.population
    if axis == "missing_lists" and value == "undefined":
        return not definition.metric.per_model and population not in WITH_LISTS
    if axis in ("missing_lists", "no_relevant", "no_truth"):
        return population == "test"
    tables = definition.tables
    if axis == "truth_duplicates":
        return population == "test" or any("truth" in varies_with(name) for name in tables)
    empties_lists = axis in ("seen_items", "unknown_items", "identical_ids") and (population in WITH_LISTS or population == "test")
    return empties_lists or any("lists" in varies_with(name) for name in tables)


def _measure_problems(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    if evaluation.aggregates and all(definition.metric.per_model for definition in evaluation.computed):
        yield "aggregates", "every measure is one value per model, not per user"
    if evaluation.yardsticks.any and all(map(needs_scores, evaluation.definitions)):
        yield "yardsticks", "every measure uses scores or predictions, which reference lists do not have"


def _relevance_problems(evaluation: Evaluation, judging: Sequence[Definition], conventions: str) -> Iterator[tuple[text.Path, str]]:
    relevance, place = evaluation.relevance, ("evaluation", "relevance")
    given = relevance.model_fields_set
    if relevance.threshold is not None and not any(definition.truth.threshold == relevance.threshold for definition in judging):
        named = all(definition.truth.threshold is not None for definition in judging)
        reason = "every measure names its own" if named else f"the convention {conventions} defines by itself what is relevant"
        yield (*place, "threshold"), f"has no effect: {reason if judging else 'no measure uses relevance'}"
    if relevance.graded and not any(map(_looks_at_grades, judging)):
        reason = f"under the convention {conventions} every relevant item counts the same" if judging else "no measure uses ratings"
        yield (*place, "graded"), f"has no effect: {reason}; remove it or choose another convention"
    if "graded" in given and not relevance.graded and judging and all(definition.axes["grades"] == "ratings" for definition in judging):
        yield (
            (*place, "graded"),
            f"has no effect: the convention {conventions} uses the rating as the grade; write grades=ones in a measure",
        )


_WITHOUT_TEST: Final = ("lists", "lists_at_k", "train", "baseline")
"""The populations that need no test set."""
_TEST_TABLES: Final = frozenset({"test_pairs", "truth_table", "test_ratings"})


def reading_test(evaluation: Evaluation) -> str:
    """Return what reads the test set: the first such measure, or a key of the evaluation; empty if nothing does."""
    if evaluation.yardsticks.any:
        return "evaluation.yardsticks"
    if any(by.kind == "rows" for by in evaluation.by):
        return "evaluation.by"
    return next((definition.label for definition in evaluation.computed if any(map(_reads_test, definition.all))), "")


def _reads_test(definition: Definition) -> bool:
    """Return whether the test set decides on the value of a measure."""
    reached, values = closure(definition.tables), map(str, definition.params.values())
    of_lists = definition.population in _WITHOUT_TEST
    return not of_lists or not _TEST_TABLES.isdisjoint(reached) or any("test" in value.split("_") for value in values)


def uses_relevance(definition: Definition) -> bool:
    """Return whether a measure uses relevance."""
    return "truth_table" in closure(definition.tables)


def _looks_at_grades(definition: Definition) -> bool:
    """Return whether a measure may depend on the grades of relevant items."""
    return definition.axes["grades"] != "ones" and definition.params.get("gain") != "binary"
