"""The stored episodes of a run as a judge of single turns reads them."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.app.finding.worlds import world_of
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.core.ports import World
from sociolab.judging.credit_record import CreditMeasure
from sociolab.judging.credit_story import Story, story_of
from sociolab.report.result import run_of_episodes
from sociolab.store.store import Store


def stories_of(
    store: Store, run: str, measures: Sequence[CreditMeasure], limit: int | None
) -> list[tuple[Episode, Story]]:
    """The first `limit` played episodes of a run, as a judge of turns reads them.

    ConfigError where there is none, none has lines, or nobody in them has something at stake.
    """
    row = run_of_episodes(store, run)
    world = world_of(row.world)
    trials = [one.trial.id for one in store.trials(run) if one.status == "played"][:limit]
    if not trials:
        raise ConfigError(f'the run "{run}" has no played episode: there are no turns to credit')
    stories = [_story(world, store.episode(run, trial), measures) for trial in trials]
    if not any(story.transcript.lines for _, story in stories):
        raise ConfigError(
            f'the episodes of "{run}" have no lines: credit is for worlds whose transcripts are '
            f"turns, which those of {row.world} are not"
        )
    if not any(story.asked for _, story in stories):
        raise ConfigError(
            f'nobody in "{run}" has a {" or a ".join(measures)} of their own; credit is for what '
            "the scene tells of a seat"
        )
    return stories


def _story(
    world: World, episode: Episode, measures: Sequence[CreditMeasure]
) -> tuple[Episode, Story]:
    whole = world.transcript(episode)
    seats = episode.trial.task.seats if whole.lines else ()
    return episode, story_of(whole, {s: world.transcript(episode, s) for s in seats}, measures)
