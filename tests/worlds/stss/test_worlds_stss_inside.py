"""Units that are worth a test alone, from inside: worlds/stss."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.town import own_map, own_residents, spoken_date
from sociolab.worlds import stss
from sociolab.worlds.stss.literals import clock_times, contradictions
from sociolab.worlds.stss.task import RULES
from sociolab.worlds.stss.templates import OWN


def test_no_goal_of_ours_contradicts_its_fields() -> None:
    for seed in range(5):
        data = stss.own_town(seed)
        found = [contradictions(task, data.residents, data.town) for task in data.tasks]
        assert not any(found)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("6 pm, 6:30 p.m. and 18:45", ("18:00", "18:30", "18:45")),
        ("12 am to 12 pm; 9am", ("00:00", "12:00", "09:00")),
        ("2024-05-14 08:00 in 10:30:15, at 25:00, room 12", ("08:00",)),
        ("I am 6 and you are 7 p", ()),
    ],
)
def test_clock_times_in_words(text: str, times: tuple[str, ...]) -> None:
    assert clock_times(text) == times


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


NAMES = {resident.id: resident.name for resident in own_residents()}


TEMPLATES = {template.id: template for template in stss.own_templates().template}


every_template = pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES.keys())


def made(template: stss.Template, seed: int) -> stss.SocialTask:
    return stss.instantiate(template, own_residents(), own_map(), seed, stss.DAYS)


@every_template
def test_what_the_goal_says_is_what_the_record_holds(template: stss.Template) -> None:
    for seed in range(20):
        task = made(template, seed)
        assert spoken_date(task.day) in task.goal
        assert task.goal.startswith(NAMES[task.performer])
        assert "want" in task.goal
        assert task.activity in task.goal
        for errand in task.errands:
            assert f"{errand.what} at {errand.place}" in task.goal
        rule = RULES[task.type]
        assert rule.place == bool(task.place)
        assert rule.start == bool(task.start)
        assert not rule.place or f"at {task.place} on" in task.goal
        assert not rule.start or f"from {task.start} to" in task.goal
        assert not rule.partner or NAMES[task.partner] in task.goal
        number = "one person" if task.expected == 1 else f"at least {task.expected} "
        assert number in task.goal
