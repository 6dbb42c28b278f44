"""Chat models handed to somebody's own agent or judge, and the arguments of its constructor."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from sociolab import AgentModels, RunConfig, RunConfig as Description, RunResult, run
from sociolab.app import Models, examine
from sociolab.core import (
    Action,
    Episode,
    Json,
    JudgeId,
    Measure,
    ModelError,
    NoReply,
    Reply,
    Request,
    Score,
    Verdict,
    WorldError,
)
from sociolab.endpoint import ChatBody, EndpointSettings, start_in_thread
from sociolab.models import Budget, NullReplyStore
from sociolab.plugin import EndpointAccess
from sociolab.store import Store

HERE = __name__
DOCS = Path(__file__).parents[3] / "docs" / "models.md"
PRICES = '[prices."openai/m"]\ninput = 1000.0\noutput = 1000.0\n'


class Turn(BaseModel):
    words: str


class Asking:
    """Asks a model twice at once for each turn, and forgives all that fails."""

    def __init__(self, models: AgentModels, forgiving: bool = False) -> None:
        self.models = models
        self.forgiving = forgiving

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        try:
            one, two = await asyncio.gather(
                self.models.chat("openai/m", f"one of {request.turn}"),
                self.models.chat("openai/m?top_p=0.5", ["two"], Turn, temperature=0.25),
            )
        except ModelError:
            if not self.forgiving:
                raise
            return Reply((Action("speak", "Never mind."),))
        return Reply((Action("speak", f"{one} and {two.words}"),))


class Deciding:
    """A judge that asks a model."""

    def __init__(self, models: AgentModels) -> None:
        self.models = models

    id = JudgeId("deciding", "model", "1")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        said = await self.models.chat("openai/m", "Well played?")
        return (Score(Measure("fine", 0, 1), None, 1.0, said),)


def answer(chat: ChatBody) -> str:
    return json.dumps({"words": "two"}) if chat.schema else "one"


def play(folder: Path, url: str, **more: object) -> RunResult:
    values = {"partner": "scripted", "judges": ("none",), "limit": 1, "name": "r"} | more
    return run(
        RunConfig.model_validate(
            {"base_url": url, "store": folder / "s.db", "agents": (f"python:{HERE}:Asking",)}
            | values
        )
    ).result


def test_calls_of_a_class_are_kept_under_what_it_was_asked_and_counted(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings(responder=answer)) as server:
        result = play(tmp_path, server.url)
        assert result.played == result.trials == 2
        assert result.calls == server.counters.requests > 4
    with Store.open(tmp_path / "s.db", create=False) as store:
        rows = store.rows("SELECT trial, role, seat, turn, name, idx, model, prompt FROM calls")
        trial = store.trials("r")[0].trial.id
    first = min((row for row in rows if row[0] == trial), key=lambda row: (row[3], row[5]))
    assert first[1:2] + first[4:7] == ("agent", "act", 0, "openai/m")
    assert len({row[:6] for row in rows}) == len(rows)
    assert {row[5] for row in rows} == {0, 1}


def test_a_resumed_run_finds_the_replies_of_a_class_again(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings(responder=answer)) as server:
        play(tmp_path, server.url)
        before = server.counters.requests
        with Store.open(tmp_path / "s.db") as store:  # as if the run had been killed at its start
            for row in store.trials("r"):
                store.play_anew("r", row.trial.id)
        again = play(tmp_path, server.url)
        assert (again.played, server.counters.requests) == (2, before)


def test_a_spent_budget_stops_a_class_that_heeds_no_error(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(PRICES, "utf-8")
    spec = f"python:{HERE}:Asking?forgiving=true"
    with start_in_thread(EndpointSettings(responder=answer)) as server:
        result = play(tmp_path, server.url, agents=(spec,), limit=15, budget=2.5,
                      models=tmp_path / "models.toml")  # fmt: skip
        assert result.stopped.startswith("the budget of $2.50 is used up")
        assert 0 < (result.cost_usd or 0) <= 2.5
        assert result.failed == 0


def test_a_partner_and_a_judge_are_known_by_their_roles(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings(responder=answer)) as server:
        play(tmp_path, server.url, agents=("scripted",), partner=f"python:{HERE}:Asking",
             judges=(f"python:{HERE}:Deciding",))  # fmt: skip
    with Store.open(tmp_path / "s.db", create=False) as store:
        roles = {role for (role,) in store.rows("SELECT role FROM calls")}
        judged = {name for (name,) in store.rows("SELECT name FROM calls WHERE role = 'judge'")}
    assert (roles, judged) == ({"partner", "judge"}, {"deciding"})


def test_a_reply_that_cannot_be_used_is_no_reply_of_the_class(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings(responder=lambda _: "no JSON")) as server:
        result = play(tmp_path, server.url)
    assert set(result.failures.trials) == {"failed turns"}
    assert set(result.failures.turns) == {"unreadable"}


def test_a_class_is_given_text_without_reasoning_and_chat_marks(tmp_path: Path) -> None:
    def thinking(chat: ChatBody) -> str:
        return "<think>I sold the ring.</think>" + answer(chat) + "<|im_end|><|im_start|>user\nAh."

    with start_in_thread(EndpointSettings(responder=thinking)) as server:
        play(tmp_path, server.url)
    with Store.open(tmp_path / "s.db", create=False) as store:
        texts = {
            action.text
            for row in store.trials("r")
            for move in store.episode("r", row.trial.id).moves
            if row.trial.agent(move.seat).startswith("python:")
            for action in move.actions
        }
    assert texts == {"one and two"}


def test_a_call_that_belongs_to_nothing_is_refused() -> None:
    models = AgentModels(Models(Description()), NullReplyStore(), Budget())
    with pytest.raises(WorldError, match="within reply or judge"):
        asyncio.run(models.chat("openai/m", "Hello."))


@pytest.mark.parametrize(
    ("model", "messages", "said"),
    [
        ("scripted", "Hello.", 'expected "endpoint/model", found "scripted"'),
        ("openai/m?heat=1", "Hello.", 'models.chat: openai/m?heat=1: unknown field "heat"'),
        ("openai/m", [{"role": "robot", "content": "x"}], "robot"),
        ("openai/m", [], "at least one message"),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_sentence(
    model: str, messages: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def reply(self: Asking, request: Request, memory: Json) -> Reply:
        return Reply((Action("speak", await self.models.chat(model, messages)),))

    monkeypatch.setattr(Asking, "reply", reply)
    result = play(tmp_path, "http://127.0.0.1:9/v1")
    assert result.failed == result.trials
    assert said in " ".join(result.failures.problems.values())


@pytest.mark.parametrize("name", ["Asking", "Deciding"])
def test_the_doctor_tries_a_class_with_the_models_that_it_is_told(name: str) -> None:
    with start_in_thread(EndpointSettings(responder=answer)) as server:
        found = examine(f"python:{HERE}:{name}", EndpointAccess(base_url=server.url))
        assert found.well, found.sentence
        assert server.counters.requests > 0


# ---------------------------------------------------------------- arguments


def test_other_arguments_are_another_agent(tmp_path: Path) -> None:
    specs = (f"python:{HERE}:Asking?forgiving=true", f"python:{HERE}:Asking?forgiving=false")
    with start_in_thread(EndpointSettings(responder=answer)) as server:
        result = play(tmp_path, server.url, agents=specs)
        assert result.trials == 4
        with Store.open(tmp_path / "s.db", create=False) as store:
            settings: Any = store.run("r").settings
    agents = settings["agents"]
    assert [label for label, _ in agents] == list(specs)
    assert len({settings for _, settings in agents}) == 2


# ---------------------------------------------------------------- the page


def test_the_class_in_the_documentation_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    ((name, text),) = found
    (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    spec = re.search(r'--agent "(python:[^"]+)"', DOCS.read_text("utf-8"))
    assert spec
    with start_in_thread(EndpointSettings()) as server:
        result = play(tmp_path, server.url, agents=(spec[1],))
        assert result.played == result.trials == 2
        assert result.failures.turns == {}
        assert result.calls == server.counters.requests > 8
    sys.modules.pop("thinking_agent")
