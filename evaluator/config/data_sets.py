"""Several data sets in one config: `datasets` has what differs between them, and `dataset` chooses one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Final

from pydantic import WithJsonSchema

from ..support.errors import ConfigError, worded
from ..support.synonyms import did_you_mean
from ..syntax.yaml_text import Path
from .data import filled, together

MARK: Final = "{dataset}"
KEY, CHOICE = "datasets", "dataset"

DataSetEntries = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "names for {dataset} in paths"},
                {
                    "type": "object",
                    "additionalProperties": {"type": ["object", "null"]},
                    "description": "keys of data by name",
                },
            ]
        }
    ),
]


class SeveralDataSetsError(ConfigError):
    """A config has several data sets, their `names`, and none is chosen."""

    def __init__(self, name: str, names: tuple[str, ...]) -> None:
        one = worded(f"choose one: --set dataset={names[0]}", argument=f"choose one: overrides=['dataset={names[0]}']")
        super().__init__(
            f"{name or 'the config'} has {'several data sets' if len(names) > 1 else 'a list of one data set'}: {', '.join(names)}",
            one + (f"; receval compare --across {name or 'CONFIG'} compares models over all of them" if len(names) > 1 else ""),
        )
        self.names = names


def is_of_data_sets(override: str) -> bool:
    """Return whether an override of a config is one of the data sets or of the choice among them."""
    return override.startswith((f"{KEY}=", f"{KEY}.", f"{KEY}[", f"{CHOICE}="))


def choose_data_set(value: dict[str, Any], name: str) -> tuple[dict[str, Any], dict[Path, Path]]:
    """Return a config with the `data` of one data set, and where its keys are in the file: path in the config → path in the file.

    Raises `SeveralDataSetsError` if none is chosen, and `ConfigError` for one that there is not, for names that occur twice, and for paths
    of data sets without `datasets`.
    """
    entries, rest = value.get(KEY), {key: given for key, given in value.items() if key not in (KEY, CHOICE)}
    chosen = value.get(CHOICE)
    if entries is None and chosen is None:
        if any(filled(rest.get(key), "", MARK) != rest.get(key) for key in ("data", "output")):
            raise ConfigError(
                f"{name or 'the config'}: {MARK} is in paths, but there is no key datasets", "name them: datasets: [ml1m, steam]"
            )
        return rest, {}
    if isinstance(entries, list | dict) and (twice := _repeated(map(str, entries))):
        raise ConfigError(
            f"{name or 'the config'}: datasets has {twice} twice: a data set counts once", "remove one, or name another data set"
        )
    if isinstance(entries, list):
        entries = {str(entry): None for entry in entries}
    if not isinstance(entries, dict) or not entries or not all(isinstance(own, dict | None) for own in entries.values()):
        wanted = "names that replace {dataset} in paths, such as [ml1m, steam], or name: the keys of data that differ"
        raise ConfigError(f"{name or 'the config'}: datasets must be {wanted}")
    names = {str(entry): entry for entry in entries}
    if chosen is None:
        raise SeveralDataSetsError(name, tuple(names))
    if str(chosen) not in names:
        raise ConfigError(f"dataset: there is no data set {chosen}", did_you_mean(str(chosen), names, f"there are {', '.join(names)}"))
    entry = names[str(chosen)]
    own = entries[entry] or {}
    filled_in = {key: filled(rest[key], str(chosen), MARK) for key in ("output",) if key in rest}
    shared = value.get("data") or {}
    data = filled(together(shared, own), str(chosen), MARK) if isinstance(shared, dict) else shared
    return {**rest, **filled_in, "data": data}, {("data", key): (KEY, entry, key) for key in own}


def _repeated(names: Iterable[str]) -> str:
    """Return the first name that occurs twice, or an empty text."""
    counts = Counter(names)
    return next((name for name, n in counts.items() if n > 1), "")
