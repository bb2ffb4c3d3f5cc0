from banzuke.machine.cgroup import limits, throttled_seconds
from banzuke.machine.conftest import Plant

V1_MOUNTS = """\
30 23 0:28 / /cg rw - tmpfs tmpfs rw
32 30 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct
34 30 0:31 / /cg/cpuset rw - cgroup cgroup rw,cpuset
35 30 0:32 / /cg/memory rw - cgroup cgroup rw,memory"""


def test_version_1_takes_the_smallest_limit_up_the_tree(plant: Plant) -> None:
    tree = plant(
        {
            "proc/self/mountinfo": V1_MOUNTS,
            "proc/self/cgroup": "3:cpuset:/job\n2:cpu,cpuacct:/job/step\n1:memory:/job/step",
            "cg/cpuset/cpuset.cpus": "0-7",
            "cg/cpuset/job/cpuset.cpus": "2-3",
            "cg/cpu/job/cpu.cfs_quota_us": "150000",
            "cg/cpu/job/cpu.cfs_period_us": "100000",
            "cg/cpu/job/step/cpu.cfs_quota_us": "-1",
            "cg/cpu/job/step/cpu.cfs_period_us": "100000",
            "cg/memory/memory.limit_in_bytes": "9223372036854771712",
            "cg/memory/job/memory.limit_in_bytes": "1000000",
            "cg/memory/job/memory.usage_in_bytes": "400000",
            "cg/memory/job/memory.stat": "cache 5\ntotal_inactive_file 100000",
            "cg/memory/job/step/memory.limit_in_bytes": "2000000",
        }
    )
    restrictions = limits(tree)
    assert restrictions.cpus == [2, 3]
    assert restrictions.quota == 1.5
    assert restrictions.memory == 1_000_000
    assert restrictions.memory_left == 700_000


def test_version_2_nested(plant: Plant) -> None:
    tree = plant(
        {
            "proc/self/mountinfo": "30 23 0:28 / /cg rw - cgroup2 cgroup2 rw,nsdelegate",
            "proc/self/cgroup": "0::/a/b",
            "cg/a/cpu.max": "200000 100000",
            "cg/a/b/cpu.max": "max 100000",
            "cg/a/memory.max": "8589934592",
            "cg/a/memory.current": "1073741824",
            "cg/a/b/memory.max": "max",
            "cg/a/b/cpuset.cpus.effective": "4-7",
        }
    )
    restrictions = limits(tree)
    assert (restrictions.cpus, restrictions.quota, restrictions.memory) == ([4, 5, 6, 7], 2.0, 8 << 30)
    assert restrictions.memory_left == 7 << 30


def test_a_container_sees_its_own_group_as_the_mount(plant: Plant) -> None:
    tree = plant(
        {
            "proc/self/mountinfo": "30 23 0:28 /docker/abc /cg rw - cgroup cgroup rw,memory",
            "proc/self/cgroup": "1:memory:/docker/abc/inner",
            "cg/memory.limit_in_bytes": "5000000",
            "cg/inner/memory.limit_in_bytes": "4000000",
        }
    )
    assert limits(tree).memory == 4_000_000


def test_a_group_outside_the_namespace(plant: Plant) -> None:
    tree = plant(
        {
            "proc/self/mountinfo": "30 23 0:28 / /cg rw - cgroup2 cgroup2 rw",
            "proc/self/cgroup": "0::/../other",
            "cg/memory.max": "4096",
        }
    )
    assert limits(tree).memory == 4096


def test_nothing_and_garbage_limit_nothing(plant: Plant) -> None:
    empty = plant({})
    assert limits(empty).memory is None
    tree = plant(
        {
            "proc/self/mountinfo": "30 23 0:28 / /cg rw - cgroup2 cgroup2 rw",
            "proc/self/cgroup": "0::/\nnonsense",
            "cg/cpu.max": "fast 0",
            "cg/memory.max": "-5",
            "cg/cpuset.cpus.effective": "all",
        }
    )
    restrictions = limits(tree)
    assert (restrictions.cpus, restrictions.quota, restrictions.memory, restrictions.memory_left) == (
        None,
        None,
        None,
        None,
    )


def test_throttled_time_of_both_versions(plant: Plant) -> None:
    assert throttled_seconds(plant({})) is None
    old = plant(
        {
            "proc/self/mountinfo": V1_MOUNTS,
            "proc/self/cgroup": "2:cpu,cpuacct:/job",
            "cg/cpu/job/cpu.stat": "nr_periods 4\nnr_throttled 2\nthrottled_time 1500000000",
        }
    )
    assert throttled_seconds(old) == 1.5
    two = plant(
        {
            "proc/self/mountinfo": "30 23 0:28 / /cg rw - cgroup2 cgroup2 rw",
            "proc/self/cgroup": "0::/a",
            "cg/a/cpu.stat": "usage_usec 7\nthrottled_usec 250000",
        }
    )
    assert throttled_seconds(two) == 0.25
