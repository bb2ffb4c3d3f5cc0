"""mdtest's policy: files and directories by time, numbers of clients up to all, private and shared directories."""

from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.machine.mounts import is_remote
from banzuke.plan.benchmark import Benchmark, Layout, Metric, Scalar, Sizing
from banzuke.plan.capabilities import Storage
from banzuke.plan.layouts import client_placements, clients
from banzuke.plan.official import CommandLine, Official

from .mdtest_line import read
from .mdtest_out import results
from .operations import WHAT

ROUNDS = 3
SECONDS = 6.0
"""Seconds of the timed part."""
LOCAL_RATE, REMOTE_RATE = 20e3, 2e3
"""Guessed operations per second of all ranks, which determine how many there are; `most_seconds` ends slower cases."""
PHASES = 10
FEWEST_ITEMS, MOST_ITEMS = 10, 5000
"""Fewest and most files and directories of a rank; the Oakleaf-FX report has 5000."""
PATIENCE = 3.0
"""Multiple of the wanted duration after which a case ends early."""


def rate(machine: Machine) -> float:
    (area,) = machine.allotment.folders
    kind = machine.site.areas[area].kind if area in machine.site.areas else None
    return REMOTE_RATE if kind and is_remote(kind) else LOCAL_RATE


def items(machine: Machine, layout: Layout) -> int:
    """Return a rank's files, and directories: as many as all ranks create, use and remove in the wanted time."""
    ranks = max(clients(machine)[0].ranks, layout.ranks)
    wanted = (layout.seconds or SECONDS) * rate(machine) / (PHASES * ROUNDS * ranks)
    return max(FEWEST_ITEMS, min(round_down(wanted), MOST_ITEMS))


def round_down(value: float) -> int:
    """Round down to one digit, so that runs of different lengths share cases."""
    whole = int(value)
    return whole - whole % int(10.0 ** (len(str(whole)) - 1))


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    return {
        "items": items(machine, layout),
        "directories": "private",
        "rounds": ROUNDS,
        "most_seconds": PATIENCE * (layout.seconds or SECONDS),
    }


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of all clients in their own directories, then in a shared one; of fewer, with as many items each."""
    every, *fewer = clients(machine)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(every, {}), (every, {"directories": "shared"})]
    return [*cases, *((layout, {}) for layout in fewer)]


def seconds(machine: Machine, layout: Layout, call: Mapping[str, Scalar]) -> float:
    """Estimate the case at the guessed rate or up to its limit, and the removal of what is left."""
    every = float(call.get("items", MOST_ITEMS)) * layout.ranks * PHASES * float(call.get("rounds", ROUNDS))
    walls = PHASES * float(call.get("rounds", ROUNDS)) * float(call.get("stonewall", 0.0))
    most = float(call.get("most_seconds", 0.0)) or walls
    once = every / rate(machine)
    return 1.2 * (min(once, most) if most else once) + 1.0


ASKED = ("stat", "read")
"""Operations that a client may answer itself for its own files."""


def metrics() -> tuple[Metric, ...]:
    """Return the metrics, those of operations that change something first."""
    rates = [(kind, call) for kind, calls in WHAT.items() for call in calls]
    return (
        *(
            Metric(
                f"{kind}_{call}_rate",
                "op/s",
                "higher",
                f"{kind.capitalize()} {call}",
                (kind, call) == ("file", "create"),
            )
            for kind, call in sorted(rates, key=lambda pair: pair != ("file", "create"))
        ),
        Metric("tree_create_rate", "op/s", "higher", "Tree create"),
        Metric("tree_remove_rate", "op/s", "higher", "Tree remove"),
        *(
            Metric(f"cached_{kind}_{call}_rate", "op/s", "higher", f"{kind.capitalize()} {call} from cache")
            for kind, call in rates
            if call in ASKED
        ),
    )


BENCHMARK = Benchmark(
    name="mdtest",
    title="mdtest",
    aspect="storage",
    unpredicted="it depends on servers and software of the file system, of which no description has numbers",
    metrics=metrics(),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    default_backend="posix",
    sizing=Sizing(
        parameters=("items",),
        lengths=(2.0, 60.0),
        method=("rounds", "most_seconds"),  # a stonewall decides how many items there are
        weight=0.5,
        kept=False,
    ),
    storage=Storage(),
    official=Official(command_line=CommandLine("-n 1000 -u -i 3", read), output=results),
    placements=client_placements,
)
