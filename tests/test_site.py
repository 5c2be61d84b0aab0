"""The site of docs/ is built without a network, and is read without one."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
FETCHED = re.compile(r'<(?:script|img|iframe)[^>]* src="(?:https?:)?//|<link[^>]* rel="(?!canonical)[^"]*"[^>]* href="(?:https?:)?//')
"""Parts of a page that a browser would fetch from another address."""


@pytest.mark.release
@pytest.mark.slow
def test_the_site_is_built_without_a_network_has_every_page_and_fetches_nothing():
    pytest.importorskip("zensical")
    subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--clean", "--strict"],
        cwd=ROOT,
        env={**os.environ, **NOWHERE},
        capture_output=True,
        text=True,
        check=True,
    )
    site = ROOT / "build" / "site"
    for page in (ROOT / "docs").glob("**/*.md"):
        html = (site / page.relative_to(ROOT / "docs").with_suffix(".html")).read_text("utf-8")
        assert FETCHED.search(html) is None, page
        assert "\\begin{gathered}" not in html, page
    published = {path.suffix for path in site.rglob("*") if path.is_file() and "assets" not in path.relative_to(site).parts}
    assert not published & {".py", ".csv", ".yaml"}
    assert 'data-md-color-scheme="slate"' in (site / "index.html").read_text("utf-8")
    assert "nDCG" in (site / "metrics" / "ranking.html").read_text("utf-8")
    assert "<math" in (site / "metrics" / "ranking.html").read_text("utf-8")
    assert "found(r)" not in (site / "metrics" / "ranking.html").read_text("utf-8")
