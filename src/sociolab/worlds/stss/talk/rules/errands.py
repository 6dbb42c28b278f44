"""Which of two errands the words are about: fetching something or bringing it somewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.topic_words import Topic
from sociolab.worlds.stss.task import Errand

FETCH = Phrases(
    r"\b(?:pick(?:ed|ing|s)?(?: \w+){0,5}? up|pick-?up|fetch\w*|collect\w*|get (?!to\b|back\b"
    r"|over\b|there\b|here\b|ready\b"
    r"|away\b|up\b|going\b|on\b|off\b|in\b|out\b|by\b|home\b|(?:it|them|that) (?:\w+ )?(?:to|over"
    r"|across"
    r"|into|here|back)\b|stuck\b|tired\b|wet\b|lost\b|cold\b|hungry\b|away\b|around\b|through\b"
    r"|round\b"
    r"|a move\b|used\b|something\b|anything\b|along\b|better\b|worse\b|older\b|that far\b|done\b"
    r"|you\b)(?=\w)"
    r"|see to (?=it\b|them\b)|got (?:hold of|to get)|getting (?!to\b|ready\b|up\b|on\b|off\b"
    r"|old\w*\b|late\w*\b|married\b|dark\b|there\b"
    r"|back\b|home\b|away\b|out\b|in\b|better\b|worse\b|used\b|along\b|cold\b|hungry\b|wet\b"
    r"|tired\b|lost\b|on for\b)(?=\w)|grab\w*|buy\w*|bought"
    r"|purchas\w+|borrow\w*|call(?:ing)? for|go(?:ing)? (?:by|for|to get|past)|pop(?:ping)? (?:into"
    r"|in to|by|to)|nip (?:into|to|over|down)|take (?:\w+ ){0,5}?(?:off|from|out of)|taken? down"
    r"|swing by|stop (?:by|at|in at|there)|lay (?:your|my) hands on|get hold of|(?:got"
    r"|get) out of|come from|ask (?:\w+ )?for|send(?:ing)? you (?:to|for|over))\b"
)
WAITS = Phrases(
    r"\b(?:waiting|lying|lies|is ready|are ready|sitting|mended|arrived|kept|keeps?|hold(?:s"
    r"|ing)? it"
    r"|there's a|have them|has them|has it|sells?|(?:is|are|'s|'re) (?:still |there )?(?:at|in)"
    r"|find (?:it|them)|come(?:s)? from|(?:on|in) (?:stock|store))\b"
)
BRING = Phrases(
    r"\b(?:bring\w*|brought|deliver\w*|(?<!\ba )(?<!every )drop(?:ped|ping|s)?\b"
    r"|(?<!your )(?<!my )(?<!a )(?<!one )(?<!in )(?<!free )(?<!two )(?<!spare )(?<!extra )(?<!of )"
    r"(?<!both )(?<!good )(?<!are )(?<!full )hand(?:ed|ing|s)?\b(?! mixer|y)"
    r"|carr(?:y|ied|ying|ies)|(?<!can't )(?<!cannot )leav(?:e|ing)(?= (?:it|them|the|that"
    r"|everything|those)\b(?! (?:all )?(?:with me|to me|with us|to us|open|at that|there\b|house"
    r"|desk|shop|building|ladder|room|oven|bar|counter|till|alone|out)))|left (?:it|at"
    r"|in|with|them)|return\w*|(?:take|taking|taken|takes|took|run|running) (?:it|them|everything"
    r"|that|this|those|the|him|her)\b(?!(?: [\w'-]+){0,5}? (?:from|off|out of)\b)|(?:take|taking"
    r"|took) (?:[\w'-]+ ){1,6}?from (?:[\w'-]+ ){1,6}?to\b|take to (?=[a-z]+,)|giv(?:e|ing) (?:it"
    r"|them)|pass (?:it"
    r"|them)"
    r"|(?:taken|carried) (?:on |over |up |round |back )?to"
    r"|put (?:it|them)(?! (?:by|down|aside|away|(?:in|into) my|on (?:my|the|our) (?:bill|tab"
    r"|account"
    r"|slate))\b)"
    r"|put (?:my|the|your|that) (?:\w+ ){1,3}(?:there|in|on|into|at|back)\b|send (?:it|them)"
    r"|get (?:it|them"
    r"|that) (?:\w+ )?(?:to|over|across|into|here)"
    r"|got? to get to|(?<!body )(?<!some)(?<!one )(?<!i )(?<!you )(?<!n't )(?<!not )(?:needs?|has"
    r"|have"
    r"|ought) to (?:get|go|be|come) (?:to|at|in|over|back)"
    r"|(?:(?<!they )(?<!he )(?<!she )(?<!we )(?<!who )have|want|need|see|like) (?:it"
    r"|them) (?:\w+ )?(?:at|in|on)\b(?! (?:the|your|my) (?:car|bag|van))|end(?:s|ed)? up"
    r"|belongs?"
    r"|goes (?:to|in|into|straight|on to|over)|(?:they|it|that|should|must|to) go (?:to|in|into"
    r"|over)|due|expect(?:s|ing|ed)?|ends? up|wants? them"
    r"|lay(?:ing)? (?:it|them)|place (?:it|them)|set (?:it|them)|lodge|submit\w*|file"
    r"|deposit\w*|over to|give to)\b"
)
_LEAD = Pattern(
    r"(?:.*)\b(from|off the|out of|to|into|onto)"
    r" (?:(?!(?:at|in|on|by|be|and|to|me|you|it|them|have)\b)[\w'-]+ ){0,3}?$"
)
# Who goes somewhere does not yet bring anything there.
_GOING = Pattern(
    r"\b(?:go|going|pop|nip|run|walk|head|trip|come|been|way|over|down|up|round|out|belongs?|next"
    r"|close|off|here|back|there|along|(?:send|sending|sends|sent) (?:you|me)) $"
)
# "To the market for honey": who goes somewhere for a thing gets it there.
_FOR = Pattern(
    r"(?:'s|,)? (?:(?:today|tomorrow|first|once more) )?(?:for (?!me\b|us\b|you\b|him\b|her\b"
    r"|them\b)|to (?:get|fetch)\b)"
)
# What is no errand for a thing: "I could carry something".
_VAGUE = Pattern(r" (?:something|anything|nothing|things|someone|somebody)\b(?! (?:heavy|like))")
_NEAR = 28
"""Letters behind a verb within which its object stands."""

_STANDS_FOR = Pattern(
    r"\b(?:it|them|that|those|these|this|everything|both|(?:one|some)(?=[.,!?;]|$| of)|(?:the|a"
    r"|my|your|his|her|our|two|six"
    r"|\d) (?:\w+ )?(?:lot|rolls?|box|boxes|parcels?|things?|stuff|jars?|charts?|iron|wire"
    r"|dressings?|honey"
    r"|coil|bag|package|packet|papers|tool|maps?|load|goods|delivery))\b"
)
_SUBJECT = Pattern(r"\b(?:it|they|that|those|them)(?:'s|'ll|'re)?\b")
# "Then hand in at the Town Hall": a note leaves the thing out.
_BEGINS = Pattern(r"(?:^|[,;:] |\band |\bthen |\bi )$")
_TO_WHERE = Pattern(r" (?:in |off |over |up |round |back )?(?:to|at|into) ")
_MOTION = Pattern(r"(?:go|pop|nip|swing|stop|call|send)")
_KIND = {"fetch": FETCH, "bring": BRING}


@dataclass(frozen=True, slots=True)
class Job:
    """One errand: its number, whether something is fetched or brought, and what it is about."""

    number: int
    kind: str
    errand: Errand
    thing: Topic

    def verbs(self, text: str) -> tuple[int, ...]:
        """Where its verbs stand in words (small letters)."""
        return tuple(
            match.start()
            for match in _KIND[self.kind].finditer(text)
            if self._of_thing(text, match)
        )

    def _of_thing(self, text: str, verb: re.Match[str]) -> bool:
        """Whether a verb is about the thing or a word that stands for it."""
        if _VAGUE.match(text, verb.end()):
            return False
        near = text[verb.start() : verb.end() + _NEAR]
        if _STANDS_FOR.search(near) or _SUBJECT.search(text[: verb.end()]):
            return True
        if self.kind == "fetch" and _MOTION.match(verb[0]):
            return True
        brief = _BEGINS.search(text[: verb.start()]) and _TO_WHERE.match(text, verb.end())
        return bool(brief) or self.thing.said(text)


def jobs_of(errands: tuple[Errand, ...]) -> tuple[Job, ...]:
    """The errands as jobs; where both are of one kind the second counts as bringing."""
    kinds = ["bring" if BRING.search(one.what) else "fetch" for one in errands]
    if len(set(kinds)) < len(kinds):
        kinds = ["fetch", "bring"][: len(kinds)]
    return tuple(
        Job(number, kind, one, Topic((*one.keywords, one.what)))
        for number, (kind, one) in enumerate(zip(kinds, errands, strict=True), 1)
    )


def job_at(jobs: tuple[Job, ...], text: str, span: tuple[int, int], last: int) -> tuple[int, bool]:
    """The number of the job that a place in words belongs to, and whether that is sure.

    "From" before it is sure, as is the nearest verb before it; "to", a verb behind it and
    `last`, the job that was spoken of before, are guesses. 0 where nothing tells.
    """
    place, end = span
    lead = _LEAD.search(text[:place])
    verbs = sorted((at, job.number) for job in jobs for at in job.verbs(text))
    before = [number for at, number in verbs if at < place]
    brought = _of_kind(jobs, "bring") in before
    if lead and lead[1] == "to" and not brought and _FOR.match(text, end):
        return _of_kind(jobs, "fetch"), True
    if lead and lead[1] in ("from", "off the", "out of"):
        return _of_kind(jobs, "fetch"), True
    if lead and not _GOING.search(text[: lead.start(1)]):
        return _of_kind(jobs, "bring"), bool(before)
    if before:
        return before[-1], True
    after = [number for at, number in verbs if at >= place]
    if WAITS.search(text):
        return _of_kind(jobs, "fetch"), False
    return (after[0] if after else last), False


def _of_kind(jobs: tuple[Job, ...], kind: str) -> int:
    return next((job.number for job in jobs if job.kind == kind), 0)
