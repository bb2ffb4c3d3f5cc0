"""`banzuke predict`: figures at a scale that the machine does not have."""

import typer

from banzuke.cli.group import OptionsGroup
from banzuke.cli.options import OptionsCommand
from banzuke.cli.predict_noise import noise

predict = typer.Typer(
    name="predict",
    cls=OptionsGroup,
    help="Predict figures at a scale that the machine does not have.",
    no_args_is_help=True,
)
predict.command(cls=OptionsCommand)(noise)


@predict.callback()
def predictions() -> None:
    """Keeps `noise` a command of its own while it is the only one."""
