"""The models of all providers that litellm knows, as `litellm/PROVIDER/MODEL` (extra `litellm`).

litellm writes requests and reads replies; limits, retries, prices, storage and redaction are those
of any other endpoint.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from sociolab.core.errors import ConfigError, missing_extra
from sociolab.core.redaction import guard, redact_bytes
from sociolab.models.budget import Price
from sociolab.models.chat import EndpointModel, HttpAnswer, Limits, RetriedCall
from sociolab.models.config import EndpointSpec, headers_of, key_of, secrets_of
from sociolab.models.wire import CHAT

for _table in ("MODEL_COST_MAP", "ANTHROPIC_BETA_HEADERS"):  # else the import downloads them
    os.environ.setdefault(f"LITELLM_LOCAL_{_table}", "True")
try:
    import litellm
    import openai
except ImportError as _missing:
    raise missing_extra("litellm/MODEL needs", "litellm", "litellm") from _missing

litellm.suppress_debug_info = True
litellm.telemetry = False

NOWHERE = "litellm"
"""The base URL of the built-in endpoint: litellm itself knows where a provider is."""


class LiteLLM(Limits):
    """All models that litellm reaches; `base_url`, key and headers go to it where they are set."""

    def __init__(self, spec: EndpointSpec) -> None:
        super().__init__(spec, CHAT)
        guard(*secrets_of(spec))
        address = None if spec.base_url == NOWHERE else spec.base_url
        own = {"api_key": key_of(spec), "extra_headers": headers_of(spec), "api_base": address}
        self._access = {name: value for name, value in own.items() if value}

    def model(self, name: str, options: Mapping[str, Any] | None = None) -> EndpointModel:
        """A model by litellm's name, such as "vertex_ai/gemini-2.5-pro"; options go to litellm.

        ConfigError if the environment does not have what its provider needs.
        """
        missing = litellm.validate_environment(name)["missing_keys"]
        if missing and "api_key" not in self._access:
            raise ConfigError(
                f'"{self.spec.name}/{name}" takes its key from the environment: expected '
                f"{' and '.join(missing)}, which litellm reads; set it"
            )
        return super().model(name, options)

    async def send(
        self, call: RetriedCall, method: str, path: str, body: bytes, kind: str
    ) -> HttpAnswer:
        """A chat completion by litellm; its exceptions are turned into HTTP answers."""
        request = json.loads(body)

        async def complete() -> HttpAnswer:
            try:  # twice our own time limit, so that ours comes first
                reply = await litellm.acompletion(
                    **request, **self._access, timeout=2 * self.spec.total_s, max_retries=0
                )
            except litellm.Timeout:
                raise TimeoutError from None  # litellm's error holds the request
            except openai.OpenAIError as error:  # the root of litellm's
                return _error_answer(error)
            return HttpAnswer(200, redact_bytes(reply.model_dump_json().encode()), {})

        return await call.send_timed(f"{self.spec.name}/{request['model']}", complete)

    async def close(self) -> None:
        self.forget_waiters()
        await litellm.close_litellm_async_clients()

    @staticmethod
    def price(name: str) -> Price | None:
        """A model's price in litellm's table; None if it has none."""
        try:
            info = litellm.get_model_info(name)
        except litellm.ModelNotMappedError:
            return None
        costs = ("input", "output", "cache_read_input_token", "cache_creation_input_token")
        names = [f"{cost}_cost_per_token" for cost in costs[:2]] + [
            f"{cost}_cost" for cost in costs[2:]
        ]
        read, written, *cache = (info.get(key) and info[key] * 1e6 for key in names)
        return Price(read, written, *cache) if read and written else None


def _error_answer(error: openai.OpenAIError) -> HttpAnswer:
    """The answer that the server would have given; litellm's class may refine its status."""
    status = int(getattr(error, "status_code", None) or 500)
    body = getattr(error, "body", None)  # the provider's own, where litellm passes it on
    document = {
        **(body if isinstance(body, dict) else {}),
        "message": str(error).partition("\n")[0],
    }
    if isinstance(error, litellm.ContextWindowExceededError):
        status = 413
    if isinstance(error, litellm.ContentPolicyViolationError):
        document["code"] = "content_filter"
    headers = getattr(error, "litellm_response_headers", None) or {}
    return HttpAnswer(
        status,
        redact_bytes(json.dumps({"error": document}, default=str).encode()),
        {str(name): str(value) for name, value in headers.items()},
    )
