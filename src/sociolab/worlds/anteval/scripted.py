"""The scripted player: it takes any seat of a table, offline and deterministic.

It is a smoke test, not an opponent, and as a reticent NPC it never gets what it wants. Every action
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
from sociolab.worlds.anteval.scene import ACT, ASK, CHAT, LEAVE, PASS, SPEAK, TELL, USE, TableView
from sociolab.worlds.anteval.session import PACKAGE, Fact, PartyMember
from sociolab.worlds.anteval.sessions import KINDS

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
        turn = _Turn(request, view)
        if not isinstance(request.expected, Question):
            return Reply(turn.npc() if view.npc else turn.player())
        if request.expected.reply is Learned:
            return Reply(turn.learned())
        problem = f"scripted players have no answer to the question {request.name}"
        return NoReply("gave up", problem, again=False)


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
        tellable = [fact for fact in self._view.knowledge if fact.id not in self._view.kept]
        remaining = [fact for fact in tellable if fact.id not in stated]
        questions = self._questions()
        open_ = self._chance.random() < _share(self._view.me, "charisma")
        understands = all(a.acts for line in self._lines if not line.you for a in line.actions)
        if not self._view.knowledge or not (questions or (self._own_lines and not understands)):
            return self._idle("npc")
        if not remaining:
            return (self._says("npc", "nothing"),)
        if not open_:
            return (self._says("npc", "evade"),)
        kinds = [kind for _, kind in questions]
        requested = [fact for fact in remaining if fact.kind in kinds] or remaining
        fact = self._chance.choice(requested)
        rest = [other for other in remaining if other.id != fact.id]
        facts = [fact, self._chance.choice(rest)] if rest and self._often(_TWO_AT_ONCE) else [fact]
        aside = questions and self._seats > 2 and self._often(_ASIDE)
        return (
            self._tells(facts, "tell" if questions else "offer", questions[-1][0] if aside else ""),
        )

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
        asked_kinds = {act.what for line in self._lines for act in _acts(line) if act.kind == ASK}
        if None in asked_kinds and self._view.leaving:
            return (Action(LEAVE, acts=(Act(CHAT),)),)
        kinds = [kind for kind in KINDS if kind not in asked_kinds]
        kind = self._chance.choice(kinds) if kinds else None
        return (self._speaks(self._line("ask", kind or "anything"), Act(ASK, kind)),)

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
        keeps = 0.3 + 0.7 * _share(self._view.me, "wisdom")
        remembered = {
            i: text for i, text in facts.items() if stream(*self._key, i).random() < keeps
        }
        habit = stream(*self._key, "invents")
        more = habit.choice(_lines()["remembered"]["invented"])
        invented = [more] if facts and habit.random() < _INVENTS else []
        ids = [*remembered, *([""] * len([*invented, *unread]))]
        return Learned(facts=[*remembered.values(), *invented, *unread], ids=ids)

    # -------------------------------------------------------------- what happened

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

    def _tells(self, facts: list[Fact], lead: str, to: str) -> Action:
        words = f" {self._line('npc', 'also')} ".join(fact.text for fact in facts)
        acts = [Act(TELL, {"id": fact.id, "text": fact.text}) for fact in facts]
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


@cache
def _lines() -> dict[str, Any]:
    return tomllib.loads(files(PACKAGE).joinpath("data", "scripted_lines.toml").read_text("utf-8"))
