"""Runs inside the guest, as root of its own machine: isolates it in every way, and compares the state before and after.

Prints one JSON object: errors by scenario. Started as `python isolation_in_guest.py 1|2 [N]`: the version of control
groups, and the distance between the steps at which to be killed once (1: at each, which takes minutes). One process
does everything, because Python takes seconds to start in an emulated machine.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from banzuke.cpu_lists import parse_bitmap, parse_cpus
from banzuke.files.own import state_folder
from banzuke.isolation import isolate as isolation
from banzuke.isolation import moves, restore, run
from banzuke.isolation.control_groups import hierarchy
from banzuke.isolation.isolate import IsolationReport, begin
from banzuke.isolation.journal import NAME, Journal
from banzuke.isolation.processes import Thread, threads
from banzuke.machine.tree import Tree

TREE = Tree()
UNIFIED = sys.argv[1] == "2"
STRIDE = int(sys.argv[2]) if len(sys.argv) > 2 else 37
MOUNT = Path("/sys/fs/cgroup" if UNIFIED else "/sys/fs/cgroup/cpuset")
TASKS = "cgroup.procs" if UNIFIED else "tasks"
SYSTEM = {0}
SYSCTLS = ("kernel/watchdog_cpumask", "kernel/timer_migration", "vm/stat_interval", "kernel/sched_rt_runtime_us")
SPEAKS = Path("/run/isolation-report")
NEIGHBOUR = """
import os, signal, threading
bound = threading.Barrier(4)
def live(cpus):
    try:
        os.sched_setaffinity(0, cpus)
    except OSError:
        pass
    bound.wait()
    threading.Event().wait()
for cpus in ({0}, {1, 2}, {0, 3}):
    threading.Thread(target=live, args=(cpus,), daemon=True).start()
os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
bound.wait()
print("there", flush=True)
signal.pause()
"""


def snapshot() -> dict[str, Any]:
    """Return the state of all that isolation may touch."""
    files = [TREE.path(f"proc/sys/{name}") for name in SYSCTLS]
    files += [TREE.path("proc/irq/default_smp_affinity"), *Path("/proc/irq").glob("*/smp_affinity_list")]
    files += Path("/sys/devices/virtual/workqueue").rglob("cpumask*")
    for folder, _, names in os.walk(MOUNT):
        watched = ("cpuset.cpus", "cpuset.mems", "cgroup.subtree_control", "cpuset.cpus.partition", "cgroup.type")
        files += [Path(folder, name) for name in names if name in watched]
        files.append(Path(folder))
    state: dict[str, Any] = {str(file): file.read_text() if file.is_file() else "" for file in files}
    for thread in threads(TREE):
        if not thread.bound:
            policy = os.sched_getscheduler(thread.tid)
            state[f"thread {thread.tid} {thread.start} {thread.name}"] = (
                sorted(thread.affinity),
                thread.groups,
                policy,
            )
    return state


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the differences; threads may end and begin."""
    names = {name for name in {*before, *after} if not name.startswith("thread") or (name in before and name in after)}
    return [
        f"{name}: {before.get(name)!r} became {after.get(name)!r}"
        for name in sorted(names)
        if before.get(name) != after.get(name)
    ]


def outside(report: Mapping[str, Any], mine: set[int]) -> list[str]:
    """Return what still is where the job runs and was not named; `mine` are the job's processes."""
    stays = {entry["what"] for entry in report["left"]}
    cores = set(parse_cpus(report["job_cores"]))
    wrong = []
    for thread in threads(TREE):
        job = thread.pid in mine
        if job and not thread.affinity <= cores:
            wrong.append(f"the job's {thread.name} runs on {sorted(thread.affinity)}")
        elif not job and thread.affinity & cores and thread.name.partition("/")[0] not in stays:
            wrong.append(f"{thread.name} of {thread.pid} runs on {sorted(thread.affinity)}")
        elif not job and thread.affinity & cores and movable(thread):
            wrong.append(f"{thread.name} could have been moved")
    for file in Path("/proc/irq").glob("*/smp_affinity_list"):
        named = any(what.split()[:2] == ["interrupt", file.parent.name] for what in stays)
        if set(parse_cpus(file.read_text())) & cores and not named:
            wrong.append(f"{file} is {file.read_text()}")
    masks = ("/proc/irq/default_smp_affinity", "/sys/devices/virtual/workqueue/cpumask")
    wrong += [name for name in masks if set(parse_bitmap(Path(name).read_text())) != SYSTEM]
    if set(parse_cpus(Path("/proc/sys/kernel/watchdog_cpumask").read_text())) != SYSTEM:
        wrong.append("kernel.watchdog_cpumask")
    return wrong


def movable(thread: Thread) -> bool:
    try:
        os.sched_setaffinity(thread.tid, SYSTEM)
    except OSError:
        return False
    return True


def isolated(command: list[str], *, group: str = "", prepare: Callable[[], None] = lambda: None) -> int:
    """Fork a process that isolates, inside `group` and `prepare`d; its report appears in SPEAKS."""
    SPEAKS.unlink(missing_ok=True)
    process = os.fork()
    if process:
        return process
    status = 99
    try:
        if group:
            (MOUNT / group / TASKS).write_text("0")
        prepare()
        journal, report = begin(TREE, state_folder(), os_cores=(), scope="all", command=command)

        def said(report: IsolationReport) -> None:
            SPEAKS.with_suffix(".new").write_text(json.dumps(report.document()))
            SPEAKS.with_suffix(".new").rename(SPEAKS)

        if command:
            status = run.run(TREE, journal, report, run.ConfinedJob(command), said)
        else:
            run.apply(TREE, journal, report)
            said(report)
            status = 0
        if report.unrestored:
            sys.stderr.write("\n".join(report.unrestored) + "\n")
            status = 98
        if status < 0:
            run.end_as(status)
    except Exception as error:  # noqa: BLE001  (the status reports it)
        sys.stderr.write(f"{error}\n")
    finally:
        os._exit(status)


def until(condition: Callable[[], Any], what: str) -> Any:
    for _ in range(20000):
        if value := condition():
            return value
        time.sleep(0.003)
    raise TimeoutError(what)


def running(mark: str = "sleep") -> tuple[dict[str, Any], set[int]]:
    """Return the report, and the job's processes."""
    report = json.loads(until(lambda: SPEAKS.is_file() and SPEAKS.read_text(), "no report"))
    job = until(lambda: {thread.pid for thread in threads(TREE) if thread.name == mark}, "no job")
    return report, job


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def there() -> bool:
    return (state_folder() / NAME).exists()


def expect(status: int, wanted: int) -> list[str]:
    return [] if status == wanted else [f"exit status {status} instead of {wanted}"]


def normal_end() -> list[str]:
    """Isolate: all else moves away from the job, newcomers too, a second isolation is refused, and a signal ends the
    job.
    """
    process = isolated(["sleep", "1000"])
    report, job = running()
    wrong = outside(report, job)
    born = subprocess.Popen(["sh", "-c", f"echo 0 > {MOUNT}/c/d/{TASKS}; exec cat"], stdin=subprocess.PIPE)
    inside = until(lambda: [thread for thread in threads(TREE) if thread.name == "cat"], "no newcomer")
    wrong += [
        f"newcomers in a group may run on {sorted(thread.affinity)}"
        for thread in inside
        if not thread.affinity <= SYSTEM
    ]
    second = isolated(["true"])
    wrong += [f"second isolation: {text}" for text in expect(ended(second), 99)]
    for pid in job:
        os.kill(pid, signal.SIGTERM)
    wrong += expect(ended(process), -signal.SIGTERM)
    born.communicate()
    return wrong


def failing_command() -> list[str]:
    return expect(ended(isolated(["sh", "-c", "exit 5"])), 5) + expect(ended(isolated(["/no/such"])), 99)


def terminated() -> list[str]:
    process = isolated(["sleep", "1001"], group="a/b")
    report, job = running()
    wrong = outside(report, job)
    os.kill(process, signal.SIGTERM)
    return wrong + expect(ended(process), -signal.SIGTERM)


def killed_parent() -> list[str]:
    process = isolated(["sleep", "1002"])
    running()
    os.kill(process, signal.SIGKILL)
    ended(process)
    until(lambda: not there(), "not restored")
    return ["the job lives"] if any(thread.name == "sleep" for thread in threads(TREE)) else []


def killed_anywhere() -> list[str]:
    """Kill before each change in turn, of isolating and of restoring, with or without the watchdog."""
    plain = snapshot()
    wrong: list[str] = []
    for step in range(1, 100000, STRIDE):
        process = isolated(["true"], prepare=partial(dies_at, step))
        status = ended(process)
        if status == 0:
            return wrong if step > STRIDE else ["nothing was changed"]
        if step % 2:
            until(lambda: not there(), "not restored")
        elif there():
            wrong += run.put_back(TREE, state_folder()) or []
        wrong += [f"step {step}: {text}" for text in differences(plain, snapshot())]
    return [*wrong, "it never ended"]


def dies_at(step: int) -> None:
    """Have this process killed before its change number `step`, counted from 1."""
    mine = os.getpid()
    steps = itertools.count(1)

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **named: Any) -> Any:
            if os.getpid() == mine and next(steps) == step:
                if step % 2 == 0:
                    for thread in threads(TREE):
                        if thread.parent == mine and thread.session == thread.pid:
                            os.kill(thread.pid, signal.SIGKILL)
                os.kill(mine, signal.SIGKILL)
            return change(*words, **named)

        return call

    write = counted(moves.write)
    for module in (isolation, moves, restore):
        vars(module)["write"] = write
    for owner, name in (
        (Journal, "_write"),
        (Journal, "keep"),
        (os, "sched_setaffinity"),
        (Path, "mkdir"),
        (Path, "rmdir"),
    ):
        setattr(owner, name, counted(getattr(owner, name)))


def killed_watchdog() -> list[str]:
    process = isolated(["sleep", "1003"])
    _, job = running()
    watchdog = [thread.pid for thread in threads(TREE) if thread.parent == process and thread.pid not in job]
    for pid in (*watchdog, process):
        os.kill(pid, signal.SIGKILL)
    ended(process)
    wrong = [f"second isolation: {text}" for text in expect(ended(isolated(["true"])), 99)]
    wrong += run.put_back(TREE, state_folder()) or []
    return wrong


def processor_went_offline() -> list[str]:
    """Take a processor offline: what cannot be restored is reported, and restored when it is back."""
    online = Path("/sys/devices/system/cpu/cpu3/online")
    process = isolated(["sleep", "1005"])
    _, job = running()
    online.write_text("0")
    for pid in job:
        os.kill(pid, signal.SIGTERM)
    wrong = expect(ended(process), 98)
    online.write_text("1")
    return wrong + (run.put_back(TREE, state_folder()) or [])


def prologue() -> list[str]:
    wrong = expect(ended(isolated([])), 0)
    report = json.loads(SPEAKS.read_text())
    wrong += outside(report, set())
    wrong += [f"second isolation: {text}" for text in expect(ended(isolated(["true"])), 99)]
    return wrong + (run.put_back(TREE, state_folder()) or [])


def populate() -> None:
    """Make groups and neighbours as batch systems and containers do; with version 2 without controllers yet."""
    groups = {"": "0-3", "a": "0-3", "a/b": "0-2", "c": "2-3", "c/d": "3"}
    for name, cpus in groups.items():
        if name:
            (MOUNT / name).mkdir()
        if name and not UNIFIED:
            (MOUNT / name / "cpuset.mems").write_text("0")
            (MOUNT / name / "cpuset.cpus").write_text(cpus)
    started = []
    for name in ("", "a/b", "c/d") if UNIFIED else groups:
        script = f"open('{MOUNT / name / TASKS}', 'w').write('0')\n{NEIGHBOUR}"
        words = [sys.executable, "-S", "-c", script]
        started.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
    for neighbour in started:
        if neighbour.stdout and neighbour.stdout.readline() != "there\n":
            raise RuntimeError("no neighbour")


def hand_down() -> None:
    """Enable the controller in version 2, as where somebody already uses it."""
    if UNIFIED:
        for group, cpus in (("", ""), ("c", "2-3"), ("c/d", "3")):
            if cpus:
                (MOUNT / group / "cpuset.cpus").write_text(cpus)
            if group != "c/d":
                (MOUNT / group / "cgroup.subtree_control").write_text("+cpuset")


Scenario = Callable[[], list[str]]
SCENARIOS: list[tuple[Callable[[], None] | None, Scenario]] = [
    (None, failing_command),
    (populate, normal_end),
    (None, terminated),
    (hand_down, normal_end),
    (None, killed_parent),
    (None, killed_anywhere),
    (None, killed_watchdog),
    (None, processor_went_offline),
    (None, prologue),
]


def main() -> None:
    cpusets, why = hierarchy(TREE)
    if cpusets is None or cpusets.unified != UNIFIED:
        raise RuntimeError(why)
    results = []
    for prepare, scenario in SCENARIOS:
        if prepare:
            prepare()
        plain = snapshot()
        begun = time.monotonic()
        wrong = scenario()
        wrong += differences(plain, snapshot())
        if there():
            wrong.append("the journal is still there")
        results.append({"scenario": scenario.__name__, "wrong": wrong, "seconds": time.monotonic() - begun})
    sys.stdout.write(json.dumps(results) + "\n")


if __name__ == "__main__":
    main()
