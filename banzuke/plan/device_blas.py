"""Vendors' libraries of dense algebra on devices."""

from collections.abc import Mapping

from banzuke.plan.capabilities import Library

CUBLAS = Library(
    "cuBLAS",
    "BANZUKE_CUBLAS",
    "`pip install nvidia-cublas` into the environment",
    ("libcublas.so.13", "libcublas.so.12"),
)
ROCBLAS = Library("rocBLAS", "BANZUKE_ROCBLAS", "Install rocblas", ("librocblas.so", "librocblas.so.4"))

DEVICE_BLAS: Mapping[str, Library] = {"cuda": CUBLAS, "hip": ROCBLAS}
"""Library by backend."""
