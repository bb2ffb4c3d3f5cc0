"""Tests of `banzuke predict --explore`: the page is written for the named machines, or refused with a reason."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE

import pytest
from typer.testing import CliRunner

from banzuke.cli.predict import predict
from banzuke.errors import BanzukeError


def called(*words: str) -> str:
    outcome = CliRunner().invoke(predict, [*words], catch_exceptions=False)
    return outcome.output


def test_the_page_of_a_machine_is_one_file(tmp_path: Path) -> None:
    file = tmp_path / "new" / "page.html"
    said = called("--explore", "oakleaf-fx", "fugaku", "--benchmark", "stream", "-o", str(file))
    assert str(file) in said
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert set(re.findall(r"https?://[^\"'/ ]*", text)) == {
        "http://www.w3.org"
    }  # SVG's namespace, which is not fetched
    assert len(text) < 100_000


def test_a_request_to_end_is_followed_at_once(tmp_path: Path) -> None:
    """A batch system signals only the command, while its child processes fill in tables for a minute."""
    words = ["-m", "banzuke", "predict", "--explore", "reedbush-h", "flow-type-ii", "-o", str(tmp_path / "page.html")]
    with subprocess.Popen([sys.executable, *words], stdout=PIPE, stderr=PIPE, start_new_session=True) as command:
        own = Path(f"/proc/{command.pid}/task/{command.pid}/children")
        while len(children := own.read_text().split()) < min(2, len(os.sched_getaffinity(0))):
            time.sleep(0.05)
        command.terminate()
        _, said = command.communicate()
    assert command.returncode
    assert b"Traceback" not in said
    assert not [child for child in children if Path(f"/proc/{child}").exists()]
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_predicted_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match=r"nothing can be predicted for Fugaku.*memory bandwidth"):
        called("--explore", "fugaku", "--benchmark", "stream", "-o", str(tmp_path / "page.html"))
    with pytest.raises(BanzukeError, match="no published machine"):
        called("--explore", "fugako")
    with pytest.raises(BanzukeError, match="gkv is not predicted"):
        called("--explore", "oakleaf-fx", "--benchmark", "gkv")
    assert not (tmp_path / "page.html").exists()


def test_a_call_that_makes_no_page_says_how() -> None:
    for words, error in (
        (("stream", "fugaku"), r"nothing can be predicted for Fugaku"),  # the benchmark is not a machine
        (("hpl", "nowhere"), r"'nowhere' is no published machine.*banzuke machine --toml > SITE.toml"),
        (("hpl", "oakleaf-fy"), r"Did you mean 'oakleaf-fx'"),
        (("gkv", "oakleaf-fx"), r"gkv is not predicted \(.*There are: .*hpl"),
        (("hpl", "oakleaf-fx", "--nodes", "4"), r"--nodes is not for --explore .*sliders.*banzuke predict hpl MACHINE"),
        (("hpl", "oakleaf-fx", "--noise=1ms/1s"), r"--noise is not for --explore"),
    ):
        with pytest.raises(BanzukeError, match=error):
            called(*words, "--explore")
    with pytest.raises(BanzukeError, match="--scale is not for --validate"):
        called("hpl", "--validate", "--scale", "link=2")
