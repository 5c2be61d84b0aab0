"""The packages that setuptools installs: the folders of the repository under the name `receval` (see `package-dir` in pyproject.toml).

An editable install has an import hook, which type checkers cannot follow. They follow a path to links under the names of the packages.
"""

import shutil
from pathlib import Path

from setuptools import Command, find_packages, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
LIBRARY = "evaluator"
BELOW = {"receval.cli": "cli", "receval.configs": "configs"}
LINKS = HERE / "build" / "types"
_HOOK_FIRST = "import sys; sys.meta_path.sort(key=lambda finder: not getattr(finder, '__module__', '').startswith('__editable___receval_'))"
"""A line of a .pth file: Python goes on importing the folders themselves, by the hook of setuptools, and no links."""


class LinkTypes(Command):
    """Link the folders under the names that they install as, in build/types."""

    user_options = []  # noqa: RUF012

    def initialize_options(self):
        """Do nothing: there are no options."""

    finalize_options = initialize_options

    def run(self):
        """Make the links anew."""
        package = LINKS / "receval"
        shutil.rmtree(package, ignore_errors=True)
        package.mkdir(parents=True)
        for path in (HERE / "cli", *(HERE / LIBRARY).iterdir()):
            (package / path.name).symlink_to(path)


class BuildModules(build_py):
    """Also writes, into an editable install, the path that type checkers follow."""

    def run(self):
        """Build as setuptools does; without the right to make links, type checkers find nothing, as without this class."""
        super().run()
        if self.editable_mode:
            try:
                self.run_command("link_types")
            except OSError as error:
                self.warn(f"type checkers will not find receval: {error}")
            else:
                lines = (str(LINKS), _HOOK_FIRST, "")
                site = Path(self.get_finalized_command("install").install_lib)
                site.mkdir(parents=True, exist_ok=True)
                (site / "receval_types.pth").write_text("\n".join(lines), "utf-8")


setup(
    packages=[
        "receval",
        *(f"receval.{name}" for name in find_packages(LIBRARY)),
        *(package for parent, folder in BELOW.items() for package in (parent, *(f"{parent}.{name}" for name in find_packages(folder)))),
    ],
    cmdclass={"build_py": BuildModules, "link_types": LinkTypes},
)
