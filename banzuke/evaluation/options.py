"""How cases are launched."""

from dataclasses import dataclass, field
from pathlib import Path

from banzuke import paths
from banzuke.environment.model import Environment, Wanted
from banzuke.environment.registry import environment, wanted
from banzuke.errors import BanzukeError
from banzuke.evaluation.orders import Orders
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Case
from banzuke.power.recorder import Recorder

STARTING = 0.05
"""Seconds more for each host that a case goes to."""
SHORTEST_LIMIT = 60.0
SLOWNESS = 20.0
"""A case is ended after this many times its estimated duration, or `SHORTEST_LIMIT` seconds."""


class MissingEnvironmentError(BanzukeError):
    """An environment that this system does not have."""


@dataclass(frozen=True)
class Options:
    """How cases are run."""

    timeout: float | None = None
    oversubscribe: bool = False
    folder: Path = Path()
    """For what commands read."""
    environments: dict[Wanted, "Environment | MissingEnvironmentError"] = field(default_factory=dict, compare=False)
    """Those that were found to work, and those that were not: a trial may take seconds."""
    dry_run: bool = False
    """Commands are rendered and none is run: nothing may be written."""
    batch: str | None = None
    """What its records have in common with those of other hosts, each measured by itself."""
    recorder: Recorder | None = field(default=None, compare=False)
    """It records the energy of cases; None: nobody looks for it."""

    orders: Orders = field(default_factory=Orders, compare=False)
    """Which rank goes to which host, where that is asked for."""

    def environment(self, case: Case, machine: Machine) -> Environment:
        """Raises BanzukeError; MissingEnvironmentError where there is none such here, which is no fault of the call."""
        asked = wanted(case.variant.environment, case.variant.image, case.variant.os_cores)
        if asked not in self.environments:
            try:
                self.environments[asked] = environment(asked, machine, paths.prefix(), dry_run=self.dry_run)
            except BanzukeError as error:
                if asked.image:  # the user may have mistyped it
                    raise
                self.environments[asked] = MissingEnvironmentError(error.problem, why=error.why, remedy=error.remedy)
        trial = self.environments[asked]
        if isinstance(trial, MissingEnvironmentError):
            raise trial
        return trial


def time_limit(case: Case, options: Options, slowness: float = 1.0) -> float:
    """Seconds after which a case is ended; `slowness`: how many times as long its environment may take."""
    starting = STARTING * case.nodes if case.nodes > 1 else 0.0
    return options.timeout or starting + max(SHORTEST_LIMIT, SLOWNESS * case.seconds) * slowness
