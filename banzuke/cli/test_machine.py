import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from banzuke import paths
from banzuke.cli.machine import machine, placements, table
from banzuke.cli.options import OptionsCommand
from banzuke.errors import BanzukeError
from banzuke.evaluation import examined
from banzuke.machine.cluster import Batch
from banzuke.machine.discover import discover
from banzuke.machine.model import Machine
from banzuke.machine.published import PublishedSite, read
from banzuke.machine.site import Blas, Site
from banzuke.machine.toml import toml
from banzuke.testing import machine as example
from banzuke.words.language import words

APP = typer.Typer()
APP.command(cls=OptionsCommand)(machine)


def test_json_reads_back_as_the_model() -> None:
    result = CliRunner().invoke(APP, ["--json", "--no-measure"])
    assert result.exit_code == 0
    here = Machine.model_validate(json.loads(result.stdout))
    assert here.allotment.vector_hz is None


def test_toml_reads_back_as_the_site(tmp_path: Path) -> None:
    """It is also shown from the file, and written again unchanged."""
    result = CliRunner().invoke(APP, ["--toml", "--no-measure"])
    assert "scalar_hz" not in result.stdout
    assert result.stdout.startswith("# What `banzuke machine --toml` knows of this site")
    file = tmp_path / "site.toml"
    file.write_text(result.stdout, encoding="utf-8")
    back = read(file)
    site = discover(measure=False).site
    assert {name: getattr(back, name) for name in Site.model_fields} == dict(site)
    again = CliRunner().invoke(APP, ["--toml", "--file", str(file)])
    assert again.stdout == result.stdout
    as_json = CliRunner().invoke(APP, ["--json", "--file", str(file)])
    assert PublishedSite.model_validate_json(as_json.stdout) == back


def test_measured_values_keep_their_source() -> None:
    measured = discover(measure=False).changed(
        node={"fingerprint": "f\x1b\u202e\"'"}, processor={"nominal_hz": 2.1e9 / 7}
    )
    site = PublishedSite.model_validate(tomllib.loads(toml(measured.site)))
    assert {name: getattr(site, name) for name in Site.model_fields} == dict(measured.site)


@pytest.mark.parametrize("name", sorted(path.stem for path in paths.MACHINES.glob("*.toml")))
def test_published_sites_are_shown_and_written_again(name: str) -> None:
    file = paths.MACHINES / f"{name}.toml"
    shown = CliRunner().invoke(APP, ["--file", str(file)], env={"COLUMNS": "200"})
    site = read(file)
    assert shown.exit_code == 0
    assert site.name in shown.stdout
    assert "Published in" in shown.stdout
    assert "unknown" not in shown.stdout
    assert PublishedSite.model_validate(tomllib.loads(toml(site))) == site


def test_partitions_of_a_site_are_told_apart() -> None:
    file = paths.MACHINES / "reedbush.toml"
    text = " ".join(CliRunner().invoke(APP, ["--file", str(file)], env={"COLUMNS": "200"}).stdout.split())
    assert "Reedbush-U: Partition" in text
    assert "2 × NVIDIA Tesla P100" in text
    assert "1209.6 GFLOPS" in text


@pytest.mark.parametrize("words", [["--hosts", "a"], ["--json", "--toml"]])
def test_a_file_has_its_own_hosts(words: list[str]) -> None:
    result = CliRunner().invoke(APP, ["--file", str(paths.MACHINES / "fugaku.toml"), *words])
    assert isinstance(result.exception, BanzukeError)


def test_a_bad_file_is_refused_with_its_key(tmp_path: Path) -> None:
    file = tmp_path / "site.toml"
    file.write_text('name = "x"\n[partitions.cpu]\nnodes = "many"\n', encoding="utf-8")
    error = CliRunner().invoke(APP, ["--file", str(file)]).exception
    assert isinstance(error, BanzukeError)
    assert f"{file}: line 3: partitions.cpu.nodes: a whole number, without quotes, not 'many'" in str(error)
    assert error.remedy


def test_options_have_variables() -> None:
    result = CliRunner().invoke(APP, [], env={"BANZUKE_JSON": "1", "BANZUKE_MEASURE": "0"})
    assert Machine.model_validate_json(result.stdout).fingerprint == discover(measure=False).fingerprint


def test_brackets_are_text_not_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    described = discover(measure=False)
    odd = described.changed(processor={"model": "A [red]B[/] [1]"})
    monkeypatch.setitem(vars(sys.modules[table.__module__]), "discover", lambda **_: odd)
    result = CliRunner().invoke(APP, ["--no-measure"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "A [red]B[/] [1]" in result.stdout
    assert "unknown" in result.stdout


def test_every_row_of_the_specification_is_shown() -> None:
    assert len(table(discover(measure=False)).rows) > 30


def test_placements_are_shown_with_their_processors() -> None:
    described = example(cores=4, threads_per_core=2)
    siblings = [[core, core + 4] for core in range(4)]
    allotment = {"siblings": siblings, "complexes": [[*range(8)]], "hosts": ["a", "b"]}
    rows = placements(described.changed(allotment=allotment)).rows
    say = words()
    assert [(say.fact(row.name), row.value and say.fact(row.value)) for row in rows] == [
        ("Hosts", "2"),
        ("same-core", "processors 0,4"),
        ("same-complex", "processors 0-1"),
        ("other-node", "processors 0"),
        ("one-node", "processors 0-3"),
        ("2-nodes-1", "processors 0"),
        ("2-nodes-all", "processors 0-3"),
    ]
    assert rows[0].note == ("a, b",)


def test_hosts_may_be_named() -> None:
    result = CliRunner().invoke(APP, ["--json", "--no-measure", "--hosts", "n[1-3],n2"])
    assert json.loads(result.stdout)["allotments"][0]["hosts"] == ["n1", "n2", "n3"]
    wrong = CliRunner().invoke(APP, ["--no-measure", "--hosts", "n[3-1]"])
    assert "'n[3-1]' is not a list of hosts" in str(wrong.exception)


def test_two_formats_exclude_each_other() -> None:
    result = CliRunner().invoke(APP, ["--toml", "--json"])
    assert isinstance(result.exception, BanzukeError)


def test_this_machine_is_shown_as_a_partition_of_its_site(tmp_path: Path) -> None:
    file = tmp_path / "sea.toml"
    file.write_text(
        'name = "Sea"\n[partitions.cpu]\nname = "Sea CPU"\npower_sensor = "ipmi"\n[partitions.cpu.node]\n'
        "processors = [{ cores = 4096 }]\n[partitions.gpu]\n"
    )
    shown = CliRunner().invoke(APP, ["--no-measure", "--json", "--site", str(file), "--partition", "cpu"])
    here = Machine.model_validate(json.loads(shown.stdout))
    assert (here.name, here.partition.power_sensor) == ("Sea CPU", "ipmi")
    assert here.fingerprint == discover(measure=False).fingerprint
    assert "the cores of a node: 4096 as described" in " ".join(shown.stderr.split())
    by_variables = {"BANZUKE_SITE": str(file), "BANZUKE_PARTITION": "gpu"}
    shown = CliRunner().invoke(APP, ["--no-measure", "--toml"], env=by_variables)
    assert 'name = "Sea"' in shown.stdout
    with pytest.raises(BanzukeError, match="--partition cpu belongs to no site"):
        CliRunner().invoke(APP, ["--no-measure", "--partition", "cpu"], catch_exceptions=False)


def test_how_the_nodes_of_a_partition_are_reached_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "sea.toml"
    file.write_text(
        'name = "Sea"\n[partitions.cpu]\nhosts = ["c[001-500]"]\nlauncher = "srun"\n'
        'batch = { system = "gridengine", queue = "all.q", longest = 7200 }\n'
    )
    shown = CliRunner().invoke(APP, ["--file", str(file)], env={"COLUMNS": "200"}).stdout
    rows = [re.split(" {2,}", line.strip()) for line in shown.splitlines()]
    assert ["Nodes", "500"] in rows
    assert ["Hosts", "c[001-500]"] in rows
    assert ["Batch system", "Grid Engine", "queue all.q, jobs of at most 2 h"] in rows
    again = CliRunner().invoke(APP, ["--toml", "--file", str(file)]).stdout
    file.write_text(again)
    assert read(file).partitions["cpu"].batch == Batch(system="gridengine", queue="all.q", longest=7200)


@pytest.mark.parametrize(("busy", "doubted"), [(0.6, True), (0.01, False)])
def test_a_ranking_of_libraries_on_a_busy_machine_is_doubted(
    busy: float,
    doubted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("banzuke.cli.machine.measured", lambda machine: machine)
    ranked = [Blas(name=name, path=f"/{name}.so", flop_rate=rate) for name, rate in (("MKL", 2e9), ("BLIS", 1e9))]
    monkeypatch.setattr(examined, "probe_libraries", lambda *_: (ranked, busy))
    monkeypatch.setattr(examined, "probe_mpi", lambda *_: ([], 0.0))
    done = CliRunner().invoke(APP, ["--measure"])
    assert ("Other processes used 60% of the processors meanwhile: the order may be wrong" in done.output) == doubted
