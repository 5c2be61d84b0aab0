"""Statements of the documents of rs_metrics and RePlay, how receval does the same, and a demonstration of each."""

from __future__ import annotations

import runpy
from pathlib import Path

_FORM = runpy.run_path(str(Path(__file__).with_name("statement.py")))
CONFIG, Statement = _FORM["CONFIG"], _FORM["Statement"]

RS_METRICS = (
    Statement(
        "hitrate, precision, recall, ndcg and mrr with k = 10 by default.",
        "Under `rs_metrics` names and defaults are the same as those of the functions.",
        ("hitrate", "precision", "recall", "ndcg", "mrr"),
        "rs_metrics",
    ),
    Statement(
        "AP@k and AR@k divide by k.",
        "`rs_metrics-docs`; since version 0.5 the program divides by the number of relevant items.",
        ("mapr@2", "mar@2", '"mapr(convention=rs_metrics)@2"'),
        "rs_metrics-docs",
    ),
    Statement(
        "coverage(items, recs, k=None): whole lists unless k is given.",
        "`coverage` without a cut-off is `coverage@none`, whatever `top_k` is.",
        ("coverage", "coverage@1"),
        "rs_metrics",
    ),
    Statement(
        "hitrate(true, pred, k=10) and the others are functions of dictionaries {user: [item, …]} or frames.",
        "`receval.functional` has a function for each metric, with these arguments; the convention `rs_metrics` gives the numbers of "
        "rs_metrics.",
        python="""
            from receval.functional import coverage, hitrate, mapr
            true, pred = {1: [1, 2], 2: [3]}, {1: [1, 7], 2: [5, 3]}
            hitrate(true, pred, k=1), mapr(true, pred, k=2, convention="rs_metrics"), coverage([1, 3, 5, 7, 9], pred)
        """,
    ),
)
REPLAY = (
    Statement(
        "HitRate, Precision, MAP, Recall, RocAuc, MRR, NDCG, Surprisal, Coverage.",
        "`replay` is the current library, `replay-experimental` its older metrics, `replay-docs` their documents.",
        ("HitRate@2", "MAP@2", "RocAuc@2", "Surprisal@2", "Coverage@2"),
        "replay-docs",
    ),
    Statement(
        "NCIS: w = f(π now)/f(π before), clipped to [1/threshold, threshold]; R_u = Σ r·w / Σ w.",
        "NCISPrecision, with data.previous_policy.",
        ("NCISPrecision@2", '"NCISPrecision(threshold=2)@2"'),
        "replay-docs",
    ),
    Statement(
        "An activation is applied to the policy values: softmax, sigmoid, and logit, which __init__ names beside it.",
        "`activation` accepts them under every convention; `logit` is another name for `sigmoid`.",
        ('"NCISPrecision(activation=logit)@2"',),
        "replay-docs",
    ),
    Statement(
        "f(π_ui, π_u) uses all values of the user.",
        "`replay-docs` computes the softmax over the whole list. The library first cuts lists to the largest requested k. `over=first_k`, "
        "the default and the value of `replay-experimental`, gives the same as the library with one k at a time.",
        (
            '"NCISPrecision(activation=softmax,threshold=1.1)@1"',
            '"NCISPrecision(activation=softmax,threshold=1.1)@2"',
            '"NCISPrecision(activation=softmax,threshold=1.1,over=first_k)@2"',
        ),
        "replay-docs",
    ),
    Statement(
        "NCISMetric is the base of any reward.",
        "Four rewards: precision, recall, hit rate and nDCG; "
        "[docs/extending.md](extending.md#replay-ncismetric-with-your-own-reward) shows how to add your own.",
        ("NCISPrecision@2", "NCISRecall@2", "NCISHitRate@2", "NCISnDCG@2"),
    ),
    Statement(
        "A metric is called with recommendations, true interactions and k, on data in memory.",
        "The functions of `receval.functional`, and `receval.evaluate` for several metrics at once, accept frames, "
        "dictionaries and matrices.",
        python="""
            recs = [{"user_id": 1, "item_id": 7, "score": 0.9}, {"user_id": 1, "item_id": 2, "score": 0.8}]
            receval.functional.mrr([{"user_id": 1, "item_id": 2}], recs, k=2, convention="replay")
        """,
    ),
    Statement(
        "A confidence interval of any quantile.",
        "`ci95`, `ci99`, or `ci(0.9)`: the half-width of the normal interval of the mean.",
        ("Recall@2",),
        command=("--set", "evaluation.aggregates=[mean, ci95, ci(0.9)]"),
    ),
    Statement(
        "The values of every user.",
        "`--per-user`, as CSV or with `--format jsonl`; `output.per_user` writes them as Parquet, CSV or JSON lines.",
        ("Recall@2",),
        command=("--per-user",),
    ),
    Statement(
        "user_distribution: the mean by number of ratings.",
        "`evaluation.by`: groups of users by their number of train rows, by a column, or cold and warm.",
        ("Recall@2",),
        command=("--set", "evaluation.by=[{train_count: [2, 3]}]"),
        n_blocks=3,
    ),
    Statement(
        "get_enriched_recommendations.",
        "`output.enriched: true` writes the lists with rank, score, relevant, gain and train flag; `receval.enriched` returns them in "
        "Python; `receval explain` shows one list.",
        command=("explain", "Recall@2", CONFIG, "--user", "1"),
        n_blocks=4,
    ),
    Statement(
        "Experiment.compare(name): every model against one of them.",
        "`receval compare`, with intervals and tests.",
        command=(
            *("compare", CONFIG, "--recs", "before=docs/seeds/previous_policy.csv", "--baseline", "before"),
            *("--set", "evaluation.metrics=[Recall@2]"),
        ),
        n_blocks=3,
    ),
    Statement(
        "Experiment.add_result keeps earlier results for comparison.",
        "Folders of results: `receval run -o results/main/`, then `receval compare results/main results/today`.",
        python="""
            receval.evaluate("docs/seeds/seeds.yaml").save(folder + "/main")
            receval.compare({"main": folder + "/main", "today": receval.evaluate("docs/seeds/seeds.yaml")}).differences[0].verdict
        """,
    ),
    Statement(
        "A value that decides whether a model is good enough.",
        "Gates: rules about values and differences, and an exit code.",
        command=("gate", CONFIG, "--rule", "Recall@2 >= 0.5", "--set", "evaluation.metrics=[Recall@2]"),
    ),
    Statement(
        "A metric of one's own is a class that inherits from Metric, NCISMetric or RecOnlyMetric.",
        "It is a function, as [docs/extending.md](extending.md) shows for each of them.",
    ),
)
