"""Writes into docs/commands.md what each command and its options do, from the program."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

from banzuke.cli import app
from banzuke.cli.group import GROUPS
from banzuke.cli.options import PLACEHOLDERS
from banzuke.plan.catalogue import modelled
from scripts.list_benchmarks import between

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
PAGES = {
    "accept": ("accept.md",),
    "binding": ("binding.md",),
    "bundle": ("bundle.md",),
    "compare": ("comparing.md",),
    "export": ("export.md",),
    "import": ("importing.md", "publish.md"),
    "isolate": ("isolation.md",),
    "jobs": ("batch.md",),
    "place": ("placement.md",),
    "predict": ("prediction.md", "predict.md"),
    "publish": ("publish.md",),
    "rank": ("comparing.md",),
    "run": ("environments.md", "gpu.md", "unlike.md"),
    "scaling": ("scaling.md",),
    "screen": ("screen.md",),
    "site": ("sites.md",),
    "site-page": ("publish.md",),
    "submit": ("batch.md",),
    "time": ("binding.md",),
    "watch": ("comparing.md",),
}
"""Pages that explain a command, in the folder of this one."""
FIGURE = "BENCHMARK"
"""Stands for the commands of `predict` that differ only in their benchmark."""


def reference() -> str:
    """Return the commands by group, and the meaning of the placeholders."""
    program: Any = typer.main.get_command(app)
    lines = []
    for group, names in GROUPS.items():
        lines += [f"## {group}", ""]
        for name in names:
            lines += _command(f"banzuke {name}", program.commands[name], PAGES.get(name, ()))
    lines += ["## Placeholders", "", "| placeholder | stands for |", "|---|---|"]
    return "\n".join([*lines, *(f"| `{name}` | {meaning} |" for name, meaning in PLACEHOLDERS.items())])


def _command(called: str, command: Any, pages: tuple[str, ...] = ()) -> list[str]:
    """Return a command's heading, help and options, and its own commands below."""
    lines = [f"### {called}", "", *_help(command)]
    if pages:
        lines += [f"More: {', '.join(f'[{page}]({page})' for page in pages)}.", ""]
    if isinstance(command, TyperGroup):
        for name, inner in _inner(command):
            lines += _command(f"{called} {name}", inner)
        return lines
    parameters = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    usage = " ".join([called, *command.collect_usage_pieces(typer.Context(command))])
    rows = [f"| {_name(parameter)} | {_meaning(parameter)} |" for parameter in parameters]
    return [*lines, f"    {usage}", "", "| | |", "|---|---|", *rows, ""]


def _inner(group: TyperGroup) -> Iterator[tuple[str, Any]]:
    """Yield a group's commands; of `predict`, one for all benchmarks."""
    context = typer.Context(group)
    names = group.list_commands(context)
    if group.name == "predict":
        yield FIGURE, group.get_command(context, modelled()[0])
        names = [name for name in names if name not in modelled()]
    yield from ((name, group.get_command(context, name)) for name in names)


def _help(command: Any) -> list[str]:
    if command.name in modelled() and "Predict what" in (command.help or ""):
        return [f"Predict what one of {', '.join(f'`{name}`' for name in modelled())} would report on a machine.", ""]
    paragraphs = re.split(r"\n\s*\n", (command.help or "").strip())
    return [line for paragraph in paragraphs for line in (" ".join(paragraph.split()), "")]


def _name(parameter: Any) -> str:
    if isinstance(parameter, TyperArgument):
        return f"`{parameter.metavar}`"
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    return names if parameter.is_flag else f"{names} `{parameter.metavar}`".replace("|", "\\|")


def _meaning(parameter: Any) -> str:
    """Return its help, and its default where there is one to tell."""
    shown = parameter.show_default if isinstance(parameter.show_default, str) else ""
    default = parameter.default
    if not shown and isinstance(parameter, TyperOption) and not parameter.is_flag and default not in (None, [], ()):
        shown = f"{default:g}" if isinstance(default, float) else str(default)
    return f"{parameter.help}{f' Default: {shown}.' if shown else ''}".replace("|", "\\|").replace("\n", " ")


def page() -> str:
    """Return the page as it should be."""
    return between(PAGE.read_text(encoding="utf-8"), "scripts.list_commands", reference())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
