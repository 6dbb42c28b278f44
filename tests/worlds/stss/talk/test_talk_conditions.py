"""Goal conditions by type, and SR and GCSR of one talk by hand (STSS section 3.2)."""

from __future__ import annotations

import pytest

from sociolab.worlds import stss
from sociolab.worlds.stss.talk.conditions import (
    ConditionFinding,
    conditions_of,
    share_met,
    success_rate,
)
from sociolab.worlds.stss.task import TaskType
from stss_tasks import GAME, MEDICINE, MEETING, PARTY, PICNIC

EXPECTED = {
    "public activity": ("invited", "place told", "time told"),
    "online activity": ("invited", "time told"),
    "inviting companions": ("invited", "time agreed", "place told"),
    "appointment": ("asked", "time agreed", "place agreed"),
    "asking for help": ("request", "place told", "request", "place told"),
}
TASKS = {task.type: task for task in (PARTY, GAME, PICNIC, MEETING, MEDICINE)}


def findings(task: stss.SocialTask, *met: bool) -> tuple[ConditionFinding, ...]:
    conditions = conditions_of(task, "Ada Ashe", "Bea Birch")
    return tuple(ConditionFinding(one, value) for one, value in zip(conditions, met, strict=True))


@pytest.mark.parametrize("kind", stss.TASK_TYPES)
def test_each_type_has_the_conditions_of_the_paper(kind: TaskType) -> None:
    found = conditions_of(TASKS[kind], "Ada Ashe", "Bea Birch")
    assert tuple(sorted(one.kind for one in found)) == tuple(sorted(EXPECTED[kind]))
    assert len({one.id for one in found}) == len(found)


@pytest.mark.parametrize("kind", stss.TASK_TYPES)
def test_each_condition_names_both_and_what_must_be_told(kind: TaskType) -> None:
    task = TASKS[kind]
    told = " ".join(one.text for one in conditions_of(task, "Ada Ashe", "Bea Birch"))
    assert "Bea Birch" in told
    assert "Ada Ashe" in told
    for wanted in (task.place, task.start, *(errand.place for errand in task.errands)):
        assert wanted in told


def test_of_a_place_told_the_place_is_on_record() -> None:
    places = [one.place for one in conditions_of(MEDICINE, "Ada", "Bea") if one.place]
    assert places == ["Clinic: pharmacy", "Cottage: room"]


def test_two_of_three_conditions_are_a_share_of_two_thirds_and_no_success() -> None:
    # The paper's example: invited and told the time, but not the place.
    found = findings(PARTY, True, False, True)
    assert share_met(found) == pytest.approx(2 / 3)
    assert success_rate(found) == 0


def test_all_conditions_are_a_success_and_none_is_nothing() -> None:
    assert (success_rate(findings(GAME, True, True)), share_met(findings(GAME, True, True))) == (
        1,
        1,
    )
    assert (
        success_rate(findings(GAME, False, False)),
        share_met(findings(GAME, False, False)),
    ) == (
        0,
        0,
    )


def test_a_talk_without_conditions_has_no_rate() -> None:
    with pytest.raises(ValueError, match="without conditions"):
        share_met(())
