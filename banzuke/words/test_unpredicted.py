"""Everything that models refuse and remark, as their sources write it, is recognised and has Japanese words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from banzuke.paths import BENCHMARKS
from banzuke.predict import calibration
from banzuke.predict.families import ProcessorFamily
from banzuke.words.language import bundle, words
from banzuke.words.test_words import OURS
from banzuke.words.unpredicted import _PATTERNS, NO_PROBABILITY, is_recognised, refusal, remark

ON_COMMAND_LINE = re.compile(
    "is not a (whole )?number between|is not known|is not understood|is more than all servers|is not one that the nodes"
    "|the nodes cannot fill the grid|they have 8, with 8 on a node of each kind"
)
"""Refusals that only a call on the command line can meet, which is English."""


def written(node: ast.expr) -> str:
    """Return a text with 8 for each of its values; a name stands for the text of a constant."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values):
            return "".join(written(value) for value in values)
        case ast.FormattedValue(value=ast.Call(func=ast.Name(id="quantity"))):
            return "8 GB"
        case ast.FormattedValue():
            return "8"
        case ast.BinOp(left, ast.Add(), _):
            return f"{written(left)}8"
        case _:
            return ""


def texts() -> Iterator[str]:
    """Return the problems of errors, why they are some, the reasons of `recorded`, the remarks of all models, and why
    intervals have no probability.
    """
    models = [file for name in sorted(OURS) for file in BENCHMARKS.glob(f"{name}/model*.py")]
    for file in (*models, Path(calibration.__file__)):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Name("BanzukeError"), [problem, *_], keywords):
                    reasons = [word.value for word in keywords if word.arg == "why"]
                    yield from filter(None, map(written, (problem, *reasons)))
                case ast.Call(ast.Attribute(ast.Name("remarks"), "append"), [text]):
                    yield from filter(None, [written(text)])
                case ast.FunctionDef("tell_unlike" | "_tell_unlike", _, body):
                    inside = [inner for part in body for inner in ast.walk(part)]
                    yield from (
                        written(inner.value) for inner in inside if isinstance(inner, ast.Yield) and inner.value
                    )
                case ast.FunctionDef("recorded" | "published", _, body):
                    returned = (
                        inner.value for part in body for inner in ast.walk(part) if isinstance(inner, ast.Return)
                    )
                    yield from filter(None, (written(value) for value in returned if value))


def test_what_models_say_is_recognised() -> None:
    every = [text for text in texts() if not ON_COMMAND_LINE.search(text)]
    assert len(every) > 30
    unknown = [text for text in every if not all(map(is_recognised, re.split(r"\. (?=[A-Z])", text.removesuffix("."))))]
    assert not unknown


@pytest.mark.parametrize("machines", [0, 1, 2])
@pytest.mark.parametrize("family", [("Fermi", "scalar"), ("", "scalar"), ("", "")])
def test_remarks_on_rare_families_are_recognised(family: tuple[str, str], machines: int) -> None:
    said = calibration._remark(
        "host.dgemm", "devices", ProcessorFamily("devices", *family), machines if family[0] else 0
    )
    assert all(map(is_recognised, re.split(r"\. (?=[A-Z])", said.removesuffix(".")))), said


@pytest.mark.parametrize("kind", _PATTERNS)
def test_what_is_recognised_has_words(kind: str) -> None:
    assert bundle("ja").has_message(f"unpredicted-{kind}")


def test_refusals_and_remarks_in_both_languages() -> None:
    why = "three arrays of n=8 elements in each of 2 ranks are not possible (8 GB of memory can be used)"
    assert words()(refusal(why)) == why
    assert words("ja")(refusal(why)) == "各2ランクに要素数n=8の配列3本は確保できない（利用可能なメモリは8 GB）"  # noqa: RUF001
    said = "3 of 8 ranks are left out: no grid of all of them is near a square. Start fewer, or give p and q."
    assert words()(remark(said)) == said.removesuffix(".")
    assert not re.search("[a-z]{2}", words("ja")(remark(said)))
    said = f"{NO_PROBABILITY}: no public figure is of unlike nodes; the description contradicts itself"
    assert words()(remark(f"{said}.")) == said
    assert not re.search("[a-z]{2}", words("ja")(remark(f"{said}.")))
    why = "noise is not predicted (what else runs on a machine is in no description)"
    assert words()(refusal(why)) == why
    assert words("ja")(refusal(why)).startswith("noiseは予測の対象外である")
    assert "description" not in words("ja")(refusal(why))
    assert words("ja")(refusal("nobody knows")) == words()(refusal("nobody knows")) == "nobody knows"
