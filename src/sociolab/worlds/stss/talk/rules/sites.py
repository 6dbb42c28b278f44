"""Whether a place that was said is the right one, and what counts as a definite place."""

from __future__ import annotations

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.attaching import denied
from sociolab.worlds.stss.talk.rules.patterns import Pattern
from sociolab.worlds.stss.talk.rules.place_words import Mention, gazetteer
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.whose_places import whose_places, work_at

# Rooms that many sites have: alone they tell nothing.
_SHARED = frozenset(
    ("kitchen", "terrace", "garden", "counter", "counter room", "shop", "shop floor", "common room",
     "bedroom", "living room", "main room", "yard", "courtyard", "bar", "hall", "study", "swings",
     "back room", "workshop", "storeroom", "store room", "lounge", "lobby", "entrance hall",
     "grass", "lawn", "patio", "stockroom", "shop front", "chamber", "shore", "front counter",
     "room a", "room b", "room c")
)  # fmt: skip
_HERE = Pattern(
    r"\b(?:right here|here in (?:the|this|our|my)|here at (?!the moment|lunch|noon|this)|it's here"
    r"|just here"
    r"|(?:meet|sit|do it|(?<!'d )(?<!would )be|held|hold it|have it|it is|stay|back|start|gather"
    r"|same place) (?:right )?here"
    r"|(?:meet|come|sit|held|it|gather|do it) in here|here,? (?:tomorrow|tonight|at|on \w+day)"
    r"|in this (?:very )?(?:room|hall|place|kitchen|garden"
    r"|building|shop|studio|cafe|pub))\b|(?:them|it) (?:right )?here\b|^(?:right )?here[.,?!]"
)
_BARE_HERE = Pattern(r"(?<!came )(?<!doing )(?<!come )\bhere\b(?! (?:you|we|it|he|she|they|i)\b)")
_DEFINITE = Pattern(
    r"\b(?:my|your|our|his|her|their|[a-z]+'s) (?:own |back |little |front )?(?:office|place|shop"
    r"|studio|kitchen|room|house|home|flat|garden|living room|table|counter|workshop|storeroom"
    r"|cafe|pub|desk|lab|laboratory|surgery|store|bench|parlour|terrace|bakery|gym|classroom|attic"
    r"|shed|corner table|backroom|back room)\b"
    r"|\bwhere (?:you|we|i|he|she)(?:'re|'ve| always| usually| first)? (?!(?:like|want|please"
    r"|prefer|can"
    r"|could|should|shall|will|would|are|might|may|must|know|think|suggest|said|told|is)\b)\w+"
    r"|\b(?:the|our|your) (?:usual|same|old|regular|favourite) (?:place|spot|table|bench|corner"
    r"|seat|room)\b"
    r"|\bbehind the (?:shop|counter|pub|cafe)\b|\bat (?:mine|yours|home)\b"
    r"|\bthe (?:corner table|back office|back table|window table|studio|office|lab|workshop)\b"
)


def near_sectors(occasion: Occasion, ours: bool) -> tuple[str, ...]:
    """The sectors whose rooms need no building: where the two stand, where the speaker works."""
    speaker = occasion.performer if ours else occasion.other
    here, work = occasion.here.partition(": ")[0], work_at(speaker, occasion.places)
    return tuple(one for one in (here, work) if one)


def right_place(
    mention: Mention, goal: str, before: str, places: tuple[str, ...], near: tuple[str, ...] = ()
) -> bool | None:
    """Whether a mention is the goal's place; None where it tells nothing.

    `before` is the sector that was spoken of last, `near` are those at hand: a room that many
    sites have is that of the first of them that has one. "Sector" or "Sector: arena" of the goal
    is right, another arena of the same sector is wrong.
    """
    sector, _, arena = goal.partition(": ")
    if mention.sector:
        if mention.sector != sector:
            return False
        return not mention.arena or not arena or mention.arena == arena
    rooms = gazetteer(places).rooms
    word, names = mention.arena, rooms.get(sector, {})
    if word in names:
        if (
            word in _SHARED
            and before != sector
            and _meant_by(word, (before, *near), rooms) != sector
        ):
            return None
        return not arena or names[word] == arena
    return False if word not in _SHARED else None


def _meant_by(word: str, near: tuple[str, ...], rooms: dict[str, dict[str, str]]) -> str:
    """The first of some sectors that has a room of this name, ""."""
    return next((one for one in near if word in rooms.get(one, {})), "")


def meant_places(occasion: Occasion, said: Said) -> tuple[Mention, ...]:
    """What "my place", "at Suresh's" or "here" may mean, as places; the likeliest first."""
    speaker = occasion.performer if said.ours else occasion.other
    hearer = occasion.other if said.ours else occasion.performer
    found = list(
        whose_places(
            said.text,
            (speaker.first_name.lower(), hearer.first_name.lower(), said.third),
            occasion.people,
            occasion.places,
        )
    )
    match = _HERE.search(said.text) or (
        _BARE_HERE.search(said.text) if said.about or said.topical else None
    )
    if match and occasion.here:
        found.append(Mention(occasion.here.partition(": ")[0], "", match.span()))
    return tuple(one for one in found if not denied(said.text, one.span))


def definite(said: Said) -> tuple[str, tuple[int, int]] | None:
    """A place at which two can meet, as words and span: a known one or "my office"."""
    for mention in said.places:
        if not denied(said.text, mention.span):
            return f"{mention.sector}: {mention.arena}", mention.span
    match = _DEFINITE.search(said.text)
    if match and not denied(said.text, match.span()):
        return match[0], match.span()
    return None
