"""A talk made ready for the rules: sentences with who says them, what they are about, places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sociolab.town.thoughts import Line
from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.place_words import Mention, mentions_in
from sociolab.worlds.stss.talk.rules.sentences import Sentence, sentences
from sociolab.worlds.stss.talk.rules.topic_words import Topic, topic
from sociolab.worlds.stss.task import SocialTask

# What people do in an activity of this kind, said without its name.
_ALSO = {
    "portrait": (
        "paint",
        "sketch",
        "draw",
        "drawn",
        "pose",
        "model",
        "sitter",
        "sit",
        "likeness",
        "charcoal",
    ),
    "interview": (
        "interview",
        "quiz",
        "railway",
        "archive",
        "record",
        "signal",
        "memories",
        "recollections",
        "reminiscences",
    ),
    "football": ("football", "soccer", "kick", "ball", "goalkeeper", "kick-about", "kickabout"),
    "ledger": ("ledger", "audit", "accounts", "books", "figures", "auditor", "club"),
    "duet": ("duet", "duo", "rehearse", "rehearsal", "play"),
    "examination": (
        "exam",
        "examine",
        "examination",
        "mechanics",
        "grill",
        "test",
        "viva",
        "oral",
        "questions",
        "grilling",
        "mock",
    ),
    "mosaic": ("mosaic", "tiles"),
    "chess": ("chess",),
    "first-aid": ("first-aid", "bandage", "bandages"),
    "clean-up": ("clean-up", "cleanup", "litter", "rubbish", "rakes", "clean", "clearing"),
    "bread": ("bread", "loaf", "loaves"),
    "dance": ("dance", "ceilidh"),
    "language": ("language", "languages"),
    "cooking": ("cook", "cooking", "bake"),
    "book": ("book", "stories", "novel", "reading"),
    "stretching": ("stretch", "stretching"),
    "slide": ("slides", "slideshow", "photographs", "pictures"),
    "pond": ("tidy", "litter"),
    "lantern": ("lanterns", "candles", "lights", "parade"),
    "jam": ("tunes", "instrument"),
    "folk": ("reel", "jig"),
    "dressings": ("parcel",),
    "honey": ("jars",),
    "tasting": ("taste",),
}


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of a talk: `ours` is whether the performer says it, `line` which line it is in.

    `about` says that it names the matter, `places` which places it names; `third` are those
    whom "he" or "she" may be, by first name in small letters: of whom this speaker spoke last.
    `topical` says that the speaker names the matter in this sentence or in the one before it.
    """

    ours: bool
    line: int
    sentence: Sentence
    about: bool
    places: tuple[Mention, ...]
    third: tuple[str, ...] = ()
    topical: bool = False

    @property
    def text(self) -> str:
        """The sentence in small letters."""
        return self.sentence.text

    @property
    def quote(self) -> str:
        """The sentence as it was said."""
        return self.sentence.quote


def said_in(occasion: Occasion, lines: Sequence[Line]) -> tuple[Said, ...]:
    """All sentences of a talk, in order."""
    about, others = matter(occasion.task), third_persons(occasion)
    found = []
    for number, line in enumerate(lines):
        third, just = "", False
        for one in sentences(line.text):
            third = last_named(others, one.text) or third
            ours = line.who == occasion.performer.id
            said = said_one(occasion, about, ours, number, one, (third,))
            found.append(replace(said, topical=said.about or just))
            just = said.about
    return tuple(found)


def said_one(
    occasion: Occasion, about: Topic, ours: bool, line: int, one: Sentence, third: tuple[str, ...]
) -> Said:
    """A sentence with what it is about; names of places do not count for that."""
    places = mentions_in(one.quote, one.text, occasion.places)
    named = about.said(_without(one.text, places))
    return Said(ours, line, one, named, places, third)


def _first(name: str) -> str:
    return name.split()[0].lower()


def third_persons(occasion: Occasion) -> tuple[str, ...]:
    """The residents but the two who talk, by first name in small letters."""
    both = (_first(occasion.performer.name), _first(occasion.other.name))
    return tuple(name for one in occasion.people if (name := _first(one.name)) not in both)


def last_named(names: tuple[str, ...], text: str) -> str:
    """Which of these names stands last in words (small letters), "" if none does."""
    last = max(((text.rfind(name), name) for name in names if name in text), default=(-1, ""))
    return last[1]


def _without(text: str, places: tuple[Mention, ...]) -> str:
    for place in reversed(places):
        if place.sector:
            begin, end = place.span
            text = f"{text[:begin]}{' ' * (end - begin)}{text[end:]}"
    return text


def matter(task: SocialTask) -> Topic:
    """What a task is about, in words."""
    names: tuple[str, ...] = (task.activity, task.title, *task.keywords)
    if task.type == "asking for help":
        names = tuple(word for errand in task.errands for word in (errand.what, *errand.keywords))
    # Who is only called by name is not yet spoken to about the matter.
    people = {*task.performer.split("-"), *task.partner.split("-")}
    return _matter(
        tuple(" ".join(w for w in one.split() if w.lower() not in people) for one in names)
    )


@lru_cache(maxsize=512)
def _matter(names: tuple[str, ...]) -> Topic:
    words = " ".join(names).lower()
    extra = tuple(
        word for key, also in _ALSO.items() if re.search(rf"\b{key}", words) for word in also
    )
    return topic(names, extra)
