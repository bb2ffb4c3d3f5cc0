"""Tests of the answer that `evaluate` prints: it fits on one screen, whatever was measured."""

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from banzuke.cli.answer import BAR, FEW, headlines, show_answer, show_run
from banzuke.cli.console import Console
from banzuke.document.terminal import terminal_table
from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.wording import benchmark_title, full_title, metric_title
from banzuke.report import testing
from banzuke.report.first.costs import costs
from banzuke.report.first.headlines import HeadlineLine
from banzuke.report.model import Evaluation
from banzuke.report.testing.sparse import collection
from banzuke.words import Message
from banzuke.words.language import words

SCREEN = 40
"""Lines of a screen."""


def shown(evaluation: Evaluation, width: int = 100, show: Callable[..., None] = show_answer) -> list[str]:
    """Return the answer as lines of a terminal."""
    stream = io.StringIO()
    show(evaluation, console=Console(file=stream, width=width))
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


def shown_run(*assessments: Assessment, verbose: bool = False, width: int = 100) -> list[str]:
    """Return the lines that `run` prints for these cases."""
    return shown(testing.only(*assessments), width, partial(show_run, verbose=verbose))


@pytest.mark.parametrize("make", [testing.hostile, testing.empty, testing.sixty, collection])
@pytest.mark.parametrize("width", [80, 100])
def test_any_run_fits_a_screen(make: Callable[[], Evaluation], width: int) -> None:
    lines = shown(make(), width, partial(show_run, verbose=False))
    assert 0 < len(lines) <= SCREEN
    assert not any("\x1b" in line for line in lines)


def test_a_run_begins_with_its_headline_and_shows_cases_if_they_are_few() -> None:
    sweep = [testing.dgemm(index, 128 * index, 2, 0.5) for index in range(1, FEW + 2)]
    few, many, every = shown_run(*sweep[:FEW]), shown_run(*sweep), shown_run(*sweep, verbose=True)
    assert "█" in few[1] == many[1], "the headline case, with a bar of its limit"
    rows = [sum(line.startswith("dgemm, 2 threads, n ") for line in lines) for lines in (few, many, every)]
    assert rows == [FEW, 0, FEW + 1]
    assert any(few[1] in line for line in every), "after all cases the answer again"
    assert not any("koto" in line for line in few), "the machine is known"


def test_of_many_cases_headline_figures_are_listed() -> None:
    streams = [testing.stream(index, 2, 0.9) for index in range(1, 6)]
    rows = [sum(" Copy " in line for line in shown_run(*streams[:number])) for number in (4, 5)]
    assert rows == [4, 0]
    assert sum(line.startswith("stream, ") for line in shown_run(*streams)) == 5


def test_a_run_says_what_holds_the_headline_back() -> None:
    cause = Finding(0.5, Message("cause", {}, "a cause"))
    text = " ".join(" ".join(shown_run(replace(testing.hpl(3, 8000), causes=(cause,)))).split())
    assert "What costs most 1. a cause: can explain up to 50%" in text


@pytest.mark.parametrize("cases", [2, FEW + 1])
def test_a_run_says_one_sentence_once(cases: int) -> None:
    """Why cases failed, and that others used the processors, which is a cause as well as a warning."""
    failed = replace(testing.hpl(3, 8000), verdict=(Message("why", {}, "the reason"),), figures=())
    failed = replace(failed, record=failed.record.model_copy(update={"status": "failed"}))
    assert "".join(shown_run(*[failed] * cases)).count("the reason") == 1
    busy = Finding(0.5, Message("cause", {}, "others were running"), taker="others")
    disturbed = replace(testing.stream(2, 2, 0.9), causes=(busy,))
    assert "others were running" in " ".join(shown_run(*[disturbed] * cases))
    conditions = {**disturbed.record.conditions, "other_busy_fraction": 0.5}
    record = disturbed.record.model_copy(update={"conditions": conditions})
    text = " ".join(" ".join(shown_run(*[replace(disturbed, record=record)] * cases)).split())
    assert text.count("other processes used 50%") == 1
    assert "others were running" not in text


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
