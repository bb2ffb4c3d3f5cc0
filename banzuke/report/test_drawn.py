import json
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from jsonschema import ValidationError

from banzuke.charts.testing import layers
from banzuke.document.markdown import md
from banzuke.report import testing
from banzuke.report.charts import draw as drawing
from banzuke.report.settings import conditions
from banzuke.report.testing.documents import charts, document
from banzuke.report.testing.noise import noisy
from banzuke.report.testing.pages import composed, html
from banzuke.report.testing.parts import assess, record, samples
from banzuke.report.write import write
from banzuke.units import NOT_FINITE
from banzuke.words.language import LANGUAGES, words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("script", ["", "vegaEmbed;</script>"], ids=["nothing is drawn", "the page draws"])
def test_a_report_whose_charts_cannot_be_drawn_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, script: str
) -> None:
    answer = json.dumps({"script": script})
    monkeypatch.setattr("banzuke.report.charts.script._MADE", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(drawing, "RENDERER", ("sh", "-c", f"echo '{answer}'; kill -TRAP $$"))
    evaluation = testing.rich()
    drawn = charts(composed())
    old = tmp_path / "figures" / f"{drawn[0].id}.svg"
    old.parent.mkdir()
    old.write_text("of an earlier report")
    written = write(evaluation, tmp_path, language)
    assert written.undrawn
    said = words(language)(written.undrawn)
    assert "SIGTRAP" in said
    assert str(len(drawn)) in said
    assert not old.exists()
    assert not list(tmp_path.glob("figures/*.pdf"))
    html, markdown = ((tmp_path / f"report.{kind}").read_text(encoding="utf-8") for kind in ("html", "md"))
    assert f'<p class="note">{said.split("`")[0]}' in html
    assert md(said) in markdown
    assert f"figures/{drawn[0].id}." not in html + markdown
    assert ("data-spec=" in html) is bool(script)
    assert ('id="drawing"' in html) is bool(script)
    assert written.files[-1] == tmp_path / "report.html"
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["without_views"] == ""


def test_all_else_is_written_before_the_charts_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A control group may be killed as a whole, including this process."""

    def end(*_: object, **__: object) -> None:
        raise SystemExit

    monkeypatch.setattr("banzuke.report.write.draw", end)
    with pytest.raises(SystemExit):
        write(testing.rich(), tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"report.html", "report.md", "report.json", "report.csv", "headlines.csv"} <= names
    assert "The charts are not drawn yet" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("figures/*.pdf"))


def test_bars_start_at_zero() -> None:
    seen = 0
    for chart in charts(composed()):
        for layer in layers(chart.spec, "bar"):
            if not chart.id.endswith("-samples"):
                seen += 1
                x = layer["encoding"]["x"]
                assert x["scale"].get("type") != "log"
                assert x["scale"]["domain"][0] == 0
    assert seen >= 3


def test_specs_need_no_network() -> None:
    def walk(node: Any) -> None:
        if isinstance(node, dict):
            assert "url" not in node
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    for chart in charts(composed()):
        walk(chart.spec)


def test_a_figure_that_is_not_finite_is_told_and_not_drawn(tmp_path: Path) -> None:
    odd = samples(4e10, "B/s", 1).model_copy(update={"samples": [float("inf"), 1.0, float("inf")]})
    case = record("stream", 1, {"n": 1}, {"triad_bandwidth": odd})
    case = case.model_copy(update={"conditions": {"symmetry": None, "residual": float("-inf")}})
    shown = testing.only(assess(case, limit=lambda _: None))
    page = html(shown, tmp_path)
    assert NOT_FINITE in page
    assert 'class="plot"' not in page
    assert [text for _, text in conditions(case, words())] == [NOT_FINITE] * 2
    assert (
        json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["cases"][0]["metrics"]["triad_bandwidth"][
            "value"
        ]
        is None
    )


def test_charts_follow_vega_lites_schema() -> None:
    """This takes too long to be checked whenever a chart is drawn."""
    drawn = [*charts(composed()), *charts(document(noisy()))]
    assert len(drawn) > 20
    for chart in drawn:
        alt.TopLevelSpec.validate(dict(chart.spec))
    with pytest.raises(ValidationError):
        alt.TopLevelSpec.validate({**drawn[0].spec, "layer": [{"mark": "lyne"}]})
