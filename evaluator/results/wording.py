"""Sentences about many models or measures, short enough to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

_FEW: Final = 4


def shortened(names: Iterable[str]) -> str:
    """Names in a row; of many the first three, and how many more there are."""
    every = list(names)
    return ", ".join(every) if len(every) <= _FEW else f"{', '.join(every[:3])} and {len(every) - 3} more"


def listed(names: Sequence[str]) -> str:
    """Names as part of a sentence: `a, b and c`; of many the first three, and how many more there are."""
    return shortened(names) if len(names) > _FEW or len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"


def of_models(sentences: Iterable[tuple[str, str]]) -> list[str]:
    """Sentences about models, given as (model, sentence): what holds of several is said once, with their names."""
    models_by_sentence: dict[str, list[str]] = {}
    for model, sentence in sentences:
        models_by_sentence.setdefault(sentence, []).append(model)
    return [f"{shortened(dict.fromkeys(models))}: {sentence}" for sentence, models in models_by_sentence.items()]
