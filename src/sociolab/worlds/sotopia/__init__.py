"""SOTOPIA (arXiv 2310.11667): characters with private goals talk; seven dimensions are scored."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.worlds.sotopia.build import (
        cast_tasks as cast_tasks,
        castable_pairs as castable_pairs,
    )
    from sociolab.worlds.sotopia.claims import (
        closing_reports as closing_reports,
        negotiation as negotiation,
        read_claims as read_claims,
    )
    from sociolab.worlds.sotopia.dataset import (
        DataSet as DataSet,
        TaskRow as TaskRow,
        load as load,
    )
    from sociolab.worlds.sotopia.evaluation import (
        DIMENSIONS as DIMENSIONS,
        GOAL as GOAL,
        GOAL_CHECKED as GOAL_CHECKED,
        OVERALL as OVERALL,
        SotopiaRubric as SotopiaRubric,
    )
    from sociolab.worlds.sotopia.importing.episodes import (
        ImportedEpisodes as ImportedEpisodes,
        import_episodes as import_episodes,
    )
    from sociolab.worlds.sotopia.importing.negotiations import (
        import_casino as import_casino,
        import_deal_or_no_deal as import_deal_or_no_deal,
    )
    from sociolab.worlds.sotopia.importing.package_texts import read_package as read_package
    from sociolab.worlds.sotopia.importing.public_data import import_sotopia as import_sotopia
    from sociolab.worlds.sotopia.importing.reading import (
        Quirk as Quirk,
        Quirks as Quirks,
    )
    from sociolab.worlds.sotopia.kit import Settings as Settings
    from sociolab.worlds.sotopia.outcome import (
        CLOSING as CLOSING,
        Established as Established,
        HeuristicJudge as HeuristicJudge,
        RecordedOutcome as RecordedOutcome,
        ReportedOutcome as ReportedOutcome,
        closing_polls as closing_polls,
        divide_shares as divide_shares,
        goals_of as goals_of,
        price_value as price_value,
        recorded_outcome as recorded_outcome,
        score_outcome as score_outcome,
    )
    from sociolab.worlds.sotopia.outcome_reader import (
        OutcomeReader as OutcomeReader,
        read_labelled as read_labelled,
    )
    from sociolab.worlds.sotopia.rating import (
        rated_scene as rated_scene,
        rating_guide as rating_guide,
    )
    from sociolab.worlds.sotopia.scenarios import (
        BigFive as BigFive,
        Character as Character,
        DivisionGoal as DivisionGoal,
        Facts as Facts,
        Friend as Friend,
        FriendGoal as FriendGoal,
        Goal as Goal,
        OptionGoal as OptionGoal,
        PriceGoal as PriceGoal,
        Relationship as Relationship,
        RelationshipType as RelationshipType,
        Scenario as Scenario,
        SceneCast as SceneCast,
        casting_from as casting_from,
    )
    from sociolab.worlds.sotopia.scene import (
        ACTIONS as ACTIONS,
        LEAVE as LEAVE,
        NON_VERBAL as NON_VERBAL,
        NONE as NONE,
        PACKAGE as PACKAGE,
        PHYSICAL as PHYSICAL,
        REQUIRED_TEMPLATES as REQUIRED_TEMPLATES,
        SPEAK as SPEAK,
        TURN_LIMIT as TURN_LIMIT,
        SotopiaScene as SotopiaScene,
        judge_names as judge_names,
        paper_prompts as paper_prompts,
    )
    from sociolab.worlds.sotopia.scripted import ScriptedPlayer as ScriptedPlayer
    from sociolab.worlds.sotopia.visibility import STRANGER_LABEL as STRANGER_LABEL
    from sociolab.worlds.sotopia.world import (
        Sotopia as Sotopia,
        casting_of as casting_of,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
