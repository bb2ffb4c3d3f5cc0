"""Groups of commands: `banzuke` itself, whose commands are imported when they are called, and groups within it."""

from collections import UserDict
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperGroup, TyperOption

GROUPS = {
    "Measure": ("evaluate", "run", "screen", "machine", "binding", "time", "isolate"),
    "Read": (
        "report",
        "list",
        "compare",
        "accept",
        "history",
        "watch",
        "rank",
        "scaling",
        "query",
        "explain",
        "export",
        "import",
        "publish",
        "site-page",
        "remove",
    ),
    "Predict": ("predict", "place"),
    "Run jobs": ("submit", "jobs", "site", "bundle"),
}
"""The commands in the groups and the order of the help; `banzuke.cli.NAME` has the function or group of that name."""
ELSEWHERE = {
    "list": "listing.list_all",
    "import": "imports.import_records",
    "time": "timing.time_command",
    "watch": "watch.watch_all",
    "site-page": "site_page.site_page",
}
SETTINGS = {"submit": {"ignore_unknown_options": True}}
"""Settings of the parser: most words after `submit` are options of its jobs."""
MARKUP: Final = "markdown"
"""Format of help texts."""


class OptionsGroup(TyperGroup):
    """A group of commands; its own options are flags, whose type is left out of the help."""

    def get_params(self, ctx: Any) -> Any:
        parameters = super().get_params(ctx)
        for option in parameters:
            if isinstance(option, TyperOption) and option.is_flag:
                option.metavar = ""
        return parameters


class Commands(OptionsGroup):
    """The commands of `banzuke`. Errors of the parser quote the wrong call; Typer's console, not ours, prints them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Loaded()

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.TyperException as error:
            from banzuke.cli.wrong_call import explained  # noqa: PLC0415  (imports Pydantic)

            error.message = explained(error)
            raise


class Loaded(UserDict[str, Any]):
    """Commands by name, each imported when it is asked for: importing all takes longer than many commands run."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(name for names in GROUPS.values() for name in names))

    def __getitem__(self, name: str) -> Any:
        if super().__getitem__(name) is None:
            self[name] = _load(name)
        return super().__getitem__(name)


def _load(name: str) -> Any:
    from banzuke.cli.options import OptionsCommand  # noqa: PLC0415  (imports records and words)

    module, _, attribute = ELSEWHERE.get(name, f"{name}.{name}").partition(".")
    imported = import_module(f"banzuke.cli.{module}")
    command = getattr(imported, attribute)
    app = typer.Typer(rich_markup_mode=MARKUP)
    if isinstance(command, typer.Typer):
        app.add_typer(command)
    else:
        kind = getattr(imported, "COMMAND", OptionsCommand)
        app.command(name, cls=kind, context_settings=SETTINGS.get(name))(command)
    loaded: Any = typer.main.get_group(app).commands[name]
    loaded.rich_help_panel = next(group for group, names in GROUPS.items() if name in names)
    return loaded
