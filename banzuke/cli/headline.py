"""A run in one line: its headline figures."""

from collections.abc import Mapping

from banzuke.compare.settings import figure_text
from banzuke.errors import BanzukeError
from banzuke.judge.headline import Headline
from banzuke.judge.model import Assessment
from banzuke.judge.records import judge
from banzuke.plan.aspect import rank
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import full_title
from banzuke.results.run import Run
from banzuke.words.language import words


def assessments_of(run: Run, specs: Mapping[str, Benchmark]) -> tuple[Assessment, ...]:
    """Return the judged cases; none for a fleet, nor without the machine's description, which judging needs."""
    if run.of_fleet:
        return ()
    try:
        return judge(run.read().records, run.machine(), specs, run.ceilings())[0]
    except BanzukeError:
        return ()


def order(headline: Headline, specs: Mapping[str, Benchmark]) -> tuple[bool, int]:
    """Return a sort key: judged figures first, then from the processors outwards, as in a report."""
    spec = specs.get(headline.benchmark)
    return headline.fraction_of_limit is None, rank(spec.aspect if spec else None)


def headline_text(headline: Headline, spec: Benchmark | None) -> str:
    title = full_title(spec.title if spec else headline.benchmark, headline.title, words())
    return f"{title} {figure_text(headline.value, headline.unit)}"
