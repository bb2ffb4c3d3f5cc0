"""Options that several commands share, declared once, and how help shows them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

from banzuke.errors import BanzukeError
from banzuke.machine.hosts import expanded
from banzuke.machine.partitions import MOST_NODES
from banzuke.plan.catalogue import benchmarks
from banzuke.results.store import check_name
from banzuke.units import seconds, whole
from banzuke.words.language import LANGUAGES, words

WHAT, WHERE, HOW, OUTPUT = "What", "Where", "How", "Output"
"""Groups of options in a command's help, in this order."""
PLACEHOLDERS = {
    "-- COMMAND": "a command with its own arguments",
    "A": "the first side of a comparison",
    "B": "the second side of a comparison",
    "BENCHMARK": "a benchmark, by name",
    "CODE": "a language: en or ja",
    "CONTRACT": "a contract's file",
    "DATE": "a day or a moment: 2026-11-22, yesterday, 7d",
    "DIR": "a folder",
    "FIGURE": "a figure with its unit, or a place on a list",
    "FILE": "a file",
    "FORMAT": "a format of other programs",
    "GROUP": "a group of users",
    "IMAGE": "an image of a container",
    "LINE": "a command line, in quotes",
    "LIST": "several values, separated by commas",
    "MACHINE": "a published machine, a site file or a run",
    "N": "a number",
    "NAME": "one name",
    "NAMES": "several names, separated by commas",
    "PATTERN": "a pattern of communication",
    "POWER": "watts with a unit: 250kW",
    "PxQ": "the two sides of a grid",
    "RATE": "a rate with its unit",
    "RATIO": "a ratio, such as 0.95",
    "RUN": "a run: its name, the beginning of it, or `last`",
    "SHARE": "a number between 0 and 1",
    "SQL": "a query",
    "SUBMISSION": "a submission, by name or the beginning of it",
    "TEXT": "any text, in quotes if it has spaces",
    "TIME": "a time: 90, 250us, 15m, 2h",
    "VALUE": "one value",
    "VALUES": "several values, separated by commas",
}
"""What stands for a value in help, one spelling each; `NAME=VALUE` and the like are made of them."""
MOST_LAUNCHES = 1_000_000
"""Most launches of a case; a larger number is a typing error, because at one a second it takes eleven days."""
LINES = ("--area", "--env", "--image", "--launcher-options", "--with")
"""Options whose values may contain spaces, so that their variables hold one value per line."""
TIMES = ("--wait",)
"""Options that take a time in `run` and `evaluate`; in `jobs` and `submit` they are flags, which have no variable."""


class OptionsCommand(TyperCommand):
    """A command whose options each have an environment variable; help gives the rule, not each name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.epilog = (
            "Each option can also be set by an environment variable: BANZUKE_OS_CORES=0 is the same as --os-cores 0."
        )
        self.params.sort(key=_place)
        for option in self.params:
            if isinstance(option, TyperArgument):
                option.display_type_rich = _no_type  # type: ignore[method-assign]
            if isinstance(option, TyperOption):
                named = not (option.is_flag and option.opts[0] in TIMES)
                option.envvar, option.show_envvar = variable(option.opts[0]) if named else None, False
                if option.opts[0] in LINES:
                    option.value_from_envvar = partial(_lines, option)  # type: ignore[method-assign]
                if option.is_flag:
                    option.metavar = ""

    def invoke(self, ctx: Any) -> Any:
        """Raise BanzukeError for text that no record can hold."""
        for option in self.params:
            if isinstance(option, TyperOption):
                _check_text(option.opts[0], ctx.params.get(option.name))
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return `[OPTIONS] A [B]`, with `...` after what may be repeated."""
        pieces: list[str] = super().collect_usage_pieces(ctx)[:1]
        for argument in self.params:
            if isinstance(argument, TyperArgument):
                piece = f"{argument.metavar}{'' if argument.nargs == 1 else '...'}"
                pieces.append(piece if argument.required else f"[{piece}]")
        return pieces

    def get_help_option(self, ctx: Any) -> TyperOption | None:
        option = super().get_help_option(ctx)
        if isinstance(option, TyperOption):
            option.metavar, option.rich_help_panel = "", OUTPUT
        return option


def _no_type(ctx: Any) -> None:
    """Show no type: an argument's name says it."""


def _place(parameter: Any) -> int:
    """Return the place of the option's group in every command's help; arguments and others come first."""
    groups = (WHAT, WHERE, HOW, OUTPUT)
    group = getattr(parameter, "rich_help_panel", None)
    return groups.index(group) if group in groups else -1


def _check_text(option: str, value: Any) -> None:
    """Raise BanzukeError if a text is not UTF-8; a path may be any bytes."""
    for text in value if isinstance(value, list) else [value]:
        try:
            text.encode() if isinstance(text, str) else None
        except UnicodeEncodeError as error:
            raise BanzukeError(f"{option} {text!r} is not UTF-8", remedy="Use other characters") from error


def _lines(option: TyperOption, ctx: Any) -> list[str] | None:
    """Return the values of an option from its variable."""
    text = option.resolve_envvar_value(ctx)
    return text.splitlines() if text else None


def variable(option: str) -> str:
    """Return the name of an option's variable: BANZUKE_DRY_RUN for `--dry-run`."""
    return f"BANZUKE_{option.strip('-').replace('-', '_').upper()}"


OneRun = Annotated[
    str, typer.Argument(metavar="RUN", help="A run, by name or prefix, `last` or `previous`, or its folder.")
]
Runs = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUN", help="Runs, by name, its beginning or folder.", show_default="last"),
]
Results = Annotated[
    Path,
    typer.Option("--results", metavar="DIR", help="Results directory.", file_okay=False, rich_help_panel=OUTPUT),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.", rich_help_panel=OUTPUT)]


def launches(number: int | None) -> int | None:
    """Return the number. Raises BanzukeError if it is too large; `max` would check it, but makes the help narrower."""
    if number is not None and number > MOST_LAUNCHES:
        raise BanzukeError(f"--repeat is more than {MOST_LAUNCHES:,}", remedy="Write a smaller number")
    return number


class WrittenNumber(float):
    """A number that keeps the text it was written as."""

    text = ""


def written(read: Callable[[str], float]) -> Callable[[str], WrittenNumber]:
    """Return a parser that reads numbers with `read` and keeps their text."""

    def parse(text: str) -> WrittenNumber:
        value = WrittenNumber(read(text))
        value.text = text
        return value

    return parse


read_time = written(seconds)
read_wait = written(lambda text: 0.0 if text.strip() == "0" else seconds(text))
Timeout = Annotated[
    WrittenNumber | None,
    typer.Option(
        "--timeout",
        parser=read_time,
        metavar="TIME",
        help="Time limit per case.",
        show_default="20 x estimate",
        rich_help_panel=HOW,
    ),
]


@dataclass(frozen=True)
class HostList:
    names: tuple[str, ...]

    def __str__(self) -> str:
        """Return the hosts as they may be typed."""
        return ",".join(self.names)

    @classmethod
    def of(cls, text: str) -> "HostList":
        """Parse a list of hosts. Raises BanzukeError."""
        names = tuple(expanded(text))
        if not names:
            raise BanzukeError(f"'{text}' names no host", remedy="Omit it, or give names: n1,n2")
        return cls(names)


def metric_option(text: str) -> Any:
    """Declare `--metric`, of type `str | None`, with the help text of one command."""
    return typer.Option("--metric", metavar="NAME", help=text, show_default="the headline", rich_help_panel=WHAT)


def hosts_option(text: str, *, default: str = "", panel: str = WHERE) -> Any:
    """Declare `--hosts`, of type `HostList | None`, with the help text and default of one command."""
    return typer.Option(
        "--hosts",
        parser=HostList.of,
        metavar="NAMES",
        help=text,
        show_default=default or True,
        rich_help_panel=panel,
    )


Hosts = Annotated[
    HostList | None,
    hosts_option("Hosts to run on: n1,n2 or n[01-16], all alike and this one among them.", default="the job's hosts"),
]


@dataclass(frozen=True)
class ProblemOf:
    """A fixed problem for any number of hosts: the one that is usual on `hosts` hosts."""

    hosts: int

    def __str__(self) -> str:
        """Return it as it is typed."""
        return f"strong:{self.hosts}"

    @classmethod
    def of(cls, text: str) -> "ProblemOf":
        """Parse `strong:N`. Raises BanzukeError."""
        kind, _, hosts = text.partition(":")
        if kind != "strong" or not 1 <= whole(hosts) <= MOST_NODES:
            raise BanzukeError(
                f"--scaling '{text}' is not understood",
                why="a run chooses only whose problem it solves",
                remedy="Write strong:1 for the problem of one host; `banzuke submit --scaling` submits whole studies",
            )
        return cls(int(hosts))


SiteFile = Annotated[
    Path | None,
    typer.Option(
        "--site",
        metavar="FILE",
        help="Site that the machine is part of, as `banzuke site init` writes it: names, launcher, storage areas.",
        rich_help_panel=WHERE,
    ),
]
PartitionName = Annotated[
    str | None,
    typer.Option(
        "--partition",
        metavar="NAME",
        help="The machine's partition of the site; a+b: nodes of both.",
        show_default="the one whose hosts include this one",
        rich_help_panel=WHERE,
    ),
]


def _run_name(text: str) -> str:
    """Return the name of a run, with `%e` replaced by the number of the job array's element. Raises BanzukeError."""
    element = os.environ.get("BANZUKE_ELEMENT", "")
    if "%e" in text and not element:
        raise BanzukeError(f"--run {text} names no run", why="BANZUKE_ELEMENT is not set, which %e stands for")
    name = text.replace("%e", element)
    check_name(name)
    return name


RunName = Annotated[
    str | None,
    typer.Option(
        "--run",
        parser=_run_name,
        metavar="NAME",
        help="Name of the run; one that exists is continued.",
        rich_help_panel=OUTPUT,
    ),
]


def _language(text: str) -> str:
    """Return the code of a language. Raises BanzukeError."""
    return words(text).language


Language = Annotated[
    str,
    typer.Option(
        "--language",
        parser=_language,
        metavar="CODE",
        help=f"Language of the report: {' or '.join(LANGUAGES)}.",
        rich_help_panel=OUTPUT,
    ),
]
DEFAULT_LANGUAGE = "en"
DEFAULT_RESULTS = Path("results")


def names_of_benchmarks(incomplete: str) -> list[str]:
    return [name for name in benchmarks() if name.startswith(incomplete)]
