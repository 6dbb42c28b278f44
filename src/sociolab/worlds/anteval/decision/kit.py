"""The plugin of `anteval-decision`: settings, players, judges, importer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from sociolab.core.errors import ConfigError
from sociolab.core.lazy import import_on_call
from sociolab.core.metrics import Declared, metrics
from sociolab.core.ports import Pace, WorldKit
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.world import Importer, WorldPlugin
from sociolab.worlds.anteval.decision.cases import DecisionSettings, import_tasks, themes
from sociolab.worlds.anteval.decision.scoring import (
    ChoiceJudge,
    PoolingModelJudge,
    PoolingRecordJudge,
)
from sociolab.worlds.anteval.decision.scripted import ScriptedDecider
from sociolab.worlds.anteval.decision.world import AntDecision
from sociolab.worlds.anteval.scene import PASS, SPEAK
from sociolab.worlds.anteval.session import NPC
from sociolab.worlds.anteval.world import table_casts

Agent = TypeVar("Agent")

DECLARED = Declared(
    metrics=metrics(
        "share",
        {
            "decision": "Whether a player's answer after the talk is right",
            "party_decision": "Whether the answer that most players give is right",
            "no_talk": "Control: whether a player's answer before the talk is right",
            "full_information": "Control: whether the first player is right who is given all "
            "clues and no talk",
            "misled": "Whether a player chose a wrong option to which the shared clues or a "
            "falsehood point",
            "pooled": "Share of the private clues that somebody said",
            "disclosed": "Share of a seat's own private clues that it said",
            "critical_known": "Share of the clues that the answer needs which a player knew in the "
            "end",
        },
        lower=["misled"],
        neither=["no_talk", "full_information"],
    ),
    main=("decision",),
    cluster="theme",
    judges={
        "formula": "by the players' answers alone",
        "scripted": "exact, from what built-in scripted players put on record; what any other "
        "agent said needs an LLM judge: --judge openai/MODEL",
    },
    spoken=(SPEAK,),
    acts={PASS: "passed"},
    partner="the NPC",
)


def _load(setup: WorldSetup) -> WorldKit:
    """Clues are spread over the table, and each player then names one of several options."""
    settings = setup.read("anteval-decision", DecisionSettings)
    world = AntDecision(settings.load(setup), settings, setup.policy)
    declared = replace(DECLARED, clusters=len(themes()) if setup.folder is None else None)
    return WorldKit(
        world=world,
        players={"scripted": ScriptedDecider(), "silent": ScriptedDecider(talks=False)},
        judges={"record": PoolingRecordJudge()},
        checks=(ChoiceJudge(settings.controls),),
        model_judge=lambda model: PoolingModelJudge(model, settings.texts),
        casts=casts,
        pace=Pace(lambda task: settings.rounds * len(task.seats)),
        instructions=settings.texts.instructions(),
        temperature=settings.texts.agent_temperature(1.0),
        declared=declared if _has_npc(world) else replace(declared, partner=""),
    )


def _has_npc(world: AntDecision) -> bool:
    return any(task.seats[-1] == NPC for task in world.tasks())


def casts(
    agents: Sequence[Agent], partner: Agent | None, seats: Sequence[str]
) -> tuple[tuple[Agent, ...], ...]:
    """The agent in all seats; a partner plays the NPC. ConfigError where there is no NPC for it."""
    if seats[-1] == NPC:
        return table_casts(agents, partner, seats)
    if partner is not None:
        raise ConfigError(
            "--partner: expected cases with an NPC to play, found some without; drop it"
        )
    return tuple((agent,) * len(seats) for agent in dict.fromkeys(agents))


load_decision = WorldPlugin(
    "anteval-decision",
    _load,
    declared=DECLARED,
    about="D&D parties pool clues and name one answer, right or wrong (ours, not the paper's)",
    settings=DecisionSettings,
    short={"rounds": "2"},
    importers={
        "hidden-profile": Importer(
            import_tasks,
            "play it: sociolab run anteval-decision --data {name}",
            page="docs/decision.md",
        )
    },
    exam=import_on_call("sociolab.worlds.anteval.decision.exam:exam"),
)
