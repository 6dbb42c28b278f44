from __future__ import annotations

from hypothesis import given, strategies as st

from puppet_town import ANN, BEN, CAFE, Puppet, day, lived, planned, setting
from sociolab.town import Did, Remembered, Tile, sees, shorten_activity

TILES = st.tuples(st.integers(0, 25), st.integers(0, 25))
ARENAS = st.integers(-1, 2)


def test_radius_eight_reaches_eight_tiles_in_each_direction_and_no_farther() -> None:
    assert sees((10, 10), -1, (18, 2), -1)
    assert not sees((10, 10), -1, (19, 10), -1)
    assert not sees((10, 10), -1, (10, 1), -1)
    assert sees((10, 10), 4, (13, 10), 4, radius=3)
    assert not sees((10, 10), 4, (13, 10), 4, radius=2)


def test_nobody_is_seen_through_a_wall() -> None:
    assert not sees((10, 10), 3, (11, 10), 4)
    assert not sees((10, 10), -1, (11, 10), 0)


@given(TILES, ARENAS, TILES, ARENAS, st.integers(0, 9))
def test_who_sees_is_seen(a: Tile, at: int, b: Tile, there: int, radius: int) -> None:
    assert sees(a, at, b, there, radius) == sees(b, there, a, at, radius)


def test_of_a_long_activity_others_see_the_beginning_up_to_a_word() -> None:
    notice = f"Come all to {'the great harvest party ' * 5}on Tuesday at 18:00"
    assert (
        shorten_activity(notice)
        == "Come all to the great harvest party the great harvest party the great harvest..."
    )
    assert shorten_activity("x" * 90) == "x" * 80 + "..."
    assert shorten_activity("x" * 80) == "x" * 80
    plans = planned(ann=day(f"09:00 {notice} @ {CAFE}"), ben=day(f"10:00 hum @ {CAFE}"))
    told = lived(Puppet(plan_day=plans), setting((ANN, BEN)))
    sights = {one.text for one in told.of(Remembered, "ben") if one.kind == "seen"}
    assert f"saw Ann Moor: {shorten_activity(notice)}" in sights
    assert not any("18:00" in text for text in sights)
    assert any(notice in one.doing for one in told.of(Did, "ann")), "the record has all of it"
