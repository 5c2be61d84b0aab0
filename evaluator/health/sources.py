"""X16: a file that is given under two names."""

from __future__ import annotations

from .context import Context, Symptom
from .registry import HealthCheck, check
from .tally import Tally


@check("X16", wants=("twins",))
class SameFile(HealthCheck):
    """Lists of a model with the same bytes as the lists of a model before it, or as the test or the train file."""

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        own, others = context.sources["lists"].role, " and ".join(context.twins)
        n = len(context.twins)
        return self.symptom(context, f"The file is the same, byte for byte, as that of {others}.", n, n, examples=(own, *context.twins))
