"""DGEMM's views: its rate over an LU update's extents, and for a shared product each group's part."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from banzuke.compare.settings import figure_text, setting_text, telling
from banzuke.document import Block, Cell, Charts, Column, Details, Heading, Origin, Row, Table
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.judge.model import Figure
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.units import percent, quantity
from banzuke.views.over_time import MOST_CASES, OPEN_CASES
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Listed, Message, Quantity, Share, message
from banzuke.words.language import Words

from .shared_product import MOST_SHOWN, SharedCase, SharedProduct, shared_cases, shared_product, shown_groups, sweeps
from .trace import rates_over_time


class UnsharedSweep(Sweep):
    """A sweep without shared products, which have charts of their own."""

    def show(self, section: ViewSection) -> Sequence[Block]:
        unshared = [case for case in section.cases if shared_product(case.assessment.record) is None]
        return super().show(replace(section, cases=unshared))


MOST_NAMED = 4
"""Most groups that a sentence lists."""


class SharedProducts(View[SharedProduct]):
    name = "shared-product"
    tabulates = True
    warns = True

    def judge(self, record: Record, machine: Machine) -> SharedProduct | None:
        return shared_product(record, machine)

    def remark(self, seen: SharedProduct, launches: Sequence[SharedProduct]) -> Message | None:  # noqa: ARG002
        """Return a sentence that says why the groups have their shares."""
        if not seen.rate:
            return None
        total, link = sum(seen.alone), seen.link
        return message(
            "dgemm-why",
            split=seen.split,
            groups=Listed(seen.groups, MOST_NAMED),
            rates=Listed(tuple(Quantity(rate, "flop/s") for rate in seen.alone), MOST_NAMED),
            shares=Listed(tuple(map(Share, seen.shares)), MOST_NAMED),
            reached=Share(seen.rate / total),
            sum=Quantity(total, "flop/s"),
            link="none" if link is None else "binds" if link.binds else "free",
            bound=Quantity(link.bound if link else 0.0, "flop/s"),
            k=int(link.k) if link else 0,
            least=math.ceil(link.least) if link else 0,
        )

    def findings(self, seen: SharedProduct, evidence: Evidence) -> Iterator[Finding]:  # noqa: ARG002
        """Find a k so small that a device waits for its transfers."""
        link = seen.link
        if link is None or not link.binds:
            return
        yield Finding(
            1 - link.bound / link.device,
            message(
                "dgemm-host-link",
                k=int(link.k),
                link=Quantity(link.bandwidth, "B/s"),
                bound=Quantity(link.bound, "flop/s"),
                device=Quantity(link.device, "flop/s"),
                least=math.ceil(link.least),
            ),
            against="limit",
        )

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return charts of the shares and of the rates, and the tables of all cases."""
        from .shared_charts import rate_charts, share_chart  # noqa: PLC0415  (see LATE in tests/test_architecture.py)

        cases = shared_cases(section, self.of)
        if not cases:
            return ()
        drawn = tuple(chart.block for chart in rate_charts(section, sweeps(cases)))
        return (
            Heading(section.words(message("dgemm-shared"))),
            *([Charts(drawn)] if drawn else []),
            share_chart(section, cases).block,
            *_traces(section, cases),
            _table(section.words, cases),
        )

    def brief(self, benchmark: Benchmark, case: ViewCase, words: Words) -> Sequence[Block]:  # noqa: ARG002
        seen = self.of(case.assessment)
        return [_table(words, [shared])] if seen and (shared := SharedCase.of(case, seen)) else []


def _traces(section: ViewSection, cases: Sequence[SharedCase]) -> Sequence[Block]:
    """Draw some cases over time, most of them behind a click."""
    from .trace_chart import trace_chart  # noqa: PLC0415  (see LATE in tests/test_architecture.py)

    traced = [
        (case, seconds, rates)
        for case in cases
        for seconds, rates in [rates_over_time(case.case.assessment.record, shown_groups(section.words, case.product))]
        if rates
    ][:MOST_CASES]
    charts = [trace_chart(section, *trace, f"{number}").block for number, trace in enumerate(traced, 1)]
    more = Details(section.words(message("dgemm-more-traces")), (Charts(tuple(charts[OPEN_CASES:])),))
    return [*([Charts(tuple(charts[:OPEN_CASES]))] if charts else []), *([more] if charts[OPEN_CASES:] else [])]


def _table(words: Words, cases: Sequence[SharedCase]) -> Table:
    groups = max((case.product.groups for case in cases), key=len)
    named = all(case.product.groups == groups for case in cases) and len(groups) <= MOST_SHOWN
    shown = groups if named else ()
    peaks = any(case.rate.fraction_of_peak for case in cases)
    links = any(case.product.link for case in cases)
    titles = (
        *(message("dgemm-alone", group=group) for group in shown),
        message("dgemm-sum"),
        *([message("dgemm-links-allow")] if links else []),
        message("dgemm-product"),
        message("dgemm-of-sum"),
        *([message("dgemm-of-peak")] if peaks else []),
        *(message("dgemm-share", group=group) for group in shown),
    )
    varying = telling([case.settings for case in cases])
    rows = []
    for case in cases:
        alone = [Cell(quantity(rate, "flop/s"), rate, "flop/s") for rate in case.product.alone]
        shares = [Cell(percent(share), share) for share in case.product.shares]
        of_peak = case.rate.fraction_of_peak
        allowed = case.product.limit_by_links
        cells = (
            *(Cell(setting_text(case.settings.get(names[0])), case.settings.get(names[0])) for names in varying),
            *(alone if named else []),
            _figure(case, case.parts),
            *([Cell(quantity(allowed, "flop/s") if allowed else "–", allowed, "flop/s")] if links else []),
            _figure(case, case.rate),
            Cell(percent(case.of_sum), case.of_sum),
            *([Cell(percent(of_peak) if of_peak else "–", of_peak)] if peaks else []),
            *(shares if named else []),
        )
        rows.append(Row(cells))
    heads = tuple(Column(" = ".join(names)) for names in varying)
    columns = (*heads, *(Column(words(title), numeric=True) for title in titles))
    caption = words(message("dgemm-shared-caption"))
    return Table(columns, tuple(rows), caption, file="dgemm-shared", heads=len(heads))


def _figure(case: SharedCase, figure: Figure) -> Cell:
    text = figure_text(figure.value, figure.unit)
    return Cell(text, figure.value, figure.unit, Origin(case.case.id, figure.metric, "median"))


VIEWS = (
    UnsharedSweep(Plot(title="Rate over the inner extent k", metrics=("flop_rate",), x="k", series="m", log_x=True)),
    SharedProducts(),
)
