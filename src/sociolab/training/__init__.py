"""Stored runs as examples to train a model on, and live episodes to train it in."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.training.arena import Arena as Arena
    from sociolab.training.examples import ExportOptions as ExportOptions
    from sociolab.training.export import (
        ExportedFiles as ExportedFiles,
        export_training as export_training,
    )
    from sociolab.training.rewards import (
        EpisodeRewards as EpisodeRewards,
        Reward as Reward,
    )
    from sociolab.training.session import (
        ArenaSession as ArenaSession,
        MissedTurns as MissedTurns,
        Observed as Observed,
        Step as Step,
    )
    from sociolab.training.turns import (
        Rebuilder as Rebuilder,
        Skipped as Skipped,
        read_episodes as read_episodes,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
