from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scripted_questions import (
    ANA,
    FLOUR,
    KITE,
    MEETING,
    NOW,
    PICNIC,
    PLACES,
    QUIZ,
    TOM,
    TUESDAY,
    answered,
    asked,
    block,
    day_reminder,
    me,
    other,
    plan_day,
    remembered,
    resident,
    says,
    talk_or_not,
    talk_reminder,
    utter,
)
from sociolab.testing.mind_contract import MindContract
from sociolab.town.mind import QUESTIONS, Mind
from sociolab.town.residents import Resident
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.thoughts import (
    ChoosePlace,
    Commitment,
    Decompose,
    GeneralPlan,
    RateImportance,
    Reflect,
    Replan,
    Summarise,
    Thought,
)

GOALS = ("", KITE, MEETING, PICNIC, QUIZ, FLOUR)
words = st.text(max_size=60) | st.sampled_from(
    ["at Heron Park: meadow", "tomorrow at 7 pm", "on Tuesday 14 May", "Yes!", "Sorry, no.",
     "Would you like to come to the kite evening?", "How about 16:00 instead?", "When is it?",
     "Could you pick up flour at Greengage Market and bring it to Larkfield Bakery?", "Goodbye!",
     "go to Lantern Cafe and invite people", "from 23:50", "at Nowhere Hall: attic"]
)  # fmt: skip
sentences = st.lists(words, max_size=4).map(" ".join)
commitments = st.builds(
    Commitment,
    what=st.sampled_from(["take part in the kite evening", "pick up flour", "x", "meet Eva"]),
    day=st.sampled_from([NOW.date(), TUESDAY]),
    start=st.sampled_from(["", "00:00", "09:30", "18:00", "23:45"]),
    minutes=st.sampled_from([1, 60, 1440]),
    place=st.sampled_from(["", "Heron Park: meadow", "Nowhere Hall: attic", "Heron Park"]),
    by=st.sampled_from(["", "ana-ruiz", "eva-lind"]),
)


def residents(text: str, goal: str) -> Resident:
    return resident(TOM, goal, lifestyle=text, routine=text, learned=text or "Tom is a cook.")


@st.composite
def questions(draw: st.DrawFn) -> Thought:
    text, goal = draw(sentences), draw(st.sampled_from(GOALS))
    who = residents(draw(sentences), goal)
    seed, noted = draw(st.integers(0, 99)), tuple(draw(st.lists(commitments, max_size=3)))
    here, to = me(who, NOW, remembered(text)), other(ANA, text or "reading")
    lines = tuple(
        says(who if n % 2 else resident(ANA), line or "Hm.")
        for n, line in enumerate(draw(st.lists(sentences, max_size=5)))
    )
    ahead = (block(text.strip()[:100] or "reading", PLACES[0], "09:00", "13:00"),)
    bed = datetime(2024, 5, 13, 23, 0)
    made: tuple[Thought, ...] = (
        plan_day(who, TUESDAY, noted, text, seed),
        Decompose(asked(who), here, ahead[0], ("stove", "bed")),
        ChoosePlace(asked(who), here, text or "reading"),
        RateImportance(asked(who), here, (text, goal)),
        talk_or_not(who, to, text or "reading", seed, (remembered(text),), noted),
        utter(who, to, *lines, reminder=text, seed=seed, commitments=noted),
        Summarise(asked(who), here, to, lines, noted, ahead),
        Replan(asked(who), here, text, ahead, bed, noted),
        Reflect(asked(who), here, (remembered(text),)),
        GeneralPlan(asked(who), here, goal or text, (NOW.date(), TUESDAY)),
        day_reminder(goal or text, TUESDAY),
        talk_reminder(goal or text, to),
    )
    return draw(st.sampled_from(made))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(questions())
def test_every_question_has_an_answer_of_its_form_at_known_places(question: Thought) -> None:
    name, form = QUESTIONS[type(question)]
    ask = getattr(ScriptedMind(), name)
    answer = answered(ask(question))
    assert form.model_validate(answer.model_dump()) == answer
    assert answered(ask(question)) == answer, "the same question has the same answer"
    for one in getattr(answer, "entries", ()):
        assert one.place in ("", *PLACES)
    assert getattr(answer, "place", PLACES[0]) in PLACES
    for part in getattr(answer, "parts", ()):
        assert part.object in ("", "stove", "bed")


class TestScriptedMind(MindContract):
    def mind(self) -> Mind:
        return ScriptedMind()


@pytest.mark.parametrize("goal", GOALS)
def test_a_mind_keeps_nothing_between_questions(goal: str) -> None:
    used, fresh = ScriptedMind(), ScriptedMind()
    who = resident(ANA, goal)
    for seed in range(3):
        answered(used.utter(utter(who, other(TOM), seed=seed)))
    question = plan_day(who)
    assert answered(used.plan_day(question)) == answered(fresh.plan_day(question))
