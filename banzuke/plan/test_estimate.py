"""What sizes are chosen by."""

from banzuke.plan.estimate import flop_rate
from banzuke.testing import machine


def test_the_probed_library_counts_before_the_cores_own_rate() -> None:
    here = machine(cores=4, blas_rate=200e9)
    fused = here.changed(allotment={"fma_rate": 300e9})
    unprobed = machine(cores=4, blas_rate=None).changed(allotment={"fma_rate": 300e9})
    assert [flop_rate(m, 4) for m in (fused, unprobed)] == [200e9, 300e9]
    assert flop_rate(machine(blas_rate=None), 4) > 0


def test_cores_have_their_share_and_no_more_than_there_are() -> None:
    assert [flop_rate(machine(cores=4, blas_rate=200e9), cores) for cores in (1, 4, 8)] == [50e9, 200e9, 200e9]
