"""The command that `banzuke submit` has its jobs call: `run` or `evaluate` with the options that were given."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from banzuke.cli.budget import choose
from banzuke.cli.options import variable
from banzuke.cli.read_axes import variants
from banzuke.cli.run_options import RunOptions
from banzuke.environment.registry import kind_of, wanted
from banzuke.environment.schedulers import JobEnvironment, job_environments
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Batch
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import chosen
from banzuke.plan.request import check_all
from banzuke.plan.variant import Variants
from banzuke.record.model import NATIVE

USUAL_SECONDS = 900.0
"""Estimated seconds of a benchmark about which nothing is known."""
OVERHEAD_SECONDS = 600.0
"""Seconds for everything but the benchmarks: inspecting the machine, the report."""
OWN = {
    "--run": "it names the runs itself",
    "--batch": "it groups the records itself",
    "--fresh": "each submission has runs of its own",
}
"""Options of `run` and `evaluate` that `submit` sets itself in its jobs, and why."""

GIVEN = ("COMMANDLINE", "ENVIRONMENT")
"""The parser's names for sources of values that the user gave: words or variables."""


@dataclass(frozen=True)
class JobCommand:
    """`run` or `evaluate`, as the jobs call it."""

    name: str
    options: RunOptions
    given: Collection[str]
    """Names of the options that were given by words or variables, even if equal to the default: on the nodes, a
    variable may have another value.
    """

    @classmethod
    def of(cls, ctx: Any, words: Sequence[str], *, evaluate: bool) -> "JobCommand":
        """Parse the words as the command itself would. Raises BanzukeError and the parser's errors for what it would
        refuse on any machine.
        """
        name = "evaluate" if evaluate else "run"
        command = ctx.parent.command.get_command(ctx.parent, name)
        with _without((*own_variables(ctx), *map(variable, OWN))):
            inner = command.make_context(name, list(words), parent=ctx.parent)
        names = {name for name in inner.params if inner.get_parameter_source(name).name in GIVEN}
        for parameter in command.params:
            option = parameter.opts[0]
            if parameter.name in names and option in OWN:
                raise BanzukeError(f"{option} is not for jobs of `banzuke submit`", why=OWN[option])
        options = RunOptions.of(inner.params)
        _check_launch(options)
        return cls(name, options, names | {"command_lines"})

    def within(self, jobs: Sequence[JobEnvironment], job: JobEnvironment) -> "JobCommand":
        """Return the command for one of the jobs, which has only some of the environments."""
        axes = replace(self.options.axes, environment=",".join(job.names))
        kinds = [kind_of(name) for name in job.names]
        unused = {"image"} if len(jobs) > 1 and not any(kind.takes_image for kind in kinds) else set()
        unused |= {"os_cores"} if len(jobs) > 1 and not any(kind.isolates for kind in kinds) else set()
        names = {*self.given, "environment"} if job.names != (NATIVE,) else {*self.given} - {"environment"}
        return replace(self, options=replace(self.options, axes=axes), given=names - unused)

    def job_environments(self, batch: Batch) -> list[JobEnvironment]:
        """Return the environments of each job. Raises BanzukeError."""
        axes = self.options.axes
        image = next(iter(axes.image or []), "")
        asked = [wanted(name.strip(), image) for name in axes.environment.split(",")]
        return job_environments(batch.system, asked, batch.environments)

    @property
    def specs(self) -> dict[str, Benchmark]:
        """Return the benchmarks. Raises BanzukeError."""
        if self.name == "run":
            return dict(chosen(self.options.names)[0])
        return choose(self.options.only or [], self.options.without or [], anywhere=True)

    @property
    def seconds(self) -> float:
        """Return a guess of the time for all benchmarks; sizes are chosen on the nodes."""
        if self.name == "evaluate":
            return OVERHEAD_SECONDS + 1.1 * 60 * self.options.minutes
        per_benchmark = max(USUAL_SECONDS, 2 * (self.options.seconds or 0) * (self.options.repeat or 1))
        return OVERHEAD_SECONDS + per_benchmark * len(self.specs)

    def words(self, names: Sequence[str]) -> list[str]:
        """Return the words that call the command for some of the benchmarks.

        Raises BanzukeError for a contradiction that any machine would refuse.
        """
        specs, options, chosen = self.specs, self.options, {*self.given}
        others = [name for name in specs if name not in names]
        if not any(specs[name].storage for name in names):
            chosen -= {"area"}
        if self.name == "run":
            # What this prints, the job prints, too: only there are the hosts known.
            check_all([specs[name] for name in names], replace(options, nodes=None).request(Variants()))
            lines = {name: line for name, line in options.command_lines.items() if name not in others}
            options = replace(options, names=list(names), command_lines=lines)
        elif others:
            without = [*others, *(options.without or [])]
            chosen = {*chosen, "only"} - {"without"} if options.only else {*chosen, "without"}
            options = replace(options, only=[",".join(names)], without=[",".join(without)])
        return [self.name, *options.argv(chosen)]


def own_variables(ctx: Any) -> set[str]:
    """Return the variables of the options of `submit`."""
    return {parameter.envvar for parameter in ctx.command.params if parameter.envvar}


@contextmanager
def _without(names: Iterable[str]) -> Iterator[None]:
    """Hide these variables, which are meant for `submit`: the same option of `run` means something else."""
    kept = {name: os.environ.pop(name) for name in list(names) if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


def _check_launch(options: RunOptions) -> None:
    """Raise BanzukeError for values of axes that are not understood; builds are not checked, because they are the
    nodes'.
    """
    axes = replace(options.axes, build=None, mpi=None)
    if not any(kind_of(name.strip()).isolates for name in axes.environment.split(",")):  # only a node can tell
        variants(axes)
