"""What the AntEval package offers: two worlds, their scripted players, their judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from sociolab.core.episode import Episode
from sociolab.core.lazy import import_on_call
from sociolab.core.metrics import Declared, metrics
from sociolab.core.ports import ChatModel, Judge, Pace, WorldKit
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.context import Tool
from sociolab.plugin.recipe import recipes
from sociolab.plugin.shown import Sidebar
from sociolab.plugin.world import Importer, Importing, WorldPlugin, Writer
from sociolab.plugin.writing import WriteJob, WrittenTasks
from sociolab.store.verdicts import JudgingRow
from sociolab.worlds.anteval.audit import (
    INFORMATION as INFORMATION_VARIANTS,
    INTENTION as INTENTION_VARIANTS,
)
from sociolab.worlds.anteval.conduct import ConductCheck
from sociolab.worlds.anteval.information.model_judge import ModelJudge
from sociolab.worlds.anteval.information.reserve import OF_NPC
from sociolab.worlds.anteval.information.scoring import RECALL_OF, RecordJudge, learned
from sociolab.worlds.anteval.intention import ChatIntentionJudge, IntentionRecordJudge
from sociolab.worlds.anteval.rating import rating_guide
from sociolab.worlds.anteval.real_play import SAMPLE
from sociolab.worlds.anteval.scene import LEAVE, PASS, SPEAK
from sociolab.worlds.anteval.scripted import ScriptedPartyPlayer, WhatElsePlayer
from sociolab.worlds.anteval.session import PLURAL, session_from
from sociolab.worlds.anteval.sessions import InformationSettings, IntentionSettings, load_sessions
from sociolab.worlds.anteval.world import AntEval, table_casts

_PACKAGE = "sociolab.worlds.anteval"
_RECORD = (
    "exact, from what built-in scripted players put on record; any other agent needs an LLM judge: "
    "--judge openai/MODEL"
)

_COUNTED = "counted in the turns as they stand, without a model"
_CONDUCT = {
    "repetition": "Share of a seat's runs of four words that had been said at the table before",
    "broken_format": "Share of a seat's replies that could not be used",
}

INFORMATION = Declared(
    # AntEval, Table 1: IEP first; then the measures over atomic facts, and the controls.
    metrics=metrics(
        "share",
        {
            "iep": (
                "information exchange precision",
                "Of k key points of what the NPC alone knew, the share that a player reports",
            ),
            "precision": "Share of what a player reports as learnt that is true",
            "recall": "Share of the NPC's facts that a player learnt",
            "f1": ("F1 score", "Harmonic mean of precision and recall"),
            "hallucination": "Share of what a player reports as learnt that nobody knew",
            **{
                measure.name: f"Share of the NPC's facts about {PLURAL[kind]} that a player learnt"
                for kind, measure in RECALL_OF.items()
            },
            "misled": "Share of the NPC's falsehoods that a player believes",
            "small_talk": "Share of a player's turns that do nothing to find anything out",
            **_CONDUCT,
            "recall_at_*": "Share of the NPC's facts that a player had learnt after so many turns",
            "no_talk": "Control: recall before the first turn",
            "other_session": "Control: share of another session's facts",
            "party_recall": "Share of the NPC's facts that the players learnt together",
            "turns_per_fact": "Turns of the whole table over the facts that the players learnt",
            "tokens_per_fact": (
                "",
                "Words and deeds of the whole table, at 4 characters a token, over the facts that "
                "the players learnt",
            ),
            "told_unasked": "Share of the NPC's facts that it told unasked",
            "told_asked": "Share of the NPC's facts that it told when asked, before it trusted",
            "told_trusted": "Share of the NPC's facts that it told when asked, once it trusted",
            "told_falsely": "Share of the NPC's facts that it told falsely",
            "reserve_kept": "Share of what the NPC told that its reserve let it tell then",
            "oracle_transcript": "Control: share of the facts told at all",
            "oracle_facts": "Control: IEP of reciting all facts",
            "informativeness": "How much a player does to exchange what matters, rated by people",
        },
        lower=[
            *("hallucination", "misled", "small_talk", "turns_per_fact", "tokens_per_fact"),
            *_CONDUCT,
        ],
        neither=[
            *("no_talk", "other_session", "oracle_transcript", "oracle_facts"),
            *(measure.name for measure in OF_NPC),
        ],
        units={
            "turns_per_fact": "turns",
            "tokens_per_fact": "tokens",
            "informativeness": "points",
        },
    ),
    main=("iep", "recall"),
    cluster="session",
    judges={"formula": _RECORD, "heuristic": _COUNTED},
    spoken=(SPEAK,),
    acts={PASS: "passed", LEAVE: "left"},
    partner="the NPC",
    measured_by={"informativeness": "iep"},
)

INTENTION = Declared(
    metrics=metrics(
        "share",
        {
            "f_c": ("F1 over characters", "Whether the characters who act are found"),
            "f_o": (
                "F1 over characters with their skills",
                "Whether who uses which skill is found",
            ),
            "expressiveness": "How clearly play shows what a player means to do, rated by people",
            **_CONDUCT,
        },
        lower=list(_CONDUCT),
        units={"expressiveness": "points"},
    ),
    main=("f_o",),
    cluster="session",
    judges={"formula": _RECORD, "heuristic": _COUNTED},
    spoken=(SPEAK,),
    acts={PASS: "passed", LEAVE: "left"},
    partner="the NPC",
    measured_by={"expressiveness": "f_o"},
)


def _load_information(setup: WorldSetup) -> WorldKit:
    """Information exchange: how much of what the NPC alone knows reaches the players (IEP)."""
    settings = setup.read("anteval-information", InformationSettings)
    sessions = load_sessions("information", setup, settings)
    plan = settings.plan(sessions)

    def model_judge(model: ChatModel) -> Judge:
        return ModelJudge(plan, model, settings.texts)

    return WorldKit(
        world=AntEval(
            "information", sessions, plan.controls, plan.snapshots, setup.policy, settings.texts
        ),
        players={"scripted": ScriptedPartyPlayer(), "what-else": WhatElsePlayer()},
        judges={"record": RecordJudge(plan)},
        checks=(ConductCheck(),),
        model_judge=model_judge,
        casts=table_casts,
        pace=Pace(lambda task: session_from(task.content).turns),
        instructions=settings.texts.instructions(),
        temperature=settings.texts.agent_temperature(1.0),
        variants=INFORMATION_VARIANTS,
        validation={"facts": import_on_call(f"{_PACKAGE}.information.model_judge:labelled")},
        declared=_count_sessions(setup),
    )


def _load_intention(setup: WorldSetup) -> WorldKit:
    """Intention expression: whether play shows what the players mean to do."""
    settings = setup.read("anteval-intention", IntentionSettings)
    sessions = load_sessions("intention", setup, settings)
    return WorldKit(
        world=AntEval(
            "intention", sessions, policy=setup.policy, texts=settings.texts, marks=settings.marks
        ),
        players={"scripted": ScriptedPartyPlayer()},
        judges={"record": IntentionRecordJudge()},
        checks=(ConductCheck(),),
        model_judge=lambda model: ChatIntentionJudge(model, settings.texts),
        casts=table_casts,
        instructions=settings.texts.instructions(),
        temperature=settings.texts.agent_temperature(1.0),
        pace=Pace(lambda task: session_from(task.content).turns),
        variants=INTENTION_VARIANTS,
        cautions=partial(settings.cautions, drawn=setup.folder is None),
        declared=_count_sessions(setup),
    )


def _count_sessions(setup: WorldSetup) -> Declared:
    """That sessions can be drawn without end, or are those of a folder."""
    return Declared(clusters=0 if setup.folder is None else None)


def _facts(episode: Episode, _: Sequence[JudgingRow]) -> Sidebar:
    return Sidebar(facts=learned(episode))


def _real_play(path: str) -> Importer:
    """An importer of labelled play for virtual DMs; its module is imported when used."""

    def read(request: Importing, fresh: Path) -> Sequence[str]:
        lines: Sequence[str] = import_on_call(f"{_PACKAGE}.importing.{path}")(request.source, fresh)
        return lines

    next_step = "train on it: sociolab gap --real {name} --generated RUN"
    return Importer(read, next_step, kind="dnd", reserved=(SAMPLE,), page="docs/import-dnd.md")


def _writers(
    world: str, settings: type[InformationSettings] | type[IntentionSettings]
) -> Mapping[str, Writer]:
    async def write(job: WriteJob) -> WrittenTasks:
        from sociolab.worlds.anteval.writing import write_sessions

        chosen = job.setup.read(world, settings)
        if job.count is not None:
            chosen = chosen.model_copy(update={"sessions": job.count})
        drawn = chosen.draw(job.setup.seed)
        done = await write_sessions(job.author, chosen.texts, job.folder, drawn, job.tell)
        next_step = f"play them: sociolab run {world} --data {job.folder}"
        return WrittenTasks(len(done.sessions), "session", done.failures, (next_step,))

    return {"sessions": Writer(write, settings)}


def _gap() -> Tool:
    from sociolab.worlds.anteval.gap_of_runs import GapConfig, gap

    def demo(runs: Mapping[str, str]) -> GapConfig | None:
        if not {"anteval-intention", "anteval-information"} <= runs.keys():
            return None
        return GapConfig(
            real=SAMPLE,
            generated=(runs["anteval-intention"],),
            information=(runs["anteval-information"],),
            refits=6,
        )

    return Tool(
        GapConfig,
        gap,
        "Measure how far generated D&D play is from real play (AntEval's IEG).\n\n"
        "Compares virtual DMs trained on each.",
        "--real sample --generated tavern",
        page=True,
        demo=demo,
    )


load_information = WorldPlugin(
    "anteval-information",
    _load_information,
    declared=INFORMATION,
    about="D&D parties exchange information: who learns which facts (AntEval, IEP)",
    settings=InformationSettings,
    short={"turns": "8"},
    importers={
        "dnd": _real_play("dnd:import_dnd"),
        "crd3": _real_play("crd3:import_crd3"),
        "fireball": _real_play("fireball:import_fireball"),
    },
    writers=_writers("anteval-information", InformationSettings),
    sidebar=_facts,
    guides={"informativeness": lambda: rating_guide("information")},
    impressions=True,
    exam=partial(import_on_call(f"{_PACKAGE}.exam:exam"), "information"),
)

load_intention = WorldPlugin(
    "anteval-intention",
    _load_intention,
    declared=INTENTION,
    about="D&D players express intentions: do their words show them? (AntEval, IEG)",
    settings=IntentionSettings,
    short={"turns": "8"},
    writers=_writers("anteval-intention", IntentionSettings),
    guides={"expressiveness": lambda: rating_guide("intention")},
    tools={"gap": _gap},
    recipes=recipes("sociolab.worlds.anteval", "anteval-table1", "anteval-table2"),
    exam=partial(import_on_call(f"{_PACKAGE}.exam:exam"), "intention"),
)
