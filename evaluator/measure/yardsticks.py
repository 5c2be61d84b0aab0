"""The best possible, the popular and random lists, measured like models: what a value is compared with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..conventions.axis import Lists, Truth
from ..metrics.definition import Definition
from ..names.yardstick_names import ORACLE, POPULARITY, RANDOM
from ..tables.ids import Ids
from .reads import needs_scores, of_hits, reads_whole_lists
from .task import Task
from .yardstick_facts import YardstickFacts, distinct_truths, truths

_DEEP: Final = 1_000
"""How long made lists are where a measure looks at whole lists and no model has one."""

Kind = Literal["best", "popular", "popular_ranks", "random"]


class YardstickTask(Struct, frozen=True, eq=False):
    """What is made and measured of every part: a `task` whose lists are made from test and train.

    `kind` says which lists: with `popular_ranks` only the hits of popular lists and their lengths are made. `depth` is the length of
    the lists, `None` as long as can be. Under the choices of lists `masked` they leave out what train holds for the user.
    The best lists order by the gains under all `truths` together; random lists are drawn by `seed` and the index of a user in `test_users`.
    """

    name: str
    kind: Kind
    task: Task
    depth: int | None
    masked: frozenset[Lists]
    truths: tuple[Truth, ...] = ()
    seed: int = 0
    test_users: Ids | None = None


class Yardsticks(Struct, frozen=True, eq=False):
    """The yardsticks of a run, given the `task` of its models, and the merged facts of one of them.

    `n_shown` is the number of measures that are shown, the first of the task; `longest` is the length of the longest list of any model;
    `seen_items` is what the policy does with them.
    """

    task: Task
    n_shown: int
    facts: YardstickFacts
    longest: int
    seen_items: str
    leaves_out: bool
    """Whether a user of the test file does not count for some model."""

    def masks(self, choice: Lists, kind: Kind = "popular") -> bool:
        """Whether lists leave out what train holds for the user: as the policy or the convention says, else as the test file does.

        Train that holds at least half of the test pairs means that users are tested on what they had before: then lists may hold it too.
        Fewer are a leak, which must not change what models are compared with. The best lists leave out nothing but by the convention.
        """
        if "train" not in self.task.prepared.sources:
            return False
        if choice.seen != "keep":
            return True
        return kind != "best" and self.seen_items != "keep" and not self.facts.repeats_train

    def seen_rule(self, kind: Kind = "popular") -> str:
        """What made lists do with items that train holds for the user, and why where train holds test pairs."""
        choice = self.task.definitions[0].lists
        masked = self.masks(choice, kind) or (kind == "best" and not self.facts.n_seen)
        done = f"{'leave out' if masked else 'may hold'} items that data.train holds for the user"
        n, total = self.facts.n_seen, self.facts.n_pairs
        if not n or choice.seen != "keep":
            return done
        if kind == "best":
            return f"{done}, since test items are among them"
        if self.seen_items == "keep":
            return f"{done}, as evaluation.policy.seen_items says"
        pairs = f"{n:,} of {total:,} test pairs ({100 * n / total:.{1 if 1000 * n >= total else 3}f} %)"
        return f"{done}: it holds {pairs}, {'less than half' if masked else 'half or more'}"

    def wanted(self, *, oracle: bool, popularity: bool, random: int | None, test_users: Ids) -> list[YardstickTask]:
        """The yardsticks that are asked for, as far as the files allow; `test_users` are all users of the test file."""
        definitions = _each(one for one in self.task.definitions[: self.n_shown] if not needs_scores(one))
        sources, tasks = self.task.prepared.sources, []
        if not definitions:
            return []
        depth = self._depth(definitions)
        if oracle:
            most = None if any(map(reads_whole_lists, definitions)) else depth
            choices = distinct_truths(truths(self.task.definitions), self.facts, bool(sources & {"train", "items"}))
            tasks.append(self._task(ORACLE, "best", definitions, most, truths=choices))
        if popularity and "train" in sources:
            tasks.append(self._task(POPULARITY, "popular", definitions, depth))
        if random is not None and sources & {"train", "items"}:
            tasks.append(self._task(RANDOM, "random", definitions, depth, seed=random, test_users=test_users))
        return tasks

    def baseline(self) -> YardstickTask | None:
        """Popularity for every measure that looks at hits alone; the lists themselves are not made."""
        definitions = _each(filter(of_hits, self.task.definitions))
        if not definitions or "train" not in self.task.prepared.sources:
            return None
        yardstick = self._task(POPULARITY, "popular_ranks", definitions, self._depth(definitions))
        return replace(yardstick, task=replace(yardstick.task, by=()))  # what checks compare is over all users

    def remark(self, names: Iterable[str]) -> str:
        """What the lists of yardsticks do with seen items; nothing where there is no train."""
        names = tuple(names)
        if not names or "train" not in self.task.prepared.sources:
            return ""
        rules: dict[str, list[str]] = {}
        for name in names:
            rules.setdefault(self.seen_rule("best" if name == ORACLE else "popular"), []).append(name)
        return " ".join(f"The lists of {', '.join(of_rule)} {rule}." for rule, of_rule in rules.items())

    def _task(
        self,
        name: str,
        kind: Kind,
        definitions: tuple[Definition, ...],
        depth: int | None,
        truths: tuple[Truth, ...] = (),
        seed: int = 0,
        test_users: Ids | None = None,
    ) -> YardstickTask:
        keeps = (self.task.keeps_values and self.task.most_values is None) or (self.leaves_out and any(map(of_hits, definitions)))
        indexes = {definition: index for index, definition in enumerate(self.task.definitions)}
        pooled = frozenset(place for place, one in enumerate(definitions) if indexes[one] in self.task.pooled)
        task = replace(self.task, definitions=definitions, pooled=pooled, keeps_values=keeps, most_values=None)
        masked = frozenset(part.lists for one in definitions for part in one.all if self.masks(part.lists, kind))
        return YardstickTask(name, kind, task, depth, masked, truths, seed, test_users)

    def _depth(self, definitions: Iterable[Definition]) -> int:
        """The largest cut-off; a measure of whole lists looks as far as the longest list of a model."""
        whole = self.longest or _DEEP
        return max(whole if part.k is None else part.k for one in definitions for part in one.all)


def _each(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    return tuple(dict.fromkeys(definitions))
