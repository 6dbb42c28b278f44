"""A world of three seats that act at once: a public-goods game in which each has a goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

import sociolab.plugin.api as lab


class Points(BaseModel):
    points: int = Field(ge=0, le=10)


GIVE = lab.ActionKind("give", fields=Points, spoken=True, recipients="none")
SAY = lab.ActionKind("say", spoken=True)
FINE = lab.ActionKind("fine", has_text=False, fields=Points, recipients="required")
NAMES = {"a": "Ada", "b": "Bea", "c": "Cem"}
GOALS = {"a": "Keep 20 points.", "b": "Have everybody give.", "c": "Give less than Bea."}
SCENE = lab.OpenScene(
    {seat: f"You are {NAMES[seat]}.\nGoal: {goal}" for seat, goal in GOALS.items()},
    lab.ActionSpace((GIVE, SAY, FINE)),
    limit=2,
    names=NAMES,
    order="simultaneous",
)


@dataclass
class PublicGoods:
    """One game of two rounds."""

    scene: lab.OpenScene = SCENE
    name: str = "public-goods"
    data: lab.DataId = lab.DataId("games", "1", "1")  # noqa: RUF009  frozen

    def tasks(self) -> Sequence[lab.Task]:
        return (lab.Task("game", tuple(NAMES), "game", "{}"),)

    def play(self, task: lab.Task, trial: str, seed: int) -> lab.Play:
        return lab.play(self.scene, trial=trial, seed=seed)

    def transcript(self, episode: lab.Episode, seat: str | None = None) -> lab.Transcript:
        return self.scene.transcript("Public goods", episode, seat)


class Giver:
    """Gives this many points, with these words."""

    def __init__(self, points: int, text: str) -> None:
        self._action = lab.Action("give", text, fields={"points": points})

    async def reply(self, request: lab.Request, memory: lab.Json) -> lab.Reply:
        return lab.Reply((self._action,))


GIVERS = {
    "a": Giver(0, "Nothing from me today."),
    "b": Giver(9, "Let us all give what we can."),
    "c": Giver(1, "One point, as a start."),
}


def no_judge(model: lab.ChatModel) -> lab.Judge:
    raise lab.ConfigError("this world has no judge of its own")


def load(setup: lab.WorldSetup) -> lab.WorldKit:
    return lab.WorldKit(PublicGoods(), {"scripted": AllGive()}, {}, (), no_judge)


class AllGive:
    """Each seat gives as in `GIVERS`."""

    async def reply(self, request: lab.Request, memory: lab.Json) -> lab.Reply:
        return await GIVERS[request.seat].reply(request, memory)


plugin = lab.WorldPlugin("public-goods", load)
