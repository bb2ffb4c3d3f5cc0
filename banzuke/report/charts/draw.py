"""Draws charts as files for papers, and gets the script with which a page draws them itself.

Drawing runs in a process of its own, so that its failure does not cost the report its tables. V8 reserves far more
address space than it uses and aborts where a limit forbids that, as batch systems set it; and if memory runs out, the
kernel kills a process.
"""

import base64
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

from banzuke.charts.style import FONT, resolve
from banzuke.errors import BanzukeError
from banzuke.machine.cgroup import limits
from banzuke.machine.tree import Tree
from banzuke.paths import PYTHON
from banzuke.report.charts.script import keep_script, kept_script
from banzuke.text import printable
from banzuke.ulimits import Limit, in_force, limits_behind
from banzuke.words import Duration, Listed, Message, Quantity, message
from banzuke.words.language import words

PATIENCE = 120.0
"""Seconds to wait for each answer; the slowest takes a few."""
RENDERER = (*PYTHON, str(Path(__file__).with_name("renderer.py")))
_RESERVED = 65 << 30
"""Bytes of address space that V8 reserves; measured, 64.3 GiB with vl-convert 1.9."""
_FOR_WANT_OF_MEMORY = {signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGSEGV, signal.SIGTRAP}
"""Signals with which V8, Rust and the C library abort when they get no memory."""


class ChartFiles(NamedTuple):
    svg: str
    pdf: bytes


@dataclass(frozen=True)
class Drawings:
    files: Mapping[str, ChartFiles] = field(default_factory=dict)
    """Files by name of the chart."""
    script: str = ""
    """Script with which a page draws its charts; empty: there is none."""
    letters: bool = True
    """Whether PDF files contain the characters that were asked about."""
    why: Message | None = None
    """Why charts are missing; None: none is."""


class _Outcome(NamedTuple):
    answers: list[dict[str, Any]]
    why: Message | None
    """Why it ended too early; None: it did not."""


def draw(specs: Mapping[str, Mapping[str, Any]], letters: str = "", *, script: bool = False) -> Drawings:
    """Draw charts by name, as far as possible here."""
    charts = {name: resolve(dict(spec)) for name, spec in specs.items()}
    kept = kept_script() if script else ""
    asked = {"script": script and not kept, "letters": letters, "font": FONT, "charts": charts, "pages": {}}
    answers, why = _ask(json.dumps(asked).encode())
    facts: dict[str, Any] = {}
    files: dict[str, ChartFiles] = {}
    for answer in answers:
        if "svg" in answer:
            files[answer["chart"]] = ChartFiles(printable(answer["svg"]), base64.b64decode(answer["pdf"]))
        elif "refused" in answer:
            why = why or message("report-undrawn-refused", chart=answer["chart"], said=answer["refused"])
        else:
            facts |= answer
    if made := facts.get("script", ""):
        keep_script(made)
    return Drawings(files, kept or made, facts.get("letters", True), why)


def file_of(spec: Mapping[str, Any], path: Path) -> bytes:
    """Return the file of one chart, SVG or PDF by the file name. Raises BanzukeError where it cannot be drawn."""
    drawn = draw({path.name: spec})
    if drawn.why:
        remedy = "Draw it under other limits, or on another machine"
        raise BanzukeError(f"cannot draw {path}", why=words()(drawn.why), remedy=remedy)
    svg, pdf = drawn.files[path.name]
    return pdf if path.suffix == ".pdf" else svg.encode()


@dataclass(frozen=True)
class PrintedPages:
    """PDF files of pages."""

    files: Mapping[str, bytes]
    """By name of the page."""
    letters: bool
    """See `Drawings`."""
    why: Message | None
    """Why pages are missing; None: none is."""


def print_pages(pages: Mapping[str, str], letters: str, font: str) -> PrintedPages:
    """Return PDF files of SVG pages by name, as far as possible here; `letters`: characters that `font` should have."""
    asked = {"script": False, "letters": letters, "font": font, "charts": {}, "pages": pages}
    answers, why = _ask(json.dumps(asked).encode())
    files = {answer["page"]: base64.b64decode(answer["pdf"]) for answer in answers if "page" in answer}
    drawable = next((answer["letters"] for answer in answers if "letters" in answer), True)
    return PrintedPages(files, drawable, why)


def _ask(question: bytes) -> _Outcome:
    try:
        # Files instead of pipes: neither side waits for the other, and answers so far are kept.
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as answers, tempfile.TemporaryFile() as said:
            asked.write(question)
            asked.seek(0)
            with subprocess.Popen(RENDERER, stdin=asked, stdout=answers, stderr=said) as process:
                try:
                    hung = _hangs(process, answers)
                finally:
                    process.kill()
            why = message("report-undrawn-hung", time=Duration(PATIENCE)) if hung else None
            if not why and process.returncode:
                why = _death(process.returncode, _content(said).decode(errors="replace"))
            whole = [line for line in _content(answers).splitlines(keepends=True) if line.endswith(b"\n")]
            return _Outcome([json.loads(line) for line in whole], why)
    except OSError as error:
        return _Outcome([], _unstarted(error.strerror or str(error)))


def _hangs(process: subprocess.Popen[bytes], answers: IO[bytes]) -> bool:
    """Wait for the process to end, for as long as answers arrive; return whether it hangs."""
    before, now = -1, 0
    while before < now:
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            before, now = now, os.fstat(answers.fileno()).st_size
        else:
            return False
    return True


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _unstarted(said: str) -> Message:
    if behind := limits_behind(said):
        return message("report-undrawn-unstarted-limit", said=said, limits=_listed(behind))
    return message("report-undrawn-unstarted", said=said)


def _death(status: int, said: str) -> Message:
    """Return why the drawing process ended with this status, as far as can be known."""
    if status == -signal.SIGKILL:
        allowed = limits(Tree(Path("/"))).memory
        if allowed is None:
            return message("report-undrawn-killed")
        return message("report-undrawn-killed-in-group", allowed=Quantity(allowed, "B"))
    end = _name(-status) if status < 0 else f"status {status}"
    behind = limits_behind(said) or (in_force("-v", "-d") if -status in _FOR_WANT_OF_MEMORY else [])
    if behind:
        return message("report-undrawn-limit", end=end, limits=_listed(behind))
    last = next((line for line in reversed(said.splitlines()) if status > 0 and line.strip()), "")
    if last:
        return message("report-undrawn-said", end=end, said=last.strip())
    return message("report-undrawn-ended", end=end)


def _listed(behind: Sequence[Limit]) -> Listed:
    return Listed(
        tuple(
            message(
                "report-undrawn-address-space", allowed=Quantity(limit.allowed, "B"), taken=Quantity(_RESERVED, "B")
            )
            if limit.option == "-v"
            else message("report-undrawn-allowed", option=limit.option, allowed=Quantity(limit.allowed, limit.unit))
            for limit in behind
        )
    )


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
