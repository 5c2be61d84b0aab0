"""R02 and X16: rows that the reader left out, and a file that is given under two names."""

from __future__ import annotations

from .context import Context, Symptom, shared
from .registry import HealthCheck, check
from .tally import KeptRows, Tally


@check("X16", wants=("twins",))
class SameFile(HealthCheck):
    """Lists of a model with the same bytes as the lists of a model before it, or as the test or the train file."""

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        own, others = context.sources["lists"].role, " and ".join(context.twins)
        n = len(context.twins)
        return self.symptom(context, f"The file is the same, byte for byte, as that of {others}.", n, n, examples=(own, *context.twins))


@check("R02", wants=("faulty_rows",))
class RowsWithFaults(HealthCheck):
    """Rows that were left out: nothing is noted of parts, which no longer hold them."""

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        symptoms: list[Symptom] = []
        for fault in context.faults:
            share = shared(fault.count, fault.total, f"rows of {fault.role}")
            first = f"the first: {fault.places[0]}"
            rows = None if fault.rows is None else KeptRows((fault.rows,)).frame()
            sentence = f"{share} lack a value or hold a number that is not finite, and are left out; {first}."
            symptoms += self.symptom(context, sentence, fault.count, fault.total, examples=fault.places, rows=rows, model=fault.model)
        return symptoms
