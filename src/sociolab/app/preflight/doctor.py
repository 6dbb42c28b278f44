"""Check a spec with one call or one short episode, and say what is wrong in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from sociolab.app.players.models import HUMAN, Models, ModelSpec, parse
from sociolab.app.preflight.trying_out import try_out
from sociolab.app.run.config import RunConfig
from sociolab.app.run_sync import run_sync
from sociolab.core.errors import ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatReply
from sociolab.prompting.structured import typed, typed_prompt

HEAD = "You check that a program can read you. Reply with the JSON object that is asked for."
BODY = 'Put the word "ready" into the field "word".'


class Ready(BaseModel):
    """What the model is asked to reply."""

    model_config = ConfigDict(extra="forbid")

    word: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a spec works, and what was seen, in a sentence."""

    well: bool
    sentence: str


def examine(text: str, config: RunConfig) -> Finding:
    """Look at a spec: call its model once, or play one short episode of `config.world` offline.

    ConfigError where the spec itself is wrong, or names what cannot be made.
    """
    spec = parse(text, "agent")
    if isinstance(spec, ModelSpec):
        return run_sync(lambda: _call(spec, config))
    if spec.label == HUMAN:
        return Finding(True, f"{HUMAN} works: a person is asked at the terminal")
    well, said = try_out(spec, config)
    if well:
        return Finding(True, f"{spec.label} works: {said}")
    said = said.removeprefix(f"{spec.label} ")
    return Finding(False, f"{spec.label} does not work in {config.world}: {said}")


async def _call(spec: ModelSpec, config: RunConfig) -> Finding:
    models = Models(config)
    address = models.endpoint(spec).base_url
    prompt = typed_prompt(HEAD, BODY, Ready, 0.0)
    try:
        model = models.open(spec)
        reply = await model.complete(prompt, CallKey("doctor", "agent", "", 0, "doctor", 1))
    except ModelError as error:
        return Finding(False, f"{spec.label} does not work: {error}")
    finally:
        await models.close()
    try:
        typed(reply, Ready)
    except ReplyError as error:
        return Finding(
            False,
            f"{spec.label} answers at {address}, but not in the form asked for: {error}; "
            f"try {spec.label.partition('?')[0]}?dialect=plain",
        )
    return Finding(
        True, f"{spec.label} works: {_measured(reply)} from {address}{_money(models, spec)}"
    )


def _measured(reply: ChatReply) -> str:
    usage = reply.usage
    tried = f" after {reply.tries} tries" if reply.tries > 1 else ""
    counted = f"{usage.prompt} tokens read, {usage.completion} written"
    if usage.estimated:
        what = "an impossible count of" if reply.fault else "no count of"
        counted = f"~{counted}: {what} tokens came with it, so tokens and costs are estimated"
    return f"a structured reply in {reply.seconds:.2f} s{tried} ({counted})"


def _money(models: Models, spec: ModelSpec) -> str:
    if models.price(spec) is not None:
        return ""
    return "; no price in models.toml, so runs with it show no cost"
