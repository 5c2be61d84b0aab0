"""A function for each metric: `precision(true, pred, k=10)`, `ndcg(true, pred, k=10)`, … with the arguments of rs_metrics.

    from receval.functional import ndcg, precision
    precision({1: [3, 5]}, {1: [5, 7, 3]}, k=2)                       # 0.5
    ndcg(test, lists, k=10, apply_mean=False)                         # a value for each user, in the order of the first argument
    precision(test, lists, k=10, convention="receval")                # receval's own definition
    precision(test, lists, k=[5, 10])                                 # {5: …, 10: …}

    ndcg({1: {3: 5, 5: 1}}, {1: [5, 7, 3]}, k=2)                      # grades: the gain of grade g is 2^g - 1
    coverage(["a", "b"], {1: ["a"]})                                  # 0.5

The functions that rs_metrics has give the numbers of rs_metrics, all others those of receval, unless `convention` says otherwise.

`true` and `pred` are tables of any kind, as for `receval.evaluate`. `num_workers` is taken and has no meaning: values do not depend on it.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from .api import functions  # only here: whoever looks for __path__ need not wait for the registry

    if name == "__all__":
        return sorted(functions.names())
    if name.startswith("_") or name not in functions.names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return functions.function(name)


def __dir__() -> list[str]:
    from .api import functions

    return sorted(functions.names())
