"""Operations and transfers per clock of devices, by their architecture as the vendor names it.

Multiply-adds of NVIDIA's multiprocessors: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions";
those of tensor cores: the white papers of V100, A100, H100 and B200, dense. Of AMD's compute units: the white papers of
CDNA, CDNA 2, CDNA 3 and CDNA 4, table 1, dense; half of the operations that they print.
"""

from collections.abc import Mapping
from dataclasses import dataclass

DOUBLE_RATE = 2
QUADRUPLE_RATE = 4


@dataclass(frozen=True)
class Architecture:
    rates: Mapping[str, int]
    """Multiply-adds per clock of a multiprocessor, by format; `_matrix`: of the matrix units."""
    cores: int | None = None
    """Cores of a multiprocessor as NVML counts them: lanes of FP32. None: the driver reports multiprocessors."""
    transfers: int | None = DOUBLE_RATE
    """Memory transfers per clock, with the clock as the driver reports it. None: not known."""
    link: float | None = None
    """B/s each way of one link to another device, where it follows from the architecture."""


@dataclass(frozen=True)
class Terms:
    """A vendor's own terms, which derivations of peaks use."""

    multiprocessor: str
    matrix_units: str
    architecture: str
    transfers: int | None = None
    """Memory transfers per clock, for any architecture."""


TERMS: Mapping[str, Terms] = {
    # NVML reports the clocks of HBM and GDDR memory in the same way.
    "NVIDIA": Terms("multiprocessor", "tensor cores", "compute capability {}", DOUBLE_RATE),
    "AMD": Terms("compute unit", "matrix cores", "{}"),
}
OTHERS = Terms("multiprocessor", "matrix units", "{}")

_GB = 1e9
ARCHITECTURES: Mapping[str, Architecture] = {
    "6.0": Architecture({"fp64": 32, "fp32": 64}, 64),
    "6.1": Architecture({"fp64": 4, "fp32": 128}, 128),
    "7.0": Architecture({"fp64": 32, "fp32": 64, "fp16_matrix": 512}, 64),
    "7.5": Architecture({"fp64": 2, "fp32": 64, "fp16_matrix": 512}, 64),
    "8.0": Architecture(
        {"fp64": 32, "fp64_matrix": 64, "fp32": 64, "tf32_matrix": 512, "fp16_matrix": 1024, "bf16_matrix": 1024},
        64,
    ),
    "8.6": Architecture({"fp64": 2, "fp32": 128}, 128),
    "8.9": Architecture({"fp64": 2, "fp32": 128}, 128),
    "9.0": Architecture(
        {"fp64": 64, "fp64_matrix": 128, "fp32": 128, "tf32_matrix": 1024, "fp16_matrix": 2048, "bf16_matrix": 2048},
        128,
    ),
    "10.0": Architecture(
        {"fp64": 64, "fp64_matrix": 64, "fp32": 128, "tf32_matrix": 2048, "fp16_matrix": 4096, "bf16_matrix": 4096},
        128,
    ),
    "12.0": Architecture({"fp64": 2, "fp32": 128}, 128),
    # MI100. Links: 23 GT/s x 16 bit (ROCm's page of its architecture).
    "gfx908": Architecture(
        {"fp64": 32, "fp32": 64, "fp32_matrix": 128, "fp16_matrix": 512, "bf16_matrix": 256}, link=46 * _GB
    ),
    # MI210, MI250, MI250X: one die of two. FP32 by packed instructions, two at a time. Links: 25 GT/s x 16 bit.
    "gfx90a": Architecture(
        {"fp64": 64, "fp64_matrix": 128, "fp32": 128, "fp32_matrix": 128, "fp16_matrix": 512, "bf16_matrix": 512},
        link=50 * _GB,
    ),
    # MI300A, MI300X, MI325X. The driver reports 1.3 GHz for memory at 5.2 GT/s. Links: 32 GT/s x 16 bit.
    "gfx942": Architecture(
        {
            "fp64": 64,
            "fp64_matrix": 128,
            "fp32": 128,
            "fp32_matrix": 128,
            "tf32_matrix": 512,
            "fp16_matrix": 1024,
            "bf16_matrix": 1024,
        },
        transfers=QUADRUPLE_RATE,
        link=64 * _GB,
    ),
    # MI350X, MI355X. It is not known which clock of the memory the driver reports.
    "gfx950": Architecture(
        {"fp64": 64, "fp64_matrix": 64, "fp32": 128, "fp32_matrix": 128, "fp16_matrix": 2048, "bf16_matrix": 2048},
        transfers=None,
    ),
}
