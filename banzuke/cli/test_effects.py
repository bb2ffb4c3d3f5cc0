"""The tables of what values of an axis do, as printed."""

import io

from banzuke.cli import effects
from banzuke.cli.console import Console
from banzuke.report.testing import stream
from banzuke.report.testing.noise import KNOWN, moved


def shown(*cases: tuple[str, float]) -> str:
    text = io.StringIO()
    found = [moved(stream(1, 2, speed), environment, round_) for round_ in range(3) for environment, speed in cases]
    effects.show(found, KNOWN, Console(width=100, file=text))
    return text.getvalue()


def test_each_environment_has_a_column_with_ratio_interval_and_verdict() -> None:
    text = shown(("native", 1.0), ("container", 0.9), ("vm:tcg", 0.01))
    assert "stream omp, Triad" in text
    assert "(0.8" in text
    assert "worse" in text
    assert "emulated in software" in text.replace("\n", " ")


def test_one_environment_has_no_table_and_two_have_one() -> None:
    assert shown(("native", 1.0)) == ""
    assert "Environment: ratio to isolated" in shown(("isolated", 1.0), ("container", 1.0))
