"""SOTOPIA as a plugin: its settings, players, judges, importers and writers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.core.lazy import import_on_call
from sociolab.core.metrics import Declared, metrics
from sociolab.core.ports import ChatModel, Judge, Pace, StandingOffers, World, WorldKit
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.options import Flag
from sociolab.plugin.recipe import recipes
from sociolab.plugin.world import (
    EpisodeImporter,
    ImportedPlay,
    Importer,
    Importing,
    PromptImporter,
    WorldPlugin,
    Writer,
)
from sociolab.prompting.sets import PromptedSettings, PromptSet
from sociolab.worlds.sotopia.audit import VARIANTS
from sociolab.worlds.sotopia.closing_form import DEAL
from sociolab.worlds.sotopia.dataset import load as load_data
from sociolab.worlds.sotopia.evaluation import GOAL_CHECKED
from sociolab.worlds.sotopia.haggler import hagglers
from sociolab.worlds.sotopia.outcome import HeuristicJudge, RecordedOutcome, ReportedOutcome
from sociolab.worlds.sotopia.plain_offers import heard_moves, standing_offers
from sociolab.worlds.sotopia.scene import (
    LEAVE,
    NONE,
    PACKAGE,
    REQUIRED_TEMPLATES,
    SPEAK,
    TURN_LIMIT,
)
from sociolab.worlds.sotopia.scripted import ScriptedPlayer
from sociolab.worlds.sotopia.world import Sotopia


class Settings(PromptedSettings):
    """`turns` is the limit of an episode (20 in the paper).

    `names`: strangers' names are hidden until they are spoken (SOTOPIA section 2.1), or shown, as
    in the public code. `closing_question` asks each seat what was agreed, if the goal has a
    formula; it comes after the last turn, so that it cannot influence the episode.
    """

    package = PACKAGE
    required_templates = REQUIRED_TEMPLATES
    told = ("act_head", "act_tail")

    turns: int = Field(default=TURN_LIMIT, ge=1)
    names: Literal["hidden", "shown"] = "hidden"
    closing_question: bool = True


class WritingSettings(PromptedSettings):
    """`prompts` is a set with the texts below; its settings for play do not apply here."""

    package = PACKAGE
    required_templates: ClassVar[Mapping[str, str]] = {
        "write_characters": "",
        "write_background": "",
        "write_relationship": "",
        "write_scenario": "pairs ties",
        "write_template": "",
        "review_scenario": "",
    }

    @classmethod
    def defaults_for(cls, settings: Mapping[str, str]) -> Mapping[str, Any]:
        return {}


class RelationshipSettings(WritingSettings):
    """`strangers`: how many pairs of strangers; None: one for every three others (the paper's)."""

    strangers: int | None = Field(default=None, ge=0)


class ScenarioSettings(WritingSettings):
    """`method`: from vignettes or from templates. `inspire` is a file of inspirational prompts;
    without one, the package's own few are used. `pairs`: how many must fit a scenario (appendix
    D.2)."""

    method: Literal["vignettes", "templates"] = "vignettes"
    inspire: str = ""
    pairs: int = Field(default=5, ge=1)


DECLARED = Declared(
    # SOTOPIA, Table 2 and Figure 3.
    metrics=metrics(
        "points",
        {
            "social_rules": ("social rules", "Norms and laws that were broken"),
            "secret": ("secret", "Whether the agent kept its secret; 0 where it did"),
            "financial": ("financial and material benefits", "What was gained or lost"),
            "relationship": ("relationship", "Whether the relationship improved or suffered"),
            "knowledge": ("knowledge", "How much new and important was learnt"),
            "goal": ("goal completion", "How far the agent reached its own goal"),
            "believability": ("believability", "How naturally and in character the agent acted"),
            "overall": "Unweighted mean of SOTOPIA's seven dimensions",
            "goal_checked": "Goal completion computed from the outcome by a formula",
        },
    )
    # Sections 6 and 7, figures G.3 to G.13; beside the seven, never in the overall.
    + metrics(
        "share",
        {
            "persona_lost": "Episodes in which the agent stops being its character",
            "stalled": "Episodes in which the agent keeps the conversation from moving forward",
            "unanswered": "Episodes in which the agent leaves a question of the other's unanswered",
            "rephrases": "Episodes in which the agent usually gives back what the other said first",
            "opens_at_target": "Episodes in which the first bid is the number that the goal names",
            "persistent": "Episodes in which the agent keeps pursuing its goal after a refusal",
            "creative": "Episodes in which the agent proposes a way out that nothing suggests",
        },
        lower=("persona_lost", "stalled", "unanswered", "opens_at_target"),
        neither=("rephrases",),
    ),
    main=("overall", "goal_checked", "goal"),
    cluster="scenario",
    spoken=(SPEAK,),
    acts={NONE: "did nothing", LEAVE: "left"},
    ends={DEAL: "a deal was accepted"},
    published={
        "models": "SOTOPIA's Table 1 (GPT-4 and its raters, episodes by models): SEC 0.22, KNO "
        "0.33, SOC 0.33, BEL 0.45, REL 0.56, FIN 0.62, GOAL 0.71; other episodes, raters and "
        "prompts: not a target.",
        "people": "SOTOPIA's Table 1 (GPT-4 and its raters, episodes by people): KNO 0.19, BEL "
        "0.27, FIN 0.34, SOC 0.42, REL 0.49, GOAL 0.78; other episodes, raters and prompts: not a "
        "target.",
    },
)


def _load(setup: WorldSetup) -> WorldKit:
    """The world over a data folder, or over the data that comes with the package."""
    settings = setup.read("sotopia", Settings)
    if setup.folder is None:
        with as_file(files(PACKAGE) / "data") as own:
            data = load_data(own)
    else:
        data = load_data(setup.folder)
    layout = settings.texts.manifest.layout
    if layout.reply_form == "in prompt" and any(
        scenario.closing == "deals" for scenario in data.scenarios.values()
    ):
        raise ConfigError(
            f"{data.id.name} has scenarios that close by deals, for which the prompt set "
            f"{settings.texts.name} has no form: it asks for replies in a form of its own; choose "
            "another one, such as --set prompts=paper"
        )
    return WorldKit(
        world=Sotopia(
            data,
            settings.turns,
            setup.policy,
            settings.closing_question,
            settings.texts,
            settings.names == "shown",
        ),
        players={"scripted": ScriptedPlayer()} | hagglers(),
        judges={"heuristic": HeuristicJudge()},
        checks=(RecordedOutcome(heard_moves), ReportedOutcome(heard_moves)),
        model_judge=partial(_model_judge, settings.texts),
        reader=_outcome_reader,
        pace=Pace(lambda task: settings.turns),
        temperature=settings.texts.agent_temperature(1.0),
        instructions=settings.texts.instructions(),
        standing=StandingOffers(GOAL_CHECKED.name, standing_offers),
        training_partners=frozenset(hagglers()),
        variants=VARIANTS,
        validation={
            "outcome": import_on_call("sociolab.worlds.sotopia.outcome_reader:read_labelled")
        },
    )


def _model_judge(texts: PromptSet, model: ChatModel) -> Judge:
    from sociolab.judging.llm_judge import LlmJudge
    from sociolab.worlds.sotopia.evaluation import SotopiaRubric

    return LlmJudge(SotopiaRubric(texts), model, texts.manifest.temperature.judge)


def _outcome_reader(model: ChatModel) -> Judge:
    from sociolab.judging.llm_judge import LlmJudge
    from sociolab.worlds.sotopia.outcome_reader import OutcomeReader

    return LlmJudge(OutcomeReader(), model, role="reader")


def _import_data(config: Importing, fresh: Path) -> Sequence[str]:
    from sociolab.worlds.sotopia.importing.public_data import import_sotopia

    return import_sotopia(config.source, fresh, config.name, strategy_hints=not config.flag).lines


def _reader(path: str) -> Callable[[Path], ImportedPlay]:
    """What reads episodes, imported when it is first called."""

    def read(source: Path) -> ImportedPlay:
        imported = import_on_call(path)(source)
        return imported.episodes, imported.lines, imported.judgings

    return read


def _people_importer(reader: str) -> EpisodeImporter:
    """An importer of people's negotiations, whose tasks agents can play."""
    return EpisodeImporter(
        _reader(f"{_NEGOTIATIONS}:{reader}"),
        "docs/people.md",
        "agents on the same tasks: sociolab run sotopia --data {name}; beside these people: "
        "sociolab report RUN --people {name}",
        import_on_call(f"{_NEGOTIATIONS}:write_tasks"),
    )


def _remarks(world: World) -> Sequence[str]:
    from sociolab.worlds.sotopia.dataset import remarks

    return remarks(world.dataset) if isinstance(world, Sotopia) else ()


_WRITING = f"{PACKAGE}.writing"

_NEGOTIATIONS = f"{PACKAGE}.importing.negotiations"

_IMPORTS = "docs/import-sotopia.md"

load = WorldPlugin(
    "sotopia",
    _load,
    declared=DECLARED,
    about="two characters with private goals and secrets talk (SOTOPIA)",
    settings=Settings,
    short={"turns": "8"},
    importers={
        "sotopia": Importer(
            _import_data,
            "play it: sociolab run sotopia --data {name}",
            flag=Flag("--no-hints", "", "Leave out strategy hints in public goals."),
            page=_IMPORTS,
        ),
        "sotopia-episodes": EpisodeImporter(
            _reader(f"{PACKAGE}.importing.episodes:import_episodes"), _IMPORTS
        ),
        "casino": _people_importer("import_casino"),
        "dealornodeal": _people_importer("import_deal_or_no_deal"),
    },
    talk=import_on_call(f"{PACKAGE}.importing.talks:import_talk"),
    exporters={"sotopia": import_on_call(f"{PACKAGE}.archive:archive")},
    prompts=PromptImporter(
        import_on_call("sociolab.worlds.sotopia.importing.prompts:import_prompts"),
        PACKAGE,
        ("plus",),
    ),
    writers={
        "characters": Writer(import_on_call(f"{_WRITING}:write_characters"), WritingSettings),
        "relationships": Writer(
            import_on_call(f"{_WRITING}:write_relationships"), RelationshipSettings
        ),
        "scenarios": Writer(
            import_on_call(f"{PACKAGE}.scenario_writing:write_scenarios"), ScenarioSettings
        ),
    },
    remarks=_remarks,
    cast=import_on_call("sociolab.worlds.sotopia.build:cast_folder"),
    guides={
        "dimensions": import_on_call("sociolab.worlds.sotopia.rating:rating_guide"),
        "behaviour": import_on_call("sociolab.worlds.sotopia.rating:behaviour_guide"),
    },
    reviewed=import_on_call("sociolab.worlds.sotopia.rating:reviewed_task"),
    revise=import_on_call("sociolab.worlds.sotopia.rating:revise"),
    recipes=recipes(
        PACKAGE,
        *(
            f"sotopia-{key}"
            for key in ("table1", "table2", "figure-f4", "table3", "hard", "pi-human")
        ),
    ),
    negotiation=import_on_call(f"{PACKAGE}.claims:negotiation"),
    closing_reports=import_on_call(f"{PACKAGE}.claims:closing_reports"),
    exam=import_on_call("sociolab.worlds.sotopia.exam:exam"),
)
