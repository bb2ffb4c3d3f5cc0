"""The options of the commands that measure, each declared once: how it is written and checked, and what it changes.

`run` and `evaluate` take one `RunOptions`, `submit` that of its jobs, and `screen` one with the options that it shares.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self

import typer

from banzuke.cli.axis_options import Axes
from banzuke.cli.budget import DEFAULT_MINUTES, Minutes
from banzuke.cli.declared import OptionMark, OptionsModel, declared
from banzuke.cli.official import LINE
from banzuke.cli.options import (
    DEFAULT_LANGUAGE,
    DEFAULT_RESULTS,
    HOW,
    OUTPUT,
    WHAT,
    WHERE,
    Hosts,
    Json,
    Language,
    PartitionName,
    ProblemOf,
    Results,
    RunName,
    SiteFile,
    Timeout,
    WrittenNumber,
    launches,
    names_of_benchmarks,
    read_time,
    read_wait,
)
from banzuke.errors import BanzukeError
from banzuke.machine.partitions import TOGETHER, NodeCount, names_of
from banzuke.plan.groups import read_groups
from banzuke.plan.overrides import parse_overrides
from banzuke.plan.request import Request
from banzuke.plan.variant import Variants


@dataclass(frozen=True, kw_only=True)
class RunOptions(OptionsModel):
    """The options that a command was called with, in the order of its help."""

    names: Annotated[
        list[str],
        typer.Argument(
            metavar="BENCHMARK", help="Benchmarks; `banzuke list` shows them.", autocompletion=names_of_benchmarks
        ),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = field(default_factory=list)
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="NAMES",
            help="Run only these benchmarks.",
            autocompletion=names_of_benchmarks,
            rich_help_panel=WHAT,
        ),
        OptionMark.EVALUATE,
        OptionMark.UNDERSTOOD,
    ] = None
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="NAMES",
            help="Run all but these benchmarks.",
            autocompletion=names_of_benchmarks,
            rich_help_panel=WHAT,
        ),
        OptionMark.EVALUATE,
        OptionMark.UNDERSTOOD,
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set a parameter; n=1000,2000 sweeps it. Repeatable. `run NAME --help` lists them.",
            rich_help_panel=WHAT,
        ),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = None
    ranks: Annotated[
        int | None,
        typer.Option("--ranks", metavar="N", min=1, help="MPI ranks.", rich_help_panel=WHAT),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = None
    threads: Annotated[
        int | None,
        typer.Option("--threads", metavar="N", min=1, help="Threads per rank.", rich_help_panel=WHAT),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = None
    backend: Annotated[
        str | None,
        typer.Option(
            "--backend", metavar="NAMES", help="Run each case with each backend: omp,mkl.", rich_help_panel=WHAT
        ),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = None
    scaling: Annotated[
        ProblemOf | None,
        typer.Option(
            "--scaling",
            parser=ProblemOf.of,
            metavar="strong:N",
            help="Solve the problem of N hosts on any number.",
            rich_help_panel=WHAT,
        ),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = None
    seconds: Annotated[
        WrittenNumber | None,
        typer.Option(
            "--seconds",
            parser=read_time,
            metavar="TIME",
            help="Length of the timed part: 90, 15m, 2h. By benchmark it sets the size, the repetitions or the period "
            "itself; a collection divides it among its problems. Without parameters only the headline runs.",
            rich_help_panel=WHAT,
        ),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = None
    input_path: Annotated[
        Path | None,
        typer.Option(
            "--input",
            metavar="FILE",
            help="Input file of the official code, such as HPL.dat. Implies --official.",
            rich_help_panel=WHAT,
        ),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = None
    command_lines: Annotated[Mapping[str, str], OptionMark.RUN, OptionMark.UNDERSTOOD] = field(default_factory=dict)
    """The official code's command line, by benchmark; each benchmark that has one gets an option."""
    placement: Annotated[
        str | None,
        typer.Option(
            "--placement",
            metavar="NAMES",
            help="Placements of the ranks, by name or prefix: same-complex,other-node, or all. `banzuke machine` lists "
            "them.",
            rich_help_panel=WHERE,
        ),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = None
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            metavar="LIST",
            help="Processors that share work: 0-3+4@0.",
            rich_help_panel=WHERE,
        ),
        OptionMark.RUN,
        OptionMark.UNDERSTOOD,
    ] = None
    hosts: Annotated[Hosts, OptionMark.SCREEN, OptionMark.UNDERSTOOD] = None
    devices: Annotated[
        str | None,
        typer.Option(
            "--devices",
            metavar="NAMES",
            help="Accelerators: all, none, or 0,GPU-8f.",
            show_default=False,
            rich_help_panel=WHERE,
        ),
    ] = None
    nodes: Annotated[
        NodeCount | None,
        typer.Option(
            "--nodes",
            parser=NodeCount.of,
            metavar="N",
            help="Run each case on N hosts: where cases span hosts, those on N; N+N: of two partitions.",
            show_default="all, and fewer",
            rich_help_panel=WHERE,
        ),
        OptionMark.UNDERSTOOD,
    ] = None
    site: Annotated[SiteFile, OptionMark.SCREEN, OptionMark.UNDERSTOOD] = None
    partition: Annotated[PartitionName, OptionMark.SCREEN, OptionMark.UNDERSTOOD] = None
    area: Annotated[
        list[str] | None,
        typer.Option(
            "--area",
            metavar="NAME=DIR",
            help="Storage area to measure: its name, a folder in it; or SITE.toml: those described there. Repeatable.",
            show_default="those of --site, else the results directory",
            rich_help_panel=WHERE,
        ),
        OptionMark.UNDERSTOOD,
    ] = None
    axes: Axes = field(default_factory=Axes)
    oversubscribe: Annotated[
        bool,
        typer.Option("--oversubscribe", help="Allow more threads than processors.", rich_help_panel=WHERE),
        OptionMark.RUN,
    ] = False
    minutes: Annotated[Minutes, OptionMark.EVALUATE, OptionMark.SCREEN] = DEFAULT_MINUTES
    blas: Annotated[
        str | None,
        typer.Option(
            "--blas",
            metavar="FILE",
            help="Use this BLAS library instead of the fastest one found.",
            rich_help_panel=HOW,
        ),
    ] = None
    repeat: Annotated[
        int | None,
        typer.Option(
            "--repeat",
            metavar="N",
            min=1,
            callback=launches,
            help="Launch every case N times, interleaved.",
            rich_help_panel=HOW,
        ),
    ] = 1
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="RUN",
            help="Measure that run's builds and settings, too.",
            rich_help_panel=HOW,
        ),
        OptionMark.RUN,
    ] = None
    timeout: Annotated[Timeout, OptionMark.SCREEN, OptionMark.BESIDE] = None
    wait: Annotated[
        WrittenNumber | None,
        typer.Option(
            "--wait",
            parser=read_wait,
            metavar="TIME",
            help="Time to wait while others are busy; 0: none.",
            show_default="1m",
            rich_help_panel=HOW,
        ),
        OptionMark.BESIDE,
    ] = None
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Search for faster settings in short runs first, and keep them for this machine.",
            rich_help_panel=HOW,
        ),
        OptionMark.RUN,
        OptionMark.BESIDE,
    ] = False
    tune_seconds: Annotated[
        WrittenNumber | None,
        typer.Option(
            "--tune-seconds",
            parser=read_time,
            metavar="TIME",
            help="Time for --tune; more allows larger sizes.",
            show_default="3m",
            rich_help_panel=HOW,
        ),
        OptionMark.RUN,
        OptionMark.BESIDE,
    ] = None
    untuned: Annotated[
        bool,
        typer.Option("--untuned", help="Ignore settings found by --tune.", rich_help_panel=HOW),
    ] = False
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Start a new run, and continue none.", rich_help_panel=HOW),
        OptionMark.BESIDE,
    ] = False
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the commands, and run nothing.", rich_help_panel=HOW),
        OptionMark.BESIDE,
    ] = False
    results: Annotated[Results, OptionMark.SCREEN, OptionMark.BESIDE] = DEFAULT_RESULTS
    run_name: Annotated[RunName, OptionMark.SCREEN, OptionMark.BESIDE] = None
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch",
            metavar="NAME",
            help="Common name in the records of hosts that are each measured by themselves.",
            hidden=True,
            rich_help_panel=OUTPUT,
        ),
        OptionMark.BESIDE,
    ] = None
    official: Annotated[
        bool,
        typer.Option(
            "--official",
            help="Print in the format of the official code, where there is one; the table goes to stderr.",
            rich_help_panel=OUTPUT,
        ),
        OptionMark.RUN,
        OptionMark.BESIDE,
    ] = False
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="TEXT",
            help="Name of the machine in the report.",
            show_default="host name",
            rich_help_panel=OUTPUT,
        ),
        OptionMark.EVALUATE,
    ] = None
    language: Annotated[Language, OptionMark.EVALUATE, OptionMark.SCREEN, OptionMark.BESIDE] = DEFAULT_LANGUAGE
    json: Annotated[Json, OptionMark.SCREEN, OptionMark.BESIDE] = False
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Print each case with its command, binding and findings.", rich_help_panel=OUTPUT
        ),
        OptionMark.BESIDE,
    ] = False

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the options from a command's parameters, in which each benchmark's command line is one of its own."""
        lines = {name.removesuffix(LINE): line for name, line in parameters.items() if name.endswith(LINE)}
        command_lines = {name: line for name, line in lines.items() if line is not None}
        return super().of({**parameters, "command_lines": command_lines})

    def argv(self, chosen: Collection[str]) -> list[str]:
        """Return the words that give the `chosen` fields these values."""
        values = {**vars(self), **vars(self.axes)}
        words: list[str] = []
        for option in declared(RunOptions):
            if option.name not in chosen:
                continue
            if option.name == "command_lines":
                words += [word for name, line in self.command_lines.items() for word in (f"--{name}", line)]
            else:
                words += option.words(values[option.name])
        return words

    @property
    def partitions(self) -> tuple[str, ...]:
        """Return the names of the partitions that work together; empty: there is one. Raises BanzukeError."""
        names = names_of(self.partition) if self.partition else ()
        if self.nodes and self.nodes.parts and len(self.nodes.parts) != max(1, len(names)):
            raise BanzukeError(
                f"--nodes {self.nodes} has {len(self.nodes.parts)} numbers",
                why=f"--partition names {len(names)} of them" if names else "--partition names none",
                remedy="Give a number for each: --partition cpu+large --nodes 2+3",
            )
        if len(names) > 1 and self.nodes and not self.nodes.parts:
            raise BanzukeError(
                f"--nodes {self.nodes} does not say how many are of each partition",
                why=f"--partition names {' and '.join(names)}",
                remedy=f"Write --nodes {TOGETHER.join('1' for _ in names)}, with the number of each",
            )
        return names if len(names) > 1 else ()

    def request(self, variants: Variants) -> Request:
        """Return the request to benchmarks, launched in these ways. Raises BanzukeError."""
        return Request(
            ranks=self.ranks,
            threads=self.threads,
            backend=self.backend,
            variants=variants,
            overrides=parse_overrides(self.settings or []),
            seconds=self.seconds,
            placements=tuple(name.strip() for name in self.placement.split(",")) if self.placement else (),
            groups=read_groups(self.groups) if self.groups is not None else (),
            nodes=None if self.partitions else self.nodes,
            problem_of=self.scaling.hosts if self.scaling else None,
        )
