"""Reads the kernel's release, what it tells of the firmware, and those of its settings that affect figures."""

from banzuke.machine.mounts import mounts
from banzuke.machine.tree import Tree, selected

_VM = "sys/kernel/mm/transparent_hugepage"
_CPU = "sys/devices/system/cpu"


def settings(tree: Tree) -> dict[str, str]:
    """Return the known settings, with their values as the kernel writes them."""
    options = _options(tree)
    values = {
        "release": tree.text("proc/sys/kernel/osrelease"),
        "distribution": _distribution(tree),
        "firmware": _firmware(tree),
        "microcode": tree.text(f"{_CPU}/cpu0/microcode/version") or _microcode(tree),
        "preemption": _preemption(tree, options),
        "transparent_hugepages": selected(tree.text(f"{_VM}/enabled")),
        "transparent_hugepages_defrag": selected(tree.text(f"{_VM}/defrag")),
        "reserved_hugepages": tree.text("proc/sys/vm/nr_hugepages"),
        "numa_balancing": tree.text("proc/sys/kernel/numa_balancing"),
        "swappiness": tree.text("proc/sys/vm/swappiness"),
        "governor": _governors(tree),
        "smt": tree.text(f"{_CPU}/smt/control"),
        "isolated_cpus": _list_or_none(tree, f"{_CPU}/isolated", options.get("isolcpus")),
        "nohz_full": _list_or_none(tree, f"{_CPU}/nohz_full", options.get("nohz_full")),
        "mitigations": _mitigations(tree),
        "clock_source": tree.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "perf_event_paranoid": tree.text("proc/sys/kernel/perf_event_paranoid"),
        "container": _container(tree),
    }
    return {name: value for name, value in values.items() if value is not None}


def _options(tree: Tree) -> dict[str, str]:
    pairs = (word.partition("=") for word in (tree.text("proc/cmdline") or "").split())
    return {name: value for name, _, value in pairs}


def _distribution(tree: Tree) -> str | None:
    for line in (tree.text("etc/os-release") or tree.text("usr/lib/os-release") or "").splitlines():
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME":
            return value.strip("\"'") or None
    return None


def _firmware(tree: Tree) -> str | None:
    version, date = (tree.text(f"sys/class/dmi/id/bios_{name}") for name in ("version", "date"))
    return f"{version} of {date}" if version and date else version


def _microcode(tree: Tree) -> str | None:
    lines = (line.partition(":") for line in (tree.text("proc/cpuinfo") or "").splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == "microcode"), None)


def _preemption(tree: Tree, options: dict[str, str]) -> str | None:
    if mode := selected(tree.text("sys/kernel/debug/sched/preempt")):
        return mode.replace("(", "").replace(")", "")
    version = tree.text("proc/sys/kernel/version") or ""
    for mark, meaning in (("PREEMPT_RT", "real-time"), ("PREEMPT_DYNAMIC", "dynamic"), ("PREEMPT", "full")):
        if mark in version:
            return f"dynamic, {options['preempt']}" if mark == "PREEMPT_DYNAMIC" and "preempt" in options else meaning
    return "none or voluntary" if version else None


def _governors(tree: Tree) -> str | None:
    governors = {
        governor
        for name in tree.names(_CPU, r"cpu\d+")
        if (governor := tree.text(f"{_CPU}/{name}/cpufreq/scaling_governor"))
    }
    return ", ".join(sorted(governors)) or None


def _list_or_none(tree: Tree, name: str, option: str | None) -> str | None:
    """Return the list; "none" if it is empty; None if unknown."""
    content = tree.text(name)
    if content and content != "(null)":
        return content
    if option:
        return option
    return "none" if tree.exists(name) or tree.exists("proc/cmdline") else None


def _mitigations(tree: Tree) -> str | None:
    folder = f"{_CPU}/vulnerabilities"
    states = {name: tree.text(f"{folder}/{name}") or "" for name in tree.names(folder)}
    if not states:
        return None
    active = sorted(name for name, state in states.items() if state.startswith("Mitigation"))
    vulnerable = sorted(name for name, state in states.items() if state.startswith("Vulnerable"))
    parts = [f"{label}: {', '.join(names)}" for label, names in (("on", active), ("vulnerable", vulnerable)) if names]
    return "; ".join(parts) or "none needed"


def _container(tree: Tree) -> str | None:
    on_device = any(mount.mount == "/" and mount.source.startswith("/dev/") for mount in mounts(tree))
    for file, name in (
        ("run/.containerenv", "podman"),
        (".dockerenv", "docker"),
        (".singularity.d", "apptainer"),
    ):
        if tree.exists(file) and not on_device:  # an image that was unpacked onto a disk keeps its mark
            return name
    for entry in (tree.text("proc/1/environ") or "").split("\0"):
        if entry.startswith("container="):
            return entry.partition("=")[2] or None
    return "none" if tree.exists("proc/1") else None
