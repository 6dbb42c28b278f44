"""What a phrase in a negotiation does, whatever is negotiated."""

from __future__ import annotations

from enum import IntEnum, auto

from sociolab.worlds.sotopia.checks.words import word_set


class Cue(IntEnum):
    """What a phrase does."""

    # What is said of a value that follows.
    TAKE = auto()  # I stand for it
    ASK = auto()  # would you?
    SOFT = auto()  # I would like it, but am not bound
    PAST = auto()  # a report: what it cost, what you said, what others paid
    TAKE_NEXT = auto()  # as TAKE, but only of a value that follows at once
    PAST_NEXT = auto()
    BOUND = auto()  # more than, less than: an offer only after a "not"
    DELTA = auto()  # a difference, not a value
    REFUSING = auto()  # anything but
    ECHO = auto()  # restates what the other said, to the end of the clause
    # What is said of a value that stands in the phrase.
    VALUE = auto()  # nothing is said of it
    VALUE_TAKEN = auto()  # it is, works for me
    VALUE_REFUSED = auto()  # is too much
    VALUE_PAST = auto()
    VALUE_DELTA = auto()
    RANGE = auto()  # between this and that
    FROM_TO = auto()  # from the old one to (the new one follows)
    # What is said of what the other has proposed.
    DEAL = auto()
    DEAL_WORD = auto()  # "deal", "done": only where it stands alone
    FINE = auto()
    YES = auto()  # only where it stands alone
    NOD = auto()
    NICE = auto()  # only where it stands alone
    CLOSE = auto()  # see you tomorrow, I'll bring the money
    CONFIRM = auto()  # what do you say?
    NO = auto()
    NEVER = auto()
    LATER = auto()
    WAVER = auto()  # was hoping for less; not agreed yet
    OFF = auto()
    CHEAT = auto()  # the deal is broken in deed
    # What changes the meaning of the rest.
    NOT = auto()
    IF = auto()
    ONLY_IF = auto()
    MOCK = auto()
    IRONY = auto()
    ASIDE = auto()  # a yes before it only says "I hear you"
    BUT = auto()
    BREAK = auto()  # what was said so far says nothing of what follows
    COMMA = auto()
    OR = auto()
    LOGISTICS = auto()
    MIDDLE = auto()  # let us meet halfway, which stands for a value nobody has to say
    ANOTHER_TIME = auto()
    NOTHING = auto()  # looks like one of the others and is none


# Where an interjection ("yes", "deal") may begin and end.
OPENERS = word_set(
    ", . ! ? - : ; okay yes alright fine then great but so perfect sure right well and oh hmm ah "
    "now no excellent wonderful it's"
)
CLOSERS = word_set(", . ! ? - : ; then at for # and sir my mate friend that let it's")

# A value that stands with these words only, between commas, is an offer in itself.
FLUFF = word_set(
    "okay yes alright all right fine then cash in total only for it this bike today now and so but "
    "no well final flat even right sharp more er um hmm oh ah at let go what you say deal like "
    "here somewhere around about that price dollars to me my friend sir thanks thank great perfect "
    "good maybe wait sorry hm just it is"
)
