"""The models of all providers that litellm knows, as `litellm/PROVIDER/MODEL` (extra `litellm`).

What litellm makes of a request and a reply is its own; limits, retries, prices, what is kept and
what is not shown are as for any other endpoint.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sociolab.core.errors import ConfigError, ModelError, missing_extra
from sociolab.core.ports import CallKey, ChatReply, Prompt
from sociolab.core.redaction import guard, redacted, redacted_bytes
from sociolab.models.budget import Price
from sociolab.models.chat import Limits, RetriedCall, known_options, options_for
from sociolab.models.config import EndpointSpec, headers_of, key_of, secrets_of
from sociolab.models.wire import CHAT, body_of, learn, quirks_of, read_error, read_reply

for _table in ("MODEL_COST_MAP", "ANTHROPIC_BETA_HEADERS"):  # else they are fetched when imported
    os.environ.setdefault(f"LITELLM_LOCAL_{_table}", "True")
try:
    import litellm
    import openai
except ImportError as _missing:
    raise missing_extra("litellm/MODEL needs", "litellm", "litellm") from _missing

litellm.suppress_debug_info = True
litellm.telemetry = False

NOWHERE = "litellm"
"""The base URL of the endpoint that ships: litellm itself knows where a provider is."""


class LiteLLM(Limits):
    """All models that litellm reaches; `base_url`, key and headers go to it where they are set."""

    def __init__(self, spec: EndpointSpec) -> None:
        super().__init__(spec)
        guard(*secrets_of(spec))
        self.base_url = spec.base_url
        own = {"api_key": key_of(spec), "extra_headers": headers_of(spec)}
        self.access = {name: value for name, value in own.items() if value}
        if spec.base_url != NOWHERE:
            self.access["api_base"] = spec.base_url

    def model(self, name: str, options: Mapping[str, Any] | None = None) -> LiteLLMModel:
        """A model by litellm's name, such as "vertex_ai/gemini-2.5-pro"; options go to litellm.

        ConfigError if the environment does not have what its provider needs.
        """
        missing = litellm.validate_environment(name)["missing_keys"]
        if missing and "api_key" not in self.access:
            raise ConfigError(
                f'"{self.spec.name}/{name}" takes its key from the environment: expected '
                f"{' and '.join(missing)}, which litellm reads; set it"
            )
        return LiteLLMModel(self, name, known_options(self, name, CHAT, options))

    async def close(self) -> None:
        """Let go of litellm's connections."""
        self.for_another_loop()
        await litellm.close_litellm_async_clients()

    @staticmethod
    def price(name: str) -> Price | None:
        """What litellm's table says of a model; None if it has none."""
        try:
            told = litellm.get_model_info(name)
        except Exception:  # noqa: BLE001  as litellm says that it does not know it
            return None
        read, written = told.get("input_cost_per_token"), told.get("output_cost_per_token")
        if not read or not written:
            return None
        cached = told.get("cache_read_input_token_cost")
        into_cache = told.get("cache_creation_input_token_cost")
        return Price(*(one and one * 1e6 for one in (read, written, cached, into_cache)))


class LiteLLMModel:
    """One model of litellm's, as a ChatModel."""

    def __init__(self, endpoint: LiteLLM, model: str, options: Mapping[str, Any]) -> None:
        self.label = f"{endpoint.spec.name}/{model}"
        self._endpoint = endpoint
        self._model = model
        self._options = options
        self._quirks = quirks_of(endpoint.spec.refuses)

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """One reply, as `Limits.call` makes it; ModelError with its cause otherwise."""
        options = options_for(self._options, key)

        async def attempt(call: RetriedCall) -> ChatReply:
            body = await self._body(prompt, options, call)
            reply = read_reply(body, prompt, call.seconds, call.tries)
            return replace(reply, text=redacted(reply.text))

        return await self._endpoint.call(attempt)

    async def _body(self, prompt: Prompt, options: Mapping[str, Any], call: RetriedCall) -> bytes:
        """One attempt, as the body of a chat completion; as `EndpointModel` makes its own."""
        while True:
            quirks = self._quirks
            asked = json.loads(body_of(self._model, prompt, quirks, options))

            async def send(seconds: float, asked: dict[str, Any] = asked) -> Any:
                async with asyncio.timeout(seconds):
                    return await litellm.acompletion(
                        **asked, **self._endpoint.access, timeout=seconds, max_retries=0
                    )

            try:
                answer = await call.timed(self.label, send)
                return redacted_bytes(answer.model_dump_json().encode())
            except (TimeoutError, litellm.Timeout):
                message = f"{self.label} gave no reply in time"
                failure = ModelError(message, cause="timeout", retryable=True)
            except openai.OpenAIError as error:  # the root of litellm's
                status, data = _as_refusal(error)
                learned = learn(quirks, status, data)
                failure = read_error(status, data, self._model, self.label, self._options)
                if learned is not None:
                    self._quirks = learned
                    continue
            # Not raised from litellm's error, which holds what was sent.
            raise failure


def _as_refusal(error: openai.OpenAIError) -> tuple[int, bytes]:
    """Status and body, as an OpenAI-compatible server would have refused it."""
    status, said = getattr(error, "status_code", None) or 500, str(error).partition("\n")[0]
    if isinstance(error, litellm.ContextWindowExceededError):
        status = 413
    if isinstance(error, litellm.ContentPolicyViolationError):
        said = f"content_filter: {said}"
    return int(status), json.dumps({"error": {"message": redacted(said)}}).encode()
