"""The content of a task of this world: a whole scenario."""

from __future__ import annotations

from functools import lru_cache

from sociolab.worlds.stss.talk.scenario import TalkScenario


@lru_cache(maxsize=512)
def scenario_from(content: str) -> TalkScenario:
    """The scenario in a task's content; kept, as world and judge of an episode both ask."""
    return TalkScenario.model_validate_json(content)
