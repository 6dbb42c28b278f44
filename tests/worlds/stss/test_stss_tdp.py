"""What the performer with TDP, the plain one and the others read, beside STSS section 4 and
appendix B."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from puppet_town import Lived, lived
from sociolab.engine import FailurePolicy
from sociolab.town import QUESTIONS, Planned, Reminded, ScriptedMind, Talked, build_prompt
from sociolab.worlds import stss

OWN = stss.own_town(1)
WHOLE = next(task for task in OWN.tasks if task.id == "kite-evening")
TASK = WHOLE.model_copy(update={"background": WHOLE.background[:7]})
TDP = ("general_plan", "day_reminder", "talk_reminder")


@dataclass(frozen=True)
class Read:
    """What a model would have read."""

    who: str
    step: int
    name: str
    head: str
    tail: str

    @property
    def instruction(self) -> str:
        """What is asked for: the end, after all that is shown."""
        return self.tail.rpartition("\n\n")[2]


class Reader(ScriptedMind):
    """The scripted mind, and the prompts of all that it is asked."""

    def __init__(self) -> None:
        self.read: list[Read] = []

    def __getattribute__(self, name: str) -> Any:
        method = super().__getattribute__(name)
        if name not in {question.name for question in QUESTIONS}:
            return method

        async def answer(question: Any) -> Any:
            head, tail = build_prompt(question, stss.paper_prompts(), 1.0).messages
            asked = question.meta
            self.read.append(Read(asked.resident, asked.step, name, head.text, tail.text))
            return await method(question)

        return answer


@cache
def played(*, tdp: bool) -> tuple[Lived, list[Read]]:
    """Two days with a few residents, in steps of a minute."""
    present = {TASK.performer, *TASK.background}
    people = tuple(one for one in OWN.residents if one.id in present)
    content = stss.Content(task=TASK, residents=people, town=stss.pack_map(OWN.town))
    given = stss.make_setting(
        content, stss.StssSettings(step=60, tdp=tdp), FailurePolicy(), "tdp", 1
    )
    reader = Reader()
    return lived(reader, given), reader.read


def asked(name: str, who: str = TASK.performer, *, tdp: bool = True) -> list[Read]:
    return [one for one in played(tdp=tdp)[1] if one.name == name and one.who == who]


def texts(kind: str) -> list[str]:
    return [one.text for one in played(tdp=True)[0].of(Reminded) if one.kind == kind]


# ------------------------------------------------------------------ the three steps


def test_all_three_steps_hold_the_task_and_who_one_is() -> None:
    for name in TDP:
        for one in asked(name):
            assert f"Your task: {TASK.goal}" in one.tail
            assert "# Who you are" in one.head
            assert TASK.goal in one.head, "as a vanilla agent has it: in what occupies it"


def test_the_steps_come_in_the_papers_order_and_plan_and_checklist_once() -> None:
    mine = [one for one in played(tdp=True)[1] if one.who == TASK.performer]
    first = [one.name for one in mine if one.name in (*TDP, "plan_day")]
    assert first == [*TDP, "plan_day", "day_reminder", "plan_day"]
    assert {one.step for one in mine if one.name in TDP[::2]} == {0}


def test_the_general_plan_is_three_to_five_sentences_of_subgoals() -> None:
    (plan,) = asked("general_plan")
    assert "subgoals or key points" in plan.instruction
    assert "3 to 5 sentences" in plan.instruction


def test_the_days_reminder_names_the_date_and_is_one_or_two_sentences() -> None:
    for one, day in zip(asked("day_reminder"), ("Monday 13 May 2024", "Tuesday 14 May 2024"),
                        strict=True):  # fmt: skip
        assert f"plan your {day}" in one.instruction
        assert "1 to 2 sentences" in one.instruction
        assert texts("general plan")[0].splitlines()[0] in one.tail


def test_the_checklist_is_made_of_the_task_alone() -> None:
    """Fewer than five items; no partner, nothing remembered, nothing agreed."""
    (one,) = asked("talk_reminder")
    assert "fewer than 5 items" in one.instruction
    names = [other.name for other in OWN.residents if other.id in TASK.background]
    assert not any(name in one.tail for name in names)
    shown = one.tail.replace(TASK.goal, "").replace(texts("general plan")[0], "")
    assert re.findall(r"^[A-Z].*:$", shown, re.MULTILINE) == ["Your general plan:"]


def test_the_reminder_is_shown_where_its_day_is_planned_and_nowhere_else() -> None:
    reminders = texts("day")
    for one, text in zip(asked("plan_day"), reminders, strict=True):
        assert f"Keep in mind on this day: {text}" in one.tail
    others = [one for one in played(tdp=True)[1] if one.name not in ("plan_day", *TDP)]
    assert not any(text in one.tail for one in others for text in reminders)


def test_plan_and_checklist_are_in_every_utterance_of_the_performer() -> None:
    (plan,), (items,) = texts("general plan"), texts("talk")
    utters = asked("utter")
    assert len({one.step for one in utters}) > 20
    for one in utters:
        for line in (*plan.splitlines(), *items.splitlines()):
            assert f"- {line}\n" in one.tail


def test_nobody_else_reads_any_of_it() -> None:
    mine = [line for kind in ("general plan", "day", "talk") for text in texts(kind)
            for line in text.splitlines()]  # fmt: skip
    others = [one for one in played(tdp=True)[1] if one.who != TASK.performer]
    assert {one.who for one in others} == set(TASK.background)
    assert not any(f"- {line}\n" in one.tail for one in others for line in mine)
    assert not {one.name for one in others} & set(TDP)


# ------------------------------------------------------------------ vanilla


COACHING = re.compile(
    r"\b(day|date|hour|time|place|where|when|name|yes|no|agreed?|promised?|invit\w+|clear\w*)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("tdp", [False, True])
@pytest.mark.parametrize("name", ["utter", "summarise", "talk_or_not", "replan"])
def test_nobody_is_told_what_to_say_note_or_keep(name: str, *, tdp: bool) -> None:
    """Of day, time and place TDP's own texts may speak (Table 5); what is asked for may not."""
    for who in (TASK.performer, *TASK.background):
        for one in asked(name, who, tdp=tdp):
            found = COACHING.findall(one.instruction)
            assert not found, one.instruction


def test_how_the_town_works_is_told_without_advice() -> None:
    for one in played(tdp=False)[1]:
        told = one.head.partition("# Who you are")[0]
        assert not re.search(r"\b(say yes|agreed|promised?|one name|same name|invite|kept)\b", told)
        assert "who is near you and awake" in told
        assert '"Sector: arena"' in told


def test_a_plan_is_asked_for_without_being_told_what_belongs_in_it() -> None:
    for who in (TASK.performer, *TASK.background):
        for one in asked("plan_day", who, tdp=False):
            assert re.fullmatch(
                r"Plan your whole \w+ \d+ May 2024 \(2024-05-\d\d\), from waking to bed, "
                r"in 8 to 14 entries\. Answer with a DayPlan\.",
                one.instruction,
            )


def test_the_plain_performer_reads_what_the_others_read_and_its_task_as_what_occupies_it() -> None:
    read = played(tdp=False)[1]
    assert not {one.name for one in read} & set(TDP)
    for one in read:
        assert (f"{TASK.goal}\n" in one.head) == (one.who == TASK.performer)
        assert "general plan" not in one.tail
        assert "keep in mind" not in one.tail.casefold()
    mine, other = (
        asked("utter", who, tdp=False)[0] for who in (TASK.performer, TASK.background[0])
    )
    assert mine.instruction.split("?")[1] == other.instruction.split("?")[1]


# ------------------------------------------------------------------ played by scripted players


def seeking(told: Lived) -> list[str]:
    """Where the performer means to be among people, by its first plans of both days."""
    plans = [one for one in told.of(Planned, TASK.performer) if not one.why]
    return [
        block.place for plan in plans for block in plan.blocks if "going among people" in block.what
    ]


def pitches(told: Lived) -> list[str]:
    """All that the performer says of the activity, talk by talk."""
    said = []
    for talk in told.of(Talked, TASK.performer):
        words = " ".join(line.text for line in talk.lines if line.who == TASK.performer)
        if any(keyword in words for keyword in TASK.keywords):
            said.append(words)
    return said


def test_the_days_reminder_sends_the_performer_among_people() -> None:
    assert seeking(played(tdp=True)[0])
    assert not seeking(played(tdp=False)[0])
    assert any(place in texts("day")[0] for place in map(str, OWN.town.places))


def test_the_checklist_makes_the_performer_say_place_and_time() -> None:
    place = TASK.place.partition(": ")[0]
    reminded, bare = (pitches(played(tdp=tdp)[0]) for tdp in (True, False))
    assert reminded
    assert bare
    assert all(place in words and TASK.start in words for words in reminded)
    assert not all(place in words and TASK.start in words for words in bare)


def test_texts_are_as_long_as_the_paper_has_them() -> None:
    assert 3 <= len(texts("general plan")[0].splitlines()) <= 5
    assert all(text.count(". ") <= 1 for text in texts("day"))
    assert all(1 <= len(text.splitlines()) < 5 for text in texts("talk"))
