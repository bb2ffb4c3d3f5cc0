"""The sheet on paper: nothing is cut off, and pages end where they are full."""

import re

from banzuke.acceptance.paper import HEIGHT, MARGIN, pages
from banzuke.charts.style import FONT, LIGHT
from banzuke.document import Column, Document, Item, Items, Paragraph, Section, Table


def printed(*blocks: object) -> list[str]:
    document = Document("en", "Title", ["today"], (Section("a", "Section", blocks),))  # type: ignore[arg-type]
    return pages(document, LIGHT, FONT)


def texts(page: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", page)


def test_every_row_is_on_a_page_and_within_its_margins() -> None:
    rows = [(f"figure {number}", "a long remark " * 8) for number in range(120)]
    drawn = printed(Table.of_texts((Column("name"), Column("remark")), rows))
    assert len(drawn) > 3
    every = [text for page in drawn for text in texts(page)]
    assert [text for text in every if text.startswith("figure ")] == [name for name, _ in rows]
    assert sum(text == "name" for text in every) == len(drawn)
    for page in drawn:
        bottoms = [float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)"', page)]
        assert max(bottoms) <= HEIGHT - MARGIN + 20
    assert any(f"1 / {len(drawn)}" in text for text in texts(drawn[0]))


def test_text_is_wrapped_and_escaped() -> None:
    (page,) = printed(Paragraph("x" * 300), Items((Item("`a <b> & c`"),)))
    assert "".join(text for text in texts(page) if set(text) == {"x"}) == "x" * 300
    assert "a &lt;b&gt; &amp; c" in texts(page)
