from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sociolab import RunConfig
from sociolab.app import Models, ModelSpec, config_of, load_models
from sociolab.app.players.models import ModelSettings, NamedSpec, PythonSpec, parse
from sociolab.core import CallKey, ChatReply, ConfigError, Message, Prompt
from sociolab.models import Budget, NullReplyStore
from sociolab.models.config import OPENAI, Options


def test_all_endpoints_are_asked_at_once_whether_they_stand_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def asked() -> tuple[str, ...]:
        both = asyncio.Barrier(2)

        async def is_stand_in(self: Models, spec: ModelSpec) -> bool:
            await asyncio.wait_for(both.wait(), 20)
            return spec.model == "b"

        monkeypatch.setattr(Models, "is_stand_in", is_stand_in)
        return await Models(RunConfig()).stand_ins([model_spec("openai/a"), model_spec("openai/b")])

    assert asyncio.run(asked()) == ("openai/b",)


def test_who_cannot_be_reached_is_no_stand_in() -> None:
    models = Models(RunConfig(base_url="http://127.0.0.1:9/v1"))
    assert asyncio.run(models.stand_ins([model_spec("openai/a")])) == ()


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


def test_options_of_a_spec_have_types_and_stop_may_be_several() -> None:
    spec = model_spec("openai/x?temperature=.7&top_p=0.9&max_tokens=400&seed=3&stop=%0A&stop=END")
    assert spec.settings == ModelSettings(
        temperature=0.7, top_p=0.9, max_tokens=400, seed=3, stop=("\n", "END")
    )


def test_an_unknown_option_is_told_what_there_is() -> None:
    known = "temperature, top_p, top_k, min_p, max_tokens, seed, stop, presence_penalty"
    with pytest.raises(ConfigError, match=f'unknown field "heat".*{known}.*dialect.*extra'):
        parse("openai/x?heat=1", "agent")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai/x?seed=1&seed=2", '"seed" is given twice'),
        ("python:m:C?a=1&a=2", '"a" is given twice'),
        ("openai/x?stop=", "cannot be empty"),
        ("openai/x?seed=many", "seed: .*whole number"),
        ("python:m:C?a", "name=value"),
    ],
)
def test_what_is_wrong_behind_a_question_mark_is_named(spec: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse(spec, "agent")


def test_arguments_of_a_class_are_kept_as_written() -> None:
    assert parse("python:m:C?temperature=.2&name=Ada+B", "agent") == PythonSpec(
        "python:m:C?temperature=.2&name=Ada+B", "m:C", (("temperature", ".2"), ("name", "Ada B"))
    )


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


ELSEWHERE, ANOTHER = "http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"


@pytest.mark.parametrize(
    ("file", "base_url", "address"),
    [
        ("", None, ELSEWHERE),
        ("", ANOTHER, ANOTHER),
        ("[endpoints.openai]\nin_flight = 7\n", None, ELSEWHERE),
        ("[endpoints.openai]\nin_flight = 7\n", ANOTHER, ANOTHER),
        (f'[endpoints.openai]\nbase_url = "{ANOTHER}"\n', None, ANOTHER),
    ],
)
def test_the_address_of_the_environment_is_used_where_nothing_else_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, base_url: str | None, address: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{ELSEWHERE}/")
    models = Models(RunConfig(base_url=base_url, models=write(tmp_path / "m.toml", file)))
    found = models.endpoint(model_spec("openai/x"))
    assert (found.base_url, found.in_flight) == (address, 7 if "in_flight" in file else 32)


def test_an_empty_address_of_the_environment_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    assert Models(RunConfig()).endpoint(model_spec("openai/x")).base_url == OPENAI


def test_the_key_of_the_environment_goes_to_the_address_of_the_environment_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", ELSEWHERE)
    spec = model_spec("openai/x")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert Models(RunConfig()).endpoint(spec).key_env is None
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    assert Models(RunConfig()).endpoint(spec).key_env == "OPENAI_API_KEY"
    assert Models(RunConfig(key_env="LAB_KEY")).endpoint(spec).key_env == "LAB_KEY"
    assert Models(RunConfig(base_url=ANOTHER)).endpoint(spec).key_env is None


def test_an_address_of_the_environment_that_is_none_is_refused_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "127.0.0.1:80")
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL: expected an address"):
        Models(RunConfig()).endpoint(model_spec("openai/x"))


def test_headers_certificates_and_the_size_of_a_reply_are_those_of_models_toml(
    tmp_path: Path,
) -> None:
    file = write(
        tmp_path / "m.toml",
        '[endpoints.lab]\nheaders = {"x-api-key" = "${LAB_KEY}"}\nca_bundle = "lab.pem"\n'
        'max_reply_mb = 0.5\n[endpoints.far]\nca_bundle = "/etc/far.pem"\n',
    )
    models = Models(RunConfig(models=file))
    lab = models.endpoint(model_spec("lab/x"))
    assert lab.headers["x-api-key"].get_secret_value() == "${LAB_KEY}"
    assert (lab.ca_bundle, lab.max_reply_mb) == (tmp_path / "lab.pem", 0.5)
    assert models.endpoint(model_spec("far/x")).ca_bundle == Path("/etc/far.pem")


@pytest.mark.parametrize(
    "headers", ['"sk-0123456789"', '{"x-api-key" = ["sk-0123456789"]}', '["sk-0123456789"]']
)
def test_headers_that_are_none_are_refused_without_being_shown(
    tmp_path: Path, headers: str
) -> None:
    file = write(tmp_path / "m.toml", f"[endpoints.lab]\nheaders = {headers}\n")
    with pytest.raises(ConfigError, match=r"endpoints\.lab\.headers") as caught:
        load_models(file)
    assert "sk-0123456789" not in str(caught.value)


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
        "[endpoints.lab]\nin_flight = 0\n",
        "[endpoints.lab]\nmax_reply_mb = 0\n",
        '[prices."a/b"]\ninput = -1\noutput = 1\n',
        '[options."a/b"]\nheat = 1\n',
        '[options."a/b"]\nextra = {n = 2}\n',
    ],
)
def test_a_wrong_models_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    file = write(tmp_path / "m.toml", text)
    with pytest.raises(ConfigError, match=r"m\.toml"):
        load_models(file)


def test_options_of_models_toml_hold_where_a_spec_sets_none(tmp_path: Path) -> None:
    file = write(
        tmp_path / "m.toml",
        '[options."openai/x"]\ntemperature = 0.2\ntop_p = 0.5\n'
        "extra = {chat_template_kwargs = {enable_thinking = false}}\n",
    )
    models = Models(RunConfig(models=file))
    extra = {"chat_template_kwargs": {"enable_thinking": False}}
    assert models.options(model_spec("openai/x")) == Options(0.2, None, {"top_p": 0.5, **extra})
    other = models.options(model_spec("openai/x?top_p=0.9&temperature=1"))
    assert other == Options(1.0, None, {"top_p": 0.9, **extra})
    assert models.options(model_spec("openai/y")) == Options()


def test_an_unknown_name_in_models_toml_is_told_what_there_is(tmp_path: Path) -> None:
    file = write(tmp_path / "m.toml", '[options."a/b"]\nheat = 1\n')
    with pytest.raises(ConfigError, match=r'unknown field "options\.a/b\.heat".*min_p.*extra'):
        load_models(file)


def test_a_key_in_models_toml_is_refused_and_not_shown(tmp_path: Path) -> None:
    file = write(tmp_path / "m.toml", '[endpoints.lab]\nkey = "sk-abc"\n')
    with pytest.raises(ConfigError, match=r"endpoints\.lab\.key.*key_env = NAME") as caught:
        load_models(file)
    assert "sk-abc" not in str(caught.value)


def test_a_models_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_models(tmp_path / "none.toml")


def test_every_option_is_a_part_of_the_kept_key_and_the_form_of_replies_is_not() -> None:
    class Keeper(NullReplyStore):
        def find(self, key: str) -> ChatReply:
            return ChatReply(key)

    models = Models(RunConfig(base_url="http://127.0.0.1:9/v1"))
    prompt = Prompt((Message("user", "Hello."),))
    key = CallKey("t", "agent", "a", 0, "act", 1)

    async def kept_under(spec: str) -> str:
        model = models.cached(model_spec(spec), Keeper(), Budget())
        return (await model.complete(prompt, key)).text

    specs = ("", "?max_tokens=5", "?temperature=0.1", "?top_p=0.5", "?top_p=0.6", "?dialect=plain")
    free, *others, plain = (asyncio.run(kept_under(f"openai/x{one}")) for one in specs)
    assert len({free, *others}) == 5
    assert plain == free
