"""Tests of the goals that a kit's comparisons meet, and of programs of others beside ours; both are shell scripts."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from scripts.gpu_kit import CALLS
from scripts.kit import goals, peers
from scripts.test_gpu_kit import program

PATIENCE = 600
"""Tenths of a second to wait for."""
TRIAD = """BabelStream
Version: 5.0
Function    MBytes/sec  Min (sec)   Max         Average
Copy        2990000.1   0.00143     0.00145     0.00144
Triad       3000000.5   0.00214     0.00219     0.00216
Dot         3100000.0   0.00138     0.00140     0.00139
"""


def line(goal: str, ratios: list[float], **more: Any) -> dict[str, Any]:
    return {"goal": goal, "subject": f"ours, {goal}", "beside": "theirs", "ratios": ratios, **more}


def row(lines: list[dict[str, Any]], title: str) -> str:
    return next(text for text in goals.goals(lines) if text.startswith(title))


@pytest.mark.parametrize(
    ("ratios", "ends"),
    [
        ([0.96, 0.97, 0.98], "0.970  0.965 to 0.975  met"),
        ([0.90, 0.97, 0.98], "0.970  0.935 to 0.975  met, within the spread"),
        ([0.90, 0.91, 0.92], "0.910  0.905 to 0.915  NOT MET"),
        ([0.90, 0.94, 0.99], "0.940  0.920 to 0.965  NOT MET, within the spread"),
    ],
)
def test_a_goal_is_met_by_the_median_of_the_turns(ratios: list[float], ends: str) -> None:
    assert row([line("dgemm", ratios)], "DGEMM").endswith(ends)


def test_what_was_not_measured_is_not_met_and_says_what_to_do() -> None:
    for goal in goals.GOALS:
        assert row([], goal.title).endswith(f"not measured: {goal.otherwise}")


def record(benchmark: str, metric: str, samples: list[float], **more: Any) -> dict[str, Any]:
    parameters = more.pop("parameters", {})
    kept = {"benchmark": benchmark, "backend": "cuda", "status": "ok", "parameters": parameters, **more}
    return {**kept, "metrics": {metric: {"unit": "flop/s", "samples": samples}}}


ORDER_8192 = {"m": 8192, "n": 8192, "k": 8192}


def test_goals_of_hpl_and_hpcg_are_between_figures_of_the_same_device() -> None:
    records = [
        record("dgemm", "flop_rate", [50e12], parameters={"m": 16384, "n": 16384, "k": 128}),
        record("hpl", "flop_rate", [40e12]),
        record("hpl", "flop_rate", [45e12]),
        record("hpcg", "flop_rate", [700e9]),
        record("stream", "triad_bandwidth", [3e12, 3.1e12, 3e12]),
        record("stream", "triad_bandwidth", [9e12], backend="omptarget"),
    ]
    (hpcg,) = goals.of_records(records)
    assert (hpcg["goal"], hpcg["ratios"]) == ("hpcg", [pytest.approx(700e9 / (0.223 * 3e12))])
    failed = record("dgemm", "flop_rate", [90e12], parameters=ORDER_8192, status="failed")
    hpl, _ = goals.of_records([*records, record("dgemm", "flop_rate", [60e12], parameters=ORDER_8192), failed])
    assert (hpl["goal"], hpl["ratios"]) == ("hpl", [pytest.approx(0.75)])
    assert row([hpl], "HPL").endswith("met")


def test_hpl_in_host_memory_is_held_against_the_same_in_device_memory() -> None:
    order = {"n": goals.STREAMED}
    records = [
        record("hpl", "flop_rate", [40e12], parameters=order),
        record("hpl", "flop_rate", [32e12], parameters=order | {"held": goals.HELD}),
        record("hpl", "flop_rate", [31e12], parameters=order | {"held": 24576}),
        record("hpl", "flop_rate", [45e12], parameters={"n": 92160}),
    ]
    (streamed,) = goals.of_records(records)
    assert (streamed["goal"], streamed["ratios"]) == ("hpl streamed", [pytest.approx(0.8)])
    assert f"--n {goals.STREAMED} --nb 1024 --inner 128 --held {goals.HELD}" in CALLS["hpl"]


def test_records_that_were_cut_off_are_passed_over(tmp_path: Path) -> None:
    records = [record("dgemm", "flop_rate", [60e12], parameters=ORDER_8192), record("hpl", "flop_rate", [40e12])]
    (tmp_path / "records").write_text("\n".join([*map(json.dumps, records), '{"benchmark": "hp']), encoding="utf-8")
    (tmp_path / "comparisons").write_text("", encoding="utf-8")
    shown = [sys.executable, goals.__file__, str(tmp_path / "comparisons"), str(tmp_path / "records")]
    text = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    assert next(line for line in text.splitlines() if line.startswith("HPL")).endswith("NOT MET")


def test_every_order_has_a_row_of_its_own() -> None:
    rows = list(goals.goals([line("dgemm", [1.0]), line("dgemm", [0.5])]))
    assert [text.split("  ")[-1] for text in rows if text.startswith("DGEMM")] == ["met", "NOT MET"]


def test_lines_of_kernels_alone_are_no_comparisons(tmp_path: Path) -> None:
    lines = (line("dgemm", [1.0]), {"kernel": "product", "seconds": 1e-3, "bytes": 4e9})
    (tmp_path / "lines").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    shown = [sys.executable, goals.__file__, str(tmp_path / "lines")]
    assert "1.000" in subprocess.run(shown, capture_output=True, text=True, check=True).stdout


def test_matrices_that_lose_are_seen() -> None:
    comparisons = [
        line("of a matrix", ratios, family=family, asked=asked, chosen=chosen)
        for family, asked, chosen, ratios in (
            ("road", 1000, "csr, 8 threads", [0.7, 0.8, 0.9]),
            ("road", 3162, "sell 32-1", [1.2]),
            ("rmat", 3162, "csr, 8 threads", [1.05]),
        )
    ]
    rows = list(goals.matrices(comparisons))
    assert rows[1].split() == ["1000", "3162"]
    assert rows[2].split() == ["road", "0.80c", "1.20s"]
    assert rows[3].split() == ["rmat", "-", "1.05c"]


@pytest.mark.parametrize(
    ("unit", "factor"), [("MBytes/sec", 1e6), ("MB/s      ", 1e6), ("GB/s      ", 1e9), ("MiB/s     ", None)]
)
def test_units_of_both_of_babelstreams_formats_are_known(unit: str, factor: float | None) -> None:
    text = TRIAD.replace("MBytes/sec", unit)
    if factor is None:
        with pytest.raises(peers.PeerError, match="no line of Triad"):
            peers.babelstreams_triad(text)
    else:
        assert peers.babelstreams_triad(text) == pytest.approx(3000000.5 * factor)


def test_babelstream_is_started_in_turn_with_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"status": "ok", "metrics": {"triad_bandwidth": {"samples": [2.0e12, 3.3e12, 3.1e12]}}}
    program(tmp_path / "bin/banzuke-stream-cuda", f"echo \"ours $*\" >>{tmp_path}/order\necho '{json.dumps(record)}'\n")
    peer = program(tmp_path / "babel", f"echo \"theirs $*\" >>{tmp_path}/order\ncat <<'E'\n{TRIAD}E\n")
    monkeypatch.setenv(peers.BABELSTREAM, str(peer))
    assert peers.main(tmp_path / "bin") == 0
    comparison = json.loads(capsys.readouterr().out)
    assert comparison["goal"] in {goal.name for goal in goals.GOALS}
    assert comparison["ratios"] == pytest.approx([3.3e12 / 3000000.5e6] * peers.TURNS)
    order = (tmp_path / "order").read_text().splitlines()
    assert [text.split()[0] for text in order[:4]] == ["ours", "theirs", "theirs", "ours"]
    assert {text.split("--")[1] for text in order} == {f"n {peers.ELEMENTS} ", f"arraysize {peers.ELEMENTS} "}


MATRIX = """nvbandwidth Version: v0.8
Running {case}.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     55.50     12.00

SUM {case} 67.50
"""


def test_nvbandwidth_is_started_in_turn_with_ours_for_each_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"status": "ok", "metrics": {"bandwidth": {"samples": [1e9, 55.5e9, 60e9]}}}
    program(
        tmp_path / "bin/banzuke-transfer-cuda", f"echo \"ours $*\" >>{tmp_path}/order\necho '{json.dumps(record)}'\n"
    )
    shown = MATRIX.format(case="$2")
    peer = program(tmp_path / "nvb", f'echo "theirs $*" >>{tmp_path}/order\ncat <<E\n{shown}E\n')
    monkeypatch.setenv(peers.NVBANDWIDTH, str(peer))
    assert peers.main(tmp_path / "bin") == 0
    comparisons = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert [comparison["beside"].split()[-1] for comparison in comparisons] == list(peers.COPIES)
    for comparison in comparisons:
        assert comparison["goal"] in {goal.name for goal in goals.GOALS}
        assert comparison["ratios"] == pytest.approx([1.0] * peers.TURNS)
    order = (tmp_path / "order").read_text().splitlines()
    assert len(order) == 2 * peers.TURNS * len(peers.COPIES)
    assert order[0].split()[:5] == ["ours", "--path", "pinned", "--direction", "to-device"]
    assert order[1] == "theirs -t host_to_device_memcpy_ce"


def test_a_failed_record_of_ours_is_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"status": "failed", "benchmark": "transfer", "reason": "a byte is wrong", "metrics": {}}
    program(tmp_path / "bin/banzuke-transfer-cuda", f"echo '{json.dumps(record)}'\n")
    monkeypatch.setenv(peers.NVBANDWIDTH, str(program(tmp_path / "nvb", "true\n")))
    assert peers.main(tmp_path / "bin") == 1
    output = capsys.readouterr()
    assert (output.out, output.err) == ("", "transfer: a byte is wrong\n")


def test_a_peer_that_hangs_is_ended_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path / "bin/banzuke-stream-cuda", 'echo \'{"status": "ok", "metrics": {}}\'\n')
    peer = program(tmp_path / "nvb", f"sleep 600 & echo $! >{tmp_path}/child\nwait\n")
    monkeypatch.setattr(peers, "our_samples", lambda *_: [1.0])
    program(tmp_path / "bin/banzuke-transfer-cuda", "true\n")
    monkeypatch.setenv(peers.NVBANDWIDTH, str(peer))
    for limit in (0.5, 5.0, 50.0):  # on a busy machine it may start late
        monkeypatch.setattr(peers, "LIMIT", limit)
        assert peers.main(tmp_path / "bin") == 1
        assert "did not end in" in capsys.readouterr().err
        if (tmp_path / "child").exists():
            break
    child = Path("/proc", (tmp_path / "child").read_text().strip(), "cmdline")
    for _ in range(PATIENCE):  # a signal takes a moment
        if not child.exists() or not child.read_bytes():
            break
        time.sleep(0.1)
    assert not child.exists() or not child.read_bytes(), "what it started has ended, if nobody has waited for it"


@pytest.mark.parametrize("printed", ["{broken", '{"status": "ok", "metrics": {}}'])
def test_a_broken_record_of_ours_is_told(
    printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path / "bin/banzuke-transfer-cuda", f"echo '{printed}'\n")
    monkeypatch.setenv(peers.NVBANDWIDTH, str(program(tmp_path / "nvb", "true\n")))
    assert peers.main(tmp_path / "bin") == 1
    assert "no whole record" in capsys.readouterr().err


def test_a_rate_of_nothing_is_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"status": "ok", "metrics": {"bandwidth": {"samples": [1e9]}}}
    program(tmp_path / "bin/banzuke-transfer-cuda", f"echo '{json.dumps(record)}'\n")
    shown = MATRIX.format(case="x").replace("55.50", "0.00")
    monkeypatch.setenv(peers.NVBANDWIDTH, str(program(tmp_path / "nvb", f"printf '\\377'\ncat <<E\n{shown}E\n")))
    assert peers.main(tmp_path / "bin") == 1
    assert "a rate is 0" in capsys.readouterr().err


@pytest.mark.parametrize("said", ["", "Triad 12\n", "exit 3"])
def test_a_peer_that_says_nothing_is_told(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(
        tmp_path / "bin/banzuke-stream-cuda",
        'echo \'{"status": "ok", "metrics": {"triad_bandwidth": {"samples": [1]}}}\'\n',
    )
    peer = program(tmp_path / "babel", said if said.startswith("exit") else f"echo '{said}'\n")
    monkeypatch.setenv(peers.BABELSTREAM, str(peer))
    assert peers.main(tmp_path / "bin") == 1
    output = capsys.readouterr()
    assert not output.out
    assert "BABELSTREAM" in output.err or "status 3" in output.err


def test_without_a_peer_nothing_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in peers.PEERS:
        monkeypatch.delenv(variable, raising=False)
    program(tmp_path / "bin/banzuke-stream-cuda", "exit 9\n")
    assert peers.main(tmp_path / "bin") == 0
