"""Values of ir-measures 0.4.3, one measure a call, with the providers of a plain install and cwl-eval."""

from __future__ import annotations

import ir_measures
from common import CEILED, KS, MODELS, SIDE_MODELS, Values, all_rows_note, grades, scores_of_all_rows

CUT = ("P", "R", "AP", "nDCG", "RR", "Success", "Judged")
WHOLE = ("AP", "nDCG", "RR", "Rprec", "Bpref", "infAP", "SetP", "SetR", "SetF", "SetRelP", "SetAP", "SetP(relative=True)", "SetF(beta=2.0)")
OTHER = ("NumQ", "NumRel", "NumRet", "NumRet(rel=1)", "RBP(rel=1)", "Accuracy", "IPrec@0.1", "IPrec@0.5", "Compat")
BINARY = [(name, None) for name in WHOLE + OTHER] + [(f"{name}@{k}", k) for name in CUT for k in KS]
GRADED_WHOLE = ("nDCG", "AP(rel=4)", "RR(rel=4)", "Rprec(rel=4)", "Bpref(rel=4)", "RBP(rel=4)", "NumRel(rel=4)", "NumRet(rel=4)", "Compat")
GRADED_CUT = ("nDCG", "P(rel=4)", "R(rel=4)", "AP(rel=4)", "RR(rel=4)", "Success(rel=4)")
GRADED = [(name, None) for name in GRADED_WHOLE] + [(f"{name}@{k}", k) for name in GRADED_CUT for k in KS]
CWL_CUT = ("SDCG(max_rel={})", "BPM(max_rel={})", "NERR8(max_rel={})", "NERR9(max_rel={})")
CWL_WHOLE = ("NERR10(max_rel={})", "NERR11(max_rel={})", "INST(max_rel={})", "INSQ(max_rel={})", "RBP(rel={},p=0.5)")
CWL_SMALL = ("BPM(T=2.0,max_rel={})@5", "INST(T=2.0,max_rel={})", "INSQ(T=2.0,max_rel={})", "SDCG(max_rel={},min_rel=1)@5")
ALONE = "asked for alone: mean over the users with a relevant item in the list"


def beyond(values: Values) -> None:
    """Evaluate the measures of cwl-eval: gains of 0 and 1 for `all`, rating / 5 (rounded up first) for `graded`."""
    for relevance, most in (("all", 1), ("graded", 5)):
        truth = grades(relevance)
        params = CEILED if relevance == "graded" else None
        asked: list[tuple[str, int | None]] = [(f"{name}@{k}".format(most), k) for name in CWL_CUT for k in KS]
        asked += [(name.format(4 if relevance == "graded" and name.startswith("RBP") else most), None) for name in CWL_WHOLE]
        asked += [(name.format(most), 5 if name.endswith("@5") else None) for name in CWL_SMALL if most > 1 or "min_rel" not in name]
        for model in SIDE_MODELS:
            run = scores_of_all_rows(model)
            for metric, k in asked:

                def value(metric=metric, run=run, truth=truth) -> float:
                    measure = ir_measures.parse_measure(metric)
                    return ir_measures.calc_aggregate([measure], truth, run)[measure]

                values.add(model, metric, k, relevance, value, users=len(truth), params=params, note=all_rows_note(model))


def main() -> None:
    """Evaluate every model under every relevance; the mean is over the users with test rows."""
    values = Values("ir-measures")
    for relevance in ("all", "rating>=4", "graded"):
        truth = grades(relevance)
        params = CEILED if relevance == "graded" else None
        for model in MODELS:
            run = scores_of_all_rows(model)
            for metric, k in GRADED if relevance == "graded" else BINARY:
                measure = ir_measures.parse_measure(metric)

                def value(measure=measure, run=run, truth=truth) -> float:
                    return ir_measures.calc_aggregate([measure], truth, run)[measure]

                users, note = (None, ALONE) if metric == "Accuracy" else (len(truth), "")
                notes = "; ".join(filter(None, (all_rows_note(model), note)))
                values.add(model, metric, k, relevance, value, users=users, params=params, note=notes)
    beyond(values)
    values.write("ir-measures")


if __name__ == "__main__":
    main()
