"""From a spec such as "openai/gpt-x?temperature=0.7" to a chat model, replies kept and priced."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import parse_qsl, quote, urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from sociolab.app.registry import Provider, plugin
from sociolab.core.errors import ConfigError, ModelError, did_you_mean
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Prompt, ReplyStore
from sociolab.core.reading import first_problem, read_toml
from sociolab.core.redaction import guard, guard_environment, is_secret, redact, secrets_in
from sociolab.core.user_files import data_home
from sociolab.models.budget import Budget, Price
from sociolab.models.cache import CachedModel
from sociolab.models.chat import Endpoint
from sociolab.models.config import (
    OPENAI,
    EndpointOptions,
    EndpointSpec,
    ListedOptions,
    Options,
    PriceSpec,
    Sampling,
    check_not_in_clear,
    options_of,
    secret_variables,
    secrets_of,
)
from sociolab.models.prices import is_hosted, shipped_prices
from sociolab.plugin.options import EndpointAccess
from sociolab.prompting.structured import estimate_needs

log = logging.getLogger("sociolab.models")


class ModelSettings(Sampling):
    """What may follow a model's name after "?": options, and the form of its replies."""

    dialect: Literal["json", "plain"] = "json"


@dataclass(frozen=True, slots=True)
class NamedSpec:
    """A player or judge that goes by a name: of the world, or of a plugin."""

    label: str


@dataclass(frozen=True, slots=True)
class PythonSpec:
    """Somebody's class; `arguments` are for its constructor, as written."""

    label: str
    path: str
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model of an endpoint."""

    label: str
    endpoint: str
    model: str
    settings: ModelSettings


def parse(text: str, role: str) -> NamedSpec | PythonSpec | ModelSpec:
    """The spec that a text is; ConfigError if it is none. `role` is for the message."""
    spec = text.strip()
    _refuse_secrets(spec, role)
    if names_code(spec):
        path, _, query = spec.removeprefix(_CODE).partition("?")
        options = _read_pairs(query, f"{role} {spec}")
        guard(
            *(os.environ.get(value, "") for name, value in options.items() if name.endswith("_env"))
        )
        return PythonSpec(spec, path, tuple(options.items()))
    name, _, query = spec.partition("?")
    endpoint, slash, model = name.partition("/")
    if slash and endpoint and model:
        return ModelSpec(spec, endpoint, model, _settings(query, f"{role} {spec}"))
    if not spec or slash or query:
        raise ConfigError(
            f'--{role}: expected "scripted", "human", "endpoint/model" or '
            f'"python:package.module:Class", found "{text}"'
        )
    return NamedSpec(spec)


_CODE = "python:"


def names_code(text: str) -> bool:
    """Whether a spec is meant to name somebody's Python class."""
    return text.strip().startswith(_CODE)


def _refuse_secrets(spec: str, role: str) -> None:
    """ConfigError for an argument that is named as secrets are: specs are stored and shown."""
    plain, _, query = spec.partition("?")
    for name, value in parse_qsl(query, keep_blank_values=True):
        if any(secrets_in({name: value})):
            guard(value)
            instead = (
                f"take the name of an environment variable, such as {name}_env=LAB_KEY"
                if names_code(spec)
                else "name its environment variable with --key-env, or as key_env in models.toml"
            )
            raise ConfigError(
                f'--{role} {plain}: "{name}" holds a secret, which does not belong in a spec; '
                f"{instead}"
            )


def _settings(query: str, where: str) -> ModelSettings:
    try:
        return ModelSettings.model_validate(_values(query, where))
    except ValidationError as error:
        raise ConfigError(
            f"--{where}: {first_problem(error, ModelSettings)}{_elsewhere(error)}"
        ) from error


def _values(query: str, where: str) -> dict[str, object]:
    """What is given; of all texts to stop at, a tuple."""
    values: dict[str, object] = dict(_read_pairs(query, where, several="stop"))
    if "stop" in values:
        values["stop"] = tuple(value for name, value in _pairs(query, where) if name == "stop")
    return values


def _read_pairs(query: str, where: str, several: str = "") -> dict[str, str]:
    """Values by name; ConfigError for a name that is given twice, but for `several`."""
    values: dict[str, str] = {}
    for name, value in _pairs(query, where):
        if name in values and name != several:
            raise ConfigError(f'--{where}: "{name}" is given twice')
        values[name] = value
    return values


def _pairs(query: str, where: str) -> list[tuple[str, str]]:
    if not query:
        return []
    try:
        return parse_qsl(query, strict_parsing=True, keep_blank_values=True)
    except ValueError as error:
        raise ConfigError(f"--{where}: expected name=value after the question mark") from error


def _elsewhere(error: ValidationError) -> str:
    """Where an option goes that we do not know."""
    unknown = error.errors(include_url=False)[0]["type"] == "extra_forbidden"
    return "; other options of a server go under extra in models.toml" if unknown else ""


# ------------------------------------------------------------------ the models of a run


@dataclass
class Models:
    """The endpoints of a run, each opened once, and what their models cost. Of their limits this
    process has its `share`: one n-th."""

    config: EndpointAccess
    share: int = 1
    file: ModelsFile = field(init=False)
    _source: Path | None = field(init=False)
    _providers: dict[str, Provider] = field(default_factory=dict)
    _embedders: dict[str, ChatModel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._source = models_path(self.config.models)
        self.file = load_models(self._source)
        guard_environment()
        guard(os.environ.get(self.config.key_env or "", ""))
        for table in self.file.endpoints.values():
            guard(*secrets_of(table))
        for listed in self.file.options.values():
            guard(*secrets_in(listed.extra))

    def endpoint(self, spec: ModelSpec) -> EndpointSpec:
        """Where a model is served: as `models.toml` says, and `openai` where that gives no address
        as `--base-url` or else the environment says."""
        table = self.file.endpoints.get(spec.endpoint)
        endpoint = self.file.endpoint(spec.endpoint)
        if endpoint is not None and _VARIABLE.search(endpoint.base_url):
            endpoint = endpoint.model_copy(update={"base_url": _filled_in(endpoint)})
        addressed = table is not None and "base_url" in table.model_fields_set
        if spec.endpoint == "openai" and not addressed:
            endpoint = _openai(self.config, endpoint or EndpointSpec(name="openai"))
        if endpoint is None:
            hint = did_you_mean(spec.endpoint, ready_endpoints())
            raise ConfigError(
                f'"{spec.label}": there is no endpoint called "{spec.endpoint}"{hint}; describe '
                f"it in models.toml under [endpoints.{spec.endpoint}], or use "
                f"openai/{spec.model} with --base-url"
            )
        if self.config.in_flight is not None:
            endpoint = endpoint.model_copy(update={"in_flight": self.config.in_flight})
        refuses = set(endpoint.refuses)
        if (table and table.provider != "openai") or is_hosted(endpoint.base_url):
            refuses.add("bounds")
        if endpoint.base_url == OPENAI:  # all its models take the other name, and some only that
            refuses.add("max_tokens")
        return endpoint.model_copy(update={"refuses": frozenset(refuses)})

    async def is_stand_in(self, spec: ModelSpec) -> bool:
        """Whether the local stand-in endpoint serves a model, as that says itself. No provider is
        asked: they have https, and it has not."""
        from sociolab.models.chat import Endpoint

        endpoint = self.endpoint(spec)
        if not endpoint.base_url.startswith("http://"):
            return False
        try:
            async with Endpoint(endpoint) as server, asyncio.timeout(5.0):
                answer = await server.request("GET", f"/models/{quote(spec.model)}")
            return bool(json.loads(answer.body)["owned_by"] == "sociolab")
        except (ModelError, TimeoutError, ValueError, KeyError, TypeError):
            return False

    async def stand_ins(self, specs: Iterable[ModelSpec]) -> tuple[str, ...]:
        """The labels of those of these models that the local stand-in endpoint serves. All are
        asked at once, so that endpoints that hang hold up nobody for longer than one."""
        candidates = list(specs)
        served = await asyncio.gather(*map(self.is_stand_in, candidates))
        return tuple(spec.label for spec, yes in zip(candidates, served, strict=True) if yes)

    def price(self, spec: ModelSpec) -> Price | None:
        """Its price: that of `models.toml`, else of the table that ships, by the provider whose
        host serves it; None where neither has a model of this very name."""
        listed = self.file.prices.get(f"{spec.endpoint}/{spec.model}")
        if listed is not None:
            return listed.price
        own = getattr(self._factory(spec), "price", None)
        if own is not None:
            price: Price | None = own(spec.model)
            return price
        return shipped_prices().price(self.endpoint(spec).base_url, spec.model)

    def no_price(self, *specs: ModelSpec) -> str:
        """That these models have no price, and what to do; with list prices, or names like it."""
        named = [f'"{spec.endpoint}/{spec.model}"' for spec in specs]
        unpriced = [f"{name}{self._like(spec)}" for name, spec in zip(named, specs, strict=True)]
        add = "it" if len(specs) == 1 else "each"
        return (
            f"no price is known for {', '.join(unpriced)}; add {add} to models.toml under "
            f"[prices.{named[0]}]{'' if len(specs) == 1 else ' and so on,'} with input and output "
            "in dollars per million tokens"
        )

    def _like(self, spec: ModelSpec) -> str:
        """What the provider of that name charges at its own address, or names that it serves."""
        address, table = self.endpoint(spec).base_url, shipped_prices()
        price = table.vendor_price(spec.endpoint, address, spec.model)
        if price is not None:
            return f" ({spec.endpoint} itself charges {price.input:g} and {price.output:g})"
        near = table.similar_names(address, spec.model)
        return f" (`sociolab prices` has {', '.join(near)})" if near else ""

    def options(self, spec: ModelSpec) -> Options:
        """What a model is asked for in every call: the spec's own, then those of `models.toml`."""
        listed = self.file.options.get(f"{spec.endpoint}/{spec.model}")
        return options_of(spec.settings, listed)

    def extra_options(self, spec: ModelSpec) -> str:
        """What `models.toml` adds to a spec, such as "top_p=0.9&seed=3"; "" for nothing."""
        own, merged = options_of(spec.settings), self.options(spec)
        added = Options(
            merged.temperature if own.temperature is None else None,
            merged.max_tokens if own.max_tokens is None else None,
            {name: value for name, value in merged.sent.items() if name not in own.sent},
        )
        return added.suffix.removeprefix("?")

    def open(self, spec: ModelSpec) -> ChatModel:
        """The model with its options, without memory or money."""
        return with_options(self._served(spec), self.options(spec), self.config.reply_room)

    def _served(self, spec: ModelSpec) -> ChatModel:
        """The model itself."""
        sent = self.options(spec).sent
        for secret in secrets_in(sent):
            takes = "a secret from its options in models.toml"
            check_not_in_clear(self.endpoint(spec), takes, secret)
        return self._provider(spec).model(spec.model, sent)

    def _provider(self, spec: ModelSpec) -> Provider:
        """Who serves a model, opened once a run."""
        provider = self._providers.get(spec.endpoint)
        if provider is None:
            endpoint = self.endpoint(spec)
            if self.share > 1:
                a_minute = endpoint.requests_per_minute
                limits = {
                    "in_flight": max(1, endpoint.in_flight // self.share),
                    "requests_per_minute": a_minute and a_minute / self.share,
                }
                endpoint = endpoint.model_copy(update=limits)
            provider = self._providers[spec.endpoint] = self._factory(spec)(endpoint)
            if note := self._key_note(endpoint):
                log.warning(note)
        return provider

    def _key_note(self, endpoint: EndpointSpec) -> str:
        """Which keys go to which address, and who says so; "" where that is as usual, a provider's
        key to its own address."""
        names = [name for name in secret_variables(endpoint) if is_secret(os.environ.get(name, ""))]
        listed = self.file.endpoints.get(endpoint.name, EndpointTable())
        usual = EndpointTable.model_validate(ready_endpoints().get(endpoint.name, {}))
        source = ""
        if any(getattr(listed, name) != getattr(usual, name) for name in _WAYS):
            source = (
                f"{self._source} in this folder"
                if self._source == Path(FILE)
                else str(self._source)
            )
        elif endpoint.name == "openai" and endpoint.base_url != OPENAI:
            source = "--base-url" if self.config.base_url else "OPENAI_BASE_URL"
        if not names or not source:
            return ""
        keys = f"key {names[0]} goes" if len(names) == 1 else f"keys {', '.join(names)} go"
        return f"{keys} to {endpoint.base_url} ({source})"

    def _factory(self, spec: ModelSpec) -> Callable[[EndpointSpec], Provider]:
        """What makes the provider of an endpoint."""
        table = self.file.endpoints.get(spec.endpoint)
        factory = plugin("sociolab.models", table.provider if table else "openai")
        return cast("Callable[[EndpointSpec], Provider]", factory)

    def cached(self, spec: ModelSpec, replies: ReplyStore, budget: Budget) -> ChatModel:
        """The model with its replies kept and its money counted."""
        price = self.price(spec)
        if price is None and budget.limit is not None:
            raise ConfigError(f"--budget: {self.no_price(spec)}")
        address, options = self.endpoint(spec).base_url, self.options(spec)
        model = CachedModel(self._served(spec), address, replies, budget, price, options.key)
        return with_options(model, options, self.config.reply_room)

    def embedder(self, text: str, replies: ReplyStore, budget: Budget) -> ChatModel:
        """The embedding model of a spec, "endpoint/model" or the folder of a checkpoint, its
        vectors kept and its money counted; ConfigError if there is none."""
        embedder = self._embedders.get(text)
        if embedder is None:
            embedder = self._embedders[text] = self._embedder(text, replies, budget)
        return embedder

    def _embedder(self, text: str, replies: ReplyStore, budget: Budget) -> ChatModel:
        from sociolab.models.embeddings import EmbeddingModel, LocalEmbedder

        folder = Path(text).expanduser()
        if folder.is_dir() or text.startswith((".", "/", "~")):
            local = LocalEmbedder(folder)
            return CachedModel(local, local.address, replies, Budget(), writes=False)
        spec = parse(text, "set embedder")
        if not isinstance(spec, ModelSpec):
            raise ConfigError(
                '--set embedder: expected "endpoint/model" or the folder of a checkpoint, such as '
                f'openai/text-embedding-3-small, found "{text}"'
            )
        price, options = self.price(spec), self.options(spec)
        if price is None and budget.limit is not None:
            raise ConfigError(f"--budget: {self.no_price(spec)}")
        endpoint = self._provider(spec)
        if not isinstance(endpoint, Endpoint):
            raise ConfigError(
                f'--set embedder: the provider of the endpoint "{spec.endpoint}" has no embeddings;'
                " name an endpoint that serves /v1/embeddings"
            )
        model = EmbeddingModel(endpoint, spec.model, options.sent)
        address = self.endpoint(spec).base_url
        return CachedModel(model, address, replies, budget, price, options.key, writes=False)

    async def close(self) -> None:
        """Let go of all connections."""
        for provider in self._providers.values():
            await provider.close()


def with_options(model: ChatModel, options: Options, room: float) -> ChatModel:
    """The same model, known by its options; its replies have `room` times what they need."""
    label = f"{model.label}{options.suffix}"
    return _Asked(model, label, options.temperature, options.max_tokens, room)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A model that is asked for a temperature and a length of its own, whatever the prompt says,
    and is told what each reply may take."""

    model: ChatModel
    label: str
    temperature: float | None
    max_tokens: int | None
    room: float

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        temperature = prompt.temperature if self.temperature is None else self.temperature
        most = prompt.max_tokens if self.max_tokens is None else self.max_tokens
        needs = ceil((prompt.needs or estimate_needs(prompt.schema)) * self.room)
        filled = replace(prompt, temperature=temperature, max_tokens=most, needs=needs)
        return await self.model.complete(filled, key)


def _openai(config: EndpointAccess, spec: EndpointSpec) -> EndpointSpec:
    """The spec at `--base-url`, or else at the environment's OPENAI_BASE_URL, or else at OpenAI.

    A key never goes where it was not meant to: with `--base-url` none is sent unless `--key-env`
    names one. OPENAI_BASE_URL and OPENAI_API_KEY belong together, as for OpenAI's own client.
    """
    source, address = "--base-url", config.base_url
    paired = False
    if address is None:
        source, address = "OPENAI_BASE_URL", os.environ.get("OPENAI_BASE_URL") or OPENAI
        paired = bool(os.environ.get("OPENAI_API_KEY"))
    try:
        url = checked_url(address)
    except ValueError as error:
        raise ConfigError(
            f'{source}: {error}, found "{redact(address, lookalikes=True)}"'
        ) from error
    usual = "OPENAI_API_KEY" if paired or url == OPENAI else None
    key_env = spec.key_env or config.key_env or usual
    return spec.model_copy(update={"base_url": url, "key_env": key_env})


# ------------------------------------------------------------------ models.toml

FILE = "models.toml"

_WAYS = ("base_url", "key_env", "headers")
"""What says of an endpoint which secrets go where."""


class EndpointTable(EndpointOptions):
    """`[endpoints.NAME]`: `provider` names an entry point of sociolab.models."""

    provider: str = "openai"

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, value: str) -> str:
        """Not of those that ship: one holds a variable, one is no address."""
        ready = any(value == table["base_url"] for table in ready_endpoints().values())
        return value if ready else checked_url(value)

    @field_validator("ca_bundle")
    @classmethod
    def _beside_the_file(cls, value: Path | None, info: ValidationInfo) -> Path | None:
        folder: Path = (info.context or {}).get("folder", Path())
        return value and folder / value.expanduser()


class ModelsFile(BaseModel):
    """The whole file. `prices` and `options` are keyed as agents are: "endpoint/model"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoints: dict[str, EndpointTable] = {}
    prices: dict[str, PriceSpec] = {}
    options: dict[str, ListedOptions] = {}

    def endpoint(self, name: str) -> EndpointSpec | None:
        """The endpoint of this name, if the file has it."""
        table = self.endpoints.get(name)
        if table is None:
            return None
        return EndpointSpec(name=name, **table.model_dump(exclude={"provider"}))


def models_path(path: Path | None) -> Path | None:
    """The named file, else `models.toml` here, else the user's own, else none."""
    places = (Path(FILE), data_home() / FILE)
    return path or next((place for place in places if place.is_file()), None)


def load_models(path: Path | None) -> ModelsFile:
    """What `models_path` finds, and the endpoints that are ready without a file.

    ConfigError where the named file is missing or a file is wrong.
    """
    path = models_path(path)
    if path is None:
        return ModelsFile.model_validate({"endpoints": ready_endpoints()})
    try:
        table = read_toml(path)
        endpoints = table.get("endpoints", {})
        if isinstance(endpoints, dict):
            table = {**table, "endpoints": _with_ready(endpoints)}
        return ModelsFile.model_validate(table, context={"folder": path.parent})
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_problem(error)}{_known_fields(error)}") from error


@cache
def ready_endpoints() -> Mapping[str, Mapping[str, Any]]:
    """The endpoints that ship, as in `models.toml`, by name."""
    text = files("sociolab.models").joinpath("providers.toml").read_text("utf-8")
    endpoints: dict[str, dict[str, Any]] = tomllib.loads(text)["endpoints"]
    return endpoints


def _with_ready(endpoints: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tables of a file over those that ship; of one with its own address, what is no secret."""
    tables: dict[str, Any] = {**ready_endpoints()}
    for name, table in endpoints.items():
        ready = tables.get(name, {})
        if isinstance(table, dict) and "base_url" in table:
            ready = {key: ready[key] for key in ("provider", "refuses") if key in ready}
        tables[name] = {**ready, **table} if isinstance(table, dict) else table
    return tables


def _filled_in(spec: EndpointSpec) -> str:
    """The address with its variables from the environment; ConfigError if that is none."""
    names = _VARIABLE.findall(spec.base_url)
    url = _VARIABLE.sub(lambda match: os.environ.get(match[1], "").rstrip("/"), spec.base_url)
    try:
        return checked_url(url)
    except ValueError as error:
        raise ConfigError(
            f'endpoint "{spec.name}" takes its address from the environment variable '
            f'{", ".join(names)}: {error}, found "{redact(url, lookalikes=True)}"'
        ) from error


_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

_TABLES: dict[str, type[BaseModel]] = {
    "endpoints": EndpointTable,
    "prices": PriceSpec,
    "options": ListedOptions,
}


def _known_fields(error: ValidationError) -> str:
    """What there is, where a name in the first problem is unknown."""
    item = error.errors(include_url=False)[0]
    place = item["loc"]
    kind = _TABLES.get(str(place[0])) if len(place) > 2 else ModelsFile
    if item["type"] != "extra_forbidden" or kind is None:
        return ""
    if "key" in str(place[-1]):
        return "; name the variable that holds the key: key_env = NAME, never the key itself"
    return f" (there are: {', '.join(kind.model_fields)})"


def checked_url(url: str) -> str:
    """An http(s) address without a password in it; ValueError otherwise."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("expected an address such as http://127.0.0.1:8000/v1")
    if parts.query or "@" in url:
        raise ValueError("an address holds no password or key; name its variable in key_env")
    return url.rstrip("/")
