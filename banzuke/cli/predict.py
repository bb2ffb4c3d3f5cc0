"""`banzuke predict`: predicts figures at a scale that the machine does not have."""

from typing import Any

import typer

from banzuke.cli.group import MARKUP, OptionsGroup
from banzuke.cli.options import OptionsCommand
from banzuke.cli.predict_explore import explore
from banzuke.cli.predict_figure import FigureCommand, figure
from banzuke.cli.predict_noise import noise
from banzuke.cli.predict_validate import validate
from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import benchmarks, find, modelled
from banzuke.predict.model import UnpredictedError
from banzuke.text import nearest

WITHOUT = {
    "validate": "published figures are predicted as their reports print them",
    "explore": "the page has sliders for what may vary",
}
"""Commands that can also be given as options, and why they do not take the options of a figure."""
EXAMPLES = {
    "BENCHMARK MACHINE --nodes 1000": "a figure, its interval, what bounds it, which upgrade gains most",
    "BENCHMARK last --target 'rank 100'": "how many nodes like this one reach a place on the public list",
    "BENCHMARK last --scale memory.bandwidth=2": "the same machine with twice the memory bandwidth",
    "noise --run last --period 250us": "what the measured noise costs ranks that wait for each other",
    "--validate": "every published figure beside its prediction",
    "--explore": "a page with sliders, `explore.html`",
}
"""Examples of questions, shown below the list of commands."""


class Predictions(OptionsGroup):
    """A group of its own commands and one for each benchmark that has a model."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words; `--validate` anywhere among them is the same as the command `validate`."""
        for name in WITHOUT:
            if f"--{name}" in args:
                args = self._as_command(ctx, name, [word for word in args if word != f"--{name}"])
        return super().parse_args(ctx, args)

    def _as_command(self, ctx: Any, name: str, words: list[str]) -> list[str]:
        """Return `explore --benchmark hpl fugaku` for `hpl fugaku --explore`. Raises BanzukeError."""
        named = words[0] if words and words[0] in benchmarks() else ""
        if named and name == "explore":
            self.get_command(ctx, named)  # raises if it has no model
        own = _options(self.get_command(ctx, name))
        for option in (word.partition("=")[0] for word in words):
            if option not in own and option in _options(_figure_command(modelled()[0])):
                raise BanzukeError(
                    f"{option} is not for --{name}",
                    why=WITHOUT[name],
                    remedy=f"Leave {option} out; or for one figure leave --{name} out: "
                    f"`banzuke predict {named or 'BENCHMARK'} MACHINE {option} ...`",
                )
        return [name, *(["--benchmark"] if named and name == "explore" else []), *words]

    def list_commands(self, ctx: Any) -> list[str]:
        return [*modelled(), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a benchmark or the group's own. Raises BanzukeError."""
        if own := super().get_command(ctx, cmd_name):
            return own
        if cmd_name in modelled():
            return _figure_command(cmd_name)
        names = self.list_commands(ctx)
        if cmd_name in benchmarks():
            raise UnpredictedError(find(cmd_name), f"There are: {', '.join(modelled())}")
        raise BanzukeError(f"nothing predicts '{cmd_name}'", remedy=nearest(cmd_name, names))


def _options(command: Any) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts if name.startswith("-")}


def _figure_command(benchmark: str) -> Any:
    app = typer.Typer(rich_markup_mode=MARKUP, add_completion=False)
    app.command(benchmark, cls=FigureCommand, help=f"Predict what {benchmark} would report on a machine.")(figure)
    return typer.main.get_command(app)


predict = typer.Typer(
    name="predict",
    cls=Predictions,
    help="Predict figures of machines that are only described, and at a scale that a machine does not have.",
    epilog="\n".join(["Examples:\n", *(f"- `banzuke predict {words}`: {shown}" for words, shown in EXAMPLES.items())]),
    no_args_is_help=True,
)
predict.command(cls=OptionsCommand)(noise)
predict.command(cls=OptionsCommand)(validate)
predict.command(cls=OptionsCommand)(explore)


@predict.callback()
def predictions() -> None:
    """Take no arguments: each prediction has its own command."""
