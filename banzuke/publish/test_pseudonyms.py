"""Tests of pseudonyms: the same for the same name and key, ranges stay ranges, nobody can test guesses."""

from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.publish.pseudonyms import Pseudonyms, one_name_each, publisher_key
from banzuke.record.hosts import Hosts

KEY, OTHER = b"k" * 32, b"o" * 32


def test_a_name_has_one_pseudonym_for_each_key() -> None:
    assert Pseudonyms(KEY).name("user", "alice") == Pseudonyms(KEY).name("user", "Alice")
    assert Pseudonyms(KEY).name("user", "alice") != Pseudonyms(OTHER).name("user", "alice")
    assert Pseudonyms(KEY).host("n1") == Pseudonyms(KEY).host("N1.centre.example")
    assert Pseudonyms(KEY).host("n1") != Pseudonyms(KEY).host("n2")


@pytest.mark.parametrize("names", ["n[001-128]", "n[8-12]", "r1i2n[1-4]", "n[1-4].centre.jp", "node[99998-100002]"])
def test_a_range_stays_a_range_of_the_same_hosts(names: str) -> None:
    whole = Hosts(names=names, ranks="0-1023" if "128" in names else "0-19")
    renamed = Hosts(names=Pseudonyms(KEY).hosts(names), ranks=whole.ranks)
    assert [host.name for host in renamed.each] == [Pseudonyms(KEY).host(host.name) for host in whole.each]
    assert [host.ranks for host in renamed.each] == [host.ranks for host in whole.each]


def test_numbers_of_hosts_are_hidden_and_their_order_is_not() -> None:
    first, second, later = (Pseudonyms(KEY).host(name).rpartition("-")[2] for name in ("n001", "n002", "n040"))
    assert (int(second) - int(first), int(later) - int(first)) == (1, 39)
    assert int(first) > 1000
    assert Pseudonyms(KEY).host("n001").rpartition("-")[2] != Pseudonyms(OTHER).host("n001").rpartition("-")[2]


def test_a_list_is_renamed_item_by_item() -> None:
    pseudonyms = Pseudonyms(KEY)
    assert pseudonyms.hosts("n1, m[2-3],login") == ",".join(
        [pseudonyms.host("n1"), pseudonyms.hosts("m[2-3]"), pseudonyms.host("login")]
    )
    assert pseudonyms.hosts("n[1,3-5]") == ",".join([pseudonyms.host("n1"), pseudonyms.hosts("n[3-5]")])


def test_two_hosts_never_get_one_name() -> None:
    one_name_each(["n1", "n1.centre.jp", "n2", "m1"], Pseudonyms(KEY))
    for pair in (["n1", "n01"], ["n1.a.jp", "n1.b.jp"]):
        with pytest.raises(BanzukeError, match="would get one name"):
            one_name_each(pair, Pseudonyms(KEY))


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "data" / "publisher.key"
    publisher_key(file, make=False)
    assert not file.exists()
    key = publisher_key(file, make=True)
    assert publisher_key(file, make=True) == key
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    with pytest.raises(BanzukeError, match="open to others"):
        publisher_key(file, make=True)
    file.write_text("no key\n")
    with pytest.raises(BanzukeError, match="not a publisher's key"):
        publisher_key(file, make=True)
