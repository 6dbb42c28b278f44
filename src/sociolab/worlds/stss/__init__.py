"""STSS (arXiv 2404.05337): social tasks in a sandbox town, scored by what happened."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.worlds.stss.both_levels import levels as levels
    from sociolab.worlds.stss.dataset import (
        Content as Content,
        TownData as TownData,
        own_town as own_town,
        read_town as read_town,
        write_town as write_town,
    )
    from sociolab.worlds.stss.importing.village import DefectKind as DefectKind
    from sociolab.worlds.stss.kit import load as load
    from sociolab.worlds.stss.replays import replay as replay
    from sociolab.worlds.stss.scoring import (
        ScoreSettings as ScoreSettings,
        TaskScore as TaskScore,
        score as score,
    )
    from sociolab.worlds.stss.talk.dataset import (
        Side as Side,
        TalkScenario as TalkScenario,
        read_talks as read_talks,
    )
    from sociolab.worlds.stss.talk.freezing import frozen_talks as frozen_talks
    from sociolab.worlds.stss.talk.playing import (
        TalkSettings as TalkSettings,
        play_talk as play_talk,
    )
    from sociolab.worlds.stss.talk.verdicts import MEASURES as MEASURES
    from sociolab.worlds.stss.task import (
        TASK_TYPES as TASK_TYPES,
        Keywords as Keywords,
        SocialTask as SocialTask,
        task_faults as task_faults,
    )
    from sociolab.worlds.stss.templates import (
        Template as Template,
        instantiate as instantiate,
        own_templates as own_templates,
    )
    from sociolab.worlds.stss.world import (
        Stss as Stss,
        StssSettings as StssSettings,
        trajectory_of as trajectory_of,
    )

__getattr__, __dir__ = load_public_names(__name__)
