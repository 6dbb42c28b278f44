"""What is said of goods that are to be divided: who takes them, and whose they are."""

from __future__ import annotations

from enum import IntEnum, auto


class Cue(IntEnum):
    """What a word or phrase does in a proposal."""

    ME = auto()
    YOU = auto()
    WE = auto()  # I and my people, where "you" get something in the same breath
    EACH = auto()  # we each take, each of us
    VERB = auto()
    HALVE = auto()  # split, share
    PART = auto()  # gives up: the goods go to the other
    AGAINST = auto()  # the goods that follow are the price of those before
    EXCEPT = auto()  # everything but
    TO_ME = auto()  # after the goods: for me
    TO_YOU = auto()
    IS_MINE = auto()  # after the goods, with a verb: are mine
    IS_YOURS = auto()
    APIECE = auto()  # after the goods: each
    REST = auto()
    ALL = auto()
    THEM = auto()  # "you can have them", of the good that the other has just named
    OF_IT = auto()  # "the other one", of the good that was named last
    NOT = auto()
    TASTE = auto()  # what things are worth: no proposal
    BREAK = auto()
    COMMA = auto()


OF_GOODS: dict[Cue | str, str] = {
    Cue.ME: "i / me / myself / my share",
    Cue.YOU: "you / yourself / your share",
    Cue.WE: "we / us / for us / to us",
    Cue.EACH: """
        we each / each of us / we both / both of us / us each / each take / each get / each have
        each keep / one each of
        """,
    Cue.VERB: """
        take / takes / taking / took / taken / keep / keeps / keeping / kept / get / gets
        getting / got / have / having / receive / receiving / want / wanted / need / claim
        claiming / choose / grab / collect / own / would like / would love / would prefer
        go with / give / gives / giving / leave / leaving / let / offer / offering / hand
        handing / grant / allow / end up with / go for / walk away with / had / be left with
        settle for / happy with / content with / fine with / hold on to / hold onto / accept
        """,
    Cue.HALVE: """
        split / splitting / share / sharing / shared / divide / dividing / divided / halve
        halving / halved
        """,
    Cue.PART: """
        swap / swapping / trade / trading / exchange / exchanging / give up / giving up
        let go of / part with / parting with / do without / go without / forgo / forego
        relinquish / sacrifice / surrender
        """,
    Cue.AGAINST: "for / against / in (exchange|return) for",
    Cue.EXCEPT: """
        everything (but|except|except for|apart from|other than|besides|save)
        all (but|except|except for|apart from)
        """,
    Cue.THEM: "(have|keep|take) (them|it)",
    Cue.OF_IT: """
        the (other|remaining|last|third|final|second) one / the other
        the remaining (one|two|three) / the other (two|three)
        (one|two|three|four|both|all|half) of (them|those) / (one|two|three) for (me|you)
        (one|two|three) each
        """,
    Cue.TO_ME: "(one|two|three) for me / for me / to me / for myself / : me",
    Cue.TO_YOU: "(one|two|three) for you / for you / to you / for yourself / : you",
    Cue.IS_MINE: """
        (is|are|be|being|would be|will be|can be|should be|could be|stay|stays) mine / mine
        (go|goes|going|come|comes|belong|belongs|would go|will go|can go|should go|could go) to me
        """,
    Cue.IS_YOURS: """
        (is|are|be|being|would be|will be|can be|should be|could be|stay|stays) (all|) yours
        yours / (go|goes|going|come|comes|belong) to you
        (belongs|would go|will go|can go|should go|could go) to you
        """,
    Cue.APIECE: """
        (one|two|three) each / each / apiece / for each of us / per person / for both of us
        to each of us
        """,
    Cue.REST: """
        the rest / all the rest / everything else
        the remaining (items|ones|goods|things|stuff|pieces|gear) / whatever is left
        what is left / the remainder / the others / all the others
        the other (items|things|goods) / everything that is left
        rest of (it|them|everything|the items|the goods|the things)
        """,
    Cue.ALL: "everything / all of it / it all / all of them / all the (items|goods|things|stuff)",
    Cue.NOT: "not / no / never / without / except / instead of / rather than",
    Cue.TASTE: """
        worth / value / values / valued / points / point / like / love / prefer / care about
        fond / favorite / favourite / mean / means / matter / matters / important / useful
        interested / use / enjoy / collected
        """,
    Cue.BREAK: """
        but / while / whereas / ; / - / however / if / because / since / in exchange / in return
        in that case
        """,
    Cue.COMMA: ",",
}
