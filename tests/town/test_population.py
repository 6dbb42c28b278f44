from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from alderbrook import flat_town
from sociolab.core import ConfigError
from sociolab.town import Resident, load_residents, own_map, own_residents

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
habits = [{ what = "serving soup", place = "Inn: taproom", start = "10:00", end = "15:00" }]
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
        ('"Inn: taproom", start', '"Inn: attic", start', '"habits", found "Inn: attic"'),
        ('"Ben Roy" =', '"Ben Ray" =', '"ties", found "Ben Ray"'),
        ('"Ben Roy" =', '"Anna Berg" =', '"ties", found "Anna Berg"'),
        ('"Ben Roy" = "brother"', "", "expected a tie to Anna Berg on both sides"),
        ('id = "anna-berg"', 'id = "ben-roy"', 'every id once, found "ben-roy" twice'),
        ("age = 40", "age = -1", "line 5: age: expected at least"),
        ("age = 40", "size = 40", 'line 5: unknown field "size"'),
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
        with pytest.raises(ConfigError, match=r"residents\.toml, line 1[124]: Anna Berg: expected"):
            loaded(tmp_path, ANNA.replace(old, new, 1) + BEN)


def test_every_fault_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    """Also of a record whose other fields cannot be read, and of habits."""
    habits = """habits = [
    { what = "serving soup", place = "Inn: taproom", start = "15:00", end = "10:00" },
    { what = "sweeping", place = "Inn: loft", start = "08:00", end = "12:00" },
    { what = "peeling", place = "Inn: taproom", start = "11:00", end = "13:00" },
]"""
    start = ANNA.index("habits")
    changed = ANNA[:start] + habits + ANNA[ANNA.index("\nknows") :]
    with pytest.raises(ConfigError) as refused:
        loaded(tmp_path, changed + BEN.replace("age = 38", 'age = "old"\nsize = 3'))
    told = str(refused.value).replace(f"{tmp_path}/", "").splitlines()
    assert [line.partition("; ")[0].removeprefix("residents.toml, line ") for line in told] == [
        '12: Anna Berg: expected "serving soup" to end after 15:00, found 10:00',
        '13: Anna Berg: expected a place of Flatby in "habits", found "Inn: loft"',
        '14: Anna Berg: expected one habit at a time, found "peeling" from 11:00 and "sweeping" '
        "until 12:00",
        '23: age: expected a whole number, found "old"',
        '24: unknown field "size"',
    ]


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
    kept = {habit.place.split(": ")[0] for one in own_residents() for habit in one.habits}
    homes = {one.home.sector for one in own_residents()}
    assert kept | homes | {"Alder Hall"} == set(own_map().sectors)


@everyone
def test_habits_come_in_order_of_time_while_awake(resident: Resident) -> None:
    rhythm = resident.rhythm
    assert rhythm
    times = [time for one in resident.habits for time in (one.start, one.end)]
    assert len(resident.habits) >= 3
    assert [rhythm.wake, *times, rhythm.bed] == sorted([rhythm.wake, *times, rhythm.bed])
    meals = [rhythm.wake, rhythm.lunch, rhythm.supper, rhythm.bed]
    assert meals == sorted(meals)
    for one in resident.habits:
        assert own_map().place(one.place)
        assert re.match(r"[a-z]+ing( |$)", one.what), 'reads well after "NAME is"'


def test_an_ordinary_day_is_told_in_words_made_of_rhythm_and_habits() -> None:
    nkechi = next(one for one in own_residents() if one.id == "nkechi-obi")
    lifestyle, routine = nkechi.ordinary_day
    assert lifestyle == (
        "gets up around 06:30, has lunch around 12:30, has supper around 18:30, "
        "goes to bed around 22:30"
    )
    assert routine.startswith(
        "serving guests at Lantern Cafe: counter room from 07:30 to 15:30; buying"
    )
    own = nkechi.model_copy(update={"lifestyle": "up with the lark", "routine": "bakes"})
    assert own.ordinary_day == ("up with the lark", "bakes")


@everyone
def test_home_and_every_place_of_the_habits_are_known(resident: Resident) -> None:
    places = [habit.place for habit in resident.habits]
    for place in [resident.living_area, *places]:
        assert place.split(": ")[0] in resident.knows
    assert len(resident.knows) < len(own_map().sectors) - 10


@everyone
def test_a_resident_is_written_of_in_the_third_person(resident: Resident) -> None:
    assert resident.learned.startswith(resident.name)
    assert resident.currently.startswith(resident.first_name)
    assert 4 <= len(resident.ties) <= 14
