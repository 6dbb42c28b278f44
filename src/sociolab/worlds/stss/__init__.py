"""STSS (arXiv 2404.05337): social tasks in a sandbox town, scored by what happened."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.worlds.stss.both_levels import (
        LEVELS as LEVELS,
        AgentLevels as AgentLevels,
        levels_section as levels_section,
        read_levels as read_levels,
    )
    from sociolab.worlds.stss.dataset import (
        DAYS as DAYS,
        Content as Content,
        TownData as TownData,
        format_map as format_map,
        own_town as own_town,
        pack_map as pack_map,
        parse_content as parse_content,
        read_map as read_map,
        read_town as read_town,
        write_town as write_town,
    )
    from sociolab.worlds.stss.evidence import event_window as event_window, was_lived as was_lived
    from sociolab.worlds.stss.goal_authors import AuthorsGoal as AuthorsGoal
    from sociolab.worlds.stss.importing.importer import (
        ImportReport as ImportReport,
        import_stss as import_stss,
    )
    from sociolab.worlds.stss.importing.village import (
        Defect as Defect,
        DefectKind as DefectKind,
        PlaceNames as PlaceNames,
        Ville as Ville,
        find_files as find_files,
        read_ville as read_ville,
    )
    from sociolab.worlds.stss.judges import (
        OUTCOMES as OUTCOMES,
        READ_METRICS as READ_METRICS,
        StssModelJudge as StssModelJudge,
        StssRulesJudge as StssRulesJudge,
        measures_of as measures_of,
    )
    from sociolab.worlds.stss.kit import load as load, python_player as python_player
    from sociolab.worlds.stss.narrative import story as story
    from sociolab.worlds.stss.replays import (
        read_content as read_content,
        replay as replay,
        resident_outcomes as resident_outcomes,
    )
    from sociolab.worlds.stss.scoring import (
        Account as Account,
        ErrandDone as ErrandDone,
        ScoreSettings as ScoreSettings,
        TaskScore as TaskScore,
        explain_authors as explain_authors,
        explain_score as explain_score,
        score as score,
    )
    from sociolab.worlds.stss.talk.building import (
        TalkBuild as TalkBuild,
        build_talks as build_talks,
    )
    from sociolab.worlds.stss.talk.dataset import (
        Neighbour as Neighbour,
        Side as Side,
        TalkData as TalkData,
        TalkScenario as TalkScenario,
        count_talks as count_talks,
        describe_counts as describe_counts,
        own_talks as own_talks,
        parse_scenario as parse_scenario,
        read_talks as read_talks,
        write_talks as write_talks,
    )
    from sociolab.worlds.stss.talk.freezing import (
        freeze_episode as freeze_episode,
        freeze_talks as freeze_talks,
    )
    from sociolab.worlds.stss.talk.model_judge import TalkModelJudge as TalkModelJudge
    from sociolab.worlds.stss.talk.playing import (
        FrozenMemory as FrozenMemory,
        HeldTalk as HeldTalk,
        TalkSettings as TalkSettings,
        make_performer as make_performer,
        play_talk as play_talk,
        read_talk as read_talk,
    )
    from sociolab.worlds.stss.talk.verdicts import (
        CONVERSATION_GCSR as CONVERSATION_GCSR,
        MEASURES as MEASURES,
        RecordedJudge as RecordedJudge,
        readable as readable,
    )
    from sociolab.worlds.stss.talk.world import StssTalk as StssTalk
    from sociolab.worlds.stss.task import (
        TASK_TYPES as TASK_TYPES,
        Errand as Errand,
        Keywords as Keywords,
        SocialTask as SocialTask,
        ordinary_day as ordinary_day,
        task_faults as task_faults,
    )
    from sociolab.worlds.stss.templates import (
        Template as Template,
        goal_text as goal_text,
        instantiate as instantiate,
        load_templates as load_templates,
        own_templates as own_templates,
    )
    from sociolab.worlds.stss.world import (
        Stss as Stss,
        StssSettings as StssSettings,
        make_setting as make_setting,
        paper_prompts as paper_prompts,
        read_trajectory as read_trajectory,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
