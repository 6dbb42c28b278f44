"""Make chat models from specs such as "openai/gpt-x?temperature=0.7" and from models.toml."""

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
from typing import Any, Literal, Protocol, TypeAlias, cast
from urllib.parse import parse_qsl, quote, urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from sociolab.app.registry import Provider, plugin
from sociolab.core.errors import ConfigError, ModelError, did_you_mean
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Prompt, ReplyStore
from sociolab.core.reading import first_problem, read_toml
from sociolab.core.redaction import guard, guard_environment, is_secret, redact, secrets_in
from sociolab.core.seeding import digest
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
    """The options that may follow a model's name after "?"; `dialect` is the form of replies."""

    dialect: Literal["json", "plain", "words"] = "json"


@dataclass(frozen=True, slots=True)
class NamedSpec:
    """A player or judge of a world or a plugin, known by a name."""

    label: str


@dataclass(frozen=True, slots=True)
class PythonSpec:
    """A user's class at `path`, with the arguments of its constructor as they were written."""

    label: str
    path: str
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BridgeSpec:
    """A program in a seat, by its command or (`address`) its address, with the model that it is
    given; "" where it names models itself."""

    label: str
    command: str
    address: str
    model: str


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """An agent behind an HTTP address, which needs nothing of ours."""

    label: str


@dataclass(frozen=True, slots=True)
class ModelSpec:
    label: str
    endpoint: str
    model: str
    settings: ModelSettings

    @property
    def name(self) -> str:
        """The spec without options, by which a model is priced and its calls are stored."""
        return f"{self.endpoint}/{self.model}"


AnySpec: TypeAlias = NamedSpec | PythonSpec | BridgeSpec | ServiceSpec | ModelSpec


def parse(text: str, role: str) -> AnySpec:
    """Parse a spec; ConfigError for another text, with the `role` as the flag in the message."""
    spec = text.strip()
    _refuse_secrets(spec, role)
    if spec.startswith(_ADDRESS):
        return ServiceSpec(spec)
    if spec.startswith(_BRIDGE):
        target, _, model = spec.removeprefix(_BRIDGE).partition("?model=")
        target = target.strip()
        is_address = target.startswith(_ADDRESS)
        return BridgeSpec(spec, "" if is_address else target, target if is_address else "", model)
    if spec.startswith(_CODE):
        path, _, query = spec.removeprefix(_CODE).partition("?")
        options = _read_pairs(query, f"{role} {spec}")
        guard(
            *(os.environ.get(value, "") for name, value in options.items() if name.endswith("_env"))
        )
        return PythonSpec(spec, path, tuple(options.items()))
    name, _, query = spec.partition("?")
    endpoint, slash, model = name.partition("/")
    if slash and endpoint and model:
        return ModelSpec(spec, endpoint, model, _model_settings(query, f"{role} {spec}"))
    if not spec or slash or query:
        raise ConfigError(
            f'--{role}: expected "scripted", "human", "endpoint/model", '
            f'"python:package.module:Class", "bridge:COMMAND" or "http://ADDRESS", found "{text}"'
        )
    return NamedSpec(spec)


_CODE = "python:"


_BRIDGE = "bridge:"

_ADDRESS = ("http://", "https://")


def names_code(text: str) -> bool:
    """Whether a spec names code that would run on this machine, or an address to call."""
    return text.strip().startswith((_CODE, _BRIDGE, *_ADDRESS))


def _refuse_secrets(spec: str, role: str) -> None:
    """ConfigError for an argument with the name of a secret, since specs are stored and shown."""
    plain, _, query = spec.partition("?")
    for name, value in parse_qsl(query, keep_blank_values=True):
        if any(secrets_in({name: value})):
            guard(value)
            instead = (
                f"take the name of an environment variable, such as {name}_env=LAB_KEY"
                if spec.startswith(_CODE)
                else "name its environment variable with --key-env, or as key_env in models.toml"
            )
            raise ConfigError(
                f'--{role} {plain}: "{name}" holds a secret, which does not belong in a spec; '
                f"{instead}"
            )


def _model_settings(query: str, where: str) -> ModelSettings:
    values: dict[str, object] = dict(_read_pairs(query, where, repeatable="stop"))
    if "stop" in values:
        values["stop"] = tuple(value for name, value in _pairs(query, where) if name == "stop")
    try:
        return ModelSettings.model_validate(values)
    except ValidationError as error:
        unknown = error.errors(include_url=False)[0]["type"] == "extra_forbidden"
        hint = "; other options of a server go under extra in models.toml" if unknown else ""
        raise ConfigError(f"--{where}: {first_problem(error, ModelSettings)}{hint}") from error


def _read_pairs(query: str, where: str, repeatable: str = "") -> dict[str, str]:
    """Values by name; ConfigError for a name that is given twice, except the `repeatable` one."""
    values: dict[str, str] = {}
    for name, value in _pairs(query, where):
        if name in values and name != repeatable:
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


# ------------------------------------------------------------------ the models of a run


class Opened(Protocol):
    """What a player holds open during a run, and some of it for one episode."""

    async def release(self, trial: str) -> None: ...

    async def close(self) -> None: ...


@dataclass
class Models:
    """The models of a run: their endpoints, each opened once, their options and their prices.

    If n processes share a run, `share` is n, and each gets an n-th of an endpoint's limits.
    `opened` is what players hold open besides.
    """

    config: EndpointAccess
    share: int = 1
    file: ModelsFile = field(init=False)
    _source: Path | None = field(init=False)
    _providers: dict[str, Provider] = field(default_factory=dict)
    _embedders: dict[str, ChatModel] = field(default_factory=dict)
    _are_stand_ins: dict[str, bool] = field(default_factory=dict)
    opened: list[Opened] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._source = models_path(self.config.models)
        self.file = load_models(self._source)
        guard_environment()
        guard(os.environ.get(self.config.key_env or "", ""))
        for table in self.file.endpoints.values():
            guard(*secrets_of(table))
        for entry in self.file.options.values():
            guard(*secrets_in(entry.extra))

    def endpoint(self, spec: ModelSpec) -> EndpointSpec:
        """The endpoint of a model, from `models.toml`. If that has no address for `openai`, the
        address comes from `--base-url`, or else from the environment."""
        table = self.file.endpoints.get(spec.endpoint)
        endpoint = self.file.endpoint(spec.endpoint)
        if endpoint is not None and _VARIABLE.search(endpoint.base_url):
            endpoint = endpoint.model_copy(update={"base_url": _fill_in_variables(endpoint)})
        addressed = table is not None and "base_url" in table.model_fields_set
        if spec.endpoint == "openai" and not addressed:
            endpoint = _openai(self.config, endpoint or EndpointSpec(name="openai"))
        if endpoint is None:
            hint = did_you_mean(spec.endpoint, ready_endpoints())
            raise ConfigError(
                f'"{spec.label}": there is no endpoint called "{spec.endpoint}"{hint}; describe '
                f"it in models.toml under [endpoints.{spec.endpoint}], or set "
                f"OPENAI_BASE_URL to its address and name openai/{spec.model}"
            )
        if self.config.in_flight is not None:
            endpoint = endpoint.model_copy(update={"in_flight": self.config.in_flight})
        refuses = set(endpoint.refuses)
        if (table and table.provider != "openai") or is_hosted(endpoint.base_url):
            refuses.add("bounds")
        if endpoint.base_url == OPENAI:  # all its models take max_completion_tokens, some only that
            refuses.add("max_tokens")
        return endpoint.model_copy(update={"refuses": frozenset(refuses)})

    async def is_stand_in(self, spec: ModelSpec) -> bool:
        """Whether the local stand-in endpoint serves a model. Only http addresses are asked: the
        stand-in has no https, and real providers have nothing else."""
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
        """The labels of the models that the local stand-in endpoint serves. Each endpoint is asked
        once, all at the same time, so that several that hang cost no more time than one."""
        candidates = list(specs)
        new = {spec.name: spec for spec in candidates if spec.name not in self._are_stand_ins}
        served = await asyncio.gather(*map(self.is_stand_in, new.values()))
        self._are_stand_ins |= zip(new, served, strict=True)
        return tuple(spec.label for spec in candidates if self._are_stand_ins[spec.name])

    async def addresses(self, specs: Iterable[ModelSpec]) -> dict[str, str]:
        """A hash of the address of each model, by its name; other ones for the stand-in endpoint,
        so that a real server that takes its place later is not taken for it."""
        candidates = list(specs)
        served = await self.stand_ins(candidates)
        return {
            spec.name: digest(self.endpoint(spec).base_url, str(spec.label in served))
            for spec in candidates
        }

    def price(self, spec: ModelSpec) -> Price | None:
        """The price in `models.toml`, or else in the table that ships, by the provider whose host
        serves the model; None where neither has a model of exactly this name."""
        entry = self.file.prices.get(spec.name)
        if entry is not None:
            return entry.price
        own = getattr(self._factory(spec), "price", None)
        if own is not None:
            price: Price | None = own(spec.model)
            return price
        return shipped_prices().price(self.endpoint(spec).base_url, spec.model)

    def no_price(self, *specs: ModelSpec) -> str:
        """The message that these models have no price, how to add one, and similar prices."""
        quoted = [f'"{spec.name}"' for spec in specs]
        unpriced = [
            f"{name}{self._similar_price(spec)}" for name, spec in zip(quoted, specs, strict=True)
        ]
        add = "it" if len(specs) == 1 else "each"
        return (
            f"no price is known for {', '.join(unpriced)}; add {add} to models.toml under "
            f"[prices.{quoted[0]}]{'' if len(specs) == 1 else ' and so on,'} with input and output "
            "in dollars per million tokens"
        )

    def _similar_price(self, spec: ModelSpec) -> str:
        """What the provider itself charges for the model, or similar names in the price table."""
        address, table = self.endpoint(spec).base_url, shipped_prices()
        price = table.vendor_price(spec.endpoint, address, spec.model)
        if price is not None:
            return f" ({spec.endpoint} itself charges {price.input:g} and {price.output:g})"
        near = table.similar_names(address, spec.model)
        return f" (`sociolab prices` has {', '.join(near)})" if near else ""

    def options(self, spec: ModelSpec) -> Options:
        """The options of every call: those of the spec, which win, and those of `models.toml`."""
        entry = self.file.options.get(spec.name)
        return options_of(spec.settings, entry)

    def extra_options(self, spec: ModelSpec) -> str:
        """The options that `models.toml` adds to a spec, such as "top_p=0.9&seed=3"; "" if none."""
        own, merged = options_of(spec.settings), self.options(spec)
        added = Options(
            merged.temperature if own.temperature is None else None,
            merged.max_tokens if own.max_tokens is None else None,
            {name: value for name, value in merged.sent.items() if name not in own.sent},
        )
        return added.suffix.removeprefix("?")

    def open(self, spec: ModelSpec) -> ChatModel:
        """The model with its options; replies are not stored, and no budget applies."""
        return with_options(self._bare_model(spec), self.options(spec), self.config.reply_room)

    def _bare_model(self, spec: ModelSpec) -> ChatModel:
        sent = self.options(spec).sent
        for secret in secrets_in(sent):
            takes = "a secret from its options in models.toml"
            check_not_in_clear(self.endpoint(spec), takes, secret)
        return self._provider(spec).model(spec.model, sent)

    def _provider(self, spec: ModelSpec) -> Provider:
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
        """A warning that keys are sent to an address other than their provider's own, and what says
        so; "" where none are."""
        names = [name for name in secret_variables(endpoint) if is_secret(os.environ.get(name, ""))]
        own = self.file.endpoints.get(endpoint.name, EndpointTable())
        usual = EndpointTable.model_validate(ready_endpoints().get(endpoint.name, {}))
        source = ""
        if any(getattr(own, name) != getattr(usual, name) for name in _ROUTING):
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
        table = self.file.endpoints.get(spec.endpoint)
        factory = plugin("sociolab.models", table.provider if table else "openai")
        return cast("Callable[[EndpointSpec], Provider]", factory)

    def cached(self, spec: ModelSpec, replies: ReplyStore, budget: Budget) -> ChatModel:
        """The model with its options, whose replies are stored, and whose cost counts against the
        budget; ConfigError where the budget has a limit and the model no price."""
        price = self.price(spec)
        if price is None and budget.limit is not None:
            raise ConfigError(f"--budget: {self.no_price(spec)}")
        address, options = self.endpoint(spec).base_url, self.options(spec)
        model = CachedModel(self._bare_model(spec), address, replies, budget, price, options.key)
        return with_options(model, options, self.config.reply_room)

    def embedder(
        self, text: str, replies: ReplyStore, budget: Budget, flag: str = "set embedder"
    ) -> ChatModel:
        """The embedding model of a spec: "endpoint/model", or the folder of a checkpoint.

        Vectors are stored, and their cost counts against the budget. ConfigError for another spec,
        for an endpoint without embeddings, and where a price is missing as in `cached`.
        """
        embedder = self._embedders.get(text)
        if embedder is None:
            embedder = self._embedders[text] = self._embedder(text, replies, budget, flag)
        return embedder

    def _embedder(self, text: str, replies: ReplyStore, budget: Budget, flag: str) -> ChatModel:
        from sociolab.models.embeddings import EmbeddingModel, LocalEmbedder

        folder = Path(text).expanduser()
        if folder.is_dir() or text.startswith((".", "/", "~")):
            local = LocalEmbedder(folder, flag)
            return CachedModel(local, local.address, replies, Budget(), writes=False)
        spec = parse(text, flag)
        if not isinstance(spec, ModelSpec):
            raise ConfigError(
                f'--{flag}: expected "endpoint/model" or the folder of a checkpoint, such as '
                f'openai/text-embedding-3-small, found "{text}"'
            )
        price, options = self.price(spec), self.options(spec)
        if price is None and budget.limit is not None:
            raise ConfigError(f"--budget: {self.no_price(spec)}")
        endpoint = self._provider(spec)
        if not isinstance(endpoint, Endpoint):
            raise ConfigError(
                f'--{flag}: the provider of the endpoint "{spec.endpoint}" has no embeddings;'
                " name an endpoint that serves /v1/embeddings"
            )
        model = EmbeddingModel(endpoint, spec.model, options.sent)
        address = self.endpoint(spec).base_url
        return CachedModel(model, address, replies, budget, price, options.key, writes=False)

    def bridged(self, name: str) -> str:
        """The spec of the model that a program asks for: as it is if it names an endpoint, else as
        a model of `openai`."""
        endpoint, slash, _ = name.partition("/")
        known = slash and self.file.endpoint(endpoint) is not None
        return name if known else f"openai/{name}"

    @property
    def opened_providers(self) -> tuple[Provider, ...]:
        return tuple(self._providers.values())

    async def release(self, trial: str) -> None:
        """Let go of what is held for an episode that is over."""
        for opened in self.opened:
            await opened.release(trial)

    async def close(self) -> None:
        for provider in self._providers.values():
            await provider.close()
        for opened in self.opened:
            await opened.close()


def with_options(model: ChatModel, options: Options, room: float) -> ChatModel:
    """The model with options, which are part of its label; a reply may take `room` times the tokens
    that it is estimated to need."""
    label = f"{model.label}{options.suffix}"
    return _ModelWithOptions(model, label, options.temperature, options.max_tokens, room)


@dataclass(frozen=True, slots=True)
class _ModelWithOptions:
    """A model whose own temperature and length, unless None, override those of a prompt."""

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
    """The endpoint at `--base-url`, else at OPENAI_BASE_URL of the environment, else OpenAI's.

    A key is never sent where it was not meant to go: with `--base-url` none is, unless `--key-env`
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

_ROUTING = ("base_url", "key_env", "headers")
"""Fields of an endpoint that decide which secrets are sent where."""


class EndpointTable(EndpointOptions):
    """`[endpoints.NAME]`: `provider` names an entry point of sociolab.models."""

    provider: str = "openai"

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, value: str) -> str:
        # Addresses that ship are not checked: one holds a variable, and one is no address.
        ready = any(value == table["base_url"] for table in ready_endpoints().values())
        return value if ready else checked_url(value)

    @field_validator("ca_bundle")
    @classmethod
    def _beside_the_file(cls, value: Path | None, info: ValidationInfo) -> Path | None:
        folder: Path = (info.context or {}).get("folder", Path())
        return value and folder / value.expanduser()


class ModelsFile(BaseModel):
    """The contents of models.toml; `prices` and `options` are keyed by "endpoint/model"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoints: dict[str, EndpointTable] = {}
    prices: dict[str, PriceSpec] = {}
    options: dict[str, ListedOptions] = {}

    def endpoint(self, name: str) -> EndpointSpec | None:
        table = self.endpoints.get(name)
        if table is None:
            return None
        return EndpointSpec(name=name, **table.model_dump(exclude={"provider"}))


def models_path(path: Path | None) -> Path | None:
    """The named file, else `models.toml` in this folder, else the one in the user's data folder;
    None if there is none."""
    places = (Path(FILE), data_home() / FILE)
    return path or next((place for place in places if place.is_file()), None)


def load_models(path: Path | None) -> ModelsFile:
    """Read the file that `models_path` names, and add the endpoints that ship.

    ConfigError where the named file is missing, or the contents are invalid.
    """
    path = models_path(path)
    if path is None:
        return ModelsFile.model_validate({"endpoints": ready_endpoints()})
    try:
        table = read_toml(path)
        endpoints = table.get("endpoints", {})
        if isinstance(endpoints, dict):
            table = {**table, "endpoints": _merge_with_ready(endpoints)}
        return ModelsFile.model_validate(table, context={"folder": path.parent})
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_problem(error)}{_field_hint(error)}") from error


@cache
def ready_endpoints() -> Mapping[str, Mapping[str, Any]]:
    """The endpoints that ship, by name, each as a table of `models.toml`."""
    text = files("sociolab.models").joinpath("providers.toml").read_text("utf-8")
    endpoints: dict[str, dict[str, Any]] = tomllib.loads(text)["endpoints"]
    return endpoints


def _merge_with_ready(endpoints: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tables of a file over those that ship. One with an address of its own inherits no fields
    that name secrets, so that no key is sent there unasked."""
    tables: dict[str, Any] = {**ready_endpoints()}
    for name, table in endpoints.items():
        ready = tables.get(name, {})
        if isinstance(table, dict) and "base_url" in table:
            ready = {key: ready[key] for key in ("provider", "refuses") if key in ready}
        tables[name] = {**ready, **table} if isinstance(table, dict) else table
    return tables


def _fill_in_variables(spec: EndpointSpec) -> str:
    """The address with ${VARIABLE} replaced from the environment; ConfigError if that makes no
    address."""
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


def _field_hint(error: ValidationError) -> str:
    """The fields there are, where the first problem is an unknown one; "" otherwise."""
    item = error.errors(include_url=False)[0]
    place = item["loc"]
    kind = _TABLES.get(str(place[0])) if len(place) > 2 else ModelsFile
    if item["type"] != "extra_forbidden" or kind is None:
        return ""
    if "key" in str(place[-1]):
        return "; name the variable that holds the key: key_env = NAME, never the key itself"
    return f" (there are: {', '.join(kind.model_fields)})"


def checked_url(url: str) -> str:
    """An http(s) address without its final slash; ValueError for another text, and for an address
    with a password or a query."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("expected an address such as http://127.0.0.1:8000/v1")
    if parts.query or "@" in url:
        raise ValueError("an address holds no password or key; name its variable in key_env")
    return url.rstrip("/")
