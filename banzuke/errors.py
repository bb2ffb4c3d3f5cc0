"""The one error that people see: what is wrong, why, and what to do."""


class BanzukeError(Exception):
    """A call that cannot be carried out; printed without a traceback, exit status 2."""

    def __init__(self, problem: str, *, why: str = "", remedy: str = "") -> None:
        self.problem, self.why, self.remedy = problem, why, remedy
        super().__init__(problem)

    def __str__(self) -> str:
        text = self.problem
        if self.why:
            text += f" ({self.why})"
        if self.remedy:
            text += f". {self.remedy}"
        return text
