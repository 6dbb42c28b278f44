"""What people say who look for a friend in common. `{whom}` reads
"works at Kite Radio and is into chess"."""

from __future__ import annotations

from sociolab.worlds.sotopia.scripted.wording.table import Table

OPEN = Table(
    "I wonder whether we know some of the same people.",
    "It's a small world. Perhaps we have a friend in common.",
    "Let's find out whether we share a friend.",
    "People always turn out to know each other round here.",
    "I wouldn't be surprised if we had a friend in common.",
    warm=("You look like somebody my friends would know!",),
)
ASK = Table(
    "Do you know anybody who {whom}?",
    "Is there somebody among your friends who {whom}?",
    "Have you got a friend who {whom}?",
    "One friend of mine {whom}. Does that ring a bell?",
    "I know somebody who {whom}. Do you?",
    "Would any of your friends be a person who {whom}?",
    "Do you happen to have a friend who {whom}?",
    "What about somebody who {whom}?",
    "Might you know a person who {whom}?",
    "I can think of one who {whom}. Can you?",
    "I was thinking of somebody who {whom}. Do you know one like that?",
)
YES = Table(
    "Yes, I know somebody who fits that.",
    "I do, there's somebody like that among my friends.",
    "Yes, that fits a friend of mine.",
    "As it happens, yes.",
    "Yes, one of my friends does fit that.",
    "Oh yes, I know one like that.",
    "Yes, that does sound familiar.",
    warm=("Yes, I do! How funny.",),
    cool=("Yes, one.",),
)
NO = Table(
    "No, nobody like that among my friends.",
    "No, that doesn't fit anyone I know.",
    "I'm afraid not, none of my friends.",
    "No, I can't think of anyone.",
    "No, not one of mine.",
    "Hm, no, nobody comes to mind.",
    "No, I don't know anybody like that.",
    "No, that isn't one of my friends.",
    warm=("No, sorry, I wish I did.",),
    cool=("No.", "No, nobody."),
)
GUESS = Table(
    "Could it be {friend}?",
    "You don't mean {friend}, by any chance?",
    "Is it {friend}, perhaps?",
    "Then I'm thinking of {friend}. Do you know {friend}?",
    "Tell me, do you know {friend}?",
    "Is {friend} a friend of yours?",
    "I have a name in mind: {friend}?",
    "Then what about {friend}?",
)
CONFIRM = Table(
    "Yes, {friend}! I know {friend} well.",
    "Yes, {friend} is a friend of mine too.",
    "It is! {friend} is our friend in common, then.",
    "Yes, that's the one: {friend}.",
    "Indeed, {friend} it is. We share a friend.",
    warm=("Yes, {friend}! What a lovely surprise.",),
    cool=("Yes. {friend} it is.",),
)
DENY = Table(
    "No, I don't know anyone called {friend}.",
    "No, {friend} isn't among my friends.",
    "No, {friend} doesn't mean anything to me.",
    "I'm afraid I know no {friend}.",
    "No, not {friend}. It must be somebody else.",
)
FOUND = Table(
    "Then {friend} is our mutual friend. I'll pass on your regards.",
    "So it's {friend} whom we both know. What a small town.",
    "I'll have to tell {friend} about this.",
    "Well, {friend} will laugh at that story.",
    "So {friend} it is. I'm glad that we asked.",
    warm=("How nice! Next time we should all meet, {friend} included.",),
    cool=("Good, {friend}. That's that, then.",),
)
NONE_FOUND = Table(
    "It seems that we have no friend in common after all.",
    "I don't think we share a friend, but it was good to talk.",
    "Well, then our paths haven't crossed.",
    "I don't think we'll find anybody now, but I enjoyed it.",
)
PONDER = Table(
    "counts something off on the fingers",
    "looks up at the ceiling, trying to remember",
    "frowns and searches for a name",
    "snaps the fingers as if a name were coming",
)
