"""How an hour is put forward, asked for, moved and said yes to, in words."""

from __future__ import annotations

from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases

SETTLED = Phrases(r"(?: sharp| tomorrow| today)? it is(?:,? then)?(?=[.,!]|$)")

FROM = Phrases(
    r"\b(?:not (?:before|until|till)|free (?:from|after|at)|(?:any time|anytime) after|done by"
    r"|between) (?:about )?$"
)
EITHER = Phrases(
    r"\bor (?:at |about |even |maybe |perhaps )?(?:half "
    r"|quarter )?\w+(?: past \w+)?(?=[?,.]|$)"
)
COUNTER = Phrases(r"\b(?:later|earlier|another (?:hour|time)|some other time)\b[^.!]*\?")
LATER = Phrases(r"\b(?:bit|little|rather|somewhat|much) (?:later|earlier)\b")
# "Somebody with a watch would be better": no yes, but for "that would be better".
WISHES_OTHER = Phrases(r"(?<!that )(?<!it )(?<!which )\b(?:would|'d) be (?:\w+ )?(?:better|best)\b")
# "If I get at it straight away": how soon, not which day, once a day has been named.
AT_ONCE = Pattern(r"(?:straight|right) away|at once|now\b")
# Who has something else on at an hour.
MINE = Phrases(r"\b(?:i'm|i am|i've|i have|my|there's|we've|we have|we're)\b")
HOUR_OPEN = Phrases(
    r"^(?:and |but |so )?(?:what about )?(?:the|what|at what|which) (?:time|hour)\?$"
)
WHEN = Phrases(
    r"\bwhen\b[^.!]*\?|\btime\b[^.!]*\?|\b(?:tell me|just say|say|name) (?:when|the (?:time"
    r"|hour))\b"
    r"|\bwhat hour\b"
)
# What is asked of a meeting that one means to come to.
MORE = Phrases(
    r"\b(?:where|who else|who's|who is|bring|wear|how (?:long|many)|do i need|is there|are there"
    r"|here"
    r"|inside|outside|indoors)\b[^.!]*\?"
)
# "Make it quarter past.": of the hour that is spoken of.
PAST = Pattern(
    r"\b(?P<size>half|(?:a )?quarter|ten|twenty) past"
    r"(?=[.,;!?]|$| (?:and|then|instead|please)\b)"
)
SIZES = {"half": 30, "quarter": 15, "a quarter": 15, "ten": 10, "twenty": 20}
PAST_THEN = Pattern(
    r"\b(?P<size>half|(?:a )?quarter|ten|twenty) past"
    r"(?=(?:'s| is| it is| then| works| suits| would| will| sounds)\b)"
)
# "I'm done by five": until when, once an hour is on the table.
BY = Pattern(r"\bby (?:about |around )?$")
# How an hour is put in the place of another.
INSTEAD = Phrases(
    r"\b(?:could|can we|shall|better|rather|make (?:it|that)|let's|say|prefer|suggest|or|but"
    r"|unless|instead)\b"
)
# "Is nine too early for you?" - "Not at all."
TOO = Phrases(
    r"\b(?:too (?:early|late|soon|much)|mind (?:if|coming|it)|be (?:a )?(?:trouble"
    r"|bother))\b[^.!]*\?"
)
NOT_AT_ALL = Pattern(
    r"(?:oh,? |no,? |for me,? )*(?:no[.!]|not (?:at all|a bit|in the least|for me)|never"
    r"|by no means|far from it"
    r"|hardly)(?=[.,!]|$)"
)
NUMBER = Pattern(r"(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+)[.!]?$")
# A yes that can only be to a meeting.
SURELY = Phrases(
    r"\b(?:i'll (?:be (?:there|along)|come|do it|join|bring|see)|see you|count me in|i'm (?:in"
    r"|coming)|agreed"
    r"|deal|nothing (?:can|could|will|would)|wouldn't miss|with bells|it's a date"
    r"|i'd love to(?! see)"
    r"|i'd be (?:glad|happy|honoured)|gladly|with pleasure|then (?:yes|i|you|sure|of course|fine"
    r"|good|gladly)"
    r"|in that case|no excuse|well,? yes|go on|oh,? all right|(?:yes|all right|fine|good),? then)\b"
)
