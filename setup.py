"""The packages that setuptools installs: the folders of the repository under the name `receval` (see `package-dir` in pyproject.toml)."""

from setuptools import find_packages, setup

LIBRARY = "evaluator"
BELOW = {"receval.cli": "cli", "receval.configs": "configs"}

setup(
    packages=[
        "receval",
        *(f"receval.{name}" for name in find_packages(LIBRARY)),
        *(package for parent, folder in BELOW.items() for package in (parent, *(f"{parent}.{name}" for name in find_packages(folder)))),
    ],
)
