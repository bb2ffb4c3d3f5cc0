"""Tests of `banzuke predict BENCHMARK MACHINE` by its command line."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.cli.predict import EXAMPLES
from banzuke.errors import BanzukeError
from banzuke.limit.best_time import last_level_cache
from banzuke.machine.site import Blas, Software
from banzuke.report.testing import dgemm, stream
from banzuke.report.testing.parts import machine
from banzuke.results.store import Store

SITE = """
name = "paper"
[partitions.thin]
nodes = 100
node.peaks."flops.fp64" = { value = 1e12, unit = "flop/s" }
node.peaks."memory.bytes" = { value = 100e9, unit = "B/s" }
node.memory.total = 64_000_000_000
node.power = 500.0
network = { bandwidth = 12.5e9 }
flags = ["100 GB/s is printed as 110 GB/s elsewhere"]
[partitions.fat]
nodes = 2
"""


def typed(*words: str) -> str:
    done = CliRunner().invoke(app, ["predict", *words])
    if isinstance(done.exception, BanzukeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def document(*words: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(typed(*words, "--json"))
    return read


@pytest.fixture
def site(tmp_path: Path) -> str:
    file = tmp_path / "site.toml"
    file.write_text(SITE)
    return f"{file}:thin"


def test_a_machine_that_a_report_describes_in_part_is_named_as_the_list_has_it() -> None:
    with pytest.raises(BanzukeError) as refused:
        typed("hpl", "fugaku")
    assert "fugaku-top500" in str(refused.value.remedy)


def test_a_machine_on_paper(site: str) -> None:
    data = document("stream", site, "--nodes", "10", "--set", "n=1000000")
    assert data["nodes"] == 10
    assert data["estimate"]["figure"] == data["naive"] == pytest.approx(10 * 78e9, rel=0.1)
    assert data["low"] < data["estimate"]["figure"] < data["high"]
    assert data["estimate"]["call"]["n"] == 1_000_000
    assert data["joules"] == pytest.approx(5000 * data["estimate"]["seconds"])
    assert data["flags"] == ["100 GB/s is printed as 110 GB/s elsewhere"]
    shown = typed("stream", site)
    assert "100 nodes" in shown
    assert "What buys most: memory bandwidth" in shown
    assert "STREAM Triad  " in shown
    assert "triad_bandwidth" not in shown
    assert "110 GB/s elsewhere" in shown
    assert "-v shows the assumed number with" in shown
    assert "BabelStream" not in shown
    assert "BabelStream" in typed("stream", site, "-v")


def test_unlike_nodes_together(site: str) -> None:
    file = site.removesuffix(":thin")
    fat = 'node.peaks."memory.bytes" = { value = 100e9, unit = "B/s" }'
    flops = 'node.peaks."flops.fp64" = { value = 1e12, unit = "flop/s" }'
    options = ("--nodes", "thin=10", "--nodes", "fat=2", "--with", fat, "--with", flops)
    data = document("stream", file, *options)
    assert data["partitions"] == {"thin": 10, "fat": 2}
    assert data["estimate"]["figure"] == pytest.approx(data["naive"])
    assert "sum of what each node alone" in typed("stream", file, *options)


KINDS = """
name = "Sea"
[partitions.thin]
nodes = 300
network = { links = 1, bandwidth = 12.5e9, topology = "fat-tree" }
node.peaks."flops.fp64" = { value = 5e12, unit = "flop/s" }
node.memory.total = 256_000_000_000
[partitions.half]
nodes = 100
node.peaks."flops.fp64" = { value = 2.5e12, unit = "flop/s" }
node.memory.total = 256_000_000_000
[partitions.old]
nodes = 4
node.peaks."flops.fp64" = { value = 0.05e12, unit = "flop/s" }
node.memory.total = 16_000_000_000
"""


def test_all_kinds_of_a_site_together(tmp_path: Path) -> None:
    file = tmp_path / "sea.toml"
    file.write_text(KINDS)
    data = document("hpl", str(file))
    assert set(data["partitions"]) == {"thin", "half"}
    assert [kind["partition"] for kind in data["kinds"]] == ["thin", "half", "old"]
    assert data["kinds"][1]["together"] == pytest.approx(data["estimate"]["figure"])
    assert data["kinds"][2]["nodes"] == 0
    codes = [reason["code"] for reason in data["reasons"]]
    assert codes[0] == "hpl-ranks-of-kinds"
    assert codes[-1] == "predict-kind-left-out"
    shown = " ".join(typed("hpl", str(file)).split())
    assert "Ranks per node: 2 on Sea thin" in shown
    assert "fill a grid of" in shown
    assert "The 4 nodes of Sea old are left out: with them" in shown
    assert "with those above" in shown
    with pytest.raises(BanzukeError, match="The nearest that they fill is p="):
        typed("hpl", str(file), "--set", "p=7", "--set", "q=9")
    with pytest.raises(BanzukeError, match="Name one"):
        typed("hpl", str(file), "--target", "1PF")
    with pytest.raises(BanzukeError, match="Name one"):
        typed("stream", str(file))


def test_a_target_without_power_says_so_and_all_editions_are_shown_if_asked() -> None:
    shown = " ".join(typed("hpl", "oakleaf-fx", "--target", "1PF", "--with", "node.power=100").split())
    assert "the nodes' power as described" in shown
    assert "in each edition" not in shown
    shown = " ".join(typed("hpl", "flow-type-ii", "--target", "1PF", "-v").split())
    assert "the nodes' power is not described" in shown
    assert "in each edition" in shown
    assert "1 from 1993-06 to 2007-11, 2 in 2008-06" in shown


def test_what_is_described_can_be_changed(site: str) -> None:
    plain = document("stream", site)["estimate"]["figure"]
    line = 'node.peaks."memory.bytes".value = 200e9'
    assert document("stream", site, "--with", line)["estimate"]["figure"] == pytest.approx(2 * plain)
    assert document("stream", site, "--scale", "memory.bandwidth=2")["estimate"]["figure"] == pytest.approx(2 * plain)
    assert document("stream", site, "--with", "nodes=1000", "--nodes", "1000")["nodes"] == 1000
    assert document("stream", "reedbush-h", "--with", "node.devices.0.memory=8e9", "--set", "on=devices")["low"] > 0


def test_numbers_that_contradict_each_other_are_named(site: str) -> None:
    lines = (
        'node.rates."flops.fp64" = 2e12',
        "node.memory.usable = 65_000_000_000",
        'node.peaks."memory.bytes".unit = "GB/s"',
        'network.rates."link.bytes" = 13e9',
        "network.bisection = 1.5",
    )
    words = [word for line in lines for word in ("--with", line)]
    _, *flags = document("stream", site, *words)["flags"]
    assert flags == [
        "paper thin: processors sustain 2 Tflop/s of flops.fp64, more than their peak of 1 Tflop/s",
        "paper thin: a peak of memory.bytes is given in GB/s, and taken to be in B/s",
        "paper thin: 60.5 GiB of memory are usable, but there are 59.6 GiB",
        "paper thin: the bisection passes 1.5 of what is sent, which is more than all",
        "paper thin: links sustain 13 GB/s, more than their 12.5 GB/s",
    ]
    assert "paper thin: links sustain 13 GB/s" in " ".join(typed("stream", site, *words).split())
    assert document("stream", "tsubame-tesla-node", "--set", "on=devices")["flags"] == []


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["stream", "oakleafx"], "Did you mean 'oakleaf-fx'"),
        (["stream", "flow"], "flow-type-i or flow-type-ii"),
        (["stream", "oakleaf-fx", "--nodes", "0"], "not a number of nodes"),
        (["stream", "oakleaf-fx", "--nodes", "1e99"], "not a number of nodes"),
        (["stream", "oakleaf-fx", "--nodes", "4801"], "has 4800 nodes"),
        (["stream", "oakleaf-fx", "--nodes", "fat=1"], "no partition 'fat'"),
        (["stream", "oakleaf-fx", "--set", "m=1"], "nothing is called 'm'"),
        (["stream", "oakleaf-fx", "--set", "n=nan"], "not finite"),
        (["stream", "oakleaf-fx", "--set", "n="], "Write NAME=VALUE"),
        (["stream", "oakleaf-fx", "--scale", "memory.bandwith=2"], "One of: flops, memory.bandwidth"),
        (["stream", "oakleaf-fx", "--scale", "memory=inf"], "is no factor"),
        (["stream", "oakleaf-fx", "--with", "network.links=0"], "network.links"),
        (["stream", "oakleaf-fx", "--with", "network.speed=1"], "network.speed"),
        (["stream", "oakleaf-fx", "--with", "["], "no line of a description"),
        (["stream", "reedbush-h", "--with", "node.devices.7.memory=1"], "numbered from 0"),
        (["stream", "flow-hot-storage"], "is storage"),
        (["stream", "oakleaf-fx", "--gpu-direct", "maybe"], "Write on or off"),
        (["stream", "oakleaf-fx", "--noise", "1ms"], "1ms/10s"),
        (["stream", "oakleaf-fx", "--noise", "0/1"], "not a length of time"),
        (["hpl", "oakleaf-fx", "--set", "n=10GB"], r"'10GB' is no number. n is 'order .*write n=35355"),
        (["hpl", "oakleaf-fx", "--set", "n=64k"], "write n=64000 or n=65536"),
        (["stream", "oakleaf-fx", "--noise", "1/10"], r"'1' has no unit.*each with a unit .*1ms/10s"),
        (["stream", "oakleaf-fx", "--noise", "1ms/10"], "'10' has no unit"),
        (["stream", "oakleaf-fx", "--noise", "1s/1ms"], "never end"),
        (["dgemm", "oakleaf-fx"], "dgemm is not predicted"),
        (["streem", "oakleaf-fx"], "Did you mean 'stream'"),
    ],
)
def test_bad_input_is_told(words: list[str], error: str) -> None:
    with pytest.raises(BanzukeError, match=error):
        typed(*words)


def test_the_help_lists_benchmarks_with_a_model_and_their_settings() -> None:
    assert "stream" in typed("--help")
    assert "elements of an array" in typed("stream", "--help")


def test_the_help_shows_what_can_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    help_text = " ".join(typed("--help").split())
    assert all(f"banzuke predict {words}" in help_text for words in EXAMPLES)
    monkeypatch.chdir(tmp_path)
    Store(Path("results")).create(machine(), None).append(stream(0, 4, 1.0).record)
    asked = [words for words in EXAMPLES if not words.startswith(("noise", "--"))]
    for words in asked:
        assert typed(*shlex.split(words.replace("BENCHMARK", "hpl").replace("MACHINE", "fugaku-top500"))), words


def test_an_energy_of_less_than_a_second_is_not_printed() -> None:
    words = ("fugaku-top500", "--nodes", "16")
    assert "energy" in typed("hpl", *words)
    assert "energy" not in typed("collectives", *words)
    assert document("collectives", *words)["joules"], "but the document has it"


def test_charts_are_drawn(site: str, tmp_path: Path) -> None:
    tornado, errors = tmp_path / "tornado.svg", tmp_path / "errors.pdf"
    typed("stream", site, "--chart", str(tornado))
    assert "share of the processors" in tornado.read_text()
    typed("--validate", "stream", "--chart", str(errors))
    assert errors.read_bytes().startswith(b"%PDF")
    with pytest.raises(BanzukeError, match="unknown kind of file"):
        typed("stream", site, "--chart", "tornado.txt")


def test_published_figures_beside_predictions() -> None:
    data = document("stream", "--validate")
    assert data["benchmarks"][0]["benchmark"] == "stream"
    figures = [figure for figure in data["figures"] if figure["machine"] == "oakleaf-fx"]
    assert figures[0]["published"] == 59987.3012e6
    assert figures[0]["error"] == pytest.approx(figures[0]["predicted"] / figures[0]["published"] - 1)
    text = typed("validate", "stream")
    places = [text.index(part) for part in ("Each published figure", "Left out", "How far predictions are off")]
    assert places == sorted(places), "the summary is last, in sight"
    assert " ".join(text.split()).endswith("do not show whether it is better than multiplying one node's figure.")
    assert "| benchmark" in typed("--validate", "--markdown", "stream")
    with pytest.raises(BanzukeError, match="no model of 'dgemm'"):
        typed("--validate", "dgemm")


def test_the_machine_of_a_run_as_often_as_wanted(tmp_path: Path) -> None:
    run = Store(tmp_path).create(machine(), None)
    run.append(stream(0, 4, 1.0).record)
    words = ("stream", "last", "--results", str(tmp_path))
    single = document(*words)
    assert single["nodes"] == 1
    assert single["low"] == single["high"], "what was measured has no range"
    many = document(*words, "--nodes", "1000", "--with", "network = { links = 2, bandwidth = 12.5e9 }")
    assert many["estimate"]["figure"] == pytest.approx(1000 * single["estimate"]["figure"])
    with pytest.raises(BanzukeError, match="no published machine, site file or run"):
        typed("stream", "previous", "--results", str(tmp_path))


def flat(*words: str) -> str:
    return " ".join(typed(*words).split())


def test_a_rate_that_caches_may_have_served_is_taken_with_a_caution(tmp_path: Path) -> None:
    run = Store(tmp_path).create(machine(), None)
    size = 5.0 * (last_level_cache(machine().allotment.caches) or 0)
    run.append(stream(0, 2, 1.0).record.having(conditions={"working_set": size}))
    (caution,) = (
        rate["caution"]
        for rate in document("hpl", run.name, "--results", str(tmp_path))["measured"]
        if rate["resource"] == "memory.bytes"
    )
    assert caution.startswith("These ceilings may be too high, because caches may have served a part of the data")


def test_rates_of_a_run_are_named_and_those_that_it_lacks(tmp_path: Path) -> None:
    store, unprobed = Store(tmp_path), machine().changed(partition={"software": Software()})
    with_both = store.create(unprobed, None)
    for record in (stream(0, 2, 1.0).record, dgemm(1, 8000, 2, 0.7).record):
        assert record.provenance
        with_both.append(record.having(provenance=record.provenance.having(run=with_both.name)))
    run = store.create(unprobed, None)
    busy = stream(0, 2, 1.0).record
    run.append(busy.having(conditions={"other_busy_fraction": 0.4}))
    data = document("hpl", run.name, "--results", str(tmp_path))
    assert data["run"] == run.name
    (rate,) = data["measured"]
    assert (rate["resource"], rate["run"], rate["stands_in"]) == ("memory.bytes", run.name, False)
    assert "other processes used 40" in rate["caution"]
    lacking = {"resource": "flops.fp64", "device": None, "benchmark": "dgemm", "assumed": 0.93}
    assert data["not_measured"] == [{**lacking, "measured_by_run": with_both.name}]
    said = flat("hpl", run.name, "--results", str(tmp_path))
    assert f"HPL on 1 node of koto, by run {run.name}" in said
    assert f"{run.name} has no DGEMM: 0.93 (0.85 to 0.98) is assumed as share of the processors' peak" in said
    assert f"Run `banzuke run dgemm`, or name a run that has it: {with_both.name}" in said
    assert "Caution: memory bandwidth: during 1 of 1 launch other processes used 40" in said
    assert "measured by stream" in flat("hpl", run.name, "--results", str(tmp_path), "-v")
    complete = document("hpl", with_both.name, "--results", str(tmp_path))
    assert complete["not_measured"] == []
    assert [rate["resource"] for rate in complete["measured"]] == ["flops.fp64", "memory.bytes"]
    assert "flop rate: " in flat("hpl", with_both.name, "--results", str(tmp_path))


def test_nodes_of_two_runs_together_have_their_measured_rates(tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = [store.create(machine(), None), store.create(machine(), None)]
    for run, rate in zip(runs, (0.9, 0.45), strict=True):
        run.append(stream(0, 2, 1.0).record, dgemm(1, 8000, 2, rate).record)
    fast, slow = (run.name for run in runs)
    words = (f"{fast}+{slow}", "--results", str(tmp_path), "--with", "network.bandwidth=12.5e9")
    data = document("hpl", *words, "--nodes", f"{fast}=10", "--nodes", f"{slow}=10")
    assert data["estimate"]["call"]["mpi_per_node"] == "2,1"
    assert [kind["name"] for kind in data["kinds"]] == [f"koto ({fast})", f"koto ({slow})"]
    assert data["kinds"][0]["alone"] == pytest.approx(2 * data["kinds"][1]["alone"], rel=0.1)


def test_what_the_probe_of_the_library_showed_is_not_taken_for_a_benchmark(tmp_path: Path) -> None:
    probed = machine().changed(
        partition={"software": Software(blas=[Blas(name="OpenBLAS", path="libopenblas.so", flop_rate=1e11)])}
    )
    Store(tmp_path).create(probed, None).append(stream(0, 2, 1.0).record)
    data = document("hpl", "last", "--results", str(tmp_path))
    assert [(rate["stands_in"], rate["value"]) for rate in data["measured"]][:1] == [(True, 1e11)]
    assert [(rate["benchmark"], rate["assumed"]) for rate in data["not_measured"]] == [("dgemm", None)]
    said = flat("hpl", "last", "--results", str(tmp_path))
    assert "has no DGEMM: the short probe above stands in. Run `banzuke run dgemm`" in said


def test_a_rate_that_the_user_gives_is_not_the_run_s(tmp_path: Path) -> None:
    Store(tmp_path).create(machine(), None).append(stream(0, 2, 1.0).record, dgemm(1, 8000, 2, 0.7).record)
    options = ("--with", 'node.rates."flops.fp64" = 5e10')
    data = document("hpl", "last", "--results", str(tmp_path), *options)
    assert [rate["resource"] for rate in data["measured"]] == ["memory.bytes"]
    assert data["not_measured"] == []


def test_a_rate_that_is_neither_measured_nor_described_can_be_measured(tmp_path: Path) -> None:
    Store(tmp_path).create(machine(), None).append(dgemm(0, 8000, 2, 0.7).record)
    with pytest.raises(BanzukeError, match="or measure it: `banzuke run stream`"):
        typed("stream", "last", "--results", str(tmp_path))


def test_times_are_written_alike() -> None:
    text = typed("hpl", "oakleaf-fx")
    (whole,) = (line.split(maxsplit=1)[1].strip() for line in text.splitlines() if line.startswith("time "))
    (part,) = (line for line in text.splitlines() if line.startswith("flop rate  "))
    assert " h " in whole
    assert " h " in part
