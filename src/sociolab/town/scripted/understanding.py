"""What somebody says, read without a model: proposals, answers, dates, times, places.

`read` serves the scripted mind and whoever must judge free words by rules; the words may be
scripted, a person's or a model's. What is not understood is left empty, never guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Literal, TypeAlias

from sociolab.town.scripted.activities import Chore, Shape, activity_in, chores_in, masked
from sociolab.town.scripted.when import Span, dates, times
from sociolab.town.scripted.where import places_in

Open: TypeAlias = Literal["when", "where"]


@dataclass(frozen=True, slots=True)
class Heard:
    """One utterance as understood.

    `shape` is what kind of thing is spoken of and `activity` its words, "" where none was heard.
    `invites` says that the hearer is asked to come or to do it; `counters` that another time or
    place is put forward; `hearsay` that the event is somebody else's; `host` is whose,
    as far as it is said; `asks` is what the speaker wants to know; `refers` that the words remind
    of a matter or ask about it without naming it. An utterance that declines does not accept, nor
    does one that asks whether another time or place would do ("Gladly. How about 17:30?").
    `days`, `starts` ("HH:MM") and `places` come in the order in which they are named.
    """

    shape: Shape = ""
    activity: str = ""
    days: tuple[date, ...] = ()
    starts: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    chores: tuple[Chore, ...] = ()
    online: bool = False
    invites: bool = False
    accepts: bool = False
    declines: bool = False
    counters: bool = False
    hearsay: bool = False
    asks: tuple[Open, ...] = ()
    goodbye: bool = False
    refers: bool = False
    host: str = ""

    @property
    def day(self) -> date | None:
        """The first date named."""
        return self.days[0] if self.days else None

    @property
    def start(self) -> str:
        """The first time of day named, or ""."""
        return self.starts[0] if self.starts else ""

    @property
    def place(self) -> str:
        """The first place named, or ""."""
        return self.places[0] if self.places else ""

    @property
    def proposes(self) -> bool:
        """Whether the hearer is asked to take part in something that is named."""
        return self.invites and bool(self.activity or self.chores)


_INVITES = re.compile(
    r"would you (?:like|care|want|love|be (?:free|willing|able|up|interested|so kind|happy))"
    r"|do you want|will you (?:come|join|be there|take part|help|do)|(?:like|want|love) to (?:come|"
    r"join|see you)|\bjoin (?:me|us)|invit(?:e|ing) you"
    r"|you(?:'re| are)(?: \w+)? (?:invited|welcome)"
    r"|\bcome (?:along|to|and|by|over|with)|hope (?:that )?you(?:'ll| can| will)|\bfancy\b"
    r"|\bcare to|shall we|let's|let us\b|you (?:should|could|must|might) (?:come|join)"
    r"|\b(?:can|could|would|may) (?:you|we) \w+|(?:like|love|want|wanted|hoping) to meet|meet me"
    r"|are you (?:free|in|coming|able|up)\b|everyone(?:'s| is) (?:welcome|invited)"
    r"|(?:glad|happy|delighted|pleased|lovely|nice|great) (?:if you|to have you)"
    r"|interested in|i need (?:somebody|someone|your help|a hand|a favou?r)"
    r"|(?:looking for|need|want|find) (?:some )?(?:company|partners?|people|companions|"
    r"somebody|someone)"
    r"|\binvited (?:me|us|him|her|them)\b|will you\b"
)
_ACCEPTS = re.compile(
    r"(?:^|[.!?,;:] *)(?:oh |well |hm+ |and |then |ah |why )*(?:yes|yeah|yep|sure|of course|"
    r"certainly|gladly|absolutely|definitely|okay|ok|all right|alright|deal|agreed|perfect|"
    r"with pleasure|my pleasure|why not|great idea|good idea)\b"
    r"|sounds (?:good|great|lovely|nice|fun|wonderful|perfect|like)|that (?:works|suits)"
    r"|(?:suits|works for) me|i(?:'d| would) (?:love|like|be (?:happy|glad|delighted)) to\b"
    r"|i(?:'d| would) love that|count me in|\bi(?:'ll| will| shall) (?:gladly |certainly |surely |"
    r"definitely |try to |probably )?(?:be there|come|join|do (?:it|that|so)|take part|pick|bring|"
    r"see you|fetch|take care|help|be glad|be happy|make it)|(?:^|[.!?] *)see you (?:there|then|at|"
    r"on|tomorrow)|happy to (?:help|come|join)|i can (?:come|do (?:it|that)|make it|help|be there)"
    r"|looking forward to (?:it|that|seeing)|i(?:'m| am) in\b|can(?:'t|not) wait|no problem"
    r"|consider it done"
)
_DECLINES = re.compile(
    r"(?:^|[.!?,;] *)no\b(?! (?:problem|worries|trouble))|\bsorry\b(?! (?:to hear|for|about))"
    r"|can'?(?:t|not)\b(?! wait)|can not\b|unfortunately|afraid\b|won't|will not\b"
    r"|unable|not (?:able|free|available|interested|possible)|other plans|another time"
    r"|some other time|rather not|must decline|don't think i|too busy|\bregret|not my thing"
)
_COUNTERS = re.compile(
    r"how about|what about|\brather\b(?! not)|instead\b|could (?:we|it|you) (?:make|do|be|meet)|"
    r"(?:does|would|do) [^.?!]*\b(?:work|suit)\b|better (?:at|for|on)|or perhaps"
    r"|i (?:suggest|propose)"
    r"|shall we say|let(?:'s| us) (?:say|meet)|i (?:could|can) (?:do|come|make it)? ?(?:at|on)\b"
    r"|\bonly (?:at|after|from)\b"
)
_OFFERS = re.compile(
    r"(?:(?:how|what) about|could (?:we|it|you) (?:make|do|be|meet)|shall we say)\b[^!?]*\?"
)
"""Another time or place put as a question, which waits for an answer whatever came before it."""
_WHEN = re.compile(
    r"\bwhen\b[^.!]*\?|(?:what|which) (?:time|day|hour|date)\b[^.!]*\?"
    r"|(?:let me know|tell me) when\b"
)
_WHERE = re.compile(
    r"\bwhere\b[^.!]*\?|(?:what|which) (?:place|room)\b[^.!]*\?|(?:let me know|tell me) where\b"
)
_GOODBYE = re.compile(
    r"good ?-?bye|\bbye\b|see you (?:around|later|soon|then|there|at|on|tomorrow)|farewell"
    r"|have a (?:nice|good|lovely|great|pleasant)|take care\b(?! of)|until (?:then|tomorrow)"
    r"|i (?:really )?(?:must|have to|should|need to) (?:go|get (?:back|going)|run|be off)"
)
_HEARSAY = re.compile(
    r"have you heard|did you (?:hear|know)|(?:i have|i've) heard"
    r"|\b(?:he|she|they) (?:is|are) holding"
)
_REFERS = re.compile(
    r"\bstill\b|\bremember|after all|\bforget\b|\bremind|(?<!to )\bsee you\b|\bexpect(?:ing)? you"
    r"|count(?:ing)? on you|\bas (?:agreed|planned|we said)\b|are you coming|you be there"
    r"|(?:can|will|would|could) you (?:come|make it|join|be there)"
)
_HOST = re.compile(
    r"\b([A-Z][\w'-]+(?: [A-Z][\w'-]+)+) (?:is|will be) (?:holding|hosting|having|giving|throwing"
    r"|planning|organi[sz]ing|putting on|running)\b"
)
_ONLINE = re.compile(r"\bonline\b|video ?call|\bvirtual|live (?:\w+ )?stream|over the internet")


def read(text: str, now: datetime, places: tuple[str, ...] = ()) -> Heard:
    """What is understood of an utterance said at `now` by or to one who knows `places`.

    Read by patterns in English; each place is given as "Sector: arena". Reading is pure and
    remembered, so that the same words cost once.
    """
    return _read(text, now.date(), places)


@lru_cache(maxsize=8192)
def _read(text: str, today: date, places: tuple[str, ...]) -> Heard:
    words = " ".join(text.replace("\u2019", "'").split())
    lower = words.lower()
    if len(lower) != len(words):  # a letter whose small form is longer: spans would not fit
        words = lower
    named = places_in(words, places)
    days = dates(lower, today)
    starts = times(lower)
    spans = tuple(span for found in (named, days, starts) for _, span in found)
    shape, activity = activity_in(masked(words, spans))
    chores = chores_in(words, named)
    declines = bool(_DECLINES.search(lower))
    counters = bool(_COUNTERS.search(lower)) and bool(days or starts or named)
    return Heard(
        shape="errand" if chores else shape,
        activity=" and ".join(chore.what for chore in chores) or activity,
        days=tuple(day for day, _ in days),
        starts=tuple(start for start, _ in starts),
        places=tuple(dict.fromkeys(place for place, _ in named)),
        chores=chores,
        online=bool(_ONLINE.search(lower)),
        invites=bool(_INVITES.search(lower)),
        accepts=not declines and not _offers(lower, spans) and bool(_ACCEPTS.search(lower)),
        declines=declines,
        counters=counters,
        hearsay=bool(_HEARSAY.search(lower)),
        asks=_asked(lower),
        goodbye=bool(_GOODBYE.search(lower)),
        refers=bool(_REFERS.search(lower)) and ("?" in lower or bool(spans)),
        host=host[1] if (host := _HOST.search(words)) else "",
    )


def _offers(lower: str, spans: tuple[Span, ...]) -> bool:
    """Whether a day, an hour or a place is put forward as a question."""
    asked = tuple(match.span() for match in _OFFERS.finditer(lower))
    return any(start <= span[0] < end for start, end in asked for span in spans)


def _asked(lower: str) -> tuple[Open, ...]:
    when: tuple[Open, ...] = ("when",) if _WHEN.search(lower) else ()
    where: tuple[Open, ...] = ("where",) if _WHERE.search(lower) else ()
    return when + where
