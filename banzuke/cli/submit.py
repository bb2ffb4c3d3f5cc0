"""`banzuke submit`: submits jobs to a batch system that run or evaluate, each with a script that a person can read."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from banzuke.batch import plan, systems
from banzuke.batch.inventory import systems as inventory
from banzuke.batch.inventory.model import Queue
from banzuke.batch.submission import PlannedJob, Submission, Submissions
from banzuke.cli.console import errors, write_text
from banzuke.cli.follow import follow, tell
from banzuke.cli.job_command import OWN, JobCommand, own_variables
from banzuke.cli.jobs import Wait, submit_jobs
from banzuke.cli.options import (
    DEFAULT_RESULTS,
    HOW,
    WHAT,
    WHERE,
    HostList,
    Results,
    hosts_option,
    variable,
)
from banzuke.cli.partitions import check_parts
from banzuke.cli.power_cap import PowerCap, capped
from banzuke.cli.site import DEFAULT as SITE
from banzuke.cli.site import answering
from banzuke.cli.study_jobs import Kinds, of_kinds
from banzuke.errors import BanzukeError
from banzuke.files import check_folder, check_ours, read_named
from banzuke.installation import front_end, installation
from banzuke.machine.cluster import Batch
from banzuke.machine.described import Place
from banzuke.machine.partitions import TOGETHER, NodeCount, check_distinct, names_of
from banzuke.machine.site import NodeType, Partition, Processor
from banzuke.results.store import new_name
from banzuke.text import nearest
from banzuke.units import count, seconds, short_time

KEPT_BACK = ("BANZUKE_MARK", "BANZUKE_ELEMENT")
"""Variables of this process, not passed to jobs."""


def _nodes(text: str) -> tuple[NodeCount, ...]:
    """Return the numbers of nodes in `1,2,4`, ascending, each once. Raises BanzukeError."""
    try:
        numbers = {str(number): number for number in map(NodeCount.of, text.split(","))}
    except BanzukeError as error:
        remedy = "Write numbers of nodes: 4, or 1,2,4,8; of two partitions 2+3"
        raise BanzukeError(f"--nodes '{text}' is not understood", why=error.why, remedy=remedy) from error
    return tuple(sorted(numbers.values(), key=lambda number: (int(number), number.parts)))


def _moment(text: str) -> datetime:
    """Return the next `22:00`, the moment `2026-12-24T22:00`, or that `2h` from now. Raises BanzukeError."""
    now = datetime.now().astimezone()
    remedy = f"Write 22:00, 2026-12-24T22:00 ({now:%Z}, this computer's time), or 2h for two hours from now"
    try:
        if len(text) == len("22:00"):
            at = datetime.fromisoformat(f"{now.date()}T{text}").astimezone()
            return at if at > now else at + timedelta(days=1)
        at = datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        try:
            return now + timedelta(seconds=short_time(text))
        except (BanzukeError, OverflowError) as error:
            raise BanzukeError(f"--begin '{text}' is not understood", remedy=remedy) from error
    if at < now:
        raise BanzukeError(f"--begin {text} is over", why=f"it is {now:%Y-%m-%d %H:%M %Z}", remedy=remedy)
    return at


Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="BENCHMARK",
        help="Benchmarks, and all options of `banzuke run` (with --evaluate, of `banzuke evaluate`): --set, "
        "--seconds, --mpi, --environment (with PJM, each such as mckernel has a job with its jobenv), ...",
    ),
]
NodeNumbers = Annotated[
    Any,
    typer.Option(
        "--nodes",
        parser=_nodes,
        metavar="LIST",
        help="Numbers of nodes, a job for each: 1,2,4,8; of two partitions 2+3. Benchmarks that need one node run on "
        "as many nodes as the largest, each node by itself.",
        show_default="1",
        rich_help_panel=WHERE,
    ),
]
Shapes = Annotated[
    str | None,
    typer.Option(
        "--shape",
        metavar="LIST",
        help="Shapes of the nodes in the network, a job for each: mesh,torus, 12:mesh,12:torus, 2x3x2:torus.",
        rich_help_panel=WHERE,
    ),
]
Site = Annotated[
    Path | None,
    typer.Option(
        "--site",
        metavar="FILE",
        help="Description of the site; `banzuke site init` writes one.",
        show_default="site.toml here, or else the batch system itself",
        rich_help_panel=WHERE,
    ),
]
PartitionName = Annotated[
    str | None,
    typer.Option(
        "--partition",
        metavar="NAME",
        help="Partition of the site, or several with + between, on which each job has nodes; without --site, the batch "
        "system's own name for one.",
        rich_help_panel=WHERE,
    ),
]
Begin = Annotated[
    Any,
    typer.Option(
        "--begin",
        parser=_moment,
        metavar="TIME",
        help="Start jobs then or later, by this computer's clock: 22:00, 2026-12-24T22:00, 2h (from now).",
        show_default="at once",
        rich_help_panel=HOW,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time",
        parser=seconds,
        metavar="TIME",
        help="Time limit of each job. What was finished before it is kept, and `banzuke jobs --resubmit` continues.",
        show_default="by --minutes, --seconds or the number of benchmarks",
        rich_help_panel=HOW,
    ),
]


def submit(
    ctx: typer.Context,
    words: Words = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Evaluate instead of running benchmarks.", rich_help_panel=WHAT)
    ] = False,
    nodes: NodeNumbers = None,
    scaling: Kinds = None,
    shape: Shapes = None,
    site: Site = None,
    partition: PartitionName = None,
    hosts: Annotated[
        HostList | None,
        hosts_option("Nodes of the partition to run on: n1,n2 or n[01-16].", default="the batch system chooses"),
    ] = None,
    reservation: Annotated[
        str, typer.Option("--reservation", metavar="NAME", help="Reservation to use.", rich_help_panel=WHERE)
    ] = "",
    begin: Begin = None,
    power_cap: PowerCap = None,
    time: TimeLimit = None,
    wait: Wait = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the scripts and submit nothing.", rich_help_panel=HOW)
    ] = False,
    results: Results = DEFAULT_RESULTS,
) -> None:
    """Submit benchmarks as jobs to a batch system; their results join the results folder as they finish."""
    asked = JobCommand.of(ctx, words or [], evaluate=evaluate)
    file = _site_file(site)
    names = names_of(partition) if partition else ()
    if len(names) > 1:
        check_parts(asked, file, names, {"--hosts": hosts, "--scaling": scaling, "--power-cap": power_cap})
    first, *others = parts = [_target(file, name) for name in names or (None,)]
    check_distinct(partition or "", [part.partition for part in parts])
    key, batch = first.partition, first.batch
    store, name = Submissions(results.absolute()), new_name(datetime.now(UTC))
    folder = store.folder / name
    where = ["--site", str(folder / "site.toml"), "--partition", TOGETHER.join(part.partition for part in parts)]
    program, base = _program(batch), ["--results", str(results.absolute()), *(where if file else [])]
    target = plan.Target(
        name=name,
        folder=folder,
        directory=Path.cwd(),
        partition=key,
        described=first.described,
        batch=batch,
        others=tuple(others),
        hosts=hosts.names if hosts else (),
        seconds=min(plan.time_limit(time, asked.seconds, p.batch.longest, p.partition) for p in parts),
        version=_version(batch),
        variables=_variables(ctx),
        begin=begin,
        reservation=reservation,
    )
    shapes = [text.strip() for text in shape.split(",")] if shape else []
    sizes = plan.sizes(nodes or ([] if shapes else [len(hosts.names) if hosts else 1]), shapes)
    study = of_kinds(asked.specs, scaling, evaluate=evaluate) if scaling else None
    planned = _planned(asked, target, sizes, study, program, base)
    if power_cap:
        planned = capped(planned, power_cap, results, Place.find(file, partition) if file else None, key)
    if dry_run:
        _print_scripts(planned)
        return
    check_folder(store.folder, "--results")
    submission = Submission(
        name=name,
        asked=datetime.now(UTC),
        banzuke=installation(),
        words=[Path(sys.argv[0]).name, *sys.argv[1:]],
        jobs=planned,
        power_cap=power_cap,
    )
    made = store.create(submission, read_named(file) if file else None)
    failed = submit_jobs(made, planned)
    errors.say((f"scripts and output in {made.folder}", "dim"))
    if wait:
        raise typer.Exit(follow(made, results))
    tell(made.name, results)
    raise typer.Exit(1 if failed else 0)


def _print_scripts(planned: Sequence[PlannedJob]) -> None:
    for job in planned:
        write_text(systems.render(job.job))
    errors.say(f"{count(len(planned), 'job')}; nothing was submitted")


def _site_file(site: Path | None) -> Path | None:
    """Return the named file, or the one of the current folder. Raises BanzukeError."""
    if site is None and os.path.lexists(SITE):
        check_ours(SITE, problem=f"jobs would take their commands from {SITE} of the current folder")
        site = SITE
    return site.absolute() if site else None


def _planned(
    asked: JobCommand,
    target: plan.Target,
    sizes: Sequence[plan.Size],
    study: Mapping[plan.Kind, Sequence[str]] | None,
    program: str,
    base: Sequence[str],
) -> list[PlannedJob]:
    """Return the jobs of each environment, for a study or for each size; commands are `program` ... `base`."""
    wide = [name for name, spec in asked.specs.items() if spec.spans_hosts]
    alone = [name for name, spec in asked.specs.items() if not spec.spans_hosts]
    environments = asked.job_environments(target.batch)
    planned: list[PlannedJob] = []
    for environment in environments:
        inner = asked.within(environments, environment)

        def command(names: Sequence[str], further: Sequence[str], inner: JobCommand = inner) -> list[str]:
            return [program, *inner.words(names), *further, *base]

        suffix = f"-{environment.label}" if len(environments) > 1 else ""
        within = replace(target, environment=environment.asked, suffix=suffix)
        if study is not None:
            planned += plan.study(within, sizes, study, command)
        else:
            planned += plan.jobs(within, sizes, wide, alone, command)
    return planned


def _target(file: Path | None, asked: str | None) -> plan.TargetPart:
    """Return the partition to submit to, with its name. Raises BanzukeError."""
    if file is None:
        return _asked_target(asked)
    place = Place.find(file, asked)
    key, described = place.key, place.site.partitions[place.key]
    batch = described.batch
    if batch is None:
        raise BanzukeError(
            f"partition {key} has no batch system",
            why=f"{file} has no [partitions.{key}.batch]",
            remedy="Add it, or use `banzuke run` on its nodes",
        )
    return plan.TargetPart(
        key, described if plan.cores_of(described) else _with_cores(described, batch, file, key), batch
    )


def _with_cores(described: Partition, batch: Batch, file: Path, key: str) -> Partition:
    """Return the partition with cores as the batch system reports them; without, a job would get one processor per
    node.

    Raises BanzukeError if the batch system does not report them.
    """
    queues: list[Queue] = []
    with suppress(BanzukeError):  # it is not here, or it does not answer
        queues = inventory.queues(batch.system)
    for queue in queues:
        if (queue.name == batch.queue if batch.queue else queue.default) and (processors := _processors(queue)):
            return described.having(node=described.node.having(processors=processors))
    raise BanzukeError(
        f"jobs of partition {key} would ask for one processor of each node",
        why=f"{file} does not say how many cores a node has, and {batch.system} does not, either",
        remedy=f"Add [[partitions.{key}.node.processors]] with a line `cores = N` for each socket",
    )


def _asked_target(name: str | None) -> plan.TargetPart:
    """Return the target without a site file: the batch system that answers here, and its queue. Raises BanzukeError."""
    answer = answering(None, "Try again, or run here: banzuke run, banzuke evaluate")
    if answer is None:
        raise BanzukeError(
            "no batch system was found",
            why="none of their commands is on PATH",
            remedy="Submit on a login node; or write a site file with `banzuke site init`, and name it with --site",
        )
    system, queues = answer
    named = [queue for queue in queues if (queue.name == name if name else queue.default or len(queues) == 1)]
    if name and not named:
        raise BanzukeError(
            f"{system} has no queue '{name}' here", remedy=nearest(name, [queue.name for queue in queues])
        )
    queue = named[0] if named else Queue("")
    batch = Batch(
        system=system,
        queue=name,
        longest=queue.longest,
        parallel_environment=queue.environments[0] if queue.environments else None,
    )
    node = NodeType(processors=_processors(queue))
    return plan.TargetPart(name or queue.name, Partition(nodes=queue.number or None, node=node), batch)


def _processors(queue: Queue) -> list[Processor]:
    """Return the processors of the queue's node with the fewest cores, as a job may get any; none if unknown."""
    cores = [number for nodes in queue.nodes if (number := nodes.kind.cores or nodes.kind.logical)]
    return [Processor(cores=min(cores))] if cores else []


def _program(batch: Batch) -> str:
    """Return the command on the nodes: the described one, or this one."""
    here = Path(sys.executable).with_name("banzuke")
    return batch.banzuke or str(here if here.exists() else shutil.which("banzuke") or "banzuke")


def _version(batch: Batch) -> str:
    """Return the start of the version that the command on the nodes must report; one that is described may have other
    programs.
    """
    return f"banzuke {front_end() if batch.banzuke else installation()}"


def _variables(ctx: Any) -> dict[str, str]:
    """Return our variables for a job, as some batch systems pass all on and some none; `submit`'s are emptied."""
    ours = own_variables(ctx) | set(map(variable, OWN))
    variables = {name: value for name, value in os.environ.items() if name.startswith("BANZUKE_")}
    return {name: "" if name in ours else value for name, value in variables.items() if name not in KEPT_BACK}
