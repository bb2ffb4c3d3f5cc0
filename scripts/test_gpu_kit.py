"""Tests of the kit, with stand-ins for the programs for devices."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from banzuke.results import imports
from scripts import devices, gpu_kit
from scripts.packages import ROOT

GOLDEN = (ROOT / "schema/golden/verified.json").read_text(encoding="utf-8").strip()


def program(at: Path, text: str) -> Path:
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_text("#!/bin/sh\n" + text)
    at.chmod(0o755)
    return at


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    built = tmp_path / "built"
    program(built / "banzuke-stream-cuda", f'echo "called with $*" >&2\ncat <<"E"\n{GOLDEN}\nE\n')
    program(built / "test-stream-cuda", 'echo "3 tests passed"\n')
    program(built / "banzuke-stream-omp", "exit 9\n")
    program(built / "banzuke-probe", 'echo "{\\"told\\": \\"$1\\"}"\n')
    gpu_kit.pack(built, tmp_path / "a kit")
    return tmp_path / "a kit"


def start(kit: Path, *parts: str, device: bool = True, limit: str = ":", **variables: str) -> tuple[int, str, Path]:
    tools = kit.parent / "tools"
    program(tools / "nvidia-smi", "echo GPU 0: H100\n" if device else "echo failed >&2; exit 9\n")
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    out = kit.parent / "out"
    environment = {**os.environ, "PATH": path, **variables}
    words = ["sh", "-c", f'{limit}; exec sh "$0" "$@"', str(kit / "run.sh"), str(out), *parts]
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr, out


def test_it_has_the_programs_and_tests_of_devices_alone(kit: Path) -> None:
    assert {file.name for file in (kit / "bin").iterdir()} == {
        "banzuke-probe",
        "banzuke-stream-cuda",
        "test-stream-cuda",
    }


def test_programs_by_directives_have_their_runtime_beside_them(tmp_path: Path) -> None:
    built, plugin = tmp_path / "built", program(tmp_path / "libgomp-plugin-nvptx.so.1", "")
    program(built / "banzuke-stream-cuda", "")
    gpu_kit.pack(built, tmp_path / "kit", [plugin])
    assert not (tmp_path / "kit/lib").exists()
    for name in ("banzuke-stream-omptarget", "banzuke-stream-omptarget-emulated", "test-stream-omptarget"):
        program(built / name, "")
    gpu_kit.pack(built, tmp_path / "kit", [plugin])
    assert (tmp_path / "kit/lib" / plugin.name).is_file()
    assert len(list((tmp_path / "kit/bin").iterdir())) == 3
    called = (tmp_path / "kit/calls.txt").read_text(encoding="utf-8").splitlines()
    assert f"banzuke-stream-omptarget {gpu_kit.CALLS['stream'][0]}" in called


def test_it_tests_measures_shows_and_keeps_the_records(kit: Path) -> None:
    status, output, out = start(kit)
    assert status == 0, output
    assert "3 tests passed" in output
    records = [json.loads(line) for line in (out / "records.jsonl").read_text(encoding="utf-8").splitlines()]
    assert records == [json.loads(GOLDEN)] * len(gpu_kit.CALLS["stream"])
    assert f"called with {gpu_kit.CALLS['stream'][0]}" in (out / "log.txt").read_text(encoding="utf-8")
    for metric in json.loads(GOLDEN)["metrics"]:
        assert metric in output
    assert json.loads((out / "devices.json").read_text(encoding="utf-8")) == {"told": "devices"}


@pytest.mark.parametrize("broken", ["test-stream-cuda", "banzuke-stream-cuda"])
def test_a_failure_is_told_and_the_rest_goes_on(kit: Path, broken: str) -> None:
    program(kit / "bin" / broken, f'echo "wrong" >&2\ncat <<"E"\n{GOLDEN}\nE\nexit 1\n')
    status, output, out = start(kit)
    assert status == 1
    assert "FAILED" in output
    assert (out / "records.jsonl").read_text(encoding="utf-8").count("\n") == len(gpu_kit.CALLS["stream"])


def test_a_line_that_was_cut_off_is_logged_and_harms_no_other(kit: Path) -> None:
    (kit / "calls.txt").write_text("banzuke-cut-cuda\nbanzuke-stream-cuda\n")
    program(kit / "bin/banzuke-cut-cuda", 'printf \'{"benchmark": "tr\'; exit 1\n')
    status, output, out = start(kit, "figures")
    assert status == 1
    assert "FAILED" in output
    assert (out / "records.jsonl").read_text(encoding="utf-8").splitlines() == [GOLDEN]
    assert '{"benchmark": "tr\n' in (out / "log.txt").read_text(encoding="utf-8")


def test_what_was_measured_before_it_was_killed_is_imported(kit: Path) -> None:
    (kit / "calls.txt").write_text("banzuke-stream-cuda\nbanzuke-cut-cuda\n")
    program(kit / "bin/banzuke-cut-cuda", 'printf \'{"benchmark": "tr\'; kill -9 $(ps -o ppid= $PPID)\n')
    status, _, out = start(kit, "figures")
    assert status == -9
    assert len(imports.read(out / "records.jsonl").records) == 1


def test_a_folder_that_cannot_take_the_figures_is_told(kit: Path) -> None:
    (kit.parent / "out/records.jsonl").mkdir(parents=True)
    status, output, _ = start(kit)
    assert status == 1
    assert "records.jsonl cannot be written" in output


def test_figures_for_which_there_is_no_room_fail(kit: Path) -> None:
    (kit / "calls.txt").write_text("banzuke-stream-cuda\n" * 8)
    program(kit / "bin/banzuke-stream-cuda", f"echo '{{{'x' * 200}}}'\n")
    status, output, _ = start(kit, limit="ulimit -f 2")  # blocks of 512 bytes, in any file
    assert status == 1
    assert "records.jsonl is not whole" in output


def test_another_program_that_fails_is_told(kit: Path) -> None:
    status, output, _ = start(kit, BANZUKE_NVBANDWIDTH="/nowhere/nvbandwidth")
    assert status == 1
    assert "FAILED" in output
    assert "our program" in output or "banzuke-transfer-cuda" in output
    record = {"status": "ok", "metrics": {"bandwidth": {"samples": [1.0]}}}
    program(kit / "bin/banzuke-transfer-cuda", f"echo '{json.dumps(record)}'\n")
    assert "/nowhere/nvbandwidth" in start(kit, BANZUKE_NVBANDWIDTH="/nowhere/nvbandwidth")[1]


def test_comparisons_are_kept_and_held_against_the_goals(kit: Path) -> None:
    line = {"goal": "dgemm", "subject": "dgemm, order 64", "beside": "cuBLAS", "ratios": [0.99, 1.0, 1.01]}
    program(kit / "bin/bench-dgemm-cuda", f"echo '{json.dumps(line)}'\n")
    status, output, out = start(kit)
    assert status == 0
    assert json.loads((out / "comparisons.jsonl").read_text(encoding="utf-8")) == line
    (goal,) = (text for text in output.splitlines() if text.startswith("DGEMM"))
    assert goal.split()[-1] == "met"
    program(kit / "bin/bench-dgemm-cuda", "exit 1\n")
    status, output, _ = start(kit)
    assert status == 1
    assert "FAILED" in output


def test_parts_are_run_alone(kit: Path) -> None:
    line = {"goal": "dgemm", "subject": "dgemm, order 64", "beside": "cuBLAS", "ratios": [1.0]}
    program(kit / "bin/bench-dgemm-cuda", f"echo '{json.dumps(line)}'\n")
    has = {"tests": "3 tests passed", "figures": "triad_bandwidth", "comparisons": "cuBLAS"}
    for part in has:
        status, output, _ = start(kit, part)
        assert status == 0
        assert {shown for shown, text in has.items() if text in output} == {part}
    output = start(kit, "tests", "figures")[1]
    assert {shown for shown, text in has.items() if text in output} == {"tests", "figures"}


def test_what_was_measured_is_kept_and_shown_when_it_is_stopped(kit: Path) -> None:
    line = {"goal": "dgemm", "subject": "dgemm, order 64", "beside": "cuBLAS", "ratios": [1.0]}
    killing = "kill $(ps -o ppid= $PPID) $PPID; sleep 60\n"  # the script first: `timeout` hands its signal on to us
    program(kit / "bin/bench-dgemm-cuda", f"echo '{json.dumps(line)}'\n{killing}")
    begun = time.monotonic()
    status, output, out = start(kit)
    assert status == 1
    assert time.monotonic() - begun < 30
    assert "it was stopped" in output
    assert json.loads((out / "comparisons.jsonl").read_text(encoding="utf-8")) == line
    assert "triad_bandwidth" in output
    assert "cuBLAS" in output
    assert not (out / "output").exists()


def test_a_part_that_there_is_not_is_refused_before_anything_is_overwritten(kit: Path) -> None:
    start(kit, "figures")
    status, output, out = start(kit, "figures", "goals")
    assert status == 1
    assert "there is no part goals" in output
    assert (out / "records.jsonl").read_text(encoding="utf-8")


STATE = {"clock": 1980e6, "memory_clock": 2619e6, "power": 690.4, "slowing": []}
READINGS = (
    {"host": "node", "devices": []},
    {"device": "GPU-1", "time": 1.0, "state": STATE},
    {"device": "GPU-1", "time": 1.5, "state": {**STATE, "clock": 1755e6, "slowing": ["power_cap"]}},
    {"device": "GPU-2", "time": 1.0, "lost": "it does not answer"},
)


def test_devices_are_watched_until_the_end(kit: Path) -> None:
    text = "\n".join(json.dumps(reading) for reading in READINGS)
    watch = f"cat <<'E'\n{text}\nE\nprintf '{{\"device\": \"GP'\ncat >/dev/null\necho ended >{kit.parent}/ended\n"
    program(kit / "bin/banzuke-probe", f"[ $1 = watch ] || exit 0\n{watch}")
    watched = f"while [ ! -s {kit.parent}/out/readings.jsonl ]; do sleep 0.1; done; [ ! -e {kit.parent}/ended ]\n"
    program(kit / "bin/test-stream-cuda", watched)
    status, output, out = start(kit)
    assert status == 0, output
    (line,) = (line for line in output.splitlines() if line.startswith("GPU-1"))
    assert line == (
        "GPU-1: 2 readings, clock 1755 to 1980 MHz, memory 2619 to 2619 MHz, at most 690 W, "
        "held down by power_cap in 1 of them"
    )
    assert not (out / "listening").exists()
    ended = kit.parent / "ended"
    for _ in range(600):
        if ended.exists():
            break
        time.sleep(0.1)
    assert ended.exists()


def test_clocks_that_were_not_read_are_told(kit: Path) -> None:
    (kit / "bin/banzuke-probe").unlink()
    status, output, _ = start(kit)
    assert status == 0
    assert "clocks were not read" in output


def test_libraries_are_looked_for_where_a_toolkit_has_them(kit: Path) -> None:
    program(kit / "bin/test-stream-cuda", "echo looked in $LD_LIBRARY_PATH\n")
    _, output, _ = start(kit, LD_LIBRARY_PATH="/own", CUDA_HOME="/toolkit")
    assert "looked in /own:/toolkit/lib64" in output


def test_what_this_machine_cannot_do_is_left_out(kit: Path) -> None:
    skipped = json.loads(GOLDEN) | {"status": "skipped", "reason": "there is no second device", "metrics": {}}
    line = json.dumps(skipped, separators=(",", ":"))
    program(kit / "bin/banzuke-stream-cuda", f"cat <<'E'\n{line}\nE\nexit 1\n")
    status, output, _ = start(kit)
    assert status == 0
    assert "skipped, there is no second device" in output


def test_curves_and_pairs_are_shown(tmp_path: Path) -> None:
    names = ("curve", "devices")
    golden = [(ROOT / f"schema/golden/{name}.json").read_text(encoding="utf-8").strip() for name in names]
    (tmp_path / "records").write_text("\n".join(golden), encoding="utf-8")
    show = [sys.executable, str(ROOT / "scripts/kit/show.py"), str(tmp_path / "records")]
    output = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    curve, pairs = (json.loads(line) for line in golden)
    (name,) = curve["curves"]
    assert f"by {name}, " in output
    for matrix in pairs["pairs"].values():
        values = [float(line.split(": ")[1].split()[0]) for line in output.splitlines() if " -> " in line]
        assert [value for value in matrix["values"] if value not in values] == []


def test_without_a_device_it_says_so(kit: Path) -> None:
    status, output, _ = start(kit, device=False)
    assert status == 2
    assert "no NVIDIA device" in output


def test_without_a_device_make_test_gpu_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(devices, "nvidia_driver", lambda: ())
    monkeypatch.setattr(sys, "argv", ["gpu_kit"])
    assert gpu_kit.main() == 2
    assert "make gpu-kit" in capsys.readouterr().err


def test_what_does_not_begin_in_time_is_left_out_and_told(kit: Path) -> None:
    status, output, out = start(kit, BANZUKE_KIT_SECONDS="0")
    assert status == 1
    assert "3 programs were left out" in output
    assert not (out / "records.jsonl").read_text(encoding="utf-8")


def test_a_call_of_each_program_comes_before_further_ones() -> None:
    lines = gpu_kit.calls(["banzuke-new-cuda", "banzuke-stream-cuda", "banzuke-dgemm-cuda"])
    firsts = ["banzuke-dgemm-cuda", "banzuke-stream-cuda", "banzuke-new-cuda"]
    assert [line.split()[0] for line in lines[:3]] == firsts
    assert "banzuke-new-cuda" not in lines[3:]
    assert len(lines) == 1 + len(gpu_kit.CALLS["stream"]) + len(gpu_kit.CALLS["dgemm"])


def test_a_benchmark_without_an_entry_is_called_once_with_its_own_sizes() -> None:
    assert gpu_kit.calls(["banzuke-new-cuda"]) == ["banzuke-new-cuda"]
