"""Scripted players: they take any seat of a table, offline and deterministic.

They are a smoke test, not opponents; one that only asks "What else?" is a control. Every action
carries acts (`scene.ASK`, `TELL`, `USE`, `CHAT`) that say what it means, and its answers the ids of
the facts that they state; scripted players understand each other by these alone. Beside a model, a
person or anybody's own code they go on politely, and nothing that is said counts for anything
without a judge that reads it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from sociolab.core.episode import Act, Action, Json
from sociolab.core.errors import WorldError
from sociolab.core.ports import Line, NoReply, Question, Reply, Request
from sociolab.core.seeding import stream
from sociolab.worlds.anteval.information.scoring import Learned
from sociolab.worlds.anteval.scene import (
    ACT,
    ASK,
    CHAT,
    HINT,
    LEAVE,
    PASS,
    SOUND,
    SPEAK,
    TELL,
    USE,
    WIN,
    TableView,
)
from sociolab.worlds.anteval.scenes import KINDS
from sociolab.worlds.anteval.session import PACKAGE, Fact, PartyMember

_PASSES, _DEEDS, _TWO_AT_ONCE, _ASIDE, _INVENTS = 0.05, 0.25, 0.2, 0.12, 0.25


class ScriptedPartyPlayer:
    """Asks, tells, passes on, uses its skills, and says in the end what it remembers.

    A pure step function of the observation, the seed, the trial, the seat and the turn.
    """

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Act, or say what was learned; WorldError at another world's table."""
        view = request.observation.view
        if not isinstance(view, TableView):
            raise WorldError(
                "the scripted player of anteval plays TableView observations; "
                f"found a {type(view).__name__}"
            )
        turn = self._turn(request, view)
        if not isinstance(request.expected, Question):
            if not view.npc:
                return Reply(turn.player())
            return Reply(turn.careful_npc() if view.trust else turn.npc())
        if request.expected.reply is Learned:
            return Reply(turn.learned())
        problem = f"scripted players have no answer to the question {request.name}"
        return NoReply("gave up", problem, again=False)

    def _turn(self, request: Request, view: TableView) -> _Turn:
        return _Turn(request, view)


class WhatElsePlayer(ScriptedPartyPlayer):
    """A control: as a player it says "What else do you know?" in every turn, and forgets nothing.

    What it learns is what the NPC tells whoever asks for nothing in particular.
    """

    def _turn(self, request: Request, view: TableView) -> _Turn:
        return _WhatElse(request, view)


class _Turn:
    """One turn of one seat: what it has observed so far, and the actions it takes."""

    def __init__(self, request: Request, view: TableView) -> None:
        observed = request.observation
        self._view, self._lines = view, observed.history
        self._key = (request.seed, request.trial, request.seat)
        self._chance = stream(*self._key, request.turn, request.name)
        self._own_lines = [line for line in observed.history if line.you]
        self._seats = len(observed.others) + 1
        self._turns_left = max(1, (observed.limit - observed.turn + self._seats - 1) // self._seats)

    # -------------------------------------------------------------- turns

    def npc(self) -> tuple[Action, ...]:
        """Tells what it knows when it is asked, by its charisma; to those whom it does not
        understand, bit by bit."""
        stated = {id_ for line in self._own_lines for id_, _ in _find_facts(line)}
        remaining = [fact for fact in self._view.knowledge if fact.id not in stated]
        questions = self._questions()
        open_ = self._chance.random() < _share(self._view.me, "charisma")
        understands = all(a.acts for line in self._lines if not line.you for a in line.actions)
        if not self._view.knowledge or not (questions or (self._own_lines and not understands)):
            return self._idle("npc")
        if not remaining:
            return (self._says("npc", "nothing"),)
        if not open_:
            return (self._says("npc", "evade"),)
        requested = [
            fact
            for fact in remaining
            if any(fact.asked_by(what) != "any question" for _, what in questions)
        ] or remaining
        fact = self._chance.choice(requested)
        rest = [other for other in remaining if other.id != fact.id]
        facts = [fact, self._chance.choice(rest)] if rest and self._often(_TWO_AT_ONCE) else [fact]
        told = [_telling(fact) for fact in facts]
        aside = questions and self._seats > 2 and self._often(_ASIDE)
        return (
            self._tells(told, "tell" if questions else "offer", questions[-1][0] if aside else ""),
        )

    def careful_npc(self) -> tuple[Action, ...]:
        """Answers each player's first question with one thing that its reserve allows."""
        told = {id_ for line in self._own_lines for id_, _ in _find_facts(line)}
        trusts = any(self._acts(WIN))
        chosen: list[dict[str, Json]] = []
        for what in dict(reversed(self._questions())).values():
            untold = [
                telling
                for fact in sorted(self._view.knowledge, key=lambda f: f.reserve == "any question")
                if (telling := _careful_telling(fact, what, trusts)) is not None
                and telling["id"] not in told
            ]
            chosen += untold[:1]
            told |= {str(telling["id"]) for telling in untold[:1]}
        if chosen:
            return (self._tells(chosen, "tell"),)
        if self._view.trust and any(self._acts(SOUND)) and not any(self._acts(HINT)):
            hint = Act(HINT, self._view.trust.how)
            return (self._speaks(self._line("npc", "hint"), hint),)
        return (self._says("npc", "nothing"),) if self._questions() else self._idle("npc")

    def player(self) -> tuple[Action, ...]:
        """Greets, uses its skills, passes on what it alone was told, and asks."""
        used = self._skill()
        if used:
            return used
        if not self._own_lines:
            return (self._says("party", "open"),)
        secret = self._told_in_secret()
        if secret:
            words = self._line("party", "pass_on").replace("{fact}", secret[1])
            return (self._speaks(words, Act(TELL, {"id": secret[0], "text": secret[1]})),)
        if self._often(_PASSES):
            return (Action(PASS, acts=(Act(CHAT),)),)
        if self._view.form == "intention" or self._often(_DEEDS):
            return self._idle("party")
        if self._view.leaving and None in self._asked(0):
            return (Action(LEAVE, acts=(Act(CHAT),)),)
        return (self._asks(),)

    def _asks(self) -> Action:
        """About each kind of thing, about what the NPC wants, by name, then for anything more; from
        the start again once the NPC has what it wants."""
        won = [line.turn for line in self._lines for act in _acts(line) if act.kind == WIN]
        asked = self._asked(won[0] if won else 0)
        kinds = [kind for kind in KINDS if kind not in asked]
        if kinds:
            kind = self._chance.choice(kinds)
            return self._speaks(self._line("ask", kind), Act(ASK, kind))
        hints = [str(act.what) for act in self._acts(HINT)]
        if hints and not won:
            words = self._line("win", hints[0])
            return Action(ACT if hints[0] == "done" else SPEAK, words, acts=(Act(WIN),))
        if not any(self._acts(SOUND)):
            return self._speaks(self._line("party", "sound"), Act(SOUND))
        names = [name for name in self._names_heard() if {"name": name} not in asked]
        if names:
            words = self._line("ask", "name").replace("{name}", names[0])
            return self._speaks(words, Act(ASK, {"name": names[0]}))
        return self._speaks(self._line("ask", "anything"), Act(ASK, None))

    def learned(self) -> Learned:
        """The facts that this player kept of those it heard, by its wisdom; now and then it adds
        something invented. What was kept once is kept. Of lines without acts it repeats the words
        of the one who knew."""
        facts: dict[str, str] = {}
        unread: list[str] = []
        for line in self._lines:
            if not line.you:
                facts |= _find_facts(line)
            if line.who == self._teller and any(not a.acts for a in line.actions):
                unread += [a.text for a in line.actions if a.kind == SPEAK]
        remembered = {i: text for i, text in facts.items() if self._keeps(i)}
        invented = self._invented() if facts else []
        ids = [*remembered, *([""] * len([*invented, *unread]))]
        return Learned(facts=[*remembered.values(), *invented, *unread], ids=ids)

    def _keeps(self, fact: str) -> bool:
        keeps = 0.3 + 0.7 * _share(self._view.me, "wisdom")
        return stream(*self._key, fact).random() < keeps

    def _invented(self) -> list[str]:
        habit = stream(*self._key, "invents")
        more: str = habit.choice(_lines()["remembered"]["invented"])
        return [more] if habit.random() < _INVENTS else []

    # -------------------------------------------------------------- what happened

    def _acts(self, kind: str) -> list[Act]:
        """All acts of a kind, by anybody, in their order."""
        return [act for line in self._lines for act in _acts(line) if act.kind == kind]

    def _asked(self, since: int) -> list[Json]:
        """What has been asked for since this turn."""
        return [
            act.what
            for line in self._lines
            for act in _acts(line)
            if line.turn >= since and act.kind == ASK
        ]

    def _names_heard(self) -> list[str]:
        """The names in what was told so far, in their order, each once."""
        told = [act.what for act in self._acts(TELL) if isinstance(act.what, dict)]
        names = [name for what in told for name in _as_names(what)]
        return list(dict.fromkeys(names))

    @property
    def _teller(self) -> str:
        return next((person.called for person in self._view.others if person.npc), "")

    def _questions(self) -> list[tuple[str, Json]]:
        """Who asked for which kind of fact (None: any) since this seat's last turn."""
        last = self._own_lines[-1].turn if self._own_lines else -1
        return [
            (line.who, act.what)
            for line in self._lines
            for act in _acts(line)
            if line.turn > last and act.kind == ASK
        ]

    def _told_in_secret(self) -> tuple[str, str] | None:
        """A fact that this seat heard in an aside and that was never told to all."""
        open_ = {i for line in self._lines for i, _ in _find_facts(line, aside=False)}
        secret = [
            fact for line in self._lines if not line.you for fact in _find_facts(line, aside=True)
        ]
        return next((fact for fact in secret if fact[0] not in open_), None)

    def _skill(self) -> tuple[Action, ...]:
        """The turn that shows a skill, if it is this one: not the first where there are others."""
        skills = [purpose.skill for purpose in self._view.purposes]
        turns = list(range(1, len(self._own_lines) + self._turns_left)) or [0]
        stream(*self._key, "habit").shuffle(turns)
        skill = dict(zip(turns, skills, strict=False)).get(len(self._own_lines))
        if skill is None:
            return ()
        deed, words = self._chance.choice(_lines()["use"][skill])
        texts = ((ACT, deed), (SPEAK, words))
        return tuple(
            Action(kind, self._filled(t), acts=(Act(USE, skill),)) for kind, t in texts if t
        )

    # -------------------------------------------------------------- how it is put

    def _idle(self, who: str) -> tuple[Action, ...]:
        """Small talk, a deed, or both."""
        talk = self._says(who, "small_talk" if who == "party" and self._often(0.3) else "chat")
        deed = Action(ACT, self._line(who, "deeds"), acts=(Act(CHAT),))
        if self._often(0.7):
            return (talk,)
        return (deed,) if self._often(0.4) else (deed, talk)

    def _tells(self, told: list[dict[str, Json]], lead: str, to: str = "") -> Action:
        words = f" {self._line('npc', 'also')} ".join(str(telling["text"]) for telling in told)
        acts = [Act(TELL, telling) for telling in told]
        text = f"{self._line('npc', lead)} {words}"
        return Action(SPEAK, text, (to,) if to else (), tuple(acts))

    def _says(self, table: str, key: str) -> Action:
        return self._speaks(self._line(table, key), Act(CHAT))

    def _speaks(self, text: str, act: Act) -> Action:
        return Action(SPEAK, text, acts=(act,))

    def _line(self, table: str, key: str) -> str:
        """One of the lines of a table; not one that was said before, if there is another."""
        lines = [self._filled(line) for line in _lines()[table][key]]
        spoken = [action.text for line in self._lines for action in line.actions]
        fresh = [line for line in lines if not any(line in text for text in spoken)]
        return self._chance.choice(fresh or lines)

    def _filled(self, line: str) -> str:
        friends = [person.called for person in self._view.others if not person.npc] or ["friend"]
        other = friends[len(self._lines) % len(friends)]
        return line.replace("{npc}", self._teller).replace("{other}", other)

    def _often(self, share: float) -> bool:
        return self._chance.random() < share


class _WhatElse(_Turn):
    """The turn of a player that asks for nothing in particular."""

    def player(self) -> tuple[Action, ...]:
        return (self._speaks(_lines()["what_else"], Act(ASK, None)),)

    def _keeps(self, fact: str) -> bool:
        return True

    def _invented(self) -> list[str]:
        return []


def _telling(fact: Fact) -> dict[str, Json]:
    return {"id": fact.id, "text": fact.text, "names": list(fact.names)}


def _careful_telling(fact: Fact, what: Json, trusts: bool) -> dict[str, Json] | None:
    """What an NPC with a reserve tells of a fact for this question, be it false; None: nothing."""
    asked = fact.asked_by(what)
    if fact.allows(asked, trusts):
        return _telling(fact)
    if fact.may_lie(asked, trusts):
        return _telling(fact) | {"id": fact.false_id, "text": fact.falsehood}
    return None


def _as_names(what: dict[str, Json]) -> list[str]:
    names = what.get("names")
    return [str(name) for name in names] if isinstance(names, list) else []


def _acts(line: Line) -> Iterator[Act]:
    return (act for action in line.actions for act in action.acts)


def _find_facts(line: Line, *, aside: bool | None = None) -> Iterator[tuple[str, str]]:
    """The facts that a line tells, as id and text; `aside`: only what is, or is not, for some."""
    for action in line.actions:
        for act in action.acts:
            if act.kind == TELL and isinstance(act.what, dict) and aside in (None, bool(action.to)):
                yield str(act.what["id"]), str(act.what["text"])


def _share(character: PartyMember, ability: str) -> float:
    """An ability (3 to 20) as a share, 0.35 to 0.95."""
    return 0.35 + 0.6 * (character.abilities.get(ability, 10) - 3) / 17


def small_talk() -> tuple[str, ...]:
    """What scripted players say who have nothing to do, without the lines that name anybody."""
    party = _lines()["party"]
    return tuple(line for line in (*party["chat"], *party["small_talk"]) if "{" not in line)


@cache
def _lines() -> dict[str, Any]:
    return tomllib.loads(files(PACKAGE).joinpath("data", "scripted_lines.toml").read_text("utf-8"))
