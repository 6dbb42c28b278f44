"""What the STSS package offers: the world, its scripted minds, its judge."""

from __future__ import annotations

from typing import cast

from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError
from sociolab.core.ports import (
    ChatModel,
    DryRun,
    Judge,
    NoReply,
    Player,
    Reply,
    Request,
    Role,
    WorldKit,
)
from sociolab.engine.setup import WorldSetup
from sociolab.town.answers import DayPlan, Decision, Entry, Said, Summary
from sociolab.town.mind import QUESTIONS, Mind, MindPlayer
from sociolab.town.model.mind import ModelMind
from sociolab.town.scripted.mind import CompleteMind, ScriptedMind
from sociolab.town.thoughts import PlanDay, Summarise, TalkOrNot, Utter
from sociolab.worlds.stss.casting import town_casts
from sociolab.worlds.stss.dataset import own_town, read_town
from sociolab.worlds.stss.model_judge import StssModelJudge
from sociolab.worlds.stss.rules_judge import StssRulesJudge
from sociolab.worlds.stss.scoring.result import ScoreSettings
from sociolab.worlds.stss.settings import Settings
from sociolab.worlds.stss.world import Stss, Tempo

SCRIPTED: dict[str, Player] = {
    "scripted": MindPlayer(ScriptedMind(), built_in=True),
    "scripted-complete": MindPlayer(CompleteMind(), built_in=True),
}
"""The built-in players, who write acts: as `casting.BUILT_IN` names them."""

ABOUT_CALLS = (
    "calls: they depend on what the residents do, so three kinds of days were simulated: residents "
    "stay at home and speak to nobody (the least), decide as scripted residents do, or talk to "
    "everybody they meet until the last round (about the most). Expect a model between the last "
    "two; a person who answered in its place, with scripted background agents, was asked 65 "
    "questions a day"
)


def load(setup: WorldSetup) -> WorldKit:
    """The world over a folder, or over our own town with the tasks of a seed."""
    settings = setup.read("stss", Settings)
    data = own_town(setup.seed) if setup.folder is None else read_town(setup.folder)
    tempo = Tempo()

    def model(model: ChatModel, role: Role, temperature: float, dialect: str) -> Player:
        tempo.answers_take_time = True
        return model_player(model, role, temperature, dialect)

    def python(label: str, made: object) -> Player:
        tempo.answers_take_time = True
        return python_player(label, made)

    scoring = ScoreSettings(least=settings.least)

    def model_judge(model: ChatModel) -> Judge:
        return StssModelJudge(model, scoring)

    return WorldKit(
        world=Stss(data, settings, setup.policy, tempo),
        players=SCRIPTED,
        judges={"rules": StssRulesJudge(scoring)},
        checks=(),
        model_judge=model_judge,
        casts=town_casts,
        background=True,
        model_player=model,
        python_player=python,
        dry_run=DryRun(
            # Rules take no time: they live in lock-step, which is quicker for them.
            Stss(data, settings, setup.policy),
            {
                "at home": MindPlayer(Homebody(), built_in=True),
                "as scripted": SCRIPTED["scripted"],
                "talkative": MindPlayer(Talker(), built_in=True),
            },
            ABOUT_CALLS,
        ),
    )


class Homebody(ScriptedMind):
    """Stays at home and speaks to nobody: leads to the fewest calls that a town can do with."""

    async def plan_day(self, question: PlanDay) -> DayPlan:
        """One entry, at home."""
        entry = Entry(start="08:00", what="resting", place=question.me.resident.living_area)
        return DayPlan(wake="08:00", entries=(entry,), bed="22:00")

    async def talk_or_not(self, question: TalkOrNot) -> Decision:
        """Never."""
        return Decision(do="carry on")

    async def utter(self, question: Utter) -> Said:
        """Goodbye."""
        return Said(text="Good day to you.", ends=True)


class Talker(ScriptedMind):
    """Talks to everybody it meets for as long as it may, and makes a new plan after that."""

    async def talk_or_not(self, question: TalkOrNot) -> Decision:
        """Always."""
        return Decision(do="talk")

    async def utter(self, question: Utter) -> Said:
        """As scripted residents do, but for goodbye."""
        return (await super().utter(question)).model_copy(update={"ends": False})

    async def summarise(self, question: Summarise) -> Summary:
        """As scripted residents do, and the plan must change."""
        return (await super().summarise(question)).model_copy(update={"changes_plan": True})


def model_player(model: ChatModel, role: Role, temperature: float, dialect: str) -> Player:
    """A chat model as a mind; ConfigError for a dialect that it cannot use."""
    if dialect != "json":
        raise ConfigError(
            f'a town asks for plans and lists, which need dialect=json; found "{dialect}"'
        )
    return TownPlayer(model, role, temperature)


class TownPlayer:
    """A chat model in a town: the performer's own seat is the agent's, all others are background.

    So calls and their price are told apart by role also where one model thinks for all.
    """

    def __init__(
        self,
        model: ChatModel,
        role: Role,
        temperature: float,
        dialect: str = "json",
        penalties: float | None = None,
    ) -> None:
        def mind(role: Role) -> MindPlayer:
            made = ModelMind(
                model, role, temperature=temperature, dialect=dialect, penalties=penalties
            )
            return MindPlayer(made)

        self._performer, self._background = mind(role), mind("background")

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The model's answer, asked for in the role of the seat."""
        me = request.observation.view.me
        performs = me.task is not None and request.seat == me.resident.id
        player = self._performer if performs else self._background
        return await player.reply(request, memory)


def python_player(label: str, made: object) -> Player:
    """Somebody's mind; ConfigError where it lacks a method."""
    missing = [name for name, _ in QUESTIONS.values() if not callable(getattr(made, name, None))]
    if missing and callable(getattr(made, "reply", None)):
        raise ConfigError(
            f'"{label}" takes turns, and nobody does in a town: expected "scripted", '
            '"endpoint/model" or a mind of your own; see docs/stss.md'
        )
    if missing:
        raise ConfigError(
            f'"{label}" cannot live in a town: expected a mind with "async def '
            f'{missing[0]}(self, question)" and {len(missing) - 1} more that it lacks; '
            "see docs/stss.md"
        )
    return MindPlayer(cast("Mind", made))
