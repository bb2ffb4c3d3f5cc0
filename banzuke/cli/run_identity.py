"""By what an interrupted run is recognised: all that changes what is measured."""

import hashlib
from collections.abc import Collection
from dataclasses import replace

from banzuke.cli.declared import OptionMark, declared
from banzuke.cli.run_options import RunOptions
from banzuke.machine.model import Machine
from banzuke.plan.identity import canonical, unusual
from banzuke.plan.request import Request


def identify(
    options: RunOptions, command: str, chosen: Collection[str], request: Request, machine: Machine, network: str = ""
) -> str:
    """Return canonical JSON of all that changes what is measured, by which an interrupted run is recognised.

    Defaults are left out, so that a new option does not change the identities of earlier runs. `network`: the text
    of the topology by which ranks are ordered.
    """
    counting = {
        option.name
        for option in declared(RunOptions)
        if {OptionMark.UNDERSTOOD, OptionMark.BESIDE}.isdisjoint(option.marks)
    }
    parts = {
        "command": command,
        "benchmarks": sorted(chosen),
        "options": {name: value for name, value in unusual(options).items() if name in counting},
        "request": unusual(replace(request, group_rates=())),
        "hosts": len(machine.allotment.hosts),
        "folders": machine.allotment.folders,
        "partition": machine.allotment.partition if options.site else None,
    }
    if len(machine.allotments) > 1:
        parts["partitions"] = {allotment.partition: len(allotment.hosts) for allotment in machine.allotments}
    if network:
        parts["network"] = hashlib.sha256(network.encode()).hexdigest()[:12]
    return canonical(parts)
