"""Moments of an episode for replays and strips."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from puppet_town import CAFE, TALK, TOWN, TRIO, Puppet, day, lived, planned, setting
from sociolab.app.registry import town_of
from sociolab.core import ConfigError, Episode, Task, Trial
from sociolab.town import Trajectory
from sociolab.town.trajectory import SimulatedDays, Span, moments, write_filmstrip, write_picture
from sociolab.worlds.stss.replays import load_town_map, simulated_days as lived_in


@cache
def two_days() -> SimulatedDays:
    puppet = Puppet(
        plan_day=planned(ann=day(f"09:00 knit @ {CAFE}"), ben=day(f"10:00 hum @ {CAFE}")),
        talk_or_not=lambda _: TALK,
    )
    told = lived(puppet, setting(days=2))
    return SimulatedDays(TOWN, Trajectory(told.trace, TOWN), {one.id: one.name for one in TRIO})


def span(**changed: object) -> Span:
    fields: dict[str, object] = {"day": 1, "start": "09:00", "end": "12:00", "minutes": 60}
    return Span(**(fields | changed))  # type: ignore[arg-type]


def test_moments_stand_at_even_distances_both_ends_included() -> None:
    found = list(span().moments(two_days()))
    assert found == [datetime(2024, 5, 13, hour) for hour in (9, 10, 11, 12)]
    assert next(span(day=2).moments(two_days())) == datetime(2024, 5, 14, 9)
    assert len(list(span(start="12:00").moments(two_days()))) == 1


def test_nothing_is_shown_that_was_not_lived() -> None:
    last = list(span(day=2, start="23:00", end="23:59", minutes=30).moments(two_days()))
    assert last[-1] == datetime(2024, 5, 14, 23, 30)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"day": 0}, "--day: expected 1 to 2, found 0"),
        ({"day": 3}, "--day: expected 1 to 2, found 3"),
        ({"start": "9"}, "--from: expected a time such as 07:30"),
        ({"end": "24:00"}, "--until: expected a time such as 07:30"),
        ({"start": "09:00", "end": "08:59"}, "--until 08:59 is before --from 09:00"),
        ({"end": "soon"}, '"soon"'),
    ],
)
def test_a_span_that_cannot_be_is_refused(changed: dict[str, object], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        list(span(**changed).moments(two_days()))


def test_a_moment_says_who_is_where_and_does_what() -> None:
    found = list(moments(two_days(), span(start="11:00")))
    assert found[0].label == "Mon 13 May 11:00"
    assert found[0].doing == {"ann": "knit", "ben": "hum", "cid": "idle"}
    assert found[0].places == {"ann": CAFE, "ben": CAFE, "cid": "Cid's House: bedroom"}
    assert set(found[0].people) == {"Ann Moor", "Ben Moor", "Cid Moor"}
    x, y = found[0].people["Ann Moor"]
    assert str(TOWN.place_at((x, y))) == CAFE


def test_a_talk_is_told_with_the_moment_before_its_beginning() -> None:
    talks = {m.label[-5:]: len(m.talks) for m in moments(two_days(), span())}
    assert talks["10:00"] == 1
    assert talks["11:00"] == 0
    only = {m.label[-5:]: len(m.talks) for m in moments(two_days(), span(), ["cid"])}
    assert only["10:00"] == 0


def test_a_resident_is_found_by_id_or_name_or_its_beginning() -> None:
    assert {two_days().who(name) for name in ("ann", "Ann", "ANN MOOR", "an")} == {"ann"}
    with pytest.raises(ConfigError, match="expected one of ann, ben, cid"):
        two_days().who("Zoe")


def test_the_own_town_is_the_one_that_is_drawn() -> None:
    assert load_town_map(None).name == "Alderbrook"


def test_an_episode_of_another_world_has_no_town() -> None:
    task = Task("sale", ("ann",), "sale", "{}")
    with pytest.raises(ConfigError, match="is of sotopia, which has no town"):
        town_of("sotopia", "the episode t")
    with pytest.raises(ConfigError, match="nothing of the episode t has been simulated yet"):
        lived_in(Episode(Trial("t", "stss", task, (), 0, 1), ()))


@pytest.mark.parametrize("name", ["day.jpg", "day"])
def test_a_strip_is_png(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ends in \.png, found"):
        write_filmstrip(two_days(), span(), tmp_path / name)


@pytest.mark.parametrize("name", ["map", "map.xyz", "map.jpg"])
def test_a_picture_is_png(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ends in \.png, found"):
        write_picture(load_town_map(None), tmp_path / name, 1)
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written"):
        write_filmstrip(two_days(), span(minutes=180), tmp_path / "none" / "day.png")
