"""What the NPC alone knows, written by a chat model."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from sociolab.core.errors import ReplyError
from sociolab.core.ports import CallKey, ChatModel
from sociolab.prompting.ask import ask_model, typed_prompt
from sociolab.worlds.anteval.session import Fact, FactKind

ATTEMPTS = 3
TEMPERATURE = 1.0
"""High, so that sessions differ."""

Line = Annotated[str, StringConstraints(strip_whitespace=True)]


class WrittenFact(BaseModel):
    """A fact as a model writes it; its id is ours, and `subject` shows that its text names it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: FactKind
    subject: Line
    text: Line


class WrittenKnowledge(BaseModel):
    """The reply: the facts, in any order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: tuple[WrittenFact, ...]


async def write_knowledge(
    model: ChatModel, situation: str, npc: str, count: int, key: CallKey
) -> tuple[Fact, ...]:
    """So many facts that suit a situation and that `npc` knows, ids "F1", "F2", ...

    A reply that will not do is asked for again with the problem. ReplyError where the last one
    still will not do; ModelError passes through.
    """
    # Jinja2 is loaded when a prompt is first needed.
    from sociolab.prompting.templates import prompt

    text = prompt("sociolab.worlds.anteval", "write_knowledge")
    words = {"situation": situation, "npc": npc, "count": count, "denied": round(count / 8)}
    body = text.render(words)
    asked = await ask_model(
        model,
        typed_prompt(
            "You write the hidden knowledge of a role-playing session.",
            body,
            WrittenKnowledge,
            TEMPERATURE,
        ),
        WrittenKnowledge,
        key,
        attempts=ATTEMPTS,
        complaint=lambda reply: _complaint(reply.facts, count),
    )
    if asked.value is None or asked.problem:
        raise ReplyError(
            f"expected {count} facts within {ATTEMPTS} attempts: {asked.problem}",
            raw=asked.raw,
            cause=asked.cause,
        )
    return tuple(
        Fact(id=f"F{number}", kind=written.kind, text=written.text)
        for number, written in enumerate(asked.value.facts, start=1)
    )


def _complaint(facts: tuple[WrittenFact, ...], count: int) -> str:
    """What is wrong with the facts, in a sentence; empty if nothing is."""
    if len(facts) != count:
        return f"expected {count} facts, found {len(facts)}"
    seen: set[str] = set()
    for number, fact in enumerate(facts, start=1):
        if not fact.subject or not fact.text:
            return f"fact {number}: expected a subject and a text, found an empty one"
        if fact.subject.casefold() not in fact.text.casefold():
            return f'fact {number}: expected a text that names its subject, "{fact.subject}"'
        if fact.subject.casefold() in seen:
            return f'fact {number}: expected a subject of its own, found "{fact.subject}" again'
        seen.add(fact.subject.casefold())
    return ""
