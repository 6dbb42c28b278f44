"""Scripted players of a decision: one that pools all it knows and makes the best of what it hears,
and one that keeps its clues to itself. They are a smoke test."""

from __future__ import annotations

from sociolab.core.episode import Act, Action, Json
from sociolab.core.errors import WorldError
from sociolab.core.ports import NoReply, Question, Reply, Request
from sociolab.core.seeding import stream
from sociolab.worlds.anteval.decision.case import Clue, best
from sociolab.worlds.anteval.decision.world import ChosenOption, CluesView
from sociolab.worlds.anteval.scene import CHAT, PASS, SPEAK, TELL

_NOTHING = "I know nothing about it that would help."


class ScriptedDecider:
    """Says a clue in each turn that nobody has said yet, firm ones first, then passes.

    With `talks` False it says nothing of what it knows. It answers by enumeration (`case.best`).

    A pure step function of the observation, the seed, the trial and the seat.
    """

    def __init__(self, *, talks: bool = True) -> None:
        self._talks = talks

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Act, or answer; WorldError at another world's table."""
        view = request.observation.view
        if not isinstance(view, CluesView):
            raise WorldError(
                "the scripted player of anteval-decision plays CluesView observations; "
                f"found a {type(view).__name__}"
            )
        heard = _heard(request)
        if not isinstance(request.expected, Question):
            return Reply((self._act(request, view, heard),))
        if not issubclass(request.expected.reply, ChosenOption):
            problem = f"scripted players have no answer to the question {request.name}"
            return NoReply("gave up", problem, again=False)
        known = {clue.id: clue for clue in (*view.clues, *heard)}
        options = best(view.options, tuple(known.values()))
        chance = stream(request.seed, request.trial, request.seat, request.name, request.turn)
        return Reply(request.expected.reply(answer=chance.choice(options)))

    def _act(self, request: Request, view: CluesView, heard: tuple[Clue, ...]) -> Action:
        chat = (Act(CHAT),)
        if not self._talks:
            spoke = any(line.you for line in request.observation.history)
            return Action(PASS, acts=chat) if spoke else Action(SPEAK, _NOTHING, acts=chat)
        said = {clue.id for clue in heard}
        remaining = [clue for clue in view.clues if clue.id not in said]
        remaining.sort(key=lambda clue: not (clue.rules_out or clue.refutes))
        if not remaining:
            return Action(PASS, acts=chat)
        clue = remaining[0]
        return Action(SPEAK, clue.text, acts=(Act(TELL, clue.model_dump(mode="json")),))


def _heard(request: Request) -> tuple[Clue, ...]:
    """The clues that were said, this seat's own words included."""
    return tuple(
        Clue.model_validate(act.what)
        for line in request.observation.history
        for action in line.actions
        for act in action.acts
        if act.kind == TELL
    )
