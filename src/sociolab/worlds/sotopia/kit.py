"""What the SOTOPIA package offers: world, scripted players, judges."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from sociolab.core.ports import ChatModel, Judge, WorldKit
from sociolab.engine.scene import FailurePolicy
from sociolab.judging.llm_judge import LlmJudge
from sociolab.worlds.sotopia.checks.check import GoalCheck
from sociolab.worlds.sotopia.dataset import load as load_data
from sociolab.worlds.sotopia.evaluation import SotopiaRubric
from sociolab.worlds.sotopia.heuristic import HeuristicJudge
from sociolab.worlds.sotopia.scene import PACKAGE
from sociolab.worlds.sotopia.scripted.player import ScriptedPlayer
from sociolab.worlds.sotopia.world import Sotopia


def load(folder: Path | None, policy: FailurePolicy) -> WorldKit:
    """The world over a data folder, or over the data that comes with the package."""
    if folder is None:
        with as_file(files(PACKAGE) / "data") as own:
            world = Sotopia(load_data(own), policy=policy)
    else:
        world = Sotopia(load_data(folder), policy=policy)
    return WorldKit(
        world=world,
        players={"scripted": ScriptedPlayer()},
        judges={"heuristic": HeuristicJudge()},
        checks=(GoalCheck(),),
        model_judge=_model_judge,
    )


def _model_judge(model: ChatModel) -> Judge:
    return LlmJudge(SotopiaRubric(), model)
