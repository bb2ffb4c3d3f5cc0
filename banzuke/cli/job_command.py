"""What `banzuke submit` has its jobs call: `run` or `evaluate`, with the options that were given of it."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from banzuke.cli.budget import choose
from banzuke.cli.options import variable
from banzuke.cli.run_options import RunOptions
from banzuke.cli.variants import variants
from banzuke.environment.registry import kind_of, wanted
from banzuke.environment.schedulers import JobEnvironment, job_environments
from banzuke.errors import BanzukeError
from banzuke.machine.site import Batch
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import find
from banzuke.plan.request import check_all
from banzuke.plan.variant import Variants
from banzuke.record.model import NATIVE

USUAL_SECONDS = 900.0
"""For a benchmark that nothing is known of."""
OVERHEAD_SECONDS = 600.0
"""For what is done beside the benchmarks: looking at the machine, the report."""
OWN = {
    "--run": "it names the runs itself",
    "--batch": "it groups the records itself",
    "--fresh": "each submission has runs of its own",
}
"""Options of `run` and `evaluate` that their jobs have from `submit`, and why."""

GIVEN = ("COMMANDLINE", "ENVIRONMENT")
"""Whence the parser has what was given: from words, or from variables."""


@dataclass(frozen=True)
class JobCommand:
    """`run` or `evaluate`, as the jobs call it."""

    name: str
    options: RunOptions
    given: Collection[str]
    """Names of the options that were given, by words or by variables: also as the default is, for nodes may have
    another variable.
    """

    @classmethod
    def of(cls, ctx: Any, words: Sequence[str], *, evaluate: bool) -> "JobCommand":
        """What the command would refuse in any place is refused here. Raises BanzukeError and the parser's errors."""
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
        """The same for one of the jobs, which has some of the environments alone."""
        axes = replace(self.options.axes, environment=",".join(job.names))
        kinds = [kind_of(name) for name in job.names]
        unused = {"image"} if len(jobs) > 1 and not any(kind.takes_image for kind in kinds) else set()
        unused |= {"os_cores"} if len(jobs) > 1 and not any(kind.isolates for kind in kinds) else set()
        names = {*self.given, "environment"} if job.names != (NATIVE,) else {*self.given} - {"environment"}
        return replace(self, options=replace(self.options, axes=axes), given=names - unused)

    def job_environments(self, batch: Batch) -> list[JobEnvironment]:
        """Raises BanzukeError."""
        axes = self.options.axes
        image = next(iter(axes.image or []), "")
        asked = [wanted(name.strip(), image) for name in axes.environment.split(",")]
        return job_environments(batch.system, asked, batch.environments)

    @property
    def specs(self) -> dict[str, Benchmark]:
        """Raises BanzukeError."""
        if self.name == "run":
            return {name: find(name) for name in self.options.names}
        return choose(self.options.only or [], self.options.without or [], anywhere=True)

    @property
    def seconds(self) -> float:
        """A guess at what all benchmarks together take; sizes are chosen on the nodes."""
        if self.name == "evaluate":
            return OVERHEAD_SECONDS + 1.1 * 60 * self.options.minutes
        per_benchmark = max(USUAL_SECONDS, 2 * (self.options.seconds or 0) * (self.options.repeat or 1))
        return OVERHEAD_SECONDS + per_benchmark * len(self.specs)

    def words(self, names: Sequence[str]) -> list[str]:
        """Words that call the command for some of the benchmarks.

        Raises BanzukeError for what contradicts itself on any machine.
        """
        specs, options, chosen = self.specs, self.options, {*self.given}
        others = [name for name in specs if name not in names]
        if not any(specs[name].storage for name in names):
            chosen -= {"area"}
        if self.name == "run":
            # What it says is said in the job, too, which alone knows its hosts.
            check_all([specs[name] for name in names], replace(options, nodes=None).request(Variants()))
            lines = {name: line for name, line in options.command_lines.items() if name not in others}
            options = replace(options, names=list(names), command_lines=lines)
        elif others:
            without = [*others, *(options.without or [])]
            chosen = {*chosen, "only"} - {"without"} if options.only else {*chosen, "without"}
            options = replace(options, only=[",".join(names)], without=[",".join(without)])
        return [self.name, *options.argv(chosen)]


def own_variables(ctx: Any) -> set[str]:
    """Those of the options of `submit`."""
    return {parameter.envvar for parameter in ctx.command.params if parameter.envvar}


@contextmanager
def _without(names: Iterable[str]) -> Iterator[None]:
    """These variables are for `submit`: `run`'s option of the same name takes something else."""
    kept = {name: os.environ.pop(name) for name in list(names) if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


def _check_launch(options: RunOptions) -> None:
    """Raises BanzukeError for values of axes that are not understood; builds are those of the nodes."""
    axes = replace(options.axes, build=None, mpi=None)
    if not any(kind_of(name.strip()).isolates for name in axes.environment.split(",")):  # that is for a node
        variants(axes)
