"""What identifies by its form alone, wherever it stands: addresses, paths, device numbers, mail addresses."""

import re
from collections.abc import Callable, Iterator
from ipaddress import IPv6Address, IPv6Network, ip_address

Rename = Callable[[str, str], str]
"""Takes a kind of identifier and its text, and returns its pseudonym."""

_HEX = "[0-9A-Fa-f]"
_APART = r"(?<![^\W_])"
"""No letter or digit before; an underscore may stand there."""
_ENDS = r"(?![^\W_])"
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>()]*")
_MAIL = re.compile(
    r"(?<![\w.+-])(?=[\w.+-]*[^\W\d_])[\w.+-]+@(?!sha\d|[A-Z]+_\d)"
    r"(?:(?=[\d-]*[^\W\d])[\w-]+(?:\.[\w-]+)*|\d{1,3}(?:\.\d{1,3}){3}(?![\w.]))"
)
"""A mail address, or a user and a host. Not `openmpi@4.1.4`, `memcpy@GLIBC_2.14` and `image@sha256:...`."""
_REMOTE = re.compile(r"(?<![\w/.-])[\w.@-]+(?::[\w.@-]+)*:/(?!/)[^\s,;\"'()]*")
"""Files of a server: `nfs01:/export`."""
_BEHIND = "|".join(
    ("(?<=(?<!\\w)-[A-Za-z])", *(f"(?<=-{flag})" for flag in ("isystem", "iquote", "idirafter", "rpath")))
)
"""Behind an option that a path follows without a space."""
_IN_PATH = r"[^\s:;,\"'<>|()\[\]{}]"
_PATH = re.compile(rf"(?:(?<![\w.~)\]}}>-])|{_BEHIND})(?:~[\w.-]*)?/{_IN_PATH}*")
_ELSEWHERE = re.compile(
    rf"(?:(?<![\w.~/-])|{_BEHIND})\.{{1,2}}/{_IN_PATH}+|(?:%2F[\w.~%+-]+)+|(?<!\w)[A-Z]:\\{_IN_PATH}+|"
    rf"\\\\[\w.-]+\\{_IN_PATH}+",
    re.IGNORECASE,
)
"""Paths from the current folder, in addresses of pages, and of Windows."""
_WHOLE_PATH = re.compile(r"(--?[\w-]+=|[A-Za-z_]\w*=)?((?:~[\w.-]*)?/[^:;,\n]*)")
"""A string that is one path, which may contain spaces, perhaps after an option."""
_MAC = re.compile(
    rf"{_APART}(?:{_HEX}{{2}}(?:[:-]{_HEX}{{2}}){{5,19}}|(?:enx|wlx){_HEX}{{12}}){_ENDS}|"
    rf"(?<![\w.])(?=[\d.]*[A-Fa-f])(?:{_HEX}{{4}}\.){{2}}{_HEX}{{4}}(?![\w.])"
)
"""Also as in the name of an interface, and as in a switch's configuration."""
_GUID = re.compile(rf"{_APART}(?:0x{_HEX}{{12,32}}|(?:{_HEX}{{4}}:){{3}}{_HEX}{{4}}){_ENDS}")
_UUID = re.compile(rf"{_APART}(?:[A-Z]{{2,4}}-)?{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}{_ENDS}")
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)")
_IN_NAME = re.compile(rf"{_APART}ip(?:-\d{{1,3}}){{4}}{_ENDS}", re.IGNORECASE)
"""An address as clouds call hosts."""
_IPV6 = re.compile(rf"(?<![\w:.])(?:{_HEX}{{0,4}}:){{2,7}}(?:{_HEX}{{0,4}}|\d+(?:\.\d+){{3}})(?:%\w+)?(?![\w:])")
_IPV6_NETWORKS = tuple(map(IPv6Network, ("2000::/3", "fc00::/7", "fe80::/10", "::ffff:0:0/96")))
"""Addresses in use; others, such as `a::b`, are names of programs."""
_LABEL = r"[A-Za-z0-9][\w-]*\."
_COUNTRIES = "ar|au|br|ca|ch|cn|cz|de|dk|es|eu|fi|fr|gr|hk|hu|ie|il|it|jp|kr|mx|nl|nz|pt|ro|ru|se|sg|tr|tw|ua|uk|za"
_WORDS = "ae|at|be|bg|cl|ee|hr|id|in|io|ir|is|lt|lu|lv|my|no|pl|sa|si|sk|th|vn"
"""Countries that are also words or ends of files' names: a domain only with two names before."""
_DOMAIN = re.compile(
    rf"{_APART}(?:(?:{_LABEL})+(?:(?:ac|go|or|ne|co|edu|gov)\.[a-z]{{2}}|com|org|edu|gov|net|mil|{_COUNTRIES}|"
    rf"local|localdomain|lan|internal|intranet|cluster|hpc)|(?:{_LABEL}){{2,}}(?:{_WORDS}))(?::\d+(?=/))?{_ENDS}(?!\.\w)|"
    rf"{_APART}(?:{_LABEL})+[\w-]+:\d+(?=/)",
    re.IGNORECASE,
)
"""A name of a known form, or of a registry of images with its port."""
SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/proc", "/sys")
"""Folders that every system has, and what lies in them with few exceptions."""
_NOT_SYSTEM = ("/usr/local", "/usr/home", "/usr/people")
_ALONE = ("/", "/dev", "/dev/shm", "/dev/null", "/tmp", "/var", "/var/tmp", "/opt", "/home", "/etc", "/run")  # noqa: S108
"""Paths that say nothing by themselves, though what lies in them may."""
VERSIONS = {"software", "compilers", "mpi", "blas", "driver", "toolkit", "kernel", "version", "libraries"}
"""Keys under which four small numbers are a version rather than an address, unless they are a private one."""

_MOST_PASSES = 4


def of_system(path: str) -> bool:
    """Return whether a path is that of any system."""
    plain = path.rstrip("/.") or "/"
    if plain in _ALONE or (plain.startswith("/dev/") and plain.count("/") == 2 and plain.isascii()):
        return True
    inside = any(plain == root or plain.startswith(f"{root}/") for root in SYSTEM)
    return inside and not any(plain.startswith(root) for root in _NOT_SYSTEM) and "/.." not in path


def renamed(text: str, rename: Rename, *, versions: bool = False) -> str:
    """Return the text with pseudonyms for all that its form gives away; `versions`: it may hold version numbers.

    A pseudonym may be part of what another form gives away, as in an address before `@`.
    """
    for _ in range(_MOST_PASSES):
        before, text = text, _once(text, rename, versions)
        if text == before:
            break
    return text


def _once(text: str, rename: Rename, versions: bool) -> str:  # noqa: FBT001
    text = _URL.sub(lambda match: rename("url", match[0]), text)
    text = _MAIL.sub(lambda match: rename("mail", match[0]), text)
    whole = _WHOLE_PATH.fullmatch(text)
    if whole and " /" not in whole[2] and not of_system(whole[2].partition(" ")[0]):
        text = f"{whole[1] or ''}{rename('path', whole[2])}"
    for pattern in (_REMOTE, _ELSEWHERE):
        text = pattern.sub(lambda match: rename("path", match[0]), text)
    text = _PATH.sub(lambda match: match[0] if of_system(match[0]) else rename("path", match[0]), text)
    for kind, pattern in (("address", _MAC), ("address", _IN_NAME), ("id", _UUID), ("id", _GUID)):
        text = pattern.sub(lambda match, kind=kind: rename(kind, match[0]), text)  # type: ignore[misc]
    text = _IPV4.sub(lambda match: rename("address", match[0]) if _is_address(match[0], versions) else match[0], text)
    text = _IPV6.sub(lambda match: rename("address", match[0]) if _is_address(match[0], False) else match[0], text)
    return _DOMAIN.sub(lambda match: rename("domain", match[0]), text)


def found(text: str, *, versions: bool = False) -> Iterator[str]:
    """Yield what would be renamed."""
    seen: list[str] = []

    def note(_kind: str, match: str) -> str:
        seen.append(match)
        return ""

    _once(text, note, versions)
    yield from seen


def _is_address(text: str, versions: bool) -> bool:  # noqa: FBT001
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if address.is_unspecified or address.is_loopback:
        return False
    if isinstance(address, IPv6Address):
        return any(address in network for network in _IPV6_NETWORKS)
    return not versions or address.is_private
