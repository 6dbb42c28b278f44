"""The public tasks as ours: faultless ones as they are, others reported and mended."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sociolab.core import ConfigError
from sociolab.town import TownMap
from sociolab.worlds import stss
from sociolab.worlds.stss.importing.tasks import ImportedTasks, TownFacts, make_tasks, read_tasks
from sociolab.worlds.stss.importing.village import slug
from worlds.stss.importing.small_village import (
    DAY,
    NAMES,
    appointment,
    help_wanted,
    put_json,
    task,
    write_village,
)

IDS = {name: slug(name) for name in NAMES}


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> TownMap:
    return stss.read_ville(stss.find_files(write_village(tmp_path_factory.mktemp("village")))).town


@pytest.fixture
def make(town: TownMap, tmp_path: Path) -> Any:
    """Tasks of records: `make(record, ..., correct=False)`."""

    def made(*records: Mapping[str, Any], correct: bool = False) -> ImportedTasks:
        path = tmp_path / "tasks.json"
        put_json(path, records)
        raw = read_tasks((path,))
        found = make_tasks(raw, TownFacts(stss.PlaceNames(town), IDS), correct=correct)
        for one in found.tasks:
            assert not stss.task_faults(one, IDS.values(), town)
        return found

    return made


def kinds(found: ImportedTasks) -> list[stss.DefectKind]:
    return [defect.kind for defect in found.defects]


def test_a_faultless_task_is_told_in_its_own_words_and_scored_by_our_rule(make: Any) -> None:
    found = make(task())
    (one,) = found.tasks
    assert found.defects == ()
    assert one == stss.SocialTask(
        id="stss-01-quilt-fair",
        type="public activity",
        title="Quilt fair",
        goal=(
            f"Ada Quill wants to hold a quilt fair at Duck Inn at {DAY} 14:00. "
            f"Have 2 people come to the quilt fair at Duck Inn at {DAY} 14:00."
        ),
        performer="ada-quill",
        background=("bo-reed", "cy-marsh", "di-fenn"),
        days=(date(2031, 5, 1), date(2031, 5, 2)),
        day=date(2031, 5, 2),
        activity="quilt fair",
        keywords=("quilt fair", "quilt"),
        place="Duck Inn",
        start="14:00",
        minutes=90,
    )
    assert make(task(), correct=True).tasks == found.tasks


def test_an_appointment_has_its_partner_and_leaves_time_and_place_open(make: Any) -> None:
    found = make(appointment())
    (one,) = found.tasks
    assert found.defects == ()
    assert (one.type, one.partner, one.place, one.start) == ("appointment", "bo-reed", "", "")
    assert one.day == date(2031, 5, 2)


def test_help_has_two_errands_at_places_as_the_map_spells_them(make: Any) -> None:
    found = make(help_wanted())
    (one,) = found.tasks
    assert found.defects == ()
    assert [(part.what, part.place, part.minutes) for part in one.errands] == [
        ("fetch rope", "Duck Inn", 5),
        ("bring rope", "Mill House: yard", 5),
    ]
    assert one.keywords == ()
    assert one.goal.endswith("to Mill House: yard.")


def test_a_place_that_is_nowhere_leaves_the_task_out_until_it_is_corrected(make: Any) -> None:
    told = f"Ada Quill wants to hold a quilt fair at Duck In at {DAY} 14:00"
    wrong = task(FPG=told, goal=told, aim={"location": "duck in"})
    plain, mended = make(wrong), make(wrong, correct=True)
    assert (plain.tasks, plain.left_out) == ((), (1,))
    assert kinds(plain) == kinds(mended) == [stss.DefectKind.UNKNOWN_PLACE]
    assert (plain.defects[0].where, plain.defects[0].field, plain.defects[0].found) == (
        "task 1",
        "task.goal.0.location",
        "duck in",
    )
    assert plain.defects[0].correction == "Duck Inn"
    (one,) = mended.tasks
    assert one.place == "Duck Inn"
    assert f"at Duck Inn at {DAY}" in one.goal


@pytest.mark.parametrize("place", ["Lighthouse Point", "N/A", ""])
def test_a_place_like_no_other_leaves_the_task_out_in_either_case(make: Any, place: str) -> None:
    wrong = task(aim={"location": place})
    assert make(wrong).left_out == make(wrong, correct=True).left_out == (1,)


def test_a_filter_for_another_activity_is_made_anew_from_the_note(make: Any) -> None:
    wrong = task(
        Note="Party: quilt shows",
        goal=f"Hold some quilt shows at Duck Inn at {DAY} 14:00",
        FPG=f"Ada Quill wants quilt shows at Duck Inn at {DAY} 14:00",
        Description="Have 2 people come to the quilt shows.",
        aim={"keyword": "regatta", "alter_kwd": ["rowing"]},
    )
    assert kinds(make(wrong)) == [stss.DefectKind.FOREIGN_FILTER]
    assert make(wrong).tasks[0].keywords == ("regatta", "rowing")
    (one,) = make(wrong, correct=True).tasks
    assert one.keywords == ("quilt shows", "shows", "show")
    assert one.id == "stss-01-quilt-shows"


def test_a_filter_that_no_note_explains_stays(make: Any) -> None:
    found = make(task(aim={"keyword": "regatta", "alter_kwd": []}), correct=True)
    assert stss.DefectKind.FOREIGN_FILTER in kinds(found)
    assert found.tasks[0].keywords == ("regatta",)


def test_numbers_that_disagree_with_the_rule_are_reported_and_told_right(make: Any) -> None:
    wrong = task(Description="Have 7 people come to the quilt fair.")
    wrong["task"] = wrong["task"] | {"target_num": 9}
    found = make(wrong, correct=True)
    assert [(d.kind, d.found, d.correction) for d in found.defects] == [
        (stss.DefectKind.WRONG_NUMBER, "9", "3, by the rule"),
        (stss.DefectKind.PROMISED_NUMBER, "7", "2, by the rule"),
    ]
    assert "Have 2 people come" in found.tasks[0].goal
    assert "Have 7 people come" in make(wrong).tasks[0].goal


def test_an_order_for_another_event_elsewhere_is_told_in_the_words_of_the_goal(make: Any) -> None:
    wrong = task(
        goal=f"Hold a quilt fair at Duck Inn at {DAY} 14:00 on {DAY} 14:00",
        FPG=f"Ada Quill wants to hold a quilt raffle at Mill House at {DAY} 14:00",
    )
    found = make(wrong, correct=True)
    assert kinds(found) == [stss.DefectKind.OTHER_EVENT, stss.DefectKind.PROMISED_PLACE]
    assert found.tasks[0].goal.startswith(
        f"Ada Quill wants to hold a quilt fair at Duck Inn at {DAY} 14:00. Have"
    )
    assert "raffle at Mill House" in make(wrong).tasks[0].goal


def test_an_order_for_the_right_place_stands_against_the_goal(make: Any) -> None:
    found = make(task(goal=f"Hold a quilt raffle at Duck Inn at {DAY} 14:00"), correct=True)
    assert kinds(found) == [stss.DefectKind.OTHER_EVENT]
    assert "hold a quilt fair" in found.tasks[0].goal


def test_a_text_that_names_another_place_is_told_right(make: Any) -> None:
    wrong = task(Description="Have 2 people at the quilt fair at Mill House.")
    found = make(wrong, correct=True)
    assert [(d.kind, d.found) for d in found.defects] == [
        (stss.DefectKind.PROMISED_PLACE, "Mill House"),
    ]
    assert found.tasks[0].goal.endswith("quilt fair at Duck Inn.")


def test_a_description_of_another_activity_is_not_told(make: Any) -> None:
    found = make(task(Description="Be with one other and paint together."), correct=True)
    assert kinds(found) == [stss.DefectKind.OTHER_ACTIVITY, stss.DefectKind.NO_NUMBER]
    assert found.tasks[0].goal.endswith("14:00. At least 2 others are hoped for.")


def test_a_performer_who_is_none_of_the_choices_is_reported_and_stays(make: Any) -> None:
    assert make(task(performer_choices=["#Any"])).defects == ()
    found = make(task(performer_choices=["Bo Reed"]), correct=True)
    assert kinds(found) == [stss.DefectKind.OTHER_PERFORMER]
    assert found.tasks[0].performer == "ada-quill"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (task(performer="Zed Zola"), 'expected a resident in "performer", found "Zed Zola"'),
        (task(all_chars=["Ada Quill"]), "expected somebody beside the performer"),
        (task(all_chars=["Ada Quill", "Bo Reed", "Bo Reed"]), "everybody once"),
        (task(all_chars=["Ada Quill", "Bo Read"]), 'in "background", found "Bo Read"'),
        (appointment(all_chars=["Ada Quill", "Cy Marsh"]), "the partner in the background"),
    ],
)
def test_a_task_without_its_people_stops_the_import_and_is_named(
    make: Any, wrong: Mapping[str, Any], said: str
) -> None:
    for correct in (False, True):
        with pytest.raises(ConfigError, match=said) as caught:
            make(task(), wrong, correct=correct)
        assert "tasks.json, task 2" in str(caught.value)
