"""Our own players, worlds and judges keep the contracts."""

from __future__ import annotations

import io
from collections.abc import Sequence

from fake_models import ImprovisingModel
from sociolab.agents import PromptedPlayer, TerminalPlayer
from sociolab.core import Episode, Judge, Measure, Player, Task, World
from sociolab.engine import Scene
from sociolab.judging import LlmJudge
from sociolab.testing import (
    AnyPlayer,
    JudgeContract,
    PlayerContract,
    StockScene,
    WorldContract,
    play_task,
)
from sociolab.worlds import sotopia
from sotopia_cases import GOAL, NAMES, SECRET, casting, task_of, world

PRICES = (
    sotopia.PriceGoal(role="seller", item="bicycle", listed=100, target=80),
    sotopia.PriceGoal(role="buyer", item="bicycle", listed=100, target=60),
)
GOODS = tuple(
    sotopia.DivisionGoal(counts={"books": 2, "hats": 1}, values=values)
    for values in ({"books": 3.0, "hats": 4.0}, {"books": 1.0, "hats": 8.0})
)
TIMES = tuple(
    sotopia.OptionGoal(subject="when to meet", options=options)
    for options in ({"Monday": 10.0, "Friday": 2.0}, {"Monday": 1.0, "Friday": 9.0})
)


def with_facts(facts: Sequence[sotopia.Facts], kind: sotopia.RelationshipType) -> sotopia.SceneCast:
    """A casting whose goals rules can read."""
    cast = casting(kind)
    goals = tuple(
        goal.model_copy(update={"facts": fact})
        for goal, fact in zip(cast.scenario.goals, facts, strict=True)
    )
    scenario = cast.scenario.model_copy(update={"goals": goals})
    return cast.model_copy(update={"scenario": scenario})


CASTINGS = (
    casting(sotopia.RelationshipType.FRIEND),
    with_facts(PRICES, sotopia.RelationshipType.STRANGER),
    with_facts(GOODS, sotopia.RelationshipType.ACQUAINTANCE),
    with_facts(TIMES, sotopia.RelationshipType.FAMILY),
)


class TestAnyPlayer(PlayerContract):
    def player(self) -> Player:
        return AnyPlayer()


class TestPromptedPlayer(PlayerContract):
    def player(self) -> Player:
        return PromptedPlayer(ImprovisingModel())


class TestPromptedPlayerAmongThree(PlayerContract):
    def player(self) -> Player:
        return PromptedPlayer(ImprovisingModel())

    def scene(self) -> Scene:
        return StockScene(("first", "second", "third"))


class TestPromptedPlayerInThePlainDialect(PlayerContract):
    def player(self) -> Player:
        return PromptedPlayer(ImprovisingModel(), dialect="plain")


class TestPromptedPlayerOfSotopia(PlayerContract):
    def player(self) -> Player:
        return PromptedPlayer(ImprovisingModel())

    def scene(self) -> Scene:
        return sotopia.SotopiaScene(casting(sotopia.RelationshipType.STRANGER, 3))


class TestTerminalPlayer(PlayerContract):
    def player(self) -> Player:
        return TerminalPlayer(io.StringIO("Hello.\n" * 100), io.StringIO())


class TestScriptedPlayerInATalk(PlayerContract):
    casting = CASTINGS[0]

    def player(self) -> Player:
        return sotopia.ScriptedPlayer()

    def scene(self) -> Scene:
        return sotopia.SotopiaScene(self.casting)


class TestScriptedPlayerInABargain(TestScriptedPlayerInATalk):
    casting = CASTINGS[1]


class TestScriptedPlayerInADivision(TestScriptedPlayerInATalk):
    casting = CASTINGS[2]


class TestScriptedPlayerWithOptions(TestScriptedPlayerInATalk):
    casting = CASTINGS[3]


class TestSotopia(WorldContract):
    def world(self) -> World:
        return world()

    def tasks(self, world: World) -> Sequence[Task]:
        return world.tasks()

    def hidden(self, task: Task, seat: str) -> Sequence[str]:
        other = 1 - int(seat[-1])
        marks = [f"{SECRET}{other}", f"{GOAL}{other}"]
        strangers = task.id == f"market.{sotopia.RelationshipType.STRANGER}"
        return [*marks, *NAMES[other]] if strangers else marks


def played(player: Player) -> Sequence[Episode]:
    """An episode of each casting."""
    tasks = [task_of(cast) for cast in CASTINGS]
    return [play_task(world(), task, dict.fromkeys(task.seats, player)) for task in tasks]


class TestLlmJudge(JudgeContract):
    def judge(self) -> Judge:
        return LlmJudge(sotopia.SotopiaRubric(), ImprovisingModel())

    def episodes(self) -> Sequence[Episode]:
        return played(AnyPlayer())

    def measures(self) -> Sequence[Measure]:
        return (*sotopia.DIMENSIONS, sotopia.OVERALL)


class TestHeuristicJudge(JudgeContract):
    def judge(self) -> Judge:
        return sotopia.HeuristicJudge()

    def episodes(self) -> Sequence[Episode]:
        return [*played(sotopia.ScriptedPlayer()), *played(AnyPlayer())]

    def measures(self) -> Sequence[Measure]:
        return (*sotopia.DIMENSIONS, sotopia.OVERALL)


class TestReportedOutcome(JudgeContract):
    def judge(self) -> Judge:
        return sotopia.ReportedOutcome()

    def episodes(self) -> Sequence[Episode]:
        return [*played(sotopia.ScriptedPlayer()), *played(AnyPlayer())]

    def measures(self) -> Sequence[Measure]:
        return (sotopia.GOAL_CHECKED,)
