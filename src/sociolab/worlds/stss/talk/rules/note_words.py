"""How people note what they were asked, what they agreed to and what was left open."""

from __future__ import annotations

from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases

ASKED = Phrases(
    r"\b(?:is|are|was|were) after (?:an?|one|somebody|someone|me)\b|\bi(?:'ve| have) been \w+ed\b"
    r"|\b(?:talked into|turned down|declined|refused|me (?:included"
    r"|along|too)|for my sake"
    r"|(?:an|my) answer|expects? me|expected|send(?:s|ing)? me|dragged|me a|of us|i bring"
    r"|(?:told|tell) \w+ (?:no|yes|perhaps|maybe)|turn(?:ed)? \w+ down|cross if|for me"
    r"|stay(?:ed)? away"
    r"|disappointed if|save me|counts? me|put me off)\b|"
    r"\b(?!(?:tells|told|shows|showed|gave|gives|reminded|reminds|greeted|passed|met|bored"
    r"|stopped|helped)\b)"
    r"\w+(?:s|ed|ing) (?:on )?me\b(?! (?:about|of|that|how|why|what))|"
    r"^(?:going|promised|agreed|said|told|accepted|coming|joining|will)\b|\b(?:invit\w+|ask(?:ed"
    r"|s|ing)(?! (?:(?:me|us) )?(?:about (?:the|my|our|a)?\w*(?:weather|health|knee|cat|garden"
    r"|day)|after|how|why)\b)|want(?:s|ed)? (?:me|us|my|our|to)|would (?:like|love)"
    r"|like[sd]? (?:me|us)"
    r"|love[sd]? (?:me|us)|welcome|hop(?:es|ed|ing)|i(?:'m| am| was) (?:going|to\b|invited|asked"
    r"|supposed|expected|joining|coming|meeting|playing|sitting|helping|seeing|bringing|welcome"
    r"|in\b"
    r"|taking|wanted|one of)|i(?:'ll| will| shall| plan| intend| agreed| accepted| promised"
    r"| (?:said|told \w+) (?:that |it )?(?:i|yes|no|maybe|is|was|it|we|would|sure|fine|okay|ok)"
    r"| can| can't| could| may| might| must| declined| refused| hope| need| have to"
    r"|'ve agreed"
    r"|'ve promised)\b|\w+ and i (?:still |both |now )?(?:have to|need to|are|will|agreed|meet"
    r"|settled|plan|want|fixed)\b|and i (?:will|are|agreed|have|meet|settled|plan|can|'ll|said)\b"
    r"|(?<!one could )(?<!one can )(?<!anybody can )(?<!people can )join\w*"
    r"|come\b|(?:keep|save|reserve|kept|book)[sd]? me\b|if i (?:came|took|joined|would|could"
    r"|might|wanted"
    r"|fancied)|meet(?:ing)?\b|agreed|we(?:'re|'ll"
    r"| are| will| agreed"
    r"| settled| have| plan)\b|told to\b|me (?:to|and|for|in|at|on|there)\b|interview me|for me\b"
    r"|got me"
    r"|put me|me into|persuaded me|talked me|roped"
    r"|i'm (?:having|doing|down|part|signed|on (?:the|her|his)|\w+ing(?! (?:him|her|them)\b))\b"
    r"|sign(?:ed)? (?:me )?up|see you|proposed|suggested|offered|told me (?:to|i)|let me know"
    r"|count(?:s"
    r"|ing)? on me|looking for|take part|i should|said yes|i mean to)\b|\b(?:should (?:come|be"
    r"|manage|go|do))\b|\b(?:with|by) (?:me|us)\b"
)
# The writer's own answer, from which one sees that it was asked: "I stayed with my no".
STANCE = Phrases(
    r"\b(?:my|a|said|say|saying|flat|firm|clear|polite) (?:\w+ )?(?:no|yes|perhaps"
    r"|maybe)\b(?! (?:one|idea|more|longer|doubt|wonder))"
    r"|\b(?:said|told \w+|answered) (?:that )?(?:perhaps|maybe|probably|possibly|not (?:to|this"
    r"|today"
    r"|tomorrow|for)|i(?:'d| would|'ll| might| may| can't| couldn't| won't| wouldn't| can)\b)"
    r"|\b(?:plan|count|reckon|bank|depend|rely) on (?:me|us)\b|\b(?:write|put) me down\b"
    r"|\bwait for me\b"
    r"|\b(?:left|leave|kept|keep|leaving) (?:it|that) (?:open|at (?:that|a maybe|perhaps))\b"
    r"|\b(?:so|but|and|probably|rather) (?:not likely|unlikely|not for me|not this time"
    r"|probably not)\b"
    r"|\bnot likely\b|\bno promises?\b|\bpromised (?:nothing|nobody)\b|\b(?:didn't|couldn't|can't"
    r"|won't|wouldn't) (?:promise|commit)\b"
    r"|\b(?:ask|try|asked|asks) (?:me )?(?:again|another time|some other time|some other day"
    r"|later)\b"
    r"|\b(?:excused|begged off|bowed out|backed out|wriggled out|got out of it|passed on it"
    r"|gave it a miss)\b"
    r"|\bi(?:'ll| will| may| might| shall|'d| would)? ?(?:\w+ )?(?:look in|drop in|drop by|pop in"
    r"|turn up|show up"
    r"|log in|slip in|walk past|stop by|go along|tag along|give it a (?:try|go|miss)|sit (?:it"
    r"|this one) out)\b"
    r"|\b(?:i'm|i am|we're) (?:free|tempted|not (?:sure|going|free)|in|out|to (?:bring|come|be))\b"
    r"|\bi (?:can't|couldn't|won't|shan't|mustn't|wouldn't) (?:come|go|make|be|join|do)\b"
)
# That somebody is wanted, or what the writer said to it; where no day is named it takes this.
ANSWERED = Phrases(
    r"\b(?:(?:is|are|was|were) after (?:an?|one|somebody|someone|me)|looking for|short of)\b"
    r"|^(?:ask|check|see|look|tell|remember|bring|take|must|let) |\b(?:ask(?:s|ed)|want(?:s|ed)"
    r"|invit\w+|urg(?:es|ed)|would like|likes|expects?|needs) (?:me|us|my)\b"
    r"|\b(?:suggest|propos|persuad)\w*\b|\bi (?:take part|come|join|go|am to|was to)\b"
    r"|\btell (?:him|her|them|\w+) (?:no|yes|i)\b"
    r"|\bi (?:(?:had |have )?said|answered|promised|agreed|accepted|declined|refused)\b"
    r"|\b(?:i|and|but|so) (?:have |had )?told (?:him|her|them|\w+)\b(?! (?:about|of|how|why"
    r"|that (?:it|the)))"
    r"|\bi(?:'d| would|'ll| will| might| may|'m| am)\b(?! (?:hear|told))|\bwelcome\b"
    r"|\b(?:join|gladly|why not|count(?:s|ing)? (?:me|on me)|turned (?:him|her|them|\w+) down)\b"
    r"|\bme (?:to|along|too|in)\b|(?<!front )(?<!ahead )\b(?:of|on|for|from) me\b"
)
# What was told or asked in passing, and what is only thought to want doing.
HEARD = Pattern(
    r"\b(?:told|tells|showed|shows|asked) (?:me|us) (?:about|of|that|how|why)\b"
    r"|\bi (?:met|saw|ran into|bumped into)\b"
)
IN_PASSING = Phrases(
    r"\bask(?:s|ed) (?:me )?(?:after|about|how)\b"
    r"|\b(?:should|ought to|needs? to|might|could) be \w+ed\b"
)
# What was only spoken of, and what shows that it was more.
MENTIONED = Phrases(
    r"\b(?:apparently|mentioned|mentions|mentioning|talk(?:s|ed|ing)? (?:of|about)|some talk"
    r"|notion of|full of"
    r"|going on about|spoke of|speaks of|asked (?:me )?(?:about|after|how|which|what)"
    r"|some (?:business"
    r"|story) (?:of|about|with))\b"
)
# What the writer thinks or does about it, beyond having met somebody.
OWN_WORDS = Phrases(
    r"\b(?:this week|some (?:day|evening|afternoon|time))\b|\b(?:i'\w+|me|my|us)\b"
    r"|\b(?:i|we)\b(?! (?:just )?(?:met|saw|ran|bumped|spoke|talked|chatted|had|found|helped|gave"
    r"|showed|served|sold)\b)"
)
TAKEN_UP = Phrases(
    r"\b(?:invit\w+|welcome|want(?:s|ed)? (?:me|us)|asked (?:me |us )?(?:to|along|whether|if"
    r"|again|over"
    r"|round|in)\b|promis\w+|said (?:i'd|i would|i might|yes|why not|gladly|sure|no\b|perhaps"
    r"|maybe|i'll)"
    r"|told \w+ (?:i'd"
    r"|i would|i might|yes|no\b|perhaps|maybe|not to|to count|i can't|i couldn't|that i)|agreed"
    r"|accepted|declined"
    r"|refused|joined|joining|i'd join|to join|perhaps|maybe|unless|not likely|count (?:me|on me)"
    r"|my (?:no|yes)\b"
    r"|i'll|i will|i can't|i'm (?:going|coming|in|to|joining)|i (?:may|might) (?:go|come|join"
    r"|look)|me (?:to|along)"
    r"|hop(?:es|ed|ing) i|would (?:like|love) me|settled|come along|for me)\b"
)
BUSY = Phrases(
    r"\b(?:needed|sold|lent|borrow(?:s|ed)|bought|was off to|sent (?:him|her|them) to"
    r"|(?:had|has) to (?:rush|run|hurry))\b"
    r"|\bget(?:s|ting)? [^.;]{0,30}\bready\b|\b(?:mend(?:s|ed|ing)|fix(?:es|ing)|gluing|glued"
    r"|repair\w*|scrub\w*|busy|tired|worn out|exhausted|buried|stressed|in a hurry|complained"
    r"|preparing|worried|swamped"
    r"|rushed off|snowed under|up to (?:his|her) (?:ears|neck|eyes))\b"
)
REQUESTED = Phrases(
    r"\b(?:i'm the one|the one who|wants? (?:six|the|it|them|a|some|\d)|supposed to|i'd (?:fetch"
    r"|get|buy|pick|collect|bring|take|go)|(?:someone|somebody) to|after someone|f(?:alls?"
    r"|ell) to me"
    r"|up to me|my (?:job|errand|task))\b|"
    r"^(?:promised|agreed|said|will|must|going|off|told)\b|\bonly needs\b|\bneeds? (?:the|it"
    r"|them|his|her)"
    r"|(?:agreed|promised|have|had) to\b|i(?:'m| am) \w+ing\b|errand|(?:^|: |- |, |\bi )(?:carry"
    r"|buy|fetch"
    r"|collect|pick"
    r"|get|bring|take|drop|hand|deliver|go)\b|\b(?:ask(?:ed"
    r"|s)|i(?:'m| am) to\b|i promised|i(?:'ll| will| agreed| said| can| can't|'ve agreed"
    r"| told| must| should| need| have to|'m going| was asked| refused| declined| offered| take)\b"
    r"|wants? me|want(?:s|ed)? (?:me|somebody|someone)|would like me|needs? (?:me|somebody"
    r"|someone|my"
    r" help|help)|hop(?:es|ed|ing) i|begged|wanted me|for (?:him|her|them|[a-z]+ (?:today"
    r"|tomorrow))\b|me to\b|help|favou?r|to do"
    r"|errands?|could i|if i|whether i|please|let me|got me|roped me|has me|sent me|sends me)\b"
)
# What is to be done, by nobody in particular: "the wire must get to the gallery".
IMPERSONAL = Phrases(
    r"\b(?:has|have|needs?|must|ought|should|is|are) (?:still )?(?:to )?(?:be|get|go|come"
    r"|reach)\b|\b(?:lies|lying|waits|waiting|stuck)\b"
    r"|\b(?:he|she|they|[a-z]+) (?:told|tells|said|says|complain\w*|mention\w*)\b(?! (?:me to\b"
    r"|i\b))"
)
# What somebody may ask for some day.
SOME_DAY = Phrases(
    r"\b(?:might|may|could) (?:\w+ )?(?:need|want|like|ask|use|have)\b(?! (?:me|my) (?:to|help))"
)
NO_PLACE = Phrases(
    r"\b(?:tell|know|say|said|forgot|settled|decided?|sure|find|ask|clear|agreed?|remember|open"
    r"|out)"
    r" (?:\w+ )?(?:exactly )?where\b|\bwherever\b|\bwhere (?:to|we'll|we will|is open|exactly)\b"
)
# What was left out or forgotten: the day or the hour.
UNKNOWN = Phrases(
    r"\b(?:never|didn't|did not|forgot|forgotten|can't remember|don't (?:remember|know)|missed"
    r"|without (?:saying|telling)|not (?:sure|certain)|unsure)\b"
    r"[^.;,]{0,32}\b(?:what|which|the|on what|exact) (?:day|date|time|hour)\b"
    r"|\b(?:never|didn't|did not|forgot) [^.;,]{0,24}\bwhen\b"
)
# Where and how the two ran into each other.
MET = Phrases(
    r"^(?:i )?(?:just )?(?:had (?:tea|coffee|lunch|a beer)|met|saw|ran into|bumped into"
    r"|came across|spoke|talked|chatted"
    r"|had a chat)"
    r"\b|\bwe (?:talked|chatted|spoke)\b"
)
# Where somebody else was going.
GOES = Phrases(
    r"\b(?!(?:i|we) )[a-z]+ (?:was|is|had been|were) (?:just |all )?(?:on (?:the|his|her|their)"
    r" way|heading|headed|going(?! to (?:be|hold|have|take|start|meet|make|do|play|give)\b)"
    r"|walking|hurrying|off|coming|running|rushing) (?:back |over |out "
    r"|up )?"
    r"(?:to|from|for|past|through|home)\b|\b(?:he|she|they) (?:went|came|hurried|ran|left) "
    r"(?:back |over |on |off |out )?(?:to|from|for|past|through|home)\b"
)
HEARSAY = Phrases(
    r"\b(?:according to|heard|(?!i\b)\w+ (?:says|said|thinks|told (?:me|him|her|them)) (?:it|that)"
    r"|(?<!was )(?<!not )mentioned|rumou?r|had (?:told|heard))\b"
)
AGREED = Phrases(r"\b(?:agreed|settled|fixed|decided) (?:on|for|to)\b")
NOT_ASKED = Phrases(r"\b(?:didn't|did not|never|hasn't|without) (?:\w+ )?ask(?:ed|ing)?\b")
NO_YES = Phrases(
    r"\b(?:sadly|alas|unfortunately|hasn't (?:decided|said|agreed)|to (?:reply|answer)\b"
    r"|before i could|i (?:work|teach|have lessons|have pupils) (?:then|until|till|at))\b|"
    r"\b(?:would have (?:liked|loved|wanted)|another (?:hour|time|day)|i have \w+ then|i(?:'m"
    r"| am) (?:busy|away|teaching"
    r"|working) then|put (?:him|her|them) off)\b|"
    r"\b(?:maybe|perhaps|i(?:'ll| will| must| have to| need to| shall| am to|'m to| should"
    r"| can)? ?(?:\w+ )?"
    r"(?:let (?:him|her|them) know|think|see|check|look in my|ask|tell (?:him|her|them))\b"
    r"|think (?:it|about)|not sure|(?:said|told (?:him|her|them)) (?:no|maybe|perhaps|i (?:can't"
    r"|couldn't|might|may|would (?:try|see|think))|that i (?:can't|couldn't|might|may))"
    r"|(?:can't|couldn't|cannot|won't|unable to) (?:come|go|make|join|be|do|play|manage|help)"
    r"|\bdeclined|had to (?:say no|decline|refuse)|turned (?:it|him|her) down|(?:didn't|haven't"
    r"|did not"
    r"|have not|hadn't|never) (?:yet )?(?:answer|agree|give (?:\w+ )?an? (?:answer|reply)|said"
    r"|say|promise|decide|settle|fix|reply"
    r"|get)"
    r"|depends|might|no promise|get(?:ting)? back to|got back to|think it over|thinking (?:it"
    r"|about)|will think|going to think"
    r"|(?:he|she|they)(?:'ll| will) (?:let me know|tell me|ring|call|write|think)|left (?:it"
    r"|that) open"
    r"|still (?:open"
    r"|have to|has to))\b"
)
WISH_ONLY = Phrases(
    r"\b(?:suggest(?:ed|s)|propos(?:ed|es)|want(?:s|ed)|would like|offered|asked|thought of"
    r"|had in mind"
    r"|mentioned)\b"
)
YES = Phrases(
    r"\bso \w+ it is(?=[,.]|$)|\bi'm \w+ing\b|^\w+ing\b|\bas (?:he|she) asked\b|"
    r"\b(?:agreed|settled|i(?:'ll| will| shall) (?!(?:let|think|see|check|tell|ask|try))"
    r"|said (?:yes|i(?:'d|"
    r" would)|that i(?:'d| would))|we(?:'re| are|'ll| will)\b|promised|accepted|i'm (?:going"
    r"|meeting"
    r"|joining|playing|in\b|sitting|coming|to\b|seeing|expected)|i am (?:going|meeting|to\b)"
    r"|meet(?:ing)?"
    r"|fixed|deal|said (?:fine|ok|sure)|told (?:him|her|them) (?:yes|i(?:'d| would))"
    r"|and i (?:will|are|and)"
    r"|i can|i plan|looking forward|i'd (?:be|come)|works for|suits|will (?:interview|meet|play"
    r"|do|draw"
    r"|paint|go|sit|review|rehearse)|\w+ and i)\b"
)
