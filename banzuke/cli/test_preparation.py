"""What is said before anything runs."""

from pathlib import Path

import pytest

from banzuke import evaluation
from banzuke.cli.preparation import prepare
from banzuke.record.store import Store
from banzuke.testing import machine


@pytest.mark.parametrize(
    ("hosts", "warning"),
    [
        ([], ""),
        (["here", "n1"], ""),
        ([f"n{i}" for i in range(9)], "not one of the hosts to run on (n0, n1,"),
    ],
)
def test_a_machine_that_is_none_of_the_hosts_is_said(
    hosts: list[str], warning: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "here.example.org")
    described = machine().changed(allotment={"hosts": hosts})
    monkeypatch.setattr(evaluation, "measure_machine", lambda *_, **__: described)
    prepare(Store(tmp_path), described, {}, written=())
    said = capsys.readouterr().err
    assert warning in said
    assert ("warning" in said) == bool(warning)
    assert "n4" not in said
