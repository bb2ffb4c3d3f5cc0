"""ReFrame's performance log, with the columns of its own default: a file for each test, a line for each execution.

A figure has five columns: value, unit, reference, lower and upper threshold. Like ReFrame, there is no line for what
was skipped.
"""

import re
from collections.abc import Mapping, Sequence

from banzuke.export.model import ExportedCase, ExportedRun
from banzuke.record.model import Record
from banzuke.text import printable

LOGS = "perflogs"
UNKNOWN = "null"
_OF_A_FIGURE = ("value", "unit", "ref", "lower_thres", "upper_thres")
_BEFORE = (
    *("result", "job_completion_time", "descr", "env_vars", "environ", "exclusive_access", "extra_resources"),
    *("job_completion_time_unix", "job_exitcode", "job_nodelist", "job_submit_time", "jobid", "modules", "name"),
    *("num_cpus_per_task", "num_gpus_per_node", "num_tasks", "num_tasks_per_core", "num_tasks_per_node"),
    *("num_tasks_per_socket", "partition"),
)
_AFTER = ("short_name", "system", "unique_name")
_LONGEST = 100
"""Most bytes in the name of a file or folder."""


def reframe(runs: Sequence[ExportedRun]) -> Mapping[str, str]:
    """Return each log by its path, with the executions of all runs, oldest first."""
    by_path: dict[str, list[tuple[ExportedRun, ExportedCase, Record]]] = {}
    for run in sorted(runs, key=lambda run: run.began):
        for case in run.cases:
            if case.record and case.outcome != "skipped":
                names = (run.machine.site.name, _partition(run, case.record), case.benchmark)
                path = f"{LOGS}/{'/'.join(map(_folder, names))}.log"
                by_path.setdefault(path, []).append((run, case, case.record))
    return {path: _log(executions) for path, executions in by_path.items()}


def _partition(run: ExportedRun, record: Record) -> str:
    return record.partition or run.machine.allotment.partition


def _folder(name: str) -> str:
    """Return a name as that of a file that is neither hidden nor elsewhere."""
    return re.sub(r"[^\w.+-]", "_", name).lstrip(".").encode()[:_LONGEST].decode(errors="ignore") or "_"


def _log(executions: Sequence[tuple[ExportedRun, ExportedCase, Record]]) -> str:
    metrics = list(dict.fromkeys(figure.metric for _, case, _ in executions for figure in case.figures))
    figures = [f"{metric}_{part}" for metric in metrics for part in _OF_A_FIGURE]
    lines = [[*_BEFORE, *figures, *_AFTER]]
    for run, case, record in executions:
        about = _columns(run, case, record)
        values = {figure.metric: (repr(figure.value), figure.unit, "0", "None", "None") for figure in case.figures}
        own = [text for metric in metrics for text in values.get(metric, (UNKNOWN,) * len(_OF_A_FIGURE))]
        before, after = ([about.get(name, UNKNOWN) for name in names] for names in (_BEFORE, _AFTER))
        lines.append([*before, *own, *after])
    return "".join(f"{'|'.join(map(_field, line))}\n" for line in lines)


def _columns(run: ExportedRun, case: ExportedCase, record: Record) -> Mapping[str, str]:
    hosts = [host.name for host in record.hosts]
    return {
        "result": "pass" if case.outcome == "passed" else "fail",
        "job_completion_time": record.ended.isoformat(timespec="seconds"),
        "job_completion_time_unix": repr(record.ended.timestamp()),
        "descr": case.reason,
        "env_vars": "{}",
        "environ": record.backend,
        "job_nodelist": ",".join(hosts) or "None",
        "modules": "",
        "name": f"{case.benchmark} {case.label}",
        "num_cpus_per_task": str(record.threads),
        "num_tasks": str(record.ranks),
        "num_tasks_per_node": str(record.ranks // record.nodes),
        "partition": _partition(run, record),
        "short_name": case.benchmark,
        "system": run.machine.site.name,
        "unique_name": record.provenance.case if record.provenance else UNKNOWN,
    }


def _field(text: str) -> str:
    """Return text that neither ends the field nor the line."""
    return " ".join(printable(text).split()).replace("|", "/")
