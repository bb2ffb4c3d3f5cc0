"""`banzuke site-page`: writes ranking sheets of a folder of publications as a page."""

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from banzuke.cli.console import errors, out, warn, write_text
from banzuke.cli.options import DEFAULT_LANGUAGE, HOW, OUTPUT, Language
from banzuke.errors import BanzukeError
from banzuke.files import check_folder, write_whole
from banzuke.plan.catalogue import benchmarks
from banzuke.units import count

MOST_NAMED = 10
"""Most damaged files that are named."""


def site_page(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of files that `banzuke publish` wrote, also in folders below.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", metavar="DIR", help="Directory to write to.", file_okay=False, rich_help_panel=OUTPUT),
    ] = Path("banzuke-site"),
    language: Language = DEFAULT_LANGUAGE,
    unchecked: Annotated[
        bool,
        typer.Option(
            "--unchecked",
            help="Read summaries alone, which takes milliseconds for a file of any size: changed records pass unseen.",
            rich_help_panel=HOW,
        ),
    ] = False,
) -> None:
    """Write ranking sheets of published runs: one page that needs no network, with filters, machines and comparisons.

    Figures are those of the summaries. Files whose records or summary were changed are named and left out.
    """
    from banzuke.publish.site import PAGE, gather, site  # noqa: PLC0415  (brings Jinja)

    if not folder.is_dir():
        raise BanzukeError(f"{folder} is not a folder", remedy="Give one with files of `banzuke publish`")
    check_folder(output, "--output")
    with errors.busy("reading publications ..."):
        gathered = gather(folder, whole=not unchecked)
        files = site(gathered, benchmarks(), language)
    for name, content in files.items():
        write_whole(output / name, content, option="--output")
    for name, why in islice(gathered.refused.items(), MOST_NAMED):
        warn(f"{folder / name} is left out: {why}")
    if len(gathered.refused) > MOST_NAMED:
        warn(f"and {len(gathered.refused) - MOST_NAMED} more")
    out.say(f"{count(len(gathered.summaries), 'publication')}")
    write_text(f"{output / PAGE}\n")
