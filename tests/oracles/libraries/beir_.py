"""Values of BEIR 2.2.0: EvaluateRetrieval, which calls pytrec_eval, and its own measures."""

from __future__ import annotations

import logging
from functools import partial

from beir.retrieval.evaluation import EvaluateRetrieval
from common import CEILED, KS, MODELS, Values, dict_note, grades, scores


def main() -> None:
    """Evaluate every model under every relevance; graded means that every grade is relevant."""
    logging.disable(logging.CRITICAL)
    values = Values("beir")
    for relevance in ("all", "rating>=4", "graded"):
        judged, params = grades(relevance), CEILED if relevance == "graded" else None
        for model in MODELS:
            lists = scores(model)
            note = dict_note(model)
            for means in EvaluateRetrieval.evaluate(judged, lists, list(KS)):
                for name, value in means.items():
                    metric, _, k = name.partition("@")
                    values.add(model, metric, int(k), relevance, value, params=params, note=note)
            known = {user: items for user, items in lists.items() if user in judged}  # others are a KeyError there
            for metric in ("MRR", "R_cap", "Accuracy"):
                for k in KS:
                    call = partial(EvaluateRetrieval.evaluate_custom, judged, known, [k], metric)
                    values.add(model, metric, k, relevance, lambda call=call: next(iter(call().values())), params=params, note=note)
    values.write("beir")


if __name__ == "__main__":
    main()
