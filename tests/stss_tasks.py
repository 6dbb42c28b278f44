"""One small task of each type of STSS, on the row of tiles of `trace_cases`."""

from __future__ import annotations

from sociolab.town import SpeechAct
from sociolab.worlds import stss
from trace_cases import MONDAY, TUESDAY

# Ada performs; five background residents, of whom ceil(5 / 2) = 3 are expected at events that
# all may join and ceil(5 / 3) = 2 as companions.
EVERYBODY = ("bea", "cid", "dan", "eve", "fay")


def task(**changed: object) -> stss.SocialTask:
    """A party in the cafe on Tuesday, from 18:00 for two hours, unless told otherwise."""
    fields: dict[str, object] = {
        "id": "party",
        "type": "public activity",
        "title": "A party",
        "goal": "Hold a harvest party in the Cafe on Tuesday 14 May 2024 at 18:00.",
        "performer": "ada",
        "background": EVERYBODY,
        "days": (MONDAY, TUESDAY),
        "day": TUESDAY,
        "activity": "hold a harvest party",
        "keywords": ("party", "celebration"),
        "place": "Cafe: terrace",
        "start": "18:00",
        "minutes": 120,
    }
    return stss.SocialTask.model_validate(fields | changed)


PARTY = task()
GAME = task(
    id="game",
    type="online activity",
    goal="Play Starfarm online on Tuesday at 18:00.",
    activity="play Starfarm",
    keywords=("Starfarm", "online game"),
    place="",
)
PICNIC = task(
    id="picnic",
    type="inviting companions",
    goal="Find companions for a picnic in the Park on Tuesday.",
    activity="have a picnic",
    keywords=("picnic",),
    place="Park: meadow",
    start="",
)
MEETING = task(
    id="meeting",
    type="appointment",
    goal="Meet Bea on Tuesday to go through the manuscript.",
    activity="go through the manuscript",
    keywords=("manuscript",),
    place="",
    start="",
    partner="bea",
)
MEDICINE = task(
    id="medicine",
    type="asking for help",
    goal="Have somebody buy medicine at the Clinic and bring it to the Cottage on Tuesday.",
    activity="get medicine",
    keywords=(),
    place="",
    start="",
    errands=(
        stss.Errand(what="buy medicine", keywords=("buy medicine",), place="Clinic: pharmacy"),
        stss.Errand(what="bring medicine", keywords=("bring medicine",), place="Cottage: room"),
    ),
)


def meant(by: str, kind: str, of: stss.SocialTask | None = None, **left_open: object) -> SpeechAct:
    """An act about a task, with what is left open of it; about nothing without one."""
    matter = of.matter.model_copy(update=left_open) if of is not None else None
    return SpeechAct.model_validate({"by": by, "kind": kind, "matter": matter})
