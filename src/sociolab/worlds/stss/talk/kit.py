"""What STSS offers at the language level: the world of conversation tasks, its minds and judges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sociolab.core.episode import Episode
from sociolab.core.lazy import import_on_call
from sociolab.core.metrics import Declared, Metric
from sociolab.core.ports import ChatModel, Judge, Pace, Player, Role, World, WorldKit
from sociolab.core.score import judge_title
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.context import Tool
from sociolab.plugin.shown import Condition, Conditions, Sidebar
from sociolab.plugin.world import WorldPlugin
from sociolab.prompting.sets import PromptSet
from sociolab.store.verdicts import JudgingRow
from sociolab.town.scripted.mind import SCRIPTED
from sociolab.worlds.stss.kit import SCRIPTED_LIFE, TDP, TownPlayer, python_player
from sociolab.worlds.stss.talk.audit import VARIANTS
from sociolab.worlds.stss.talk.dataset import describe_counts, own_talks, read_talks
from sociolab.worlds.stss.talk.playing import TalkSettings
from sociolab.worlds.stss.talk.verdicts import LEVELS, OF_TALK, RecordedJudge, findings_of
from sociolab.worlds.stss.talk.world import StssTalk
from sociolab.worlds.stss.world import town_casts

TEMPERATURE = 0.0
PENALTIES = 0.0
"""For both speakers (STSS appendix A.2); a spec can name another temperature."""

DECLARED = Declared(
    partner="the background agents",
    scripted=SCRIPTED_LIFE,
    # STSS, Table 3: each at both levels, over conversations and over tasks.
    metrics=tuple(
        Metric(f"{level}_{rate}{macro}", name, f"{what}, {where}", "share", macro=not macro)
        for level, where in (
            ("conversation", "in the conversation itself"),
            ("summary", "in what the listener remembers"),
        )
        for rate, name, what in (
            ("sr", "success rate", "Whether all goal conditions were conveyed"),
            ("gcsr", "goal condition success rate", "Share of goal conditions conveyed"),
        )
        for macro in ("", "_macro")
    ),
    main=("conversation_gcsr",),
    cluster="task",
    spoken=("speak",),
    questions=TDP,
    judges={
        "scripted": "exact, from the recorded acts of scripted players; any other agent needs "
        "an LLM judge: --judge openai/MODEL"
    },
)


def _load(setup: WorldSetup) -> WorldKit:
    """The world over a folder, or over the conversation tasks of this package."""
    settings = setup.read("stss-talk", TalkSettings)
    data = own_talks() if setup.folder is None else read_talks(setup.folder)
    return WorldKit(
        world=StssTalk(data, settings, setup.policy),
        players=SCRIPTED,
        judges={"recorded": RecordedJudge()},
        checks=(),
        model_judge=lambda model: model_judge(model, settings.texts),
        casts=town_casts,
        declared=Declared(footnote=settings.footnote),
        model_player=partial(model_player, settings.texts),
        instructions=settings.texts.instructions(),
        python_player=partial(python_player, questions=settings.questions),
        temperature=settings.texts.agent_temperature(TEMPERATURE),
        pace=Pace(lambda task: 2 * settings.rounds),
        background=True,
        variants=VARIANTS,
        validation={
            "conditions": import_on_call("sociolab.worlds.stss.talk.model_judge:read_labelled")
        },
    )


def model_player(
    texts: PromptSet, model: ChatModel, role: Role, temperature: float, dialect: str
) -> Player:
    return TownPlayer(model, texts, role, temperature, dialect, PENALTIES)


def model_judge(model: ChatModel, texts: PromptSet) -> Judge:
    from sociolab.worlds.stss.talk.model_judge import TalkModelJudge

    return TalkModelJudge(model, texts)


def _conditions(episode: Episode, judgings: Sequence[JudgingRow]) -> Sidebar:
    """What each judge found about each goal condition, in the talk and in its note."""
    conditions = [
        Conditions(
            judge_title(row.judge.label, row.judge.method),
            LEVELS[verdict.measure.name],
            tuple(
                Condition(finding.condition.text, finding.met, finding.quote)
                for finding in findings
            ),
            verdict.measure.name in OF_TALK,
        )
        for row in judgings
        for verdict in row.verdicts
        if (findings := findings_of(episode, verdict))
    ]
    return Sidebar(conditions=tuple(conditions))


def _remarks(world: World) -> Sequence[str]:
    """How many conversations there are of what, and who played the days before them."""
    assert isinstance(world, StssTalk)
    return describe_counts(world.dataset)


def _build() -> Tool:
    from sociolab.worlds.stss.talk.building import TalkBuild, build_command

    return Tool(
        TalkBuild,
        build_command,
        "Freeze conversation tasks from the simulated days of a town.\n\n"
        "Scripted residents simulate its tasks first, or --run names a stored run of the town, by "
        "whatever models.",
        "stss-talk --seeds 1-2 --total 100 --name small",
    )


load = WorldPlugin(
    "stss-talk",
    _load,
    declared=DECLARED,
    about="single conversations of that town, frozen as tasks (STSS, language level)",
    settings=TalkSettings,
    short={"rounds": "3"},
    people=False,
    remarks=_remarks,
    sidebar=_conditions,
    tools={"build": _build},
    exam=import_on_call("sociolab.worlds.stss.exam:talk_exam"),
)
