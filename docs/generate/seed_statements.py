"""Statements of the documents of five systems, how receval does the same, and a demonstration of each."""

from __future__ import annotations

import runpy
from pathlib import Path

_FORM = runpy.run_path(str(Path(__file__).with_name("statement.py")))
CONFIG, Statement = _FORM["CONFIG"], _FORM["Statement"]
_FUNCTIONS = runpy.run_path(str(Path(__file__).with_name("seed_functions.py")))

CLAYRS = (
    Statement(
        "Precision, Recall and FMeasure of a user: tp/(tp + fp), tp/(tp + fn), and (1 + β²)·P·R/(β²·P + R); for the system "
        "the mean (macro) "
        "or pooled (micro). fp are listed items that are rated below the threshold.",
        "`clayrs-docs` divides Precision by the listed items that the user rated; the program (`clayrs`) divides by all listed items.",
        ("Precision", "Recall", "FMeasure(beta=2)", '"FMeasure(sys_average=micro)"'),
        "clayrs-docs",
    ),
    Statement(
        "An item is relevant if its rating is at least relevant_threshold. Without it the text names each user's mean rating, "
        "and the report prints the mean of all ratings.",
        "Without a threshold `clayrs` uses the user's mean test rating. `all_mean` is the mean of all ratings, in the test file and in "
        "data.train; here 45/13, so 4 and 5 are relevant. A threshold in a measure is part of its label.",
        ("Recall", '"Recall(relevant_threshold=all_mean)"', '"Recall(relevant_threshold=2)"'),
        "clayrs-docs",
    ),
    Statement(
        "The classes without AtK use the whole list, those with AtK the first K items.",
        "A metric without a cut-off uses the whole list if the config has no `top_k`; an AtK class without K is refused.",
        ("Precision", "PrecisionAtK@1", "MAP", "MAPAtK@2"),
        "clayrs",
    ),
    Statement(
        "R-Precision = tp@R/(tp@R + fp@R), where fp@R are items listed down to R and rated below the threshold; micro and macro.",
        "`clayrs-docs` divides by the rated items among the first R, `clayrs` by the smaller of R and the length of the list.",
        ("RPrecision", '"RPrecision(sys_average=micro)"', '"RPrecision(convention=clayrs)"'),
        "clayrs-docs",
    ),
    Statement(
        "NDCG: DCG = Σ f(r)/log_x(2 + i) over the ratings of the predicted items, i their index in that list; f is linear or exponential; "
        "IDCG is the DCG of their ideal ranking; users without one (NaN) are left out.",
        "`clayrs` and `clayrs-docs` rank the listed items that the user rated among themselves and divide by their best order.",
        ("NDCG", '"NDCG(gains=exponential)"'),
        "clayrs-docs",
    ),
    Statement(
        "x is the base of the logarithm.",
        "Only `clayrs` reads `discount_log`, which also identifies a block of ClayRS. The base cancels out.",
        ('"NDCG(discount_log=np.log10)"',),
        "clayrs",
    ),
    Statement(
        "NDCG@K: the ratings are cut at the first k predictions.",
        "`clayrs-docs` divides by the best order of the ratings that are left; the program by the best k of all of them.",
        ("NDCGAtK@1", '"NDCGAtK(convention=clayrs)@1"'),
        "clayrs-docs",
    ),
    Statement(
        "MRR = 1/|Q| · Σ 1/rank, where Q is the set of recommendation lists.",
        "`clayrs-docs` averages over all lists, and lists without a relevant item count 0; the program leaves their users out.",
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
        "The report names K, β, the threshold and the average of each measure.",
        "They are in the label of the measure, or below the table and in `relevance` and `cutoff_from` of each value in JSON.",
        ("PrecisionAtK@2", '"FMeasureAtK(relevant_threshold=4)@2"'),
        "clayrs",
        ("--set", "evaluation.relevance.threshold=3"),
        n_blocks=2,
    ),
    Statement(
        "The report: a LaTeX document with a section for every metric that was computed, its formula and its parameters.",
        "`-o report.tex` writes it, and so does `result.report` in Python; [docs/latex.md](latex.md) lists its parts.",
        python="""
            result = receval.evaluate("docs/seeds/seeds.yaml")
            result.report(folder + "/report.tex")
            re.findall(r"section.*{(.*)}", open(folder + "/report.tex").read())
        """,
    ),
    Statement(
        "my_dict['interactions']: users, items, interactions, sparsity, the smallest, the mean and the largest rating.",
        "`receval describe` gives density (1 - sparsity) for the test file, train and every model.",
        command=("describe", CONFIG),
        n_blocks=2,
    ),
    Statement(
        "Results over several folds, n_split of the report.",
        "`data.folds`: the mean over the folds, their standard deviation, and the values of each.",
        ("Recall@2",),
        command=("--set", "data.folds=[{name: a, test: test.csv}, {name: b, test: train.csv}]", "--set", "data.test=null"),
    ),
)
WARPREC = (
    Statement(
        "Precision, Recall, HitRate, MAP, MAR, MRR and nDCG at K by their formulas; nDCG has the gain 2^r - 1, nDCGRendle2020 is binary.",
        "`warprec-docs`; under `warprec` nDCG uses the gain 2^(r+1) - 1, as the program does.",
        ("Precision@2", "MAP@2", "MAR@2", "nDCG@2", "nDCGRendle2020@2"),
        "warprec-docs",
    ),
    Statement(
        "AUC = 1/|P| · Σ |{j ∈ N_u : r_ui > r_uj}|/|N_u|, with a strict >; GAUC is its mean over users.",
        "The axis `auc_ties` sets how a pair with equal scores counts: not at all (`strict`, as in `warprec-docs`), as a half (`half`), or "
        "by the order of the list (`list_order`, the default). With `list_order` the check R04 gives the bounds of AUC and GAUC over "
        "all orders.",
        ("AUC", "GAUC", '"GAUC(ties=half)"', '"GAUC(ties=list_order)"'),
        "warprec-docs",
    ),
    Statement(
        "AUC is the chance that a relevant item ranks above an irrelevant one.",
        "This is true if every model lists all items. Items that are not in the list count as ranked below it, and relevant items among "
        "them add 0, so the mean over cut lists is lower. `over=hits` averages only over the listed relevant items.",
        ("AUC", '"AUC(over=hits)"'),
        "warprec-docs",
    ),
    Statement(
        "F1@K is a formula of Precision@K and Recall@K, which the page defines as means over users.",
        "The axis `f_of` is `means` under `warprec-docs`; elsewhere it is `users`, the mean of the F of each user.",
        ("F1@2", '"F1(of=users)@2"'),
        "warprec-docs",
    ),
    Statement(
        "Extended-F1 of any two metrics, as {name: F1, params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}}.",
        "Under `warprec-docs` it is the F of the two values of the table; pooled values, and those of the whole model, are combined as "
        "arithmetic, which is the name of the value. Elsewhere it is the mean of the F of each user.",
        (
            "nDCG",
            "MAP",
            "{name: F1, params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}, k: 2}",
            "{name: F1, params: {metric_name_1: nDCG, metric_name_2: ItemCoverage}, k: 2}",
        ),
        "warprec-docs",
        ("--set", "evaluation.top_k=2"),
    ),
    Statement(
        "evaluation: {top_k: [10, 20, 50], metrics: [...], complex_metrics: [...]}.",
        "The block is read as it is. Add `convention: warprec` or `warprec-docs` to get the numbers of WarpRec.",
        command=[
            *("run", CONFIG, "--set", "evaluation.convention=warprec", "--set", "evaluation.top_k=[1,2]"),
            *("--set", "evaluation.metrics=[nDCG]", "--set", "evaluation.complex_metrics=[{name: F1, params: {metric_name_1: nDCG}}]"),
        ],
    ),
    Statement(
        "Classes of metrics to import.",
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
        "DCG = Σ g(v_k)/log2(1 + k), where g is a degree of relevance such as the weight of an edge.",
        "`relison-docs` uses the rating in the test file as the gain; under `relison` nDCG is binary, as in the program.",
        ("nDCG@2", '"nDCG(convention=relison)@2"'),
        "relison-docs",
    ),
    Statement(
        "P = |R_u ∩ relevant(u)|/|R_u|, by the length of the ranking.",
        "`relison-docs`; the program divides by the cutoff, 5 here.",
        ("Precision@5", '"Precision(convention=relison)@5"'),
        "relison-docs",
    ),
    Statement(
        "MAP: {cutoff: {type: int, values: [1, 5, 10]}}, also a range.",
        "Grids are read as they are, at the top of a config, under `evaluation` and under `metrics`; add `convention: relison-docs` to "
        "get the numbers of the documents.",
        ("{MAP: {cutoff: {type: int, values: [1], range: {start: 2, end: 3, step: 1}}}}",),
        "relison-docs",
    ),
    Statement(
        "More metrics can be defined through the interfaces of RankSys.",
        "`receval.metric` makes a metric from a function, in Python, for `--plugin FILE` and for packages, without a change of the source "
        "tree. [docs/extending.md](extending.md) has examples, which a test runs. Arithmetic of metrics needs no code.",
        ('"0.5*nDCG@2 + 0.5*MAP@2"',),
    ),
)
SECTIONS = {
    "ClayRS": CLAYRS,
    "WarpRec": WARPREC,
    "RELISON": RELISON,
    "rs_metrics": _FUNCTIONS["RS_METRICS"],
    "RePlay": _FUNCTIONS["REPLAY"],
}
