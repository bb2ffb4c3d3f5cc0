"""`banzuke bundle`: this installation as one archive, for nodes without network or compilers."""

from pathlib import Path
from typing import Annotated

import typer

from banzuke import __version__
from banzuke.bundle import archive, contents, start
from banzuke.cli.builds import listed
from banzuke.cli.console import errors, warn, write_text
from banzuke.cli.options import WHAT
from banzuke.program import installed
from banzuke.program.installed import commit
from banzuke.units import quantity


def bundle(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="Archive to write, .tar.gz or .tar.zst.",
            show_default="banzuke-VERSION-MACHINE.tar.gz",
        ),
    ] = None,
    without_python: Annotated[
        bool,
        typer.Option(
            "--without-python",
            help="Leave the interpreter out; nodes need this one's version of Python.",
            rich_help_panel=WHAT,
        ),
    ] = False,
    build: Annotated[
        str | None,
        typer.Option(
            "--build",
            metavar="NAMES",
            help="Builds besides the installation itself, separated by commas.",
            show_default="all",
            rich_help_panel=WHAT,
        ),
    ] = None,
) -> None:
    """Write this installation as one archive that runs wherever it is unpacked: no network, no compiler."""
    builds = listed("--build", build) if build is not None else installed.builds()
    for name in builds:
        installed.folder(name)
    if file is not None:
        archive.check_name(file)
    with errors.busy("finding what belongs to it ...") as progress:
        gathered = contents.gather(builds, python=not without_python)
        chosen = list(dict.fromkeys([installed.DEFAULT, *builds]))
        said = start.facts(gathered, chosen, commit(), python=not without_python)
        start.add_scripts(gathered, said)
        top = f"banzuke-{__version__}-{said['machine']}"
        path = file or Path(f"{top}.tar.gz")
        unpacked = sum(member.size() for member in gathered.files.values())
        written = archive.write(
            path, gathered, top, lambda done: progress(f"compressing: {done >> 20} of {unpacked >> 20} MiB ...")
        )
    write_text(f"{path}: {quantity(written, 'B')}, unpacked {quantity(unpacked, 'B')} in {top}\n")
    write_text(f"nodes need Linux on {said['machine']} with glibc {said['glibc']} or newer")
    write_text(f", and {contents.interpreter()}\n" if without_python else "; Python is included\n")
    for library in gathered.left.values():
        warn(
            f"not included: {library}, an MPI library that is not from PyPI. Nodes must have it at this path, with its "
            "launcher. To include one, set Banzuke up where no MPI is on PATH: it is then installed from PyPI"
        )
    write_text(f"next, where nodes see it: tar xf {path.name} && {top}/check && {top}/bin/banzuke evaluate\n")
