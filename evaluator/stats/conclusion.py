"""`Conclusion`: which model has the best value of a measure, and how each other model compares with it."""

from __future__ import annotations

from msgspec import Struct

from .records import CorrectionName, TestName, Verdict


class Rival(Struct, frozen=True):
    """How the best model compares with another one, on the users who count for both.

    `verdict` is that of the best model: `better` if it beats the other one; `None` if that was not tested. `difference` is that of
    the best model less the other one, in units of the measure; `low` and `high` its interval, simultaneous over all pairs of models of the
    measure. `n_unpaired` users count for one of the two only and were left out.
    """

    model: str
    verdict: Verdict | None
    n_users: int
    n_unpaired: int
    best_value: float | None
    value: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    p_equivalent_adjusted: float | None
    margin: float | None
    detectable: float | None


class Conclusion(Struct, frozen=True):
    """What is concluded of one measure: its best model, and how the others compare with it.

    `best` is the model that no other leads on the users who count for both; `None` where there is none, since every two models have other
    users in common. `users` says how many count for each model. `family` comparisons were corrected together by `correction`, those of all
    pairs of models of all measures; intervals hold together for the `n_pairs` pairs of this measure, with probability `level`.
    """

    measure: str
    models: tuple[str, ...]
    best: str | None
    rivals: tuple[Rival, ...]
    users: dict[str, int]
    level: float
    test: TestName
    correction: CorrectionName
    family: int
    n_pairs: int

    @property
    def is_tested(self) -> bool:
        """Return whether any model was tested against the best one, or there is no best one since all were."""
        return self.best is None or any(rival.verdict is not None for rival in self.rivals)

    @property
    def alike(self) -> tuple[str, ...]:
        """The best model and those that are not clearly different from it, or equivalent; none where nothing was tested."""
        if self.best is None or not self.is_tested:
            return ()
        return (self.best, *(rival.model for rival in self.rivals if rival.verdict not in (None, "better")))

    @property
    def untested(self) -> tuple[str, ...]:
        """The models that were not tested against the best one."""
        return tuple(rival.model for rival in self.rivals if rival.verdict is None)

    @property
    def beaten(self) -> tuple[Rival, ...]:
        """The models that the best one beats, the nearest first."""
        return tuple(rival for rival in self._nearest_first() if rival.verdict == "better")

    @property
    def has_other_users(self) -> bool:
        """Return whether models were compared that count different users."""
        return any(rival.n_unpaired for rival in self.rivals)

    def _nearest_first(self) -> list[Rival]:
        return sorted(self.rivals, key=lambda rival: abs(rival.difference or 0.0))
