"""Renders scripts from a template for each batch system: directives, then one body for all."""

import math
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from banzuke.batch import words
from banzuke.batch.job import Job
from banzuke.machine.hosts import folded

TEMPLATES = Path(__file__).with_name("templates")


def render(template: str, job: Job, filters: dict[str, Callable[..., object]], **values: Any) -> str:
    """Render a job; `filters` and `values` are specific to one batch system, such as how directives quote.

    Raises BanzukeError.
    """
    words.check(job)
    environment = _environment().overlay()
    environment.filters = environment.filters | filters
    return environment.get_template(f"{template}.sh.j2").render(job=job, chunk=job.chunks[0], **values)


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701  (no HTML; what is not ours is quoted by filters)
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "shell": words.shell,
        "command": words.command,
        "word": words.directive,
        "hms": hms,
        "mebibytes": mebibytes,
        "moment": moment,
        "folded": folded,
    }
    return environment


def hms(seconds: float) -> str:
    """Return `1:02:03`; hours may exceed 24."""
    whole = math.ceil(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def mebibytes(count: int) -> int:
    return math.ceil(count / (1 << 20))


def moment(when: datetime, form: str) -> str:
    """Return a time in the time zone of this computer, which is the batch system's."""
    return when.astimezone().strftime(form)
