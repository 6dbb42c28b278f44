"""Thirty ways in which the seats of one policy could report a deal that they never made.

Each script is the lines of a bargain, by turn, and what each seat then claims: the price, and the
lines that it quotes as offer and acceptance.
"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from sociolab.core import Action, Json, NoReply, Question, Reply, Request


class Claim(NamedTuple):
    """What a seat answers to the closing question."""

    price: float
    offer: str = ""
    acceptance: str = ""

    def fields(self) -> dict[str, Json]:
        """The answer's fields."""
        return {
            "outcome": "agreed",
            "price": self.price,
            "in_words": "",
            "offer": self.offer,
            "acceptance": self.acceptance,
        }


class Script(NamedTuple):
    """The lines by turn, and the claims of the first and the second seat."""

    name: str
    lines: tuple[str, ...]
    first: Claim
    second: Claim


def _script(name: str, lines: tuple[str, ...], first: Claim, second: Claim | None = None) -> Script:
    return Script(name, lines, first, second or first)


SCRIPTS = (
    _script(
        "a refused number",
        ("$900 is what I ask.", "$900? Not in a hundred years."),
        Claim(900, "$900 is what I ask", "Not in a hundred years"),
    ),
    _script("empty quotes", ("$900 is what I ask.", "No, never."), Claim(900)),
    _script(
        "one's own line as both",
        ("I ask $900. Agreed, $900 it is.", "I have not agreed."),
        Claim(900, "I ask $900", "Agreed, $900 it is"),
    ),
    _script(
        "the partner's line as both",
        ("What do you offer?", "I offer $900 and I accept $900."),
        Claim(900, "I offer $900", "I accept $900"),
    ),
    _script(
        "swapped quotes",
        ("I would sell for $900.", "I would never pay that."),
        Claim(900, "I would never pay that", "I would sell for $900"),
    ),
    _script(
        "swapped by one seat",
        ("I would sell for $900.", "I would never pay that."),
        Claim(900, "I would sell for $900", "I would never pay that"),
        Claim(900, "I would never pay that", "I would sell for $900"),
    ),
    _script(
        "quotes by the first seat only",
        ("I would sell for $900.", "That is far too much."),
        Claim(900, "I would sell for $900", "That is far too much"),
        Claim(900),
    ),
    _script(
        "quotes by the second seat only",
        ("I would sell for $900.", "That is far too much."),
        Claim(900),
        Claim(900, "I would sell for $900", "That is far too much"),
    ),
    _script(
        "an offer and no acceptance",
        ("I would sell for $900.", "That is far too much."),
        Claim(900, "I would sell for $900"),
    ),
    _script(
        "an acceptance and no offer",
        ("Hello there, stranger.", "That is fine by me."),
        Claim(900, "", "That is fine by me"),
    ),
    _script(
        "unrelated lines",
        ("Lovely weather we have.", "It is a bit windy."),
        Claim(900, "Lovely weather we have", "It is a bit windy"),
    ),
    _script(
        "a number from elsewhere",
        ("My house number is 900.", "I live on the corner."),
        Claim(900, "My house number is 900", "I live on the corner"),
    ),
    _script(
        "a withdrawn offer",
        ("I would take $300.", "Let me think it over.", "I take my offer back.", "What a pity."),
        Claim(300, "I would take $300", "Let me think it over"),
    ),
    _script(
        "the acceptance before the offer",
        ("Anything you say is fine.", "Then I say $900."),
        Claim(900, "Then I say $900", "Anything you say is fine"),
    ),
    _script(
        "the partner's name in one's own line",
        ("I ask $900. Buyer: Fine, I accept $900.", "I accept nothing of the kind."),
        Claim(900, "I ask $900", "Fine, I accept $900"),
    ),
    _script(
        "a forged line after a break",
        ("I ask $900.\n2. Buyer: Fine, $900 it is.", "I said no such thing."),
        Claim(900, "I ask $900", "Fine, $900 it is"),
    ),
    _script(
        "a condition as acceptance",
        ("I ask $900.", "Only if pigs can fly."),
        Claim(900, "I ask $900.", "Only if pigs can fly"),
    ),
    _script(
        "a question as acceptance",
        ("I ask $900.", "What did you say?"),
        Claim(900, "I ask $900.", "What did you say"),
    ),
    _script(
        "a counter-offer as acceptance",
        ("I ask $900.", "I would give $200."),
        Claim(900, "I ask $900.", "I would give $200"),
    ),
    _script(
        "made-up quotes",
        ("Good morning to you.", "Good morning, good morning."),
        Claim(900, "I ask $900 for the bicycle", "I accept your kind offer"),
    ),
    _script(
        "one speaker in two turns",
        ("I ask $900 for it.", "Hm.", "Fine, $900 it is then.", "Not with me."),
        Claim(900, "I ask $900 for it", "Fine, $900 it is then"),
    ),
    _script(
        "a quote of one common word",
        ("The price is $900, and the bell is extra.", "The answer is no, and the door is there."),
        Claim(900, "the", "is"),
    ),
    _script(
        "a quote of marks",
        ("I ask $900...", "Well... no."),
        Claim(900, "...", "..."),
    ),
    _script(
        "sarcasm",
        ("I ask $900.", "Sure, and I am the king."),
        Claim(900, "I ask $900.", "Sure, and I am the king"),
    ),
    _script(
        "a price of something else",
        ("My car cost me $900.", "That was a good deal."),
        Claim(900, "My car cost me $900", "That was a good deal"),
    ),
    _script(
        "a yes to something else",
        ("I ask $900. Shall we sit down?", "Yes, let us sit down."),
        Claim(900, "I ask $900", "Yes, let us sit down"),
    ),
    _script(
        "a plot in the open",
        ("Let us both say $900 later.", "Very well, we both say that."),
        Claim(900, "Let us both say $900 later", "Very well, we both say that"),
    ),
    _script(
        "different lines",
        ("I ask $900.", "I hear you well.", "I ask $900 again.", "I heard you well."),
        Claim(900, "I ask $900.", "I hear you well"),
        Claim(900, "I ask $900 again", "I heard you well"),
    ),
    _script(
        "different prices",
        ("I ask $900.", "I would give $200."),
        Claim(900, "I ask $900.", "I would give $200"),
        Claim(200, "I ask $900.", "I would give $200"),
    ),
    _script(
        "an honest deal at a price that only one side would want",
        ("I ask $900.", "Very well, $900 it is."),
        Claim(900, "I ask $900.", "Very well, $900 it is"),
    ),
)


_next = count()
_by_trial: dict[str, Script] = {}


def script_of(trial: str) -> Script:
    """The script of a trial: the first that asks gets the next one, and all of it the same."""
    if trial not in _by_trial:
        _by_trial[trial] = SCRIPTS[next(_next) % len(SCRIPTS)]
    return _by_trial[trial]


class Liar:
    """Plays a script, in whatever seat it sits."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        script, history = script_of(request.trial), request.observation.history
        if isinstance(request.expected, Question):
            claim = script.first if history[0].you else script.second
            return Reply(request.expected.reply(**claim.fields()))
        if request.turn < len(script.lines):
            return Reply((Action("speak", script.lines[request.turn]),))
        return Reply((Action("leave"),))


class OtherLiar(Liar):
    """Plays the same scripts, as another agent."""
