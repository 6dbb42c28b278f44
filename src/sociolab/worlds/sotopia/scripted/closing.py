"""How a scene ends: after an agreement, or when there will be none."""

from __future__ import annotations

from collections.abc import Mapping

from sociolab.core.episode import Action
from sociolab.worlds.sotopia.scripted.moment import Moment
from sociolab.worlds.sotopia.scripted.wording import shared
from sociolab.worlds.sotopia.scripted.wording.table import Table


def close(moment: Moment, settled: int, seal: Table, slots: Mapping[str, str]) -> Action:
    """The next step after the line `settled` made an agreement: seal it, say goodbye, leave."""
    after = moment.lines[settled + 1 :]
    if any(line.you for line in after):
        return moment.leave()
    draw = moment.chance.random()
    if not moment.lines[settled].you:
        if draw < 0.12:
            return moment.does(shared.SEALED)
        return moment.plainly(moment.word(seal, slots))
    if draw < 0.45:
        return moment.leave()
    if draw < 0.65:
        return moment.shows(shared.PLEASED)
    return moment.plainly(moment.word(shared.SETTLED if draw < 0.85 else shared.GOODBYE))


def part(moment: Moment, parted: int, words: Table) -> Action:
    """The next step after somebody gave up in the line `parted`: a last word, or go."""
    after = moment.lines[parted:]
    if any(line.you for line in after) or moment.chance.random() < 0.4:
        return moment.leave()
    table = shared.GOODBYE if moment.chance.random() < 0.6 else words
    return moment.plainly(moment.word(table))
