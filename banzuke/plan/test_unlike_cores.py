"""Additional cases beside the standard ones where cores are unlike."""

from banzuke.machine.allotment import AllottedDevice, CoreRates
from banzuke.machine.model import Machine
from banzuke.machine.site import CoreKind
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.request import Request
from banzuke.plan.unlike_cores import groups_here
from banzuke.plan.variant import Variants
from banzuke.testing import machine

KINDS = {"Cortex-A55": CoreKind(cores=4, cpus=[0, 1, 2, 3]), "Cortex-A76": CoreKind(cores=4, cpus=[4, 5, 6, 7])}
RATES = {"Cortex-A55": CoreRates(fma_rate=7.2e9), "Cortex-A76": CoreRates(fma_rate=18.4e9)}
BIG_LITTLE = machine(cores=8).changed(processor={"kinds": KINDS}, allotment={"kinds": RATES})


def unusual(name: str, on: Machine, **request: object) -> list[tuple[int, dict[str, str]]]:
    """Return threads and variants of the cases whose variant is not the usual one."""
    cases = plan(find(name), on, Request(**request))  # type: ignore[arg-type]
    return [(case.threads, case.variant.values) for case in cases if case.variant.values]


def test_unlike_cores_are_also_used_by_their_rates_and_the_fastest_alone() -> None:
    assert unusual("stream", BIG_LITTLE) == [(8, {"shares": "rates"}), (4, {"cores": "4-7"})]
    assert unusual("hpl", BIG_LITTLE) == [(4, {"cores": "4-7"})]
    assert unusual("stream", BIG_LITTLE.keeping_to("4-7")) == []
    assert unusual("stream", machine(cores=8)) == []
    assert unusual("pt2pt", BIG_LITTLE) == []


def test_what_a_user_says_of_shares_and_cores_stands() -> None:
    both = Variants(shares=("equal", "rates"))
    asked = unusual("stream", BIG_LITTLE, variants=both)
    assert asked.count((8, {"shares": "rates"})) == 2, "both cases on all cores, and the headline no third time"
    assert unusual("hpcg", BIG_LITTLE, threads=8) == []
    assert unusual("hpl", BIG_LITTLE, variants=both) == [(4, {"cores": "4-7"})], "its update is dealt out anyway"


def test_a_device_is_a_group_with_a_core_that_drives_it() -> None:
    devices = [
        AllottedDevice(identity=f"GPU-{number}", name="Large", vendor="NVIDIA", memory=1, memory_available=1)
        for number in range(2)
    ]
    with_devices = BIG_LITTLE.changed(allotment={"devices": devices})
    assert "+".join(group.name for group in groups_here(with_devices, "cuda")) == "0-1+4-7+3@0+2@1"
    assert "+".join(group.name for group in groups_here(with_devices, "")) == "0-3+4-7"
    alike = machine(cores=2).changed(allotment={"devices": devices[:1]})
    assert "+".join(group.name for group in groups_here(alike, "cuda")) == "0+1@0"
    assert groups_here(alike.changed(allotment={"devices": devices}), "cuda") == (), "none is left to compute"


def test_a_device_has_as_many_cores_as_are_reserved_for_it() -> None:
    def names(cores: int, reserved: int, number: int = 2) -> str:
        devices = [
            AllottedDevice(identity=f"GPU-{place}", name="Large", vendor="NVIDIA", memory=1, memory_available=1)
            for place in range(number)
        ]
        here = machine(cores=cores).changed(allotment={"devices": devices})
        return "+".join(group.name for group in groups_here(here, "cuda", reserved))

    assert [names(8, reserved) for reserved in (0, 1, 2)] == ["0-7+7@0+6@1", "0-5+7@0+6@1", "0-3+6-7@0+4-5@1"]
    assert [names(5, 2), names(4, 2)] == ["0+3-4@0+1-2@1", ""]
    assert [names(2, 0), names(1, 0)] == ["0-1+1@0+0@1", ""], "no core drives two devices"


def test_kinds_of_cores_share_one_product() -> None:
    cases = [case for case in plan(find("dgemm"), BIG_LITTLE, Request()) if len(case.groups) > 1]
    assert [case.parameters["split"] for case in cases] == ["adaptive", "rates", "equal"]
    assert [group.placement and group.placement.cpus for group in cases[0].groups] == [((0, 1, 2, 3),), ((4, 5, 6, 7),)]


def test_a_quota_of_fewer_processors_leaves_unlike_cores_alone() -> None:
    held = BIG_LITTLE.changed(allotment={"quota": 2.0})
    assert held.allotment.usable_cores < 8
    assert unusual("stream", held) == []
    assert groups_here(held, "") == ()
