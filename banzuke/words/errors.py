"""Errors whose problem and reason are messages, so that a report has them in the reader's language."""

from banzuke.errors import BanzukeError
from banzuke.words import Message, message
from banzuke.words.language import words


class MessageError(BanzukeError):
    """A call that cannot be carried out, for a reason that reports show, too; on a terminal it is in English."""

    def __init__(self, problem: Message, *, why: Message | None = None, remedy: str = "") -> None:
        english = words()
        super().__init__(english(problem), why=english(why) if why else "", remedy=remedy)
        self.said = message("unpredicted-why", problem=problem, why=why) if why else problem
        """The problem and, in brackets, why it is one; without the remedy."""


def said_by(error: BanzukeError) -> Message | str:
    """Return what an error says without its remedy; in English, if only a command line was meant to have it."""
    if isinstance(error, MessageError):
        return error.said
    return error.problem + (f" ({error.why})" if error.why else "")
