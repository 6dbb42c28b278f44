"""A block of the plan in parts, each at an object that suits it (question `decompose`)."""

from __future__ import annotations

from sociolab.town.answers import Part, Parts
from sociolab.town.scripted.verbs import plain
from sociolab.town.thoughts import Block, Decompose

_LONG = 150
"""Minutes from which on a block of two kinds of parts has three."""

# By the words of a block: parts in turn, each with the objects that it is done at.
_KINDS: tuple[tuple[tuple[str, ...], tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    (("buying", "shopping"), (("looking at the shelves", ("shelf", "shelves", "stall")),)),
    (("cook", "supper", "dinner"), (
        ("getting the ingredients out", ("fridge", "refrigerator", "larder", "shelf", "cupboard")),
        ("preparing the food at the stove", ("stove", "oven", "cooking area", "cooker")),
        ("washing up", ("sink", "kitchen sink")))),
    (("breakfast", "lunch", "eating", "meal"), (
        ("eating", ("table", "dining table", "counter", "bench")),)),
    (("serv", "sell", "customers", "guests", "barista", "counter"), (
        ("looking after customers", ("counter", "till", "behind the counter", "bar")),
        ("tidying the room", ("shelf", "shelves", "table", "tables")))),
    (("bake", "baking", "bread"), (
        ("kneading dough", ("table", "counter", "trough")),
        ("minding the oven", ("oven", "stove")))),
    (("attend", "study", "studying", "revis"), (
        ("listening and taking notes", ("desk", "seat", "bench", "chair", "table")),
        ("going through the notes", ("desk", "table", "seat", "bench")))),
    (("teach", "lectur", "class"), (
        ("explaining at the board", ("blackboard", "board", "podium", "lectern")),
        ("answering questions", ("desk", "table", "seat")))),
    (("read", "writ", "letter", "paper", "account", "mark"), (
        ("sitting over it", ("desk", "armchair", "sofa", "table", "chair")),
        ("looking something up", ("shelf", "bookshelf", "bookcase")))),
    (("treat", "patient", "nurs"), (
        ("seeing a patient", ("examination table", "couch", "bed", "desk")),
        ("writing it down", ("desk", "computer")))),
    (("paint", "draw"), (("working at the easel", ("easel", "canvas", "table")),)),
    (("pot", "clay"), (("working with clay", ("wheel", "pottery wheel", "kiln", "table")),)),
    (("music", "cello", "guitar", "piano", "song"), (
        ("playing", ("piano", "guitar", "music stand", "stage", "chair")),)),
    (("exercis", "train", "lift", "run"), (
        ("warming up", ("mat", "mats", "bench")),
        ("working out", ("weights", "treadmill", "rowing machine", "court")))),
    (("repair", "mend", "workshop", "keys"), (
        ("working at the bench", ("workbench", "bench", "table", "machine")),)),
    (("walk", "stroll", "ducks", "wild flowers", "garden"), (
        ("wandering about", ("path", "flower bed", "tree", "pond", "garden", "lawn")),
        ("sitting down for a moment", ("bench", "picnic table", "seat")))),
    (("coffee", "tea", "drink", "beer"), (
        ("sitting with a cup or a glass", ("table", "tables", "bar", "counter", "seat")),)),
    (("relax", "rest", "radio", "records", "listening", "watch"), (
        ("sitting comfortably", ("sofa", "armchair", "radio", "television", "table")),)),
    (("shop", "groceries"), (("looking at the shelves", ("shelf", "shelves", "stall")),)),
    (("sleep", "nap", "bed", "wash", "dress"), (
        ("taking one's time", ("bed", "wardrobe", "closet", "washbasin", "sink")),)),
)  # fmt: skip
_GATHERING = (
    ("finding a place among the others", ("bench", "table", "seat", "chair", "stage")),
    ("being in the thick of it", ()),
)


def parts_of(question: Decompose) -> Parts:
    """At most three parts: the kinds in order, the first of two once more in a long block."""
    minutes = _minutes(question.block)
    pattern = _pattern(question.block.what)
    count = len(pattern) + (len(pattern) == 2 and minutes >= _LONG)
    length = max(1, minutes // count)
    return Parts(
        parts=tuple(
            Part(
                minutes=length if n < count - 1 else max(1, minutes - length * (count - 1)),
                what=pattern[n % len(pattern)][0],
                object=_object(pattern[n % len(pattern)][1], question.objects, n),
            )
            for n in range(count)
        )
    )


def _minutes(block: Block) -> int:
    return max(1, min(24 * 60, int((block.end - block.start).total_seconds() // 60)))


def _pattern(what: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    words = plain(what)
    if words.startswith(("taking part in", "holding", "hosting", "meeting")):
        return _GATHERING
    for keys, parts in _KINDS:
        if any(key in words for key in keys):
            return parts
    return ((what, ()),)


def _object(wanted: tuple[str, ...], offered: tuple[str, ...], turn: int) -> str:
    """The first object that suits; else one after the other of those that are there."""
    for word in wanted:
        for thing in offered:
            if word in thing.lower():
                return thing
    return offered[turn % len(offered)] if offered else ""
