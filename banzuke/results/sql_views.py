"""The tables that `query` offers, as SQL views over the lines of the runs' files."""

from collections.abc import Mapping
from typing import NamedTuple

from banzuke.record.model import VERSION

RECORD_FIELDS = {
    "schema_version": "INTEGER",
    "benchmark": "VARCHAR",
    "backend": "VARCHAR",
    "parameters": "JSON",
    "groups": "JSON",
    "status": "VARCHAR",
    "reason": "VARCHAR",
    "started": "VARCHAR",
    "ended": "VARCHAR",
    "metrics": "JSON",
    "breakdown": "JSON",
    "curves": "JSON",
    "pairs": "JSON",
    "series": "JSON",
    "distributions": "JSON",
    "areas": "JSON",
    "verification": "JSON",
    "conditions": "JSON",
    "provenance": "JSON",
}
"""Fields of a record with their SQL types."""
NODE_FIELDS = {"host": "VARCHAR", "state": "VARCHAR", "why": "VARCHAR", "place": "VARCHAR", "facts": "JSON"}
"""Fields of a line of `NODES` with their SQL types."""


class SqlView(NamedTuple):
    about: str
    columns: Mapping[str, str]
    """SQL expression of each column."""
    source: str


_OF_RECORD = {"run": "r.run", "id": "r.id", "benchmark": "r.benchmark", "backend": "r.backend"}
_FOLDER = "parse_path(filename, 'forward_slash')[-2]"
_PARTITION_NAME = (
    "json_extract_string(document, '/site/partitions/' || "
    "replace(replace(document->>'$.allotments[0].partition', '~', '~0'), '/', '~1') || '/name')"
)
"""JSON pointer, because a partition's key may be any text."""
_HOSTS = "json_extract_string(groups, '$[*].hosts[*].names')"
_UTC = "make_timestamp(epoch_us(TRY_CAST({} AS TIMESTAMPTZ)))"
_SAMPLES = "TRY_CAST({}->'samples' AS DOUBLE[])"
_FIGURES = {
    "unit": "{0}->>'unit'",
    "median": f"list_median({_SAMPLES})",
    "lowest": f"list_min({_SAMPLES})",
    "highest": f"list_max({_SAMPLES})",
    "samples": f"len({_SAMPLES})",
}

SHARE = "share"
"""Placeholder for the expression of the share of the limit."""
VIEWS = {
    "machines": SqlView(
        "one row per run: its machine, with the whole description",
        {
            "run": _FOLDER,
            "name": f"CASE WHEN len(json_keys(document->'$.site.partitions')) > 1 THEN COALESCE({_PARTITION_NAME}, "
            "concat(document->>'$.site.name', ' ', document->>'$.allotments[0].partition')) "
            "ELSE document->>'$.site.name' END",
            "fingerprint": "document->>'$.allotments[0].fingerprint'",
            "partition": "document->>'$.allotments[0].partition'",
            "cores": "TRY_CAST(document->>'$.allotments[0].allowed_cores' AS INTEGER)",
            "document": "document",
        },
        "(SELECT filename, TRY_CAST(content AS JSON) AS document FROM descriptions)",
    ),
    "records": SqlView(
        "one row per record: a launch of a case",
        {
            "run": _FOLDER,
            "id": "provenance->>'id'",
            "machine": f"(SELECT any_value(m.name) FROM machines AS m WHERE m.run = {_FOLDER})",  # noqa: S608  (ours)
            "fingerprint": "provenance->>'machine'",
            "host": f"array_to_string(list_sort(list_distinct({_HOSTS})), ',')",
            "benchmark": "benchmark",
            "backend": "backend",
            "ranks": "list_sum(TRY_CAST(json_extract(groups, '$[*].ranks') AS INTEGER[]))",
            "threads": "TRY_CAST(json_extract(groups, '$[0].threads') AS INTEGER)",
            "environment": "COALESCE(provenance->>'environment', 'native')",
            "variant": "provenance->'variant'",
            "placement": "provenance->>'placement'",
            "repetition": "COALESCE(TRY_CAST(provenance->>'repetition' AS INTEGER), 0)",
            "case_hash": "provenance->>'case'",
            "status": "status",
            "reason": "reason",
            "started": _UTC.format("started"),
            "ended": _UTC.format("ended"),
            "parameters": "parameters",
            "groups": "groups",
            "software": "json_extract(groups, '$[0].software')",
            "metrics": "metrics",
            "breakdown": "breakdown",
            "curves": "curves",
            "pairs": "pairs",
            "series": "series",
            "distributions": "distributions",
            "areas": "areas",
            "verification": "verification",
            "conditions": "conditions",
            "provenance": "provenance",
            "schema_version": "schema_version",
        },
        f"lines_of_files WHERE schema_version = {VERSION} AND benchmark IS NOT NULL AND backend IS NOT NULL "
        "AND status IS NOT NULL AND TRY_CAST(started AS TIMESTAMPTZ) IS NOT NULL",
    ),
    "metrics": SqlView(
        "one row per figure of a record, in SI units",
        {
            **_OF_RECORD,
            "machine": "r.machine",
            "fingerprint": "r.fingerprint",
            "host": "r.host",
            "metric": "m.key",
            **{name: what.format("m.value") for name, what in _FIGURES.items()},
            "share_of_limit": SHARE,
        },
        "records AS r, json_each(r.metrics) AS m",
    ),
    "samples": SqlView(
        "one row per sample of a figure, in the order taken",
        {**_OF_RECORD, "metric": "metric", "unit": "unit", "number": "place", "value": "taken[place]"},
        f"(SELECT records.*, m.key AS metric, m.value->>'unit' AS unit, {_SAMPLES.format('m.value')} AS taken "  # noqa: S608
        "FROM records, json_each(records.metrics) AS m) AS r, generate_series(1, len(taken)) AS of_sample(place)",
    ),
    "points": SqlView(
        "one row per figure at a place of a curve, such as a message size",
        {
            **_OF_RECORD,
            "curve": "curve",
            "along": "along",
            "along_unit": "along_unit",
            "place": "TRY_CAST(point->>'at' AS DOUBLE)",
            "metric": "m.key",
            **{name: what.format("m.value") for name, what in _FIGURES.items()},
        },
        "(SELECT records.* EXCLUDE (metrics), c.key AS curve, c.value->>'along' AS along, c.value->>'unit' AS "
        "along_unit, unnest(TRY_CAST(c.value->'points' AS JSON[])) AS point FROM records, "
        "json_each(records.curves) AS c) AS r, json_each(point->'metrics') AS m",
    ),
    "parameters": SqlView(
        "one row per parameter of a record",
        {**_OF_RECORD, "name": "p.key", "value": "p.value->>'$'", "number": "TRY_CAST(p.value->>'$' AS DOUBLE)"},
        "records AS r, json_each(r.parameters) AS p",
    ),
    "conditions": SqlView(
        "one row per condition seen during a launch, such as the clock",
        {**_OF_RECORD, "name": "c.key", "value": "c.value->>'$'", "number": "TRY_CAST(c.value->>'$' AS DOUBLE)"},
        "records AS r, json_each(r.conditions) AS c",
    ),
    "verification": SqlView(
        "one row per check of a record",
        {
            **_OF_RECORD,
            "quantity": "v->>'quantity'",
            "value": "TRY_CAST(v->>'value' AS DOUBLE)",
            "tolerance": "TRY_CAST(v->>'tolerance' AS DOUBLE)",
            "passed": "TRY_CAST(v->>'passed' AS BOOLEAN)",
        },
        "(SELECT *, unnest(TRY_CAST(verification AS JSON[])) AS v FROM records) AS r",
    ),
    "nodes": SqlView(
        "one row per node of a fleet, with what it reported of itself",
        {"run": _FOLDER, **{name: name for name in NODE_FIELDS}},
        "lines_of_nodes WHERE host IS NOT NULL AND state IS NOT NULL",
    ),
    "runs": SqlView(
        "one row per run that has records",
        {
            "run": "run",
            "machine": "any_value(machine)",
            "fingerprint": "any_value(fingerprint)",
            "started": "min(started)",
            "ended": "max(ended)",
            "benchmarks": "list(DISTINCT benchmark ORDER BY benchmark)",
            "verified": "count(*) FILTER (status = 'ok')",
            "failed": "count(*) FILTER (status = 'failed')",
            "skipped": "count(*) FILTER (status = 'skipped')",
            "banzuke": "list(DISTINCT provenance->>'banzuke' ORDER BY provenance->>'banzuke')",
            "schemas": "list(DISTINCT schema_version ORDER BY schema_version)",
        },
        "records AS r GROUP BY run",
    ),
}
"""Views in an order in which each uses only earlier ones."""
