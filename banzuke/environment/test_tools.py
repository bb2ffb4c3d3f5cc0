import itertools
import resource
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from banzuke.environment import engines
from banzuke.environment.engines import Docker, Podman
from banzuke.environment.image import DEFINITION, NAME, ContainerImage
from banzuke.environment.inside import BindMount, Inside, RootLayout
from banzuke.environment.tools import Apptainer, Bubblewrap, Charliecloud, Runc, field, hybrid_cgroups
from banzuke.errors import BanzukeError
from banzuke.machine.tree import Tree
from banzuke.paths import PYTHON

AWKWARD = Path('/ho me/it\'s, "so"')
MOUNTS = (BindMount(Path("/tmp"), Path("/tmp"), writable=True), BindMount(AWKWARD, AWKWARD))
LIBRARIES = {"LD_LIBRARY_PATH": "/a b,c"}
LAYOUT = RootLayout(Path("/image"), (BindMount(Path("/image/usr"), Path("/usr")),), (("usr/lib", Path("/lib")),))
INSIDE = Inside(MOUNTS, LIBRARIES, LAYOUT)
NAMED = Inside(MOUNTS, LIBRARIES, "localhost/image:1")
HOST = Inside(MOUNTS, {}, RootLayout(Path("/"), (BindMount(Path("/usr"), Path("/usr")),), ()))


def values(words: Sequence[str], option: str) -> list[str]:
    return [value for name, value in itertools.pairwise(words) if name == option]


def test_bubblewrap_makes_a_root_of_the_images_entries() -> None:
    words = Bubblewrap("/usr/bin/bwrap").words(INSIDE, {})
    assert words[:2] == ["/usr/bin/bwrap", "--die-with-parent"]
    text = shlex.join(words)
    assert "--symlink usr/lib /lib --ro-bind /image/usr /usr --dev-bind /proc /proc" in text
    assert "--bind /tmp /tmp" in text
    assert values(words, "--ro-bind") == ["/image/usr", str(AWKWARD)]
    assert words[words.index("--setenv") :] == ["--setenv", "LD_LIBRARY_PATH", "/a b,c", "--chdir", "/", "--"]


def test_the_hosts_own_root_is_one_mount() -> None:
    assert "--ro-bind / / --dev-bind" in shlex.join(Bubblewrap("bwrap").words(HOST, {}))


def test_runtimes_get_every_entry() -> None:
    words = Runc("/usr/sbin/runc").words(HOST, {})
    modules = [*PYTHON, "-m", "banzuke.environment.follow", *PYTHON, "-m", "banzuke.environment.oci"]
    assert words[:9] == [*modules, "/usr/sbin/runc"]
    assert "/" not in words
    assert values(words, "--ro-bind") == ["/usr", str(AWKWARD)]


def test_charliecloud_finds_the_folders_that_it_mounts_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "image/usr").mkdir(parents=True)
    (tmp_path / "own").mkdir()
    mount = BindMount(tmp_path / "image/usr", Path("/usr"))
    made = RootLayout(tmp_path / "image", (mount,), (("usr/lib", Path("/lib")), ("/usr", Path("/all"))))
    target = Path("/all/own folder")
    seen = Inside((BindMount(tmp_path / "own", target),), LIBRARIES, made)
    words = Charliecloud("/usr/bin/ch-run").words(seen, {})
    assert not (tmp_path / "cache").exists()
    Charliecloud("/usr/bin/ch-run").prepare(seen)
    skeleton = Path(words[-2])
    assert (skeleton / "lib").readlink() == Path("usr/lib")
    assert (skeleton / "usr/own folder").is_dir()
    assert (skeleton / "proc").is_dir()
    assert f"--bind={tmp_path / 'own'}:{target}" in words
    assert "--set-env=LD_LIBRARY_PATH=/a b,c" in words
    assert not Path("/all").exists()


def test_charliecloud_makes_nothing_outside_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither through links of the image nor through a path with 40 links."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "own").mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    links = (("/", Path("/l")), (str(outside), Path("/evil")))
    target = Path("/" + "l/" * 40 + "evil/made")
    seen = Inside((BindMount(tmp_path / "own", target),), {}, RootLayout(tmp_path, (), links))
    with pytest.raises(BanzukeError, match="Too many levels of symbolic links"):
        Charliecloud("ch-run").prepare(seen)
    assert list(outside.iterdir()) == []


def test_charliecloud_refuses_a_colon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    odd = tmp_path / "a:b"
    odd.mkdir()
    with pytest.raises(BanzukeError, match="colon"):
        Charliecloud("ch-run").words(Inside((BindMount(odd, odd),), {}, RootLayout(tmp_path, (), ())), {})


def test_podman_shares_what_ranks_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "hybrid_cgroups", lambda _: True)
    monkeypatch.setattr(engines, "find_program", lambda _: "/usr/sbin/runc")
    words = Podman("/usr/bin/podman").words(INSIDE, {})
    assert words[:9] == [*[*PYTHON, "-m", "banzuke.environment.follow"] * 2, "/usr/bin/podman"]
    assert values(words, "--runtime") == ["/usr/sbin/runc"]
    assert [values(words, f"--{kind}") for kind in ("network", "pid", "ipc", "uts")] == [["host"]] * 4
    assert values(words, "--mount") == [
        "type=bind,source=/tmp,target=/tmp",
        'type=bind,source="/ho me/it\'s, ""so""",target="/ho me/it\'s, ""so""",readonly',
    ]
    assert values(words, "--env") == ["LD_LIBRARY_PATH=/a b,c"]
    assert words[-2:] == ["--rootfs", "/image:O"]
    assert Podman("podman").words(NAMED, {})[-1] == "localhost/image:1"


def test_podman_asks_for_no_more_than_the_hard_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 2000))
    assert values(Podman("podman").words(INSIDE, {}), "--ulimit") == ["nofile=2000:2000", "nproc=2000:2000"]


def test_docker_passes_by_name_what_ranks_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.setenv("HOME_ALONE", "1")
    names = values(Docker("docker").words(NAMED, {"BANZUKE_BLAS": "/x.so"}), "--env")
    assert {"OMP_NUM_THREADS", "BANZUKE_BLAS", "PMIX_RANK", "LD_LIBRARY_PATH=/a b,c"} <= set(names)
    assert "HOME_ALONE" not in names


def test_apptainer_by_its_documentation() -> None:
    words = Apptainer("/usr/bin/apptainer").words(NAMED, {})
    assert words[:2] == ["env", "APPTAINERENV_LD_LIBRARY_PATH=/a b,c"]
    assert words[2:6] == ["/usr/bin/apptainer", "exec", "--pwd", "/"]
    assert values(words, "--mount")[0] == "type=bind,src=/tmp,dst=/tmp"
    assert words[-1] == "localhost/image:1"
    assert Apptainer("/usr/bin/singularity").words(NAMED, {})[1].startswith("SINGULARITYENV_")
    with pytest.raises(BanzukeError, match="no store of images by name"):
        Apptainer("apptainer").own_image(ContainerImage(NAME, "debian:12"))


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_docker_without_a_daemon_says_so(tmp_path: Path) -> None:
    docker = Docker(script(tmp_path / "docker", "echo Server: >&2; echo Cannot connect to the daemon >&2; exit 1"))
    assert docker.problem() == "Cannot connect to the daemon"
    assert Docker(script(tmp_path / "works", "echo fine")).problem() == ""
    assert "No such file" in Docker(str(tmp_path / "gone")).problem()


def test_a_definition_is_built_each_time_under_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "context").mkdir()
    file = tmp_path / "context/Containerfile"
    file.write_text("FROM scratch\n")
    log = tmp_path / "log"
    text = f'echo "$@" >> {log}; case "$*" in *--format*) echo abc 5 amd64;; esac'
    monkeypatch.setattr(Podman, "start", lambda self: [self.program])
    podman = Podman(script(tmp_path / "podman", text))
    name, said = podman.own_image(ContainerImage(DEFINITION, str(file)))
    assert said == {"image_digest": "abc", "image_size": "5", "image_architecture": "amd64"}
    built = [line for line in log.read_text().splitlines() if line.startswith("build")]
    assert built == [f"build --network host --file {file} --tag {name} {file.parent}"]
    assert podman.own_image(ContainerImage(DEFINITION, str(file)))[0] == name
    assert log.read_text().splitlines().count(built[0]) == 2


def test_a_build_that_fails_says_why(tmp_path: Path) -> None:
    file = tmp_path / "Containerfile"
    file.write_text("FROM nothing\n")
    docker = Docker(script(tmp_path / "docker", "echo no such base >&2; exit 125"))
    with pytest.raises(BanzukeError, match=r"cannot be built \(no such base\)"):
        docker.own_image(ContainerImage(DEFINITION, str(file)))


@pytest.mark.parametrize(("text", "written"), [("/a b", "/a b"), ("/a,b", '"/a,b"'), ('/a"b', '"/a""b"')])
def test_fields_are_quoted_as_in_csv(text: str, written: str) -> None:
    assert field(text) == written


def test_hybrid_cgroups_are_seen(tmp_path: Path) -> None:
    groups = tmp_path / "sys/fs/cgroup"
    (groups / "unified").mkdir(parents=True)
    assert not hybrid_cgroups(Tree(tmp_path))
    (groups / "unified/cgroup.procs").touch()
    assert hybrid_cgroups(Tree(tmp_path))
    (groups / "cgroup.controllers").touch()
    assert not hybrid_cgroups(Tree(tmp_path))
