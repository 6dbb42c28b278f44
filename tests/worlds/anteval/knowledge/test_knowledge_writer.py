"""Facts written by a model: our ids, and a complaint for what will not do."""

from __future__ import annotations

import asyncio
import json

import pytest

from fake_models import FakeModel
from sociolab.core.errors import ReplyError
from sociolab.core.ports import CallKey
from sociolab.worlds.anteval.information.knowledge_writer import write_knowledge
from sociolab.worlds.anteval.session import Fact

KEY = CallKey("s", "writer", "npc", 0, "knowledge", 1)
AXE: dict[str, object] = {
    "kind": "weapon",
    "subject": "the axe Zorvath",
    "text": "The axe Zorvath was forged by Peldrin.",
}
BELL: dict[str, object] = {
    "kind": "magic item",
    "subject": "the Imrath bell",
    "text": "The Imrath bell is not woken by rain.",
}


def reply(*facts: dict[str, object]) -> str:
    return json.dumps({"facts": facts})


def write(model: FakeModel, count: int = 2) -> tuple[Fact, ...]:
    return asyncio.run(write_knowledge(model, "A cellar.", "Wenna Moor", count, KEY))


def test_a_good_reply_becomes_facts_with_our_ids() -> None:
    model = FakeModel(reply(AXE, BELL))
    first, second = write(model)
    assert first == Fact(id="F1", kind="weapon", text="The axe Zorvath was forged by Peldrin.")
    assert (second.id, second.kind) == ("F2", "magic item")
    prompt, _ = model.calls[0]
    assert "A cellar." in prompt.messages[1].text
    assert "Invent 2 facts that Wenna Moor knows" in prompt.messages[1].text


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (reply(AXE), "expected 2 facts, found 1"),
        (reply(AXE, AXE), 'expected a subject of its own, found "the axe Zorvath" again'),
        (reply(AXE, {**BELL, "text": " "}), "fact 2: expected a subject and a text"),
        (reply(AXE, {**BELL, "text": "Rain does not wake it."}), "names its subject"),
    ],
)
def test_a_reply_that_will_not_do_is_sent_back(bad: str, problem: str) -> None:
    model = FakeModel(bad, reply(AXE, BELL))
    assert len(write(model)) == 2
    prompt, _ = model.calls[1]
    assert problem in prompt.messages[-1].text


def test_after_three_bad_replies_it_gives_up() -> None:
    with pytest.raises(ReplyError, match="within 3 attempts: expected 2 facts, found 1"):
        write(FakeModel(reply(AXE), reply(AXE), reply(AXE)))
