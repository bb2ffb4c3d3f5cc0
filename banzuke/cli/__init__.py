"""The commands of `banzuke`: they only parse, call and print."""

import errno
import gc
import signal
import sys
from typing import NoReturn

import typer

from banzuke.cli.console import check_output, crash, discard, fail, out, tolerate_pipes, write_text
from banzuke.cli.current_folder import check_folder
from banzuke.cli.group import MARKUP, Commands
from banzuke.errors import BanzukeError
from banzuke.files import trust
from banzuke.installation import installation
from banzuke.paths import have_home
from banzuke.ulimits import check, named, understood

app = typer.Typer(
    name="banzuke",
    cls=Commands,
    help="Evaluate a computer: run verified benchmarks, judge them by the machine's limits, write a report.",
    no_args_is_help=True,
    rich_markup_mode=MARKUP,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        write_text(f"banzuke {installation()}\n")
        raise typer.Exit


def _trust(group: str | None) -> None:
    if group is not None:
        trust.trust_group(group)


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    trust_group: str | None = typer.Option(
        None,
        "--trust-group",
        metavar="GROUP",
        callback=_trust,
        help="Trust the members of this group: continue what they have started. They can then run programs as you.",
    ),
) -> None:
    """Take the options that every command has."""


def main() -> None:
    """Run the command and exit: 0 all verified, 1 something failed or did not verify, 2 the call was wrong, 130
    interrupted.
    """
    _prepare()
    try:
        check_output()
        check()
        check_folder()
        have_home()
        try:
            app()
        finally:
            out.file.flush()  # at the end of the interpreter, it would be too late to say what is wrong
    except BanzukeError as error:
        _fail(named(error))
    except KeyboardInterrupt:  # before or after the command, which reports its own interruption
        sys.exit(130)
    except (ImportError, OSError, RuntimeError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
            discard(out.file)
            remedy = "Free some space where it is written to, or write it elsewhere"
            _fail(BanzukeError("cannot write the output", why=error.strerror or "", remedy=remedy))
        if cause := understood(error):
            _fail(cause)
        raise
    finally:
        _end_without_collection()


def _prepare() -> None:
    tolerate_pipes()
    sys.excepthook = crash
    for number in (signal.SIGTERM, signal.SIGHUP):  # a batch system's warning or a closed terminal: end as on Ctrl-C
        if signal.getsignal(number) != signal.SIG_IGN:  # ignored, as under nohup
            signal.signal(number, signal.default_int_handler)


def _end_without_collection() -> None:
    """Skip the garbage collection at exit, which would take a tenth of a second.

    Not with DuckDB: its binding (nanobind) would report what was not collected as a leak, on the error stream.
    """
    if "duckdb" not in sys.modules:
        gc.freeze()


def _fail(error: BanzukeError) -> NoReturn:
    fail(*error.lines)
    sys.exit(2)
