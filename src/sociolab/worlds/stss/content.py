"""The content of a task of this world: the task, the residents, and the map of the town."""

from __future__ import annotations

from functools import lru_cache

from pydantic import Field

from sociolab.town.residents import Resident
from sociolab.worlds.stss.task import Frozen, SocialTask


class Content(Frozen):
    """All that an episode needs to be shown and judged.

    `town` is the map, packed (see `packed`). `residents` are those who live there for this task.
    """

    task: SocialTask
    residents: tuple[Resident, ...] = Field(min_length=1)
    town: str

    def name(self, who: str) -> str:
        """The name of a resident; the id itself if nobody has it."""
        return next((one.name for one in self.residents if one.id == who), who)


@lru_cache(maxsize=256)
def content_from(content: str) -> Content:
    """The record in a task's content; kept, as world, judge and story of an episode all ask."""
    return Content.model_validate_json(content)
