"""Plays trials at the same time, resumes them, has them judged."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.runner.guard import ForeignPlayer as ForeignPlayer
    from sociolab.runner.judging import (
        checked_verdicts as checked_verdicts,
        verdicts_of as verdicts_of,
    )
    from sociolab.runner.local import RunContext as RunContext, play_all as play_all
    from sociolab.runner.plan import (
        Shard as Shard,
        every_seating as every_seating,
        filter_tasks as filter_tasks,
        plan_trials as plan_trials,
    )
    from sociolab.runner.progress import (
        TalliedReplies as TalliedReplies,
        Tally as Tally,
        TurnProgress as TurnProgress,
        Waits as Waits,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
