"""Contracts: how requirements are read, and what is said of wrong ones."""

import re
from pathlib import Path

import pytest

from banzuke.acceptance.contract import Contract, read_contract
from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import benchmarks
from banzuke.testing import NASTY

ROOT = Path(__file__).parents[2]
FIGURE = '[[figure]]\nbenchmark = "stream"\nunit = "GB/s"\nminimum = 40\n'


def contract(folder: Path, text: str) -> Contract:
    path = folder / "c.toml"
    path.write_text(f'title = "T"\n{text}', encoding="utf-8")
    return read_contract(path, benchmarks())


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(BanzukeError) as caught:
        contract(folder, text)
    return str(caught.value)


def test_the_contract_of_the_docs_is_read(tmp_path: Path) -> None:
    page = (ROOT / "docs/accept.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "c.toml").write_text(example, encoding="utf-8")
    read = read_contract(tmp_path / "c.toml", benchmarks())
    memory, linpack, copy = read.terms
    assert memory.requirement(["ishikari:cpu", "ishikari", "*"]) == pytest.approx(380e9)
    assert memory.requirement(["other:cpu", "other", "*"]) == pytest.approx(0.95 * 350e9)
    assert memory.requirement(["other"]) is None
    assert (memory.rules.share, memory.rules.nodes, memory.rules.launches) == (0.98, 100, 3)
    assert linpack.requirements == [250e12]
    assert linpack.rules.runs == 3
    assert copy.rules.confidence == "median"


def test_a_tolerance_of_a_time_is_above_its_reference(tmp_path: Path) -> None:
    figure = '[[figure]]\nbenchmark = "pt2pt"\nmetric = "latency"\nunit = "us"\nreference = 2\ntolerance = 0.1\n'
    (term,) = contract(tmp_path, figure).terms
    assert term.requirements == [pytest.approx(2.2e-6)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "figure is missing"),
        (
            FIGURE.replace("stream", "streem"),
            r"line 3: figure 1: there is no benchmark 'streem'. Did you mean 'stream'",
        ),
        (
            FIGURE + 'metric = "triad_bandwith"\n',
            r"line 6: figure 1: .*metric 'triad_bandwith'. Did you mean 'triad_bandwidth'",
        ),
        (FIGURE.replace("GB/s", "GBs"), r"line 4: figure 1: 'GBs' is no unit of triad_bandwidth.* 'GB/s'"),
        (FIGURE.replace("GB/s", "Gflop/s"), r"line 4: figure 1: 'Gflop/s' is no unit"),
        (FIGURE.replace("minimum", "maximum"), "line 5: figure 1: of triad_bandwidth more is better: write minimum"),
        (FIGURE.replace("minimum = 40\n", ""), "line 2: figure 1: nothing is asked of it"),
        (FIGURE + "reference = 50\n", "line 6: figure 1: minimum and reference exclude each other"),
        (FIGURE + "tolerance = 0.1\n", "line 6: figure 1: tolerance needs a reference"),
        (FIGURE.replace("40", '"40"'), "line 5: figure.0.minimum: a number, without quotes: 40"),
        (FIGURE.replace("40", "-1"), "line 5: figure.0.minimum: should be greater than or equal to .*, not -1"),
        (FIGURE.replace("40", "{}"), "line 5: figure 1: minimum names no system"),
        (FIGURE.replace("40", "nan"), "line 5: figure.0.minimum"),
        (FIGURE + "rules = { lauches = 3 }\n", "line 6: figure.0.rules.lauches: there is no such rule. .*'launches'"),
        (FIGURE + "rules = { launches = 0 }\n", "line 6: figure.0.rules.launches: should be greater"),
        (FIGURE + "rules = { official = true }\n", "stream has no rules for official results"),
        ('[rules]\nconfidence = "mean"\n' + FIGURE, "line 3: rules.confidence: should be 'interval' or 'median'"),
        ("[rules]\nshare = 1.5\n" + FIGURE, "line 3: rules.share"),
        (FIGURE + 'waiver = { reason = "r" }\n', "waiver.name is missing"),
        (FIGURE + "[improvement]\nminimum = 2\n", "improvement.predecessor is missing"),
        ("titel = 1\n" + FIGURE, "line 2: titel is unknown"),
        ("figure = 3\n", "line 2: figure: a list, not 3"),
        ("minimum = 5,000\n", "a number has no commas"),
        (FIGURE.replace("stream", "spmv").replace("GB/s", "Gflop/s"), "choose one by its parameters in `case`"),
    ],
)
def test_a_wrong_contract_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    refused = refusal(tmp_path, text)
    assert re.search(said, refused), refused


@pytest.mark.parametrize("value", NASTY)
def test_no_value_in_a_contract_crashes(tmp_path: Path, value: bytes) -> None:
    good = f'title = "T"\n{FIGURE}'.encode()
    for place in (b"40", b'"stream"', b'"GB/s"', b'"T"'):
        path = tmp_path / "c.toml"
        path.write_bytes(good.replace(place, value))
        try:
            read_contract(path, benchmarks())
        except BanzukeError:
            continue
