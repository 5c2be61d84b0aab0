"""Formulas in LaTeX: templates that the parameters of a metric fill in, and the symbols that they may use."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from ..support.patterns import regex
from ..syntax.measure_strings import Scalar

TexFormula = Callable[[Mapping[str, Scalar]], str]
Piece = str | Mapping[str, str] | TexFormula
Pieces = Mapping[str, Piece]

GLOSSARY: Final[Mapping[str, str]] = {
    "u": "a user",
    "U": "the users that count",
    "k": "the cut-off; without one the length of the list",
    "r": "a rank (also $q$)",
    "i": "an item (also $j$)",
    "c": "a category of items",
    "G": "a group of users or of items (also $G'$); those in no group are left out",
    "L_u": "the first $k$ items of the list of user $u$",
    r"\ell_u": "the filled ranks in the list of user $u$, at most $k$, duplicates included",
    "T_u": "the relevant items of user $u$",
    "J_u": "the items in the test rows of user $u$, relevant or not",
    "P_u": "the items for which user $u$ has a test rating and a predicted rating",
    "H_u": "the items in the train rows of user $u$",
    "H_{u,i}": "those items of $H_u$ that have a distance from item $i$",
    "B_u": "the list of data.baseline for user $u$, cut as $L_u$ is",
    "C_u": "the candidates of user $u$: the catalogue without $H_u$, plus the listed items, cut at $k$",
    "I": "the items of the catalogue: of data.items, else of the train file",
    r"I_{\mathrm{train}}": "the items of the train file",
    r"I_{\mathrm{grouped}}": "the items that have a group",
    "V": "the users of the train file",
    "V_i": "the users who have item $i$ in the train file",
    "n": "the number of rows of the train file",
    "n_i": "the number of rows of item $i$ in the train file",
    r"n_{\min}": "the number of rows of the rarest item of the train file",
    r"\tilde{n}_i": "the number of rows of item $i$ in the train and test files together",
    r"\tilde{V}": "the users of the train and test files together",
    r"\tilde{V}_i": "the users of item $i$ in the train and test files together",
    "A_i": "the categories of item $i$: in data.items, which may give it none, or in the user's test rows",
    "C": "all categories of data.items",
    "i_r": "the item at rank $r$ of the user's list",
    "h_r": "1 if the item at rank $r$ is relevant, else 0",
    "f_r": "the number of relevant items among the first $r$ of the list",
    "b_r": "the number of items among the first $r$ of the list that are in the user's test rows",
    "a_u": "the share of the user's pairs of a relevant and another row in the right order",
    "a_r": "the number of misses above rank $r$",
    "o_r": "the number of items above rank $r$ with a test rating below 0",
    "g_r": "the grade of the relevant item at rank $r$, 0 if there is none; 1 for all unless ratings are gains",
    "h^*_r": "$h_r$ of the best possible list: all relevant items, highest grade first",
    "g^*_r": "$g_r$ of the best possible list",
    "h'_r": "$h_r$ of a list of only the hits in the whole list, highest grade first",
    "g'_r": "$g_r$ of that list",
    "h''_r": "$h_r$ of a list of only the hits among the first $k$, highest grade first",
    "g''_r": "$g_r$ of that list",
    "s_r": "the score at rank $r$ of the user's list",
    "s'_r": "the score of the same user and item in data.previous_policy",
    "s_{u,i}": "the score of item $i$ in the list of user $u$",
    "x_r": "the row of the page with the item at rank $r$ in reading order",
    "y_r": "the position of that item in its row",
    "x^*_r": "$x_r$ of the best possible page",
    "y^*_r": "$y_r$ of the best possible page",
    "v_r": "$v_i$ of the item at rank $r$",
    "v^*_r": "$v_r$ of the best possible list: all relevant items, highest product of gain and $v_i$ first",
    "v_i": "the value of item $i$ in the column, or of the user's test rows of $i$; 0 without one",
    "y_{u,i}": "the rating of user $u$ for item $i$ in the test file",
    r"\hat{y}_{u,i}": "the predicted rating of user $u$ for item $i$: in data.predictions, else its score in the list",
    r"\bar{y}": "the mean of the ratings that are summed over",
    r"\bar{s}": "the mean of the scores that are summed over",
    "N_u": "the number of items that are not relevant and could be below a hit",
    "N": "the number of items that could be recommended, or of ratings that are not relevant",
    "P": "the number of relevant items of grade above 0, or of relevant ratings",
    "P_i": "the propensity of item $i$: the probability that a relevant item is observed",
    "P_G": "the chance of the items of group $G$",
    "E_G": "the exposure of group $G$ per item",
    "m": "an index of items or measures; as the upper limit of a sum, their number",
    "t": "an index of items in ascending order; in a gain the threshold of relevance (0 without one, 1 where all grades are 1)",
    "K": "the ranks at which the best possible list goes from one grade to the next",
    "M_1": "the first metric that is combined; $M_2$ the second, $M_m$ one of them",
    r"\bar{M}_1": "the mean of the first metric over users; $\\bar{M}_2$ that of the second",
    r"\bar{M}_G": "the mean over the members of group $G$",
    "z_m": "the point that metric $m$ is compared with, the parameter points",
    r"\sigma_m": "1 if more of metric $m$ is better, else $-1$",
    "c_i": "how often item $i$ is among the first $k$ of all lists",
    "c_{(t)}": "the $t$-th smallest of the $c_i$ of recommended items",
    r"\bar{c}": "the mean of the $c_i$ that are summed over",
    r"\bar{n}": "the mean of the popularities that are summed over",
    "e_i": "the attention that item $i$ gets",
    "e_{(t)}": "the $t$-th smallest of the $e_i$ of recommended items",
    "w_i": "the sum over lists of the share of item $i$ in the list",
    "w_c": "the weight of category $c$ in the list",
    "w_r": "the weight of the item at rank $r$",
    "w_1": "the weight of the item at rank 1",
    "p_i": "the share of item $i$",
    r"\bar{p}_i": "the mean share of item $i$ in a list",
    "p_c": "the share of category $c$, or the probability that the user looks for it",
    "x_{c,r}": "how often category $c$ is above rank $r$",
    "Z_u": "the same sum for the relevant items, each time the one with the largest gain, smallest id first",
    "L_{u,d}": "the first $d$ items of the list of user $u$",
    "T_{u,d}": "the first $d$ items of the best possible list: all relevant items, highest grade first",
    "D": "the length of the longer of two lists",
    "S": "the length of the shorter of two lists",
    "X_r": "the number of items that are among the first $r$ of both lists",
    r"\mathrm{round}": "the value rounded to two decimals",
    "D_r": "the DCG of the first $r$ items, linear in their grades",
    "D^*_r": "$D_r$ of the best possible list",
    r"\phi_r": "how much the item at rank $r$ satisfies",
    r"\pi_i": "how high item $i$ would rank by its popularity alone",
    r"\pi_{u,i}": "the prediction, clipped to the bounds",
    r"\rho_i": "the position of item $i$ in the train file by popularity, the most popular last, with the mean position for ties",
    r"\kappa_i": "the position of item $i$ among those of the train file by popularity, the least popular first, smallest id first",
    r"\nu_i": "the position of item $i$ by popularity in the train file, the most popular first, the same position for ties",
    r"\rho_{u,i}": "the rank of a score or a prediction from the smallest, with the mean rank for ties",
    r"\rho'_{u,i}": "the rank of a rating in the same way",
    r"\bar{\rho}": "the mean of the ranks that are summed over",
    r"\mathrm{TP}": "the relevant items in the list",
    r"\mathrm{FP}": "the other items in the list, and empty ranks",
    r"\mathrm{FN}": "the relevant items outside of the list",
    r"\mathrm{TN}": "the other items outside of the list",
    "e": "Euler's number",
    "d": "a distance, or a number of ranks; $d(i,j)$ without a formula is the distance in data.distances",
    r"\mathrm{pop}": "the popularity of an item",
    r"\mathrm{head}": "the most popular items of the train file",
    r"\mathrm{tail}": "the items that are not in the head",
    r"\mathrm{popular}": "the popular items: of all $N$ the first round(p·$N$) by pop, with the parameter popular as p",
    r"\mathrm{GAP}": "the mean popularity of the items of the users of a group, in their lists or in the train file",
    r"\mathrm{mean}": "the mean",
    r"\mathrm{std}": "the standard deviation, divided by the number",
    r"\mathrm{Var}": "the variance, over all users together",
    r"\cos": "the cosine of the angle between two vectors",
    "a_i": "the vector of item $i$",
    r"\mathrm{sgn}": "1 above 0, $-1$ below, 0 at 0",
    r"\mathrm{BR}": "the bias of the recommendations",
    r"\mathrm{BS}": "the bias of the source",
    r"\prec": "$j \\prec i$: item $j$ is more popular than $i$, or as popular with the smaller id",
    r"\varepsilon": "a small number",
    r"\Pi_u": "the orders of the user's list in which only items with the same score change places",
    r"\pi": "one of these orders",
}
"""Symbols of formulas in LaTeX, with their meanings. `[…]` around a condition is 1 if it is true, else 0. Parameters have their own."""

_PLACEHOLDER: Final = regex(r"<([a-z_]+)>")
_COMMAND: Final = (
    r"(?<!_\{)\\(?:(?:frac|tfrac|sqrt|sum|prod|bigcup|min|max|log|ln|le|ge|ne|in|notin|cup|cap|setminus|triangle|cdot|dots|infty|left|right|quad|"
    r"[lr]floor|[bB]ig[lr]|bigg[lr])(?![A-Za-z])|[^A-Za-z])"
)
_WORDS: Final = regex(rf"\\text\{{[^{{}}]*\}}|{_COMMAND}")
_SYMBOL: Final = regex(
    r"\\mathrm\{\w+\}|(?:\\(?:bar|hat|tilde)\{[^{}]*\}|\\[A-Za-z]+|[A-Za-z])(?:\^\*|'+)?(?:_(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\?[A-Za-z0-9]))?"
)
_LETTERS: Final = {"q": "r", "j": "i", "c'": "c", "G'": "G", "2": "1"}


def tex(template: str, **pieces: Piece) -> TexFormula:
    r"""Return a formula from a template in which `<name>` is a piece, or the number of that name.

    A piece is a text, a text for each value of the parameter of its name, or a function of all parameters; it may contain names itself.
    Lines are separated by `\\`. A formula is the part on the right of the first equals sign.
    """

    def fill(params: Mapping[str, Scalar]) -> str:
        def piece(name: str) -> str:
            made = pieces.get(name)
            if isinstance(made, str) or callable(made):
                return made if isinstance(made, str) else made(params)
            return number(params[name]) if made is None else made[str(params[name])]

        formula = template
        while _PLACEHOLDER.search(formula):
            formula = _PLACEHOLDER.sub(lambda found: piece(found[1]), formula)
        return formula

    return fill


def number(value: Scalar) -> str:
    """Return a number as LaTeX."""
    text = f"{float(value):g}" if isinstance(value, int | float) else str(value)
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa.replace("inf", r"\infty")


def symbols(formula: str) -> list[str]:
    """Return the symbols of a formula as written in `GLOSSARY`, in order; indices become `r`, `i`, `c` and `G`."""
    return list(dict.fromkeys(_canonical(found[0]) for found in _SYMBOL.finditer(_WORDS.sub(" ", formula))))


def _canonical(symbol: str) -> str:
    """Return a symbol with the index letters of `GLOSSARY`: `h_r` for `h_q`, `A_i` for `A_{i_r}`."""
    if symbol in GLOSSARY or symbol.endswith((r"_{\max}", r"_{\min}")):
        return symbol
    base, subscripted, index = symbol.partition("_")
    if not subscripted:
        return _LETTERS.get(symbol, symbol)
    index = re.sub(r"i_\{?[rq]\}?", "i", index.strip("{}"))
    index = _LETTERS.get(index, index)
    like = (name for name in GLOSSARY if name.partition("_")[0] == base and "_" in name)  # `D_k` is explained with `D_r`
    return next((name for name in (f"{base}_{index}", f"{base}_{{{index}}}", *like) if name in GLOSSARY), symbol)


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
"""Divisors of values."""

GAINS: Final = {
    "binary": "h_r",
    "linear": r"h_r\,g_r",
    "exp2": r"h_r\,(2^{g_r} - 1)",
    "exp2_plus1": r"h_r\,(2^{g_r + 1} - 1)",
    "exp2_offset": r"h_r\,(2^{g_r - t + 1} - 1)",
}
"""Gain at a rank, by `ndcg_gain`."""

DISTANCES: Final = {
    "jaccard": r"1 - \frac{|A_i \cap A_j|}{|A_i \cup A_j|}",
    "cosine": r"1 - \frac{|A_i \cap A_j|}{\sqrt{|A_i|\,|A_j|}}",
    "hamming": r"|A_i \triangle A_j|",
    "cooccurrence": r"1 - \frac{|V_i \cap V_j|}{\sqrt{|V_i|\,|V_j|}}",
    "vectors": r"1 - \cos(a_i, a_j)",
    "file": r"\text{the distance in data.distances}",
}
"""Distance of two items, by `item_distance`."""

CANDIDATES: Final = {
    "unseen": r"\sum_{u \in U} |G \setminus H_u|",
    "items": "|G|",
    "unseen_on_average": r"|U| \bigl(|G| - \frac{1}{|V|} \sum_{i \in G} |V_i|\bigr)",
}
"""Number of items of a group that could have been recommended, by `rsp_candidates`."""

SPREAD: Final = r"\frac{\mathrm{std}_G\,P_G}{\mathrm{mean}_G\,P_G} \\ P_G = "
"""Relative spread of the chances of groups; append the chance of one group."""

APART: Final = r"\mathrm{mean}_{G \ne G'}\,|\bar{M}_G - \bar{M}_{G'}| \\ \bar{M}_G = "
"""Mean difference between the means of two groups; append the mean of one group."""

OF_GROUPS: Final = r"<group> \\ P_G = "
"""Chance of one group, or spread of the chances of all; append the chance of one group."""


def one_or_spread(params: Mapping[str, Scalar]) -> str:
    """Return the chance of the named group, or the spread of the chances of all groups."""
    return "P_G" if params["group"] else SPREAD.partition(r" \\ ")[0]


def best_gain(ideal: str, gain: str) -> str:
    """Return the gain at a rank of the list that `ndcg_ideal` names."""
    if ideal == "k_items":
        return "1"
    mark = {"relevant": "^*", "relevant_eleven_at_10": "^*", "retrieved": "'", "retrieved_at_k": "''"}[ideal]
    return GAINS[gain].replace("h_r", f"h{mark}_r").replace("g_r", f"g{mark}_r")


def more_items(params: Mapping[str, Scalar]) -> str:
    """Return the term that the parameter `more` adds to a number of items."""
    return " + x" if params["more"] else ""
