from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.town import own_map, own_residents
from sociolab.worlds import stss

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
            assert not filters.matches(text), (one.name, text)


@every_template
def test_nothing_that_stands_in_the_town_contains_a_keyword(template: stss.Template) -> None:
    filters = stss.Keywords(all_keywords(template))
    for place in own_map().places:
        for name in (str(place), *own_map().objects(place)):
            assert not filters.matches(name), (place, name)


def test_no_two_tasks_share_a_keyword() -> None:
    found = [
        word for template in stss.own_templates().template for word in set(all_keywords(template))
    ]
    assert len(found) == len(set(found))


@every_template
def test_a_template_leaves_something_to_choice(template: stss.Template) -> None:
    assert len(template.performers) >= 2
    assert len(set(template.activities)) >= 2


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        stss.load_templates(tmp_path / "nothing.toml")
