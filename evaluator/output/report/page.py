"""A report as one HTML page: no network, readable without scripts and without styles."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from ...content import ledger
from ...content.values import repeats
from ..charts.drawing import script_bundle
from ..charts.style import Spec
from . import differences, figures, findings, gates, provenance, segments, values
from .content import ReportContent
from .verdict import verdict
from .views import Picture, Section, data_of, section_of
from .whiskers import marks

_ACTING: Final = re.compile("[<>&\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What could end an element, or would act where the page is read as text."""
_TEMPLATES: Final = Path(__file__).parent / "templates"


def as_html(content: ReportContent, *, interactive: bool = False) -> bytes:
    """The page; an `interactive` one has Vega in it, which shows numbers under the pointer."""
    from markupsafe import Markup

    from .environment import environment

    sections = tuple(_sections(content))
    pictures = [picture for section in sections for picture in section.pictures]
    scripts = [_file("sort.js"), *([_for_script(script_bundle()), _file("interactive.js")] if interactive and pictures else [])]
    page = (
        environment(_TEMPLATES)
        .get_template("page.html.j2")
        .render(
            title=content.title,
            verdict=verdict(content),
            sections=sections,
            data=Markup(_json(data_of(sections))),
            specs=Markup(_json({picture.id: _interactive(picture) for picture in pictures})) if interactive and pictures else None,
            style=Markup(_file("style.css")),
            scripts=[Markup(script) for script in scripts],
            hashes=[_hash(script) for script in scripts],
            marks=Markup(marks()),
            version=version("receval"),
        )
    )
    return page.encode()


def _sections(content: ReportContent) -> Iterator[Section]:
    """The page from top to bottom."""
    judged = gates.section(content)
    found = findings.section(content)
    yield from (section for section in (judged, found) if section is not None)
    yield values.section(content)
    if content.comparison is not None:
        yield differences.section(content.comparison, figures.pictures("differences", content))
    charts = (
        ("over-k", "Over the cut-offs", figures.pictures("over_k", content)),
        ("distribution", "Spread over users", figures.pictures("distribution", content)),
        ("trade-off", "Trade-off", figures.pictures("trade_off", content)),
    )
    yield from (Section(id, title, pictures=tuple(drawn)) for id, title, drawn in charts if drawn)
    if content.show_users and content.comparison is not None and content.comparison.losers:
        yield differences.losers_section(content.comparison)
    of_groups = segments.section(content)
    if of_groups is not None:
        yield of_groups
    for number, (label, result) in enumerate(content.results.items(), 1):
        of = f" in {label}" if len(content.results) > 1 else ""
        repeated = repeats(result)
        if repeated:
            yield section_of(f"repeats-{number}", f"Folds and runs{of}", repeated)
        yield section_of(f"ledger-{number}", f"Who was counted{of}", ledger.document(result))
    yield provenance.section(content)


def _file(name: str) -> str:
    with open(_TEMPLATES / name, encoding="utf-8") as file:
        return file.read()


def _interactive(picture: Picture) -> Spec:
    """The spec with the numbers of a mark under the pointer."""
    spec = dict(picture.spec)
    spec["config"] = {**spec["config"], "mark": {"tooltip": {"content": "data"}}}
    return spec


def _for_script(text: str) -> str:
    """A script that does not end the element that it stands in."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _json(content: Any) -> str:
    """JSON that stands in a page: no text in it can end the element."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _hash(script: str) -> str:
    """What a policy names a script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
