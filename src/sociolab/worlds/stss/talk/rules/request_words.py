"""Words with which something is asked for, offered, or taken back again."""

from __future__ import annotations

import re

from sociolab.worlds.stss.talk.rules.invite_words import WOULD_YOU
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases

ASKS = Phrases(
    WOULD_YOU + r"|\bmight you\b|\bplease\b|\bif you(?:'d"
    r"| would"
    r"| could| can|'re)\b|\byou(?:'d| would| might| could| can|'ll) (?:\w+ )?(?:fetch|collect"
    r"|pick|get"
    r"|bring|take|drop|hand|buy|need|find|leave|have to|be (?:an|a|so|doing|saving|willing))"
    r"|\b(?:hoping|hope|hoped|wonder(?:ing|ed)?|grateful|obliged|glad|wish|thankful|appreciate|love"
    r"|happy)\b[^.?!]{0,30}\b(?:you|somebody|someone|your)\b"
    r"|\b(?:may|might|could|can) i (?:ask|beg|trouble|send|borrow|count|impose|be so bold|persuade"
    r"|bother|rope|talk)|\bdo (?:me|us) (?:a|one|two|the|another)\b|\bdo you think you\b"
    r"|\bneed (?:you|your|a favou?r|a hand|some help|help from)\b|\b(?:want|like) you to\b"
    r"|\bask(?:ing)? you\b|\bbe (?:an angel|a dear|so kind|so good|willing|able to|good enough)"
    r"|\bwould it be\b|\bany chance\b|\bare you (?:able|willing|free|up for|going)\b"
    r"|\bwould you mind"
    r"|\bfavou?rs?\b|\bi'd (?:need|like|want|love) (?:you|someone|somebody)|\bsave me\b|\bhelp me\b"
    r"|\bsomeone like you\b|\bdon't suppose you\b|\bdo you mind\b|\bmind (?:fetching|picking"
    r"|collecting|getting|dropping|going|bringing|buying|handing)|\blend (?:me|a)\b"
    r"|\bif (?:some\w+|the same|an?|any\w+) [^.?!]{0,40}(?:could|would|happened to|were to)\b"
    r"|\bif (?:your way|it's on your)\b|\b(?:thankful|grateful|obliged) for\b|\bif you (?:pass|go"
    r"|are|happen|were|get|have)\b|\b(?:errand|job|task|mission) for you\b|\bi need (?:someone"
    r"|somebody|you|two|a|from)\b"
    r"|\b(?:in your debt|be a (?:\w+ )?help|mean the world|save my|feel like|what if you"
    r"|could (?:somebody|someone)|pay you|need from you|wouldn't happen|happen to be)\b"
    r"|^(?:so |and |then |just |well, |first,? |now,? )*(?:fetch|collect|pick|buy|bring|drop|hand"
    r"|carry"
    r"|deliver|take) (?!care)|\berrands?\b|\btwo (?:errands|things|jobs|favou?rs|legs) for you\b"
    r"|\bfor me\?|\bcan i count on you\b|\b(?:like|want|need) (?:it|them|that|this) (?:brought"
    r"|delivered|taken|carried|fetched|dropped|handed|collected|picked)\b|\byou'll do (?:that|it"
    r"|this)\b|\bfor me, won't you"
)
SELF = Phrases(
    r"\b(?:i'll|i will|i can|i could|i shall|i'd better|i'm going to|let me|i'd rather"
    r"|leave (?:that|the)"
    r" (?:\w+ )?to me|\w+ (?:will|can|'ll)|\w+'ll|\w+'s going to) (?:\w+ ){0,2}?"
    r"(?:do|fetch|collect|pick|get|bring|take|drop|hand|buy|carry|deliver|see to|manage|handle|sort"
    r"|go|run|walk|come|grab)\b|\bmyself\b"
)
BACK = Phrases(
    r"\b(?:never mind|forget(?! (?:where|what))|no need|don't (?:bother|worry about|trouble|need)"
    r"|needn't"
    r"|leave (?:that|the)"
    r" (?:\w+ )?to me|skip|that's all\b(?! (?:right|fine|good|clear))|not necessary"
    r"|you don't have to|take that back"
    r"|spare you|scratch that|off your list|let off|sorted itself|(?:so|then"
    r"|and) just the (?:first|second|one|\w+-?up)|would be too much|after all|on reflection"
    r"|the rest is mine|(?:i'll|i'd better|i will) (?:deal with|handle|take care of)"
    r"|that one i'll|not the (?:first|second|last|other)|on second thought"
    r"|leave (?:out )?the (?:second|rest|other|delivery)"
    r"|won't be necessary|changed my mind|i'll (?:do|manage|take"
    r"|handle|see to) (?:that|the|it))\b"
)
# What is left of what was asked: "in the end I only need to fetch it".
ONLY = Phrases(r"\b(?:only|just) (?:need|have|want|got|am) (?:me )?to\b|\bi only\b")
OFFERS = Phrases(
    r"\b(?:want me to|shall i|should i|do you want|can i|could i|may i|i could|i can|would you like"
    r" me|anything i|need me to|you'd like me to|am i to|do i)\b"
)
# Where the other goes anyhow.
OWN_WAY = Phrases(
    r"\b(?:my way|way (?:home|back|to work|there)|(?:after|before) my|past the|i've got (?:my|an?"
    r"|the)"
    r"|i have (?:my|an?|the) (?!parcel|thing)|i'm (?:at|in) the)\b"
)
WHERE = Phrases(r"\bwhere\b|\bplace\b")
TO = Pattern(
    r"(?:(?:and|then|straight|on|over|back|off|afterwards|from there),? )*(?:in)?to |(?:it|they"
    r"|that|those) (?:goes|go|should) "
)
THEMSELVES = Phrases(
    r"\b(?:(?:up|them|it) from me|herself|himself|themselves|on (?:her|his"
    r"|their) own)\b"
)
# Somebody else does it: "Chidi's buying it", "she fetches it"; names are told by their capital.
OTHERS_DO = Pattern(
    r"(?:\b(?!(?:Let|That|It|What|There|Here|Who)'s)[A-Z]\w+(?:'s|'ll| is| will)"
    r"|\b(?:[Hh]e|[Ss]he)(?:'ll|'s| is| will)?) (?:\w+ly )?$"
)
# "Where do you want them?" - whoever answers that wants them brought.
WHERE_TO = Phrases(
    r"\bwhere (?:to|do|does|shall|should|must|will|am|are)\b[^.!]*\b(?:want|bring|take|leave|put|go"
    r"|drop|deliver|hand)\b"
)


def named_part(text: str) -> set[int]:
    """Which part is meant by "the second part", "the first one"."""
    found = re.search(
        r"\b(first|second|last|other) (?:part|half|one|errand|bit|thing|leg|stop)\b", text
    )
    if re.search(r"\bfrom (?:you|yours|your \w+)\b", text):
        return {2}  # who comes for it spares the other the way
    return set() if found is None else {1 if found[1] == "first" else 2}
