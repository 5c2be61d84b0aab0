"""Run a config again whenever it, or one of its files, changes: `receval run --watch`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from ..config import Loaded, dotted
from ..documents.changes import changes
from ..load.drivers import file_of
from ..results.result import Result
from ..storage.overwriting import address_of
from ..storage.own_inputs import inputs_of
from ..storage.watching import stamps_of, wait_for_change
from ..support.errors import ConfigError, RecevalError, system_error
from ..syntax.short_names import is_address
from .outcome import RunRecord


class WatchedRun(Struct, frozen=True, eq=False):
    """One run of a watched config: the files that `changed` before it, and its record, or the `error` that ended it.

    `lines` say what changed in the result since the last run that had one, `None` for the first.
    """

    changed: tuple[Path, ...]
    record: RunRecord[Result] | None = None
    error: RecevalError | None = None
    lines: tuple[str, ...] | None = None


def watch(
    load: Callable[[], Loaded], run: Callable[[Loaded], RunRecord[Result]], config: Path | None, wait: Callable[[float], object]
) -> Iterator[WatchedRun]:
    """Yield the first run, then one after each change of the config or a local file that it reads, without end.

    Files are looked at before a run, so that a change during the run is not lost. The error of a run is yielded, and watching goes on.
    `wait` waits for some seconds.

    Raises the error of the first run if no `config` file can correct it: without such a file, and for standard input (`ConfigError`).
    """
    before: Result | None = None
    loaded: Loaded | None = None
    watched: set[Path] = {config} if config is not None else set()
    stamps, changed = stamps_of(watched), tuple[Path, ...]()
    while True:
        try:
            loaded = load()
            refuse_unwatchable(loaded)
            watched = _paths(loaded, config)
            stamps = stamps_of(watched) | {path: stamp for path, stamp in stamps.items() if path in watched}
            record = run(loaded)
            lines = None if before is None else tuple(changes(before, record.result))
            before = record.result
            made = WatchedRun(changed, record, record.failure, lines)
        except (RecevalError, OSError) as error:
            if not changed and (
                config is None or (loaded is not None and any("-" in source.path for _, source in loaded.config.data.sources()))
            ):
                raise
            made = WatchedRun(changed, error=error if isinstance(error, RecevalError) else system_error(error))
        yield made
        paths = partial(_paths, loaded, config) if loaded is not None else partial(set[Path], watched)
        changed = wait_for_change(stamps, paths, wait)
        stamps = stamps_of(paths())


def refuse_unwatchable(loaded: Loaded) -> None:
    """Raise `ConfigError` for a source that can be read only once."""
    for location, source in loaded.config.data.sources():
        if "-" in source.path:
            raise ConfigError(f"{dotted(('data', *location))} is standard input (-), which cannot be read again: --watch needs files")


def unwatched(loaded: Loaded) -> str:
    """Return a sentence on the sources that are read again but not watched, as they are no local files; empty if all are watched."""
    sources = loaded.config.data.sources()
    names = [dotted(("data", *location)) for location, source in sources if _is_elsewhere(source, loaded.folder)]
    verb = "is" if len(names) == 1 else "are"
    return f"{', '.join(names)} {verb} not a local file: a change there does not start a run" if names else ""


def _is_elsewhere(source: object, folder: Path) -> bool:
    uri, table, paths = (getattr(source, name, None) for name in ("uri", "table", "path"))
    return table is not None or (uri is not None and file_of(uri, folder) is None) or any(map(is_address, paths or ()))


def _paths(loaded: Loaded, config: Path | None) -> set[Path]:
    return {source.path for source in inputs_of(loaded) if address_of(source.path) is None} | ({config} if config is not None else set())
