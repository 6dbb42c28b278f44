"""Words that settle nothing: greetings, remarks, thanks, goodbyes, and replies that fit them."""

from __future__ import annotations

import random
import re

WHAT_FOR = "What would that be for?"
"""Said to one who asks one to come and names nothing."""

_FAREWELLS = ("Goodbye, {name}!", "Bye, {name}, take care!", "Have a good day, {name}. Bye!")
_GREETINGS = (
    "Hello {name}, good to see you. How are things?",
    "Hello {name}! How is your day going?",
    "Ah, {name}, nice to see you. How are you?",
)
_WELL = ("Hello {name}! I am well, thank you.", "Hello {name}, all is well here, thank you.")
# A remark, words by which it is known again, and what is said to it.
_REMARKS = (
    ("It is calm in town today, is it not?", "calm in town", "It is, one hardly meets anybody."),
    ("I am quite taken up with {mine} at the moment.", "taken up with",
     "I hope that it goes well for you."),
    ("The weather has been kind to us lately.", "weather", "Yes, I enjoy being outdoors."),
    ("The days go by so quickly.", "days go by", "They do indeed."),
    ("I slept well and feel rested.", "feel rested", "I am glad to hear it."),
)  # fmt: skip
_HOW = re.compile(
    r"how (?:are|is|was|have|do|does)\b[^?]*\b(?:you|things|life|day|it|everything|your"
    r"|work|business|family)\b[^?]*\?"
)
_GREETED = re.compile(r"^(?:hello|hi|hey|ah|good (?:morning|afternoon|evening|day))\b")
_THANKS = re.compile(r"\bthank(?:s| you)\b(?! for asking)")
_WELL_SAID = re.compile(
    r"(?:i am|i'm|all is|all) [^.!?]*(?:well|fine|good)[^.!?]*, thank(?:s| you)"
)
_TAG = re.compile(r"(?:\bis(?:n't| not) it|\bis it not|aren't they|don't you think|, right)\?")
_WHY = re.compile(r"\bwhy\b[^?]*\?|what keeps you|how come")
_BRING = re.compile(r"\b(?:i|we|one)\b[^?]*\b(?:bring|prepare|need)\b[^?]*\?")
_TASTE = re.compile(
    r"\b(?:do|would|which|what) (?:you|kind|sort)\b[^?]*"
    r"\b(?:like|prefer|enjoy|think|favou?rite)\b[^?]*\?"
)


def farewell(name: str, chance: random.Random) -> str:
    """A goodbye."""
    return chance.choice(_FAREWELLS).format(name=name)


def greeting(name: str, chance: random.Random) -> str:
    """The first words of a talk, which ask how the other is."""
    return chance.choice(_GREETINGS).format(name=name)


def greeting_back(text: str, name: str, chance: random.Random) -> str:
    """What is said to the other's first words."""
    lower = text.lower()
    if _HOW.search(lower):
        return chance.choice(_WELL).format(name=name)
    too = " Good to see you too." if "to see you" in lower else ""
    return f"Hello {name}!{too}"


def unasking(hello: str) -> str:
    """A greeting without its question."""
    return re.sub(r" How [^?]*\?$", "", hello)


def is_greeting(text: str) -> bool:
    """Whether nothing is asked but how one is."""
    lower = text.lower()
    return bool(_HOW.search(lower) or _GREETED.search(lower)) and "?" not in _HOW.sub("", lower)


def thanks(text: str) -> bool:
    """Whether the other thanks for something, and not for having been asked how things are."""
    lower = text.lower()
    return bool(_THANKS.search(lower)) and not _WELL_SAID.search(lower)


def remark(mine: str, chance: random.Random) -> str:
    """Something to say when there is nothing to say."""
    return chance.choice(_REMARKS)[0].format(mine=mine)


def reply_to_remark(text: str) -> str:
    """What is said to one of these remarks; "" if it is none."""
    lower = text.lower()
    return next((reply for _, known, reply in _REMARKS if known in lower), "")


def reply_to_question(text: str, *, asked_to_come: bool) -> str:
    """What is said to a question that is not understood further; "" if nothing was asked."""
    lower = text.lower()
    if "?" not in lower or reply_to_remark(text):
        return ""
    if is_greeting(text):
        return "All is well, thank you."
    if _TAG.search(lower):
        return "Yes, indeed."
    if _WHY.search(lower):
        return "That is how it is this time."
    if _BRING.search(lower):
        return "Nothing is needed but yourself, as far as I know."
    if _TASTE.search(lower):
        return "I have not given it much thought yet."
    if asked_to_come:
        return WHAT_FOR
    return "I could not tell you, to be honest."
