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
