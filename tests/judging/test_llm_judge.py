"""A chat model as a judge: attempts, partial replies, failures."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from fake_models import FakeModel
from sociolab.core import (
    Action,
    CallKey,
    ChatReply,
    Ended,
    Episode,
    ModelError,
    Moved,
    Score,
    ScoreFailure,
    Verdict,
)
from sociolab.judging import LlmJudge
from sociolab.worlds import sotopia
from sotopia_cases import casting, episode_of

EPISODE = episode_of(
    casting(), Moved(0, "seat0", (Action("speak", "Hello."),)), Ended("turn limit", 0)
)


def reply(**changes: object) -> str:
    scores: dict[str, Any] = {d.name: {"reason": "so", "score": 0} for d in sotopia.DIMENSIONS}
    people = {"person_1": dict(scores), "person_2": dict(scores)}
    for cell, score in changes.items():
        people["person_1"][cell] = {"reason": "so", "score": score}
    return json.dumps(people)


def judged(model: FakeModel, episode: Episode = EPISODE, judging: int = 0) -> tuple[Verdict, ...]:
    return asyncio.run(LlmJudge(sotopia.SotopiaRubric(), model).judge(episode, judging))


def failures(verdicts: tuple[Verdict, ...]) -> list[tuple[str | None, str]]:
    return [(v.seat, v.measure.name) for v in verdicts if isinstance(v, ScoreFailure)]


def test_one_call_scores_everybody_at_temperature_0() -> None:
    model = FakeModel(reply(goal=7))
    verdicts = judged(model)
    assert len(verdicts) == 16
    assert all(isinstance(verdict, Score) for verdict in verdicts)
    ((prompt, key),) = model.calls
    assert prompt.temperature == 0.0
    assert key == CallKey("trial", "judge", "", 0, "fake/model", 1, 0)


def test_repeated_judging_is_a_call_of_its_own() -> None:
    model = FakeModel(reply(), reply())
    judged(model, judging=0)
    judged(model, judging=1)
    assert [key.index for _, key in model.calls] == [0, 1]


def test_a_partial_reply_is_asked_for_again_and_told_what_it_lacks() -> None:
    model = FakeModel(reply(goal=99, secret=5), reply(goal=9))
    verdicts = judged(model)
    assert not failures(verdicts)
    told = model.calls[1][0].messages[-1].text
    assert "goal of Mia (person_1): expected a score, a whole number 0 to 10, found 99" in told
    assert "secret of Mia (person_1)" in told
    assert "is missing" not in told


def test_what_the_last_reply_lacks_fails_in_those_cells_only() -> None:
    model = FakeModel(*[reply(goal=99)] * 3)
    verdicts = judged(model)
    assert failures(verdicts) == [("seat0", "goal"), ("seat0", "overall")]
    assert {v.attempts for v in verdicts if isinstance(v, ScoreFailure)} == {3, 1}


def test_a_reply_that_is_never_readable_fails_every_cell_and_scores_none() -> None:
    model = FakeModel(ChatReply("", finish="content filter"), "nonsense", "{")
    verdicts = judged(model)
    assert len(failures(verdicts)) == 16
    first = verdicts[0]
    assert isinstance(first, ScoreFailure)
    assert (first.cause, first.raw, first.attempts) == ("unreadable", "{", 3)


def test_a_call_that_failed_fails_every_cell_with_its_cause() -> None:
    verdicts = judged(FakeModel(ModelError("late", cause="timeout", tries=6)))
    assert len(failures(verdicts)) == 16
    first = verdicts[0]
    assert isinstance(first, ScoreFailure)
    assert (first.cause, first.problem, first.attempts) == ("timeout", "late", 6)


def test_good_cells_survive_a_call_that_fails_after_them() -> None:
    verdicts = judged(FakeModel(reply(goal=99), ModelError("late", cause="timeout")))
    assert failures(verdicts) == [("seat0", "goal"), ("seat0", "overall")]


def test_an_error_that_would_repeat_stops_the_run() -> None:
    with pytest.raises(ModelError, match="no key"):
        judged(FakeModel(ModelError("no key", cause="credentials", fatal=True)))


def test_an_episode_without_a_turn_is_not_sent_to_the_model() -> None:
    model = FakeModel()
    verdicts = judged(model, Episode(EPISODE.trial, (Ended("failed turn", 0, "seat0"),)))
    assert len(failures(verdicts)) == 16
    assert not model.calls
    first = verdicts[0]
    assert isinstance(first, ScoreFailure)
    assert first.cause == "incomplete"


def test_the_id_names_model_wording_and_temperature() -> None:
    model = FakeModel()
    cold, warm = (
        LlmJudge(sotopia.SotopiaRubric(), model),
        LlmJudge(sotopia.SotopiaRubric(), model, 0.7),
    )
    assert cold.id == LlmJudge(sotopia.SotopiaRubric(), model).id
    assert (cold.id.name, cold.id.method) == ("fake/model", "model")
    assert cold.id.settings != warm.id.settings
