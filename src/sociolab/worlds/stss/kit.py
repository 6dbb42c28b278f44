"""What the STSS package offers: the world, its scripted minds, its judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import iscoroutinefunction
from pathlib import Path
from types import MethodType
from typing import Any

from sociolab.analysis.across_worlds import TwoLevels
from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError
from sociolab.core.lazy import import_on_call
from sociolab.core.metrics import Declared, metrics
from sociolab.core.ports import (
    ChatModel,
    Judge,
    NoReply,
    Pace,
    Player,
    Reply,
    Request,
    Role,
    World,
    WorldKit,
)
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.context import Tool
from sociolab.plugin.options import Flag
from sociolab.plugin.recipe import recipes
from sociolab.plugin.town import TownWorld
from sociolab.plugin.world import Importer, Importing, PromptImporter, WorldPlugin
from sociolab.prompting.sets import PromptSet
from sociolab.town.embedding import EmbeddingPlayer
from sociolab.town.mind import MindPlayer, can_answer
from sociolab.town.model_mind import ModelMind
from sociolab.town.questions import QUESTIONS, MindQuestion
from sociolab.town.scripted.mind import SCRIPTED
from sociolab.worlds.stss.audit import variants
from sociolab.worlds.stss.dataset import own_town, read_town
from sociolab.worlds.stss.judges import StssModelJudge, StssRulesJudge
from sociolab.worlds.stss.scoring import ScoreSettings
from sociolab.worlds.stss.world import PACKAGE, Stss, StssSettings, Tempo, town_casts

TDP = {
    "general_plan": "TDP's general plan",
    "day_reminder": "TDP's day reminder",
    "talk_reminder": "TDP's checklist for conversations",
}
SCRIPTED_LIFE = "smoke test: rule-based residents"
"""What scripted play is, wherever it is shown."""

DECLARED = Declared(
    partner="the background agents",
    # STSS, Table 4, and what stands beside it.
    metrics=metrics(
        "share",
        {
            "public_activity": "Score of tasks that bring people to a public event",
            "appointment": "Score of tasks that bring one person to a meeting",
            "inviting_companions": "Score of tasks that find companions",
            "online_activity": "Score of tasks that bring people to an online event",
            "asking_for_help": "Score of tasks that find helpers",
            "overall": "Mean score of all tasks: share of the people wanted who took part",
            "goal_authors": "Score by the rule of the authors' public code",
            "goal_by_word": (
                "Score counting only people who had heard of it in a conversation before they came"
            ),
            "conversation_ratio": "Conversations that the performer began, per person wanted",
            "conversation_ratio_both": (
                "Conversations with the performer, whoever began, per person wanted"
            ),
            "goal_0_min": "Score if being there for a moment counted",
            "goal_15_min": "Score if only 15 minutes or more counted",
            "goal_any_helper": "Score if anybody who helped counted",
            "goal_any_host": "Score if the host need not be there",
            "goal_read": "Score if a model judges from people's actions who took part",
            "took_part_by_filter": (
                "Share of residents present whose action passes the paper's keyword filter"
            ),
            "took_part_read": (
                "Share of residents present who took part as a model reads their actions"
            ),
            "filter_agreement": "Share on which keyword filter and model agree",
            "lost_no_conversation": "Share of eligible residents who never spoke to the performer",
            "lost_not_conveyed": "Share of eligible residents who spoke and were not told enough",
            "lost_not_noted": "Share of eligible residents who were told and did not remember",
            "lost_not_acted_on": "Share of eligible residents who remembered and did not come",
        },
        lower=["lost_no_conversation", "lost_not_conveyed", "lost_not_noted", "lost_not_acted_on"],
        neither=[
            "conversation_ratio",
            "conversation_ratio_both",
            "took_part_by_filter",
            "took_part_read",
        ],
        units={
            "conversation_ratio": "conversations per person",
            "conversation_ratio_both": "conversations per person",
        },
    ),
    main=("overall",),
    cluster="task",
    questions=TDP,
    scripted=SCRIPTED_LIFE,
    agreement=("took_part_by_filter", "took_part_read", "filter_agreement"),
    two_rules=("overall", "goal_authors"),
    judges={
        "rules": "rule-based: positions from the trace, actions by keyword; why people did not "
        "attend is on record for scripted players only, otherwise read by --judge openai/MODEL"
    },
)


def _load(setup: WorldSetup) -> WorldKit:
    """The world over a folder, or over our own town with the tasks of a seed."""
    settings = setup.read("stss", StssSettings)
    data = own_town(setup.seed) if setup.folder is None else read_town(setup.folder)
    tempo = Tempo()

    def model(model: ChatModel, role: Role, temperature: float, dialect: str) -> Player:
        tempo.answers_take_time = True
        return model_player(model, settings.texts, role, temperature, dialect)

    def python(label: str, mind: object) -> Player:
        tempo.answers_take_time = True
        return python_player(label, mind, settings.questions)

    scoring = ScoreSettings(least=settings.least)
    world = Stss(data, settings, setup.policy, tempo)

    def model_judge(model: ChatModel) -> Judge:
        return StssModelJudge(model, scoring, settings.texts)

    return WorldKit(
        world=world,
        players=SCRIPTED,
        judges={"rules": StssRulesJudge(scoring)},
        checks=(),
        model_judge=model_judge,
        variants=variants(scoring),
        casts=town_casts,
        background=True,
        instructions=settings.instructions,
        declared=Declared(footnote=settings.footnote),
        embedder=settings.embedder,
        embedding_player=EmbeddingPlayer,
        temperature=settings.texts.agent_temperature(1.0),
        pace=Pace(world.steps, "simulated hours", 3600 // settings.step),
        model_player=model,
        python_player=python,
        # Made-up replies take no time: they are lived in lock-step, which is quicker for them.
        # Vectors cost a thousandth of what is asked.
        dry_run=Stss(data, settings.model_copy(update={"embedder": ""}), setup.policy),
        # Tens of thousands of made-up replies take a minute, and their texts are too long.
        rehearsal=next(iter(SCRIPTED.values())) if settings.mind == "generative-agents" else None,
    )


def model_player(
    model: ChatModel, texts: PromptSet, role: Role, temperature: float, dialect: str
) -> Player:
    """A chat model as a mind; ConfigError for a dialect that it cannot use."""
    if dialect != "json":
        raise ConfigError(
            f'a town asks for plans and lists, which need dialect=json; found "{dialect}"'
        )
    return TownPlayer(model, texts, role, temperature)


class TownPlayer:
    """A chat model in a town: the performer's own seat has the role of the agent, all others are
    background.

    Calls and their price are thus separated by role even where one model answers for all.
    """

    def __init__(
        self,
        model: ChatModel,
        texts: PromptSet,
        role: Role,
        temperature: float,
        dialect: str = "json",
        penalties: float | None = None,
    ) -> None:
        def mind(role: Role) -> MindPlayer:
            model_mind = ModelMind(
                model, texts, role, temperature=temperature, dialect=dialect, penalties=penalties
            )
            return MindPlayer(model_mind)

        self._performer, self._background = mind(role), mind("background")

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        me = request.observation.view.me
        performs = me.task is not None and request.seat == me.resident.id
        player = self._performer if performs else self._background
        return await player.reply(request, memory)


def python_player(
    label: str, mind: object, questions: Sequence[type[MindQuestion[Any]]] = QUESTIONS
) -> Player:
    """A mind of one's own; ConfigError where it lacks a method, or one is not async."""
    missing = [question.name for question in questions if not can_answer(mind, question)]
    if missing and callable(getattr(mind, "reply", None)):
        raise ConfigError(
            f'"{label}" is an agent that takes turns; a town needs a mind: expected "scripted", '
            '"endpoint/model", a program ("bridge:COMMAND") or a mind of your own; see docs/stss.md'
        )
    if missing:
        raise ConfigError(
            f'"{label}" cannot live in a town: expected a mind with "async def '
            f'{missing[0]}(self, question)" and {len(missing) - 1} more that it lacks, or one '
            '"answer" for them all; inherit the rest from sociolab.town.ScriptedMind; '
            "see docs/stss.md"
        )
    for name in (*(question.name for question in questions), "answer"):
        method = getattr(mind, name, None)
        if isinstance(method, MethodType) and not iscoroutinefunction(method):
            raise ConfigError(
                f'"{label}": {name} is not async: expected "async def {name}(self, question)", '
                'found a plain "def"'
            )
    return MindPlayer(mind)


def _public_town(importing: Importing, fresh: Path) -> Sequence[str]:
    from sociolab.worlds.stss.importing.importer import import_stss

    return import_stss(importing.source, fresh, importing.name, correct=importing.flag).lines


def _remarks(world: World) -> Sequence[str]:
    """Which tasks have filters that an ordinary day passes, and what was not checked."""
    from sociolab.worlds.stss.task import filter_remarks

    assert isinstance(world, Stss)
    data = world.dataset
    return (*filter_remarks(data.tasks, data.residents), *data.remarks)


def _two_levels() -> TwoLevels:
    from sociolab.worlds.stss.both_levels import LEVELS

    return LEVELS


def _levels() -> Tool:
    from sociolab.worlds.stss.plan import LevelsConfig, levels_command

    def demo(runs: Mapping[str, str]) -> LevelsConfig | None:
        if not {"stss", "stss-talk"} <= runs.keys():
            return None
        return LevelsConfig(talk=(runs["stss-talk"],), action=(runs["stss"],))

    return Tool(
        LevelsConfig,
        levels_command,
        "Play agents at both levels of STSS, with and without TDP, and compare the levels.\n\n"
        "Plays what is missing, or reads stored runs (--talk, --action); also says why people did "
        "not attend.",
        "--agent openai/MODEL --background openai/OTHER --judge openai/JUDGE --dry-run",
        page=True,
        demo=demo,
    )


def _town() -> TownWorld:
    from sociolab.worlds.stss.replays import load_town_map, replay, simulated_days

    return TownWorld(load_town_map, simulated_days, replay)


load = WorldPlugin(
    "stss",
    _load,
    declared=DECLARED,
    about="social tasks in a sandbox town, scored by who comes (STSS, action level)",
    settings=StssSettings,
    people=False,
    importers={
        "stss": Importer(
            _public_town,
            "play it: sociolab run stss --data {name}",
            flag=Flag("--correct", "", "Fix known defects of tasks (stss)."),
            page="docs/import-stss.md",
        )
    },
    prompts=PromptImporter(import_on_call(f"{PACKAGE}.importing.prompts:import_prompts"), PACKAGE),
    remarks=_remarks,
    levels=_two_levels,
    town=_town,
    tools={"levels": _levels},
    exam=import_on_call(f"{PACKAGE}.exam:exam"),
    recipes=recipes("sociolab.worlds.stss", "stss-table3", "stss-table4", "stss-5.3"),
)
