"""Stands in for what descriptions lack: the share of theoretical rates that machines sustain, with range and source.

There is one set for all machines. Each source names where the number comes from; for `host.dgemm` it is the K computer
alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Constant:
    """A number that stands in for what is not described, and its range on most machines."""

    value: float
    low: float
    high: float
    title: str
    """Title for the middle of a sentence: `share of the peak that DGEMM sustains on processors`."""
    source: str
    unit: str = "1"

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise ValueError(f"{self.title}: {self.value} is not between {self.low} and {self.high}")


ASSUMED = "assumed"
OF_PROCESSORS: Mapping[str, str] = {"flops.fp64": "host.dgemm", "memory.bytes": "host.memory"}
OF_DEVICES: Mapping[str, str] = {"flops.fp64": "device.dgemm", "memory.bytes": "device.memory"}
"""Constant by resource that turns its peak into a rate."""
SHARED: Mapping[str, Constant] = {
    "host.dgemm": Constant(
        0.93,
        0.85,
        0.98,
        "share of the processors' peak that DGEMM sustains",
        "0.95 or more: 68,544 nodes of the K computer ran HPL at 93.0% (TOP500, June 2011), which is less than DGEMM; "
        "the lower end is assumed",
    ),
    "device.dgemm": Constant(
        0.91,
        0.87,
        0.97,
        "share of a device's peak that DGEMM sustains",
        "median and range of 0.87: cuBLAS 7.0's DGEMM on a K40 at its base clock (clMathLibraries/clBLAS, "
        "doc/performance); and of SGEMM, P100 SXM2 0.90 and V100 SXM2 0.92 (zzc0721/torch-performance-test-data, "
        "issues 180 and 140), A100 0.97 (Yinghan-Li/YHs_Sample, issue 4)",
    ),
    "host.memory": Constant(
        0.75,
        0.63,
        0.84,
        "share of the processors' memory bandwidth that Triad moves",
        "median and range of ten processors (A64FX, Broadwell, Skylake, Cascade Lake, Naples, Rome, ThunderX2, "
        "Graviton2, eMAG, POWER9): Triad of BabelStream in UoB-HPC/performance-portability, 2019 and 2020, over "
        "channels x width x rate, counting the read before a plain store",
    ),
    "device.memory": Constant(
        0.8,
        0.72,
        0.94,
        "share of a device's memory bandwidth that Triad sustains",
        "median and range of nine devices: Triad of BabelStream in UoB-HPC/performance-portability, 2019 and 2020 "
        "(K20, K20X, P100, V100, A100, RTX 2080 Ti, MI50, Radeon VII), and an H100's copy in "
        "aigatech/vpbenchmarking",
    ),
    "memory.usable": Constant(
        0.9,
        0.85,
        0.95,
        "share of the memory that the system leaves to a job",
        "0.875: 224 of 256 GB of a LUMI-C node, Lumi-supercomputer/lumi-userguide; 0.95: the user guide of AWS Batch",
    ),
    "link.share": Constant(
        0.95,
        0.88,
        0.98,
        "share of a link's rate that large messages sustain",
        "0.93: Ajima et al., The Tofu Interconnect D (CLUSTER 2018), abstract; 0.98: osu_bw on InfiniBand, 1.96 of 2 "
        "GB/s (QLogic's OFED+ manual IB6054601-00 H), 12.25 of 12.5 and 24.5 of 25 GB/s (outputs in public "
        "repositories)",
    ),
    "link.latency": Constant(
        1.3e-6,
        0.8e-6,
        2.5e-6,
        "latency of the smallest message",
        "1.05 and 1.26 us: osu_latency in QLogic's OFED+ manuals IB6054601-00 H and D, appendix B; 2.1 us at most "
        "between 16 processes in a public hpccoutf.txt; the ends are assumed",
        "s",
    ),
    "ethernet.share": Constant(
        0.7,
        0.5,
        0.94,
        "share of an Ethernet link's rate that large messages sustain",
        "0.94: 1,448 of 1,538 bytes of a frame are TCP's payload; less where processors copy and several ranks share "
        "it, which is assumed",
    ),
    "ethernet.latency": Constant(
        40e-6, 20e-6, 70e-6, "latency of the smallest message over Ethernet", f"{ASSUMED}; TCP through the kernel", "s"
    ),
    "host_link.share": Constant(
        0.75,
        0.65,
        0.82,
        "share of the rate of a device's host link that is sustained",
        "0.73 and 0.80: 11.7 GB/s to and 12.9 GB/s from a P100 over 16 GB/s of PCI Express (bandwidthTest, "
        "microway.com/hpc-tech-tips, Tesla P100 PCI-E); less is assumed when both directions are busy",
    ),
    "spread": Constant(
        0.0075,
        0.0,
        0.015,
        "standard deviation of the nodes' rates",
        "0.015: 8% between the whiskers, 5.4 standard deviations, over the V100s of several clusters "
        "(arXiv:2208.11035); 68,544 nodes of the K computer, which have a fixed clock, lost 7% to all causes together "
        "(TOP500, June 2011), so at most 0.01 to this one",
    ),
}
"""Shared constants by name; a benchmark's model adds its own, whose names begin with the benchmark's."""
CORE = Constant(
    12e9,
    9e9,
    17.6e9,
    "rate at which one core alone moves bytes",
    "SingleSTREAM Triad of four public hpccoutf.txt, with what stores read: 9.5, 12.0, 13.6 and 17.6 GB/s",
    "B/s",
)
FURTHER = Constant(0.4, 0.2, 1.0, "time of a further message over that of the first, when many are sent", ASSUMED)
"""FURTHER and CORE are used by several models, each under a name of its own."""
