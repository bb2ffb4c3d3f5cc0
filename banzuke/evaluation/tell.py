"""Tells the user what the cases of a run depend on: earlier runs, variables of the shell, what the system forbids."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from banzuke.environment import cross_memory
from banzuke.environment.registry import kind_of
from banzuke.evaluation.listener import RunListener
from banzuke.evaluation.needed import Needed
from banzuke.limit.ceilings import age
from banzuke.machine import user_variables
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.catalogue import find
from banzuke.units import duration
from banzuke.words.language import words


def tell_needed(needed: Needed, listener: RunListener) -> None:
    """Tell which ceilings come from earlier runs, and which are measured first."""
    now = datetime.now(UTC)
    newest = {(record.benchmark, record.provenance.run if record.provenance else ""): record for record in needed.known}
    for (benchmark, run), record in newest.items():
        rates = find(benchmark).resources.measures[0].title
        listener.say((f"{rates}: from run {run}, {words()(age(now - record.started))}", "dim"))
    for case in needed.cases():
        took = f"about {duration(round(case.seconds))}"
        rates = find(case.benchmark).resources.measures[0].title
        listener.say(f"{rates}: no good measurement on this machine yet; measured first, {took}")


def tell_copies(planned: Sequence[Case], listener: RunListener) -> None:
    """Warn if ranks of a host cannot copy from each other's memory and some case has several of them."""
    if any(case.per_host > 1 and kind_of(case.variant.environment).watched for case in planned) and (
        why := cross_memory.refusal()
    ):
        listener.warn(
            f"cross-memory attach is forbidden here ({why}), so messages between ranks of a host are copied twice. "
            f"{cross_memory.REMEDY} if the machine's own figures are wanted"
        )


def tell_variables(planned: Sequence[Case], listener: RunListener) -> None:
    """Warn of shell variables whose effect on these cases may not be the expected one."""
    first = {(case.benchmark, case.backend): case for case in reversed(planned)}
    used = [  # OMP_NUM_THREADS: batch systems set it to the cores of the job
        {number for group in case.groups for number in (group.threads, group.per_host * group.threads)}
        for case in first.values()
    ]
    bound = all(group.placement for case in planned for group in case.groups)
    for note in user_variables.remarks(os.environ, used, bound=bound):
        listener.warn(note)


def tell_why(specs: Mapping[str, Benchmark], machine: Machine, cases: Sequence[Case], listener: RunListener) -> None:
    """Tell how nodes of several partitions work together, which hosts are left out, and why."""
    for spec in specs.values():
        if spec.over_partitions and len(machine.allotments) > 1:
            for reason in spec.over_partitions(machine).reasons:
                listener.say(f"{spec.title}: {words()(reason)}")
        own = [case for case in cases if case.benchmark == spec.name]
        for reason in spec.tell_left_out(machine, own) if spec.tell_left_out else ():
            listener.say(f"{spec.title}: {words()(reason)}")
