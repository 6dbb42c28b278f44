"""A resident's day: waking, plans, parts, places, memories, reflection, bed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from puppet_town import (
    ANN,
    BEN,
    CAFE,
    CHANGE,
    MONDAY,
    TALK,
    TOWER,
    Puppet,
    at,
    between,
    day,
    lived,
    memo,
    planned,
    resident,
    rest,
    setting,
)
from sociolab.core import ReplyError
from sociolab.engine import FailurePolicy
from sociolab.town import (
    Choice,
    ChoosePlace,
    Clock,
    Decompose,
    Did,
    Insight,
    Insights,
    Part,
    Parts,
    PlanDay,
    Planned,
    RateImportance,
    Ratings,
    Reflect,
    Remembered,
    Replan,
    Rules,
    Said,
    Setting,
    Stood,
    Summarise,
    Surroundings,
    Talked,
    TalkOrNot,
    Utter,
    Walked,
    WentWithout,
    own_map,
    own_residents,
)

BEDROOM = str(ANN.home)
ALONE = setting((ANN,))
PAIR = setting((ANN, BEN))
BOTH_AT_THE_CAFE = planned(
    ann=day(f"09:00 mend clocks @ {CAFE}"), ben=day(f"10:00 drink tea @ {CAFE}")
)
TWICE_AT_THE_CAFE = planned(
    ann=day(f"09:00 mend clocks @ {CAFE}", f"14:00 mend shoes @ {CAFE}"),
    ben=day(f"10:00 drink tea @ {CAFE}", f"15:00 eat soup @ {CAFE}"),
)
"""Ann is there first, so that she and Ben see each other twice, the second time after soup."""


def lost(*_: Any) -> Any:
    raise ReplyError("nothing to read", raw="hm", cause="unreadable")


def says(text: str) -> Any:
    """Everybody says this, and goodbye."""
    return lambda _: Said(text=text, ends=True)


OF_THE_TOWER = says("Let us go fishing from the Tower.")


# ------------------------------------------------------------------ a day


def test_a_day_is_slept_until_the_waking_hour_and_from_bedtime_on() -> None:
    told = lived(Puppet(plan_day=planned(ann=day(wake="07:30", bed="21:00"))), ALONE)
    dids = told.of(Did)
    assert [did.step for did in dids if did.state == "asleep"] == [0, at("21:00")]
    assert dids[1].step == at("07:30")


def test_bed_after_midnight_puts_the_next_days_plan_off_until_then() -> None:
    puppet = Puppet(plan_day=lambda _: day(f"18:00 dance @ {CAFE}", bed="01:00"))
    told = lived(puppet, setting((ANN,), days=2))
    assert [(q.meta.step, q.day.day) for q in puppet.of(PlanDay)] == [
        (0, 13),
        # The way home takes its time.
        (told.of(Planned)[1].step, 14),
    ]
    assert at("01:00", 1) < told.of(Planned)[1].step < at("01:05", 1)
    assert not any(
        did.state == "asleep" for did in told.of(Did) if at("06:00") <= did.step < at("01:00", 1)
    )


def test_a_bed_before_midnight_leaves_the_next_plan_to_midnight() -> None:
    puppet = Puppet()
    lived(puppet, setting((ANN,), days=2))
    assert [q.meta.step for q in puppet.of(PlanDay)] == [0, at("00:00", 1)]


def test_blocks_follow_the_plan_and_last_until_the_next_one_starts() -> None:
    plan = day(f"08:00 bake @ {CAFE}", "12:00 nap @ " + BEDROOM, bed="20:00")
    (found,) = lived(Puppet(plan_day=planned(ann=plan)), ALONE).of(Planned)
    assert [(b.start, b.end, b.what) for b in found.blocks] == [
        (at("06:00"), at("08:00"), "idle"),
        (at("08:00"), at("12:00"), "bake"),
        (at("12:00"), at("20:00"), "nap"),
    ]
    assert found.why == ""


def test_a_walk_begins_with_the_block_and_ends_at_the_object() -> None:
    parts = Parts(parts=(Part(minutes=60, what="fry", object="stove"),))
    told = lived(
        Puppet(
            plan_day=planned(ann=day(f"06:00 cook @ {CAFE}", bed="10:00")),
            decompose=lambda _: parts,
        ),
        ALONE,
    )
    (stood,) = told.of(Stood)
    walks = told.of(Walked)
    assert (stood.x, stood.y) == (0, 0)
    assert walks[0].step == at("06:00")
    assert walks[0].path.count("E") == 18, "from Ann's bed to the stove"
    walking, arrived = between(told.of(Did), "06:00", "10:00")
    assert (walking.state, walking.doing, walking.object) == ("walking", "cook (fry)", "stove")
    assert (arrived.state, arrived.step) == ("at it", at("06:00") + len(walks[0].path))


def test_a_place_that_the_plan_leaves_open_is_chosen() -> None:
    puppet = Puppet(
        plan_day=planned(ann=day("06:00 look around", bed="06:30")),
        choose_place=lambda _: Choice(place=CAFE),
    )
    told = lived(puppet, ALONE)
    assert [q.what for q in puppet.of(ChoosePlace)] == ["look around"]
    assert {did.place for did in between(told.of(Did), "06:00", "06:30")} == {CAFE}


# ------------------------------------------------------------------ parts


def test_only_blocks_of_an_hour_and_more_are_divided() -> None:
    puppet = Puppet(
        plan_day=planned(
            ann=day(f"06:00 sweep @ {CAFE}", f"06:59 bake @ {CAFE}", "08:00 nap @ " + BEDROOM)
        )
    )
    lived(puppet, ALONE)
    assert [q.block.what for q in puppet.of(Decompose)] == ["bake", "nap"]
    assert puppet.of(Decompose)[0].objects == ("counter", "stove", "door")


def test_parts_are_done_one_after_the_other_and_the_last_is_stretched_to_the_end() -> None:
    parts = Parts(parts=(Part(minutes=10, what="knead"), Part(minutes=5, what="bake")))
    plan = planned(ann=day(f"06:00 make bread @ {BEDROOM}", bed="08:00"))
    told = lived(Puppet(plan_day=plan, decompose=lambda _: parts), ALONE)
    begun = {d.doing: d.step for d in reversed(told.of(Did))}
    assert begun["make bread (knead)"] == at("06:00")
    assert begun["make bread (bake)"] == at("06:10")
    assert told.of(Did)[-1].step == at("08:00")


def test_parts_beyond_the_end_of_the_block_are_cut() -> None:
    parts = Parts(parts=(Part(minutes=90, what="knead"), Part(minutes=5, what="bake")))
    plan = planned(ann=day(f"06:00 make bread @ {BEDROOM}", bed="07:00"))
    told = lived(Puppet(plan_day=plan, decompose=lambda _: parts), ALONE)
    assert "make bread (bake)" not in {did.doing for did in told.of(Did)}
    assert told.of(Did)[-1].step == at("07:00")


def test_a_part_may_be_done_twice() -> None:
    part = Part(minutes=30, what="row", object="desk")
    plan = planned(ann=day(f"06:00 train @ {BEDROOM}", bed="08:00"))
    mixed = Parts(parts=(part, Part(minutes=30, what="rest"), part))
    told = lived(Puppet(plan_day=plan, decompose=lambda _: mixed), ALONE)
    begun = [did.doing for did in told.of(Did) if did.state == "at it"]
    assert begun == ["train (row)", "train (rest)", "train (row)"]


def test_a_routine_block_is_divided_once_and_its_parts_are_used_again() -> None:
    plan = day(f"09:00 bake @ {CAFE}", f"11:00 nap @ {BEDROOM}", f"13:00 Bake @ {CAFE}")

    def knead(question: Any) -> Parts:
        thing = "counter" if "counter" in question.objects else ""
        return Parts(parts=(Part(minutes=10, what="knead", object=thing),))

    puppet = Puppet(plan_day=lambda _: plan, decompose=knead)
    told = lived(puppet, setting((ANN,), days=2))
    asked = [(q.block.what, q.block.place) for q in puppet.of(Decompose)]
    assert asked == [("idle", BEDROOM), ("bake", CAFE), ("nap", BEDROOM)]
    kneading = [d for d in told.of(Did) if d.doing.endswith("ake (knead)") and d.state == "at it"]
    assert [at("09:00"), at("13:00"), at("09:00", 1), at("13:00", 1)] == pytest.approx(
        [did.step for did in kneading], abs=30
    )


# ------------------------------------------------------------------ going without


def test_a_failed_plan_is_no_plan_and_on_record() -> None:
    told = lived(Puppet(plan_day=lost), ALONE)
    assert told.of(WentWithout) == [
        WentWithout(0, "ann", "plan_day", "unreadable", "nothing to read")
    ]
    assert {did.doing for did in told.of(Did)} == {"asleep", "be at home without a plan"}
    assert not told.of(Walked)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("decompose", {}),
        ("choose_place", {"plan_day": planned(ann=day("06:00 look around"))}),
        ("rate_importance", {}),
        ("talk_or_not", {}),
        ("utter", {"talk_or_not": lambda _: TALK}),
        ("summarise", {"talk_or_not": lambda _: TALK}),
        ("replan", {"talk_or_not": lambda _: CHANGE}),
        ("reflect", {}),
    ],
)
def test_any_question_can_fail_and_the_day_goes_on(question: str, answers: dict[str, Any]) -> None:
    rules = Rules(rate_at=1, reflect_at=1, cooldown=0, patience=0)
    plan = answers.get("plan_day", TWICE_AT_THE_CAFE)
    puppet = Puppet(**(answers | {"plan_day": plan, question: lost}))
    told = lived(puppet, setting((ANN, BEN), rules=rules))
    gone = told.of(WentWithout)
    assert {(one.question, one.cause) for one in gone} == {(question, "unreadable")}
    assert told.of(Did, "ann")[-1].state == "asleep", "in bed at the end of the day"


def test_a_failed_summary_leaves_no_more_than_that_they_talked() -> None:
    told = lived(
        Puppet(plan_day=BOTH_AT_THE_CAFE, talk_or_not=lambda _: TALK, summarise=lost), PAIR
    )
    assert told.of(Talked)
    kept = {one.text for one in told.of(Remembered) if one.kind == "talk"}
    assert kept == {"talked with Ann Moor", "talked with Ben Moor"}


def test_a_talk_in_which_nothing_was_said_is_not_summarised() -> None:
    puppet = Puppet(plan_day=BOTH_AT_THE_CAFE, talk_or_not=lambda _: TALK, utter=lost)
    told = lived(puppet, PAIR)
    assert {(talk.how, talk.lines) for talk in told.of(Talked)} == {("failed", ())}
    assert not puppet.of(Summarise)


# ------------------------------------------------------------------ plans change


def test_a_summary_that_changes_the_plan_leads_to_a_new_one() -> None:
    puppet = Puppet(
        plan_day=BOTH_AT_THE_CAFE,
        talk_or_not=lambda _: TALK,
        summarise=lambda q: memo("Home at once!", changes_plan=q.meta.resident == "ann"),
        replan=lambda q: rest(f"00:00 read @ {BEDROOM}", f"15:00 cook @ {CAFE}"),
    )
    told = lived(puppet, PAIR)
    talk = told.of(Talked)[0]
    asked = puppet.of(Replan)[0]
    assert (asked.meta.resident, asked.meta.step, asked.why) == ("ann", talk.end, "Home at once!")
    assert [(b.what, b.end) for b in asked.ahead] == [("mend clocks", asked.bedtime)]
    first, new = told.of(Planned, "ann")[:2]
    assert new.why == "Home at once!"
    assert [(b.start, b.end, b.what) for b in new.blocks] == [
        (talk.end, at("15:00"), "read"),
        (at("15:00"), at("22:00"), "cook"),
    ]
    assert [b.what for b in first.blocks] == ["idle", "mend clocks"]
    doing = [d for d in told.of(Did, "ann") if d.step >= talk.end]
    assert (doing[0].step, doing[0].doing, doing[0].place) == (talk.end, "read", BEDROOM)


def test_a_decision_to_change_the_plan_says_why() -> None:
    puppet = Puppet(
        plan_day=BOTH_AT_THE_CAFE,
        talk_or_not=lambda q: CHANGE if q.meta.resident == "ann" else replace_do(q),
        replan=lambda q: rest(f"00:00 fetch water @ {BEDROOM}"),
    )
    told = lived(puppet, PAIR)
    assert [(q.meta.resident, q.why) for q in puppet.of(Replan)] == [("ann", "a fire")]
    assert told.of(Planned, "ann")[-1].why == "a fire"
    assert "fetch water" in {did.doing for did in told.of(Did, "ann")}


def replace_do(_: Any) -> Any:
    return CHANGE.model_copy(update={"do": "carry on"})


def test_a_failed_replan_leaves_the_old_plan() -> None:
    puppet = Puppet(plan_day=BOTH_AT_THE_CAFE, talk_or_not=lambda _: CHANGE, replan=lost)
    told = lived(puppet, PAIR)
    assert {one.question for one in told.of(WentWithout)} == {"replan"}
    assert len(told.of(Planned)) == 2, "one of each"
    assert told.of(Did, "ann")[-3].block == "mend clocks"


def test_a_new_plan_with_an_hour_that_has_gone_by_is_sent_back() -> None:
    puppet = Puppet(
        plan_day=BOTH_AT_THE_CAFE,
        talk_or_not=lambda q: CHANGE if q.meta.resident == "ann" else replace_do(q),
        replan=lambda _: rest(f"10:00 sweep @ {CAFE}", f"08:00 yawn @ {CAFE}"),
    )
    told = lived(puppet, PAIR)
    (gone,) = {(one.question, one.cause, one.problem[-11:]) for one in told.of(WentWithout)}
    assert gone == ("replan", "not allowed", "found 08:00")
    assert told.of(Planned, "ann")[-1].why == "", "the plan stays as it was"


def test_a_new_plan_that_keeps_what_is_under_way_does_not_begin_it_again() -> None:
    puppet = Puppet(
        plan_day=BOTH_AT_THE_CAFE,
        talk_or_not=lambda q: CHANGE if q.meta.resident == "ann" else replace_do(q),
        replan=lambda _: rest(f"09:00 mend clocks @ {CAFE}", f"15:00 sing @ {CAFE}"),
    )
    told = lived(puppet, PAIR)
    blocks = [(b.start, b.end, b.what) for b in told.of(Planned, "ann")[-1].blocks]
    assert blocks == [
        (at("09:00"), at("15:00"), "mend clocks"),
        (at("15:00"), at("22:00"), "sing"),
    ]


def test_after_bedtime_no_plan_is_changed() -> None:
    late = planned(ann=day(f"09:00 sing @ {CAFE}", bed="21:00"), ben=day(f"21:00 sing @ {CAFE}"))
    puppet = Puppet(
        plan_day=late,
        talk_or_not=lambda q: TALK if q.meta.resident == "ben" else replace_do(q),
        summarise=lambda _: memo(changes_plan=True),
    )
    told = lived(puppet, PAIR)
    (talk,) = told.of(Talked)
    assert talk.end > at("21:00")
    assert {q.meta.resident for q in puppet.of(Replan)} == {"ben"}
    assert len(puppet.of(Summarise)) == 2


# ------------------------------------------------------------------ what is kept of a talk


def test_a_summary_becomes_a_memory_of_its_importance() -> None:
    puppet = Puppet(
        plan_day=BOTH_AT_THE_CAFE,
        talk_or_not=lambda _: TALK,
        summarise=lambda q: memo(f"{q.meta.resident} heard of it", 7),
    )
    told = lived(puppet, PAIR)
    (talk,) = told.of(Talked)
    kept = [one for one in told.of(Remembered) if one.kind == "talk"]
    assert kept == [
        Remembered(talk.end, "ann", "talk", "ann heard of it", 7),
        Remembered(talk.end, "ben", "talk", "ben heard of it", 7),
    ]


def test_an_invitation_of_the_day_before_comes_to_mind_when_the_day_is_planned() -> None:
    """Among all that was seen and said on Monday; there is no calendar that would remember it."""
    invited = "Ann asked me to her party, tomorrow at six at the cafe, and I shall come."
    talks = iter(range(99))
    puppet = Puppet(
        plan_day=lambda q: day(*[f"{hour:02}:00 task {hour} @ {CAFE}" for hour in range(7, 21)]),
        talk_or_not=lambda _: TALK,
        utter=says("Good day!"),
        summarise=lambda q: (
            memo(invited, 6) if next(talks) == 3 else memo(f"We spoke of clocks, {q.other.id}.", 3)
        ),
    )
    few = setting((ANN, BEN), days=2, rules=Rules(cooldown=60, patience=0))
    told = lived(puppet, few)
    (kept,) = [one for one in told.of(Remembered) if one.text == invited]
    kinds = [one.kind for one in told.of(Remembered, kept.who)]
    assert kinds.count("talk") > 8
    assert kinds.count("seen") > 8
    monday, tuesday = puppet.of(PlanDay, kept.who)
    assert monday.memories == ()
    assert invited in [memory.text for memory in tuesday.memories]
    whens = [memory.when for memory in tuesday.memories]
    assert whens == sorted(whens)


def meets(who: str, *others: str) -> Any:
    """This one talks to these, and carries on near anybody else."""

    def decide(question: TalkOrNot) -> Any:
        talks = question.meta.resident == who and question.other.id in others
        return TALK if talks else replace_do(question)

    return decide


@pytest.mark.parametrize("said", [f"At {TOWER}.", "On the top of the tower!", "At the Tower"])
def test_who_is_told_of_a_place_may_go_there(said: str) -> None:
    def goes_there(question: Any) -> Any:
        known = TOWER in question.me.places
        return day(f"09:00 fish @ {TOWER if known else CAFE}")

    puppet = Puppet(plan_day=goes_there, talk_or_not=lambda _: TALK, utter=says(said))
    told = lived(puppet, setting((ANN, BEN), days=2))
    assert TOWER not in puppet.of(Utter, "ann")[0].me.places
    assert puppet.of(Summarise, "ann")[0].me.places[-1] == TOWER, "new places come last"
    assert [q.me.places[-1] for q in puppet.of(PlanDay, "ann")] == [CAFE, TOWER]
    assert puppet.of(PlanDay, "ann")[1].me.objects[TOWER] == ("telescope",)
    assert not told.of(WentWithout)


def test_a_place_is_known_to_those_alone_who_were_told_of_it() -> None:
    puppet = Puppet(
        plan_day=lambda _: day(f"09:00 sing @ {CAFE}"),
        talk_or_not=meets("ann", "ben"),
        utter=OF_THE_TOWER,
    )
    told = lived(puppet, setting(days=2))
    assert {frozenset((talk.who, talk.other)) for talk in told.of(Talked)} == {
        frozenset(("ann", "ben"))
    }
    tuesday = {q.meta.resident: q.me.places for q in puppet.of(PlanDay) if q.day.day == 14}
    assert {who for who, places in tuesday.items() if TOWER in places} == {"ann", "ben"}


def test_a_place_of_which_nobody_told_stays_unknown() -> None:
    puppet = Puppet(
        plan_day=BOTH_AT_THE_CAFE,
        talk_or_not=lambda _: TALK,
        utter=says("Let us go fishing from up there."),
        summarise=lambda _: memo(f"We go fishing at {TOWER}."),
    )
    lived(puppet, PAIR)
    assert all(TOWER not in q.me.places for q in puppet.asked)


# ------------------------------------------------------------------ importance, reflection

MANY = tuple(resident(name, living_area="Cid's House: bedroom") for name in ("Cid", "Dan", "Eve"))


def busy_days(rates: Any, **answers: Any) -> tuple[Puppet, Any]:
    """Two days on which the others do something new in front of Ann every half hour."""

    def plan(question: Any) -> Any:
        who = question.meta.resident
        hours = [f"{h:02}:{m:02}" for h in range(7, 21) for m in (0, 30)]
        return day(*(f"{h} {who} plays game {h} @ {CAFE}" for h in hours))

    puppet = Puppet(
        plan_day=plan,
        rate_importance=lambda q: Ratings(ratings=tuple(rates(text) for text in q.texts)),
        **answers,
    )
    return puppet, lived(puppet, setting((ANN, BEN, *MANY), days=2))


def test_memories_are_rated_in_batches_and_no_text_twice() -> None:
    puppet, _ = busy_days(lambda _: 1)
    asked = puppet.of(RateImportance, "ann")
    texts = [text for question in asked for text in question.texts]
    assert len(texts) == len(set(texts)) > 50
    assert all(Rules().rate_at <= len(question.texts) <= 25 for question in asked)


def test_reflection_comes_when_importance_has_built_up_and_then_begins_anew() -> None:
    insight = Insight(text="They play all day.", importance=8)
    puppet, told = busy_days(lambda _: 5, reflect=lambda _: Insights(insights=(insight,)))
    reflected = puppet.of(Reflect, "ann")
    assert len(reflected) >= 2
    first = reflected[0].meta.step
    rated = [(q.meta.step, 5 * len(q.texts)) for q in puppet.of(RateImportance, "ann")]
    assert sum(points for step, points in rated if step <= first) >= Rules().reflect_at
    assert sum(points for step, points in rated if step < first) < Rules().reflect_at
    # What is seen again is as important as before; but never more than it is seen.
    for last, following in pairwise(q.meta.step for q in reflected):
        seen = [one for one in told.of(Remembered, "ann") if last < one.step <= following]
        assert 5 * len(seen) > Rules().reflect_at - 5 * 25
    kept = [one for one in told.of(Remembered, "ann") if one.kind == "thought"]
    assert [(one.step, one.text, one.importance) for one in kept] == [
        (q.meta.step, insight.text, 8) for q in reflected
    ]


def test_nobody_reflects_on_little() -> None:
    puppet, _ = busy_days(lambda _: 1)
    assert all(len(puppet.of(Reflect, who)) <= 1 for who in ("ann", "ben"))


# ------------------------------------------------------------------ the same again


def test_seed_memories_are_there_before_the_first_question() -> None:
    ann = resident("Ann", memories=("You owe Ben Moor an umbrella.",))
    puppet = Puppet()
    told = lived(puppet, setting((ann, BEN)))
    first = puppet.of(PlanDay)[0]
    assert [(one.kind, one.text) for one in first.memories] == [("known", ann.memories[0])]
    kept = told.of(Remembered, "ann")[0]
    assert (kept.step, kept.kind, kept.text) == (0, "known", ann.memories[0])


def test_what_a_mind_is_shown_is_of_this_moment() -> None:
    puppet = Puppet(plan_day=BOTH_AT_THE_CAFE, talk_or_not=lambda _: TALK)
    given = setting((ANN, BEN), seed=5, policy=FailurePolicy(attempts=1))
    lived(puppet, given)
    for question in puppet.asked:
        asked, me = question.meta, question.me
        assert me.now == given.clock.at(asked.step)
        assert me.resident.id == asked.resident == asked.seat
        assert (asked.trial, asked.seed, asked.attempt) == ("trial", 5, 1)
        assert set(me.objects) == set(me.places)
        assert asked.resident not in me.people
    assert puppet.asked[0].me.now.date() == MONDAY


def test_a_second_attempt_is_told_the_problem() -> None:
    tries: list[Any] = []

    def second(question: Any) -> Any:
        tries.append(question.meta)
        return lost() if len(tries) == 1 else day()

    lived(Puppet(plan_day=second), replace(ALONE, policy=FailurePolicy(attempts=2)))
    assert [(one.attempt, one.problem) for one in tries] == [(1, ""), (2, "nothing to read")]


def test_a_couple_sleeps_in_its_double_bed() -> None:
    town = own_map()
    residents = tuple(one for one in own_residents() if one.living_area == "1 Mill Lane: bedroom")
    around = Surroundings(Setting(town, residents, Clock(date(2024, 5, 13)), 1))
    spots = town.spots(residents[0].home, "double bed")
    tiles = [around.bed(person) for person in around.people]
    assert len(tiles) == 2
    assert tiles[0] in spots
