"""Makes one case: a layout with the defaults of its benchmark, and what is set."""

from collections.abc import Mapping

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Layout, Scalar
from banzuke.plan.case import Case, RankGroup
from banzuke.plan.strong import shared_out
from banzuke.program.describe import RefusedError


def _stored(benchmark: Benchmark, machine: Machine) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
    """Return the parameters that name the area to be measured, and those that name the folder in it."""
    if benchmark.storage is None:
        return {}, {}
    ((area, folder),) = machine.allotment.folders.items()
    return {benchmark.storage.area: area}, {benchmark.storage.folder: folder}


def case_at(
    benchmark: Benchmark,
    machine: Machine,
    backend: str,
    layout: Layout,
    overrides: Mapping[str, Scalar],
    problem_of: int | None = None,
) -> Case:
    """Return the case in the standard variant, with the layout's defaults except for what is set.

    `problem_of`: number of hosts whose problem is solved, where it is not the layout's own.
    """
    area, folder = _stored(benchmark, machine)
    proposed = {**area, **benchmark.defaults(machine, layout)}
    parameters = _reconciled(benchmark, layout, proposed, overrides)
    if problem_of and benchmark.sizing.each_rank:
        parameters = shared_out(benchmark, parameters, problem_of, layout.hosts)
    try:
        seconds = benchmark.seconds(machine, layout, parameters)
    except (ValueError, OverflowError, ZeroDivisionError, RefusedError):
        seconds = 1.0  # the program will refuse the value or the call, with a better message
    return Case(
        benchmark=benchmark.name,
        groups=tuple(
            RankGroup(driver or backend, place.ranks, len(place.cpus[0]), place, partition, 1 if driver else 0)
            for place, driver, partition in zip(
                layout.groups,
                layout.drivers or [""] * len(layout.groups),
                layout.partitions or [""] * len(layout.groups),
                strict=True,
            )
        )
        or (RankGroup(backend, layout.ranks, layout.threads, layout.placement, devices=layout.devices),),
        parameters=parameters,
        seconds=seconds,
        places=folder,
    )


def _reconciled(
    benchmark: Benchmark, layout: Layout, proposed: Mapping[str, Scalar], overrides: Mapping[str, Scalar]
) -> dict[str, Scalar]:
    """Return what is set with the proposed defaults; where it rules one of those out, with what the program takes
    instead.

    A proposal that the program then has no use for is left out, but not the one by which groups share a problem: that
    they do is what was asked for.
    """
    call = {**proposed, **overrides}
    if proposed and overrides:
        try:
            benchmark.ask(layout, call)
        except RefusedError as refused:
            open_ = proposed.keys() - overrides.keys()
            if len(layout.groups) > 1:
                open_ -= {benchmark.groups_share_by}
            if refused.without in open_:
                del call[refused.without]
            else:
                call.update(next((other for other in refused.nearest if other.keys() <= open_), {}))
        except BanzukeError:
            pass  # no program can be asked
    return call
