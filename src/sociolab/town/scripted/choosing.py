"""Where to do something that the plan names no place for (question `choose_place`)."""

from __future__ import annotations

from sociolab.town.answers import Choice
from sociolab.town.scripted.habits import habits_of
from sociolab.town.scripted.understanding import read
from sociolab.town.scripted.verbs import plain
from sociolab.town.scripted.where import arena_like, known_place, town_of
from sociolab.town.thoughts import ChoosePlace

# By a word of what is to be done: words of the places where one does it.
_WHERE = (
    (("cook", "breakfast", "supper", "eat"), ("kitchen",)),
    (("sleep", "bed", "nap", "wash", "dress"), ("bedroom", "room")),
    (("coffee", "lunch", "cake"), ("cafe",)),
    (("drink", "beer"), ("pub", "bar")),
    (("walk", "run", "picnic", "kite", "outdoor", "open air"), ("park", "meadow")),
    (("book", "read", "library", "study"), ("library", "college")),
    (("lecture", "class", "seminar"), ("lecture hall", "classroom", "college")),
    (("shop", "buy", "groceries", "flour", "food"), ("market", "grocer", "store")),
    (("tool", "repair", "nail", "screw"), ("hardware", "supply")),
    (("medicine", "doctor", "pills"), ("pharmacy", "clinic")),
    (("exercis", "train", "gym", "sport"), ("gym", "sport")),
    (("music", "concert", "dance", "party"), ("main hall", "hall", "pub")),
    (("paint", "exhibition", "pottery"), ("studio", "gallery")),
    (("meet", "talk"), ("cafe", "park", "pub")),
)


def choice(question: ChoosePlace) -> Choice:
    """The place that the words name, that one remembers for them, or where such things are done.

    Online activities and whatever suits no place are done at home.
    """
    me, what = question.me, plain(question.what)
    home = habits_of(me.resident, me.places).parlour or (me.places[0] if me.places else "")
    named = known_place(read(question.what, me.now, town_of(me)).place, me.places)
    if named:
        return Choice(place=named)
    if "online" in what or "at home" in what:
        return Choice(place=home)
    return Choice(place=_remembered(question) or _suiting(what, me.places) or home)


def _remembered(question: ChoosePlace) -> str:
    """A place that a memory of a talk or a plan names together with the same thing."""
    me = question.me
    words = [word for word in plain(question.what).split() if len(word) > 3][-2:]
    for memory in me.memory.recall(question.what, 5) if words else ():
        if memory.kind == "talk" and all(word in plain(memory.text) for word in words):
            found = known_place(read(memory.text, me.now, town_of(me)).place, me.places)
            if found:
                return found
    return ""


def _suiting(what: str, places: tuple[str, ...]) -> str:
    for words, wheres in _WHERE:
        if any(word in what for word in words):
            found = arena_like(places, *wheres)
            if found:
                return found
    return ""
