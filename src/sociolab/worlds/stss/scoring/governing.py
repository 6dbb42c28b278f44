"""Whether the words before a phrase make it something else than what is being done.

"Tell Rosa about the picnic", "get ready for the picnic", "dream of the picnic", "skip the picnic"
and "clean up after the picnic" are no picnics; "chat about work at the picnic" and "leave work
early to join the picnic" are. Only words that govern the phrase itself count; a bracket begins a
part of a block, and with it another action. Each pattern is looked for in what stands before the
phrase, and ends where that does.
"""

from __future__ import annotations

import re

_JOINS = (
    r"(?:go|go(?:es|ing)|com(?:e|es|ing)|head\w*|attend\w*|join\w*|play\w*|tak(?:e|es|ing)|part|be|"
    r"being|participat\w*|show\w*|turn\w*|watch\w*|see|seeing|enjoy\w*|want\w*|feel\w*|like|able|"
    r"allowed|interested|invited|mood|log\w*|start\w*|host\w*|hold\w*|hav(?:e|ing)|help\w*|up)"
)
# Where another action, or the circumstances of one, begins: what follows is not governed.
_BREAK = (
    r"at|in|during|over|while|on|after|before|throughout|then|but|"
    rf"(?:and|or)\s+{_JOINS}"
)
_FEW_WORDS = rf"(?:(?!(?:{_BREAK})\b)[\w'-]+\s+){{0,4}}$"
_ITS_OWN = rf"(?:(?!(?:{_BREAK}|to|for|with|as)\b)[\w'-]+\s+){{0,3}}$"
"""Article, owner and adjectives of the phrase."""

_JOINING = rf"(?:(?:{_JOINS}|to|at|in|for|the(?=\s+mood))\s+){{0,5}}{_ITS_OWN}"
"""The same, after words such as "going to" and "taking part in"."""

_OWNER = r"(?:(?:the|an?|this|that|his|her|their|our|my|its|[\w-]+'s)\s+)"

_TALK = (
    r"\b(?:talk|chat|speak|convers|ask|tell|remind|inform|word|news|think)\w*\b"
    rf"[^(]*\babout\s+{_FEW_WORDS}",
    rf"\b(?:tell|remind|inform|word|news|think)\w*\b[^(]*\bof\s+{_FEW_WORDS}",
    rf"\b(?:invit|ask|remind|persuad|encourag)\w*\b[^(]*\bto\s+{_FEW_WORDS}",
    rf"\b(?:invitation|flyer|poster|leaflet)s?\s+(?:to|for)\s+{_FEW_WORDS}",
    r"\b(?:discuss|announc|mention|advertis|promot)\w*\s+"
    rf"(?:(?!(?:{_BREAK})\b)[\w'-]+\s+){{0,2}}$",
)
_PREPARATION = (
    rf"\b(?:prepar|organi[sz]|arrang|schedul)\w*\s+{_ITS_OWN}",
    rf"\b(?:plan(?:s|ned|ning)?|set(?:s|ting)?\s+up)\s+{_ITS_OWN}",
    r"\b(?:prepar|organi[sz]|arrang|practi[sc]|rehears|decorat|pack|dress|bak|cook|shop|buy|mak|"
    r"gather|ready|plan|sav)\w*\s+"
    rf"(?:(?!(?:{_BREAK})\b)[\w'-]+\s+){{0,5}}?for\s+{_ITS_OWN}",
    rf"\bset(?:s|ting)?\s+(?:[\w'-]+\s+){{0,4}}?(?:up|out)\s+(?:[\w'-]+\s+){{0,2}}?for\s+{_ITS_OWN}",
    rf"\b(?:ready|prepar\w*|plan\w*|hop(?:e|es|ing)|intend\w*)\s+to\s+{_JOINING}",
)
_THOUGHT = (
    r"\b(?:read|hear|learn|writ|dream|daydream|wonder|worr|fret|gossip|reminisc|fantasi[sz])\w*\b"
    rf"[^(]*\babout\s+{_FEW_WORDS}",
    rf"\b(?:dream|daydream|hear|memor(?:y|ies))\w*\s+(?:up\s+)?of\s+{_FEW_WORDS}",
    rf"\b(?:imagin|ponder|consider|contemplat|remember|recall|anticipat)\w*\s+{_JOINING}",
    rf"\blook\w*\s+forward\s+to\s+{_JOINING}",
    rf"\breflect\w*\s+(?:up)?on\s+{_FEW_WORDS}",
)
_ABSENCE = (
    r"\b(?:skip|avoid|ignor|declin|refus|cancel|boycott|dodg|shun|forget|postpon|exit)\w*\s+"
    rf"{_JOINING}",
    rf"\bmiss(?:es|ed|ing)?\s+(?:out\s+on\s+)?(?:{_OWNER}|$){_ITS_OWN}",
    rf"(?:\b(?:not|never|no\s+longer)|n't|\bcannot)\s+(?!(?:only|just|merely)\b){_JOINING}",
    rf"\b(?:instead\s+of|rather\s+than|without|opt\w*\s+out\s+of|back\w*\s+out\s+of)\s+{_JOINING}",
    rf"\bwait\w*\s+(?:[\w'-]+\s+){{0,2}}?(?:for|until|till)\s+{_ITS_OWN}",
    rf"\b(?:await\w*|wait\w*\s+to|unable\s+to)\s+{_JOINING}",
    rf"\b(?:leav(?:e|es|ing)|left|depart\w*|quit\w*)\s+{_JOINING}",
    rf"\b(?:recover|return|withdraw|retir|unwind|rest|relax|home|back|away|absent)\w*\s+from\s+{_ITS_OWN}",
    rf"\b(?:clean|tidy|clear|pack|wash)\w*\s+(?:up|away)\s+{_ITS_OWN}",
    rf"(?<!look\s)(?<!looking\s)\b(?:after|before|until|following)\s+(?:{_OWNER}(?:[\w'-]+\s+){{0,1}})?$",
)

_ABSENT = re.compile("|".join(_ABSENCE), re.IGNORECASE)
_ELSE = re.compile("|".join((*_TALK, *_PREPARATION, *_THOUGHT, *_ABSENCE)), re.IGNORECASE)


def makes_absent(before: str) -> bool:
    """Whether the words before a phrase say that it is avoided, waited for, left or over."""
    return _ABSENT.search(before) is not None


def makes_something_else(before: str) -> bool:
    """Whether they make it that, or mere talk about it, preparation for it or a thought of it."""
    return _ELSE.search(before) is not None
