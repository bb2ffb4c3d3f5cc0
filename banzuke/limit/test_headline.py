"""What a run says of a benchmark in one figure."""

from banzuke.limit.headline import headlines
from banzuke.limit.test_areas import GIGA, SPECS, judged, with_area, written


def test_what_a_cache_served_is_no_headline() -> None:
    here = with_area()
    cached, stored = written(50 * GIGA, cached=True), written(2 * GIGA)
    of_cache, of_storage = judged(cached, on=here), judged(stored, on=here)
    assert headlines([of_cache], SPECS) == {}
    assert headlines([of_cache, of_storage], SPECS)["ior"].value == 2 * GIGA
    assert headlines([of_cache], {})["ior"].value == 50 * GIGA, "of an unknown benchmark the first figure"
