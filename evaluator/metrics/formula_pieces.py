"""Pieces of formulas in LaTeX that several families share, by the value of the parameter that chooses them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..names.measure_strings import Scalar

SIZES: Final = {
    "k": "k",
    "r": "|T_u|",
    "hits": r"|L_u \cap T_u|",
    "rated": r"|L_u \cap J_u|",
    "list_length": "|L_u|",
    "places": r"\ell_u",
    "min_r_k": r"\min(|T_u|, k)",
    "min_r_length": r"\min(|T_u|, |L_u|)",
}
"""What values are divided by."""

GAINS: Final = {
    "binary": "h_r",
    "linear": r"h_r\,g_r",
    "exp2": r"h_r\,(2^{g_r} - 1)",
    "exp2_plus1": r"h_r\,(2^{g_r + 1} - 1)",
    "exp2_offset": r"h_r\,(2^{g_r - t + 1} - 1)",
}
"""The gain at a rank, by `ndcg_gain`."""

DISTANCES: Final = {
    "jaccard": r"1 - \frac{|A_i \cap A_j|}{|A_i \cup A_j|}",
    "cosine": r"1 - \frac{|A_i \cap A_j|}{\sqrt{|A_i|\,|A_j|}}",
    "hamming": r"|A_i \triangle A_j|",
    "cooccurrence": r"1 - \frac{|V_i \cap V_j|}{\sqrt{|V_i|\,|V_j|}}",
    "file": r"\text{the distance in data.distances}",
}
"""The distance of two items, by `item_distance`."""

CANDIDATES: Final = {
    "unseen": r"\sum_{u \in U} |G \setminus H_u|",
    "items": "|G|",
    "unseen_on_average": r"|U| \bigl(|G| - \frac{1}{|V|} \sum_{i \in G} |V_i|\bigr)",
}
"""How many items of a group users could have been given, by `rsp_candidates`."""

SPREAD: Final = r"\frac{\mathrm{std}_G\,P_G}{\mathrm{mean}_G\,P_G} \\ P_G = "
"""How far the chances of groups are apart; what follows is the chance of one."""

APART: Final = r"\mathrm{mean}_{G \ne G'}\,|\bar{M}_G - \bar{M}_{G'}| \\ \bar{M}_G = "
"""The mean difference of the means of two groups; what follows is the mean of one."""

OF_GROUPS: Final = r"<group> \\ P_G = "
"""The chance of one group, or how far those of all are apart; what follows is the chance of one."""


def one_or_spread(params: Mapping[str, Scalar]) -> str:
    """The chance of the group that is named, or how far those of all groups are apart."""
    return "P_G" if params["group"] else SPREAD.partition(r" \\ ")[0]


def best_gain(ideal: str, gain: str) -> str:
    """The gain at a rank of the list that `ndcg_ideal` names."""
    if ideal == "k_items":
        return "1"
    mark = {"relevant": "^*", "retrieved": "'", "retrieved_at_k": "''"}[ideal]
    return GAINS[gain].replace("h_r", f"h{mark}_r").replace("g_r", f"g{mark}_r")


def more_items(params: Mapping[str, Scalar]) -> str:
    """What the parameter `more` adds to a number of items."""
    return " + x" if params["more"] else ""
