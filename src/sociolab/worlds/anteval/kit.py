"""What the AntEval package offers: two worlds, their scripted players, their judges."""

from __future__ import annotations

from sociolab.core.episode import Json
from sociolab.core.ports import ChatModel, Judge, Labelled, WorldKit
from sociolab.engine.setup import WorldSetup
from sociolab.worlds.anteval.casting import table_casts
from sociolab.worlds.anteval.information.model_judge import ModelJudge
from sociolab.worlds.anteval.information.record import RecordJudge
from sociolab.worlds.anteval.intention.judges import ChatIntentionJudge, IntentionRecordJudge
from sociolab.worlds.anteval.scripted import ScriptedPlayer
from sociolab.worlds.anteval.settings import InformationSettings, IntentionSettings, sessions_of
from sociolab.worlds.anteval.world import AntEval


def load_information(setup: WorldSetup) -> WorldKit:
    """Information exchange: how much of what the NPC alone knows reaches the players (IEP)."""
    settings = setup.read("anteval-information", InformationSettings)
    sessions = sessions_of("information", setup, settings)
    plan = settings.plan(sessions)

    def model_judge(model: ChatModel) -> Judge:
        return ModelJudge(plan, model)

    return WorldKit(
        world=AntEval("information", sessions, plan.controls, plan.snapshots, setup.policy),
        players={"scripted": ScriptedPlayer()},
        judges={"record": RecordJudge(plan)},
        checks=(),
        model_judge=model_judge,
        casts=table_casts,
        validation={"facts": _labelled},
    )


def _labelled(row: Json, id: str) -> Labelled:
    from sociolab.worlds.anteval.information.validation import labelled

    return labelled(row, id)


def load_intention(setup: WorldSetup) -> WorldKit:
    """Intention expression: whether play shows what the players mean to do."""
    settings = setup.read("anteval-intention", IntentionSettings)
    sessions = sessions_of("intention", setup, settings)
    return WorldKit(
        world=AntEval("intention", sessions, policy=setup.policy),
        players={"scripted": ScriptedPlayer()},
        judges={"record": IntentionRecordJudge()},
        checks=(),
        model_judge=ChatIntentionJudge,
        casts=table_casts,
    )
