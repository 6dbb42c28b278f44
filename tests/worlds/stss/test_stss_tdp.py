"""Target-driven planning with the scripted mind: what each of the three reminders is worth."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from puppet_town import Lived, lived
from sociolab.engine.scene import FailurePolicy
from sociolab.town.scripted.day import SEEKING
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.setting import Tdp
from sociolab.town.trace import Planned, Reminded, Talked
from sociolab.worlds.stss.dataset import Content, own_town, packed
from sociolab.worlds.stss.world import StssSettings, setting_of

OWN = own_town(1)
WHOLE = next(task for task in OWN.tasks if task.id == "kite-evening")
TASK = WHOLE.model_copy(update={"background": WHOLE.background[:7]})
REMINDERS = ("general", "day", "talk")


@cache
def played(*reminders: str) -> Lived:
    """Two days with a few residents, in steps of a minute; without any reminder, without TDP."""
    present = {TASK.performer, *TASK.background}
    people = tuple(one for one in OWN.residents if one.id in present)
    content = Content(task=TASK, residents=people, town=packed(OWN.town))
    given = setting_of(content, StssSettings(step=60), FailurePolicy(), "tdp", 1)
    tdp = Tdp(
        TASK.goal,
        general="general" in reminders,
        day="day" in reminders,
        talk="talk" in reminders,
    )
    return lived(ScriptedMind(), replace(given, tdp={TASK.performer: tdp} if reminders else {}))


def without(name: str) -> Lived:
    return played(*(one for one in REMINDERS if one != name))


def texts(told: Lived, kind: str) -> list[str]:
    return [one.text for one in told.of(Reminded) if one.kind == kind]


def seeking(told: Lived) -> list[str]:
    """Where the performer means to be among people, by its first plans of both days."""
    plans = [one for one in told.of(Planned, TASK.performer) if not one.why]
    return [block.place for plan in plans for block in plan.blocks if SEEKING in block.what]


def pitches(told: Lived) -> list[str]:
    """All that the performer says of the activity, talk by talk, before it is over."""
    said = []
    for talk in told.of(Talked, TASK.performer):
        words = " ".join(line.text for line in talk.lines if line.who == TASK.performer)
        if any(keyword in words for keyword in TASK.keywords):
            said.append(words)
    return said


def test_with_tdp_the_two_days_are_others_than_without() -> None:
    assert played(*REMINDERS).trace != played().trace
    assert not played().of(Reminded)
    assert {one.who for one in played(*REMINDERS).of(Reminded)} == {TASK.performer}


@pytest.mark.parametrize("name", REMINDERS)
def test_each_reminder_changes_what_is_lived(name: str) -> None:
    assert without(name).trace.records != played(*REMINDERS).trace.records
    assert not texts(without(name), {"general": "general plan"}.get(name, name))


def test_the_general_plan_says_where_people_are_found() -> None:
    """The day's reminder names places only if the plan does."""
    (plan,) = texts(played(*REMINDERS), "general plan")
    assert 3 <= len(plan.splitlines()) <= 5
    first = texts(played(*REMINDERS), "day")[0]
    assert any(place in first for place in map(str, OWN.town.places))
    assert not any(
        place in texts(without("general"), "day")[0] for place in map(str, OWN.town.places)
    )


def test_the_days_reminder_sends_the_performer_among_people() -> None:
    assert seeking(played(*REMINDERS))
    assert not seeking(without("day"))
    assert not seeking(played())
    assert len(texts(played(*REMINDERS), "day")) == 2


def test_the_talks_reminder_makes_the_performer_say_place_and_time() -> None:
    place = TASK.place.partition(": ")[0]
    reminded, bare = pitches(played(*REMINDERS)), pitches(without("talk"))
    assert reminded
    assert bare
    assert all(place in words and TASK.start in words for words in reminded)
    assert not all(place in words and TASK.start in words for words in bare)


def test_reminders_are_as_long_as_the_paper_prints_them() -> None:
    """Three to five lines, one to two sentences, fewer than five items (appendix B)."""
    told = played(*REMINDERS)
    assert all(text.count(". ") <= 1 for text in texts(told, "day"))
    assert all(1 <= len(text.splitlines()) < 5 for text in texts(told, "talk"))
