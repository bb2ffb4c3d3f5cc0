"""Energy of NVIDIA devices by NVML, whose counter (since Volta) is exact where its powers are samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from banzuke.errors import BanzukeError
from banzuke.power.integrate import Sensor

MODULE = "pynvml"
"""Of the package nvidia-ml-py, which is used where it is installed."""


@dataclass
class Nvml:
    host: str

    def sensors(self) -> Sequence[Sensor]:
        """Of all devices. Raises BanzukeError."""
        return [Sensor(name, "energy", "device") for name in self.read()]

    def read(self) -> Mapping[str, float]:
        library = _library()
        try:
            library.nvmlInit()
            handles = [library.nvmlDeviceGetHandleByIndex(place) for place in range(library.nvmlDeviceGetCount())]
            return {f"nvml/{place}": _joule(library, handle) for place, handle in enumerate(handles)}
        except library.NVMLError as error:
            raise BanzukeError("NVML gave no reading", why=str(error)) from error


def _joule(library: ModuleType, handle: Any) -> float:
    """It counts mJ."""
    return float(library.nvmlDeviceGetTotalEnergyConsumption(handle)) / 1e3


def installed() -> bool:
    try:
        _library()
    except BanzukeError:
        return False
    return True


def _library() -> ModuleType:
    try:
        return import_module(MODULE)
    except ImportError as error:
        raise BanzukeError("NVML cannot be asked", why=f"not installed: {MODULE}") from error
