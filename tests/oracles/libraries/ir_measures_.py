"""Values of ir-measures 0.4.3, one measure a call, with the providers of a plain install and cwl-eval."""

from __future__ import annotations

import ir_measures
from common import CEILED, KS, MODELS, Values, dict_note, grades, scores

CUT = ("P", "R", "AP", "nDCG", "RR", "Success", "Judged")
WHOLE = ("AP", "nDCG", "RR", "Rprec", "Bpref", "infAP", "SetP", "SetR", "SetF", "SetRelP", "SetAP", "SetP(relative=True)", "SetF(beta=2.0)")
OTHER = ("NumQ", "NumRel", "NumRet", "NumRet(rel=1)", "RBP(rel=1)", "Accuracy", "IPrec@0.1", "IPrec@0.5", "Compat")
BINARY = [(name, None) for name in WHOLE + OTHER] + [(f"{name}@{k}", k) for name in CUT for k in KS]
GRADED_WHOLE = ("nDCG", "AP(rel=4)", "RR(rel=4)", "Rprec(rel=4)", "Bpref(rel=4)", "RBP(rel=4)", "NumRel(rel=4)", "NumRet(rel=4)", "Compat")
GRADED_CUT = ("nDCG", "P(rel=4)", "R(rel=4)", "AP(rel=4)", "RR(rel=4)", "Success(rel=4)")
GRADED = [(name, None) for name in GRADED_WHOLE] + [(f"{name}@{k}", k) for name in GRADED_CUT for k in KS]
ALONE = "asked for alone: mean over the users with a relevant item in the list"


def main() -> None:
    """Evaluate every model under every relevance; the mean is over the users of the truth."""
    values = Values("ir-measures")
    for relevance in ("all", "rating>=4", "graded"):
        truth = grades(relevance)
        params = CEILED if relevance == "graded" else None
        for model in MODELS:
            run = scores(model)
            for metric, k in GRADED if relevance == "graded" else BINARY:
                measure = ir_measures.parse_measure(metric)

                def value(measure=measure, run=run, truth=truth) -> float:
                    return ir_measures.calc_aggregate([measure], truth, run)[measure]

                users, note = (None, ALONE) if metric == "Accuracy" else (len(truth), "")
                notes = "; ".join(filter(None, (dict_note(model), note)))
                values.add(model, metric, k, relevance, value, users=users, params=params, note=notes)
    values.write("ir-measures")


if __name__ == "__main__":
    main()
