"""What some servers refuse: a switch in the settings each."""

from __future__ import annotations

from sociolab.models.endpoint.chat import ChatBody
from sociolab.models.endpoint.refusals import bad_request, unknown_model
from sociolab.models.endpoint.settings import EndpointSettings


def refuse_what_is_unsupported(
    settings: EndpointSettings, chat: ChatBody, tuned: tuple[str, ...]
) -> None:
    """RefusalError (404 or 400) if the server that the settings describe would not take this.

    `tuned` are the models that were fine-tuned here: they exist beside those of the settings.
    """
    fields = chat.fields
    if settings.models and chat.model not in (*settings.models, *tuned):
        raise unknown_model(chat.model)
    if settings.wants_max_completion_tokens and fields.get("max_tokens") is not None:
        raise bad_request(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            param="max_tokens",
            code="unsupported_parameter",
        )
    if settings.fixed_temperature and fields.get("temperature") not in (None, 1):
        raise bad_request(
            f"Unsupported value: 'temperature' does not support {fields['temperature']} with this "
            "model. Only the default (1) value is supported.",
            param="temperature",
            code="unsupported_value",
        )
    if settings.no_penalties:
        _refuse_penalties(chat)
    if settings.no_system_role:
        _refuse_system_role(chat)
    if settings.no_json_schema and chat.schema:
        raise bad_request(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with "
            "this model.",
            param="response_format",
        )
    if settings.context_characters is not None:
        _refuse_long_prompt(chat, settings.context_characters)


def _refuse_penalties(chat: ChatBody) -> None:
    for param in ("frequency_penalty", "presence_penalty"):
        if chat.fields.get(param) is not None:
            raise bad_request(
                f"Unsupported parameter: '{param}' is not supported with this model.",
                param=param,
                code="unsupported_parameter",
            )


def _refuse_system_role(chat: ChatBody) -> None:
    for index, message in enumerate(chat.messages):
        if message.role == "system":
            raise bad_request(
                f"Unsupported value: 'messages[{index}].role' does not support 'system' with "
                "this model.",
                param=f"messages[{index}].role",
                code="unsupported_value",
            )


def _refuse_long_prompt(chat: ChatBody, limit: int) -> None:
    if chat.prompt_characters > limit:
        raise bad_request(
            f"This model's maximum context length is {limit // 4} tokens. However, your messages "
            f"resulted in {-(-chat.prompt_characters // 4)} tokens. Please reduce the length of "
            "the messages.",
            param="messages",
            code="context_length_exceeded",
        )
