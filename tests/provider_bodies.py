"""What providers' servers answer when something is wrong, as facts: status, headers and body as
their documents and public bug reports show them, as of November 2026, and what each means."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from sociolab.core import Cause

Effect = Literal["fails", "is fatal", "is retried", "waits"]
"""What a refusal does: it fails the call, ends the run, costs a try, or costs time alone."""


@dataclass(frozen=True)
class Case:
    """`status` 200: the error stands in the body of a success."""

    server: str
    about: str
    status: int
    body: Any
    cause: Cause
    effect: Effect
    pause: float | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()

    @property
    def name(self) -> str:
        return f"{self.server}: {self.about}"


def openai(
    message: str, kind: str | None = None, code: Any = None, param: str | None = None
) -> Any:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def flat(message: str, kind: str | None = None, code: Any = None) -> Any:
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def anthropic(message: str, kind: str) -> Any:
    return {"type": "error", "error": {"type": kind, "message": message}}


def google(message: str, code: int, status: str, *details: Any) -> Any:
    return {"error": {"code": code, "message": message, "status": status, "details": [*details]}}


QUOTA = "You exceeded your current quota, please check your plan and billing details."
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7200s"}
NO_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
AZURE_FILTER = (
    "The response was filtered due to the prompt triggering Azure OpenAI's content management "
    "policy. Please modify your prompt and retry."
)

CASES = (
    Case("OpenAI", "key", 401,
         openai("Incorrect API key provided: x.", "invalid_request_error", "invalid_api_key"),
         "credentials", "is fatal"),
    Case("OpenAI", "limit", 429,
         openai("Rate limit reached for gpt-x on requests per min (RPM): Limit 3, Used 3, "
                "Requested 1. Please try again in 20s.", "requests", "rate_limit_exceeded"),
         "rate limit", "waits", 20.0),
    Case("OpenAI", "limit in headers", 429, openai("Rate limit reached", "requests"),
         "rate limit", "waits", 90.0,
         {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s",
          "x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "6m0s"}),
    Case("OpenAI", "larger than a minute's limit", 429,
         openai("Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested "
                "32000.", "tokens", "rate_limit_exceeded"), "context overflow", "fails"),
    Case("OpenAI", "quota", 429, openai(QUOTA, "insufficient_quota", "insufficient_quota"),
         "refused", "is fatal"),
    Case("OpenAI", "model", 404,
         openai("The model `gpt-x` does not exist", "invalid_request_error", "model_not_found"),
         "unknown model", "is fatal"),
    Case("OpenAI", "flagged prompt", 400,
         openai("Invalid prompt: your prompt was flagged as potentially violating our usage "
                "policy.", "invalid_request_error", "invalid_prompt"), "content filter", "fails"),
    Case("OpenAI", "context", 400,
         openai("This model's maximum context length is 8192 tokens.", "invalid_request_error",
                "context_length_exceeded", "messages"), "context overflow", "fails"),
    Case("OpenAI", "overloaded", 503,
         openai("The engine is currently overloaded, please try again later", "server_error"),
         "server error", "waits"),
    Case("OpenAI", "broken", 500,
         openai("The server had an error while processing your request.", "server_error"),
         "server error", "is retried"),
    Case("Azure", "flagged prompt", 400,
         {"error": {"message": AZURE_FILTER, "type": None, "param": "prompt",
                    "code": "content_filter", "status": 400,
                    "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
         "content filter", "fails"),
    Case("Azure", "limit", 429,
         {"error": {"code": "429", "message": "Rate limit is exceeded. Please retry after 7 "
                                              "seconds."}}, "rate limit", "waits", 7.0),
    Case("Azure", "deployment", 404,
         {"error": {"code": "DeploymentNotFound", "message": "The API deployment for this "
                                                             "resource does not exist."}},
         "unknown model", "is fatal"),
    Case("Azure", "key", 401,
         {"statusCode": 401, "message": "Unauthorized. Access token is missing, invalid."},
         "credentials", "is fatal"),
    Case("Anthropic", "overloaded", 529, anthropic("Overloaded", "overloaded_error"),
         "server error", "waits"),
    Case("Anthropic", "limit", 429, anthropic("This request would exceed your rate limit",
                                              "rate_limit_error"),
         "rate limit", "waits", 12.0, {"retry-after": "12"}),
    Case("Anthropic", "credit", 400,
         anthropic("Your credit balance is too low to access the Anthropic API.",
                   "invalid_request_error"), "refused", "is fatal"),
    Case("Anthropic", "usage limit", 400,
         anthropic("You have reached your specified API usage limits. You will regain access on "
                   "2026-12-01 at 00:00 UTC.", "invalid_request_error"), "refused", "is fatal"),
    Case("Anthropic", "context", 400,
         anthropic("prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
         "context overflow", "fails"),
    Case("Anthropic", "model", 404, anthropic("model: claude-x", "not_found_error"),
         "unknown model", "is fatal"),
    Case("Anthropic", "key", 403, anthropic("Your API key does not have permission",
                                            "permission_error"), "credentials", "is fatal"),
    Case("Gemini", "limit", 429, [google(QUOTA, 429, "RESOURCE_EXHAUSTED", RETRY)],
         "rate limit", "waits", 7200.0),
    Case("Gemini", "limit as a text", 429,
         openai(json.dumps(google(f"{QUOTA} Please retry in 11.5s.", 429, "RESOURCE_EXHAUSTED")),
                code=429), "rate limit", "waits", 11.5),
    Case("Gemini", "overloaded", 503,
         google("The model is overloaded. Please try again later.", 503, "UNAVAILABLE"),
         "server error", "waits"),
    Case("Gemini", "key", 400,
         google("API key not valid. Please pass a valid API key.", 400, "INVALID_ARGUMENT", NO_KEY),
         "credentials", "is fatal"),
    Case("Gemini", "context", 400,
         google("The input token count (1200000) exceeds the maximum number of tokens allowed "
                "(1048576).", 400, "INVALID_ARGUMENT"), "context overflow", "fails"),
    Case("Groq", "limit", 429,
         openai("Rate limit reached for model `m` on tokens per minute (TPM): Limit 15000, Used "
                "11972, Requested 4351. Please try again in 5.289s.", "tokens",
                "rate_limit_exceeded"), "rate limit", "waits", 5.289),
    Case("Groq", "larger than a minute's limit", 413,
         openai("Request too large for model `m` on tokens per minute (TPM): Limit 6000, "
                "Requested 7000", "tokens", "rate_limit_exceeded"), "context overflow", "fails"),
    Case("Groq", "spoilt JSON", 400,
         openai("Failed to generate JSON. Please adjust your prompt.", "invalid_request_error",
                "json_validate_failed"), "malformed reply", "is retried"),
    Case("Groq", "flex capacity", 498, openai("Flex tier capacity exceeded",
                                              code="capacity_exceeded"), "server error", "waits"),
    Case("Mistral", "limit", 429, flat("Rate limit exceeded", "rate_limited", "1300"),
         "rate limit", "waits"),
    Case("Mistral", "capacity", 429,
         flat("Service tier capacity exceeded for this model.", "invalid_request_error", "3505"),
         "server error", "waits"),
    Case("Mistral", "model", 400, flat("Invalid model: m", "invalid_model", "1500"),
         "unknown model", "is fatal"),
    Case("Mistral", "field", 422,
         {"detail": [{"type": "extra_forbidden", "loc": ["body", "min_p"],
                      "msg": "Extra inputs are not permitted"}]}, "refused", "fails"),
    Case("DeepSeek", "balance", 402,
         openai("Insufficient Balance", "unknown_error", "invalid_request_error"),
         "refused", "is fatal"),
    Case("DeepSeek", "model", 400,
         openai("Model Not Exist", "invalid_request_error", "invalid_request_error"),
         "unknown model", "is fatal"),
    Case("Together", "context", 422,
         openai("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.",
                "invalid_request_error"), "context overflow", "fails"),
    Case("Together", "overloaded", 503,
         openai("The server is overloaded or not ready yet.", "service_unavailable"),
         "server error", "waits"),
    Case("Together", "credit", 402, openai("Credit limit exceeded", "credit_limit"),
         "refused", "is fatal"),
    Case("Fireworks", "model", 404,
         {"error": {"object": "error", "type": "invalid_request_error", "code": "NOT_FOUND",
                    "message": "Model not found, inaccessible, and/or not deployed"}},
         "unknown model", "is fatal"),
    Case("Fireworks", "suspended", 412,
         openai("Account x is suspended, possibly due to reaching the monthly spending limit or "
                "failure to pay past invoices."), "refused", "is fatal"),
    Case("OpenRouter", "flagged prompt", 403,
         {"error": {"code": 403, "message": "Your chosen model requires moderation and your input "
                                            "was flagged",
                    "metadata": {"reasons": ["violence"], "flagged_input": "..."}}},
         "content filter", "fails"),
    Case("OpenRouter", "credit", 200,
         {"error": {"code": 402, "message": "Insufficient credits."}}, "refused", "is fatal"),
    Case("OpenRouter", "key", 200, {"id": "gen-1", "error": {"code": "401", "message": "No user."}},
         "credentials", "is fatal"),
    Case("OpenRouter", "flagged prompt in a 200", 200,
         {"error": {"code": 403, "message": "Flagged", "metadata": {"reasons": ["hate"]}}},
         "content filter", "fails"),
    Case("OpenRouter", "free limit", 429,
         {"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-min.",
                    "metadata": {"headers": {"X-RateLimit-Remaining": "0",
                                             "X-RateLimit-Reset": "1741305600000"}}}},
         "rate limit", "waits", 0.0),
    Case("OpenRouter", "provider's context", 400,
         {"error": {"code": 400, "message": "Provider returned error", "metadata": {
             "raw": json.dumps(openai("This model's maximum context length is 8192 tokens.")),
             "provider_name": "x"}}}, "context overflow", "fails"),
    Case("OpenRouter", "provider down half-way", 200,
         {"choices": [{"error": {"code": 502, "message": "Upstream disconnected"},
                       "finish_reason": "error", "message": {"content": "half a"}}]},
         "server error", "is retried"),
    Case("xAI", "key", 400,
         {"code": "Client specified an invalid argument",
          "error": "Incorrect API key provided: x. You can obtain an API key from the console."},
         "credentials", "is fatal"),
    Case("xAI", "flagged prompt", 403,
         {"code": "The caller does not have permission to execute the specified operation",
          "error": "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"},
         "content filter", "fails"),
    Case("xAI", "credit", 429,
         {"code": "Some resource has been exhausted",
          "error": "Your team has either used all available credits or reached its monthly "
                   "spending limit."}, "refused", "is fatal"),
    Case("Cohere", "limit", 429,
         {"message": "You are using a Trial key, which is limited to 40 API calls / minute."},
         "rate limit", "waits"),
    Case("Cohere", "context", 400,
         {"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081 - "
                     "received 4292."}, "context overflow", "fails"),
    Case("Cohere", "key", 498, {"message": "Invalid Token"}, "credentials", "is fatal"),
    Case("Cerebras", "limit", 429,
         {"message": "Tokens per minute limit exceeded - too many tokens processed.",
          "type": "too_many_requests_error", "param": "quota", "code": "token_quota_exceeded"},
         "rate limit", "waits", 7.5,
         {"x-ratelimit-remaining-tokens-minute": "0", "x-ratelimit-reset-tokens-minute": "7.5"}),
    Case("Perplexity", "model", 400,
         {"error": {"message": "Invalid model 'x'.", "type": "invalid_model", "code": 400}},
         "unknown model", "is fatal"),
    Case("Moonshot", "busy", 429,
         openai("The engine is currently overloaded, please try again later",
                "engine_overloaded_error"), "server error", "waits"),
    Case("Moonshot", "limit", 429,
         openai("Your account reached max request: 3, please try again after 1 seconds",
                "rate_limit_reached_error"), "rate limit", "waits", 1.0),
    Case("Moonshot", "balance", 429,
         openai("Your account is suspended due to insufficient balance",
                "exceeded_current_quota_error"), "refused", "is fatal"),
    Case("Bedrock", "throttled", 429,
         {"message": "Too many tokens, please wait before trying again."},
         "rate limit", "waits", None, {"x-amzn-ErrorType": "ThrottlingException:http://x"}),
    Case("Bedrock", "context", 400, {"message": "Input is too long for requested model."},
         "context overflow", "fails"),
    Case("Bedrock", "model", 400, {"message": "The provided model identifier is invalid."},
         "unknown model", "is fatal"),
    Case("Bedrock", "not ready", 429,
         {"__type": "com.amazon.coral.service#ModelNotReadyException", "message": "Not ready"},
         "server error", "waits"),
    Case("Alibaba", "stream only", 400,
         openai("This model only supports stream mode, please enable the stream parameter.",
                "invalid_request_error", "invalid_parameter_error"), "refused", "is fatal"),
    Case("Alibaba", "flagged prompt", 400,
         openai("Input data may contain inappropriate content.", "data_inspection_failed",
                "data_inspection_failed"), "content filter", "fails"),
    Case("vLLM", "context", 400,
         flat("This model's maximum context length is 4096 tokens. However, you requested 4472 "
              "tokens.", "BadRequestError", 400), "context overflow", "fails"),
    Case("vLLM", "model", 404, flat("The model `m` does not exist.", "NotFoundError", 404),
         "unknown model", "is fatal"),
    Case("SGLang", "context", 400,
         flat("The input (61709 tokens) is longer than the model's context length (40960 tokens).",
              "BadRequestError", 400), "context overflow", "fails"),
    Case("llama.cpp", "loading", 503,
         {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
         "server error", "waits"),
    Case("llama.cpp", "context", 400,
         {"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": 4096,
                    "message": "the request exceeds the available context size"}},
         "context overflow", "fails"),
    Case("Ollama", "model", 404,
         openai('model "m" not found, try pulling it first', "api_error"),
         "unknown model", "is fatal"),
    Case("Ollama", "busy", 503,
         openai("server busy, please try again.  maximum pending requests exceeded", "api_error"),
         "server error", "waits"),
    Case("LM Studio", "context in a 200", 200,
         {"error": "Trying to keep the first 111490 tokens when context the overflows. However, "
                   "the model is loaded with context length of only 32768 tokens"},
         "context overflow", "fails"),
    Case("TGI", "overloaded", 429, {"error": "Model is overloaded", "error_type": "overloaded"},
         "server error", "waits"),
    Case("TGI", "context", 422,
         {"error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 1200",
          "error_type": "validation"}, "context overflow", "fails"),
    Case("Hugging Face", "loading", 503,
         {"error": "Model m is currently loading", "estimated_time": 20.0},
         "server error", "waits", 20.0),
    Case("a proxy", "gateway", 502, "<html>Bad Gateway</html>", "server error", "is retried"),
    Case("a proxy", "maintenance", 503, "", "server error", "waits", 30.0, {"Retry-After": "30"}),
    Case("a proxy", "unavailable", 503, "", "server error", "is retried"),
    Case("a proxy", "moved", 301, "", "refused", "is fatal"),
)  # fmt: skip
