"""How a talk is played: who is asked what and when, how it ends, what becomes of failures."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, strategies as st

from sociolab.core import Answered, Ended, Episode, Json, NoReply, Reply, Unusable, WorldError
from sociolab.engine import FailurePolicy
from sociolab.testing import ending_of
from sociolab.town import (
    GeneralPlan,
    GenerativeUtter,
    Memory,
    RelationshipSummary,
    Said,
    ScriptedMind,
    Summarise,
    Summary,
    TalkReminder,
    Utter,
    Written,
    build_prompt,
)
from sociolab.worlds import stss
from worlds.stss.talk.talk_plays import POLICY, TRIAL, Says, Unreminded, held, seats_of
from worlds.stss.talk.talk_scenarios import (
    CAFE,
    NOW,
    ONLINE,
    PUBLIC,
    scenario,
    scenarios,
    secret_of,
)

KITE = scenario(PUBLIC)
PERFORMER, OTHER = seats_of(KITE)
STOP = FailurePolicy(then="stop")
TALKS = Says("Go on.")


def questions(episode: Episode) -> list[tuple[int, str, str]]:
    """Turn, seat and name of what was answered."""
    return [(e.turn, e.seat, e.question) for e in episode.events if isinstance(e, Answered)]


# ------------------------------------------------------------------ in turn


def test_the_performer_begins_and_the_other_keeps_a_note() -> None:
    episode = held(KITE, Says("Hello.", "Goodbye!"), TALKS)
    assert questions(episode) == [
        (0, PERFORMER, "utter"),
        (1, OTHER, "utter"),
        (2, PERFORMER, "utter"),
        (3, OTHER, "utter"),
        (4, OTHER, "summarise"),
    ]
    assert stss.read_talk(KITE, episode).note == Summary(memo="We talked.", importance=3)


def test_the_mind_of_generative_agents_sums_up_the_relationship_before_it_speaks() -> None:
    """Generative Agents, section 4.3.2; the note is this mind's memory of the conversation."""
    episode = held(KITE, ScriptedMind(), ScriptedMind(), mind="generative-agents", rounds=1)
    assert questions(episode) == [
        (0, PERFORMER, "relationship"),
        (0, PERFORMER, "utter"),
        (1, OTHER, "relationship"),
        (1, OTHER, "utter"),
        (2, OTHER, "conversation_summary"),
    ]
    talk = stss.read_talk(KITE, episode)
    assert talk.note is not None
    assert KITE.task.activity in talk.note.memo
    told, noted = stss.readable(KITE, episode)
    assert (told, noted) == (talk, talk.note)


def test_what_is_summed_up_is_in_the_prompt_of_the_utterance() -> None:
    class Sums(ScriptedMind):
        asked: GenerativeUtter | None = None

        async def relationship(self, question: RelationshipSummary) -> Written:
            return Written(text="We grew up next door.")

        async def utter(self, question: Utter) -> Said:
            assert isinstance(question, GenerativeUtter)
            self.asked = question
            return Said(text="Hello.", ends=True)

    performer = Sums()
    held(KITE, performer, ScriptedMind(), mind="generative-agents", tdp=True)
    assert performer.asked is not None
    texts = stss.TalkSettings(mind="generative-agents").texts
    prompt = "\n".join(m.text for m in build_prompt(performer.asked, texts, 0).messages)
    assert "What matters now about" in prompt
    assert "We grew up next door." in prompt
    assert performer.asked.checklist


def test_the_other_begins_where_it_did_in_the_town() -> None:
    chess = scenario(ONLINE)
    performer, other = seats_of(chess)
    asked = questions(held(chess, TALKS, TALKS, rounds=1))
    assert asked == [(0, other, "utter"), (1, performer, "utter"), (2, other, "summarise")]


def test_after_a_goodbye_the_other_may_answer_once() -> None:
    episode = held(KITE, Says("Bye!"), TALKS)
    assert [line.text for line in stss.read_talk(KITE, episode).lines] == ["Bye!", "Go on."]
    assert ending_of(episode.events) == Ended("left", 1, PERFORMER)


def test_a_goodbye_as_the_last_word_of_all_ends_it_too() -> None:
    episode = held(KITE, TALKS, Says("Well.", "Bye!"), rounds=2)
    assert ending_of(episode.events) == Ended("left", 3, OTHER)


@pytest.mark.parametrize("rounds", [1, 3, 8])
def test_who_never_says_goodbye_is_stopped_by_the_rounds(rounds: int) -> None:
    performer, other = Says("Go on."), Says("And then?")
    episode = held(KITE, performer, other, rounds=rounds)
    assert len(stss.read_talk(KITE, episode).lines) == 2 * rounds
    assert ending_of(episode.events) == Ended("turn limit", 2 * rounds - 1)
    for mind in (performer, other):
        left = [asked.left for asked in mind.asked if isinstance(asked, Utter)]
        assert left == list(range(rounds, 0, -1))


@given(st.lists(st.booleans(), min_size=16, max_size=16), st.integers(1, 8))
def test_a_talk_lasts_until_one_utterance_after_a_goodbye_or_until_the_rounds_are_over(
    goodbyes: list[bool], rounds: int
) -> None:
    said = ["Bye!" if goodbye else "Go on." for goodbye in goodbyes]
    episode = held(KITE, Says(*said[::2]), Says(*said[1::2]), rounds=rounds)
    first = goodbyes.index(True) if True in goodbyes else 99
    lines = stss.read_talk(KITE, episode).lines
    assert len(lines) == min(first + 2, 2 * rounds)
    assert [line.text for line in lines] == said[: len(lines)]
    assert [line.who for line in lines] == [PERFORMER, OTHER] * (len(lines) // 2) + [PERFORMER] * (
        len(lines) % 2
    )
    end = ending_of(episode.events)
    assert end.reason == ("left" if first < 2 * rounds else "turn limit")
    assert end.turn == len(lines) - 1


def test_no_two_requests_have_the_same_seat_turn_and_name() -> None:
    for one in scenarios():
        asked = questions(held(one, ScriptedMind(), ScriptedMind(), tdp=True))
        assert len(set(asked)) == len(asked)


# ------------------------------------------------------------------ what a question shows


def test_both_are_asked_at_the_talks_moment_and_place() -> None:
    performer, other = Says("Hello."), Says("Bye!")
    held(KITE, performer, other)
    first = performer.asked[0]
    assert isinstance(first, Utter)
    assert (first.me.now, first.me.place, first.me.doing) == (NOW, CAFE, "serving guests")
    assert (first.other.name, first.other.doing) == ("Sefina Tuala", "having a coffee")
    assert first.started
    assert first.memories == KITE.performer.memories
    assert first.ahead == KITE.performer.ahead
    kept = other.asked[-1]
    assert isinstance(kept, Summarise)
    assert [line.text for line in kept.lines] == ["Hello.", "Bye!", "Hello."]


def test_one_knows_ones_home_and_what_one_is_said_to_know_and_hears_of_all() -> None:
    performer = Says("Bye!")
    held(KITE, performer, TALKS)
    me = performer.asked[0].me
    assert me.places[0] == KITE.performer.resident.living_area
    assert {place.partition(":")[0] for place in me.places} == set(KITE.performer.resident.knows)
    assert set(me.objects) == set(me.places)
    assert me.names == KITE.place_names
    assert PERFORMER not in me.people
    assert me.people[OTHER] == "Sefina Tuala"


@pytest.mark.parametrize("plain", [False, True])
def test_who_is_told_of_a_place_finds_it_listed_when_asked_for_a_note(*, plain: bool) -> None:
    court, other = "Riverside Gym: sports court", Says("Yes, gladly!")
    said = "Come to the match on the sports court of Riverside Gym, tomorrow at six!"
    held(KITE, Says(said, "Bye!"), other)
    *utters, note = (
        build_prompt(asked, stss.paper_prompts(), 0, plain=plain) for asked in other.asked
    )
    assert not any(f"- {court}" in asked.messages[0].text for asked in utters)
    assert note.messages[0].text.endswith(f"- {court}")
    assert "Riverside Gym: training room" not in note.messages[0].text


def test_the_performer_alone_is_told_of_the_task() -> None:
    performer, other = Says("Bye!"), Says("Bye!")
    held(KITE, performer, other)
    assert performer.asked[0].me.resident.currently.endswith(KITE.task.goal)
    assert other.asked[0].me.resident == KITE.other.resident


@pytest.mark.parametrize("one", scenarios(), ids=lambda one: one.task.id)
def test_nothing_that_one_side_alone_knows_is_in_the_others_questions(
    one: stss.TalkScenario,
) -> None:
    performer, other = Says("Go on."), Says("And then?")
    held(one, performer, other, tdp=True)
    assert secret_of(seats_of(one)[0]) in repr(performer.asked)
    for mind, partner in ((performer, one.other), (other, one.performer)):
        shown = repr(mind.asked)
        resident = partner.resident
        for text in (resident.learned, resident.innate, secret_of(resident.id)):
            assert text not in shown
    assert one.task.goal not in repr(other.asked)


# ------------------------------------------------------------------ TDP


def test_tdp_asks_for_plan_and_checklist_as_on_the_first_morning_and_both_are_shown() -> None:
    early = Memory(datetime(2024, 5, 13), "known", "lives here")
    late = Memory(datetime(2024, 5, 13, 9), "seen", "saw a heron")
    side = KITE.performer.model_copy(update={"memories": (late, early)})
    performer = Says("Go on.", "Bye!")
    episode = held(KITE.model_copy(update={"performer": side}), performer, TALKS, tdp=True)
    assert questions(episode)[:3] == [
        (0, PERFORMER, "general_plan"),
        (0, PERFORMER, "talk_reminder"),
        (0, PERFORMER, "utter"),
    ]
    told = stss.read_talk(KITE, episode)
    plan, checklist, *utters = performer.asked
    assert isinstance(plan, GeneralPlan)
    assert isinstance(checklist, TalkReminder)
    assert (checklist.goal, checklist.plan) == (plan.goal, told.plan) == (KITE.task.goal, told.plan)
    for asked in (plan, checklist):
        assert asked.me.now == datetime(2024, 5, 13)
        assert asked.me.place == KITE.performer.resident.living_area
        assert asked.me.memory.latest(9) == (early,)
    assert len(utters) == 2
    for utter in utters:
        assert isinstance(utter, Utter)
        assert (utter.plan, utter.checklist) == (told.plan, told.checklist)


def test_the_other_is_shown_none_of_it() -> None:
    other = Says("And then?")
    held(KITE, Says("Go on."), other, tdp=True, rounds=2)
    utters = [asked for asked in other.asked if isinstance(asked, Utter)]
    assert utters
    assert not any(asked.plan or asked.checklist for asked in utters)


def test_without_tdp_nothing_is_asked_before_the_talk() -> None:
    assert questions(held(KITE, TALKS, TALKS))[0] == (0, PERFORMER, "utter")


# ------------------------------------------------------------------ failures


def test_a_problem_is_handed_back_as_often_as_the_policy_says() -> None:
    performer = Says(None)
    episode = held(KITE, performer, TALKS, policy=FailurePolicy(attempts=2))
    problems = [asked.meta.problem for asked in performer.asked]
    assert problems == ["", "lost for words"]
    failures = [event for event in episode.events if isinstance(event, Unusable)]
    assert [(event.attempt, event.final) for event in failures] == [(1, False), (2, True)]


def test_a_failed_utterance_ends_the_talk_and_no_note_of_it_is_asked_for() -> None:
    episode = held(KITE, Says("Hello."), Says(None))
    assert ending_of(episode.events) == Ended("silence", 1, OTHER)
    assert questions(episode) == [(0, PERFORMER, "utter")]
    assert stss.read_talk(KITE, episode).note is None


def test_of_a_talk_in_which_nothing_was_said_there_is_no_note() -> None:
    episode = held(KITE, Says(None), TALKS)
    assert questions(episode) == []
    assert ending_of(episode.events) == Ended("silence", 0, PERFORMER)


def test_a_failed_utterance_ends_the_episode_where_the_policy_stops() -> None:
    episode = held(KITE, Says("Hello."), Says(None), policy=STOP)
    assert questions(episode) == [(0, PERFORMER, "utter")]
    assert ending_of(episode.events) == Ended("failed turn", 1, OTHER)


def test_a_failed_note_is_gone_without_or_ends_the_episode() -> None:
    forgets = Says("Bye!", memo=None)
    for policy, reason in ((POLICY, "left"), (STOP, "failed turn")):
        episode = held(KITE, Says("Hello."), forgets, policy=policy)
        assert ending_of(episode.events).reason == reason
        assert stss.read_talk(KITE, episode).note is None


def test_a_failed_reminder_is_gone_without_or_ends_the_episode() -> None:
    bare = held(KITE, ScriptedMind(), ScriptedMind())
    without = held(KITE, Unreminded(), ScriptedMind(), tdp=True)
    assert stss.read_talk(KITE, without).lines == stss.read_talk(KITE, bare).lines
    stopped = held(KITE, Unreminded(), ScriptedMind(), tdp=True, policy=STOP)
    assert ending_of(stopped.events) == Ended("failed turn", 0, PERFORMER)
    assert not stss.read_talk(KITE, stopped).lines


def test_a_mind_that_answers_another_question_is_a_fault_of_the_mind() -> None:
    play = stss.play_talk(KITE, stss.TalkSettings(), POLICY, TRIAL, 0)
    play.send(None)
    with pytest.raises(WorldError, match="asked utter at step 0: expected a Said"):
        play.send([Reply(Summary(memo="?", importance=1))])


def test_who_says_that_asking_again_is_of_no_use_is_not_asked_again() -> None:
    play = stss.play_talk(KITE, stss.TalkSettings(), POLICY, TRIAL, 0)
    play.send(None)
    failure = play.send([NoReply("gave up", "never", again=False)])
    assert isinstance(failure, Unusable)
    assert failure.final


def test_an_utterance_is_recorded_as_the_type_writes_it() -> None:
    play = stss.play_talk(KITE, stss.TalkSettings(), POLICY, TRIAL, 0)
    play.send(None)
    event = play.send([Reply(Said(text="Hello."), memory=3)])
    said: dict[str, Json] = {"text": "Hello.", "ends": False}
    assert event == Answered(0, PERFORMER, "utter", said, 1, 3)
