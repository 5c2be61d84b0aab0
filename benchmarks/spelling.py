"""A row of the references → the measure string with its value, in the spelling of the library's convention."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from libraries import LIBRARIES, Row
from receval import conventions, metrics
from receval.syntax.measure_strings import UNSET, MetricSpec, Scalar

ABOUT_INPUT = {
    *("relevance_level", "backend", "grades", "make_comparable", "relevance_threshold", "truth", "mode"),  # the test file
    *("num_items", "numItems", "catalog", "items", "top_n", "input", "note", "user_profiles", "log"),  # the lists, the catalogue
    *("aspects", "category", "categories", "ref_reco", "base", "base_recommendations", "prev_policy"),  # side inputs
    *("provider", "prediction", "missing_scores", "missing_truth", "mean"),
}
EVERY_USER = (("no_relevant", "zero"), ("no_truth", "zero"))
LISTED_USERS = (("missing_lists", "drop"),)
AGGREGATES = {"Median": "median", "ConfidenceInterval": "ci95"}
REASONS = (
    ("debias", "the library draws a sample that only its own random generator can repeat"),
    ("pandas.*one row per genre", "the library sorts the genres of an item in no stated order"),
    ("left at -inf", "the library was given no number for some pairs, and has none for their mean"),
    ("bpref-l", "the library stops at the first query without a relevant document, and counts the following 0"),
)


@dataclass(frozen=True)
class Query:
    """The value to compare with a row: its definition, the parameters that separate it from others of the model, and the aggregate."""

    definition: metrics.Definition
    part: tuple[tuple[str, Scalar], ...]
    mode: str | None

    @property
    def label(self) -> str:
        """Label of the row of the result that has the value."""
        spec = self.definition.spec
        titled = MetricSpec(spec.name, spec.components, (*spec.params, *self.part), spec.k)
        return titled.title if not self.definition.metric.cut or spec.k is UNSET else str(titled)


def users(row: Row, name: str) -> dict[str, Scalar]:
    """Return the parameter for the users that the values were averaged over, if the caller of the library chose them."""
    note = row.get("note") or ""
    listed = "truth" in (row.get("params") or {}) or (name == "a_ndcg" and "without a list" in note)
    return dict(EVERY_USER if note == "U1" else LISTED_USERS if listed else ())


Names = Mapping[tuple[str, str], Sequence[Scalar]]
"""`users` or `items` and a column of groups → the names of the groups, in the order in which libraries number them."""


def unsupported(row: Row, names: Names) -> str:
    """Return the reason in the row itself why it cannot be compared; empty if it can."""
    library = LIBRARIES.get(row["library"])
    if library is None:
        return "a library without a convention"
    note = row.get("note") or ""
    text = f"{row['metric']} {json.dumps(row.get('params') or {})} {note}"
    for sign, reason in REASONS:
        if re.search(sign, text):
            return reason
    if row["value"] is None and "ERROR" in note:
        return f"the library fails: {note[note.index('ERROR') + 6 :].partition(';')[0][:60]}"
    conventions.load(library.convention)  # an unreadable convention raises here, and is not a reason
    try:
        query_of(row, names)
    except ValueError as error:
        return f"{row['metric'].partition('@')[0]}: {error}"
    return ""


def query_of(row: Row, names: Names) -> Query:
    """Return the value to compare with a row."""
    convention = conventions.load(LIBRARIES[row["library"]].convention)
    name, given, part = measure(row, names)
    inner = ",".join(f"{key}={shown(value)}" for key, value in given.items() if value is not None)
    whole = f"{name}{',' if '(' in name and inner else ''}{inner})" if "(" in name else f"{name}({inner})" if inner else name
    whole = str(row["metric"]).replace(" ", "") if row["library"] == "ir-measures" else whole  # it writes parameters itself
    spec = convention.parse(whole if row["k"] is None or "@" in whole else f"{whole}@{row['k']}")
    entry = metrics.find(convention.read(spec).name)
    if not entry.cut:
        spec = spec.at(UNSET)
    elif not isinstance(convention.read(spec).k, int):
        spec = spec.at(None)
    mode = AGGREGATES.get((row.get("params") or {}).get("mode", ""))
    return Query(metrics.resolve(spec, convention, conventions.load), part, mode)


def shown(value: Scalar) -> str:
    """Return a value in the spelling of a measure string."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"'{text}'" if " " in text else text


Parts = tuple[tuple[str, Scalar], ...]


def measure(row: Row, names: Names) -> tuple[str, dict[str, Scalar], Parts]:
    """Return the name of a row's metric (with an open parenthesis if it combines others), its parameters, and the part of the model."""
    params = row.get("params") or {}
    given = {key.replace(" ", "_"): value for key, value in params.items() if key not in ABOUT_INPUT}
    name, told, part = split(row["metric"], str(params.get("mode")), names)
    if row["library"] == "warprec" and names:
        name, told, part = clusters(name, names)
    given |= told
    if str(given.get("gain")).startswith("2^"):
        given.pop("gain")
    if "set" in given:
        given |= dict(setting.split("=") for setting in given.pop("set").replace("True", "true").replace("False", "false").split(","))
    if "metric_0" in given:
        name += f"({given.pop('metric_0')},{given.pop('metric_1')}"
    if name.startswith("KCall"):
        given["at_least"] = given.pop("k", 1)
    if name.startswith("r_precision_at_k"):
        given["within"] = row["k"]
    if str(given.get("distance")).startswith("Hamming"):
        given["distance"] = "hamming"
    if str(given.get("tail_ratio")).startswith("default"):
        given.pop("tail_ratio")
    if str(params.get("aspects")).startswith("per user: one list of test items"):
        given["redundancy"] = "hits"  # no other item has an aspect
    if params.get("items") == "train vocabulary":
        given["of"] = "train"
    if "user_groups" in given:  # ClayRS: the shares of users by the name of their group
        shares = given.pop("user_groups")
        given["shares"] = ";".join(map(str, shares.values()))
        part = (("group", list(shares).index(row["metric"].partition(" | ")[2]) + 1),)
    if name == "Coverage" and params.get("backend") == "polars":
        given["tie_order"] = "file"
    given |= dict(LIBRARIES[row["library"]].more)
    given |= users(row, name)
    return name, given, part


def split(metric: str, mode: str, names: Names) -> tuple[str, dict[str, Scalar], Parts]:
    """Return a name without the additions of a report, the parameters in these, and the part of the model."""
    name, _, rest = metric.partition(" | ")
    name = name.partition(f"-{mode}")[0]
    pair = re.fullmatch(r"\w+_users:(\w+)-(\d+)_items:(\w+)-(\d+)", rest)
    if pair:  # Elliot numbers groups from 0
        groups = names["users", pair[1]][int(pair[2])], names["items", pair[3]][int(pair[4])]
        return name, {}, (("user_group", groups[0]), ("item_group", groups[1]))
    one = re.fullmatch(r"\w+-ProbToBeRanked_items:(\w+)-(\d+)", rest)
    if one:
        return name, {"group": names["items", one[1]][int(one[2])]}, ()
    return name, {}, ()


def clusters(name: str, names: Names) -> tuple[str, dict[str, Scalar], Parts]:
    """Return the same from WarpRec's names, which number groups from 1; it has one grouping of users and one of items."""
    (users,), (items,) = ([column for table, column in names if table == wanted][:1] for wanted in ("users", "items"))
    found = re.fullmatch(r"(BiasDisparity\w\w)_UC(\d+)_IC(\d+)", name)
    if found:
        groups = names["users", users][int(found[2]) - 1], names["items", items][int(found[3]) - 1]
        return found[1], {"users": users, "items": items}, (("user_group", groups[0]), ("item_group", groups[1]))
    found = re.fullmatch(r"(REO|RSP)_IC(\d+)", name)
    if found:
        return found[1], {"by": items, "group": names["items", items][int(found[2]) - 1]}, ()
    by = users if name.startswith("UserMAD") else items if name in ("REO", "RSP") or name.startswith("ItemMAD") else ""
    return name, {"by": by} if by else {}, ()


def combination(row: Row) -> str:
    """Return library and metric, as the table names them."""
    return re.sub(r"@\d+", "@k", re.sub(r"_(\d+)$", "_k", str(row["metric"])))
