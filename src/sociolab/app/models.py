"""From a model spec to a chat model that keeps, prices and counts its calls."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from sociolab.app.models_file import ModelsFile, checked_url, load_models
from sociolab.app.registry import Provider, plugin
from sociolab.app.specs import ModelSpec
from sociolab.core.errors import ConfigError
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Prompt, ReplyStore
from sociolab.models.budget import Budget
from sociolab.models.cache import KeptModel
from sociolab.models.endpoints import OPENAI, EndpointSpec
from sociolab.models.prices import Price


class Served(Protocol):
    """A user's description, as far as it says where models are served."""

    @property
    def base_url(self) -> str | None:
        """Where `openai/MODEL` is served."""
        ...

    @property
    def key_env(self) -> str | None:
        """The environment variable that holds its key."""
        ...

    @property
    def models(self) -> Path | None:
        """The file that names endpoints and prices."""
        ...

    @property
    def in_flight(self) -> int | None:
        """Calls at once to each endpoint."""
        ...


@dataclass
class Models:
    """The endpoints of a run, each opened once, and what their models cost."""

    config: Served
    file: ModelsFile = field(init=False)
    _providers: dict[str, Provider] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.file = load_models(self.config.models)

    def endpoint(self, spec: ModelSpec) -> EndpointSpec:
        """Where a model is served: `models.toml` first, then `openai` and `--base-url`."""
        found = self.file.endpoint(spec.endpoint)
        if found is None:
            if spec.endpoint != "openai":
                raise ConfigError(
                    f'"{spec.label}": there is no endpoint called "{spec.endpoint}"; describe it '
                    f"in models.toml under [endpoints.{spec.endpoint}], or use "
                    f"openai/{spec.model} with --base-url"
                )
            found = _openai(self.config)
        if self.config.in_flight is not None:
            found = found.model_copy(update={"in_flight": self.config.in_flight})
        return found

    def price(self, spec: ModelSpec) -> Price | None:
        """Its price, if `models.toml` has one."""
        listed = self.file.prices.get(f"{spec.endpoint}/{spec.model}")
        return listed.price if listed else None

    def open(self, spec: ModelSpec) -> ChatModel:
        """The model itself, without memory or money."""
        provider = self._providers.get(spec.endpoint)
        if provider is None:
            endpoint = self.endpoint(spec)
            table = self.file.endpoints.get(spec.endpoint)
            factory = plugin("sociolab.models", table.provider if table else "openai")
            provider = self._providers[spec.endpoint] = factory(endpoint)
        return provider.model(spec.model)

    def kept(self, spec: ModelSpec, replies: ReplyStore, budget: Budget) -> ChatModel:
        """The model with its replies kept and its money counted."""
        price = self.price(spec)
        if price is None and budget.limit is not None:
            raise ConfigError(
                f'--budget needs a price for "{spec.endpoint}/{spec.model}"; add it to models.toml '
                f'under [prices."{spec.endpoint}/{spec.model}"] with input and output in dollars '
                "a million tokens"
            )
        address = self.endpoint(spec).base_url
        kept = KeptModel(self.open(spec), address, replies, budget, price)
        if spec.settings.max_tokens is None:
            return kept
        return _Limited(kept, spec.settings.max_tokens)

    async def close(self) -> None:
        """Let go of all connections."""
        for provider in self._providers.values():
            await provider.close()


@dataclass(frozen=True, slots=True)
class _Limited:
    """A model whose replies may have only so many tokens."""

    model: ChatModel
    max_tokens: int

    @property
    def label(self) -> str:
        return self.model.label

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        return await self.model.complete(replace(prompt, max_tokens=self.max_tokens), key)


def _openai(config: Served) -> EndpointSpec:
    """OpenAI itself, or whatever `--base-url` names: then no key unless `--key-env` names one,
    so that a key never goes where it was not meant to."""
    if config.base_url is None:
        return EndpointSpec(name="openai", key_env=config.key_env or "OPENAI_API_KEY")
    try:
        url = checked_url(config.base_url)
    except ValueError as error:
        raise ConfigError(f'--base-url: {error}, found "{config.base_url}"') from error
    key_env = config.key_env or ("OPENAI_API_KEY" if url == OPENAI else None)
    return EndpointSpec(name="openai", base_url=url, key_env=key_env)
