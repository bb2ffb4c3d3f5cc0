import sys
from pathlib import Path

from banzuke.environment.guest import initramfs


def entries(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Return mode and content by name, read by the kernel's rules."""
    files: dict[str, tuple[int, bytes]] = {}
    at = 0
    while True:
        assert archive[at : at + 6] == b"070701"
        fields = [int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        name = archive[at + 110 : at + 110 + fields[11] - 1].decode()
        at += 110 + fields[11]
        at += -at % 4
        if name == "TRAILER!!!":
            return files
        files[name] = fields[1], archive[at : at + fields[6]]
        at += fields[6] + -fields[6] % 4


def test_the_archive_holds_files_their_folders_and_the_console() -> None:
    files = entries(initramfs.archive({"/init": b"12345", "/modules/a.ko": b"", "/lib/x/y.so": b"1234"}))
    assert list(files)[:4] == ["dev", "lib", "lib/x", "modules"]
    assert files["init"] == (0o100755, b"12345")
    assert files["lib/x/y.so"] == (0o100755, b"1234")
    assert files["dev/console"][0] == 0o020600


def test_a_program_comes_with_its_loader_and_libraries() -> None:
    files = initramfs.with_libraries(Path(sys.executable))
    assert files["/init"][:4] == b"\x7fELF"
    assert any(Path(path).name.startswith(("ld-linux", "ld-musl")) for path in files)
    assert any("libc." in path for path in files)


def test_settings_carry_any_text() -> None:
    assert initramfs.settings([("word", "a b\nc=\udcff"), ("word", "")]) == b"word\0a b\nc=\xff\0word\0\0"
