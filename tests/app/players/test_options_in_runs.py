"""Options of agents and judges in a run: they are sent, and they say who somebody is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from casts import agent
from fake_models import FakeModel
from sociolab import RunConfig, RunResult, run
from sociolab.agents.prompted import prompts_hash
from sociolab.app import Casting, Models, ModelSpec
from sociolab.app.players.models import parse
from sociolab.app.run.session import world_of
from sociolab.core import ConfigError, digest
from sociolab.endpoint import ChatBody, EndpointSettings, Replies, start_in_thread
from sociolab.models import Budget, NullReplyStore
from sociolab.store import Store

THINKS_NOT = '{"enable_thinking":false}'
SEEN: list[dict[str, Any]] = []
MADE_UP = Replies(EndpointSettings(characters=60))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    def answer(chat: ChatBody) -> str:
        SEEN.append(dict(chat.fields))
        return MADE_UP.valid(chat)

    with start_in_thread(EndpointSettings(responder=answer)) as server:
        yield server.url


@pytest.fixture(autouse=True)
def _forgotten() -> None:
    SEEN.clear()


def played(folder: Path, url: str, agent: str, judge: str, **more: Any) -> RunResult:
    return run(
        RunConfig(
            agents=(agent,),
            partner="scripted",
            judges=(judge,),
            base_url=url,
            limit=1,
            name="r",
            store=folder / "s.db",
            **more,
        )
    ).result


def identities(folder: Path) -> dict[str, Any]:
    with Store.open(folder / "s.db", create=False) as store:
        settings: Any = store.run("r").settings
        return {"agent": settings["agents"][0], "judge": settings["judges"][-1]}


def sent(model: str) -> list[dict[str, Any]]:
    """What each call to a model held beside its messages and schema."""
    own = ("model", "messages", "response_format")
    return [
        {name: value for name, value in body.items() if name not in own}
        for body in SEEN
        if body["model"] == model
    ]


def test_options_of_agents_and_judges_are_sent_with_every_call(tmp_path: Path, url: str) -> None:
    played(tmp_path, url, "openai/a?top_p=0.9&max_tokens=400&stop=END&stop=%0A",
           "openai/j?temperature=0.25&seed=3")  # fmt: skip
    agent = {"temperature": 1.0, "max_tokens": 400, "top_p": 0.9, "stop": ["END", "\n"]}
    assert sent("a")
    assert all(one == agent for one in sent("a"))
    judge = sent("j")
    assert [one | {"seed": 3} for one in judge] == [
        {"temperature": 0.25, "max_tokens": 3000, "seed": 3}
    ] * 2
    assert judge[0]["seed"] != judge[1]["seed"], "of two episodes"
    found = identities(tmp_path)
    assert found["agent"][0] == "openai/a?top_p=0.9&max_tokens=400&stop=END&stop=%0A"
    assert found["judge"][0] == "openai/j?temperature=0.25&seed=3"


def test_without_options_agents_and_judges_are_who_they_were_before_there_were_any() -> None:
    config = RunConfig(base_url="http://127.0.0.1:9/v1")
    kit = world_of(config)
    casting = Casting(kit, Models(config), NullReplyStore(), Budget())
    old = digest("openai/x", "http://127.0.0.1:9/v1", "1.0", "json", prompts_hash("json"), 0)
    assert casting.agent("openai/x", "agent").id == agent("openai/x", old)
    assert casting.judge("openai/x").id == kit.model_judge(Named("openai/x")).id
    limited = digest(
        "openai/x?max_tokens=5", "http://127.0.0.1:9/v1", "1.0", "json", prompts_hash("json"), 5
    )
    assert casting.agent("openai/x?max_tokens=5", "agent").id.settings == limited
    ids = {casting.judge(f"openai/x{more}").id for more in ("", "?seed=1", "?seed=2")}
    assert len(ids) == 3


class Named(FakeModel):
    """A model by another name."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label


def test_options_in_models_toml_are_sent_and_a_run_does_not_go_on_with_others(
    tmp_path: Path, url: str
) -> None:
    file = tmp_path / "models.toml"
    extra = {"chat_template_kwargs": {"enable_thinking": False}}

    def listed(model: str, top_p: float) -> None:
        table = f'[options."openai/{model}"]\ntop_p = {top_p}\nextra = '
        file.write_text(f"{table}{{chat_template_kwargs = {{enable_thinking = false}}}}\n", "utf-8")

    listed("a", 0.5)
    first = played(tmp_path, url, "openai/a", "openai/j", models=file)
    agent = {"temperature": 1.0, "max_tokens": 300, "top_p": 0.5, **extra}
    assert all(one | {"max_tokens": 300} == agent for one in sent("a"))
    assert isinstance(first.settings, dict)
    told = {"openai/a": f"top_p=0.5&chat_template_kwargs={THINKS_NOT}"}
    assert first.settings["options"] == told
    again = played(tmp_path, url, "openai/a", "openai/j", models=file)
    assert again.calls == first.calls
    listed("a", 0.6)
    with pytest.raises(ConfigError, match="began with other settings"):
        played(tmp_path, url, "openai/a", "openai/j", models=file)
    listed("j", 0.5)
    with pytest.raises(ConfigError, match="began with other settings"):
        played(tmp_path, url, "openai/a", "openai/j", models=file)


def test_a_judge_of_other_options_is_another_judge(tmp_path: Path, url: str) -> None:
    result = run(
        RunConfig(
            judges=("openai/j", "openai/j?temperature=0.5"),
            base_url=url,
            limit=1,
            store=tmp_path / "s.db",
        )
    ).result
    named = {one.judge for one in result.scores}
    assert {"openai/j", "openai/j?temperature=0.5"} <= named
    assert {json.dumps(one) for one in sent("j")} == {
        '{"temperature": 0.0, "max_tokens": 3000}',
        '{"temperature": 0.5, "max_tokens": 3000}',
    }


def test_what_models_toml_adds_is_on_record_and_the_specs_own_is_in_its_label(
    tmp_path: Path, url: str
) -> None:
    file = tmp_path / "models.toml"
    file.write_text('[options."openai/a"]\ntemperature = 0.5\nseed = 3\n', "utf-8")
    found = played(tmp_path, url, "openai/a?seed=4&top_p=0.5", "openai/j", models=file).settings
    assert isinstance(found, dict)
    assert found["options"] == {"openai/a?seed=4&top_p=0.5": "temperature=0.5"}


def test_without_models_toml_nothing_is_added(tmp_path: Path, url: str) -> None:
    found = played(tmp_path, url, "openai/a?seed=4", "openai/j").settings
    assert isinstance(found, dict)
    assert "options" not in found


def test_a_run_from_before_options_were_recorded_goes_on(tmp_path: Path, url: str) -> None:
    file = tmp_path / "models.toml"
    file.write_text('[options."openai/a"]\ntop_p = 0.5\n', "utf-8")
    first = played(tmp_path, url, "openai/a", "openai/j", models=file)
    assert isinstance(first.settings, dict)
    with Store.open(tmp_path / "s.db", create=False) as store:
        store.set_settings("r", {k: v for k, v in first.settings.items() if k != "options"})
    assert played(tmp_path, url, "openai/a", "openai/j", models=file).calls == first.calls


def test_every_kind_of_question_is_sent_its_own_limit_and_a_run_resumes_with_another(
    tmp_path: Path, url: str
) -> None:
    first = played(tmp_path, url, "openai/a", "none", tasks="bargain")
    caps = {body["max_tokens"] for body in SEEN}
    assert caps == {300, 400}, "turns and the closing question"
    again = played(tmp_path, url, "openai/a", "none", tasks="bargain", reply_room=1.5)
    assert again.calls == first.calls


def test_room_for_replies_multiplies_what_is_needed_but_no_limit_of_the_users(
    tmp_path: Path, url: str
) -> None:
    played(tmp_path, url, "openai/a?max_tokens=350", "openai/j", reply_room=1.5)
    assert {one["max_tokens"] for one in sent("a")} == {350}
    assert {one["max_tokens"] for one in sent("j")} == {4_500}


def test_a_server_of_ones_own_is_sent_bounds_unless_it_refuses_them(
    tmp_path: Path, url: str
) -> None:
    file = tmp_path / "models.toml"

    def longest(refuses: str) -> set[int | None]:
        SEEN.clear()
        file.write_text(f'[endpoints.lab]\nbase_url = "{url}"\n{refuses}', "utf-8")
        played(tmp_path / refuses[:7], url, "lab/a", "none", models=file)
        schemas = [body["response_format"]["json_schema"]["schema"] for body in SEEN]
        fields = [schema["properties"] for schema in schemas]
        return {one["text"].get("maxLength") for one in fields if "text" in one}

    (tmp_path / "refuses").mkdir()
    assert longest("") == {1_800}
    assert longest('refuses = ["bounds"]') == {None}


@pytest.mark.parametrize(
    ("address", "hosted"),
    [
        ("https://api.openai.com/v1", True),
        ("https://my-lab.openai.azure.com/openai/v1", True),
        ("http://127.0.0.1:8000/v1", False),
        ("https://models.example.edu/v1", False),
    ],
)
def test_no_hosted_provider_is_sent_bounds(address: str, hosted: bool) -> None:
    models = Models(RunConfig(base_url=address))
    spec = parse("openai/m", "agent")
    assert isinstance(spec, ModelSpec)
    assert ("bounds" in models.endpoint(spec).refuses) is hosted
    claude = parse("anthropic/m", "agent")
    assert isinstance(claude, ModelSpec)
    assert "bounds" in models.endpoint(claude).refuses
