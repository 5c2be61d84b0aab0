"""The rows of each user that are test targets: all, or one of them (`last`, `first`, `random`, `{random: SEED}`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from msgspec import Struct

TargetWord = Literal["last", "first", "random", "all"]
TARGET_RULES: Final[tuple[TargetWord, ...]] = get_args(TargetWord)


class TargetRule(Struct, frozen=True):
    """The test rows of a user that are targets: `all`, the `first` or `last` one by time, or a `random` item, drawn with the seed."""

    rule: TargetWord
    seed: int = 0

    @property
    def written(self) -> str | dict[str, int]:
        """The target as a config writes it."""
        return {"random": self.seed} if self.seed else self.rule


TARGET_SCHEMA: Final[dict[str, Any]] = {
    "anyOf": [
        {"enum": list(TARGET_RULES)},
        {
            "type": "object",
            "required": ["random"],
            "additionalProperties": False,
            "properties": {"random": {"type": "integer", "minimum": 0, "description": "the seed"}},
        },
    ]
}
"""The JSON schema of what `read_target` reads."""


def read_target(value: Any) -> TargetRule:
    """Read `last`, `first`, `random`, `all` or `{random: 7}`; a `TargetRule` is returned as it is. `ValueError` for anything else."""
    if isinstance(value, TargetRule):
        return value
    if isinstance(value, str) and value in TARGET_RULES:
        return TargetRule(value)
    if isinstance(value, Mapping) and set(value) == {"random"}:
        seed = value["random"]
        if isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 1 << 32:
            return TargetRule("random", seed)
        raise ValueError(f"the seed of random targets must be a whole number from 0 to {(1 << 32) - 1}, not {seed!r}")
    raise ValueError(f"a target must be {', '.join(TARGET_RULES)}, or {{random: SEED}}, not {value!r}")
