"""Tests of the isolation of a whole machine: everything that it moves and restores, in our own guest."""

import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import guest

pytestmark = [pytest.mark.alone, pytest.mark.guest]
"""Two guests with four processors each are enough load."""
SCRIPT = Path(__file__).with_name("isolation_in_guest.py")
PROCESSORS = ("--cpus", "0,1,2,3", "--root", "--control-groups")
VERSIONS = ("1", "2")
SCENARIOS = 9


@pytest.fixture(scope="module")
def ended() -> dict[str, guest.Result]:
    """Return the results by version of control groups, run at once. CI fails if this skips: all is installable."""
    if shutil.which("qemu-system-" + os.uname().machine) is None:
        pytest.skip("QEMU is not installed")
    try:
        kernel = guest.kernel()
    except guest.CannotError as error:
        pytest.skip(str(error))
    variables = {"PYTHONPATH": str(SCRIPT.parents[1])}

    def run(version: str) -> guest.Result:
        return guest.run(kernel, sys.executable, SCRIPT, version, options=(*PROCESSORS, version), variables=variables)

    with ThreadPoolExecutor() as pool:
        return dict(zip(VERSIONS, pool.map(run, VERSIONS), strict=True))


@pytest.mark.parametrize("version", VERSIONS)
def test_everything_is_moved_and_comes_back_exactly(ended: dict[str, guest.Result], version: str) -> None:
    """The script reports each scenario's errors."""
    done = ended[version]
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert len(results) == SCENARIOS
    assert {result["scenario"]: result["wrong"] for result in results if result["wrong"]} == {}, done.stderr
