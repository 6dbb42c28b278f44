"""The mind of Generative Agents: what is remembered, concluded, planned and reacted to."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from generative_minds import CARRY_ON, AnyGenerative, Marionette, insight, schedule
from puppet_town import (
    ANN,
    BEN,
    CAFE,
    TRIO,
    Lived,
    Puppet,
    at,
    day,
    lived,
    planned,
    resident,
    setting,
    trace_of,
)
from small_towns import (
    at_random,
    first_come,
    last_come,
    latest_step,
    lived as lived_in_order,
    some_setting,
)
from sociolab.core import (
    Answered,
    CallKey,
    ChatReply,
    ConfigError,
    Event,
    Prompt,
    Usage,
)
from sociolab.engine import WorldSetup
from sociolab.models import Budget, CachedModel
from sociolab.models.vectors import encode_vector
from sociolab.testing import drive_recorded
from sociolab.town import (
    Decision,
    Did,
    MindPlayer,
    ObjectBecame,
    Planned,
    Ratings,
    Remembered,
    Rules,
    Talked,
    Utter,
    build_prompt,
    diary,
    simulate,
)
from sociolab.town.embedding import EmbeddingPlayer
from sociolab.town.questions import MindName
from sociolab.town.questions.generative import (
    ALL_PARTS,
    Activity,
    Area,
    ChooseObject,
    ChooseSector,
    ConversationSummary,
    DailyPlan,
    DrawInsights,
    HourlySchedule,
    MemoryRating,
    Noted,
    ObjectState,
    RateMemory,
    React,
    RelationshipSummary,
    ReviseIdentity,
    ReviseSchedule,
    SalientQuestions,
    Subtask,
    Subtasks,
    TaskDecomposition,
    ThingState,
    Written,
)
from sociolab.town.trace import Revised, decode, encode
from sociolab.worlds import stss

GA: dict[str, Any] = {"mind": "generative-agents"}
PAIR = (ANN, BEN)


def cafe_from_nine(question: HourlySchedule) -> Activity:
    """Ann cooks in the cafe from 9 to 10, Ben reads there from 9 on."""
    hour, who = question.start.hour, question.meta.resident
    if who == "ann":
        return Activity(what="cooking soup" if hour == 9 else "resting")
    return Activity(what="reading" if hour >= 9 else "resting")


def to_the_cafe(question: Any) -> Area:
    wanted = "Cafe" if question.what.startswith(("cooking", "reading")) else question.options[-1]
    home = f"{question.meta.resident.title()}'s House"
    return Area(name=wanted if wanted == "Cafe" else home)


def thing_for(question: Any) -> Area:
    return Area(name="stove" if question.what.startswith("cooking") else question.options[0])


def burning(question: ObjectState) -> ThingState:
    return ThingState(state="on fire" if question.thing == "stove" else "in use")


def fire_alarm(question: React) -> Decision:
    if "on fire" in question.observation and question.meta.resident == "ben":
        return Decision(do="change plan", why="putting out the fire on the stove")
    return CARRY_ON


def fights_the_fire(question: ReviseSchedule) -> Any:
    now = question.me.now
    later = now + timedelta(minutes=30)
    return schedule(f"{now:%H:%M} putting out the fire", f"{later:%H:%M} reading")


def at_the_fire() -> tuple[Marionette, Lived]:
    mind = Marionette(
        hourly_schedule=cafe_from_nine,
        choose_sector=to_the_cafe,
        choose_object=thing_for,
        object_state=burning,
        react=fire_alarm,
        revise_schedule=fights_the_fire,
    )
    return mind, lived(mind, setting(PAIR, **GA))


# ------------------------------------------------------------------ places and waiting


def test_one_knows_the_places_that_one_has_passed_and_not_those_out_of_sight() -> None:
    mind, _ = at_the_fire()
    asked = mind.of(ChooseSector, "ann")
    before = next(q for q in asked if q.what.startswith("cooking"))
    after = next(q for q in reversed(asked) if q.what.startswith("resting"))
    assert before.options == ("Ann's House", "Cafe", "Ben's House"), "Ben's is next door"
    assert after.options == (*before.options, "Cid's House")


def two_at_the_stove(react: Any) -> tuple[Marionette, Lived]:
    """Ben, who lives nearer, cooks at the stove from 9 to 10; Ann would cook from 9 to 11."""

    def hour(question: HourlySchedule) -> Activity:
        until = 11 if question.meta.resident == "ann" else 10
        cooks = 9 <= question.start.hour < until
        return Activity(what="cooking soup" if cooks else "resting")

    mind = Marionette(
        hourly_schedule=hour, choose_sector=to_the_cafe, choose_object=thing_for, react=react
    )
    return mind, lived(mind, setting(PAIR, **GA))


def at_work_with(found: Lived, who: str, start: str) -> list[tuple[int, str]]:
    return [(d.step, d.doing) for d in found.of(Did, who) if at(start) <= d.step < at("11:30")]


def wait_for_it(question: React) -> Decision:
    return Decision(do="wait") if question.thing else CARRY_ON


def test_who_comes_to_use_what_somebody_uses_can_wait_until_they_are_done() -> None:
    mind, found = two_at_the_stove(wait_for_it)
    (offered,) = [q for q in mind.of(React) if q.thing]
    assert (offered.meta.resident, offered.thing) == ("ann", "stove")
    done = at_work_with(found, "ann", "09:00")
    waiting = [step for step, doing in done if doing == "waiting to start cooking soup"]
    assert at("09:00") < waiting[0] < at("09:10")
    begun = [step for step, doing in done if doing == "cooking soup"]
    assert begun[0] == at("09:00"), "on the way there"
    assert not [step for step in begun if waiting[0] < step < at("10:00")]
    assert [step for step in begun if at("10:00") <= step <= at("10:03")]
    kept = [one.text for one in found.of(Remembered, "ann") if one.kind == "done"]
    assert "I am waiting to start cooking soup" in kept


def test_nobody_waits_who_would_rather_not_or_for_what_is_free() -> None:
    mind, found = two_at_the_stove(lambda _: CARRY_ON)
    assert [q.meta.resident for q in mind.of(React) if q.thing] == ["ann"]
    assert not [one for one in found.of(Did) if "waiting" in one.doing]


def test_to_wait_is_refused_where_there_is_nothing_to_wait_for() -> None:
    mind, _ = at_the_fire()
    question = mind.of(React)[0]
    assert question.problem_with(Decision(do="wait"))
    assert not replace(question, thing="stove").problem_with(Decision(do="wait"))


# ------------------------------------------------------------------ heads


def test_a_short_head_says_what_bears_on_the_question_and_a_full_one_everything() -> None:
    mind, _ = two_at_the_stove(lambda _: CARRY_ON)
    texts = stss.StssSettings(mind="generative-agents").texts
    for question in mind.asked:
        short, full = (
            build_prompt(replace(question, me=replace(question.me, heads=heads)), texts, 0.0)
            for heads in ("short", "full")
        )
        assert short.messages[1] == full.messages[1]
        assert "How the town works" in full.messages[0].text
        assert len(short.messages[0].text) < len(full.messages[0].text) or (
            question.head_parts == ALL_PARTS
        )
    choice = build_prompt(mind.of(ChooseObject)[0], texts, 0.0).messages[0].text
    assert "mends clocks" not in choice
    rating = build_prompt(mind.of(RateMemory)[0], texts, 0.0).messages[0].text
    assert "mends clocks" in rating


def test_ratings_come_in_batches_and_heads_are_short_unless_told_otherwise() -> None:
    own = stss.StssSettings(mind="generative-agents")
    assert (own.merge, own.heads) == (("importance",), "short")
    assert stss.StssSettings(mind="generative-agents", merge="", heads="full").merge == ()
    assert stss.StssSettings(mind="lean").merge == ()


# ------------------------------------------------------------------ things


def test_a_thing_on_fire_is_seen_reacted_to_and_the_plan_is_changed_because_of_it() -> None:
    mind, found = at_the_fire()
    (state,) = [one for one in found.of(ObjectBecame, "ann") if one.object == "stove"]
    assert (state.place, state.state) == (CAFE, "on fire")
    seen = [one for one in found.of(Remembered, "ben") if one.text == "the stove is on fire"]
    assert [one.kind for one in seen] == ["seen"]
    (asked,) = [q for q in mind.of(React, "ben") if q.observation == "the stove is on fire"]
    assert asked.may_talk, "to who uses it, though one has just thought of talking to them"
    assert asked.other is not None
    assert asked.other.id == "ann"
    (new,) = [one for one in found.of(Planned, "ben") if one.why]
    assert new.why == "putting out the fire on the stove"
    kept = [one.text for one in found.of(Remembered, "ben") if one.kind == "plan"]
    assert kept[1:] == ["I changed my plan for the day: putting out the fire on the stove"]
    assert seen[0].step == new.step == asked.meta.step > state.step
    doing = [one.doing for one in found.of(Did, "ben") if one.step >= new.step]
    assert doing[0] == "putting out the fire"
    assert "reading" in doing


def test_nobody_looks_at_a_thing_any_more_when_its_user_has_left_it() -> None:
    _, found = at_the_fire()
    left = at("10:00")
    late = [one for one in found.of(Remembered, "ben") if one.step > left]
    assert not [one for one in late if "stove" in one.text]


@pytest.mark.parametrize(
    ("stays", "off"), [(True, True), (True, False), (False, True)],
    ids=["turned off for good", "and on again", "nothing left"],
)  # fmt: skip
def test_a_stove_left_burning_is_seen_by_who_comes_in_later_until_its_state_changes_for_good(
    stays: bool, off: bool
) -> None:
    """Ann cooks and goes home; Ben comes an hour later and turns the stove off before Cid comes.

    A state that does not last gives way to the one before it.
    """
    hours = {"ann": {9: "cooking soup"}, "ben": {11: "cooking tea"}, "cid": {14: "cooking rice"}}

    def hour(question: HourlySchedule) -> Activity:
        mine = hours[question.meta.resident]
        return Activity(what=mine.get(question.start.hour, "resting"))

    def state(question: ObjectState) -> ThingState:
        if question.meta.resident == "ann" and question.thing == "stove":
            return ThingState(state="burning", stays=stays)
        return ThingState(state="off", stays=off)

    def alarm(question: React) -> Decision:
        if question.observation == "the stove is burning":
            return Decision(do="change plan", why="turning off the stove")
        return CARRY_ON

    mind = Marionette(
        hourly_schedule=hour,
        choose_sector=lambda q: Area(name=q.options[1 if q.what.startswith("cooking") else 0]),
        choose_object=thing_for,
        object_state=state,
        react=alarm,
        revise_schedule=lambda q: schedule(f"{q.me.now:%H:%M} cooking no more", "13:00 resting"),
    )
    found = lived(mind, setting(TRIO, **GA))
    seen = [one for one in found.of(Remembered) if one.text == "the stove is burning"]
    alarmed = (["ben"] if off else ["ben", "cid"]) if stays else []
    assert [one.who for one in seen] == ["ann", *alarmed]
    revised = [(one.who, one.why) for one in found.of(Planned) if one.why]
    assert revised == [(who, "turning off the stove") for who in alarmed]
    assert seen[-1].step > at("11:00") or not stays
    (using,) = [q for q in mind.of(ObjectState, "ben") if q.thing == "stove"]
    assert using.before == ("burning" if stays else "")


def test_own_acts_and_what_becomes_of_the_things_used_are_remembered() -> None:
    _, found = at_the_fire()
    own = [one.text for one in found.of(Remembered, "ann") if one.kind == "done"]
    assert f"I am cooking soup at {CAFE}" in own
    assert "the stove is on fire" in own


# ------------------------------------------------------------------ memory and reflection


def test_every_memory_is_rated_when_it_comes_one_call_each() -> None:
    mind, found = at_the_fire()
    memories = [one for one in found.of(Remembered) if one.kind != "plan"]
    assert len(mind.of(RateMemory)) == len(memories)
    assert {one.importance for one in memories} == {1}


def test_reflections_make_a_tree_and_a_thought_on_thoughts_shows_down_to_what_was_seen() -> None:
    def conclude(question: DrawInsights) -> Any:
        thoughts = [n for n, m in enumerate(question.memories, 1) if m.kind == "thought"]
        if thoughts:
            return insight("All in all, I cook too much.", *thoughts[:1])
        return insight("I cook every day.", 1)

    mind = Marionette(
        hourly_schedule=cafe_from_nine,
        choose_sector=to_the_cafe,
        importance=lambda q: MemoryRating(rating=10 if q.kind == "event" else 2),
        insights=conclude,
    )
    found = lived(mind, setting((ANN,), days=2, rules=Rules(reflect_at=50), **GA))
    own = found.of(Remembered, "ann")
    thoughts = [one for one in own if one.kind == "thought"]
    upper = next(one for one in thoughts if one.text.startswith("All in all"))
    (lower,) = [own[number] for number in upper.evidence]
    assert lower.text == "I cook every day."
    (leaf,) = [own[number] for number in lower.evidence]
    assert leaf.kind in ("done", "plan", "known")
    told = "\n".join(text for _, text in diary(found.trace, "ann"))
    assert f"  from: {lower.text}\n" in told
    assert f"    from: {leaf.text}" in told


def test_one_reflects_when_150_has_built_up_asks_three_questions_and_recalls_for_each() -> None:
    mind = Marionette(
        hourly_schedule=cafe_from_nine,
        choose_sector=to_the_cafe,
        importance=lambda q: MemoryRating(rating=10),
        task_decomposition=lambda _: Subtasks(
            subtasks=tuple(Subtask(minutes=10, what=f"step {number}") for number in range(12))
        ),
    )
    memories = tuple(f"I remember thing {number}." for number in range(40))
    found = lived(mind, setting((resident("Ann", memories=memories),), **GA))
    counted = [one for one in found.of(Remembered, "ann") if one.kind in ("done", "seen", "talk")]
    times = len(counted) // 16  # an act and its thing count 20: 150 is passed at every eighth
    assert len(mind.of(SalientQuestions)) == times
    asked = mind.of(DrawInsights)
    assert [q.question for q in asked[:3]] == ["Who?", "What?", "Why?"]
    assert len(asked) == 3 * times
    assert all(len(q.memories) == 30 for q in asked)


def test_an_insight_that_points_to_no_statement_is_asked_for_again() -> None:
    question = DrawInsights.__new__(DrawInsights)
    object.__setattr__(question, "memories", ())
    assert "1 to 0, found 3" in question.problem_with(insight("So it is.", 3))


def test_seed_memories_are_rated_before_the_first_day_is_planned() -> None:
    mind = Marionette()
    found = lived(mind, setting((resident("Ann", memories=("I owe Ben a book.",)),), **GA))
    first = mind.asked[0]
    assert (first.name, first.text) == ("importance", "I owe Ben a book.")
    assert found.of(Remembered, "ann")[0].kind == "known"


# ------------------------------------------------------------------ planning


def test_a_day_is_planned_in_broad_strokes_then_by_the_hour_then_in_steps() -> None:
    mind, found = at_the_fire()
    plan = mind.of(DailyPlan, "ann")
    assert len(plan) == 1
    assert (plan[0].notes, plan[0].yesterday) == ((), ())
    asked = mind.of(HourlySchedule, "ann")
    assert [q.start.hour for q in asked] == [*range(6, 22)]
    assert asked[1].so_far[0].what == "resting"
    (first,) = [one for one in found.of(Planned, "ann") if not one.why]
    assert [block.what for block in first.blocks] == ["resting", "cooking soup", "resting"]
    decomposed = mind.of(TaskDecomposition, "ann")
    assert [q.block.what for q in decomposed] == ["resting", "cooking soup", "resting"]
    (kept,) = [one for one in found.of(Remembered, "ann") if one.kind == "plan"]
    assert kept.importance == 5


def test_a_step_lasts_its_minutes_from_when_one_is_there_at_the_cost_of_the_last() -> None:
    steps = ("packing a bag", "shopping", "unpacking")
    mind = Marionette(
        hourly_schedule=lambda q: Activity(
            what="running an errand" if q.start.hour == 9 else "resting"
        ),
        task_decomposition=lambda q: Subtasks(
            subtasks=tuple(Subtask(minutes=20, what=step) for step in steps)
        ),
        choose_sector=lambda q: Area(name="Cafe" if "shopping" in q.what else "Ann's House"),
    )
    found = lived(mind, setting((ANN,), **GA)).of(Did, "ann")
    errand = [one for one in found if one.doing.startswith("running an errand")]
    walks = [one for one in errand if one.state == "walking"]
    shopping = next(one for one in errand if "shopping" in one.doing and one.state == "at it")
    assert shopping.step > walks[0].step == at("09:20")
    assert walks[1].step == shopping.step + (at("09:20") - at("09:00"))
    assert next(one.step for one in found if one.step > errand[-1].step) == at("10:00")


def test_overnight_the_identity_is_revised_and_the_task_stays_word_for_word() -> None:
    task = "Ann is to hold a seed swap on Tuesday at 17:00."
    host = resident("Ann", currently=f"Ann is tired. {task}")
    mind = Marionette(revise_identity=lambda _: Written(text="Ann has forgotten everything."))
    found = lived(mind, setting((host,), days=2, concerns={"ann": task}, **GA))
    (asked,) = mind.of(ReviseIdentity)
    assert (asked.currently, asked.task) == ("Ann is tired.", task)
    assert asked.notes == ("Nothing to remember.", "All is well.")
    (revised,) = found.of(Revised)
    assert revised.text == "Ann has forgotten everything."
    later = [q for q in mind.asked if q.meta.step >= at("06:00", day=1)]
    assert later
    assert {q.me.resident.currently for q in later} == {f"Ann has forgotten everything. {task}"}
    (second,) = [q for q in mind.of(DailyPlan) if q.notes]
    assert second.yesterday == ("get up at 06:00", "go to bed at 22:00")


# ------------------------------------------------------------------ talking


def talks_once(question: React) -> Decision:
    begins = question.meta.resident == "ben" and question.may_talk
    return Decision(do="talk" if begins else "carry on", why="to say hello")


def in_talk(**more: Any) -> tuple[Marionette, Lived]:
    mind = Marionette(hourly_schedule=cafe_from_nine, choose_sector=to_the_cafe, react=talks_once)
    return mind, lived(mind, setting(PAIR, **GA | more))


def test_before_each_utterance_the_relationship_is_summed_up_and_shown() -> None:
    mind, found = in_talk()
    talks = found.of(Talked)
    assert talks
    spoken = mind.of(Utter)
    assert len(spoken) == sum(len(talk.lines) for talk in talks)
    assert {q.relationship for q in spoken} == {"A neighbour."}
    # One more for whatever one thinks of reacting to, but for what was just talked about.
    reacted = [q for q in mind.of(React) if q.context]
    summed = mind.of(RelationshipSummary)
    assert len(summed) == len(spoken) + len(reacted)
    # The one that comes before an utterance goes by all that has been said until then.
    assert [q.lines for q in summed if q.talking] == [q.lines for q in spoken]
    assert not [q for q in summed if q.lines and not q.talking]


def test_who_wished_to_talk_knows_why_when_speaking() -> None:
    """Section 4.3.2 of Generative Agents: words are conditioned on the intended reaction, too."""
    mind, _ = in_talk()
    spoken = mind.of(Utter)
    assert {(q.meta.resident, q.started, q.why) for q in spoken} == {
        ("ben", True, "to say hello"),
        ("ann", False, ""),
    }
    assert {q.extra_variables()["begun"] for q in spoken} == {
        'You began it. Your reason was: "to say hello"',
        "Ben began it.",
    }


def test_of_two_who_wish_to_talk_at_once_the_second_keeps_a_reason_of_its_own() -> None:
    def both(question: React) -> Decision:
        wishes = "talk" if question.may_talk else "carry on"
        return Decision(do=wishes, why=f"{question.meta.resident} has news")

    mind = Marionette(hourly_schedule=cafe_from_nine, choose_sector=to_the_cafe, react=both)
    lived(mind, setting(PAIR, **GA))
    first, second = mind.of(Utter)[:2]
    assert (first.meta.resident, first.why) == ("ann", "ann has news")
    assert (second.meta.resident, second.why) == ("ben", "ben has news")
    assert second.extra_variables()["begun"] == (
        'Ann began it, as you were about to. Your reason was: "ben has news"'
    )


def test_a_reason_to_talk_is_gone_with_its_conversation() -> None:
    def in_turn(question: React) -> Decision:
        turn = "ben" if question.last_talk is None else "ann"
        begins = question.may_talk and question.meta.resident == turn
        return Decision(do="talk" if begins else "carry on", why=f"{turn} has news")

    mind = Marionette(hourly_schedule=cafe_from_nine, choose_sector=to_the_cafe, react=in_turn)
    lived(mind, setting(PAIR, rules=Rules(cooldown=0, patience=0), **GA))
    assert {(q.meta.resident, q.started, q.why) for q in mind.of(Utter)} == {
        ("ben", True, "ben has news"),
        ("ann", False, ""),
        ("ann", True, "ann has news"),
        ("ben", False, ""),
    }


def test_after_a_conversation_both_keep_a_summary_a_thought_for_planning_and_a_memo() -> None:
    mind, found = in_talk()
    for who in ("ann", "ben"):
        number = len(found.of(Talked))
        assert len(mind.of(ConversationSummary, who)) == number
        kept = [one for one in found.of(Remembered, who) if one.kind in ("talk", "thought")]
        assert [one.text for one in kept[:3]] == [
            "We talked.",
            "Nothing to plan.",
            "Nothing of note.",
        ]


def test_where_there_was_nothing_to_note_of_a_conversation_nothing_is_kept_and_rated() -> None:
    mind = Marionette(
        hourly_schedule=cafe_from_nine, choose_sector=to_the_cafe, react=talks_once,
        planning_thought=lambda _: Noted(text=""),
    )  # fmt: skip
    found = lived(mind, setting(PAIR, **GA))
    thoughts = [one.text for one in found.of(Remembered, "ann") if one.kind == "thought"]
    assert thoughts == ["Nothing of note."] * len(found.of(Talked))
    assert "" not in [question.text for question in mind.of(RateMemory)]


def test_seed_memories_are_rated_as_what_was_before() -> None:
    mind = Marionette()
    lived(mind, setting((resident("Ann", memories=("You lent Ben a spade.",)),), **GA))
    first = mind.of(RateMemory)[0]
    assert (first.kind, first.text) == ("memory", "You lent Ben a spade.")


# ------------------------------------------------------------------ merged calls and ablations


def names(mind: Marionette) -> set[str]:
    return {question.name for question in mind.asked}


@pytest.mark.parametrize(
    ("merge", "gone", "come"),
    [
        ("importance", set(), {"rate_importance"}),  # one alone is rated as ever
        ("hours", {"hourly_schedule"}, {"day_schedule"}),
        ("place", {"choose_sector"}, {"choose_arena"}),
        ("memo", {"conversation_summary", "planning_thought", "conversation_memo"}, {"summarise"}),
        ("identity", {"planning_note", "feeling_note"}, set()),
        ("relationship", set(), set()),
    ],
)
def test_merged_calls_take_the_place_of_those_that_they_merge(
    merge: str, gone: set[str], come: set[str]
) -> None:
    def mind() -> Marionette:
        return Marionette(
            hourly_schedule=cafe_from_nine,
            day_schedule=lambda q: schedule("06:00 resting", "09:00 reading"),
            choose_sector=to_the_cafe,
            choose_arena=lambda q: Area(
                name=CAFE if q.what.startswith(("cooking", "reading")) else str(q.me.resident.home)
            ),
            rate_importance=lambda q: Ratings(ratings=(1,) * len(q.texts)),
            react=talks_once,
        )

    # Rooms are chosen where a building has several.
    plain, merged = mind(), mind()
    lived(plain, setting(PAIR, days=2, **GA))
    lived(merged, setting(PAIR, days=2, merge=frozenset({merge}), **GA))
    assert names(plain) - names(merged) == gone & names(plain)
    assert names(merged) - names(plain) == come
    if merge == "importance":
        assert len(merged.of(RateMemory)) < len(plain.of(RateMemory))
    if merge == "relationship":
        assert len(merged.of(RelationshipSummary)) < len(plain.of(RelationshipSummary))


def test_without_reflection_nothing_is_concluded_and_nothing_else_changes() -> None:
    def mind() -> Marionette:
        return Marionette(
            hourly_schedule=cafe_from_nine,
            choose_sector=to_the_cafe,
            importance=lambda q: MemoryRating(rating=10),
        )

    given = setting(PAIR, rules=Rules(reflect_at=50), **GA)
    whole, without = mind(), mind()
    lived(whole, given)
    lived(without, replace(given, without=frozenset({"reflection"})))
    assert names(whole) - names(without) == {"salient_questions", "insights"}
    assert names(without) <= names(whole)


def test_without_observation_nothing_seen_or_done_is_kept() -> None:
    mind, found = in_talk(without=frozenset({"observation"}))
    kinds = {one.kind for one in found.of(Remembered)}
    assert kinds == {"plan", "talk", "thought"}
    assert mind.of(React), "one still reacts to what one sees"


def test_without_planning_each_hour_is_decided_when_it_comes() -> None:
    mind, found = in_talk(without=frozenset({"planning"}))
    assert not names(mind) & {"daily_plan", "task_decomposition", "revise_schedule"}
    asked = mind.of(HourlySchedule, "ann")
    assert [q.me.now for q in asked] == [q.start for q in asked]
    assert not any(q.so_far or q.me.outline for q in asked)
    assert not [one for one in found.of(Remembered) if one.kind == "plan"]
    assert "cooking soup" in {one.doing for one in found.of(Did, "ann")}


# ------------------------------------------------------------------ order, trace


@pytest.mark.parametrize("seed", [0, 1])
def test_residents_ahead_of_each_other_live_the_same(seed: int) -> None:
    some = some_setting(seed)
    given = replace(some, residents=some.residents[:3], mind="generative-agents")
    expected = lived_in_order(simulate(given), AnyGenerative(seed), first_come)
    assert lived_in_order(simulate(given, "ahead"), AnyGenerative(seed), latest_step) == expected
    assert (
        lived_in_order(simulate(given, "ahead"), AnyGenerative(seed), at_random(seed)) == expected
    )
    assert lived_in_order(simulate(given), AnyGenerative(seed), last_come) == expected


def test_evidence_states_and_revisions_come_back_from_the_trace() -> None:
    records = (
        Remembered(5, "ann", "thought", "So it is.", 4, (0, 3)),
        Remembered(5, "ann", "seen", "the stove is hot", 2),
        ObjectBecame(6, "ann", CAFE, "stove", "hot"),
        Revised(7, "ann", "Ann is well."),
    )
    assert decode(encode(records)) == records


def test_a_killed_simulation_is_resumed_from_its_journal() -> None:
    mind, found = in_talk()
    half = found.events[: len(found.events) // 2]
    again = Marionette(hourly_schedule=cafe_from_nine, choose_sector=to_the_cafe, react=talks_once)
    resumed = lived(again, setting(PAIR, **GA), journal=half)
    assert resumed.trace == found.trace
    answered = sum(isinstance(event, Answered) for event in half)
    assert len(again.asked) == len(mind.asked) - answered


# ------------------------------------------------------------------ an embedding model


class Vectors:
    """A chat model that embeds texts by their letters, and counts what it is asked."""

    label = "letters"

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        texts = [message.text for message in prompt.messages]
        self.texts += texts
        rows = [[text.count(letter) + 0.01 for letter in "abcdefghij"] for text in texts]
        return ChatReply("\n".join(map(encode_vector, rows)), usage=Usage(1))


class Shelf:
    """A reply store in memory."""

    def __init__(self) -> None:
        self.replies: dict[str, ChatReply] = {}

    def find(self, key: str) -> ChatReply | None:
        return self.replies.get(key)

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        assert call.role == "embedder"
        self.replies[key] = reply

    def keep_failure(self, *_: object) -> None:
        raise AssertionError

    def begin_attempt(self) -> None:
        pass

    def keep_attempt(self, *_: object) -> None:
        raise AssertionError


def embedded(shelf: Shelf, journal: tuple[Event, ...] = ()) -> tuple[Vectors, tuple[Event, ...]]:
    mind = Marionette(hourly_schedule=cafe_from_nine, choose_sector=to_the_cafe, react=talks_once)
    model = Vectors()
    kept = CachedModel(model, "letters", shelf, Budget(), writes=False)
    player = EmbeddingPlayer(MindPlayer(mind), kept)
    given = setting(PAIR, embedder=None, **GA)
    return model, drive_recorded(
        simulate(given, "ahead"), dict.fromkeys(("ann", "ben"), player), journal
    )


def test_vectors_are_asked_once_a_text_are_in_no_journal_and_resume_without_a_new_call() -> None:
    shelf = Shelf()
    model, events = embedded(shelf)
    assert model.texts
    assert not [e for e in events if isinstance(e, Answered) and e.question.startswith("embed")]
    again, resumed = embedded(shelf, events[: len(events) // 2])
    assert again.texts == []
    assert trace_of(resumed) == trace_of(events)


def test_what_comes_to_mind_goes_by_the_vectors_of_the_model() -> None:
    class Alike(Vectors):
        """Finds that only what speaks of the moon is like the question who one is."""

        async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
            texts = [message.text for message in prompt.messages]
            rows = [[1.0, 0.0] if "moon" in t or t == "Who?" else [0.0, 1.0] for t in texts]
            return ChatReply("\n".join(map(encode_vector, rows)))

    memories = ("I like tea.", "I walked on the moon.", *(f"I saw bird {n}." for n in range(40)))
    mind = Marionette(importance=lambda q: MemoryRating(rating=10 if "moon" in q.text else 9))
    player = EmbeddingPlayer(MindPlayer(mind), Alike())
    given = setting(
        (resident("Ann", memories=memories),), embedder=None, rules=Rules(reflect_at=10), **GA
    )
    drive_recorded(simulate(given), {"ann": player})
    asked = mind.of(DrawInsights)
    assert asked[0].question == "Who?"
    assert asked[0].memories[0].text == "I walked on the moon."


# ------------------------------------------------------------------ TDP


Prompts = dict[tuple[str, int, str, int], tuple[Any, ...]]


def prompts(without: str = "", mind: MindName = "generative-agents") -> Prompts:
    """All that a model would be sent, in a day in which Ann has a goal and Ben talks to her."""
    given = setting(
        PAIR,
        tdp={"ann": "Hold a party."},
        without=frozenset({without} - {""}),
        mind=mind,
    )
    asked: Any
    if mind == "lean":
        asked = Puppet(
            plan_day=planned(**dict.fromkeys(("ann", "ben"), COFFEE)), talk_or_not=begins
        )
    else:
        asked = Marionette(
            hourly_schedule=cafe_from_nine, choose_sector=to_the_cafe, react=talks_once
        )
    lived(asked, given)
    texts = stss.StssSettings(mind=mind).texts
    return {
        (q.meta.resident, q.meta.step, q.name, q.meta.index): build_prompt(q, texts, 1.0).messages
        for q in asked.asked
    }


COFFEE = day(f"09:00 having coffee @ {CAFE}")


def begins(question: Any) -> Decision:
    return Decision(do="talk" if question.meta.resident == "ben" else "carry on")


@pytest.mark.parametrize("mind", ["lean", "generative-agents"])
@pytest.mark.parametrize(
    ("part", "changes"),
    [
        ("general_plan", {"day_reminder", "talk_reminder", "utter"}),
        ("day_reminder", {"plan"}),
        ("talk_reminder", {"utter"}),
    ],
)
def test_without_a_part_of_tdp_only_the_prompts_that_show_it_change(
    part: str, changes: set[str], mind: MindName
) -> None:
    shows_reminder = "plan_day" if mind == "lean" else "daily_plan"
    changes = {shows_reminder if name == "plan" else name for name in changes}
    whole, cut = prompts(mind=mind), prompts(part, mind)
    assert {key[2] for key in whole.keys() - cut.keys()} == {part}
    assert not cut.keys() - whole.keys()
    changed = [key for key, shown in cut.items() if shown != whole[key]]
    assert {name for _, _, name, _ in changed} == changes
    assert {who for who, *_ in changed} == {"ann"}


def test_without_reflection_no_other_prompt_changes() -> None:
    """Up to the first reflection; what is concluded comes to mind later."""
    assert prompts("reflection") == prompts()


def test_what_only_one_mind_has_is_refused_for_the_other() -> None:
    for wrong in (
        {"embedder": "openai/e"},
        {"merge": "hours"},
        {"without": "planning"},
        {"without": "general_plan"},
        {"mind": "generative-agents", "merge": "everything"},
    ):
        with pytest.raises(ConfigError):
            WorldSetup(settings=wrong).read("stss", stss.StssSettings)


def test_the_mind_stands_below_every_table() -> None:
    def footnote(**given: str) -> str:
        return stss.load(WorldSetup(seed=1, settings=given)).declared.footnote

    assert footnote() == "lean mind, not Generative Agents"
    assert footnote(mind="generative-agents", merge="hours") == (
        "mind of Generative Agents; relevance: hashing, not an embedding model; merged calls: hours"
    )
    assert footnote(tdp="true", without="day_reminder").endswith("; without day_reminder")
