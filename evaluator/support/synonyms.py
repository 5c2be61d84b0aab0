"""Names that people try for an argument or an option, by what they mean, and the error about an argument that a function does not have."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from .quoting import one_line, type_name

_Given = ParamSpec("_Given")
_Returned = TypeVar("_Returned")

SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {
    "aggregates": ("aggregate", "aggregation", "average"),
    "alpha": ("level", "significance"),
    "baseline": ("base",),
    "by": ("group", "group_by", "groupby", "groups", "segment", "segments"),
    "common": ("common_users",),
    "convention": ("compatible_with", "library"),
    "engine": ("backend",),
    "folds": ("cv", "fold", "test_sets"),
    "health": ("checks", "health_checks"),
    "items": ("catalog", "catalogue", "item_features", "items_file"),
    "margin": ("delta", "margins", "tolerance"),
    "mask_seen": ("exclude_seen", "filter_seen", "remove_seen"),
    "metrics": ("measure", "measures", "metric"),
    "missing_values": ("drop_missing", "dropna", "missing"),
    "recommendations": (
        *("algorithm", "lists", "model", "models", "pred", "predicted", "predictions", "preds", "r", "ranking", "rankings", "rec"),
        *("recommended", "recs", "y_pred"),
    ),
    "relevance": ("min_rating", "rating_threshold", "relevance_threshold", "threshold"),
    "rules": ("gates", "rule"),
    "seed": ("random_seed", "random_state"),
    "test": ("actual", "ground_truth", "gt", "qrels", "t", "test_data", "test_df", "test_file", "test_set", "truth", "y_true"),
    "top_k": ("at", "at_k", "cut_offs", "cutoff", "cutoffs", "k", "k_values", "ks", "n", "top_n", "topk", "topn"),
    "train": ("history", "train_data", "train_df", "train_file", "train_set"),
    "users": ("user_features", "users_file"),
}
"""What is meant, by its name in most places → the other names that people try."""

FOLDS: Final = (
    "receval.evaluate({'data': {'folds': [{'test': table, 'recommendations': {'als': table}}, …]}, 'evaluation': {…}}), see docs/folds.md"
)
"""The call that evaluates folds, which only a config can have."""
_ELSEWHERE: Final[Mapping[str, tuple[str, ...]]] = {
    "metrics": ("measure", "measures"),
    "recommendations": ("pred", "recommended", "lists"),
    "test": ("true", "relevant"),
    "top_k": ("k",),
}
"""What is meant → its names in functions that call it otherwise."""
_ALIKE: Final = 0.75
"""The likeness from which one name is suggested for another: two letters of four may be exchanged. At 0.6 it would be PopREO for nope."""
_ALIKE_IF_SHORT: Final = 0.65
"""The same for names of up to four letters, one of which may be another letter."""
_SHORT: Final = 4
_BEGIN: Final = 3
"""Letters of a begin from which its name is suggested."""
_COLUMNS: Final = ("_col", "_column")


def takes(
    *more: str, instead: Callable[[str, Any], str] | None = None, refused: Collection[str] = ()
) -> Callable[[Callable[_Given, _Returned]], Callable[_Given, _Returned]]:
    """Return a decorator, after which a call with a wrong argument raises a `TypeError` that names the right one.

    `more` are the names that the function takes as `**arguments`; `instead` returns what to write for an argument of other functions.
    The function itself refuses those in `refused`.
    """

    def decorated(function: Callable[_Given, _Returned]) -> Callable[_Given, _Returned]:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        known = (*(name for name in names[code.co_posonlyargcount :] if name != "self"), *more)
        title = function.__qualname__.removesuffix(".__init__").removesuffix(".__call__")
        n_given = code.co_argcount - (function.__qualname__ != function.__name__)  # a method is also given itself
        by_name = [f"{name}=…" for name in (*more, *names[code.co_argcount :])][:3]

        @wraps(function)
        def called(*given: _Given.args, **named: _Given.kwargs) -> _Returned:
            refuse_unknown(title, {name: value for name, value in named.items() if name not in refused}, known, instead)
            if len(given) > code.co_argcount and by_name:
                most = f"{n_given} argument{'' if n_given == 1 else 's'} without a name"
                raise TypeError(f"{title} takes {most}, not {len(given) - code.co_argcount + n_given}: write {', '.join(by_name)}")
            return function(*given, **named)

        return called

    return decorated


def refuse_unknown(
    function: str, given: Mapping[str, Any], known: Collection[str], instead: Callable[[str, Any], str] | None = None
) -> None:
    """Raise `TypeError` for the first argument that a function does not have, with the one that is meant."""
    for name, value in given.items():
        if name not in known:
            right = meant(name, value, known) or (instead(name, value) if instead is not None else "")
            close = () if meaning_of(name) else known
            hint = f": use {right}" if right else did_you_mean(name.lower(), close, f"; its arguments are {', '.join(known)}", before=" — ")
            raise TypeError(one_line(f"{function} has no argument '{name}'{hint}"))


def nearest(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Return the names that are most like a mistyped one, or else those that it begins, at most `most`."""
    from difflib import get_close_matches  # only here: an input without a fault does not wait for it

    known = list(known)
    alike = get_close_matches(name, known, n=most, cutoff=_ALIKE_IF_SHORT if len(name) <= _SHORT else _ALIKE)
    return alike or [candidate for candidate in known if candidate.startswith(name) and len(name) >= _BEGIN][:most]


def did_you_mean(
    name: str, known: Iterable[str], otherwise: str = "", *, before: str = "", shown: Callable[[str], object] = lambda close: close
) -> str:
    """Return `before` and the question whether the known name nearest to a mistyped one is meant; `otherwise` if none is near.

    `shown` returns what to write in place of this name.
    """
    close = nearest(name, known)
    return f"{before}{question(shown(close[0]))}" if close else otherwise


def question(*names: object, between: str = " or ") -> str:
    """Return the question whether one of these names is meant; paths are not quoted, because what is quoted may be shortened."""
    return f"did you mean {between.join(str(name) if isinstance(name, os.PathLike) else repr(name) for name in names)}?"


def is_question(text: str) -> bool:
    """Return whether a text is a `question`."""
    return text.startswith("did you mean ")


def meant(name: str, value: Any, known: Collection[str]) -> str:
    """Return the argument that people mean by a name, with its value if that is short; empty if a function has none."""
    name = name.lower().replace("-", "_")
    for end in _COLUMNS:
        if name.endswith(end) and "columns" in known:
            return f"columns={{'{name.removesuffix(end)}': {_written(value) or 'NAME'}}}"
    what = meaning_of(name)
    if what == "missing_values":
        return "policy={'missing_values': 'drop'}" if "policy" in known else ""
    if name == "users" and "common" in known:  # the key of a config
        return "common=True"
    if what == "folds" and "metrics" in known:
        return f"a config, which has the folds: {FOLDS}"
    if what == "test" and "correction" in known:  # there it is the test of differences
        return ""
    if what == "top_k" and "metrics" in known and what not in known:  # a function of single measures
        return f"metrics='nDCG@{value if isinstance(value, int) else 10}'"
    keyword = next((word for word in (*_ELSEWHERE.get(what, ()), what) if word in known), "")
    written = _written(value)
    return f"{keyword}={written}" if keyword and written else keyword


def wrong_type(argument: str, wanted: str, value: object, hint: str = "") -> TypeError:
    """Return the error about an argument of another type than the wanted one; `hint` says what to write instead."""
    return TypeError(one_line(f"{argument} must be {wanted}, not {type_name(value)}{': ' * bool(hint)}{hint}"))


def path_of(argument: str, value: Any, wanted: str = "a path") -> str:
    """Return a path as text; raise `TypeError` for an argument that is not a path."""
    if not isinstance(value, str | os.PathLike):
        raise wrong_type(argument, wanted, value)
    return str(os.fspath(value))


def meaning_of(name: str) -> str:
    """Return what is meant by a name that people try; empty if it is not known."""
    return name if name in SYNONYMS else next((what for what, names in SYNONYMS.items() if name in names), "")


_LONGEST_VALUE: Final = 40


def _written(value: Any) -> str:
    """Return a short plain value as code; empty for a long one, such as a table."""
    parts = value if isinstance(value, list | tuple) else (value,)
    text = repr(value) if all(isinstance(part, str | int | float) for part in parts) else ""
    return text if len(text) <= _LONGEST_VALUE and text.isprintable() else ""
