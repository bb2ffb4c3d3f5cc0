"""The options by which cases are launched."""

from dataclasses import dataclass, field
from pathlib import Path

from banzuke import paths
from banzuke.environment.model import Environment, Wanted
from banzuke.environment.registry import environment, wanted
from banzuke.errors import BanzukeError
from banzuke.evaluation.orders import Orders
from banzuke.machine.model import Machine
from banzuke.plan.case import Case
from banzuke.power.recorder import Recorder

STARTING = 0.05
"""Additional seconds for each host that a case runs on."""
SHORTEST_LIMIT = 60.0
SLOWNESS = 20.0
"""A case is ended after this many times its estimated duration, and after at least `SHORTEST_LIMIT` seconds."""


class MissingEnvironmentError(BanzukeError):
    """Raised for an environment that this system does not have."""


@dataclass(frozen=True)
class Options:
    """Options that hold for all cases of a command."""

    timeout: float | None = None
    oversubscribe: bool = False
    folder: Path = Path()
    """Folder of the files that commands read."""
    environments: dict[Wanted, "Environment | MissingEnvironmentError"] = field(default_factory=dict, compare=False)
    """Environments that were tried, working or not, because a trial may take seconds."""
    dry_run: bool = False
    """Whether commands are only rendered and not run, so that nothing may be written."""
    batch: str | None = None
    """What its records have in common with those of other hosts that are measured separately."""
    recorder: Recorder | None = field(default=None, compare=False)
    """Records the energy of cases; None: energy is not recorded."""

    orders: Orders = field(default_factory=Orders, compare=False)
    """Which rank goes to which host, if that was asked for."""

    def environment(self, case: Case, machine: Machine) -> Environment:
        """Return the case's environment.

        Raises BanzukeError; MissingEnvironmentError if there is no such environment here, which is not the call's
        fault.
        """
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
    """Return the seconds after which a case is ended; `slowness`: how many times as long its environment may take."""
    starting = STARTING * case.nodes if case.nodes > 1 else 0.0
    return options.timeout or starting + max(SHORTEST_LIMIT, SLOWNESS * case.seconds) * slowness
