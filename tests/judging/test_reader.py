"""The one reader of transcripts: attempts, quotes, failures and what passes through."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import BaseModel

from fake_models import FakeModel
from sociolab.core import (
    BudgetSpent,
    CallKey,
    ChatReply,
    Measure,
    Message,
    ModelError,
    Prompt,
    ReplyError,
    ScoreFailure,
    Unscored,
)
from sociolab.judging import MissingValue
from sociolab.judging.quoting import SpokenLine, lines_with
from sociolab.judging.reader import CannotTell, TranscriptReader
from sociolab.prompting.structured import TypedReply

LINES = (
    SpokenLine(0, "Mia", ("I want 80 for the lamp.",)),
    SpokenLine(1, "Noah", ("Mia: fine, I take 60.", "Deal.")),
    SpokenLine(2, "Mia", ("Done.",)),
)
GOAL = Measure("goal", 0, 10)
SECRET = Measure("secret", -10, 0)


class Quote(BaseModel):
    """A reply: words of a line."""

    quote: str


def place(reply: Quote) -> int:
    found = lines_with(reply.quote, LINES)
    if not found:
        raise ReplyError(f'expected words of a line, found "{reply.quote}"', cause="not allowed")
    return min(found)


def reply(quote: str) -> str:
    return json.dumps({"quote": quote})


def asked(*replies: str | ChatReply | ModelError) -> tuple[int | MissingValue, FakeModel]:
    model = FakeModel(*replies)
    reader = TranscriptReader(model, "trial", judging=2, temperature=0.3).at("a", 4)
    return asyncio.run(reader.ask("goal", "Read.", "A talk.", Quote, place, needs=50)), model


def test_a_call_has_the_episode_its_name_and_the_number_of_the_judging() -> None:
    found, model = asked(reply("80 for the lamp"))
    assert found == 0
    ((prompt, key),) = model.calls
    assert key == CallKey("trial", "judge", "a", 4, "goal", 1, 2)
    assert [message.text for message in prompt.messages] == ["Read.", "A talk."]
    assert (prompt.temperature, prompt.needs) == (0.3, 50)


def test_a_false_quote_is_sent_back_with_what_is_wrong() -> None:
    found, model = asked(reply("90 for the lamp"), reply("I want 80"))
    assert found == 0
    assert [key.attempt for _, key in model.calls] == [1, 2]
    assert 'found "90 for the lamp"' in model.calls[1][0].messages[-1].text


def test_after_three_attempts_the_last_reply_is_kept_with_its_cause() -> None:
    found, model = asked("hm", reply("nowhere"), reply("not there"))
    assert len(model.calls) == 3
    problem = 'expected words of a line, found "not there"'
    assert found == MissingValue("not allowed", problem, reply("not there"), 3)


def test_a_call_that_failed_for_good_is_a_missing_value() -> None:
    found, _ = asked(ModelError("late", cause="timeout", tries=6))
    assert found == MissingValue("timeout", "late", "", 6)


@pytest.mark.parametrize(
    "error",
    [BudgetSpent("spent"), ModelError("no key", cause="credentials", fatal=True)],
)
def test_an_error_that_would_repeat_passes_through(error: ModelError) -> None:
    with pytest.raises(ModelError) as raised:
        asked(error)
    assert raised.value is error


def test_a_cancelled_reading_is_cancelled() -> None:
    class Waits(FakeModel):
        async def complete(self, prompt: object, key: object) -> ChatReply:
            raise asyncio.CancelledError

    reader = TranscriptReader(Waits(), "trial")
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(reader.ask("goal", "Read.", "A talk.", Quote, place))


def test_what_lacks_something_is_asked_for_again_and_counts_if_nothing_better_comes() -> None:
    model = FakeModel(reply("Done."), "hm", ModelError("late", cause="timeout"))
    reader = TranscriptReader(model, "trial")
    prompt = Prompt((Message("user", "Read."),), None, 0.0)
    found = asyncio.run(
        reader.read("goal", prompt, Quote, place, lacks=lambda at: "too late" if at else "")
    )
    assert found == TypedReply(2, 2)
    assert "too late" in model.calls[1][0].messages[-1].text


def test_a_missing_value_is_a_failure_of_each_score_that_was_due() -> None:
    missing = MissingValue("timeout", "late", "raw", 6)
    assert missing.as_verdicts((GOAL, SECRET), ("a", "b")) == tuple(
        ScoreFailure(measure, seat, "timeout", "late", "raw", 6)
        for seat in ("a", "b")
        for measure in (GOAL, SECRET)
    )


def test_a_judge_that_cannot_tell_gives_no_score_and_no_failure() -> None:
    assert CannotTell("nobody says").as_verdicts((GOAL,)) == (Unscored(GOAL, None, "nobody says"),)


@pytest.mark.parametrize(
    ("quote", "places"),
    [
        ("I want 80 for", {0: "I want 80 for"}),
        ("1. Mia: i want 80 for", {0: "I want 80 for"}),
        ("fine, I take 60", {1: "fine, I take 60"}),
        ("Noah: Mia: fine, I take", {1: "Mia: fine, I take"}),
        ("Mia: fine, I take", {}),  # her words, he says
        ("deal", {1: "Deal"}),
        ("Noah: I want 80 for", {}),
        ("Mia", {}),
    ],
)
def test_a_quote_is_of_the_line_that_holds_it_and_of_no_other_speaker(
    quote: str, places: dict[int, str]
) -> None:
    assert lines_with(quote, LINES) == places
