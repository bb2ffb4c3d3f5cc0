"""Tests of energy with the installed command: the real probe and a benchmark, with a made counter of RAPL."""

import json
from pathlib import Path

import pytest

from tests.conftest import WATT, Banzuke, Wrapped

SECONDS = ("--threads", "1", "--set", "n=10000000", "--set", "rounds=100")


def test_a_run_says_what_it_took(banzuke: Banzuke, wrapped: Wrapped, package: Path) -> None:
    sensed = wrapped(
        f'case "$1" in power) exec "$real" "$@" --root {package};; *) exec "$real" "$@";; esac', "banzuke-probe"
    )
    done = banzuke("run", "stream", *SECONDS, "--json", **sensed)
    assert done.returncode == 0, done.stderr
    assert "measuring the idle power" in done.stderr
    document = json.loads(done.stdout)
    ((record,), (case,)) = document["records"], document["cases"]
    energy = record["energy"]
    assert energy["unmeasured"] is None, energy
    assert energy["joule"] / energy["seconds"] == pytest.approx(WATT, rel=0.2)
    assert energy["seconds"] == pytest.approx(sum(end - begin for begin, end in record["conditions"]["timed_parts"]))
    ((sensor,),) = (energy["sensors"],)
    assert (sensor["id"], sensor["covers"], sensor["counted"]) == ("powercap/intel-rapl:0", "package", True)
    triad = case["metrics"]["triad_bandwidth"]
    assert triad["per_watt"]["unit"] == "B/J"
    assert triad["per_watt"]["value"] == pytest.approx(triad["value"] * energy["seconds"] / energy["joule"])


def test_without_a_sensor_it_says_so(banzuke: Banzuke, wrapped: Wrapped, tmp_path: Path) -> None:
    bare = wrapped(
        f'case "$1" in power) exec "$real" "$@" --root {tmp_path};; *) exec "$real" "$@";; esac', "banzuke-probe"
    )
    done = banzuke("run", "stream", "--threads", "1", "--set", "n=100000", "--set", "rounds=3", "--json", **bare)
    assert done.returncode == 0, done.stderr
    assert "idle power" not in done.stderr
    (record,) = json.loads(done.stdout)["records"]
    assert (record["energy"]["joule"], record["energy"]["unmeasured"]) == (None, "no-sensor")
