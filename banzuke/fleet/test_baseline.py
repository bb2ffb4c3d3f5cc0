"""Baselines are stored completely, and refused for another kind of measurement."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from banzuke import __version__
from banzuke.errors import BanzukeError
from banzuke.fleet.baseline import learn, read, write
from scripts.simulate_screens import HEALTHY, fleet


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    learnt = learn(fleet(HEALTHY["two bins"](np.random.default_rng(1), 1000)))["k"]
    assert learnt.figures["f0"].slow_bin is not None
    assert read(tmp_path, "k") is None
    write(tmp_path, learnt)
    assert read(tmp_path, "k") == learnt


def test_slow_nodes_are_left_out() -> None:
    slowness = HEALTHY["normal"](np.random.default_rng(1), 200)
    clean = learn(fleet(slowness))["k"].figures["f0"]
    slowness[:5, 0] += 0.5
    learnt = learn(fleet(slowness))["k"].figures["f0"]
    assert learnt.n == 195
    assert learnt.scale == pytest.approx(clean.scale, rel=0.1)
    assert learnt.centre == pytest.approx(clean.centre, abs=0.002)


def test_several_screens_of_few_nodes_are_learnt_from_together() -> None:
    screens = [fleet(HEALTHY["normal"](np.random.default_rng(seed), 4)) for seed in range(5)]
    assert learn(*screens)["k"].figures["f0"].n == 20
    assert learn(fleet(np.zeros((2, 1)))) == {}


def test_a_kind_that_is_no_name_of_a_file_has_none(tmp_path: Path) -> None:
    healthy = fleet(np.zeros((3, 1)))
    nodes = {host: replace(node, kind="../k") for host, node in healthy.nodes.items()}
    assert learn(replace(healthy, nodes=nodes)) == {}
    (tmp_path / "k.json").touch()
    assert read(tmp_path / "in", "../k") is None


def test_a_damaged_baseline_is_refused(tmp_path: Path) -> None:
    (tmp_path / "k.json").write_text('{"kind": "k", "version": "1", "figures": {"f0": {"scale": 0}}}')
    with pytest.raises(BanzukeError, match="no baseline"):
        read(tmp_path, "k")


def test_one_of_another_installation_of_this_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt = learn(fleet(HEALTHY["normal"](np.random.default_rng(1), 100)))["k"]
    learnt.refuse_others([])
    monkeypatch.setattr("banzuke.fleet.baseline.installation", lambda: f"{__version__}+12345678.12345678")
    with pytest.raises(BanzukeError, match=rf"with version {re.escape(learnt.version)} of Banzuke.*12345678\.12345678"):
        learnt.refuse_others([])
