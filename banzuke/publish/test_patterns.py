"""Tests of what is recognised by its form: paths, addresses, numbers of devices; and of what only looks alike."""

import pytest

from banzuke.publish.patterns import found, of_system, renamed


def marked(text: str, *, versions: bool = False) -> str:
    return renamed(text, lambda kind, _: f"<{kind}>", versions=versions)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/home/alice/my folder/x", "<path>"),
        ("--output=/home/alice/my folder/x", "--output=<path>"),
        ("-O3 -I/home/alice/include -L/opt/x", "-O3 -I<path> -L<path>"),
        ("/opt/x:/home/b:/usr/lib", "<path>:<path>:/usr/lib"),
        ("see ~alice/x and ~/y", "see <path> and <path>"),
        ("fastest (/srv/me/libx.so), 18 Gflop/s", "fastest (<path>), 18 Gflop/s"),
        ("/dev/shm/alice", "<path>"),
        ("/usr/local/centre/lib", "<path>"),
        ("nfs01:/export/scratch", "<path>"),
        ("10.0.0.1@o2ib:/scratch", "<path>"),
        ("https://n1-bmc/redfish/v1", "<url>"),
        ("file:///home/alice/x", "<url>"),
        ("ask alice@centre.example.ac.jp", "ask <mail>"),
        ("login.centre.ac.jp", "<domain>"),
        ("00:1b:2c:3d:4e:5f", "<address>"),
        ("00-1B-2C-3D-4E-5F", "<address>"),
        ("fe80::1%eth0 2001:db8::5 192.0.2.7", "<address> <address> <address>"),
        ("GPU-12345678-1234-1234-1234-123456789abc", "<id>"),
        ("MIG-12345678-1234-1234-1234-123456789abc", "<id>"),
        ("001b.2c3d.4e5f enx001b2c3d4e5f ::ffff:a01:203", "<address> <address> <address>"),
        ("ip-10-1-2-3", "<address>"),
        ("package: Open MPI bob@build9 Distribution", "package: Open MPI <mail> Distribution"),
        ("bob@10.0.0.1", "<mail>"),
        ("at //home/bob/x", "at <path>"),
        ("-isystem/scratch/x -I../bob/x ./bob/x", "-isystem<path> -I<path> <path>"),
        (r"%2Fhome%2Fbob C:\Users\bob \\server\share", "<path> <path> <path>"),
        ("node.bsc.es x.csc.fi x.nci.org.au x.psnc.pl", "<domain> <domain> <domain> <domain>"),
        ("registry.centre.example:5000/proj/image:1", "<domain>/proj/image:1"),
        ("0x506b4b0300f3a2c4 fec0:0000:0000:0001", "<id> <id>"),
    ],
)
def test_what_gives_somebody_away_is_replaced(text: str, clean: str) -> None:
    assert marked(text) == clean
    assert not list(found(clean)), "a second pass finds nothing"


@pytest.mark.parametrize(
    "text",
    [
        "2 flop x B/s",
        "0-8:1/4",
        "powercap/intel-rapl:0",
        "acct_gather_energy/rapl",
        "/proc/meminfo and SMBIOS",
        "/lib/x86_64-linux-gnu/libblas.so.3",
        "/dev/shm",
        "/",
        "01:05:55",
        "2026-11-27T01:05:55.299000Z",
        "0000:3b:00.0",
        "0.3.34.481.3 Haswell",
        "std::vector a::b ::1 127.0.0.1",
        "6.18.44-fc-v657",
        "317fbea7f3a87983",
        "partitions.cluster.node.memory",
        "libmpi.so.12",
        "-march=x86-64-v4",
        "openmpi@4.1.4 memcpy@GLIBC_2.14",
        "image@sha256:0123456789ab",
        "docker.io/library/ubuntu:22.04",
        "kernel.cl std.io memory.at libx.so.2",
        "2024.0216.1523",
    ],
)
def test_what_only_looks_alike_stays(text: str) -> None:
    assert marked(text) == text


def test_four_small_numbers_are_a_version_where_versions_are() -> None:
    assert marked("MPI 8.1.25.17", versions=True) == "MPI 8.1.25.17"
    assert marked("MPI 8.1.25.17") == "MPI <address>"
    assert marked("10.1.2.3", versions=True) == "<address>", "a private address is one everywhere"


def test_a_path_that_leaves_a_systems_folder_is_none_of_it() -> None:
    assert of_system("/usr/lib/../../home/alice") is False


def test_pseudonyms_beside_one_another_give_nothing_away() -> None:
    clean = renamed("10.1.2.3@host.cloud", lambda kind, _: f"{kind}-x")
    assert not list(found(clean))
