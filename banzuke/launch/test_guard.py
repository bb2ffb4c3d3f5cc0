"""The lock of a results folder; tests/test_faults.py kills real runs."""

import subprocess
import sys
from pathlib import Path

CODE = """
import sys
from pathlib import Path
from banzuke.launch.guard import guard
waited = []
guard(Path(sys.argv[1]), waited.append)
guard(Path(sys.argv[1]) / '..' / Path(sys.argv[1]).name, waited.append)
print(waited)
"""


def test_a_process_does_not_wait_for_itself(tmp_path: Path) -> None:
    words = [sys.executable, "-c", CODE, str(tmp_path)]
    assert subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout == "[]\n"


def test_nothing_in_the_current_folder_is_executed(tmp_path: Path) -> None:
    """Others may be able to write there; each of these names is looked for when the watchdog starts."""
    for name in ("importlib", "atexit", "sitecustomize", "banzuke"):
        (tmp_path / f"{name}.py").write_text("from pathlib import Path\nPath('executed').touch()\n")
    words = [sys.executable, "-P", "-c", CODE, str(tmp_path)]
    subprocess.run(words, capture_output=True, timeout=60, check=True, cwd=tmp_path)
    assert not (tmp_path / "executed").exists()
