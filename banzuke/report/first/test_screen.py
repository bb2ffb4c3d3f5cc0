"""Tests of the first screen: headlines in order, the largest costs over all benchmarks, and doubts about figures."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from banzuke.document import Drawing, Findings, Items, Paragraph
from banzuke.judge.finding import Finding
from banzuke.judge.model import Assessment
from banzuke.plan.aspect import ASPECTS, Aspect
from banzuke.plan.benchmark import Benchmark
from banzuke.record.figures import Samples
from banzuke.record.hosts import Hosts
from banzuke.record.state import State
from banzuke.report import testing
from banzuke.report.first.costs import costs
from banzuke.report.first.headlines import headline_lines
from banzuke.report.first.peers import compare, ordered
from banzuke.report.first.screen import first_screen
from banzuke.report.model import Evaluation
from banzuke.report.testing import noise, sparse
from banzuke.report.testing.documents import summary
from banzuke.report.testing.parts import BENCHMARKS, benchmark
from banzuke.words import Message, Share, message
from banzuke.words.language import LANGUAGES, words


def busy(share: float) -> Finding:
    return Finding(share, Message("limit-busy-neighbours", {"share": Share(share)}), taker="others")


def governor(weight: float) -> Finding:
    return Finding(weight, Message("limit-governor", {"governor": "powersave"}))


def caused(assessment: Assessment, *findings: Finding) -> Assessment:
    return replace(assessment, causes=findings)


def aspects(**by_name: Aspect) -> dict[str, Benchmark]:
    return {name: replace(benchmark, aspect=by_name.get(name)) for name, benchmark in BENCHMARKS.items()}


def screen(evaluation: Evaluation, language: str = "en") -> Sequence[object]:
    wording = words(language)
    return first_screen(evaluation, compare(evaluation, wording)[0], wording)


def test_headlines_go_from_the_processors_outwards() -> None:
    evaluation = testing.only(
        testing.pingpong(1, 8),
        testing.stream(2, 2, 0.9),
        testing.hpl(3, 8000),
        benchmarks=aspects(osu="messages", stream="memory", hpl="compute"),
    )
    assert list(ordered(evaluation)) == ["hpl", "stream", "osu"]
    lines = headline_lines(evaluation, [], words())
    assert [line.benchmark for line in lines] == ["hpl", "stream", "osu"]
    assert [line.of_limit is None for line in lines] == [False, False, True]
    compared, _ = compare(replace(evaluation, published=testing.rich().published), words())
    assert [comparison.benchmark for comparison in compared if comparison.headline] == ["hpl", "stream"]
    assert list(ordered(testing.only(testing.stream(1, 2, 0.9), testing.hpl(2, 8000)))) == ["stream", "hpl"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_figure_of_several_hosts_says_of_how_many(language: str) -> None:
    single = testing.hpl(1, 8000)
    group = single.record.groups[0].model_copy(update={"hosts": [Hosts(names="n[001-128]", ranks="0-255")]})
    several = replace(single, record=single.record.model_copy(update={"groups": [group]}))
    (alone,) = headline_lines(testing.only(single), [], words(language))
    (line,) = headline_lines(testing.only(several), [], words(language))
    assert line.title.startswith(alone.title)
    assert "128" in line.title.removeprefix(alone.title)


def test_each_aspect_has_words() -> None:
    for language in LANGUAGES:
        said = {words(language)(message("first-aspect", aspect=aspect)) for aspect in (*ASPECTS, "other")}
        assert len(said) == len(ASPECTS) + 1


def test_noise_is_time_lost_and_no_share_of_a_limit() -> None:
    evaluation = testing.only(noise.fwq(1, "native"), benchmarks=noise.KNOWN)
    (line,) = headline_lines(evaluation, [], words())
    assert line.unit == "1"
    assert line.lost == line.value
    assert line.of_limit is None
    assert not line.limited


def test_a_share_of_its_own_best_figure_is_no_measure_of_the_machine() -> None:
    evaluation = testing.only(testing.stream(1, 2, 0.9), testing.hpl(2, 8000))
    stream, hpl = evaluation.assessments
    stream = replace(stream, figures=tuple(replace(figure, own_ceiling=True) for figure in stream.figures))
    blocks = screen(replace(evaluation, assessments=(stream, hpl)))
    said = blocks[0]
    assert isinstance(said, Paragraph)
    assert "HPL" in said.text
    assert "the only independent one" in said.text
    assert "Triad" not in said.text
    (drawing,) = [block for block in blocks if isinstance(block, Drawing)]
    assert "81.5% of its own best" in drawing.description
    assert "of its own best" in "".join(panel.body for panel in drawing.panels)


def test_a_collection_is_its_mean() -> None:
    (line,) = headline_lines(sparse.collection(("omp",), families=3, sizes=3), [], words())
    assert line.value
    assert "mean" in line.title


def test_a_mean_whose_problems_all_stayed_in_the_caches_says_so() -> None:
    evaluation = sparse.collection(("omp",), families=2, sizes=2)
    small = tuple(case for case in evaluation.assessments if case.record.parameters["nonzeros"] == 1000)
    assert {case.residence.place for case in small if case.residence} == {"in cache"}
    (line,) = headline_lines(replace(evaluation, assessments=small), [], words())
    assert line.of_limit is None
    assert words()(line.without_share) == "data in cache: not judged"


def test_causes_are_weighed_over_all_benchmarks() -> None:
    evaluation = testing.only(
        caused(testing.stream(1, 2, 0.5), busy(0.15), governor(0.4)),
        caused(testing.stream(2, 1, 0.5), governor(0.9)),
        caused(testing.hpl(3, 8000), busy(0.3)),
        caused(testing.pingpong(4, 8), busy(0.1)),
    )
    first, second = costs(evaluation)
    assert first.finding.message.code == "limit-busy-neighbours"
    assert first.shares == {"hpl": 0.3, "stream": 0.15, "osu": 0.1}
    assert list(first.shares) == ["hpl", "stream", "osu"]
    assert first.finding.weight == 0.3
    assert (first.benchmarks, first.doubtful) == (3, True)
    assert second.shares == {"stream": 0.4}
    assert not second.doubtful


def test_what_others_took_is_one_cause_in_whatever_words() -> None:
    waiting = Finding(0.9, Message("waiting", english="Waiting"), taker="others")
    evaluation = testing.only(
        caused(testing.stream(1, 2, 0.5), busy(0.3), governor(0.1)),
        caused(testing.hpl(2, 8000), busy(0.2)),
        caused(testing.pingpong(3, 8), waiting, busy(0.1)),
    )
    first, _ = costs(evaluation)
    assert first.shares == {"osu": 0.9, "stream": 0.3, "hpl": 0.2}
    assert first.finding == busy(0.3)
    one_of_three = replace(evaluation, assessments=(testing.stream(1, 2, 0.5), *evaluation.assessments[1:2]))
    assert costs(one_of_three)[0].doubtful
    few = testing.only(testing.stream(1, 2, 0.5), testing.hpl(2, 8000), caused(testing.pingpong(3, 8), busy(0.9)))
    assert not costs(few)[0].doubtful


def loaded(assessment: Assessment, share: float) -> Assessment:
    conditions = {**assessment.record.conditions, "other_busy_fraction": share}
    record = assessment.record.model_copy(update={"conditions": conditions})
    return caused(replace(assessment, record=record), busy(share))


def texts(blocks: Sequence[object]) -> str:
    """Return the text of the sentence, the doubts and the costs."""
    said = [block.text for block in blocks if isinstance(block, Paragraph)]
    said += [item.text for block in blocks if isinstance(block, Items) for item in block.items]
    entries = [entry for block in blocks if isinstance(block, Findings) for entry in block.findings]
    return " ".join(said + [f"{entry.of}: {entry.evidence}" for entry in entries])


def test_the_load_of_others_is_one_amount_and_what_it_explains_another() -> None:
    cases = (testing.stream(1, 2, 0.5), testing.hpl(2, 8000), testing.pingpong(3, 8))
    loads = (0.4, 0.9, 0.5)
    evaluation = testing.only(*(loaded(case, share) for case, share in zip(cases, loads, strict=True)))
    said = texts(screen(evaluation))
    used = "other processes used 50% of the processors (median of these launches; up to 90%, during HPL)"
    assert f"The machine was not idle: {used}. It affects 3 of 3 benchmarks" in said
    assert "can explain up to 90% of HPL" in said
    assert f"In this run {used}" in said
    assert "They used" not in said
    assert "The likely cause that costs most: other processes were running." in said


def test_a_run_without_a_headline_says_what_costs_most_and_of_others() -> None:
    only = replace(loaded(testing.stream(1, 2, 0.5), 0.6), no_headline=(message("limit-no-headline"),))
    blocks = screen(testing.only(only))
    assert "other processes used 60% of the processors" in texts(blocks)
    assert [block for block in blocks if isinstance(block, Findings)]
    assert not [block for block in blocks if isinstance(block, Drawing)]
    (line,) = headline_lines(testing.only(only), [], words())
    assert line.crowded


def test_no_other_figure_stands_for_a_headline_that_a_cache_served() -> None:
    served = replace(testing.stream(1, 2, 0.5), no_headline=(message("limit-no-headline-cached"),))
    evaluation = testing.only(served, testing.hpl(2, 8000))
    (memory,) = (line for line in headline_lines(evaluation, [], words()) if line.benchmark == "stream")
    assert (memory.value, memory.in_cache, memory.crowded) == (None, True, False)
    assert "STREAM: –, no headline: data in cache." in " ".join(
        block.description for block in screen(evaluation) if isinstance(block, Drawing)
    )
    (line,) = (line for line in summary(evaluation) if line.chapter.name == "stream")
    assert line.figure is None
    assert all(
        comparison.benchmark != "stream" for comparison in compare(evaluation, words())[0] if comparison.headline
    )


def test_findings_of_unlike_things_are_not_added() -> None:
    def phase(name: str, share: float) -> Finding:
        return Finding(share, Message("takes", {"phase": Message(name), "share": Share(share)}))

    evaluation = testing.only(
        caused(testing.stream(1, 2, 0.5), phase("panel", 0.2)),
        caused(testing.hpl(2, 8000), phase("halo", 0.3)),
        caused(testing.pingpong(3, 8), phase("halo", 0.1)),
    )
    assert [dict(cost.shares) for cost in costs(evaluation)] == [{"hpl": 0.3, "osu": 0.1}, {"stream": 0.2}]


def apart(share: float, time: str) -> Finding:
    """Return a finding as for a launch that stands out."""
    said = Message("apart", {"time": time}, english="Apart")
    return Finding(share, said, against="launches", cause="launches")


def test_costs_of_one_cause_add_up_once_and_say_against_what() -> None:
    evaluation = testing.only(
        caused(testing.stream(1, 2, 0.5), apart(0.2, "03:14:00"), apart(0.3, "03:24:00"), apart(0.0, "04:00:00")),
        caused(testing.hpl(2, 8000), apart(0.25, "05:00:00"), governor(0.1)),
        caused(testing.pingpong(3, 8), apart(0.0, "06:00:00")),
    )
    first, second = costs(evaluation)
    assert dict(first.shares) == {"stream": 0.3, "hpl": 0.25}
    assert dict(second.shares) == {"hpl": 0.1}
    shown = texts(screen(evaluation))
    assert "25% of HPL, against the median of the other launches" in shown
    assert "10% of HPL, against the same without it" in shown
    assert "against an idle machine" in texts(screen(testing.only(loaded(testing.hpl(1, 8000), 0.4))))


def test_what_raises_a_figure_is_no_cost() -> None:
    better = testing.only(caused(testing.stream(1, 2, 0.5), apart(0.0, "03:14:00")), testing.hpl(2, 8000))
    assert costs(better) == []
    assert not [block for block in screen(better) if isinstance(block, Findings)]


def test_a_cause_of_few_problems_costs_a_collection_little() -> None:
    evaluation = sparse.collection(("omp",), families=2, sizes=2)
    verified = [assessment for assessment in evaluation.assessments if assessment.figures]
    worst = caused(verified[0], busy(0.5))
    changed = tuple(
        worst if assessment is verified[0] else replace(assessment, causes=()) for assessment in evaluation.assessments
    )
    (cost,) = costs(replace(evaluation, assessments=changed))
    assert cost.shares == {"spmv": pytest.approx(0.5 / len(verified))}


def test_three_causes_at_most_and_doubts_first() -> None:
    codes = [busy(0.2), governor(0.1), Finding(0.05, Message("limit-load", {"load": 2.0}))]
    codes.append(Finding(0.01, Message("limit-other", english="Other")))
    blocks = screen(testing.only(caused(testing.stream(1, 2, 1.2), *codes), testing.hpl(2, 8000)))
    (shown,) = [block for block in blocks if isinstance(block, Findings)]
    assert len(shown.findings) == 3
    (doubts,) = [block for block in blocks if isinstance(block, Items)]
    assert len(doubts.items) == 2
    assert blocks.index(doubts) < blocks.index(shown)
    quiet = screen(testing.only(caused(testing.stream(1, 2, 0.9), governor(0.4))))
    assert not [block for block in quiet if isinstance(block, Items)]


def test_the_picture_has_every_headline() -> None:
    evaluation = testing.rich()
    lines = headline_lines(evaluation, compare(evaluation, words())[0], words())
    drawing = next(block for block in screen(evaluation) if isinstance(block, Drawing))
    picture = "".join(panel.body for panel in drawing.panels)
    assert all(line.title in picture and line.title in drawing.description for line in lines)
    assert all(panel.width <= 330 for panel in drawing.panels)


@pytest.mark.parametrize("make", [testing.hostile, testing.empty, testing.sixty])
@pytest.mark.parametrize("language", LANGUAGES)
def test_any_evaluation_has_one(make: object, language: str) -> None:
    assert callable(make)
    blocks = screen(make(), language)
    assert "<script" not in "".join(
        panel.body for block in blocks if isinstance(block, Drawing) for panel in block.panels
    )
    assert bool(blocks) == (make is not testing.empty)


def test_a_headline_that_failed_is_shown_as_such() -> None:
    failed = replace(testing.stream(1, 2, 0.9), figures=())
    lines = headline_lines(testing.only(failed, testing.hpl(2, 8000)), [], words())
    assert [line.value is None for line in lines] == [True, False]


def test_a_figure_that_asks_for_nothing_known_has_no_limit_by_definition() -> None:
    case = testing.pingpong(1, 8)
    assert isinstance(next(iter(case.record.metrics.values())), Samples)
    (line,) = [headline for headline in headline_lines(testing.only(case), [], words()) if headline.benchmark == "osu"]
    assert not line.limited
    assert benchmark("x", "X", ()).aspect is None


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "changed while it was measured: far processors in 2 launches and near processors in 1 launch. Each figure",
        ),
        ("ja", "測定中に計算機の状態が変化した"),
    ],
)
def test_a_machine_that_changed_is_said_to_have_done_so(language: str, said: str) -> None:
    near, *far = (
        replace(testing.stream(index, index, 0.9), state=State(distance=level))
        for index, level in enumerate(("near", "far", "far"), 1)
    )
    first = next(block for block in screen(testing.only(near, *far), language) if isinstance(block, Paragraph))
    assert said in first.text
    steady = next(
        block for block in screen(testing.only(testing.stream(1, 2, 0.9)), language) if isinstance(block, Paragraph)
    )
    assert said not in steady.text
