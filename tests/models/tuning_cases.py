"""Training files of little conversations, and clients for them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from sociolab.core import CallKey, Message, Prompt
from sociolab.endpoint import EndpointServer as Server, EndpointSettings, serve
from sociolab.models import EndpointSpec, FineTuningClient

ANIMALS = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay", "koi", "lynx")


def training_file(animals: tuple[str, ...] = ANIMALS) -> bytes:
    """A conversation about each animal; the answer is its name in capitals."""
    rows = [
        {
            "messages": [
                {"role": "system", "content": "Shout."},
                {"role": "user", "content": f"Which animal is a {animal}?"},
                {"role": "assistant", "content": animal.upper()},
            ]
        }
        for animal in animals
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def asked_about(animal: str) -> tuple[Prompt, CallKey]:
    """A question that the training file answers, in other words."""
    messages = (Message("system", "Shout."), Message("user", f"Please, which one is the {animal}?"))
    return Prompt(messages), CallKey("t", "judge", "", 0, "animal", 1)


@asynccontextmanager
async def tuning(
    settings: EndpointSettings | None = None, **spec: Any
) -> AsyncIterator[tuple[Server, FineTuningClient]]:
    """The local endpoint and a client that tunes the model "m" there."""
    async with serve(settings or EndpointSettings()) as server:
        options = {"name": "local", "base_url": server.url} | spec
        async with aclosing(FineTuningClient(EndpointSpec(**options), "m")) as client:
            yield server, client
