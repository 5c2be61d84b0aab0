"""What the documents of five systems say, how receval does it, and the commands that show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CONFIG = "docs/seeds/seeds.yaml"


@dataclass(frozen=True)
class Statement:
    """A statement of a document, how receval does it, and what shows it: metrics under a convention, a command, or Python.

    What nothing shows is not there: the page lists it as such.
    """

    says: str
    how: str
    metrics: Sequence[str] = ()
    convention: str = "receval"
    command: Sequence[str] = ()
    python: str = ""
    """Lines of Python; the last is an expression."""
    n_blocks: int = 1
    """How many blocks of what it prints, with an empty line between, are shown."""

    @property
    def is_there(self) -> bool:
        """Whether something shows it."""
        return bool(self.metrics or self.command or self.python)

    def words(self) -> list[str]:
        """The words of the command after `receval`."""
        if not self.metrics:
            return list(self.command)
        chosen = [] if self.convention == "receval" else ["--set", f"evaluation.convention={self.convention}"]
        return ["run", CONFIG, *chosen, "--set", f"evaluation.metrics=[{', '.join(self.metrics)}]", *self.command]


CLAYRS = (
    Statement(
        "Precision, Recall and FMeasure of a user: tp/(tp + fp), tp/(tp + fn), and (1 + β²)·P·R/(β²·P + R); for the system "
        "the mean (macro) "
        "or pooled (micro). fp are listed items that are rated below the threshold.",
        "`clayrs-docs` divides Precision by the listed items that the user rated; the program, `clayrs`, by all that are listed.",
        ("Precision", "Recall", "FMeasure(beta=2)", '"FMeasure(sys_average=micro)"'),
        "clayrs-docs",
    ),
    Statement(
        "Relevant is a rating of at least relevant_threshold; without it the text says each user's mean rating, the report prints "
        "the mean of all ratings (rows 10, 11).",
        "Without a threshold `clayrs` takes the user's mean test rating. `all_mean` is the mean of all ratings, of the test file and of "
        "data.train; here 45/13, so that 4 and 5 are relevant. The threshold that a measure names stands in its label.",
        ("Recall", '"Recall(relevant_threshold=all_mean)"', '"Recall(relevant_threshold=2)"'),
        "clayrs-docs",
    ),
    Statement(
        "The classes without AtK look at the whole list, those with AtK at the first K (row 67).",
        "A metric without a cut-off looks at the whole list where the config gives no `top_k`; an AtK class without K is refused.",
        ("Precision", "PrecisionAtK@1", "MAP", "MAPAtK@2"),
        "clayrs",
    ),
    Statement(
        "R-Precision = tp@R/(tp@R + fp@R), fp@R being listed to R and rated below the threshold; micro and macro (rows 35, 37, 38).",
        "`clayrs-docs` divides by the rated items among the first R, `clayrs` by the smaller of R and the length of the list.",
        ("RPrecision", '"RPrecision(sys_average=micro)"', '"RPrecision(convention=clayrs)"'),
        "clayrs-docs",
    ),
    Statement(
        "NDCG: DCG = Σ f(r)/log_x(2 + i) over the ratings of the predicted items, i their index in that list; f is linear or exponential; "
        "IDCG is the DCG of their ideal ranking; users without one (NaN) are left out (rows 51, 55, 56, 58).",
        "`clayrs` and `clayrs-docs` rank the listed items that the user rated among themselves and divide by their best order.",
        ("NDCG", '"NDCG(gains=exponential)"'),
        "clayrs-docs",
    ),
    Statement(
        "x is the base of the logarithm (row 54).",
        "`discount_log` is read alone under `clayrs`, and tells that a block is ClayRS'. It cancels out.",
        ('"NDCG(discount_log=np.log10)"',),
        "clayrs",
    ),
    Statement(
        "NDCG@K: the ratings are cut at the first k predictions (row 59).",
        "`clayrs-docs` divides by the best order of what is left; the program by the best k of all of them.",
        ("NDCGAtK@1", '"NDCGAtK(convention=clayrs)@1"'),
        "clayrs-docs",
    ),
    Statement(
        "MRR = 1/|Q| · Σ 1/rank, Q being the set of recommendation lists (rows 62, 66).",
        "`clayrs-docs` averages over all lists, those without a relevant item counting 0; the program leaves their users out.",
        ('"MRR(relevant_threshold=4)"', '"MRR(convention=clayrs,relevant_threshold=4)@none"'),
        "clayrs-docs",
    ),
    Statement(
        "MSE, RMSE and MAE of a user over the predicted test items, averaged over users; without a predicted item NaN.",
        "The scores of the lists are the predictions, or those of data.predictions.",
        ("MSE", "RMSE", "MAE"),
        "clayrs-docs",
    ),
    Statement(
        "The report names K, β, the threshold and the average of each measure (rows 11, 21, 25, 30, 34, 38, 66).",
        "They are in its label, or below the table and in the columns `relevance` and `cutoff_from` of the long table.",
        ("PrecisionAtK@2", '"FMeasureAtK(relevant_threshold=4)@2"'),
        "clayrs",
        ("--set", "evaluation.relevance.threshold=3"),
        n_blocks=2,
    ),
    Statement(
        "The report: a LaTeX document with a section for every metric that was computed, its formula and its parameters (rows 1, 2, 70).",
        "`-o report.tex` writes it, also `result.report` in Python; [docs/latex.md](latex.md) has its parts.",
        python="""
            result = receval.evaluate("docs/seeds/seeds.yaml")
            result.report(folder + "/report.tex")
            re.findall(r"section.*{(.*)}", open(folder + "/report.tex").read())
        """,
    ),
    Statement(
        "my_dict['interactions']: users, items, interactions, sparsity, the least, the mean and the largest rating (row 4).",
        "`receval describe`, which says density, 1 - sparsity, of the test file, of train and of every model.",
        command=("describe", CONFIG),
        n_blocks=2,
    ),
    Statement(
        "Results over several folds, n_split of the report (row 69).",
        "`data.folds`: the mean over the folds, their standard deviation, and the values of each.",
        ("Recall@2",),
        command=("--set", "data.folds=[{name: a, test: test.csv}, {name: b, test: train.csv}]", "--set", "data.test=null"),
    ),
)
WARPREC = (
    Statement(
        "Precision, Recall, HitRate, MAP, MAR, MRR and nDCG at K by their formulas; nDCG has the gain 2^r - 1, nDCGRendle2020 is binary.",
        "`warprec-docs`; under `warprec` nDCG has the gain 2^(r+1) - 1, as the program.",
        ("Precision@2", "MAP@2", "MAR@2", "nDCG@2", "nDCGRendle2020@2"),
        "warprec-docs",
    ),
    Statement(
        "AUC = 1/|P| · Σ |{j ∈ N_u : r_ui > r_uj}|/|N_u|, with a strict >; GAUC is its mean over users (rows 86, 95).",
        "The axis `auc_ties` says what a pair with equal scores counts: nothing (`strict`, as in `warprec-docs`), a half (`half`), or "
        "what the order of the list says (`list_order`, the default). With `list_order` the check R04 gives the bounds of "
        "AUC and GAUC over "
        "all orders.",
        ("AUC", "GAUC", '"GAUC(ties=half)"', '"GAUC(ties=list_order)"'),
        "warprec-docs",
    ),
    Statement(
        "AUC is the chance that a relevant item ranks above an irrelevant one (row 84).",
        "It is where every model lists all items. What a list leaves out stands below it, and a relevant item among that "
        "adds 0: the mean over "
        "cut lists is lower. `over=hits` averages over the listed relevant items alone.",
        ("AUC", '"AUC(over=hits)"'),
        "warprec-docs",
    ),
    Statement(
        "F1@K is a formula of Precision@K and Recall@K, which the page defines as means over users (row 89).",
        "The axis `f_of`: `means` under `warprec-docs`, and `users`, the mean of the users' F, elsewhere.",
        ("F1@2", '"F1(of=users)@2"'),
        "warprec-docs",
    ),
    Statement(
        "Extended-F1 of any two metrics, as {name: F1, params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}} (row 92).",
        "Two metrics with a value per user are combined for each user; metrics of the whole model by arithmetic, which the message names.",
        (
            "{name: F1, params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}, k: 2}",
            '"2*nDCG@2*ItemCoverage@2/(nDCG@2 + ItemCoverage@2)"',
        ),
    ),
    Statement(
        "evaluation: {top_k: [10, 20, 50], metrics: [...], complex_metrics: [...]}.",
        "The block is read as it is. With `convention: warprec` or `warprec-docs` beside it the numbers are WarpRec's (rows 117, 118).",
        command=[
            *("run", CONFIG, "--set", "evaluation.convention=warprec", "--set", "evaluation.top_k=[1,2]"),
            *("--set", "evaluation.metrics=[nDCG]", "--set", "evaluation.complex_metrics=[{name: F1, params: {metric_name_1: nDCG}}]"),
        ],
    ),
    Statement(
        "Classes of metrics to import (row 83).",
        "A metric is a name in `metrics`, and a function of `receval.functional`.",
    ),
)
RELISON = (
    Statement(
        "AP = Σ P@k·rel(k) / |relevant(u)|, MAP its mean; R = |R_u ∩ relevant(u)|/|relevant(u)|.",
        "`relison` and `relison-docs`.",
        ("MAP@2", "Recall@2"),
        "relison-docs",
    ),
    Statement(
        "DCG = Σ g(v_k)/log2(1 + k), g being a degree of relevance such as the weight of an edge (rows 126, 127).",
        "`relison-docs` takes the rating of the test file as the gain; under `relison` nDCG is binary, as the program computes it.",
        ("nDCG@2", '"nDCG(convention=relison)@2"'),
        "relison-docs",
    ),
    Statement(
        "P = |R_u ∩ relevant(u)|/|R_u|, by the length of the ranking (row 132).",
        "`relison-docs`; the program divides by the cutoff, 5 here.",
        ("Precision@5", '"Precision(convention=relison)@5"'),
        "relison-docs",
    ),
    Statement(
        "MAP: {cutoff: {type: int, values: [1, 5, 10]}}, also a range (row 140).",
        "Grids are read as they are; `convention: relison-docs` beside them makes the numbers RELISON's.",
        ("{MAP: {cutoff: {type: int, values: [1], range: {start: 2, end: 3, step: 1}}}}",),
        "relison-docs",
    ),
    Statement(
        "More metrics can be defined through the interfaces of RankSys (row 120).",
        "`receval.metric` makes a metric of a function, in Python, for `--plugin FILE` and for packages, without a change of the source "
        "tree; [docs/extending.md](extending.md) has examples, which are run by a test. Arithmetic of metrics needs no code.",
        ('"0.5*nDCG@2 + 0.5*MAP@2"',),
    ),
)
RS_METRICS = (
    Statement(
        "hitrate, precision, recall, ndcg and mrr with k = 10 by default.",
        "Under `rs_metrics` names and defaults are those of the functions.",
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
        "coverage(items, recs, k=None): whole lists unless k is given (row 174).",
        "`coverage` alone is `coverage@none`, whatever `top_k` says.",
        ("coverage", "coverage@1"),
        "rs_metrics",
    ),
    Statement(
        "hitrate(true, pred, k=10) and the others are functions of dictionaries {user: [item, …]} or frames (rows 143 to 158 and 176).",
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
        "`replay` is the library of today, `replay-experimental` its older metrics, `replay-docs` the documents of these.",
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
        "An activation is applied to the policy values: softmax, sigmoid, and logit, which __init__ names beside it (row 200).",
        "`activation` takes them under every convention; `logit` is another name of `sigmoid`.",
        ('"NCISPrecision(activation=logit)@2"',),
        "replay-docs",
    ),
    Statement(
        "f(π_ui, π_u) looks at all values of the user (row 201).",
        "`replay-docs` has the softmax over the whole list. The library cuts lists to the largest k that it is asked for "
        "first; `over=first_k`, the "
        "default and that of `replay-experimental`, is the library with one k at a time.",
        (
            '"NCISPrecision(activation=softmax,threshold=1.1)@1"',
            '"NCISPrecision(activation=softmax,threshold=1.1)@2"',
            '"NCISPrecision(activation=softmax,threshold=1.1,over=first_k)@2"',
        ),
        "replay-docs",
    ),
    Statement(
        "NCISMetric is the base of any reward (row 206).",
        "Four rewards: precision, recall, hit rate and nDCG; "
        "[docs/extending.md](extending.md#replay-ncismetric-with-a-reward-of-ones-own) has one of one's own.",
        ("NCISPrecision@2", "NCISRecall@2", "NCISHitRate@2", "NCISnDCG@2"),
    ),
    Statement(
        "A metric is called with recommendations, true interactions and k, on data in memory (row 177).",
        "The functions of `receval.functional`, or `receval.evaluate` for several at once, take frames, dictionaries and matrices.",
        python="""
            recs = [{"user_id": 1, "item_id": 7, "score": 0.9}, {"user_id": 1, "item_id": 2, "score": 0.8}]
            receval.functional.mrr([{"user_id": 1, "item_id": 2}], recs, k=2, convention="replay")
        """,
    ),
    Statement(
        "A confidence interval of any quantile (row 217).",
        "`ci95`, `ci99`, or `ci(0.9)`: half the width of the normal interval of the mean.",
        ("Recall@2",),
        command=("--set", "evaluation.aggregates=[mean, ci95, ci(0.9)]"),
    ),
    Statement(
        "The values of every user (row 218).",
        "`--per-user`, as CSV or with `--format jsonl`; `output.per_user` writes them as Parquet, CSV or JSON lines.",
        ("Recall@2",),
        command=("--per-user",),
    ),
    Statement(
        "user_distribution: the mean by number of ratings (row 219).",
        "`evaluation.by`: groups of users by their rows of data.train, by a column, cold and warm.",
        ("Recall@2",),
        command=("--set", "evaluation.by=[{train_count: [2, 3]}]"),
        n_blocks=3,
    ),
    Statement(
        "get_enriched_recommendations (row 210).",
        "`output.enriched: true` writes the lists with rank, score, relevant, gain and train flag, and `receval.enriched` gives them in "
        "Python; `receval explain` shows one.",
        command=("explain", "Recall@2", CONFIG, "--user", "1"),
        n_blocks=4,
    ),
    Statement(
        "Experiment.compare(name): every model against one of them (row 213).",
        "`receval compare`, with intervals and tests.",
        command=(
            *("compare", CONFIG, "--recs", "before=docs/seeds/previous_policy.csv", "--baseline", "before"),
            *("--set", "evaluation.metrics=[Recall@2]"),
        ),
        n_blocks=3,
    ),
    Statement(
        "Experiment.add_result keeps what was evaluated earlier, to be compared with (row 214).",
        "Folders of results: `receval run -o results/main/`, then `receval compare results/main results/today`.",
        python="""
            receval.evaluate("docs/seeds/seeds.yaml").save(folder + "/main")
            receval.compare({"main": folder + "/main", "today": receval.evaluate("docs/seeds/seeds.yaml")}).differences[0].verdict
        """,
    ),
    Statement(
        "A value that decides whether a model is good enough (row 232).",
        "Gates: rules about values and differences, and an exit code.",
        command=("gate", CONFIG, "--rule", "Recall@2 >= 0.5", "--set", "evaluation.metrics=[Recall@2]"),
    ),
    Statement(
        "A metric of one's own is a class that inherits from Metric, NCISMetric or RecOnlyMetric (row 209).",
        "It is a function, as [docs/extending.md](extending.md) shows for each of them.",
    ),
)
SECTIONS = {
    "ClayRS": CLAYRS,
    "WarpRec": WARPREC,
    "RELISON": RELISON,
    "rs_metrics": RS_METRICS,
    "RePlay": REPLAY,
}
