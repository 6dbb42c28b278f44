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
    r"|this)\b|\bfor me, won't you|\bwhen you(?:'ve| have) (?:got|fetched|collected|picked"
    r"|bought)\b"
)
# What is asked in other ways than by asking: a part is given to the other, its help relied on.
DIRECTS = Phrases(
    r"\b(?:then |so |and |or |, |: "
    r"|how about )?(?<!do )(?<!did )(?<!if )(?<!when )(?<!where )(?<!what )"
    r"(?<!how )(?<!where do )you(?:'re to|'ll have to|'d have to|'d)? (?:go|walk|take|fetch|collect"
    r"|come back|leave|pick|carry|bring|run|pop|nip|drop|buy|deliver|do the|handle|swing|hand"
    r"|get (?!up\b|the idea|used|it\b|that\b|on\b|along\b|to\b|me\b|a\b))"
    r"|\b(?:count|counting|rely|relying|lean|bank|banking|depend|depending) on you\b"
    r"|\b(?:your|a) (?:job|mission|task|part|assignment|errand) (?:would|will|is|for you|today"
    r"|tomorrow)|\byour (?:mission|assignment|orders?)\b"
    r"|\b(?:leave|leaving|give|giving|trust|trusting|entrust\w*|hand|pass"
    r"|delegate)\b[^.!?]{0,40}\bto you\b"
    r"|\b(?:put you to (?:work|use)|send you|sending you|volunteer|courier|messenger|be my|borrow"
    r" (?:you|your|them)|thought of you|think of you|thinking of you|came to mind|promise me"
    r"|suppose"
    r" you|what would you say|how (?:do|would) you feel about|how about (?:you|a)\b|make my (?:day"
    r"|week|morning)|here(?:'s| is) (?:the|a|my) (?:deal|plan|idea)|proposal|proposition"
    r"|travel with you|all i ask|what i need|pair of (?:\w+ )?(?:legs|hands|feet|arms|knees|wheels)"
    r"|take it kindly|owe you|i'll pay you|unless you|it's you|you who"
    r"|you wouldn't(?! (?:believe|know|think|have|guess|want))|asking too much"
    r"|a lot to ask|too much to ask|impose|trouble you|bother you|at your mercy|i'm asking|to ask"
    r" of you|whether you|ask (?:for|a|one|something)|would (?:yours|that|it|this) (?:do|be)"
    r"|something (?:you|i) (?:could|can)|can i give|i'm begging|i beg|would you|free hands?"
    r"|a kindness|a service|good turns?|helping hand|your help|lend)\b"
    r"|(?:^|[,;:?!] |\bthen |\band )(?:go|run|walk|pop|nip|hop|swing by|fetch|collect|grab|buy"
    r"|bring|carry"
    r"|deliver|drop|hand|pick up|(?:put|give|pass) (?:it|them)|come (?:round|over|by|back) (?:to"
    r"|and|with))\b"
    r"|\b(?:an?|one|two|three|some\w*|another) (?:\w+ ){1,2}for you\b|\b(?:hate to|can i"
    r"|must) ask\b"
    r"|\bif you please\b|\bi'd give you\b|\byou'd do\b"
    r"|\bbe (?:a|an|my) (?:\w+ )?(?:love|dear|angel|star|treasure|saint|hero|lamb|sport|friend|gem"
    r"|darling|darlin|good|pal|sweetheart|champ\w*)\b|\bthere's an? (?:dear|love|good)\b"
    r"|\bif you (?!know|ask|like|must|see|look|think|please|remember|say|mean|only|believe|wonder"
    r"|listen|hear|knew|saw|squint|will\b)\w+|\b(?:will|would|won't|could|can|shall) (?:you|we)\?"
    r"|\b(?:right|okay|ok|all right|yes|deal|agreed)\?"
    r"|\byou're (?:going|passing|heading|off|on your way)\b"
)
# How the other takes up what it was asked, were it only hinted: "Consider it done."
UPTAKE = Phrases(
    r"\b(?:consider it|i'll (?:do|get|fetch|see to|run|go|bring|buy|pick|collect|carry|take|drop"
    r"|manage|handle|swing|pop|look in|stop|call|deliver|have it|have them|be your|gladly"
    r"|happily)\b"
    r"|i (?:will|can|could|would)(?=[.,! ]|$)(?! (?:imagine|see|believe|hear|tell|understand"
    r"|well)\b)"
    r"|i'd go|will do|leave (?:it|that|them) (?:to|with) me"
    r"|gladly|of course|with pleasure|no (?:bother|trouble|problem)|say no more|on it\b|aye aye"
    r"|i accept|count on me|you can count|promised|happy to|glad to|you want me|you'd like me"
    r"|i'm your|i'm willing|we're quits|(?:so |and |then |do )?i (?:bring|fetch|carry|collect"
    r"|pick|drop|stop|deliver)"
    r"|as you wish|yes,? (?:ma'am|sir|boss|chef|chief)|not a problem|for you,? (?:yes|always"
    r"|anything)|when do you (?:need|want)|on my way(?! (?:to|home|back|from))|as good as done"
    r"|trust me|rely on me|so i (?:fetch|get|buy|pick|collect|bring|take"
    r"|go|carry)|good swap|fair enough|why not|deal\b|can't (?:do|carry|manage|get|take|help)"
    r"|you can|you may|it is|it would|it could|not at all|they'd|they would)\b"
)
SELF = Phrases(
    r"\bi went\b|\bi (?:take care|do the|see to|deal with|handle)\b"
    r"|\b(?:i'll|i will|i can|i could|i shall|i'd better|i'm going to|let me|i'd rather"
    r"|leave (?:that|the)"
    r" (?:\w+ )?to me|\w+ (?:will|can|'ll)|\w+'ll|\w+'s going to) (?:\w+ ){0,2}?"
    r"(?:do|fetch|collect|pick|get|bring|take|drop|hand|buy|carry|deliver|see to|manage|handle|sort"
    r"|go|run|walk|come|grab)\b|\bmyself\b"
)
# "I'll do it myself": unlike "I'm there myself".
DO_IT = Phrases(
    r"\b(?:it|that|them|those|the rest|the other|go|going|manage|handle|do|done|deal)\b"
)
BACK = Phrases(
    r"\b(?:never mind|(?<!'ll )(?<!will )(?<!won't )(?<!don't )(?<!i )"
    r"(?<!to )(?<!can't )(?<!not )(?<!might )(?<!never )(?<!you )forget(?! (?:where|what))"
    r"|no need|don't (?:bother|worry about|trouble|need)"
    r"|needn't(?! (?:be|hurry|rush))"
    r"|leave (?:that|the)"
    r" (?:\w+ )?to me|skip|that's all\b(?! (?:right|fine|good|clear))|not necessary"
    r"|you don't have to|take that back"
    r"|spare you|scratch that|off your list|let off|sorted itself|(?:so|then"
    r"|and) just the (?:first|second|one|\w+-?up)|would be too much|after all|on reflection"
    r"|the rest is mine|(?:i'll|i'd better|i will) (?:deal with|handle|take care of)"
    r"|that one i'll|not the (?:first|second|last|other)|on second thoughts?"
    r"|leave (?:out )?the (?:second|rest|other|delivery)"
    r"|won't be necessary|changed my mind|(?:end|bit|part|half|rest|other) (?:\w+ ){0,3}?(?:i'll"
    r"|i can"
    r"|i will|is mine|i do)|don't(?=[.!]|$)|i'll (?:come|drop|swing|stop)"
    r" (?:and|by|round|over|past)\b[^.!?]{0,20} (?:for it|for them|fetch|collect|get|pick)"
    r"|i'll (?:do|manage|take"
    r"|handle|see to) (?:that|the|it))\b"
)
# After a refusal these give nothing up: what was asked was asked.
UNABLE = Phrases(
    r"\b(?:sorry|busy|no time|can't|couldn't|won't|rather not|not tomorrow|not today|don't see how"
    r"|i(?:'ve| have) (?:got )?(?:my|the|field|class|lectures?|work|to|an?(?! (?:bicycle|bag|van"
    r"|free))))\b"
)
RESIGNS = Phrases(
    r"\b(?:never mind|no need to|don't (?:worry|bother)|forget it|that's all right)\b"
)
# The only part that is left of two.
KEEPS = Phrases(
    r"\b(?:just|only)(?: do)? (?:the )?(?:first|second|fetching|collecting|buying|picking"
    r"|bringing|getting"
    r"|carrying|delivering|handing|pick-?up|drop-?off|delivery)\b"
)
# What is left of what was asked: "in the end I only need to fetch it".
ONLY = Phrases(r"\bneed only\b|\b(?:only|just) (?:need|have|want|got|am) (?:me )?to\b|\bi only\b")
OFFERS = Phrases(
    r"\b(?:let me (?:do|help|take|carry|fetch|get)|what can i|what (?:do|would) you (?:need"
    r"|want)|what's needed|how can i"
    r"|at your service|put me to|need (?:anything|something|a hand|help)|what is it\?"
    r"|(?:something|anything) (?:\w+ ){1,3}(?:can|could) do"
    r"|want me to|shall i|should i|do you want|(?:can i|could i|may i|i could"
    r"|i can) (?:\w+ )?(?:help|do|get|fetch|carry|bring|take|pick|collect|buy|run|go|lend|drop"
    r"|deliver|have)|would you like"
    r" me|anything i|need me to|you'd like me to|am i to|do i)\b"
)
# Where the other goes anyhow.
OWN_WAY = Phrases(
    r"\b(?:my way|way (?:home|back|to work|there)|(?:after|before) my|past the|i've got (?:my|an?"
    r"|the)"
    r"|i have (?:my|an?|the) (?!parcel|thing)|i'm (?:at|in) the)\b"
)
# What is needed, and whether the other comes by where it is: together they ask to fetch it.
NEEDS = Phrases(
    r"\b(?:i|we|i'm|we're|we've|i've)\b[^.!?]{0,24}\b(?:need|out of|short of|run out|waiting"
    r"|after)\b"
    r"|'s (?:done|mended)\b|\b(?:waiting|lying|ready|put by|put aside|there's|there are|there is)\b"
)
PASSES = Phrases(
    r"\b(?:are|will|do|would|might|if) you (?:\w+ ){0,3}?(?:pass|passing|go past|going past|go by"
    r"|going by"
    r"|going to|going near|heading|be near|near|in town|anywhere near)\b[^.!]*\?"
)
WHERE = Phrases(r"\bwhere\b|\bplace\b")
TO = Pattern(
    r"(?:(?:and|then|straight|on|over|back|off|afterwards|from there),? )*(?:in)?to |(?:it|they"
    r"|that|those) (?:goes|go|should) "
)
# A place that is not said: "where to bring it, she will tell me".
UNSAID = Phrases(
    r"\bwhere (?:to|i'm to|i should|i am to|it|they)\b"
    r"|\b(?:didn't|never|forgot|don't|not)\b[^.;]{0,32}\bwhere i\b"
)
THERE = Phrases(r"\b(?:from |over |up )?there\b(?! (?:is|are|was|were|has|will|might)\b)")
# "You know what, don't." takes all back.
DONT = Phrases(r"\bdon't(?=[.!]|$)")
THEMSELVES = Phrases(
    r"\b(?:(?:up|them|it) from me|herself|himself|themselves|on (?:her|his"
    r"|their) own)\b"
)
# Somebody else does it: "Chidi's buying it", "she fetches it"; names are told by their capital.
OTHERS_DO = Pattern(
    r"(?:\b(?:[Hh]is|[Hh]er|[Tt]heir|[Mm]y|[Ss]ome(?:body|one)) (?:colleague|else|son|daughter"
    r"|brother|sister|husband|wife|friend|pupil|student|apprentice|boy|girl)(?:'s|'ll| will"
    r"| is)? $)|"
    r"(?:\b(?!(?:Let|That|It|What|There|Here|Who)'s)[A-Z]\w+(?:'s|'ll| is| will)"
    r"|\b(?:[Hh]e|[Ss]he)(?:'ll|'s| is| will)?"
    r"|\b[Ss]ome(?:body|one)(?: else)?(?:'s|'ll| is| will| has(?! to\b)))"
    r"(?: has| had)?(?: (?:\w+ly|already|promised to|offered to|going to|happened to))* $"
)
# "Where do you want them?" - whoever answers that wants them brought.
WHERE_TO = Phrases(
    r"\bwhere (?:to|do|does|shall|should|must|will|am|are)\b[^.!]*\b(?:want|bring|take|leave|put|go"
    r"|drop|deliver|hand)\b"
)


# Who comes for it spares the other the way.
COMES = Pattern(
    r"\bfrom (?:you|yours|your \w+)\b|\bi'll (?:come|drop|swing|stop|call|pop) (?:and|by|round"
    r"|over|past)?"
    r"[^.!?]{0,24} ?\b(?:for (?:it|them)|fetch|collect|get|pick)\b"
)
# What is no longer needed: "I had wanted to ask you, but Linh did it."
DONE = Phrases(
    r"\b(?:but|and|till|until) (?:then )?\w+ (?:did|has done|beat|already|was faster|offered)\b"
)


def named_part(text: str) -> set[int]:
    """Which part is meant by "the second part", "the first one"."""
    found = re.search(
        r"\b(first|second|last|other) (?:part|half|one|errand|bit|thing|leg|stop)\b", text
    )
    if COMES.search(text):
        return {2}  # who comes for it spares the other the way
    return set() if found is None else {1 if found[1] == "first" else 2}
