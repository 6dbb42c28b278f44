"""The plain dialect: the questions of a talk without a schema, and their answers read as text."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from syrupy.assertion import SnapshotAssertion

from fake_models import FakeModel
from sociolab.core import Cause, ChatReply, ConfigError, ReplyError
from sociolab.endpoint import EndpointSettings, serve
from sociolab.models import Endpoint, EndpointSpec
from sociolab.testing import stock_questions
from sociolab.town import (
    QUESTIONS,
    GeneralPlan,
    Items,
    Lines,
    MindQuestion,
    ModelMind,
    Said,
    Summarise,
    Summary,
    TalkReminder,
    Utter,
    build_prompt,
)
from sociolab.town.model_mind import PLAIN_QUESTIONS
from sociolab.worlds import stss

STOCK = stock_questions()
TALKING = [question for question in STOCK if isinstance(question, PLAIN_QUESTIONS)]
NAMES = ["general_plan", "talk_reminder", "first utter", "utter", "summarise"]


def one(kind: type[Any]) -> Any:
    return next(question for question in STOCK if isinstance(question, kind))


def answer(question: MindQuestion[Any], reply: str | ChatReply) -> Any:
    mind = ModelMind(FakeModel(reply), stss.paper_prompts(), dialect="plain")
    return asyncio.run(mind.answer(question))


def problem(question: MindQuestion[Any], reply: str | ChatReply) -> ReplyError:
    with pytest.raises(ReplyError) as caught:
        answer(question, reply)
    return caught.value


def test_blank_lines_without_end_are_read_all_the_same() -> None:
    # No time is measured: what does not grow with the length alone would take hours here.
    text = "\n" * 500_000
    assert answer(one(Utter), f"{text}```\nGood morning.{text}x").text == "Good morning. x"


# ---------------------------------------------------------------- what is asked


@pytest.mark.parametrize("question", TALKING, ids=NAMES)
def test_the_plain_tail_of_each_question(
    question: MindQuestion[Any], snapshot: SnapshotAssertion
) -> None:
    assert (
        build_prompt(question, stss.paper_prompts(), 1.0, plain=True).messages[1].text == snapshot
    )


def test_the_plain_head_says_how_to_answer_without_any_form() -> None:
    plain, json = (
        build_prompt(one(Utter), stss.paper_prompts(), 1.0, plain=p).messages[0].text
        for p in (True, False)
    )
    assert "Answer in plain text" in plain
    assert "JSON" not in plain
    assert "JSON" in json
    before, after = "# How to answer", "# Who you are"
    assert plain.partition(before)[0] == json.partition(before)[0]
    assert plain.partition(after)[2] == json.partition(after)[2]


def test_no_form_and_no_schema_is_left_in_a_plain_question() -> None:
    forms = [question.answer_type.__name__ for question in QUESTIONS]
    for question in TALKING:
        prompt = build_prompt(question, stss.paper_prompts(), 1.0, plain=True)
        assert prompt.schema is None
        text = prompt.messages[1].text
        assert not any(f"Answer with {a}{form}" in text for form in forms for a in ("", "a "))
        assert "memo:" not in text


def test_asking_again_suits_the_dialect() -> None:
    question = one(Utter)
    again = replace(question, meta=replace(question.meta, attempt=2, problem="PROBLEM"))
    first, second = (
        build_prompt(q, stss.paper_prompts(), 1.0, plain=True).messages[1].text
        for q in (question, again)
    )
    assert second.startswith(first)
    assert "PROBLEM" in second
    assert "JSON" not in second


@pytest.mark.parametrize("question", [q for q in STOCK if not isinstance(q, PLAIN_QUESTIONS)])
def test_other_questions_cannot_be_asked_in_plain_text(question: MindQuestion[Any]) -> None:
    name = question.name
    with pytest.raises(ConfigError, match=f'found "{name}", which needs dialect=json'):
        answer(question, "Yes.")


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(ConfigError, match='"json" or "plain"; found "yaml"'):
        ModelMind(FakeModel(), stss.paper_prompts(), dialect="yaml")


@pytest.mark.parametrize("dialect", ["json", "plain"])
def test_penalties_are_passed_on_in_either_dialect(dialect: str) -> None:
    for penalties in (None, 0.0):
        model = FakeModel("?" if dialect == "json" else "Yes.")
        mind = ModelMind(model, stss.paper_prompts(), dialect=dialect, penalties=penalties)
        try:
            asyncio.run(mind.answer(one(Utter)))
        except ReplyError:
            assert dialect == "json"
        assert model.calls[0][0].penalties == penalties


def test_through_the_local_endpoint() -> None:
    async def go() -> Said:
        async with (
            serve(EndpointSettings()) as server,
            Endpoint(EndpointSpec(name="local", base_url=server.url)) as client,
        ):
            mind = ModelMind(
                client.model("m"), stss.paper_prompts(), dialect="plain", penalties=0.0
            )
            said: Said = await mind.answer(one(Utter))
            return said

    assert len(asyncio.run(go()).text) > 20


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Yes, gladly.", "Yes, gladly."),
        ("  Yes,\n\n gladly. ", "Yes, gladly."),
        ("Ada: Yes, gladly.", "Yes, gladly."),
        ("Ada Finch: Yes, gladly.", "Yes, gladly."),
        ("- You: Yes, gladly.", "Yes, gladly."),
        ("**Ada Finch:** Yes, gladly.", "Yes, gladly."),
        ('"Yes, gladly."', "Yes, gladly."),
        ("\u201cYes, gladly.\u201d", "Yes, gladly."),
        ('Ada: "Yes, gladly."', "Yes, gladly."),
        ('"Yes," she said. "Gladly."', '"Yes," she said. "Gladly."'),
        ("<think>Hm: Ben?</think>Yes, gladly.", "Yes, gladly."),
        ("```\nYes, gladly.\n```", "Yes, gladly."),
        ("Yes, gladly.\nBen: Good.\nAda: See you.", "Yes, gladly."),
        ("Ada: Yes,\nAda: gladly.", "Yes, gladly."),
        ("It is this: supper at seven.", "It is this: supper at seven."),
        ("'tis late", "'tis late"),
        ('"', '"'),
    ],
)
def test_words_are_taken_without_what_stands_around_them(reply: str, said: str) -> None:
    assert answer(one(Utter), reply) == Said(text=said)


@pytest.mark.parametrize(
    ("reply", "cause", "why"),
    [
        ("", "unreadable", "expected the words that you say, found an empty reply"),
        ("Ada:", "unreadable", "found an empty reply"),
        ("<think>What now?", "unreadable", "found reasoning alone"),
        ("Ben: Come in!", "not allowed", 'found words of Ben Ashdown: "Ben: Come in!"'),
        ("a" * 2001, "unreadable", "at most 2000 characters), found 2001"),
        (ChatReply("Yes, gla", "length"), "truncated", "cut off"),
        (ChatReply("", "content filter"), "content filter", "withheld"),
    ],
)
def test_a_reply_that_holds_no_words_of_ones_own_is_a_reply_error(
    reply: str | ChatReply, cause: Cause, why: str
) -> None:
    error = problem(one(Utter), reply)
    assert error.cause == cause
    assert why in str(error)
    assert error.raw == (reply.text if isinstance(reply, ChatReply) else reply)


def test_a_first_name_that_both_have_is_ones_own() -> None:
    question = one(Utter)
    question = replace(question, other=replace(question.other, name="Ada Brown"))
    assert answer(question, "Ada: Yes.\nAda Brown: No.") == Said(text="Yes.")


def test_goodbye_in_plain_text_ends_no_talk() -> None:
    assert answer(one(Utter), "Goodbye, Ben!").ends is False


# ---------------------------------------------------------------- what is noted


def test_a_note_agrees_to_nothing_and_changes_no_plan() -> None:
    found = answer(one(Summarise), "Ben will come\non Tuesday.")
    assert found == Summary(memo="Ben will come on Tuesday.", importance=5)
    assert "expected a note, found an empty reply" in str(problem(one(Summarise), "</think>"))


def test_items_and_lines_are_read_one_a_line() -> None:
    items = answer(one(TalkReminder), "Here they are:\n1. Invite Ben\n\n2) Say five o'clock\n---")
    assert items == Items(items=("Invite Ben", "Say five o'clock"))
    lines = answer(one(GeneralPlan), '- See Ben.\n* "Ask Cora."\n\u2022 Be there at 17:00.')
    assert lines == Lines(lines=("See Ben.", "Ask Cora.", "Be there at 17:00."))


def test_a_single_item_may_end_in_a_colon_and_begin_with_a_time() -> None:
    assert answer(one(TalkReminder), "Nothing is left:") == Items(items=("Nothing is left:",))
    assert answer(one(TalkReminder), "17:00 at the park").items == ("17:00 at the park",)


@pytest.mark.parametrize(
    ("kind", "count", "wanted"),
    [(TalkReminder, 0, "1 to 4"), (TalkReminder, 5, "1 to 4"), (GeneralPlan, 2, "3 to 5"),
     (GeneralPlan, 6, "3 to 5")],
)  # fmt: skip
def test_too_few_or_too_many_lines_are_asked_for_again(
    kind: type[Any], count: int, wanted: str
) -> None:
    error = problem(one(kind), "\n".join(f"- Thing {number}." for number in range(count)))
    assert str(error) == f"expected {wanted} lines, one thing each, found {count}"


@given(st.text())
def test_whatever_a_model_writes_is_an_answer_or_a_reply_error(text: str) -> None:
    for question in TALKING:
        kind = question.answer_type
        found: Any = None
        try:
            found = answer(question, text)
        except ReplyError as error:
            found = error.raw
        assert found == text or isinstance(found, kind)
