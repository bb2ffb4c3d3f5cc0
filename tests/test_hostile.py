"""Tests of text in records that could control a terminal, change the reading order or run as code."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from banzuke.machine.model import Machine
from banzuke.record.model import Record
from tests.conftest import SCRIPTS, SMALL, Banzuke, Wrapped, installed
from tests.preloaded import DRAWN

STEERING = "\x1b[31;5mA\x1b]8;;x\x07B\x1b]52;c;aGk=\x07\x9b7mC\r\b\x7f\u202eD\u2066\u200b\u2028\U000e0041"
MARKUP = "[red][link=http://evil.example]E[/] :bomb: |<script>alert(1)</script>&`*_<img src=x onerror=alert(1)>"
HOSTILE = STEERING + MARKUP
FORMULA = "=HYPERLINK(1)"


def unreadable(text: str) -> set[str]:
    """Return the unprintable characters, except line breaks."""
    return {c for c in text if c != "\n" and (unicodedata.category(c)[0] == "C" or c in "\u2028\u2029")}


def spoiled(document: Any, model: type[BaseModel]) -> Any:
    """Return the document with hostile text added to every text and name where the model allows it."""

    def valid() -> bool:
        try:
            model.model_validate_json(json.dumps(document))
        except ValidationError:
            return False
        return True

    def spoil(value: Any) -> None:
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            before = value[key]
            if isinstance(before, dict | list):
                spoil(before)
            if isinstance(before, str):
                value[key] = before + HOSTILE
                if not valid():
                    value[key] = before
            if isinstance(key, str):
                value[key + HOSTILE] = value[key]
                if not valid():
                    del value[key + HOSTILE]

    spoil(document)
    return document


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> list[Path]:
    """Return two runs of STREAM and one of noise, with everything spoiled but the benchmarks' names."""
    results = tmp_path_factory.mktemp("results")
    folders: list[Path] = []
    for words in (("stream", *SMALL), ("stream", *SMALL), ("noise", "--set", "quantum=1e-4", "--set", "seconds=0.1")):
        done = installed(results, programs)("run", *words)
        assert done.returncode == 0, done.stderr
        # Not sorted by name, because two runs that begin in one second differ only in their random ends.
        folders += {path for path in results.iterdir() if path.is_dir()} - {*folders}
    for folder in folders:
        (file,) = folder.glob("records-*.jsonl")
        lines = file.read_text().splitlines()
        records = [json.loads(line) for line in lines]
        names = [record["benchmark"] for record in records]
        backends = [record["backend"] for record in records]
        for record, name, backend in zip(records, names, backends, strict=True):
            spoiled(record, Record)
            record["benchmark"], record["backend"] = name, backend
        failed = json.loads(lines[0]) | {"status": "failed", "reason": FORMULA + HOSTILE, "benchmark": "x" + HOSTILE}
        failed |= {"metrics": {}, "series": {}, "distributions": {}, "verification": []}
        file.write_text("".join(json.dumps(record) + "\n" for record in [*records, failed]) + HOSTILE)
        machine = spoiled(json.loads((folder / "machine.json").read_text()), Machine)
        (folder / "machine.json").write_text(json.dumps(machine))
    return folders


@pytest.fixture
def banzuke(runs: list[Path], programs: Path) -> Banzuke:
    return installed(runs[0].parent, programs)


def test_no_command_prints_what_steers_a_terminal(banzuke: Banzuke, runs: list[Path], tmp_path: Path) -> None:
    name = runs[2].name
    chart = tmp_path / f"{STEERING}.svg"
    for words in (
        ("list",),
        ("compare", runs[0], runs[1]),
        ("predict", "noise", "--run", name, "--period", "10us", "--chart", chart),  # noise is rarer even under load
        ("report", f"nothing{HOSTILE}"),
        ("report", "last", f"more{HOSTILE}"),
        ("run", "stream", "--set", f"x{HOSTILE}=1"),
    ):
        done = banzuke(*words)
        assert not unreadable(done.stdout + done.stderr), words
        assert "Traceback" not in done.stderr, words
        assert done.stdout + done.stderr
        assert "--chart" not in words or chart.exists(), done.stderr
    assert not unreadable(chart.read_text())


def test_json_is_ascii_and_loses_nothing(banzuke: Banzuke, runs: list[Path]) -> None:
    for words in (("list",), ("compare", runs[0], runs[1])):
        done = banzuke(*words, "--json")
        assert done.stdout.isascii(), words
        assert not unreadable(done.stdout), words
        assert json.dumps(HOSTILE)[1:-1] in done.stdout, words


def test_names_of_files_on_the_way(banzuke: Banzuke, tmp_path: Path) -> None:
    """A folder of problems is the user's own, but its files may come from anywhere."""
    folder = tmp_path / "matrices"
    folder.mkdir()
    matrix = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 1.0\n"
    (folder / f"m{STEERING}[red].mtx").write_text(matrix)
    (folder / f"broken{STEERING}[link=x].mtx").write_text(HOSTILE)
    done = banzuke("run", "spmv", "--set", f"file={folder}", "--threads", "1", "-v")
    assert done.returncode == 1
    assert not unreadable(done.stdout + done.stderr)
    assert "[red]" in done.stdout + done.stderr
    assert "[link=x]" in done.stderr
    assert r"\u202e" in done.stderr


def test_the_terminal_gets_our_colours_and_nothing_else(runs: list[Path]) -> None:
    shown = on_a_terminal(SCRIPTS / "banzuke", "compare", runs[0], runs[1])
    assert "\x1b[1m" in shown
    assert not unreadable(re.sub(r"\x1b\[(0|1|2|3[0-7]|1;3[0-7])m|\r\n", "", shown))


def on_a_terminal(*words: str | Path) -> str:
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "150"}
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        shown = b"".join(pieces(ours))
    os.close(ours)
    return shown.decode()


def pieces(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            yield os.read(descriptor, 1 << 16)
        except OSError:  # the other end is closed
            return


def test_files_of_a_report_hold_text(banzuke: Banzuke, runs: list[Path], tmp_path: Path) -> None:
    for run in (runs[0], runs[2]):
        folder = tmp_path / run.name
        assert banzuke("report", run.name, "--output", folder, **DRAWN).returncode == 0
        files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
        texts = {name: path.read_text() for name, path in files.items() if path.suffix != ".pdf"}
        page = texts.pop("report.html")
        assert not unreadable(re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL))
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        for name, text in texts.items():
            assert not unreadable(text), name
            assert "<script>alert" not in text or not name.endswith(".svg"), name
        markdown = texts["report.md"]
        prose = re.sub(r"^( *)(`{3,})\n.*?\n\1\2$", "", markdown, flags=re.MULTILINE | re.DOTALL)
        assert not re.search(r"(?<!\\)<(script|img)", prose)
        assert not re.search(r"(?<!\\)\[(red|link)", prose)
        for name, text in texts.items():
            if name.endswith(".csv"):
                cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
                assert not [cell for cell in cells if re.match(r"\s*[=+@]", cell)], name
                assert name != "report.csv" or any(cell.startswith("'=HYPERLINK") for cell in cells)


def test_what_a_program_says_when_it_fails(banzuke: Banzuke, wrapped: Wrapped) -> None:
    said = STEERING.encode().hex()
    variables = wrapped(f"python3 -c \"import sys; sys.stderr.buffer.write(bytes.fromhex('{said}'))\"; exit 3")
    done = banzuke("run", "stream", *SMALL, "-v", **variables)
    assert done.returncode == 1
    assert not unreadable(done.stdout + done.stderr)
    assert r"\u202e" in done.stdout + done.stderr
