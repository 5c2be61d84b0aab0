"""What the name of a column says about its role, in bits: one bit makes a role twice as likely."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from ..load.column_words import words_of
from ..support.patterns import regex

MOST: Final = 12.0
"""The most bits that a name, or ids in common with other files, say."""
_LAST_WORD, _OTHER_WORD = 9.0, 5.0
_OTHER_ROLE: Final = -10.0
"""The bits of a name that says another role."""
_WORDS: Final[dict[str, frozenset[str]]] = {
    role: frozenset(words.split())
    for role, words in {
        "user": (
            "user users usr uid userid customer customers cust client member visitor account reviewer session sessions query "
            "queries qid topic person listener reader viewer subscriber buyer shopper player profile household student patient "
            "guest basket cart trip utrip orderid"
        ),
        "item": (
            "item items iid itemid movie movies film product products prod article articles track song book books doc docs docno "
            "docid document corpus passage pid asin isbn sku news video recipe business poi venue hotel game app artist album "
            "candidate offer listing course job aid restaurant beer anime"
        ),
        "list": (
            "recs rec recommendation recommendations recommended reco recos predicted prediction predictions preds pred topk topn "
            "top candidates ranked output results ranking rankings"
        ),
        "truth": (
            "target targets truth groundtruth gt answer answers positive positives next label labels relevant heldout holdout reference "
            "actual actuals gold golden true expected test"
        ),
        "rank": "rank ranks ranking position positions pos place order slot",
        "score": "score scores",
        "distance": "distance distances dist dissimilarity cost error loss rmse perplexity nll",
        "estimate": (
            "pred preds prediction predictions predicted prob probs probability logit logits sim similarity confidence conf est "
            "estimate yhat ypred affinity likelihood"
        ),
        "rating": (
            "rating ratings stars star grade grades relevance relevant rel label labels overall feedback judgment judgement "
            "judgments judgements gain gains gt truth ytrue target clicked click clicks purchase purchased bought buy liked like "
            "likes converted conversion positive preference reward qrel rui"
        ),
        "time": "timestamp time ts date datetime epoch unix created when day tstamp unixtime",
        "model": "model models algorithm algo method recommender system approach",
        "side": (
            "history hist seen past context impressions impression shown exposed negatives negative neg sequence prefix previous "
            "viewed inview"
        ),
        "amount": "quantity qty amount count counts value dwell duration playcount plays units",
        "other": (
            "category cat categories genre genres brand type name title price age year url text "
            "description color city country zip gender behavior behaviour event source channel device weekday hour revenue discount "
            "popularity size currency store shop department step page comment review summary helpful votes verified lang language "
            "group tag tags"
        ),
    }.items()
}
"""Role → words that name it.

An `amount` judges rows if it may be 0, `estimate` is a score that a model predicted, `side` is shown or past, never a list or the truth.
"""
_IDENTIFYING: Final = frozenset(
    ["id", "ids", "idx", "index", "key", "code", "no", "nr", "num", "number", "uuid", "hash", "token", "ref", "float", "seq"]
)
_GENERIC: Final = regex(r"(col|column|field|var|feature|id|[vfxc])[ _]?\d{1,2}", re.IGNORECASE)
_OF_SEVERAL: Final = regex(r"(.+?)(ids?|idx|index|no|key|code)")


@lru_cache(4096)
def meanings(name: str | None) -> dict[str, float]:
    """Return role → bits; empty if the name says nothing.

    A name of one word for a role, beside words such as id and key, says 12 bits, one that ends with such a word 9, any other word 5. Of a
    path such as `items.rating` the last name counts that says something, unless it is in a history.
    """
    *above, last = (name or "").split(".")
    if any("side" in meanings(word) for word in above):
        return {"side": MOST}
    if above and (said := meanings(last)):
        of_truth = {"truth": _OTHER_WORD} if "truth" in meanings(above[-1]) else {}  # `labels.clicks` of OTTO
        return of_truth | said
    words = list(words_of(name.split(":")[0] if name else ""))
    if _WORDS["side"].intersection(words[-2:]) or (name or "").endswith(":token_seq"):  # a list of RecBole is a history
        return {"side": MOST}
    if len(words) > 1 and words[0] in ("is", "has", "was"):
        return {"rating": MOST}
    whole = "".join(words)
    while len(words) > 1 and words[-1] in _IDENTIFYING:
        words.pop()
    stem = _OF_SEVERAL.fullmatch(words[-1]) if words else None
    weighed = [(MOST, whole), (MOST, "".join(words)), (MOST, stem[1] if stem else "")]
    weighed += [*((_LAST_WORD, word) for word in words[-1:]), *((_OTHER_WORD, word) for word in words[-2::-1])]
    for bits, word in weighed:
        if roles := [role for role, known in _WORDS.items() if word in known or word.removesuffix("s") in known]:
            return dict.fromkeys(roles, bits)
    return {}


def bits_of(name: str | None, roles: Iterable[str]) -> float:
    """Return the bits that a name says for any of these roles; fewer than 0 if it says another one, 0 if it says nothing."""
    said = meanings(name)
    return max((said[role] for role in roles if role in said), default=_OTHER_ROLE if said else 0.0)


def has_word(name: str | None, role: str) -> bool:
    """Return whether any word of a name is one of a role: `rec_items` has one of lists, although it says items."""
    return not _WORDS[role].isdisjoint(words_of(name or ""))


def is_plural(name: str | None) -> bool:
    """Return whether a name is of several items: `items` and `item_ids`, unlike `item_id`."""
    last = (words_of(name or "") or ("",))[-1]
    return len(last) > 2 and last.endswith("s") and last[:-1] in _IDENTIFYING | _WORDS["item"] | _WORDS["truth"]


def is_generic(name: str) -> bool:
    """Return whether a name is one that programs give to columns without a name: `V1`, `col_2`."""
    return _GENERIC.fullmatch(name) is not None


def is_series(names: Iterable[str]) -> bool:
    """Return whether names differ in a number alone, which counts, such as `rec_1` and `rec_2`; numbers alone are no names."""
    parts = [re.fullmatch(r"(.*?)(\d+)", name) for name in names]
    found = [part for part in parts if part]
    numbers = [int(part[2]) for part in found]
    is_whole = len(parts) == len(found) > 1 and len({part[1] for part in found}) == 1 and found[0][1] != ""
    return is_whole and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def series_part(name: str) -> tuple[str, int] | None:
    """Return the text and the number of a name such as `rec_1`; `None` without a number at its end."""
    match = re.fullmatch(r"(.*?)[ _.\-#@]?(\d+)", name)
    return (match[1], int(match[2])) if match else None
