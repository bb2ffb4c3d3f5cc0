"""Lines of keys in TOML files."""

import pytest

from banzuke.machine.lines import line_of

TEXT = """\
name = "Sea"  # 1
[partitions.cpu]
nodes = 5
batch.queue = "x"
hosts = [
  "n1",
]
[[partitions.cpu.node.processors]]
cores = 4
[[partitions.cpu.node.processors]]
cores = 8
[partitions.cpu.node.processors.peaks]
"flops.fp64" = { value = 1, unit = "flop/s" }
[ partitions . "a b" ]
'nodes' = 2
text = '''
[areas.x]
'''
[[figure]]
[[figure]]
value = 3
"""


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (("name",), 1),
        (("partitions", "cpu", "nodes"), 3),
        (("partitions", "cpu", "batch", "queue"), 4),
        (("partitions", "cpu", "hosts", 0), 5),
        (("partitions", "cpu", "node", "processors", 0, "cores"), 9),
        (("partitions", "cpu", "node", "processors", 1, "cores"), 11),
        (("partitions", "cpu", "node", "processors", 1, "peaks", "flops.fp64", "value"), 13),
        (("partitions", "a b", "nodes"), 15),
        (("partitions", "a b", "missing"), 14),
        (("figure", 1, "value"), 21),
        (("figure", 0, "unit"), 19),
        (("title",), None),
        ((), None),
    ],
)
def test_a_key_is_on_its_line_or_on_that_of_what_holds_it(key: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(TEXT, key) == line
