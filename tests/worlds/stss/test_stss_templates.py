from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.town import own_map, own_residents
from sociolab.worlds import stss
from sociolab.worlds.stss.templates import OWN

PEOPLE = {resident.id: resident for resident in own_residents()}

every_template = pytest.mark.parametrize(
    "template", stss.own_templates().template, ids=lambda template: template.id
)


def all_keywords(template: stss.Template) -> tuple[str, ...]:
    return (*template.keywords, *(word for part in template.errands for word in part.keywords))


def test_there_are_30_templates_ten_of_them_public() -> None:
    counts = Counter(template.type for template in stss.own_templates().template)
    assert [counts[kind] for kind in stss.TASK_TYPES] == [10, 5, 5, 5, 5]
    assert len({template.title for template in stss.own_templates().template}) == 30


@every_template
def test_everybody_and_every_place_of_a_template_exists(template: stss.Template) -> None:
    staff = [who for part in template.errands for who in part.staff]
    assert {*template.performers, *template.partners, *staff} <= PEOPLE.keys()
    places = [*template.places, *(place for part in template.errands for place in part.places)]
    assert all(own_map().place(place) for place in places)


@every_template
def test_every_performer_knows_a_possible_partner(template: stss.Template) -> None:
    for performer in template.performers:
        others = [PEOPLE[who].name for who in template.partners if who != performer]
        assert not template.partners or set(others) & PEOPLE[performer].ties.keys()


@every_template
def test_staff_of_an_errand_works_there(template: stss.Template) -> None:
    for part in template.errands:
        sectors = {place.split(": ")[0] for place in part.places}
        for who in part.staff:
            works = [habit.place for habit in PEOPLE[who].habits]
            assert sectors & {place.split(": ")[0] for place in works}


@every_template
def test_nobodys_ordinary_day_contains_a_keyword(template: stss.Template) -> None:
    """Else somebody would take part by living as always."""
    filters = stss.Keywords(all_keywords(template))
    for one in own_residents():
        for text in (*one.ordinary_day, one.currently, one.learned):
            assert not filters.said(text), (one.name, text)


@every_template
def test_nothing_that_stands_in_the_town_contains_a_keyword(template: stss.Template) -> None:
    filters = stss.Keywords(all_keywords(template))
    for place in own_map().places:
        for name in (str(place), *own_map().objects(place)):
            assert not filters.said(name), (place, name)


def test_no_two_tasks_share_a_keyword() -> None:
    found = [
        word for template in stss.own_templates().template for word in set(all_keywords(template))
    ]
    assert len(found) == len(set(found))


@every_template
def test_a_template_leaves_something_to_choice(template: stss.Template) -> None:
    assert len(template.performers) >= 2
    assert len(set(template.activities)) >= 2


PICNIC = """
[[template]]
id = "picnic"
type = "inviting companions"
title = "Picnic"
performers = ["a", "b"]
activities = ["picnic"]
keywords = ["picnic"]
places = ["Park: lawn"]
"""
GOALS = OWN.read_text(encoding="utf-8").partition("[[template]]")[0]


def loaded(folder: Path, text: str) -> str:
    """What is said in refusal, or "" if the file is taken."""
    path = folder / "templates.toml"
    path.write_text(text, encoding="utf-8")
    try:
        stss.load_templates(path)
    except ConfigError as error:
        return str(error)
    return ""


def test_a_file_of_one_template_is_read(tmp_path: Path) -> None:
    assert loaded(tmp_path, GOALS + PICNIC) == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('places = ["Park: lawn"]', "", '"inviting companions" needs "places"'),
        ('keywords = ["picnic"]', "", '"inviting companions" needs "keywords"'),
        ("title", 'starts = ["18:00"]\ntitle', 'leaves no room for "starts"'),
        ("title", 'partners = ["a"]\ntitle', 'leaves no room for "partners"'),
        ("inviting companions", "asking for help", 'leaves no room for "places"'),
        ('keywords = ["picnic"]', 'keywords = ["pic"]', '"picnic" holds none of its keywords'),
        ('["a", "b"]', '["a"]', "performers: expected at least 2 items"),
        ('"inviting companions"', '"party"', "type: expected"),
        ('"Park: lawn"]', '"Park: lawn"', "is not valid TOML"),
    ],
)
def test_a_template_that_breaks_its_types_rules_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in PICNIC
    refusal = loaded(tmp_path, GOALS + PICNIC.replace(old, new, 1))
    assert said in refusal
    assert "templates.toml" in refusal
    assert "template.0" in refusal or "TOML" in refusal


def test_help_needs_two_errands(tmp_path: Path) -> None:
    text = OWN.read_text(encoding="utf-8")
    cut = text.rindex("[[template.errands]]")
    assert '"asking for help" has 2 errands, but 1 are given' in loaded(tmp_path, text[:cut])


def test_an_id_that_occurs_twice_and_a_missing_goal_are_refused(tmp_path: Path) -> None:
    assert 'the id "picnic" occurs twice' in loaded(tmp_path, GOALS + PICNIC + PICNIC)
    fewer = "\n".join(line for line in GOALS.splitlines() if "appointment" not in line)
    assert 'no goal is worded for "appointment"' in loaded(tmp_path, fewer + PICNIC)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        stss.load_templates(tmp_path / "nothing.toml")
