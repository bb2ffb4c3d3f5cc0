import os
from pathlib import Path

import pytest

from banzuke.cli.current_folder import check_folder
from banzuke.errors import BanzukeError


def test_settings_that_another_user_wrote_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """UCX reads such settings wherever a program with MPI starts."""
    monkeypatch.chdir(tmp_path)
    check_folder()
    file = tmp_path / "ucx.conf"
    file.write_text("UCX_PROFILE_MODE=log\nUCX_PROFILE_FILE=/what/root/may/write\n")
    check_folder()
    file.chmod(0o666)
    with pytest.raises(BanzukeError, match=r"MPI would take settings from ucx\.conf.*can be written by everybody"):
        check_folder()
    file.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(file, 12345, -1)
        with pytest.raises(BanzukeError, match="belongs to user 12345"):
            check_folder()
