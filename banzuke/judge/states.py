"""The states that the machine was in during launches, and how often."""

from collections import Counter
from collections.abc import Iterable, Sequence

from banzuke.judge.model import Assessment
from banzuke.plan.wording import state_title
from banzuke.record.state import State
from banzuke.words import Listed, Message, message


def states_met(assessments: Iterable[Assessment]) -> Counter[State]:
    """Launches that verified in each state, by levels of which launches like them have several; empty: there is one."""
    return Counter(
        launch.state
        for assessment in assessments
        for launch in assessment.each
        if launch.record.status == "ok" and launch.state.levels
    )


def changes(assessments: Iterable[Assessment]) -> Sequence[Message]:
    """That the machine changed while it was measured, and by what figures are judged; empty: it was in one state."""
    met = states_met(assessments).most_common()
    times = [message("limit-state-met", state=state_title(state), launches=launches) for state, launches in met]
    return (
        [message("limit-states-met", states=Listed(tuple(times))), message("limit-own-state")] if len(times) > 1 else []
    )
