"""`banzuke accept`: what is printed and written, and the exit status."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from banzuke.acceptance.testing import DRIFT, measured_run
from banzuke.cli.accept import accept
from banzuke.errors import BanzukeError
from banzuke.report.testing.parts import machine

CONTRACT = """title = "Acceptance of Koto"
customer = "A <b>University</b>"

[[figure]]
name = "Bandwidth"
benchmark = "stream"
unit = "GB/s"
minimum = {minimum}
"""
WAIVER = 'waiver = { reason = "In March", name = "S. Sato" }\n'
app = typer.Typer()
app.command()(accept)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Return a folder with a run of 2 GB/s on each of two hosts, and one that is half as old a machine's."""
    for name, host, factor in (("a", "n1", 2.0), ("b", "n2", 2.2), ("old", "o1", 1.0)):
        run = measured_run([factor * drift for drift in DRIFT], host=host, name=name)
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        (folder / "records.jsonl").write_text("".join(record.model_dump_json() + "\n" for record in run.records))
        (folder / "machine.json").write_text(machine().model_dump_json())
    return tmp_path / "results"


def call(results: Path, text: str, *words: str, runs: tuple[str, ...] = ("a", "b")) -> Result:
    path = results.parent / "contract.toml"
    path.write_text(text, encoding="utf-8")
    return CliRunner().invoke(app, [str(path), *runs, "--results", str(results), *words])


@pytest.mark.parametrize(
    ("minimum", "more", "status", "said"),
    [
        (1.5, "", 0, "Accepted: 1 figure: 1 pass"),
        (2.1, "", 1, "Not accepted: 1 figure: 0 pass, 1 fail"),
        (2.1, WAIVER, 0, "Accepted: 1 figure: 0 pass, 0 fail, 0 cannot be told, 1 waived"),
        (1.5, "rules = { nodes = 3 }\n", 3, "Cannot be told yet"),
    ],
)
def test_the_exit_status_is_the_verdict(results: Path, minimum: float, more: str, status: int, said: str) -> None:
    outcome = call(results, CONTRACT.format(minimum=minimum) + more)
    assert outcome.exit_code == status, outcome.output
    assert said in " ".join(outcome.stdout.split())


def test_json_and_csv_have_every_node(results: Path) -> None:
    document = json.loads(call(results, CONTRACT.format(minimum=2.1), "--json").stdout)
    (figure,) = document["figures"]
    assert (document["verdict"], figure["nodes_reached"], figure["nodes_failed"]) == ("fail", 1, 1)
    assert [(node["hosts"], node["verdict"]) for node in figure["nodes"]] == [(["n1"], "fail"), (["n2"], "pass")]
    assert figure["requirements"] == [2.1e9]
    assert len(document["sha256"]) == 64
    lines = list(csv.DictReader(io.StringIO(call(results, CONTRACT.format(minimum=2.1), "--csv").stdout)))
    assert [(line["hosts"], line["verdict"]) for line in lines] == [("", "fail"), ("n1", "fail"), ("n2", "pass")]
    assert float(lines[2]["value"]) == pytest.approx(2.2e9, rel=1e-2)


@pytest.mark.parametrize(
    ("language", "said"), [("en", "Not accepted (1"), ("ja", "不合格\N{FULLWIDTH LEFT PARENTHESIS}全1")]
)
def test_a_sheet_is_written_to_print_and_sign(results: Path, language: str, said: str) -> None:
    folder = results.parent / "sheet"
    (folder / "acceptance-7.pdf").parent.mkdir()
    (folder / "acceptance-7.pdf").write_bytes(b"of an earlier sheet")
    failing = CONTRACT.format(minimum=2.1)
    text = failing + WAIVER.replace("In March", "<script>") + '[improvement]\npredecessor = "old"\n'
    outcome = call(results, text, "--output", str(folder), "--language", language)
    assert outcome.exit_code == 0, outcome.output
    page = (folder / "acceptance.html").read_text(encoding="utf-8")
    assert f">{said}" not in page
    assert "S. Sato" in page
    assert "&lt;script&gt;" in page
    assert "A &lt;b&gt;University" in page
    names = {path.name for path in folder.iterdir()}
    assert names >= {"acceptance.html", "acceptance.md", "acceptance.csv", "acceptance.json"}
    pdfs = sorted(name for name in names if name.endswith(".pdf"))
    assert pdfs
    assert "acceptance-7.pdf" not in pdfs
    assert all((folder / name).read_bytes().startswith(b"%PDF") for name in pdfs)
    assert call(results, failing, "--output", str(folder), "--language", language).exit_code == 1
    page = (folder / "acceptance.html").read_text(encoding="utf-8")
    assert f">{said}" in page


def test_the_improvement_is_shown_and_counts(results: Path) -> None:
    text = CONTRACT.format(minimum=1.5) + '[improvement]\npredecessor = "old"\nminimum = 1.5\nconfidence = "median"\n'
    outcome = call(results, text, "--json")
    assert outcome.exit_code == 0, outcome.output
    improved = json.loads(outcome.stdout)["improvement"]
    assert (improved["verdict"], improved["geometric_mean"]) == ("pass", pytest.approx(2.0, rel=1e-2))
    assert call(results, text.replace("minimum = 1.5\nconf", "minimum = 3\nconf")).exit_code == 1


def test_an_unknown_predecessor_is_named_with_its_line(results: Path) -> None:
    text = CONTRACT.format(minimum=1.5) + '[improvement]\npredecessor = "nobody"\n'
    error = call(results, text).exception
    assert isinstance(error, BanzukeError)
    assert "line 10: improvement.predecessor: " in str(error)


def test_a_contract_that_is_none_is_refused(results: Path) -> None:
    for text in ("", "\0", "[[figure]]", "title = 1"):
        assert isinstance(call(results, text).exception, BanzukeError)
    with pytest.raises(BanzukeError, match="exclude each other"):
        accept(results / "c.toml", None, as_csv=True, as_json=True)
    with pytest.raises(BanzukeError):
        accept(results / "none.toml", None, results=results)


def test_runs_without_records_are_refused(results: Path) -> None:
    (results / "a" / "records.jsonl").write_text("")
    error = call(results, CONTRACT.format(minimum=1), runs=("a",)).exception
    assert isinstance(error, BanzukeError)
    assert "a has no records" in str(error)


def test_a_benchmark_that_was_not_measured_cannot_be_told(results: Path) -> None:
    text = CONTRACT.format(minimum=1).replace('"stream"', '"hpl"').replace("GB/s", "Gflop/s")
    outcome = call(results, text)
    assert outcome.exit_code == 3
    assert "Not measured in a and b. `banzuke run hpl` measures it" in " ".join(outcome.stdout.split())


def test_the_contract_of_the_docs_is_judged(results: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/accept.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    outcome = call(results, example, "--json", "--output", str(results.parent / "sheet"))
    assert outcome.exit_code == 3, outcome.output
    document = json.loads(outcome.stdout)
    assert [(figure["verdict"], figure["waived"]) for figure in document["figures"]] == [
        ("untold", False),
        ("untold", False),
        ("untold", True),
    ]
    assert document["improvement"]["predecessor"].startswith("Oakleaf-FX")
