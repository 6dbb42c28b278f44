"""What the tasks' records add to what their casts know of the town.

A task's own places need no adding: with the task the performer is told of them
(`SocialTask.given_to`).
"""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.town.residents import Resident
from sociolab.worlds.stss.importing.people import known_places
from sociolab.worlds.stss.importing.place_names import PlaceNames
from sociolab.worlds.stss.importing.raw_tasks import Numbered


def taught(
    residents: Sequence[Resident], tasks: Sequence[Numbered], names: PlaceNames
) -> tuple[Resident, ...]:
    """The residents with what some tasks add: places that the whole cast, or its performer, knows.

    Residents are the same in all tasks, so what one task adds holds in the others as well.
    """
    added: dict[str, dict[str, None]] = {resident.name: {} for resident in residents}
    for task in tasks:
        raw = task.raw
        of_all, _ = known_places(raw.shared_spatial_mem, names)
        of_one, _ = known_places(raw.required_spatial_mem, names)
        for name in raw.all_chars:
            added.get(name, {}).update(dict.fromkeys(of_all))
        added.get(raw.performer, {}).update(dict.fromkeys(of_one))
    return tuple(
        resident.model_copy(
            update={"knows": tuple(dict.fromkeys((*resident.knows, *added[resident.name])))}
        )
        for resident in residents
    )
