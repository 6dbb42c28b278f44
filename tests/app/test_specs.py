from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sociolab.app.config import RunConfig, config_of
from sociolab.app.models import Models
from sociolab.app.models_file import load_models
from sociolab.app.specs import ModelSettings, ModelSpec, NamedSpec, PythonSpec, parse
from sociolab.core.errors import ConfigError
from sociolab.core.ports import CallKey, ChatReply, Message, Prompt
from sociolab.models.budget import Budget
from sociolab.models.unkept import Unkept


def model_spec(text: str) -> ModelSpec:
    spec = parse(text, "agent")
    assert isinstance(spec, ModelSpec)
    return spec


def test_a_bare_word_is_a_name() -> None:
    assert parse("scripted", "agent") == NamedSpec("scripted")


def test_a_python_path_is_somebodys_class() -> None:
    assert parse("python:a.b:C", "agent") == PythonSpec("python:a.b:C", "a.b:C")


def test_a_model_may_have_slashes_of_its_own() -> None:
    assert parse("lab/org/model-7b", "agent") == ModelSpec(
        "lab/org/model-7b", "lab", "org/model-7b", ModelSettings()
    )


def test_settings_follow_a_question_mark_and_stay_in_the_label() -> None:
    spec = model_spec("openai/x?temperature=0.3&dialect=plain")
    assert spec.label == "openai/x?temperature=0.3&dialect=plain"
    assert spec.settings == ModelSettings(temperature=0.3, dialect="plain")


@pytest.mark.parametrize(
    "text",
    ["", "openai/", "/x", "scripted?temperature=1", "openai/x?temperature=9", "openai/x?heat=1",
     "openai/x?temperature"],
)  # fmt: skip
def test_what_is_no_spec_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "agent")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [("limit", 0), ("repeats", "many"), ("agent", "scripted"), ("on_failed_turn", "cry")],
)
def test_a_wrong_field_of_a_description_is_named(field: str, value: object) -> None:
    with pytest.raises(ConfigError, match=field):
        config_of({field: value}, "run.toml")


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_an_endpoint_of_models_toml_is_used_under_its_name(tmp_path: Path) -> None:
    file = write(
        tmp_path / "m.toml",
        '[endpoints.lab]\nbase_url = "http://127.0.0.1:9/v1/"\nin_flight = 7\n'
        '[prices."lab/x"]\ninput = 1.0\noutput = 2.0\n',
    )
    models = Models(RunConfig(models=file))
    endpoint = models.endpoint(model_spec("lab/x"))
    assert (endpoint.base_url, endpoint.in_flight) == ("http://127.0.0.1:9/v1", 7)
    price = models.price(model_spec("lab/x"))
    assert price is not None
    assert price.output == 2.0
    narrowed = Models(RunConfig(models=file, in_flight=3)).endpoint(model_spec("lab/x"))
    assert narrowed.in_flight == 3


def test_an_unknown_endpoint_says_where_to_describe_it() -> None:
    with pytest.raises(ConfigError, match=r"\[endpoints.lab\]"):
        Models(RunConfig()).endpoint(model_spec("lab/x"))


def test_the_openai_key_never_goes_to_another_address() -> None:
    models = Models(RunConfig(base_url="http://127.0.0.1:9/v1"))
    assert models.endpoint(model_spec("openai/x")).key_env is None
    named = Models(RunConfig(base_url="http://127.0.0.1:9/v1", key_env="LAB_KEY"))
    assert named.endpoint(model_spec("openai/x")).key_env == "LAB_KEY"
    assert Models(RunConfig()).endpoint(model_spec("openai/x")).key_env == "OPENAI_API_KEY"


@pytest.mark.parametrize(
    "url", ["127.0.0.1:80", "ftp://h/v1", "http://user:secret@h/v1", "http://h/v1?key=secret"]
)
def test_a_base_url_that_is_none_or_holds_a_secret_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="base-url"):
        Models(RunConfig(base_url=url)).endpoint(model_spec("openai/x"))


@pytest.mark.parametrize(
    "text",
    [
        "[endpoints.lab\n",
        '[endpoints.lab]\nbase_url = "nowhere"\n',
        '[endpoints.lab]\nkey = "sk-secret"\n',
        '[prices."a/b"]\ninput = -1\noutput = 1\n',
    ],
)
def test_a_wrong_models_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    file = write(tmp_path / "m.toml", text)
    with pytest.raises(ConfigError, match=r"m\.toml"):
        load_models(file)


def test_a_models_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_models(tmp_path / "none.toml")


def test_a_token_limit_is_part_of_the_kept_prompt() -> None:
    class Keeper(Unkept):
        def find(self, key: str) -> ChatReply:
            return ChatReply(key)

    models = Models(RunConfig(base_url="http://127.0.0.1:9/v1"))
    prompt = Prompt((Message("user", "Hello."),))
    key = CallKey("t", "agent", "a", 0, "act", 1)

    async def kept_under(spec: str) -> str:
        model = models.kept(model_spec(spec), Keeper(), Budget())
        return (await model.complete(prompt, key)).text

    free, limited = (asyncio.run(kept_under(f"openai/x{s}")) for s in ("", "?max_tokens=5"))
    assert free != limited
