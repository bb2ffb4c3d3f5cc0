from hypothesis import given
from hypothesis import strategies as st

from banzuke.cpu_lists import parse_bitmap
from banzuke.isolation.kernel import format_bitmap, settings
from banzuke.machine.conftest import Plant

SYSTEM, JOB = [0, 4], [1, 2, 3, 5, 6, 7]


def changed(plant: Plant, files: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {setting.path: (setting.old, setting.new) for setting in settings(plant(files), SYSTEM, JOB)}


@given(st.sets(st.integers(0, 200), min_size=1))
def test_masks_read_back(cpus: set[int]) -> None:
    assert parse_bitmap(format_bitmap(cpus)) == sorted(cpus)


def test_words_of_32_bits() -> None:
    assert format_bitmap({0, 33}) == "00000002,00000001"


def test_interrupts_go_to_the_systems_processors_and_keep_to_their_own_of_them(plant: Plant) -> None:
    changes = changed(
        plant,
        {
            "proc/irq/7/smp_affinity_list": "0-7",
            "proc/irq/8/smp_affinity_list": "3-4",
            "proc/irq/9/smp_affinity_list": "6",
            "proc/irq/10/smp_affinity_list": "4",
            "proc/irq/11/smp_affinity_list": "garbage",
            "proc/irq/default_smp_affinity": "ff",
        },
    )
    assert changes == {
        "proc/irq/default_smp_affinity": ("ff", "00000011"),
        "proc/irq/7/smp_affinity_list": ("0-7", "0,4"),
        "proc/irq/8/smp_affinity_list": ("3-4", "4"),
        "proc/irq/9/smp_affinity_list": ("6", "0,4"),
    }


def test_an_interrupt_is_told_with_its_device(plant: Plant) -> None:
    tree = plant({"proc/irq/36/smp_affinity_list": "1", "proc/irq/36/virtio1-req.0/x": ""})
    assert [setting.name for setting in settings(tree, SYSTEM, JOB)] == ["interrupt 36 (virtio1-req.0)"]


def test_workqueues_and_what_was_requested_of_them(plant: Plant) -> None:
    folder = "sys/devices/virtual/workqueue"
    assert changed(plant, {f"{folder}/cpumask": "ff"}) == {f"{folder}/cpumask": ("ff", "00000011")}
    (setting,) = settings(plant({f"{folder}/cpumask_requested": "fff"}), SYSTEM, JOB)
    assert (setting.old, setting.path, setting.shown) == ("fff", f"{folder}/cpumask", f"{folder}/cpumask_requested")


def test_settings_of_the_kernel(plant: Plant) -> None:
    folder = "proc/sys"
    files = {
        f"{folder}/kernel/watchdog_cpumask": "0-7",
        f"{folder}/kernel/timer_migration": "0",
        f"{folder}/vm/stat_interval": "1",
    }
    assert changed(plant, files) == {
        f"{folder}/kernel/watchdog_cpumask": ("0-7", "0,4"),
        f"{folder}/kernel/timer_migration": ("0", "1"),
        f"{folder}/vm/stat_interval": ("1", "120"),
    }


def test_what_is_isolated_already_is_left(plant: Plant) -> None:
    files = {
        "proc/sys/kernel/watchdog_cpumask": "0",
        "proc/sys/kernel/timer_migration": "1",
        "proc/sys/vm/stat_interval": "600",
        "proc/irq/default_smp_affinity": "11",
        "sys/devices/virtual/workqueue/cpumask": "1",
    }
    assert changed(plant, files) == {}
    assert changed(plant, {}) == {}
