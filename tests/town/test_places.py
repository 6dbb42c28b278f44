"""Which place is meant by a name in words, and of which places somebody is told."""

from __future__ import annotations

import pytest

from sociolab.town.map import own_map
from sociolab.town.places import place_meant, places_told

GYM = ("Riverside Gym: training room", "Riverside Gym: sports court")
PLACES = (
    *GYM,
    "Heron Park: meadow",
    "Student House: kitchen",
    "Student House: room 1",
    "Artists' House: kitchen",
    "Artists' House: room A",
    "Post Office: counter room",
    "Dorm for Oak Hill College: garden",
    "Oak Hill College: library",
    "The Rose and Crown Pub: pub",
)
COURT = GYM[1]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (COURT, COURT),
        ("riverside gym: sports court", COURT),
        (" riverside gym:sports  court", COURT),
        ("Riverside Gym sports court", COURT),
        ("Riverside Gym, the sports court", COURT),
        ("Riverside Gym (sports court)", COURT),
        ("sports court of Riverside Gym", COURT),
        ("on the sports court of Riverside Gym", COURT),
        ("the sports court at Riverside Gym", COURT),
        ("the sports court in the Riverside Gym.", COURT),
        ("Riverside Gym\u2019s sports court", COURT),
        ("sports court", COURT),
        ("on the Sports Court", COURT),
        ("Heron Park", "Heron Park: meadow"),
        ("the post office", "Post Office: counter room"),
        ("kitchen of the artists house", "Artists' House: kitchen"),
        ("Artist's House kitchen", "Artists' House: kitchen"),
        ("room A", "Artists' House: room A"),
        ("at the Rose and Crown Pub", "The Rose and Crown Pub: pub"),
        ("Oak Hill College", "Oak Hill College: library"),
    ],
)
def test_a_place_is_known_by_both_its_names_in_either_order_or_by_one_that_it_alone_has(
    text: str, place: str
) -> None:
    assert place_meant(text, PLACES) == place


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the",
        "Riverside Gym",  # which room of it?
        "kitchen",  # whose?
        "Riverside Gym: cellar",
        "Post Office: cellar",
        "sports court of Student House",
        "sports court at Riverside Gym at six",
        "not on the sports court",
        "Riverside",
        "gym",
        "court",
        "room",
        "Oak Hill",
        "my place",
    ],
)
def test_a_name_of_no_place_or_of_several_means_none(text: str) -> None:
    assert place_meant(text, PLACES) is None


def test_a_sector_alone_is_enough_where_one_arena_of_it_is_among_the_places() -> None:
    assert place_meant("Riverside Gym", PLACES[1:]) == COURT


def test_every_place_of_our_town_is_understood_in_words() -> None:
    names = tuple(str(place) for place in own_map().places)
    for place in own_map().places:
        sector, arena = place.sector, place.arena
        for text in (f"the {arena} of {sector}", f"{sector}, {arena}", f"{sector}'s {arena}"):
            assert place_meant(text.lower(), names) == str(place)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Come to the five-a-side match on the sports court of Riverside Gym at six!", [COURT]),
        ("We play at Riverside Gym. See you on the sports court.", GYM),
        ("Riverside Gym: sports court, then Heron Park: meadow.", [COURT, "Heron Park: meadow"]),
        ("Is the gym open? Then I go to the kitchen, and to my place.", []),
        ("The library!", []),
        ("I live in the garden of the Dorm for Oak Hill College.", [PLACES[8]]),
        ("From the post office to the Oak Hill College library.", [PLACES[7], PLACES[9]]),
        ("Good morning.", []),
        ("", []),
    ],
)
def test_who_hears_the_name_of_a_building_is_told_of_the_room_that_is_named_or_of_all(
    said: str, told: list[str]
) -> None:
    assert list(places_told(said, PLACES)) == list(told)
