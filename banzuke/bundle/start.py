"""Adds to a bundle what is beside the installation's files: how it starts, how it is checked, what it is."""

import hashlib
import json
import shlex
import sysconfig
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from platform import python_version
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from banzuke import __version__
from banzuke.bundle.contents import TOPOLOGY, Contents, File, interpreter
from banzuke.environment import elf
from banzuke.installation import installation
from banzuke.paths import BUNDLE_FACTS
from banzuke.program.describe import of_build

SUMS = "SHA256SUMS"
"""The file of checksums, in the format of `sha256sum`."""
_TEMPLATES = Path(__file__).with_name("templates")
_SCRIPTS = {"check": "check", "bin/banzuke": "banzuke", "bin/python3": "python3"}
"""Templates by the place of the script that is made from them."""


def facts(contents: Contents, builds: list[str], commit: str | None, *, python: bool) -> dict[str, Any]:
    """Return what a bundle is and what it needs. Raises BanzukeError if a program cannot be started."""
    libc, needed_by = oldest_libc(contents)
    return {
        "banzuke": __version__,
        "installation": installation(),
        "commit": commit,
        "machine": sysconfig.get_platform().removeprefix("linux-"),
        "glibc": ".".join(map(str, libc)),
        "glibc_needed_by": needed_by,
        "python": python_version(),
        "python_included": python,
        "builds": {build: of_build(build).model_dump(include={"compiler", "flags", "mpi_name"}) for build in builds},
        "packages": dict(sorted(contents.packages.items())),
        "needed_on_nodes": {name: str(path) for name, path in sorted(contents.left.items())},
    }


def oldest_libc(contents: Contents) -> tuple[elf.Version, str]:
    """Return the oldest glibc with which all programs run, and a file that needs it."""
    versions = [((0, 0), "")]
    for place, file in contents.files.items():
        if isinstance(file.content, Path) and (read := elf.read(file.content)):
            versions.append((read.libc, place))
    return max(versions, key=lambda version: version[0])


def add_scripts(contents: Contents, said: Mapping[str, Any]) -> None:
    """Add everything that is written for the bundle, except its checksums."""
    values = {
        **said,
        "abi": sysconfig.get_config_var("SOABI"),
        "interpreter": interpreter(),
        "sums": SUMS,
    }
    texts = Environment(loader=FileSystemLoader(_TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True)  # noqa: S701  (no HTML)
    texts.filters["quoted"] = lambda value: shlex.quote(str(value))
    for place, template in _SCRIPTS.items():
        text = texts.get_template(f"{template}.sh.j2").render(values)
        contents.files[place] = File(text.encode(), executable=True)
    if TOPOLOGY in contents.files:
        text = texts.get_template("lstopo.sh.j2").render(values)
        contents.files[f"bin/{PurePosixPath(TOPOLOGY).name}"] = File(text.encode(), executable=True)
    contents.files["libexec/banzuke"] = File(b"from banzuke.__main__ import main\n\nmain()\n")
    contents.files["packages/sitecustomize.py"] = File((_TEMPLATES / "sitecustomize.py.j2").read_bytes())
    contents.files["README"] = File(texts.get_template("README.j2").render(values).encode())
    contents.files[BUNDLE_FACTS] = File((json.dumps(said, indent=1) + "\n").encode())


def sums(digests: Mapping[str, bytes]) -> bytes:
    """Return a line for each file, in the order of names."""
    return "".join(f"{digest.hex()}  {place}\n" for place, digest in sorted(digests.items())).encode()


def digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
