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
AXE = {
    "kind": "weapon",
    "subject": "the axe Zorvath",
    "attribute": "who forged it",
    "value": "Peldrin",
    "text": "The axe Zorvath was forged by Peldrin.",
    "holds": True,
}
BELL = {
    "kind": "magic item",
    "subject": "the Imrath bell",
    "attribute": "what wakes it",
    "value": "rain",
    "text": "The Imrath bell is not woken by rain.",
    "holds": False,
}


def reply(*facts: dict[str, object]) -> str:
    return json.dumps({"facts": facts})


def write(model: FakeModel, count: int = 2) -> tuple[Fact, ...]:
    return asyncio.run(write_knowledge(model, "A cellar.", "Wenna Moor", count, KEY))


def test_a_good_reply_becomes_facts_with_our_ids() -> None:
    model = FakeModel(reply(AXE, BELL))
    first, second = write(model)
    assert (first.id, first.subject, first.holds) == ("F1", "the axe Zorvath", True)
    assert (second.id, second.kind, second.holds) == ("F2", "magic item", False)
    prompt, _ = model.calls[0]
    assert "A cellar." in prompt.messages[1].text
    assert "Invent 2 facts that Wenna Moor knows" in prompt.messages[1].text


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (reply(AXE), "expected 2 facts, found 1"),
        (reply(AXE, {**AXE, "value": "Orm"}), 'who forged it of "the axe Zorvath" a second time'),
        (reply(AXE, {**BELL, "text": " "}), "fact 2: expected subject, attribute, value and text"),
        (reply(AXE, {**BELL, "text": "Rain does not wake it."}), "names its subject"),
        (
            reply(AXE, {**BELL, "text": "The Imrath bell is woken by rain."}),
            'fact 2: holds is false, expected a text with a "not", found none',
        ),
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
