"""The packages that setuptools installs: the folders of the repository under the name `receval` (see `package-dir` in pyproject.toml).

An editable install has an import hook, which type checkers cannot follow. They follow a path to links under the names of the packages.

The types of `receval.functional` follow from the metrics: they are written into archives, wheels and this path, and are not tracked.
Writing them needs the libraries of receval, so this file is also the build backend: that of setuptools, which asks for these libraries.
"""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from setuptools import Command, build_meta, find_packages, setup
from setuptools.build_meta import *  # noqa: F403
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
LIBRARY = "evaluator"
BELOW = {"receval.cli": "cli", "receval.configs": "configs"}
LINKS = HERE / "build" / "types"
_HOOK_FIRST = "import sys; sys.meta_path.sort(key=lambda finder: not getattr(finder, '__module__', '').startswith('__editable___receval_'))"
"""A line of a .pth file: Python goes on importing the folders themselves, by the hook of setuptools, and no links."""
STUB = Path(LIBRARY, "functional.pyi")
"""A file of archives of the sources, and never of the repository."""
_TEXT_OF_STUB = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("receval", sys.argv[1])
package = sys.modules["receval"] = module_from_spec(spec)
spec.loader.exec_module(package)
from receval.api import stubs
print(stubs.text(), end="")
"""
"""A program that prints the types of `receval.functional` of these sources, whatever is installed."""


def _requirements(wanted):
    """Return what a build needs: what setuptools says, and the libraries of receval if the types are still to be written."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    return [*wanted, *([] if (HERE / STUB).exists() else project["dependencies"])]


def get_requires_for_build_wheel(config_settings=None):
    """Return what building a wheel needs."""
    return _requirements(build_meta.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_sdist(config_settings=None):
    """Return what building an archive of the sources needs."""
    return _requirements(build_meta.get_requires_for_build_sdist(config_settings))


def get_requires_for_build_editable(config_settings=None):
    """Return what an editable install needs."""
    return _requirements(build_meta.get_requires_for_build_editable(config_settings))


def _write_stub(folder):
    """Write the types of `receval.functional` into a folder, unless the sources are those of an archive, which has them."""
    if not (HERE / STUB).exists():
        command = [sys.executable, "-B", "-X", "utf8", "-c", _TEXT_OF_STUB, str(HERE / LIBRARY / "__init__.py")]
        done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True)
        (folder / STUB.name).write_text(done.stdout, "utf-8")


class SourceArchive(sdist):
    """Also writes the types of `receval.functional`, so that a wheel can be built without the libraries of receval."""

    def make_release_tree(self, base_dir, files):
        """Make the folder that is packed."""
        super().make_release_tree(base_dir, files)
        _write_stub(Path(base_dir, LIBRARY))


class LinkTypes(Command):
    """Link the folders under the names that they install as, in build/types, and write the types of `receval.functional` there."""

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
        _write_stub(package)


class BuildModules(build_py):
    """Also writes the types of `receval.functional`, and into an editable install the path that type checkers follow."""

    def run(self):
        """Build as setuptools does; without the right to make links, or the libraries, type checkers of an editable install find less."""
        super().run()
        if not self.editable_mode:
            return _write_stub(Path(self.build_lib, "receval"))
        try:
            self.run_command("link_types")
        except OSError as error:
            return self.warn(f"type checkers will not find receval: {error}")
        except subprocess.CalledProcessError:  # without build isolation: the links are there, and the libraries are not
            self.warn("type checkers will not find the functions of receval.functional: install the libraries of receval first")
        site = Path(self.get_finalized_command("install").install_lib)
        site.mkdir(parents=True, exist_ok=True)
        return (site / "receval_types.pth").write_text("\n".join((str(LINKS), _HOOK_FIRST, "")), "utf-8")


if __name__ == "__main__":  # of setuptools, which runs this file; a frontend imports it
    setup(
        packages=[
            "receval",
            *(f"receval.{name}" for name in find_packages(LIBRARY)),
            *(package for parent, folder in BELOW.items() for package in (parent, *(f"{parent}.{name}" for name in find_packages(folder)))),
        ],
        cmdclass={"build_py": BuildModules, "link_types": LinkTypes, "sdist": SourceArchive},
    )
