"""The difference between two models as one HTML page to explore: the summary, and users with both lists, found and sorted by a script."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

from ..documents.diff_page import SIZES, PageSize, page_data, sample_text, with_users
from ..documents.model_diff import document
from ..results.model_diff import ModelDiff, SampledUsers
from ..support.errors import DataError
from .html import Inserted, page_file, page_of, stored_json

LARGEST: Final = 5_000_000
"""Bytes that a page stays below."""
_SPARE: Final = 0.97
"""Users differ in size, so a page is planned to be a bit smaller."""
_SECTION: Final = Markup("""<section id="explorer" aria-labelledby="explorer-title">
<h2 id="explorer-title">Users</h2>
<p>{}</p>
<noscript><p>Without scripts the page has the summary and the first users only.</p></noscript>
<div id="explore"></div>
</section>
""")


def explorer(diff: ModelDiff) -> str:
    """Return the page of a difference that has a sample of users; with long lists or texts it has fewer rows, then fewer users.

    Raises `DataError` if even one user is too much: then the summary is too long.
    """
    assert diff.sample is not None
    for size in SIZES:
        page = _page(diff, diff.sample, size)
        if len(page.encode()) < LARGEST:
            return page
    n, smallest = len(diff.sample.users), len(_page(diff, with_users(diff, diff.sample, 1), size).encode())
    while n > 1 and smallest < LARGEST:
        above = (LARGEST - smallest) / (len(page.encode()) - smallest)
        n = min(1 + int(_SPARE * (n - 1) * above), n - 1)
        page = _page(diff, with_users(diff, diff.sample, n), size)
        if len(page.encode()) < LARGEST:
            return page
    raise DataError("the page would have more than 5 MB: the texts of its summary are too long", "show fewer users in it: --show 1")


def _page(diff: ModelDiff, sample: SampledUsers, size: PageSize) -> str:
    data = page_data(diff, sample, size)
    scripts = [page_file("sort.js"), page_file("explorer.js")]
    return page_of(
        document(diff),
        scripts,
        stored_json("receval-data", data),
        style=page_file("explorer.css"),
        inserted=Inserted("explorer", "Users", str(_SECTION.format(sample_text(diff, sample) + _limits(diff, sample, size)))),
        images=_image_sources(data["items"]),
    )


def _limits(diff: ModelDiff, sample: SampledUsers, size: PageSize) -> str:
    """Say what the page leaves out to stay small."""
    assert diff.sample is not None
    n_users = len(diff.sample.users)
    parts = [f"{len(sample.users):,} users instead of {n_users:,}"] if len(sample.users) < n_users else []
    deepest = diff.sample.lists["rank"].max() if len(diff.sample.lists) else 0
    parts += [f"the first {size.ranks} ranks of a list"] if isinstance(deepest, int) and deepest > size.ranks else []
    parts += [] if size.has_all else ["the main measure only"]
    text = " and ".join((", ".join(parts[:-1]), parts[-1]) if parts[:-1] else parts)
    return f" To stay below 5 MB the page has {text}." if parts else ""


def _image_sources(items: list[list[str]]) -> str:
    """Return the sources of pictures that the page may load: none but its own, unless items have addresses."""
    schemes = sorted({cells[2].partition(":")[0].lower() for cells in items if len(cells) > 2})
    return " ".join(("data:", *(f"{scheme}:" for scheme in schemes)))
