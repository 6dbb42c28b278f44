"""The whole simulation: what goes out, what may come in, how it ends, how it is resumed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any
from zlib import crc32

import pytest
from pydantic import BaseModel

from any_mind import AnyMind
from generative_minds import AnyGenerative
from puppet_town import (
    ANN,
    BEN,
    CAFE,
    TALK,
    TRIO,
    Lived,
    Puppet,
    at,
    begun,
    day,
    lived,
    memo,
    planned,
    resident,
    setting,
)
from small_towns import some_setting
from sociolab.core import (
    Answered,
    Completed,
    Ended,
    Event,
    Happened,
    Json,
    NoReply,
    Question,
    Reply,
    ReplyError,
    Request,
    StartRequests,
    StoreError,
    Unusable,
    WorldError,
)
from sociolab.engine import FailurePolicy, drive
from sociolab.testing import as_bytes, ending_of
from sociolab.town import (
    DayPlan,
    DayReminder,
    Did,
    GeneralPlan,
    Lines,
    MindPlayer,
    Order,
    PlanDay,
    Planned,
    Reminded,
    Said,
    Setting,
    TalkReminder,
    Utter,
    WentWithout,
)
from sociolab.town.questions import MindName

ORDERS: tuple[Order, ...] = ("lock-step", "ahead")
GIVEN = setting(days=2, seed=1)


@cache
def any_two_days(order: Order = "lock-step") -> Lived:
    return lived(AnyMind(7), GIVEN, order)


def of(events: tuple[Event, ...], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


# ------------------------------------------------------------------ what goes out


def test_a_request_carries_its_question_and_is_put_to_the_seat() -> None:
    given = setting(
        (ANN,), seat_of=lambda who, name: f"{who}.routine" if name == "decompose" else who
    )
    play = begun(given)
    assert isinstance(next(play), Happened), "the header"
    step = play.send(None)
    assert isinstance(step, StartRequests)
    (request,) = step.requests
    question = request.observation.view
    assert isinstance(question, PlanDay)
    assert (request.seat, request.turn, request.attempt) == ("ann", 0, 1)
    assert request.expected == Question("plan_day", "", DayPlan)
    shown = request.observation
    a_talk = 16  # begun at the last step, its utterances are asked for at steps of their own
    assert (shown.you, shown.limit) == ("Ann Moor", given.steps + a_talk)
    events = lived(Puppet(), given).events
    assert {e.question: e.seat for e in of(events, Answered)} == {
        "plan_day": "ann",
        "decompose": "ann.routine",
    }


def test_nobody_waits_for_the_others_replies() -> None:
    """All three are asked at once, and a life goes on when its own reply has come."""
    play = begun(setting(tdp={"ben": "Hold a party."}))
    next(play)
    step = play.send(None)
    assert isinstance(step, StartRequests)
    assert [request.seat for request in step.requests] == ["ann", "ben", "cid"]
    second = step.requests[1]
    plan = Lines(lines=("invite", "remind", "be there"))
    step = play.send([Completed(second, Reply(plan))])
    assert isinstance(step, StartRequests)
    assert [request.name for request in step.requests] == ["day_reminder"]


class Late:
    """Replies after a random number of turns of the loop; every `nth` reply cannot be used."""

    def __init__(self, mind: object, latency: int, nth: int = 0) -> None:
        self._chance = Random(latency)
        self._player = MindPlayer(mind)
        self._nth = nth

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        for _ in range(self._chance.randint(0, 5)):
            await asyncio.sleep(0)
        key = f"{request.seat} {request.turn} {request.name}"
        if self._nth and request.attempt == 1 and crc32(key.encode()) % self._nth == 0:
            return NoReply("unreadable", "no JSON", "hm")
        return await self._player.reply(request, memory)


def late(mind: object, latency: int, given: Setting, order: Order, nth: int) -> tuple[Event, ...]:
    players = dict.fromkeys((one.id for one in given.residents), Late(mind, latency, nth))
    return asyncio.run(drive(begun(given, order), players, lambda _: None))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("nth", [0, 7], ids=["all usable", "every seventh is not"])
@pytest.mark.parametrize("kind", ["lean", "generative-agents"])
def test_the_order_in_which_replies_come_makes_no_difference(
    order: Order, nth: int, kind: MindName
) -> None:
    """Neither to what happens nor to the order in which it is on record."""
    given = replace(some_setting(5), days=1, mind=kind) if kind != "lean" else GIVEN

    def mind() -> object:
        return AnyMind(7) if kind == "lean" else AnyGenerative(7)

    one, two = (late(mind(), latency, given, order, nth) for latency in (1, 2))
    assert as_bytes(one) == as_bytes(two)
    assert as_bytes(one) == as_bytes(late(mind(), 3, given, ORDERS[order == "lock-step"], nth))
    if kind == "lean" and not nth:
        assert of(one, Happened) == of(any_two_days().events, Happened)


# ------------------------------------------------------------------ what may come in


def test_an_answer_that_does_not_fit_is_asked_for_again_and_kept() -> None:
    plans = iter([day("09:00 fly @ The Moon: crater"), day()])
    told = lived(Puppet(plan_day=lambda _: next(plans)), setting((ANN,)))
    (refused,) = of(told.events, Unusable)
    assert (refused.cause, refused.attempt, refused.final) == ("not allowed", 1, False)
    assert "The Moon: crater" in refused.problem
    assert "The Moon: crater" in refused.raw
    assert told.of(WentWithout) == []


def test_a_reply_of_another_type_is_the_minds_fault() -> None:
    with pytest.raises(WorldError, match=r"ann was asked plan_day at step 0: expected a DayPlan"):
        lived(Puppet(plan_day=lambda _: memo()), setting((ANN,)))


def test_every_failure_is_on_record_and_counted() -> None:
    def lost(_: Any) -> BaseModel:
        raise ReplyError("no JSON", raw="hm", cause="unreadable")

    told = lived(Puppet(plan_day=lost), setting((ANN, BEN), policy=FailurePolicy(attempts=2)))
    failures = of(told.events, Unusable)
    assert [(e.seat, e.attempt, e.final, e.raw) for e in failures] == [
        ("ann", 1, False, "hm"),
        ("ann", 2, True, "hm"),
        ("ben", 1, False, "hm"),
        ("ben", 2, True, "hm"),
    ]
    assert [one.who for one in told.of(WentWithout)] == ["ann", "ben"]
    assert ending_of(told.events).reason == "time is up"


@pytest.mark.parametrize("order", ORDERS)
def test_the_policy_stop_ends_it_with_the_failed_turn(order: Order) -> None:
    def fails(question: Utter) -> Said:
        if question.meta.resident == "ben":
            raise ReplyError("no JSON", raw="hm", cause="unreadable")
        return Said(text="Well?")

    policy = FailurePolicy(attempts=1, then="stop")
    plans = planned(ann=day(f"09:00 knit @ {CAFE}"), ben=day(f"10:00 hum @ {CAFE}"))
    puppet = Puppet(plan_day=plans, utter=fails, talk_or_not=lambda _: TALK)
    told = lived(puppet, setting((ANN, BEN), policy=policy), order)
    failure = of(told.events, Unusable)[-1]
    assert told.events[-1] == Ended("failed turn", failure.turn, "ben")
    # The second to speak fails, a step after the talk began: that step is not over.
    assert told.trace.steps == failure.turn - 1 > at("10:00")
    assert not told.of(WentWithout)


# ------------------------------------------------------------------ the same, and not the same


@pytest.mark.parametrize("order", ORDERS)
def test_the_same_seed_gives_the_same_bytes(order: Order) -> None:
    again = lived(AnyMind(7), GIVEN, order)
    assert as_bytes(again.events) == as_bytes(any_two_days(order).events)


def test_another_seed_stands_people_elsewhere() -> None:
    """The seed of the setting decides where in a place people stand; the mind's own is its own."""
    other = lived(AnyMind(7), setting(days=2, seed=2))
    assert other.trace.records != any_two_days().trace.records


@pytest.mark.parametrize("order", ORDERS)
def test_resuming_from_any_prefix_gives_the_same(order: Order) -> None:
    def mind() -> Puppet:
        return Puppet(
            plan_day=planned(ann=day(f"09:00 knit @ {CAFE}"), ben=day(f"10:00 hum @ {CAFE}")),
            talk_or_not=lambda _: TALK,
            summarise=lambda _: memo(changes_plan=True),
        )

    whole = lived(mind(), setting((ANN, BEN)), order)
    for cut in range(len(whole.events) + 1):
        puppet = mind()
        again = lived(puppet, setting((ANN, BEN)), order, whole.events[:cut])
        assert again.trace == whole.trace
        assert sorted(again.events, key=repr) == sorted(whole.events, key=repr)
        asked = len(of(whole.events, Answered)) - len(of(whole.events[:cut], Answered))
        assert len(puppet.asked) == asked, "what was answered is not asked again"


def test_a_journal_of_another_simulation_is_refused() -> None:
    other = lived(Puppet(plan_day=lambda _: day(wake="07:00")), setting((ANN,)))
    moved = setting((resident("Ann", living_area="Ben's House: bedroom"),))
    with pytest.raises(StoreError, match="is on record"):
        lived(Puppet(), moved, journal=other.events)


# ------------------------------------------------------------------ the task


def test_a_goal_reaches_only_its_performer() -> None:
    goal = "Hold a CANARY party."
    ann = resident("Ann", currently=goal)
    puppet = Puppet(
        plan_day=planned(
            ann=day(f"09:00 knit @ {CAFE}"),
            ben=day(f"10:00 hum @ {CAFE}"),
            cid=day(f"11:00 sing @ {CAFE}"),
        ),
        talk_or_not=lambda _: TALK,
        # Ann lets it out to Ben and to nobody else.
        utter=lambda q: Said(
            text=goal if (q.meta.resident, q.other.id) == ("ann", "ben") else "Hm.",
            ends=len(q.lines) > 0,
        ),
        summarise=lambda q: memo(" ".join(line.text for line in q.lines)),
    )
    heard: set[str] = set()

    def note(question: Any) -> None:
        who = question.meta.resident
        if any("CANARY" in line.text for line in getattr(question, "lines", ())):
            heard.add(who)
        shown = f"{question!r} {question.me.memory.latest(9999)!r}"
        assert ("CANARY" in shown) == (who == "ann" or who in heard), f"{who}: {shown}"

    puppet.note = note
    lived(puppet, setting((ann, *TRIO[1:]), tdp={"ann": goal}))
    assert "ben" in heard
    assert "cid" not in heard
    assert {q.meta.resident for q in puppet.asked if type(q) in TDP} == {"ann"}


TDP = (GeneralPlan, DayReminder, TalkReminder)


def test_tdp_is_asked_in_the_papers_order_and_each_day_for_its_reminder() -> None:
    """STSS appendix B: general plan, reminder for the day, checklist; then the day is planned."""
    puppet = Puppet(
        plan_day=planned(ann=day(f"09:00 knit @ {CAFE}"), ben=day(f"10:00 hum @ {CAFE}")),
        talk_or_not=lambda _: TALK,
        replan=_rest,
        summarise=lambda _: memo(changes_plan=True),
    )
    told = lived(puppet, setting((ANN, BEN), days=2, tdp={"ann": "Hold a party."}))
    mine = [
        type(q) for q in puppet.asked if type(q) in (*TDP, PlanDay) and q.meta.resident == "ann"
    ]
    assert mine == [GeneralPlan, DayReminder, TalkReminder, PlanDay, DayReminder, PlanDay]
    assert [q.day.day for q in puppet.of(DayReminder)] == [13, 14]
    plan = ("invite", "remind", "be there")
    assert all(q.plan == plan for q in puppet.of(DayReminder) + puppet.of(TalkReminder))
    assert {q.goal for q in puppet.asked if type(q) in TDP} == {"Hold a party."}
    assert {q.reminder for q in puppet.of(PlanDay, "ann")} == {"Invite everybody."}
    assert {q.reminder for q in puppet.of(PlanDay, "ben")} == {""}
    kinds = [(record.kind, record.who) for record in told.of(Reminded)]
    assert kinds == [(kind, "ann") for kind in ("general plan", "day", "talk", "day")]


def _rest(question: Any) -> BaseModel:
    entry = {"start": f"{question.me.now:%H:%M}", "what": "knit", "place": CAFE}
    found: BaseModel = question.answer_type.model_validate({"entries": [entry]})
    return found


def test_a_reminder_that_does_not_come_is_none() -> None:
    def lost(_: Any) -> BaseModel:
        raise ReplyError("no JSON", raw="hm", cause="unreadable")

    puppet = Puppet(general_plan=lost, day_reminder=lost, talk_reminder=lost)
    told = lived(puppet, setting((ANN,), tdp={"ann": "Hold a party."}))
    assert [one.question for one in told.of(WentWithout)] == [one.name for one in TDP]
    assert not told.of(Reminded)
    assert puppet.of(PlanDay)[0].reminder == ""
    assert told.of(Planned)
    assert told.of(Did)
