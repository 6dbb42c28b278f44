"""What litellm makes of the errors in `provider_bodies`, and why we differ where we do."""

from __future__ import annotations

import asyncio
import importlib.util

import pytest

from provider_bodies import CASES, Case
from raw_server import KEY, PROMPT, http, raw_server, request
from sociolab.core import Cause, ModelError
from sociolab.models import EndpointSpec, RetriedCall

if importlib.util.find_spec("litellm") is None:
    pytest.skip("litellm is an extra of its own", allow_module_level=True)

through = importlib.import_module("sociolab.models.through_litellm")  # sets litellm up, so is first
litellm = importlib.import_module("litellm")
httpx = importlib.import_module("httpx")
openai = importlib.import_module("openai")
mapping = importlib.import_module("litellm.litellm_core_utils.exception_mapping_utils")
handlers = importlib.import_module("litellm.llms.base_llm.chat.transformation")
openai_handler = importlib.import_module("litellm.llms.openai.common_utils")

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

PROVIDERS = {
    "OpenAI": "openai", "Azure": "azure", "Anthropic": "anthropic", "Gemini": "gemini",
    "Groq": "groq", "Mistral": "mistral", "DeepSeek": "deepseek", "Together": "together_ai",
    "Fireworks": "fireworks_ai", "OpenRouter": "openrouter", "xAI": "xai", "Cohere": "cohere",
    "Cerebras": "cerebras", "Perplexity": "perplexity", "Moonshot": "moonshot",
    "Bedrock": "bedrock", "Alibaba": "dashscope", "vLLM": "hosted_vllm", "SGLang": "openai",
    "llama.cpp": "openai", "Ollama": "openai", "LM Studio": "lm_studio", "TGI": "huggingface",
    "Hugging Face": "huggingface", "a proxy": "openai",
}  # fmt: skip
"""Servers that litellm has no name for are reached as any that follows OpenAI."""

OWN_FORMATS = ("anthropic", "gemini", "cohere", "bedrock", "huggingface")

CAUSES: tuple[tuple[type[Exception], Cause], ...] = (
    (litellm.ContextWindowExceededError, "context overflow"),
    (litellm.ContentPolicyViolationError, "content filter"),
    (litellm.AuthenticationError, "credentials"),
    (litellm.PermissionDeniedError, "credentials"),
    (litellm.NotFoundError, "unknown model"),
    (litellm.RateLimitError, "rate limit"),
    (litellm.Timeout, "timeout"),
    (litellm.BadRequestError, "refused"),
    (litellm.UnprocessableEntityError, "refused"),
    (Exception, "server error"),
)

REASONS: dict[str, tuple[str, ...]] = {
    "an account without credit is no limit that is set back: to wait would never help": (
        "OpenAI: quota",
        "xAI: credit",
        "Moonshot: balance",
        "Together: credit",
        "Fireworks: suspended",
    ),
    "a prompt above the whole limit of a minute never fits, however long one waits": (
        "OpenAI: larger than a minute's limit",
        "Groq: larger than a minute's limit",
    ),
    "a full server is named as such; we wait for it as for a limit of the account": (
        "Mistral: capacity",
        "Moonshot: busy",
        "Bedrock: not ready",
        "TGI: overloaded",
    ),
    "an unknown model stays unknown, whatever status it comes with, and ends the run": (
        "Mistral: model",
        "DeepSeek: model",
        "Perplexity: model",
        "Bedrock: model",
        "Fireworks: model",
    ),
    "a wrong key with a status of its own, which litellm takes for a bad request": (
        "xAI: key",
        "Cohere: key",
    ),
    "a flagged prompt by its code, or a router's reasons: its episode fails, not the run": (
        "OpenRouter: flagged prompt",
        "xAI: flagged prompt",
        "Alibaba: flagged prompt",
    ),
    "the provider's own error inside the router's says what the outer one does not": (
        "OpenRouter: provider's context",
    ),
    "litellm knows another sentence of this server": ("TGI: context",),
    "JSON that the model spoilt is no fault of the request: another attempt may be right": (
        "Groq: spoilt JSON",
    ),
}
"""Where we differ on purpose."""


def cause_by_litellm(case: Case) -> Cause:
    provider = PROVIDERS[case.server]
    text = case.data.decode()
    request = httpx.Request("POST", "http://127.0.0.1:1")
    response = httpx.Response(case.status, headers=case.headers, content=text, request=request)
    if provider in OWN_FORMATS:
        error = handlers.BaseLLMException(
            case.status, text, headers=dict(case.headers), request=request, response=response
        )
    else:
        body = case.body if isinstance(case.body, dict) else None
        error = openai_handler.OpenAIError(
            case.status, text, headers=dict(case.headers), request=request, response=response,
            body=body,
        )  # fmt: skip
    with pytest.raises(openai.OpenAIError) as caught:  # the root of litellm's
        mapping.exception_type("m", error, provider)
    return next(cause for kind, cause in CAUSES if isinstance(caught.value, kind))


REFUSALS = [case for case in CASES if case.status >= 400]


def test_each_difference_from_litellms_map_has_its_reason() -> None:
    theirs = {case.name: cause_by_litellm(case) for case in REFUSALS}
    differing = {
        case.name: f"{case.cause} here, {theirs[case.name]} there"
        for case in REFUSALS
        if theirs[case.name] != case.cause
    }
    assert differing.keys() == {name for names in REASONS.values() for name in names}, differing


LOST: dict[str, tuple[str, ...]] = {
    "litellm passes on no body that is a list": ("Gemini: limit",),
    "litellm passes on no body whose error is a text": ("TGI: overloaded", "Hugging Face: loading"),
}
"""What litellm does not let through, where all are reached as servers that follow OpenAI."""


def refusal_through_litellm(case: Case) -> ModelError:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        lines = [f"{name}: {value}" for name, value in case.headers.items()]
        lines += ["content-type: application/json", "connection: close"]
        writer.write(http(case.data, *lines, status=f"{case.status} No"))

    async def go() -> ModelError:
        async with raw_server(answer) as port:
            address = f"http://127.0.0.1:{port}/v1"
            endpoint = through.LiteLLM(EndpointSpec(name="litellm", base_url=address, tries=1))
            with pytest.raises(ModelError) as caught:
                await endpoint.model("openai/m").complete(PROMPT, KEY)
            await endpoint.close()
            return caught.value

    return asyncio.run(go())


def test_through_litellm_an_error_has_the_same_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    async def recover(call: RetriedCall, error: ModelError) -> None:
        raise error  # what the weather is to wait for is told, not waited for

    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-0123456789abcdef")
    monkeypatch.setattr(RetriedCall, "_recover", recover)
    differing = set()
    for case in REFUSALS:
        error = refusal_through_litellm(case)
        meaning = (error.cause, error.fatal, error.weather, error.pause)
        expected = (case.cause, case.effect == "is fatal", case.effect == "waits", case.pause)
        differing |= {case.name} if meaning != expected else set()
    assert differing == {name for names in LOST.values() for name in names}
