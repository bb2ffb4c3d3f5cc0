"""Machine descriptions of schema 1, which did not separate hardware from what a job was given, made schema 2."""

from typing import Any

_NODES = "nodes"
_GIVEN = (
    "allowed", "allowed_cores", "one_per_core", "siblings", "complexes", "packages", "quota", "scalar_hz",
    "single_vector_hz", "vector_hz", "fma_rate",
)  # fmt: skip
_PEAKS = {"peak_flop_rate": "flops.fp64", "peak_memory_bandwidth": "memory.bytes"}


def upgraded(data: Any) -> Any:
    """The description as one of schema 2; anything else than one of schema 1 as it is. Damaged parts stay damaged."""
    if not isinstance(data, dict) or "schema_version" in data or not isinstance(data.get("cpu"), dict):
        return data
    cpu, memory = dict(data["cpu"]), _table(data.get("memory"))
    given = {name: cpu.pop(name) for name in _GIVEN if name in cpu}
    storage = [_table(area) for area in _list(data.get("filesystems"))]
    peaks = {_PEAKS.get(name, name): peak for name, peak in _table(data.get("peaks")).items()}
    bandwidth = {name: peaks.pop(name) for name in ("memory.bytes",) if name in peaks}
    caches = data.get("caches", [])
    node = {
        "processors": [cpu],
        "memory": {name: memory.get(name) for name in ("total", "kind", "peak_bandwidth")},
        # Of the whole node's caches only those that the allowed processors reach were recorded.
        "caches": caches if given.get("allowed_cores") == cpu.get("cores") else [],
        "numa": data.get("numa", []),
        "devices": data.get("gpus", []),
        "interfaces": data.get("network", []),
        "peaks": bandwidth,
    }
    partition = {
        "node": node,
        "mounts": [area.get("mount") for area in storage],
        "kernel": {name: value for name, value in _table(data.get("kernel")).items() if value is not None},
        **{name: data[name] for name in ("hypervisor", "software") if name in data},
    }
    allotment = {
        "partition": _NODES,
        "fingerprint": data.get("fingerprint"),
        "hosts": data.get("hosts", []),
        **given,
        "caches": caches,
        "memory_allowed": memory.get("allowed"),
        "memory_available": memory.get("available"),
        "storage_available": {str(area.get("mount")): area.get("free") for area in storage},
        "peaks": peaks,
    }
    site = {
        "name": data.get("name"),
        "partitions": {_NODES: partition},
        "areas": {str(area.get("mount")): _area(area) for area in storage},
        "sources": {f"partitions.{_NODES}.node": {"how": "read", "where": data.get("topology_source")}},
    }
    return {"schema_version": 2, "site": site, "allotments": [allotment]}


def _area(area: dict[str, Any]) -> dict[str, Any]:
    return {name: area.get(name) for name in ("kind", "source", "mount")} | {"capacity": area.get("total")}


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
