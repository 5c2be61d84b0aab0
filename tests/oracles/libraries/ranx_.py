"""Values of ranx 0.3.21. Its sort is unstable, but keeps the file's order among ties in lists as short as these."""

from __future__ import annotations

from common import CEILED, KS, MODELS, Values, all_rows_note, grades, scores_of_all_rows
from ranx import Qrels, Run, evaluate

COMPARABLE = {"make_comparable": True}
CUT = ("hits", "hit_rate", "precision", "recall", "f1", "map", "mrr", "ndcg", "ndcg_burges", "dcg", "dcg_burges")
WHOLE = ("r-precision", "bpref", "rbp.80", "rbp.95")
LEVELS = ("hits-l4", "hit_rate-l4", "precision-l4", "recall-l4", "f1-l4", "map-l4", "mrr-l4")
GAINS = ("ndcg", "ndcg_burges", "dcg", "dcg_burges")


def spelling(name: str, k: int | None) -> str:
    """Return the name in the spelling of ranx, with the cut-off between the name and the relevance level."""
    base, _, level = name.partition("-l")
    return base + (f"@{k}" if k else "") + (f"-l{level}" if level else "")


def main() -> None:
    """Evaluate every model under every relevance; the mean is over the users with test rows."""
    values = Values("ranx")
    for relevance in ("all", "rating>=4", "graded"):
        truth = grades(relevance)
        graded = relevance == "graded"
        params = CEILED | COMPARABLE if graded else COMPARABLE
        asked = [(name, k) for name in (GAINS + LEVELS if graded else CUT) for k in (*KS, None)]
        asked += [(name, None) for name in (("r-precision-l4", "bpref-l4") if graded else WHOLE)]
        for model in MODELS:
            for metric, k in asked:

                def value(metric=metric, k=k, truth=truth, model=model) -> float:
                    return evaluate(Qrels(truth), Run(scores_of_all_rows(model)), spelling(metric, k), make_comparable=True)

                values.add(model, metric, k, relevance, value, users=len(truth), params=params, note=all_rows_note(model))
    values.write("ranx")


if __name__ == "__main__":
    main()
