"""The one error that people see: what is wrong, why, and what to do."""

from collections.abc import Sequence


class BanzukeError(Exception):
    """A call that cannot be carried out; printed without a traceback, exit status 2."""

    def __init__(self, problem: str, *, why: str = "", remedy: str = "", details: Sequence[str] = ()) -> None:
        """Create an error; `details` lists the single things that are wrong where there are several."""
        self.problem, self.why, self.remedy, self.details = problem, why, remedy, tuple(details)
        super().__init__(problem)

    @property
    def lines(self) -> list[str]:
        """Return its lines on a terminal; several details take one line each."""
        if len(self.details) < 2:
            return [str(self)]
        because = f" ({self.why})" if self.why else ""
        return [f"{self.problem}{because}:", *self.details, *filter(None, [self.remedy])]

    def __str__(self) -> str:
        text = self.problem
        if self.why:
            text += f" ({self.why})"
        if self.details:
            text += f": {'; '.join(self.details)}"
        if self.remedy:
            text += f". {self.remedy}"
        return text
