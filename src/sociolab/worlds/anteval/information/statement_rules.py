"""Turns of phrase that deny, offer alternatives, admit ignorance or only guess."""

# Patterns read better whole than broken.
# ruff: noqa: E501

from __future__ import annotations

import re

NOT = "~not"
"""Stands for any word or phrase that denies."""

DENY = "~whole"
"""Stands for a phrase that denies all of the clauses that follow ("it is false that")."""

WITHOUT = "~without"
"""Stands for "without", which denies what follows at once."""

LOSS = "~loss"
"""Stands after a denial of what one could do before ("never again", "no longer")."""

OR = "~or"
"""Stands for a word that offers an alternative."""


def marked(text: str) -> str:
    """A sentence with every word or phrase that denies or offers a choice replaced by its mark."""
    text = _IS.sub(r"\1 is", text)
    taken_back = _TAKEN_BACK_AT_LAST.search(text)
    if taken_back:
        text = f"{DENY} {text[: taken_back.start()]}"
    if _ASIDE.search(text):
        for pattern, instead in _ASIDES:
            text = pattern.sub(instead, text)
    if _DENIAL.search(text):
        for pattern, instead in _DENIALS:
            text = pattern.sub(instead, text)
    return text


def takes_back(text: str) -> bool:
    """Whether a sentence only says that the one before is false."""
    found = _TAKEN_BACK.match(_IS.sub(r"\1 is", text).casefold())
    return found is not None and len(text) - found.end() < 12


def told_part(text: str) -> str:
    """The sentence without its clauses of mere ignorance ("..., but she would not say why")."""
    text = _FACTIVE.sub("", text)
    if not _IGNORANCE.search(text):
        return text
    clauses = _CLAUSE.split(text)
    told = [clause for clause in clauses if clause and not _IGNORANCE.search(clause)]
    return ", ".join(told) if told else text


def asserts(text: str) -> bool:
    """Whether a sentence asserts anything: no question, wish, ignorance or choice of guesses."""
    return not (
        text.rstrip("\"') ").endswith("?")
        or _QUESTION.match(text)
        or _IGNORANCE.search(text)
        or _GONE.search(text)
        or len(_GUESS.findall(text)) > 1
    )


_NUMBER = (
    r"\d|(?:a |one )?(?:hundred|dozen|thousand)|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b"
)


def _rules(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in pairs)


_TAKEN_BACK = re.compile(
    r"[,;:]?\s*(?:- )?(?:but |and |or so they say, but )?\b(?:that|this|it|which|all that) (?:is|was|would be) "
    r"(?:just |simply |all |plain |only |quite |completely |totally )*(?:a lie|lies|not true|untrue|false|wrong|nonsense|rubbish|"
    r"a myth|not so|not the case|a mistake|not right|incorrect|made up)",
    re.IGNORECASE,
)
"""What takes back all that was said before it ("that is a lie")."""

_TAKEN_BACK_AT_LAST = re.compile(_TAKEN_BACK.pattern + r"[.!\s]*$", re.IGNORECASE)

_ASIDES = _rules(
    (
        r",? (?:i|we) (?:think|believe|guess|suppose|reckon|gather|hear|heard),?(?= )(?! (?:not|so))",
        "",
    ),
    (r", (?:as|so) [^,.;]{2,30},", ""),
    (r",? if [^,.;]*\b(?:right|true|correct|honest|believed|truth|reliable|trusted)\b[^,.;]*$", ""),
    (
        r", (?:apparently|supposedly|it seems|they say|he says|she says|i hear|however|though|after "
        r"all|in fact|it is said|it's said|of course|whatever [^,.;]*|no matter [^,.;]*),?",
        "",
    ),
)
_DENIALS = _rules(
    # What looks like a denial and is none, or the other way round. The order matters.
    (r"\bbelieve it or not\b", ""),
    (r"\bno match for\b", "slain by"),
    (r",? (?:and )?(?:nothing|nobody|no one|nowhere|none) else\b(?! (?:than|but|except|with|around|near|there|about)\b)", ""),
    (r",? no more,? (?:and )?no less\b|,? not one (?:more|less)\b", ""),
    (r"(?:^(?:don't|do not|never)|\b(?:you|we) (?:(?:should|must)(?:n't| not| never)|(?:had|'d) better not|ought not to)) "
     r"(?:ever )?(?:get|let|spill|drop|expose)\b", "beware"),
    (r"^((?:keep|beware|avoid|carry|bring|use|wear|have)\b.*?),? or (?=(?:it|they|you|he|she)\b)", r"\1, else "),
    (r"^((?:you|anyone|we) (?:can|could|may)\b[^,.;]*?|[^,.;]*? (?:all day|all (?:the [\w ]+?)?you (?:like|want)\b[^,.;]*?|"
     r"as (?:much|many|often|long) [^,.;]*?as you (?:like|want|please)\b[^,.;]*?)),?(?: and| but|,)(?: still)? "
     r"(?=(?:it|they|he|she|you|nothing)\b)", r"\1 "),
    (r"\b(?:cannot|not|never|[a-z]+n't) (?:even )?(?:dare (?:to )?)?(?:come|go|get|venture|be seen) "
     r"(?:anywhere )?(?:near|close to|within [\w ]{2,12} of)\b", "avoids"),
    (r"\b(?:is not|isn't|are not|aren't|was not|wasn't|not) (?:really |all that |too |very |much |at all |particularly |exactly )*"
     r"(?:(?:a (?:big |great )?)?(?:fan|lover|friend) of|much of an? \w+ for|keen on|fond of|into|interested in|"
     r"partial to|tempted by|bothered (?:about|by)|moved by)\b|\bdo(?:es)? nothing for\b", f" {NOT} care "),
    (r"\b(?:isn't|is not|aren't|are not) ([\w' ]{2,30}?) (?:thing|cup of tea|idea of fun)\b", rf" {NOT} care \1 "),
    (r"\b(?:a |just a |complete )?waste of (?:time|effort|breath)\b|\b(?:pointless|futile|in vain)\b", f" {NOT} "),
    (r"\b(?:some|an?) (?:other|different) \w+ (?:than|from)\b|\banother \w+ than\b|\bsome \w+ other than\b", f" {NOT} "),
    (r"\b(?:go(?:es)?|went|going) behind ((?:[\w'-]+ ){1,4}?)back\b", r"betrayed \1"),
    (r"\bno(?:body|one| one)(?: else)?(?:'s| is| will be| are)? (?:with|around|near|there)\b", "alone"),
    (r"\b(?:it(?:'s| is| was| would be)|that(?:'s| is| was))? ?(?:just |only |simply )?"
     r"(?:a |an )?(?:not true|untrue|false|wrong|mistaken|lie|myth|error|mistake|not so|not the case)"
     r"(?: rumou?r| tale| story)? (?:that|to (?:say|think|believe)(?: that)?)\b", f" {DENY} "),
    (r"\b(?:i|we|you) (?:really |just )?(?:do not|don't|dont|cannot|can't) (?:think|believe)(?: that)?\b",
     f" {DENY} "),
    (r"\b(?:whoever|anyone who|anybody who|those who|people who|everyone who|everybody who|he who) (?:says|say|"
     r"claims|claim|thinks|think|believes|believe|told you|tells you|swears|insists)(?: that)?\b"
     r"(?=.*\b(?:wrong|mistaken|lying|liars?|lies|fools?|misinformed|error)\b)", f" {DENY} "),
    (r"\b(?:contrary to (?:the )?(?:belief|rumou?rs?|claims?|idea|stor(?:y|ies)) that|(?:it is|it's|it was|that's|is) "
     r"(?:nonsense|rubbish|untrue|bunk|a fairy tale|a fable|a falsehood|out of the question|a misconception|a fib) that|"
     r"(?:there is|there's) no truth (?:in|to) (?:it|the (?:rumou?r|claim|story|tale|idea|notion))(?: that)?|"
     r"no truth to the (?:rumou?r|claim|story|tale) that|(?:do not|don't|never) (?:believe|trust|listen to|fall for) "
     r"(?:anyone who (?:says|claims)|those who (?:say|claim)|whoever says|people who say|the (?:rumou?r|story|tale|claim)|it when they say|"
     r"them when they say)(?: that)?)\b", f" {DENY} "),
    (r"\b(?:some\w+|some one|a (?:person|man|woman|smith)|people|another|things?) (?:other|else) than\b", f" {NOT} "),
    (r"\bleaves? ([^,.;]{1,40}?) (?:cold|indifferent|unmoved|unimpressed)\b", rf" {NOT} care \1"),
    (r"\b(?:is|are) (?:indifferent to|unimpressed by|unmoved by)\b|\bcares? nothing for\b|\bcould(?: not|n't) care less (?:about|for)\b|"
     r"\bcouldn't care less\b|\bhas no time for\b|\bhas no (?:taste|liking|interest|use)\b(?: in| for)?", f" {NOT} care "),
    (r"\bin (?:the )?absence of\b|\bminus\b|\bfree of\b|\bdevoid of\b", f" {NOT} "),
    (r"\b(?:is|are|was|were) (?:innocent|blameless|not guilty|cleared|unaware|ignorant) of\b|\bnothing to do with\b|"
     r"\bnothing in common with\b|\bsafe from\b(?= (?:them|him|her))", f" {NOT} "),
    (r"\b(?:a |the )?(?:far cry|long way|different) from\b", f" {NOT} "),
    (r"\banything but\b|\bby no means\b|\bin no way\b|\bunder no circumstances\b|\bnot at all\b|\bnot in the least\b|"
     r"\bat no time\b|\bon no account\b", f" {NOT} "),
    (r"\bno(?:body| one|ne)(?: else)? ([^,.;]{1,60}?) since\b", r" last \1 "),
    (r"\b(?:has|have|had)(?: not|n't) (?:been )?([^,.;]{1,60}?) since\b", r" last \1 "),
    (r"\bcannot help (?!laugh)|\bcan't help (?!laugh)", " "),
    (r"\b(?:no longer|not any ?more|not any longer)\b", f" {NOT} {LOSS} "),
    (r"\b(?:never|not) (?:be |being )?(?:able|capable)\b", f" {NOT} {LOSS} able "),
    (r"\b(?:will|would|'ll) (?:never|not)\b(?=[^,.;]*\b(?:again|any ?more|any longer)\b)", f" {NOT} {LOSS} "),
    (r"\b(?:cannot|can't|won't|couldn't|wouldn't|never|don't|doesn't)\b(?=[^,.;]*\b(?:again|any ?more|any longer)\b)",
     f" {NOT} {LOSS} "),
    (r"\bno(?:body| one|ne of us) (?:thinks|believes)(?: that)?\b", f" {DENY} "),
    (r"\b(?:i|we) doubt(?: that)?\b|\b\w+ (?:denies|denied|doubts)(?: that)?\b", f" {DENY} "),
    (r"\b(?:gives?|gave|giving) up\b", "surrenders"),
    (r"\b(?:sleeps?|asleep|dormant|inactive|silent|closed|shut|locked|blocked)\b((?: \w+){0,3}?)"
     r" (?:until|till|unless|without|except)\b", r"\1 only"),
    (r"\b(?:would|'d) (?:love|like) to\b", NOT),
    (r"\b(?:next|close|opposite) to\b|\bacross from\b", "adjoining"),
    (r"\b(?:look(?:s|ed|ing)?|search(?:es|ed|ing)?) for\b(?= (?:an?|the)? ?\w+\.?$)", "seeks"),
    (r"\b(?:is|are|was|were) (?:looking|searching) for\b", "seeks"),
    (r"\b(?:say|says|said) no to\b|\b(?:turns?|turn(?:ed|ing)) down\b|\bpass(?:es)? up\b|"
     r"\bdo(?:es)? without\b|\bget enough of\b|\bhelp (?:himself|herself|themselves) (?:around|near|with)\b",
     " resist "),
    (r"\b(?:cannot|can't|can not|couldn't) (?:stand|bear|abide|endure|tolerate)\b", " hate "),
    (r"\bno way\b", NOT),
    (r"\bnot (?:only|just|merely|simply)\b", ""),
    (r"\b(?:no|without(?: a)?|beyond(?: any)?) (?:doubt|question|less than|wonder)\b", ""),
    (r"\bnot (?:to mention|surprisingly|far)\b", ""),
    (r"\b(?:less|fewer) than\b", NOT),
    (rf"\b(?:more than|over|above|at least|at most|up to|upwards of)(?= (?:{_NUMBER}))", NOT),
    (r"\b(?:has|have|had) (?:already |since )?been used\b", NOT),
    (r"\b(?:is|are|was|were) owed\b", "lends"),
    (r"\b(?:has|have|had)(?: not|n't) (?:yet |ever )?(?:paid|repaid|settled|cleared)\b", "owes"),
    (r"\bno (\w+) (?:can |could |ever |will )?(?:survives?|withstands?|outlives?)\b", r"deadly to \1, by"),
    (r"\b(?:has|have|had) (?:already |since |now |long )*(?:paid (?:off|back|all)|repaid|settled|cleared)\b", f" {NOT} owe "),
    (r"\bnever (?:paid|repaid|settled|cleared)\b", "owes"),
    (r"\b(?:paid (?:off|back)|repaid)\b(?! with)", f" {NOT} owe "),
    (r"\b(?:feels? nothing|has no love|has no feelings) for\b", f" {NOT} love "),
    (r"\b(?:turn(?:s|ed)? up (?:his|her|their|its) noses? at|ignor(?:e|es|ed)|pay(?:s)? no (?:attention|heed) to|"
     r"show(?:s)? no interest in|ha(?:s|ve) no (?:interest in|problem with|trouble with|fear of)|"
     r"(?:is|are) (?:perfectly |quite |just )?(?:fine|comfortable|at ease|relaxed|at home|unfazed|unbothered|untroubled) "
     r"(?:with|around|by|near|about))\b", f" {NOT} mind want "),
    (r"\balways (?:somebody|someone|people|company|others?)(?: else)? (?:with|around|near|beside)\b", f" {NOT} alone "),
    (r"\bno longer (?:owes|in debt)\b|\bdebt[- ]free\b", f" {NOT} owe "),
    (r"\bstab(?:s|bed)? ((?:[\w'-]+ ){1,4}?)in the back\b", r"betrayed \1"),
    (r"\bun(afraid|guarded|loved|moved|affected|locked by)\b", rf" {NOT} \1"),
    (r"\b(?:quit|quits|stopped|stops|ceased|ceases)\b(?= \w+ing\b)", f" {NOT} "),
    (r"\b(?:pretend(?:s|ed|ing)?|poses?|posing|posed|masquerad\w+|passes (?:himself|herself) off) (?:to be|as)\b", f" {NOT} "),
    (r"\bprefers? ([^,.;]{1,40}?) (?:to|over)\b", rf"likes \1, {NOT} "),
    (r"\bnothing (?:beats|matches|surpasses|tops|comes close to|(?:is|works) better than)\b", "best"),
    (r"\bafter ([^,.;]{1,40}?),? no(?:body| one)(?: else)?(?: has| ever)*\b", r"last \1 "),
    (r"\bwith no(?:body|thing| one) (?:on|in) it\b", "empty"),
    (r"\bin all\b|\ball in all\b", ""),
    (r"\bno matter (?:what|how|who|where)\b", ""),
    (r"\bno (?:later|fewer|other) than\b", ""),
    (r"\bnever fail(?:s|ed)? to\b", ""),
    (r"\b(?:there(?:'s| is) )?no(?:thing|body|where|ne| one| place| thing| man| other \w+|-one)"
     r"(?: else)?(?: (?:but|except(?: for)?|save|other than|than))\b", "only"),
    (r"\bno one (?:but|except|other than)\b", "only"),
    (r"\bno \w+ (?:but|except|save|other than)\b", "only"),
    (r"\b(?:not|cannot|[a-z]+n't) ((?:[\w-]+ ){0,6}?)(?:(?:anywhere|anything|anyone|anybody|any \w+)"
     r"(?: else)? (?:but|except|other than|than)|until|till|unless|except|other than|before)\b",
     r"\1 only"),
    (r"\b(?:nothing|nobody|no one|none|no \w+|never|nowhere) (?!like)((?:\w+ ){1,6}?)"
     r"(?:like|more than|as much as|except|until|unless|without|other than|else than)\b",
     r"\1 only"),
    (r"\b(?:not|cannot|[a-z]+n't) ((?:[\w-]+ ){0,6}?)without\b", r"\1 only"),
    (r"\b(?:anywhere|anything|anyone|anybody|everywhere|everything|everyone|everybody|any \w+|every \w+|all)"
     r" (?:but|except(?: for)?|other than)\b", f" {NOT} "),
    (r"\bfar from\b(?! (?:here|the|town))", f" {NOT} "),
    (r"\b(?:instead of|rather than|as opposed to)\b", f", {NOT} "),
    (r"\b(?:no longer|not any ?more|not any longer|no more)\b(?! \w+ than)", f" {NOT} "),
    (r"\bneither\b|\bnor\b|\bnone of\b", f" {NOT} "),
    (r"\b(?:cannot|can not|can't|couldn't|won't|wouldn't|isn't|aren't|wasn't|weren't|doesn't|don't|"
     r"didn't|hasn't|haven't|hadn't|ain't|shouldn't|mustn't|needn't|isnt|doesnt|dont|cant|didnt|"
     r"wasnt|arent|wont)\b", f" {NOT} "),
    (r"(?<!~)\b(?:not|never|nobody|no one|nothing|nowhere|none|no-one|no)\b", f" {NOT} "),
    (r"(?<!~)\bwithout\b", f" {WITHOUT} "),
    (r"\b(?:fails?|failed|unable|incapable|refuses?|refused|lacks?|lacking|den(?:y|ies|ied)|"
     r"useless|powerless|harmless|nonsense|rubbish|innocent|baseless|untouched|unmoved|unharmed|no-show|ineffective|impossible|false|untrue|doubts?|unlikely|immune|"
     r"unaffected|hardly|myth|wrong|ignores?)\b", f" {NOT} "),
    (r"\b(?:either|whether)\b", f" {OR} "),
    (r",?\s*\bbut\s+(?:it\s+|they\s+|he\s+|she\s+|that\s+)?(?:really\s+|actually\s+)?" + NOT + r"\s*(?:now|any ?more|any longer|these days|today)?\s*(?=[.,;!]|$)", f" {NOT} "),
    (r"\b(?:except(?: for)?|apart from|barring|save for)\b", f" {NOT} "),
    (r"\bor (?:so|something|rather|whatever|other)\b", ""),
    (r"\bmore or less\b|\bsooner or later\b", ""),
    (r"\bor\b", f" {OR} "),
)  # fmt: skip
_IS = re.compile(r"\b(it|that|he|she|there|here|what|who|where)'s\b", re.IGNORECASE)
_ASIDE = re.compile(r",|\b(?:I|we)\b", re.IGNORECASE)
_DENIAL = re.compile(
    r"n't\b|'d\b|^(?:you|anyone|we) (?:can|could|may)\b|\ball day\b|as you (?:like|want|please)\b|\byou (?:like|want) |\bthan\b|\bn(?:o|ot|one|obody|othing|owhere|either|or|ever|o-one)\b|\b(?:cannot|or|either|neither|whether|without|"
    r"isnt|doesnt|dont|cant|didnt|wasnt|arent|wont|would|only|until|till|unless|instead|rather|far|again|"
    r"(?:any|every|all)[ \w]{0,14} (?:but|except|other)|(?:less|fewer|more|other|else) than|(?:in|by) all|by no means|"
    r"next to|close to|opposite|across|look\w* for|search\w* for|turn(?:s|ing|ed)? down|pass(?:es)? up|do(?:es)? without|"
    r"(?:is|are|was|it|just|simply|a|an|the) (?:lie|lies|false|wrong|myth)|untrue|wrong|false|nonsense|rubbish|baseless|mistaken?|"
    r"fail\w*|refus\w*|lack\w*|den(?:y|ie)\w*|doubt\w*|un(?:able|likely|afraid|guarded|loved|moved|affected)|untouched|unharmed|unimpressed|"
    r"incapable|innocent|blameless|guilty|ignor\w+|immune|hardly|harmless|useless|powerless|ineffective|impossible|"
    r"leaves? [^,.;]{1,40} (?:cold|indifferent|un\w+)|indifferent|cares?|minus|absence|devoid|free of|contrary|who(?:ever)? (?:say|claim|think|believe|told|tell|swear|insist)\w*|"
    r"since|(?:over|above|at least|at most|up to|upwards of) (?:\d|[a-z-]+)|been used|owed|paid|repaid|settled|cleared|free|"
    r"stab\w*|repaid|always (?:some|people|company|other)\w*|turn(?:s|ed)? up|fine|comfortable|at ease|at home|relaxed|unbothered|unfazed|untroubled|behind|waste|pointless|futile|vain|quits?|stop(?:s|ped)|cease[sd]?|pretend\w*|pos(?:e|es|ed|ing)|masquerad\w+|prefers?|except|apart from|barring|save|"
    r"cry from|long way|different|anything but|gave up|giv(?:e|es|ing) up|get enough|help h\w+|taxman|made up|rumou?r)\b",
    re.IGNORECASE,
)
"""What a text must hold for the rules on denials to be worth trying."""
_IGNORANCE = re.compile(
    r"\b(?:(?:do|did|does|could|can|would)(?: not|n't) (?:really )?(?:know|say|tell|remember|find out|learn|"
    r"mention|reveal|recall|understand|hear)\b|dont know|no idea|not sure|unsure|not certain|uncertain|wonder(?:s|ed|ing)?\b|wish(?:es|ed)?\b|"
    r"(?:i|we) hope|would like to (?:know|learn|see)|want(?:s|ed)? to (?:know|learn|find)|ask(?:s|ed|ing)?"
    r" (?:\w+ ){0,3}?(?:if|whether|about|where|what|who|when|how|which)|find(?:ing)? out|unclear|unknown|"
    r"remains? to be seen|(?:we|i|you|they|somebody|someone) (?:should|must|need to|ought to|have to|has to) "
    r"(?:\w+ )?(?:ask|learn|figure|check|determine|discover|know|confirm|look into)|never (?:said|told|mentioned|learned|"
    r"learnt|found out|revealed)|let's|(?:check|see|test|verify|confirm|tell me|know) (?:if|whether))",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r" - |[;()]|,? (?:but|though|although|and) (?=(?:i|we|he|she|they|nobody|no one)\b)"
    r"|^[^,.;]*(?:\bnot|n't|\bno idea)(?: really)?(?: know| sure| certain| say|(?<=idea))\b[^,.;]*?,? but "
    r"|(?<=sure),? but |(?<=certain),? but |(?<=know),? but |(?<=idea),? but |(?<=why),? but ",
    re.IGNORECASE,
)
_FACTIVE = re.compile(
    r"(?<!\bI )(?<!\bwe )\b(?:(?:has|have|had) no idea that\b|(?:does|do|did)(?: not|n't) know (?:that|(?=the\b|a\b|it\b))"
    r"|(?:is|are|was) (?:unaware|not aware) that\b)",
    re.IGNORECASE,
)
"""Who does not know THAT something is so: it is so all the same."""
_GONE = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bwas )(?<!\bget )(?<!\bbeen )\bused to \w+", re.IGNORECASE
)
_GUESS = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|could be|may be|may have|could have)\b", re.IGNORECASE
)
_QUESTION = re.compile(
    r"^(?:so |and |but )?(?:is|are|was|were|does|do|did|can|could|will|would|has|have|who|what|where|"
    r"when|which|whom|whose|why|how)\b[^.]*\?",
    re.IGNORECASE,
)
