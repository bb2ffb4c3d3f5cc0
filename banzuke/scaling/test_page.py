"""Scaling studies in words, tables and charts of each language."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.document import Block, Chart, Heading, Paragraph, Table, inside
from banzuke.plan.catalogue import benchmarks
from banzuke.record.model import Record
from banzuke.scaling.charts import charts_of
from banzuke.scaling.data import scaling_json
from banzuke.scaling.find import scaling_studies
from banzuke.scaling.page import blocks
from banzuke.scaling.testing import copies, record, scaled
from banzuke.text import json_text
from banzuke.words.language import LANGUAGES, words

SPECS = benchmarks()


def shown(records: list[Record], language: str = "en") -> list[Block]:
    return inside(blocks(scaling_studies(records, SPECS), words(language), charts_of))


def tables(page: list[Block]) -> list[Table]:
    return [block for block in page if isinstance(block, Table)]


def test_partitions_stand_side_by_side_in_one_chart() -> None:
    both = [*scaled([1, 2, 4], lambda p: 1 / p**0.1), *scaled([1, 2, 4], lambda p: 1 / p**0.2, partition="gpu")]
    page = shown(both)
    rates, efficiencies = (block for block in page if isinstance(block, Chart))
    assert rates.id == "scaling-hpl-flop-rate-strong-rate"
    for chart in (rates, efficiencies):
        drawn = {row["series"] for layer in chart.spec["layer"] for row in layer["data"]["values"]}
        assert drawn == {"HPL: strong scaling", "gpu"}
    figures = [table for table in tables(page) if table.columns[0].name == "nodes"]
    assert [table.caption for table in figures] == ["HPL: strong scaling", "HPL: strong scaling: gpu"]
    assert [row.cells[4].text for row in figures[1].rows] == ["100%", "87.1%", "75.8%"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_kind_is_told_in_each_language(language: str) -> None:
    records = [
        *scaled([1, 2, 4, 8, 16], lambda p: 1 / (0.9 + 0.1 * p)),
        *scaled([2, 4, 8], lambda p: 1 / (1 + 0.1 * math.log2(p)), grows=True),
        *(copy for number in (1, 2) for copy in copies(number, apart=50)),
    ]
    page = shown(records, language)
    assert len([block for block in page if isinstance(block, Heading)]) == 3
    said = " ".join(block.text for block in page if isinstance(block, Paragraph))
    assert {"en": "Best model: Amdahl, serial share 10%", "ja": "アムダール則、逐次部分の割合 10%"}[language] in said


def test_predictions_stand_beside_each_model_and_the_best_is_marked() -> None:
    _, models = tables(shown(scaled([1, 2, 4, 8], lambda p: 1 / (0.9 + 0.1 * p), noise=1e-3)))
    assert [column.title for column in models.columns][-2:] == ["efficiency on 16 nodes", "efficiency on 32 nodes"]
    assert [row.cells[0].text for row in models.rows if row.kind == "own"] == ["Amdahl"]
    (amdahl,) = (row for row in models.rows if row.kind == "own")
    assert float(amdahl.cells[4].text.partition("%")[0]) == pytest.approx(100 / 2.5, rel=0.02)


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 5000), st.floats(1e-20, 1e25), st.sampled_from([20000, 100000]), st.booleans(), st.booleans()
        ),
        max_size=12,
    )
)
def test_any_rates_are_shown(measured: list[tuple[int, float, int, bool, bool]]) -> None:
    records = [
        record(
            1 if copied else nodes,
            rate,
            repetition=number,
            parameters={"n": n},
            failed="it was killed" if failed else "",
            batch=f"b{nodes % 3}" if copied else None,
            run=f"r{number}",
        )
        for number, (nodes, rate, n, failed, copied) in enumerate(measured)
    ]
    shown(records)
    json_text(scaling_json(scaling_studies(records, SPECS), words()))
