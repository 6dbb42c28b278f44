"""Inspect's models, and its agents and solvers, in the place of ours: `inspect/NAME`.

Inspect calls the model: its cache, limits, retries and counts of usage apply.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field, replace
from typing import Any

from sociolab.app.registry import python_object
from sociolab.core.errors import ConfigError, ModelError, missing_extra
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Message,
    Prompt,
    Served,
    ToolCall as OurToolCall,
    Usage,
)
from sociolab.core.tracebacks import describe_error
from sociolab.models.config import EndpointSpec
from sociolab.models.wire import append_schema

try:
    from inspect_ai.agent import as_solver
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
        GenerateConfig,
        ModelName,
        ModelOutput,
        ResponseSchema,
        get_model,
    )
    from inspect_ai.model._generate_config import active_generate_config
    from inspect_ai.solver import TaskState
    from inspect_ai.tool import ToolCall, ToolFunction, ToolInfo, ToolParams
    from inspect_ai.util import JSONSchema, registry_info
except ImportError as _missing:
    raise missing_extra("inspect/NAME needs", "inspect", "inspect-ai") from _missing

EVALUATED = "model"
"""The name of the model that is evaluated; any other name without a slash is a role."""


class CallError(ModelError):
    """A call failed in Inspect; the cause is its own error, such as a limit of the sample."""


@dataclass
class InspectModels:
    """The models of an eval: by role, by Inspect's name, or an agent or solver at "module:name".

    Calls belong to the sample that they are made for, even those of a program in a seat, which
    arrive by another task of the event loop: `samples` has the context of each, by trial.
    """

    spec: EndpointSpec
    samples: dict[str, Context] = field(default_factory=dict)

    def model(self, name: str, options: Mapping[str, Any]) -> ChatModel:
        """ConfigError for an unknown module or option; of a role, only when it is called."""
        if ":" in name and "/" not in name:
            return _Called(f"inspect/{name}", _Solving(name, python_object(name)), self.samples)
        return _Called(f"inspect/{name}", _Generating(name, _config_of(options)), self.samples)

    async def close(self) -> None:
        """Inspect closes its own connections."""

    def begin(self, trial: str) -> None:
        """The running task plays this trial from here on."""
        _HERE.set(trial)
        self.samples[trial] = copy_context()

    def end(self, trial: str) -> None:
        """Its sample is over."""
        self.samples.pop(trial, None)


_HERE: ContextVar[str] = ContextVar("trial", default="")


@dataclass(frozen=True, slots=True)
class _Called:
    """A call in the context of its sample, with errors as ours; their cause is Inspect's."""

    label: str
    asked: _Generating | _Solving
    samples: Mapping[str, Context]

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        context = self.samples.get(key.trial)
        try:
            if context is None or _HERE.get() == key.trial:
                output = await self.asked.output(prompt)
            else:
                output = await asyncio.create_task(self.asked.output(prompt), context=context)
        except ConfigError:
            raise
        except Exception as error:  # of any provider, or a limit of the sample
            problem = f"{self.label}: {describe_error(error)}"
            raise CallError(problem, cause="server error", fatal=True) from error
        return _reply_of(output)


@dataclass(frozen=True, slots=True)
class _Generating:
    """A model, which is found when it is called: roles are those of the eval then."""

    name: str
    config: Any

    async def output(self, prompt: Prompt) -> Any:
        try:
            if self.name == EVALUATED:
                model = get_model()
            elif "/" in self.name:
                model = get_model(self.name)
            else:
                model = get_model(role=self.name, required=True)
        except Exception as error:
            raise ConfigError(
                f"inspect/{self.name}: expected a model of an eval, a role that --model-role "
                f"names, or inspect/PROVIDER/MODEL ({error})"
            ) from error
        config = self.config.merge(_sampling(prompt, model))
        messages = prompt.messages
        if (schema := prompt.schema) is not None and "$ref" in schema.text:
            messages = append_schema(messages, schema.text)
        elif schema is not None:
            form = JSONSchema.model_validate_json(schema.text)
            config.response_schema = ResponseSchema(name=schema.name, json_schema=form)
        tools = [
            ToolInfo(
                name=tool.name,
                description=tool.description,
                parameters=ToolParams.model_validate_json(tool.parameters),
            )
            for tool in prompt.tools
        ]
        choice = _CHOICES.get(prompt.tool_choice) or ToolFunction(name=prompt.tool_choice)
        return await model.generate(
            [message_of(one) for one in messages], tools, choice if tools else None, config
        )


_CHOICES = {"auto": "auto", "none": "none", "required": "any"}


@dataclass(frozen=True, slots=True)
class _Solving:
    """An agent or solver of a user, asked anew for each reply; it reads the prompt's messages."""

    name: str
    make: Any

    async def output(self, prompt: Prompt) -> Any:
        made = self.make()
        kind = getattr(registry_info(made), "type", "") if callable(made) else ""
        if kind not in ("agent", "solver"):
            raise ConfigError(
                f"inspect/{self.name}: expected a function decorated with @agent or @solver, found "
                f"{type(made).__name__}"
            )
        messages = prompt.messages
        if prompt.schema is not None and not prompt.schema.in_prompt:
            messages = append_schema(messages, prompt.schema.text)
        read = [message_of(one) for one in messages]
        solve = as_solver(made) if kind == "agent" else made
        model = get_model()
        state = TaskState(ModelName(model), self.name, 1, read[-1].text, read)

        async def generate(state: TaskState, **options: Any) -> TaskState:
            written, state.output = await model.generate_loop(state.messages, state.tools)
            state.messages.extend(written)
            return state

        return (await solve(state, generate)).output


def _config_of(options: Mapping[str, Any]) -> Any:
    """The options of a spec by Inspect's names; those that it does not know go into the request."""
    named = {_NAMES.get(name, name): value for name, value in options.items()}
    known = {name: value for name, value in named.items() if name in GenerateConfig.model_fields}
    rest = {name: value for name, value in named.items() if name not in known}
    return GenerateConfig(**known, extra_body=rest or None)


_NAMES = {"stop": "stop_seqs", "thinking": "reasoning_tokens"}


def _sampling(prompt: Prompt, model: Any) -> Any:
    """The prompt's settings, as far as the user of Inspect has not set another temperature."""
    own = [model.config] + ([active_generate_config()] if model.role is None else [])
    is_set = any(config.temperature is not None for config in own)
    return GenerateConfig(
        temperature=None if is_set else prompt.temperature,
        max_tokens=prompt.max_tokens,
        frequency_penalty=prompt.penalties,
        presence_penalty=prompt.penalties,
        extra_body={name: json.loads(value) for name, value in prompt.options} or None,
    )


def message_of(message: Message) -> Any:
    """A message in Inspect's own type."""
    match message.role:
        case "system":
            return ChatMessageSystem(content=message.text)
        case "user":
            return ChatMessageUser(content=message.text)
        case "tool":
            return ChatMessageTool(content=message.text, tool_call_id=message.answers)
    calls = [
        ToolCall(id=call.id, function=call.name, arguments=json.loads(call.arguments))
        for call in message.calls
    ]
    return ChatMessageAssistant(content=message.text, tool_calls=calls or None)


def _reply_of(output: ModelOutput) -> ChatReply:
    """Inspect's output as a reply; ModelError where the prompt was too long for the model."""
    if output.stop_reason == "model_length":
        problem = f"{output.model}: the prompt is longer than the model can read"
        raise ModelError(problem, cause="context overflow")
    used, calls = output.usage, (output.message.tool_calls or []) if output.choices else []
    usage = Usage(estimated=True)
    if used is not None:
        cached, written = used.input_tokens_cache_read or 0, used.input_tokens_cache_write or 0
        usage = Usage(used.input_tokens + cached + written, used.output_tokens, cached)
    finish: Any = {"max_tokens": "length", "content_filter": "content filter"}
    reply = ChatReply(output.completion, usage=usage, served=Served(output.model))
    asked = (OurToolCall(one.id, one.function, json.dumps(one.arguments)) for one in calls)
    return replace(reply, finish=finish.get(output.stop_reason, "stop"), calls=tuple(asked))
