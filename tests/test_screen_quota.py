"""Tests of a screen whose figures are measured, on a real Slurm's nodes with quotas of processor time."""

import contextlib
import json
from functools import partial
from pathlib import Path

import pytest

from tests.clusters import NODES, Slurm
from tests.control_groups import ControlGroup, control_group
from tests.screening import Screened
from tests.test_screen import Jobs, verdicts

pytestmark = [pytest.mark.alone, pytest.mark.thorough]
"""Four nodes share two processors for a minute; test_screen.py has what a slow node's figures lead to."""


def test_a_node_with_a_smaller_quota_of_processor_time_is_named(slurm: Slurm, programs: Path, tmp_path: Path) -> None:
    """The figures are measured; the others have a quota, too, because four nodes share two processors.

    A product takes several periods of the quota, because one that fits into a period would sometimes wait for the next.
    """
    jobs = Jobs(slurm, Screened(tmp_path, programs, sizes={"dgemm-blas": 1500}, measured=True))
    with contextlib.ExitStack() as stack:
        for node in NODES:
            quota = 0.1 if node == "n2" else 0.3
            group = stack.enter_context(control_group(("cpu",), partial(ControlGroup.limit_time, processors=quota)))
            slurm.daemons.kill(node)
            # It joins before it starts anything, because moving it later could miss a child.
            slurm.daemons.start(node, "slurmd -D", first=f"set -e\n{group.join()}")
        slurm.restore()
        status, document = jobs.screen()
        for node in NODES:
            slurm.daemons.kill(node)
    slurm.restore()
    assert verdicts(document) == dict.fromkeys(NODES, "pass") | {"n2": "fail"}, json.dumps(document["nodes"])
    assert status == 1
