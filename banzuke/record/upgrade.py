"""Records and plans of schema 1 converted to the present form."""

from typing import Any

_COUNTED = {"flop/s": "flops", "B/s": "bytes"}


def upgraded(data: Any) -> Any:
    """The record as one of schema 2; anything else than one of schema 1 as it is. Damaged parts stay damaged."""
    if not isinstance(data, dict) or data.get("schema_version") != 1:
        return data
    new = {name: value for name, value in data.items() if name not in _GROUP and name not in ("curve", "matrices")}
    group = {name: data[name] for name in _GROUP if name in data}
    if isinstance(hosts := group.get("hosts"), list):
        group["hosts"] = [_host(host) for host in hosts]
    curve, matrices = data.get("curve"), data.get("matrices")
    return new | {
        "schema_version": 2,
        "groups": [{"program": f"{data.get('benchmark')}-{data.get('backend')}", **group}],
        "metrics": _metrics(data.get("metrics", {})),
        "curves": {"size": _curve(curve)} if curve is not None else {},
        "pairs": _each(matrices, _pairs) if matrices is not None else {},
    }


def upgraded_plan(data: Any) -> Any:
    """A plan whose cases have groups and a variant; earlier plans had their fields in the case itself."""
    if not isinstance(data, dict) or not isinstance(data.get("cases"), list):
        return data
    return data | {"cases": [_case(case) for case in data["cases"]]}


def _case(case: Any) -> Any:
    if not isinstance(case, dict):
        return case
    group = {name: case[name] for name in ("backend", "ranks", "threads", "placement") if name in case}
    variant = {name: case[name] for name in ("environment", "image", "os_cores", "neighbours") if name in case}
    rest = {name: value for name, value in case.items() if name not in group and name not in variant}
    return rest | ({"groups": [group]} if group else {}) | ({"variant": variant} if variant else {})


_GROUP = ("ranks", "threads", "hosts", "binding", "software")


def _host(host: Any) -> Any:
    if not isinstance(host, dict) or "name" not in host:
        return host
    return {"names": host["name"], **{name: value for name, value in host.items() if name != "name"}}


def _each(parts: Any, change: Any) -> Any:
    return {name: change(part) for name, part in parts.items()} if isinstance(parts, dict) else parts


def _metrics(metrics: Any) -> Any:
    return _each(metrics, _samples)


def _samples(samples: Any) -> Any:
    if not isinstance(samples, dict):
        return samples
    new = {name: value for name, value in samples.items() if name != "work"}
    work = samples.get("work")
    if not isinstance(work, dict):
        return new
    counted = work.get(_COUNTED.get(str(samples.get("unit")), "bytes"))
    asked = {"memory.bytes": work.get("moved"), "flops.fp64": work.get("flops")}
    # Schema 1 gave the flops of a metric that moves nothing for its rate alone: they are no demand.
    demand = [{"resource": name, "amount": amount} for name, amount in asked.items() if amount and work.get("moved")]
    return new | {"counted": counted or None, "demand": demand}


def _curve(curve: Any) -> Any:
    if not isinstance(curve, dict) or not isinstance(curve.get("points"), list):
        return curve
    return curve | {"points": [_point(point) for point in curve["points"]]}


def _point(point: Any) -> Any:
    return point | {"metrics": _metrics(point.get("metrics"))} if isinstance(point, dict) else point


def _pairs(matrix: Any) -> Any:
    rows = matrix.get("values") if isinstance(matrix, dict) else None
    if not isinstance(rows, list) or any(not isinstance(row, list) or len(row) != i for i, row in enumerate(rows)):
        return {"unit": "", "values": ["a row has not one figure for each rank before it"], "from": [], "to": []}
    found = [(j, i, value) for i, row in enumerate(rows) for j, value in enumerate(row)]
    columns = {"from": [pair[0] for pair in found], "to": [pair[1] for pair in found]}
    return {"unit": matrix.get("unit"), **columns, "values": [pair[2] for pair in found]}
