"""Names and rows of theoretical peaks."""

from banzuke.machine.site import (
    Peaks,
)
from banzuke.report.fact_table import SpecificationRow, amount, row
from banzuke.words import Derived, Message, message


def peak_name(resource: str) -> Message:  # noqa: PLR0911  (one for each that has a name)
    """Return the name of a resource's theoretical peak, or its code where it has no name."""
    match resource:
        case "flops.fp64":
            return message("report-peak-fp64")
        case "flops.fp64_matrix":
            return message("report-peak-fp64-matrix")
        case "flops.tf32_matrix":
            return message("report-peak-tf32-matrix")
        case "flops.fp32":
            return message("report-peak-fp32")
        case "flops.fp16":
            return message("report-peak-fp16")
        case "flops.fp16_matrix":
            return message("report-peak-fp16-matrix")
        case "flops.bf16_matrix":
            return message("report-peak-bf16-matrix")
        case "memory.bytes":
            return message("report-peak-memory")
        case _:
            return message("report-peak-other", name=resource)


def peak_of(resource: str, whose: Message | None) -> Message:
    peak = peak_name(resource)
    return peak if whose is None else message("report-peak-of", peak=peak, whose=whose)


def peak_rows(peaks: Peaks, whose: Message | None = None) -> list[SpecificationRow]:
    return [
        row(peak_of(name, whose), amount(peak.value, peak.unit), Derived(peak.derivation))
        for name, peak in peaks.items()
    ]
