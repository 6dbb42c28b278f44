"""What STSS offers at language level: the world of conversation tasks, its minds and judges."""

from __future__ import annotations

from sociolab.core.episode import Json
from sociolab.core.ports import ChatModel, Judge, Labelled, Player, Role, WorldKit
from sociolab.engine.setup import WorldSetup
from sociolab.worlds.stss.casting import town_casts
from sociolab.worlds.stss.kit import SCRIPTED, TownPlayer, python_player
from sociolab.worlds.stss.talk.dataset import own_talks, read_talks
from sociolab.worlds.stss.talk.recorded import RecordedJudge
from sociolab.worlds.stss.talk.settings import TalkSettings
from sociolab.worlds.stss.talk.world import StssTalk

TEMPERATURE = 0.0
PENALTIES = 0.0
"""Of both speakers (STSS section 3.2); a spec can name another temperature."""


def load(setup: WorldSetup) -> WorldKit:
    """The world over a folder, or over the conversation tasks that we ship."""
    settings = setup.read("stss-talk", TalkSettings)
    data = own_talks() if setup.folder is None else read_talks(setup.folder)
    return WorldKit(
        world=StssTalk(data, settings, setup.policy),
        players=SCRIPTED,
        judges={"recorded": RecordedJudge()},
        checks=(),
        model_judge=model_judge,
        casts=town_casts,
        model_player=model_player,
        python_player=python_player,
        temperature=TEMPERATURE,
        background=True,
        validation={"conditions": _labelled},
    )


def model_player(model: ChatModel, role: Role, temperature: float, dialect: str) -> Player:
    """A chat model as a mind, in either dialect."""
    return TownPlayer(model, role, temperature, dialect, PENALTIES)


def model_judge(model: ChatModel) -> Judge:
    """A chat model that answers for each condition whether it is met."""
    from sociolab.worlds.stss.talk.model_judge import TalkModelJudge

    return TalkModelJudge(model)


def _labelled(row: Json, id: str) -> Labelled:
    from sociolab.worlds.stss.talk.validation import labelled

    return labelled(row, id)
