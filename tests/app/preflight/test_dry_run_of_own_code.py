"""An estimate makes somebody's agents and judges, and asks them nothing."""

from __future__ import annotations

from typing import ClassVar

import pytest

from sociolab import RunConfig, estimate
from sociolab.core import ConfigError, Episode, Json, JudgeId, NoReply, Reply, Request, Verdict
from sociolab.town import Said, ScriptedMind, Utter

HERE = f"python:{__name__}"
asked: list[str] = []


class Caller:
    """Would call a model."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        asked.append("agent")
        return NoReply("gave up", "called")


class Talker(ScriptedMind):
    """Would call a model for its words."""

    async def utter(self, question: Utter) -> Said:
        asked.append("mind")
        return await super().utter(question)


class Judging:
    """Would call a model."""

    id: ClassVar[JudgeId] = JudgeId("judging", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        asked.append("judge")
        return ()


class Unmakeable:
    """Cannot be made."""

    def __init__(self) -> None:
        raise RuntimeError("no GPU")

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def _nobody_asked() -> None:
    asked.clear()


def config(**more: object) -> RunConfig:
    nowhere = "http://127.0.0.1:9/v1"
    return RunConfig.model_validate({"limit": 1, "base_url": nowhere, **more})


def test_somebodys_agent_and_judge_are_not_asked_and_the_words_say_so() -> None:
    agents, judges = (f"{HERE}:Caller", "openai/x"), (f"{HERE}:Judging",)
    found = estimate(config(agents=agents, judges=judges))
    assert asked == []
    assert found.most.models["openai/x"].calls == 4 * 20 / 2
    (said,) = [line for line in found.section().cautions if "not counted" in line]
    assert f"calls that {HERE}:Caller and {HERE}:Judging may make" in said
    assert found.document()["not_counted"] == [f"{HERE}:Caller", f"{HERE}:Judging"]


def test_a_run_of_somebodys_code_alone_is_not_called_free() -> None:
    found = estimate(config(agents=(f"{HERE}:Caller",), judges=("none",))).section()
    assert asked == []
    assert not any("free" in line for line in found.sentences)
    assert any("not counted" in line for line in found.cautions)


def test_a_run_by_rules_is_free() -> None:
    assert any("free" in line for line in estimate(config()).section().sentences)


@pytest.mark.parametrize("world", ["stss-talk"])
def test_a_mind_is_not_asked_either(world: str) -> None:
    found = estimate(
        config(world=world, agents=(f"{HERE}:Talker",), partner="openai/x", judges=("recorded",))
    )
    assert asked == []
    assert found.most.models["openai/x"].calls > 0


def test_what_a_made_up_reply_makes_a_judge_ask_again_is_not_counted() -> None:
    """AntEval's judge asks 16 times of a session in which three players always have something to
    say, before the first turn too; made-up replies hold no quote that is there."""
    judging = config(world="anteval-information", judges=("openai/j",), limit=3)
    assert estimate(judging).most.models["openai/j"].calls == 3 * 16


def test_nobody_is_asked_at_the_terminal() -> None:
    found = estimate(config(agents=("human",), partner="openai/x", judges=("none",)))
    assert found.most.models["openai/x"].calls > 0
    assert found.uncounted == ()


def test_an_agent_that_cannot_be_made_is_refused_in_a_sentence() -> None:
    with pytest.raises(ConfigError, match="cannot be made: RuntimeError: no GPU") as caught:
        estimate(config(agents=(f"{HERE}:Unmakeable",)))
    assert "\n" not in str(caught.value)
