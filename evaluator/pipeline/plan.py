"""What the definitions of a run ask for together: the choices of truth and of lists, each once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import narwhals as nw

from .. import aggregate, match
from ..config import Composite
from ..metrics import Definition, Lists, Measure, Reductions, Truth
from .asked import OF_SCORES, OF_TEST


@dataclass(frozen=True)
class Plan:
    """The measures of a run, the aggregates that the config asks for, and arithmetic of measures.

    Measures that only `composites` are made of are computed and not shown.
    """

    shown: tuple[Definition, ...]
    aggregates: Sequence[str] = ()
    composites: tuple[Composite, ...] = ()

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The measures to compute, those that are shown first."""
        return tuple(dict.fromkeys((*self.shown, *(part for composite in self.composites for part in composite.definitions))))

    @cached_property
    def all(self) -> tuple[Definition, ...]:
        """Every definition, also those that another combines."""
        return tuple(dict.fromkeys(inner for definition in self.definitions for inner in definition.all))

    @cached_property
    def truths(self) -> tuple[Truth, ...]:
        """The choices of truth."""
        return tuple(dict.fromkeys(definition.truth for definition in self.all))

    @cached_property
    def lists(self) -> tuple[Lists, ...]:
        """The choices of lists."""
        return tuple(dict.fromkeys(definition.lists for definition in self.all))

    @property
    def deep(self) -> bool:
        """Whether a measure looks at whole lists."""
        return any(one.k is None for one in self.all)

    @cached_property
    def pooled(self) -> frozenset[int]:
        """The measures that are pooled over users."""
        own = {part for composite in self.composites for part in composite.definitions if part.average == "micro"}
        asked = (aggregate.chosen(definition, self.aggregates) for definition in self.definitions)
        return frozenset(place for place, found in enumerate(asked) if "micro" in found or self.definitions[place] in own)

    @property
    def needs_candidates(self) -> bool:
        """Whether a definition counts negatives, or the items that are no candidates."""
        return bool(self.asked.user_columns & {"n_candidates", "n_items", "n_train"})

    @property
    def needs_rated(self) -> bool:
        """Whether a definition looks at listed items that the test file holds, relevant or not."""
        if self.kinds & OF_TEST or any(dict(request.params).get("of") == "train_and_test" for request in self.asked.of_items):
            return True
        return any(_ranks_rated(definition) or definition.axes.get("precision_denominator") == "rated" for definition in self.all)

    @property
    def needs_all_tested(self) -> bool:
        """Whether users may count who have no relevant item."""
        zero = any(definition.counted.no_relevant == "zero" for definition in self.definitions)
        return self.needs_untested or "tested" in self.populations or zero

    @property
    def needs_untested(self) -> bool:
        """Whether users may count whom the test file does not hold."""
        return bool(self.populations - {"test", "tested"}) or any(definition.counted.no_truth == "zero" for definition in self.definitions)

    @cached_property
    def populations(self) -> frozenset[str]:
        """Whose users count: those of the test file, with a list, of train, of the reference model."""
        return frozenset(definition.population for definition in self.definitions)

    @cached_property
    def asked(self) -> Reductions:
        """What the definitions ask for, as far as it can be said before the files are read."""
        asked = Reductions()
        for definition in self.all:
            definition.metric.define(Measure(definition.k, definition.params, asked, tuple(nw.lit(0.0) for _ in definition.of)))
        return asked

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of tables that the definitions ask for."""
        return frozenset(request.kind for request in self.asked.tables)

    @property
    def needs_scores(self) -> bool:
        """Whether a table holds the scores of the lists."""
        return any(request.kind in OF_SCORES or dict(request.params).get("scores") for request in self.asked.tables)

    @property
    def needs_train(self) -> bool:
        """Whether a definition looks at what data.train holds, if it is given."""
        return any(_uses_train(definition) or definition.counted.divisor != "counted" for definition in self.all)

    @property
    def needs(self) -> frozenset[str]:
        """The inputs to read beside the test file and the lists: those a definition needs, and those it uses where they are."""
        needs = frozenset[str]().union(*(definition.needs for definition in self.all))
        return needs | ({"known"} if self.needs_train else set())

    def remarks(self, has_train: bool) -> tuple[str, ...]:
        """Which metrics the libraries do not have, and what the conventions would have done with data.train, had it been given."""
        found = [
            f"{name} has no {metric}: it is receval's, under the protocol of the convention {name}."
            for name, metric in dict.fromkeys((one.convention, one.metric.name) for one in self.definitions if not one.of_library)
        ]
        names = sorted({definition.convention for definition in self.all if _uses_train(definition)})
        if names and not has_train:
            convention = f"Under the convention{'' if len(names) == 1 else 's'} {', '.join(names)}"
            found.append(f"{convention} what data.train holds or does not know is left out; there is no data.train, so nothing was.")
        return tuple(found)


def _uses_train(definition: Definition) -> bool:
    return definition.truth.filter != "none" or (definition.lists.seen, definition.lists.unknown) != ("keep", "keep")


def _ranks_rated(definition: Definition) -> bool:
    return definition.axes["positions"] == "among_rated"


def normal(choice: Truth, columns: Iterable[str], known: match.Known) -> Truth:
    """The same choice without what makes no difference: nothing does where the test file has no ratings."""
    if known.seen is None and known.items is None:
        choice = replace(choice, filter="none")
    if "rating" in columns:
        return replace(choice, rule="all_rows") if choice.threshold is not None else choice
    duplicates = choice.duplicates if "row" in choice.duplicates else "best"
    return replace(choice, rule="all_rows", threshold=None, graded=False, duplicates=duplicates)
