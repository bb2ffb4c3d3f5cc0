"""Banzuke: evaluate a computer with one command."""

__version__: str


def __getattr__(name: str) -> str:
    """Look the version up only when it is asked for; done on import, an interrupt before `__main__` begins would show a
    traceback.
    """
    if name != "__version__":
        raise AttributeError(f"module 'banzuke' has no attribute '{name}'")
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("banzuke")
    except PackageNotFoundError:  # read from the sources without an installation, as linters do
        return "0+unknown"
