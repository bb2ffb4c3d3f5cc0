"""The one error that people see: what is wrong, why, and what to do."""

from collections.abc import Sequence


class BanzukeError(Exception):
    """A call that cannot be carried out; printed without a traceback, exit status 2."""

    def __init__(self, problem: str, *, why: str = "", remedy: str = "", each: Sequence[str] = ()) -> None:
        """`each`: what is wrong one by one, where that is more than one thing."""
        self.problem, self.why, self.remedy, self.each = problem, why, remedy, tuple(each)
        super().__init__(problem)

    @property
    def lines(self) -> list[str]:
        """As a terminal shows it: several things in a line each."""
        if len(self.each) < 2:
            return [str(self)]
        because = f" ({self.why})" if self.why else ""
        return [f"{self.problem}{because}:", *self.each, *filter(None, [self.remedy])]

    def __str__(self) -> str:
        text = self.problem
        if self.why:
            text += f" ({self.why})"
        if self.each:
            text += f": {'; '.join(self.each)}"
        if self.remedy:
            text += f". {self.remedy}"
        return text
