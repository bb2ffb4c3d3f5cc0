import json

import pytest

from banzuke.isolation.check import Possible, check, enumeration
from banzuke.isolation.isolate import balancers, families
from banzuke.machine.conftest import Plant
from banzuke.machine.tree import Tree

CPU = "sys/devices/system/cpu"
FILES = {
    "proc/self/status": "Cpus_allowed_list:\t0-3",
    f"{CPU}/online": "0-3",
    "proc/irq/5/smp_affinity_list": "0-3",
    "proc/irq/6/smp_affinity_list": "0",
    "proc/irq/default_smp_affinity": "f",
    "proc/cmdline": "quiet",
}


def thread(number: int, name: str, flags: int, affinity: str, uid: int = 0) -> dict[str, str]:
    own = f"proc/{number}/task/{number}"
    return {
        f"{own}/stat": f"{number} ({name}) S 2 0 0 0 -1 {flags} 0 0 0 0 0 0 0 0 20 0 1 0 10",
        f"{own}/status": f"Name:\t{name}\nUid:\t{uid}\t0\t0\t0\nCpus_allowed_list:\t{affinity}\n",
        f"proc/{number}/comm": name,
    }


def values(possible: Possible) -> dict[str, tuple[str, str]]:
    return {line.name: (line.value, line.note) for line in possible.lines}


def test_what_could_be_done(plant: Plant) -> None:
    bound, free = 0x04200000, 0x00200000
    threads = thread(9, "kworker/1:0", bound, "1") | thread(10, "kworker/2:1-mm", bound, "2")
    threads |= thread(11, "ksoftirqd/0", bound, "0") | thread(12, "kswapd0", free, "0-3") | thread(13, "sshd", 0, "0-3")
    tree = plant(FILES | threads)
    before = {file: file.read_bytes() for file in tree.root.rglob("*") if file.is_file()}
    possible = check(tree, ())
    assert {file: file.read_bytes().strip() for file in before} == {file: old.strip() for file, old in before.items()}
    assert (possible.system, possible.job) == ([0], [1, 2, 3])
    items = values(possible)
    assert items["processes"][0] == "1 with 1 thread"
    assert items["kernel threads that can be moved"][0] == "1"
    assert items["kernel threads that cannot"] == ("2", "2 kworker")
    assert items["interrupts that can be moved"] == ("1", "1 more are elsewhere")
    assert items["control groups"][0] == "not usable"
    assert items["new interrupts"] == ("f", "would be 00000001")
    assert json.loads(json.dumps(possible.document()))["job_cores"] == "1-3"


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({}, "isolcpus=managed_irq,domain,1-3 rcu_nocbs=1-3 irqaffinity=0"),
        ({f"{CPU}/nohz_full": "(null)"}, "isolcpus=managed_irq,domain,1-3 nohz_full=1-3 rcu_nocbs=1-3 irqaffinity=0"),
        (
            {"proc/cmdline": "isolcpus=domain,1-3 rcu_nocbs=1-3", f"{CPU}/nohz_full": "2-3"},
            "nohz_full=1-3 irqaffinity=0",
        ),
        ({"proc/cmdline": "irqaffinity=0 rcu_nocbs=0-3", f"{CPU}/isolated": "1-3", f"{CPU}/nohz_full": "1-3"}, ""),
    ],
)
def test_what_to_add_to_the_kernels_command_line(plant: Plant, files: dict[str, str], wanted: str) -> None:
    assert check(plant(FILES | files), ()).boot == wanted


def test_what_the_boot_has_isolated_is_the_jobs(plant: Plant) -> None:
    files = {"proc/self/status": "Cpus_allowed_list:\t0-1", f"{CPU}/isolated": "2-3"}
    possible = check(plant(FILES | files), ())
    assert (possible.system, possible.job) == ([0, 1], [2, 3])
    assert check(plant(FILES | files), (0,)).job == [1, 2, 3]


def test_clock_and_throttling(plant: Plant) -> None:
    files = {f"{CPU}/cpu{i}/cpufreq/scaling_governor": "powersave" if i == 3 else "performance" for i in range(4)}
    files |= {"proc/sys/kernel/sched_rt_runtime_us": "950000", "proc/sys/kernel/sched_rt_period_us": "1000000"}
    items = values(check(plant(FILES | files), ()))
    assert items["frequency governor"][0] == "performance, powersave"
    assert items["real-time threads may run"][0] == "95% of the time"
    assert (
        values(check(Tree(plant({"proc/sys/kernel/sched_rt_runtime_us": "-1"}).root), ()))["real-time threads may run"][
            0
        ]
        == "no limit"
    )


def test_a_container_sees_no_kernel(plant: Plant) -> None:
    notes = [line.note for line in check(plant(FILES | thread(13, "sshd", 0, "0-3")), ()).lines]
    assert any("this is a container" in note for note in notes)


def test_a_long_list_is_cut() -> None:
    assert enumeration([]) == ""
    assert enumeration(["a", "b"]) == "a, b"
    assert enumeration(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"


def test_a_balancer_of_interrupts_is_told(plant: Plant) -> None:
    assert balancers(plant(FILES)) == []
    tree = plant(thread(77, "irqbalance", 0, "0-3"))
    assert "irqbalance runs" in balancers(tree)[0]
    assert any("irqbalance" in line.note for line in check(tree, ()).lines)


def test_threads_of_one_kind_are_counted_together() -> None:
    left = {("kworker/1:2", "w"): 1, ("kworker/u8:0", "w"): 2, ("mld", "w"): 1}
    assert families(left) == {("kworker", "w"): 3, ("mld", "w"): 1}
