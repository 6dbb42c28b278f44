"""The scripted player of both AntEval worlds: any seat by rules, from what it may observe."""

from __future__ import annotations

from sociolab.core.episode import Json
from sociolab.core.errors import WorldError
from sociolab.core.ports import NoReply, Question, Reply, Request
from sociolab.worlds.anteval.information.question import Learned
from sociolab.worlds.anteval.scripted.moment import moment
from sociolab.worlds.anteval.scripted.npc import play_npc
from sociolab.worlds.anteval.scripted.party import play_party
from sociolab.worlds.anteval.scripted.recall import remembered
from sociolab.worlds.anteval.visibility import TableView


class ScriptedPlayer:
    """Rules for the NPC and for the party; how they play depends on the character.

    A pure step function of the observation, the seed, the trial, the seat and the turn: it keeps
    no memory, and never sees the session.
    """

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Act on the observation, or say what was learned; WorldError at another world's table."""
        if not isinstance(request.observation.view, TableView):
            raise WorldError(
                "the scripted player of anteval plays TableView observations; "
                f"found a {type(request.observation.view).__name__}"
            )
        now = moment(request)
        if isinstance(request.wanted, Question):
            if request.wanted.reply is not Learned:
                problem = f"rules have no answer to the question {request.name}"
                return NoReply("gave up", problem, again=False)
            return Reply(remembered(now))
        return Reply(play_npc(now) if now.view.npc else play_party(now))
