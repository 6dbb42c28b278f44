"""Vectors by which memories are compared, and the player that gets them from an embedding model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sociolab.core.episode import Json
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    Message,
    NoReply,
    Player,
    Prompt,
    Reply,
    Request,
)
from sociolab.town.questions.base import MindAnswer, MindQuestion


class Embeddings(MindAnswer):
    """One vector a text, each encoded as in `models.vectors`."""

    vectors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Embed(MindQuestion[Embeddings]):
    """Asks an embedding model, never a mind, for the vectors of some texts.

    The journal does not record the answer. Whoever answers stores it with the paid replies, under
    the same key, and returns it again when an episode is resumed.
    """

    name = "embed"
    answer_type = Embeddings
    recorded: ClassVar[bool] = False

    texts: tuple[str, ...]

    def problem_with(self, answer: Embeddings) -> str:
        if len(answer.vectors) == len(self.texts):
            return ""
        return f"expected {len(self.texts)} vectors, found {len(answer.vectors)}"


class EmbeddingPlayer:
    """A player that has an embedding model answer `Embed`, and answers everything else itself.

    The model's replies are stored by trial, seat and step: an episode that is resumed gets the same
    vectors, and none is paid for twice.
    """

    def __init__(self, player: Player, model: ChatModel) -> None:
        self._player = player
        self._model = model

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        question = request.observation.view
        if not isinstance(question, Embed):
            return await self._player.reply(request, memory)
        head = question.meta
        prompt = Prompt(tuple(Message("user", text) for text in question.texts))
        key = CallKey(head.trial, "embedder", request.seat, head.step, question.name, 1, head.index)
        reply = await self._model.complete(prompt, key)
        return Reply(Embeddings(vectors=tuple(reply.text.split("\n"))))
