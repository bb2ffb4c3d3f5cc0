"""Reports the states that the machine was in during launches, and how often."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from banzuke.judge.model import Assessment
from banzuke.plan.wording import state_title
from banzuke.record.model import Record
from banzuke.record.slowest_host import FarthestHost, SlowestClock, SlowestHost, slowest_hosts
from banzuke.record.state import State, States
from banzuke.words import Listed, Message, Quantity, message


def states_met(assessments: Iterable[Assessment]) -> Counter[State]:
    """Count verified launches by state, if launches like them were in several; empty: there was only one state."""
    return Counter(
        launch.state
        for assessment in assessments
        for launch in assessment.each
        if launch.record.status == "ok" and launch.state.levels
    )


def changes(assessments: Iterable[Assessment]) -> Sequence[Message]:
    """Report that the machine changed during the measurement, and how figures are judged then; empty: it did not."""
    met = states_met(assessments).most_common()
    times = [message("limit-state-met", state=state_title(state), launches=launches) for state, launches in met]
    return (
        [message("limit-states-met", states=Listed(tuple(times))), message("limit-own-state")] if len(times) > 1 else []
    )


def judged_by_the_best(assessments: Iterable[Assessment]) -> Iterator[Message]:
    """Report launches that are in no state, because their processors moved, and whose ceilings differ by state."""
    moved = [
        launch
        for assessment in assessments
        for launch in assessment.each
        if launch.record.status == "ok" and launch.state.distance == "moved"
        if any(ceiling.state.levels for ceiling in launch.ceilings)
    ]
    if moved:
        names = tuple(dict.fromkeys(launch.record.benchmark for launch in moved))
        yield message("limit-launches-moved", launches=len(moved), benchmarks=Listed(names))


def hosts_apart(launches: Sequence[tuple[Record, State]]) -> Iterator[Message]:
    """Yield which host was slower than the others and delayed them all, how, and in how many of these launches."""
    several = [(record, state) for record, state in launches if record.status == "ok"]
    seen: dict[tuple[type, str], list[SlowestHost]] = {}
    for record, state in several:
        for slowest in slowest_hosts(record, state):
            seen.setdefault((type(slowest), slowest.host), []).append(slowest)
    for (_, host), times in sorted(seen.items(), key=lambda entry: -len(entry[1])):
        yield message("limit-host-apart", host=host, how=_how(times[0]), launches=len(times), total=len(several))


def _how(slowest: SlowestHost) -> Message:
    match slowest:
        case SlowestClock(_, hz, fastest, most):
            return message("limit-host-clock", clock=Quantity(hz, "Hz"), host=fastest, most=Quantity(most, "Hz"))
        case FarthestHost(_, seconds, nearest, least) if least is not None:
            return message("limit-host-far", time=Quantity(seconds, "s"), host=nearest, least=Quantity(least, "s"))
        case FarthestHost(_, seconds):
            return message("limit-host-near-before", time=Quantity(seconds, "s"))


def hosts_apart_in(run: str, records: Sequence[Record]) -> Iterator[Message]:
    """Report the same for a run that is compared with others."""
    states = States(records)
    if apart := tuple(hosts_apart([(record, states.of(record)) for record in records])):
        yield message("compare-hosts-apart", run=run, hosts=Listed(apart))
