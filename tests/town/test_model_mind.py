"""A chat model as a mind: how it is called, and what becomes of its replies."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st

from fake_models import FakeModel
from sociolab.core import CallKey, Cause, ChatReply, ModelError, ReplyError
from sociolab.testing import stock_questions
from sociolab.town import (
    QUESTIONS,
    ChoosePlace,
    Decompose,
    MindQuestion,
    ModelMind,
    PlanDay,
    RateImportance,
    Replan,
    Said,
    Summarise,
    Utter,
    answer_schema,
)
from sociolab.worlds import stss

STOCK = stock_questions()
KITCHEN, BAR = "3 Mill Lane: kitchen", "Copper Kettle Pub: bar room"
TDP = {"general_plan", "day_reminder", "talk_reminder"}


def one(kind: type[Any]) -> Any:
    return next(question for question in STOCK if isinstance(question, kind))


def answer(question: MindQuestion[Any], reply: Any, role: Any = "agent") -> tuple[Any, FakeModel]:
    model = FakeModel(reply if isinstance(reply, ModelError | ChatReply) else json.dumps(reply))
    return asyncio.run(
        ModelMind(model, stss.paper_prompts(), role, temperature=0.7).answer(question)
    ), model


def problem(question: MindQuestion[Any], reply: Any) -> ReplyError:
    with pytest.raises(ReplyError) as caught:
        answer(question, reply)
    return caught.value


def day(*entries: tuple[str, str], wake: str = "07:00", bed: str = "22:00") -> dict[str, Any]:
    rows = [{"start": start, "what": what, "place": KITCHEN} for start, what in entries]
    return {"wake": wake, "entries": rows, "bed": bed}


def test_a_call_is_named_by_what_it_is_for() -> None:
    question = replace(one(Utter), lines=one(Summarise).lines)
    question = replace(question, meta=replace(question.meta, attempt=2, problem="odd"))
    said, model = answer(question, {"text": " Yes, \n gladly. ", "ends": False}, "background")
    assert said == Said(text="Yes, gladly.")
    _, key = model.calls[0]
    assert key == CallKey("trial", "background", "ada", question.meta.step, "utter", 2)


def test_a_seat_that_was_given_is_named_instead_of_the_resident() -> None:
    question = one(ChoosePlace)
    question = replace(question, meta=replace(question.meta, seat="performer"))
    _, model = answer(question, {"place": BAR})
    assert model.calls[0][1].seat == "performer"


def test_tdp_is_asked_at_temperature_0_and_the_rest_at_the_one_that_was_set() -> None:
    found = {}
    for question in STOCK:
        model = FakeModel("?")
        with pytest.raises(ReplyError):
            asyncio.run(ModelMind(model, stss.paper_prompts(), temperature=0.7).answer(question))
        found[question.name] = model.calls[0][0].temperature
    assert found == {one.name: 0.0 if one.name in TDP else 0.7 for one in QUESTIONS}


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (ChatReply('{"place": "3 Mill', "length"), "truncated"),
        (ChatReply("", "content filter"), "content filter"),
        (ChatReply("At home."), "unreadable"),
        (ChatReply('{"place": "The Moon: far side"}'), "not allowed"),
        (ModelError("too long", cause="context overflow"), "context overflow"),
        (ModelError("withheld", cause="content filter"), "content filter"),
    ],
)
def test_a_reply_that_will_not_do_is_a_reply_error(reply: Any, cause: Cause) -> None:
    error = problem(one(ChoosePlace), reply)
    assert error.cause == cause
    assert error.raw == (reply.text if isinstance(reply, ChatReply) else "")


def test_any_other_failed_call_passes_through() -> None:
    with pytest.raises(ModelError, match="no line"):
        answer(one(ChoosePlace), ModelError("no line", cause="connection"))


def test_the_problem_with_an_unknown_place_names_one_that_is_like_it() -> None:
    error = problem(one(ChoosePlace), {"place": "Copper Kettle Pub: cellar"})
    assert str(error).startswith("expected a place that you know, such as")
    assert BAR in str(error)


@pytest.mark.parametrize("text", [BAR, " copper kettle pub:bar  room", "in the bar room"])
def test_a_place_in_words_becomes_its_name(text: str) -> None:
    chosen, _ = answer(one(ChoosePlace), {"place": text})
    assert chosen.place == BAR


def test_entries_are_put_in_order_and_those_in_the_hours_of_sleep_left_out() -> None:
    rows = [("12:00", "lunch"), ("06:45", "dozing"), ("07:15", "tea"), ("22:00", "sleep")]
    plan, _ = answer(one(PlanDay), day(*rows))
    assert [(entry.start, entry.what) for entry in plan.entries] == [
        ("07:00", "tea"),
        ("12:00", "lunch"),
    ]


def test_a_day_may_end_after_midnight_but_nothing_starts_there() -> None:
    rows = [("09:00", "tea"), ("23:30", "songs"), ("00:30", "stars")]
    plan, _ = answer(one(PlanDay), day(*rows, wake="09:00", bed="01:00"))
    assert [entry.start for entry in plan.entries] == ["09:00", "23:30"]


def test_a_day_of_sleep_is_a_problem() -> None:
    error = problem(one(PlanDay), day(("23:00", "sleep")))
    assert error.cause == "not allowed"
    assert "expected entries between waking at 07:00 and bed at 22:00, found none" in str(error)


def test_a_new_plan_starts_now() -> None:
    question = one(Replan)
    assert question.me.now == datetime(2024, 5, 13, 10)
    rows = day(("09:30", "helping"), ("23:00", "songs"), ("15:00", "tea"), ("10:00", "nothing"))
    plan, _ = answer(question, {"entries": rows["entries"]})
    assert [(entry.start, entry.what) for entry in plan.entries] == [
        ("10:00", "helping"),
        ("15:00", "tea"),
    ]


def test_an_object_that_is_not_there_is_none() -> None:
    rows = [
        {"minutes": 60, "what": "turning legs", "object": "Lathe"},
        {"minutes": 60, "what": "glueing", "object": "anvil"},
    ]
    parts, _ = answer(one(Decompose), {"parts": rows})
    assert [part.object for part in parts.parts] == ["lathe", ""]


def test_there_are_as_many_ratings_as_texts() -> None:
    assert "expected 3 ratings, found 1" in str(problem(one(RateImportance), {"ratings": [3]}))


def schema(question: MindQuestion[Any]) -> Any:
    return json.loads(answer_schema(question).text)


def test_the_schema_names_known_places_and_quarter_hours() -> None:
    plan = schema(one(PlanDay))
    entry = plan["$defs"]["Entry"]
    assert entry["properties"]["place"]["enum"] == list(one(PlanDay).me.places)
    assert entry["required"] == ["start", "what", "place"]
    assert entry["additionalProperties"] is False
    assert len(plan["$defs"]["Time"]["enum"]) == 96
    assert list(schema(one(Summarise))["properties"]) == ["memo", "importance", "changes_plan"]
    ratings = schema(one(RateImportance))["properties"]["ratings"]
    assert (ratings["minItems"], ratings["maxItems"]) == (3, 3)


def test_a_schema_is_the_same_on_both_days() -> None:
    for question in STOCK:
        me = replace(question.me, now=question.me.now + timedelta(days=1))
        assert answer_schema(replace(question, me=me)) == answer_schema(question)


def test_beyond_many_places_the_schema_takes_any_text() -> None:
    many = tuple(f"Street: house {number}" for number in range(151))
    for places, narrowed in ((many, False), (many[1:], True)):
        question = replace(one(PlanDay), me=replace(one(PlanDay).me, places=places))
        assert ("house 150" in answer_schema(question).text) is narrowed


@given(st.text())
def test_whatever_a_model_writes_is_an_answer_or_a_reply_error(text: str) -> None:
    for question in STOCK:
        kind = question.answer_type
        found: Any = None
        try:
            found = asyncio.run(ModelMind(FakeModel(text), stss.paper_prompts()).answer(question))
        except ReplyError as error:
            found = error.raw
        assert found == text or isinstance(found, kind)
