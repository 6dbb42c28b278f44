"""Outcomes of episodes whose goals have a formula, and what they are worth to each seat.

No text is interpreted here. Between built-in scripted players, the outcome is on record as acts;
else each seat is asked after the episode, and what independent agents report alike stands, as
reported. The formula of the goal turns the terms into a value from 0 to 10. An outcome that is not
established has no value, but bounds: the worst and the best for the seat.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from sociolab.core.episode import PARTICIPANT, Act, Answered, Episode, Moved, Unusable
from sociolab.core.ports import FieldWording, Line, Question, Wording
from sociolab.core.score import JudgeId, Measure, Score, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.engine.scene import Poll
from sociolab.judging.quoting import QUOTE_RULE, SpokenLine, lines_with
from sociolab.prompting.sets import prompt
from sociolab.worlds.sotopia.closing_form import (
    ACCEPT as ACCEPT,
    DECLINE as DECLINE,
    NO_DEAL,
    OFFER as OFFER,
    PACKAGE,
    deal_turns,
    deed_of,
    is_misfit,
    selection_polls,
    selections_in,
)
from sociolab.worlds.sotopia.evaluation import FINANCIAL, GOAL, GOAL_CHECKED
from sociolab.worlds.sotopia.scenarios import (
    AT_TARGET,
    STEP,
    DivisionGoal,
    FriendGoal,
    OptionGoal,
    PriceGoal,
    SceneCast,
    casting_from,
)
from sociolab.worlds.sotopia.scene import judge_names

CLOSING = "closing"
"""The name of the closing question in requests and events."""

HIGHEST = 10

Checkable: TypeAlias = PriceGoal | DivisionGoal | FriendGoal | OptionGoal
Share: TypeAlias = Mapping[str, int]
Terms: TypeAlias = "float | str | Mapping[str, Share]"
"""A price in dollars, an option, a friend's name, or each seat's pieces of each good."""


# ------------------------------------------------------------------ the worth of an outcome


def price_value(goal: PriceGoal, price: float) -> tuple[float, str]:
    """What a price is worth to a seat, 0 to 10, and the formula with its numbers.

    The target is worth 6 points; every 5 % of the target is worth one point more or less, within 0
    and 10. Our own scenarios state in the goal, in dollars, which prices are worth nothing and all.
    The published scenarios only say that a better price than the target earns a bonus and a worse
    one a penalty (SOTOPIA, appendix B.2); the same formula is applied to them.

    >>> from sociolab.worlds import sotopia
    >>> goal = sotopia.PriceGoal(role="seller", item="bicycle", listed=300, target=200)
    >>> [sotopia.price_value(goal, price)[0] for price in (130, 200, 210, 300)]
    [0.0, 6.0, 7.0, 10]
    """
    gain = price - goal.target if goal.role == "seller" else goal.target - price
    raw = AT_TARGET + gain / (STEP * goal.target)
    value = min(HIGHEST, max(0.0, raw))
    seller = goal.role == "seller"
    better = "price - target" if seller else "target - price"
    numbers = f"{price:g} - {goal.target:g}" if seller else f"{goal.target:g} - {price:g}"
    text = (
        f"6 + ({better}) / (5 % of target) = 6 + ({numbers}) / {STEP * goal.target:g} = {raw:.4g}"
    )
    return value, text if value == raw else f"{text}, clipped to {value:g}"


def share_value(goal: DivisionGoal, share: Share) -> tuple[float, str]:
    """What a share of the goods is worth to a seat, 0 to 10, and the formula with its numbers."""
    total = sum(goal.values[good] * count for good, count in goal.counts.items())
    own = sum(goal.values[good] * count for good, count in share.items())
    if total <= 0:
        return 0.0, "nothing is worth anything to this seat: 0"
    value = HIGHEST * own / total
    return value, f"10 x own points / all points = 10 x {own:g} / {total:g} = {value:.4g}"


def _no_agreement(goal: Checkable) -> tuple[float, str]:
    """What it is worth to a seat to agree on nothing, 0 to 10, and the formula."""
    if goal.kind != "division" or not goal.walk_away:
        return 0.0, "no agreement: 0"
    total = sum(goal.values[good] * count for good, count in goal.counts.items())
    value = min(HIGHEST, HIGHEST * goal.walk_away / total)
    return value, f"no agreement: 10 x {goal.walk_away:g} / {total:g} = {value:.4g}"


def _terms_value(seat: str, goal: Checkable, terms: Terms) -> tuple[float, str]:
    """What terms are worth to a seat, 0 to 10, and the formula with its numbers."""
    if goal.kind == "price":
        assert isinstance(terms, float)
        return price_value(goal, terms)
    if goal.kind == "division":
        assert isinstance(terms, Mapping)
        return share_value(goal, terms[seat])
    if goal.kind == "option":
        assert isinstance(terms, str)
        return goal.options[terms], f'worth of "{terms}" to this seat = {goal.options[terms]:g}'
    return HIGHEST, f"{terms} is the mutual friend and was found: 10 to everybody, else 0"


# ------------------------------------------------------------------ claims about an outcome

_COMMON = {
    "in_words": 'the terms, if it was "something else"; "" if not',
    "offer": 'quote of the turn that proposed it or its last part; "" unless agreed',
    "acceptance": 'quote of a later turn of somebody else that accepted it; "" unless agreed',
}
_OF_A_FRIEND = _COMMON | {
    "offer": 'quote of the turn that named the friend; "" unless found',
    "acceptance": 'quote of a later turn of somebody else that confirmed it; "" unless found',
}
_SAME_AS = {"found": "agreed", "not found": "nothing"}
"""The statuses of a friend search, as those of other claims."""


class Closing(BaseModel):
    """What a seat, or a reader of the transcript, says the outcome was.

    Its fields are made for each goal (`make_closing_type`): `outcome`, those of the terms,
    `in_words`, `offer`, `acceptance`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="after")
    def _with_terms(self) -> Self:
        values = self.model_dump()
        missing = [name for name, value in values.items() if value is None]
        if values["outcome"] in ("agreed", "found") and missing:
            raise ValueError(f'"{values["outcome"]}" needs a value in {", ".join(missing)}')
        return self

    @property
    def claim(self) -> Claim:
        """The answer as a claim, to be compared with others."""
        values = self.model_dump()
        outcome, words = values.pop("outcome"), values.pop("in_words", "")
        outcome = _SAME_AS.get(outcome, outcome)
        offer, acceptance = values.pop("offer"), values.pop("acceptance")
        if outcome != "agreed":
            return Claim(outcome, None, words)
        single = values.keys() & {"price", "option", "friend"}
        terms = values[single.pop()] if single else values
        return Claim(outcome, terms, offer=offer, acceptance=acceptance)


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody says the outcome was; `terms` is None unless the status is "agreed".

    In a division the terms are that seat's own share.
    """

    status: str
    terms: float | str | Share | None
    words: str = ""
    offer: str = ""
    acceptance: str = ""


def make_closing_type(
    goal: Checkable, statuses: tuple[str, ...], terms: str, *, evidence_first: bool = False
) -> type[Closing]:
    """The type of a closing answer to this goal; `terms` describes the fields of its terms.

    A price is a number, an option or a friend one of those in the goal; each good to divide has its
    own field. `evidence_first`: the quotes come before the terms, and the outcome last, so that a
    model concludes from its evidence.
    """
    if goal.kind == "division":
        choices = tuple(goal.counts.items())
    else:
        names = tuple(goal.options) if goal.kind == "option" else ()
        names = tuple(friend.name for friend in goal.friends) if goal.kind == "friend" else names
        choices = tuple((name, 1) for name in names)
    return _cached_closing_type(goal.kind, choices, statuses, terms, evidence_first)


@lru_cache(maxsize=1024)  # a pydantic class takes a millisecond to make
def _cached_closing_type(
    kind: str,
    choices: tuple[tuple[str, int], ...],
    statuses: tuple[str, ...],
    terms: str,
    evidence_first: bool,
) -> type[Closing]:
    outcome: dict[str, Any] = {"outcome": (Literal[statuses], ...)}
    fields: dict[str, Any] = {}
    if kind == "price":
        price = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
        fields["price"] = (price | None, Field(description=terms))
    elif kind == "division":
        for good, count in choices:
            pieces = Annotated[int, Field(ge=0, le=count)]
            fields[good] = (pieces | None, Field(description=terms))
    else:
        names = tuple(name for name, _ in choices)
        fields[kind] = (Literal[names] | None, Field(description=terms))
    quotes = {
        name: (str, Field(description=meaning))
        for name, meaning in (_OF_A_FRIEND if kind == "friend" else _COMMON).items()
        if name != "in_words" or "something else" in statuses
    }
    if evidence_first:
        words = {"in_words": quotes.pop("in_words")} if "in_words" in quotes else {}
        fields = quotes | fields | words | outcome
    else:
        fields = outcome | fields | quotes
    return create_model("Closing", __base__=Closing, **fields)


@dataclass(frozen=True, slots=True)
class Established:
    """An established outcome; `terms` None: no agreement. `how` names the evidence."""

    terms: Terms | None
    how: str


@dataclass(frozen=True, slots=True)
class Open:
    """Not established: nobody can tell, the seats disagree, or their claim is not in the text."""

    kind: Literal["cannot tell", "disputed", "unconfirmed"]
    why: str


Outcome: TypeAlias = Established | Open


def goals_of(casting: SceneCast) -> dict[str, Checkable]:
    """The goal of each seat, if all have a formula of the same kind; else empty."""
    goals = {
        character.id: goal.facts
        for character, goal in zip(casting.characters, casting.scenario.goals, strict=True)
        if goal.facts is not None and goal.facts.kind != "ask"
    }
    kinds = {goal.kind for goal in goals.values()}
    return goals if len(goals) == len(casting.characters) and len(kinds) == 1 else {}


# ------------------------------------------------------------------ on record


@dataclass(frozen=True, slots=True)
class AgreedTerms:
    """Terms that one seat offered and all others accepted; turns count from 0."""

    terms: Any
    by: str
    offered: int
    accepted: int


def find_agreement(turns: Iterable[tuple[str, Sequence[Act]]], seats: int) -> AgreedTerms | None:
    """The first agreement in the acts of these turns (speaker, acts); None if there is none.

    Terms are agreed once every other seat has accepted them since they were last offered.
    """
    offer: tuple[Any, str, int] | None = None
    agreeing = set[str]()
    for turn, (who, acts) in enumerate(turns):
        for act in acts:
            if act.kind == OFFER:
                offer, agreeing = (act.what, who, turn), {who}
            elif act.kind == ACCEPT and offer is not None:
                agreeing.add(who)
            elif act.kind == DECLINE:
                offer = None
        if offer is not None and len(agreeing) == seats:
            return AgreedTerms(*offer, turn)
    return None


def recorded_outcome(casting: SceneCast, moves: Sequence[Moved]) -> Established | None:
    """The outcome by the acts; None unless built-in scripted players took all turns."""
    if not moves or any(not action.acts for move in moves for action in move.actions):
        return None
    turns = [(move.seat, [a for action in move.actions for a in action.acts]) for move in moves]
    return _agreed_in(casting, moves, turns)


def _agreed_in(
    casting: SceneCast, moves: Sequence[Moved], turns: Iterable[tuple[str, Sequence[Act]]]
) -> Established:
    """The outcome by what each of these moves did."""
    agreed = find_agreement(turns, len(casting.characters))
    if agreed is None:
        return Established(None, "recorded: no offer was accepted")
    offered, accepted = moves[agreed.offered].turn + 1, moves[agreed.accepted].turn + 1
    how = f"recorded: offered in turn {offered}, accepted in turn {accepted}"
    if isinstance(agreed.terms, Mapping):
        return Established(divide_shares(casting, agreed.by, agreed.terms), how)
    terms = agreed.terms if isinstance(agreed.terms, str) else float(agreed.terms)
    return Established(terms, how)


def entered_outcome(casting: SceneCast, episode: Episode) -> Outcome:
    """The outcome by what the seats entered in a form, in a scenario that closes by one.

    A deal that got no answer since the seat's turns failed, and a form that was not filled in, are
    failures, and leave the outcome open.
    """
    if casting.scenario.closing == "selections":
        return _selected(casting, episode)
    outcome = _agreed_in(casting, episode.moves, deal_turns(episode.moves))
    if outcome.terms is None and (who := _failed_to_answer(episode)):
        return Open("cannot tell", f"{who} gave no usable reply, so nobody accepted or refused")
    return outcome


def _failed_to_answer(episode: Episode) -> str:
    """The seat whose turns failed with a deal of the other's on the table at the end, or at whose
    failed turn the talk stopped; "" if there is none."""
    ended, table = episode.ended, None
    for move in episode.moves:
        for deed in filter(None, map(deed_of, move.actions)):
            table = move if deed.kind == OFFER else None
    if ended is not None and ended.reason == "failed turn":
        return ended.seat or ""
    left = ended is not None and ended.reason == "left"
    if table is None or (left and ended and ended.seat != table.seat):
        return ""
    failed = (e.seat for e in episode.failed_turns if e.turn > table.turn and e.seat != table.seat)
    return next(failed, "")


def _selected(casting: SceneCast, episode: Episode) -> Outcome:
    goals = {s: g for s, g in goals_of(casting).items() if isinstance(g, DivisionGoal)}
    if is_misfit(episode):
        return Established(None, "recorded: the selections do not fit")
    found = selections_in(episode, goals)
    if missing := [seat for seat in goals if seat not in found]:
        return Open("cannot tell", f"{' and '.join(missing)} did not fill in the form")
    none = [seat for seat, share in found.items() if share is None]
    ended = episode.ended
    if none and ended is not None and ended.reason == "failed turn":
        return Open("cannot tell", f"the talk broke off at a failed turn of {ended.seat}")
    if none:
        return Established(None, f'recorded: {" and ".join(none)} selected "{NO_DEAL}"')
    shares = {seat: share for seat, share in found.items() if share is not None}
    counts = next(iter(goals.values())).counts
    said = "; ".join(f"{seat}: {describe_terms(share)}" for seat, share in shares.items())
    if any(sum(share[good] for share in shares.values()) != n for good, n in counts.items()):
        return Established(None, f"recorded: the selections do not fit ({said})")
    return Established(shares, f"recorded: the selections fit ({said})")


def divide_shares(casting: SceneCast, by: str, share: Share) -> dict[str, dict[str, int]]:
    """The pieces of both seats, if `by` keeps this share."""
    goal = goals_of(casting)[by]
    assert goal.kind == "division"
    rest = {good: count - share.get(good, 0) for good, count in goal.counts.items()}
    return {c.id: dict(share) if c.id == by else rest for c in casting.characters}


# ------------------------------------------------------------------ the closing question


STATUSES = ("agreed", "something else", "still open", "nothing")

_UNLESS = "null unless agreed"
_TERMS: Mapping[str, str] = {
    "price": f"dollars, {_UNLESS}",
    "division": f"how many your character gets, {_UNLESS}",
    "option": f"the one accepted, {_UNLESS}",
    "friend": "by name, null unless found",
}
_OTHERWISE = {
    "something else": "on terms that the fields below cannot hold",
    "still open": "the last offer got no answer",
    "nothing": "the last offer was refused, or nothing was offered",
}
_DIVIDED = {
    "still open": "the last offer got no answer, or only a part is settled",
    "nothing": "nothing was offered, or all was refused",
}
_MEANT: Mapping[str, Mapping[str, str]] = {
    "price": {"agreed": "with or without extras"} | _OTHERWISE,
    "division": {"agreed": "on all of it"} | _OTHERWISE | _DIVIDED,
    "option": {"agreed": "offered and accepted"} | _OTHERWISE,
    "friend": {
        "found": "one of you named the friend, and the other confirmed it",
        "still open": "a name came up, but was not confirmed",
        "not found": "no such name came up, or it was denied",
    },
}
"""The outcomes that a seat chooses from, by the kind of goal, and what they mean."""


def closing_hash() -> str:
    """A hash of the wording of the closing question."""
    return prompt(PACKAGE, "closing").hash


def closing_polls(casting: SceneCast, *, asked: bool = True) -> tuple[Poll, ...]:
    """What each seat fills in after the end: its selection, or else (if it is `asked`) the closing
    question; none where no formula needs the answer."""
    goals = goals_of(casting)
    match casting.scenario.closing:
        case "selections":
            return selection_polls({s: g for s, g in goals.items() if isinstance(g, DivisionGoal)})
        case "question" if asked:
            return tuple(Poll(None, (s,), _closing_question(goal)) for s, goal in goals.items())
    return ()


def _closing_question(goal: Checkable) -> Question:
    kind = make_closing_type(goal, tuple(_MEANT[goal.kind]), _TERMS[goal.kind])
    text = _render_question(goal.kind, _question_core(goal))
    wording = _wording(goal)
    return Question(
        CLOSING, text, kind, optional=True, wording=wording, complaint=_quote_problem, needs=400
    )


@lru_cache(maxsize=1024)
def _render_question(kind: str, matter: str) -> str:
    statuses = [f'"{name}" ({meaning})' for name, meaning in _MEANT[kind].items()]
    outcomes = f"{', '.join(statuses[:-1])} or {statuses[-1]}"
    return prompt(PACKAGE, "closing").render({"matter": matter, "outcomes": outcomes})


def _question_core(goal: Checkable) -> str:
    match goal.kind:
        case "price":
            return f"what price, if any, did you agree on for {definite_name(goal.item)}?"
        case "division":
            return f"did the two of you agree on how to divide the {_goods(goal)}, and if so, how?"
        case "option":
            return f"did you agree on {goal.subject}, and on which option?"
        case _:
            return "did you find a friend whom you both know, and if so, who is it?"


def _quote_problem(answer: BaseModel, history: Sequence[Line]) -> str:
    """What is wrong with the quotes of an answer, by the lines that its seat saw; "" if nothing."""
    assert isinstance(answer, Closing)
    claim = answer.claim
    if not claim.offer and not claim.acceptance:
        return ""  # allowed, but then there is no evidence of an agreement
    lines = [
        SpokenLine(line.turn, "" if line.you else line.who, tuple(a.text for a in line.actions))
        for line in history
    ]
    return exchange_problem(claim.offer, claim.acceptance, lines)


def describe_matter(goal: Checkable) -> str:
    """What was to be agreed on, for the question to a reader of the transcript."""
    match goal.kind:
        case "price":
            return f"the price of {definite_name(goal.item)}"
        case "division":
            return f"dividing {_goods(goal)}"
        case "option":
            return goal.subject
        case _:
            return "finding out whom they both know"


_FOR_PEOPLE = (
    "One last question, about how the conversation ended. Your partner does not see your answer, "
    "and you may skip it. If you both give the same answer, it counts as what happened."
)
_ELSE = "We agreed on something else"
_OPEN = "No, we left it undecided"
_NOTHING = "No, a proposal was refused, or nobody made one"
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "price": ("Yes, we agreed on a price", _ELSE, _OPEN, _NOTHING),
    "division": ("Yes, we agreed on who gets what", _ELSE, _OPEN, _NOTHING),
    "option": ("Yes, we agreed on it", _ELSE, _OPEN, _NOTHING),
    "friend": (
        "Yes, we both know who it is",
        "Not for certain: a name came up, but was not confirmed",
        "No, we did not find out",
    ),
}
"""The outcomes of `_MEANT` in people's words."""


def _wording(goal: Checkable) -> Wording:
    """The question to people: the same answers in plain words."""
    seeks_friend = goal.kind == "friend"
    question, terms = _plain_questions(goal)
    only_if = ("outcome", ("found" if seeks_friend else "agreed",))
    choices = tuple(zip(_MEANT[goal.kind], _CHOICES[goal.kind], strict=True))
    in_words = FieldWording(
        "in_words",
        "What did you agree on?",
        "In your own words; a sentence is enough.",
        only_if=("outcome", ("something else",)),
    )
    lines = {
        "offer": f"Which line {'named this friend' if seeks_friend else 'proposed it'}? (optional)",
        "acceptance": f"Which line {'confirmed' if seeks_friend else 'accepted'} it? (optional)",
    }
    return Wording(
        _FOR_PEOPLE,
        (
            FieldWording("outcome", question, choices=choices),
            *(FieldWording(name, label, only_if=only_if) for name, label in terms.items()),
            *(() if seeks_friend else (in_words,)),
            *(FieldWording(n, label, is_line=True, only_if=only_if) for n, label in lines.items()),
        ),
    )


def _plain_questions(goal: Checkable) -> tuple[str, dict[str, str]]:
    """The questions to people about the matter, and about each field of the terms."""
    match goal.kind:
        case "price":
            return f"Did you agree on a price for {definite_name(goal.item)}?", {
                "price": "What price did you agree on, in dollars?"
            }
        case "division":
            return f"Did you agree on how to divide {_goods(goal)}?", {
                good: f"How many of the {count} {good} do you get?"
                for good, count in goal.counts.items()
            }
        case "option":
            return f"Did you agree on {goal.subject}?", {"option": "Which one did you agree on?"}
        case _:
            return "Did you find out whom you both know?", {"friend": "Who is it?"}


def definite_name(item: str) -> str:
    """A thing with its definite article: "a steel bicycle, blue" becomes "the steel bicycle"."""
    first, _, rest = item.split(",")[0].partition(" ")
    return f"the {rest}" if first.lower() in ("a", "an", "the") else item.split(",")[0]


def reported_outcome(casting: SceneCast, episode: Episode) -> Outcome:
    """The outcome that the seats report alike.

    Reports establish an outcome only if the players are independent: the seats of one agent could
    agree on any report that pays. An agreement also needs evidence: every seat quotes the same line
    of one seat as the offer and the same later line of another seat as the acceptance. What these
    lines mean is not interpreted; a reader does that.

    With a person among them no seat need quote: nobody sees another's answer, so a person who gives
    the same one is a witness. Lines are then given as evidence if all chose the same.
    """
    claims = {seat: claim_of(casting, episode, seat) for seat in goals_of(casting)}
    missing = [seat for seat, claim in claims.items() if claim is None]
    if len(missing) == len(claims) and not _was_asked(episode):
        return Open("cannot tell", f"nobody was asked what was agreed; {_READER}")
    if missing:
        who = " and ".join(missing)
        return Open("cannot tell", f"{who} did not answer the closing question; {_READER}")
    answers = {seat: claim for seat, claim in claims.items() if claim is not None}
    outcome = _compare_claims(casting, answers)
    if not isinstance(outcome, Established):
        return outcome
    if not has_independent_seats(episode):
        why = f"{outcome.how}; the seats are one agent, so their word establishes nothing"
        return Open("unconfirmed", f"{why}; {_READER}")
    if outcome.terms is None:
        return outcome
    quotes = {seat: (claim.offer, claim.acceptance) for seat, claim in answers.items()}
    lines = spoken_lines(casting, episode.moves)
    exchange = find_exchange(quotes.values(), lines)
    if exchange is not None:
        return Established(outcome.terms, f"{outcome.how} ({exchange})")
    if _has_witness(episode):
        return Established(outcome.terms, f"{outcome.how}, none having seen another's answer")
    names = judge_names(casting)
    problems = [
        f"{names[seat]}: {problem}"
        for seat, quote in quotes.items()
        if (problem := exchange_problem(*quote, lines))
    ]
    why = "; ".join(problems) or "the seats quote different lines"
    return Open("unconfirmed", f"{outcome.how}; {why}; {_READER}")


_READER = "a reader can tell (--reader)"


def has_independent_seats(episode: Episode) -> bool:
    """Whether the seats are not all one agent.

    Agents are one if they are the same model or code, with any options; people are not.
    """
    agents = [member.identity for member in episode.trial.cast]
    return any(not agents[0].same_player(agent) for agent in agents)


def _has_witness(episode: Episode) -> bool:
    """Whether a person says what another seat says without having seen its answer: a participant of
    a study, or the only person of the episode. Several at one terminal may be one person."""
    people = [m.identity.name for m in episode.trial.cast if m.identity.kind == "person"]
    return len(people) == 1 or PARTICIPANT in people


def claim_of(casting: SceneCast, episode: Episode, seat: str) -> Claim | None:
    """A seat's answer to the closing question; None without one."""
    for event in reversed(episode.events):
        if isinstance(event, Answered) and (event.seat, event.question) == (seat, CLOSING):
            kind = _closing_question(goals_of(casting)[seat]).reply
            closing = kind.model_validate(event.value)
            assert isinstance(closing, Closing)
            return closing.claim
    return None


def _was_asked(episode: Episode) -> bool:
    return any(
        (isinstance(e, Answered) and e.question == CLOSING)
        or (isinstance(e, Unusable) and e.name == CLOSING)
        for e in episode.events
    )


def _compare_claims(casting: SceneCast, claims: Mapping[str, Claim]) -> Outcome:
    statuses = {claim.status for claim in claims.values()}
    if statuses <= {"still open", "nothing"}:
        what = "it was left open" if statuses == {"still open"} else "nothing was agreed"
        return Established(None, f"reported: all seats say that {what}")
    if statuses == {"something else"}:
        words = "; ".join(f'{seat}: "{claim.words}"' for seat, claim in claims.items())
        return Open("cannot tell", f"something else was agreed ({words})")
    answers = "; ".join(f"{seat} says {describe_claim(claim)}" for seat, claim in claims.items())
    if statuses != {"agreed"}:
        return Open("disputed", answers)
    shares = {s: claim.terms for s, claim in claims.items() if isinstance(claim.terms, Mapping)}
    if shares:
        goal = next(iter(goals_of(casting).values()))
        assert goal.kind == "division"
        complete = all(
            sum(share[good] for share in shares.values()) == count
            for good, count in goal.counts.items()
        )
        if not complete:
            return Open("disputed", answers)
        return Established(shares, f"reported: {answers}")
    terms = {c.terms for c in claims.values() if isinstance(c.terms, float | str)}
    if len(terms) > 1:
        return Open("disputed", answers)
    agreed = terms.pop()
    return Established(agreed, f"reported: all seats say {describe_terms(agreed)}")


# ------------------------------------------------------------------ the lines of an agreement


@dataclass(frozen=True, slots=True)
class QuotedExchange:
    """An offer and its acceptance in a transcript; turns count from 0."""

    offered: int
    offer: str
    accepted: int
    acceptance: str

    def __str__(self) -> str:
        return (
            f'turn {self.offered + 1}: "{self.offer}"; turn {self.accepted + 1}: '
            f'"{self.acceptance}"'
        )


def spoken_lines(casting: SceneCast, moves: Iterable[Moved]) -> tuple[SpokenLine, ...]:
    """What was said, turn by turn."""
    names = judge_names(casting)
    return tuple(
        SpokenLine(move.turn, names[move.seat], tuple(action.text for action in move.actions))
        for move in moves
    )


def find_exchange(
    quotes: Iterable[tuple[str, str]], lines: Sequence[SpokenLine]
) -> QuotedExchange | None:
    """The offer by one speaker and the later acceptance by another that all quotes agree on.

    `quotes` are pairs of an offer and an acceptance. Words, speakers and order are checked, the
    meaning is not. Of several exchanges, it is the last offer with its first acceptance. None
    without such an exchange, or without quotes.
    """
    shared: dict[tuple[int, int], QuotedExchange] | None = None
    for offer, acceptance in quotes:
        offers, acceptances = lines_with(offer, lines), lines_with(acceptance, lines)
        exchanges = {
            (i, j): QuotedExchange(lines[i].turn, proposal, lines[j].turn, consent)
            for i, proposal in offers.items()
            for j, consent in acceptances.items()
            if lines[i].turn < lines[j].turn and lines[i].speaker != lines[j].speaker
            if shared is None or (i, j) in shared
        }
        shared = exchanges
    if not shared:
        return None
    return min(shared.values(), key=lambda exchange: (-exchange.offered, exchange.accepted))


def exchange_problem(offer: str, acceptance: str, lines: Sequence[SpokenLine]) -> str:
    """Why the quotes are not an offer and a later acceptance by another speaker; "" if they are.

    It repeats no quote, since private answers enter no prompt, not even the seat's own.
    """
    places = []
    for name, quote in (("offer", offer), ("acceptance", acceptance)):
        if not quote.strip():
            return f"{name}: expected {QUOTE_RULE} of one line, word for word, found no quote"
        places.append(lines_with(quote, lines))
        if not places[-1]:
            return f"{name}: expected {QUOTE_RULE} of one line, word for word, found other words"
    if find_exchange([(offer, acceptance)], lines) is not None:
        return ""
    speakers = {lines[at].speaker for indices in places for at in indices}
    problem = "two lines of one speaker" if len(speakers) == 1 else "them the other way round"
    return f"expected an offer and a later line of somebody else that accepts it, found {problem}"


# ------------------------------------------------------------------ verdicts


Hear: TypeAlias = Callable[[SceneCast, Episode], Sequence[Moved]]
"""Gives the moves of an episode with all acts that rules know of (`plain_offers.heard_moves`)."""


def _moves(casting: SceneCast, episode: Episode) -> Sequence[Moved]:
    return episode.moves


def _outcome_on_record(casting: SceneCast, episode: Episode, hear: Hear) -> Outcome | None:
    if casting.scenario.closing != "question":
        return entered_outcome(casting, episode)
    return recorded_outcome(casting, hear(casting, episode))


class RecordedOutcome:
    """A judge by formula, from the outcome that scripted players put on record, or both seats
    entered in a form."""

    def __init__(self, hear: Hear = _moves) -> None:
        self.id = JudgeId("outcome", "formula", digest("outcome", "4"))
        self._hear = hear

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """A score for each seat; nothing without a formula or a record."""
        casting = casting_from(episode.trial.task.content)
        outcome = _outcome_on_record(casting, episode, self._hear)
        return () if outcome is None else score_outcome(casting, outcome)


class ReportedOutcome:
    """A judge by formula, from what the players report where there is no record."""

    def __init__(self, hear: Hear = _moves) -> None:
        self.id = JudgeId("reported", "reported", digest("reported", "2"))
        self._hear = hear

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """A score, or bounds and why there is none, for each seat; nothing without a formula."""
        casting = casting_from(episode.trial.task.content)
        if not goals_of(casting) or _outcome_on_record(casting, episode, self._hear):
            return ()
        return score_outcome(casting, reported_outcome(casting, episode))


def score_outcome(casting: SceneCast, outcome: Outcome) -> tuple[Verdict, ...]:
    """The score of each seat for an outcome, with the outcome as a record, {"agreed": whether,
    "terms": what}; bounds where it is not established."""
    goals = goals_of(casting)
    if isinstance(outcome, Established) and outcome.terms is not None:
        for seat, goal in goals.items():
            names = [f.name for f in goal.friends] if goal.kind == "friend" else [outcome.terms]
            if outcome.terms not in names:
                why = f"{outcome.terms} is no friend of {seat}: 0 ({outcome.how})"
                record = _as_record(outcome)
                return tuple(Score(GOAL_CHECKED, w, 0.0, why, outcome=record) for w in goals)
    return tuple(_score_seat(seat, goal, outcome) for seat, goal in goals.items())


def worth_of_terms(seat: str, goal: Checkable, terms: Terms) -> float:
    """What terms are worth to a seat, 0 to 10."""
    return _terms_value(seat, goal, terms)[0]


def _score_seat(seat: str, goal: Checkable, outcome: Outcome) -> Verdict:
    if isinstance(outcome, Open):
        why = f"{outcome.kind}: {outcome.why}"
        best = max(goal.options.values()) if goal.kind == "option" else HIGHEST
        return Unscored(GOAL_CHECKED, seat, why, outcome.kind, 0.0, best)
    if outcome.terms is None:
        value, formula = _no_agreement(goal)
    else:
        value, formula = _terms_value(seat, goal, outcome.terms)
    reason = f"{formula} ({outcome.how})"
    return Score(GOAL_CHECKED, seat, value, reason, outcome=_as_record(outcome))


def _as_record(outcome: Established) -> dict[str, Any]:
    terms = outcome.terms
    if isinstance(terms, Mapping):
        return {"agreed": True, "terms": {seat: dict(share) for seat, share in terms.items()}}
    return {"agreed": False} if terms is None else {"agreed": True, "terms": terms}


def describe_claim(claim: Claim) -> str:
    if claim.status == "agreed":
        return describe_terms(claim.terms)
    return f'"{claim.status}"' + (f" ({claim.words})" if claim.words else "")


def describe_terms(terms: Any) -> str:
    """Terms in words: "$250", "2 hats, 1 books" or a name in quotation marks."""
    if isinstance(terms, float):
        return f"${terms:,.2f}".removesuffix(".00")
    if isinstance(terms, Mapping):
        return ", ".join(f"{count} {good}" for good, count in terms.items())
    return f'"{terms}"'


def _goods(goal: DivisionGoal) -> str:
    """The goods to divide, with their counts."""
    *goods, last = (f"{count} {good}" for good, count in goal.counts.items())
    return f"{', '.join(goods)} and {last}" if goods else last


class HeuristicJudge:
    """A baseline judge of GOAL and FIN, for goals with a formula and an outcome on record."""

    def __init__(self) -> None:
        self.id = JudgeId("heuristic", "heuristic", digest("heuristic", "2"))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """Each seat's goal and gain by the record; repeated judgings are identical."""
        casting = casting_from(episode.trial.task.content)
        outcome = _outcome_on_record(casting, episode, _moves)
        scores: list[Verdict] = []
        for seat, goal in goals_of(casting).items():
            measures = (GOAL, FINANCIAL) if goal.kind in ("price", "division") else (GOAL,)
            if not isinstance(outcome, Established):
                why = "no outcome is on record: somebody here is no scripted player"
                why = why if outcome is None else f"{outcome.kind}: {outcome.why}"
                scores += [Unscored(measure, seat, why) for measure in measures]
                continue
            value = next(v for v in score_outcome(casting, outcome) if v.seat == seat)
            assert isinstance(value, Score)
            scores.append(_rounded(GOAL, seat, value.value, value.reason))
            if FINANCIAL in measures:
                agreed = outcome.terms is not None
                scores.append(_score_gain(seat, goal.kind, value.value, agreed=agreed))
        return tuple(scores)


def _score_gain(seat: str, kind: str, value: float, *, agreed: bool) -> Score:
    """FIN from the goal's value, in which 6 is the target price, 5 half of the goods' worth."""
    if not agreed:
        return Score(FINANCIAL, seat, 0, "nothing changed hands: no agreement")
    if kind == "division":
        reason = f"goods worth {value:.3g} of 10, less 5 for half of them"
        return _rounded(FINANCIAL, seat, value - 5, reason)
    gain = value - AT_TARGET
    scaled = 5 * gain / ((HIGHEST - AT_TARGET) if gain > 0 else AT_TARGET)
    reason = f"the price is worth {value:.3g} of 10, the player's own target 6; rescaled to -5 to 5"
    return _rounded(FINANCIAL, seat, scaled, reason)


def _rounded(measure: Measure, seat: str, value: float, reason: str) -> Score:
    """A score of the value as a whole number, halves rounded up, within the measure's range."""
    rounded = min(measure.high, max(measure.low, math.floor(value + 0.5)))
    return Score(measure, seat, rounded, f"{reason}; {value:.3g} is rounded to {rounded:g}")
