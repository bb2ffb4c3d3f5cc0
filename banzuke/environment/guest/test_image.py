import os
from pathlib import Path

import pytest

from banzuke.environment.guest.image import HOST, GuestImage, disk_format, image
from banzuke.errors import BanzukeError


@pytest.mark.parametrize(
    ("at", "magic", "kind"),
    [
        (0, b"QFI\xfb", "qcow2"),
        (0, b"hsqs", "raw"),
        (0, b"XFSB", "raw"),
        (0x438, b"\x53\xef", "raw"),
        (0x1FE, b"\x55\xaa", "raw"),
        (0, b"\x7fELF", ""),
    ],
)
def test_a_disk_is_known_by_its_first_bytes(tmp_path: Path, at: int, magic: bytes, kind: str) -> None:
    path = tmp_path / "disk"
    path.write_bytes(bytes(at) + magic + bytes(2000))
    assert disk_format(path) == kind


def test_a_folder_a_disk_and_the_host(tmp_path: Path) -> None:
    assert image("") is HOST
    assert image(str(tmp_path)) == GuestImage(folder=str(tmp_path))
    (tmp_path / "disk").write_bytes(b"hsqs")
    assert image(str(tmp_path / "disk")).disk == f"raw:{tmp_path}/disk"


def test_what_is_no_image_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match="No such file"):
        image(str(tmp_path / "none"))
    (tmp_path / "text").write_text("text")
    with pytest.raises(BanzukeError, match=r"is not an image .*qemu-img convert"):
        image(str(tmp_path / "text"))


def test_a_pipe_is_no_image_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BanzukeError, match="is not an image"):
        image(str(tmp_path / "pipe"))
