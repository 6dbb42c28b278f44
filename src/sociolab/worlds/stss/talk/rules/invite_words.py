"""What invites, and how the other takes an invitation up."""

from __future__ import annotations

from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases

# "Would you ...", but for what is asked of anybody at any time.
WOULD_YOU = (
    r"\b(?:would|wouldn't|will|won't|can|could|couldn't) you\b(?! (?:believe|pass|remind|hold"
    r"|excuse"
    r"|imagine|move|pour|sell|know|hear|tell me (?:where|how|what|whether|if)|hand me"
    r"|lend me (?:a|the)"
    r"|show me (?:where|how))\b)"
)
INVITES = Phrases(
    WOULD_YOU + r"|\bdo(?:n't)? you (?:want|fancy|feel like|have time|feel up)"
    r"|\b(?:may|might|can|could|will) (?:i (?:count on|expect|tempt|invite"
    r"|interest|ask|talk|persuade|put you down|borrow|have you(?:rs?)?|steal)|we (?:meet|get|find"
    r"|count|sit"
    r"|have|do|try|go|run|play))\b"
    r"|\bare you (?:busy|doing anything|about|planning|off|free|in\b|coming|able|up for|around"
    r"|game|interested|joining|available|on for)"
    r"|\bjoin(?:ing|ed)?\b|\binvit(?:e|es|ing|ed|ation)\b(?! (?:her|him|them|only|list))"
    r"|\bwelcome\b(?! back| home)|(?<!\bi )\bcome (?:along|to|and|by|over|with|round|too|join"
    r"|down|up|as"
    r"|for|if|one|play|sit|have|hungry|see|try|then|there|at|in)\b"
    r"|\b(?:do|please|then|just|to|you'd|you'll|must|should|could|can|might|why not|hope you|and"
    r"|you|,) come\b|^come\b|\byou (?:came|come|joined|were there|took part|could (?:come|join|make"
    r"|be there)|can (?:come|join))\b"
    r"|\bhop(?:e|ing) (?:that )?(?:to see you|you(?:'ll|'d| will| would| can| could| might)?)\b"
    r"|\bfancy\b|\bcare to\b|\bshall we\b|\blet's\b(?! (?:hope|see|face))|\blet us\b"
    r"|\bwhy don't (?:you|we)\b"
    r"|\byou(?:'d| should| must| ought| really| simply| have to| need to|'ll have to|'ve got to"
    r"| mustn't| shouldn't| can't)"
    r" (?:\w+ )?(?:come|join|be|belong|see|try|do it|miss|sit|play|enjoy|like|love|to come|to join"
    r"|to be|to see|drop|show up|give|take part|have a go|meet|help|look in|bring|stay away|say no)"
    r"|\b(?:love|like|want|wanted|need|glad|happy|delighted|pleased|charmed|honoured|thrilled"
    r"|lovely|nice|great|wonderful|good|grateful|prefer|hoping|counting|count|hope|pleasure|fun"
    r"|wish|tickled|better|keen|dying|meaning)\b(?!, you)[^.?!]{0,24}"
    r"\b(?:you\b|your (?:company|face|help|portrait|likeness|hands?|voice)|to (?:see|have|meet"
    r"|interview|draw|paint|sketch|go (?:over|through)|sit down)"
    r"|(?:the )?(?:two|pair|both) of us|with you)"
    r"|\b(?:i|we) (?:still |badly |really |just |also )?(?:want|need|could use|could do with"
    r"|lack)(?: \w+){0,3} (?:you|your|hands?|people"
    r"|players?|company|somebody|someone|more|few|face|partner|guests?|heads?|ears?|eyes?"
    r"|voices?)\b"
    r"|\b(?:looking for|short of|recruiting|(?:room|place|space|seat|chair|spot|slot) for)\b"
    r"|\b(?:everyone|everybody|anyone|anybody|all)(?:'s| (?:is|are|who|can|may|welcome|with"
    r"|should))"
    r"|\bcount (?:you in|on you|me out)|\byou(?:'re| are) (?:in|on my list|on the list|coming"
    r"|one of|(?!(?:look|jok|kid|go|do|work|mak|say|tell|read|get|be|hav|wonder"
    r"|ask)ing)\w+ing(?=[.,!?])"
    r"|the|invited|included|it|more than)\b|\byou (?:in|too|included|both|as well)\b[?.,! ]"
    r"|\bbring (?:your|a|the|an|along|whatever|\w+ (?:and|or|if|along))\b|\bsee you (?:there|at)\b"
    r"|\bmeet (?:me|up)\b|\b(?:sit|pose) for (?:me|a)\b|\binterested\b|\btempted\b|\bgame for\b"
    r"|\b(?:your name on|be there|put you down|all comers|show your (?:face|nose)|pair of hands"
    r"|pop along|counting on"
    r"|something for you|up your street|you belong|don't you dare|name's on|roping you"
    r"|i'm asking (?:everybody|everyone|all|you))\b|\b(?:should|must|ought to|has to|have to"
    r"|could) (?:attend|join|take part|be there|sign up)\b|\byou'll be (?:there|coming|joining)\b"
    r"|\bwhat do you say\b|\b(?:empty|spare|free|extra) (?:chair|seat|place|spot)\b"
    r"|\b(?:should|could|must|to) (?:put|get) (?:a|your) (?:team|seat)|\bhow about\b"
    r"|\bwhat about\b|\bthinking of you\b|\bthought of you\b"
    r"|\bthink about it\b|\bcoming\?|\bif you(?:'d| would| can)? (?:want|like|care|fancy|make it"
    r"|come)\b|\b(?:a|one"
    r"|some|another) (?:\w+ )?(?:\w+ )?for you\b"
    r"|\b(?:summon(?:ed)?|recruit|(?:glad|grateful) of|collecting (?:people|names|volunteers"
    r"|players|hands)"
    r"|(?:empty|spare|free|extra|vacant|unclaimed) (?:stool|bench|cushion|hand|plate|ticket"
    r"|\w+s for"
    r" (?:students|all|everyone|everybody))|(?:another|an extra) (?:voice|hand|player|reader"
    r"|face|pair|head|mouth|body|pen|foot|dancer|guest|soul)|(?:isn't it|it's"
    r"|high) (?:about )?time (?:that )?we"
    r"|need an? (?:\w+ )?(?:\w+er|\w+ist|partner|second|third|fourth|fifth|sixth|extra)"
    r"|it's (?:free|open) (?:for|to)|no (?:ticket|charge)|all you need|expecting you|expect you"
    r"|(?:going|meant|meaning|wanted|want|about|like) to ask you|i take it|wouldn't be the same)\b"
    r"|^(?:so,? |and |but )?when(?:,? then)?\?|\bwhen (?:can|could|shall|would|are|do|may|might"
    r"|must|will) (?:you|we|i)\b"
    r"|\bhave you (?:got )?(?:an?|any|half an|some|time)\b[^.!?]*\b(?:hour|time|minutes?|evening"
    r"|afternoon|morning|corner|free|for (?:me|us))\b[^.!]*\?|\bask(?:ing)? (?:you )?for an?\b"
    r"|\bwould it be (?:\w+ ){1,3}(?:to|if)\b|\byou're (?:going|coming) (?:on|in|to be)\b"
    r"|\bi(?:'ve| have) volunteered\b"
    r"|(?:^|, |\bthen |\bso |\bjust )be (?:on|at|in|there|here)\b"
    r"|\b(?:don't say no|say yes|say you'll)\b"
    r"|\bbe (?:our|my|the)\b(?! (?:end|death|ruin))"
    r"|\bi'd feel\b|\b(?:reserved|waiting|set aside|free|spare|kept|saved?|left|room) for you\b"
    r"|\bthis is for you\b|\bwant in\b|\bno experience\b|\bhigh time\b|\bhelp (?:me|us)\b"
    r"|\blet me \w+ you\b|\b(?:does|would|will)"
    r" [\w ]{2,24}(?:suit|work|do)\b(?=[^.!]*\?)|\bbetter with (?:you|a)\b|\bin it for you\b"
    r"|'s yours\b"
    r"|'ve got your name on"
    r"|'d be (?:lovely|nice|great|good|fun|better) (?:to|if|with)\b|\bwouldn't be (?:a|the same)\b"
    r"|\bwithout your?\b|\byou (?:can|could|might|may|should) \w+ along"
    r"|\btake part\b|\bpop (?:in|by|over)|\bdrop (?:in|by)\b|\bturn up\b|\bup for\b|\btell (?:your"
    r"|all|everybody|everyone)|\bspread the word|\bmay i\b|\bgive me (?:a|an|one|your)\b|\bcould do"
    r" with (?:you|an|a|one)|\blend (?:me|us)|\bsign (?:you )?up|\bput your name|\blog ?in\b"
    r"|\byou and (?:me|i)\b|\byou (?:can|could|might|may) (?:\w+ )?(?:sit|watch|listen|look (?:on"
    r"|in))\b"
    r"(?![^.!?]*\b(?:her|him|them)\b)"
    r"|\b(?:one|two|three|a player|a man) short\b|\bteach me\b|\bprove it\b|\boffer\b[^.!]*\?"
    r"|\byou're to \w+\b|\bwith the rest of us\b"
    r"|\bwe ought to\b|\bwe should\b|\bshould (?:sit|meet|get|go)\b|\bthe two of us\b"
    r"|\b(?:play|examine|interview|try|test|quiz) (?:it )?(?:with )?(?:me|us|you|that|our)\b"
)
# What the other may do in the matter: "You could play from your armchair."
MAY_DO = Phrases(
    r"\byou(?:'d| could| can| should| might| may| ought to) (?!(?:be |see |say |hear |guess|imagine"
    r"|tell|call|think|have thought|have seen)\b)\w+\b(?![^.!?]*\b(?:her|him|them)\b)"
)
# Speaking to the other of the matter, whatever is said.
IS_OPEN = Phrases(
    r"\byou(?:rs?)?\b|\b(?:any|every)(?:body|one)\b|\b(?:all (?:who|are|ages)|no excuses)\b"
)
# What is said to anybody on meeting and parting.
SMALL_TALK = Pattern(
    r"\b(?<!be )(?<!be so )(?:nice|good|lovely|great|wonderful|delightful|glad|happy|pleased"
    r"|pleasure|joy) (?:to (?:see|meet|find|catch|run into)|seeing|meeting|running into) you\b"
    r"(?! (?:there|at|in|on|for|to|tomorrow))"
    r"|\b(?:good for you|how (?:are|have) you|(?:see you(?! there| at\b| tomorrow)|(?:thank|tell"
    r"|told"
    r"|bless) you)|you (?:know|see),"
    r"|you (?:look\w*|too[.!])"
    r"|you're (?:right|welcome|an angel))\b"
)
# Welcome on no day at all: "Come by the registry any morning", "one of these days".
SOME_TIME = Phrases(
    r"\b(?:any|some) (?:morning|afternoon|evening|day|time)\b(?! (?:today|tomorrow|between|from"
    r"|after))"
    r"|\bsometime\b(?! (?:today|tomorrow|between|after|this))|\bone of these days\b"
    r"|\bwhenever you\b|\bnext time\b|\banother (?:day|time)\b"
)
# What the speaker would do, were things otherwise: "If I were any good I'd draw you."
UNREAL = Phrases(r"\bif (?:i|we) (?:were(?! you)|had been|knew how|was)\b")
# What has been is no matter to be asked to.
PAST = Phrases(
    r"\b(?:last (?:night|week|month|year|time|spring|summer|autumn|winter)|yesterday|\w+ ago"
    r"|in (?:18|19)\d\d)\b"
)
# What somebody is good for, asked before the matter is named: "Do you play football?"
DO_YOU = Phrases(
    r"\b(?:do|can) you (?:\w+ )?(?:play|dance|sing|draw|cook|fold|bake|fly|read|swim|like|know"
    r"|speak|own)\b|\bdon't you\?"
)
# The other proposes the appointment itself, and the performer is glad of it.
PROPOSES = Phrases(
    r"\b(?:let's|let us|shall (?:we|i)|why don't (?:we|i)|(?:shall|could|can"
    r"|should) i (?:\w+ )?(?:come|give|test|sit|help)"
    r"|would you like|how about|if you like)\b"
)
GLAD = Phrases(
    r"\b(?:would|'d) (?:help|be (?:\w+ )?(?:kind|great|lovely|a help))\b|\bwould you\?|\bthank"
    r"|^really\?"
)
BOTH = Phrases(r"\b(?:we|us|you and (?:i|me))\b")
# A wish or a thought of anybody at all: "It would be nice if people came to see."
WISHES = Phrases(
    r"\b(?:would|'d) be (?:\w+ )?(?:nice|good|lovely|fun|great|something|pretty|pleasant)\b"
    r"|\bone (?:could|might|should|ought|really)\b|\bif (?:people|i (?:were|had))\b"
    r"|\bmake people\b|\bone of these days\b"
)
BUSY = Phrases(
    r"\b(?:could|can|may) i (?:buy|borrow|have)\b|\bby any chance\b|\bdo you (?:have|sell|stock)\b"
    r"|\b(?:busy|up to my (?:ears|neck|eyes)|set(?:ting)? up|get(?:ting)? ready|prepar\w+"
    r"|practi[sc]\w+"
    r"|can't (?:talk|stop|stay|chat|linger)|no time|haven't (?:slept|sat|had)|worn out|exhaust\w+"
    r"|pile of|stress\w*|broken|deadline"
    r"|hardly"
    r"|(?:still|i) (?:have|has|need) to|marking|juggl\w+|worr\w+|swamped|drowning|behind with"
    r"|good luck"
    r"|sounds (?:like (?:a lot|loads|hard|too|quite)|tiring|exhausting|complicated|stressful"
    r"|hard)|poor (?:you|thing|\w+)|oh dear"
    r"|hard work|tired|finish\w*|rushed|run off|buried|chained|up all night|not done|working on"
    r"|(?:end|death) of me|moderating|rehearsing|sorting|no sleep|a lot (?:to do|of work)|spent"
    r"|till midnight)\b"
)
ASKS_IN = Phrases(
    r"\b(?:can|could|may|might) (?:\w+ ){1,3}(?:come|join|take part|try|play|watch)\b|"
    r"\b(?:may|can|could|might|would|should|shall) (?:i|we|anyone|anybody|one|beginners?"
    r"|somebody|people)\b|\bfor (?:anyone|anybody|everyone|everybody|me)\b|\bam i (?:invited"
    r"|welcome|allowed)|\bare you (?:asking|inviting)|\bis (?:it|that) (?:open|an invitation)"
    r"|\bme(?: too)?\?|\broom for\b|\bmind if i\b|\bis that for\b"
)
TAKES_UP = Phrases(
    r"\b(?:yes,? (?:sir|ma'am|boss|chef|captain|please)|aye|not me|am i (?!right)|sounds (?:fun"
    r"|lovely|great|good"
    r"|like fun)|i'll (?:fill|fly|fold|cook|stretch|taste|dance|read|listen|supply|be (?:your"
    r"|that))|you know how to"
    r"|i'd (?:only|never)|i have (?:two left|no sense)|my (?:calendar|diary)|you've found"
    r"|twist my arm"
    r"|if (?:my|the) \w+ (?:lets|allows)|leave me out|include me|sign me|where do i|how do i"
    r"|what do i|do you (?:need|want) me)\b"
    r"|"
    r"\bi(?:'ll| will| shall) (?:be (?:there|here|at|in)|come|join|bring|see you|play|dig|wear"
    r"|take part"
    r"|try|keep|sit|put on|log|let you know|think|see|have to (?:see|miss|pass))\b"
    r"|\bcount me\b|\bit is(?=,)|\bcount on me\b|\bi'm (?:in\b|game|yours|coming|willing)"
    r"|\bi am (?:game|yours|coming|willing)\b|\bi might\b"
    r"|\b(?:could i|can i|i can't|how to) (?:refuse|resist|say no)|\bask (?:me )?twice"
    r"|\bwouldn't miss"
    r"|\bhate to miss|\bwhy not\b|\bcount us in"
    r"|\btempting\b|\bi'd (?:love|like|be (?:glad|happy"
    r"|honoured)) (?:to|that|it)\b"
    r"|\bi'll do it\b|\b(?:how|very|too) kind\b"
    r"|\bi accept\b|\b(?:keep|save|book|reserve) me\b"
    r"|\bi'm (?:honoured|flattered|touched|tempted)\b|\bi can (?:supply|bring|come|play|do"
    r"|make it)\b"
    r"|\b(?:so|then) i (?:switch|come|bring|just|log|turn|meet|sit|dial)\b"
    r"|\bi can't (?:come|make|join|play)|\bdo i (?:need|have|bring)|\bshould i (?:bring|wear)"
    r"|\bis (?:good|fine|perfect)\b|\bsee you\b|\bi'm (?:your (?:wo)?man|(?:all )?yours)\b"
    r"|\bwhat can i (?:bring|carry)\b|\bwith pleasure\b|\bgladly\b"
    r"|\byou want me\b|\bthere i'll be\b|\b(?:nine|eight|seven|six|five|four|three|two) works\b"
)
# What may be no more than polite, as long as no day and no hour has been named.
MAY_WANT = Phrases(
    r"\b(?:maybe|perhaps|let me know)\b|\bme\?|\bwhen\?|\bwhen's (?:it|that|kick-off)"
    r"|\b(?:what|which) (?:time|hour|day)\b"
    r"|\b(?:when|where) (?:exactly|(?:do|does|is|would|should|shall|will|are) (?:i|we|it|that"
    r"|this|the|they|he|she|you (?:start|begin|meet|hold|want|need|do|all|have|mean|think)))\b"
)
# Who puts a hint off to no day at all lets it go.
OTHER_TIME = Pattern(
    r"\b(?:maybe |perhaps )?(?:some other|another) (?:time|day|week|year)\b(?:,? (?:maybe"
    r"|perhaps))?"
)
