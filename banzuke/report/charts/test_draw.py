"""Tests of drawing in a process of its own and of its failures; limits are real ones of a test's process."""

import subprocess
import sys
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import cgroup
from banzuke.report.charts import draw as drawing
from banzuke.report.charts.draw import Drawings, draw, file_of
from banzuke.words.language import words

SPEC = {"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a", "type": "quantitative"}}}
ONE = '{"chart": "one", "svg": "<svg/>", "pdf": "JVBERg=="}'


def why(drawn: Drawings, language: str = "en") -> str:
    assert drawn.why
    return words(language)(drawn.why)


def draws_as(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "RENDERER", ("sh", "-c", script))


def test_charts_are_drawn_with_what_a_page_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.report.charts.script._MADE", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    drawn = draw({"one": SPEC, "two": SPEC}, "Ab1", script=True)
    assert drawn.files.keys() == {"one", "two"}
    assert drawn.files["one"].svg.startswith("<svg")
    assert drawn.files["one"].pdf.startswith(b"%PDF")
    assert "vegaEmbed" in drawn.script
    assert drawn.letters
    assert drawn.why is None


ANSWERING = """grep -q '"script": true' && echo '{"script": "made"}' || true"""


def scripts_of_two_processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the scripts of two processes: the first gets the script from a program, the second one's program fails."""
    scripts = []
    for renderer in (ANSWERING, "exit 0"):
        monkeypatch.setattr("banzuke.report.charts.script._MADE", {})
        draws_as(renderer, monkeypatch)
        scripts += [draw({}, script=True).script, draw({}).script]
    return scripts


def test_the_script_is_made_once_for_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert scripts_of_two_processes(monkeypatch) == ["made", "", "made", ""]
    (kept,) = (tmp_path / "cache/banzuke").iterdir()
    monkeypatch.setattr("banzuke.report.charts.script.version", lambda _package: "0.1")
    monkeypatch.setattr("banzuke.report.charts.script._MADE", {})
    assert draw({}, script=True).script == "", f"{kept.name} is of another version"


@pytest.mark.parametrize("cache", ["file", "open", "damaged"])
def test_where_the_script_cannot_be_kept_or_trusted_it_is_made_again(
    cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if cache == "file":
        (tmp_path / "cache").write_text("no folder")
        assert scripts_of_two_processes(monkeypatch) == ["made", "", "", ""]
        return
    scripts_of_two_processes(monkeypatch)
    (kept,) = (tmp_path / "cache/banzuke").iterdir()
    if cache == "open":
        kept.chmod(0o666)
    else:
        kept.write_bytes(b"\xff")
    assert scripts_of_two_processes(monkeypatch)[0] == "made"


def test_letters_that_no_font_has_are_missed_and_a_chart_that_vega_refuses_is_named() -> None:
    drawn = draw({"bad": {"mark": 5}, "good": SPEC}, "a\U0010fffe")
    assert not drawn.letters
    assert drawn.files.keys() == {"good"}
    assert why(drawn).startswith("Vega does not draw bad: ")


@pytest.mark.parametrize(
    ("script", "ending"),
    [
        ("kill -KILL $$", "was killed (SIGKILL), probably because memory ran out: this control group may use 200 MiB"),
        ("kill -TRAP $$", "ended with SIGTRAP"),
        ("kill -40 $$", "ended with signal 40"),
        ("echo 'no module' >&2; exit 3", "ended with status 3: no module"),
        ("sleep 60", "did nothing for 1 s and was ended"),
        ("kill -STOP $$", "did nothing for 1 s and was ended"),
    ],
)
def test_how_it_ended_is_told_and_what_it_drew_before_is_kept(
    script: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "PATIENCE", 1.0 if "did nothing" in ending else 60.0)
    monkeypatch.setattr(drawing, "limits", lambda _tree: cgroup.Limits(memory=200 << 20))
    draws_as(f"""echo '{ONE}'; printf '{{"chart": "two", "sv'; {script}""", monkeypatch)
    drawn = draw({"one": SPEC, "two": SPEC})
    assert drawn.files.keys() == {"one"}
    assert why(drawn) == f"the program that draws {ending}"
    assert why(drawn, "ja").startswith("描画プログラム")


def test_one_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "RENDERER", ("/nowhere/python",))
    assert why(draw({"one": SPEC})) == "the program that draws could not be started: No such file or directory"


@pytest.mark.parametrize(
    ("limit", "cause"),
    [
        ("AS, 4 << 30", "`ulimit -v` allows 4 GiB of address space, and it reserves 65 GiB"),
        ("AS, 60 << 30", "`ulimit -v` allows 60 GiB of address space, and it reserves 65 GiB"),
        ("DATA, 300 << 20", "`ulimit -d` allows 300 MiB"),
    ],
)
def test_the_limit_behind_its_end_is_named(
    limit: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if limit == "AS, 4 << 30":  # the smallest limit, under which the script is made nevertheless
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code = f"""
import resource
from banzuke.report.charts.draw import draw
from banzuke.words.language import words
words()
number, allowed = resource.RLIMIT_{limit}
resource.setrlimit(number, (allowed, allowed))
drawn = draw({{"one": {SPEC}}}, script=True)
print("vegaEmbed" in drawn.script, words()(drawn.why))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"True the program that draws ended with SIGTRAP, probably because of a limit: {cause}\n"


def test_a_chart_that_was_asked_for_alone_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert file_of(SPEC, Path("a.svg")).startswith(b"<svg")
    assert file_of(SPEC, Path("a.pdf")).startswith(b"%PDF")
    draws_as("kill -TRAP $$", monkeypatch)
    with pytest.raises(BanzukeError, match=r"cannot draw a\.svg \(the program that draws ended with SIGTRAP\)"):
        file_of(SPEC, Path("a.svg"))
