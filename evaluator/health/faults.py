"""R02: rows that lack a value or hold a number that is not finite, as the reader passed over them."""

from __future__ import annotations

from .context import Context, Symptom
from .registry import HealthCheck, check
from .tally import KeptRows, Tally
from .wording import shared


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
