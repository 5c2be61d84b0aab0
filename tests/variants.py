"""Every metric of the registry with every value of the axes of its formula, and every value of the axes that all metrics have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from receval.conventions import AXES, PROTOCOL, load
from receval.metrics import METRICS, Metric, find, resolve
from receval.syntax.measure_strings import Scalar, parse

CUTOFFS: Final = (1, 3, None)
COLUMN: Final = "group"
"""Column of the files of users and items that parameters such as `by` name."""
NAMED: Final[dict[str, Scalar]] = {"by": COLUMN, "users": COLUMN, "items": COLUMN, "column": "items.price", "gamma": 1.7}
"""Values of parameters that must be given in worlds."""


def needed(entry: Metric) -> dict[str, Scalar]:
    """Return the parameters of a metric that must be given, with their values in worlds."""
    return {key: NAMED[key] for key, parameter in (*entry.texts.items(), *entry.numbers.items()) if parameter.default is None}


TOGETHER: Final = (
    "MAP(denominator=k,ranks=all)",
    "MAR(denominator=k,ranks=all)",
    "nDCG(gain=binary,ideal=k_items)",
    "F1(beta=2,weight=beta)",
    "Surprisal(norm=log2_users,unit=rows)",
    "EPC(relevance=gain,gain=exp2_plus1,discount=none,norm=k)",
    "EFD(relevance=none,discount=none,unseen=one)",
    "TailPercentage(ratio=3)",
    "TailPercentage(ratio=3,count=rows)",
    "EFD(unseen=one,count=rows)",
    "DeltaGap(of=train_and_test,count=rows)",
    "AlphaNDCG(ideal=places)@3",
    "AlphaNDCG(ideal=every_category)@3",
    "AlphaNDCG(ideal=greedy_text_desc,categories_of=test)",
    "ERRIA(ideal=every_category)@3",
    "ERRIA(ideal=greedy,categories_of=test)",
    "SRecall(of=relevant,categories_of=test)",
)
"""Settings that are only allowed, or only matter, together."""

NUMBERS: Final = (
    "HitRate(at_least=2)",
    "RPrecision(multiple=0.4,within=3)",
    "DCG(log_base=10)",
    "InterpolatedPrecision(recall=0.5)",
    "F1(beta=0.5)",
    "F1(nDCG,MAP,beta=2)",
    "F1(GAUC,nDCG)",
    "AUC(over=hits)",
    "ItemCoverage(more=1)",
    "Intersection(ref_k=2)",
    "APLT(ratio=0.5)",
    "PopREO(ratio=0.5,border=exceeds)",
    "TailPercentage(ratio=0.5)",
    "AlphaNDCG(alpha=1)",
    "ERRIA(grade=1)",
    "REO(by=group,group=new)",
    "RSP(by=group,group=old)",
    "ExposureParity(by=group,group=old)",
    "UserMADRanking(Recall,by=group)",
    *(f"BiasDisparity{form}(users=group,items=group,user_group=a,item_group=old)" for form in ("BS", "BR", "BD")),
    "DeltaGap(by=group)",
    "DeltaGap(shares=0.5;0.5,group=2)",
    "EucDistance(MRR,Precision,HitRate,points=1;0.5;1)",
    "Hypervolume(points=1;0.2,higher_is_better=false;true)",
    *(f"{name}(column=rows.rating)" for name in ("Revenue", "RevenueShare", "Profit", "WeightedRecall", "WeightedHitRate")),
    *(f"{name}(weight=rows.rating)" for name in ("Recall", "HitRate", "DCG", "nDCG")),
    "nDCGRendle2020(weight=items.price)",
    "Recall(denominator=min_r_k,weight=items.price)",
    *(f"{name}(gamma=1.7,count={count})" for name in ("SNIPSRecall", "SNIPSDCG") for count in ("users", "rows")),
    *(f"{name}(ips={column})" for name in ("SNIPSRecall", "SNIPSDCG") for column in ("items.price", "rows.rating")),
    "SNIPSDCG(gamma=0.5,floor=0.1,gain=linear)",
    "F1(WeightedPrecision(column=items.price),RevenueShare(column=rows.rating))",
)


def _formulas() -> Iterator[str]:
    default = load("receval").axes
    for entry in METRICS.values():
        own = needed(entry)
        yield _written(entry, own)
        for parameter, axis in entry.axes.items():
            for value in AXES[axis].values:
                if value != default[axis]:
                    yield _written(entry, {**own, parameter: value})
        for parameter, number in entry.numbers.items():
            others = (value for value in (0.5, 2, 1, 0.1, 3) if number.least <= value <= number.most and value != number.default)
            yield next(filter(_is_allowed, (_written(entry, {**own, parameter: value}) for value in others)))


def _written(entry: Metric, params: Mapping[str, Scalar]) -> str:
    arguments = ",".join(f"{key}={value}" for key, value in params.items())
    return f"{entry.name}({arguments})" if arguments else entry.name


def _is_allowed(text: str) -> bool:
    try:
        spec = parse(text)
        resolve(spec.at(None) if find(spec.name).cut else spec, load("receval"))
    except ValueError:
        return False
    return True


FORMULAS: Final = tuple(dict.fromkeys((*filter(_is_allowed, _formulas()), *TOGETHER, *NUMBERS)))
"""Every metric with every value of the axes of its formula."""

PROTOCOLS: Final = tuple(
    f"{name}({axis}={value})"
    for axis in PROTOCOL
    for value in AXES[axis].values
    if value != load("receval").axes[axis] and axis != "threshold"
    for name in ("Precision", "nDCG", "MRR", "ARP", "ItemCoverage")
    if not (axis == "average" and (value in ("micro", "own", "weighted") or name == "ItemCoverage"))
)
"""Every value of the axes that all metrics have, on metrics that read lists in different ways."""

SINGLE: Final = (
    "Gini(population=test)",
    "PopREO(no_truth=zero)",
    "nDCG(threshold=3)",
    "Recall(threshold=user_mean)",
    "MAP(convention=elliot)",
    "nDCG(convention=clayrs)",
)
VARIANTS: Final = (*FORMULAS, *PROTOCOLS, *SINGLE)

_BY_ROW: Final = ("=file", "truth_duplicates=first", "truth_duplicates=last", "=keep_last_row")
FILE_ORDER: Final = (*(label for label in PROTOCOLS if any(part in label for part in _BY_ROW)), "convention=", "first_row")
"""Settings that can depend on the order of the rows in a file."""
AS_TEXT: Final = tuple(label for label in PROTOCOLS if "=text" in label)
"""Settings that read ids as text."""


def without(*parts: str) -> list[str]:
    """Return the variants that contain none of `parts`."""
    return [text for text in VARIANTS if not any(part in text for part in parts)]
