"""The lock files pin every library that pyproject.toml names, within its range."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DIRECT = [
    Requirement(text)
    for group in (
        PROJECT["dependencies"],
        *(some for name, some in PROJECT["optional-dependencies"].items() if name not in ("dev", "docs")),
    )
    for text in group
]
FILES = ("lowest", "newest")


def pins(file: str) -> list[Requirement]:
    lines = (ROOT / "requirements" / f"{file}.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("file", FILES)
def test_every_direct_dependency_is_pinned_within_its_range(file):
    pinned: dict[str, list[str]] = {}
    for pin in pins(file):
        assert re.fullmatch(r"==[\w.!+]+", str(pin.specifier)), pin
        pinned.setdefault(canonicalize_name(pin.name), []).append(str(pin.specifier).removeprefix("=="))
    for wanted in DIRECT:
        versions = pinned.get(canonicalize_name(wanted.name), [])
        assert versions, f"{wanted.name} is not in requirements/{file}.txt: run .ci/locks"
        assert all(wanted.specifier.contains(version, prereleases=True) for version in versions), wanted


@pytest.mark.parametrize("file", FILES)
def test_a_lock_file_names_no_registry(file):
    assert not re.search(r"://|--|@", (ROOT / "requirements" / f"{file}.txt").read_text())


def test_the_image_and_the_release_use_the_lock_files():
    assert "-c requirements/newest.txt" in (ROOT / "Dockerfile").read_text()
    assert ".ci/locks" in (ROOT / ".ci/release").read_text()
    assert all(f"requirements/{file}.txt" in (ROOT / "docs/ci.md").read_text() for file in FILES)
