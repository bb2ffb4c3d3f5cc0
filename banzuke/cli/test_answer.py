"""Tests of the answer that `evaluate` prints: it fits on one screen, whatever was measured."""

import io
from collections.abc import Callable
from dataclasses import replace

import pytest

from banzuke.cli.answer import BAR, headlines, show_answer
from banzuke.cli.console import Console
from banzuke.document.terminal import terminal_table
from banzuke.judge.finding import Finding
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.wording import benchmark_title, full_title, metric_title
from banzuke.report import testing
from banzuke.report.first.costs import costs
from banzuke.report.first.headlines import HeadlineLine
from banzuke.report.model import Evaluation
from banzuke.words import Message
from banzuke.words.language import words

SCREEN = 40
"""Lines of a screen."""


def shown(evaluation: Evaluation, width: int = 100) -> list[str]:
    """Return the answer as lines of a terminal."""
    stream = io.StringIO()
    show_answer(evaluation, Console(file=stream, width=width))
    return [
        line[at : at + width]
        for line in stream.getvalue().splitlines()
        for at in range(0, max(1, len(line.rstrip())), width)
    ]


@pytest.mark.parametrize("make", [testing.hostile, testing.empty, testing.sixty])
@pytest.mark.parametrize("width", [80, 100])
def test_any_evaluation_fits_a_screen(make: Callable[[], Evaluation], width: int) -> None:
    lines = shown(make(), width)
    assert 0 < len(lines) <= SCREEN
    assert not any("\x1b" in line for line in lines)


@pytest.mark.catalogue
@pytest.mark.parametrize("width", [60, 80, 100])
def test_figures_of_each_benchmark_are_whole_and_take_a_line_each(width: int) -> None:
    say = words()
    titles = [
        (full_title(say(benchmark_title(spec)), say(metric_title(spec.name, metric)), say), metric.unit)
        for spec in benchmarks().values()
        for metric in spec.metrics
        if metric.headline
    ]
    lines = [
        HeadlineLine(
            "", None, title, 1.34e9 + 1e7 * len(title), unit, of_limit=0.5, own_ceiling=True, interval=(1.23e9, 1.45e9)
        )
        for title, unit in titles
    ]
    stream = io.StringIO()
    Console(file=stream, width=width).print(terminal_table(headlines(lines, width)))
    printed = stream.getvalue().splitlines()
    assert [line.title for line in lines if not any(line.shown in text for text in printed)] == []
    assert len(printed) == 1 + len(lines) or width < 100


def test_each_headline_has_a_bar_of_its_limit() -> None:
    lines = shown(testing.only(testing.stream(2, 2, 0.9), testing.hpl(3, 8000)))
    (bar,) = (line for line in lines if "█" in line and "%" in line and "HPL" in line)
    share = float(bar.split("█")[-1].strip(" ░").split("%")[0]) / 100
    assert bar.count("█") == round(BAR * min(1.0, share))
    assert bar.count("█") + bar.count("░") == BAR


def test_the_three_causes_that_cost_most_say_what_to_do() -> None:
    causes = [Finding(weight, Message(f"cause-{weight}", {}, f"cause {weight}")) for weight in (0.2, 0.5, 0.4)]
    governor = Finding(0.3, Message("limit-governor", {"governor": "powersave"}))
    evaluation = testing.only(replace(testing.hpl(3, 8000), causes=(*causes, governor)))
    assert len(costs(evaluation)) == 4
    text = " ".join(" ".join(shown(evaluation)).split())
    assert text.index("1. cause 0.5") < text.index("2. cause 0.4") < text.index("3. Frequency governor")
    assert "cause 0.2" not in text
    assert text.count("To confirm: ") == 1, "the others have nothing to say of that"


def test_why_a_case_failed_is_said_once_for_a_benchmark() -> None:
    failed = replace(testing.hpl(3, 8000), verdict=(Message("why", {}, "the reason"),))
    failed = replace(failed, record=failed.record.model_copy(update={"status": "failed"}), figures=())
    text = " ".join(" ".join(shown(testing.only(failed, failed))).split())
    assert text.count("hpl: the reason") == 1
    assert "no verified figure" in text
