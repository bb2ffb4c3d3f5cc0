"""Banzuke: evaluate a computer with one command."""

__version__: str


def __getattr__(name: str) -> str:
    """The version is looked up when it is asked for: an interrupt before `__main__` has begun shows a traceback."""
    if name != "__version__":
        raise AttributeError(f"module 'banzuke' has no attribute '{name}'")
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("banzuke")
    except PackageNotFoundError:  # read from the sources without an installation, as linters do
        return "0+unknown"
