"""Files are whole or not there."""

import os
import resource
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.files import write_whole


def test_a_write_that_is_cut_short_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("old", encoding="utf-8")
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_whole(target, b"x" * 5000)
        except BanzukeError as error:
            os._exit(0 if "cannot write" in str(error) else 3)
        os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_a_folder_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BanzukeError, match=r"cannot write .*name another folder"):
        write_whole(tmp_path / "file" / "file.txt", b"")
