"""Values of pytrec_eval-terrier 0.5.11: trec_eval 9, every measure that has a number."""

from __future__ import annotations

import re

import pytrec_eval
from common import CEILED, KS, MODELS, Values, dict_note, grades, scores

CUT = ("P", "recall", "map_cut", "ndcg_cut", "success", "relative_P")
WHOLE = ("map", "gm_map", "ndcg", "ndcg_rel", "Rndcg", "recip_rank", "Rprec", "Rprec_mult", "bpref", "infAP", "11pt_avg", "iprec_at_recall")
SETS = ("set_P", "set_recall", "set_F", "set_map", "set_relative_P", "binG", "G", "utility", "num_ret", "num_rel", "num_rel_ret", "num_q")
MEASURES = {f"{name}.{','.join(map(str, KS))}" for name in CUT} | (set(WHOLE + SETS) & pytrec_eval.supported_measures)


def main() -> None:
    """Evaluate every model under every relevance; graded means relevant from grade 4."""
    values = Values("pytrec_eval-terrier")
    for relevance in ("all", "rating>=4", "graded"):
        level = 4 if relevance == "graded" else 1
        params = CEILED | {"relevance_level": level} if relevance == "graded" else None
        evaluator = pytrec_eval.RelevanceEvaluator(grades(relevance), MEASURES, relevance_level=level)
        for model in MODELS:
            users = evaluator.evaluate(scores(model))
            for metric in sorted(next(iter(users.values()))):
                value = pytrec_eval.compute_aggregated_measure(metric, [found[metric] for found in users.values()])
                cut = re.fullmatch(rf"(?:{'|'.join(CUT)})_(\d+)", metric)
                k = int(cut[1]) if cut else None
                values.add(model, metric, k, relevance, value, users=len(users), params=params, note=dict_note(model))
    values.write("pytrec_eval-terrier")


if __name__ == "__main__":
    main()
