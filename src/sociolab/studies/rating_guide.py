"""What do raters read: the guide of a run's world, in the measures of their study?"""

from __future__ import annotations

from collections.abc import Mapping

from sociolab.app.registry import world_plugin
from sociolab.core.errors import ConfigError
from sociolab.core.score import Measure
from sociolab.plugin.shown import DimensionGuide
from sociolab.plugin.world import RatingGuide
from sociolab.store.store import Store

ADVICE = (
    "Read the whole episode before you give the first rating.",
    "Rate each person by themselves, and each dimension by itself: somebody may reach the goal and "
    "behave badly.",
    "Use the whole scale. The middle is no place to rest when you are in doubt: read again.",
    "Say why in a sentence that points at what was said or done.",
    "There are no right answers to guess. If you are torn between two points, take the one that "
    "you could better explain.",
)


def guide_of(store: Store, run: str) -> RatingGuide:
    """How people rate this run; ConfigError where its world does not say."""
    row = store.run(run)
    made = world_plugin(row.world).rating
    if made is None:
        raise ConfigError(
            f"the world {row.world} has no guide for people who rate; found {run}, a run of it"
        )
    return made()


def rated_measures(store: Store, run: str) -> Mapping[str, Measure]:
    """The measures that people rate in this run, by name."""
    return {guide.name: guide.measure for guide in guide_of(store, run).guides}


def guides_for(guide: RatingGuide, measures: tuple[Measure, ...]) -> tuple[DimensionGuide, ...]:
    """The guides to these measures."""
    return tuple(one for one in guide.guides if one.measure in measures)
