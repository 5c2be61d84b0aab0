"""Values of RecTools 0.19.0. Lists are ordered by their rank column; the catalogue is the items file."""

from __future__ import annotations

from typing import Any

import pandas as pd
from common import KS, MODELS, SIDE_MODELS, Values, genres, read, truth_rows
from rectools.metrics import (
    MAP,
    MCC,
    MRR,
    NDCG,
    PAP,
    Accuracy,
    AvgRecPopularity,
    CatalogCoverage,
    CoveredUsers,
    F1Beta,
    HitRate,
    Intersection,
    IntraListDiversity,
    MeanInvUserFreq,
    PairwiseHammingDistanceCalculator,
    PartialAUC,
    Precision,
    Recall,
    Serendipity,
    SufficientReco,
    UnrepeatedReco,
)

METRICS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (Precision, {}),
    (Precision, {"r_precision": True}),
    (Recall, {}),
    (F1Beta, {"beta": 1.0}),
    (F1Beta, {"beta": 0.5}),
    (Accuracy, {}),
    (MCC, {}),
    (HitRate, {}),
    (NDCG, {}),
    (NDCG, {"divide_by_achievable": True}),
    (NDCG, {"log_base": 3}),
    (MRR, {}),
    (MAP, {}),
    (MAP, {"divide_by_k": True}),
    (PartialAUC, {}),
    (PAP, {}),
    (PartialAUC, {"insufficient_handling": "exclude"}),
    (PAP, {"insufficient_handling": "exclude"}),
)


def beyond(values: Values) -> None:
    """Evaluate the metrics that need the train rows, the catalogue, genres or other lists."""
    train, catalog = pd.DataFrame(read("train")), [row["item_id"] for row in read("items")]
    found = genres()
    names = sorted({name for kinds in found.values() for name in kinds})
    onehot = pd.DataFrame([[int(name in kinds) for name in names] for kinds in found.values()], index=list(found), columns=names)
    hamming = {"distance_calculator": PairwiseHammingDistanceCalculator(onehot)}
    before, items = {"prev_interactions": train}, {"catalog": catalog}
    asked: list[tuple[Any, str, dict[str, Any], dict[str, Any], dict[str, Any] | None]] = [
        (MeanInvUserFreq, "none", {}, before, None),
        (AvgRecPopularity, "none", {}, before, None),
        (AvgRecPopularity, "none", {"normalize": True}, before, {"set": "normalize=True"}),
        (CatalogCoverage, "none", {}, items, None),
        (CatalogCoverage, "none", {"normalize": True}, items, {"set": "normalize=True"}),
        (IntraListDiversity, "none", hamming, {}, {"set": "distance=Hamming over genre one-hot"}),
        (SufficientReco, "none", {}, {}, None),
        (SufficientReco, "none", {"deep": True}, {}, {"set": "deep=True"}),
        (UnrepeatedReco, "none", {}, {}, None),
        (UnrepeatedReco, "none", {"deep": True}, {}, {"set": "deep=True"}),
    ]
    asked += [(Intersection, "none", {}, {"ref_reco": pd.DataFrame(read(name))}, {"ref_reco": name}) for name in ("clean", "short")]
    for relevance in ("all", "rating>=4"):
        truth = {"interactions": pd.DataFrame(truth_rows(relevance))}
        asked += [(CoveredUsers, relevance, {}, truth, None), (Serendipity, relevance, {}, truth | before | items, None)]
    for model in SIDE_MODELS:
        reco = pd.DataFrame(read(model))
        for metric, relevance, options, more, params in asked:
            for k in KS:

                def value(metric=metric, options=options, more=more, k=k, reco=reco) -> float:
                    return metric(k=k, **options).calc(reco=reco, **more)

                try:
                    users = int(metric(k=k, **options).calc_per_user(reco=reco, **more).notna().sum())
                except Exception:  # no per-user values, or the call fails, which the value notes
                    users = None
                values.add(model, metric.__name__, k, relevance, value, users=users, params=params)


def main() -> None:
    """Evaluate every model; the mean is over the users with test rows."""
    values = Values("rectools")
    catalog = [row["item_id"] for row in read("items")]
    for relevance in ("all", "rating>=4"):
        truth = pd.DataFrame(truth_rows(relevance))
        for model in MODELS:
            lists = pd.DataFrame(read(model))
            for metric, options in METRICS:
                more = {"catalog": catalog} if metric in (Accuracy, MCC) else {}
                params = {"set": ",".join(f"{key}={value}" for key, value in options.items())} if options else None
                for k in KS:

                    def users(metric=metric, options=options, k=k, lists=lists, truth=truth, more=more) -> pd.Series:
                        return metric(k=k, **options).calc_per_user(reco=lists, interactions=truth, **more)

                    def value(metric=metric, options=options, k=k, lists=lists, truth=truth, more=more) -> float:
                        return metric(k=k, **options).calc(reco=lists, interactions=truth, **more)

                    count = int(users().notna().sum())
                    values.add(model, metric.__name__, k, relevance, value, users=count, params=params)
    beyond(values)
    values.write("rectools")


if __name__ == "__main__":
    main()
