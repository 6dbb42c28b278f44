"""Scripted residents: exact among themselves by typed acts, polite beside anybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from datetime import date, datetime
from typing import Any, TypeVar

import pytest

from sociolab.core import Observation, Question, Reply, Request
from sociolab.testing import MindContract, stock_questions
from sociolab.testing.minds import STOCK_DAY
from sociolab.town import (
    Block,
    CompleteMind,
    DayReminder,
    Matter,
    Mind,
    MindPlayer,
    MindQuestion,
    Other,
    PlanDay,
    Replan,
    Resident,
    Said,
    ScriptedMind,
    SpeechAct,
    Summarise,
    Summary,
    TalkReminder,
    Utter,
    Utterance,
)
from sociolab.town.questions import Heard, Me
from sociolab.town.residents import Habit, Rhythm
from sociolab.town.scripted.matters import is_free, standings

Answer = TypeVar("Answer")
TUESDAY = date(2024, 5, 14)
PARK = "Heron Park: bandstand"
SWAP = Matter(
    kind="public activity", host="ada", what="seed swap", day="2024-05-14", start="17:00",
    minutes=90, place=PARK,
)  # fmt: skip
LEDGER = Matter(kind="appointment", host="ada", what="ledger", day="2024-05-14", partner="ben")
SEEDS = range(40)


class TestScriptedMind(MindContract):
    def mind(self) -> Mind:
        return ScriptedMind()


def at_once(asked: Coroutine[Any, Any, Answer]) -> Answer:
    return asyncio.run(asked)


def stock(kind: type[MindQuestion[Any]]) -> Any:
    return next(one for one in stock_questions() if isinstance(one, kind))


def resident(who: str, **fields: Any) -> Resident:
    known: dict[str, Any] = {"innate": "", "learned": "", "currently": ""}
    home = "3 Mill Lane: bedroom" if who == "ada" else "Larkfield Bakery: shop"
    name = f"{who.title()} Finch"
    return Resident(id=who, name=name, age=40, living_area=home, **(known | fields))


def me(who: str, task: Matter | None = None, heard: tuple[Heard, ...] = (), **fields: Any) -> Me:
    """Ada or Ben on Monday at ten, who know the places of the stock town."""
    given: Me = stock(Utter).me
    people = {"ada": "Ada Finch", "ben": "Ben Finch", "cora": "Cora Vale"}
    people.pop(who)
    return replace(
        given, resident=resident(who, **fields), people=people, task=task, heard=heard,
        places=given.places, now=datetime(2024, 5, 13, 10, 0),
    )  # fmt: skip


def talked(
    performer: ScriptedMind, *, seed: int = 1, task: Matter = SWAP, ben: Me | None = None,
    other: ScriptedMind | None = None, checklist: tuple[str, ...] = (),
) -> tuple[Utterance, ...]:  # fmt: skip
    """A conversation that Ada, who has the task, begins with Ben."""
    lines: list[Utterance] = []
    minds: dict[str, ScriptedMind] = {"ada": performer, "ben": other or ScriptedMind()}
    sides = {"ada": me("ada", task), "ben": ben or me("ben")}
    closing = False
    for turn in range(16):
        who = ("ada", "ben")[turn % 2]
        question = utter(sides[who], tuple(lines), seed, turn, checklist if who == "ada" else ())
        said = at_once(minds[who].utter(question))
        lines.append(Utterance(who, sides[who].resident.name, said.text, said.acts))
        if closing:
            break
        closing = said.ends
    return tuple(lines)


def utter(
    side: Me, lines: tuple[Utterance, ...], seed: int, turn: int, checklist: tuple[str, ...] = ()
) -> Utter:
    given: Utter = stock(Utter)
    who = "ben" if side.resident.id == "ada" else "ada"
    asked = replace(given.meta, seed=seed, resident=side.resident.id, step=turn)
    other = Other(who, side.people[who], "having tea")
    return Utter(asked, side, other, turn == 0, lines, 8 - turn // 2, (), (), (), checklist)


def note(side: Me, lines: tuple[Utterance, ...], seed: int = 1) -> Summary:
    given: Summarise = stock(Summarise)
    who = "ben" if side.resident.id == "ada" else "ada"
    other = Other(who, side.people[who], "having tea")
    asked = replace(given.meta, seed=seed, resident=side.resident.id)
    return at_once(ScriptedMind().summarise(Summarise(asked, side, other, lines, ())))


def acts(lines: tuple[Utterance, ...], by: str) -> list[SpeechAct]:
    return [act for line in lines for act in line.acts if act.by == by]


def heard(summary: Summary, other: str, when: datetime) -> tuple[Heard, ...]:
    return tuple(Heard(when, other, act) for act in summary.acts if act.matter is not None)


def agreed_talk(task: Matter = SWAP) -> tuple[Utterance, ...]:
    """A conversation with somebody who likes the idea, whichever seed that takes."""
    talks = (talked(CompleteMind(), seed=seed, task=task) for seed in SEEDS)
    return next(talk for talk in talks if any(one.kind == "accept" for one in acts(talk, "ben")))


# ------------------------------------------------------------------ what is said


def test_a_complete_performer_tells_day_hour_and_place_at_once_and_in_its_words() -> None:
    for seed in SEEDS:
        first = talked(CompleteMind(), seed=seed)[0]
        (invited,) = (act for act in first.acts if act.kind == "invite")
        assert invited.matter == SWAP
        assert all(part in first.text for part in ("seed swap", "14 May 2024", "17:00", PARK))


def test_a_plain_performer_often_forgets_and_a_reminder_makes_it_complete() -> None:
    plain = [talked(ScriptedMind(), seed=seed)[0].acts[-1] for seed in SEEDS]
    assert any(one.matter and not one.matter.start for one in plain)
    assert any(one.matter and not one.matter.place for one in plain)
    assert any(one.kind == "tell" for one in plain)
    for seed in SEEDS:
        reminded = talked(ScriptedMind(), seed=seed, checklist=("anything",))[0].acts[-1]
        assert (reminded.kind, reminded.matter) == ("invite", SWAP)


def test_whoever_is_asked_says_yes_or_no_and_every_line_carries_acts() -> None:
    answers = set()
    for seed in SEEDS:
        lines = talked(CompleteMind(), seed=seed)
        assert all(line.acts for line in lines)
        answers |= {one.kind for one in acts(lines, "ben")} & {"accept", "decline"}
    assert answers == {"accept", "decline"}


def test_an_appointment_is_agreed_with_an_hour_and_mostly_a_place() -> None:
    for mind in (ScriptedMind(), CompleteMind()):
        found = [
            one.matter
            for seed in SEEDS
            for line in talked(mind, task=LEDGER, seed=seed)
            for one in line.acts
            if one.kind == "accept" and one.matter
        ]
        assert len(found) > len(SEEDS) / 2
        assert all(one.start and one.day == LEDGER.day for one in found)
        assert sum(bool(one.place) for one in found) > len(found) / 2


def test_who_has_work_then_puts_forward_an_hour_at_which_they_are_free() -> None:
    fixed = LEDGER.model_copy(update={"start": "11:00", "place": PARK})
    work = Habit(
        what="bakes", place="Larkfield Bakery: shop", start="09:00", end="13:00", work=True
    )
    ben = me("ben", habits=(work,), rhythm=Rhythm())
    countered = [
        one.matter.start
        for seed in SEEDS
        for one in acts(talked(CompleteMind(), seed=seed, task=fixed, ben=ben), "ben")
        if one.kind == "counter" and one.matter
    ]
    assert countered
    assert all(is_free(ben, TUESDAY, start, 60) for start in countered)


def test_who_works_by_a_routine_in_words_is_not_free_then() -> None:
    told = me("ben", routine="Ben works from 9am to 2pm.", lifestyle="Ben goes to bed at 9pm.")
    free = [hour for hour in range(8, 22) if is_free(told, TUESDAY, f"{hour:02}:00", 60)]
    assert free == [8, *range(14, 21)]
    untold = [hour for hour in range(8, 22) if is_free(me("ben"), TUESDAY, f"{hour:02}:00", 60)]
    assert 10 not in untold  # out, as the plan of the day says
    assert 17 in untold


def test_who_has_answered_keeps_the_answer() -> None:
    lines = agreed_talk()
    kept = heard(note(me("ben"), lines), "ada", datetime(2024, 5, 13, 10))
    again = talked(CompleteMind(), seed=99, ben=me("ben", heard=kept))
    assert "accept" in {one.kind for one in acts(again, "ben")}


def test_word_of_an_event_gets_about_and_its_host_is_named() -> None:
    lines = agreed_talk()
    kept = heard(note(me("ben"), lines), "ada", datetime(2024, 5, 13, 9))
    ben = me("ben", heard=kept)
    cora = Other("cora", "Cora Vale", "reading")
    found = [
        at_once(ScriptedMind().utter(replace(utter(ben, (), seed, 0), other=cora)))
        for seed in SEEDS
    ]
    told = [one for one in found if any(act.kind == "invite" for act in one.acts)]
    assert told
    assert all("Ada Finch" in one.text and one.acts[-1].matter == SWAP for one in told)


def test_nobody_says_the_same_twice() -> None:
    for seed in range(40):
        texts = [line.text for line in talked(ScriptedMind(), seed=seed)]
        assert len(set(texts)) == len(texts)


# ------------------------------------------------------------------ beside somebody else


class Speaks(ScriptedMind):
    """Says yes to everything, in words."""

    async def utter(self, question: Utter) -> Said:
        return Said(text="Yes, gladly! I shall be there at 17:00.")


def test_beside_somebody_who_writes_no_acts_nothing_is_agreed_however_they_say_yes() -> None:
    lines = talked(CompleteMind(), other=Speaks())
    mine = [one.kind for one in acts(lines, "ada")]
    assert mine == ["greet", "invite", "tell", "chat", "bye"]
    assert not {"accept", "decline", "counter"} & set(mine)
    kept = note(me("ada", SWAP), lines)
    assert (kept.changes_plan, kept.memo) == (False, "I talked with Ben Finch.")


def test_who_is_asked_in_words_alone_is_polite_and_promises_nothing() -> None:
    asks = Utterance(
        "ada", "Ada Finch", f"Come to my seed swap on Tuesday at 17:00 at {PARK}! Yes?"
    )
    said = at_once(ScriptedMind().utter(utter(me("ben"), (asks,), 1, 1)))
    assert {one.kind for one in said.acts} <= {"greet", "chat"}
    kept = note(me("ben"), (asks, Utterance("ben", "Ben Finch", said.text, said.acts)))
    assert kept.memo == "I talked with Ada Finch."


def test_only_built_in_minds_write_acts() -> None:
    question = utter(me("ada", SWAP), (), 1, 0)
    seen = Observation("ada", "Ada", 0, 16, "", (), "", (), question)
    request = Request("t", 1, "ada", 0, 1, Question("utter", "", Said), seen)

    class Hermit(ScriptedMind):
        """Somebody's own mind."""

    for player, any_acts in (
        (MindPlayer(ScriptedMind(), built_in=True), True),
        (MindPlayer(Hermit()), False),
    ):
        reply = asyncio.run(player.reply(request, None))
        assert isinstance(reply, Reply)
        assert isinstance(reply.value, Said)
        assert bool(reply.value.acts) == any_acts
        assert reply.value.text


# ------------------------------------------------------------------ days


def day(side: Me, *, reminder: str = "", seed: int = 1) -> list[tuple[str, str, str]]:
    given: PlanDay = stock(PlanDay)
    asked = replace(given.meta, seed=seed, resident=side.resident.id)
    night = replace(side, now=datetime(2024, 5, 14))
    plan = at_once(ScriptedMind().plan_day(PlanDay(asked, night, TUESDAY, (), reminder)))
    return [(one.start, one.what, one.place) for one in plan.entries]


def test_what_was_agreed_is_in_the_day_a_quarter_of_an_hour_ahead() -> None:
    kept = heard(note(me("ben"), agreed_talk()), "ada", datetime(2024, 5, 13, 10))
    days = [day(me("ben", heard=kept), seed=seed) for seed in SEEDS]
    goes = [one for entries in days for one in entries if "seed swap" in one[1]]
    assert set(goes) == {("16:45", "taking part in the seed swap", PARK)}
    assert 0.7 < len(goes) / len(days) < 1, "now and then it is forgotten"


def test_errands_are_run_in_their_order_where_they_were_told_to_be() -> None:
    task = Matter.model_validate({
        "kind": "asking for help", "host": "ada", "what": "a big order", "day": "2024-05-14",
        "chores": [{"what": "buy honey", "place": "Greengage Market: shop floor"},
                   {"what": "bring the honey", "place": "Lantern Cafe: counter room"}],
    })  # fmt: skip
    kept = heard(note(me("ben"), agreed_talk(task)), "ada", datetime(2024, 5, 13, 10))
    found = [one for one in day(me("ben", heard=kept)) if "honey" in one[1]]
    assert [one[1:] for one in found] == [
        ("buy honey", "Greengage Market: shop floor"),
        ("bring the honey", "Lantern Cafe: counter room"),
    ]
    assert found[0][0] < found[1][0]


def test_a_host_is_reminded_to_seek_people_and_to_be_there_in_time() -> None:
    host = me("ada", SWAP)
    reminded = day(host, reminder="anything")
    assert any(what == "going among people" for _, what, _ in reminded)
    assert ("16:45", "holding the seed swap", PARK) in reminded
    plain = {one[0] for seed in SEEDS for one in day(host, seed=seed) if "seed swap" in one[1]}
    assert plain == {"17:00", "17:15", "17:25"}


def test_who_agrees_on_the_day_itself_goes_now() -> None:
    kept = heard(note(me("ben"), agreed_talk()), "ada", datetime(2024, 5, 14, 17, 10))
    given: Replan = stock(Replan)
    now = datetime(2024, 5, 14, 17, 10)
    ahead = (Block(now, datetime(2024, 5, 14, 22), "reads", "Larkfield Bakery: shop"),)
    side = replace(me("ben", heard=kept), now=now)
    question = replace(given, me=side, ahead=ahead, bedtime=datetime(2024, 5, 14, 22))
    first, second, *_ = at_once(ScriptedMind().replan(question)).entries
    assert (first.start, first.what, first.place) == ("17:10", "taking part in the seed swap", PARK)
    assert (second.start, second.what) == ("18:30", "reads")


def test_who_has_no_habits_written_spends_the_day_somewhere_they_know() -> None:
    entries = day(me("ben"))
    work = {place for _, what, place in entries if what == "going about the day's work"}
    assert len(work) == 1
    assert work <= set(me("ben").places)


# ------------------------------------------------------------------ TDP


def test_tdp_names_what_is_wanted_and_is_done_once_it_is_settled() -> None:
    ada = me("ada", LEDGER)
    given = stock(TalkReminder)
    items = at_once(ScriptedMind().talk_reminder(replace(given, me=ada))).items
    assert any("ledger" in item for item in items)
    settled = heard(note(ada, agreed_talk(LEDGER)), "ben", ada.now)
    done = replace(ada, heard=settled)
    assert standings(done)["ada", "ledger"].said_yes("ada")
    today = replace(stock(DayReminder), me=done, day=STOCK_DAY)
    assert "settled" in at_once(ScriptedMind().day_reminder(today)).text


@pytest.mark.parametrize("kind", ["appointment", "inviting companions"])
def test_what_the_task_leaves_open_an_organiser_chooses_once_for_all(kind: str) -> None:
    task = SWAP.model_copy(update={"kind": kind, "start": "", "partner": ""})
    starts = {
        one.matter.start
        for seed in (5,)
        for turn in range(3)
        for one in at_once(CompleteMind().utter(utter(me("ada", task), (), seed, 2 * turn))).acts
        if one.matter
    }
    assert len(starts) == 1
    assert starts != {""}
