"""The vectors by which memories are compared: how they are asked for, and who answers."""

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
    """A vector for each text, as `models.vectors` writes it."""

    vectors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Embed(MindQuestion[Embeddings]):
    """The vectors of some texts: asked of an embedding model, never of a mind.

    The journal does not hold the answer. Who answers keeps it with the replies that were paid for,
    under the same key, and gives it again when an episode is resumed.
    """

    name = "embed"
    answer_type = Embeddings
    recorded: ClassVar[bool] = False

    texts: tuple[str, ...]

    def problem_with(self, answer: Embeddings) -> str:
        """Too many or too few."""
        if len(answer.vectors) == len(self.texts):
            return ""
        return f"expected {len(self.texts)} vectors, found {len(answer.vectors)}"


class EmbeddingPlayer:
    """A player whose seat has an embedding model, too: vectors are the model's, all else is the
    player's.

    The model's replies are kept under the trial, the seat and the step: an episode that is resumed
    is given the same vectors again, and pays for none twice.
    """

    def __init__(self, player: Player, model: ChatModel) -> None:
        self._player = player
        self._model = model

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The vectors, or the player's reply."""
        question = request.observation.view
        if not isinstance(question, Embed):
            return await self._player.reply(request, memory)
        head = question.asked
        prompt = Prompt(tuple(Message("user", text) for text in question.texts))
        key = CallKey(head.trial, "embedder", request.seat, head.step, question.name, 1, head.index)
        reply = await self._model.complete(prompt, key)
        return Reply(Embeddings(vectors=tuple(reply.text.split("\n"))))
