"""Whether an hour, a day or a place that is said belongs to the matter or to something else."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from sociolab.worlds.stss.talk.rules.acts import NEGATES
from sociolab.worlds.stss.talk.rules.clock_words import Hour, hours_in
from sociolab.worlds.stss.talk.rules.day_words import Day, days_in
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.sentences import Sentence

# What makes a clause be about opening hours, habits, the past, or other engagements.
_OTHER = Phrases(
    r"\b(?:(?:ring|call|phone|text|message|tell) (?:you|me|him|her|them)|clos(?:es?|ing)|shuts?"
    r"|shutting|opens?\b(?! air)|opening|(?<!i )(?<!said it )(?<!says it )(?<!thought it )was\b"
    r"|were\b(?! (?:to|thinking|hoping|wondering"
    r"|planning))|woke|had to|got up|since(?! (?:you|i|we|he|she|they|it|there|that|the)\b)"
    r"|yesterday|last (?:night|week|year|time|spring|summer|month)|(?<!as )(?:usually"
    r"|always(?! (?:think|find|say|feel|thought|said)\b)"
    r"|normally)|every(?! one)"
    r"|ago|dentist|train|bus (?:leaves|goes)|(?<!after )(?<!before )my (?:shift|lesson|class"
    r"|pupil|lecture|last|next|first"
    r"|mum|mother|sister|brother|wife|husband|daughter|son|cousin|aunt|nephew|niece|rehearsal"
    r"|seminar|tutorial|break|train|bus|lunch|students?|rounds?|surgery|patients?|choir|talk)"
    r"|(?:choir|yoga|vaccinations?|wedding|concert|(?:a|the|my|council|staff|vestry|committee"
    r"|another) meeting|service|funeral|rehearsal|lecture|film"
    r"|match|market|delivery|vestry|shift|supper|dinner|class|lesson|exam|seminar|delivery|van"
    r"|hearing|pensioners?|bells?|lorry|boiler|plumber|tutorial) "
    r"(?!room|hall|theatre)(?:\w+ ){0,1}(?:at|on|from|until"
    r"|till|starts?|begins?|meets?|is|comes?|are)\b|(?:get|gets|got|am|is|was|been|i'm"
    r"|were) up (?:at|since)"
    r"|been (?:up|here|on|running|at|in)|i promised(?! to (?:come|meet|be|go|sit|do|turn up"
    r"|join)\b)"
    r"|i (?:usually|teach|eat|lunch|sup|dine|sleep|swim|train|lock up|work|finish|knock off"
    r"|get off|come off"
    r"|start work|ring|open|close|close up|go to bed|get up|have to be|must be|need to be)"
    r"|i'm (?:at (?!your)|on (?:shift|duty|call|the)|in (?:the|a|class|court|surgery|lectures?"
    r"|town)"
    r"|off to|still|with|seeing|teaching|working|behind|due|expected|wanted|meeting (?!(?:her|him"
    r"|them|you)\b)|away|booked"
    r"|busy|cooking|serving|tied|stuck|minding|at the|taking)"
    r"|i(?:'ve| have)(?: got)? (?:an? (?!free|open|gap|slot|hour|spare)|my|the|choir|to|class"
    r"|classes|lessons?|work|deliveries"
    r"|people"
    r"|patients|vaccinations|band|rehearsal|practice|another|theory|guests|pupils?|two|three"
    r"|something|physics|chemistry|promised|football|yoga|training|lectures?|dinner|supper)"
    r"|(?:my |the )?(?:first|next|last) (?:patient|customer|class|lesson|pupil|student|bus|train"
    r"|guest"
    r"|lecture|shift|delivery|appointment|service) (?:is |comes )?at|i do the|i take (?:my|the)"
    r"|she's|he's|they're|(?:my|the|her|his) \w+ (?:ends|finishes"
    r"|starts|lasts|closes|comes"
    r"|arrives|leaves)|is when we|deliver(?:y|ies)|i was(?! (?:just )?(?:thinking|hoping"
    r"|wondering|planning|going|about|rather|sort))|i saw|they (?:meet|lock)"
    r"|(?:doors?|shop|cafe|pub|library|counter|post office|gym|market|bakery|kitchen) (?:open"
    r"|close)"
    r"|dinner's|supper's|lunch is|tea is|i (?:give|hold|lead) (?:my|the|a)"
    r"|(?:has|'s) got (?:its|his|her|their|an?))\b"
)
# Hours before the hour itself, said as advice.
_ADVICE = Phrases(
    r"\b(?:if you (?:want|need|like) (?:a|to (?:get|help|eat|be|have|see))|good seat|decent"
    r" (?:seat|chair)|set(?:ting)? up(?! (?:an?|our|my)\b)|doors|warm-?up|be early(?! enough)"
    r"|come early|earlier)\b"
)
# An hour that only bounds the time: "before six", "not later than six".
_LIMIT = Phrases(
    r"\b(?:back by|back at|(?<!start )(?<!begin )before|after|since|than|by the time it's"
    r"|free from|free after"
    r"|(?<!kick-)(?<!kicks )(?<!kick )off at) (?:about "
    r"|around )?$"
)
# What makes the hour behind it an offer, whatever else the clause is about.
_PROPOSED = Pattern(
    r"\b(?:(?:shall|should|can|could|may|might) (?:we|i) (?:say|do|make it|meet(?: at)?)"
    r"|(?:how|what) about|let's (?:say|make it|meet(?: at)?)|make it|make that) (?:at |about )?$"
)
# "She's shifting it from four to six": the second hour holds.
_MOVED = Pattern(
    r"\b(?:shift|mov|chang|push|put|bring|brought)\w* (?:it |that |us |things )?"
    r"(?:back |forward |on )?(?:from (?:\w+ ){1,3})?(?:to|till|until) (?:about )?$"
)
_UNFIT = Phrases(
    r"\b(?:awkward|tight|too (?:early|late|soon)|difficult|tricky|bad(?! \w)|no good"
    r"|won't (?:work|do"
    r"|suit)"
    r"|(?:doesn't|does not|don't|wouldn't) (?:work|suit|fit)|impossible|hard for|hopeless"
    r"|rather late"
    r"|a bit (?:late|early)|out of the question|can't (?:do|make|manage|be|at|come|get|before)"
    r"|couldn't (?:do|make|manage)|cannot (?:do|make|manage|be)|not (?:free|before)"
    r"|busy(?! \w+day)|clash"
    r"|awkwardly|not so good|not great|not ideal|early for me|late for me|won't be able|"
    r"not going to work|may not|might not|(?:is|'s) when (?!i am at|i'm at|we (?:start|begin"
    r"|meet|play|kick)|it (?:starts|begins)))\b"
)

_TAKEN = Phrases(
    r"(?:\bis|'s|\bare|\bwill be|'ll be) (?:\w+ )?(?:full|taken|booked|closed|locked|busy|being"
    r"|occupied|shut|too (?:noisy|small|cold|loud|hot|crowded)|a (?:mess|battlefield|zoo)|out of"
    r"|flooded|under water"
    r"|freezing)\b|\b(?:smells|stinks|leaks)\b"
    r"|\bhas (?:an? )?(?:\w+ )?(?:choir|exams?|class|classes|visitors|guests|people|tour|visit"
    r"|meeting|seminar|rehearsal|wedding|party|course|leak|lecture|concert|workmen|painters)\b"
)


# "Tuesday's the wedding": the day of something else.
_ANOTHER = Pattern(
    r"(?:'s| is) (?:(?:the|a|an|my|our) (?!day|best|only|right|time|one)\w|when\b"
    r"|taken)"
)


# "over this evening's pint": what belongs to a day.
_TONIGHTS = Pattern(
    r"(?:this \w+|tonight|today)'s (?!(?:fine|good|great|best|better|perfect|out|no|not|too|full"
    r"|the"
    r"|a|an|my|when|hard|all|ok|okay|impossible|possible|free|busy|tricky|bad)\b)\w"
)


def denied(text: str, span: tuple[int, int]) -> bool:
    """Whether what stands there is said not to be so ("not at the pub")."""
    if NEGATES.search(text[: span[0]]):
        return True
    return bool(
        re.match(
            r"[^.!?;,]{0,20}? (?:is(?:n't| not) right|is wrong|it isn't)\b"
            r"|(?:'s| is)? ?(?:isn't(?! it\b)|is not|won't do|is out\b|is no good|is impossible)\b"
            r"|(?:'s| is| gets) (?:quiet|busy|empty|full|closed|shut|open)\b",
            text[span[1] :],
        )
    )


def elsewhere(clause: str, about: bool) -> bool:
    """Whether a clause is about another matter; `about` says that it names the matter itself."""
    return not about and _of_another(clause)


@lru_cache(maxsize=4096)
def _of_another(clause: str) -> bool:
    return bool(_OTHER.search(clause))


@lru_cache(maxsize=4096)
def unfit(clause: str) -> bool:
    """Whether a clause turns down the hour or the day in it; a question does not."""
    return not clause.rstrip().endswith("?") and bool(_UNFIT.search(clause))


def taken(clause: str) -> bool:
    """Whether a clause says why a place will not do."""
    return bool(_TAKEN.search(clause))


def _moved_to(sentence: Sentence, hour: Hour) -> bool:
    return bool(_MOVED.search(sentence.text[: hour.span[0]]))


def hours_of(sentence: Sentence, about: bool) -> tuple[Hour, ...]:
    """The hours in a sentence that may be those of the matter; ends of spans are left out."""
    return tuple(
        hour
        for hour in hours_in(sentence.text)
        if not (hour.closes and not _moved_to(sentence, hour))
        and not _LIMIT.search(sentence.text[: hour.span[0]])
        and not denied(sentence.text, hour.span)
        and (
            not elsewhere(sentence.clause_at(hour.span[0]), about)
            or _moved_to(sentence, hour)
            or _PROPOSED.search(sentence.text[: hour.span[0]])
        )
        and not _ADVICE.search(sentence.clause_at(hour.span[0]))
    )


def days_of(sentence: Sentence, today: date, about: bool) -> tuple[Day, ...]:
    """The days in a sentence that may be that of the matter."""
    return tuple(
        day
        for day in days_in(sentence.text, today)
        if not denied(sentence.text, day.span)
        and (about or not _ANOTHER.match(sentence.text, day.span[1]))
        and not _TONIGHTS.match(sentence.text[day.span[0] :])
        and not elsewhere(sentence.clause_at(day.span[0]), about)
    )
