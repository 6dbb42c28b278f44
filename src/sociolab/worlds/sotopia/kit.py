"""What the SOTOPIA package offers: world, scripted players, judges."""

from __future__ import annotations

from importlib.resources import as_file, files

from pydantic import BaseModel, Field

from sociolab.core.episode import Json
from sociolab.core.ports import ChatModel, Judge, Labelled, WorldKit
from sociolab.core.score import READER
from sociolab.engine.setup import WorldSetup
from sociolab.worlds.sotopia.audit import VARIANTS
from sociolab.worlds.sotopia.dataset import load as load_data
from sociolab.worlds.sotopia.heuristic import HeuristicJudge
from sociolab.worlds.sotopia.outcome import OutcomeCheck
from sociolab.worlds.sotopia.scene import PACKAGE, TURN_LIMIT
from sociolab.worlds.sotopia.scripted import ScriptedPlayer
from sociolab.worlds.sotopia.world import Sotopia


class Settings(BaseModel):
    """`turns` is the limit of an episode (20 in the paper).

    `closing_question` asks each seat what was agreed when all is over, where the goal has a
    formula; it comes after the last turn and changes nothing that is played.
    """

    turns: int = Field(default=TURN_LIMIT, ge=1)
    closing_question: bool = True


def load(setup: WorldSetup) -> WorldKit:
    """The world over a data folder, or over the data that comes with the package."""
    settings = setup.read("sotopia", Settings)
    if setup.folder is None:
        with as_file(files(PACKAGE) / "data") as own:
            data = load_data(own)
    else:
        data = load_data(setup.folder)
    return WorldKit(
        world=Sotopia(data, settings.turns, setup.policy, settings.closing_question),
        players={"scripted": ScriptedPlayer()},
        judges={"heuristic": HeuristicJudge()},
        checks=(OutcomeCheck(),),
        model_judge=_model_judge,
        reader=_reader,
        variants=VARIANTS,
        validation={"outcome": _labelled},
    )


def _model_judge(model: ChatModel) -> Judge:
    from sociolab.judging.llm_judge import LlmJudge
    from sociolab.worlds.sotopia.evaluation import SotopiaRubric

    return LlmJudge(SotopiaRubric(), model)


def _reader(model: ChatModel) -> Judge:
    from sociolab.judging.llm_judge import LlmJudge
    from sociolab.worlds.sotopia.outcome_reader import OutcomeReader

    return LlmJudge(OutcomeReader(), model, role=READER)


def _labelled(row: Json, id: str) -> Labelled:
    from sociolab.worlds.sotopia.validation import labelled

    return labelled(row, id)
