"""What each phase of a run took."""

from dataclasses import dataclass

from banzuke.words import Message


@dataclass(frozen=True)
class PhaseTime:
    """What a phase took, as a mean over the ranks."""

    name: str
    """In the record's breakdown."""
    title: Message
    useful: bool
    advice: Message | None
    by_interval: tuple[float, ...]
    """Seconds."""
    share: float
    """Of the time that the breakdown covers."""

    @property
    def seconds(self) -> float:
        return sum(self.by_interval)


Times = tuple[PhaseTime, ...]
"""Those that took time, the work itself first."""
