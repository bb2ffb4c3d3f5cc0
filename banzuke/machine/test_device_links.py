"""The theoretical bandwidths of devices' links."""

import pytest

from banzuke.machine.device_links import nvlink_bandwidth, pcie_bandwidth, xgmi_bandwidth


def test_links() -> None:
    assert pcie_bandwidth(3, 16) == pytest.approx(15.75e9, rel=1e-3)
    assert pcie_bandwidth(5, 16) == pytest.approx(63.0e9, rel=1e-3)
    assert pcie_bandwidth(1, 1) == 250e6
    assert pcie_bandwidth(None, 16) is pcie_bandwidth(4, None) is None
    assert nvlink_bandwidth(6) == 25e9
    assert nvlink_bandwidth(99) is nvlink_bandwidth(None) is None
    assert xgmi_bandwidth("gfx942") == 64e9
    assert xgmi_bandwidth("9.0") is xgmi_bandwidth("gfx1") is xgmi_bandwidth(None) is None
