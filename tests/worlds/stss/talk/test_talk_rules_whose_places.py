"""Places called after people are found by who lives and works where, in any town."""

from __future__ import annotations

import pytest

from sociolab.worlds.stss.talk.findings import Person
from sociolab.worlds.stss.talk.rules.whose_places import whose_places, work_of
from worlds.stss.talk.labelled_talks import town_people, town_places

SECTORS = tuple(dict.fromkeys(place.partition(": ")[0] for place in town_places()))
HARBOUR = ("Gull Rest: parlour", "Quay Forge: yard", "Net Loft: attic")
FOLK = (
    Person("Ines Brandt", "smith at Quay Forge", "Gull Rest: parlour"),
    Person("Olle Vik", "mender of nets, retired", "Net Loft: attic"),
)


def sectors_meant(text: str, third: str = "") -> list[str]:
    """Which sites Winston, who talks to Freya, may mean."""
    found = whose_places(text, ("winston", "freya", (third,)), town_people(), town_places())
    return [one.sector for one in found]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("fetch it at suresh's, please.", "Greengage Market"),
        ("over my counter.", "Post Office"),
        ("in huw's workshop.", "Finch Hardware"),
        ("where marcus works.", "Riverside Gym"),
        ("where marcus lives.", "7 Brook Street"),
        ("come to my place.", "8 Brook Street"),
        ("down in your kitchen.", "Student House"),
        ("at home with me.", "8 Brook Street"),
        ("over at the baker's, at noon.", "Larkfield Bakery"),
        ("in the baker's shop.", "Larkfield Bakery"),
    ],
)
def test_a_place_called_after_somebody_is_where_they_live_or_work(text: str, first: str) -> None:
    assert sectors_meant(text)[0] == first


@pytest.mark.parametrize(
    "text", ["suresh's honey is best.", "from where i stand.", "my sister's wedding.", "nowhere."]
)
def test_what_somebody_has_is_no_place(text: str) -> None:
    assert sectors_meant(text) == []


def test_his_and_her_are_of_whom_was_spoken() -> None:
    assert sectors_meant("it lies in his workshop.") == []
    assert sectors_meant("it lies in his workshop.", "huw") == ["Finch Hardware"]


def test_a_room_of_the_owners_is_told_with_the_site() -> None:
    (found,) = whose_places(
        "in huw's workshop.", ("winston", "freya", ()), town_people(), town_places()
    )
    assert (found.sector, found.arena) == ("Finch Hardware", "workshop")


def test_another_town_has_its_own_places_and_people() -> None:
    def meant(text: str) -> list[str]:
        return [one.sector for one in whose_places(text, ("olle", "ines", ()), FOLK, HARBOUR)]

    assert meant("bring it to the smith's today.") == ["Quay Forge"]
    assert meant("where you work, in the yard.") == ["Quay Forge"]
    assert meant("come to my place.") == ["Net Loft"]
    assert meant("at suresh's, please.") == []


def test_two_of_one_first_name_are_told_apart_by_nothing_and_left_out() -> None:
    twins = (*FOLK, Person("Ines Roth", "keeper of Net Loft", "Net Loft: attic"))
    assert whose_places("at ines's, then.", ("olle", "ines", ()), twins, HARBOUR) == ()


@pytest.mark.parametrize(
    ("known_as", "site"),
    [
        ("keeper of Greengage Market", "Greengage Market"),
        ("the postmaster", "Post Office"),
        ("retired signalman, often at Lantern Cafe in the forenoon", ""),
        ("student of ecology at Alder College", ""),
        ("student of literature who serves at the Copper Kettle Pub", "Copper Kettle Pub"),
        ("", ""),
    ],
)
def test_where_somebody_works_is_what_the_town_knows_of_them(known_as: str, site: str) -> None:
    assert work_of(known_as, SECTORS) == site
