"""Stand-ins for models and for somebody's own agents: they reply in the right form, and make no
calls."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache

from sociolab.agents.prompted import PromptedPlayer
from sociolab.app.players.cast import Seatable
from sociolab.app.players.own_code import OwnJudge
from sociolab.app.players.specs import HUMAN
from sociolab.app.runs.session import Seated
from sociolab.core.ports import CallKey, ChatReply, Judge, Player, Prompt, Role, WorldKit
from sociolab.core.seeding import stream
from sociolab.models.endpoint.sampler import Draw, Node
from sociolab.models.endpoint.schemas import read_schema
from sociolab.models.endpoint.sentences import prose
from sociolab.models.prices import CHARACTERS_A_TOKEN, tokens_in


@dataclass(slots=True)
class Spend:
    """Calls and tokens of one model."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class MadeUpModel:
    """A chat model that makes its replies up, and counts what they would have taken."""

    label: str
    spend: Spend

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """Any reply of the right form, of about 150 characters."""
        draw = Draw(stream(key.turn, key.trial, key.seat).random)
        if prompt.schema is None:
            text = f"speak: {prose(draw.random, draw.characters)}"
        else:
            text = json.dumps(_node(prompt.schema.text).sample(draw))
        self.spend.calls += 1
        self.spend.prompt += tokens_in(prompt)
        self.spend.completion += round(len(text) / CHARACTERS_A_TOKEN)
        return ChatReply(text)


@cache
def _node(schema: str) -> Node:
    return read_schema(json.loads(schema))


def without_own(kit: WorldKit, seated: Seated) -> Seated:
    """The same agents, with a stand-in for each that is somebody's own code, or a person."""

    def stood_in(one: Seatable, role: Role) -> Seatable:
        return replace(one, player=_stand_in(kit, role)) if one.own else one

    return Seated(
        tuple(stood_in(one, "agent") for one in seated.agents),
        seated.partner and stood_in(seated.partner, "partner"),
    )


def own_labels(seated: Seated, judges: tuple[Judge, ...]) -> tuple[str, ...]:
    """Whose code may make calls that nobody here sees: agents and judges, each once."""
    agents = [one.id.label for one in seated.all if one.own and one.id.label != HUMAN]
    deciding = [one.label for one in judges if isinstance(one, OwnJudge)]
    return tuple(dict.fromkeys([*agents, *deciding]))


def of_ours(judges: tuple[Judge, ...]) -> tuple[Judge, ...]:
    """The judges but for those that are somebody's own code."""
    return tuple(one for one in judges if not isinstance(one, OwnJudge))


def _stand_in(kit: WorldKit, role: Role) -> Player:
    model = MadeUpModel("a stand-in", Spend())
    if kit.model_player is not None:
        return kit.model_player(model, role, kit.temperature, "json")
    return PromptedPlayer(model, role=role, temperature=kit.temperature)
