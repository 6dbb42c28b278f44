from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from alderbrook import flat_town
from sociolab.core.errors import ConfigError
from sociolab.town.clock import clock_time
from sociolab.town.map import own_map
from sociolab.town.population import CLAUSE, OWN, load_residents, own_residents
from sociolab.town.residents import Resident

LIFESTYLE = re.compile(
    r"gets up around (\d\d:\d\d), has lunch around (\d\d:\d\d), "
    r"has supper around (\d\d:\d\d), goes to bed around (\d\d:\d\d)"
)
TOWN = flat_town("Cottage: bedroom", "Cottage: kitchen", "Inn: taproom")
ANNA = """
[[resident]]
id = "anna-berg"
name = "Anna Berg"
age = 40
innate = "calm"
learned = "Anna Berg keeps the inn."
currently = "Anna is counting mugs."
lifestyle = "gets up around 07:00, goes to bed around 22:00"
living_area = "Cottage: bedroom"
routine = "serves soup at Inn: taproom from 10:00 to 15:00"
knows = ["Cottage", "Inn: taproom"]
[resident.ties]
"Ben Roy" = "brother"
"""
BEN = """
[[resident]]
id = "ben-roy"
name = "Ben Roy"
age = 38
innate = "merry"
learned = "Ben Roy mends nets."
currently = "Ben is looking for twine."
lifestyle = "gets up around 07:00, goes to bed around 22:00"
living_area = "Cottage: bedroom"
[resident.ties]
"Anna Berg" = "sister"
"""

everyone = pytest.mark.parametrize("resident", own_residents(), ids=lambda one: one.id)


def loaded(folder: Path, text: str) -> tuple[Resident, ...]:
    path = folder / "residents.toml"
    path.write_text(text)
    return load_residents(path, TOWN)


def test_a_file_of_two_residents_is_read_in_order(tmp_path: Path) -> None:
    found = loaded(tmp_path, ANNA + BEN)
    assert [one.name for one in found] == ["Anna Berg", "Ben Roy"]
    assert found[0].ties == {"Ben Roy": "brother"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"Cottage: bedroom"', '"Cottage: cellar"', '"living_area", found "Cottage: cellar"'),
        ('"Inn: taproom"]', '"Barn"]', '"knows", found "Barn"'),
        ("Inn: taproom from", "Inn: attic from", '"routine", found "Inn: attic"'),
        ('"Ben Roy" =', '"Ben Ray" =', '"ties", found "Ben Ray"'),
        ('"Ben Roy" =', '"Anna Berg" =', '"ties", found "Anna Berg"'),
        ('"Ben Roy" = "brother"', "", "expected a tie to Anna Berg on both sides"),
        ('id = "anna-berg"', 'id = "ben-roy"', 'every id once, found "ben-roy" twice'),
        ("age = 40", "age = -1", "resident.0.age: input should be greater than"),
        ("age = 40", "size = 40", "resident.0.age: field required"),
        ("age = 40", "age 40", "is not valid TOML"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in ANNA
    with pytest.raises(ConfigError) as refused:
        loaded(tmp_path, ANNA.replace(old, new, 1) + BEN)
    assert said in str(refused.value)
    assert "residents.toml" in str(refused.value)


def test_a_wrong_place_or_person_is_told_with_the_residents_name(tmp_path: Path) -> None:
    for old, new in (("Inn: taproom", "Inn: loft"), ("Ben Roy", "Bob Roy")):
        with pytest.raises(ConfigError, match=r"residents\.toml: Anna Berg: expected"):
            loaded(tmp_path, ANNA.replace(old, new, 1) + BEN)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_residents(tmp_path / "nobody.toml", TOWN)


def test_our_town_has_25_residents_of_18_to_80() -> None:
    found = own_residents()
    assert len(found) == len({one.name for one in found}) == 25
    assert len({one.first_name for one in found}) == 25
    assert (min(one.age for one in found), max(one.age for one in found)) == (18, 80)
    assert own_residents() is found


def test_nobody_of_ours_sleeps_in_a_crowd() -> None:
    beds = Counter(one.home for one in own_residents())
    assert max(beds.values()) == 2
    assert all("bed" in " ".join(own_map().objects(home)) for home in beds)
    for home, sleepers in beds.items():
        couple = [one for one in own_residents() if one.home == home]
        if sleepers == 2:
            assert couple[1].name in couple[0].ties


def test_every_workplace_of_our_town_is_staffed() -> None:
    kept = {
        c["place"].split(": ")[0] for one in own_residents() for c in CLAUSE.finditer(one.routine)
    }
    homes = {one.home.sector for one in own_residents()}
    assert kept | homes | {"Alder Hall"} == set(own_map().sectors)


@everyone
def test_lifestyle_is_the_fixed_phrase(resident: Resident) -> None:
    match = LIFESTYLE.fullmatch(resident.lifestyle)
    assert match
    times = [clock_time(time) for time in match.groups()]
    assert times == sorted(times)


@everyone
def test_routine_is_clauses_in_order_of_time_while_awake(resident: Resident) -> None:
    clauses = [CLAUSE.fullmatch(clause) for clause in resident.routine.split("; ")]
    assert len(clauses) >= 3
    wake, *_, bed = LIFESTYLE.fullmatch(resident.lifestyle).groups()  # type: ignore[union-attr]
    times = [time for clause in clauses if clause for time in clause.group("start", "end")]
    assert len(times) == 2 * len(clauses)
    assert [wake, *times, bed] == sorted([wake, *times, bed])
    for clause in clauses:
        assert clause
        assert own_map().place(clause["place"])
        assert re.match(r"[a-z]+s( |$)", clause["what"])
        assert " at " not in clause["what"]


@everyone
def test_home_and_every_place_of_the_routine_are_known(resident: Resident) -> None:
    places = [clause["place"] for clause in CLAUSE.finditer(resident.routine)]
    for place in [resident.living_area, *places]:
        assert place.split(": ")[0] in resident.knows
    assert len(resident.knows) < len(own_map().sectors) - 10


@everyone
def test_a_resident_is_written_of_in_the_third_person(resident: Resident) -> None:
    assert resident.learned.startswith(resident.name)
    assert resident.currently.startswith(resident.first_name)
    assert 4 <= len(resident.ties) <= 14


def test_the_file_says_how_it_is_to_be_read() -> None:
    assert "gets up around HH:MM" in OWN.read_text()
