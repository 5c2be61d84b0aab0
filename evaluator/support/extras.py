"""Installation of extras from the origin of receval itself: an index, a clone, a repository or a file."""

from __future__ import annotations

import json
import re
from importlib import metadata
from urllib.parse import unquote, urlsplit

from .errors import MissingExtraError


def version_of(package: str) -> str:
    """Return the version of an installed package from one line of its metadata, because parsing all of it takes a millisecond.

    `PackageNotFoundError` if it is not installed.
    """
    installed = metadata.distribution(package)
    line = re.search(r"^Version: *(.+?) *$", installed.read_text("METADATA") or "", re.MULTILINE)
    return line[1] if line else installed.version


def missing_extra(extra: str, what: str, library: str | None = None) -> MissingExtraError:
    """Return the error for `what`, such as "reading s3://", that needs a `library`, or all of an extra."""
    needed = f"{library}, which is" if library else f"the extra {extra}, which is"
    return MissingExtraError(f"{what} needs {needed} not installed", install_command(extra))


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this receval, such as `pip install 'receval[spark]'`."""
    return f"pip install {_requirement(f'[{extra}]')}"


def _requirement(extra: str) -> str:
    """Return the requirement for pip: a name in an index, or the origin of receval as recorded by pip (PEP 610)."""
    # In a clone the folder receval.egg-info is listed too, but it does not record its origin.
    written = (package.read_text("direct_url.json") for package in metadata.distributions(name="receval"))
    origin = json.loads(next(filter(None, written), "{}"))
    url = origin.get("url", "")
    if "dir_info" in origin:
        editable = "-e " if origin["dir_info"].get("editable") else ""
        return f"{editable}'{unquote(urlsplit(url).path)}{extra}'"
    if "vcs_info" in origin:
        return f"'receval{extra} @ {origin['vcs_info']['vcs']}+{url}'"
    return f"'receval{extra} @ {url}'" if url else f"'receval{extra}'"
