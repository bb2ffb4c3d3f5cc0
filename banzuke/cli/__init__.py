"""Commands only: parse, call, print."""

import errno
import io
import signal
import sys
from typing import Any, NoReturn

import typer

from banzuke import __version__
from banzuke.cli.compare import compare
from banzuke.cli.console import crash, fail, write_text
from banzuke.cli.evaluate import evaluate
from banzuke.cli.explain import explain
from banzuke.cli.history import history
from banzuke.cli.isolate import isolate
from banzuke.cli.listing import list_all
from banzuke.cli.machine import machine
from banzuke.cli.options import OptionsCommand, OptionsGroup
from banzuke.cli.predict import predict
from banzuke.cli.query import query
from banzuke.cli.remove import remove
from banzuke.cli.report import report
from banzuke.cli.run import run
from banzuke.errors import BanzukeError
from banzuke.text import printable
from banzuke.ulimits import check, understood


class Commands(OptionsGroup):
    """The parser's error quotes the wrong call, and Typer's own console prints it, not ours."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.TyperException as error:
            error.message = printable(error.message)
            raise


app = typer.Typer(
    name="banzuke",
    cls=Commands,
    help="Evaluate a computer: run verified benchmarks, judge them by the machine's limits, write a report.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (machine, explain, run, evaluate, report, compare, history, query, remove, isolate):
    app.command(cls=OptionsCommand)(command)
app.command("list", cls=OptionsCommand)(list_all)
app.add_typer(predict)


def _version(wanted: bool) -> None:
    if wanted:
        write_text(f"banzuke {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Options of every command."""


def main() -> None:
    """Exit status: 0 all verified, 1 something failed or did not verify, 2 the call was wrong, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # not every terminal knows every character
    sys.excepthook = crash
    for number in (signal.SIGTERM, signal.SIGHUP):  # a batch system's notice, a closed terminal: end as on Ctrl-C
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, signal.default_int_handler)
    try:
        check()
        app()
    except BanzukeError as error:
        _fail(error)
    except BrokenPipeError:
        sys.exit(141)
    except (OSError, RuntimeError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            _fail(BanzukeError("cannot write the output", why=error.strerror or ""))
        if told := understood(error):
            _fail(told)
        raise


def _fail(error: BanzukeError) -> NoReturn:
    fail(str(error))
    sys.exit(2)
