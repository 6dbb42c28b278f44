from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from scripted_questions import (
    ANA,
    FLOUR,
    KITE,
    LIFESTYLE,
    MONDAY,
    NOW,
    PLACES,
    TUESDAY,
    answered,
    asked,
    block,
    me,
    plan_day,
    remembered,
    resident,
)
from sociolab.town.answers import DayPlan, Entry
from sociolab.town.residents import Resident
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.thoughts import (
    Block,
    ChoosePlace,
    Commitment,
    Decompose,
    PlanDay,
    RateImportance,
    Reflect,
    Replan,
)

ROUTINE = (
    "serves guests at Lantern Cafe: counter room from 08:00 to 16:00; "
    "takes a walk at Heron Park: pond shore from 17:00 to 18:00"
)
KITES = Commitment(
    "take part in the kite evening", TUESDAY, "18:00", 90, "Heron Park: meadow", "eva-lind"
)
MIND = ScriptedMind()


def planned(question: PlanDay) -> DayPlan:
    return answered(MIND.plan_day(question))


def entry(plan: DayPlan, words: str) -> Entry | None:
    return next((one for one in plan.entries if words in one.what), None)


def known(plan: DayPlan) -> bool:
    return all(one.place == "" or one.place in PLACES for one in plan.entries)


def test_a_day_follows_lifestyle_and_routine() -> None:
    plan = planned(plan_day(resident(routine=ROUTINE)))
    work, walk = entry(plan, "serving guests"), entry(plan, "taking a walk")
    assert work is not None
    assert work.place == "Lantern Cafe: counter room"
    assert work.start in ("08:00", "08:05")
    assert walk is not None
    assert walk.start in ("17:00", "17:05")
    assert entry(plan, "breakfast")
    assert entry(plan, "lunch")
    assert entry(plan, "supper")
    assert "06:45" <= plan.wake <= "07:15"
    assert "22:15" <= plan.bed <= "22:45"
    assert plan.entries[0].start == plan.wake
    assert list(plan.entries) == sorted(plan.entries, key=lambda one: one.start)


def test_meals_are_taken_when_the_lifestyle_says() -> None:
    early = LIFESTYLE.replace("12:30", "11:00").replace("18:30", "17:00")
    plan = planned(plan_day(resident(lifestyle=early)))
    lunch, supper = entry(plan, "lunch"), entry(plan, "supper")
    assert lunch is not None
    assert "10:50" <= lunch.start <= "11:10"
    assert supper is not None
    assert "16:50" <= supper.start <= "17:10"


def test_the_same_seed_gives_the_same_day_and_days_differ() -> None:
    who = resident(routine=ROUTINE)
    assert planned(plan_day(who)) == planned(plan_day(who))
    days = {planned(plan_day(who, seed=seed)).model_dump_json() for seed in range(8)}
    assert len(days) > 1


def test_free_words_give_a_sensible_day() -> None:
    who = resident(
        lifestyle="Tom goes to bed around midnight, awakes up around 8am, eats dinner late.",
        routine="Tom opens Lantern Cafe at 9am everyday, and stands at the counter until 5pm.",
    )
    plan = planned(plan_day(who))
    work = next(one for one in plan.entries if one.place.startswith("Lantern Cafe"))
    assert work.start in ("09:00", "09:05")
    assert "07:50" <= plan.wake <= "08:10"
    assert plan.bed >= "23:50" or plan.bed <= "00:10"
    assert known(plan)


def test_without_a_routine_one_works_or_studies_as_one_is_described() -> None:
    who = resident(learned="Tom Hale is a student at Alder College studying history.")
    plan = planned(plan_day(who))
    study = entry(plan, "studying history")
    assert study is not None
    assert study.place.startswith("Alder College")


def test_an_appointment_wins_over_the_routine_and_leaves_time_for_the_walk() -> None:
    late = replace(KITES, start="17:00", by="")
    plan = planned(plan_day(resident(routine=ROUTINE), commitments=(late,)))
    kites = entry(plan, "kite evening")
    assert kites == Entry(
        start="16:45", what="taking part in the kite evening", place="Heron Park: meadow"
    )


def test_an_appointment_of_another_day_is_not_kept_today() -> None:
    assert entry(planned(plan_day(resident(), MONDAY, (replace(KITES, by=""),))), "kite") is None


def test_an_errand_without_a_time_gets_a_free_hour() -> None:
    open_time = Commitment("fetch the tea", TUESDAY, "", 45, "Lantern Cafe: terrace", "")
    plan = planned(plan_day(resident(routine=ROUTINE), commitments=(open_time,)))
    fetched = entry(plan, "fetching the tea")
    assert fetched is not None
    assert fetched.start >= "16:00"


def test_errands_are_run_in_order_at_their_places() -> None:
    chores = (
        Commitment("pick up the flour", TUESDAY, "", 15, "Greengage Market: shop floor", ""),
        Commitment("deliver the flour", TUESDAY, "", 15, "Larkfield Bakery: bakehouse", ""),
    )
    plan = planned(plan_day(resident(routine=ROUTINE), commitments=chores))
    first, second = entry(plan, "picking up the flour"), entry(plan, "delivering the flour")
    assert first is not None
    assert second is not None
    assert first.place == "Greengage Market: shop floor"
    assert second.place == "Larkfield Bakery: bakehouse"
    assert first.start < second.start


def test_online_activities_are_joined_at_home() -> None:
    online = Commitment("take part in the online chess evening", TUESDAY, "20:00", 60, "", "")
    found = entry(planned(plan_day(resident(), commitments=(online,))), "online chess evening")
    assert found is not None
    assert found.what == "taking part in the online chess evening"
    assert found.place == "2 Mill Lane: living room"


def test_now_and_then_an_appointment_is_forgotten_but_never_ones_own() -> None:
    kept = [
        entry(planned(plan_day(resident(), commitments=(KITES,), seed=seed)), "kite") is not None
        for seed in range(120)
    ]
    assert 100 <= sum(kept) < 120
    performer = resident(ANA, "Ana bakes. " + KITE)
    for seed in range(40):
        assert entry(planned(plan_day(performer, commitments=(KITES,), seed=seed)), "kite")


def test_an_unreminded_performer_holds_the_event_and_is_sometimes_late() -> None:
    performer = resident(ANA, KITE)
    starts = {
        found.start
        for seed in range(30)
        if (found := entry(planned(plan_day(performer, seed=seed)), "holding the kite evening"))
    }
    assert "18:00" in starts
    assert any(start > "18:00" for start in starts)
    assert entry(planned(plan_day(performer, MONDAY)), "kite") is None


def test_a_day_reminder_is_read_and_taking_it_away_takes_its_effect_away() -> None:
    performer = resident(ANA, KITE)
    first = "Today, go to Lantern Cafe: terrace and Heron Park and invite people."
    seeking = [e for e in planned(plan_day(performer, MONDAY, reminder=first)).entries
               if e.what == "going among people"]  # fmt: skip
    assert {one.place for one in seeking} == {"Lantern Cafe: terrace", "Heron Park: meadow"}
    bare = planned(plan_day(performer, MONDAY))
    assert entry(bare, "going among people") is None

    second = "Be at Heron Park: meadow from 17:30 and hold the kite evening."
    event = entry(planned(plan_day(performer, reminder=second)), "kite evening")
    assert event == Entry(
        start="17:30", what="holding the kite evening", place="Heron Park: meadow"
    )
    assert entry(planned(plan_day(performer, MONDAY, reminder=second)), "kite") is None, "too early"
    other = entry(planned(plan_day(performer, reminder=second.replace("17:30", "17:00"))), "kite")
    assert other is not None
    assert other.start == "17:00"


def ahead(*blocks: tuple[str, str, str]) -> tuple[Block, ...]:
    return tuple(block(what, PLACES[0], start, end) for what, start, end in blocks)


def replan(who: Resident, why: str, commitments: tuple[Commitment, ...]) -> tuple[Entry, ...]:
    plan = ahead(("reading", "09:00", "12:00"), ("writing letters", "12:00", "22:00"))
    bedtime = datetime(2024, 5, 13, 22, 0)
    question = Replan(asked(who), me(who), why, plan, bedtime, commitments)
    return answered(MIND.replan(question)).entries


def test_what_is_agreed_for_today_is_put_into_what_is_left_of_the_day() -> None:
    today = replace(KITES, day=MONDAY, by="")
    entries = replan(resident(), "talked", (today,))
    assert [(one.start, one.what) for one in entries] == [
        ("10:00", "reading"),
        ("12:00", "writing letters"),
        ("17:45", "taking part in the kite evening"),
        ("19:30", "writing letters"),
    ]


def test_a_changed_plan_joins_what_is_seen() -> None:
    entries = replan(resident(), "join Eva Lind, who is holding the kite evening", ())
    assert entries[0].what == "taking part in the kite evening"
    assert entries[0].start == "10:00"


def test_the_parts_of_a_block_fill_it_and_use_what_is_there() -> None:
    cooking = block("cooking supper", "2 Mill Lane: kitchen", "17:00", "18:30")
    question = Decompose(asked(resident()), me(resident()), cooking, ("stove", "kitchen sink"))
    parts = answered(MIND.decompose(question)).parts
    assert sum(part.minutes for part in parts) == 90
    objects = {part.what: part.object for part in parts}
    assert objects["preparing the food at the stove"] == "stove"
    assert objects["washing up"] == "kitchen sink"
    assert set(objects.values()) <= {"stove", "kitchen sink"}


def choice(what: str, *memories: str) -> str:
    here = me(resident(), NOW, *(remembered(text) for text in memories))
    return answered(MIND.choose_place(ChoosePlace(asked(resident()), here, what))).place


def test_a_place_is_chosen_by_words_memory_or_kind_of_activity() -> None:
    assert choice("cooking supper") == "2 Mill Lane: kitchen"
    assert choice("taking part in the online quiz") == "2 Mill Lane: living room"
    assert choice("reading at Alder College: library") == "Alder College: library"
    assert choice("polishing shoes") == "2 Mill Lane: living room"
    memo = "Ana Ruiz told me about the wool fair on Tuesday 14 May at Larkfield Bakery: shop."
    assert choice("taking part in the wool fair", memo) == "Larkfield Bakery: shop"


def test_invitations_matter_more_than_routine() -> None:
    texts = (
        "Eva is having breakfast",
        "I chatted with Eva Lind.",
        "Eva Lind invited me to a party",
    )
    rated = answered(MIND.rate_importance(RateImportance(asked(resident()), me(resident()), texts)))
    low, middle, high = rated.ratings
    assert low <= 2 < middle < high <= 8


def test_reflection_names_whom_and_what_memories_speak_of() -> None:
    memories = tuple(
        remembered(f"Ana Ruiz told me about the kite evening on {day}.")
        for day in ("Monday", "Tuesday")
    )
    question = Reflect(asked(resident()), me(resident()), memories)
    texts = [one.text for one in answered(MIND.reflect(question)).insights]
    assert any("Ana Ruiz" in text for text in texts)
    assert any("kite evening" in text for text in texts)


def test_the_performer_of_an_errand_lives_an_ordinary_day() -> None:
    plan = planned(plan_day(resident(ANA, FLOUR, routine=ROUTINE)))
    assert entry(plan, "flour") is None
